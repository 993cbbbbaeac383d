//! All states that satisfy the initial condition, by backtracking over the variables.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use lapidary_base::hash::Set;
use lapidary_base::{Id, IdVec, Stop};
use lapidary_ir::model::Raw;
use lapidary_ir::{Declarations, Expr, Life, Model, Node, Statement, VarId};

use crate::Rejection;
use crate::eval::{self, Error};
use crate::finding;
use crate::step::Look;
use crate::words;

const ASSIGNMENTS_PER_LOOK: usize = 1 << 12;

/// A variable, the values to try for it, and the conditions that can be tested once it has one.
struct Decision {
    var: VarId,
    values: Values,
    due: Vec<Expr>,
}

#[derive(Clone, Copy)]
enum Values {
    Between(Raw, Raw),
    /// The value of an expression over variables decided before.
    Equal(Expr),
}

/// What is done with a state, and whether more are wanted.
pub type Visit<'a> = &'a mut dyn FnMut(&[Raw]) -> Result<ControlFlow<()>, Rejection>;

/// The only values that are tried for some variables.
pub type Fixed = IdVec<VarId, Option<Raw>>;

/// Local variables have the first values of their domains.
pub fn locals(model: &Model) -> Fixed {
    model.vars.iter().map(|var| (var.life == Life::Local).then(|| model.first(var.domain))).collect()
}

/// Calls `visit` on every state with all values within their domains and all these conditions true.
pub fn for_each_state(
    model: &Model,
    conditions: &[Expr],
    fixed: &Fixed,
    look: Look<'_>,
    visit: Visit<'_>,
) -> Result<(), Rejection> {
    let conditions: Vec<Expr> = conditions.iter().flat_map(|&part| model.exprs.conjuncts(part)).collect();
    let mut decisions = decisions(model, &conditions, fixed)?;
    let always = assign_due(model, &conditions, &mut decisions);
    let mut state = vec![0; model.vars.len()];
    if !all_true(model, &always, &state)? {
        return Ok(());
    }
    // One entry per decision that is made: the greatest value that it may still take.
    let mut greatest: Vec<Raw> = Vec::with_capacity(decisions.len());
    let mut n_assignments = 0usize;
    loop {
        match decisions.get(greatest.len()) {
            Some(decision) => {
                let (least, most) = range(model, decision, &state)?;
                state[decision.var.index()] = least;
                greatest.push(most);
            }
            None => {
                if visit(&state)?.is_break() || !advance(&decisions, &mut state, &mut greatest) {
                    return Ok(());
                }
            }
        }
        // The last decision has a value that was not tested yet.
        loop {
            n_assignments += 1;
            if n_assignments.is_multiple_of(ASSIGNMENTS_PER_LOOK) {
                look()?;
            }
            let (Some(decision), Some(most)) = (decisions.get(greatest.len().wrapping_sub(1)), greatest.last()) else {
                break;
            };
            if state[decision.var.index()] <= *most && all_true(model, &decision.due, &state)? {
                break;
            }
            if !advance(&decisions, &mut state, &mut greatest) {
                return Ok(());
            }
        }
    }
}

/// Gives the last decision that has a greater value left that value, and takes back those after it.
fn advance(decisions: &[Decision], state: &mut [Raw], greatest: &mut Vec<Raw>) -> bool {
    while let Some(&most) = greatest.last() {
        let value = &mut state[decisions[greatest.len() - 1].var.index()];
        if *value < most {
            *value += 1;
            return true;
        }
        greatest.pop();
    }
    false
}

/// The least and the greatest number to try; none at all is (1, 0).
fn range(model: &Model, decision: &Decision, state: &[Raw]) -> Result<(Raw, Raw), Rejection> {
    let expr = match decision.values {
        Values::Between(least, most) => return Ok((least, most)),
        Values::Equal(expr) => expr,
    };
    match eval::eval(model, expr, state) {
        Ok(value) => match Raw::try_from(value) {
            Ok(value) if eval::in_domain(model, decision.var, value) => Ok((value, value)),
            Ok(_) => Ok((1, 0)),
            Err(_) if model.bounds(model.vars[decision.var].domain).is_some() => Ok((1, 0)),
            Err(_) => Err(finding::overflow("the initial condition")),
        },
        Err(Error::Undefined) => Ok((1, 0)),
        Err(Error::Overflow) => Err(finding::overflow("the initial condition")),
    }
}

/// An order in which the variables can be decided: those with an equation as soon as its other side is known, the
/// rest one after the other. The equations themselves are still tested.
fn decisions(model: &Model, conditions: &[Expr], fixed: &Fixed) -> Result<Vec<Decision>, Rejection> {
    let mut equations: Vec<(VarId, Expr, BTreeSet<VarId>)> =
        conditions.iter().flat_map(|&condition| equations(model, condition)).collect();
    let mut is_decided = vec![false; model.vars.len()];
    let mut decisions = Vec::with_capacity(model.vars.len());
    for (var, value) in fixed.enumerated() {
        if let Some(value) = *value {
            is_decided[var.index()] = true;
            decisions.push(Decision { var, values: Values::Between(value, value), due: Vec::new() });
        }
    }
    let mut undecided = model.vars.ids();
    loop {
        // Each round settles what became known in the round before; constants are settled in the first.
        let mut waiting = Vec::new();
        let mut progress = false;
        for (var, expr, needed) in equations {
            if is_decided[var.index()] {
                continue;
            }
            if needed.iter().all(|other| is_decided[other.index()]) {
                is_decided[var.index()] = true;
                progress = true;
                decisions.push(Decision { var, values: Values::Equal(expr), due: Vec::new() });
            } else {
                waiting.push((var, expr, needed));
            }
        }
        equations = waiting;
        if progress {
            continue;
        }
        let free = undecided.find(|var| !is_decided[var.index()] && model.bounds(model.vars[*var].domain).is_some());
        let Some(var) = free else { break };
        let (least, most) = eval::bounds(model, model.vars[var].domain);
        is_decided[var.index()] = true;
        decisions.push(Decision { var, values: Values::Between(least, most), due: Vec::new() });
    }
    match model.vars.ids().find(|var| !is_decided[var.index()]) {
        None => Ok(decisions),
        Some(var) => {
            let name = &model.vars[var].name;
            let why = format!("cannot enumerate the initial states: no condition gives {name} a value");
            // Others may know what a start makes of all values.
            let is_plain = model.start == Statement::Skip;
            Err(if is_plain { Rejection::Wrong(why) } else { Stop::Incomplete(why).into() })
        }
    }
}

/// The variables to which a condition gives the value of an expression without them, and what that one reads.
pub fn equations(model: &Declarations, condition: Expr) -> Vec<(VarId, Expr, BTreeSet<VarId>)> {
    let exprs = &model.exprs;
    let sides = match exprs.node(condition) {
        Node::Eq(a, b) => vec![(*a, *b), (*b, *a)],
        Node::Not(inner) => vec![(*inner, exprs.bool(false))],
        _ => vec![(condition, exprs.bool(true))],
    };
    let equation = |(side, other): (Expr, Expr)| {
        let var = words::variable(model, side)?;
        let needed = variables(model, other);
        (!needed.contains(&var)).then_some((var, other, needed))
    };
    sides.into_iter().filter_map(equation).collect()
}

/// Hands each condition to the decision after which it can be tested; returns those without variables.
fn assign_due(model: &Model, conditions: &[Expr], decisions: &mut [Decision]) -> Vec<Expr> {
    let mut place = vec![0; model.vars.len()];
    for (i, decision) in decisions.iter().enumerate() {
        place[decision.var.index()] = i;
    }
    let mut always = Vec::new();
    for &condition in conditions {
        match variables(model, condition).iter().map(|var| place[var.index()]).max() {
            Some(last) => decisions[last].due.push(condition),
            None => always.push(condition),
        }
    }
    always
}

/// The variables that an expression may read. An index that is not constant may mean any cell.
pub fn variables(model: &Declarations, expr: Expr) -> BTreeSet<VarId> {
    let mut seen: Set<Expr> = Set::default();
    let mut pending = vec![expr];
    let mut found = BTreeSet::new();
    while let Some(expr) = pending.pop() {
        if !seen.insert(expr) {
            continue;
        }
        match (words::variable(model, expr), model.exprs.node(expr)) {
            (Some(var), _) => {
                found.insert(var);
            }
            (None, Node::Cell(family, _)) => found.extend(model.cells(*family)),
            (None, _) => {}
        }
        model.exprs.for_each_part(expr, |part| pending.push(part));
    }
    found
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
