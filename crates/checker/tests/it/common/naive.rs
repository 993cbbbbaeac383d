//! The reachable states and the truth about properties, straight from the definitions and without any haste.

use std::collections::BTreeSet;

use lapidary_checker::{eval, step};
use lapidary_ir::model::Raw;
use lapidary_ir::{CommandId, Model, PropertyId, PropertyKind};
use lapidary_reference::bodies::states;

type State = Vec<Raw>;

pub fn successors(model: &Model, state: &[Raw]) -> BTreeSet<State> {
    let of = |command| step::successors(model, command, state).expect("small models do not overflow");
    model.commands.ids().flat_map(of).map(Vec::from).collect()
}

fn has_step(model: &Model, command: CommandId, state: &[Raw]) -> bool {
    !step::successors(model, command, state).expect("small models do not overflow").is_empty()
}

pub fn is_initial(model: &Model, state: &[Raw]) -> bool {
    model.init.iter().chain(&model.invariant).all(|&part| eval::truth(model, part, state) == Ok(true))
}

/// In breadth-first order.
pub fn reachable(model: &Model) -> Vec<State> {
    let mut found: Vec<State> = states(model).into_iter().filter(|state| is_initial(model, state)).collect();
    let mut seen: BTreeSet<State> = found.iter().cloned().collect();
    let mut next = 0;
    while let Some(state) = found.get(next).cloned() {
        next += 1;
        found.extend(successors(model, &state).into_iter().filter(|state| seen.insert(state.clone())));
    }
    found
}

/// Does this state, if reachable, spoil a proof of the property?
pub fn is_target(model: &Model, property: PropertyId, state: &[Raw]) -> bool {
    let is_true = |expr| eval::truth(model, expr, state);
    let asked = &model.properties[property];
    if asked.faults.iter().any(|fault| is_true(fault.when) != Ok(false)) {
        return true;
    }
    match asked.kind {
        PropertyKind::Invariant(formula) => is_true(formula) != Ok(true),
        PropertyKind::Reach(formula) => is_true(formula) != Ok(false),
        PropertyKind::DeadlockFree => {
            model.commands.ids().all(|id| model.commands[id].is_idle || !has_step(model, id, state))
        }
        PropertyKind::NoErrors => model.commands.iter().flat_map(|c| &c.faults).any(|f| is_true(f.when) != Ok(false)),
        PropertyKind::Ltl(_) => true,
    }
}
