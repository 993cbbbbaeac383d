//! Intervals of integer expressions: an estimate that shows which checks can never fail.

use super::super::ast::Factor;

/// All numbers between two bounds; `None` is no bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    pub lo: Option<i128>,
    pub hi: Option<i128>,
}

impl Interval {
    pub const ALL: Self = Self { lo: None, hi: None };

    pub fn new(lo: i64, hi: i64) -> Self {
        Self { lo: Some(lo.into()), hi: Some(hi.into()) }
    }

    pub fn at_least(lo: i128) -> Self {
        Self { lo: Some(lo), hi: None }
    }

    pub fn at_most(hi: i128) -> Self {
        Self { lo: None, hi: Some(hi) }
    }

    pub fn reaches_below(self, bound: i64) -> bool {
        self.lo.is_none_or(|lo| lo < bound.into())
    }

    pub fn reaches_above(self, bound: i64) -> bool {
        self.hi.is_none_or(|hi| hi > bound.into())
    }

    pub fn contains(self, value: i128) -> bool {
        self.lo.is_none_or(|lo| lo <= value) && self.hi.is_none_or(|hi| value <= hi)
    }

    pub fn meets(self, other: Self) -> bool {
        let apart = |a: Self, b: Self| matches!((a.hi, b.lo), (Some(hi), Some(lo)) if hi < lo);
        !apart(self, other) && !apart(other, self)
    }

    /// What both contain. Where that is nothing, the place is never reached, and any estimate will do.
    pub fn intersect(self, other: Self) -> Self {
        if !self.meets(other) {
            return self;
        }
        let tighter = |a: Option<i128>, b: Option<i128>, pick: fn(i128, i128) -> i128| match (a, b) {
            (Some(x), Some(y)) => Some(pick(x, y)),
            (Some(x), None) | (None, Some(x)) => Some(x),
            (None, None) => None,
        };
        Self { lo: tighter(self.lo, other.lo, i128::max), hi: tighter(self.hi, other.hi, i128::min) }
    }

    /// The least interval around both.
    pub fn join(self, other: Self) -> Self {
        let looser = |a: Option<i128>, b: Option<i128>, pick: fn(i128, i128) -> i128| Some(pick(a?, b?));
        Self { lo: looser(self.lo, other.lo, i128::min), hi: looser(self.hi, other.hi, i128::max) }
    }

    pub fn add(self, other: Self) -> Self {
        let sum = |a: Option<i128>, b: Option<i128>| a?.checked_add(b?);
        Self { lo: sum(self.lo, other.lo), hi: sum(self.hi, other.hi) }
    }

    pub fn neg(self) -> Self {
        let opposite = |bound: Option<i128>| bound?.checked_neg();
        Self { lo: opposite(self.hi), hi: opposite(self.lo) }
    }

    pub fn min(self, other: Self) -> Self {
        self.neg().max(other.neg()).neg()
    }

    pub fn max(self, other: Self) -> Self {
        let hi = self.join(other).hi;
        let lo = match (self.lo, other.lo) {
            (Some(x), Some(y)) => Some(x.max(y)),
            (lo, None) | (None, lo) => lo,
        };
        Self { lo, hi }
    }

    pub fn abs(self) -> Self {
        let magnitude = self.max(self.neg());
        if self.contains(0) { Self { lo: Some(0), hi: magnitude.hi } } else { magnitude }
    }

    pub fn combine(self, factor: Factor, other: Self) -> Self {
        match factor {
            Factor::Times => self.corners(other, i128::checked_mul),
            Factor::Div => self.quotient(other),
            Factor::Mod => self.modulo(other),
        }
    }

    /// Between divisors of one sign the quotient is monotone in both operands; zero has no quotient.
    fn quotient(self, divisor: Self) -> Self {
        let sides = [Self::at_least(1), Self::at_most(-1)].into_iter().filter(|&side| divisor.meets(side));
        let quotients = sides.map(|side| self.corners(divisor.intersect(side), i128::checked_div_euclid));
        quotients.reduce(Self::join).unwrap_or(Self::ALL)
    }

    fn modulo(self, divisor: Self) -> Self {
        let magnitude = divisor.abs();
        let smallest = magnitude.lo.unwrap_or(0).max(1);
        if self.lo.is_some_and(|lo| lo >= 0) && self.hi.is_some_and(|hi| hi < smallest) {
            return self;
        }
        Self { lo: Some(0), hi: magnitude.hi.map(|largest| largest - 1).map(|hi| hi.max(0)) }
    }

    /// The interval around the results for the four pairs of bounds.
    fn corners(self, other: Self, operation: fn(i128, i128) -> Option<i128>) -> Self {
        let all = || {
            let (a, b, c, d) = (self.lo?, self.hi?, other.lo?, other.hi?);
            let results = [operation(a, c)?, operation(a, d)?, operation(b, c)?, operation(b, d)?];
            Some(Self { lo: results.into_iter().min(), hi: results.into_iter().max() })
        };
        all().unwrap_or(Self::ALL)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The claim of every operation: a result of members is a member.
    #[test]
    fn operations_cover_all_results() {
        let values = -4i64..=4;
        let intervals: Vec<(i64, i64)> = values.clone().flat_map(|lo| (lo..=4).map(move |hi| (lo, hi))).collect();
        for &(a, b) in &intervals {
            for &(c, d) in &intervals {
                let (left, right) = (Interval::new(a, b), Interval::new(c, d));
                let pairs = (a..=b).flat_map(|x| (c..=d).map(move |y| (x, y)));
                for (x, y) in pairs {
                    assert!(left.add(right).contains((x + y).into()));
                    assert!(left.combine(Factor::Times, right).contains((x * y).into()));
                    assert!(left.max(right).contains(x.max(y).into()) && left.min(right).contains(x.min(y).into()));
                    assert!(left.abs().contains(x.abs().into()) && left.join(right).contains(y.into()));
                    assert!(x != y || (left.meets(right) && left.intersect(right).contains(x.into())));
                    if y != 0 {
                        assert!(left.combine(Factor::Div, right).contains(x.div_euclid(y).into()), "{x} div {y}");
                        assert!(left.combine(Factor::Mod, right).contains(x.rem_euclid(y).into()), "{x} mod {y}");
                    }
                }
            }
        }
    }

    #[test]
    fn missing_bounds_stay_missing() {
        let (some, all) = (Interval::new(1, 2), Interval::ALL);
        assert_eq!(all.add(some), all);
        assert_eq!(all.combine(Factor::Times, some), all);
        assert_eq!(all.max(some), Interval::at_least(1));
        assert_eq!(all.min(some), Interval::at_most(2));
        assert_eq!(all.combine(Factor::Mod, Interval::new(3, 3)), Interval::new(0, 2));
        assert!(Interval::new(i64::MIN, i64::MIN).abs().contains(1 << 63));
    }
}
