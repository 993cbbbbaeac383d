//! Atoms in one form: what says the same, or the opposite, is one predicate.
//!
//! `a < b` is `a + 1 <= b`, equalities have one direction, common factors are divided out, an atom and its negation are
//! the same, and constants are no atoms. Of bit-vectors, `a < b` is the negation of `b <= a`. Choices inside of terms are
//! taken out of their atom first.

#[cfg(test)]
mod tests;

use lapidary_base::hash::Map;
use lapidary_ir::passes::{atoms, bottom_up, defined_with, rebuilt, replaced};
use lapidary_ir::{Expr, Exprs, Function, Node, Sort};

use super::linear::Linear;
use crate::terms::Terms;

/// An atom in its form, and whether what was asked about says the same or the opposite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Literal {
    pub atom: Expr,
    pub is_positive: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Normal {
    Constant(bool),
    Literal(Literal),
}

/// An atom up to its direction.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Key {
    /// The sum is at most zero.
    AtMost(Linear),
    /// The sum is zero.
    Zero(Linear),
}

/// The atoms met so far: of two that say the opposite of each other, the first stands for both.
#[derive(Default)]
pub struct AtomTable {
    by_key: Map<Key, Literal>,
    normals: Map<Expr, Normal>,
    simplified: Map<Expr, Expr>,
}

/// No more choices than this are taken out of one atom.
const MAX_CHOICES: usize = 64;

impl AtomTable {
    /// The atoms of a formula in their form, in the order in which they occur.
    pub fn of_formula(&mut self, terms: &Terms<'_>, formula: Expr) -> Vec<Expr> {
        let mut found = Vec::new();
        let sort = |expr: Expr| if terms.is_bool(expr) { Sort::Bool } else { Sort::Int };
        let mut open = atoms(terms.exprs(), &[formula], &sort);
        open.reverse();
        let mut budget = MAX_CHOICES;
        while let Some(atom) = open.pop() {
            if let Some(choice) = choice_within(terms.exprs(), atom).filter(|_| budget > 0) {
                budget -= 1;
                let without = split(terms.exprs(), atom, choice);
                let mut parts = atoms(terms.exprs(), &[without], &sort);
                parts.reverse();
                open.extend(parts);
                continue;
            }
            for atom in total(terms, atom) {
                match self.normal(terms, atom) {
                    Normal::Literal(literal) if !found.contains(&literal.atom) => found.push(literal.atom),
                    Normal::Literal(_) | Normal::Constant(_) => {}
                }
            }
        }
        found
    }

    /// The atoms of several formulas, each once.
    pub fn of_formulas(&mut self, terms: &Terms<'_>, formulas: &[Expr]) -> Vec<Expr> {
        let mut found = Vec::new();
        for &formula in formulas {
            for atom in self.of_formula(terms, formula) {
                if !found.contains(&atom) {
                    found.push(atom);
                }
            }
        }
        found
    }

    /// Those atoms of a formula, in their form, that have no choices inside.
    pub fn without_choices(&mut self, terms: &Terms<'_>, formula: Expr) -> Vec<Expr> {
        let exprs = terms.exprs();
        let sort = |expr: Expr| if terms.is_bool(expr) { Sort::Bool } else { Sort::Int };
        let plain = atoms(exprs, &[formula], &sort).into_iter().filter(|&atom| choice_within(exprs, atom).is_none());
        self.of_formulas(terms, &plain.collect::<Vec<_>>())
    }

    /// The formula with its atoms in their form; what they decide by themselves is folded, and of equal parts of a
    /// conjunction or disjunction one is kept.
    pub fn simplified(&mut self, terms: &Terms<'_>, formula: Expr) -> Expr {
        let exprs = terms.exprs();
        let mut images = std::mem::take(&mut self.simplified);
        bottom_up(exprs, formula, &mut images, |expr, images| {
            let of = |part: Expr| images[&part];
            let once = |parts: &[Expr]| {
                let mut kept: Vec<Expr> = Vec::with_capacity(parts.len());
                for part in parts.iter().map(|&part| of(part)) {
                    if !kept.contains(&part) {
                        kept.push(part);
                    }
                }
                kept
            };
            match exprs.node(expr) {
                Node::And(parts) => exprs.and(once(parts)),
                Node::Or(parts) => exprs.or(once(parts)),
                node if is_comparison(node) && total(terms, expr).len() == 1 => {
                    let rebuilt = rebuilt(exprs, exprs.node(expr), &of);
                    match self.normal(terms, rebuilt) {
                        Normal::Constant(value) => exprs.bool(value),
                        Normal::Literal(Literal { atom, is_positive: true }) => atom,
                        Normal::Literal(Literal { atom, is_positive: false }) => exprs.not(atom),
                    }
                }
                node => rebuilt(exprs, node, &of),
            }
        });
        let simplified = images[&formula];
        self.simplified = images;
        simplified
    }

    /// The form of an atom, or of the negation of one.
    pub fn normal(&mut self, terms: &Terms<'_>, atom: Expr) -> Normal {
        if let Some(&known) = self.normals.get(&atom) {
            return known;
        }
        let exprs = terms.exprs();
        let normal = match exprs.node(atom) {
            Node::Bool(value) => Normal::Constant(*value),
            Node::Not(inner) => opposite(self.normal(terms, *inner)),
            Node::Lt(a, b) => self.compared(exprs, atom, *a, *b, 1),
            Node::Le(a, b) => self.compared(exprs, atom, *a, *b, 0),
            Node::Eq(a, b) if is_int(terms, *a) => match difference(exprs, *a, *b) {
                Some(sum) => self.zero(exprs, &sum).unwrap_or_else(|| plain(atom)),
                None => plain(atom),
            },
            Node::Eq(a, b) => match equal(exprs, *a, *b) {
                Some(value) => Normal::Constant(value),
                None => plain(exprs.eq((*a).min(*b), (*a).max(*b))),
            },
            Node::Apply(Function::Ult, parts) => opposite(plain(exprs.ule(parts[1], parts[0]))),
            Node::Apply(Function::Slt, parts) => opposite(plain(exprs.sle(parts[1], parts[0]))),
            _ => plain(atom),
        };
        self.normals.insert(atom, normal);
        normal
    }

    fn compared(&mut self, exprs: &Exprs, atom: Expr, a: Expr, b: Expr, more: i64) -> Normal {
        let sum = difference(exprs, a, b).and_then(|mut sum| {
            sum.constant = sum.constant.checked_add(more)?;
            Some(sum)
        });
        sum.and_then(|sum| self.at_most_zero(exprs, sum)).unwrap_or_else(|| plain(atom))
    }

    /// `sum <= 0`; `None` where numbers get too large.
    pub fn at_most_zero(&mut self, exprs: &Exprs, mut sum: Linear) -> Option<Normal> {
        let content = i64::try_from(sum.content()).ok()?;
        if content == 0 {
            return Some(Normal::Constant(sum.constant <= 0));
        }
        sum.parts.values_mut().for_each(|coefficient| *coefficient /= content);
        // c * x + k <= 0 is x <= floor(-k / c), that is x + ceil(k / c) <= 0.
        sum.constant = sum.constant.div_euclid(content) + i64::from(sum.constant.rem_euclid(content) != 0);
        let mut other = sum.negated()?;
        other.constant = other.constant.checked_add(1)?;
        if let Some(&literal) = self.by_key.get(&Key::AtMost(sum.clone())) {
            return Some(Normal::Literal(literal));
        }
        let (left, right) = sum.sides(exprs);
        let atom = exprs.le(left, right);
        self.by_key.insert(Key::AtMost(sum), Literal { atom, is_positive: true });
        self.by_key.insert(Key::AtMost(other), Literal { atom, is_positive: false });
        Some(Normal::Literal(Literal { atom, is_positive: true }))
    }

    fn zero(&mut self, exprs: &Exprs, sum: &Linear) -> Option<Normal> {
        let content = i64::try_from(sum.content()).ok()?;
        if content == 0 {
            return Some(Normal::Constant(sum.constant == 0));
        }
        if sum.constant % content != 0 {
            return Some(Normal::Constant(false));
        }
        let mut sum = if sum.is_downward() { sum.negated()? } else { sum.clone() };
        sum.parts.values_mut().for_each(|coefficient| *coefficient /= content);
        sum.constant /= content;
        let (left, right) = sum.sides(exprs);
        let literal = Literal { atom: exprs.eq(left, right), is_positive: true };
        Some(Normal::Literal(*self.by_key.entry(Key::Zero(sum)).or_insert(literal)))
    }
}

fn is_comparison(node: &Node) -> bool {
    match node {
        Node::Lt(..) | Node::Le(..) | Node::Eq(..) => true,
        Node::Apply(function, _) => {
            matches!(function, Function::Ult | Function::Ule | Function::Slt | Function::Sle)
        }
        _ => false,
    }
}

/// `a - b`.
fn difference(exprs: &Exprs, a: Expr, b: Expr) -> Option<Linear> {
    Linear::of(exprs, a)?.combine(1, &Linear::of(exprs, b)?, -1)
}

fn plain(atom: Expr) -> Normal {
    Normal::Literal(Literal { atom, is_positive: true })
}

fn opposite(normal: Normal) -> Normal {
    match normal {
        Normal::Constant(value) => Normal::Constant(!value),
        Normal::Literal(Literal { atom, is_positive }) => Normal::Literal(Literal { atom, is_positive: !is_positive }),
    }
}

/// Whether this is a number: literals of enumerations, bit-vectors and arrays are compared as what they are.
fn is_int(terms: &Terms<'_>, expr: Expr) -> bool {
    terms.sort_of(expr) == Sort::Int
}

/// Whether two terms that are no numbers are surely equal, or surely not. Different constants are different bit-vectors.
fn equal(exprs: &Exprs, a: Expr, b: Expr) -> Option<bool> {
    match (exprs.node(a), exprs.node(b)) {
        (Node::Bits(..), Node::Bits(..)) => Some(a == b),
        _ => (a == b).then_some(true),
    }
}

/// Atoms that have a value everywhere in place of one that may have none: where it has one, and that it has one and is
/// true.
fn total(terms: &Terms<'_>, atom: Expr) -> Vec<Expr> {
    let exprs = terms.exprs();
    let defined = |expr: Expr| defined_with(exprs, expr, &|family| terms.model().families[family].len);
    let whole = defined(atom);
    if exprs.as_bool(whole) == Some(true) {
        return vec![atom];
    }
    let parts = exprs.conjuncts(whole);
    // A divisor may be a quotient itself: that it is not zero has a value only where all before it is true.
    let part = |i: usize| match exprs.as_bool(defined(parts[i])) {
        Some(true) => parts[i],
        Some(false) | None => exprs.and(parts[..=i].iter().copied()),
    };
    (0..parts.len()).map(part).chain([exprs.and([whole, atom])]).collect()
}

/// A choice between terms inside of an atom, the outermost first.
fn choice_within(exprs: &Exprs, atom: Expr) -> Option<Expr> {
    let mut open = Vec::new();
    exprs.for_each_part(atom, |part| open.push(part));
    open.reverse();
    let mut seen = lapidary_base::hash::Set::default();
    while let Some(expr) = open.pop() {
        if !seen.insert(expr) {
            continue;
        }
        if let Node::Ite(..) = exprs.node(expr) {
            return Some(expr);
        }
        let before = open.len();
        exprs.for_each_part(expr, |part| open.push(part));
        open[before..].reverse();
    }
    None
}

/// The atom as a choice between atoms.
fn split(exprs: &Exprs, atom: Expr, choice: Expr) -> Expr {
    let Node::Ite(condition, then, otherwise) = *exprs.node(choice) else { return atom };
    exprs.ite(condition, replaced(exprs, atom, choice, then), replaced(exprs, atom, choice, otherwise))
}
