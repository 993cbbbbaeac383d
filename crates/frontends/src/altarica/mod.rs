//! `.alt`, AltaRica in the dialect of LaBRI.
//!
//! Text to tokens to a syntax tree (`parse`), whose nodes are instantiated (`instantiate`) with the meaning that their
//! expressions have there (`check`): names first, then what they do. Whatever the input, loading ends with a document or
//! with diagnostics that name places in it.

mod applied;
pub mod ast;
mod check;
pub mod codes;
mod document;
mod elements;
mod enums;
mod globals;
mod instantiate;
mod lexer;
mod library;
pub mod limits;
mod names;
pub mod parse;
mod preprocess;
pub mod print;
mod scope;
pub mod sizes;
mod value;

pub use document::{Document, load, load_files, load_with, read_files};
pub use library::{Alone, Library};
