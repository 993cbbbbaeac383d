//! The composition of relations over a tree: vectors, hidden events, optional parts and priorities, component by
//! component from the leaves to the root.
//!
//! What a relation is about does not matter here: pairs of configurations, or pairs of blocks of them. It is enough that
//! components own disjoint bits of a present and of a next state, and that a label is possible where some next state is.

use std::collections::BTreeMap;

use lapidary_base::IdVec;
use lapidary_ir::tree::{EPSILON, Part, Vector};
use lapidary_ir::{ComponentId, EventId, EventRef, Tree};
use oxidd::VarNo;

use crate::Rejection;
use crate::diagram::space::{Set, Space};

/// The steps under one label, apart those in which nothing at all happens.
#[derive(Clone)]
pub struct Moves {
    pub idle: Set,
    pub busy: Set,
}

impl Moves {
    pub fn none(space: &Space<'_>) -> Self {
        Self { idle: space.none.clone(), busy: space.none.clone() }
    }

    pub fn any(&self, space: &Space<'_>) -> Result<Set, Rejection> {
        space.or(&self.idle, &self.busy)
    }

    pub fn map(&self, change: impl Fn(&Set) -> Result<Set, Rejection>) -> Result<Self, Rejection> {
        Ok(Self { idle: change(&self.idle)?, busy: change(&self.busy)? })
    }

    fn or(&self, space: &Space<'_>, other: &Self) -> Result<Self, Rejection> {
        Ok(Self { idle: space.or(&self.idle, &other.idle)?, busy: space.or(&self.busy, &other.busy)? })
    }

    fn and(&self, space: &Space<'_>, other: &Self) -> Result<Self, Rejection> {
        let idle = space.and(&self.idle, &other.idle)?;
        let left = space.and(&self.busy, &other.any(space)?)?;
        let busy = space.or(&left, &space.and(&self.idle, &other.busy)?)?;
        Ok(Self { idle, busy })
    }

    fn is_none(&self, space: &Space<'_>) -> bool {
        space.is_none(&self.idle) && space.is_none(&self.busy)
    }
}

/// The steps of a subtree by the event under which its parent knows them. Events that are not there are never possible.
pub type Known = BTreeMap<EventRef, Moves>;

/// The ways to fire a vector, by the number of optional parts and the event that is seen from above.
type Choices = BTreeMap<(usize, EventRef), Moves>;

/// What a component brings along.
pub enum Local {
    /// The relations of its own events; the subcomponents are composed with it.
    Alone(IdVec<EventId, Set>),
    /// The whole subtree was composed before.
    Whole(Known),
}

/// Steps of one vector, or of a subtree that was composed before.
pub struct Step {
    pub vector: Option<usize>,
    pub top: EventRef,
    pub moves: Moves,
}

/// What decides on priorities in a component.
struct Above {
    /// Where each of its events can be fired, as far as its vectors were looked at; only for events above others.
    fireable: IdVec<EventId, Set>,
    /// The bits of the next state of its subtree.
    next: Set,
}

pub struct Composer<'a> {
    pub tree: &'a Tree,
    pub space: &'a Space<'a>,
    /// For each component the bits of its own next state; if its subtree was composed before, those of the subtree.
    pub next: IdVec<ComponentId, Vec<VarNo>>,
}

impl Composer<'_> {
    /// All steps of the subtree of a component. Components inside of a [`Local::Whole`] have no entry.
    pub fn steps(&self, of: ComponentId, locals: &BTreeMap<ComponentId, Local>) -> Result<Vec<Step>, Rejection> {
        let mut below: BTreeMap<ComponentId, Known> = BTreeMap::new();
        for component in self.tree.subtree(of).rev() {
            let steps = match locals.get(&component) {
                None => continue,
                Some(Local::Whole(known)) => {
                    let step = |(&top, moves): (&EventRef, &Moves)| Step { vector: None, top, moves: moves.clone() };
                    known.iter().map(step).collect()
                }
                Some(Local::Alone(own)) => self.component_steps(component, own, &below)?,
            };
            if component == of {
                return Ok(steps);
            }
            self.tree.components[component].subs.iter().for_each(|sub| drop(below.remove(sub)));
            below.insert(component, self.known(steps)?);
        }
        Ok(Vec::new())
    }

    pub fn known(&self, steps: Vec<Step>) -> Result<Known, Rejection> {
        let mut known = Known::new();
        for step in steps {
            let moves = match known.get(&step.top) {
                Some(moves) => moves.or(self.space, &step.moves)?,
                None => step.moves,
            };
            known.insert(step.top, moves);
        }
        Ok(known)
    }

    /// Where some step of the subtree is possible.
    pub fn possible(&self, component: ComponentId, steps: &Set) -> Result<Set, Rejection> {
        self.space.and_exists_in(steps, &self.space.all, &self.next_cube(component)?)
    }

    /// The bits of the next state of a subtree.
    pub fn next_cube(&self, component: ComponentId) -> Result<Set, Rejection> {
        let bits: Vec<VarNo> =
            self.tree.subtree(component).flat_map(|inner| self.next[inner].iter().copied()).collect();
        self.space.cube(&bits)
    }

    fn component_steps(
        &self,
        component: ComponentId,
        own: &IdVec<EventId, Set>,
        below: &BTreeMap<ComponentId, Known>,
    ) -> Result<Vec<Step>, Rejection> {
        let declared = &self.tree.components[component];
        if declared.higher(EPSILON).next().is_some() {
            return Err(Rejection::Wrong("there are events that have priority over doing nothing".to_owned()));
        }
        // Priorities are transitively closed: a higher event has fewer above it, so its vectors come first.
        let mut order: Vec<usize> = (0..declared.vectors.len()).collect();
        order.sort_by_key(|&number| {
            own_part(component, &declared.vectors[number]).map_or(0, |part| declared.higher(part.event.event).count())
        });
        let fireable = declared.events.iter().map(|_| self.space.none.clone()).collect();
        let mut above = Above { fireable, next: self.next_cube(component)? };
        let mut steps = Vec::new();
        for number in order {
            let choices = self.choices(component, &declared.vectors[number], own, below)?;
            steps.extend(self.vector_steps(component, number, choices, &mut above)?);
        }
        Ok(steps)
    }

    /// The choices of a vector, the largest first, less what is blocked.
    fn vector_steps(
        &self,
        component: ComponentId,
        number: usize,
        choices: Choices,
        above: &mut Above,
    ) -> Result<Vec<Step>, Rejection> {
        let (space, declared) = (self.space, &self.tree.components[component]);
        let vector = &declared.vectors[number];
        let mut steps = Vec::new();
        // Where a choice with more optional parts can be fired, and where one with so many as this one.
        let (mut larger, mut same, mut last_rank) = (space.none.clone(), space.none.clone(), usize::MAX);
        for ((rank, top), moves) in choices.into_iter().rev() {
            if !vector.count.is_none_or(|(comparison, bound)| comparison.holds(rank, bound)) {
                continue;
            }
            if rank != last_rank {
                last_rank = rank;
                larger = space.or(&larger, &same)?;
                same = space.none.clone();
            }
            let mut blocked = larger.clone();
            // What is lifted has no priority here.
            for higher in declared.higher(top.event).filter(|_| !vector.is_lifted) {
                blocked = space.or(&blocked, &above.fireable[higher])?;
            }
            let moves = moves.map(|set| space.without(set, &blocked))?;
            let is_higher =
                top.component == component && declared.priorities.iter().any(|&(_, high)| high == top.event);
            if vector.has_optional() || is_higher {
                let possible = space.and_exists_in(&moves.any(space)?, &space.all, &above.next)?;
                same = space.or(&same, &possible)?;
                if is_higher {
                    above.fireable[top.event] = space.or(&above.fireable[top.event], &possible)?;
                }
            }
            steps.push(Step { vector: Some(number), top, moves });
        }
        Ok(steps)
    }

    /// The ways to put a vector together, by the number of optional parts and the event that is seen from above. No
    /// choice is listed: part by part, those that agree on both are one relation.
    fn choices(
        &self,
        component: ComponentId,
        vector: &Vector,
        own: &IdVec<EventId, Set>,
        below: &BTreeMap<ComponentId, Known>,
    ) -> Result<Choices, Rejection> {
        let space = self.space;
        let mut found: Choices = BTreeMap::new();
        let epsilon = |component| EventRef { component, event: EPSILON };
        let part = own_part(component, vector);
        if part.is_none_or(|part| part.is_optional) {
            let idle = Moves { idle: own[EPSILON].clone(), busy: space.none.clone() };
            found.insert((0, epsilon(component)), idle);
        }
        if let Some(part) = part {
            let busy = Moves { idle: space.none.clone(), busy: own[part.event.event].clone() };
            found.insert((usize::from(part.is_optional), part.event), busy);
        }
        let nothing = Moves::none(space);
        for &sub in &self.tree.components[component].subs {
            let label = |event: EventRef| below.get(&sub).and_then(|known| known.get(&event)).unwrap_or(&nothing);
            let part = vector.parts.iter().find(|part| self.tree.contains(sub, part.event.component));
            let mut ways: Vec<(usize, &Moves)> = Vec::new();
            if part.is_none_or(|part| part.is_optional) {
                ways.push((0, label(epsilon(sub))));
            }
            if let Some(part) = part {
                ways.push((usize::from(part.is_optional), label(part.event)));
            }
            found = self.joined(&found, &ways)?;
        }
        if let (true, Some(part)) = (vector.is_lifted, vector.parts.first()) {
            found = found.into_iter().map(|((rank, _), moves)| ((rank, part.event), moves)).collect();
        }
        Ok(found)
    }

    /// Each choice with each of the ways in which one more subcomponent takes part.
    fn joined(&self, choices: &Choices, ways: &[(usize, &Moves)]) -> Result<Choices, Rejection> {
        let mut joined = Choices::new();
        for (&(rank, top), moves) in choices {
            for &(more, other) in ways {
                let both = moves.and(self.space, other)?;
                if both.is_none(self.space) {
                    continue;
                }
                let both = match joined.get(&(rank + more, top)) {
                    Some(known) => known.or(self.space, &both)?,
                    None => both,
                };
                joined.insert((rank + more, top), both);
            }
        }
        Ok(joined)
    }
}

fn own_part(component: ComponentId, vector: &Vector) -> Option<Part> {
    vector.parts.iter().copied().find(|part| part.event.component == component)
}
