//! What the command of a flat event does: the transitions of all components, then the flows.

use std::collections::BTreeSet;

use lapidary_base::{Control, IdVec};

use super::fire::{MAX_PICKS, transitions};
use super::{FlatEvent, NoModel, TooLarge, product};
use crate::expr::{Expr, Exprs};
use crate::model::{Assignment, Destination, Rhs, Statement, VarId};
use crate::passes::{Definitions, definitions, variables};
use crate::tree::{ComponentId, EPSILON, Transition, Tree};

/// Up to so many combinations of transitions are written out, each with one guard and one assignment.
const MAX_WRITTEN_OUT: usize = 64;

pub struct Bodies<'a> {
    tree: &'a Tree,
    exprs: &'a Exprs,
    /// Flows in an order that defines before it uses, with what each reads.
    defined: Vec<(VarId, Expr, BTreeSet<VarId>)>,
    free: Vec<VarId>,
}

/// The flows that the assertions determine; what defines them is written down in `exprs`.
pub fn flows(tree: &Tree, exprs: &Exprs) -> Definitions {
    let assertions = tree.components.iter().flat_map(|component| &component.assertions);
    let all: Vec<Expr> = assertions.map(|assertion| assertion.expr).collect();
    definitions(exprs, &|var| !tree.is_state(var), &all, &|var| Some(tree.bounds(var)))
}

impl<'a> Bodies<'a> {
    pub fn new(tree: &'a Tree, exprs: &'a Exprs) -> Self {
        let found = flows(tree, exprs);
        let mut is_free: IdVec<VarId, bool> = tree.vars.ids().map(|var| !tree.is_state(var)).collect();
        found.list.iter().for_each(|&(var, _)| is_free[var] = false);
        let defined = found.list.into_iter().map(|(var, value)| (var, value, variables(exprs, value))).collect();
        Self { tree, exprs, defined, free: is_free.ids().filter(|&var| is_free[var]).collect() }
    }

    pub fn body(&self, flat: &FlatEvent, allowed: Expr, control: &Control) -> Result<Statement, NoModel> {
        let busy = flat.ids().filter(|&component| flat[component] != EPSILON);
        let lists: Vec<(ComponentId, Vec<&Transition>)> =
            busy.map(|id| (id, transitions(&self.tree.components[id], flat[id]))).collect();
        let n_picks = lists.iter().map(|(_, list)| list.len()).fold(1usize, usize::saturating_mul);
        let mut parts = match n_picks <= MAX_WRITTEN_OUT || !self.can_go_one_by_one(&lists) {
            true if n_picks > MAX_PICKS => {
                let what = format!("an event with {n_picks} combinations of transitions");
                return Err(TooLarge::new(what, super::place::outermost(self.tree, flat)).into());
            }
            true => {
                control.charge(n_picks as u64)?;
                self.written_out(&lists, allowed)
            }
            false => self.one_by_one(&lists, allowed),
        };
        let picked = lists.iter().flat_map(|(_, list)| list.iter());
        let written = picked.flat_map(|transition| transition.updates.iter().map(|&(var, _)| var)).collect();
        parts.extend(self.flows(written));
        Ok(Statement::Sequence(parts))
    }

    fn written_out(&self, lists: &[(ComponentId, Vec<&Transition>)], allowed: Expr) -> Vec<Statement> {
        let lengths: Vec<usize> = lists.iter().map(|(_, list)| list.len()).collect();
        let mut ways: Vec<Vec<Statement>> = product(&lengths)
            .map(|picks| {
                let picked: Vec<&Transition> = picks.iter().zip(lists).map(|(&pick, (_, list))| list[pick]).collect();
                let guards = picked.iter().map(|transition| transition.guard);
                self.step(guards.chain([allowed]), picked.iter().copied())
            })
            .collect();
        match ways.len() {
            1 => ways.remove(0),
            _ => vec![Statement::Choice(ways.into_iter().map(Statement::Sequence).collect())],
        }
    }

    fn step<'t>(
        &self,
        guards: impl Iterator<Item = Expr>,
        picked: impl Iterator<Item = &'t Transition>,
    ) -> Vec<Statement> {
        let mut parts = Vec::new();
        let guard = self.exprs.and(guards);
        if self.exprs.as_bool(guard) != Some(true) {
            parts.push(Statement::Assume(guard));
        }
        let updates: Vec<Assignment> =
            picked.flat_map(|transition| &transition.updates).map(|&(var, value)| assign(var, value)).collect();
        if !updates.is_empty() {
            parts.push(Statement::Assign(updates));
        }
        parts
    }

    /// Parents first: a parent's guards and updates may read its subtree, but not the other way round.
    fn one_by_one(&self, lists: &[(ComponentId, Vec<&Transition>)], allowed: Expr) -> Vec<Statement> {
        let mut parts = vec![Statement::Assume(allowed)];
        for (_, list) in lists {
            let ways = list.iter().map(|&transition| {
                Statement::Sequence(self.step([transition.guard].into_iter(), [transition].into_iter()))
            });
            parts.push(Statement::Choice(ways.collect()));
        }
        parts
    }

    /// No transition reads what a component before it has written.
    fn can_go_one_by_one(&self, lists: &[(ComponentId, Vec<&Transition>)]) -> bool {
        let mut written: BTreeSet<VarId> = BTreeSet::new();
        for (_, list) in lists {
            for transition in list {
                let values = transition.updates.iter().map(|&(_, value)| value);
                let mut reads = values.chain([transition.guard]).map(|expr| variables(self.exprs, expr));
                if reads.any(|reads| !reads.is_disjoint(&written)) {
                    return false;
                }
            }
            written.extend(list.iter().flat_map(|transition| transition.updates.iter().map(|&(var, _)| var)));
        }
        true
    }

    /// Free flows take any value, the others the value of their definition; the assertions are the model's invariant.
    /// A flow whose definition reads nothing new keeps its value.
    fn flows(&self, written: BTreeSet<VarId>) -> Vec<Statement> {
        let mut parts = Vec::new();
        let mut changed = written;
        if !self.free.is_empty() {
            let any = |&var: &VarId| Assignment { to: Destination::Var(var), value: Rhs::Any };
            parts.push(Statement::Assign(self.free.iter().map(any).collect()));
            changed.extend(&self.free);
        }
        for (var, value, reads) in &self.defined {
            if !reads.is_disjoint(&changed) {
                parts.push(Statement::Assign(vec![assign(*var, *value)]));
                changed.insert(*var);
            }
        }
        parts
    }
}

fn assign(var: VarId, value: Expr) -> Assignment {
    Assignment { to: Destination::Var(var), value: Rhs::Expr(value) }
}
