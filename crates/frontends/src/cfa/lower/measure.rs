//! How large expressions are when they are written out, and how deep: engines walk down them.

use lapidary_base::Id;
use lapidary_ir::{Expr, Exprs};
use lapidary_text::{Diagnostic, Span};

use super::super::codes;
use super::super::limits::{MAX_LOWERED_DEPTH, MAX_SIZE};
use super::super::parse::too_deep;

#[derive(Clone, Copy)]
struct Measure {
    size: u64,
    depth: u32,
}

/// By expression; parts are made before the whole.
#[derive(Default)]
pub struct Measures(Vec<Measure>);

impl Measures {
    /// Looks at the expressions that are new, and refuses one that is too large or too deep.
    pub fn look(&mut self, exprs: &Exprs, expr: Expr, span: Span) -> Result<(), Diagnostic> {
        for index in self.0.len()..exprs.len() {
            let mut measure = Measure { size: 1, depth: 1 };
            exprs.for_each_part(Expr::new(index), |part| {
                let Measure { size, depth } = self.0[part.index()];
                measure.size = measure.size.saturating_add(size);
                measure.depth = measure.depth.max(depth.saturating_add(1));
            });
            self.0.push(measure);
        }
        let Measure { size, depth } = self.0[expr.index()];
        if depth > MAX_LOWERED_DEPTH {
            return Err(too_deep(span));
        }
        if size > MAX_SIZE {
            let message = format!("more than {MAX_SIZE} operations once all is written out");
            let diagnostic = Diagnostic::error(codes::TOO_LARGE, message, span, "this is too large");
            return Err(diagnostic.with_help("assign an inner part to a variable of its own first"));
        }
        Ok(())
    }
}
