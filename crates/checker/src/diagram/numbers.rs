//! Arithmetic on numbers whose bits are sets of states: in a state, bit `i` is set if the state is in set `i`.
//!
//! Numbers are in two's complement and as wide as they need to be, so nothing ever overflows; only numbers that are
//! wider than the plain interpreter's are refused.

use std::cmp::max;

use lapidary_ir::model::Raw;

use super::space::{Set, Space};
use crate::Rejection;
use crate::finding;

const MOST_BITS: usize = 127;

/// The least bit first; the last one is the sign. Never empty, and never with two last bits that are equal.
#[derive(Clone, PartialEq, Eq)]
pub struct Number {
    bits: Vec<Set>,
}

impl Number {
    /// From two's complement bits, at least one.
    fn new(mut bits: Vec<Set>) -> Result<Self, Rejection> {
        while bits.len() > 1 && bits[bits.len() - 1] == bits[bits.len() - 2] {
            bits.pop();
        }
        match bits.len() <= MOST_BITS {
            true => Ok(Self { bits }),
            false => Err(finding::overflow("an expression that the check of a diagram evaluates")),
        }
    }

    /// The number that the bits mean without a sign.
    pub fn natural(space: &Space<'_>, mut bits: Vec<Set>) -> Result<Self, Rejection> {
        bits.push(space.none.clone());
        Self::new(bits)
    }

    /// The number that the bits mean in two's complement.
    pub fn signed(bits: Vec<Set>) -> Result<Self, Rejection> {
        Self::new(bits)
    }

    pub fn constant(space: &Space<'_>, value: Raw) -> Result<Self, Rejection> {
        let bit = |i: usize| if value >> i & 1 == 1 { space.all.clone() } else { space.none.clone() };
        Self::new((0..Raw::BITS as usize).map(bit).collect())
    }

    fn bit(&self, i: usize) -> &Set {
        self.bits.get(i).unwrap_or_else(|| self.sign())
    }

    /// Where it is negative.
    pub fn sign(&self) -> &Set {
        self.bits.last().expect("numbers have a sign")
    }

    /// The `n` least bits.
    pub fn low_bits(&self, n: usize) -> Vec<Set> {
        (0..n).map(|i| self.bit(i).clone()).collect()
    }

    fn shifted(&self, space: &Space<'_>, by: usize) -> Result<Self, Rejection> {
        Self::new(vec![space.none.clone(); by].into_iter().chain(self.bits.iter().cloned()).collect())
    }
}

pub fn add(space: &Space<'_>, a: &Number, b: &Number) -> Result<Number, Rejection> {
    add_with(space, a, b, space.none.clone())
}

fn add_with(space: &Space<'_>, a: &Number, b: &Number, mut carry: Set) -> Result<Number, Rejection> {
    let mut bits = Vec::new();
    for i in 0..=max(a.bits.len(), b.bits.len()) {
        let (x, y) = (a.bit(i), b.bit(i));
        let differ = space.xor(x, y)?;
        bits.push(space.xor(&differ, &carry)?);
        carry = space.ite(&differ, &carry, x)?;
    }
    Number::new(bits)
}

fn inverted(space: &Space<'_>, a: &Number) -> Result<Number, Rejection> {
    Number::new(a.bits.iter().map(|bit| space.not(bit)).collect::<Result<_, _>>()?)
}

pub fn subtract(space: &Space<'_>, a: &Number, b: &Number) -> Result<Number, Rejection> {
    add_with(space, a, &inverted(space, b)?, space.all.clone())
}

pub fn negate(space: &Space<'_>, a: &Number) -> Result<Number, Rejection> {
    subtract(space, &Number::constant(space, 0)?, a)
}

pub fn equal(space: &Space<'_>, a: &Number, b: &Number) -> Result<Set, Rejection> {
    let mut same = space.all.clone();
    for i in (0..max(a.bits.len(), b.bits.len())).rev() {
        same = space.without(&same, &space.xor(a.bit(i), b.bit(i))?)?;
    }
    Ok(same)
}

pub fn less(space: &Space<'_>, a: &Number, b: &Number) -> Result<Set, Rejection> {
    let sign = max(a.bits.len(), b.bits.len()) - 1;
    let mut is_less = space.none.clone();
    for i in 0..=sign {
        let differ = space.xor(a.bit(i), b.bit(i))?;
        // A set sign bit makes a number small, any other bit makes it large.
        let decides = if i == sign { a.bit(i) } else { b.bit(i) };
        is_less = space.ite(&differ, decides, &is_less)?;
    }
    Ok(is_less)
}

/// Where `lo <= a <= hi`.
pub fn within(space: &Space<'_>, a: &Number, lo: Raw, hi: Raw) -> Result<Set, Rejection> {
    let below = less(space, a, &Number::constant(space, lo)?)?;
    let above = less(space, &Number::constant(space, hi)?, a)?;
    space.not(&space.or(&below, &above)?)
}

pub fn ite(space: &Space<'_>, condition: &Set, then: &Number, otherwise: &Number) -> Result<Number, Rejection> {
    let bit = |i| space.ite(condition, then.bit(i), otherwise.bit(i));
    Number::new((0..max(then.bits.len(), otherwise.bits.len())).map(bit).collect::<Result<_, _>>()?)
}

pub fn multiply(space: &Space<'_>, a: &Number, b: &Number) -> Result<Number, Rejection> {
    let zero = Number::constant(space, 0)?;
    let mut product = zero.clone();
    let sign = b.bits.len() - 1;
    for (i, bit) in b.bits.iter().enumerate() {
        let term = ite(space, bit, &a.shifted(space, i)?, &zero)?;
        product = if i == sign { subtract(space, &product, &term)? } else { add(space, &product, &term)? };
    }
    Ok(product)
}

/// Quotient and remainder of SMT-LIB: the remainder is never negative. Where `b` is zero they mean nothing.
pub fn divide(space: &Space<'_>, a: &Number, b: &Number) -> Result<(Number, Number), Rejection> {
    let size = |x: &Number| ite(space, x.sign(), &negate(space, x)?, x);
    let divisor = size(b)?;
    let (quotient, rest) = divide_naturals(space, &size(a)?, &divisor)?;
    let zero = Number::constant(space, 0)?;
    // Of a negative number the quotient is rounded away from zero, so that the remainder is not negative.
    let rounds = space.without(a.sign(), &equal(space, &rest, &zero)?)?;
    let remainder = ite(space, &rounds, &subtract(space, &divisor, &rest)?, &rest)?;
    let one = Number::constant(space, 1)?;
    let size = ite(space, &rounds, &add(space, &quotient, &one)?, &quotient)?;
    let is_negative = space.xor(a.sign(), b.sign())?;
    Ok((ite(space, &is_negative, &negate(space, &size)?, &size)?, remainder))
}

/// Long division, the greatest bit first.
fn divide_naturals(space: &Space<'_>, a: &Number, b: &Number) -> Result<(Number, Number), Rejection> {
    let mut rest = Number::constant(space, 0)?;
    let mut quotient = vec![space.none.clone(); a.bits.len()];
    for i in (0..a.bits.len()).rev() {
        rest = rest.shifted(space, 1)?;
        let next = Number::natural(space, vec![a.bit(i).clone()])?;
        rest = add(space, &rest, &next)?;
        let fits = space.not(&less(space, &rest, b)?)?;
        rest = ite(space, &fits, &subtract(space, &rest, b)?, &rest)?;
        quotient[i] = fits;
    }
    Ok((Number::natural(space, quotient)?, rest))
}
