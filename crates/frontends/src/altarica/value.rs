//! What expressions of the source stand for: expressions of the tree with their types and bounds.

use std::sync::Arc;

use lapidary_ir::{EnumId, Expr};

/// A symbol of enumerations; the same symbol may occur in several of them.
pub type Symbol = Arc<str>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Constant {
    Bool(bool),
    Int(i64),
    Symbol(Symbol),
}

impl Constant {
    /// As the source writes it.
    pub fn show(&self) -> String {
        match self {
            Self::Bool(value) => value.to_string(),
            Self::Int(value) => value.to_string(),
            Self::Symbol(symbol) => symbol.to_string(),
        }
    }
}

/// The values that an integer expression can take at most; none where nothing is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds(pub Option<(i128, i128)>);

impl Bounds {
    /// Bounds beyond this are not followed; the arithmetic below stays far from overflows.
    const LARGEST: i128 = 1 << 62;

    pub fn exactly(value: i64) -> Self {
        Self::new(i128::from(value), i128::from(value))
    }

    pub fn range(lo: i64, hi: i64) -> Self {
        Self::new(i128::from(lo), i128::from(hi))
    }

    fn new(lo: i128, hi: i128) -> Self {
        Self((lo >= -Self::LARGEST && hi <= Self::LARGEST).then_some((lo, hi)))
    }

    pub fn is_natural(self) -> bool {
        self.0.is_some_and(|(lo, _)| lo >= 0)
    }

    fn with(self, other: Self, combine: impl Fn((i128, i128), (i128, i128)) -> (i128, i128)) -> Self {
        let (Some(a), Some(b)) = (self.0, other.0) else { return Self(None) };
        let (lo, hi) = combine(a, b);
        Self::new(lo, hi)
    }

    pub fn plus(self, other: Self) -> Self {
        self.with(other, |a, b| (a.0 + b.0, a.1 + b.1))
    }

    pub fn negated(self) -> Self {
        Self(self.0.map(|(lo, hi)| (-hi, -lo)))
    }

    pub fn times(self, other: Self) -> Self {
        self.with(other, |a, b| {
            let corners = [a.0 * b.0, a.0 * b.1, a.1 * b.0, a.1 * b.1];
            (corners.into_iter().min().unwrap_or(0), corners.into_iter().max().unwrap_or(0))
        })
    }

    /// Of a quotient: never farther from zero than the dividend, and on its side unless the divisor may be negative.
    pub fn divided(self, divisor: Self) -> Self {
        Self(self.0.map(|(lo, hi)| match (divisor.is_natural(), lo.abs().max(hi.abs())) {
            (true, _) => (lo.min(0), hi.max(0)),
            (false, farthest) => (-farthest, farthest),
        }))
    }

    /// Of a remainder: as far from zero as the divisor at most, on the side of the dividend.
    pub fn remainder(self, divisor: Self) -> Self {
        self.with(divisor, |(lo, hi), (from, to)| {
            let largest = (from.abs().max(to.abs()) - 1).max(0);
            (lo.min(0).max(-largest), hi.max(0).min(largest))
        })
    }

    pub fn union(self, other: Self) -> Self {
        self.with(other, |a, b| (a.0.min(b.0), a.1.max(b.1)))
    }

    pub fn least(self, other: Self) -> Self {
        self.with(other, |a, b| (a.0.min(b.0), a.1.min(b.1)))
    }

    pub fn greatest(self, other: Self) -> Self {
        self.with(other, |a, b| (a.0.max(b.0), a.1.max(b.1)))
    }
}

/// An expression whose value is a symbol. Which enumeration it belongs to is often decided only by what it is compared
/// with or assigned to.
#[derive(Clone, Debug)]
pub enum Symbolic {
    Constant(Symbol),
    Of(EnumId, Expr),
    /// The first where the condition holds, otherwise the second.
    Choice {
        condition: Expr,
        branches: Box<(Symbolic, Symbolic)>,
        depth: u32,
    },
}

impl Symbolic {
    /// Choices within each other.
    pub fn depth(&self) -> u32 {
        match self {
            Self::Constant(_) | Self::Of(..) => 0,
            Self::Choice { depth, .. } => *depth,
        }
    }
}

/// Which element of an array or of a struct.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Key {
    Index(usize),
    Field(String),
}

#[derive(Clone, Debug)]
pub enum Value {
    Bool(Expr),
    Int(Expr, Bounds),
    Symbol(Symbolic),
    /// An array or a struct, element by element.
    Aggregate(Vec<(Key, Value)>),
    /// There is none; already reported.
    Error,
}

impl Value {
    /// What it is, in words.
    pub fn describe(&self) -> &'static str {
        match self {
            Self::Bool(_) => "a Boolean",
            Self::Int(..) => "an integer",
            Self::Symbol(_) => "a symbol",
            Self::Aggregate(elements) => match elements.first() {
                Some((Key::Field(_), _)) => "a struct",
                Some((Key::Index(_), _)) | None => "an array",
            },
            Self::Error => "nothing",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_contain_every_result() {
        let all = [(-3i64, 2i64), (0, 4), (-5, -1), (2, 2)];
        for (a, b) in all.into_iter().flat_map(|a| all.map(|b| (a, b))) {
            let (x, y) = (Bounds::range(a.0, a.1), Bounds::range(b.0, b.1));
            for (p, q) in (a.0..=a.1).flat_map(|p| (b.0..=b.1).map(move |q| (p, q))) {
                let within = |bounds: Bounds, value: i64| {
                    let (lo, hi) = bounds.0.expect("small numbers have bounds");
                    assert!(lo <= i128::from(value) && i128::from(value) <= hi, "{value} of {p} and {q} in {bounds:?}");
                };
                within(x.plus(y), p + q);
                within(x.negated(), -p);
                within(x.times(y), p * q);
                within(x.union(y), p);
                within(x.least(y), p.min(q));
                within(x.greatest(y), p.max(q));
                if q != 0 {
                    within(x.divided(y), p / q);
                    within(x.remainder(y), p % q);
                }
            }
        }
    }

    #[test]
    fn bounds_beyond_what_is_followed_are_forgotten() {
        let large = Bounds::range(0, i64::MAX / 2);
        assert_eq!(large.times(large).plus(Bounds::exactly(-1)), Bounds(None));
        assert!(!large.times(large).is_natural());
    }
}
