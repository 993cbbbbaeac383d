//! The flat events of every component: which combinations of events its vectors allow in its subtree.

use lapidary_base::hash::Map;
use lapidary_base::{Control, IdVec, id};

use super::{MAX_FLAT_EVENTS, NoModel, TooLarge, product};
use crate::tree::{Choice, ComponentId, EPSILON, EventId, EventRef, Tree, Vector};

id! {
    /// A flat event of one component.
    pub struct FlatId(u32);
}

/// A vector with more optional parts than this is not multiplied out.
const MAX_OPTIONAL: usize = 16;

#[derive(Clone, Debug)]
pub struct LevelEvent {
    /// What the parent sees.
    pub top: EventRef,
    /// The component's own part.
    pub local: EventId,
    /// The part of each subcomponent.
    pub subs: Vec<FlatId>,
    /// The vectors that allow it.
    pub ways: Vec<Way>,
}

/// A vector that allows a flat event, and how many of its optional parts take part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Way {
    pub vector: usize,
    pub rank: usize,
}

#[derive(Default)]
pub struct Level {
    pub events: IdVec<FlatId, LevelEvent>,
    by_top: Map<EventRef, Vec<FlatId>>,
    known: Map<(EventRef, EventId, Vec<FlatId>), FlatId>,
}

pub type Levels = IdVec<ComponentId, Level>;

/// Subcomponents have greater numbers, so they are done before their parents.
pub fn levels(tree: &Tree, control: &Control) -> Result<Levels, NoModel> {
    let mut levels: Levels = tree.components.iter().map(|_| Level::default()).collect();
    for component in tree.components.ids().rev() {
        levels[component] = level(tree, component, &levels, control)?;
    }
    Ok(levels)
}

fn level(tree: &Tree, component: ComponentId, levels: &Levels, control: &Control) -> Result<Level, NoModel> {
    let mut level = Level::default();
    for (number, vector) in tree.components[component].vectors.iter().enumerate() {
        let n_optional = vector.parts.iter().filter(|part| part.is_optional).count();
        if n_optional > MAX_OPTIONAL {
            let what = format!("a vector with {n_optional} optional events, more than {MAX_OPTIONAL}");
            return Err(TooLarge::new(what, vector.span).into());
        }
        for choice in vector.choices() {
            control.check()?;
            level.add(tree, component, levels, (number, vector), &choice, control)?;
        }
    }
    Ok(level)
}

impl Level {
    /// Adds the flat events of one choice of a vector's parts.
    fn add(
        &mut self,
        tree: &Tree,
        component: ComponentId,
        levels: &Levels,
        (number, vector): (usize, &Vector),
        choice: &Choice,
        control: &Control,
    ) -> Result<(), NoModel> {
        let own = choice.events.iter().find(|part| part.component == component);
        let local = own.map_or(EPSILON, |part| part.event);
        if !has_transition(tree, component, local) {
            return Ok(());
        }
        let candidates = tree.components[component].subs.iter().map(|&sub| {
            let part = choice.events.iter().find(|part| tree.contains(sub, part.component));
            let top = part.copied().unwrap_or(EventRef { component: sub, event: EPSILON });
            levels[sub].by_top.get(&top).map_or(&[][..], Vec::as_slice)
        });
        let candidates: Vec<&[FlatId]> = candidates.collect();
        let lengths: Vec<usize> = candidates.iter().map(|list| list.len()).collect();
        let (top, way) = (vector.top(component, choice), Way { vector: number, rank: choice.rank });
        for picks in product(&lengths) {
            let subs = picks.iter().zip(&candidates).map(|(&pick, list)| list[pick]).collect();
            control.check()?;
            self.insert(top, local, subs, way);
            if self.events.len() > MAX_FLAT_EVENTS {
                let what = format!("more than {MAX_FLAT_EVENTS} combinations of events");
                return Err(TooLarge::new(what, tree.components[component].span).into());
            }
        }
        Ok(())
    }

    fn insert(&mut self, top: EventRef, local: EventId, subs: Vec<FlatId>, way: Way) {
        let Self { events, by_top, known } = self;
        let flat = *known.entry((top, local, subs.clone())).or_insert_with(|| {
            let flat = events.push(LevelEvent { top, local, subs, ways: Vec::new() });
            by_top.entry(top).or_default().push(flat);
            flat
        });
        if !events[flat].ways.contains(&way) {
            events[flat].ways.push(way);
        }
    }

    /// The flat events that the parent sees under this name.
    pub fn with_top(&self, top: EventRef) -> &[FlatId] {
        self.by_top.get(&top).map_or(&[], Vec::as_slice)
    }
}

/// Epsilon has one of its own; other events without a transition never happen.
fn has_transition(tree: &Tree, component: ComponentId, event: EventId) -> bool {
    event == EPSILON || tree.components[component].transitions.iter().any(|transition| transition.event == event)
}
