//! Division of bit vectors: restoring division of the absolute values, then the signs as SMT-LIB wants them.

use lapidary_base::Stop;

use super::number::{Arithmetic, Number};
use crate::space::Set;

/// Quotient and remainder: `a = b * quotient + remainder`, with the remainder from zero to below the absolute value of `b`.
pub(super) struct Divided {
    pub quotient: Number,
    pub remainder: Number,
}

impl Arithmetic<'_> {
    /// Defined where both are and `b` is not zero.
    pub fn divide(self, a: &Number, b: &Number) -> Result<Divided, Stop> {
        let space = self.space;
        let nonzero = space.not(&self.equal(b, &self.constant(0))?)?;
        let defined = space.and(&self.both_defined(a, b)?, &nonzero)?;
        if space.is_none(&defined) {
            return Ok(Divided { quotient: self.undefined(), remainder: self.undefined() });
        }
        if b.is_constant() && b.lo > 0 && b.lo.count_ones() == 1 {
            return Ok(self.shift(a, b.lo.trailing_zeros() as usize, defined));
        }
        let (size_a, size_b) = (self.absolute(a)?, self.absolute(b)?);
        let (quotient, rest) = self.divide_unsigned(&size_a, &size_b)?;
        // Where a is negative, the remainder is brought back above zero, and the quotient makes up for it.
        let zero = self.constant(0);
        let adjust = space.minus(a.sign(), &self.equal(&rest, &zero)?)?;
        let all = space.all();
        let lifted = self.choose(&adjust, &self.subtract(&size_b, &rest)?, &rest, all.clone())?;
        let grown = self.choose(&adjust, &self.add(&quotient, &self.constant(1))?, &quotient, all.clone())?;
        let negative = space.xor(a.sign(), b.sign())?;
        let signed = self.choose(&negative, &self.negate(&grown)?, &grown, all)?;
        Ok(Divided {
            quotient: self.bounded(signed, quotient_bounds(a, b), defined.clone()),
            remainder: self.bounded(lifted, remainder_bounds(a, b), defined),
        })
    }

    /// Division by two to the `places`: the sign is shifted in, the remainder is what falls out.
    fn shift(self, a: &Number, places: usize, defined: Set) -> Divided {
        let quotient: Vec<Set> = (places..a.bits.len().max(places + 1)).map(|weight| a.bit(weight).clone()).collect();
        let mut remainder: Vec<Set> = (0..places).map(|weight| a.bit(weight).clone()).collect();
        remainder.push(self.space.none());
        Divided {
            quotient: self.number(quotient, defined.clone(), a.lo >> places, a.hi >> places),
            remainder: self.number(remainder, defined, 0, (1 << places) - 1),
        }
    }

    fn absolute(self, a: &Number) -> Result<Number, Stop> {
        if a.lo >= 0 {
            return Ok(a.clone());
        }
        let size = self.choose(a.sign(), &self.negate(a)?, a, self.space.all())?;
        let largest = a.lo.abs().max(a.hi.abs());
        Ok(self.bounded(size, (0, largest), self.space.all()))
    }

    /// Quotient and remainder of numbers that are not negative; nonsense where `b` is zero.
    pub(super) fn divide_unsigned(self, a: &Number, b: &Number) -> Result<(Number, Number), Stop> {
        let space = self.space;
        let mut quotient = vec![space.none(); a.bits.len()];
        let mut rest = self.constant(0);
        for weight in (0..a.bits.len()).rev() {
            let mut bits = vec![a.bit(weight).clone()];
            bits.extend(rest.bits.iter().cloned());
            // The rest is below b after each step, hence below twice b plus one here.
            let doubled = Number { bits, defined: space.all(), lo: 0, hi: (2 * rest.hi + 1).min(2 * b.hi + 1) };
            let fits = space.not(&self.less(&doubled, b)?)?;
            let smaller = Number { lo: 0, ..self.subtract(&doubled, b)? };
            let next = self.choose(&fits, &smaller, &doubled, space.all())?;
            rest = self.bounded(next, (0, a.hi.min((b.hi - 1).max(0))), space.all());
            quotient[weight] = fits;
        }
        quotient.push(space.none());
        let quotient = Number { bits: quotient, defined: space.all(), lo: 0, hi: a.hi };
        Ok((self.bounded(quotient, (0, a.hi), space.all()), rest))
    }
}

fn quotient_bounds(a: &Number, b: &Number) -> (i128, i128) {
    // Divisors next to zero and the outermost ones give the extremes.
    let divisors =
        [b.lo, b.hi, -1, 1].into_iter().filter(|&divisor| divisor != 0 && b.lo <= divisor && divisor <= b.hi);
    let mut bounds = (i128::MAX, i128::MIN);
    for divisor in divisors {
        for value in [a.lo, a.hi] {
            let quotient = value.div_euclid(divisor);
            bounds = (bounds.0.min(quotient), bounds.1.max(quotient));
        }
    }
    if bounds.0 > bounds.1 { (0, 0) } else { bounds }
}

fn remainder_bounds(a: &Number, b: &Number) -> (i128, i128) {
    let below = (b.lo.abs().max(b.hi.abs()) - 1).max(0);
    (0, if a.lo >= 0 { below.min(a.hi) } else { below })
}
