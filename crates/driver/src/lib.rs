//! From a file to a report: open, load, choose engines, run, check the evidence.

pub mod check;
pub mod json;
pub mod load;
mod question;
pub mod simulate;
mod warnings;

pub use check::{CheckRequest, EngineChoice, SearchOrder, check, engines};
pub use load::{LoadError, LoadRequest, Loaded, load, open, open_text};
