//! Replays traces: initial, step by step, and a last state that decides the property.

use std::cell::Cell;

use lapidary_base::{Control, Id, Stop};
use lapidary_ir::model::Raw;
use lapidary_ir::{Action, CommandId, Declarations, Expr, Model, Property, PropertyId, PropertyKind, Statement, VarId};
use lapidary_verdict::{State, Trace, Verdict};

use crate::Rejection;
use crate::eval::{self, Error};
use crate::explain;
use crate::finding::{self, Finding};
use crate::start;
use crate::step::{self, Look};
use crate::words;

/// So many looks at the limits are passed over: what was found just before a limit was reached takes but a moment to look
/// through. One body alone may make twice as many.
const UNSEEN_LOOKS: u32 = 1 << 10;

fn patient(control: &Control) -> impl Fn() -> Result<(), Stop> {
    let n_looks = Cell::new(0);
    move || {
        if n_looks.get() < UNSEEN_LOOKS {
            n_looks.set(n_looks.get() + 1);
            return Ok(());
        }
        control.check()
    }
}

/// Is `trace` a run of `model` that shows `verdict` for the property?
pub fn replay_model(model: &Model, property: PropertyId, verdict: Verdict, trace: &Trace) -> Result<(), Rejection> {
    replay_model_within(model, property, verdict, trace, &Control::new())
}

/// The same within limits.
pub fn replay_model_within(
    model: &Model,
    property: PropertyId,
    verdict: Verdict,
    trace: &Trace,
    control: &Control,
) -> Result<(), Rejection> {
    check_claim(model, property, trace)?;
    replay_model_run_within(model, trace, control)?;
    check_last(model, property, verdict, trace.last(), control)
}

/// Is `trace` a run of `model`, whatever it shows?
pub fn replay_model_run(model: &Model, trace: &Trace) -> Result<(), Rejection> {
    replay_model_run_within(model, trace, &Control::new())
}

/// The same within limits. What takes but a moment is done even when a limit was reached just before: the run was found.
pub fn replay_model_run_within(model: &Model, trace: &Trace, control: &Control) -> Result<(), Rejection> {
    let look = patient(control);
    let commands = check_shape(model, trace)?;
    for (i, state) in trace.states.iter().enumerate() {
        look()?;
        check_values(model, state).map_err(|why| wrong(format!("state {i}: {why}")))?;
    }
    check_initial(model, &trace.states[0], &look, control)?;
    for (i, (command, (_, from, to))) in commands.into_iter().zip(trace.steps()).enumerate() {
        look()?;
        check_step(model, i + 1, command, from, to, &look).map_err(|why| of_loop(trace, i, why))?;
    }
    Ok(())
}

/// What is wrong with a step, which may be the one that is to close the loop.
pub fn of_loop(trace: &Trace, step: usize, why: Rejection) -> Rejection {
    match (why, trace.loop_start.filter(|_| step == trace.n_steps())) {
        (Rejection::Wrong(why), Some(start)) => wrong(format!("the loop does not close to state {start}: {why}")),
        (why, _) => why,
    }
}

fn wrong(text: impl Into<String>) -> Rejection {
    Rejection::Wrong(text.into())
}

pub fn check_claim(model: &Declarations, property: PropertyId, trace: &Trace) -> Result<(), Rejection> {
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

/// The form of a run, and its steps as commands of the model.
pub fn check_shape(model: &Model, trace: &Trace) -> Result<Vec<CommandId>, Rejection> {
    trace.validate().map_err(wrong)?;
    let command = |(i, action): (usize, &Action)| match *action {
        Action::Command(command) if model.commands.get(command).is_some() => Ok(command),
        Action::Command(command) => Err(wrong(format!("the model has no command number {}", command.0))),
        Action::Vector(_) => Err(wrong(format!("step {} is one of a hierarchy, and this is none", i + 1))),
    };
    trace.actions.iter().enumerate().map(command).collect()
}

fn check_values(model: &Model, state: &State) -> Result<(), String> {
    if state.len() != model.vars.len() {
        return Err(format!("{} values for {} variables", state.len(), model.vars.len()));
    }
    if let Some(var) = model.vars.ids().find(|&var| !eval::in_domain(model, var, state[var.index()])) {
        return Err(words::outside(model, var, state[var.index()]));
    }
    let is_left = |var: &VarId| model.is_local(*var) && state[var.index()] != model.first(model.vars[*var].domain);
    match model.vars.ids().find(is_left) {
        Some(var) => {
            let between = mismatch(model, var, state[var.index()], model.first(model.vars[var].domain));
            Err(format!("{between} for a local variable between steps"))
        }
        None => Ok(()),
    }
}

fn check_initial(model: &Model, state: &State, look: Look<'_>, control: &Control) -> Result<(), Rejection> {
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
        Some(true) if model.start == Statement::Skip => Ok(()),
        Some(true) if start::leads_to_within(model, state, look, control)? => Ok(()),
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

/// Does the last state show the verdict?
pub fn check_last(
    model: &Model,
    property: PropertyId,
    verdict: Verdict,
    last: &State,
    control: &Control,
) -> Result<(), Rejection> {
    let look = patient(control);
    let claim = claim(&model.properties[property], verdict)?;
    let label = |command: CommandId| model.commands[command].label.clone();
    let finding = finding::find(model, property, last, Some(&look))?;
    shows(&model.properties[property], verdict, claim, finding, label)
}

/// The same of a property that is a formula, whatever the steps are.
pub fn check_value(
    model: &Declarations,
    property: PropertyId,
    verdict: Verdict,
    last: &State,
) -> Result<(), Rejection> {
    let asked = &model.properties[property];
    let claim = claim(asked, verdict)?;
    shows(asked, verdict, claim, finding::find_formula(model, asked, last)?, |_| {
        unreachable!("formulas ask for no step")
    })
}

/// What a trace is to show, in words, if a trace can.
pub fn claim(asked: &Property, verdict: Verdict) -> Result<&'static str, Rejection> {
    match verdict {
        Verdict::Violated => Ok("is violated"),
        Verdict::Holds if matches!(asked.kind, PropertyKind::Reach(_)) => Ok("holds"),
        Verdict::Holds | Verdict::Unknown => {
            Err(wrong(format!("no trace can show that {} is {}", asked.name, verdict.name())))
        }
    }
}

fn shows(
    asked: &Property,
    verdict: Verdict,
    claim: &str,
    finding: Finding<'_>,
    label: impl Fn(CommandId) -> String,
) -> Result<(), Rejection> {
    let is_reach = matches!(asked.kind, PropertyKind::Reach(_));
    let why = match finding {
        Finding::Errs(_) | Finding::StepErrs(..) | Finding::Deadlock if verdict == Verdict::Violated => return Ok(()),
        // A `reach` property is violated by the absence of a state, which no trace shows: only its faults count.
        Finding::Formula(value) if value == is_reach && is_reach == (verdict == Verdict::Holds) => return Ok(()),
        Finding::Errs(fault) | Finding::StepErrs(_, fault) => format!("it errs there, {}", fault.what),
        Finding::Formula(value) => format!("its formula is {value}"),
        Finding::NoStepErrs => "no command would err".to_owned(),
        Finding::Step(command) => format!("{} has a step", label(command)),
        Finding::Deadlock => "no command has a step".to_owned(),
    };
    Err(not_shown(asked, claim, &why))
}

pub fn not_shown(asked: &Property, claim: &str, why: &str) -> Rejection {
    wrong(format!("the last state does not show that {} {claim}: {why}", asked.name))
}
