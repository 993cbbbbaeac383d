//! Integer terms as sums: coefficients of things that are not sums themselves, and a constant.

use std::collections::BTreeMap;

use lapidary_ir::{Expr, Exprs, Node};

/// `sum of coefficient * part, plus constant`. Parts are variables, or products, quotients, choices and elements of arrays
/// that are taken as they are. No coefficient is zero.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Linear {
    pub parts: BTreeMap<Expr, i64>,
    pub constant: i64,
}

impl Linear {
    /// `None` where coefficients do not fit 64 bits.
    pub fn of(exprs: &Exprs, term: Expr) -> Option<Self> {
        let mut sum = Self::default();
        // Parts have smaller numbers than what they are parts of: when one is taken, all its uses are counted.
        let mut open = BTreeMap::from([(term, 1i64)]);
        while let Some((term, factor)) = open.pop_last() {
            match exprs.node(term) {
                Node::Int(value) => sum.constant = sum.constant.checked_add(value.checked_mul(factor)?)?,
                Node::Add(parts) => parts.iter().try_for_each(|&part| count(&mut open, part, factor))?,
                Node::Neg(part) => count(&mut open, *part, factor.checked_neg()?)?,
                Node::Mul(a, b) => match (exprs.as_int(*a), exprs.as_int(*b)) {
                    (Some(value), _) => count(&mut open, *b, factor.checked_mul(value)?)?,
                    (_, Some(value)) => count(&mut open, *a, factor.checked_mul(value)?)?,
                    (None, None) => sum.put(term, factor)?,
                },
                _ => sum.put(term, factor)?,
            }
        }
        Some(sum)
    }

    fn put(&mut self, part: Expr, factor: i64) -> Option<()> {
        let there = self.parts.get(&part).copied().unwrap_or(0).checked_add(factor)?;
        match there {
            0 => self.parts.remove(&part),
            _ => self.parts.insert(part, there),
        };
        Some(())
    }

    /// `self * a + other * b`.
    pub fn combine(&self, a: i64, other: &Self, b: i64) -> Option<Self> {
        let mut sum = Self { parts: BTreeMap::new(), constant: 0 };
        for (of, factor) in [(self, a), (other, b)] {
            sum.constant = sum.constant.checked_add(of.constant.checked_mul(factor)?)?;
            for (&part, &coefficient) in &of.parts {
                sum.put(part, coefficient.checked_mul(factor)?)?;
            }
        }
        Some(sum)
    }

    pub fn negated(&self) -> Option<Self> {
        Self::default().combine(0, self, -1)
    }

    /// The greatest common divisor of the coefficients; 0 for a constant.
    pub fn content(&self) -> u64 {
        self.parts.values().fold(0, |gcd, coefficient| divisor(gcd, coefficient.unsigned_abs()))
    }

    /// Where its first part, in the order of the parts, has a negative coefficient.
    pub fn is_downward(&self) -> bool {
        self.parts.values().next().is_some_and(|&coefficient| coefficient < 0)
    }

    /// What stands on the left and on the right of a comparison with zero, so that no coefficient is negative.
    pub fn sides(&self, exprs: &Exprs) -> (Expr, Expr) {
        let (mut left, mut right) = (Vec::new(), Vec::new());
        for (&part, &coefficient) in &self.parts {
            let scaled = |factor: i64| exprs.mul(exprs.int(factor), part);
            match coefficient.checked_neg() {
                Some(opposite) if coefficient < 0 => right.push(scaled(opposite)),
                _ => left.push(scaled(coefficient)),
            }
        }
        // The constant stands alone where it can, and is positive otherwise.
        match self.constant.checked_neg() {
            Some(opposite) if right.is_empty() || self.constant < 0 && !left.is_empty() => {
                right.push(exprs.int(opposite));
            }
            _ => left.push(exprs.int(self.constant)),
        }
        (exprs.add(left), exprs.add(right))
    }
}

fn count(open: &mut BTreeMap<Expr, i64>, part: Expr, factor: i64) -> Option<()> {
    let there = open.entry(part).or_insert(0);
    *there = there.checked_add(factor)?;
    Some(())
}

fn divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use lapidary_ir::VarId;

    use super::*;

    #[test]
    fn a_sum_that_shares_its_parts_is_walked_once() {
        let e = Exprs::new();
        let x = e.var(VarId(0));
        let twice = |part: Expr| e.intern(Node::Add([part, part].into()));
        let shared = (0..40).fold(x, |part, _| twice(part));
        let expected = Linear { parts: [(x, 1 << 40)].into(), constant: 3 };
        assert_eq!(Linear::of(&e, e.add([shared, e.int(3)])), Some(expected));
        let too_large = (0..70).fold(x, |part, _| twice(part));
        assert_eq!(Linear::of(&e, too_large), None);
    }
}
