//! What a single state says about a property, on the plain interpreter.

use lapidary_base::Stop;
use lapidary_ir::model::Raw;
use lapidary_ir::{CommandId, Declarations, Fault, Model, Property, PropertyId, PropertyKind};

use crate::Rejection;
use crate::eval::{self, Error};
use crate::step::{self, Look, Trouble};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finding<'a> {
    /// Evaluating the property's formula goes wrong.
    Errs(&'a Fault),
    /// The formula has this value.
    Formula(bool),
    /// A command would err here.
    StepErrs(CommandId, &'a Fault),
    NoStepErrs,
    /// The first command, idle ones apart, that has a step.
    Step(CommandId),
    Deadlock,
}

/// What `state` says about the property; a rejection where that cannot be told. Without limits to look at, what takes long
/// cannot.
pub fn find<'a>(
    model: &'a Model,
    property: PropertyId,
    state: &[Raw],
    look: Option<Look<'_>>,
) -> Result<Finding<'a>, Rejection> {
    let property = &model.properties[property];
    match &property.kind {
        PropertyKind::Invariant(_) | PropertyKind::Reach(_) => find_formula(model, property, state),
        PropertyKind::DeadlockFree => find_step(model, state, look),
        PropertyKind::NoErrors => find_step_error(model, state),
        PropertyKind::Ltl(_) => Err(unsupported(property)),
    }
}

pub fn unsupported(property: &Property) -> Rejection {
    Rejection::Wrong(format!("unsupported evidence: {} is a temporal property", property.name))
}

pub fn overflow(place: impl Into<String>) -> Rejection {
    Rejection::Stopped(Stop::Overflow(place.into()))
}

/// In which words the steps of a command cannot be told.
pub fn trouble(model: &Model, command: CommandId, trouble: Trouble) -> Rejection {
    trouble_of(model, &model.commands[command].label, trouble)
}

/// The same of the statement that gives the initial states.
pub fn start_trouble(model: &Model, trouble: Trouble) -> Rejection {
    trouble_of(model, "the start", trouble)
}

fn trouble_of(model: &Model, label: &str, trouble: Trouble) -> Rejection {
    match trouble {
        Trouble::Overflow => overflow(label),
        Trouble::Unbounded(var) => Stop::Incomplete(format!(
            "cannot enumerate the steps of {label}: it gives {} any of infinitely many values",
            model.vars[var].name
        ))
        .into(),
        Trouble::Long => {
            Stop::Incomplete(format!("the executions of {label} go through more states than are followed")).into()
        }
        Trouble::Stopped(stop) => stop.into(),
    }
}

/// What a property that is a formula says of a state.
pub fn find_formula<'a>(
    model: &'a Declarations,
    property: &'a Property,
    state: &[Raw],
) -> Result<Finding<'a>, Rejection> {
    let formula = match &property.kind {
        PropertyKind::Invariant(formula) | PropertyKind::Reach(formula) => *formula,
        PropertyKind::DeadlockFree | PropertyKind::NoErrors | PropertyKind::Ltl(_) => {
            return Err(Rejection::Wrong(format!("{} is no formula about single states", property.name)));
        }
    };
    if let Some(fault) = first_fault(model, &property.faults, &property.name, state)? {
        return Ok(Finding::Errs(fault));
    }
    match eval::truth(model, formula, state) {
        Ok(value) => Ok(Finding::Formula(value)),
        Err(Error::Overflow) => Err(overflow(&property.name)),
        // The front end lists every way to err; a gap in its list must not pass as an answer of either kind.
        Err(Error::Undefined) => {
            Err(Rejection::Wrong(format!("{} has no value, but none of its faults says why", property.name)))
        }
    }
}

fn find_step_error<'a>(model: &'a Model, state: &[Raw]) -> Result<Finding<'a>, Rejection> {
    for (id, command) in model.commands.enumerated() {
        if let Some(fault) = first_fault(model, &command.faults, &command.label, state)? {
            return Ok(Finding::StepErrs(id, fault));
        }
    }
    Ok(Finding::NoStepErrs)
}

fn find_step<'a>(model: &Model, state: &[Raw], look: Option<Look<'_>>) -> Result<Finding<'a>, Rejection> {
    for command in model.commands.ids().filter(|&id| !model.commands[id].is_idle) {
        let found = match look {
            Some(look) => step::successors_within(model, command, state, look),
            None => step::successors(model, command, state),
        };
        let found = found.map_err(|why| trouble(model, command, why))?;
        if !found.is_empty() {
            return Ok(Finding::Step(command));
        }
    }
    Ok(Finding::Deadlock)
}

/// The first fault that is there in this state; `of` is what errs, for messages.
pub fn first_fault<'a>(
    model: &Declarations,
    faults: &'a [Fault],
    of: &str,
    state: &[Raw],
) -> Result<Option<&'a Fault>, Rejection> {
    for fault in faults {
        match eval::truth(model, fault.when, state) {
            Ok(true) => return Ok(Some(fault)),
            Ok(false) => {}
            Err(Error::Overflow) => return Err(overflow(of)),
            Err(Error::Undefined) => {
                return Err(Rejection::Wrong(format!("a fault of {of} has no value itself: {}", fault.what)));
            }
        }
    }
    Ok(None)
}
