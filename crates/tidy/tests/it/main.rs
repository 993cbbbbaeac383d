//! The rules of the repository.

mod form;
mod layers;
mod script;
mod walks;
