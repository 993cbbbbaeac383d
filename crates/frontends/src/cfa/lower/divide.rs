//! Division of integers, which has a value everywhere.
//!
//! By zero it gives what some function of the dividend gives, one for each operator, the same all along a run: `x / 0 = x / 0` is
//! true, and nothing else is known. Such a function is a variable that starts with any value and is never written.

use lapidary_ir::{Expr, Sort, VarId};
use lapidary_text::Span;

use super::super::ast::Binary;
use super::Lowering;

/// The functions that were needed so far.
#[derive(Default)]
pub struct ByZero {
    quotient: Option<VarId>,
    modulus: Option<VarId>,
    remainder: Option<VarId>,
}

/// The three ways to divide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Division {
    Quotient,
    Modulus,
    Remainder,
}

impl Division {
    pub fn of(binary: Binary) -> Option<Self> {
        match binary {
            Binary::Div => Some(Self::Quotient),
            Binary::Mod => Some(Self::Modulus),
            Binary::Rem => Some(Self::Remainder),
            Binary::Add | Binary::Sub | Binary::Mul | Binary::Concat | Binary::BitAdd | Binary::BitSub => None,
            Binary::BitMul | Binary::BitUdiv | Binary::BitSdiv | Binary::BitUrem | Binary::BitSrem => None,
            Binary::BitSmod | Binary::BitOr | Binary::BitXor | Binary::BitAnd | Binary::BitShl => None,
            Binary::BitAshr | Binary::BitLshr | Binary::BitRol | Binary::BitRor => None,
        }
    }
}

impl Lowering<'_, '_> {
    pub(super) fn divided(&mut self, division: Division, a: Expr, b: Expr, span: Span) -> Expr {
        match self.exprs.as_int(b) {
            Some(0) => self.by_zero(division, a, span),
            Some(_) => self.by_other(division, a, b),
            None => {
                let (by_zero, by_other) = (self.by_zero(division, a, span), self.by_other(division, a, b));
                self.exprs.ite(self.exprs.eq(b, self.exprs.int(0)), by_zero, by_other)
            }
        }
    }

    /// Where the divisor is not zero.
    fn by_other(&self, division: Division, a: Expr, b: Expr) -> Expr {
        let exprs = &self.exprs;
        match division {
            Division::Quotient => exprs.div(a, b),
            Division::Modulus => exprs.modulo(a, b),
            Division::Remainder => {
                let modulus = exprs.modulo(a, b);
                exprs.ite(exprs.lt(b, exprs.int(0)), exprs.neg(modulus), modulus)
            }
        }
    }

    fn by_zero(&mut self, division: Division, a: Expr, span: Span) -> Expr {
        let array = self.exprs.array(Sort::Int, Sort::Int);
        let (name, known) = match division {
            Division::Quotient => ("a/0", self.by_zero.quotient),
            Division::Modulus => ("a mod 0", self.by_zero.modulus),
            Division::Remainder => ("a rem 0", self.by_zero.remainder),
        };
        let var = known.unwrap_or_else(|| self.variable(name.to_owned(), Sort::Array(array).domain(), span));
        *match division {
            Division::Quotient => &mut self.by_zero.quotient,
            Division::Modulus => &mut self.by_zero.modulus,
            Division::Remainder => &mut self.by_zero.remainder,
        } = Some(var);
        self.exprs.select_of(array, self.exprs.var(var), a)
    }
}
