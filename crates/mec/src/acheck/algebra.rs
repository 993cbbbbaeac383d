//! One model seen through one engine: sets of configurations and of transitions, and what can be computed with them.
//!
//! Every set lies within the reachable configurations and their transitions. Engines differ in how they keep sets, never
//! in what they answer: whatever is listed or picked is so in the order of the values, variable by variable.

use lapidary_base::{IdVec, Stop};
use lapidary_ir::tree::VarKind;
use lapidary_ir::{ComponentId, EventId, EventRef, Expr, Raw, VarId};

/// A value for every variable, in the order of the variables.
pub type Row = Box<[Raw]>;

/// One event of every component.
pub type FlatEvent = IdVec<ComponentId, EventId>;

/// How two sets of one sort are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    And,
    Or,
    Minus,
}

/// A step of a listing, by places in its lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Step {
    pub source: usize,
    pub event: usize,
    pub target: usize,
}

/// Part of a graph, written out.
#[derive(Clone, Debug, Default)]
pub struct Listing {
    /// Ascending, each once.
    pub states: Vec<Row>,
    /// Those of the steps, ascending, each once.
    pub events: Vec<FlatEvent>,
    /// Ascending, each once.
    pub steps: Vec<Step>,
}

pub trait Algebra {
    type States: Clone;
    type Trans: Clone;

    fn any_states(&self) -> Self::States;
    fn any_trans(&self) -> Self::Trans;
    fn empty_states(&self) -> Self::States;
    fn empty_trans(&self) -> Self::Trans;
    fn initial(&self) -> Self::States;
    /// The reachable configurations in which the expression is true.
    fn satisfying(&self, formula: Expr) -> Result<Self::States, Stop>;
    /// The transitions in which one of the events takes part.
    fn labelled(&self, events: &[EventRef]) -> Result<Self::Trans, Stop>;
    /// The transitions that change nothing.
    fn loops(&self) -> Result<Self::Trans, Stop>;
    /// The transitions in which no event takes part.
    fn epsilon(&self) -> Result<Self::Trans, Stop>;
    /// The transitions that have another one with the same source and the same events but another target.
    fn ambiguous(&self) -> Result<Self::Trans, Stop>;

    fn states(&self, operation: Operation, a: &Self::States, b: &Self::States) -> Result<Self::States, Stop>;
    fn trans(&self, operation: Operation, a: &Self::Trans, b: &Self::Trans) -> Result<Self::Trans, Stop>;
    fn no_states(&self, set: &Self::States) -> bool;
    fn no_trans(&self, set: &Self::Trans) -> bool;
    fn count_states(&self, set: &Self::States) -> Result<u128, Stop>;
    fn count_trans(&self, set: &Self::Trans) -> Result<u128, Stop>;

    fn sources(&self, set: &Self::Trans) -> Result<Self::States, Stop>;
    fn targets(&self, set: &Self::Trans) -> Result<Self::States, Stop>;
    /// The transitions that leave one of the states.
    fn from(&self, set: &Self::States) -> Result<Self::Trans, Stop>;
    /// The transitions that enter one of the states.
    fn into(&self, set: &Self::States) -> Result<Self::Trans, Stop>;

    /// The targets of the transitions that leave one of the states.
    fn image(&self, states: &Self::States, trans: &Self::Trans) -> Result<Self::States, Stop> {
        self.targets(&self.trans(Operation::And, trans, &self.from(states)?)?)
    }

    /// The sources of the transitions that enter one of the states.
    fn preimage(&self, states: &Self::States, trans: &Self::Trans) -> Result<Self::States, Stop> {
        self.sources(&self.trans(Operation::And, trans, &self.into(states)?)?)
    }

    /// What the transitions lead to from the states, in any number of steps.
    fn reach(&self, states: &Self::States, trans: &Self::Trans) -> Result<Self::States, Stop>;
    /// From where the transitions lead to the states, in any number of steps.
    fn coreach(&self, states: &Self::States, trans: &Self::Trans) -> Result<Self::States, Stop>;

    /// The reachable configurations that agree with one of the set on every variable of the kind.
    fn alike(&self, kind: VarKind, set: &Self::States) -> Result<Self::States, Stop>;
    /// The least configuration, alone; of no configuration, none.
    fn least_state(&self, set: &Self::States) -> Result<Self::States, Stop>;
    /// The least transition by source, events and target, alone.
    fn least_trans(&self, set: &Self::Trans) -> Result<Self::Trans, Stop>;

    /// The states, and the transitions both of whose ends are among them. Stops past so many of both together.
    fn listing(&self, states: &Self::States, trans: &Self::Trans, limit: u64) -> Result<Listing, Stop>;
    /// The values that these variables take together in the set, ascending, each once. Stops past so many.
    fn valuations(&self, set: &Self::States, vars: &[VarId], limit: usize) -> Result<Vec<Row>, Stop>;
    /// The flat events of the transitions, ascending, each once. Stops past so many.
    fn events(&self, set: &Self::Trans, limit: usize) -> Result<Vec<FlatEvent>, Stop>;
}

/// Why a listing stopped.
pub fn too_many(what: &str, limit: u64) -> Stop {
    Stop::Incomplete(format!("more than {limit} {what} would have to be written out"))
}
