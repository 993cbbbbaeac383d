//! Parts of variables: `s.Top.object`, `s.V[0].rate`.

use lapidary_text::{Diagnostic, Span};

use super::ast::{Expr, ExprKind};
use super::codes;
use super::formula::Variable;
use super::types::join;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub variable: Variable,
    /// The path of what is meant, empty for all of the variable.
    pub prefix: String,
    /// Where the last step is written.
    pub span: Span,
}

/// The place that an expression names; `None` if it does not begin with a variable.
pub fn place(expr: &Expr, lookup: &dyn Fn(&str) -> Option<Variable>) -> Result<Option<Place>, Box<Diagnostic>> {
    let (base, step, span) = match &expr.kind {
        ExprKind::Name(name) => {
            let whole = |variable| Place { variable, prefix: String::new(), span: expr.span };
            return Ok(lookup(name).map(whole));
        }
        ExprKind::Field(base, field) => (base, field.text.clone(), field.span),
        ExprKind::Index(base, index) => match index.kind {
            ExprKind::Int(number) => (base, format!("[{number}]"), index.span),
            ExprKind::Bool(_)
            | ExprKind::Name(_)
            | ExprKind::Field(..)
            | ExprKind::Index(..)
            | ExprKind::Apply(..)
            | ExprKind::Vector(_)
            | ExprKind::Not(_)
            | ExprKind::Negative(_)
            | ExprKind::And(_)
            | ExprKind::Or(_)
            | ExprKind::Binary(..)
            | ExprKind::If(..)
            | ExprKind::Quantified(..) => {
                let message = "an index has to be a number";
                let diagnostic = Diagnostic::error(codes::INDEX, message, index.span, "not a number");
                return Err(Box::new(diagnostic.with_help("use `case` to choose between the elements")));
            }
        },
        ExprKind::Bool(_)
        | ExprKind::Int(_)
        | ExprKind::Apply(..)
        | ExprKind::Vector(_)
        | ExprKind::Not(_)
        | ExprKind::Negative(_)
        | ExprKind::And(_)
        | ExprKind::Or(_)
        | ExprKind::Binary(..)
        | ExprKind::If(..)
        | ExprKind::Quantified(..) => return Ok(None),
    };
    let Some(base) = place(base, lookup)? else { return Ok(None) };
    Ok(Some(Place { variable: base.variable, prefix: join(&base.prefix, &step), span }))
}
