//! Expansion: the steps of stored nodes, listed into one buffer, and what only their number can tell.

use lapidary_base::{Control, Stop};
use lapidary_system::{Steps, Successors};

use super::store::{Node, Store};

/// The steps of some nodes, one node after the other.
pub struct Expansion {
    pub steps: Steps,
    /// For each node: which, its depth, and where its steps end.
    pub expanded: Vec<(Node, u64, usize)>,
}

/// What a state with these steps is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moves {
    Some,
    /// None, or none but such as only wait.
    Idle,
}

impl Expansion {
    pub fn within(control: &Control) -> Self {
        Self { steps: Steps::within(control), expanded: Vec::new() }
    }

    /// While another one is in use.
    pub(super) fn empty() -> Self {
        Self { steps: Steps::new(), expanded: Vec::new() }
    }

    pub fn clear(&mut self) {
        self.steps.clear();
        self.expanded.clear();
    }

    /// Appends the steps from a node. `is_idle` tells by action which ones only wait.
    pub fn expand<S: Successors>(
        &mut self,
        system: &S,
        store: &impl Store,
        (node, depth): (Node, u64),
        is_idle: &[bool],
    ) -> Result<Moves, Stop> {
        let before = self.steps.len();
        system.successors(store.state(node), &mut self.steps)?;
        self.expanded.push((node, depth, self.steps.len()));
        let is_idle = self.steps.actions[before..].iter().all(|action| is_idle[action.0 as usize]);
        Ok(if is_idle { Moves::Idle } else { Moves::Some })
    }
}
