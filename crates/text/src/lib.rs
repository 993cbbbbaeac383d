//! Source texts, places in them, and diagnostics that point at those places; texts within XML.

pub mod cursor;
pub mod diagnostic;
pub mod source;
pub mod xml;

pub use cursor::{Cursor, Token};
pub use diagnostic::{Diagnostic, Diagnostics, Severity};
pub use source::{Origin, Place, Source, SourceId, Sources, Span};
