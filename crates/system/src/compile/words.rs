//! Functions on bit-vectors: one instruction each.

use lapidary_ir::passes::Width;
use lapidary_ir::{Domain, Expr, Function, VarId};

use super::Compiler;
use crate::bytecode::{Op, Register};
use crate::word::Word;

impl Compiler<'_> {
    /// A function on bit-vectors that fit words; others are refused beforehand.
    pub(super) fn word(&mut self, function: Function, parts: &[Expr]) -> Register {
        let word =
            Word::of(function, self.width(parts[0])).expect("arrays and wide bit-vectors are refused beforehand");
        let a = self.part(parts[0]);
        let b = parts.get(1).map_or(a, |&b| self.part(b));
        let to = self.temporary();
        self.emit(Op::Word { to, a, b, word });
        to
    }

    fn width(&mut self, expr: Expr) -> u32 {
        let model = self.model;
        let var = |var: VarId| match model.vars[var].domain {
            Domain::Bits(width) => Width::Bits(width),
            Domain::Bool | Domain::Int | Domain::Range { .. } | Domain::Enum(_) | Domain::Array(_) => {
                unreachable!("functions take bit-vectors, and arrays are refused beforehand")
            }
        };
        self.pool.widths.of(&model.exprs, expr, var, |family| model.families[family].first)
    }
}
