//! Integers and bit-vectors as solvers write them.

use lapidary_ir::Raw;
use lapidary_ir::value::{WORD_BITS, mask, words_of_decimal};

use super::Unread;
use crate::smtlib::Sexp;

/// `12`, `(- 5)`; some solvers write `-5`.
pub fn int(sexp: &Sexp) -> Result<Raw, Unread> {
    match sexp {
        Sexp::Atom(atom) => match atom.strip_prefix('-') {
            Some(digits) => integer("-", digits),
            None => integer("", atom),
        },
        Sexp::List(parts) => match &parts[..] {
            [minus, Sexp::Atom(digits)] if minus.is("-") => integer("-", digits),
            _ => Err(Unread::Garbage),
        },
        Sexp::Text(_) => Err(Unread::Garbage),
    }
}

fn integer(sign: &str, digits: &str) -> Result<Raw, Unread> {
    match is_decimal(digits) {
        true => format!("{sign}{digits}").parse().map_err(|_| Unread::Beyond),
        false => Err(Unread::Garbage),
    }
}

fn is_decimal(digits: &str) -> bool {
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// `#b0101`, `#x5`, `(_ bv5 4)`, of exactly this width.
pub fn bits(sexp: &Sexp, width: u32) -> Option<Vec<u64>> {
    match sexp {
        Sexp::Atom(atom) => match atom.strip_prefix("#b") {
            Some(digits) => digits_to_words(digits, 1, width),
            None => digits_to_words(atom.strip_prefix("#x")?, 4, width),
        },
        Sexp::List(parts) => {
            let [word, Sexp::Atom(number), Sexp::Atom(of)] = &parts[..] else { return None };
            let digits = number.strip_prefix("bv").filter(|digits| word.is("_") && is_decimal(digits))?;
            let is_of = is_decimal(of) && of.parse() == Ok(width);
            let words = words_of_decimal(digits, width.div_ceil(WORD_BITS) as usize).filter(|_| is_of)?;
            let last = width - (words.len() as u32 - 1) * WORD_BITS;
            (words.last()? & !mask(last) == 0).then_some(words)
        }
        Sexp::Text(_) => None,
    }
}

/// Digits of so many bits each, the highest first.
fn digits_to_words(digits: &str, digit_bits: u32, width: u32) -> Option<Vec<u64>> {
    if digits.len() as u64 * u64::from(digit_bits) != u64::from(width) {
        return None;
    }
    let mut words = vec![0u64; width.div_ceil(WORD_BITS) as usize];
    for (i, digit) in (0u32..).zip(digits.bytes().rev()) {
        let at = i * digit_bits;
        let value = char::from(digit).to_digit(1 << digit_bits)?;
        words[(at / WORD_BITS) as usize] |= u64::from(value) << (at % WORD_BITS);
    }
    Some(words)
}
