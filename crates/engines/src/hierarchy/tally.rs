//! What is counted on the way to an answer.

use std::time::Instant;

use lapidary_base::memory;
use lapidary_verdict::{Spread, Stats};

#[derive(Clone, Default)]
pub struct Tally {
    /// Computations of what follows or precedes a set by one step of one component, along abstract runs.
    pub images: u64,
    /// Tests whether there is a step between two blocks.
    pub tests: u64,
    /// The largest set of combinations of blocks.
    pub nodes: u64,
    /// By round: the blocks of all components.
    pub blocks: Vec<u64>,
    /// By abstract run, which is what every round but perhaps the last one finds: its length.
    pub lengths: Vec<u64>,
}

impl Tally {
    pub fn stats(&self, start: Instant) -> Stats {
        Stats {
            counts: vec![
                ("iterations", self.lengths.len() as u64),
                ("cex_analysis", self.images),
                ("transition_analysis", self.tests),
                ("bdd_nodes", self.nodes),
            ],
            spreads: vec![("abstract_states", Spread::of(&self.blocks)), ("cex_length", Spread::of(&self.lengths))],
            rounds: Vec::new(),
            search_seconds: start.elapsed().as_secs_f64(),
            check_seconds: 0.0,
            search_memory: memory::peak_resident().unwrap_or(0),
        }
    }

    /// Shortest abstract runs are never longer than concrete ones.
    pub fn known(&self) -> Option<String> {
        let within = self.lengths.last()?.checked_sub(1)?;
        Some(format!("within {within} {}", if within == 1 { "step" } else { "steps" }))
    }
}
