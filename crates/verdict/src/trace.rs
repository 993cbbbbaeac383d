//! A run: a path, or a path with a loop at its end.

use lapidary_ir::Action;
use lapidary_ir::model::Raw;

/// One number per variable, in the order of the subject's variables.
pub type State = Box<[Raw]>;

/// `actions[i]` leads from `states[i]` to `states[i + 1]`; there is one state more than there are actions.
/// With a loop, one further action leads from the last state back to `states[loop_start]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    pub states: Vec<State>,
    pub actions: Vec<Action>,
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

    /// What happened, from which state to which, the closing step of a loop last.
    pub fn steps(&self) -> impl Iterator<Item = (&Action, &State, &State)> {
        let after = self.states.iter().skip(1).chain(self.loop_start.and_then(|start| self.states.get(start)));
        self.actions.iter().zip(&self.states).zip(after).map(|((action, from), to)| (action, from, to))
    }

    /// Why it has not the form of a run, if it has not.
    pub fn validate(&self) -> Result<(), String> {
        let (n_states, n_actions) = (self.states.len(), self.actions.len());
        match self.loop_start {
            _ if n_states == 0 => Err("the trace has no states".to_owned()),
            None if n_actions + 1 != n_states => {
                Err(format!("the trace has {n_states} states and {n_actions} actions, it needs one action less"))
            }
            Some(start) if start >= n_states => {
                Err(format!("the loop is to begin in state {start}, and the trace has {n_states} states"))
            }
            Some(_) if n_actions != n_states => Err(format!(
                "the trace has a loop, {n_states} states and {n_actions} actions, it needs as many actions"
            )),
            None | Some(_) => Ok(()),
        }
    }
}
