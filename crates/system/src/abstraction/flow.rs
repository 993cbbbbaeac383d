//! Flow decomposition: the predicates are flows, state variables keep the valuation before the last event and that
//! event, and the assertion says which valuations it may lead to.
//!
//! Two things differ from the thesis. Epsilon assigns nothing but chooses flows anew, so the valuations that the
//! assertion allows must contain whatever epsilon may lead to from them: otherwise the node would not simulate the
//! component. And `last` begins with a value of its own, under which the assertion is about the initial valuations.

use lapidary_bdd::{Column, Set};
use lapidary_ir::tree::{EventId, VarKind};
use lapidary_ir::{Domain, Expr, Exprs, VarId};

use super::blocks::Blocks;
use super::draft::Draft;
use super::formula::Writer;
use super::local::Local;
use super::{Predicate, Refused};

pub(super) fn flow_decomposition<'a>(
    local: &'a Local,
    exprs: &'a Exprs,
    predicates: &[Predicate],
    blocks: &Blocks,
) -> Result<Draft<'a>, Refused> {
    let space = &local.space;
    let mut draft = Draft::new(local, exprs);
    let mut flows = Vec::new();
    for predicate in predicates {
        flows.push(draft.variable(predicate.name.clone(), Domain::Bool, VarKind::Flow));
    }
    let mut befores = Vec::new();
    for predicate in predicates {
        let name = draft.fresh(&format!("{}_before", predicate.name), &[]);
        befores.push(draft.variable(name, Domain::Bool, VarKind::State));
    }
    // With where their guards must hold and where they may.
    let mut fired: Vec<(EventId, Set, Set)> = Vec::new();
    for event in draft.events() {
        let cut = blocks.cut(space, event)?;
        let from = blocks.enabled(space, event)?;
        let must = space.minus(&from, &cut)?;
        if !space.is_none(&must) {
            fired.push((event, must, space.or(&from, &space.not(&blocks.possible)?)?));
        }
    }
    let last_name = draft.fresh("last", &[]);
    let wanted: Vec<String> =
        [String::from("start")].into_iter().chain(fired.iter().map(|(event, ..)| draft.event_name(*event))).collect();
    let kinds = draft.enumeration(&wanted, &last_name);
    let last = draft.variable(last_name, Domain::Enum(kinds), VarKind::State);
    let called = |columns: Vec<Column>, vars: &[VarId]| -> Vec<(Column, Expr)> {
        columns.into_iter().zip(vars.iter().map(|&var| exprs.var(var))).collect()
    };
    let now = Writer { space, exprs, names: called(blocks.now(), &flows) };
    for condition in now.conditions(&blocks.possible, &space.all(), &blocks.now())? {
        draft.assertion(condition);
    }
    let is_last = |literal: usize| {
        let literal = u32::try_from(literal).expect("components have few events");
        exprs.eq(exprs.var(last), exprs.literal(kinds, literal))
    };
    let initial = blocks.settle(space, &blocks.initial)?;
    let conditions = now.conditions(&initial, &blocks.possible, &blocks.now())?;
    conditions.into_iter().for_each(|condition| draft.assertion(exprs.implies(is_last(0), condition)));
    let mut names = called(blocks.now(), &befores);
    names.extend(called(blocks.next(), &flows));
    let after = Writer { space, exprs, names };
    let ahead: Vec<(Column, Column)> = blocks.now().into_iter().zip(blocks.next()).collect();
    let possible_next = space.rename(&blocks.possible, &space.renaming(&ahead))?;
    for (place, (event, must, may)) in fired.into_iter().enumerate() {
        let ends = blocks.then_settled(space, &blocks.steps[event])?;
        let conditions = after.conditions(&ends, &possible_next, &blocks.next())?;
        conditions.into_iter().for_each(|condition| draft.assertion(exprs.implies(is_last(place + 1), condition)));
        let guard = now.sum(&must, &may)?;
        let mut updates: Vec<(VarId, Expr)> =
            befores.iter().zip(&flows).map(|(&before, &flow)| (before, exprs.var(flow))).collect();
        let literal = u32::try_from(place + 1).expect("components have few events");
        updates.push((last, exprs.literal(kinds, literal)));
        draft.transition(guard, event, updates);
    }
    // Nothing depends on what was before the beginning: one value is enough.
    draft.tree.init = befores.iter().map(|&before| (before, exprs.bool(false))).collect();
    draft.tree.init.push((last, exprs.literal(kinds, 0)));
    Ok(draft)
}
