//! A run of a model: a path, or a path with a loop at its end.

use lapidary_ir::{CommandId, model::Raw};

/// One number per variable, in the order of the model's variables.
pub type State = Box<[Raw]>;

/// `actions[i]` leads from `states[i]` to `states[i + 1]`; there is one state more than there are actions.
/// With a loop, one further action leads from the last state back to `states[loop_start]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    pub states: Vec<State>,
    pub actions: Vec<CommandId>,
    pub loop_start: Option<usize>,
}

impl Trace {
    /// How many steps were taken, the closing step of a loop not counted.
    pub fn n_steps(&self) -> usize {
        self.states.len().saturating_sub(1)
    }

    pub fn last(&self) -> &State {
        self.states.last().expect("a trace has at least its initial state")
    }
}
