//! Acheck: sets of configurations and of transitions, `with N do ... done`.
//!
//! A specification is read, then resolved for every node that it names, then evaluated through an engine. Nothing is
//! evaluated before everything is resolved, so a mistake in the last line costs no search.

pub mod algebra;
mod ast;
mod bits;
pub mod codes;
mod commands;
mod decision;
pub mod diagrams;
mod evaluate;
pub mod explicit;
mod guard;
mod lexer;
pub mod limits;
mod memory;
mod parse;
mod predicate;
mod resolve;
mod run;
mod typed;
mod walks;
mod words;

pub use ast::Mode;
pub use memory::Memory;
pub use predicate::{StateSet, Written, state_set};
pub use resolve::vocabulary;
pub use run::{EngineChoice, Failure, Output, Past, Summary, resume, run};
