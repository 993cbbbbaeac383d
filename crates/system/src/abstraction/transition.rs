//! Transition decomposition: the predicates are state variables, and there is a transition for every event and every
//! valuation in which it may end.
//!
//! Epsilon keeps state variables. Predicates that it may change, because they depend on flows that nothing determines,
//! become flows within `A_P`, and transitions give values to the others. Where the initial valuations are not those
//! that values for single variables describe, a variable tells the time before the first event from that after it.

use lapidary_base::{Control, Stop};
use lapidary_bdd::{Column, Set};
use lapidary_ir::tree::VarKind;
use lapidary_ir::{Domain, Expr, Exprs, VarId};

use super::blocks::Blocks;
use super::draft::Draft;
use super::formula::Writer;
use super::local::{Bit, Local};
use super::{Predicate, Refused};

/// More transitions than this are not written.
pub const MAX_TRANSITIONS: usize = 5000;

pub(super) fn transition_decomposition<'a>(
    local: &'a Local,
    exprs: &'a Exprs,
    predicates: &[Predicate],
    blocks: &Blocks,
    control: &Control,
) -> Result<Draft<'a>, Refused> {
    let space = &local.space;
    let mut draft = Draft::new(local, exprs);
    let kind = |is_steady: bool| if is_steady { VarKind::State } else { VarKind::Flow };
    let mut vars = Vec::new();
    for (predicate, &is_steady) in predicates.iter().zip(&blocks.steady) {
        vars.push(draft.variable(predicate.name.clone(), Domain::Bool, kind(is_steady)));
    }
    let names: Vec<(Column, Expr)> = blocks.now().into_iter().zip(vars.iter().map(|&var| exprs.var(var))).collect();
    let writer = Writer { space, exprs, names };
    for condition in writer.conditions(&blocks.possible, &space.all(), &blocks.now())? {
        draft.assertion(condition);
    }
    let started = begin(local, blocks, &vars, &writer, &mut draft)?;
    let steady: Vec<(VarId, Bit)> = vars
        .iter()
        .zip(&blocks.bits)
        .zip(&blocks.steady)
        .filter(|(_, is_steady)| **is_steady)
        .map(|((&var, &bit), _)| (var, bit))
        .collect();
    let others: Vec<Column> =
        blocks.bits.iter().zip(&blocks.steady).filter(|(_, steady)| !**steady).map(|(bit, _)| bit.next).collect();
    let others = space.cube(&others)?;
    for event in draft.events() {
        let cut = blocks.cut(space, event)?;
        let relation = space.exists(&blocks.steps[event], &others)?;
        let mut ends = Vec::new();
        ends_of(local, &relation, &steady, &mut Vec::new(), &mut ends, control)?;
        for (values, from) in ends {
            if draft.n_transitions() == MAX_TRANSITIONS {
                return Err(Refused::TooLarge(format!("there are more than {MAX_TRANSITIONS} transitions")));
            }
            let must = space.minus(&from, &cut)?;
            if space.is_none(&must) {
                continue;
            }
            let guard = writer.sum(&must, &space.or(&from, &space.not(&blocks.possible)?)?)?;
            let mut updates: Vec<(VarId, Expr)> =
                steady.iter().zip(values).map(|(&(var, _), value)| (var, exprs.bool(value))).collect();
            updates.extend(started.map(|var| (var, exprs.bool(true))));
            draft.transition(guard, event, updates);
        }
    }
    Ok(draft)
}

/// Initial values, and the variable that is needed where they do not say it all.
fn begin(
    local: &Local,
    blocks: &Blocks,
    vars: &[VarId],
    writer: &Writer<'_>,
    draft: &mut Draft<'_>,
) -> Result<Option<VarId>, Refused> {
    let space = &local.space;
    let mut fixed = blocks.possible.clone();
    for ((&var, bit), &is_steady) in vars.iter().zip(&blocks.bits).zip(&blocks.steady) {
        for value in [false, true] {
            let set = space.value(bit.now, u64::from(value))?;
            let is_fixed = !space.is_none(&blocks.initial) && space.is_subset(&blocks.initial, &set)?;
            if is_steady && is_fixed {
                draft.tree.init.push((var, writer.exprs.bool(value)));
                fixed = space.and(&fixed, &set)?;
            }
        }
    }
    // The flows are chosen anew before the first event, too.
    let initial = blocks.settle(space, &blocks.initial)?;
    if fixed == initial {
        return Ok(None);
    }
    let started = draft.variable(draft.fresh("started", &[]), Domain::Bool, VarKind::State);
    draft.tree.init.push((started, writer.exprs.bool(false)));
    for condition in writer.conditions(&initial, &blocks.possible, &blocks.now())? {
        let before = writer.exprs.not(writer.exprs.var(started));
        draft.assertion(writer.exprs.implies(before, condition));
    }
    Ok(Some(started))
}

/// Every valuation of the steady predicates in which some step ends, with the valuations from which it does.
fn ends_of(
    local: &Local,
    relation: &Set,
    steady: &[(VarId, Bit)],
    values: &mut Vec<bool>,
    ends: &mut Vec<(Vec<bool>, Set)>,
    control: &Control,
) -> Result<(), Stop> {
    if local.space.is_none(relation) {
        return Ok(());
    }
    control.check()?;
    let Some(&(_, bit)) = steady.get(values.len()) else {
        ends.push((values.clone(), relation.clone()));
        return Ok(());
    };
    if ends.len() > MAX_TRANSITIONS {
        return Ok(());
    }
    let cube = local.space.cube(&[bit.next])?;
    for value in [false, true] {
        let is = local.space.value(bit.next, u64::from(value))?;
        let rest = local.space.and_exists(relation, &is, &cube)?;
        values.push(value);
        ends_of(local, &rest, steady, values, ends, control)?;
        values.pop();
    }
    Ok(())
}
