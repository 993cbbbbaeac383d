//! All ways to give flows values that satisfy some assertions.
//!
//! Flows that no assertion connects are solved apart, so that one part without a solution is not tried again for every
//! solution of another. Within a part, a flow with an equation gets its value from it; others are tried.

use std::collections::BTreeSet;

use lapidary_base::Id;
use lapidary_ir::model::Raw;
use lapidary_ir::{Declarations, Expr, VarId};

use super::{Work, is_true, number};
use crate::Rejection;
use crate::eval;
use crate::initial;

enum Step {
    Define(VarId, Expr),
    Try(VarId, Raw, Raw),
    Test(Expr),
}

struct Part {
    steps: Vec<Step>,
    /// The variables that are given.
    reads: BTreeSet<VarId>,
}

pub struct Solver {
    parts: Vec<Part>,
    /// The number of steps of all parts.
    n_steps: usize,
}

struct Constraint {
    expr: Expr,
    unknown: BTreeSet<VarId>,
    given: BTreeSet<VarId>,
}

impl Solver {
    /// Gives values to `unknown`; all other variables are given.
    pub fn new(model: &Declarations, unknown: &BTreeSet<VarId>, assertions: impl Iterator<Item = Expr>) -> Self {
        let constraint = |expr| {
            let (unknown, given) = initial::variables(model, expr).into_iter().partition(|var| unknown.contains(var));
            Constraint { expr, unknown, given }
        };
        let constraints = assertions.flat_map(|expr| model.exprs.conjuncts(expr)).map(constraint).collect();
        let parts: Vec<Part> =
            groups(unknown, constraints).into_iter().map(|(vars, group)| part(model, vars, group)).collect();
        let n_steps = parts.iter().map(|part| part.steps.len()).sum();
        Self { parts, n_steps }
    }

    /// Is there a solution, if `state` was one before the `changed` variables changed?
    pub fn is_solvable(
        &self,
        model: &Declarations,
        state: &mut [Raw],
        changed: impl Fn(VarId) -> bool,
        work: &mut Work<'_>,
    ) -> Result<bool, Rejection> {
        for part in self.parts.iter().filter(|part| part.reads.iter().any(|&var| changed(var))) {
            let steps: Vec<&Step> = part.steps.iter().collect();
            let mut is_solved = false;
            search(model, &steps, state, work, &mut |_| {
                is_solved = true;
                Going::Enough
            })?;
            if !is_solved {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Calls `visit` on every solution.
    pub fn for_each(
        &self,
        model: &Declarations,
        state: &mut [Raw],
        work: &mut Work<'_>,
        mut visit: impl FnMut(&[Raw]),
    ) -> Result<(), Rejection> {
        let mut steps = Vec::with_capacity(self.n_steps);
        steps.extend(self.parts.iter().flat_map(|part| &part.steps));
        search(model, &steps, state, work, &mut |state| {
            visit(state);
            Going::On
        })?;
        Ok(())
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Going {
    On,
    Enough,
}

fn search(
    model: &Declarations,
    steps: &[&Step],
    state: &mut [Raw],
    work: &mut Work<'_>,
    visit: &mut dyn FnMut(&[Raw]) -> Going,
) -> Result<Going, Rejection> {
    for (i, step) in steps.iter().enumerate() {
        work.spend(1)?;
        match **step {
            Step::Test(condition) => {
                if !is_true(model, condition, state)? {
                    return Ok(Going::On);
                }
            }
            Step::Define(var, value) => {
                match number(model, value, state)?.and_then(|value| Raw::try_from(value).ok()) {
                    Some(value) if eval::in_domain(model, var, value) => state[var.index()] = value,
                    Some(_) | None => return Ok(Going::On),
                }
            }
            Step::Try(var, lo, hi) => {
                for value in lo..=hi {
                    state[var.index()] = value;
                    if search(model, &steps[i + 1..], state, work, visit)? == Going::Enough {
                        return Ok(Going::Enough);
                    }
                }
                return Ok(Going::On);
            }
        }
    }
    Ok(visit(state))
}

/// Unknown variables that constraints connect, with these constraints. Each constraint without any is alone.
fn groups(unknown: &BTreeSet<VarId>, constraints: Vec<Constraint>) -> Vec<(BTreeSet<VarId>, Vec<Constraint>)> {
    let mut groups: Vec<(BTreeSet<VarId>, Vec<Constraint>)> =
        unknown.iter().map(|&var| (BTreeSet::from([var]), Vec::new())).collect();
    for constraint in constraints {
        let is_touched = |group: &(BTreeSet<VarId>, Vec<Constraint>)| !group.0.is_disjoint(&constraint.unknown);
        let (touched, rest): (Vec<_>, Vec<_>) = groups.into_iter().partition(is_touched);
        let mut merged = (BTreeSet::new(), Vec::new());
        for (vars, constraints) in touched {
            merged.0.extend(vars);
            merged.1.extend(constraints);
        }
        merged.1.push(constraint);
        groups = rest;
        groups.push(merged);
    }
    groups
}

/// Tests as early as possible, equations before tries.
fn part(model: &Declarations, mut vars: BTreeSet<VarId>, mut waiting: Vec<Constraint>) -> Part {
    let reads = waiting.iter().flat_map(|constraint| constraint.given.iter().copied()).collect();
    let mut steps = Vec::new();
    loop {
        let (ready, rest): (Vec<_>, Vec<_>) =
            waiting.into_iter().partition(|constraint| constraint.unknown.is_disjoint(&vars));
        steps.extend(ready.into_iter().map(|constraint| Step::Test(constraint.expr)));
        waiting = rest;
        if let Some((i, var, value)) = equation(model, &vars, &waiting) {
            waiting.remove(i);
            vars.remove(&var);
            steps.push(Step::Define(var, value));
            continue;
        }
        let size = |var: &VarId| {
            let (lo, hi) = eval::bounds(model, model.vars[*var].domain);
            (hi.abs_diff(lo), *var)
        };
        let Some(var) = vars.iter().copied().min_by_key(size) else { break };
        vars.remove(&var);
        let (lo, hi) = eval::bounds(model, model.vars[var].domain);
        steps.push(Step::Try(var, lo, hi));
    }
    Part { steps, reads }
}

/// A constraint that gives an unknown variable a value that is known.
fn equation(model: &Declarations, vars: &BTreeSet<VarId>, waiting: &[Constraint]) -> Option<(usize, VarId, Expr)> {
    waiting.iter().enumerate().find_map(|(i, constraint)| {
        let equations = initial::equations(model, constraint.expr).into_iter();
        let mut usable = equations.filter(|(var, _, reads)| vars.contains(var) && reads.is_disjoint(vars));
        usable.next().map(|(var, value, _)| (i, var, value))
    })
}
