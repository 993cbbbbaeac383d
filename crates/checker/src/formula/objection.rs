//! Objections in words. What a solver shows as one is looked at with the interpreter first: an example that is none
//! says nothing about the certificate.

use std::cell::Cell;

use lapidary_base::Stop;
use lapidary_ir::model::Raw;
use lapidary_ir::{CommandId, Expr, Model, PropertyKind, Statement};

use super::talk::stopped;
use crate::Rejection;
use crate::budget;
use crate::certify::Claim;
use crate::eval::{self, Error};
use crate::finding::{self, Finding};
use crate::start;
use crate::step::{self, Trouble};
use crate::words;

/// A command with more executions from a state than this is not executed.
const MOST_EXECUTIONS: u64 = 1 << 12;

/// The example of a solver is none.
pub fn nonsense(what: &str) -> Rejection {
    stopped(format!("the solver's example of {what} is none"))
}

/// Is the expression defined and true in the state?
pub fn holds(model: &Model, expr: Expr, state: &[Raw]) -> Result<bool, Rejection> {
    match eval::truth(model, expr, state) {
        Ok(value) => Ok(value),
        Err(Error::Undefined) => Ok(false),
        Err(Error::Overflow) => Err(finding::overflow("the certificate")),
    }
}

/// Within all domains, and the model's invariant is true.
pub fn is_configuration(model: &Model, state: &[Raw]) -> bool {
    let within = model.vars.ids().zip(state).all(|(var, &value)| eval::in_domain(model, var, value));
    within && step::keeps_invariant(model, state) != Some(false)
}

/// So many looks at the limits are as long as a start is followed.
const MOST_LOOKS: u32 = 1 << 8;

/// Is it an initial state? What would take long to find out of a start is believed.
pub fn is_initial(model: &Model, state: &[Raw]) -> Result<bool, Rejection> {
    if model.start != Statement::Skip {
        let n_looks = Cell::new(0);
        let look = || {
            n_looks.set(n_looks.get() + 1);
            if n_looks.get() > MOST_LOOKS { Err(Stop::Timeout) } else { Ok(()) }
        };
        return match start::leads_to(model, state, &look) {
            Ok(is_end) => Ok(is_end && is_configuration(model, state)),
            Err(Rejection::Wrong(why)) => Err(stopped(why)),
            Err(Rejection::Stopped(Stop::Timeout | Stop::Incomplete(_))) => Ok(is_configuration(model, state)),
            Err(stop @ Rejection::Stopped(_)) => Err(stop),
        };
    }
    for &part in &model.init {
        if !holds(model, part, state)? {
            return Ok(false);
        }
    }
    Ok(is_configuration(model, state))
}

/// Does the command lead from one to the other? What would take long to find out is believed.
pub fn is_step(model: &Model, command: CommandId, from: &[Raw], to: &[Raw]) -> Result<bool, Rejection> {
    if budget::n_executions(model, &model.commands[command].body) > MOST_EXECUTIONS {
        return Ok(is_configuration(model, to));
    }
    match step::is_step(model, command, from, to) {
        Ok(is_step) => Ok(is_step),
        Err(Trouble::Long) => Ok(is_configuration(model, to)),
        Err(why @ (Trouble::Overflow | Trouble::Unbounded(_) | Trouble::Stopped(_))) => {
            Err(match finding::trouble(model, command, why) {
                Rejection::Wrong(why) => stopped(why),
                stop @ Rejection::Stopped(_) => stop,
            })
        }
    }
}

pub fn wrong(why: String) -> Rejection {
    Rejection::Wrong(why)
}

/// `(x=1) leads by up to (x=2), which is not in the set`
pub fn leaves(model: &Model, command: CommandId, from: &[Raw], to: &[Raw]) -> Rejection {
    match is_step(model, command, from, to) {
        Err(rejection) => rejection,
        Ok(true) if !is_configuration(model, from) => nonsense("a state"),
        Ok(false) => nonsense(&format!("a step of {}", model.commands[command].label)),
        Ok(true) => {
            let [from, to] = [from, to].map(|state| words::state(model, state));
            let label = &model.commands[command].label;
            wrong(format!("({from}) leads by {label} to ({to}), which is not in the set"))
        }
    }
}

pub fn not_initially(model: &Model, state: &[Raw]) -> Rejection {
    match is_initial(model, state) {
        Err(rejection) => rejection,
        Ok(false) => nonsense("an initial state"),
        Ok(true) => wrong(format!("the initial state ({}) is not in the set", words::state(model, state))),
    }
}

/// Why a member of the set spoils the claim.
pub fn spoils(model: &Model, claim: Claim, state: &[Raw]) -> Rejection {
    let property = &model.properties[claim.property()];
    let (name, shown) = (&property.name, words::state(model, state));
    if !is_configuration(model, state) {
        return nonsense("a state");
    }
    if property.kind == PropertyKind::DeadlockFree {
        return match is_stuck(model, state) {
            true => wrong(format!("the set contains ({shown}), which has no step, against {name}")),
            false => nonsense("a state without a step"),
        };
    }
    let why = match finding::find(model, claim.property(), state, None) {
        Err(Rejection::Wrong(why)) => why,
        Err(stop @ Rejection::Stopped(_)) => return stop,
        Ok(Finding::Errs(fault)) => format!("it errs in {name}: {}", fault.what),
        Ok(Finding::StepErrs(command, fault)) => {
            format!("{} would err: {}", model.commands[command].label, fault.what)
        }
        Ok(Finding::Formula(value)) => {
            let is_reach = matches!(property.kind, PropertyKind::Reach(_));
            match (claim, value) {
                (Claim::Decides(_), true) if is_reach => format!("it satisfies {name}"),
                (Claim::Decides(_), false) if !is_reach => format!("it violates {name}"),
                (Claim::Decides(_) | Claim::NeverErrs(_), _) => return nonsense("a state against the property"),
            }
        }
        Ok(Finding::NoStepErrs | Finding::Step(_) | Finding::Deadlock) => {
            return nonsense("a state against the property");
        }
    };
    wrong(format!("the set contains ({shown}): {why}"))
}

/// No command has a step, as far as that is quickly found out.
fn is_stuck(model: &Model, state: &[Raw]) -> bool {
    let counts = |command: &CommandId| {
        let command = &model.commands[*command];
        !command.is_idle && budget::n_executions(model, &command.body) <= MOST_EXECUTIONS
    };
    let has_step = |command| step::successors(model, command, state).is_ok_and(|found| !found.is_empty());
    !model.commands.ids().filter(counts).any(has_step)
}
