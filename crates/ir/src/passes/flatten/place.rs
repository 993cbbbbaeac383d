//! Where the text says what a flat event does.

use lapidary_text::Span;

use super::Tuple;
use super::events::{FlatId, Levels};
use crate::tree::{ComponentId, EPSILON, EventRef, ROOT, Tree, Vector};

/// The synchronisation that lets it happen, or else the transition of the one component that does something. An event
/// with several transitions is known by its declaration, and doing nothing by the root.
pub fn of(tree: &Tree, levels: &Levels, flat: FlatId) -> Span {
    let (mut component, mut flat) = (ROOT, flat);
    loop {
        let event = &levels[component].events[flat];
        let vectors = &tree.components[component].vectors;
        if let Some(declared) =
            event.ways.iter().map(|way| &vectors[way.vector]).find(|vector| is_declared(tree, vector))
        {
            return declared.span;
        }
        if event.local != EPSILON {
            return single(tree, EventRef { component, event: event.local });
        }
        let subs = tree.components[component].subs.iter().copied().zip(event.subs.iter().copied());
        match subs.into_iter().find(|&(sub, flat)| !is_still(tree, levels, sub, flat)) {
            Some(busy) => (component, flat) = busy,
            None => return tree.components[ROOT].span,
        }
    }
}

/// The vectors of events that no declared one mentions have the place of the event, and the one without parts has none.
fn is_declared(tree: &Tree, vector: &Vector) -> bool {
    match vector.parts[..] {
        [] => false,
        [part] => vector.span != tree.components[part.event.component].events[part.event.event].span,
        _ => true,
    }
}

/// The one transition of an event, or its declaration.
fn single(tree: &Tree, event: EventRef) -> Span {
    let component = &tree.components[event.component];
    let mut transitions = component.transitions.iter().filter(|transition| transition.event == event.event);
    match (transitions.next(), transitions.next()) {
        (Some(only), None) => only.span,
        _ => component.events[event.event].span,
    }
}

/// Does nothing happen in the subtree?
fn is_still(tree: &Tree, levels: &Levels, component: ComponentId, flat: FlatId) -> bool {
    let mut open = vec![(component, flat)];
    while let Some((component, flat)) = open.pop() {
        let event = &levels[component].events[flat];
        if event.local != EPSILON {
            return false;
        }
        open.extend(tree.components[component].subs.iter().copied().zip(event.subs.iter().copied()));
    }
    true
}

/// The place of the outermost event that does something.
pub fn outermost(tree: &Tree, flat: &Tuple) -> Span {
    let first = flat.ids().find(|&component| flat[component] != EPSILON);
    first.map_or(tree.components[ROOT].span, |component| tree.components[component].events[flat[component]].span)
}
