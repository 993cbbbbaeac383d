//! Syntactic flattening (Chucri 2012, section 2.2.3): a tree becomes one model, with a command for every flat event.
//!
//! Variables and expressions keep their ids, and so do the definitions of flows. Priorities become guards: a flat event
//! may be fired where none that is higher, at any of the components on its way up, can be.

mod body;
mod events;
mod fire;
mod place;
mod post;

use std::sync::OnceLock;

use lapidary_base::hash::Map;
use lapidary_base::{Control, IdVec, Stop};
use lapidary_text::Span;

use crate::action::{Action, FlatEvent};
use crate::expr::Expr;
use crate::model::{Command, CommandId, Declarations, Model, Statement, VarId};
use crate::tree::{EPSILON, EventId, ROOT, Tree};
use crate::types::Domain;

use body::Bodies;
use events::{FlatId, Levels};
use fire::Fire;
pub use place::place;

/// More flat events than this are not written out.
pub const MAX_FLAT_EVENTS: usize = 20_000;
/// So many values of flows are tried for one group of assertions that share them.
pub const MAX_VALUATIONS: u64 = 4096;
/// So many new expressions may come from the conditions of priorities.
const MAX_NEW_EXPRS: usize = 4_000_000;
/// So many components are looked at in the time between two looks at the limits.
const COMPONENTS_PER_UNIT: usize = 128;

pub struct Flat {
    pub model: Model,
    /// The event of every component in each command.
    pub events: IdVec<CommandId, FlatEvent>,
    /// The other way round, once somebody has asked.
    commands: OnceLock<Map<Vec<EventId>, CommandId>>,
}

impl Flat {
    /// The command that fires this flat event.
    pub fn command(&self, flat: &FlatEvent) -> Option<CommandId> {
        let pair = |(command, flat): (CommandId, &FlatEvent)| (flat.as_slice().to_vec(), command);
        self.commands.get_or_init(|| self.events.enumerated().map(pair).collect()).get(flat.as_slice()).copied()
    }
}

/// Why a tree is not flattened, in words that continue "the model has", and the place to blame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TooLarge {
    pub what: String,
    pub span: Option<Span>,
}

impl TooLarge {
    fn new(what: impl Into<String>, span: Span) -> Self {
        Self { what: what.into(), span: Some(span) }
    }
}

/// Why there is no flattening.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoModel {
    TooLarge(TooLarge),
    Stopped(Stop),
}

impl NoModel {
    /// For somebody who cannot go on in either case.
    pub fn into_stop(self) -> Stop {
        match self {
            Self::TooLarge(refused) => {
                Stop::Incomplete(format!("the hierarchy is too large to be flattened: it has {}", refused.what))
            }
            Self::Stopped(stop) => stop,
        }
    }
}

impl From<TooLarge> for NoModel {
    fn from(refused: TooLarge) -> Self {
        Self::TooLarge(refused)
    }
}

impl From<Stop> for NoModel {
    fn from(stop: Stop) -> Self {
        Self::Stopped(stop)
    }
}

/// Flattens without limits on time and memory.
pub fn flatten(tree: &Tree) -> Result<Flat, TooLarge> {
    flatten_within(tree, &Control::new()).map_err(|halt| match halt {
        NoModel::TooLarge(refused) => refused,
        NoModel::Stopped(_) => unreachable!("there is no limit"),
    })
}

pub fn flatten_within(tree: &Tree, control: &Control) -> Result<Flat, NoModel> {
    let mut model = Model { declared: declarations(tree), commands: IdVec::new() };
    let levels = events::levels(tree, control)?;
    let mut fire = Fire::new(tree, &model.exprs, &levels, control);
    let bodies = Bodies::new(tree, &model.exprs);
    let mut commands = IdVec::new();
    let mut events = IdVec::new();
    for Guarded { flat, first, guard } in guarded(tree, &levels, &mut fire, control)? {
        control.check()?;
        control.charge(per_component(tree))?;
        let (label, is_idle) = (tree.label(&flat), Action::is_epsilon(&flat));
        let body = bodies.body(&flat, guard, control)?;
        commands.push(Command { label, body, faults: Vec::new(), is_idle, span: place::of(tree, &levels, first) });
        events.push(flat);
    }
    model.commands = commands;
    Ok(Flat { model, events, commands: OnceLock::new() })
}

/// Everything but the commands. The expressions are the tree's own: what is added to one is there in the other.
pub fn declarations(tree: &Tree) -> Declarations {
    let mut vars = tree.vars.clone();
    for id in tree.vars.ids() {
        vars[id].control = tree.is_state(id) && matches!(vars[id].domain, Domain::Enum(_));
    }
    let exprs = tree.exprs.clone();
    let equation = |&(var, value): &(VarId, Expr)| exprs.eq(exprs.var(var), value);
    let init = tree.init.iter().map(equation).collect();
    let invariant = tree.components.iter().flat_map(|part| part.assertions.iter().map(|part| part.expr)).collect();
    Declarations {
        name: tree.name.clone(),
        n_processes: tree.components.iter().filter(|component| component.subs.is_empty()).count(),
        exprs,
        enums: tree.enums.clone(),
        vars,
        families: IdVec::new(),
        init,
        start: Statement::Skip,
        invariant,
        properties: tree.properties.clone(),
    }
}

/// A flat event of the root that stands for all with the same tuple.
struct Guarded {
    flat: FlatEvent,
    first: FlatId,
    /// No priority forbids it.
    guard: Expr,
}

/// The flat events of the root, each tuple once.
fn guarded(tree: &Tree, levels: &Levels, fire: &mut Fire<'_>, control: &Control) -> Result<Vec<Guarded>, NoModel> {
    let mut found: Vec<(FlatEvent, FlatId, Vec<Expr>)> = Vec::new();
    let mut places: Map<Vec<EventId>, usize> = Map::default();
    for flat in levels[ROOT].events.ids() {
        control.check()?;
        control.charge(per_component(tree))?;
        let tuple = tuple(tree, levels, flat);
        let allowed = fire.allowed(ROOT, flat)?;
        let place = *places.entry(tuple.as_slice().to_vec()).or_insert_with(|| {
            found.push((tuple, flat, Vec::new()));
            found.len() - 1
        });
        found[place].2.push(allowed);
    }
    let guarded = |(flat, first, allowed)| Guarded { flat, first, guard: fire.exprs.or(allowed) };
    Ok(found.into_iter().map(guarded).collect())
}

/// What it costs to look at every component for one flat event, as work.
fn per_component(tree: &Tree) -> u64 {
    (tree.components.len() / COMPONENTS_PER_UNIT) as u64
}

/// A flat event of the root as one event per component.
fn tuple(tree: &Tree, levels: &Levels, flat: FlatId) -> FlatEvent {
    let mut tuple: FlatEvent = tree.components.iter().map(|_| EPSILON).collect();
    let mut open = vec![(ROOT, flat)];
    while let Some((component, flat)) = open.pop() {
        let event = &levels[component].events[flat];
        tuple[component] = event.local;
        open.extend(tree.components[component].subs.iter().copied().zip(event.subs.iter().copied()));
    }
    tuple
}

/// Indices of a product, the last one counting fastest.
fn product(lengths: &[usize]) -> impl Iterator<Item = Vec<usize>> + use<> {
    let lengths = lengths.to_vec();
    let first = (!lengths.contains(&0)).then(|| vec![0; lengths.len()]);
    std::iter::successors(first, move |last| {
        let mut next = last.clone();
        let place = (0..next.len()).rev().find(|&place| next[place] + 1 < lengths[place])?;
        next[place] += 1;
        next[place + 1..].fill(0);
        Some(next)
    })
}
