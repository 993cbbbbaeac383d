//! What the components of a tree do: assertions, transitions, initial values and vectors.

use lapidary_base::IdVec;
use lapidary_base::hash::{Map, Set};
use lapidary_ir::tree::{Assertion, Component, Transition};
use lapidary_ir::{ComponentId, EventId, Expr, Exprs, Tree, VarId};
use lapidary_text::{Diagnostic, Span};

use super::super::ast::{self, Path, Section, Step};
use super::super::check::{Elaborator, Reader};
use super::super::codes;
use super::super::scope::{Entry, EventArray, Layout};
use super::super::sizes::{MAX_DEPTH, MAX_TRANSITIONS};
use super::Context;

/// More events than this are counted instead of listed.
const MAX_NAMED: usize = 5;

/// Which components are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    Everything,
    /// The first component of every node: enough to see what is wrong with the text.
    EachNodeOnce,
}

/// The initial value of a variable, and who gave it.
#[derive(Clone, Copy)]
pub struct Initial {
    pub by: ComponentId,
    pub value: Expr,
    pub span: Span,
}

pub struct Lowering<'c, 'a> {
    pub context: &'c mut Context<'a>,
    pub layout: &'c Layout,
    pub exprs: &'c Exprs,
    pub components: IdVec<ComponentId, Component>,
    /// For every variable.
    pub init: Vec<Option<Initial>>,
    pub n_transitions: usize,
    pub n_vectors: usize,
}

/// Fills in the tree of a layout. With errors in the log the tree is of no use.
pub fn lower(context: &mut Context, layout: &Layout, name: &str, extent: Extent) -> Tree {
    let exprs = Exprs::new();
    let mut lowering = Lowering {
        context,
        layout,
        exprs: &exprs,
        components: layout.components.clone(),
        init: vec![None; layout.vars.len()],
        n_transitions: 0,
        n_vectors: 0,
    };
    let mut seen: Set<usize> = Set::default();
    let looked_at = |id: &ComponentId| extent == Extent::Everything || seen.insert(layout.scopes[*id].item);
    let ids: Vec<ComponentId> = layout.components.ids().filter(looked_at).collect();
    for &id in &ids {
        if lowering.context.budget.patience.ends() {
            break;
        }
        lowering.component(id);
    }
    // What a component lifts depends on its subcomponents.
    for id in layout.components.ids().rev() {
        if lowering.context.budget.patience.ends() {
            break;
        }
        lowering.vectors(id);
    }
    lowering.check_depth();
    let (components, init) = (lowering.components, lowering.init);
    Tree {
        name: name.to_owned(),
        exprs,
        enums: layout.enums.types().clone(),
        vars: layout.vars.clone(),
        kinds: layout.kinds.clone(),
        components,
        init: (0..).zip(init).filter_map(|(var, init)| Some((VarId(var), init?.value))).collect(),
        properties: IdVec::default(),
    }
}

impl<'c> Lowering<'c, '_> {
    pub fn elaborator(&mut self, here: ComponentId) -> Elaborator<'_> {
        Elaborator {
            sources: self.context.sources,
            globals: self.context.globals,
            layout: self.layout,
            exprs: self.exprs,
            log: self.context.log,
            budget: self.context.budget,
            here: Some(here),
            item: self.layout.scopes[here].item,
            reader: Reader::Node,
        }
    }

    fn component(&mut self, id: ComponentId) {
        let node = self.context.node(self.layout.scopes[id].item);
        for section in &node.sections {
            match section {
                Section::Assert(exprs) => exprs.iter().for_each(|expr| self.assertion(id, expr)),
                Section::Trans(list) => list.iter().for_each(|trans| self.transitions(id, trans)),
                Section::Init(updates) => updates.iter().for_each(|update| self.initial(id, update)),
                Section::ParamSet(updates) => updates.iter().for_each(|update| self.setting(id, update)),
                Section::State(_) | Section::Flow(_) | Section::Event(_) | Section::Sub(_) => {}
                Section::Sync(_) | Section::Param(_) | Section::Extern { .. } => {}
            }
        }
        self.warn_of_idle_events(id);
    }

    /// Events that no transition is about. One warning for all of a node: whoever generates nodes declares many.
    fn warn_of_idle_events(&mut self, id: ComponentId) {
        // Where a transition is wrong, its events only seem to have none.
        if self.context.log.has_errors() {
            return;
        }
        let component = &self.components[id];
        let used: Set<EventId> = component.transitions.iter().map(|transition| transition.event).collect();
        let events = component.events.ids().skip(1).filter(|event| !used.contains(event));
        let idle: Vec<EventId> = events.collect();
        let Some(&first) = idle.first() else { return };
        let names = idle.iter().take(MAX_NAMED).map(|&event| format!("`{}`", component.events[event].name));
        let names = names.collect::<Vec<_>>().join(", ");
        let span = component.events[first].span;
        let message = match idle.len() {
            1 => format!("the event {names} has no transition"),
            n if n <= MAX_NAMED => format!("the events {names} have no transition"),
            n => format!("{n} events have no transition: {names}, ..."),
        };
        let warning = Diagnostic::warning(codes::NO_TRANSITION, message, span, "declared here");
        let help = "an event without a transition never happens, nor does a vector with it; `true |- e -> ;` is one";
        self.context.log.push(warning.with_help(help));
    }

    fn assertion(&mut self, id: ComponentId, expr: &ast::Expr) {
        if let Some(truth) = self.elaborator(id).truth(expr) {
            self.components[id].assertions.push(Assertion { expr: truth, span: expr.span });
        }
    }

    fn transitions(&mut self, id: ComponentId, trans: &ast::Trans) {
        let guard = self.elaborator(id).truth(&trans.guard);
        for arm in &trans.arms {
            let update = self.updates(id, guard, &arm.updates);
            for path in &arm.events {
                let Some(found) = self.event(id, path) else { continue };
                let (Some(guard), Some(update)) = (guard, &update) else { continue };
                let guard = self.exprs.and([guard].into_iter().chain(update.conditions.iter().copied()));
                self.n_transitions += found.events.len();
                if self.n_transitions > MAX_TRANSITIONS {
                    return self.context.too_large("transitions", MAX_TRANSITIONS, trans.span);
                }
                for event in found.events {
                    let updates = update.assignments.clone();
                    self.components[id].transitions.push(Transition { guard, event, updates, span: arm.span });
                }
            }
        }
    }

    /// The own event, or all events of the own array, that a transition is about.
    fn event(&mut self, id: ComponentId, path: &Path) -> Option<Found> {
        let found = self.find_event(id, path)?;
        if found.component != id {
            let message = format!("`{}` is an event of a subnode", self.elaborator(id).quote(path.span));
            let error = Diagnostic::error(codes::NOT_ASSIGNABLE, message, path.span, "not an event of this node");
            self.context.log.push(error.with_help("transitions are about own events; synchronise both with `sync`"));
            return None;
        }
        Some(found)
    }

    /// The event at the end of a path, which leads through subnodes.
    pub fn find_event(&mut self, id: ComponentId, path: &Path) -> Option<Found> {
        let last = path.steps.iter().rposition(|step| matches!(step, Step::Field(_)));
        let (component, name, indexes) = match last.map(|last| (last, &path.steps[last])) {
            Some((last, Step::Field(name))) => {
                let steps = path.steps[..last].to_vec();
                let outer = Path { first: path.first.clone(), steps, span: path.first.span.to(name.span) };
                (self.subnode(id, &outer)?, name, &path.steps[last + 1..])
            }
            Some((_, Step::Index(_))) | None => (id, &path.first, &path.steps[..]),
        };
        let events = &self.layout.scopes[component].events;
        let Some(array) = events.get(&name.text) else {
            let node = self.components[component].node.clone();
            let mut elaborator = self.elaborator(id);
            let help = elaborator.did_you_mean(&name.text, events.keys(), "declare it in an `event` section");
            let message = format!("the node `{node}` has no event `{}`", name.text);
            elaborator.error(codes::UNKNOWN_EVENT, message, (name.span, "not an event"), help);
            return None;
        };
        let events = self.elements(id, array, indexes, path)?;
        Some(Found { component, array: array.clone(), events })
    }

    fn subnode(&mut self, id: ComponentId, path: &Path) -> Option<ComponentId> {
        let mut elaborator = self.elaborator(id);
        let place = elaborator.place(path)?;
        match place.entry {
            Entry::Component(component) => Some(*component),
            Entry::Error => None,
            Entry::Array(_) | Entry::Struct(_) | Entry::Var(_) | Entry::Constant(_) | Entry::Unset => {
                let role = place.declaration.role.describe();
                let message = format!("`{}` is {role} and not one subnode", elaborator.quote(path.span));
                let help = "events are written `sub.event`, or `sub[0].event` in an array of subnodes";
                elaborator.error(codes::WRONG_KIND, message, (path.span, "not one subnode"), help);
                None
            }
        }
    }

    /// Without indexes all elements of an array of events, with all indexes one of them.
    fn elements(&mut self, id: ComponentId, array: &EventArray, steps: &[Step], path: &Path) -> Option<Vec<EventId>> {
        if steps.is_empty() {
            return Some(array.elements());
        }
        let mut elaborator = self.elaborator(id);
        if steps.len() != array.sizes.len() {
            let message = format!("`{}` has the wrong number of indexes", elaborator.quote(path.span));
            let help = format!("write as many as there are sizes in its declaration: {}", array.sizes.len());
            elaborator.error(codes::WRONG_INDEX, message, (path.span, "does not fit the declaration"), help);
            return None;
        }
        let mut indexes = Vec::new();
        for (step, &size) in steps.iter().zip(&array.sizes) {
            let Step::Index(index) = step else { return None };
            indexes.push(elaborator.constant_index(index, size)?);
        }
        Some(vec![array.element(&indexes)])
    }

    /// Engines walk down expressions: none may be too deep.
    fn check_depth(&mut self) {
        let mut depths: Map<Expr, u32> = Map::default();
        let mut is_deep = |expr: Expr| depth(self.exprs, expr, &mut depths) > MAX_DEPTH;
        let mut spans: Vec<Span> = Vec::new();
        for component in self.components.iter() {
            spans.extend(component.assertions.iter().filter(|assertion| is_deep(assertion.expr)).map(|deep| deep.span));
            for transition in &component.transitions {
                let mut parts = transition.updates.iter().map(|(_, value)| *value).chain([transition.guard]);
                spans.extend(parts.any(&mut is_deep).then_some(transition.span));
            }
        }
        spans.into_iter().for_each(|span| self.context.log.push(too_deep(span)));
    }
}

pub fn too_deep(span: Span) -> Diagnostic {
    let message = format!("written out, this expression has more than {MAX_DEPTH} levels");
    Diagnostic::error(codes::TOO_LARGE, message, span, "too deep").with_help("split it with the help of flow variables")
}

/// How many levels an expression has; those of its parts are kept. It may have too many levels for a recursion.
pub fn depth(exprs: &Exprs, root: Expr, depths: &mut Map<Expr, u32>) -> u32 {
    let mut todo = vec![root];
    while let Some(&expr) = todo.last() {
        let n_before = todo.len();
        let mut deepest = 0;
        if !depths.contains_key(&expr) {
            exprs.for_each_part(expr, |part| match depths.get(&part) {
                Some(&depth) => deepest = deepest.max(depth + 1),
                None => todo.push(part),
            });
        }
        if todo.len() == n_before {
            todo.pop();
            depths.entry(expr).or_insert(deepest);
        }
    }
    depths[&root]
}

/// Events that a path leads to.
pub struct Found {
    pub component: ComponentId,
    pub array: EventArray,
    pub events: Vec<EventId>,
}
