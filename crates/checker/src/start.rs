//! The initial states: those of the initial condition, or those in which the start ends when it begins there.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

use lapidary_base::{Control, Id, Stop};
use lapidary_ir::model::Raw;
use lapidary_ir::{Assignment, Destination, Expr, Model, Rhs, Statement, VarId};

use crate::Rejection;
use crate::diagram::started;
use crate::finding;
use crate::initial::{self, Fixed};
use crate::step::{self, Look, Trouble};
use crate::words;

/// Calls `visit` on every initial state, on some of them several times.
pub fn for_each_initial(
    model: &Model,
    look: Look<'_>,
    visit: &mut dyn FnMut(&[Raw]) -> Result<(), Rejection>,
) -> Result<(), Rejection> {
    if model.start == Statement::Skip {
        let conditions: Vec<Expr> = model.init.iter().chain(&model.invariant).copied().collect();
        let visit = &mut |state: &[Raw]| visit(state).map(ControlFlow::Continue);
        return initial::for_each_state(model, &conditions, &initial::locals(model), look, visit);
    }
    let fixed = without_difference(model, initial::locals(model));
    initial::for_each_state(model, &model.init, &fixed, look, &mut |begin| {
        let ends = step::started(model, begin, look).map_err(|why| finding::start_trouble(model, why))?;
        ends.iter().try_for_each(|end| visit(end)).map(ControlFlow::Continue)
    })
}

/// Is there an initial state at all?
pub fn has_initial_state(model: &Model, look: Look<'_>) -> Result<bool, Rejection> {
    let mut is_found = false;
    let ended = for_each_initial(model, look, &mut |_| {
        is_found = true;
        // One is enough.
        Err(Rejection::Stopped(Stop::Interrupted))
    });
    if is_found { Ok(true) } else { ended.map(|()| false) }
}

/// So many states are tried between two looks at the limits.
const BEGINS_PER_LOOK: usize = 16;

/// So many looks are as long as states are tried one by one, where there is another way.
const MOST_LOOKS: u32 = 1 << 8;

/// Does the start end in this state, begun in some state of the initial condition? Where there are many of them, and all
/// variables have finitely many values, diagrams go backwards through the statement.
pub fn leads_to_within(model: &Model, state: &[Raw], look: Look<'_>, control: &Control) -> Result<bool, Rejection> {
    if model.vars.iter().any(|var| model.bounds(var.domain).is_none()) {
        return leads_to(model, state, look);
    }
    let n_looks = Cell::new(0);
    let briefly = || {
        look()?;
        n_looks.set(n_looks.get() + 1);
        if n_looks.get() > MOST_LOOKS { Err(Stop::Budget(format!("{MOST_LOOKS} looks"))) } else { Ok(()) }
    };
    match leads_to(model, state, &briefly) {
        Err(Rejection::Stopped(Stop::Budget(_) | Stop::Incomplete(_))) => started::leads_to(model, state, control),
        found => found,
    }
}

/// The same by trying them.
pub fn leads_to(model: &Model, state: &[Raw], look: Look<'_>) -> Result<bool, Rejection> {
    let mut fixed = without_difference(model, initial::locals(model));
    // What the start does not write was the same before.
    for var in model.vars.ids().filter(|&var| !step::may_write(model, &model.start, var)) {
        fixed[var] = Some(state[var.index()]);
    }
    let (mut is_found, mut trouble, mut n_begins) = (false, None, 0usize);
    initial::for_each_state(model, &model.init, &fixed, look, &mut |begin| {
        n_begins += 1;
        if n_begins.is_multiple_of(BEGINS_PER_LOOK) {
            look()?;
        }
        match step::is_start(model, begin, state, look) {
            Ok(found) => is_found = found,
            Err(Trouble::Stopped(stop)) => return Err(stop.into()),
            Err(why) => trouble = trouble.take().or(Some(why)),
        }
        Ok(if is_found { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    })?;
    match trouble {
        Some(why) if !is_found => Err(finding::start_trouble(model, why)),
        Some(_) | None => Ok(is_found),
    }
}

/// Fixes also the variables whose values before the start neither the initial condition nor the start asks for: one value
/// stands for all.
fn without_difference(model: &Model, mut fixed: Fixed) -> Fixed {
    let kept: BTreeSet<VarId> = model.vars.ids().filter(|&var| !model.is_local(var)).collect();
    let mut needed = needed(model, &model.start, kept);
    needed.extend(model.init.iter().flat_map(|&part| initial::variables(model, part)));
    for var in model.vars.ids().filter(|var| !needed.contains(var)) {
        fixed[var] = Some(model.first(model.vars[var].domain));
    }
    fixed
}

/// The variables whose values before a statement may make a difference to what it does, or to those of `after` behind it.
fn needed(model: &Model, statement: &Statement, after: BTreeSet<VarId>) -> BTreeSet<VarId> {
    let with = |mut needed: BTreeSet<VarId>, condition: Expr| {
        needed.extend(initial::variables(model, condition));
        needed
    };
    match statement {
        Statement::Skip => after,
        Statement::Assume(condition) => with(after, *condition),
        Statement::Assign(list) => needed_by_assignment(model, list, after),
        Statement::Sequence(parts) => parts.iter().rev().fold(after, |after, part| needed(model, part, after)),
        Statement::Choice(parts) => parts.iter().flat_map(|part| needed(model, part, after.clone())).collect(),
        Statement::If(condition, then, otherwise) => {
            let mut both = needed(model, then, after.clone());
            both.extend(needed(model, otherwise, after));
            with(both, *condition)
        }
        Statement::While(condition, body) => {
            let mut here = with(after, *condition);
            loop {
                let more = needed(model, body, here.clone());
                if more.is_subset(&here) {
                    return here;
                }
                here.extend(more);
            }
        }
        Statement::Scope(locals, body) => {
            let outside = |set: BTreeSet<VarId>| set.into_iter().filter(|var| !locals.contains(var)).collect();
            outside(needed(model, body, outside(after)))
        }
    }
}

fn needed_by_assignment(model: &Model, list: &[Assignment], after: BTreeSet<VarId>) -> BTreeSet<VarId> {
    let mut needed = after;
    for assignment in list {
        let written = match assignment.to {
            Destination::Var(var) => Some(var),
            Destination::Cell(family, index) => words::variable(model, model.exprs.cell(family, index)),
        };
        written.map(|var| needed.remove(&var));
    }
    for assignment in list {
        if let Destination::Cell(_, index) = assignment.to {
            needed.extend(initial::variables(model, index));
        }
        if let Rhs::Expr(value) = assignment.value {
            needed.extend(initial::variables(model, value));
        }
    }
    needed
}
