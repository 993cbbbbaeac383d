//! Checks a set given as a diagram: it holds all initial states, no step leaves it, and no member is a target.
//!
//! Every question is whether a set of states is empty. Steps are followed backwards: the set is closed under a command
//! if no member of it is among the states from which the command leads to a configuration outside.

mod before;
mod bits;
mod definitions;
pub mod encode;
pub mod members;
pub mod numbers;
mod operate;
pub mod space;
pub mod started;
pub mod suspects;
#[cfg(test)]
mod tests;
mod world;

use lapidary_base::{Control, IdVec};
use lapidary_ir::model::Raw;
use lapidary_ir::{Command, CommandId, Domain, Expr, Model, Property, PropertyKind, Statement, VarId};
use lapidary_verdict::Diagram;
use oxidd::VarNo;

use self::definitions::Definitions;
use self::encode::{Column, Encoder};
use self::space::Set;
use self::suspects::Fine;
use self::world::{Base, World};
use crate::Rejection;
use crate::budget;
use crate::certify::Claim;
use crate::finding::{self, Finding};
use crate::step;
use crate::words;

/// A command with more executions from a state than this is not executed to find words for an objection.
const MOST_EXECUTIONS: u64 = 1 << 12;

pub fn check(model: &Model, claims: &[Claim], diagram: &Diagram, control: &Control) -> Result<(), Rejection> {
    if let Some(var) = model.vars.iter().find(|var| model.bounds(var.domain).is_none()) {
        let many = match var.domain {
            Domain::Bits(width) => format!("has {width} bits, more than diagrams are made of"),
            Domain::Array(_) => "is an array".to_owned(),
            Domain::Bool | Domain::Int | Domain::Range { .. } | Domain::Enum(_) => {
                "has infinitely many values".to_owned()
            }
        };
        return Err(Rejection::Wrong(format!("{} {many}: a diagram proves nothing about this model", var.name)));
    }
    diagram.validate(model).map_err(|why| Rejection::Wrong(format!("the diagram is malformed: {why}")))?;
    let conjuncts: Vec<Expr> = model.invariant.iter().flat_map(|&part| model.exprs.conjuncts(part)).collect();
    let definitions = definitions::find(model, &conjuncts, &diagram.order, control)?;
    let (columns, n_bits) = columns(model, diagram, &definitions);
    let (conjuncts, definitions, columns) = (&conjuncts[..], &definitions, &columns);
    space::attempts(n_bits, control, |space| {
        check_all(&Base { model, diagram, conjuncts, definitions, columns, space }, claims)
    })
}

fn check_all(base: &Base<'_>, claims: &[Claim]) -> Result<(), Rejection> {
    let mut world = World::new(base, Vec::new())?;
    check_initial(base, &mut world)?;
    for &claim in claims {
        check_claim(base, &mut world, claim)?;
    }
    check_steps(base, world)
}

/// The columns of the variables: in the diagram's order; what is left out comes after all it depends on.
fn columns(model: &Model, diagram: &Diagram, definitions: &Definitions) -> (IdVec<VarId, Column>, VarNo) {
    let mut places: IdVec<VarId, usize> = model.vars.iter().map(|_| usize::MAX).collect();
    for (place, &var) in diagram.order.iter().enumerate() {
        places[var] = place;
    }
    let place = |var: VarId| match (places[var], definitions.depends_on(var)) {
        (usize::MAX, Some(closure)) => closure.iter().map(|&other| places[other]).max().unwrap_or(0),
        (place, _) => place,
    };
    let mut order: Vec<VarId> = model.vars.ids().collect();
    // Of equal places the variable that gave it comes first.
    order.sort_by_cached_key(|&var| (place(var), places[var] == usize::MAX, var));
    let mut n_bits = 0;
    let mut columns: IdVec<VarId, Option<Column>> = model.vars.iter().map(|_| None).collect();
    for var in order {
        let (lo, hi) = model.bounds(model.vars[var].domain).expect("all domains are finite");
        let width = u64::BITS - hi.abs_diff(lo).leading_zeros();
        // The greatest bit on top, as the values of a diagram's edges are sorted.
        let bits = (0..width).map(|i| n_bits + width - 1 - i).collect();
        columns[var] = Some(Column { bits, lo, hi });
        n_bits += width;
    }
    (columns.into_vec().into_iter().map(|column| column.expect("all variables are in the order")).collect(), n_bits)
}

fn check_initial(base: &Base<'_>, world: &mut World<'_>) -> Result<(), Rejection> {
    let (model, space) = (base.model, base.space);
    if model.start != Statement::Skip {
        return check_start(base);
    }
    let mut outside = space.without(&world.inside, &world.members)?;
    for &part in model.init.iter() {
        for conjunct in model.exprs.conjuncts(part) {
            outside = space.and(&outside, &world.encoder.truth(conjunct)?.yes)?;
        }
    }
    match pick(&world.encoder, &outside) {
        None => Ok(()),
        Some(state) => wrong(format!("the initial state ({}) is not in the set", words::state(model, &state))),
    }
}

/// No start leads from the initial condition out of the set. Before it the invariant need not be true: nothing is read
/// through a definition.
fn check_start(base: &Base<'_>) -> Result<(), Rejection> {
    let (model, space) = (base.model, base.space);
    let kept = base.definitions.list.iter().map(|definition| definition.var).collect();
    let mut world = World::new(base, kept)?;
    let outside = space.without(&world.inside, &world.members)?;
    let mut leaving = before::before(&mut world.encoder, &model.start, &outside)?;
    leaving = space.and(&leaving, &world.within)?;
    for &part in &model.init {
        for conjunct in model.exprs.conjuncts(part) {
            leaving = space.and(&leaving, &world.encoder.truth(conjunct)?.yes)?;
        }
    }
    let Some(begin) = pick(&world.encoder, &leaving) else { return Ok(()) };
    let is_quick = budget::n_executions(model, &model.start) <= MOST_EXECUTIONS;
    let ends = if is_quick { step::started(model, &begin, &|| Ok(())).unwrap_or_default() } else { Vec::new() };
    match ends.iter().find(|end| !base.diagram.contains(end)) {
        Some(end) => wrong(format!("the initial state ({}) is not in the set", words::state(model, end))),
        None => {
            wrong(format!("the start leads from ({}) to a state that is not in the set", words::state(model, &begin)))
        }
    }
}

fn check_claim(base: &Base<'_>, world: &mut World<'_>, claim: Claim) -> Result<(), Rejection> {
    let property = &base.model.properties[claim.property()];
    let encoder = &mut world.encoder;
    let suspects = match property.kind {
        PropertyKind::Invariant(formula) => suspects::formula(encoder, property, claim, formula, Fine::Yes)?,
        PropertyKind::Reach(formula) => suspects::formula(encoder, property, claim, formula, Fine::No)?,
        PropertyKind::NoErrors => {
            suspects::faulty(encoder, base.model.commands.iter().flat_map(|command| &command.faults))?
        }
        PropertyKind::DeadlockFree => return check_deadlocks(base, property),
        PropertyKind::Ltl(_) => return Err(finding::unsupported(property)),
    };
    let suspects = base.space.and(&suspects, &world.members)?;
    match pick(&world.encoder, &suspects) {
        None => Ok(()),
        Some(state) => Err(objection(base.model, claim, &state)),
    }
}

/// The interpreter's words about a member that spoils a claim.
fn objection(model: &Model, claim: Claim, state: &[Raw]) -> Rejection {
    let name = &model.properties[claim.property()].name;
    let shown = words::state(model, state);
    let why = match finding::find(model, claim.property(), state, None) {
        Err(Rejection::Wrong(why)) => why,
        Err(stopped @ Rejection::Stopped(_)) => return stopped,
        Ok(Finding::Formula(true)) => format!("it satisfies {name}"),
        Ok(Finding::Formula(false)) => format!("it violates {name}"),
        Ok(Finding::Errs(fault)) => format!("it errs in {name}: {}", fault.what),
        Ok(Finding::StepErrs(command, fault)) => {
            format!("{} would err: {}", model.commands[command].label, fault.what)
        }
        Ok(Finding::NoStepErrs | Finding::Step(_) | Finding::Deadlock) => format!("it spoils {name}"),
    };
    Rejection::Wrong(format!("the set contains ({shown}): {why}"))
}

/// Worlds for the commands, most of which share one.
struct Worlds<'a> {
    base: &'a Base<'a>,
    known: Vec<World<'a>>,
}

impl<'a> Worlds<'a> {
    fn of(&mut self, command: &Command) -> Result<&mut World<'a>, Rejection> {
        let kept = self.base.definitions.awkward(self.base.model, command);
        let place = match self.known.iter().position(|world| world.kept == kept) {
            Some(place) => place,
            None => {
                self.known.push(World::new(self.base, kept)?);
                self.known.len() - 1
            }
        };
        Ok(&mut self.known[place])
    }
}

fn check_steps<'a>(base: &'a Base<'a>, world: World<'a>) -> Result<(), Rejection> {
    let space = base.space;
    let mut worlds = Worlds { base, known: vec![world] };
    for (id, command) in base.model.commands.enumerated() {
        let world = worlds.of(command)?;
        let outside = space.without(&world.inside, &world.members)?;
        let leaving = before::before(&mut world.encoder, &command.body, &outside)?;
        let leaving = space.and(&leaving, &world.members)?;
        if let Some(state) = pick(&world.encoder, &leaving) {
            return wrong(left(base, id, &state));
        }
    }
    Ok(())
}

/// `(x=1) leads by up to (x=2), which is not in the set`
fn left(base: &Base<'_>, command: CommandId, state: &[Raw]) -> String {
    let model = base.model;
    let (shown, label) = (words::state(model, state), &model.commands[command].label);
    let is_quick = budget::n_executions(model, &model.commands[command].body) <= MOST_EXECUTIONS;
    let found = if is_quick { step::successors(model, command, state).unwrap_or_default() } else { Vec::new() };
    match found.iter().find(|next| !base.diagram.contains(next)) {
        Some(next) => format!("({shown}) leads by {label} to ({}), which is not in the set", words::state(model, next)),
        None => format!("({shown}) leads by {label} to a state that is not in the set"),
    }
}

/// No member is without a step that counts. Each command is judged in its own world, and all of them agree on the
/// variables that have no definition; so what is compared are sets over the world without any kept variable.
fn check_deadlocks(base: &Base<'_>, property: &Property) -> Result<(), Rejection> {
    let space = base.space;
    let mut worlds = Worlds { base, known: vec![World::new(base, Vec::new())?] };
    let mut stuck = worlds.known[0].members.clone();
    for command in base.model.commands.iter().filter(|command| !command.is_idle) {
        let world = worlds.of(command)?;
        let inside = world.inside.clone();
        let able = before::before(&mut world.encoder, &command.body, &inside)?;
        let able = world.forget_kept(&space.and(&able, &inside)?)?;
        stuck = space.without(&stuck, &able)?;
    }
    match pick(&worlds.known[0].encoder, &stuck) {
        None => Ok(()),
        Some(state) => wrong(format!(
            "the set contains ({}), which has no step, against {}",
            words::state(base.model, &state),
            property.name
        )),
    }
}

fn pick(encoder: &Encoder<'_>, set: &Set) -> Option<Vec<Raw>> {
    encoder.space.pick(set).map(|bits| encoder.state(&bits))
}

fn wrong<T>(why: String) -> Result<T, Rejection> {
    Err(Rejection::Wrong(why))
}
