//! Whether a subtree has a configuration after an update: its flows are quantified away.

use std::collections::BTreeSet;

use lapidary_base::Control;
use lapidary_base::hash::Map;
use lapidary_text::Span;

use super::{MAX_VALUATIONS, NoModel, TooLarge};
use crate::expr::{Expr, Exprs};
use crate::model::VarId;
use crate::passes::{Substitution, defined, definitions, interval, variables};
use crate::tree::{ComponentId, Tree};

/// What the state variables of a subtree have to satisfy so that values of its flows exist.
pub struct Post {
    groups: Vec<Group>,
}

/// Conditions that share flows, directly or through each other, and no flow with any other.
struct Group {
    conditions: Vec<Expr>,
    states: BTreeSet<VarId>,
    flows: BTreeSet<VarId>,
    span: Span,
}

impl Post {
    pub fn new(tree: &Tree, exprs: &Exprs, component: ComponentId) -> Self {
        let assertions: Vec<_> = tree.subtree(component).flat_map(|part| &tree.components[part].assertions).collect();
        let mut spans: Map<Expr, Span> = Map::default();
        for assertion in &assertions {
            exprs.conjuncts(assertion.expr).into_iter().for_each(|part| {
                spans.entry(part).or_insert(assertion.span);
            });
        }
        let all: Vec<Expr> = assertions.iter().map(|assertion| assertion.expr).collect();
        let bounds = |var| Some(tree.bounds(var));
        let found = definitions(exprs, &|var| !tree.is_state(var), &all, &bounds);
        // A definition reads only what is defined before it: whatever was rewritten stays right.
        let mut inline = Substitution::default();
        for &(var, value) in &found.list {
            let value = inline.apply(exprs, value);
            inline.define(var, value);
        }
        let mut groups: Vec<Group> = Vec::new();
        for condition in found.rest {
            let span = spans.get(&condition).copied().unwrap_or(tree.components[component].span);
            let condition = inline.apply(exprs, condition);
            if exprs.as_bool(condition) != Some(true) {
                join(&mut groups, group(tree, exprs, condition, span));
            }
        }
        Self { groups }
    }

    /// Total: true where flows exist after the update, in a configuration of the subtree before it. What the update
    /// does not touch is satisfied by the flows that were there.
    pub fn after(
        &self,
        tree: &Tree,
        exprs: &Exprs,
        updates: &[(VarId, Expr)],
        control: &Control,
    ) -> Result<Expr, NoModel> {
        let touched = self.groups.iter().filter(|group| updates.iter().any(|(var, _)| group.states.contains(var)));
        let parts: Result<Vec<Expr>, NoModel> =
            touched.map(|group| group.after(tree, exprs, updates, control)).collect();
        Ok(exprs.and(parts?))
    }
}

fn group(tree: &Tree, exprs: &Exprs, condition: Expr, span: Span) -> Group {
    let (states, flows) = variables(exprs, condition).into_iter().partition(|&var| tree.is_state(var));
    Group { conditions: vec![condition], states, flows, span }
}

/// Adds a group, merged with those that it shares flows with.
fn join(groups: &mut Vec<Group>, mut new: Group) {
    let mut place = 0;
    while place < groups.len() {
        if groups[place].flows.is_disjoint(&new.flows) {
            place += 1;
            continue;
        }
        let old = groups.remove(place);
        new.conditions.splice(0..0, old.conditions);
        new.states.extend(old.states);
        new.flows.extend(old.flows);
        new.span = old.span;
    }
    groups.push(new);
}

impl Group {
    fn after(&self, tree: &Tree, exprs: &Exprs, updates: &[(VarId, Expr)], control: &Control) -> Result<Expr, NoModel> {
        let n_values = |&var: &VarId| tree.bounds(var).1.abs_diff(tree.bounds(var).0).saturating_add(1);
        let n_valuations = self.flows.iter().map(n_values).fold(1u64, u64::saturating_mul);
        if n_valuations > MAX_VALUATIONS {
            let what = format!("{n_valuations} values of the flows of this assertion to try, for priorities");
            return Err(TooLarge::new(what, self.span).into());
        }
        let mut valuation: Vec<(VarId, i64)> = self.flows.iter().map(|&var| (var, tree.bounds(var).0)).collect();
        let mut found = Vec::new();
        loop {
            control.check()?;
            let mut values: Map<VarId, Expr> = updates.iter().copied().collect();
            values.extend(valuation.iter().map(|&(var, value)| (var, constant(tree, exprs, var, value))));
            let mut replace = Substitution::new(values);
            let parts = self.conditions.iter().map(|&condition| total(exprs, replace.apply(exprs, condition)));
            found.push(exprs.and(parts));
            let next = valuation.iter().rposition(|&(var, value)| value < tree.bounds(var).1);
            let Some(place) = next else { break };
            valuation[place].1 += 1;
            valuation[place + 1..].iter_mut().for_each(|(var, value)| *value = tree.bounds(*var).0);
        }
        // All parts are total, so one that is plainly true decides, wherever it stands.
        let is_true = found.iter().any(|&part| exprs.as_bool(part) == Some(true));
        Ok(if is_true { exprs.bool(true) } else { exprs.or(found) })
    }
}

/// A value of a variable, as an expression.
fn constant(tree: &Tree, exprs: &Exprs, var: VarId, value: i64) -> Expr {
    tree.vars[var].domain.constant(exprs, value)
}

/// A condition that is false where `condition` has no value.
pub fn total(exprs: &Exprs, condition: Expr) -> Expr {
    exprs.and([defined(exprs, condition), condition])
}

/// Total: true where the value of an update is in the domain of its variable.
pub fn in_domain(tree: &Tree, exprs: &Exprs, var: VarId, value: Expr) -> Expr {
    let (lo, hi) = tree.bounds(var);
    let found = interval(exprs, value, &|var| Some(tree.bounds(var)));
    let mut parts = vec![defined(exprs, value)];
    if found.is_none_or(|(least, _)| least < lo) {
        parts.push(exprs.le(exprs.int(lo), value));
    }
    if found.is_none_or(|(_, greatest)| greatest > hi) {
        parts.push(exprs.le(value, exprs.int(hi)));
    }
    exprs.and(parts)
}
