//! Systems of canonical sets: two sets are equal if and only if they have the same members.

use lapidary_base::Stop;

/// Set operations. They may fail, because the room for sets runs out.
pub trait SetAlgebra {
    type Set: Clone + Eq;

    fn none(&self) -> Self::Set;
    fn and(&self, a: &Self::Set, b: &Self::Set) -> Result<Self::Set, Stop>;
    fn or(&self, a: &Self::Set, b: &Self::Set) -> Result<Self::Set, Stop>;
    fn minus(&self, a: &Self::Set, b: &Self::Set) -> Result<Self::Set, Stop>;
    fn is_none(&self, set: &Self::Set) -> bool;
    fn intersects(&self, a: &Self::Set, b: &Self::Set) -> Result<bool, Stop> {
        Ok(!self.is_none(&self.and(a, b)?))
    }
    fn is_subset(&self, a: &Self::Set, b: &Self::Set) -> Result<bool, Stop> {
        Ok(self.is_none(&self.minus(a, b)?))
    }
    /// A set with one member of this one, the same one every time; `None` if it has none.
    fn one(&self, set: &Self::Set) -> Result<Option<Self::Set>, Stop>;
}

/// A transition system whose sets of states are canonical.
pub trait SetSystem: SetAlgebra {
    /// All states; every set of states lies within.
    fn all(&self) -> Self::Set;
    fn initial(&self) -> Self::Set;
    fn n_actions(&self) -> usize;
    /// The states that the action leads to from the set, and perhaps what is no state.
    fn post(&self, action: usize, set: &Self::Set) -> Result<Self::Set, Stop>;
    /// The states from which the action leads into the set, and perhaps what is no state.
    fn pre(&self, action: usize, set: &Self::Set) -> Result<Self::Set, Stop>;
}
