//! Mec 5: relations over configurations and events, defined by formulas with fixpoints, and its shell.
//!
//! A statement is split off its script (`split`), parsed (`parse`), its types inferred (`infer`) and checked (`check`),
//! solved on decision diagrams (`evaluate`), and stored in the [`Session`]. Whoever runs a session is its [`Host`].

mod ast;
mod carry;
mod cegar;
mod check;
mod codes;
mod commands;
mod complete;
mod environment;
mod evaluate;
mod evidence;
mod execute;
mod formula;
mod host;
mod infer;
mod judge;
mod lexer;
mod node;
mod options;
mod parse;
mod parse_expr;
mod place;
mod resolve_type;
mod session;
mod show;
mod slots;
mod split;
mod terms;
mod types;
mod value;

pub use complete::{Completion, Vocabulary, complete};
pub use evidence::{Evidence, Judgement, Question};
pub use host::{Host, LoadFailure};
pub use session::{Flow, Outcome, Session};
pub use split::{Kind, Statement, is_complete, statements};
