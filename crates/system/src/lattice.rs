//! Lattices: the ordered part of a state.

/// The order in which one stored state may cover another.
pub trait Lattice {
    type Element: Clone;
    /// There is one element only, so that equal discrete parts always cover each other.
    const ONE_POINT: bool = false;
    fn leq(&self, a: &Self::Element, b: &Self::Element) -> bool;
}

/// The one-point lattice: plain explicit search.
#[derive(Clone, Copy, Debug, Default)]
pub struct Point;

impl Lattice for Point {
    type Element = ();
    const ONE_POINT: bool = true;
    fn leq(&self, (): &(), (): &()) -> bool {
        true
    }
}
