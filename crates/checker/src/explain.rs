//! Why a state decides a property, and why a command has no step in a state.

use lapidary_ir::model::Raw;
use lapidary_ir::{CommandId, Expr, Fault, Model, PropertyId, PropertyKind, Statement};

use crate::eval;
use crate::finding::{self, Finding};

/// A sentence about a state that decides the property because something errs there; none where the formula's plain
/// value decides. The place of the error is the caller's to add.
pub fn explain(model: &Model, property: PropertyId, state: &[Raw]) -> Option<String> {
    match find(model, property, state)? {
        Finding::Errs(fault) => Some(format!("evaluating the property errs: {}", fault.what)),
        Finding::StepErrs(command, fault) => {
            Some(format!("{} would err: {}", model.commands[command].label, fault.what))
        }
        Finding::Formula(_) | Finding::NoStepErrs | Finding::Step(_) | Finding::Deadlock => None,
    }
}

/// The fault that makes [`explain`] speak, for its span.
pub fn deciding_fault<'a>(model: &'a Model, property: PropertyId, state: &[Raw]) -> Option<&'a Fault> {
    match find(model, property, state)? {
        Finding::Errs(fault) | Finding::StepErrs(_, fault) => Some(fault),
        Finding::Formula(_) | Finding::NoStepErrs | Finding::Step(_) | Finding::Deadlock => None,
    }
}

/// Whether there is a step at all is no error, and may take long to find out.
fn find<'a>(model: &'a Model, property: PropertyId, state: &[Raw]) -> Option<Finding<'a>> {
    match model.properties[property].kind {
        PropertyKind::DeadlockFree => None,
        PropertyKind::Invariant(_) | PropertyKind::Reach(_) | PropertyKind::NoErrors | PropertyKind::Ltl(_) => {
            finding::find(model, property, state, None).ok()
        }
    }
}

/// The first conjunct of the command's first assumption that is not true: what keeps the command from firing.
pub fn failing_conjunct(model: &Model, command: CommandId, state: &[Raw]) -> Option<Expr> {
    let guard = first_assumption(&model.commands[command].body)?;
    let conjuncts = model.exprs.conjuncts(guard);
    conjuncts.into_iter().find(|&part| eval::truth(model, part, state) != Ok(true))
}

/// The first of the command's faults that is there in this state.
pub fn responsible_fault<'a>(model: &'a Model, command: CommandId, state: &[Raw]) -> Option<&'a Fault> {
    let faults = &model.commands[command].faults;
    faults.iter().find(|fault| eval::truth(model, fault.when, state) == Ok(true))
}

/// The assumption that a statement starts with, unless something may happen before it.
fn first_assumption(statement: &Statement) -> Option<Expr> {
    match statement {
        Statement::Assume(condition) => Some(*condition),
        Statement::Sequence(parts) => first_assumption(parts.iter().find(|part| **part != Statement::Skip)?),
        Statement::Skip | Statement::Assign(_) | Statement::Choice(_) | Statement::If(..) => None,
        Statement::While(..) => None,
        // In a state its variables have the values that it gives them.
        Statement::Scope(_, body) => first_assumption(body),
    }
}
