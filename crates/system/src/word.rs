//! Functions on bit-vectors of at most 64 bits, whose values are their bits.

use lapidary_ir::Function;
use lapidary_ir::value::WORD_BITS;

/// A function and the widths that its value depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word {
    kind: Kind,
    /// Of the first part.
    width: u8,
    /// How far the first part moves up, or down; for what extends, the width of the whole.
    other: u8,
}

/// What is to be done; parts have the same width where nothing else is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Not,
    Neg,
    And,
    Or,
    Xor,
    Add,
    Mul,
    Udiv,
    Urem,
    Shl,
    Lshr,
    Ashr,
    Ult,
    Ule,
    Slt,
    Sle,
    /// The second part has `other` bits.
    Concat,
    /// `width` bits from bit `other` on.
    Extract,
    ZeroExtend,
    SignExtend,
}

impl Word {
    /// A function whose first part has so many bits; none if it or its value is wider than a word, or an array.
    pub fn of(function: Function, width: u32) -> Option<Self> {
        let of = |kind: Kind, width: u32, other: u32| {
            let fits = |bits: u32| u8::try_from(bits).ok().filter(|_| bits <= WORD_BITS);
            Some(Self { kind, width: fits(width)?, other: fits(other)? })
        };
        let plain = |kind: Kind| of(kind, width, 0);
        if width > WORD_BITS {
            return None;
        }
        match function {
            Function::BitNot => plain(Kind::Not),
            Function::BitNeg => plain(Kind::Neg),
            Function::BitAnd => plain(Kind::And),
            Function::BitOr => plain(Kind::Or),
            Function::BitXor => plain(Kind::Xor),
            Function::BitAdd => plain(Kind::Add),
            Function::BitMul => plain(Kind::Mul),
            Function::BitUdiv => plain(Kind::Udiv),
            Function::BitUrem => plain(Kind::Urem),
            Function::BitShl => plain(Kind::Shl),
            Function::BitLshr => plain(Kind::Lshr),
            Function::BitAshr => plain(Kind::Ashr),
            Function::Ult => plain(Kind::Ult),
            Function::Ule => plain(Kind::Ule),
            Function::Slt => plain(Kind::Slt),
            Function::Sle => plain(Kind::Sle),
            Function::Concat(whole) if whole <= WORD_BITS => of(Kind::Concat, width, whole.checked_sub(width)?),
            Function::Concat(_) => None,
            Function::Extract { high, low } => of(Kind::Extract, high.checked_sub(low)? + 1, low),
            Function::ZeroExtend(to) => of(Kind::ZeroExtend, width, to),
            Function::SignExtend(to) => of(Kind::SignExtend, width, to),
            Function::Select(_) | Function::Store(_) | Function::Fill(_) => None,
        }
    }

    /// The value, given those of the parts; with one part the second one does not matter. Truths are one and zero.
    #[inline]
    pub fn value(self, a: i64, b: i64) -> i64 {
        let (x, y) = (a as u64, b as u64);
        let Self { kind, width, other } = self;
        let bits = match kind {
            Kind::Not => !x & mask(width),
            Kind::Neg => x.wrapping_neg() & mask(width),
            Kind::And => x & y,
            Kind::Or => x | y,
            Kind::Xor => x ^ y,
            Kind::Add => x.wrapping_add(y) & mask(width),
            Kind::Mul => x.wrapping_mul(y) & mask(width),
            Kind::Udiv => x.checked_div(y).unwrap_or(mask(width)),
            Kind::Urem => x.checked_rem(y).unwrap_or(x),
            Kind::Shl if y >= u64::from(width) => 0,
            Kind::Shl => (x << y) & mask(width),
            Kind::Lshr if y >= u64::from(width) => 0,
            Kind::Lshr => x >> y,
            // Beyond the width nothing but signs is left, as with one place less.
            Kind::Ashr => (signed(x, width) >> y.min(u64::from(width) - 1)) as u64 & mask(width),
            Kind::Ult => u64::from(x < y),
            Kind::Ule => u64::from(x <= y),
            Kind::Slt => u64::from(signed(x, width) < signed(y, width)),
            Kind::Sle => u64::from(signed(x, width) <= signed(y, width)),
            Kind::Concat => x << other | y,
            Kind::Extract => (x >> other) & mask(width),
            Kind::ZeroExtend => x,
            Kind::SignExtend => signed(x, width) as u64 & mask(other),
        };
        bits as i64
    }
}

fn mask(width: u8) -> u64 {
    lapidary_ir::value::mask(u32::from(width))
}

/// The number that a bit-vector stands for if its highest bit counts negatively.
fn signed(bits: u64, width: u8) -> i64 {
    let unused = 64 - u32::from(width);
    (bits << unused) as i64 >> unused
}
