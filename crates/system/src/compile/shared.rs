//! Values that a program computes at most once, and only where a tree would be evaluated.
//!
//! An expression that is too large as a tree is cut into pieces. The code of the pieces stands before the code that needs
//! them and is jumped over; whoever needs a piece calls it. The first call computes it, the others find it done. A
//! piece without a value rejects like any other part, because it is called only where it is needed.

use lapidary_ir::Expr;

use super::Compiler;
use crate::bytecode::{Label, Op, Register};

/// Where a shared value is computed, where it is then, and which register tells whether it is.
#[derive(Clone, Copy)]
pub struct Shared {
    done: Register,
    body: Label,
    value: Register,
}

impl Compiler<'_> {
    /// Writes the code of what is shared in a large expression. To be called where all later code passes by.
    pub(super) fn share(&mut self, root: Expr) {
        let exprs = &self.model.exprs;
        if !self.pool.shapes.is_heavy(exprs, root) {
            return;
        }
        let mut pieces = self.pool.shapes.cuts(exprs, root);
        pieces.retain(|piece| !self.shared.contains_key(piece));
        let n = u32::try_from(pieces.len()).expect("ids fit in 32 bits");
        let first = self.temporaries(n);
        let over = self.label();
        self.emit(Op::Forget { first, n });
        self.emit(Op::Jump(over));
        for (i, piece) in (0..n).zip(pieces) {
            let (done, body) = (Register(first.0 + i), self.label());
            self.bind(body);
            let value = self.plainly(piece);
            self.emit(Op::Return(done));
            self.shared.insert(piece, Shared { done, body, value });
        }
        self.bind(over);
    }

    /// The register of a shared value, after the code that makes sure that it is there; none for what is not shared.
    pub(super) fn call(&mut self, expr: Expr) -> Option<Register> {
        let Shared { done, body, value } = *self.shared.get(&expr)?;
        self.emit(Op::Call { done, body });
        Some(value)
    }
}
