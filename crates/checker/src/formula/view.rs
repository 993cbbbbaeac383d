//! Expressions of the model as terms, read in a state that is itself given by terms.

use std::collections::BTreeMap;

use lapidary_base::hash::Map;
use lapidary_ir::{Expr, Exprs, FamilyId, Life, Model, Node, VarId};

use super::fold;
use crate::words;

/// Two terms, both with a value everywhere: where the expression has a value, and one that has this value there.
#[derive(Clone, Copy)]
pub struct Reading {
    pub value: Expr,
    pub defined: Expr,
}

/// A state as terms; a variable that is not among `values` stands for itself, a local one for the first value of its domain.
pub struct View<'a> {
    pub model: &'a Model,
    pub values: BTreeMap<VarId, Expr>,
    /// What was read already.
    known: Map<Expr, Reading>,
}

impl Clone for View<'_> {
    fn clone(&self) -> Self {
        Self::new(self.model, self.values.clone())
    }
}

impl<'a> View<'a> {
    pub fn new(model: &'a Model, values: BTreeMap<VarId, Expr>) -> Self {
        Self { model, values, known: Map::default() }
    }

    pub fn exprs(&self) -> &'a Exprs {
        &self.model.exprs
    }

    pub fn value(&self, var: VarId) -> Expr {
        match self.values.get(&var) {
            Some(&value) => value,
            None if self.model.vars.get(var).is_some_and(|var| var.life == Life::Local) => {
                words::first(self.model, var)
            }
            None => self.exprs().var(var),
        }
    }

    /// How many parts of expressions were read.
    pub fn n_known(&self) -> usize {
        self.known.len()
    }

    /// Where the Boolean expression has a value, and this one.
    pub fn is(&mut self, expr: Expr, wanted: bool) -> Expr {
        let Reading { value, defined } = self.read(expr);
        let e = self.exprs();
        fold::all(e, [defined, if wanted { value } else { e.not(value) }])
    }

    pub fn read(&mut self, root: Expr) -> Reading {
        let e = self.exprs();
        let mut stack = vec![root];
        while let Some(&expr) = stack.last() {
            let n_waiting = stack.len();
            if !self.known.contains_key(&expr) {
                e.for_each_part(expr, |part| {
                    if !self.known.contains_key(&part) {
                        stack.push(part);
                    }
                });
            }
            if stack.len() > n_waiting {
                continue;
            }
            stack.pop();
            if !self.known.contains_key(&expr) {
                let reading = self.reading(expr);
                self.known.insert(expr, reading);
            }
        }
        self.known[&root]
    }

    /// All parts were read already.
    fn reading(&self, expr: Expr) -> Reading {
        let e = self.exprs();
        let value = |part: &Expr| self.known[part].value;
        let defined = |part: &Expr| self.known[part].defined;
        let both = |a: &Expr, b: &Expr| fold::all(e, [defined(a), defined(b)]);
        let divides = |b: &Expr| e.not(fold::eq(e, value(b), e.int(0)));
        let (value, defined) = match e.node(expr) {
            Node::Bool(_) | Node::Int(_) | Node::Literal(..) => (expr, e.bool(true)),
            Node::Bits(..) | Node::Value(..) => (expr, e.bool(true)),
            Node::Apply(function, parts) => {
                let values = parts.iter().map(value).collect();
                (fold::apply(self.model, *function, values), fold::all(e, parts.iter().map(defined)))
            }
            Node::Var(var) => (self.value(*var), e.bool(true)),
            Node::Cell(family, index) => {
                let (cell, inside) = self.cell(*family, value(index));
                (cell, fold::all(e, [defined(index), inside]))
            }
            Node::Not(a) => (e.not(value(a)), defined(a)),
            Node::Neg(a) => (e.neg(value(a)), defined(a)),
            Node::And(parts) => (fold::all(e, parts.iter().map(value)), self.in_order(parts, |part| e.not(part))),
            Node::Or(parts) => (fold::any(e, parts.iter().map(value)), self.in_order(parts, |part| part)),
            Node::Ite(c, a, b) => {
                let branches = fold::ite(e, value(c), defined(a), defined(b));
                (fold::ite(e, value(c), value(a), value(b)), fold::all(e, [defined(c), branches]))
            }
            Node::Eq(a, b) => (fold::eq(e, value(a), value(b)), both(a, b)),
            Node::Lt(a, b) => (fold::lt(e, value(a), value(b)), both(a, b)),
            Node::Le(a, b) => (fold::le(e, value(a), value(b)), both(a, b)),
            Node::Add(parts) => {
                (fold::add(e, parts.iter().map(value).collect()), fold::all(e, parts.iter().map(defined)))
            }
            Node::Mul(a, b) => (fold::mul(e, value(a), value(b)), both(a, b)),
            Node::Div(a, b) => (e.div(value(a), value(b)), fold::all(e, [both(a, b), divides(b)])),
            Node::Mod(a, b) => (e.modulo(value(a), value(b)), fold::all(e, [both(a, b), divides(b)])),
        };
        Reading { value, defined }
    }

    /// Each part needs a value unless one before it has settled the matter.
    fn in_order(&self, parts: &[Expr], settles: impl Fn(Expr) -> Expr) -> Expr {
        let e = self.exprs();
        parts.iter().rev().fold(e.bool(true), |rest, part| {
            let Reading { value, defined } = self.known[part];
            fold::all(e, [defined, fold::any(e, [settles(value), rest])])
        })
    }

    /// The value of a cell, and where the index is one.
    fn cell(&self, family: FamilyId, index: Expr) -> (Expr, Expr) {
        let e = self.exprs();
        let places = places(self.model, family, index);
        let mut cases = places.iter().rev();
        let Some((last, _)) = cases.next() else { return (e.int(0), e.bool(false)) };
        let value = cases.fold(self.value(*last), |rest, &(var, here)| fold::ite(e, here, self.value(var), rest));
        (value, inside(self.model, family, index))
    }
}

/// The variables that an index may pick, and where it does.
pub fn places(model: &Model, family: FamilyId, index: Expr) -> Vec<(VarId, Expr)> {
    let e = &model.exprs;
    let place = |(offset, var)| (var, fold::eq(e, index, e.int(offset)));
    let found = (0i64..).zip(model.cells(family)).map(place);
    found.filter(|(_, here)| e.as_bool(*here) != Some(false)).collect()
}

/// That an index is one of the family.
pub fn inside(model: &Model, family: FamilyId, index: Expr) -> Expr {
    let e = &model.exprs;
    let len = i64::from(model.families[family].len);
    fold::all(e, [e.le(e.int(0), index), e.lt(index, e.int(len))])
}
