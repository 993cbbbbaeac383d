//! Where the composition of a tree takes the transitions of its single components from.

use lapidary_base::Stop;
use lapidary_bdd::Encoder;
use lapidary_ir::tree::{EPSILON, Transition};
use lapidary_ir::{ComponentId, EventId};

use super::frame::Frame;
use super::piece::{Piece, union};

/// The components, each by itself: without vectors, priorities and labels.
pub trait Own {
    /// The transitions of one event of a component; `None` if it has none. Epsilon's is always there: it may move from
    /// every configuration, if only to that configuration itself.
    fn own(&mut self, id: ComponentId, event: EventId) -> Result<Option<Piece>, Stop>;
}

/// The transitions that the tree declares. Epsilon keeps all states.
pub struct Guarded<'a> {
    frame: &'a Frame<'a>,
    encoder: Encoder<'a>,
}

impl<'a> Guarded<'a> {
    pub fn new(frame: &'a Frame<'a>) -> Self {
        Self { frame, encoder: frame.encoder() }
    }

    fn transition(&mut self, transition: &Transition) -> Result<Piece, Stop> {
        let (space, places) = (&self.frame.space, &self.frame.places);
        let mut relation = self.encoder.holds(transition.guard)?;
        let mut written = Vec::new();
        for &(var, value) in &transition.updates {
            let next = places.column(var, 1).expect("state variables have columns");
            relation = space.and(&relation, &self.encoder.equals(value, next, places.lo(var))?)?;
            written.push(var);
        }
        written.sort_unstable();
        Ok(Piece { written, relation })
    }
}

impl Own for Guarded<'_> {
    fn own(&mut self, id: ComponentId, event: EventId) -> Result<Option<Piece>, Stop> {
        if event == EPSILON {
            return Ok(Some(Piece::idle(&self.frame.space)));
        }
        let tree = self.frame.tree;
        let mut pieces = Vec::new();
        for transition in tree.components[id].transitions.iter().filter(|transition| transition.event == event) {
            pieces.push(self.transition(transition)?);
        }
        union(pieces, &self.frame.space, &self.frame.places)
    }
}
