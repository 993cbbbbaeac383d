//! Stretches of integers, and arithmetic on them.

/// Beyond these there is no telling: what is as far is meant to be as far as anything.
pub const FAR: i128 = 1 << 80;

/// All integers from `lo` to `hi`; none if `lo` is above `hi`. An end that is [`FAR`] is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    pub lo: i128,
    pub hi: i128,
}

impl Stretch {
    pub const ALL: Self = Self { lo: -FAR, hi: FAR };
    pub const NONE: Self = Self { lo: 1, hi: 0 };
    pub const EITHER: Self = Self { lo: 0, hi: 1 };

    /// An end that is too far on the wrong side is forgotten: arithmetic could bring its values back.
    pub fn new(lo: i128, hi: i128) -> Self {
        if lo > hi {
            return Self::NONE;
        }
        let lo = if lo.abs() >= FAR { -FAR } else { lo };
        Self { lo, hi: if hi.abs() >= FAR { FAR } else { hi } }
    }

    pub fn only(value: i128) -> Self {
        Self::new(value, value)
    }

    pub fn truth(value: bool) -> Self {
        Self::only(i128::from(value))
    }

    pub fn is_none(self) -> bool {
        self.lo > self.hi
    }

    pub fn is_only(self) -> Option<i128> {
        (self.lo == self.hi).then_some(self.lo)
    }

    pub fn join(self, other: Self) -> Self {
        match (self.is_none(), other.is_none()) {
            (true, _) => other,
            (_, true) => self,
            (false, false) => Self { lo: self.lo.min(other.lo), hi: self.hi.max(other.hi) },
        }
    }

    pub fn meet(self, other: Self) -> Self {
        Self { lo: self.lo.max(other.lo), hi: self.hi.min(other.hi) }
    }

    pub fn has(self, other: Self) -> bool {
        other.is_none() || self.lo <= other.lo && other.hi <= self.hi
    }

    pub fn add(self, other: Self) -> Self {
        self.each(other, |a, b| a + b)
    }

    pub fn negated(self) -> Self {
        Self { lo: -self.hi, hi: -self.lo }
    }

    /// An operation whose least and greatest values are those of the ends.
    fn each(self, other: Self, of: impl Fn(i128, i128) -> i128) -> Self {
        if self.is_none() || other.is_none() {
            return Self::NONE;
        }
        Self::new(end(self.lo, other.lo, &of), end(self.hi, other.hi, &of))
    }

    pub fn times(self, other: Self) -> Self {
        if self.is_none() || other.is_none() {
            return Self::NONE;
        }
        let corners = [(self.lo, other.lo), (self.lo, other.hi), (self.hi, other.lo), (self.hi, other.hi)];
        let products = corners.map(|(a, b)| product(a, b));
        let least = products.iter().copied().fold(FAR, i128::min);
        Self::new(least, products.iter().copied().fold(-FAR, i128::max))
    }

    /// The quotients by a constant that is not zero.
    pub fn over(self, by: i128) -> Self {
        if self.is_none() {
            return self;
        }
        let quotient = |at: i128| if at.abs() >= FAR { at * by.signum() } else { at.div_euclid(by) };
        let (a, b) = (quotient(self.lo), quotient(self.hi));
        Self::new(a.min(b), a.max(b))
    }

    /// The remainders by a stretch of divisors.
    pub fn rest(self, by: Self) -> Self {
        if self.is_none() || by.is_none() {
            return Self::NONE;
        }
        let most = by.lo.abs().max(by.hi.abs());
        let inside = self.lo >= 0 && by.lo > 0 && self.hi < by.lo;
        if inside { self } else { Self::new(0, if most >= FAR { FAR } else { most.max(1) - 1 }) }
    }
}

fn end(a: i128, b: i128, of: impl Fn(i128, i128) -> i128) -> i128 {
    match (a.abs() >= FAR, b.abs() >= FAR) {
        (true, _) => a,
        (_, true) => b,
        (false, false) => of(a, b),
    }
}

/// Ends are below 2^80, so a product may not fit.
fn product(a: i128, b: i128) -> i128 {
    if a == 0 || b == 0 { 0 } else { a.checked_mul(b).unwrap_or(FAR * a.signum() * b.signum()).clamp(-FAR, FAR) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_hold_all_values_of_their_operands() {
        let sample = [-5i128, -2, -1, 0, 1, 3, 7];
        let spans = sample.iter().flat_map(|&lo| sample.iter().filter(move |&&hi| lo <= hi).map(move |&hi| (lo, hi)));
        let spans: Vec<Stretch> = spans.map(|(lo, hi)| Stretch::new(lo, hi)).collect();
        for a in &spans {
            for b in &spans {
                for x in a.lo..=a.hi {
                    for y in b.lo..=b.hi {
                        assert!(a.add(*b).has(Stretch::only(x + y)));
                        assert!(a.times(*b).has(Stretch::only(x * y)));
                        if y != 0 {
                            assert!(a.rest(*b).has(Stretch::only(x.rem_euclid(y))), "{a:?} {b:?} {x} {y}");
                            assert!(a.over(y).has(Stretch::only(x.div_euclid(y))));
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn what_is_far_stays_far() {
        let up = Stretch::new(3, FAR);
        assert_eq!(up.add(Stretch::only(5)), Stretch::new(8, FAR));
        assert_eq!(up.negated(), Stretch::new(-FAR, -3));
        assert_eq!(up.times(Stretch::only(-1)), Stretch::new(-FAR, -3));
        assert_eq!(up.times(Stretch::only(0)), Stretch::only(0));
        assert_eq!(Stretch::ALL.rest(Stretch::only(10)), Stretch::new(0, 9));
    }
}
