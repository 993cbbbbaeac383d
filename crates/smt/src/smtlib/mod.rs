//! SMT-LIB 2 as text: commands written from terms, and answers read as s-expressions.

mod read;
mod script;

pub use read::{Reader, Sexp, read};
pub use script::{Declarations, Script};
