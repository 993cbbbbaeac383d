//! Source texts, places in them, and diagnostics that point at those places.

pub mod cursor;
pub mod diagnostic;
pub mod source;

pub use cursor::{Cursor, Token};
pub use diagnostic::{Diagnostic, Diagnostics, Severity};
pub use source::{Place, Source, SourceId, Sources, Span};
