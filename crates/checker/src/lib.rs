//! The independent checker: replays traces and verifies certificates with an evaluator of its own.
//!
//! Everything rests on [`eval`] and [`step`], a plain interpreter of the unsimplified model. Large sets of states are
//! checked with closures made from the same expressions; whenever a closure meets something out of the ordinary, the
//! interpreter decides. Formulas are checked with a solver, on terms that this crate makes itself. No code is shared with
//! the engines that produce the evidence.

use std::fmt;

use lapidary_base::Stop;

mod apply;
mod atoms;
mod budget;
mod certify;
mod compile;
mod components;
pub mod covered;
mod diagram;
mod dispatch;
mod enumeration;
pub mod eval;
mod execute;
pub mod explain;
mod finding;
mod formula;
mod guesses;
mod index;
mod initial;
mod layout;
mod members;
mod net;
mod pool;
mod program;
pub mod ranges;
mod replay;
mod start;
pub mod step;
mod subject;
mod successors;
mod threads;
pub mod tree;
mod why;
mod wide;
mod words;

pub use budget::Budget;
pub use certify::{Claim, Means, certify_model, certify_model_claims};
pub use components::{certify_components, certify_diagram_on_tree, certify_diagram_on_tree_from};
pub use explain::{deciding_fault, explain, failing_conjunct, responsible_fault};
pub use formula::blamed;
pub use lapidary_smt::Backend;
pub use net::{certify_bounds, certify_net, replay_net, replay_net_run};
pub use replay::{replay_model, replay_model_run, replay_model_run_within, replay_model_within};
pub use start::has_initial_state;
pub use subject::{certify, replay, replay_run};
pub use tree::{certify_tree, replay_tree};
pub use why::{Steps, blocked, false_part};

/// Why evidence is not accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rejection {
    /// The evidence is wrong; the text says in which respect.
    Wrong(String),
    /// A limit ended the check. With [`Stop::Solver`] the evidence is wrong, and of the very question that shows this the
    /// solver that was named says the opposite: it is to blame if the evidence rests on it.
    Stopped(Stop),
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Wrong(why) => f.write_str(why),
            Self::Stopped(stop) => stop.fmt(f),
        }
    }
}

impl From<Stop> for Rejection {
    fn from(stop: Stop) -> Self {
        Self::Stopped(stop)
    }
}
