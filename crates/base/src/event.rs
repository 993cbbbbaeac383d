//! What a run tells while it goes on: the source of the progress line, of event files and of plots.

/// One thing that happened. Version 1; fields are only ever added.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    ModelLoaded {
        path: String,
        variables: usize,
        /// Not known of a hierarchy that was not flattened.
        commands: Option<usize>,
        properties: usize,
    },
    PropertyStart {
        name: String,
        engine: String,
    },
    Iteration(Iteration),
    /// The abstraction of a round, for Graphviz.
    Abstraction {
        i: u64,
        dot: String,
    },
    Heartbeat {
        states: u64,
        transitions: u64,
        frontier: u64,
        depth: u64,
    },
    Verdict {
        name: String,
        verdict: String,
    },
    Warning {
        message: String,
    },
}

/// One round of a refinement loop.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Iteration {
    pub i: u64,
    pub abs_states: u64,
    pub abs_trans: u64,
    pub certified_pos: u64,
    pub certified_neg: u64,
    pub pruned: u64,
    pub cex_len: u64,
    pub predicates: u64,
    pub refiner: String,
}

/// Whoever listens: a file, a progress line, a page. Time and memory stamps are the listener's business.
pub trait Sink: Send + Sync {
    fn event(&self, event: &Event);
}
