//! What happened in a step, in the shape of the source.

use lapidary_base::IdVec;

use crate::model::CommandId;
use crate::tree::{ComponentId, EPSILON, EventId};

/// One event of every component of a tree, epsilon where nothing happens.
pub type FlatEvent = IdVec<ComponentId, EventId>;

/// A step of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Of a model; of a net the transition of the same number.
    Command(CommandId),
    /// Of a tree: what every component did.
    Vector(FlatEvent),
}

impl Action {
    /// The command, where it is one.
    pub fn command(&self) -> Option<CommandId> {
        match self {
            Self::Command(command) => Some(*command),
            Self::Vector(_) => None,
        }
    }

    /// Whether nothing happens at all in a tree.
    pub fn is_epsilon(flat: &FlatEvent) -> bool {
        flat.iter().all(|&event| event == EPSILON)
    }
}
