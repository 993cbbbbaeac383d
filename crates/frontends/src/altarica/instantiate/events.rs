//! Events of a component and the priorities between them.

use lapidary_ir::tree::Event;
use lapidary_ir::{ComponentId, EventId};
use lapidary_text::{Diagnostic, Span};

use super::super::ast::{self, EventName, Events, Relation, Section};
use super::super::codes;
use super::super::scope::{EventArray, Visibility};
use super::super::sizes::{MAX_EVENTS, MAX_OWN_EVENTS, MAX_PRIORITIES};
use super::layout::{Builder, TooLarge};

/// A lower and a higher event, and where that is said.
type Pair = (EventId, EventId, Span);

impl Builder<'_, '_> {
    pub fn events(&mut self, id: ComponentId, node: &ast::Node) -> Result<(), TooLarge> {
        let mut pairs: Vec<Pair> = Vec::new();
        for section in &node.sections {
            let Section::Event(list) = section else { continue };
            for events in list {
                self.declaration(id, events, &mut pairs)?;
            }
        }
        self.n_events += self.layout.components[id].events.len();
        if self.n_events > MAX_EVENTS {
            self.context.too_large("events", MAX_EVENTS, node.name.span);
            return Err(TooLarge);
        }
        self.close(id, &pairs)
    }

    /// One declaration: every group relates to the one before it.
    fn declaration(&mut self, id: ComponentId, events: &Events, pairs: &mut Vec<Pair>) -> Result<(), TooLarge> {
        let visibility = Visibility::among(&events.attributes);
        let mut before: Vec<EventId> = self.group(id, &events.first.events, visibility)?;
        for (relation, group) in &events.rest {
            let after = self.group(id, &group.events, visibility)?;
            if *relation != Relation::None && pairs.len() + before.len() * after.len() > MAX_PRIORITIES {
                self.context.too_large("priorities in one node", MAX_PRIORITIES, group.span);
                return Err(TooLarge);
            }
            let all = before.iter().flat_map(|&a| after.iter().map(move |&b| (a, b)));
            match relation {
                Relation::None => {}
                Relation::Below => pairs.extend(all.map(|(low, high)| (low, high, group.span))),
                Relation::Above => pairs.extend(all.map(|(high, low)| (low, high, group.span))),
            }
            before = after;
        }
        Ok(())
    }

    fn group(
        &mut self,
        id: ComponentId,
        events: &[EventName],
        visibility: Option<Visibility>,
    ) -> Result<Vec<EventId>, TooLarge> {
        let mut all = Vec::new();
        for event in events {
            let mentioned = self.mention(id, event)?;
            if let Some(visibility) = visibility {
                let declared = self.layout.scopes[id].events.get_mut(&event.name.text);
                declared.into_iter().for_each(|declared| declared.visibility = visibility);
                for &event in &mentioned {
                    self.layout.components[id].events[event].is_public = visibility == Visibility::Public;
                }
            }
            all.extend(mentioned);
        }
        Ok(all)
    }

    /// Declares an event or an array of them; if it is declared already, finds it or one element of it.
    fn mention(&mut self, id: ComponentId, event: &EventName) -> Result<Vec<EventId>, TooLarge> {
        let name = &event.name;
        let mut elaborator = self.elaborator(id);
        let sizes: Option<Vec<i64>> =
            event.indexes.iter().map(|size| elaborator.integer(size, "the size of an array of events")).collect();
        let Some(sizes) = sizes else { return Ok(Vec::new()) };
        if let Some(known) = self.layout.scopes[id].events.get(&name.text).cloned() {
            return Ok(self.again(&known, event, &sizes));
        }
        let mut elaborator = self.elaborator(id);
        let sizes: Option<Vec<usize>> = event.indexes.iter().map(|size| elaborator.size(size)).collect();
        let Some(sizes) = sizes else { return Ok(Vec::new()) };
        let len = sizes.iter().fold(1usize, |n, &size| n.saturating_mul(size));
        if self.layout.components[id].events.len().saturating_add(len) > MAX_OWN_EVENTS {
            self.context.too_large("events in one node", MAX_OWN_EVENTS, name.span);
            return Err(TooLarge);
        }
        let first = self.layout.components[id].events.next_id();
        for place in 0..len {
            let name = element_name(&name.text, &sizes, place);
            let event = Event { name, is_public: false, span: event.name.span };
            self.layout.components[id].events.push(event);
        }
        let declared = EventArray { first, sizes, visibility: Visibility::Parent, span: name.span };
        let elements = declared.elements();
        let _ = self.layout.scopes[id].events.insert(&name.text, declared);
        Ok(elements)
    }

    /// An event that is declared already: all of it, or the element that is meant.
    fn again(&mut self, known: &EventArray, event: &EventName, sizes: &[i64]) -> Vec<EventId> {
        let indexes: Option<Vec<usize>> = sizes.iter().map(|&size| usize::try_from(size).ok()).collect();
        let indexes = indexes.unwrap_or_default();
        if sizes.is_empty() || indexes == known.sizes {
            return known.elements();
        }
        let fits = indexes.len() == known.sizes.len() && indexes.iter().zip(&known.sizes).all(|(i, size)| i < size);
        if fits && !indexes.is_empty() {
            return vec![known.element(&indexes)];
        }
        let name = &event.name;
        let shown: String = known.sizes.iter().map(|size| format!("[{size}]")).collect();
        let message = format!("`{}` is declared already as `{}{shown}`", name.text, name.text);
        let error = Diagnostic::error(codes::WRONG_INDEX, message, name.span, "does not fit the first declaration")
            .with_label(known.span, "first declared here")
            .with_help("mention the whole array, one element of it, or choose another name");
        self.context.log.push(error);
        Vec::new()
    }

    /// Stores the transitive closure of the declared priorities; cycles are errors.
    fn close(&mut self, id: ComponentId, pairs: &[Pair]) -> Result<(), TooLarge> {
        let n_events = self.layout.components[id].events.len();
        let mut above: Vec<Vec<u32>> = vec![Vec::new(); n_events];
        for (low, high, _) in pairs {
            above[low.0 as usize].push(high.0);
        }
        above.iter_mut().for_each(|list| {
            list.sort_unstable();
            list.dedup();
        });
        let mut closed: Vec<(EventId, EventId)> = Vec::new();
        for low in 0..n_events as u32 {
            let reached = reachable(&above, low);
            if reached.contains(&low) {
                self.cycle(id, &above, low, pairs);
                return Ok(());
            }
            closed.extend(reached.into_iter().map(|high| (EventId(low), EventId(high))));
            if closed.len() > MAX_PRIORITIES {
                let span = pairs.first().map_or(self.layout.components[id].span, |pair| pair.2);
                self.context.too_large("priorities in one node", MAX_PRIORITIES, span);
                return Err(TooLarge);
            }
        }
        self.layout.components[id].priorities = closed;
        Ok(())
    }

    fn cycle(&mut self, id: ComponentId, above: &[Vec<u32>], from: u32, pairs: &[Pair]) {
        let events = &self.layout.components[id].events;
        let path = shortest_cycle(above, from);
        let names: Vec<&str> = path.iter().map(|&event| events[EventId(event)].name.as_str()).collect();
        let message = format!("`{}` would have priority over itself: {}", names[0], names.join(" < "));
        let last = path.len().saturating_sub(2);
        let closes = |pair: &&Pair| (pair.0.0, pair.1.0) == (path[last], path[last + 1]);
        let span = pairs.iter().find(closes).map_or(events[EventId(from)].span, |pair| pair.2);
        let error = Diagnostic::error(codes::PRIORITY_CYCLE, message, span, "closes the cycle");
        self.context.log.push(error.with_help("leave out one of these priorities"));
    }
}

/// `close[1][0]`: the last index changes fastest.
fn element_name(name: &str, sizes: &[usize], place: usize) -> String {
    let mut rest = place;
    let mut indexes = Vec::new();
    for size in sizes.iter().rev() {
        indexes.push(format!("[{}]", rest % size));
        rest /= size;
    }
    indexes.reverse();
    format!("{name}{}", indexes.concat())
}

/// All events above one, in order; the event itself only if it is on a cycle.
fn reachable(above: &[Vec<u32>], from: u32) -> Vec<u32> {
    if above[from as usize].is_empty() {
        return Vec::new();
    }
    let mut seen = vec![false; above.len()];
    let mut todo = vec![from];
    while let Some(event) = todo.pop() {
        for &next in &above[event as usize] {
            if !std::mem::replace(&mut seen[next as usize], true) {
                todo.push(next);
            }
        }
    }
    (0..above.len() as u32).filter(|&event| seen[event as usize]).collect()
}

/// A shortest way from an event on a cycle back to itself.
fn shortest_cycle(above: &[Vec<u32>], from: u32) -> Vec<u32> {
    let mut came_from: Vec<Option<u32>> = vec![None; above.len()];
    let mut queue = std::collections::VecDeque::from([from]);
    while let Some(event) = queue.pop_front() {
        for &next in &above[event as usize] {
            if came_from[next as usize].is_none() {
                came_from[next as usize] = Some(event);
                queue.push_back(next);
            }
        }
    }
    let mut path = vec![from];
    let mut event = from;
    while let Some(before) = came_from[event as usize] {
        path.push(before);
        event = before;
        if before == from {
            break;
        }
    }
    path.reverse();
    path
}
