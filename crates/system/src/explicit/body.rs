//! What a body becomes: one rule for each way through it where the ways are a plain sum, else one rule with branches.

use std::collections::BTreeSet;

use lapidary_ir::passes::Leaf;
use lapidary_ir::{Assignment, Declarations, Destination, Rhs, Statement, VarId};

/// A body that is only one choice among straight ways has one rule for each, up to so many.
const MAX_WAYS: usize = 1 << 12;

/// What comes before and behind the choice is written out for each way; together they have at most so many parts.
const MAX_PARTS: usize = 1 << 22;

/// Statements that happen one after the other; none of them is a sequence or a choice of one.
pub type Way<'a> = Vec<&'a Statement>;

/// How a way is executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Without branches: all inputs are chosen beforehand.
    Straight,
    /// With branches of which each state takes one.
    Branching,
    /// With inputs or choices on a branch or before one.
    Forking,
}

pub fn form(way: &[&Statement]) -> Form {
    match way {
        _ if way.iter().all(|part| is_straight(part)) => Form::Straight,
        _ if way.iter().any(|part| has_fork(part)) => Form::Forking,
        _ => Form::Branching,
    }
}

/// Whether two executions of a command can lead from one state to the same state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Executions {
    Distinct,
    Ambiguous,
}

/// Several ways may meet; so may the values of an input that a later assignment, or the end of a scope, overwrites.
pub fn executions(ways: &[Way<'_>]) -> Executions {
    let is_distinct = match ways {
        [] => true,
        [way] => match form(way) {
            Form::Straight => !overwrites_input(way),
            Form::Branching => true,
            Form::Forking => false,
        },
        _ => false,
    };
    if is_distinct { Executions::Distinct } else { Executions::Ambiguous }
}

fn overwrites_input(way: &[&Statement]) -> bool {
    let mut assigns = assignments(way).into_iter();
    assigns.any(has_input) && (assigns.next().is_some() || locals(way).next().is_some())
}

pub fn has_input(assignments: &[Assignment]) -> bool {
    assignments.iter().any(|part| part.value == Rhs::Any)
}

/// Appends the parts of a statement.
pub fn flatten<'a>(statement: &'a Statement, into: &mut Way<'a>) {
    match statement {
        Statement::Skip => {}
        Statement::Sequence(parts) => parts.iter().for_each(|part| flatten(part, into)),
        Statement::Choice(branches) if branches.len() == 1 => flatten(&branches[0], into),
        Statement::Assume(_) | Statement::Assign(_) | Statement::Choice(_) => into.push(statement),
        Statement::If(..) | Statement::While(..) | Statement::Scope(..) => into.push(statement),
    }
}

pub fn flat(statement: &Statement) -> Way<'_> {
    let mut way = Vec::new();
    flatten(statement, &mut way);
    way
}

/// There is one way through it at most.
pub fn is_straight(statement: &Statement) -> bool {
    match statement {
        Statement::Skip | Statement::Assume(_) | Statement::Assign(_) => true,
        Statement::Sequence(parts) => parts.iter().all(is_straight),
        Statement::Choice(branches) => branches.len() < 2 && branches.iter().all(is_straight),
        Statement::If(..) | Statement::While(..) => false,
        Statement::Scope(_, inner) => is_straight(inner),
    }
}

/// A state may have several executions of it.
pub fn has_fork(statement: &Statement) -> bool {
    match statement {
        Statement::Skip | Statement::Assume(_) => false,
        Statement::Assign(assignments) => has_input(assignments),
        Statement::Sequence(parts) => parts.iter().any(has_fork),
        Statement::Choice(branches) => branches.len() > 1 || branches.iter().any(has_fork),
        Statement::If(_, then, otherwise) => has_fork(then) || has_fork(otherwise),
        Statement::While(_, inner) | Statement::Scope(_, inner) => has_fork(inner),
    }
}

/// All statements within, in the order of the text.
fn within<'a>(way: &[&'a Statement]) -> Vec<&'a Statement> {
    let (mut found, mut open): (Way<'a>, Way<'a>) = (Vec::new(), way.iter().rev().copied().collect());
    while let Some(statement) = open.pop() {
        found.push(statement);
        match statement {
            Statement::Skip | Statement::Assume(_) | Statement::Assign(_) => {}
            Statement::Sequence(parts) | Statement::Choice(parts) => open.extend(parts.iter().rev()),
            Statement::If(_, then, otherwise) => open.extend([&**otherwise, &**then]),
            Statement::While(_, inner) | Statement::Scope(_, inner) => open.push(inner),
        }
    }
    found
}

fn assignments<'a>(way: &[&'a Statement]) -> Vec<&'a [Assignment]> {
    let assigned = |statement: &'a Statement| match statement {
        Statement::Assign(assignments) => Some(&assignments[..]),
        Statement::Skip | Statement::Assume(_) | Statement::Sequence(_) | Statement::Choice(_) => None,
        Statement::If(..) | Statement::While(..) | Statement::Scope(..) => None,
    };
    within(way).into_iter().filter_map(assigned).collect()
}

/// The local variables whose scopes lie within.
fn locals<'a>(way: &[&'a Statement]) -> impl Iterator<Item = VarId> + use<'a> {
    within(way)
        .into_iter()
        .flat_map(|statement| match statement {
            Statement::Scope(locals, _) => &locals[..],
            Statement::Skip | Statement::Assume(_) | Statement::Assign(_) | Statement::Sequence(_) => &[],
            Statement::Choice(_) | Statement::If(..) | Statement::While(..) => &[],
        })
        .copied()
}

/// The same as a list that tells which parts of the invariant are spoken of.
pub fn leaves<'a>(way: &[&'a Statement]) -> Vec<Leaf<'a>> {
    assignments(way).into_iter().map(Leaf::Assign).collect()
}

/// The variables that may be written. A family is written as a whole.
pub fn written(model: &Declarations, way: &[&Statement]) -> BTreeSet<VarId> {
    let mut all: BTreeSet<VarId> = locals(way).collect();
    for assignment in assignments(way).into_iter().flatten() {
        match assignment.to {
            Destination::Var(var) => all.extend([var]),
            Destination::Cell(family, _) => all.extend(model.cells(family)),
        }
    }
    all
}

/// How many branchings lie within, those in loops left out: they say nothing about the order of the executions.
pub fn n_decisions(statement: &Statement) -> u32 {
    let sum = |parts: &[Statement]| parts.iter().map(n_decisions).fold(0, u32::saturating_add);
    match statement {
        Statement::Skip | Statement::Assume(_) | Statement::Assign(_) | Statement::While(..) => 0,
        Statement::Sequence(parts) | Statement::Choice(parts) => sum(parts),
        Statement::If(_, then, otherwise) => {
            1u32.saturating_add(n_decisions(then)).saturating_add(n_decisions(otherwise))
        }
        Statement::Scope(_, inner) => n_decisions(inner),
    }
}

/// The ways that have rules of their own, in order.
pub fn ways(body: &Statement) -> Vec<Way<'_>> {
    let whole = flat(body);
    let (mut all, mut n_parts) = (Vec::new(), 0);
    match split(whole.clone(), &mut all, &mut n_parts) {
        Some(()) => all,
        None => vec![whole],
    }
}

/// Splits a way at its choice, if it has no other branches: the order of the executions is that of the branches then.
fn split<'a>(way: Way<'a>, all: &mut Vec<Way<'a>>, n_parts: &mut usize) -> Option<()> {
    let mut branching = (0..way.len()).filter(|&i| !is_straight(way[i]));
    let only = branching.next().filter(|_| branching.next().is_none());
    let Some((place, Statement::Choice(branches))) = only.map(|place| (place, way[place])) else {
        *n_parts += way.len();
        all.push(way);
        return (all.len() <= MAX_WAYS && *n_parts <= MAX_PARTS).then_some(());
    };
    for branch in branches {
        let mut taken = way[..place].to_vec();
        flatten(branch, &mut taken);
        taken.extend(&way[place + 1..]);
        split(taken, all, n_parts)?;
    }
    Some(())
}
