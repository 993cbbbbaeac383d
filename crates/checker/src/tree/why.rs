//! Why a flat event cannot be fired, in the words of the source.

use lapidary_ir::tree::{EPSILON, ROOT, Vector};
use lapidary_ir::{ComponentId, EventId, EventRef, Tree};

use super::scene::{Refusal, Scene, Wanted, fitting};
use super::{FlatEvent, is_true};
use crate::Rejection;
use crate::words;

/// `Building3`, `lift.door`
pub fn component(tree: &Tree, component: ComponentId) -> String {
    match component == ROOT {
        true => tree.name.clone(),
        false => tree.components[component].path.clone(),
    }
}

/// `<up, lift.up>`, or `epsilon`.
pub fn flat_event(tree: &Tree, flat: &FlatEvent) -> String {
    tree.label(flat)
}

pub fn vector_name(tree: &Tree, vector: &Vector) -> String {
    let part = |part: &lapidary_ir::tree::Part| {
        let mark = if part.is_optional { "?" } else { "" };
        format!("{}{mark}", tree.event_name(part.event))
    };
    format!("<{}>", vector.parts.iter().map(part).collect::<Vec<_>>().join(", "))
}

fn event_name(tree: &Tree, component: ComponentId, event: EventId) -> String {
    tree.event_name(EventRef { component, event })
}

/// How far a vector came before it failed; the furthest is the most telling.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    Events,
    Guard,
    Update,
    Flows,
    Broadcast,
    Priority,
}

/// The innermost component that cannot do its part, and why. To be asked only where nothing matches.
pub fn cannot_fire(scene: &mut Scene<'_, '_>, at: ComponentId, flat: &FlatEvent) -> Result<String, Rejection> {
    let tree = scene.composition.tree;
    for &sub in &tree.components[at].subs {
        if scene.matching(sub, flat)?.is_empty() {
            return cannot_fire(scene, sub, flat);
        }
    }
    let mut furthest: Option<(Stage, String)> = None;
    for (number, vector) in tree.components[at].vectors.iter().enumerate() {
        let Some((parts, rank)) = fitting(vector, flat) else { continue };
        let Some((stage, why)) = failure(scene, at, flat, number, &parts, rank)? else { continue };
        if furthest.as_ref().is_none_or(|(other, _)| *other < stage) {
            furthest = Some((stage, format!("{why} (vector {})", vector_name(tree, vector))));
        }
    }
    let place = component(tree, at);
    Ok(match furthest {
        Some((_, why)) => format!("{place}: {why}"),
        None => format!("{place}: no vector allows {}", part_of(tree, at, flat)),
    })
}

/// The events of a subtree.
fn part_of(tree: &Tree, at: ComponentId, flat: &FlatEvent) -> String {
    let mut inner: FlatEvent = flat.iter().map(|_| EPSILON).collect();
    tree.subtree(at).for_each(|component| inner[component] = flat[component]);
    flat_event(tree, &inner)
}

fn failure(
    scene: &mut Scene<'_, '_>,
    at: ComponentId,
    flat: &FlatEvent,
    number: usize,
    parts: &[EventRef],
    rank: usize,
) -> Result<Option<(Stage, String)>, Rejection> {
    let tree = scene.composition.tree;
    let own = parts.iter().find(|part| part.component == at).map_or(EPSILON, |part| part.event);
    if own != flat[at] {
        return Ok(None);
    }
    if let Some(found) = local_failure(scene, at, own)? {
        return Ok(Some(found));
    }
    let candidates = scene.candidates(at, parts, Wanted::Exactly(flat))?;
    let vector = &tree.components[at].vectors[number];
    let lifted = vector.is_lifted.then(|| parts[0]);
    let top = lifted.unwrap_or(EventRef { component: at, event: own });
    let Some(firing) = candidates.first() else { return Ok(None) };
    let name = component(tree, at);
    Ok(scene.refusal(at, number, rank, top, firing)?.map(|refusal| match refusal {
        Refusal::Flows => (Stage::Flows, format!("no flows satisfy the assertions of {name} afterwards")),
        Refusal::Broadcast => (Stage::Broadcast, "broadcast: more of the optional events can take part".to_owned()),
        Refusal::Priority(higher) => {
            let (low, high) = (event_name(tree, at, own), event_name(tree, at, higher));
            (Stage::Priority, format!("priority: {low} is lower than {high}, which can be fired"))
        }
    }))
}

/// Why no transition of the component itself with this event can be taken.
fn local_failure(scene: &Scene<'_, '_>, at: ComponentId, event: EventId) -> Result<Option<(Stage, String)>, Rejection> {
    if event == EPSILON {
        return Ok(None);
    }
    let (tree, model) = (scene.composition.tree, &scene.composition.model);
    let name = event_name(tree, at, event);
    let mut furthest = (Stage::Events, format!("no transition has the event {name}"));
    for transition in tree.components[at].transitions.iter().filter(|transition| transition.event == event) {
        let found = match (is_true(model, transition.guard, scene.state)?, scene.updates(transition)?) {
            (true, Ok(_)) => return Ok(None),
            (false, _) => (Stage::Guard, format!("no guard of {name} is true")),
            (true, Err((var, None))) => (Stage::Update, format!("{name} gives {} no value", model.vars[var].name)),
            (true, Err((var, Some(number)))) => {
                let domain = words::domain(model, model.vars[var].domain);
                (Stage::Update, format!("{name} gives {} the value {number}, outside {domain}", model.vars[var].name))
            }
        };
        if furthest.0 < found.0 {
            furthest = found;
        }
    }
    Ok(Some(furthest))
}
