//! The states that spoil a claim, as terms.

use lapidary_base::hash::Set;
use lapidary_base::{Control, Meter, Stop};
use lapidary_ir::{Expr, Model, Node, Property, PropertyKind, VarId};
use lapidary_smt::Terms;

use super::execution::{Move, TERM};
use super::fold;
use super::view::View;
use crate::Rejection;
use crate::certify::Claim;
use crate::finding;
use crate::initial;

/// Inputs that decide whether a command can be taken are multiplied out into at most this many cases.
const MOST_CASES: usize = 1 << 10;

/// Where a state of the view is an objection to the claim. `moves` are those from the view.
pub fn spoils(
    terms: &Terms<'_>,
    view: &mut View<'_>,
    moves: &[Move<'_>],
    claim: Claim,
    control: &Control,
) -> Result<Expr, Rejection> {
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
        PropertyKind::DeadlockFree => return stuck(terms, moves, control),
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
fn stuck(terms: &Terms<'_>, moves: &[Move<'_>], control: &Control) -> Result<Expr, Rejection> {
    let model = terms.model();
    let e = &model.exprs;
    let mut parts = Vec::new();
    for step in moves.iter().filter(|step| !model.commands[step.command].is_idle) {
        let mut search = Search { terms, inputs: &step.inputs, n_cases: 0, meter: Meter::new(control) };
        let enabled = search.exists(step.conditions.clone())?;
        let enabled = enabled.ok_or_else(|| {
            let label = &model.commands[step.command].label;
            let why = format!("whether {label} can be taken depends on more values of its inputs than can be listed");
            Rejection::Stopped(Stop::Incomplete(why))
        })?;
        parts.push(e.not(enabled));
    }
    Ok(fold::all(e, parts))
}

/// For values of the inputs of a move.
struct Search<'s, 'a> {
    terms: &'s Terms<'a>,
    inputs: &'s [VarId],
    n_cases: usize,
    meter: Meter<'s>,
}

impl Search<'_, '_> {
    /// That some values of the inputs satisfy all conditions, without naming inputs. `None` where that would be too long.
    ///
    /// An input that an equation determines is replaced; one that no condition reads has a value, because no domain is
    /// empty; the rest is multiplied out, case by case, so that cases may bring equations to light.
    fn exists(&mut self, conditions: Vec<Expr>) -> Result<Option<Expr>, Stop> {
        let (terms, inputs) = (self.terms, self.inputs);
        let model = terms.model();
        let e = &model.exprs;
        let read = |condition: &Expr| initial::variables(model, *condition);
        let asked = conditions.iter().flat_map(read).find(|var| inputs.contains(var));
        let Some(input) = asked else { return Ok(Some(fold::all(e, conditions))) };
        for (place, &condition) in conditions.iter().enumerate() {
            let Some((input, value)) = equation(model, condition, inputs) else { continue };
            let mut others = conditions.clone();
            others.remove(place);
            let mut others = self.replaced(&others, input, value)?;
            others.push(terms.value_in_domain(value, terms.domain(input)));
            return self.exists(flat(model, others));
        }
        let Some((lo, hi)) = model.bounds(terms.domain(input)) else { return Ok(None) };
        let mut cases = Vec::new();
        for value in lo..=hi {
            self.n_cases += 1;
            if self.n_cases > MOST_CASES {
                return Ok(None);
            }
            let value = terms.constant(terms.domain(input), value);
            let conditions = flat(model, self.replaced(&conditions, input, value)?);
            let Some(case) = self.exists(conditions)? else { return Ok(None) };
            if e.as_bool(case) == Some(true) {
                return Ok(Some(case));
            }
            cases.push(case);
        }
        Ok(Some(fold::any(e, cases)))
    }

    /// Terms read as expressions: a view that gives the input its value is a substitution.
    fn replaced(&mut self, conditions: &[Expr], input: VarId, value: Expr) -> Result<Vec<Expr>, Stop> {
        let mut view = View::new(self.terms.model(), [(input, value)].into());
        let mut replaced = Vec::with_capacity(conditions.len());
        for &condition in conditions {
            let n_before = view.n_known();
            replaced.push(view.read(condition).value);
            self.meter.add((1 + view.n_known() - n_before) as u64 * TERM)?;
        }
        Ok(replaced)
    }
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

fn flat(model: &Model, conditions: Vec<Expr>) -> Vec<Expr> {
    let mut seen: Set<Expr> = Set::default();
    let mut parts: Vec<Expr> = conditions.into_iter().flat_map(|condition| model.exprs.conjuncts(condition)).collect();
    parts.retain(|&part| seen.insert(part));
    parts
}
