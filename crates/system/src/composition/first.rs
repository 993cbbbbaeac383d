//! Of a set of flat events the one that flattening lists first, found without listing any.
//!
//! Flattening lists the flat events of a component vector by vector, the choices of a vector's optional parts as numbers
//! whose lowest bit is the first of them, and for each choice the combinations of its subcomponents' flat events, the last
//! subcomponent counting fastest. So the first one is found by deciding in that order, each time for what comes first
//! among what is still possible.

use std::collections::BTreeMap;

use lapidary_base::{IdVec, Stop};
use lapidary_bdd::{Column, Set, Space};
use lapidary_ir::tree::{EPSILON, Part, ROOT, Vector};
use lapidary_ir::{ComponentId, EventRef, Tree};

use crate::symbolic::flat_events::{FlatEvents, joined};

pub struct First<'a> {
    pub tree: &'a Tree,
    pub space: &'a Space,
    /// Of every component's event.
    pub columns: &'a IdVec<ComponentId, Column>,
    pub allowed: &'a FlatEvents,
}

/// An optional part: whose it is, and what is left of the flat events without it and with it.
struct Optional {
    part: Part,
    absent: Option<Set>,
    present: Option<Set>,
}

/// What is left, and what is asked of which subcomponents.
type Decided = (Set, BTreeMap<ComponentId, EventRef>);

impl First<'_> {
    /// The set of the first one alone, if there is any that the vectors allow.
    pub fn among(&self, set: &Set) -> Result<Option<Set>, Stop> {
        self.first(ROOT, None, set)
    }

    /// Of those that the parent of the component sees as `top`, or of all. The events of the subtree are decided.
    fn first(&self, id: ComponentId, top: Option<EventRef>, set: &Set) -> Result<Option<Set>, Stop> {
        for vector in &self.tree.components[id].vectors {
            let Some((mut found, tops)) = self.of_vector(id, vector, top, set)? else { continue };
            for &sub in &self.tree.components[id].subs {
                let top = tops.get(&sub).copied().unwrap_or(idle(sub));
                found = self.first(sub, Some(top), &found)?.expect("what a vector allows its subcomponents allow");
            }
            return Ok(Some(found));
        }
        Ok(None)
    }

    /// What is left with the first choice of this vector for which something is left, and what that choice asks of which
    /// subcomponents.
    fn of_vector(
        &self,
        id: ComponentId,
        vector: &Vector,
        top: Option<EventRef>,
        set: &Set,
    ) -> Result<Option<Decided>, Stop> {
        if vector.is_lifted && top.is_some_and(|top| top != vector.parts[0].event) {
            return Ok(None);
        }
        // What is seen of a vector that is not lifted is the component's own event.
        let own = top.filter(|_| !vector.is_lifted);
        let Some(fixed) = self.fixed(id, vector, own, set)? else { return Ok(None) };
        let mut optional = Vec::new();
        for &part in vector.parts.iter().filter(|part| part.is_optional) {
            optional.push(self.optional(id, part, own)?);
        }
        let Some((found, taken)) = self.first_choice(vector, fixed, &optional)? else { return Ok(None) };
        let mandatory = vector.parts.iter().filter(|part| !part.is_optional);
        let events = mandatory.copied().chain(taken).map(|part| part.event).filter(|event| event.component != id);
        Ok(Some((found, events.map(|event| (self.place(id, event), event)).collect())))
    }

    /// What is left with all parts that are not optional, and with nothing from those without a part.
    fn fixed(&self, id: ComponentId, vector: &Vector, own: Option<EventRef>, set: &Set) -> Result<Option<Set>, Stop> {
        let places = [id].into_iter().chain(self.tree.components[id].subs.iter().copied());
        let part = |place: ComponentId| vector.parts.iter().find(|part| self.place(id, part.event) == place);
        let (with, without): (Vec<ComponentId>, Vec<ComponentId>) = places.partition(|&place| part(place).is_some());
        let mut left = set.clone();
        for place in with.into_iter().chain(without) {
            let event = match part(place) {
                Some(part) if part.is_optional => continue,
                Some(part) => part.event,
                None => idle(place),
            };
            let Some(way) = self.way(id, place, event, own)? else { return Ok(None) };
            left = self.space.and(&left, &way)?;
            if self.space.is_none(&left) {
                return Ok(None);
            }
        }
        Ok(Some(left))
    }

    fn optional(&self, id: ComponentId, part: Part, own: Option<EventRef>) -> Result<Optional, Stop> {
        let place = self.place(id, part.event);
        let (absent, present) = (self.way(id, place, idle(place), own)?, self.way(id, place, part.event, own)?);
        Ok(Optional { part, absent, present })
    }

    /// The flat events in which the component itself, or a subcomponent, takes part with this event.
    fn way(
        &self,
        id: ComponentId,
        place: ComponentId,
        event: EventRef,
        own: Option<EventRef>,
    ) -> Result<Option<Set>, Stop> {
        if place != id {
            return Ok(self.allowed.with_top(place, event).cloned());
        }
        match own.is_none_or(|own| own == event) {
            true => Ok(Some(self.space.value(self.columns[id], u64::from(event.event.0))?)),
            false => Ok(None),
        }
    }

    /// The least choice as a number, whose lowest bit is the first optional part: the last part is decided first, and is
    /// absent if that leaves something.
    fn first_choice(
        &self,
        vector: &Vector,
        fixed: Set,
        optional: &[Optional],
    ) -> Result<Option<(Set, Vec<Part>)>, Stop> {
        let space = self.space;
        // By the number of parts before it that take part: what is left for them.
        let mut before = vec![BTreeMap::from([(0, fixed.clone())])];
        for one in optional {
            let ways = one.absent.iter().map(|way| (0, way)).chain(one.present.iter().map(|way| (1, way)));
            let next = joined(space, &before[before.len() - 1], ways)?;
            before.push(next);
        }
        let (mut found, mut taken) = (space.all(), Vec::new());
        if !before[optional.len()].keys().any(|&rank| vector.admits(rank)) {
            return Ok(None);
        }
        for (one, before) in optional.iter().zip(&before).rev() {
            let n_taken = taken.len();
            let without = match &one.absent {
                Some(absent) => {
                    let without = space.and(&found, absent)?;
                    let mut admitted = before.iter().filter(|(rank, _)| vector.admits(**rank + n_taken));
                    let is_possible = admitted.try_fold(false, |is_possible, (_, left)| {
                        Ok::<bool, Stop>(is_possible || space.intersects(left, &without)?)
                    })?;
                    is_possible.then_some(without)
                }
                None => None,
            };
            found = match (without, &one.present) {
                (Some(without), _) => without,
                (None, Some(present)) => {
                    taken.push(one.part);
                    space.and(&found, present)?
                }
                (None, None) => return Ok(None),
            };
        }
        Ok(Some((space.and(&fixed, &found)?, taken)))
    }

    /// The component itself, or the subcomponent in which the event is.
    fn place(&self, id: ComponentId, event: EventRef) -> ComponentId {
        let mut subs = self.tree.components[id].subs.iter().copied();
        subs.find(|&sub| self.tree.contains(sub, event.component)).unwrap_or(id)
    }
}

fn idle(component: ComponentId) -> EventRef {
    EventRef { component, event: EPSILON }
}
