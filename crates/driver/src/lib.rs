//! From a file to a report: open, load, choose engines, run, check the evidence.

pub mod abstraction;
pub mod altarica;
pub mod check;
mod encoding;
pub mod hierarchy;
pub mod json;
mod judge;
mod lints;
pub mod load;
pub mod mec;
mod question;
pub mod simulate;
mod specification;
mod warnings;

pub use check::{CheckRequest, CoverOptions, EngineChoice, SearchDirection, SearchOrder, check, engines};
pub use lapidary_engines::cover;
pub use lapidary_engines::hierarchy::{Merged, merged};
pub use lints::lints;
pub use load::{LoadError, LoadRequest, Loaded, load, load_within, open, open_text};
