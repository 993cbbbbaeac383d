//! Trees built by hand, and their two meanings side by side.

use std::collections::{BTreeMap, BTreeSet};

use lapidary_base::{Control, Id, IdVec};
use lapidary_ir::model::{Life, Var};
use lapidary_ir::passes;
use lapidary_ir::tree::{
    Assertion, Comparison, Component, ComponentId, EPSILON, Event, EventId, EventRef, Part, Transition, VarKind, Vector,
};
use lapidary_ir::{Domain, Expr, Tree, VarId};
use lapidary_system::composition::{self, Graph};
use lapidary_system::{Explicit, Steps, Successors};
use lapidary_text::{SourceId, Sources, Span};

fn nowhere() -> Span {
    Span::new(SourceId(0), 0, 0)
}

/// Components are begun parents first, and declare their variables before their subcomponents are begun.
#[derive(Default)]
pub struct Builder {
    pub tree: Tree,
}

impl Builder {
    pub fn component(&mut self, parent: Option<ComponentId>, name: &str) -> ComponentId {
        let n_vars = u32::try_from(self.tree.vars.len()).unwrap();
        let path = match parent.map(|parent| &self.tree.components[parent].path) {
            Some(path) if !path.is_empty() => format!("{path}.{name}"),
            Some(_) | None => name.to_owned(),
        };
        let epsilon = Event { name: String::new(), is_public: false, span: nowhere() };
        let id = self.tree.components.push(Component {
            name: name.to_owned(),
            path,
            node: String::new(),
            parent,
            subs: Vec::new(),
            end: 0,
            vars: (n_vars, n_vars),
            events: IdVec::from(vec![epsilon]),
            priorities: Vec::new(),
            assertions: Vec::new(),
            transitions: Vec::new(),
            vectors: Vec::new(),
            lifted: Vec::new(),
            externs: Vec::new(),
            span: nowhere(),
        });
        if let Some(parent) = parent {
            self.tree.components[parent].subs.push(id);
        }
        id
    }

    fn var(&mut self, of: ComponentId, name: &str, domain: Domain, kind: VarKind) -> VarId {
        let path = &self.tree.components[of].path;
        let name = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
        self.tree.components[of].vars.1 += 1;
        self.tree.kinds.push(kind);
        self.tree.vars.push(Var { name, domain, control: false, life: Life::State, span: nowhere() })
    }

    pub fn state(&mut self, of: ComponentId, name: &str, domain: Domain, init: Option<Expr>) -> (VarId, Expr) {
        let var = self.var(of, name, domain, VarKind::State);
        self.tree.init.extend(init.map(|init| (var, init)));
        (var, self.tree.exprs.var(var))
    }

    pub fn flow(&mut self, of: ComponentId, name: &str, domain: Domain) -> Expr {
        let var = self.var(of, name, domain, VarKind::Flow);
        self.tree.exprs.var(var)
    }

    pub fn event(&mut self, of: ComponentId, name: &str) -> EventRef {
        let event = Event { name: name.to_owned(), is_public: false, span: nowhere() };
        EventRef { component: of, event: self.tree.components[of].events.push(event) }
    }

    pub fn public(&mut self, of: ComponentId, name: &str) -> EventRef {
        let event = self.event(of, name);
        self.tree.components[of].events[event.event].is_public = true;
        event
    }

    pub fn transition(&mut self, guard: Expr, on: EventRef, updates: &[(VarId, Expr)]) {
        let transition = Transition { guard, event: on.event, updates: updates.to_vec(), span: nowhere() };
        self.tree.components[on.component].transitions.push(transition);
    }

    pub fn assertion(&mut self, of: ComponentId, expr: Expr) {
        self.tree.components[of].assertions.push(Assertion { expr, span: nowhere() });
    }

    pub fn priority(&mut self, low: EventRef, high: EventRef) {
        self.tree.components[low.component].priorities.push((low.event, high.event));
    }

    pub fn vector(&mut self, of: ComponentId, events: &[EventRef]) {
        self.broadcast(of, events, &[], None);
    }

    pub fn broadcast(
        &mut self,
        of: ComponentId,
        events: &[EventRef],
        optional: &[EventRef],
        count: Option<(Comparison, i64)>,
    ) {
        let part = |is_optional: bool| move |&event: &EventRef| Part { event, is_optional };
        let parts = events.iter().map(part(false)).chain(optional.iter().map(part(true))).collect();
        let vector = Vector { parts, count, is_lifted: false, span: nowhere() };
        self.tree.components[of].vectors.push(vector);
    }

    /// Adds the vectors that nobody wrote, subcomponents first.
    pub fn finish(mut self) -> Tree {
        let n_components = self.tree.components.len();
        for id in self.tree.components.ids().rev() {
            let inside = |other: ComponentId| {
                std::iter::successors(Some(other), |&at| self.tree.components[at].parent).any(|at| at == id)
            };
            let end = (id.index()..n_components).take_while(|&other| inside(ComponentId::new(other))).count();
            self.tree.components[id].end = id.0 + u32::try_from(end).unwrap();
            self.complete(id);
        }
        self.tree
    }

    fn complete(&mut self, id: ComponentId) {
        let mut visible: Vec<(EventRef, bool)> = events(&self.tree, id).map(|event| (event, false)).collect();
        for &sub in &self.tree.components[id].subs {
            let own = events(&self.tree, sub);
            visible.extend(own.map(|event| (event, self.tree.components[sub].events[event.event].is_public)));
            visible.extend(self.tree.components[sub].lifted.iter().map(|&event| (event, true)));
        }
        let component = &mut self.tree.components[id];
        for (event, is_lifted) in visible {
            let is_used = component.vectors.iter().any(|vector| vector.parts.iter().any(|part| part.event == event));
            if is_used {
                continue;
            }
            let parts = vec![Part { event, is_optional: false }];
            component.vectors.push(Vector { parts, count: None, is_lifted, span: nowhere() });
            component.lifted.extend(is_lifted.then_some(event));
        }
        component.vectors.push(Vector { parts: Vec::new(), count: None, is_lifted: false, span: nowhere() });
    }
}

fn events(tree: &Tree, component: ComponentId) -> impl Iterator<Item = EventRef> + use<> {
    let events = tree.components[component].events.ids().filter(|&event| event != EPSILON);
    events.map(move |event| EventRef { component, event })
}

/// Transitions in the words of the tree: source, flat event, target.
pub type Triples = BTreeSet<(Vec<i64>, String, Vec<i64>)>;

pub fn triples(tree: &Tree, graph: &Graph) -> Triples {
    let state = |number: u32| graph.state(number as usize).to_vec();
    let name = |events: &IdVec<ComponentId, EventId>| match tree.flat_event_name(events) {
        name if name.is_empty() => "epsilon".to_owned(),
        name => name,
    };
    let triples = graph.transitions.iter();
    triples.map(|&(from, event, to)| (state(from), name(&graph.events[event]), state(to))).collect()
}

/// The reachable states and the transitions of the flattened tree.
pub fn flattened(tree: &Tree) -> (BTreeSet<Vec<i64>>, Triples, usize) {
    let flat = passes::flatten(tree).expect("small trees are flattened");
    lapidary_ir::validate::validate(&flat.model).expect("flattened trees are valid models");
    let mut sources = Sources::default();
    sources.add("tree", "");
    let system = Explicit::new(&flat.model, &[], &sources).expect("small models are taken");
    let mut open: Vec<Vec<u64>> = Vec::new();
    let visit = &mut |state: lapidary_system::State<'_>| {
        open.push(state.discrete.to_vec());
        Ok(())
    };
    system.initial(&Control::new(), visit).expect("no limits");
    let mut seen: BTreeSet<Vec<u64>> = open.iter().cloned().collect();
    let (mut found, mut n_steps) = (Triples::new(), 0);
    while let Some(state) = open.pop() {
        let mut steps = Steps::new();
        system.successors(lapidary_system::State::plain(&state), &mut steps).expect("small numbers");
        n_steps += steps.len();
        for (command, next) in steps.actions.iter().zip(steps.states.chunks(system.words())) {
            let label = flat.model.commands[*command].label.clone();
            found.insert((system.unpack(&state).to_vec(), label, system.unpack(next).to_vec()));
            if seen.insert(next.to_vec()) {
                open.push(next.to_vec());
            }
        }
    }
    (seen.iter().map(|state| system.unpack(state).to_vec()).collect(), found, n_steps)
}

/// Composes and flattens, and returns the reachable graph on which both agree.
pub fn agreed(tree: &Tree) -> Graph {
    let graph = composition::explore(tree, &Control::new()).expect("no limits");
    let composed = triples(tree, &graph);
    assert_eq!(composed.len(), graph.transitions.len(), "every triple is listed once");
    let (states, found, n_steps) = flattened(tree);
    assert_eq!(graph.states().map(<[i64]>::to_vec).collect::<BTreeSet<_>>(), states, "the reachable states");
    let missing: Vec<_> = composed.difference(&found).take(3).collect();
    let excess: Vec<_> = found.difference(&composed).take(3).collect();
    assert!(missing.is_empty() && excess.is_empty(), "only composed: {missing:?}; only flattened: {excess:?}");
    assert_eq!(n_steps, found.len(), "the flattened model has every triple once");
    graph
}

/// How many transitions each flat event has.
pub fn by_event(tree: &Tree, graph: &Graph) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    triples(tree, graph).into_iter().for_each(|(_, event, _)| *counts.entry(event).or_default() += 1);
    counts
}
