//! The columns of a transition, and how to forget and rename them.

use lapidary_base::{IdVec, Stop};
use lapidary_bdd::{Column, Cube, Projection, Renaming};
use lapidary_ir::ComponentId;
use lapidary_system::symbolic::Symbolic;

pub struct Frame {
    /// Of the variables without a definition, in their order.
    pub current: Vec<Column>,
    /// The same of the configuration after a transition.
    pub next: Vec<Column>,
    pub events: IdVec<ComponentId, Column>,
    /// The columns of a transition: current ones, events, next ones.
    pub all: Vec<Column>,
    pub after: Cube,
    pub labels: Cube,
    pub events_and_after: Cube,
    /// Both ends of a transition.
    pub ends: Cube,
    /// From current to next columns.
    pub ahead: Renaming,
    /// Forgets source and events; the target becomes a configuration.
    pub arrive: Projection,
}

impl Frame {
    pub fn new(system: &Symbolic, events: &IdVec<ComponentId, Vec<Column>>) -> Result<Self, Stop> {
        let space = &system.space;
        let (current, next) = (system.places.columns(0), system.places.columns(1));
        let events: IdVec<ComponentId, Column> = events.iter().map(|copies| copies[0]).collect();
        let there: Vec<(Column, Column)> = current.iter().copied().zip(next.iter().copied()).collect();
        let back: Vec<(Column, Column)> = next.iter().copied().zip(current.iter().copied()).collect();
        Ok(Self {
            all: [&current[..], events.as_slice(), &next[..]].concat(),
            after: space.cube(&next)?,
            labels: space.cube(events.as_slice())?,
            events_and_after: space.cube(&[events.as_slice(), &next[..]].concat())?,
            ends: space.cube(&[&current[..], &next[..]].concat())?,
            ahead: space.renaming(&there),
            arrive: space.projection(&[&current[..], events.as_slice()].concat(), &back),
            current,
            next,
            events,
        })
    }
}
