//! Conditions about one variable: comparisons with constants, which need no closure.

use lapidary_base::Id;
use lapidary_ir::model::Raw;
use lapidary_ir::value::WORD_BITS;
use lapidary_ir::{Declarations, Expr, Function, Node, Sort};

use crate::words;

/// One variable within constant bounds, or not within them: every comparison of a variable with a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Atom {
    pub var: usize,
    lo: Raw,
    /// The width of the interval, so that one unsigned comparison decides.
    width: u64,
    negated: bool,
}

impl Atom {
    fn between(var: usize, lo: Raw, hi: Raw) -> Self {
        debug_assert!(lo <= hi, "intervals of atoms are not empty");
        Self { var, lo, width: hi.wrapping_sub(lo) as u64, negated: false }
    }

    fn at_most(var: usize, hi: Raw) -> Self {
        Self::between(var, Raw::MIN, hi)
    }

    fn negate(self) -> Self {
        Self { negated: !self.negated, ..self }
    }

    /// The only value of the variable with which the atom is true.
    pub fn only_value(&self) -> Option<Raw> {
        (self.width == 0 && !self.negated).then_some(self.lo)
    }

    #[inline]
    pub fn holds(&self, state: &[Raw]) -> bool {
        ((state[self.var].wrapping_sub(self.lo) as u64) <= self.width) != self.negated
    }
}

/// The expression as an atom, where it is one.
pub fn atom(model: &Declarations, expr: Expr) -> Option<Atom> {
    let e = &model.exprs;
    let var = |expr| variable(model, expr);
    let constant = |expr| words::constant(model, expr);
    match e.node(expr) {
        Node::Not(inner) => match var(*inner) {
            Some(var) => Some(Atom::between(var, 0, 0)),
            None => atom(model, *inner).map(Atom::negate),
        },
        Node::Eq(a, b) => match (var(*a), constant(*b), var(*b), constant(*a)) {
            (Some(var), Some(c), ..) | (_, _, Some(var), Some(c)) => Some(Atom::between(var, c, c)),
            _ => None,
        },
        Node::Le(a, b) => match (var(*a), constant(*b), var(*b), constant(*a)) {
            (Some(var), Some(c), ..) => Some(Atom::at_most(var, c)),
            (_, _, Some(var), Some(c)) => Some(Atom::between(var, c, Raw::MAX)),
            _ => None,
        },
        // a < b is the negation of b <= a.
        Node::Lt(a, b) => match (var(*a), constant(*b), var(*b), constant(*a)) {
            (Some(var), Some(c), ..) => Some(Atom::between(var, c, Raw::MAX).negate()),
            (_, _, Some(var), Some(c)) => Some(Atom::at_most(var, c).negate()),
            _ => None,
        },
        Node::Var(_) | Node::Cell(..) => var(expr).map(|var| Atom::between(var, 1, 1)),
        Node::Apply(function, parts) => unsigned(model, *function, parts),
        Node::Bits(..) | Node::Value(..) => None,
        Node::Bool(_) | Node::Int(_) | Node::Literal(..) | Node::And(_) | Node::Or(_) | Node::Ite(..) => None,
        Node::Add(_) | Node::Neg(_) | Node::Mul(..) | Node::Div(..) | Node::Mod(..) => None,
    }
}

/// Comparisons of bit-vectors whose numbers are their unsigned values.
fn unsigned(model: &Declarations, function: Function, parts: &[Expr]) -> Option<Atom> {
    let (Function::Ult | Function::Ule, &[a, b]) = (function, parts) else { return None };
    let Sort::Bits(..WORD_BITS) = model.sort(a) else { return None };
    let sides = [(variable(model, a), words::constant(model, b)), (variable(model, b), words::constant(model, a))];
    match (function, sides) {
        (Function::Ule, [(Some(var), Some(c)), _]) => Some(Atom::at_most(var, c)),
        (Function::Ule, [_, (Some(var), Some(c))]) => Some(Atom::between(var, c, Raw::MAX)),
        (_, [(Some(var), Some(c)), _]) => Some(Atom::between(var, c, Raw::MAX).negate()),
        (_, [_, (Some(var), Some(c))]) => Some(Atom::at_most(var, c).negate()),
        (_, _) => None,
    }
}

/// The place of a variable in states.
pub fn variable(model: &Declarations, expr: Expr) -> Option<usize> {
    words::variable(model, expr).map(Id::index)
}
