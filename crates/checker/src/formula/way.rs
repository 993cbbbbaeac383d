//! Where an execution on terms is, and what has to hold for it to have come there.

use std::collections::BTreeSet;

use lapidary_ir::{Expr, Exprs, VarId};

use super::fold;
use super::view::View;

pub struct Way<'a> {
    pub view: View<'a>,
    /// None is plainly true. If one is plainly false it is the only one.
    pub conditions: Vec<Expr>,
}

impl<'a> Way<'a> {
    pub fn new(view: View<'a>, conditions: Vec<Expr>) -> Self {
        let mut way = Self { view, conditions: Vec::new() };
        conditions.into_iter().for_each(|condition| way.require(condition));
        way
    }

    /// Further on, under the conditions so far and those of the rest.
    pub fn then(mut self, rest: Self) -> Self {
        rest.conditions.iter().for_each(|&condition| self.require(condition));
        Self { view: rest.view, conditions: self.conditions }
    }

    /// Local variables are as they are outside their scopes.
    pub fn without(self, locals: &[VarId]) -> Self {
        let mut values = self.view.values;
        locals.iter().for_each(|local| {
            values.remove(local);
        });
        Self { view: View::new(self.view.model, values), conditions: self.conditions }
    }

    pub fn require(&mut self, condition: Expr) {
        let e = self.view.exprs();
        for part in e.conjuncts(condition) {
            match e.as_bool(part) {
                _ if self.is_dead() => {}
                None => self.conditions.push(part),
                Some(true) => {}
                Some(false) => self.conditions = vec![part],
            }
        }
    }

    pub fn is_dead(&self) -> bool {
        let e = self.view.exprs();
        self.conditions.first().is_some_and(|&condition| e.as_bool(condition) == Some(false))
    }
}

/// Where the condition holds one way, elsewhere the other.
pub fn merged<'a>(condition: Expr, then: Way<'a>, otherwise: Way<'a>) -> Way<'a> {
    let model = then.view.model;
    let e: &Exprs = &model.exprs;
    let written: BTreeSet<VarId> = then.view.values.keys().chain(otherwise.view.values.keys()).copied().collect();
    let value = |var: VarId| (var, fold::ite(e, condition, then.view.value(var), otherwise.view.value(var)));
    let values = written.into_iter().map(value).collect();
    let (needs, others) = (fold::all(e, then.conditions), fold::all(e, otherwise.conditions));
    Way::new(View::new(model, values), vec![fold::ite(e, condition, needs, others)])
}
