//! Conditions on one marking, taken out of the expressions of a model so that each writer only has to spell them.

use lapidary_base::Id;
use lapidary_ir::{Expr, Exprs, Node, PlaceId};

use super::super::formula::linear::Linear;
use super::super::limits::MAX_NESTING;

/// What is shared among expressions is written out each time; so many parts are enough.
const MAX_PARTS: usize = 1_000_000;

#[derive(Clone, Debug)]
pub enum Condition {
    Constant(Truth),
    Deadlock,
    Not(Box<Condition>),
    All(Vec<Condition>),
    Any(Vec<Condition>),
    AtMost(Linear, Linear),
    Less(Linear, Linear),
    Equal(Linear, Linear),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Truth {
    Yes,
    No,
}

/// The condition that an expression states of the first `n_places` variables; the reason if it is none.
pub fn condition(exprs: &Exprs, expr: Expr, n_places: usize) -> Result<Condition, String> {
    Walk { exprs, n_places, n_parts: 0 }.truth(expr, 0)
}

struct Walk<'a> {
    exprs: &'a Exprs,
    n_places: usize,
    n_parts: usize,
}

impl Walk<'_> {
    fn step(&mut self, depth: usize) -> Result<(), String> {
        self.n_parts += 1;
        // Formulas that are read nest no deeper; models of other origin may.
        if self.n_parts > MAX_PARTS || depth > 4 * MAX_NESTING {
            return Err("it is too large when written out".to_owned());
        }
        Ok(())
    }

    fn truth(&mut self, expr: Expr, depth: usize) -> Result<Condition, String> {
        self.step(depth)?;
        let next = depth + 1;
        Ok(match self.exprs.node(expr) {
            Node::Bool(true) => Condition::Constant(Truth::Yes),
            Node::Bool(false) => Condition::Constant(Truth::No),
            Node::Not(inner) => Condition::Not(Box::new(self.truth(*inner, next)?)),
            Node::And(parts) => Condition::All(self.each(parts, next)?),
            Node::Or(parts) => Condition::Any(self.each(parts, next)?),
            Node::Ite(condition, then, otherwise) => {
                let condition = self.truth(*condition, next)?;
                let negated = Condition::Not(Box::new(condition.clone()));
                let yes = Condition::All(vec![condition, self.truth(*then, next)?]);
                Condition::Any(vec![yes, Condition::All(vec![negated, self.truth(*otherwise, next)?])])
            }
            Node::Le(a, b) => Condition::AtMost(self.sum(*a, next)?, self.sum(*b, next)?),
            Node::Lt(a, b) => Condition::Less(self.sum(*a, next)?, self.sum(*b, next)?),
            Node::Eq(a, b) => Condition::Equal(self.sum(*a, next)?, self.sum(*b, next)?),
            Node::Int(_) | Node::Literal(..) | Node::Var(_) | Node::Cell(..) | Node::Add(_) | Node::Neg(_) => {
                return odd();
            }
            Node::Mul(..) | Node::Div(..) | Node::Mod(..) => return odd(),
            Node::Bits(..) | Node::Value(..) | Node::Apply(..) => return odd(),
        })
    }

    fn each(&mut self, parts: &[Expr], depth: usize) -> Result<Vec<Condition>, String> {
        parts.iter().map(|&part| self.truth(part, depth)).collect()
    }

    fn sum(&mut self, expr: Expr, depth: usize) -> Result<Linear, String> {
        self.step(depth)?;
        let next = depth + 1;
        let grown = |sum: Option<Linear>| sum.ok_or_else(|| "its numbers are too large".to_owned());
        match self.exprs.node(expr) {
            Node::Int(number) => grown(Linear::default().plus(1, &Linear::number(*number))),
            Node::Var(var) if var.index() < self.n_places => Ok(Linear::place(PlaceId::new(var.index()))),
            Node::Add(parts) => {
                let mut sum = Linear::default();
                for &part in parts {
                    let part = self.sum(part, next)?;
                    sum = grown(sum.plus(1, &part))?;
                }
                Ok(sum)
            }
            Node::Neg(inner) => {
                let inner = self.sum(*inner, next)?;
                grown(Linear::default().plus(-1, &inner))
            }
            Node::Mul(a, b) => {
                let (a, b) = (self.sum(*a, next)?, self.sum(*b, next)?);
                match (a.terms.is_empty(), b.terms.is_empty()) {
                    (true, _) => grown(Linear::default().plus(a.constant, &b)),
                    (false, true) => grown(Linear::default().plus(b.constant, &a)),
                    (false, false) => odd(),
                }
            }
            Node::Bool(_) | Node::Literal(..) | Node::Var(_) | Node::Cell(..) | Node::Not(_) | Node::And(_) => odd(),
            Node::Or(_) | Node::Ite(..) | Node::Le(..) | Node::Lt(..) | Node::Eq(..) => odd(),
            Node::Div(..) | Node::Mod(..) | Node::Bits(..) | Node::Value(..) | Node::Apply(..) => odd(),
        }
    }
}

fn odd<T>() -> Result<T, String> {
    Err("it is not made of comparisons of sums of places".to_owned())
}
