//! The choices of a vector's optional parts, as relations: each by itself where they are few, else all that have as many
//! optional parts and the same visible event as one, so that no choice is ever listed.

use std::collections::BTreeMap;

use lapidary_base::Stop;
use lapidary_ir::tree::{Choice, EPSILON, Part, Vector};
use lapidary_ir::{ComponentId, EventId, EventRef};

use super::frame::Frame;
use super::piece::Piece;

/// Choices of one vector of a component that have the same visible event and as many optional parts, as a relation.
pub struct Item {
    pub top: EventRef,
    pub vector: usize,
    pub rank: usize,
    pub piece: Piece,
}

/// What the vectors of a component are put together from.
pub struct Around<'a> {
    pub id: ComponentId,
    /// The component itself does nothing.
    pub still: &'a Piece,
    pub own: &'a BTreeMap<EventId, Option<Piece>>,
    /// What each subcomponent does, by the event that is seen from here.
    pub subs: &'a [(ComponentId, BTreeMap<EventRef, Piece>)],
    /// What each subcomponent does when nothing is asked of it.
    pub quiet: &'a [Piece],
}

/// The choices one by one.
pub fn listed(frame: &Frame<'_>, around: &Around<'_>, number: usize, vector: &Vector) -> Result<Vec<Item>, Stop> {
    let mut items = Vec::new();
    for choice in vector.choices() {
        // The choice of nothing is the vector without parts, which comes last.
        if choice.events.is_empty() {
            continue;
        }
        let Some(piece) = one(frame, around, &choice)? else { continue };
        items.push(Item { top: vector.top(around.id, &choice), vector: number, rank: choice.rank, piece });
    }
    Ok(items)
}

fn one(frame: &Frame<'_>, around: &Around<'_>, choice: &Choice) -> Result<Option<Piece>, Stop> {
    let (tree, space) = (frame.tree, &frame.space);
    let own = match choice.events.iter().find(|event| event.component == around.id) {
        Some(event) => around.own[&event.event].as_ref(),
        None => Some(around.still),
    };
    let Some(own) = own else { return Ok(None) };
    // What some part cannot do at all is not put together.
    let mut parts = Vec::with_capacity(around.subs.len());
    for ((sub, pieces), quiet) in around.subs.iter().zip(around.quiet) {
        let part = match choice.events.iter().find(|event| tree.contains(*sub, event.component)) {
            Some(event) => pieces.get(event),
            None => Some(quiet),
        };
        let Some(part) = part else { return Ok(None) };
        parts.push(part);
    }
    let piece = parts.into_iter().try_fold(own.clone(), |piece, part| piece.and(part, space))?;
    Ok((!space.is_none(&piece.relation)).then_some(piece))
}

/// Relations by the number of optional parts.
type Ranked = BTreeMap<usize, Piece>;

/// All choices with as many optional parts together, those with the component's own event apart from those without it.
pub fn by_rank(frame: &Frame<'_>, around: &Around<'_>, number: usize, vector: &Vector) -> Result<Vec<Item>, Stop> {
    debug_assert!(!vector.is_lifted, "what is lifted has one part, and it is not optional");
    let (id, space) = (around.id, &frame.space);
    let Some(most) = (0..=vector.n_optional()).rev().find(|&rank| vector.admits(rank)) else { return Ok(Vec::new()) };
    let below = below(frame, around, vector, most)?;
    let own = vector.parts.iter().copied().find(|part| part.event.component == id);
    let performed = own.and_then(|part| around.own[&part.event.event].as_ref());
    let mut items = Vec::new();
    for (event, taken, own) in ways(own, EventRef { component: id, event: EPSILON }, around.still, performed) {
        for (rank, piece) in &below {
            let rank = rank + taken;
            // The choice of nothing is the vector without parts, which comes last.
            let is_nothing = rank == 0 && vector.parts.iter().all(|part| part.is_optional);
            if is_nothing || !vector.admits(rank) {
                continue;
            }
            let piece = own.and(piece, space)?;
            if !space.is_none(&piece.relation) {
                items.push(Item { top: event, vector: number, rank, piece });
            }
        }
    }
    Ok(items)
}

/// What the subcomponents do, by the number of those that take part although they need not; not more than `most`.
fn below(frame: &Frame<'_>, around: &Around<'_>, vector: &Vector, most: usize) -> Result<Ranked, Stop> {
    let (tree, space) = (frame.tree, &frame.space);
    let mut found = Ranked::from([(0, Piece::idle(space))]);
    // From the bottom of the diagrams upwards: what is joined last comes on top, so that little is made anew.
    let mut order: Vec<usize> = (0..around.subs.len()).collect();
    order.sort_by_key(|&place| {
        let vars = tree.subtree_vars(around.subs[place].0);
        std::cmp::Reverse(vars.filter_map(|var| frame.places.column(var, 0)).min())
    });
    for place in order {
        let (sub, pieces) = &around.subs[place];
        let part = vector.parts.iter().copied().find(|part| tree.contains(*sub, part.event.component));
        let performed = part.and_then(|part| pieces.get(&part.event));
        let idle = EventRef { component: *sub, event: EPSILON };
        let mut joined = Ranked::new();
        for (_, taken, way) in ways(part, idle, &around.quiet[place], performed) {
            for (&rank, piece) in found.iter().filter(|(rank, _)| **rank + taken <= most) {
                let both = piece.and(way, space)?;
                if space.is_none(&both.relation) {
                    continue;
                }
                let both = match joined.get(&(rank + taken)) {
                    Some(known) => both.or(known, space, &frame.places)?,
                    None => both,
                };
                joined.insert(rank + taken, both);
            }
        }
        found = joined;
    }
    Ok(found)
}

/// The ways to take part in a vector: without or with the part, as far as it need be and can be. Each with the event that
/// happens and by how much it adds to the number of optional parts.
fn ways<'p>(
    part: Option<Part>,
    idle: EventRef,
    without: &'p Piece,
    with: Option<&'p Piece>,
) -> impl Iterator<Item = (EventRef, usize, &'p Piece)> {
    let absent = part.is_none_or(|part| part.is_optional).then_some((idle, 0, without));
    let present = part.zip(with).map(|(part, with)| (part.event, usize::from(part.is_optional), with));
    absent.into_iter().chain(present)
}
