//! A component made ready for composition: its transitions by event, its vectors written out, its flows to solve.

use lapidary_base::hash::Map;
use lapidary_base::{Id, IdVec, id};
use lapidary_ir::tree::{ComponentId, EPSILON, EventId, EventRef};
use lapidary_ir::{Tree, VarId};
use std::rc::Rc;

use super::Valuations;
use super::code::{Code, Evaluator};
use super::enabled::Enabled;
use super::solve::{self, Plan};
use crate::explicit::TooMuch;

id! {
    /// A combination of events of one component and its subtree, in the order in which they were met.
    pub struct Flat(u32);
}

/// A vector with more optional parts than this is not written out.
const MAX_OPTIONAL: usize = 16;

/// A variable and its new value.
pub type Change = (u32, i64);

pub struct Transition {
    pub guard: Code,
    pub updates: Vec<(u32, Code, (i64, i64))>,
}

/// One choice of the parts of a vector.
pub struct Way {
    pub local: EventId,
    pub top: EventRef,
    /// The top that each subcomponent has to have.
    pub subs: Vec<EventRef>,
    pub vector: usize,
    pub rank: usize,
    pub has_optional: bool,
}

pub struct Node {
    pub id: ComponentId,
    pub subs: Vec<ComponentId>,
    /// The variables of the subtree are those from the first to the second, not included.
    pub vars: (usize, usize),
    /// The state variables of the subtree.
    pub states: Vec<usize>,
    pub transitions: IdVec<EventId, Vec<Transition>>,
    pub ways: Vec<Way>,
    /// The events with priority over each.
    pub higher: IdVec<EventId, Vec<EventId>>,
    pub has_order: bool,
    /// The flows of the subtree.
    pub flows: Plan,
    pub flats: IdVec<Flat, (EventId, Box<[Flat]>)>,
    pub known_flats: Map<(EventId, Box<[Flat]>), Flat>,
    /// By the values of the subtree.
    pub enabled: Valuations<Rc<Enabled>>,
    /// By the values of the subtree's state variables: are there flows?
    pub has_flows: Valuations<bool>,
}

impl Node {
    pub fn new(tree: &Tree, id: ComponentId, evaluator: &mut Evaluator<'_>) -> Result<Self, TooMuch> {
        let declared = &tree.components[id];
        let vars: Vec<VarId> = tree.subtree_vars(id).collect();
        let (states, flows): (Vec<VarId>, Vec<VarId>) = vars.iter().partition(|&&var| tree.is_state(var));
        let first = vars.first().map_or(0, |var| var.index());
        let higher = declared.events.ids().map(|event| declared.higher(event).collect()).collect();
        let ways = ways(tree, id)?;
        let flows = Plan::new(tree, flows, &solve::assertions(tree, id), evaluator);
        Ok(Self {
            id,
            subs: declared.subs.clone(),
            vars: (first, first + vars.len()),
            states: states.into_iter().map(Id::index).collect(),
            transitions: transitions(tree, id, evaluator),
            has_order: !declared.priorities.is_empty() || ways.iter().any(|way| way.has_optional),
            ways,
            higher,
            flows,
            flats: IdVec::new(),
            known_flats: Map::default(),
            enabled: Map::default(),
            has_flows: Map::default(),
        })
    }

    pub fn flat(&mut self, local: EventId, subs: Box<[Flat]>) -> Flat {
        let Self { flats, known_flats, .. } = self;
        *known_flats.entry((local, subs)).or_insert_with_key(|key| flats.push(key.clone()))
    }
}

/// Of a component itself, by event; epsilon has one of its own.
pub fn transitions(tree: &Tree, id: ComponentId, evaluator: &mut Evaluator<'_>) -> IdVec<EventId, Vec<Transition>> {
    let declared = &tree.components[id];
    let mut found: IdVec<EventId, Vec<Transition>> = declared.events.iter().map(|_| Vec::new()).collect();
    let always = evaluator.compile(tree.exprs.bool(true));
    found[EPSILON].push(Transition { guard: always, updates: Vec::new() });
    for transition in &declared.transitions {
        let updates =
            transition.updates.iter().map(|&(var, value)| (var.0, evaluator.compile(value), tree.bounds(var)));
        let updates = updates.collect();
        found[transition.event].push(Transition { guard: evaluator.compile(transition.guard), updates });
    }
    found
}

fn ways(tree: &Tree, id: ComponentId) -> Result<Vec<Way>, TooMuch> {
    let declared = &tree.components[id];
    let mut found = Vec::new();
    for (number, vector) in declared.vectors.iter().enumerate() {
        let n_optional = vector.parts.iter().filter(|part| part.is_optional).count();
        if n_optional > MAX_OPTIONAL {
            let what = format!("a vector has {n_optional} optional events, more than {MAX_OPTIONAL}");
            return Err(TooMuch { what, span: Some(vector.span) });
        }
        for choice in vector.choices() {
            let own = choice.events.iter().find(|part| part.component == id);
            let subs = declared.subs.iter().map(|&sub| {
                let part = choice.events.iter().find(|part| tree.contains(sub, part.component));
                part.copied().unwrap_or(EventRef { component: sub, event: EPSILON })
            });
            found.push(Way {
                local: own.map_or(EPSILON, |part| part.event),
                top: vector.top(id, &choice),
                subs: subs.collect(),
                vector: number,
                rank: choice.rank,
                has_optional: n_optional > 0,
            });
        }
    }
    Ok(found)
}
