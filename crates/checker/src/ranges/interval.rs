//! Integers between two ends, and what arithmetic makes of them: what an operation gives always holds all results.

use std::fmt;

/// All integers from `lo` to `hi`, at least one. The least and the greatest number of 128 bits say that there is no end: an end that
/// leaves 128 bits is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Interval {
    pub lo: i128,
    pub hi: i128,
}

const NO_LEAST: i128 = i128::MIN;
const NO_GREATEST: i128 = i128::MAX;

impl Interval {
    pub const ALL: Self = Self { lo: NO_LEAST, hi: NO_GREATEST };

    pub fn point(value: impl Into<i128>) -> Self {
        let value = value.into();
        Self { lo: value, hi: value }
    }

    /// None if there is nothing in between.
    pub fn between(lo: i128, hi: i128) -> Option<Self> {
        (lo <= hi).then_some(Self { lo, hi })
    }

    pub fn truth(value: bool) -> Self {
        Self::point(i128::from(value))
    }

    pub fn at_least(lo: i128) -> Self {
        Self { lo, hi: NO_GREATEST }
    }

    pub fn at_most(hi: i128) -> Self {
        Self { lo: NO_LEAST, hi }
    }

    /// The only number, if there is but one.
    pub fn only(self) -> Option<i128> {
        match self.ends() {
            (Some(lo), Some(hi)) => (lo == hi).then_some(lo),
            (None, _) | (_, None) => None,
        }
    }

    /// Both ends, where they are numbers.
    pub fn ends(self) -> (Option<i128>, Option<i128>) {
        ((self.lo != NO_LEAST).then_some(self.lo), (self.hi != NO_GREATEST).then_some(self.hi))
    }

    pub fn has(self, value: i128) -> bool {
        self.lo <= value && value <= self.hi
    }

    pub fn includes(self, other: Self) -> bool {
        self.lo <= other.lo && other.hi <= self.hi
    }

    pub fn meet(self, other: Self) -> Option<Self> {
        Self::between(self.lo.max(other.lo), self.hi.min(other.hi))
    }

    pub fn hull(self, other: Self) -> Self {
        Self { lo: self.lo.min(other.lo), hi: self.hi.max(other.hi) }
    }

    /// Without a number, where that is at an end.
    pub fn without(self, value: i128) -> Option<Self> {
        match self.ends() {
            (Some(lo), _) if lo == value => Self::between(lo.saturating_add(1), self.hi),
            (_, Some(hi)) if hi == value => Self::between(self.lo, hi.saturating_sub(1)),
            _ => Some(self),
        }
    }

    fn of_ends(lo: Option<i128>, hi: Option<i128>) -> Self {
        Self { lo: lo.unwrap_or(NO_LEAST), hi: hi.unwrap_or(NO_GREATEST) }
    }

    pub fn neg(self) -> Self {
        self.times(-1)
    }

    pub fn add(self, other: Self) -> Self {
        let ((a, b), (c, d)) = (self.ends(), other.ends());
        let sum = |one: Option<i128>, other: Option<i128>| one?.checked_add(other?);
        Self::of_ends(sum(a, c), sum(b, d))
    }

    pub fn times(self, factor: i128) -> Self {
        let (lo, hi) = self.ends();
        let product = |end: Option<i128>| end?.checked_mul(factor);
        match factor.signum() {
            0 => Self::point(0),
            1 => Self::of_ends(product(lo), product(hi)),
            _ => Self::of_ends(product(hi), product(lo)),
        }
    }

    pub fn mul(self, other: Self) -> Self {
        if let Some(factor) = self.only() {
            return other.times(factor);
        }
        if let Some(factor) = other.only() {
            return self.times(factor);
        }
        let (Self { lo: a, hi: b }, Self { lo: c, hi: d }) = (self, other);
        if a >= 0 && c >= 0 {
            let product = |one: Option<i128>, other: Option<i128>| one?.checked_mul(other?);
            return Self::of_ends(product(Some(a), Some(c)), product(self.ends().1, other.ends().1));
        }
        if [self.ends(), other.ends()].iter().any(|&(lo, hi)| lo.is_none() || hi.is_none()) {
            return Self::ALL;
        }
        let corners = [(a, c), (a, d), (b, c), (b, d)].map(|(one, other)| one.checked_mul(other));
        corners
            .into_iter()
            .try_fold(None, |all: Option<Self>, corner| {
                let corner = Self::point(corner?);
                Some(Some(all.map_or(corner, |all| all.hull(corner))))
            })
            .flatten()
            .unwrap_or(Self::ALL)
    }

    /// What is not zero, below it and above it.
    fn signs(self) -> (Option<Self>, Option<Self>) {
        (self.meet(Self::at_most(-1)), self.meet(Self::at_least(1)))
    }

    /// The quotients by numbers other than zero; none if there are no such numbers.
    pub fn div(self, by: Self) -> Option<Self> {
        let (below, above) = by.signs();
        // With the other sign of the divisor the remainder stays, and the quotient has the other sign.
        let below = below.map(|by| self.div_positive(by.neg()).neg());
        let above = above.map(|by| self.div_positive(by));
        either(below, above)
    }

    fn div_positive(self, by: Self) -> Self {
        let ((lo, hi), (least, most)) = (self.ends(), (by.lo, by.ends().1));
        let lo = lo.map(|lo| match most {
            _ if lo < 0 => lo.div_euclid(least),
            Some(most) => lo.div_euclid(most),
            None => 0,
        });
        let hi = hi.map(|hi| match most {
            _ if hi >= 0 => hi.div_euclid(least),
            Some(most) => hi.div_euclid(most),
            None => -1,
        });
        Self::of_ends(lo, hi)
    }

    /// The remainders by numbers other than zero; none if there are no such numbers.
    pub fn modulo(self, by: Self) -> Option<Self> {
        let (below, above) = by.signs();
        let size = either(below.map(Self::neg), above)?;
        if let (Some(size), (Some(lo), Some(hi))) = (size.only(), self.ends())
            && lo.div_euclid(size) == hi.div_euclid(size)
        {
            return Self::between(lo.rem_euclid(size), hi.rem_euclid(size));
        }
        let below_size = size.ends().1.map(|most| most - 1);
        if self.lo < 0 {
            return Some(Self::of_ends(Some(0), below_size));
        }
        if self.hi < size.lo {
            return Some(self);
        }
        let hi = self.ends().1;
        Some(Self::of_ends(Some(0), below_size.map_or(hi, |most| Some(hi.map_or(most, |hi| hi.min(most))))))
    }
}

/// The hull of those that are there.
pub fn either(one: Option<Interval>, other: Option<Interval>) -> Option<Interval> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.hull(other)),
        (one, other) => one.or(other),
    }
}

impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.ends() {
            (Some(lo), Some(hi)) if lo == hi => write!(f, "{lo}"),
            (Some(lo), Some(hi)) => write!(f, "{lo}..{hi}"),
            (Some(lo), None) => write!(f, "{lo} or more"),
            (None, Some(hi)) => write!(f, "{hi} or less"),
            (None, None) => f.write_str("anything"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Exact = fn(i128, i128) -> Option<i128>;
    type Abstract = fn(Interval, Interval) -> Option<Interval>;

    #[test]
    fn operations_give_all_results() {
        let operations: [(Exact, Abstract); 4] = [
            (|a, b| Some(a + b), |a, b| Some(a.add(b))),
            (|a, b| Some(a * b), |a, b| Some(a.mul(b))),
            (i128::checked_div_euclid, Interval::div),
            (i128::checked_rem_euclid, Interval::modulo),
        ];
        let ends = -4..=4i128;
        let all = ends.clone().flat_map(|lo| ends.clone().filter_map(move |hi| Interval::between(lo, hi)));
        let all: Vec<Interval> = all.collect();
        for (a, b) in all.iter().flat_map(|a| all.iter().map(move |b| (*a, *b))) {
            for (exact, of) in operations {
                let found = of(a, b);
                let open = [(Interval::at_least(a.lo), b), (Interval::at_most(a.hi), b), (a, Interval::at_least(b.lo))];
                let wider = [open.as_slice(), &[(a, Interval::at_most(b.hi))]].concat();
                for result in (a.lo..=a.hi).flat_map(|x| (b.lo..=b.hi).filter_map(move |y| exact(x, y))) {
                    assert!(found.is_some_and(|found| found.has(result)), "{a} {b} {result}");
                    let hold = |&(a, b): &(Interval, Interval)| of(a, b).is_some_and(|found| found.has(result));
                    assert!(wider.iter().all(hold), "{a} {b} {result}");
                }
            }
        }
    }

    #[test]
    fn ends_beyond_128_bits_are_none() {
        let large = Interval { lo: i128::MAX - 1, hi: i128::MAX - 1 };
        assert_eq!(large.add(large), Interval::ALL);
        assert_eq!(large.times(-3), Interval::ALL);
        assert_eq!(large.mul(Interval { lo: -3, hi: 2 }), Interval::ALL);
        assert_eq!(Interval::at_least(3).neg(), Interval::at_most(-3));
    }
}
