//! What functions on bit-vectors and arrays mean. They mean what they mean in SMT-LIB and have a value everywhere.
//!
//! Bit-vectors of at most 64 bits are words, and the operations on them those of words; wider ones go by way of the pool of values.

use std::cmp::Ordering;

use lapidary_ir::model::Raw;
use lapidary_ir::{ArrayId, ArrayValue, Declarations, Domain, EnumId, Function, Sort};

use crate::eval::Error;
use crate::wide;

const WORD: u32 = 64;

/// A number as states have it, but for integers, which are of any size; and of how many bits the bit-vector is that it stands for,
/// none where it is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Number {
    pub value: i128,
    pub width: u32,
}

impl Number {
    pub fn plain(value: i128) -> Self {
        Self { value, width: 0 }
    }

    pub fn of(value: Raw, width: u32) -> Self {
        Self { value: i128::from(value), width }
    }
}

/// How many bits the values of a sort have.
pub fn width(sort: Sort) -> u32 {
    match sort {
        Sort::Bits(width) => width,
        Sort::Bool | Sort::Int | Sort::Enum(_) | Sort::Array(_) => 0,
    }
}

/// The value of a function of parts that are as many as it takes, of the sorts that it takes.
pub fn apply(model: &Declarations, function: Function, parts: &[Number]) -> Result<Number, Error> {
    match (function, parts) {
        (Function::Select(id), [array, index]) => select(model, id, *array, *index),
        (Function::Store(id), [array, index, element]) => store(model, id, *array, *index, *element),
        (Function::Fill(_), [element]) => Ok(Number::of(model.exprs.values().fill(raw(*element)?), 0)),
        (_, [a]) => on_bits(model, function, *a, *a),
        (_, [a, b]) => on_bits(model, function, *a, *b),
        (_, _) => unreachable!("functions of bit-vectors take one part or two"),
    }
}

/// Functions of one part do not look at the second.
fn on_bits(model: &Declarations, function: Function, a: Number, b: Number) -> Result<Number, Error> {
    let given = given(function, a.width);
    let number = match a.width.max(b.width).max(given) <= WORD {
        true => {
            let value = of_words(function, [a.width, b.width], a.value as u64, b.value as u64);
            Number::of(value as Raw, given)
        }
        false => {
            let values = model.exprs.values();
            let words = |number: Number| Ok::<_, Error>(values.words(number.width, raw(number)?));
            let bits = of_wide(function, [a.width, b.width], &words(a)?, &words(b)?);
            Number::of(values.bits(given.max(1), &bits), given)
        }
    };
    Ok(number)
}

/// How many bits a function of bit-vectors gives, none for a truth value; that many has its first part.
pub fn given(function: Function, first: u32) -> u32 {
    match function {
        Function::BitNot | Function::BitNeg | Function::BitAnd | Function::BitOr | Function::BitXor => first,
        Function::BitAdd | Function::BitMul | Function::BitUdiv | Function::BitUrem => first,
        Function::BitShl | Function::BitLshr | Function::BitAshr => first,
        Function::Ult | Function::Ule | Function::Slt | Function::Sle => 0,
        Function::Concat(width) | Function::ZeroExtend(width) | Function::SignExtend(width) => width,
        Function::Extract { high, low } => high - low + 1,
        Function::Select(_) | Function::Store(_) | Function::Fill(_) => unreachable!("these are functions of arrays"),
    }
}

/// So many ones, at most 64.
fn mask(width: u32) -> u64 {
    u64::MAX.checked_shr(WORD - width).unwrap_or(0)
}

/// The bits as a number with a sign.
fn signed(width: u32, a: u64) -> i64 {
    let unused = WORD - width;
    ((a << unused) as i64) >> unused
}

/// Of bit-vectors of at most 64 bits each, if what it gives has no more either.
#[inline]
pub fn of_words(function: Function, [width, second]: [u32; 2], a: u64, b: u64) -> u64 {
    let shift = |by: u64| u32::try_from(by).ok().filter(|&by| by < width);
    let value = match function {
        Function::BitNot => !a,
        Function::BitNeg => a.wrapping_neg(),
        Function::BitAnd => a & b,
        Function::BitOr => a | b,
        Function::BitXor => a ^ b,
        Function::BitAdd => a.wrapping_add(b),
        Function::BitMul => a.wrapping_mul(b),
        Function::BitUdiv => a.checked_div(b).unwrap_or(u64::MAX),
        Function::BitUrem => a.checked_rem(b).unwrap_or(a),
        Function::BitShl => shift(b).map_or(0, |by| a << by),
        Function::BitLshr => shift(b).map_or(0, |by| a >> by),
        Function::BitAshr => (signed(width, a) >> shift(b).unwrap_or(WORD - 1)) as u64,
        Function::Ult => return u64::from(a < b),
        Function::Ule => return u64::from(a <= b),
        Function::Slt => return u64::from(signed(width, a) < signed(width, b)),
        Function::Sle => return u64::from(signed(width, a) <= signed(width, b)),
        Function::Concat(_) => a << second | b,
        Function::Extract { low, .. } => a >> low,
        Function::ZeroExtend(_) => a,
        Function::SignExtend(_) => signed(width, a) as u64,
        Function::Select(_) | Function::Store(_) | Function::Fill(_) => unreachable!("these are functions of arrays"),
    };
    value & mask(given(function, width))
}

/// The same of any width; a truth value is a word.
fn of_wide(function: Function, widths: [u32; 2], a: &[u64], b: &[u64]) -> Vec<u64> {
    let [width, second] = widths.map(|width| width as usize);
    let truth = |holds: bool| vec![u64::from(holds)];
    let order = || {
        let by_sign = wide::bit(b, width - 1).cmp(&wide::bit(a, width - 1));
        by_sign.then_with(|| wide::compare(a, b))
    };
    match function {
        Function::BitNot => wide::not(a, width),
        Function::BitNeg => wide::negate(a, width),
        Function::BitAnd => wide::pairwise(a, b, |a, b| a & b),
        Function::BitOr => wide::pairwise(a, b, |a, b| a | b),
        Function::BitXor => wide::pairwise(a, b, |a, b| a ^ b),
        Function::BitAdd => wide::add(a, b, width),
        Function::BitMul => wide::multiply(a, b, width),
        Function::BitUdiv => wide::divide(a, b, width).map_or_else(|| wide::ones(width), |(quotient, _)| quotient),
        Function::BitUrem => wide::divide(a, b, width).map_or_else(|| a.to_vec(), |(_, rest)| rest),
        Function::BitShl => wide::left(a, wide::below(b, width).unwrap_or(width), width),
        Function::BitLshr => wide::right(a, wide::below(b, width).unwrap_or(width), width),
        Function::BitAshr => {
            let by = wide::below(b, width).unwrap_or(width);
            wide::resized(&wide::right(&wide::sign_extended(a, width, 2 * width), by, 2 * width), width)
        }
        Function::Ult => truth(wide::compare(a, b) == Ordering::Less),
        Function::Ule => truth(wide::compare(a, b) != Ordering::Greater),
        Function::Slt => truth(order() == Ordering::Less),
        Function::Sle => truth(order() != Ordering::Greater),
        Function::Concat(whole) => {
            let whole = whole as usize;
            wide::pairwise(&wide::left(a, second, whole), &wide::resized(b, whole), |a, b| a | b)
        }
        Function::Extract { high, low } => wide::right(a, low as usize, (high - low) as usize + 1),
        Function::ZeroExtend(to) => wide::resized(a, to as usize),
        Function::SignExtend(to) => wide::sign_extended(a, width, to as usize),
        Function::Select(_) | Function::Store(_) | Function::Fill(_) => unreachable!("these are functions of arrays"),
    }
}

/// What an array or a state can keep.
fn raw(number: Number) -> Result<Raw, Error> {
    Raw::try_from(number.value).map_err(|_| Error::Overflow)
}

fn select(model: &Declarations, id: ArrayId, array: Number, index: Number) -> Result<Number, Error> {
    let values = model.exprs.values();
    let array = values.array_value(raw(array)?);
    // No array has an entry at an integer that no state can keep.
    let element = raw(index).map_or(array.default, |index| array.at(index));
    Ok(Number::of(element, width(values.array_type(id).element)))
}

fn store(model: &Declarations, id: ArrayId, array: Number, index: Number, element: Number) -> Result<Number, Error> {
    let n_indexes = n_indexes(model, id).ok_or(Error::Overflow)?;
    let (array, index, element) = (raw(array)?, raw(index)?, raw(element)?);
    Ok(Number::of(model.exprs.values().store(n_indexes, array, index, element), 0))
}

fn literals(model: &Declarations) -> impl Fn(EnumId) -> usize {
    |id| model.enums.get(id).map_or(0, |of| of.literals.len())
}

/// How many indexes the arrays of a type have, if they are finitely many. No answer where equal arrays could not be told: their
/// indexes are finitely many, but are not the numbers from zero on.
fn n_indexes(model: &Declarations, id: ArrayId) -> Option<Option<u64>> {
    let values = model.exprs.values();
    let index = values.array_type(id).index;
    let n_indexes = values.n_values(index, &literals(model));
    match index {
        Sort::Array(_) if n_indexes.is_some() => None,
        Sort::Array(_) | Sort::Bool | Sort::Int | Sort::Enum(_) | Sort::Bits(_) => Some(n_indexes),
    }
}

/// Is the number one of a bit-vector or an array of this domain, and for an array the only one that stands for it? Any number is
/// one of the other domains, as far as their sorts are concerned.
pub fn is_value(model: &Declarations, domain: Domain, value: Raw) -> bool {
    match domain {
        Domain::Bool | Domain::Int | Domain::Range { .. } | Domain::Enum(_) => true,
        Domain::Bits(_) => model.exprs.values().is_of(domain.sort(), value, &literals(model)),
        Domain::Array(_) => {
            model.exprs.values().is_of(domain.sort(), value, &literals(model)) && is_normal(model, domain.sort(), value)
        }
    }
}

/// Two numbers may stand for one array only where one of them is not written as arrays are to be.
fn is_normal(model: &Declarations, sort: Sort, value: Raw) -> bool {
    let Sort::Array(id) = sort else { return true };
    let values = model.exprs.values();
    let (of, ArrayValue { default, entries }) = (values.array_type(id), values.array_value(value));
    let parts = || entries.iter().all(|&(at, it)| is_normal(model, of.index, at) && is_normal(model, of.element, it));
    n_indexes(model, id).is_some_and(|n| values.listed(n, *default, entries.iter().copied()) == value)
        && is_normal(model, of.element, *default)
        && parts()
}

#[cfg(test)]
mod tests;
