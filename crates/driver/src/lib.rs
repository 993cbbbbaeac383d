//! From a file to a report: open, load, choose engines, run, check the evidence.

pub mod abstraction;
pub mod altarica;
mod attempt;
pub mod check;
mod encoding;
mod engines;
pub mod examples;
mod guess;
pub mod hierarchy;
pub mod json;
mod judge;
mod lints;
pub mod load;
pub mod mec;
pub mod nets;
mod portfolio;
mod question;
mod request;
pub mod simulate;
mod specification;
mod warnings;

pub use check::check;
pub use engines::{Takes, engines};
pub use lapidary_engines::backward::Pruning;
pub use lapidary_engines::cover;
pub use lapidary_engines::hierarchy::{Merged, merged};
pub use lapidary_engines::matching::Inputs;
pub use lapidary_smt::Backend;
pub use lints::lints;
pub use load::{LoadError, LoadRequest, Loaded, load, load_within, open, open_text, open_text_within, open_within};
pub use portfolio::describe as describe_auto;
pub use request::{CheckRequest, CoverOptions, EngineChoice, NetOptions, SearchDirection, SearchOrder, SolverOptions};
