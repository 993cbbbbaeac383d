//! The combinations of events that the vectors of a tree allow, whether they can ever be fired or not: sets over one column
//! per component.

use std::collections::BTreeMap;

use lapidary_base::{Control, IdVec, Stop};
use lapidary_bdd::{Column, Set, Space};
use lapidary_ir::tree::{EPSILON, Part, ROOT, Vector};
use lapidary_ir::{ComponentId, EventRef, Tree};

pub struct FlatEvents {
    /// What the vectors of each component allow in its subtree, by the event that the parent sees.
    by_top: IdVec<ComponentId, BTreeMap<EventRef, Set>>,
}

impl FlatEvents {
    /// `columns` has the column of every component's event.
    pub fn new(
        space: &Space,
        tree: &Tree,
        columns: &IdVec<ComponentId, Column>,
        control: &Control,
    ) -> Result<Self, Stop> {
        let by_top = tree.components.iter().map(|_| BTreeMap::new()).collect();
        let mut known = Self { by_top };
        for id in tree.components.ids().rev() {
            control.check()?;
            let mut tops: BTreeMap<EventRef, Set> = BTreeMap::new();
            for vector in &tree.components[id].vectors {
                for (top, set) in known.of_vector(space, tree, columns, id, vector)? {
                    let set = match tops.get(&top) {
                        Some(before) => space.or(before, &set)?,
                        None => set,
                    };
                    tops.insert(top, set);
                }
            }
            known.by_top[id] = tops;
        }
        Ok(known)
    }

    /// Those of a component that its parent sees as this event.
    pub fn with_top(&self, component: ComponentId, top: EventRef) -> Option<&Set> {
        self.by_top[component].get(&top)
    }

    /// Those of the whole tree.
    pub fn all(&self, space: &Space) -> Result<Set, Stop> {
        space.or_all(&self.by_top[ROOT].values().cloned().collect::<Vec<Set>>())
    }

    /// By the event that the parent sees. Choices with as many optional parts are one set.
    fn of_vector(
        &self,
        space: &Space,
        tree: &Tree,
        columns: &IdVec<ComponentId, Column>,
        id: ComponentId,
        vector: &Vector,
    ) -> Result<Vec<(EventRef, Set)>, Stop> {
        let mut below = BTreeMap::from([(0, space.all())]);
        for &sub in &tree.components[id].subs {
            let part = vector.parts.iter().find(|part| tree.contains(sub, part.event.component));
            let idle = EventRef { component: sub, event: EPSILON };
            let ways = ways(part, idle).filter_map(|(event, taken)| Some((taken, self.with_top(sub, event)?)));
            below = joined(space, &below, ways)?;
        }
        let part = vector.parts.iter().find(|part| part.event.component == id);
        let mut found = Vec::new();
        for (own, taken) in ways(part, EventRef { component: id, event: EPSILON }) {
            let sets = below.iter().filter(|(rank, _)| vector.admits(**rank + taken)).map(|(_, set)| set.clone());
            let sets = space.or_all(&sets.collect::<Vec<Set>>())?;
            let set = space.and(&space.value(columns[id], u64::from(own.event.0))?, &sets)?;
            let top = if vector.is_lifted { vector.parts[0].event } else { own };
            found.push((top, set));
        }
        Ok(found)
    }
}

/// The events with which a component can take part, each with how much it adds to the number of optional parts.
pub fn ways(part: Option<&Part>, idle: EventRef) -> impl Iterator<Item = (EventRef, usize)> + use<> {
    let absent = part.is_none_or(|part| part.is_optional).then_some((idle, 0));
    let present = part.map(|part| (part.event, usize::from(part.is_optional)));
    absent.into_iter().chain(present)
}

/// Each with each of the ways in which one more takes part, by the number of optional parts; nothing that is impossible.
pub fn joined<'s>(
    space: &Space,
    sets: &BTreeMap<usize, Set>,
    ways: impl Iterator<Item = (usize, &'s Set)>,
) -> Result<BTreeMap<usize, Set>, Stop> {
    let mut joined: BTreeMap<usize, Set> = BTreeMap::new();
    for (taken, way) in ways {
        for (&rank, set) in sets {
            let both = space.and(set, way)?;
            if space.is_none(&both) {
                continue;
            }
            let both = match joined.get(&(rank + taken)) {
                Some(known) => space.or(known, &both)?,
                None => both,
            };
            joined.insert(rank + taken, both);
        }
    }
    Ok(joined)
}
