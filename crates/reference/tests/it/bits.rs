//! Operators on bit-vectors, against arithmetic on mathematical numbers.

use lapidary_reference::terms::bits::{self, BitOp, BitOrder, ones, signed};

/// All pairs of bit-vectors of small widths, with the numbers that they are with and without sign.
fn pairs() -> impl Iterator<Item = (u32, u128, u128)> {
    let pairs =
        |width: u32| (0..1 << width).flat_map(move |left| (0..1 << width).map(move |right| (width, left, right)));
    (1..=5).flat_map(pairs)
}

/// The bits of a number in two's complement.
fn of(width: u32, number: i128) -> u128 {
    number.rem_euclid(1 << width) as u128
}

#[test]
fn sums_and_products_wrap() {
    for (width, left, right) in pairs() {
        let (a, b) = (left as i128, right as i128);
        assert_eq!(BitOp::Add.apply(width, left, right), of(width, a + b));
        assert_eq!(BitOp::Sub.apply(width, left, right), of(width, a - b));
        assert_eq!(BitOp::Mul.apply(width, left, right), of(width, a * b));
        assert_eq!(bits::neg(width, left), of(width, -a));
        assert_eq!(bits::not(width, left), of(width, -a - 1));
    }
}

#[test]
fn divisions_are_those_of_smt_lib() {
    for (width, left, right) in pairs().filter(|(.., right)| *right != 0) {
        assert_eq!(BitOp::Udiv.apply(width, left, right), left / right);
        assert_eq!(BitOp::Urem.apply(width, left, right), left % right);
        let (a, b) = (signed(width, left), signed(width, right));
        // Rust rounds towards zero, as the signed ones do; the least number by -1 wraps.
        assert_eq!(BitOp::Sdiv.apply(width, left, right), of(width, a / b), "{a} / {b}");
        assert_eq!(BitOp::Srem.apply(width, left, right), of(width, a % b), "{a} srem {b}");
        assert_eq!(BitOp::Smod.apply(width, left, right), of(width, (a % b + b) % b), "{a} smod {b}");
    }
}

#[test]
fn by_zero_there_are_ones_or_the_dividend() {
    for (width, left, _) in pairs() {
        assert_eq!(BitOp::Udiv.apply(width, left, 0), ones(width));
        let quotient = if signed(width, left) < 0 { 1 } else { ones(width) };
        assert_eq!(BitOp::Sdiv.apply(width, left, 0), quotient, "{left} of {width} bits");
        for op in [BitOp::Urem, BitOp::Srem, BitOp::Smod] {
            assert_eq!(op.apply(width, left, 0), left);
        }
    }
}

#[test]
fn shifts_go_beyond_the_width_and_rotations_come_round() {
    for (width, left, right) in pairs() {
        let by = right as u32;
        assert_eq!(BitOp::Shl.apply(width, left, right), left << by & ones(width));
        assert_eq!(BitOp::Lshr.apply(width, left, right), left >> by);
        assert_eq!(BitOp::Ashr.apply(width, left, right), of(width, signed(width, left) >> by));
        let turned = (0..by).fold(left, |now, _| (now << 1 | now >> (width - 1)) & ones(width));
        assert_eq!(BitOp::Rol.apply(width, left, right), turned);
        assert_eq!(BitOp::Ror.apply(width, turned, right), left);
    }
}

#[test]
fn orders_are_with_and_without_sign() {
    for (width, left, right) in pairs() {
        let (a, b) = (signed(width, left), signed(width, right));
        let expected = [left < right, left <= right, left > right, left >= right, a < b, a <= b, a > b, a >= b];
        for (order, expected) in BitOrder::ALL.into_iter().zip(expected) {
            assert_eq!(order.holds(width, left, right), expected, "{left} {order:?} {right}");
        }
    }
}

#[test]
fn extraction_ends_before_its_first_number() {
    assert_eq!(bits::extract(0b1_0011, 5, 3), 0b10);
    assert_eq!(bits::extract(0b1_0011, 1, 0), 1);
    assert_eq!(bits::concat(0b10, 3, 0b011), 0b1_0011);
    assert_eq!(bits::sign_extended(2, 0b10, 4), 0b1110);
    assert_eq!(bits::sign_extended(2, 0b01, 4), 0b0001);
}

#[test]
fn the_widest_are_like_the_others() {
    let least = 1_u128 << 127;
    assert_eq!(BitOp::Sdiv.apply(128, least, u128::MAX), least);
    assert_eq!(BitOp::Udiv.apply(128, 5, 0), u128::MAX);
    assert_eq!(BitOp::Ashr.apply(128, least, 127), u128::MAX);
    assert_eq!(BitOp::Ashr.apply(128, least, 500), u128::MAX);
    assert_eq!(BitOp::Lshr.apply(128, least, 127), 1);
    assert_eq!(BitOp::Rol.apply(128, least, 1), 1);
    assert_eq!(BitOp::Ror.apply(65, 1, 1), 1 << 64);
    assert_eq!(BitOp::Mul.apply(128, u128::MAX, u128::MAX), 1);
    assert_eq!(signed(128, u128::MAX), -1);
    assert_eq!(signed(65, 1 << 64), -(1 << 64));
}
