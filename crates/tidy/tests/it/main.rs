//! The rules of the repository.

mod files;
mod form;
mod layers;
mod script;
mod walks;
