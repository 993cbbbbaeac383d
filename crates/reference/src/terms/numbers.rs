//! Division of mathematical numbers, as both languages have it.

/// The quotient and the rest, which is not negative; none for the divisor zero.
pub fn division(left: i128, right: i128) -> Option<(i128, i128)> {
    if right == 0 {
        return None;
    }
    // Rust rounds towards zero: a negative rest wants one divisor more, whatever the divisor's sign.
    let (quotient, rest) = (left / right, left % right);
    Some(match (rest < 0, right < 0) {
        (false, _) => (quotient, rest),
        (true, false) => (quotient - 1, rest + right),
        (true, true) => (quotient + 1, rest - right),
    })
}

/// The rest of [`division`], with the sign of the divisor.
pub fn remainder(left: i128, right: i128) -> Option<i128> {
    division(left, right).map(|(_, rest)| if right < 0 { -rest } else { rest })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn division_is_the_published_table() {
        let rows = [(5, 3, 1, 2, 2), (5, -3, -1, 2, -2), (-5, 3, -2, 1, 1), (-5, -3, 2, 1, -1), (-6, 3, -2, 0, 0)];
        for (left, right, quotient, modulus, rest) in rows {
            assert_eq!(division(left, right), Some((quotient, modulus)), "{left} {right}");
            assert_eq!(remainder(left, right), Some(rest), "{left} {right}");
        }
        assert_eq!((division(5, 0), remainder(5, 0)), (None, None));
    }

    #[test]
    fn quotient_and_rest_make_up_the_dividend() {
        for left in -20..=20 {
            for right in (-7..=7).filter(|right| *right != 0) {
                let (quotient, rest) = division(left, right).expect("not zero");
                assert_eq!(quotient * right + rest, left);
                assert!(0 <= rest && rest < i128::abs(right));
            }
        }
    }
}
