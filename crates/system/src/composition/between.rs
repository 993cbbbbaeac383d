//! Which flat event leads from one configuration to another, found on the tree alone.
//!
//! In one configuration every event of a component has few outcomes, so the relation is composed anew for each: over the
//! outcomes and one event per component. Where nothing depends on what else could be fired, only what leads to the other
//! configuration is looked at.

use lapidary_base::{Control, Id, IdVec, Stop};
use lapidary_bdd::{Capacity, Column, Cube, Set};
use lapidary_ir::tree::{EPSILON, Vector};
use lapidary_ir::{ComponentId, EventId, FlatEvent, Tree, VarId};
use lapidary_verdict::State;

use super::code::Evaluator;
use super::first::First;
use super::node::{self, Transition};
use crate::symbolic::flat_events::FlatEvents;
use crate::symbolic::{Copies, Frame, Own, Piece, union};

/// Nodes and entries of the tables for a single question.
pub const CAPACITY: Capacity = Capacity { nodes: 1 << 18, cache: 1 << 16, threads: 1 };

/// The flat event of a step between two configurations, the one that flattening would list first; none if there is no
/// such step. Who asks for many steps keeps the [`Between`].
pub fn event_between(tree: &Tree, before: &State, after: &State, control: &Control) -> Result<Option<FlatEvent>, Stop> {
    Between::new(tree, CAPACITY, control)?.event(before, after, control)
}

/// A tree made ready for such questions.
pub struct Between<'t> {
    frame: Frame<'t>,
    labels: IdVec<ComponentId, Column>,
    allowed: FlatEvents,
    evaluator: Evaluator<'t>,
    transitions: IdVec<ComponentId, IdVec<EventId, Vec<Transition>>>,
    /// The components on which it depends what others may do, by priorities or numbers of optional parts further up.
    is_asked: IdVec<ComponentId, bool>,
    /// Both copies of all variables.
    variables: Cube,
}

impl<'t> Between<'t> {
    pub fn new(tree: &'t Tree, capacity: Capacity, control: &Control) -> Result<Self, Stop> {
        let frame = Frame::new(tree, Copies { variables: 2, events: 1 }, capacity, control)?;
        let labels: IdVec<ComponentId, Column> = frame.events.iter().map(|copies| copies[0]).collect();
        let allowed = FlatEvents::new(&frame.space, tree, &labels, control)?;
        let mut evaluator = Evaluator::new(tree);
        let transitions = tree.components.ids().map(|id| node::transitions(tree, id, &mut evaluator)).collect();
        let columns = [frame.places.columns(0), frame.places.columns(1)].concat();
        let variables = frame.space.cube(&columns)?;
        Ok(Self { labels, allowed, evaluator, transitions, is_asked: asked(tree), variables, frame })
    }

    /// The flat event of a step between two configurations, the one that flattening would list first.
    pub fn event(&mut self, before: &State, after: &State, control: &Control) -> Result<Option<FlatEvent>, Stop> {
        let found = self.events(before, after, control)?;
        let space = &self.frame.space;
        if space.is_none(&found) {
            return Ok(None);
        }
        let columns = self.labels.as_slice();
        let first = match space.count(&found, columns)? {
            Some(1) => Some(found),
            Some(_) | None => {
                let (tree, columns, allowed) = (self.frame.tree, &self.labels, &self.allowed);
                First { tree, space, columns, allowed }.among(&found)?
            }
        };
        let first = first.expect("what can be fired is allowed by vectors");
        let values = space.pick(&first, columns)?.expect("there is one");
        let event = |&value: &u64| EventId(u32::try_from(value).expect("events have 32-bit numbers"));
        Ok(Some(values.iter().map(event).collect()))
    }

    /// All flat events of steps between the two.
    fn events(&mut self, before: &State, after: &State, control: &Control) -> Result<Set, Stop> {
        let Self { frame, evaluator, transitions, is_asked, .. } = self;
        let (space, places, tree) = (&frame.space, &frame.places, frame.tree);
        let values = places.values_of(before).into_iter().map(|(column, value)| space.value(column, value));
        let start = space.and_all(&values.collect::<Result<Vec<Set>, Stop>>()?)?;
        let mut own = Outcomes { frame, evaluator, transitions, is_asked, before, after };
        let mut pieces = frame.pieces_within(&mut own, &start, control)?;
        pieces.push(frame.idle(&mut own)?);
        let is_moved = |var: &VarId| tree.is_state(*var) && before[var.index()] != after[var.index()];
        let moved: Vec<VarId> = tree.vars.ids().filter(is_moved).collect();
        let mut found = space.none();
        for piece in pieces.iter().filter(|piece| moved.iter().all(|var| piece.written.binary_search(var).is_ok())) {
            control.check()?;
            let mut ends = start.clone();
            for &var in &piece.written {
                ends = space.and(&ends, &next(frame, var, after[var.index()])?)?;
            }
            let events = space.and_exists(&piece.relation, &ends, &self.variables)?;
            found = space.or(&found, &events)?;
        }
        Ok(found)
    }
}

/// The components to which a component with priorities or optional parts belongs, or that are below one.
fn asked(tree: &Tree) -> IdVec<ComponentId, bool> {
    let mut is_asked: IdVec<ComponentId, bool> = tree.components.iter().map(|_| false).collect();
    for (id, component) in tree.components.enumerated() {
        let above = component.parent.is_some_and(|parent| is_asked[parent]);
        let here = !component.priorities.is_empty() || component.vectors.iter().any(Vector::has_optional);
        is_asked[id] = above || here;
    }
    is_asked
}

/// A variable has this value afterwards.
fn next(frame: &Frame<'_>, var: VarId, value: i64) -> Result<Set, Stop> {
    let column = frame.places.column(var, 1).expect("state variables have columns");
    let value = u64::try_from(value - frame.places.lo(var)).expect("values lie in their domains");
    frame.space.value(column, value)
}

/// What the components do by themselves in one configuration.
struct Outcomes<'a, 't> {
    frame: &'a Frame<'t>,
    evaluator: &'a mut Evaluator<'t>,
    transitions: &'a IdVec<ComponentId, IdVec<EventId, Vec<Transition>>>,
    is_asked: &'a IdVec<ComponentId, bool>,
    before: &'a State,
    after: &'a State,
}

impl Outcomes<'_, '_> {
    /// The new values, if the transition can be taken.
    fn updates(&mut self, transition: &Transition) -> Result<Option<Vec<(VarId, i64)>>, Stop> {
        if !self.evaluator.holds(transition.guard, self.before)? {
            return Ok(None);
        }
        let mut updates = Vec::with_capacity(transition.updates.len());
        for &(var, value, (lo, hi)) in &transition.updates {
            match self.evaluator.value(value, self.before)? {
                Some(value) if (lo..=hi).contains(&value) => updates.push((VarId(var), value)),
                Some(_) | None => return Ok(None),
            }
        }
        updates.sort_unstable();
        Ok(Some(updates))
    }

    /// Does the component come to where it has to?
    fn arrives(&self, id: ComponentId, updates: &[(VarId, i64)]) -> bool {
        let tree = self.frame.tree;
        let mut states = tree.components[id].own_vars().filter(|&var| tree.is_state(var));
        states.all(|var| {
            let updated = updates.iter().find(|(other, _)| *other == var);
            updated.map_or(self.before[var.index()], |&(_, value)| value) == self.after[var.index()]
        })
    }

    fn piece(&self, updates: &[(VarId, i64)]) -> Result<Piece, Stop> {
        let parts = updates.iter().map(|&(var, value)| next(self.frame, var, value));
        let relation = self.frame.space.and_all(&parts.collect::<Result<Vec<Set>, Stop>>()?)?;
        Ok(Piece { written: updates.iter().map(|&(var, _)| var).collect(), relation })
    }
}

impl Own for Outcomes<'_, '_> {
    fn own(&mut self, id: ComponentId, event: EventId) -> Result<Option<Piece>, Stop> {
        let transitions = self.transitions;
        let mut pieces = Vec::new();
        for transition in &transitions[id][event] {
            let Some(updates) = self.updates(transition)? else { continue };
            if self.is_asked[id] || self.arrives(id, &updates) {
                pieces.push(self.piece(&updates)?);
            }
        }
        let found = union(pieces, &self.frame.space, &self.frame.places)?;
        // Doing nothing is always there, if only to lead nowhere.
        let nowhere = (event == EPSILON).then(|| Piece { written: Vec::new(), relation: self.frame.space.none() });
        Ok(found.or(nowhere))
    }
}
