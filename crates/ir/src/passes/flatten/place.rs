//! Where the text says what a flat event does.

use lapidary_base::IdVec;
use lapidary_text::Span;

use super::FlatEvent;
use super::events::{FlatId, Levels};
use crate::tree::{ComponentId, EPSILON, EventRef, Part, ROOT, Tree, Vector};

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

/// The same for one flat event alone, without listing those of the tree.
pub fn place(tree: &Tree, flat: &FlatEvent) -> Span {
    let ways = ways(tree, flat);
    let (mut component, mut wanted) = (ROOT, None);
    loop {
        let fits = |&&(top, _): &&(EventRef, usize)| wanted.is_none_or(|wanted| top == wanted);
        let Some(&(top, first)) = ways[component].iter().find(fits) else { return outermost(tree, flat) };
        let vectors = &tree.components[component].vectors;
        let same = ways[component].iter().filter(|&&(other, _)| other == top).map(|&(_, vector)| &vectors[vector]);
        if let Some(declared) = same.into_iter().find(|vector| is_declared(tree, vector)) {
            return declared.span;
        }
        if flat[component] != EPSILON {
            return single(tree, EventRef { component, event: flat[component] });
        }
        let happens = |&sub: &ComponentId| tree.subtree(sub).any(|inner| flat[inner] != EPSILON);
        let Some(sub) = tree.components[component].subs.iter().copied().find(happens) else {
            return tree.components[ROOT].span;
        };
        let part = part_of(tree, &vectors[first], sub);
        let asked = part.map(|part| part.event).filter(|event| ways[sub].iter().any(|(top, _)| top == event));
        (component, wanted) = (sub, Some(asked.unwrap_or(EventRef { component: sub, event: EPSILON })));
    }
}

/// By component: the vectors that allow its part of a flat event, in their order, each with what the parent sees.
fn ways(tree: &Tree, flat: &FlatEvent) -> IdVec<ComponentId, Vec<(EventRef, usize)>> {
    let mut ways: IdVec<ComponentId, Vec<(EventRef, usize)>> = tree.components.iter().map(|_| Vec::new()).collect();
    for component in tree.components.ids().rev() {
        let subs = tree.components[component].subs.iter().copied();
        // A root has thousands of subcomponents and vectors, and few of them are about what happens.
        let busy: Vec<ComponentId> = subs.filter(|&sub| !may_be_still(&ways, sub)).collect();
        let vectors = tree.components[component].vectors.iter().enumerate();
        let vectors = vectors.filter(|(_, vector)| busy.iter().all(|&sub| part_of(tree, vector, sub).is_some()));
        let allowed = vectors.filter_map(|(number, vector)| Some((top(tree, flat, &ways, component, vector)?, number)));
        ways[component] = allowed.collect();
    }
    ways
}

/// Can the parent take it that nothing happens in the subcomponent?
fn may_be_still(ways: &IdVec<ComponentId, Vec<(EventRef, usize)>>, sub: ComponentId) -> bool {
    ways[sub].iter().any(|&(top, _)| top == EventRef { component: sub, event: EPSILON })
}

fn part_of<'v>(tree: &Tree, vector: &'v Vector, sub: ComponentId) -> Option<&'v Part> {
    vector.parts.iter().find(|part| tree.contains(sub, part.event.component))
}

/// What the parent sees if this vector allows the component's part of a flat event.
fn top(
    tree: &Tree,
    flat: &FlatEvent,
    ways: &IdVec<ComponentId, Vec<(EventRef, usize)>>,
    component: ComponentId,
    vector: &Vector,
) -> Option<EventRef> {
    let epsilon = |component| EventRef { component, event: EPSILON };
    let own = vector.parts.iter().find(|part| part.event.component == component);
    let (mut least, mut most) = (0, 0);
    let mut take = |part: Option<&Part>, may: &dyn Fn(EventRef) -> bool, still: EventRef| match part {
        None => may(still).then_some(()),
        Some(part) if !part.is_optional => may(part.event).then_some(()),
        Some(part) => {
            let (taken, left) = (may(part.event), may(still));
            least += usize::from(taken && !left);
            most += usize::from(taken);
            (taken || left).then_some(())
        }
    };
    take(own, &|event| event.event == flat[component], epsilon(component))?;
    for &sub in &tree.components[component].subs {
        let part = part_of(tree, vector, sub);
        take(part, &|event| ways[sub].iter().any(|&(top, _)| top == event), epsilon(sub))?;
    }
    if !(least..=most).any(|n| vector.count.is_none_or(|(comparison, bound)| comparison.holds(n, bound))) {
        return None;
    }
    match (vector.is_lifted, vector.parts.first()) {
        (true, Some(part)) => Some(part.event),
        (_, _) => Some(EventRef { component, event: flat[component] }),
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
pub fn outermost(tree: &Tree, flat: &FlatEvent) -> Span {
    let first = flat.ids().find(|&component| flat[component] != EPSILON);
    first.map_or(tree.components[ROOT].span, |component| tree.components[component].events[flat[component]].span)
}
