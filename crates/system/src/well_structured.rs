//! Well-structured systems: more is never worse, so a set of bad states is known by its least elements (Abdulla, Cerans, Jonsson,
//! Tsay 1996). Initial states may be infinitely many, so nothing is listed forwards.

use lapidary_base::{Control, Stop};

/// Points are packed into words, as the system likes.
/// Law: a step from a point can be taken, to something at least as large, from every larger point.
pub trait WellStructured {
    fn n_actions(&self) -> usize;
    fn leq(&self, a: &[u64], b: &[u64]) -> bool;
    /// Appends points whose upward closures together are what leads above `point` by the action. Those above `point` itself may be
    /// left out. There may be very many of them, so limits are looked at on the way.
    fn pre_basis(&self, action: usize, point: &[u64], out: &mut Points, control: &Control) -> Result<(), Failed>;
    /// Is there an initial state above the point?
    fn meets_initial(&self, point: &[u64]) -> bool;
}

/// Why predecessors could not be computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failed {
    /// A number does not fit the packing; a wider one is needed.
    Narrow,
    Stop(Stop),
}

impl From<Stop> for Failed {
    fn from(stop: Stop) -> Self {
        Self::Stop(stop)
    }
}

/// The caller's buffer for points, with the system's working memory, so that no point allocates.
#[derive(Clone, Debug, Default)]
pub struct Points {
    /// The points, one after the other.
    pub words: Vec<u64>,
    /// Where each point ends.
    pub ends: Vec<usize>,
    /// The system's working memory; an engine leaves it alone.
    pub scratch: Vec<u64>,
}

impl Points {
    pub fn clear(&mut self) {
        self.words.clear();
        self.ends.clear();
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    pub fn get(&self, at: usize) -> &[u64] {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.words[start..self.ends[at]]
    }

    /// Ends the point whose words were appended.
    pub fn close(&mut self) {
        self.ends.push(self.words.len());
    }

    /// Drops the words of a point that was not closed.
    pub fn discard(&mut self) {
        self.words.truncate(self.ends.last().copied().unwrap_or(0));
    }
}
