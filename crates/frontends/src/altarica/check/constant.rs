//! Constants: expressions that fold to one value, and whether that value is in a domain.

use lapidary_base::hash::Set;
use lapidary_ir::{Expr, Node};
use lapidary_text::Span;

use super::super::ast;
use super::super::codes;
use super::super::scope::Shape;
use super::super::value::{Constant, Symbolic, Value};
use super::Elaborator;

/// Why an expression does not fold.
enum Obstacle {
    Var(String),
    Parameter(String),
    Zero,
    Overflow,
}

impl Elaborator<'_> {
    /// The value of a constant expression; `purpose` says what needs it: `the size of an array`.
    pub fn constant(&mut self, expr: &ast::Expr, purpose: &str) -> Option<Constant> {
        let value = self.value(expr);
        self.as_constant(&value, expr.span, purpose)
    }

    pub fn as_constant(&mut self, value: &Value, span: Span, purpose: &str) -> Option<Constant> {
        let (constant, obstacle) = match value {
            Value::Bool(expr) => (self.exprs.as_bool(*expr).map(Constant::Bool), Some(*expr)),
            Value::Int(expr, _) => (self.exprs.as_int(*expr).map(Constant::Int), Some(*expr)),
            Value::Symbol(Symbolic::Constant(symbol)) => (Some(Constant::Symbol(symbol.clone())), None),
            Value::Symbol(Symbolic::Of(_, expr) | Symbolic::Choice { condition: expr, .. }) => (None, Some(*expr)),
            Value::Aggregate(_) => {
                self.mismatch(span, "a single value", value);
                return None;
            }
            Value::Error => return None,
        };
        if constant.is_none() {
            let obstacle = self.obstacle(obstacle?);
            self.not_constant(&obstacle, span, purpose);
        }
        constant
    }

    pub fn integer(&mut self, expr: &ast::Expr, purpose: &str) -> Option<i64> {
        match self.constant(expr, purpose)? {
            Constant::Int(value) => Some(value),
            other @ (Constant::Bool(_) | Constant::Symbol(_)) => {
                let message = format!("{purpose} is an integer, not `{}`", other.show());
                self.error(codes::TYPE_MISMATCH, message, (expr.span, "not an integer"), "write a number here");
                None
            }
        }
    }

    fn obstacle(&self, root: Expr) -> Obstacle {
        let mut todo = vec![root];
        let mut seen: Set<Expr> = Set::default();
        let mut found = Obstacle::Overflow;
        while let Some(expr) = todo.pop() {
            if !seen.insert(expr) {
                continue;
            }
            match *self.exprs.node(expr) {
                Node::Var(var) => {
                    let name = self.layout.vars[var].name.clone();
                    return match self.layout.parameters.binary_search(&var).is_ok() {
                        true => Obstacle::Parameter(name),
                        false => Obstacle::Var(name),
                    };
                }
                Node::Div(_, by) | Node::Mod(_, by) if self.exprs.as_int(by) == Some(0) => found = Obstacle::Zero,
                _ => self.exprs.for_each_part(expr, |part| todo.push(part)),
            }
        }
        found
    }

    fn not_constant(&mut self, obstacle: &Obstacle, span: Span, purpose: &str) {
        match obstacle {
            Obstacle::Var(name) => {
                let message = format!("{purpose} is a constant, but `{name}` is a variable");
                self.error(
                    codes::NOT_CONSTANT,
                    message,
                    (span, "depends on a variable"),
                    "use constants and numbers only",
                );
            }
            Obstacle::Parameter(name) => self.unset(name, span, purpose),
            Obstacle::Zero => {
                let message = format!("`{}` divides by zero", self.quote(span));
                let help = "use another divisor: this one is zero";
                self.error(codes::ZERO_DIVISION, message, (span, "has no value"), help);
            }
            Obstacle::Overflow => {
                let message = format!("the constant `{}` does not fit 64 bits", self.quote(span));
                let help = format!("constants go from {} to {}", i64::MIN, i64::MAX);
                self.error(codes::OVERFLOW, message, (span, "too large or too small"), help);
            }
        }
    }

    pub(super) fn unset(&mut self, name: &str, span: Span, purpose: &str) {
        let message = format!("{purpose} is a constant, but the parameter `{name}` has no value");
        let help = "give it one: `param p : D = value;` or, in a node above, `param_set sub.p := value;`";
        self.error(codes::PARAMETER_UNSET, message, (span, "needs the parameter's value"), help);
    }

    /// A constant that has to be in a scalar domain; what is wrong otherwise goes under `code`.
    pub fn fits(&mut self, constant: &Constant, shape: &Shape, span: Span, code: &'static str) -> Option<()> {
        let fits = match (constant, shape) {
            (_, Shape::Error) => return None,
            (Constant::Bool(_), Shape::Bool) | (Constant::Int(_), Shape::Integer) => true,
            (Constant::Int(value), Shape::Range { lo, hi }) => lo <= value && value <= hi,
            (Constant::Symbol(symbol), Shape::Enum(symbols)) => symbols.contains(symbol),
            (Constant::Bool(_) | Constant::Int(_) | Constant::Symbol(_), _) => {
                let message = format!("`{}` is not of the domain {}", constant.show(), shape.show());
                self.error(codes::TYPE_MISMATCH, message, (span, "of another type"), "write a value of the domain");
                return None;
            }
        };
        if !fits {
            let message = format!("{} is not in the domain {}", constant.show(), shape.show());
            self.error(code, message, (span, "outside the domain"), "choose a value of the domain, or a larger domain");
        }
        fits.then_some(())
    }
}
