//! Systems whose states can be listed one by one: explicit models and products with them now, lattice automata and zones later.

use lapidary_base::{Control, Stop};
use lapidary_ir::CommandId;

use crate::lattice::Lattice;

/// A state is a discrete part, packed into words and compared bit by bit, and an element of a lattice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State<'a> {
    pub discrete: &'a [u64],
    pub element: &'a [u64],
}

impl<'a> State<'a> {
    /// Of the one-point lattice.
    pub fn plain(discrete: &'a [u64]) -> Self {
        Self { discrete, element: &[] }
    }
}

/// What [`Successors::initial`] hands every initial state to.
pub type Visit<'a> = dyn FnMut(State<'_>) -> Result<(), Stop> + 'a;

/// Law: transitions are monotone in the lattice part.
pub trait Successors {
    type Lat: Lattice;
    fn lattice(&self) -> &Self::Lat;
    /// Words per discrete part; where there are none, all states share one discrete part.
    fn words(&self) -> usize;
    /// Whether the word of all ones is surely no discrete part (asked only where these are one word).
    fn all_ones_is_free(&self) -> bool;
    /// Visits every initial state once, in a fixed order.
    fn initial(&self, control: &Control, visit: &mut Visit<'_>) -> Result<(), Stop>;
    /// Appends the steps from a state to `out`.
    fn successors(&self, state: State<'_>, out: &mut Steps) -> Result<(), Stop>;
    /// Removes from `open` the conditions that are true in the state and appends them to `hit`.
    fn hits(&self, state: State<'_>, open: &mut Vec<usize>, hit: &mut Vec<usize>, out: &mut Steps) -> Result<(), Stop>;
}

/// The caller's buffer for steps, with the system's working memory, so that no step allocates.
#[derive(Default)]
pub struct Steps {
    pub actions: Vec<CommandId>,
    /// The discrete parts, one after the other.
    pub states: Vec<u64>,
    /// The elements, one after the other.
    pub elements: Vec<u64>,
    /// The system's registers; an engine leaves them alone.
    pub registers: Vec<i64>,
    /// Lists that the system has emptied, to be used again.
    pub spare: Vec<Vec<i64>>,
    /// Looked at where one state has very many steps.
    pub control: Option<Control>,
}

impl Steps {
    pub fn new() -> Self {
        Self::default()
    }

    /// For a run with limits.
    pub fn within(control: &Control) -> Self {
        Self { control: Some(control.clone()), ..Self::new() }
    }

    pub fn len(&self) -> usize {
        self.actions.len()
    }

    pub fn is_empty(&self) -> bool {
        self.actions.is_empty()
    }

    pub fn clear(&mut self) {
        self.actions.clear();
        self.states.clear();
        self.elements.clear();
    }

    /// Where a step leads, in a system with so many words per discrete part and element.
    #[inline(always)]
    pub fn state(&self, step: usize, (discrete, element): (usize, usize)) -> State<'_> {
        State {
            discrete: &self.states[step * discrete..(step + 1) * discrete],
            element: &self.elements[step * element..(step + 1) * element],
        }
    }
}
