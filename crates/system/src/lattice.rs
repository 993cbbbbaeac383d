//! Lattices: the ordered part of a state.

/// The order in which one stored state may cover another.
pub trait Lattice {
    type Element: Clone;
    fn leq(&self, a: &Self::Element, b: &Self::Element) -> bool;
}

/// The one-point lattice: plain explicit search.
#[derive(Clone, Copy, Debug, Default)]
pub struct Point;

impl Lattice for Point {
    type Element = ();
    fn leq(&self, (): &(), (): &()) -> bool {
        true
    }
}
