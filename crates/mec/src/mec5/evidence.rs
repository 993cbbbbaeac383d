//! What an answer about error states rests on: whoever runs a session has it judged by code of its own.

use std::sync::Arc;

use lapidary_base::{IdVec, Stop};
use lapidary_ir::{ComponentId, EventId, Tree};
use lapidary_verdict::{Diagram, State};

/// Can the hierarchy come from the initial configurations to the error configurations?
pub struct Question<'a> {
    pub tree: &'a Tree,
    pub initial: &'a Diagram,
    pub error: &'a Diagram,
}

pub enum Evidence {
    /// They are reached by this run: `events[i]` leads from `states[i]` to `states[i + 1]`.
    Run { events: Vec<IdVec<ComponentId, EventId>>, states: Vec<State> },
    /// They are not: the set contains the initial configurations, no step leaves it, and it misses the error
    /// configurations.
    Inductive(Arc<Diagram>),
}

pub enum Judgement {
    Accepted,
    /// The evidence does not show what it should: a mistake of this program.
    Rejected(String),
    Stopped(Stop),
}
