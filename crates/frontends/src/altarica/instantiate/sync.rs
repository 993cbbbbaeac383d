//! Vectors: the declared ones, and one for every event that none of them mentions.

use lapidary_base::hash::{Map, Set};
use lapidary_ir::tree::{Comparison, Part, Vector};
use lapidary_ir::{ComponentId, EventId, EventRef};
use lapidary_text::{Diagnostic, Span};

use super::super::ast::{Section, Sync, SyncPart};
use super::super::codes;
use super::super::scope::Visibility;
use super::super::sizes::{MAX_OPTIONAL, MAX_VECTORS};
use super::lower::Lowering;

/// What makes two vectors the same: their parts in order of their events, and the constraint.
type Content = (Vec<(EventRef, bool)>, Option<(u8, i64)>);

impl Lowering<'_, '_> {
    /// Completes the vectors of a component whose subcomponents have theirs.
    pub fn vectors(&mut self, id: ComponentId) {
        let node = self.context.node(self.layout.scopes[id].item);
        let mut vectors: Vec<Vector> = Vec::new();
        let mut seen: Set<Content> = Set::default();
        for section in &node.sections {
            let Section::Sync(list) = section else { continue };
            for sync in list {
                let Some(vector) = self.vector(id, sync) else { continue };
                self.warn_of_repetition(&vector, &mut seen);
                vectors.push(vector);
            }
        }
        let used: Set<EventRef> = vectors.iter().flat_map(|vector| &vector.parts).map(|part| part.event).collect();
        self.alone(id, &used, &mut vectors);
        vectors.push(Vector { parts: Vec::new(), count: None, is_lifted: false, span: node.name.span });
        self.n_vectors += vectors.len();
        if self.n_vectors > MAX_VECTORS {
            return self.context.too_large("vectors", MAX_VECTORS, node.name.span);
        }
        self.components[id].vectors = vectors;
    }

    fn vector(&mut self, id: ComponentId, sync: &Sync) -> Option<Vector> {
        let parts: Vec<Option<Part>> = sync.parts.iter().map(|part| self.part(id, part)).collect();
        let count = match &sync.count {
            Some((comparison, bound)) => {
                Some((*comparison, self.elaborator(id).integer(bound, "the bound on the number of events")?))
            }
            None => None,
        };
        let parts = parts.into_iter().collect::<Option<Vec<Part>>>()?;
        let n_optional = parts.iter().filter(|part| part.is_optional).count();
        if n_optional > MAX_OPTIONAL {
            let message = format!("this vector has {n_optional} optional events");
            let error = Diagnostic::error(codes::OPTIONAL_PARTS, message, sync.span, "too many");
            self.context
                .log
                .push(error.with_help(format!("use at most {MAX_OPTIONAL}, or split the node in two levels")));
            return None;
        }
        self.check_places(id, sync, &parts)?;
        Some(Vector { parts, count, is_lifted: false, span: sync.span })
    }

    /// At most one event of the node itself, at most one within each subnode.
    fn check_places(&mut self, id: ComponentId, sync: &Sync, parts: &[Part]) -> Option<()> {
        let mut taken: Map<ComponentId, Span> = Map::default();
        for (part, written) in parts.iter().zip(&sync.parts) {
            let place = self.within(id, part.event.component);
            let span = written.event.span;
            if let Some(first) = taken.insert(place, span) {
                let of = match place == id {
                    true => "this node".to_owned(),
                    false => format!("`{}`", self.components[place].name),
                };
                let message = format!("a vector has at most one event of {of}");
                let error = Diagnostic::error(codes::SAME_COMPONENT, message, span, "one too many")
                    .with_label(first, "the first one")
                    .with_help("write two vectors, or one event that stands for both");
                self.context.log.push(error);
                return None;
            }
        }
        Some(())
    }

    /// The component itself, or that of its subcomponents in which another one is.
    fn within(&self, id: ComponentId, inner: ComponentId) -> ComponentId {
        let mut place = inner;
        while place != id && self.components[place].parent != Some(id) {
            place = self.components[place].parent.expect("events are looked for below the component");
        }
        place
    }

    fn part(&mut self, id: ComponentId, part: &SyncPart) -> Option<Part> {
        let path = &part.event;
        let found = self.find_event(id, path)?;
        let [event] = found.events[..] else {
            let message = format!("`{}` is an array of events", self.elaborator(id).quote(path.span));
            let error = Diagnostic::error(codes::WRONG_INDEX, message, path.span, "one event is needed");
            self.context.log.push(error.with_help("choose one: `e[0]`; every element needs a vector of its own"));
            return None;
        };
        let event = EventRef { component: found.component, event };
        let sub = self.within(id, found.component);
        let is_visible = sub == found.component || self.components[sub].lifted.binary_search(&event).is_ok();
        if !is_visible {
            let message = format!("`{}` cannot be seen from here", self.elaborator(id).quote(path.span));
            let error = Diagnostic::error(codes::HIDDEN_EVENT, message, path.span, "hidden by a node in between")
                .with_label(found.array.span, "declared here")
                .with_help("declare it `: public`, and leave it out of the vectors in between");
            self.context.log.push(error);
            return None;
        }
        if found.component != id && found.array.visibility == Visibility::Private {
            let message = format!("`{}` is private to its node", self.elaborator(id).quote(path.span));
            let warning = Diagnostic::warning(codes::VISIBILITY, message, path.span, "synchronised here")
                .with_label(found.array.span, "declared here");
            self.context.log.push(warning.with_help("declare it `: parent` or `: public`"));
        }
        Some(Part { event, is_optional: part.is_optional })
    }

    fn warn_of_repetition(&mut self, vector: &Vector, seen: &mut Set<Content>) {
        let mut parts: Vec<(EventRef, bool)> = vector.parts.iter().map(|part| (part.event, part.is_optional)).collect();
        parts.sort_unstable();
        let count = vector.count.map(|(comparison, bound)| (rank(comparison), bound));
        if !seen.insert((parts, count)) {
            let message = "this vector is declared twice";
            let warning = Diagnostic::warning(codes::DUPLICATE_VECTOR, message, vector.span, "the same again");
            self.context.log.push(warning.with_help("leave it out: it changes nothing"));
        }
    }

    /// Vectors for the events that no declared one mentions. Public ones stay visible above, in the order of components.
    fn alone(&mut self, id: ComponentId, used: &Set<EventRef>, vectors: &mut Vec<Vector>) {
        let mut lifted = Vec::new();
        let mut add = |event: EventRef, is_lifted: bool, span: Span| {
            if !used.contains(&event) {
                let parts = vec![Part { event, is_optional: false }];
                vectors.push(Vector { parts, count: None, is_lifted, span });
                lifted.extend(is_lifted.then_some(event));
            }
        };
        let own = |component: ComponentId| {
            let events = &self.components[component].events;
            // Epsilon is what is left when nothing else happens.
            let ids = events.ids().skip(1);
            ids.map(move |event: EventId| (EventRef { component, event }, &events[event]))
        };
        for (event, declared) in own(id) {
            add(event, false, declared.span);
        }
        for &sub in &self.components[id].subs {
            for (event, declared) in own(sub) {
                add(event, declared.is_public, declared.span);
            }
            for &event in &self.components[sub].lifted {
                add(event, true, self.components[event.component].events[event.event].span);
            }
        }
        self.components[id].lifted = lifted;
    }
}

fn rank(comparison: Comparison) -> u8 {
    match comparison {
        Comparison::Lt => 0,
        Comparison::Le => 1,
        Comparison::Eq => 2,
        Comparison::Ge => 3,
        Comparison::Gt => 4,
    }
}
