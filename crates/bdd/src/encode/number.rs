//! Integers as bit vectors of sets: two's complement, as wide as an interval of their values needs.

use lapidary_base::Stop;

use crate::space::{Column, Set, Space};

/// Widest vectors that are computed with.
const MAX_WIDTH: usize = 64;

/// An integer for every valuation of the columns.
///
/// It means something only where it is defined and the columns have values of their domains.
#[derive(Clone)]
pub struct Number {
    /// Least significant first; the last one is the sign and also stands for all higher ones. Never empty.
    pub bits: Vec<Set>,
    /// Where there is a value.
    pub defined: Set,
    /// Bounds of the values.
    pub lo: i128,
    pub hi: i128,
}

impl Number {
    /// The bit of a weight; beyond the width the sign.
    pub fn bit(&self, weight: usize) -> &Set {
        self.bits.get(weight).unwrap_or_else(|| self.sign())
    }

    pub fn sign(&self) -> &Set {
        self.bits.last().expect("numbers have a sign bit")
    }

    pub(super) fn is_constant(&self) -> bool {
        self.lo == self.hi
    }
}

/// The bits that all integers of an interval need, the sign included.
fn width(lo: i128, hi: i128) -> usize {
    let bits = |value: i128| (i128::BITS - (value ^ (value >> 127)).leading_zeros()) as usize + 1;
    bits(lo).max(bits(hi))
}

/// The arithmetic of one space.
#[derive(Clone, Copy)]
pub(super) struct Arithmetic<'a> {
    pub space: &'a Space,
}

impl Arithmetic<'_> {
    pub fn constant(self, value: i128) -> Number {
        let space = self.space;
        let bit = |weight: usize| if value >> weight & 1 == 1 { space.all() } else { space.none() };
        Number { bits: (0..width(value, value)).map(bit).collect(), defined: space.all(), lo: value, hi: value }
    }

    /// A number that has no value anywhere.
    pub fn undefined(self) -> Number {
        Number { defined: self.space.none(), ..self.constant(0) }
    }

    /// One where a set holds, else zero.
    pub fn truth(self, yes: Set, defined: Set) -> Number {
        Number { bits: vec![yes, self.space.none()], defined, lo: 0, hi: 1 }
    }

    /// The value of a column plus a constant.
    pub fn column(self, column: Column, lo: i64) -> Result<Number, Stop> {
        let mut bits = self.space.bits(column);
        bits.push(self.space.none());
        let size = i128::from(self.space.size(column)).max(1);
        let value = Number { bits, defined: self.space.all(), lo: 0, hi: size - 1 };
        if lo == 0 { Ok(value) } else { self.add(&value, &self.constant(i128::from(lo))) }
    }

    /// A vector with its bounds: bits that the bounds or equal signs make useless are dropped.
    pub fn number(self, mut bits: Vec<Set>, defined: Set, lo: i128, hi: i128) -> Number {
        bits.truncate(width(lo, hi).max(1));
        while bits.len() > 1 && bits[bits.len() - 1] == bits[bits.len() - 2] {
            bits.pop();
        }
        let limit = 1i128 << (bits.len() - 1);
        Number { bits, defined, lo: lo.max(-limit), hi: hi.min(limit - 1) }
    }

    /// The same bits with tighter bounds.
    pub fn bounded(self, number: Number, (lo, hi): (i128, i128), defined: Set) -> Number {
        self.number(number.bits, defined, lo.max(number.lo), hi.min(number.hi))
    }

    pub fn both_defined(self, a: &Number, b: &Number) -> Result<Set, Stop> {
        self.space.and(&a.defined, &b.defined)
    }

    pub fn add(self, a: &Number, b: &Number) -> Result<Number, Stop> {
        let (lo, hi) = (a.lo + b.lo, a.hi + b.hi);
        let bits = self.sum(&a.bits, &b.bits, self.space.none(), checked_width(lo, hi)?)?;
        Ok(self.number(bits, self.both_defined(a, b)?, lo, hi))
    }

    pub fn subtract(self, a: &Number, b: &Number) -> Result<Number, Stop> {
        let (lo, hi) = (a.lo - b.hi, a.hi - b.lo);
        let complement: Vec<Set> = b.bits.iter().map(|bit| self.space.not(bit)).collect::<Result<_, _>>()?;
        let bits = self.sum(&a.bits, &complement, self.space.all(), checked_width(lo, hi)?)?;
        Ok(self.number(bits, self.both_defined(a, b)?, lo, hi))
    }

    pub fn negate(self, a: &Number) -> Result<Number, Stop> {
        self.subtract(&self.constant(0), a)
    }

    /// Ripple-carry addition of sign-extended vectors, modulo two to the width.
    pub(super) fn sum(self, a: &[Set], b: &[Set], mut carry: Set, width: usize) -> Result<Vec<Set>, Stop> {
        let space = self.space;
        let mut bits = Vec::with_capacity(width);
        for weight in 0..width {
            let (a, b) = (&a[weight.min(a.len() - 1)], &b[weight.min(b.len() - 1)]);
            let differ = space.xor(a, b)?;
            bits.push(space.xor(&differ, &carry)?);
            if weight + 1 < width {
                carry = space.ite(&differ, &carry, a)?;
            }
        }
        Ok(bits)
    }

    /// Shift and add, over the bits of the narrower factor; its sign bit counts negatively.
    pub fn multiply(self, a: &Number, b: &Number) -> Result<Number, Stop> {
        let (a, b) = if a.bits.len() < b.bits.len() { (b, a) } else { (a, b) };
        let corners = [a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi];
        let (lo, hi) = (corners.into_iter().min().expect("four"), corners.into_iter().max().expect("four"));
        let width = checked_width(lo, hi)?;
        let mut bits = vec![self.space.none()];
        for (weight, bit) in b.bits.iter().enumerate() {
            if self.space.is_none(bit) || weight >= width {
                continue;
            }
            let mut shifted = vec![self.space.none(); weight];
            for part in &a.bits {
                shifted.push(self.space.and(part, bit)?);
            }
            let (carry, shifted) = if weight + 1 == b.bits.len() {
                let complement = shifted.iter().map(|bit| self.space.not(bit));
                (self.space.all(), complement.collect::<Result<Vec<_>, _>>()?)
            } else {
                (self.space.none(), shifted)
            };
            bits = self.sum(&bits, &shifted, carry, width)?;
        }
        Ok(self.number(bits, self.both_defined(a, b)?, lo, hi))
    }

    /// `then` where the condition holds, else `otherwise`; the caller says where the outcome is defined.
    pub fn choose(self, condition: &Set, then: &Number, otherwise: &Number, defined: Set) -> Result<Number, Stop> {
        let width = then.bits.len().max(otherwise.bits.len());
        let bits = (0..width).map(|weight| self.space.ite(condition, then.bit(weight), otherwise.bit(weight)));
        let bits = bits.collect::<Result<Vec<_>, _>>()?;
        Ok(self.number(bits, defined, then.lo.min(otherwise.lo), then.hi.max(otherwise.hi)))
    }

    /// Where the bits are equal, whether the numbers are defined or not.
    pub fn equal(self, a: &Number, b: &Number) -> Result<Set, Stop> {
        if a.hi < b.lo || b.hi < a.lo {
            return Ok(self.space.none());
        }
        let same = |weight| self.space.iff(a.bit(weight), b.bit(weight));
        (0..a.bits.len().max(b.bits.len())).try_fold(self.space.all(), |sofar, weight| {
            if self.space.is_none(&sofar) { Ok(sofar) } else { self.space.and(&same(weight)?, &sofar) }
        })
    }

    /// Where `a < b`, whether the numbers are defined or not.
    pub fn less(self, a: &Number, b: &Number) -> Result<Set, Stop> {
        if a.hi < b.lo {
            return Ok(self.space.all());
        }
        if a.lo >= b.hi {
            return Ok(self.space.none());
        }
        let width = a.bits.len().max(b.bits.len());
        let mut less = self.space.none();
        for weight in 0..width {
            let (a, b) = (a.bit(weight), b.bit(weight));
            // The highest bit that differs decides; of two signs, the negative one is less.
            let decides = if weight + 1 == width { a } else { b };
            less = self.space.ite(&self.space.xor(a, b)?, decides, &less)?;
        }
        Ok(less)
    }
}

fn checked_width(lo: i128, hi: i128) -> Result<usize, Stop> {
    match width(lo, hi) {
        width if width <= MAX_WIDTH => Ok(width),
        _ => Err(Stop::Overflow(format!("an expression may have values from {lo} to {hi}"))),
    }
}
