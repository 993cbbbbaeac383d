//! Gives expressions of the source their meaning: resolves names, checks types, makes expressions of a tree.
//!
//! Where an expression of the source has no value (a quotient by zero, an index out of bounds), neither has what is made
//! of it: [`Exprs`] has the same rules.

mod apply;
mod constant;
mod operator;
mod path;
mod report;
pub mod shape;
mod symbol;

use lapidary_base::IdVec;
use lapidary_ir::{ComponentId, Domain, Expr, Exprs, VarId};
use lapidary_text::{Log, Sources, Span};

use super::ast::{self, ExprKind};
use super::codes;
use super::globals::Globals;
use super::scope::{Entry, Layout};
use super::sizes::{Budget, Exhausted, MAX_DEPTH, MAX_NODES};
use super::value::{Bounds, Key, Symbolic, Value};

/// Who asks: nodes respect each other's privacy, formulas look everywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reader {
    Node,
    Formula,
}

/// Gives meaning to the expressions of one component, or to constants outside of any.
pub struct Elaborator<'a> {
    pub sources: &'a Sources,
    pub globals: &'a Globals,
    pub layout: &'a Layout,
    pub exprs: &'a Exprs,
    pub log: &'a mut Log,
    pub budget: &'a mut Budget,
    pub here: Option<ComponentId>,
    /// Items of the file from this one on are not declared yet.
    pub item: usize,
    pub reader: Reader,
}

impl<'a> Elaborator<'a> {
    pub fn value(&mut self, expr: &ast::Expr) -> Value {
        if self.spend(1, expr.span).is_none() {
            return Value::Error;
        }
        match &expr.kind {
            ExprKind::Bool(value) => Value::Bool(self.exprs.bool(*value)),
            ExprKind::Int(value) => Value::Int(self.exprs.int(*value), Bounds::exactly(*value)),
            ExprKind::Path(path) => self.path(path),
            ExprKind::Unary(operator, operand) => self.unary(*operator, operand),
            ExprKind::Binary(operator, a, b) => self.binary(*operator, a, b),
            ExprKind::If(condition, then, otherwise) => {
                let chosen = self.truth(condition);
                let (a, b) = (self.value(then), self.value(otherwise));
                match chosen {
                    Some(condition) => self.choose(condition, a, b, expr.span),
                    None => Value::Error,
                }
            }
            ExprKind::Case(branches, otherwise) => self.case(branches, otherwise, expr.span),
            ExprKind::Extremum(which, operands) => self.extremum(*which, operands),
            ExprKind::Apply(name, arguments) => self.apply(name, arguments, expr.span),
            ExprKind::Error => Value::Error,
        }
    }

    /// The value of a Boolean expression.
    pub fn truth(&mut self, expr: &ast::Expr) -> Option<Expr> {
        match self.value(expr) {
            Value::Bool(value) => Some(value),
            Value::Error => None,
            other => {
                self.mismatch(expr.span, "a Boolean", &other);
                None
            }
        }
    }

    fn number(&mut self, expr: &ast::Expr) -> Option<(Expr, Bounds)> {
        match self.value(expr) {
            Value::Int(value, bounds) => Some((value, bounds)),
            Value::Error => None,
            other => {
                self.mismatch(expr.span, "an integer", &other);
                None
            }
        }
    }

    fn case(&mut self, branches: &[(ast::Expr, ast::Expr)], otherwise: &ast::Expr, span: Span) -> Value {
        if branches.len() > MAX_DEPTH as usize {
            self.too_many_branches(span);
            return Value::Error;
        }
        let values: Vec<(Option<Expr>, Value)> =
            branches.iter().map(|(condition, value)| (self.truth(condition), self.value(value))).collect();
        let mut result = self.value(otherwise);
        for (condition, value) in values.into_iter().rev() {
            result = match condition {
                Some(condition) => self.choose(condition, value, result, span),
                None => Value::Error,
            };
        }
        result
    }

    /// The first value where the condition holds, otherwise the second.
    pub fn choose(&mut self, condition: Expr, a: Value, b: Value, span: Span) -> Value {
        match (a, b) {
            (Value::Error, _) | (_, Value::Error) => Value::Error,
            (Value::Bool(a), Value::Bool(b)) => Value::Bool(self.exprs.ite(condition, a, b)),
            (Value::Int(a, within), Value::Int(b, or)) => {
                let bounds = match self.exprs.as_bool(condition) {
                    Some(true) => within,
                    Some(false) => or,
                    None => within.union(or),
                };
                Value::Int(self.exprs.ite(condition, a, b), bounds)
            }
            (Value::Symbol(a), Value::Symbol(b)) => {
                self.choose_symbol(condition, a, b, span).map_or(Value::Error, Value::Symbol)
            }
            (Value::Aggregate(a), Value::Aggregate(b)) if same_keys(&a, &b) => {
                if self.spend(a.len(), span).is_none() {
                    return Value::Error;
                }
                let both = a.into_iter().zip(b);
                Value::Aggregate(both.map(|((key, a), (_, b))| (key, self.choose(condition, a, b, span))).collect())
            }
            (Value::Aggregate(_), Value::Aggregate(_)) => {
                self.different_shapes(span);
                Value::Error
            }
            (a, b) => {
                let message = format!("one branch is {}, the other is {}", a.describe(), b.describe());
                let help = "give all branches of `if` and `case` the same type";
                self.error(codes::TYPE_MISMATCH, message, (span, "branches of different types"), help);
                Value::Error
            }
        }
    }

    /// The value of a scalar variable.
    pub fn var(&self, var: VarId) -> Value {
        let expr = self.exprs.var(var);
        match self.layout.vars[var].domain {
            Domain::Bool => Value::Bool(expr),
            Domain::Int => Value::Int(expr, Bounds(None)),
            Domain::Range { lo, hi } => Value::Int(expr, Bounds::range(lo, hi)),
            Domain::Enum(of) => Value::Symbol(Symbolic::Of(of, expr)),
            Domain::Bits(_) | Domain::Array(_) => {
                unreachable!("the language has neither bit-vectors nor arrays of this kind")
            }
        }
    }

    /// A Boolean expression that has no value.
    fn nothing(&self) -> Expr {
        self.exprs.eq(self.exprs.div(self.exprs.int(1), self.exprs.int(0)), self.exprs.int(0))
    }

    /// Accounts for expression nodes that are about to be made.
    pub fn spend(&mut self, n_nodes: usize, span: Span) -> Option<()> {
        match self.budget.take(n_nodes) {
            Ok(()) => Some(()),
            Err(Exhausted::Before) => None,
            Err(Exhausted::Now) => {
                let message = format!("the model has more than {MAX_NODES} parts of expressions");
                let help = "use smaller arrays, or fewer of them where an index is not constant";
                self.error(codes::TOO_LARGE, message, (span, "too many when it comes to this one"), help);
                None
            }
        }
    }

    pub fn scopes(&self) -> &'a IdVec<ComponentId, super::scope::Scope> {
        &self.layout.scopes
    }
}

/// Whether two arrays or structs have the same elements, on the first level.
pub fn same_keys(a: &[(Key, Value)], b: &[(Key, Value)]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|((a, _), (b, _))| a == b)
}

/// The elements of an array or a struct.
pub fn elements(entry: &Entry) -> Option<Vec<(Key, &Entry)>> {
    match entry {
        Entry::Array(elements) => {
            Some(elements.iter().enumerate().map(|(index, element)| (Key::Index(index), element)).collect())
        }
        Entry::Struct(fields) => Some(fields.iter().map(|(name, field)| (Key::Field(name.clone()), field)).collect()),
        Entry::Var(_) | Entry::Constant(_) | Entry::Unset | Entry::Component(_) | Entry::Error => None,
    }
}
