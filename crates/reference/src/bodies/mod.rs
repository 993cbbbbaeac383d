//! Random bodies of commands, and what they mean by trying everything.
//!
//! The models are made to go wrong: branches that meet again, choices in choices, loops with a bound and without, local
//! variables whose first value is not zero, rows that are written and read, inputs that are overwritten, conditions
//! without a value. They have few states, so that a test can try all of them.

mod guarded;
mod meaning;
mod random;
pub mod words;

pub use guarded::guarded;
pub use meaning::{State, initial, keeps_invariant, states, steps, successors};
pub use random::{E, P, ROW, X, Y, assignment, definition, model, number, state, statement, truth, variables, winding};

/// Which loops random bodies have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loops {
    None,
    /// A constant or the domain of a variable bounds the turns.
    Bounded,
    /// Some of them go on as long as anything is true, and may never end.
    Any,
}

/// Whether random bodies have variables of their own; the counters of loops with a bound are some.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Locals {
    None,
    Some,
}

/// What random bodies may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    pub loops: Loops,
    pub locals: Locals,
    /// How deep statements stand in each other.
    pub depth: usize,
}

impl Default for Shape {
    fn default() -> Self {
        Self { loops: Loops::Any, locals: Locals::Some, depth: 4 }
    }
}
