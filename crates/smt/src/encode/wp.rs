//! What must hold before a path so that something holds after it, and what holds after it.

use lapidary_base::hash::Map;
use lapidary_ir::passes::Substitution;
use lapidary_ir::{Expr, Exprs, VarId};

use super::paths::Path;
use crate::terms::Terms;

impl Path {
    /// Where the path can be taken, the term is true after it. The path's inputs are not quantified: they stay as symbols,
    /// and a state satisfies the condition for some of their values but perhaps not for others.
    pub fn weakest_precondition(&self, exprs: &Exprs, term: Expr) -> Expr {
        exprs.implies(exprs.and(self.guard.iter().copied()), self.after(exprs, term))
    }

    /// Some values before, which are fresh symbols, and some of the inputs, which stay as symbols, satisfy formula and guard
    /// and lead to the present values.
    pub fn strongest_post(&self, terms: &mut Terms<'_>, formula: Expr) -> Expr {
        let mut before: Map<VarId, Expr> = Map::default();
        for &var in self.updates.keys() {
            let (name, domain) = (format!("{}'", terms.name(var)), terms.domain(var));
            let old = terms.fresh(name, domain);
            before.insert(var, terms.exprs().var(old));
        }
        let (exprs, mut before) = (terms.exprs(), Substitution::new(before));
        let mut parts: Vec<Expr> = Vec::new();
        parts.push(before.apply(exprs, formula));
        parts.extend(self.guard.iter().map(|&part| before.apply(exprs, part)));
        parts.extend(self.updates.iter().map(|(&var, &value)| exprs.eq(exprs.var(var), before.apply(exprs, value))));
        exprs.and(parts)
    }
}
