//! What functions on bit-vectors give, bit by bit, as one learns it at school.

use lapidary_ir::Function;

/// The lowest bit first.
pub type Bits = Vec<bool>;

/// The result; that of a comparison is a single bit.
pub fn meaning(function: Function, parts: &[Bits]) -> Bits {
    let a = &parts[0];
    let b = parts.get(1).unwrap_or(a);
    let width = a.len();
    let sign = a[width - 1];
    let by_bit = |with: fn(bool, bool) -> bool| a.iter().zip(b).map(|(&a, &b)| with(a, b)).collect();
    let extended = |to: u32, with: bool| a.iter().copied().chain(std::iter::repeat(with)).take(to as usize).collect();
    match function {
        Function::BitNot => a.iter().map(|bit| !bit).collect(),
        Function::BitNeg => negated(a),
        Function::BitAnd => by_bit(|a, b| a && b),
        Function::BitOr => by_bit(|a, b| a || b),
        Function::BitXor => by_bit(|a, b| a != b),
        Function::BitAdd => sum(a, b, false),
        Function::BitMul => product(a, b),
        Function::BitUdiv => quotient(a, b).0,
        Function::BitUrem => quotient(a, b).1,
        Function::BitShl => {
            let zeros = distance(b, width);
            (0..width).map(|i| i >= zeros && a[i - zeros]).collect()
        }
        Function::BitLshr => shifted_right(a, b, false),
        Function::BitAshr => shifted_right(a, b, sign),
        Function::Ult => vec![is_less(a, b)],
        Function::Ule => vec![!is_less(b, a)],
        Function::Slt => vec![is_less(&moved(a), &moved(b))],
        Function::Sle => vec![!is_less(&moved(b), &moved(a))],
        Function::Concat(_) => b.iter().chain(a).copied().collect(),
        Function::Extract { high, low } => a[low as usize..=high as usize].to_vec(),
        Function::ZeroExtend(to) => extended(to, false),
        Function::SignExtend(to) => extended(to, sign),
        Function::Select(_) | Function::Store(_) | Function::Fill(_) => unreachable!("these are about arrays"),
    }
}

pub fn is_less(a: &[bool], b: &[bool]) -> bool {
    a.iter().rev().cmp(b.iter().rev()).is_lt()
}

/// Signed numbers in the order of unsigned ones.
fn moved(a: &[bool]) -> Bits {
    let mut moved = a.to_vec();
    moved.last_mut().into_iter().for_each(|sign| *sign = !*sign);
    moved
}

fn sum(a: &[bool], b: &[bool], carry: bool) -> Bits {
    let mut carry = carry;
    let digit = |(&a, &b): (&bool, &bool)| {
        let n_ones = u8::from(a) + u8::from(b) + u8::from(carry);
        carry = n_ones > 1;
        n_ones % 2 == 1
    };
    a.iter().zip(b).map(digit).collect()
}

fn difference(a: &[bool], b: &[bool]) -> Bits {
    sum(a, &b.iter().map(|bit| !bit).collect::<Vec<_>>(), true)
}

fn negated(a: &[bool]) -> Bits {
    difference(&vec![false; a.len()], a)
}

fn twice(a: &[bool], low: bool) -> Bits {
    [low].into_iter().chain(a[..a.len() - 1].iter().copied()).collect()
}

fn product(a: &[bool], b: &[bool]) -> Bits {
    let zero = vec![false; a.len()];
    b.iter().rev().fold(zero, |product, &bit| {
        let product = twice(&product, false);
        if bit { sum(&product, a, false) } else { product }
    })
}

/// And the remainder. A divisor of zero is never above what is left, and what is subtracted is nothing.
fn quotient(a: &[bool], b: &[bool]) -> (Bits, Bits) {
    let mut rest = vec![false; a.len()];
    let mut digits = Vec::new();
    for &bit in a.iter().rev() {
        let has_overflown = rest[rest.len() - 1];
        rest = twice(&rest, bit);
        let fits = has_overflown || !is_less(&rest, b);
        if fits {
            rest = difference(&rest, b);
        }
        digits.push(fits);
    }
    digits.reverse();
    (digits, rest)
}

/// How far a shift goes, the width at most.
fn distance(by: &[bool], width: usize) -> usize {
    let add = |far: usize, &bit: &bool| (far * 2 + usize::from(bit)).min(width);
    by.iter().rev().fold(0, add)
}

fn shifted_right(a: &[bool], by: &[bool], with: bool) -> Bits {
    let lost = distance(by, a.len());
    (0..a.len()).map(|i| a.get(i + lost).copied().unwrap_or(with)).collect()
}
