//! The hierarchy of the abstraction (Chucri 2012, section 5.2.1): the same vectors and priorities between the same
//! components, of each of which nothing is left but the number of its block.
//!
//! A subtree that is one component becomes two: one that has its events, and below it a body with the block, whose last
//! event is what the subtree hides.

use lapidary_base::{Control, Id, IdVec, Meter, Stop};
use lapidary_ir::tree::{Component, EPSILON, Event, Part as Taking, Transition, VarKind, Vector};
use lapidary_ir::{ComponentId, Domain, EventId, EventRef, Exprs, Life, Tree, Var, VarId};
use lapidary_text::Span;

use super::local::Local;

/// What a component of the skeleton stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Has the number of the block of this component of the system; its events are the labels.
    Blocks(usize),
    /// Has the events of a subtree, and no block.
    Interface,
}

pub struct Skeleton {
    /// The variable with the number of the component is the number of its block.
    pub tree: Tree,
    pub roles: IdVec<ComponentId, Role>,
}

/// Events, transitions and vectors have names and lists of their own.
const PIECES_PER_LABEL: u64 = 32;

/// A skeleton in which each component has so many blocks.
pub fn skeleton(local: &Local<'_>, n_blocks: &[usize], control: &Control) -> Result<Skeleton, Stop> {
    let mut maker =
        Maker { local, exprs: Exprs::new(), places: places(local), components: IdVec::new(), roles: IdVec::new() };
    let mut meter = Meter::new(control);
    for unit in 0..local.units.len() {
        let original = &local.tree().components[local.units[unit].part.component];
        meter.add(PIECES_PER_LABEL * (local.units[unit].n_labels() + original.vectors.len()) as u64)?;
        maker.unit(unit);
    }
    let Maker { exprs, mut components, roles, .. } = maker;
    for id in components.ids().rev() {
        let end = components[id].subs.last().map_or(id.0 + 1, |&last| components[last].end);
        components[id].end = end;
    }
    let mut vars = IdVec::new();
    for (unit, &n_blocks) in n_blocks.iter().enumerate() {
        let hi = i64::try_from(n_blocks).expect("blocks fit in memory") - 1;
        let span = local.tree().components[local.units[unit].part.component].span;
        let name = format!("{}!block", local.name(unit));
        vars.push(Var { name, domain: Domain::Range { lo: 0, hi }, control: false, life: Life::State, span });
    }
    let kinds = vars.iter().map(|_| VarKind::State).collect();
    let tree = Tree { name: local.tree().name.clone(), exprs, vars, kinds, components, ..Tree::default() };
    Ok(Skeleton { tree, roles })
}

/// Where the components of the system come to stand; bodies follow their interfaces.
fn places(local: &Local<'_>) -> Vec<ComponentId> {
    let mut next = 0;
    let place = |unit: &super::local::Unit| {
        let place = ComponentId(next);
        next += if unit.part.is_subtree { 2 } else { 1 };
        place
    };
    local.units.iter().map(place).collect()
}

struct Maker<'a> {
    local: &'a Local<'a>,
    exprs: Exprs,
    places: Vec<ComponentId>,
    components: IdVec<ComponentId, Component>,
    roles: IdVec<ComponentId, Role>,
}

impl Maker<'_> {
    fn unit(&mut self, unit: usize) {
        let part = self.local.units[unit].part;
        if part.is_subtree {
            self.interface(unit);
            self.body(unit);
        } else {
            self.node(unit);
        }
    }

    fn node(&mut self, unit: usize) {
        let original = &self.local.tree().components[self.local.units[unit].part.component];
        let vectors = original.vectors.iter().map(|vector| self.vector(vector)).collect();
        let var = self.block(unit);
        let transitions = (1..original.events.len()).map(|event| self.moving(event, Some(var))).collect();
        let component = Component {
            events: original.events.clone(),
            priorities: original.priorities.clone(),
            subs: original.subs.iter().map(|&sub| self.place(sub)).collect(),
            vars: (var.0, var.0 + 1),
            transitions,
            vectors,
            ..self.blank(unit, "")
        };
        self.push(component, Role::Blocks(unit));
    }

    /// Every event of the interface is the event of the body with the same number.
    fn interface(&mut self, unit: usize) {
        let (id, n_events) = (self.places[unit], self.local.units[unit].n_labels() - 1);
        let span = self.local.tree().components[self.local.units[unit].part.component].span;
        let body = ComponentId(id.0 + 1);
        let event = |component: ComponentId, event: usize| EventRef { component, event: EventId::new(event) };
        let mut vectors: Vec<Vector> =
            (1..n_events).map(|number| together(&[event(id, number), event(body, number)], span)).collect();
        vectors.push(together(&[event(body, n_events)], span));
        vectors.push(together(&[], span));
        let block = self.block(unit);
        let component = Component {
            events: (0..n_events).map(|number| self.event(unit, number)).collect(),
            subs: vec![body],
            vars: (block.0, block.0),
            transitions: (1..n_events).map(|event| self.moving(event, None)).collect(),
            vectors,
            ..self.blank(unit, "")
        };
        self.push(component, Role::Interface);
    }

    fn body(&mut self, unit: usize) {
        let (id, n_events) = (ComponentId(self.places[unit].0 + 1), self.local.units[unit].n_labels());
        let span = self.local.tree().components[self.local.units[unit].part.component].span;
        let event = |event: usize| EventRef { component: id, event: EventId::new(event) };
        let mut vectors: Vec<Vector> = (1..n_events).map(|number| together(&[event(number)], span)).collect();
        vectors.push(together(&[], span));
        let var = self.block(unit);
        let component = Component {
            parent: Some(self.places[unit]),
            events: (0..n_events).map(|number| self.event(unit, number)).collect(),
            vars: (var.0, var.0 + 1),
            transitions: (1..n_events).map(|event| self.moving(event, Some(var))).collect(),
            vectors,
            ..self.blank(unit, "!body")
        };
        self.push(component, Role::Blocks(unit));
    }

    fn push(&mut self, component: Component, role: Role) {
        self.components.push(component);
        self.roles.push(role);
    }

    fn block(&self, unit: usize) -> VarId {
        VarId::new(unit)
    }

    fn place(&self, component: ComponentId) -> ComponentId {
        self.places[self.local.components.part_of(component)]
    }

    fn blank(&self, unit: usize, suffix: &str) -> Component {
        let original = &self.local.tree().components[self.local.units[unit].part.component];
        Component {
            name: format!("{}{suffix}", original.name),
            path: format!("{}{suffix}", original.path),
            node: original.node.clone(),
            parent: original.parent.map(|parent| self.place(parent)),
            subs: Vec::new(),
            end: 0,
            vars: (0, 0),
            events: IdVec::new(),
            priorities: Vec::new(),
            assertions: Vec::new(),
            transitions: Vec::new(),
            vectors: Vec::new(),
            lifted: Vec::new(),
            externs: Vec::new(),
            span: original.span,
        }
    }

    fn event(&self, unit: usize, number: usize) -> Event {
        let span = self.local.tree().components[self.local.units[unit].part.component].span;
        let name = if number == EPSILON.index() { String::new() } else { format!("{number}") };
        Event { name, is_public: false, span }
    }

    fn vector(&self, vector: &Vector) -> Vector {
        let event = |event: EventRef| {
            let unit = self.local.components.part_of(event.component);
            let label = self.local.units[unit].label(self.local.tree(), event);
            EventRef { component: self.places[unit], event: EventId::new(label) }
        };
        let parts = vector.parts.iter().map(|part| Taking { event: event(part.event), ..*part }).collect();
        Vector { parts, ..vector.clone() }
    }

    /// What the event does is not said here; only that it may change the block, for the order of the diagrams.
    fn moving(&self, event: usize, block: Option<VarId>) -> Transition {
        let updates = block.map(|var| (var, self.exprs.var(var))).into_iter().collect();
        let span = self.local.tree().components[ComponentId(0)].span;
        Transition { guard: self.exprs.bool(true), event: EventId::new(event), updates, span }
    }
}

fn together(events: &[EventRef], span: Span) -> Vector {
    let parts = events.iter().map(|&event| Taking { event, is_optional: false }).collect();
    Vector { parts, count: None, is_lifted: false, span }
}
