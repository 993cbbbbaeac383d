//! Functions on bit-vectors whose bits are sets of states. A bit-vector is the number that it means without a sign.

use lapidary_ir::Function;

use super::numbers::{self, Number};
use super::space::{Set, Space};
use crate::Rejection;

pub struct Vector {
    pub width: usize,
    pub number: Number,
}

impl Vector {
    fn bits(&self) -> Vec<Set> {
        self.number.low_bits(self.width)
    }

    fn signed(&self) -> Result<Number, Rejection> {
        Number::signed(self.bits())
    }
}

/// What a function gives.
pub enum Given {
    Vector(Number),
    Truth(Set),
    /// It is about arrays, of which there is nothing here.
    Array,
}

/// The bits of a constant, given its words.
pub fn constant(space: &Space<'_>, width: u32, words: &[u64]) -> Result<Number, Rejection> {
    let is_set = |i: u32| words.get((i / u64::BITS) as usize).is_some_and(|word| word >> (i % u64::BITS) & 1 == 1);
    let bit = |i| if is_set(i) { space.all.clone() } else { space.none.clone() };
    Number::natural(space, (0..width).map(bit).collect())
}

pub fn apply(space: &Space<'_>, function: Function, parts: &[Vector]) -> Result<Given, Rejection> {
    match parts {
        [a] => of_one(space, function, a),
        [a, b] => of_two(space, function, a, b),
        _ => Ok(Given::Array),
    }
}

fn given(space: &Space<'_>, bits: Vec<Set>) -> Result<Given, Rejection> {
    Number::natural(space, bits).map(Given::Vector)
}

fn of_one(space: &Space<'_>, function: Function, a: &Vector) -> Result<Given, Rejection> {
    let mut bits = a.bits();
    match function {
        Function::BitNot => given(space, bits.iter().map(|bit| space.not(bit)).collect::<Result<_, _>>()?),
        Function::BitNeg => given(space, numbers::negate(space, &a.number)?.low_bits(a.width)),
        Function::Extract { high, low } => given(space, bits[low as usize..=high as usize].to_vec()),
        Function::ZeroExtend(_) => given(space, bits),
        Function::SignExtend(to) => {
            let sign = bits[a.width - 1].clone();
            bits.resize(to as usize, sign);
            given(space, bits)
        }
        Function::BitAnd | Function::BitOr | Function::BitXor | Function::BitAdd | Function::BitMul => two(),
        Function::BitUdiv | Function::BitUrem | Function::BitShl | Function::BitLshr | Function::BitAshr => two(),
        Function::Ult | Function::Ule | Function::Slt | Function::Sle | Function::Concat(_) => two(),
        Function::Select(_) | Function::Store(_) | Function::Fill(_) => Ok(Given::Array),
    }
}

fn two() -> ! {
    unreachable!("these functions take two parts")
}

fn of_two(space: &Space<'_>, function: Function, a: &Vector, b: &Vector) -> Result<Given, Rejection> {
    let truth = |holds: Result<Set, Rejection>| holds.map(Given::Truth);
    let (x, y) = (&a.number, &b.number);
    match function {
        Function::BitAnd => pairwise(a, b, |a, b| space.and(a, b)).and_then(|bits| given(space, bits)),
        Function::BitOr => pairwise(a, b, |a, b| space.or(a, b)).and_then(|bits| given(space, bits)),
        Function::BitXor => pairwise(a, b, |a, b| space.xor(a, b)).and_then(|bits| given(space, bits)),
        Function::BitAdd => given(space, numbers::add(space, x, y)?.low_bits(a.width)),
        Function::BitMul => product(space, a, b).map(Given::Vector),
        Function::BitUdiv | Function::BitUrem => quotient(space, function, a, b).map(Given::Vector),
        Function::BitShl => {
            let zeros = vec![space.none.clone(); a.width];
            let upwards = |bits: &[Set], by: usize| [&zeros[..by], &bits[..a.width - by]].concat();
            shifted(space, a, b, &space.none, upwards)
        }
        Function::BitLshr => shifted_down(space, a, b, &space.none),
        Function::BitAshr => shifted_down(space, a, b, &a.bits()[a.width - 1]),
        Function::Ult => truth(numbers::less(space, x, y)),
        Function::Ule => truth(space.not(&numbers::less(space, y, x)?)),
        Function::Slt => truth(numbers::less(space, &a.signed()?, &b.signed()?)),
        Function::Sle => truth(space.not(&numbers::less(space, &b.signed()?, &a.signed()?)?)),
        Function::Concat(_) => given(space, [b.bits(), a.bits()].concat()),
        Function::BitNot | Function::BitNeg | Function::Extract { .. } => one(),
        Function::ZeroExtend(_) | Function::SignExtend(_) => one(),
        Function::Select(_) | Function::Store(_) | Function::Fill(_) => Ok(Given::Array),
    }
}

fn one() -> ! {
    unreachable!("these functions take one part")
}

fn pairwise(
    a: &Vector,
    b: &Vector,
    join: impl Fn(&Set, &Set) -> Result<Set, Rejection>,
) -> Result<Vec<Set>, Rejection> {
    a.bits().iter().zip(&b.bits()).map(|(a, b)| join(a, b)).collect()
}

/// Rows are added that are cut to the width, so that nothing gets wider than the result.
fn product(space: &Space<'_>, a: &Vector, b: &Vector) -> Result<Number, Rejection> {
    let (bits, zeros) = (a.bits(), vec![space.none.clone(); a.width]);
    let zero = Number::constant(space, 0)?;
    let mut product = zero.clone();
    for (i, bit) in b.bits().iter().enumerate() {
        let row = Number::natural(space, [&zeros[..i], &bits[..a.width - i]].concat())?;
        let sum = numbers::add(space, &product, &numbers::ite(space, bit, &row, &zero)?)?;
        product = Number::natural(space, sum.low_bits(a.width))?;
    }
    Ok(product)
}

fn quotient(space: &Space<'_>, function: Function, a: &Vector, b: &Vector) -> Result<Number, Rejection> {
    let by_zero = numbers::equal(space, &b.number, &Number::constant(space, 0)?)?;
    let (quotient, rest) = numbers::divide(space, &a.number, &b.number)?;
    let (number, otherwise) = match function {
        Function::BitUrem => (rest, a.number.clone()),
        _ => (quotient, Number::natural(space, vec![space.all.clone(); a.width])?),
    };
    // Where the divisor is zero the number found means nothing, and may have more bits.
    let number = Number::natural(space, number.low_bits(a.width))?;
    numbers::ite(space, &by_zero, &otherwise, &number)
}

fn shifted_down(space: &Space<'_>, a: &Vector, b: &Vector, fill: &Set) -> Result<Given, Rejection> {
    let filled = vec![fill.clone(); a.width];
    shifted(space, a, b, fill, |bits, by| [&bits[by..], &filled[..by]].concat())
}

/// Step by step by powers of two, each where that bit of `b` is set. By the width or more nothing is left but `fill`.
fn shifted(
    space: &Space<'_>,
    a: &Vector,
    b: &Vector,
    fill: &Set,
    by: impl Fn(&[Set], usize) -> Vec<Set>,
) -> Result<Given, Rejection> {
    let mut bits = a.bits();
    for (i, bit) in b.bits().iter().enumerate() {
        let far = 1usize.checked_shl(i as u32).filter(|&far| far < a.width);
        let moved = far.map_or_else(|| vec![fill.clone(); a.width], |far| by(&bits, far));
        bits = bits.iter().zip(&moved).map(|(old, new)| space.ite(bit, new, old)).collect::<Result<_, _>>()?;
    }
    given(space, bits)
}

#[cfg(test)]
mod tests;
