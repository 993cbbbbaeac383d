//! Symbols: comparing them across enumerations, and converting them to the enumeration of a variable.

use lapidary_ir::{EnumId, Expr, Node};
use lapidary_text::Span;

use super::super::codes;
use super::super::scope::Shape;
use super::super::sizes::MAX_DEPTH;
use super::super::value::{Symbol, Symbolic};
use super::Elaborator;

impl Elaborator<'_> {
    /// One of two symbols; where their enumeration is known it is one expression.
    pub(super) fn choose_symbol(&mut self, condition: Expr, a: Symbolic, b: Symbolic, span: Span) -> Option<Symbolic> {
        match self.exprs.as_bool(condition) {
            Some(true) => return Some(a),
            Some(false) => return Some(b),
            None => {}
        }
        let both = match (&a, &b) {
            (Symbolic::Of(of, x), Symbolic::Of(other, y)) if of == other => Some((*of, *x, *y)),
            (Symbolic::Of(of, x), Symbolic::Constant(symbol)) => self.literal(*of, symbol).map(|y| (*of, *x, y)),
            (Symbolic::Constant(symbol), Symbolic::Of(of, y)) => self.literal(*of, symbol).map(|x| (*of, x, *y)),
            (Symbolic::Constant(_) | Symbolic::Of(..) | Symbolic::Choice { .. }, _) => None,
        };
        if let Some((of, x, y)) = both {
            return Some(Symbolic::Of(of, self.exprs.ite(condition, x, y)));
        }
        let depth = a.depth().max(b.depth()) + 1;
        if depth > MAX_DEPTH {
            self.too_many_branches(span);
            return None;
        }
        Some(Symbolic::Choice { condition, branches: Box::new((a, b)), depth })
    }

    fn literal(&self, of: EnumId, symbol: &Symbol) -> Option<Expr> {
        self.layout.enums.number(of, symbol).map(|number| self.exprs.literal(of, number))
    }

    pub(super) fn equal_symbols(&mut self, a: &Symbolic, b: &Symbolic, span: Span) -> Option<Expr> {
        self.spend(1, span)?;
        match (a, b) {
            (Symbolic::Constant(a), Symbolic::Constant(b)) => Some(self.exprs.bool(a == b)),
            (Symbolic::Of(of, expr), Symbolic::Constant(symbol))
            | (Symbolic::Constant(symbol), Symbolic::Of(of, expr)) => {
                if let Some(literal) = self.literal(*of, symbol) {
                    return Some(self.exprs.eq(*expr, literal));
                }
                let domain = Shape::Enum(self.layout.enums.symbols(*of).into()).show();
                let message = format!("`{symbol}` is never equal to one of {domain}");
                let help = "symbols are equal only to themselves; was another one meant?";
                self.warning(codes::NO_COMMON_SYMBOL, message, (span, "never equal"), help);
                Some(self.false_if_defined(*expr))
            }
            (Symbolic::Of(of, a), Symbolic::Of(other, b)) if of == other => Some(self.exprs.eq(*a, *b)),
            (Symbolic::Of(of, a), Symbolic::Of(other, b)) => self.equal_across((*of, *a), (*other, *b), span),
            (Symbolic::Choice { condition, branches, .. }, other)
            | (other, Symbolic::Choice { condition, branches, .. }) => {
                let then = self.equal_symbols(&branches.0, other, span)?;
                let otherwise = self.equal_symbols(&branches.1, other, span)?;
                Some(self.exprs.ite(*condition, then, otherwise))
            }
        }
    }

    /// Both are the same one of the common symbols.
    fn equal_across(&mut self, a: (EnumId, Expr), b: (EnumId, Expr), span: Span) -> Option<Expr> {
        let symbols = self.layout.enums.symbols(a.0);
        self.spend(symbols.len(), span)?;
        let common = symbols.iter().filter_map(|symbol| {
            let (x, y) = (self.literal(a.0, symbol)?, self.literal(b.0, symbol)?);
            Some(self.exprs.and([self.exprs.eq(a.1, x), self.exprs.eq(b.1, y)]))
        });
        let common: Vec<Expr> = common.collect();
        if common.is_empty() {
            let message = "these two enumerations have no common symbol";
            let help = "symbols are equal only to themselves; give the variables a common domain";
            self.warning(codes::NO_COMMON_SYMBOL, message, (span, "never equal"), help);
            return Some(self.exprs.and([self.exprs.eq(a.1, a.1), self.false_if_defined(b.1)]));
        }
        Some(self.exprs.or(common))
    }

    /// False, or without a value where the expression has none.
    fn false_if_defined(&self, expr: Expr) -> Expr {
        let never = self.exprs.bool(false);
        match self.exprs.node(expr) {
            Node::Var(_) | Node::Literal(..) => never,
            _ => self.exprs.and([self.exprs.eq(expr, expr), never]),
        }
    }

    /// The symbol in an enumeration, and the condition under which it is one of that enumeration.
    pub fn convert(&mut self, symbol: &Symbolic, to: EnumId, span: Span) -> Option<(Expr, Expr)> {
        match symbol {
            Symbolic::Constant(symbol) => Some(match self.literal(to, symbol) {
                Some(literal) => (literal, self.exprs.bool(true)),
                None => {
                    let domain = Shape::Enum(self.layout.enums.symbols(to).into()).show();
                    let message = format!("`{symbol}` is not in the domain {domain}");
                    let help = "a transition that would assign it can never be fired";
                    self.warning(codes::OUT_OF_DOMAIN, message, (span, "not in the domain"), help);
                    (self.exprs.literal(to, 0), self.exprs.bool(false))
                }
            }),
            Symbolic::Of(of, expr) if *of == to => Some((*expr, self.exprs.bool(true))),
            Symbolic::Of(of, expr) => self.convert_between((*of, *expr), to, span),
            Symbolic::Choice { condition, branches, .. } => {
                let (a, a_fits) = self.convert(&branches.0, to, span)?;
                let (b, b_fits) = self.convert(&branches.1, to, span)?;
                Some((self.exprs.ite(*condition, a, b), self.exprs.ite(*condition, a_fits, b_fits)))
            }
        }
    }

    fn convert_between(&mut self, (of, expr): (EnumId, Expr), to: EnumId, span: Span) -> Option<(Expr, Expr)> {
        let symbols = self.layout.enums.symbols(of);
        self.spend(2 * symbols.len(), span)?;
        let common: Vec<(Expr, Expr)> = symbols
            .iter()
            .filter_map(|symbol| Some((self.exprs.eq(expr, self.literal(of, symbol)?), self.literal(to, symbol)?)))
            .collect();
        let Some((&(_, last), before)) = common.split_last() else {
            let message = "the value's enumeration has no symbol in common with the variable's";
            let help = "values of different enumerations are the same only if their symbols are";
            self.warning(codes::NO_COMMON_SYMBOL, message, (span, "never in the domain"), help);
            return Some((self.exprs.literal(to, 0), self.exprs.bool(false)));
        };
        let value = before.iter().rev().fold(last, |rest, &(is, literal)| self.exprs.ite(is, literal, rest));
        let fits = match common.len() == symbols.len() {
            true => self.exprs.bool(true),
            false => self.exprs.or(common.iter().map(|&(is, _)| is)),
        };
        Some((value, fits))
    }
}
