//! What the domains of the variables decide about terms, whatever else is the case.

use lapidary_ir::passes::{Interval, bottom_up, interval_among, rebuilt};
use lapidary_ir::{Expr, Exprs, Node, VarId};

use super::walk::Walk;

/// One quotient, and perhaps the one above it.
struct Quotients {
    lower: i64,
    next: Option<i64>,
}

impl Walk<'_, '_> {
    /// Between which numbers a term lies.
    pub fn interval(&mut self, term: Expr) -> Interval {
        let terms = &*self.terms;
        let bounds = |var: VarId| terms.model().bounds(terms.domain(var));
        interval_among(terms.exprs(), term, &mut self.intervals, &bounds)
    }

    /// The same term with remainders and quotients by constants as choices, where the domains leave two quotients at most:
    /// solvers find these easier.
    pub fn eased(&mut self, term: Expr) -> Expr {
        let exprs = &self.terms.exprs().clone();
        let mut images = std::mem::take(&mut self.images);
        bottom_up(exprs, term, &mut images, |expr, images| {
            let same = rebuilt(exprs, exprs.node(expr), &|part| images[&part]);
            match exprs.node(same) {
                Node::Mod(a, b) => self.remainder(*a, *b).unwrap_or(same),
                Node::Div(a, b) => self.quotient(*a, *b).unwrap_or(same),
                _ => same,
            }
        });
        self.images = images;
        self.images[&term]
    }

    fn remainder(&mut self, a: Expr, b: Expr) -> Option<Expr> {
        let exprs = &self.terms.exprs().clone();
        let divisor = exprs.as_int(b).filter(|&divisor| divisor > 0)?;
        let Quotients { lower, next } = self.quotients(a, divisor)?;
        let rest = |quotient: i64| Some(exprs.sub(a, exprs.int(quotient.checked_mul(divisor)?)));
        let Some(next) = next else { return rest(lower) };
        let eased = exprs.ite(below(exprs, a, next, divisor)?, rest(lower)?, rest(next)?);
        // That it is a remainder is no longer seen in the term itself.
        self.intervals.insert(eased, Some((0, divisor - 1)));
        Some(eased)
    }

    fn quotient(&mut self, a: Expr, b: Expr) -> Option<Expr> {
        let exprs = &self.terms.exprs().clone();
        let divisor = exprs.as_int(b).filter(|&divisor| divisor > 0)?;
        let Quotients { lower, next } = self.quotients(a, divisor)?;
        Some(match next {
            None => exprs.int(lower),
            Some(next) => exprs.ite(below(exprs, a, next, divisor)?, exprs.int(lower), exprs.int(next)),
        })
    }

    /// The quotients that the values of a term may have, if there are at most two.
    fn quotients(&mut self, a: Expr, divisor: i64) -> Option<Quotients> {
        let (lo, hi) = self.interval(a)?;
        let (lower, upper) = (lo.div_euclid(divisor), hi.div_euclid(divisor));
        match upper.checked_sub(lower)? {
            0 => Some(Quotients { lower, next: None }),
            1 => Some(Quotients { lower, next: Some(upper) }),
            _ => None,
        }
    }

    /// Whether a condition is the same for all values of the domains, as far as it can be told.
    pub fn decided(&mut self, condition: Expr) -> Option<bool> {
        let exprs = &self.terms.exprs().clone();
        let mut known = std::mem::take(&mut self.decisions);
        bottom_up(exprs, condition, &mut known, |expr, known| match exprs.node(expr) {
            Node::Bool(value) => Some(*value),
            Node::Not(part) => known[part].map(|value| !value),
            Node::And(parts) => all(parts.iter().map(|part| known[part])),
            Node::Or(parts) => all(parts.iter().map(|part| known[part].map(|value| !value))).map(|value| !value),
            Node::Ite(of, then, otherwise) => match known[of] {
                Some(true) => known[then],
                Some(false) => known[otherwise],
                None => known[then].filter(|_| known[then] == known[otherwise]),
            },
            Node::Lt(a, b) => self.is_below(*a, *b),
            Node::Le(a, b) => self.is_below(*b, *a).map(|is_below| !is_below),
            Node::Eq(a, b) => self.are_equal(*a, *b),
            Node::Int(_) | Node::Literal(..) | Node::Var(_) | Node::Cell(..) | Node::Add(_) => None,
            Node::Neg(_) | Node::Mul(..) | Node::Div(..) | Node::Mod(..) => None,
            // Bit-vectors have no interval: what is less than what depends on who compares them.
            Node::Bits(..) | Node::Value(..) | Node::Apply(..) => None,
        });
        self.decisions = known;
        self.decisions[&condition]
    }

    fn is_below(&mut self, a: Expr, b: Expr) -> Option<bool> {
        let ((a_lo, a_hi), (b_lo, b_hi)) = (self.interval(a)?, self.interval(b)?);
        match (a_hi < b_lo, a_lo >= b_hi) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            (false, false) => None,
        }
    }

    fn are_equal(&mut self, a: Expr, b: Expr) -> Option<bool> {
        if let (Node::Bits(_, a), Node::Bits(_, b)) = (self.terms.exprs().node(a), self.terms.exprs().node(b)) {
            return Some(a == b);
        }
        let ((a_lo, a_hi), (b_lo, b_hi)) = (self.interval(a)?, self.interval(b)?);
        let is_one = a_lo == a_hi && b_lo == b_hi && a_lo == b_lo;
        let are_apart = a_hi < b_lo || b_hi < a_lo;
        (is_one || are_apart).then_some(is_one)
    }
}

/// That a term has a quotient below this one.
fn below(exprs: &Exprs, a: Expr, quotient: i64, divisor: i64) -> Option<Expr> {
    Some(exprs.lt(a, exprs.int(quotient.checked_mul(divisor)?)))
}

/// Whether all are true; false as soon as one is.
fn all(parts: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut is_known = true;
    for part in parts {
        match part {
            Some(true) => {}
            Some(false) => return Some(false),
            None => is_known = false,
        }
    }
    is_known.then_some(true)
}
