//! Composition of components.

mod common;
mod composition;
