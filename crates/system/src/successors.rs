//! Systems whose states can be listed one by one: explicit models now, lattice automata and zones later.

use lapidary_base::{Control, Stop};
use lapidary_ir::CommandId;

use crate::lattice::Lattice;

/// The elements of a system's lattice.
pub type Element<S> = <<S as Successors>::Lat as Lattice>::Element;

/// What [`Successors::initial`] hands every initial state to.
pub type Visit<'a, S> = dyn FnMut(&[u64], Element<S>) -> Result<(), Stop> + 'a;

/// A state is a discrete part, packed into words and compared bit by bit, and an element of a lattice.
/// Law: transitions are monotone in the lattice part.
pub trait Successors {
    type Lat: Lattice;
    fn lattice(&self) -> &Self::Lat;
    /// Words per discrete part, at least one.
    fn words(&self) -> usize;
    /// Whether the word of all ones is surely no discrete part (asked only where these are one word).
    fn all_ones_is_free(&self) -> bool;
    /// Visits every initial state once, in a fixed order.
    fn initial(&self, control: &Control, visit: &mut Visit<'_, Self>) -> Result<(), Stop>;
    /// Appends the steps from a state to `out`.
    fn successors(&self, state: &[u64], element: &Element<Self>, out: &mut Steps<Element<Self>>) -> Result<(), Stop>;
    /// Removes from `open` the conditions that are true in the state and appends them to `hit`.
    fn hits(
        &self,
        state: &[u64],
        element: &Element<Self>,
        open: &mut Vec<usize>,
        hit: &mut Vec<usize>,
        out: &mut Steps<Element<Self>>,
    ) -> Result<(), Stop>;
}

/// The caller's buffer for steps, with the system's working memory, so that no step allocates.
pub struct Steps<E> {
    pub actions: Vec<CommandId>,
    /// The discrete parts, one after the other.
    pub states: Vec<u64>,
    pub elements: Vec<E>,
    /// The system's registers; an engine leaves them alone.
    pub registers: Vec<i64>,
    /// Lists that the system has emptied, to be used again.
    pub spare: Vec<Vec<i64>>,
    /// Looked at where one state has very many steps.
    pub control: Option<Control>,
}

impl<E> Steps<E> {
    pub fn new() -> Self {
        let (actions, states, elements) = (Vec::new(), Vec::new(), Vec::new());
        Self { actions, states, elements, registers: Vec::new(), spare: Vec::new(), control: None }
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
}

impl<E> Default for Steps<E> {
    fn default() -> Self {
        Self::new()
    }
}
