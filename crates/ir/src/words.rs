//! Expressions about bit-vectors and arrays: constructors beside those of [`crate::expr`].
//!
//! Bit-vectors are not folded: what operators on them mean is said by evaluators. What other languages have beside the functions of
//! [`Function`] is made of those here.

use crate::expr::{Expr, Exprs, Node};
use crate::function::Function;
use crate::model::Raw;
use crate::types::{ArrayId, Sort};

impl Exprs {
    /// Bits beyond the width are dropped.
    pub fn bits(&self, width: u32, value: u64) -> Expr {
        self.wide_bits(width, &[value])
    }

    /// The same of several words, the lowest first.
    pub fn wide_bits(&self, width: u32, words: &[u64]) -> Expr {
        self.intern(Node::Bits(width, self.values().bits(width, words)))
    }

    /// A function; arrays of constants are constants.
    pub fn apply(&self, function: Function, parts: impl IntoIterator<Item = Expr>) -> Expr {
        let parts: Box<[Expr]> = parts.into_iter().collect();
        match (function, &parts[..]) {
            (Function::Fill(id), &[element]) => self.fill(id, element),
            (Function::Store(id), &[array, index, element]) => self.store_in(id, array, index, element),
            (Function::Select(id), &[array, index]) => self.select_of(id, array, index),
            _ => self.intern(Node::Apply(function, parts)),
        }
    }

    fn plain(&self, function: Function, parts: impl Into<Box<[Expr]>>) -> Expr {
        self.intern(Node::Apply(function, parts.into()))
    }

    pub fn bit_not(&self, a: Expr) -> Expr {
        self.plain(Function::BitNot, [a])
    }

    pub fn bit_neg(&self, a: Expr) -> Expr {
        self.plain(Function::BitNeg, [a])
    }

    pub fn bit_and(&self, a: Expr, b: Expr) -> Expr {
        self.plain(Function::BitAnd, [a, b])
    }

    pub fn bit_or(&self, a: Expr, b: Expr) -> Expr {
        self.plain(Function::BitOr, [a, b])
    }

    pub fn bit_xor(&self, a: Expr, b: Expr) -> Expr {
        self.plain(Function::BitXor, [a, b])
    }

    pub fn bit_add(&self, a: Expr, b: Expr) -> Expr {
        self.plain(Function::BitAdd, [a, b])
    }

    pub fn bit_sub(&self, a: Expr, b: Expr) -> Expr {
        self.bit_add(a, self.bit_neg(b))
    }

    pub fn bit_mul(&self, a: Expr, b: Expr) -> Expr {
        self.plain(Function::BitMul, [a, b])
    }

    pub fn bit_udiv(&self, a: Expr, b: Expr) -> Expr {
        self.plain(Function::BitUdiv, [a, b])
    }

    pub fn bit_urem(&self, a: Expr, b: Expr) -> Expr {
        self.plain(Function::BitUrem, [a, b])
    }

    /// Rounded towards zero.
    pub fn bit_sdiv(&self, a: Expr, b: Expr, width: u32) -> Expr {
        let quotient = self.bit_udiv(self.magnitude(a, width), self.magnitude(b, width));
        let differ = self.not(self.eq(self.is_negative(a, width), self.is_negative(b, width)));
        self.ite(differ, self.bit_neg(quotient), quotient)
    }

    /// With the sign of the dividend.
    pub fn bit_srem(&self, a: Expr, b: Expr, width: u32) -> Expr {
        let rest = self.bit_urem(self.magnitude(a, width), self.magnitude(b, width));
        self.ite(self.is_negative(a, width), self.bit_neg(rest), rest)
    }

    /// With the sign of the divisor.
    pub fn bit_smod(&self, a: Expr, b: Expr, width: u32) -> Expr {
        let rest = self.bit_srem(a, b, width);
        let is_zero = self.eq(rest, self.bits(width, 0));
        let differ = self.not(self.eq(self.is_negative(a, width), self.is_negative(b, width)));
        self.ite(self.and([differ, self.not(is_zero)]), self.bit_add(rest, b), rest)
    }

    fn is_negative(&self, a: Expr, width: u32) -> Expr {
        self.slt(a, self.bits(width, 0))
    }

    fn magnitude(&self, a: Expr, width: u32) -> Expr {
        self.ite(self.is_negative(a, width), self.bit_neg(a), a)
    }

    pub fn bit_shl(&self, a: Expr, by: Expr) -> Expr {
        self.plain(Function::BitShl, [a, by])
    }

    pub fn bit_lshr(&self, a: Expr, by: Expr) -> Expr {
        self.plain(Function::BitLshr, [a, by])
    }

    pub fn bit_ashr(&self, a: Expr, by: Expr) -> Expr {
        self.plain(Function::BitAshr, [a, by])
    }

    /// To the left, by the remainder modulo the width.
    pub fn bit_rol(&self, a: Expr, by: Expr, width: u32) -> Expr {
        let (by, rest) = self.rotation(by, width);
        self.bit_or(self.bit_shl(a, by), self.bit_lshr(a, rest))
    }

    pub fn bit_ror(&self, a: Expr, by: Expr, width: u32) -> Expr {
        let (by, rest) = self.rotation(by, width);
        self.bit_or(self.bit_lshr(a, by), self.bit_shl(a, rest))
    }

    /// How far, and how far it is to go on to where it began: a shift by the whole width leaves nothing.
    fn rotation(&self, by: Expr, width: u32) -> (Expr, Expr) {
        let whole = self.bits(width, u64::from(width));
        let by = self.bit_urem(by, whole);
        (by, self.bit_sub(whole, by))
    }

    pub fn ult(&self, a: Expr, b: Expr) -> Expr {
        self.plain(Function::Ult, [a, b])
    }

    pub fn ule(&self, a: Expr, b: Expr) -> Expr {
        self.plain(Function::Ule, [a, b])
    }

    pub fn slt(&self, a: Expr, b: Expr) -> Expr {
        self.plain(Function::Slt, [a, b])
    }

    pub fn sle(&self, a: Expr, b: Expr) -> Expr {
        self.plain(Function::Sle, [a, b])
    }

    /// `a` above `b`, which together have so many bits.
    pub fn concat(&self, a: Expr, b: Expr, width: u32) -> Expr {
        self.plain(Function::Concat(width), [a, b])
    }

    pub fn extract(&self, a: Expr, high: u32, low: u32) -> Expr {
        self.plain(Function::Extract { high, low }, [a])
    }

    pub fn zero_extend(&self, a: Expr, to: u32) -> Expr {
        self.plain(Function::ZeroExtend(to), [a])
    }

    pub fn sign_extend(&self, a: Expr, to: u32) -> Expr {
        self.plain(Function::SignExtend(to), [a])
    }

    /// The number of a constant, as variables of its sort have it.
    pub fn raw(&self, expr: Expr) -> Option<Raw> {
        match self.node(expr) {
            Node::Bool(value) => Some(Raw::from(*value)),
            Node::Int(value) | Node::Bits(_, value) | Node::Value(_, value) => Some(*value),
            Node::Literal(_, number) => Some(Raw::from(*number)),
            _ => None,
        }
    }

    pub fn fill(&self, id: ArrayId, element: Expr) -> Expr {
        match self.raw(element) {
            Some(element) => self.intern(Node::Value(id, self.values().fill(element))),
            None => self.plain(Function::Fill(id), [element]),
        }
    }

    /// The element of an array of this type.
    pub fn select_of(&self, id: ArrayId, array: Expr, index: Expr) -> Expr {
        let element = self.array_type(id).element.domain();
        match (self.node(array), self.raw(index)) {
            (Node::Value(_, array), Some(index)) => element.constant(self, self.values().array_value(*array).at(index)),
            (Node::Apply(Function::Fill(_), parts), Some(_)) => parts[0],
            _ => self.plain(Function::Select(id), [array, index]),
        }
    }

    /// An array of this type with another element. Constants stay constants where the indexes are surely infinitely many, or many:
    /// how many an enumeration has is not known here.
    pub fn store_in(&self, id: ArrayId, array: Expr, index: Expr, element: Expr) -> Expr {
        let n_indexes = match self.array_type(id).index {
            Sort::Int => Some(None),
            Sort::Bool => Some(Some(2)),
            Sort::Bits(width) => Some(1u64.checked_shl(width)),
            Sort::Enum(_) | Sort::Array(_) => None,
        };
        match (self.node(array), self.raw(index), self.raw(element), n_indexes) {
            (Node::Value(_, array), Some(index), Some(element), Some(n_indexes)) => {
                self.intern(Node::Value(id, self.values().store(n_indexes, *array, index, element)))
            }
            _ => self.plain(Function::Store(id), [array, index, element]),
        }
    }
}
