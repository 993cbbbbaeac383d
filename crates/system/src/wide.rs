//! Functions on bit-vectors of any width, word by word, the lowest first.

use std::cmp::Ordering;

use lapidary_ir::value::{Values, mask};
use lapidary_ir::{Function, Raw};

/// The value of a function of bit-vectors, given the widths and the values of its parts; with one part the second one does not
/// matter. Truths are one and zero.
pub fn value(values: &Values, function: Function, (width, a): (u32, Raw), (other, b): (u32, Raw)) -> Raw {
    let (x, y) = (&words(values, width, a)[..], &words(values, other, b)[..]);
    let (whole, bits) = match function {
        Function::BitNot => (width, inverted(x)),
        Function::BitNeg => (width, sum(&inverted(x), &one(x.len()))),
        Function::BitAnd => (width, pairs(x, y, |x, y| x & y)),
        Function::BitOr => (width, pairs(x, y, |x, y| x | y)),
        Function::BitXor => (width, pairs(x, y, |x, y| x ^ y)),
        Function::BitAdd => (width, sum(x, y)),
        Function::BitMul => (width, product(x, y)),
        Function::BitUdiv => (width, divided(x, y, width).0),
        Function::BitUrem => (width, divided(x, y, width).1),
        Function::BitShl => (width, up(x, places(y, width))),
        Function::BitLshr => (width, down(x, places(y, width))),
        Function::BitAshr => {
            (width, extended(&down(x, places(y, width)), width - places(y, width), is_set(x, width - 1)))
        }
        Function::Ult => return Raw::from(order(x, y).is_lt()),
        Function::Ule => return Raw::from(order(x, y).is_le()),
        Function::Slt => return Raw::from(signed_order(x, y, width).is_lt()),
        Function::Sle => return Raw::from(signed_order(x, y, width).is_le()),
        Function::Concat(whole) => {
            let n_words = whole.div_ceil(64) as usize;
            (whole, pairs(&up(&resized(x, n_words), other), &resized(y, n_words), |x, y| x | y))
        }
        Function::Extract { high, low } => (high - low + 1, down(x, low)),
        Function::ZeroExtend(to) => (to, x.to_vec()),
        Function::SignExtend(to) => (to, extended(&resized(x, to.div_ceil(64) as usize), width, is_set(x, width - 1))),
        Function::Select(_) | Function::Store(_) | Function::Fill(_) => unreachable!("these are functions on arrays"),
    };
    values.bits(whole, &bits)
}

fn words(values: &Values, width: u32, raw: Raw) -> Vec<u64> {
    values.words(width, raw)
}

fn resized(x: &[u64], n_words: usize) -> Vec<u64> {
    let mut words = x.to_vec();
    words.resize(n_words, 0);
    words
}

fn one(n_words: usize) -> Vec<u64> {
    resized(&[1], n_words)
}

fn inverted(x: &[u64]) -> Vec<u64> {
    x.iter().map(|word| !word).collect()
}

fn pairs(x: &[u64], y: &[u64], of: impl Fn(u64, u64) -> u64) -> Vec<u64> {
    x.iter().zip(y).map(|(&x, &y)| of(x, y)).collect()
}

fn is_set(x: &[u64], bit: u32) -> bool {
    x[bit as usize / 64] >> (bit % 64) & 1 == 1
}

/// Without what is carried out of the last word.
fn sum(x: &[u64], y: &[u64]) -> Vec<u64> {
    let mut carry = 0u128;
    let add = |(&x, &y): (&u64, &u64)| {
        let total = u128::from(x) + u128::from(y) + carry;
        carry = total >> 64;
        total as u64
    };
    x.iter().zip(y).map(add).collect()
}

fn product(x: &[u64], y: &[u64]) -> Vec<u64> {
    let mut total = vec![0u64; x.len()];
    for (i, &factor) in x.iter().enumerate() {
        let mut carry = 0u128;
        for (&other, to) in y.iter().zip(&mut total[i..]) {
            let part = u128::from(factor) * u128::from(other) + u128::from(*to) + carry;
            *to = part as u64;
            carry = part >> 64;
        }
    }
    total
}

/// Quotient and remainder, bit by bit from the highest one down.
fn divided(x: &[u64], y: &[u64], width: u32) -> (Vec<u64>, Vec<u64>) {
    let n_words = x.len();
    if y.iter().all(|&word| word == 0) {
        return (vec![u64::MAX; n_words], x.to_vec());
    }
    // One word more, so that doubling loses nothing.
    let (divisor, mut rest) = (resized(y, n_words + 1), vec![0u64; n_words + 1]);
    let less = sum(&inverted(&divisor), &one(n_words + 1));
    let mut quotient = vec![0u64; n_words];
    for bit in (0..width).rev() {
        rest = up(&rest, 1);
        rest[0] |= u64::from(is_set(x, bit));
        if order(&rest, &divisor).is_ge() {
            rest = sum(&rest, &less);
            quotient[bit as usize / 64] |= 1 << (bit % 64);
        }
    }
    rest.truncate(n_words);
    (quotient, rest)
}

/// How far a shift goes: never further than the width.
fn places(by: &[u64], width: u32) -> u32 {
    match by.split_first() {
        Some((&first, rest)) if rest.iter().all(|&word| word == 0) => {
            u32::try_from(first).map_or(width, |by| by.min(width))
        }
        Some(_) | None => width,
    }
}

fn up(x: &[u64], by: u32) -> Vec<u64> {
    let (words, bits) = (by as usize / 64, by % 64);
    let word = |i: Option<usize>| i.and_then(|i| x.get(i)).copied().unwrap_or(0);
    let shifted = |i: usize| {
        let low = if bits == 0 { 0 } else { word(i.checked_sub(words + 1)) >> (64 - bits) };
        word(i.checked_sub(words)) << bits | low
    };
    (0..x.len()).map(shifted).collect()
}

fn down(x: &[u64], by: u32) -> Vec<u64> {
    let (words, bits) = (by as usize / 64, by % 64);
    let word = |i: usize| x.get(i).copied().unwrap_or(0);
    let shifted = |i: usize| {
        let high = if bits == 0 { 0 } else { word(i + words + 1) << (64 - bits) };
        word(i + words) >> bits | high
    };
    (0..x.len()).map(shifted).collect()
}

/// With this bit in all places from one on.
fn extended(x: &[u64], from: u32, bit: bool) -> Vec<u64> {
    let fill = |(i, &word): (usize, &u64)| {
        let below = u64::from(from).saturating_sub(i as u64 * 64).min(64) as u32;
        let kept = if below == 0 { 0 } else { mask(below) };
        if bit { word & kept | !kept } else { word & kept }
    };
    x.iter().enumerate().map(fill).collect()
}

fn order(x: &[u64], y: &[u64]) -> Ordering {
    x.iter().rev().cmp(y.iter().rev())
}

/// The highest bit counts negatively.
fn signed_order(x: &[u64], y: &[u64], width: u32) -> Ordering {
    is_set(y, width - 1).cmp(&is_set(x, width - 1)).then_with(|| order(x, y))
}
