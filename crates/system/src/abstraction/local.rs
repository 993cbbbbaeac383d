//! What a detached component means, on diagrams: its configurations, its initial ones, and its steps event by event.

use lapidary_base::{Control, IdVec, Stop};
use lapidary_bdd::{Capacity, Column, ColumnSpec, Set, Space};
use lapidary_ir::tree::{EventId, ROOT};
use lapidary_ir::{ComponentId, Expr, Tree, VarId};

use super::Predicate;
use super::detach::{Outside, detached, localised};
use crate::symbolic::{Copies, Families, Labelled, Places, Symbolic, labelled};

/// Why there is no abstraction of a component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// The component alone does not say what it does.
    Outside(Outside),
    /// The abstraction would be larger than what can be read: a sentence.
    TooLarge(String),
    Stopped(Stop),
}

impl From<Stop> for Refused {
    fn from(stop: Stop) -> Self {
        Self::Stopped(stop)
    }
}

/// Columns of one predicate: now, in between, next.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bit {
    pub now: Column,
    pub between: Column,
    pub next: Column,
}

pub struct Local {
    /// The component as the only one; without priorities.
    pub tree: Tree,
    /// Those of a leaf: what it can fire depends on nothing else. A component with subcomponents has none here; its
    /// priorities are judged where it is composed with them.
    pub priorities: Vec<(EventId, EventId)>,
    pub space: Space,
    pub places: Places,
    /// Over copy 0 of the variables, as all sets of configurations.
    pub configurations: Set,
    pub initial: Set,
    /// Over copies 0 and 1, from all configurations, as if there were no priorities. Epsilon keeps the states and
    /// chooses the flows anew.
    pub steps: IdVec<EventId, Set>,
    bits: Vec<Bit>,
}

impl Local {
    pub fn new(tree: &Tree, id: ComponentId, capacity: Capacity, control: &Control) -> Result<Self, Refused> {
        let alone = detached(tree, id).map_err(Refused::Outside)?;
        let component = &tree.components[id];
        let priorities = if component.subs.is_empty() { component.priorities.clone() } else { Vec::new() };
        let copies = Copies { variables: 2, events: 1 };
        let Labelled { system, events, transitions } = labelled(&alone, copies, capacity, control)?;
        let Symbolic { space, places, configurations, initial, .. } = system;
        let label = events[ROOT][0];
        let forget = space.cube(&[label])?;
        let mut steps = IdVec::new();
        for event in alone.components[ROOT].events.ids() {
            let value = space.value(label, u64::from(event.0))?;
            let mut all = space.none();
            for relation in &transitions {
                all = space.or(&all, &space.and_exists(relation, &value, &forget)?)?;
            }
            steps.push(all);
        }
        Ok(Self { tree: alone, priorities, space, places, configurations, initial, steps, bits: Vec::new() })
    }

    /// The configurations in which an expression of the tree holds; none of its variables may be another component's.
    pub fn predicate(&self, name: &str, tree: &Tree, id: ComponentId, expr: Expr) -> Result<Option<Predicate>, Stop> {
        let Some(expr) = localised(tree, id, &self.tree, expr) else { return Ok(None) };
        let families: Families<'_> = &IdVec::new();
        let holds = self.places.encoder(&self.space, &self.tree.exprs, families).holds(expr)?;
        let set = self.space.and(&holds, &self.configurations)?;
        Ok(Some(Predicate { name: name.to_owned(), set }))
    }

    /// The event predicate of section 5.4.3: where the event can be fired, priorities aside.
    pub fn event_predicate(&self, name: &str, event: EventId) -> Result<Predicate, Stop> {
        Ok(Predicate { name: name.to_owned(), set: self.enabled(event)? })
    }

    pub(super) fn enabled(&self, event: EventId) -> Result<Set, Stop> {
        self.space.exists(&self.steps[event], &self.space.cube(&self.columns(1))?)
    }

    /// Whether a predicate tells configurations apart.
    pub fn is_constant(&self, predicate: &Predicate) -> bool {
        self.space.is_none(&predicate.set) || predicate.set == self.configurations
    }

    /// Columns of copy 0 or 1, in the order of the variables that have them.
    pub(super) fn columns(&self, copy: usize) -> Vec<Column> {
        self.places.columns(copy)
    }

    /// The variables that have columns.
    pub(super) fn essential(&self) -> Vec<VarId> {
        self.places.essential().collect()
    }

    /// Columns for so many predicates; those of an earlier abstraction serve again.
    pub(super) fn bits(&mut self, wanted: usize) -> Result<Vec<Bit>, Stop> {
        while self.bits.len() < wanted {
            let place = self.bits.len();
            let spec = |part: &str| ColumnSpec { name: format!("{part}{place}"), size: 2 };
            let columns = self.space.add_group(vec![spec("now"), spec("between"), spec("next")])?;
            self.bits.push(Bit { now: columns[0], between: columns[1], next: columns[2] });
        }
        Ok(self.bits[..wanted].to_vec())
    }
}
