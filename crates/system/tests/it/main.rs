//! Composition of components; images of boxes of markings.

mod boxes;
mod common;
mod composition;
