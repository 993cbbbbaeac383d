//! Source texts and places in them, diagnostics that point at those places, and the kit that readers of texts are made of: a log,
//! pieces of lexers, a cursor over tokens, expressions by the strength of their operators, names that were meant; texts within XML.

pub mod climb;
pub mod cursor;
pub mod descent;
pub mod diagnostic;
pub mod lexing;
pub mod log;
pub mod patience;
pub mod quotation;
pub mod source;
pub mod spelling;
pub mod xml;

pub use cursor::{Cursor, Token};
pub use diagnostic::{Diagnostic, Diagnostics, Severity};
pub use log::Log;
pub use patience::Patience;
pub use source::{Origin, Place, Source, SourceId, Sources, Span};
