//! What can be fired in one configuration, component by component.

use std::rc::Rc;

use lapidary_base::Id;
use lapidary_base::hash::{Map, Set};
use lapidary_ir::model::Raw;
use lapidary_ir::tree::{EPSILON, Transition, Vector};
use lapidary_ir::{ComponentId, EventId, EventRef, VarId};

use super::{Composition, FlatEvent, Work, is_true, number};
use crate::Rejection;
use crate::eval;

/// Events that can happen together in a subtree, and the new values that they give.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Firing {
    /// In the order of the components, epsilons left out.
    pub events: Vec<(ComponentId, EventId)>,
    pub updates: Vec<(VarId, Raw)>,
}

/// Firings with the event under which the parent knows each.
pub type Labelled = Vec<(EventRef, Firing)>;

/// Why events that fit together cannot be fired all the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// No flows of the subtree satisfy its assertions afterwards.
    Flows,
    /// This event has priority and can be fired.
    Priority(EventId),
    /// The same vector can be fired with more optional parts.
    Broadcast,
}

/// Which of the firings of subcomponents are taken.
#[derive(Clone, Copy)]
pub enum Wanted<'e> {
    All,
    /// Those that make up this flat event.
    Exactly(&'e FlatEvent),
}

pub struct Scene<'c, 'w> {
    pub composition: &'c Composition<'c>,
    pub state: &'c [Raw],
    pub work: Work<'w>,
    /// By component and number of the vector.
    known: Map<(ComponentId, usize), Rc<Labelled>>,
}

impl<'c, 'w> Scene<'c, 'w> {
    pub fn new(composition: &'c Composition<'c>, state: &'c [Raw], work: Work<'w>) -> Self {
        Self { composition, state, work, known: Map::default() }
    }

    /// All firings of the component's own semantics.
    pub fn all_firings(&mut self, component: ComponentId) -> Result<Labelled, Rejection> {
        let mut found = Vec::new();
        for number in 0..self.composition.tree.components[component].vectors.len() {
            found.extend(self.vector_firings(component, number)?.iter().cloned());
        }
        Ok(found)
    }

    /// The firings that the parent knows under this event.
    fn firings(&mut self, component: ComponentId, top: EventRef) -> Result<Vec<Firing>, Rejection> {
        let mut found = Vec::new();
        for number in 0..self.composition.tree.components[component].vectors.len() {
            if !may_be_known_as(&self.composition.tree.components[component].vectors[number], component, top) {
                continue;
            }
            let firings = self.vector_firings(component, number)?;
            found.extend(firings.iter().filter(|(other, _)| *other == top).map(|(_, firing)| firing.clone()));
        }
        Ok(found)
    }

    pub fn is_fireable(&mut self, component: ComponentId, event: EventId) -> Result<bool, Rejection> {
        Ok(!self.firings(component, EventRef { component, event })?.is_empty())
    }

    /// The firings of one vector: of its choices, those with the most optional parts for which there is one.
    pub fn vector_firings(&mut self, component: ComponentId, number: usize) -> Result<Rc<Labelled>, Rejection> {
        if let Some(known) = self.known.get(&(component, number)) {
            return Ok(Rc::clone(known));
        }
        let found = Rc::new(self.firings_above(component, number, None)?);
        self.known.insert((component, number), Rc::clone(&found));
        Ok(found)
    }

    /// [`vector_firings`](Self::vector_firings), but only of choices with more than so many optional parts.
    pub fn firings_above(
        &mut self,
        component: ComponentId,
        number: usize,
        rank: Option<usize>,
    ) -> Result<Labelled, Rejection> {
        let tree = self.composition.tree;
        let vector = &tree.components[component].vectors[number];
        let optional = self.available(component, vector)?;
        for n_taken in (0..=optional.len()).rev().take_while(|&n_taken| rank.is_none_or(|rank| n_taken > rank)) {
            if !vector.count.is_none_or(|(comparison, bound)| comparison.holds(n_taken, bound)) {
                continue;
            }
            let mut found = Vec::new();
            let mut chosen: Vec<usize> = (0..n_taken).collect();
            loop {
                self.work.spend(1)?;
                let parts = parts(vector, |event| chosen.iter().any(|&i| optional[i] == event));
                let top = top(vector, component, &parts);
                let candidates = self.candidates(component, &parts, Wanted::All)?;
                let is_lower = !candidates.is_empty() && self.lower_than(component, vector, top)?.is_some();
                for firing in candidates.into_iter().filter(|_| !is_lower) {
                    if self.has_flows(component, &firing)? {
                        found.push((top, firing));
                    }
                }
                if !next_choice(&mut chosen, optional.len()) {
                    break;
                }
            }
            if !found.is_empty() {
                return Ok(found);
            }
        }
        Ok(Vec::new())
    }

    /// The optional events of a vector that can take part at all.
    fn available(&mut self, component: ComponentId, vector: &Vector) -> Result<Vec<EventRef>, Rejection> {
        let mut found = Vec::new();
        for part in vector.parts.iter().filter(|part| part.is_optional) {
            let is_available = match part.event.component == component {
                true => !self.local(component, part.event.event)?.is_empty(),
                false => !self.firings(sub_of(self.composition, component, part.event), part.event)?.is_empty(),
            };
            if is_available {
                found.push(part.event);
            }
        }
        Ok(found)
    }

    /// Every way to put a choice of parts together from what the component and its subcomponents can do.
    pub fn candidates(
        &mut self,
        component: ComponentId,
        parts: &[EventRef],
        wanted: Wanted<'_>,
    ) -> Result<Vec<Firing>, Rejection> {
        let composition = self.composition;
        let own = parts.iter().find(|part| part.component == component).map_or(EPSILON, |part| part.event);
        let events: Vec<(ComponentId, EventId)> = (own != EPSILON).then_some((component, own)).into_iter().collect();
        if let Wanted::Exactly(flat) = wanted
            && flat[component] != own
        {
            return Ok(Vec::new());
        }
        let local = self.local(component, own)?;
        let mut found: Vec<Firing> =
            local.into_iter().map(|updates| Firing { events: events.clone(), updates }).collect();
        for &sub in &composition.tree.components[component].subs {
            if found.is_empty() {
                break;
            }
            let part = parts.iter().find(|part| composition.tree.contains(sub, part.component));
            let top = part.copied().unwrap_or(EventRef { component: sub, event: EPSILON });
            let firings = match wanted {
                Wanted::All => self.firings(sub, top)?,
                Wanted::Exactly(flat) => {
                    let matching = self.matching(sub, flat)?;
                    matching.into_iter().filter(|(other, _)| *other == top).map(|(_, firing)| firing).collect()
                }
            };
            self.work.spend(found.len() as u64 * firings.len() as u64)?;
            found = found.iter().flat_map(|left| firings.iter().map(|right| together(left, right))).collect();
        }
        let mut seen: Set<Firing> = Set::default();
        found.retain(|firing| seen.insert(firing.clone()));
        Ok(found)
    }

    /// The firings of the component's own semantics that make up its part of a flat event.
    pub fn matching(&mut self, component: ComponentId, flat: &FlatEvent) -> Result<Labelled, Rejection> {
        let tree = self.composition.tree;
        let mut found = Vec::new();
        for (number, vector) in tree.components[component].vectors.iter().enumerate() {
            let Some((parts, rank)) = fitting(vector, flat) else { continue };
            let top = top(vector, component, &parts);
            for firing in self.candidates(component, &parts, Wanted::Exactly(flat))? {
                if self.refusal(component, number, rank, top, &firing)?.is_none() {
                    found.push((top, firing));
                }
            }
        }
        Ok(found)
    }

    pub fn refusal(
        &mut self,
        component: ComponentId,
        number: usize,
        rank: usize,
        top: EventRef,
        firing: &Firing,
    ) -> Result<Option<Refusal>, Rejection> {
        let vector = &self.composition.tree.components[component].vectors[number];
        if !self.has_flows(component, firing)? {
            return Ok(Some(Refusal::Flows));
        }
        if let Some(event) = self.lower_than(component, vector, top)? {
            return Ok(Some(Refusal::Priority(event)));
        }
        let is_smaller = vector.has_optional() && !self.firings_above(component, number, Some(rank))?.is_empty();
        Ok(is_smaller.then_some(Refusal::Broadcast))
    }

    /// An event of the component that has priority and can be fired. What is lifted has no priority here.
    fn lower_than(
        &mut self,
        component: ComponentId,
        vector: &Vector,
        top: EventRef,
    ) -> Result<Option<EventId>, Rejection> {
        if vector.is_lifted {
            return Ok(None);
        }
        let higher: Vec<EventId> = self.composition.tree.components[component].higher(top.event).collect();
        for event in higher {
            if self.is_fireable(component, event)? {
                return Ok(Some(event));
            }
        }
        Ok(None)
    }

    fn has_flows(&mut self, component: ComponentId, firing: &Firing) -> Result<bool, Rejection> {
        if firing.updates.is_empty() {
            return Ok(true);
        }
        let mut after = self.state.to_vec();
        for &(var, value) in &firing.updates {
            after[var.index()] = value;
        }
        let Composition { model, solvers, .. } = self.composition;
        let changed = |var: VarId| firing.updates.iter().any(|&(other, _)| other == var);
        solvers[component].is_solvable(model, &mut after, changed, &mut self.work)
    }

    /// The updates of the component's own transitions with this event whose guard is true and that stay within the
    /// domains.
    pub fn local(&mut self, component: ComponentId, event: EventId) -> Result<Vec<Vec<(VarId, Raw)>>, Rejection> {
        if event == EPSILON {
            return Ok(vec![Vec::new()]);
        }
        let mut found: Vec<Vec<(VarId, Raw)>> = Vec::new();
        let transitions = &self.composition.tree.components[component].transitions;
        for transition in transitions.iter().filter(|transition| transition.event == event) {
            self.work.spend(1)?;
            if !is_true(&self.composition.model, transition.guard, self.state)? {
                continue;
            }
            found.extend(self.updates(transition)?.ok().filter(|updates| !found.contains(updates)));
        }
        Ok(found)
    }

    /// The new values, or the variable that would get none or one outside its domain.
    pub fn updates(&self, transition: &Transition) -> Result<Updates, Rejection> {
        let model = &self.composition.model;
        let mut updates = Vec::with_capacity(transition.updates.len());
        for &(var, value) in &transition.updates {
            let Some(number) = number(model, value, self.state)? else { return Ok(Err((var, None))) };
            match Raw::try_from(number) {
                Ok(value) if eval::in_domain(model, var, value) => updates.push((var, value)),
                Ok(_) | Err(_) => return Ok(Err((var, Some(number)))),
            }
        }
        Ok(Ok(updates))
    }
}

/// A variable that would get no value, or the number that is outside its domain.
pub type NoValue = (VarId, Option<i128>);

/// New values, or a variable that has none.
pub type Updates = Result<Vec<(VarId, Raw)>, NoValue>;

/// The subcomponent in which an event is, or was lifted from.
fn sub_of(composition: &Composition<'_>, component: ComponentId, event: EventRef) -> ComponentId {
    let mut subs = composition.tree.components[component].subs.iter();
    *subs.find(|&&sub| composition.tree.contains(sub, event.component)).expect("parts are of the subtree")
}

fn may_be_known_as(vector: &Vector, component: ComponentId, top: EventRef) -> bool {
    let own = vector.parts.iter().find(|part| part.event.component == component);
    match own {
        _ if vector.is_lifted => vector.parts.first().is_some_and(|part| part.event == top),
        Some(part) => part.event == top || part.is_optional && top == EventRef { component, event: EPSILON },
        None => top == EventRef { component, event: EPSILON },
    }
}

/// The parts that a choice of optional ones leaves.
fn parts(vector: &Vector, takes: impl Fn(EventRef) -> bool) -> Vec<EventRef> {
    vector.parts.iter().filter(|part| !part.is_optional || takes(part.event)).map(|part| part.event).collect()
}

/// The event under which the parent knows a choice of parts.
fn top(vector: &Vector, component: ComponentId, parts: &[EventRef]) -> EventRef {
    let own = match vector.is_lifted {
        true => parts.first(),
        false => parts.iter().find(|part| part.component == component),
    };
    own.copied().unwrap_or(EventRef { component, event: EPSILON })
}

/// The choice of parts that a flat event takes, if its mandatory events are all there, and the number of optional ones.
pub fn fitting(vector: &Vector, flat: &FlatEvent) -> Option<(Vec<EventRef>, usize)> {
    let is_there = |event: EventRef| flat[event.component] == event.event;
    if vector.parts.iter().any(|part| !part.is_optional && !is_there(part.event)) {
        return None;
    }
    let rank = vector.parts.iter().filter(|part| part.is_optional && is_there(part.event)).count();
    let is_admitted = vector.count.is_none_or(|(comparison, bound)| comparison.holds(rank, bound));
    is_admitted.then(|| (parts(vector, is_there), rank))
}

/// The next of the choices of `chosen.len()` numbers below `n`, in lexical order.
fn next_choice(chosen: &mut [usize], n: usize) -> bool {
    let n_chosen = chosen.len();
    let Some(i) = (0..n_chosen).rev().find(|&i| chosen[i] < n - n_chosen + i) else { return false };
    chosen[i] += 1;
    for j in i + 1..n_chosen {
        chosen[j] = chosen[j - 1] + 1;
    }
    true
}

fn together(left: &Firing, right: &Firing) -> Firing {
    Firing {
        events: left.events.iter().chain(&right.events).copied().collect(),
        updates: left.updates.iter().chain(&right.updates).copied().collect(),
    }
}
