//! A box: every place within an interval of its own.

use lapidary_base::Id;
use lapidary_ir::passes::Cube;
use lapidary_ir::{PlaceId, Range, Tokens};

/// The upper end of an interval without one.
pub const INFINITE: Tokens = Tokens::MAX;

/// The numbers from `lo` to `hi`, both included; `hi` may be [`INFINITE`]. Never empty inside a [`Cuboid`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Interval {
    pub lo: Tokens,
    pub hi: Tokens,
}

impl Interval {
    pub const ANY: Self = Self { lo: 0, hi: INFINITE };

    pub fn exactly(tokens: Tokens) -> Self {
        Self { lo: tokens, hi: tokens }
    }

    pub fn at_least(lo: Tokens) -> Self {
        Self { lo, hi: INFINITE }
    }

    pub fn of(range: Range) -> Self {
        Self { lo: range.lo, hi: range.hi.unwrap_or(INFINITE) }
    }

    pub fn meet(self, other: Self) -> Option<Self> {
        let met = Self { lo: self.lo.max(other.lo), hi: self.hi.min(other.hi) };
        (met.lo <= met.hi).then_some(met)
    }

    pub fn contains(self, other: Self) -> bool {
        self.lo <= other.lo && other.hi <= self.hi
    }

    pub fn is_single(self) -> bool {
        self.lo == self.hi
    }

    /// Sums beyond all numbers are taken for infinite.
    pub fn plus(self, other: Self) -> Self {
        Self { lo: self.lo.saturating_add(other.lo), hi: self.hi.saturating_add(other.hi) }
    }

    pub fn times(self, factor: Tokens) -> Self {
        Self { lo: self.lo.saturating_mul(factor), hi: self.hi.saturating_mul(factor) }
    }

    /// Without the numbers that would fall below zero; `None` if these are all.
    pub fn shifted(self, by: i64) -> Option<Self> {
        let distance = by.unsigned_abs();
        if by >= 0 {
            return Some(self.plus(Self::exactly(distance)));
        }
        let hi = if self.hi == INFINITE { INFINITE } else { self.hi.checked_sub(distance)? };
        Some(Self { lo: self.lo.saturating_sub(distance), hi })
    }

    /// One interval with exactly the numbers of both, if there is one.
    fn joined(self, other: Self) -> Option<Self> {
        let (low, high) = if self.lo <= other.lo { (self, other) } else { (other, self) };
        (high.lo <= low.hi.saturating_add(1)).then(|| Self { lo: low.lo, hi: low.hi.max(high.hi) })
    }
}

/// All markings with every place within its interval. It is never empty.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cuboid {
    pub intervals: Box<[Interval]>,
}

impl Cuboid {
    pub fn all(n_places: usize) -> Self {
        Self { intervals: vec![Interval::ANY; n_places].into() }
    }

    pub fn point(marking: &[Tokens]) -> Self {
        Self { intervals: marking.iter().map(|&tokens| Interval::exactly(tokens)).collect() }
    }

    /// `None` if the cube speaks of what is no place.
    pub fn of_cube(n_places: usize, cube: &Cube) -> Option<Self> {
        let mut made = Self::all(n_places);
        for &(place, range) in cube {
            *made.intervals.get_mut(place.index())? = Interval::of(range);
        }
        Some(made)
    }

    pub fn meet(&self, other: &Self) -> Option<Self> {
        let pairs = self.intervals.iter().zip(&other.intervals);
        let intervals = pairs.map(|(a, b)| a.meet(*b)).collect::<Option<_>>()?;
        Some(Self { intervals })
    }

    pub fn meets(&self, other: &Self) -> bool {
        self.intervals.iter().zip(&other.intervals).all(|(a, b)| a.lo <= b.hi && b.lo <= a.hi)
    }

    pub fn contains(&self, other: &Self) -> bool {
        self.intervals.iter().zip(&other.intervals).all(|(a, b)| a.contains(*b))
    }

    pub fn contains_point(&self, marking: &[Tokens]) -> bool {
        self.intervals.iter().zip(marking).all(|(a, &tokens)| a.lo <= tokens && tokens <= a.hi)
    }

    /// The least marking.
    pub fn least(&self) -> Box<[Tokens]> {
        self.intervals.iter().map(|interval| interval.lo).collect()
    }

    /// Appends boxes that have, each once, the markings of this one outside the other.
    pub fn minus(&self, other: &Self, out: &mut Vec<Self>) {
        if !self.meets(other) {
            return out.push(self.clone());
        }
        let mut rest = self.clone();
        for (at, cut) in other.intervals.iter().enumerate() {
            let whole = rest.intervals[at];
            let mut keep = |interval: Interval| {
                let mut piece = rest.clone();
                piece.intervals[at] = interval;
                out.push(piece);
            };
            if whole.lo < cut.lo {
                keep(Interval { lo: whole.lo, hi: cut.lo - 1 });
            }
            if whole.hi > cut.hi {
                keep(Interval { lo: cut.hi + 1, hi: whole.hi });
            }
            rest.intervals[at] = Interval { lo: whole.lo.max(cut.lo), hi: whole.hi.min(cut.hi) };
        }
    }

    /// One box with exactly the markings of both, if they differ in one place at most and touch there.
    pub fn joined(&self, other: &Self) -> Option<Self> {
        let mut differing = (0..self.intervals.len()).filter(|&at| self.intervals[at] != other.intervals[at]);
        let Some(at) = differing.next() else { return Some(self.clone()) };
        if differing.next().is_some() {
            return None;
        }
        let mut joined = self.clone();
        joined.intervals[at] = self.intervals[at].joined(other.intervals[at])?;
        Some(joined)
    }

    /// The places about which the box says something.
    pub fn bounds(&self) -> impl Iterator<Item = (PlaceId, Interval)> + '_ {
        let places = self.intervals.iter().enumerate().map(|(at, &interval)| (PlaceId::new(at), interval));
        places.filter(|&(_, interval)| interval != Interval::ANY)
    }
}
