//! All initial states, by backtracking over the variables.

use lapidary_base::hash::Set;
use lapidary_base::{Control, Id};
use lapidary_ir::model::Raw;
use lapidary_ir::{Expr, Model, Node, Var, VarId};

use crate::Rejection;
use crate::eval::{self, Error};
use crate::finding;
use crate::words;

const ASSIGNMENTS_PER_LOOK: usize = 1 << 12;

/// Calls `visit` on every initial state: all values within their domains, all conditions true.
pub fn for_each_initial(
    model: &Model,
    control: &Control,
    visit: &mut dyn FnMut(&[Raw]) -> Result<(), Rejection>,
) -> Result<(), Rejection> {
    let conditions = conditions(model);
    let choices = choices(model, &conditions)?;
    let due = due(model, &conditions);
    let mut state = vec![0; model.vars.len()];
    if !all_true(model, &due[0], &state)? {
        return Ok(());
    }
    if choices.is_empty() {
        return visit(&state);
    }
    // `state[..=depth]` is chosen; the variable at `depth` is about to be tested with its value.
    let mut depth = 0;
    let mut n_assignments = 0usize;
    state[0] = choices[0].0;
    loop {
        n_assignments += 1;
        if n_assignments.is_multiple_of(ASSIGNMENTS_PER_LOOK) {
            control.check()?;
        }
        if state[depth] <= choices[depth].1 && all_true(model, &due[depth + 1], &state)? {
            if depth + 1 < choices.len() {
                depth += 1;
                state[depth] = choices[depth].0;
                continue;
            }
            visit(&state)?;
        }
        match last_with_more(&state[..=depth], &choices) {
            Some(last) => depth = last,
            None => return Ok(()),
        }
        state[depth] += 1;
    }
}

/// The last of the chosen variables that has a greater value left.
fn last_with_more(chosen: &[Raw], choices: &[(Raw, Raw)]) -> Option<usize> {
    chosen.iter().zip(choices).rposition(|(value, (_, greatest))| value < greatest)
}

fn conditions(model: &Model) -> Vec<Expr> {
    model.init.iter().chain(&model.invariant).flat_map(|&part| model.exprs.conjuncts(part)).collect()
}

/// The least and the greatest number to try for each variable. A condition that asks for one value leaves only that;
/// the condition itself is still tested.
fn choices(model: &Model, conditions: &[Expr]) -> Result<Vec<(Raw, Raw)>, Rejection> {
    let mut fixed: Vec<Option<Raw>> = vec![None; model.vars.len()];
    for (var, value) in conditions.iter().filter_map(|&condition| words::required_value(model, condition)) {
        fixed[var.index()].get_or_insert(value);
    }
    let choice = |(id, var): (VarId, &Var)| match (fixed[id.index()], model.bounds(var.domain)) {
        // An empty range: the value that is asked for is none of the variable's.
        (Some(value), Some((lo, hi))) if value < lo || hi < value => Ok((1, 0)),
        (Some(value), _) => Ok((value, value)),
        (None, Some(bounds)) => Ok(bounds),
        (None, None) => Err(Rejection::Wrong(format!(
            "cannot enumerate the initial states: no condition gives {} a value",
            var.name
        ))),
    };
    model.vars.enumerated().map(choice).collect()
}

/// `due[n]` are the conditions that can be tested as soon as the first n variables have values, and not before.
fn due(model: &Model, conditions: &[Expr]) -> Vec<Vec<Expr>> {
    let mut due = vec![Vec::new(); model.vars.len() + 1];
    for &condition in conditions {
        due[n_needed(model, condition)].push(condition);
    }
    due
}

/// How many variables, counted from the first, must have values before the expression can be evaluated.
fn n_needed(model: &Model, expr: Expr) -> usize {
    let mut seen: Set<Expr> = Set::default();
    let mut pending = vec![expr];
    let mut needed = 0;
    while let Some(expr) = pending.pop() {
        if !seen.insert(expr) {
            continue;
        }
        let last = match model.exprs.node(expr) {
            // An index that is not constant may mean any cell, so all must be there.
            Node::Cell(family, _) => words::variable(model, expr).or_else(|| model.cells(*family).last()),
            _ => words::variable(model, expr),
        };
        needed = last.map_or(needed, |last| needed.max(last.index() + 1));
        model.exprs.for_each_part(expr, |part| pending.push(part));
    }
    needed
}

fn all_true(model: &Model, conditions: &[Expr], state: &[Raw]) -> Result<bool, Rejection> {
    for &condition in conditions {
        match eval::truth(model, condition, state) {
            Ok(true) => {}
            Ok(false) | Err(Error::Undefined) => return Ok(false),
            Err(Error::Overflow) => return Err(finding::overflow("the initial condition")),
        }
    }
    Ok(true)
}
