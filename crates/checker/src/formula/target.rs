//! The states that spoil a claim, as terms.

use lapidary_base::Stop;
use lapidary_ir::{Expr, Model, Node, Property, PropertyKind, VarId};
use lapidary_smt::Terms;

use super::execution::Move;
use super::fold;
use super::view::View;
use crate::Rejection;
use crate::certify::Claim;
use crate::finding;
use crate::initial;

/// Inputs that decide whether a command can be taken are multiplied out into at most this many cases.
const MOST_CASES: usize = 1 << 10;

/// Where a state of the view is an objection to the claim. `moves` are those from the view.
pub fn spoils(terms: &Terms<'_>, view: &mut View<'_>, moves: &[Move<'_>], claim: Claim) -> Result<Expr, Rejection> {
    let model = view.model;
    let e = &model.exprs;
    let property = &model.properties[claim.property()];
    let fine = match property.kind {
        PropertyKind::Invariant(formula) => formula_fine(view, property, claim, formula, true),
        PropertyKind::Reach(formula) => formula_fine(view, property, claim, formula, false),
        PropertyKind::NoErrors => {
            let faults = model.commands.iter().flat_map(|command| &command.faults);
            fold::all(e, faults.map(|fault| view.is(fault.when, false)).collect::<Vec<_>>())
        }
        PropertyKind::DeadlockFree => return stuck(terms, model, moves),
        PropertyKind::Ltl(_) => return Err(finding::unsupported(property)),
    };
    Ok(e.not(fine))
}

/// No fault is there, and the formula has the wanted value, or any if only errors matter.
fn formula_fine(view: &mut View<'_>, property: &Property, claim: Claim, formula: Expr, wanted: bool) -> Expr {
    let mut parts: Vec<Expr> = property.faults.iter().map(|fault| view.is(fault.when, false)).collect();
    parts.push(match claim {
        Claim::Decides(_) => view.is(formula, wanted),
        Claim::NeverErrs(_) => view.read(formula).defined,
    });
    fold::all(view.exprs(), parts)
}

/// Where no command can be taken, idle ones apart.
fn stuck(terms: &Terms<'_>, model: &Model, moves: &[Move<'_>]) -> Result<Expr, Rejection> {
    let e = &model.exprs;
    let mut parts = Vec::new();
    for step in moves.iter().filter(|step| !model.commands[step.command].is_idle) {
        let mut n_cases = 0;
        let enabled = exists(terms, step.conditions.clone(), &step.inputs, &mut n_cases);
        let enabled = enabled.ok_or_else(|| {
            let label = &model.commands[step.command].label;
            let why = format!("whether {label} can be taken depends on more values of its inputs than can be listed");
            Rejection::Stopped(Stop::Incomplete(why))
        })?;
        parts.push(e.not(enabled));
    }
    Ok(fold::all(e, parts))
}

/// That some values of the inputs satisfy all conditions, without naming inputs. `None` where that would be too long.
///
/// An input that an equation determines is replaced; one that no condition reads has a value, because no domain is
/// empty; the rest is multiplied out, case by case, so that cases may bring equations to light.
fn exists(terms: &Terms<'_>, conditions: Vec<Expr>, inputs: &[VarId], n_cases: &mut usize) -> Option<Expr> {
    let model = terms.model();
    let e = &model.exprs;
    let read = |condition: &Expr| initial::variables(model, *condition);
    let asked = conditions.iter().flat_map(read).find(|var| inputs.contains(var));
    let Some(input) = asked else { return Some(fold::all(e, conditions)) };
    for (place, &condition) in conditions.iter().enumerate() {
        let Some((input, value)) = equation(model, condition, inputs) else { continue };
        let mut others = conditions.clone();
        others.remove(place);
        let mut others = replaced(model, &others, input, value);
        others.push(terms.value_in_domain(value, terms.domain(input)));
        return exists(terms, flat(model, others), inputs, n_cases);
    }
    let (lo, hi) = model.bounds(terms.domain(input))?;
    let mut cases = Vec::new();
    for value in lo..=hi {
        *n_cases += 1;
        if *n_cases > MOST_CASES {
            return None;
        }
        let value = terms.constant(terms.domain(input), value);
        let case = exists(terms, flat(model, replaced(model, &conditions, input, value)), inputs, n_cases)?;
        if e.as_bool(case) == Some(true) {
            return Some(case);
        }
        cases.push(case);
    }
    Some(fold::any(e, cases))
}

/// An input and the only value that the condition allows it.
fn equation(model: &Model, condition: Expr, inputs: &[VarId]) -> Option<(VarId, Expr)> {
    let e = &model.exprs;
    let input = |term: Expr| match e.node(term) {
        Node::Var(var) if inputs.contains(var) => Some(*var),
        _ => None,
    };
    let determined = |side: Expr, value: Expr| {
        let var = input(side)?;
        (!initial::variables(model, value).contains(&var)).then_some((var, value))
    };
    match e.node(condition) {
        Node::Var(_) => determined(condition, e.bool(true)),
        Node::Not(inner) => determined(*inner, e.bool(false)),
        Node::Eq(a, b) => determined(*a, *b).or_else(|| determined(*b, *a)),
        _ => None,
    }
}

/// Terms read as expressions: a view that gives the input its value is a substitution.
fn replaced(model: &Model, conditions: &[Expr], input: VarId, value: Expr) -> Vec<Expr> {
    let mut view = View::new(model, [(input, value)].into());
    conditions.iter().map(|&condition| view.read(condition).value).collect()
}

fn flat(model: &Model, conditions: Vec<Expr>) -> Vec<Expr> {
    let mut parts: Vec<Expr> = Vec::new();
    for part in conditions.into_iter().flat_map(|condition| model.exprs.conjuncts(condition)) {
        if !parts.contains(&part) {
            parts.push(part);
        }
    }
    parts
}
