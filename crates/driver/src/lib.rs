//! From a file to a report: open, load, choose engines, run, check the evidence.

pub mod altarica;
pub mod check;
mod encoding;
pub mod hierarchy;
pub mod json;
mod lints;
pub mod load;
pub mod mec;
mod question;
pub mod simulate;
mod specification;
mod warnings;

pub use check::{CheckRequest, EngineChoice, SearchDirection, SearchOrder, check, engines};
pub use lints::lints;
pub use load::{LoadError, LoadRequest, Loaded, load, load_within, open, open_text};
