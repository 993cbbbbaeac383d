//! Bit-vectors as they are written: `4'b0101`, `4'd5`, `4'd-3`, `8'xff`.

use lapidary_text::{Diagnostic, lexing};

use super::super::ast::{Bits, Expr, ExprKind};
use super::super::codes;
use super::super::limits::MAX_WIDTH;
use super::Parser;

const FORMS: &str = "bit-vectors of width 4 are `4'b0101`, `4'd5`, `4'd-3` and `4'xf`";

impl<'a> Parser<'a, '_> {
    pub(super) fn bits(&mut self) -> Expr<'a> {
        let span = self.cursor.span();
        let written = self.slice(span);
        self.cursor.next();
        let kind = match read(written) {
            Ok(bits) => ExprKind::Bits(bits),
            Err(why) => {
                let shown = lexing::beginning(written, 40);
                let diagnostic = Diagnostic::error(codes::BITS, format!("`{shown}` is no bit-vector"), span, why);
                self.log.push(diagnostic.with_help(FORMS));
                ExprKind::Error
            }
        };
        Expr { kind, span }
    }
}

fn read(written: &str) -> Result<Bits, String> {
    let (width, digits) = written.split_once('\'').unwrap_or((written, ""));
    let width = width.parse().ok().filter(|width| (1..=MAX_WIDTH).contains(width));
    let width: u32 = width.ok_or_else(|| format!("widths go from 1 to {MAX_WIDTH}"))?;
    let mut letters = digits.chars();
    let base = match letters.next() {
        Some('b') => 2,
        Some('d') => 10,
        Some('x') => 16,
        _ => return Err("behind the width comes `b`, `d` or `x`".to_owned()),
    };
    let (is_negative, digits) = match letters.as_str().strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, letters.as_str()),
    };
    if is_negative && base != 10 {
        return Err("only numbers to the base of ten have a sign".to_owned());
    }
    let magnitude = magnitude(digits, base, width)?;
    if base == 2 && digits.len() != width as usize {
        return Err(format!("{} bits are written, and the width is {width}", digits.len()));
    }
    if !is_negative {
        return Ok(Bits { width, words: magnitude });
    }
    let half = power(width, width - 1);
    if magnitude.iter().rev().gt(half.iter().rev()) {
        return Err(format!("the least value of width {width} is -2^{}", width - 1));
    }
    Ok(Bits { width, words: negated(&magnitude, width) })
}

/// A number in words of 64 bits, if it fits the width.
fn magnitude(digits: &str, base: u32, width: u32) -> Result<Vec<u64>, String> {
    if digits.is_empty() {
        return Err("there are no digits".to_owned());
    }
    let too_large = || format!("it does not fit {width} bits");
    let mut words = vec![0u64; width.div_ceil(64) as usize];
    for letter in digits.trim_start_matches('0').chars() {
        let digit = letter.to_digit(base).ok_or_else(|| format!("`{letter}` is no digit to the base of {base}"))?;
        let mut carry = u128::from(digit);
        for word in &mut words {
            let product = u128::from(*word) * u128::from(base) + carry;
            *word = product as u64;
            carry = product >> 64;
        }
        if carry != 0 || words.last().is_some_and(|&last| last & !top_mask(width) != 0) {
            return Err(too_large());
        }
    }
    Ok(words)
}

/// The bits of the last word that belong to a vector.
fn top_mask(width: u32) -> u64 {
    match width % 64 {
        0 => u64::MAX,
        rest => (1 << rest) - 1,
    }
}

/// One bit of a vector.
fn power(width: u32, bit: u32) -> Vec<u64> {
    let mut words = vec![0; width.div_ceil(64) as usize];
    words[(bit / 64) as usize] = 1 << (bit % 64);
    words
}

/// The two's complement.
fn negated(words: &[u64], width: u32) -> Vec<u64> {
    let mut carry = true;
    let mut negated: Vec<u64> = Vec::with_capacity(words.len());
    for word in words {
        let (sum, overflows) = (!word).overflowing_add(u64::from(carry));
        carry = overflows;
        negated.push(sum);
    }
    if let Some(last) = negated.last_mut() {
        *last &= top_mask(width);
    }
    negated
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_base_gives_the_bits_that_are_meant() {
        let rows = [
            ("4'b0101", vec![5]),
            ("4'd5", vec![5]),
            ("4'd-3", vec![13]),
            ("4'd-8", vec![8]),
            ("8'xff", vec![255]),
            ("8'xFf", vec![255]),
            ("1'd-1", vec![1]),
            ("4'd-0", vec![0]),
            ("64'd18446744073709551615", vec![u64::MAX]),
            ("64'd-1", vec![u64::MAX]),
            ("65'd-1", vec![u64::MAX, 1]),
            ("65'd36893488147419103231", vec![u64::MAX, 1]),
            ("128'x00010000000000000002", vec![2, 1]),
        ];
        for (written, words) in rows {
            assert_eq!(read(written).map(|bits| bits.words), Ok(words), "{written}");
        }
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        for written in
            ["4'd16", "4'd-9", "4'b01", "4'b01012", "4'xg", "4'x1f", "4'", "4'q1", "0'd0", "99999'd0", "4'd", "4'b-101"]
        {
            assert!(read(written).is_err(), "{written}");
        }
    }
}
