//! Operators: arithmetic, comparisons and connectives.

use lapidary_ir::Expr;
use lapidary_text::Span;

use super::super::ast::{self, Binary, Extremum, Unary};
use super::super::codes;
use super::super::value::{Bounds, Value};
use super::{Elaborator, same_keys};

impl Elaborator<'_> {
    pub(super) fn unary(&mut self, operator: Unary, operand: &ast::Expr) -> Value {
        match operator {
            Unary::Not => self.truth(operand).map_or(Value::Error, |value| Value::Bool(self.exprs.not(value))),
            Unary::Minus => match self.number(operand) {
                Some((value, bounds)) => Value::Int(self.exprs.neg(value), bounds.negated()),
                None => Value::Error,
            },
        }
    }

    pub(super) fn binary(&mut self, operator: Binary, a: &ast::Expr, b: &ast::Expr) -> Value {
        match operator {
            Binary::Imply | Binary::Or | Binary::And => self.connective(operator, a, b),
            Binary::Eq | Binary::Ne => {
                let (left, right) = (self.value(a), self.value(b));
                match self.equal(left, right, a.span.to(b.span)) {
                    Some(equal) if operator == Binary::Eq => Value::Bool(equal),
                    Some(equal) => Value::Bool(self.exprs.not(equal)),
                    None => Value::Error,
                }
            }
            Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge => self.comparison(operator, a, b),
            Binary::Add | Binary::Sub | Binary::Mul | Binary::Div | Binary::Mod => self.arithmetic(operator, a, b),
        }
    }

    fn connective(&mut self, operator: Binary, a: &ast::Expr, b: &ast::Expr) -> Value {
        let (left, right) = (self.truth(a), self.truth(b));
        let (Some(left), Some(right)) = (left, right) else { return Value::Error };
        Value::Bool(match operator {
            Binary::Imply => self.exprs.implies(left, right),
            Binary::Or => self.exprs.or([left, right]),
            _ => self.exprs.and([left, right]),
        })
    }

    fn comparison(&mut self, operator: Binary, a: &ast::Expr, b: &ast::Expr) -> Value {
        let (left, right) = (self.number(a), self.number(b));
        let (Some((left, _)), Some((right, _))) = (left, right) else { return Value::Error };
        Value::Bool(match operator {
            Binary::Lt => self.exprs.lt(left, right),
            Binary::Le => self.exprs.le(left, right),
            Binary::Gt => self.exprs.lt(right, left),
            _ => self.exprs.le(right, left),
        })
    }

    fn arithmetic(&mut self, operator: Binary, a: &ast::Expr, b: &ast::Expr) -> Value {
        let (left, right) = (self.number(a), self.number(b));
        let (Some((x, within)), Some((y, by))) = (left, right) else { return Value::Error };
        match operator {
            Binary::Add => Value::Int(self.exprs.add([x, y]), within.plus(by)),
            Binary::Sub => Value::Int(self.exprs.sub(x, y), within.plus(by.negated())),
            Binary::Mul => Value::Int(self.exprs.mul(x, y), within.times(by)),
            Binary::Div => Value::Int(self.towards_zero(x, within, |x| self.exprs.div(x, y)), within.divided(by)),
            _ => Value::Int(self.towards_zero(x, within, |x| self.exprs.modulo(x, y)), within.remainder(by)),
        }
    }

    /// Quotients truncate and remainders have the sign of the dividend: what the expressions of a tree do for dividends
    /// that are not negative. For the others both are turned around.
    fn towards_zero(&self, x: Expr, within: Bounds, divide: impl Fn(Expr) -> Expr) -> Expr {
        if within.is_natural() {
            return divide(x);
        }
        let negative = self.exprs.neg(divide(self.exprs.neg(x)));
        self.exprs.ite(self.exprs.le(self.exprs.int(0), x), divide(x), negative)
    }

    pub(super) fn extremum(&mut self, which: Extremum, operands: &[ast::Expr]) -> Value {
        let numbers: Vec<Option<(Expr, Bounds)>> = operands.iter().map(|operand| self.number(operand)).collect();
        let Some(numbers) = numbers.into_iter().collect::<Option<Vec<_>>>() else { return Value::Error };
        let best = numbers.into_iter().reduce(|(a, within), (b, or)| match which {
            Extremum::Min => (self.exprs.min(a, b), within.least(or)),
            Extremum::Max => (self.exprs.max(a, b), within.greatest(or)),
        });
        best.map_or(Value::Error, |(value, bounds)| Value::Int(value, bounds))
    }

    /// Equality of any two values of one type; of arrays and structs element by element.
    pub fn equal(&mut self, a: Value, b: Value, span: Span) -> Option<Expr> {
        match (a, b) {
            (Value::Error, _) | (_, Value::Error) => None,
            (Value::Bool(a), Value::Bool(b)) | (Value::Int(a, _), Value::Int(b, _)) => Some(self.exprs.eq(a, b)),
            (Value::Symbol(a), Value::Symbol(b)) => self.equal_symbols(&a, &b, span),
            (Value::Aggregate(a), Value::Aggregate(b)) if same_keys(&a, &b) => {
                self.spend(a.len(), span)?;
                let pairs = a.into_iter().zip(b);
                let parts: Vec<Option<Expr>> = pairs.map(|((_, a), (_, b))| self.equal(a, b, span)).collect();
                Some(self.exprs.and(parts.into_iter().collect::<Option<Vec<_>>>()?))
            }
            (Value::Aggregate(_), Value::Aggregate(_)) => {
                self.different_shapes(span);
                None
            }
            (a, b) => {
                let message = format!("{} is compared with {}", a.describe(), b.describe());
                let help = "only values of one type can be equal";
                self.error(codes::TYPE_MISMATCH, message, (span, "different types"), help);
                None
            }
        }
    }
}
