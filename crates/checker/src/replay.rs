//! Replays traces: initial, step by step, and a last state that decides the property.

use std::time::{Duration, Instant};

use lapidary_base::{Control, Id};
use lapidary_ir::model::Raw;
use lapidary_ir::{CommandId, Expr, Model, PropertyId, PropertyKind, Statement, VarId};
use lapidary_verdict::{State, Trace, Verdict};

use crate::Rejection;
use crate::eval::{self, Error};
use crate::explain;
use crate::finding::{self, Finding};
use crate::start;
use crate::step::{self, Look};
use crate::words;

const MOMENT: Duration = Duration::from_millis(300);

/// Is `trace` a run of `model` that shows `verdict` for the property?
pub fn replay(model: &Model, property: PropertyId, verdict: Verdict, trace: &Trace) -> Result<(), Rejection> {
    replay_within(model, property, verdict, trace, &Control::new())
}

/// The same within limits.
pub fn replay_within(
    model: &Model,
    property: PropertyId,
    verdict: Verdict,
    trace: &Trace,
    control: &Control,
) -> Result<(), Rejection> {
    check_claim(model, property, trace)?;
    replay_run_within(model, trace, control)?;
    check_last(model, property, verdict, trace.last(), control)
}

/// Is `trace` a run of `model`, whatever it shows?
pub fn replay_run(model: &Model, trace: &Trace) -> Result<(), Rejection> {
    replay_run_within(model, trace, &Control::new())
}

/// The same within limits. What takes but a moment is done even when a limit was reached just before: the run was found.
pub fn replay_run_within(model: &Model, trace: &Trace, control: &Control) -> Result<(), Rejection> {
    let start = Instant::now();
    let look = || if start.elapsed() > MOMENT { control.check() } else { Ok(()) };
    check_shape(model, trace)?;
    for (i, state) in trace.states.iter().enumerate() {
        look()?;
        check_values(model, state).map_err(|why| wrong(format!("state {i}: {why}")))?;
    }
    check_initial(model, &trace.states[0], &look)?;
    for (i, (&action, pair)) in trace.actions.iter().zip(trace.states.windows(2)).enumerate() {
        look()?;
        check_step(model, i + 1, action, &pair[0], &pair[1], &look)?;
    }
    Ok(())
}

fn wrong(text: impl Into<String>) -> Rejection {
    Rejection::Wrong(text.into())
}

pub fn check_claim(model: &Model, property: PropertyId, trace: &Trace) -> Result<(), Rejection> {
    let Some(asked) = model.properties.get(property) else {
        return Err(wrong(format!("the model has no property number {}", property.0)));
    };
    if let PropertyKind::Ltl(_) = asked.kind {
        return Err(finding::unsupported(asked));
    }
    if trace.loop_start.is_some() {
        return Err(wrong(format!("not a path: the trace for {} has a loop", asked.name)));
    }
    Ok(())
}

pub fn check_shape(model: &Model, trace: &Trace) -> Result<(), Rejection> {
    if trace.loop_start.is_some() {
        return Err(wrong("not a path: the trace has a loop"));
    }
    if trace.states.is_empty() {
        return Err(wrong("the trace has no states"));
    }
    if trace.actions.len() + 1 != trace.states.len() {
        let (n_states, n_actions) = (trace.states.len(), trace.actions.len());
        return Err(wrong(format!(
            "the trace has {n_states} states and {n_actions} actions, it needs one action less"
        )));
    }
    match trace.actions.iter().find(|action| model.commands.get(**action).is_none()) {
        Some(action) => Err(wrong(format!("the model has no command number {}", action.0))),
        None => Ok(()),
    }
}

fn check_values(model: &Model, state: &State) -> Result<(), String> {
    if state.len() != model.vars.len() {
        return Err(format!("{} values for {} variables", state.len(), model.vars.len()));
    }
    if let Some(var) = model.vars.ids().find(|&var| !eval::in_domain(model, var, state[var.index()])) {
        return Err(words::outside(model, var, state[var.index()]));
    }
    let is_left = |var: &VarId| model.is_local(*var) && state[var.index()] != model.vars[*var].domain.first();
    match model.vars.ids().find(is_left) {
        Some(var) => {
            let between = mismatch(model, var, state[var.index()], model.vars[var].domain.first());
            Err(format!("{between} for a local variable between steps"))
        }
        None => Ok(()),
    }
}

fn check_initial(model: &Model, state: &State, look: Look<'_>) -> Result<(), Rejection> {
    let begins = if model.start == Statement::Skip { &model.init[..] } else { &[] };
    let conditions: Vec<Expr> = begins.iter().flat_map(|&part| model.exprs.conjuncts(part)).collect();
    for (i, &condition) in conditions.iter().enumerate() {
        let why = match eval::truth(model, condition, state) {
            Ok(true) => continue,
            Ok(false) => unmet(model, condition, i, state),
            Err(Error::Undefined) => format!("initial condition {} has no value", i + 1),
            Err(Error::Overflow) => return Err(finding::overflow("the initial condition")),
        };
        return Err(wrong(format!("state 0 is not initial: {why}")));
    }
    match step::keeps_invariant(model, state) {
        Some(true) if model.start == Statement::Skip || start::leads_to(model, state, look)? => Ok(()),
        Some(true) => Err(wrong("state 0 is not initial: the start does not lead there")),
        Some(false) => Err(wrong("state 0 is not initial: the model's invariant is not true")),
        None => Err(finding::overflow("the model's invariant")),
    }
}

/// `x is 1, expected 0`, or the number of the condition where it is not that simple.
fn unmet(model: &Model, condition: Expr, number: usize, state: &State) -> String {
    match words::required_value(model, condition) {
        Some((var, expected)) => mismatch(model, var, state[var.index()], expected),
        None => format!("initial condition {} is false", number + 1),
    }
}

fn mismatch(model: &Model, var: VarId, found: Raw, expected: Raw) -> String {
    let (found, expected) = (words::value(model, var, found), words::value(model, var, expected));
    format!("{} is {found}, expected {expected}", model.vars[var].name)
}

fn check_step(
    model: &Model,
    number: usize,
    action: CommandId,
    from: &State,
    to: &State,
    look: Look<'_>,
) -> Result<(), Rejection> {
    match step::is_step_within(model, action, from, to, look) {
        Ok(true) => Ok(()),
        Ok(false) => {
            let label = &model.commands[action].label;
            Err(wrong(format!("step {number}: {label} {}", why_no_step(model, action, from, to))))
        }
        Err(why) => Err(finding::trouble(model, action, why)),
    }
}

/// The most telling reason first: disabled, a variable that is none of its business, a value that it does not give.
fn why_no_step(model: &Model, action: CommandId, from: &State, to: &State) -> String {
    if let Some(fault) = explain::responsible_fault(model, action, from) {
        return format!("is not enabled: it would err, {}", fault.what);
    }
    let successors = step::successors(model, action, from);
    if explain::failing_conjunct(model, action, from).is_some() || successors.as_ref().is_ok_and(Vec::is_empty) {
        return "is not enabled".to_owned();
    }
    let body = &model.commands[action].body;
    let changed = |var: &VarId| from[var.index()] != to[var.index()];
    if let Some(var) = model.vars.ids().filter(changed).find(|&var| !step::may_write(model, body, var)) {
        let (old, new) = (from[var.index()], to[var.index()]);
        let (old, new) = (words::value(model, var, old), words::value(model, var, new));
        return format!("does not write {}, which changes from {old} to {new}", model.vars[var].name);
    }
    match successors.as_deref() {
        Ok([only]) => match model.vars.ids().find(|var| only[var.index()] != to[var.index()]) {
            Some(var) => format!("leads elsewhere: {}", mismatch(model, var, to[var.index()], only[var.index()])),
            None => "leads elsewhere".to_owned(),
        },
        Ok(_) | Err(_) => format!("has no execution that leads to {}", words::state(model, to)),
    }
}

pub fn check_last(
    model: &Model,
    property: PropertyId,
    verdict: Verdict,
    last: &State,
    control: &Control,
) -> Result<(), Rejection> {
    let start = Instant::now();
    let look = || if start.elapsed() > MOMENT { control.check() } else { Ok(()) };
    let asked = &model.properties[property];
    let is_reach = matches!(asked.kind, PropertyKind::Reach(_));
    let claim = match verdict {
        Verdict::Violated => "is violated",
        Verdict::Holds if is_reach => "holds",
        Verdict::Holds | Verdict::Unknown => {
            return Err(wrong(format!("no trace can show that {} is {}", asked.name, verdict.name())));
        }
    };
    let finding = finding::find(model, property, last, Some(&look))?;
    let why = match finding {
        Finding::Errs(_) | Finding::StepErrs(..) | Finding::Deadlock if verdict == Verdict::Violated => return Ok(()),
        // A `reach` property is violated by the absence of a state, which no trace shows: only its faults count.
        Finding::Formula(value) if value == is_reach && is_reach == (verdict == Verdict::Holds) => return Ok(()),
        Finding::Errs(fault) | Finding::StepErrs(_, fault) => format!("it errs there, {}", fault.what),
        Finding::Formula(value) => format!("its formula is {value}"),
        Finding::NoStepErrs => "no command would err".to_owned(),
        Finding::Step(command) => format!("{} has a step", model.commands[command].label),
        Finding::Deadlock => "no command has a step".to_owned(),
    };
    Err(wrong(format!("the last state does not show that {} {claim}: {why}", asked.name)))
}
