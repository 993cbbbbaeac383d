//! Lattices: the ordered part of a state. Elements are a fixed number of words, so that no step makes anything on the heap.

/// The order in which one stored state may cover another with the same discrete part.
/// Laws: a preorder, for each discrete part by itself.
pub trait Lattice {
    /// Words per element, the same for all.
    fn words(&self) -> usize;
    /// Whether `a` lies below `b` where the discrete part is this one.
    fn leq(&self, discrete: &[u64], a: &[u64], b: &[u64]) -> bool;
}

/// Whether a join is more than what was there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grew {
    Yes,
    No,
}

/// Lattices whose elements have upper bounds.
/// Law: afterwards `into` lies above what it was and above `other`; it grew unless it is what it was.
pub trait Join: Lattice {
    fn join(&self, discrete: &[u64], into: &mut [u64], other: &[u64]) -> Grew;
}

/// The one-point lattice: plain explicit search.
#[derive(Clone, Copy, Debug, Default)]
pub struct Point;

impl Lattice for Point {
    fn words(&self) -> usize {
        0
    }

    fn leq(&self, _: &[u64], _: &[u64], _: &[u64]) -> bool {
        true
    }
}

impl Join for Point {
    fn join(&self, _: &[u64], _: &mut [u64], _: &[u64]) -> Grew {
        Grew::No
    }
}
