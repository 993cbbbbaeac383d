//! The meaning of the operators on bit-vectors, as SMT-LIB fixes it, for widths up to 128.
//!
//! Signed division goes by the numbers without their signs, so that division by zero needs no case of its own.

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum BitOp {
    And,
    Or,
    Xor,
    Add,
    Sub,
    Mul,
    Udiv,
    Sdiv,
    Smod,
    Urem,
    Srem,
    Shl,
    Ashr,
    Lshr,
    Rol,
    Ror,
}

impl BitOp {
    pub const ALL: [BitOp; 16] = [
        BitOp::And,
        BitOp::Or,
        BitOp::Xor,
        BitOp::Add,
        BitOp::Sub,
        BitOp::Mul,
        BitOp::Udiv,
        BitOp::Sdiv,
        BitOp::Smod,
        BitOp::Urem,
        BitOp::Srem,
        BitOp::Shl,
        BitOp::Ashr,
        BitOp::Lshr,
        BitOp::Rol,
        BitOp::Ror,
    ];

    /// As `.cfa` writes it.
    pub fn word(self) -> &'static str {
        match self {
            BitOp::And => "bvand",
            BitOp::Or => "bvor",
            BitOp::Xor => "bvxor",
            BitOp::Add => "bvadd",
            BitOp::Sub => "bvsub",
            BitOp::Mul => "bvmul",
            BitOp::Udiv => "bvudiv",
            BitOp::Sdiv => "bvsdiv",
            BitOp::Smod => "bvsmod",
            BitOp::Urem => "bvurem",
            BitOp::Srem => "bvsrem",
            BitOp::Shl => "bvshl",
            BitOp::Ashr => "bvashr",
            BitOp::Lshr => "bvlshr",
            BitOp::Rol => "bvrol",
            BitOp::Ror => "bvror",
        }
    }

    pub fn apply(self, width: u32, left: u128, right: u128) -> u128 {
        let result = match self {
            BitOp::And => left & right,
            BitOp::Or => left | right,
            BitOp::Xor => left ^ right,
            BitOp::Add => left.wrapping_add(right),
            BitOp::Sub => left.wrapping_sub(right),
            BitOp::Mul => left.wrapping_mul(right),
            BitOp::Udiv => unsigned_quotient(left, right),
            BitOp::Sdiv => signed_quotient(width, left, right),
            BitOp::Smod => signed_modulus(width, left, right),
            BitOp::Urem => unsigned_rest(left, right),
            BitOp::Srem => signed_rest(width, left, right),
            BitOp::Shl => shifted_left(width, left, right),
            BitOp::Ashr => shifted_right(width, left, right, is_negative(width, left)),
            BitOp::Lshr => shifted_right(width, left, right, Sign::Positive),
            BitOp::Rol => rotated_left(width, left, right % u128::from(width)),
            BitOp::Ror => rotated_left(width, left, u128::from(width) - right % u128::from(width)),
        };
        result & ones(width)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum BitOrder {
    Ult,
    Ule,
    Ugt,
    Uge,
    Slt,
    Sle,
    Sgt,
    Sge,
}

impl BitOrder {
    pub const ALL: [BitOrder; 8] = [
        BitOrder::Ult,
        BitOrder::Ule,
        BitOrder::Ugt,
        BitOrder::Uge,
        BitOrder::Slt,
        BitOrder::Sle,
        BitOrder::Sgt,
        BitOrder::Sge,
    ];

    /// As `.cfa` writes it.
    pub fn word(self) -> &'static str {
        match self {
            BitOrder::Ult => "bvult",
            BitOrder::Ule => "bvule",
            BitOrder::Ugt => "bvugt",
            BitOrder::Uge => "bvuge",
            BitOrder::Slt => "bvslt",
            BitOrder::Sle => "bvsle",
            BitOrder::Sgt => "bvsgt",
            BitOrder::Sge => "bvsge",
        }
    }

    pub fn holds(self, width: u32, left: u128, right: u128) -> bool {
        let (first, second) = (signed(width, left), signed(width, right));
        match self {
            BitOrder::Ult => left < right,
            BitOrder::Ule => left <= right,
            BitOrder::Ugt => left > right,
            BitOrder::Uge => left >= right,
            BitOrder::Slt => first < second,
            BitOrder::Sle => first <= second,
            BitOrder::Sgt => first > second,
            BitOrder::Sge => first >= second,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sign {
    Positive,
    Negative,
}

/// The greatest number of this width.
pub fn ones(width: u32) -> u128 {
    assert!((1..=128).contains(&width), "bit-vectors have 1 to 128 bits here, not {width}");
    u128::MAX >> (128 - width)
}

/// The number that the bits are in two's complement.
pub fn signed(width: u32, bits: u128) -> i128 {
    match is_negative(width, bits) {
        Sign::Positive => bits as i128,
        Sign::Negative => (bits | !ones(width)) as i128,
    }
}

pub fn not(width: u32, bits: u128) -> u128 {
    bits ^ ones(width)
}

pub fn neg(width: u32, bits: u128) -> u128 {
    bits.wrapping_neg() & ones(width)
}

/// The bits from `from` to below `until`.
pub fn extract(bits: u128, until: u32, from: u32) -> u128 {
    (bits >> from) & ones(until - from)
}

pub fn concat(left: u128, right_width: u32, right: u128) -> u128 {
    left << right_width | right
}

/// With copies of the sign above.
pub fn sign_extended(width: u32, bits: u128, to: u32) -> u128 {
    signed(width, bits) as u128 & ones(to)
}

fn is_negative(width: u32, bits: u128) -> Sign {
    if bits >> (width - 1) & 1 == 1 { Sign::Negative } else { Sign::Positive }
}

/// The number without its sign.
fn magnitude(width: u32, bits: u128) -> u128 {
    match is_negative(width, bits) {
        Sign::Positive => bits,
        Sign::Negative => neg(width, bits),
    }
}

/// All ones where the divisor is zero; the caller cuts them to the width.
fn unsigned_quotient(left: u128, right: u128) -> u128 {
    left.checked_div(right).unwrap_or(u128::MAX)
}

/// All of the dividend where the divisor is zero.
fn unsigned_rest(left: u128, right: u128) -> u128 {
    left.checked_rem(right).unwrap_or(left)
}

fn signed_quotient(width: u32, left: u128, right: u128) -> u128 {
    let quotient = unsigned_quotient(magnitude(width, left), magnitude(width, right));
    if is_negative(width, left) == is_negative(width, right) { quotient } else { quotient.wrapping_neg() }
}

/// The sign is that of the dividend.
fn signed_rest(width: u32, left: u128, right: u128) -> u128 {
    let rest = unsigned_rest(magnitude(width, left), magnitude(width, right));
    match is_negative(width, left) {
        Sign::Positive => rest,
        Sign::Negative => rest.wrapping_neg(),
    }
}

/// The sign is that of the divisor.
fn signed_modulus(width: u32, left: u128, right: u128) -> u128 {
    let rest = unsigned_rest(magnitude(width, left), magnitude(width, right));
    if rest == 0 {
        return 0;
    }
    match (is_negative(width, left), is_negative(width, right)) {
        (Sign::Positive, Sign::Positive) => rest,
        (Sign::Negative, Sign::Positive) => right.wrapping_sub(rest),
        (Sign::Positive, Sign::Negative) => right.wrapping_add(rest),
        (Sign::Negative, Sign::Negative) => rest.wrapping_neg(),
    }
}

fn shifted_left(width: u32, bits: u128, by: u128) -> u128 {
    if by >= u128::from(width) { 0 } else { bits << by }
}

/// What comes in from above is the sign.
fn shifted_right(width: u32, bits: u128, by: u128, sign: Sign) -> u128 {
    let by = by.min(u128::from(width)) as u32;
    let shifted = bits.checked_shr(by).unwrap_or(0);
    match sign {
        Sign::Positive => shifted,
        Sign::Negative if by == 0 => shifted,
        Sign::Negative => shifted | (ones(by) << (width - by)),
    }
}

/// By at most the width.
fn rotated_left(width: u32, bits: u128, by: u128) -> u128 {
    let by = by as u32;
    let above = bits.checked_shl(by).unwrap_or(0);
    above | bits.checked_shr(width - by).unwrap_or(0)
}
