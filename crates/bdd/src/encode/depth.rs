//! Deep nesting: translation is recursive, but not deeper than the stack allows.

use lapidary_base::Stop;
use lapidary_ir::expr::{Expr, Node};
use lapidary_ir::model::VarId;

use super::{Binding, Encoder};

/// Nesting up to which parts are translated when they are needed; below, innermost first, to spare the stack.
const MAX_DEPTH: usize = 150;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Visit {
    First,
    PartsDone,
}

impl Encoder<'_> {
    /// Runs a translation, one level deeper than the one that needs it.
    pub(super) fn deeper<T>(
        &mut self,
        expr: Expr,
        translate: impl FnOnce(&mut Self, Expr) -> Result<T, Stop>,
    ) -> Result<T, Stop> {
        let depth = self.depth;
        if depth == MAX_DEPTH {
            // Everything below is known after this, so no translation gets here again.
            self.depth += 1;
            let settled = self.settle_parts(expr);
            self.depth = depth;
            settled?;
        }
        self.depth += 1;
        let translated = translate(self, expr);
        self.depth = depth;
        translated
    }

    /// Translates all parts of an expression, also those that would never be evaluated.
    fn settle_parts(&mut self, expr: Expr) -> Result<(), Stop> {
        let mut open: Vec<(Expr, Visit)> = self.parts(expr).into_iter().map(|part| (part, Visit::First)).collect();
        while let Some((expr, visit)) = open.pop() {
            if self.truths.contains_key(&expr) || self.numbers.contains_key(&expr) {
                continue;
            }
            if visit == Visit::First {
                open.push((expr, Visit::PartsDone));
                open.extend(self.parts(expr).into_iter().map(|part| (part, Visit::First)));
            } else if self.is_boolean(expr) {
                self.truth(expr)?;
            } else {
                self.number(expr)?;
            }
        }
        Ok(())
    }

    /// The expressions on which the value of one depends directly.
    fn parts(&self, expr: Expr) -> Vec<Expr> {
        let mut parts = Vec::new();
        self.exprs.for_each_part(expr, |part| parts.push(part));
        let variables = if let Node::Var(var) = self.exprs.node(expr) {
            var.0..var.0 + 1
        } else if let Node::Cell(family, _) = self.exprs.node(expr) {
            let (first, len) = (self.families)(*family);
            first.0..first.0 + len
        } else {
            0..0
        };
        parts.extend(variables.filter_map(|var| match (self.bind)(VarId(var)) {
            Binding::Column { .. } => None,
            Binding::Defined(definition) => Some(definition),
        }));
        parts
    }
}
