//! Arithmetic on bit-vectors of any width: words of 64 bits, the lowest first, as many as the width takes, and zeros beyond it.

use std::cmp::Ordering;

const WORD: usize = 64;

fn n_words(width: usize) -> usize {
    width.div_ceil(WORD)
}

/// A bit-vector of another width: bits beyond it are dropped, and missing ones are zero.
pub fn resized(a: &[u64], width: usize) -> Vec<u64> {
    let mut words: Vec<u64> = a.iter().copied().chain(std::iter::repeat(0)).take(n_words(width)).collect();
    if let (Some(last), 1..) = (words.last_mut(), width % WORD) {
        *last &= (1 << (width % WORD)) - 1;
    }
    words
}

pub fn bit(a: &[u64], i: usize) -> bool {
    a.get(i / WORD).is_some_and(|word| word >> (i % WORD) & 1 == 1)
}

pub fn ones(width: usize) -> Vec<u64> {
    resized(&vec![u64::MAX; n_words(width)], width)
}

pub fn not(a: &[u64], width: usize) -> Vec<u64> {
    resized(&a.iter().map(|word| !word).collect::<Vec<_>>(), width)
}

pub fn pairwise(a: &[u64], b: &[u64], join: impl Fn(u64, u64) -> u64) -> Vec<u64> {
    a.iter().zip(b).map(|(&a, &b)| join(a, b)).collect()
}

/// With a carry into the lowest bit, or none.
fn sum(a: &[u64], b: &[u64], carry: u64, width: usize) -> Vec<u64> {
    let mut carry = u128::from(carry);
    let add = |(&a, &b): (&u64, &u64)| {
        let sum = u128::from(a) + u128::from(b) + carry;
        carry = sum >> WORD;
        sum as u64
    };
    resized(&a.iter().zip(b).map(add).collect::<Vec<_>>(), width)
}

pub fn add(a: &[u64], b: &[u64], width: usize) -> Vec<u64> {
    sum(a, b, 0, width)
}

pub fn subtract(a: &[u64], b: &[u64], width: usize) -> Vec<u64> {
    sum(a, &not(b, width), 1, width)
}

pub fn negate(a: &[u64], width: usize) -> Vec<u64> {
    subtract(&vec![0; a.len()], a, width)
}

pub fn multiply(a: &[u64], b: &[u64], width: usize) -> Vec<u64> {
    let mut product = vec![0u64; n_words(width)];
    for (i, &x) in a.iter().enumerate().filter(|&(_, &x)| x != 0) {
        let mut carry = 0u128;
        for (at, &y) in product[i..].iter_mut().zip(b) {
            let sum = u128::from(x) * u128::from(y) + u128::from(*at) + carry;
            *at = sum as u64;
            carry = sum >> WORD;
        }
    }
    resized(&product, width)
}

pub fn compare(a: &[u64], b: &[u64]) -> Ordering {
    a.iter().rev().cmp(b.iter().rev())
}

/// Quotient and remainder of bit-vectors of one width; by zero there are none.
pub fn divide(a: &[u64], b: &[u64], width: usize) -> Option<(Vec<u64>, Vec<u64>)> {
    let n = b.iter().rposition(|&word| word != 0)? + 1;
    let m = a.len();
    // Both are moved up until the highest bit of the divisor is that of a word: then its first words tell digits nearly.
    let by = b[n - 1].leading_zeros() as usize;
    let divisor = left(&b[..n], by, n * WORD);
    let mut rest = left(a, by, (m + 1) * WORD);
    let mut quotient = vec![0; n_words(width)];
    for place in (0..=m - n).rev() {
        quotient[place] = digit(&mut rest[place..=place + n], &divisor);
    }
    Some((quotient, right(&rest, by, width)))
}

/// Knuth, algorithm D: one digit of the quotient, whose multiple of the divisor is taken from the rest. The rest has one word more
/// than the divisor, and is less than the divisor times two to the power of 64.
fn digit(rest: &mut [u64], divisor: &[u64]) -> u64 {
    let n = divisor.len();
    let top = u128::from(rest[n]) << WORD | u128::from(rest[n - 1]);
    let first = u128::from(divisor[n - 1]);
    let (mut guess, mut left_over) = (top / first, top % first);
    let (second, next) = match n {
        1 => (0, 0),
        _ => (u128::from(divisor[n - 2]), u128::from(rest[n - 2])),
    };
    // By the second word it is told exactly, or one too high.
    while left_over >> WORD == 0 && (guess >> WORD != 0 || guess * second > (left_over << WORD | next)) {
        guess -= 1;
        left_over += first;
    }
    if take(rest, divisor, guess) {
        guess -= 1;
        give_back(rest, divisor);
    }
    guess as u64
}

/// Takes a multiple of the divisor; true where that was too much.
fn take(rest: &mut [u64], divisor: &[u64], times: u128) -> bool {
    let mut carry = 0u128;
    for (at, &word) in rest.iter_mut().zip(divisor.iter().chain([&0])) {
        let product = times * u128::from(word) + carry;
        let (less, is_negative) = at.overflowing_sub(product as u64);
        *at = less;
        carry = (product >> WORD) + u128::from(is_negative);
    }
    carry != 0
}

fn give_back(rest: &mut [u64], divisor: &[u64]) {
    let mut carry = 0u128;
    for (at, &word) in rest.iter_mut().zip(divisor.iter().chain([&0])) {
        let sum = u128::from(*at) + u128::from(word) + carry;
        *at = sum as u64;
        carry = sum >> WORD;
    }
}

/// The value, if it is less than a limit.
pub fn below(a: &[u64], limit: usize) -> Option<usize> {
    let (first, rest) = a.split_first()?;
    let value = usize::try_from(*first).ok()?;
    (value < limit && rest.iter().all(|&word| word == 0)).then_some(value)
}

/// By fewer bits than there are.
pub fn left(a: &[u64], by: usize, width: usize) -> Vec<u64> {
    let word = |i: usize| i.checked_sub(by / WORD).and_then(|i| a.get(i)).copied().unwrap_or(0);
    let shifted = |i: usize| match by % WORD {
        0 => word(i),
        bits => word(i) << bits | i.checked_sub(1).map_or(0, word) >> (WORD - bits),
    };
    resized(&(0..n_words(width)).map(shifted).collect::<Vec<_>>(), width)
}

/// By any number of bits, so that as many as the width remain; zeros come in.
pub fn right(a: &[u64], by: usize, width: usize) -> Vec<u64> {
    let word = |i: usize| a.get(i + by / WORD).copied().unwrap_or(0);
    let shifted = |i: usize| match by % WORD {
        0 => word(i),
        bits => word(i) >> bits | word(i + 1) << (WORD - bits),
    };
    resized(&(0..n_words(width)).map(shifted).collect::<Vec<_>>(), width)
}

/// With copies of the highest of `from` bits above it.
pub fn sign_extended(a: &[u64], from: usize, width: usize) -> Vec<u64> {
    let plain = resized(a, width);
    match from.checked_sub(1).is_some_and(|sign| bit(a, sign)) {
        true => pairwise(&plain, &not(&resized(&ones(from), width), width), |a, b| a | b),
        false => plain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotients_times_divisors_and_remainders_give_the_dividends() {
        // Words at which a digit is guessed too high.
        let words = [0, 1, (1 << 63) - 1, 1 << 63, u64::MAX - 1, u64::MAX];
        let pick = |number: usize, place: u32| words[number / words.len().pow(place) % words.len()];
        let width = 4 * WORD;
        for i in 0..words.len().pow(4) {
            let a: Vec<u64> = (0..4).map(|place| pick(i, place)).collect();
            for j in 1..words.len().pow(3) {
                let b: Vec<u64> = (0..3).map(|place| pick(j, place)).chain([0]).collect();
                let (quotient, rest) = divide(&a, &b, width).expect("it is not zero");
                assert!(compare(&rest, &b).is_lt(), "{a:x?} {b:x?}");
                assert_eq!(add(&multiply(&quotient, &b, width), &rest, width), a, "{a:x?} {b:x?}");
                // Nothing was lost above: the product is not more than what was divided.
                let room = resized(&quotient, 2 * width);
                let product = multiply(&room, &resized(&b, 2 * width), 2 * width);
                assert!(compare(&product, &resized(&a, 2 * width)).is_le(), "{a:x?} {b:x?}");
            }
        }
        assert_eq!(divide(&[5, 0], &[0, 0], 2 * WORD), None);
    }
}
