//! SMT-LIB 2 as text: commands written from terms, and answers read as s-expressions.

mod read;
pub(crate) mod script;
mod value;
pub(crate) mod words;

pub use read::{Reader, Sexp, read};
pub use script::{Declarations, Script};
pub use value::{Functions, Unread, named_functions, value};
