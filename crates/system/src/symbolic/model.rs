//! A model's commands as groups: one per command.
//!
//! Bodies with few ways through them are substitutions ([`straight`](super::straight)), all others are composed statement by
//! statement ([`composed`](super::composed)).

use std::collections::BTreeSet;

use lapidary_base::{Control, Stop};
use lapidary_bdd::{Capacity, Encoder, Set, Space};
use lapidary_ir::passes::{definitions, writes};
use lapidary_ir::value::WORD_BITS;
use lapidary_ir::{CommandId, Domain, Expr, Model, Statement, VarId};

use super::composed::{Composed, first_value};
use super::places::{Places, Request};
use super::straight::{Straight, constrained_rows, is_straight};
use super::{Group, Origin, Symbolic, order};
use crate::explicit::{Halt, TooMuch};
use crate::fit;

/// Why a model is not taken.
#[derive(Clone, Debug)]
pub enum Unfit {
    TooMuch(TooMuch),
    /// A limit was reached before that was known.
    Stopped(Stop),
}

impl From<Stop> for Unfit {
    fn from(stop: Stop) -> Self {
        Self::Stopped(stop)
    }
}

/// Whether a model can be taken: its domains are finite.
pub fn accepts(model: &Model, control: &Control) -> Result<(), Unfit> {
    for var in &model.vars {
        control.check()?;
        if var.domain == Domain::Int {
            let what = format!("variable {} is an unbounded integer", var.name);
            return Err(Unfit::TooMuch(TooMuch { what, span: Some(var.span) }));
        }
        if var.domain == Domain::Bits(WORD_BITS) {
            let what = format!("variable {} has {WORD_BITS} bits, which is too many for diagrams", var.name);
            return Err(Unfit::TooMuch(TooMuch { what, span: Some(var.span) }));
        }
    }
    fit::words(model, &[], control).map_err(|halt| match halt {
        Halt::TooMuch(refused) => Unfit::TooMuch(refused),
        Halt::Stopped(stop) => Unfit::Stopped(stop),
    })
}

/// A model that [`accepts`] takes.
pub fn model(model: &Model, capacity: Capacity, control: &Control) -> Result<Symbolic, Stop> {
    let bounds = |var: VarId| model.vars[var].domain.bounds(&model.enums);
    let mut found = definitions(&model.exprs, &|_| true, &model.invariant, &bounds);
    let determined: Vec<VarId> = found.list.iter().map(|&(var, _)| var).collect();
    // In a configuration local variables are as determined as if the invariant did it.
    let locals = model.vars.ids().filter(|&var| model.is_local(var));
    found.list.extend(locals.map(|local| (local, first_value(model, local))));
    let spots = order::of_model(model, &found.list, &found.rest, control)?;
    let winding = winding(model, control)?;
    let begun = begun(model, determined);
    let bodies = winding.iter().map(|&id| &model.commands[id].body);
    let passing = bodies.flat_map(|body| writes(model, body)).chain(begun.iter().copied()).collect();
    let request = Request {
        vars: &model.vars,
        enums: &model.enums,
        exprs: &model.exprs,
        definitions: found.list,
        order: &spots,
        copies: 2,
        passing: &passing,
    };
    let (space, places, _) = Places::new(request, capacity, control)?;
    let mut straight = Straight::new(model, &space, &places);
    let configurations = configurations(&space, &places, &mut straight.encoder, &found.rest)?;
    let mut initial = configurations.clone();
    if model.start == Statement::Skip {
        for &condition in &model.init {
            initial = space.and(&initial, &straight.encoder.holds(condition)?)?;
        }
    } else {
        let ends = Composed::new(model, &space, &places, begun).ends(&model.start, &model.init)?;
        initial = space.and(&initial, &ends)?;
    }
    let mut groups = Vec::new();
    for (id, command) in model.commands.enumerated() {
        control.check()?;
        let piece = match winding.contains(&id) {
            true => Composed::new(model, &space, &places, writes(model, &command.body)).piece(&command.body)?,
            false => straight.piece(&command.body)?,
        };
        let Some(piece) = piece else { continue };
        let origin = if command.is_idle { Origin::Idle } else { Origin::Command(id) };
        groups.push(Group::new(&space, &places, piece, &[], origin)?);
    }
    let flows = space.cube(&[])?;
    drop(straight);
    Ok(Symbolic { configurations, initial, groups, flows, idle_moves: true, space, places })
}

/// What has passages for the first statement: what it may write, and what the invariant determines, but only after it.
fn begun(model: &Model, determined: Vec<VarId>) -> BTreeSet<VarId> {
    match &model.start {
        Statement::Skip => BTreeSet::new(),
        start => writes(model, start).into_iter().chain(determined).collect(),
    }
}

/// The commands whose bodies are composed.
fn winding(model: &Model, control: &Control) -> Result<BTreeSet<CommandId>, Stop> {
    let constrained = constrained_rows(model);
    let mut found = BTreeSet::new();
    for (id, command) in model.commands.enumerated() {
        if !is_straight(model, &command.body, &constrained, control)? {
            found.insert(id);
        }
    }
    Ok(found)
}

fn configurations(space: &Space, places: &Places, encoder: &mut Encoder<'_>, rest: &[Expr]) -> Result<Set, Stop> {
    let mut set = space.all();
    for column in places.columns(0) {
        set = space.and(&set, &space.domain(column)?)?;
    }
    for &constraint in rest {
        set = space.and(&set, &encoder.holds(constraint)?)?;
    }
    Ok(set)
}
