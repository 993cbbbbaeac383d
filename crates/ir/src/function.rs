//! Functions on bit-vectors and arrays: how each is called, how many parts it takes, of which sorts, and what it gives.
//!
//! They mean what they mean in SMT-LIB and have a value everywhere: a quotient by zero is all ones, a remainder by zero the
//! dividend, a shift by the width or more leaves nothing but zeros or signs. Like [`crate::operator`] this table never says so.

use crate::types::{ArrayId, ArrayType, Sort};

/// The widest bit-vectors.
pub const MAX_WIDTH: u32 = 1 << 16;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Function {
    BitNot,
    BitNeg,
    BitAnd,
    BitOr,
    BitXor,
    BitAdd,
    BitMul,
    BitUdiv,
    BitUrem,
    BitShl,
    BitLshr,
    BitAshr,
    Ult,
    Ule,
    Slt,
    Sle,
    /// The first part is the upper one. The width is that of the whole.
    Concat(u32),
    /// The bits from `low` to `high`, both included; the lowest one of a bit-vector is bit 0.
    Extract {
        high: u32,
        low: u32,
    },
    /// To so many bits.
    ZeroExtend(u32),
    SignExtend(u32),
    /// The element of an array at an index.
    Select(ArrayId),
    /// An array with another element at an index.
    Store(ArrayId),
    /// The array with this element everywhere.
    Fill(ArrayId),
}

impl Function {
    /// Those that are told apart by their names alone.
    pub const PLAIN: [Self; 16] = [
        Self::BitNot,
        Self::BitNeg,
        Self::BitAnd,
        Self::BitOr,
        Self::BitXor,
        Self::BitAdd,
        Self::BitMul,
        Self::BitUdiv,
        Self::BitUrem,
        Self::BitShl,
        Self::BitLshr,
        Self::BitAshr,
        Self::Ult,
        Self::Ule,
        Self::Slt,
        Self::Sle,
    ];

    /// In the textual form and, but for parameters, in SMT-LIB.
    pub const fn word(self) -> &'static str {
        match self {
            Self::BitNot => "bvnot",
            Self::BitNeg => "bvneg",
            Self::BitAnd => "bvand",
            Self::BitOr => "bvor",
            Self::BitXor => "bvxor",
            Self::BitAdd => "bvadd",
            Self::BitMul => "bvmul",
            Self::BitUdiv => "bvudiv",
            Self::BitUrem => "bvurem",
            Self::BitShl => "bvshl",
            Self::BitLshr => "bvlshr",
            Self::BitAshr => "bvashr",
            Self::Ult => "bvult",
            Self::Ule => "bvule",
            Self::Slt => "bvslt",
            Self::Sle => "bvsle",
            Self::Concat(_) => "concat",
            Self::Extract { .. } => "extract",
            Self::ZeroExtend(_) => "zero_extend",
            Self::SignExtend(_) => "sign_extend",
            Self::Select(_) => "select",
            Self::Store(_) => "store",
            Self::Fill(_) => "fill",
        }
    }

    pub const fn n_parts(self) -> usize {
        match self {
            Self::BitNot | Self::BitNeg | Self::Extract { .. } | Self::ZeroExtend(_) | Self::SignExtend(_) => 1,
            Self::Fill(_) => 1,
            Self::BitAnd | Self::BitOr | Self::BitXor | Self::BitAdd | Self::BitMul => 2,
            Self::BitUdiv | Self::BitUrem | Self::BitShl | Self::BitLshr | Self::BitAshr => 2,
            Self::Ult | Self::Ule | Self::Slt | Self::Sle | Self::Concat(_) | Self::Select(_) => 2,
            Self::Store(_) => 3,
        }
    }

    /// The sort of the whole, or none if it is that of the first part.
    pub fn gives(self, array: impl Fn(ArrayId) -> ArrayType) -> Option<Sort> {
        match self {
            Self::BitNot | Self::BitNeg | Self::BitAnd | Self::BitOr | Self::BitXor | Self::BitAdd | Self::BitMul => {
                None
            }
            Self::BitUdiv | Self::BitUrem | Self::BitShl | Self::BitLshr | Self::BitAshr => None,
            Self::Ult | Self::Ule | Self::Slt | Self::Sle => Some(Sort::Bool),
            Self::Concat(width) | Self::ZeroExtend(width) | Self::SignExtend(width) => Some(Sort::Bits(width)),
            Self::Extract { high, low } => Some(Sort::Bits(high.saturating_sub(low).saturating_add(1))),
            Self::Select(id) => Some(array(id).element),
            Self::Store(id) | Self::Fill(id) => Some(Sort::Array(id)),
        }
    }

    /// Whether it takes parts of these sorts; `array` knows those that there are.
    pub fn takes(self, parts: &[Sort], array: impl Fn(ArrayId) -> Option<ArrayType>) -> bool {
        match (self, parts) {
            (Self::Concat(width), &[Sort::Bits(a), Sort::Bits(b)]) => a.checked_add(b) == Some(width),
            (Self::Extract { high, low }, &[Sort::Bits(width)]) => low <= high && high < width,
            (Self::ZeroExtend(to) | Self::SignExtend(to), &[Sort::Bits(width)]) => width <= to,
            (Self::Select(id), &[of, index]) => {
                of == Sort::Array(id) && array(id).is_some_and(|array| array.index == index)
            }
            (Self::Store(id), &[of, index, element]) => {
                of == Sort::Array(id) && array(id) == Some(ArrayType { index, element })
            }
            (Self::Fill(id), &[element]) => array(id).is_some_and(|array| array.element == element),
            (plain, &[Sort::Bits(_)]) => plain.is_plain() && plain.n_parts() == 1,
            (plain, &[Sort::Bits(a), Sort::Bits(b)]) => plain.is_plain() && plain.n_parts() == 2 && a == b,
            _ => false,
        }
    }

    /// Is it one of bit-vectors that all have the same width?
    pub fn is_plain(self) -> bool {
        Self::PLAIN.contains(&self)
    }
}
