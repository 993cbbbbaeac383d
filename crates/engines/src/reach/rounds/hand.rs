//! The first part of a round: a thread expands chunks of the parents, and keeps what the table does not know.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

use lapidary_base::Control;
use lapidary_ir::CommandId;
use lapidary_system::Successors;

use super::super::expand::{Expansion, Moves};
use super::super::passed::Passed;
use super::super::search::BATCH_STATES;
use super::super::store::{Batch, Node, Store, same};
use super::{Halt, MOST_WORDS};

/// So many states are expanded before their successors are looked up together.
pub const STATES_PER_CHUNK: u32 = 64;
/// Of so many states that a thread has just kept it remembers where: the next one is mostly one of them.
const N_RECENT: usize = 1 << 15;
/// Where states lead to more than this, one thread goes on.
const MOST_STEPS_PER_CHUNK: usize = 1 << 14;
const MOST_WORDS_PER_CHUNK: usize = 1 << 20;

/// What both threads look at.
pub struct Shared<'r, S> {
    pub system: &'r S,
    pub store: &'r Passed,
    pub parents: Range<u32>,
    pub is_idle: &'r [bool],
    /// Deadlocks are looked for.
    pub asks_moves: bool,
    pub next_chunk: AtomicU32,
    pub control: &'r Control,
}

/// What one thread found in the chunks that it has expanded.
pub struct Hand {
    pub expansion: Expansion,
    pub batch: Batch,
    /// What is not known yet, by half of the table.
    pub unknown: [Unknown; 2],
    pub recent: Recent,
    pub chunks: Vec<Chunk>,
    /// By parent, in the order of the chunks, how many steps it has.
    pub n_steps: Vec<usize>,
    pub fired: Vec<bool>,
    /// Of the parents that may be left to the next round, the actions of their steps.
    pub fired_late: Vec<(u32, CommandId)>,
    pub outcome: Result<(), Halt>,
}

/// States that were not known when they were looked up, in the order in which they were found.
#[derive(Default)]
pub struct Unknown {
    /// The number of the parent within the round, and that of the step.
    pub tags: Vec<u64>,
    pub hashes: Vec<u64>,
    pub states: Vec<u64>,
}

/// Where states stand among the unknown ones, by hash, the latest ones only. What it says is looked up there, so that it need not
/// be emptied, nor tell the halves of the table apart.
pub struct Recent(Vec<u32>);

/// A chunk of parents, where their numbers of steps begin, and where what they lead to begins and ends among the unknown states of
/// each half.
pub struct Chunk {
    pub number: u32,
    pub n_steps: usize,
    pub unknown: [Range<usize>; 2],
}

impl Hand {
    pub fn expand<S: Successors>(&mut self, shared: &Shared<'_, S>) -> Result<(), Halt> {
        let Shared { parents, next_chunk, control, .. } = shared;
        self.n_steps.clear();
        self.fired.fill(false);
        self.fired_late.clear();
        self.chunks.clear();
        self.unknown.iter_mut().for_each(Unknown::clear);
        loop {
            let number = next_chunk.fetch_add(1, Ordering::Relaxed);
            let start = parents.start + number * STATES_PER_CHUNK;
            if start >= parents.end {
                return Ok(());
            }
            control.look()?;
            let (n_steps, before) = (self.n_steps.len(), self.unknown.each_ref().map(|unknown| unknown.tags.len()));
            self.expand_chunk(start..parents.end.min(start + STATES_PER_CHUNK), shared)?;
            let unknown = [0, 1].map(|half| before[half]..self.unknown[half].tags.len());
            self.chunks.push(Chunk { number, n_steps, unknown });
            let n_unknown: usize = self.unknown.iter().map(|unknown| unknown.tags.len()).sum();
            if n_unknown * (shared.store.states.width() + 2) > 2 * MOST_WORDS {
                return Err(Halt::Eventful);
            }
        }
    }

    fn expand_chunk<S: Successors>(&mut self, chunk: Range<u32>, shared: &Shared<'_, S>) -> Result<(), Halt> {
        let &Shared { system, store, ref parents, is_idle, asks_moves, .. } = shared;
        let Self { expansion, batch, unknown, recent, n_steps, fired, fired_late, .. } = self;
        expansion.clear();
        for node in chunk {
            let moves = expansion.expand(system, store, (Node(node), 0), is_idle)?;
            let n_steps = expansion.steps.len();
            let is_large = n_steps > MOST_STEPS_PER_CHUNK || n_steps * system.words() > MOST_WORDS_PER_CHUNK;
            if (asks_moves && moves == Moves::Idle) || is_large {
                return Err(Halt::Eventful);
            }
        }
        let steps = &expansion.steps;
        store.glance(batch, steps, 0..steps.len());
        let mut start = 0;
        for &(node, _, end) in &expansion.expanded {
            n_steps.push(end - start);
            let actions = steps.actions[start..end].iter();
            match parents.end - node.0 > BATCH_STATES as u32 {
                true => actions.for_each(|action| fired[action.0 as usize] = true),
                false => fired_late.extend(actions.map(|&action| (node.0, action))),
            }
            start = end;
        }
        let words = (system.words(), 0);
        let (half, mut origin) = (store.slots.len() / 2, 0);
        for step in (0..steps.len()).filter(|&step| !batch.covered[step]) {
            while expansion.expanded[origin].2 <= step {
                origin += 1;
            }
            let parent = expansion.expanded[origin].0.0 - parents.start;
            let (hash, state) = (batch.hashes[step], steps.state(step, words).discrete);
            let unknown = &mut unknown[usize::from(store.home(hash) >= half)];
            // This thread has met it earlier in the round, so it is not new here.
            if recent.has(unknown, hash, state) {
                continue;
            }
            unknown.push((u64::from(parent) << 32) | step as u64, hash, state);
        }
        Ok(())
    }
}

impl Default for Recent {
    fn default() -> Self {
        Self(vec![0; N_RECENT])
    }
}

impl Recent {
    /// Whether a state stands among the unknown ones; if not, it is about to be the next one.
    #[inline(always)]
    fn has(&mut self, unknown: &Unknown, hash: u64, state: &[u64]) -> bool {
        // The lower bits say where in the table, and two halves of it.
        let place = &mut self.0[(hash >> 32) as usize & (N_RECENT - 1)];
        let at = *place as usize;
        if unknown.hashes.get(at) == Some(&hash) && same(&unknown.states[at * state.len()..][..state.len()], state) {
            return true;
        }
        *place = unknown.tags.len() as u32;
        false
    }
}

/// The chunks of a round, in order.
pub struct Chunks<'h> {
    chunks: Vec<(&'h Hand, &'h Chunk)>,
    n_parents: u32,
}

impl<'h> Chunks<'h> {
    pub fn new(hands: &'h [Hand; 2], parents: &Range<u32>) -> Self {
        let chunks = hands.iter().flat_map(|hand| hand.chunks.iter().map(move |chunk| (hand, chunk)));
        let mut chunks: Vec<(&Hand, &Chunk)> = chunks.collect();
        chunks.sort_unstable_by_key(|(_, chunk)| chunk.number);
        Self { chunks, n_parents: parents.end - parents.start }
    }

    pub fn n_unknown(&self) -> usize {
        self.chunks.iter().flat_map(|(_, chunk)| &chunk.unknown).map(Range::len).sum()
    }

    /// With how many parents the last batch ends that one thread would fill with them, and how many steps those have.
    pub fn whole_batches(&self, (most_states, most_steps): (usize, usize), ends_level: bool) -> (u32, u64) {
        let n_steps = self.chunks.iter().flat_map(|(hand, chunk)| {
            let n_parents = (self.n_parents - chunk.number * STATES_PER_CHUNK).min(STATES_PER_CHUNK);
            &hand.n_steps[chunk.n_steps..chunk.n_steps + n_parents as usize]
        });
        let (mut whole, mut n_all, mut batch) = ((0, 0), 0, (0, 0));
        for (number, &n) in n_steps.enumerate() {
            n_all += n as u64;
            batch = (batch.0 + 1, batch.1 + n);
            let is_last = ends_level && number as u32 + 1 == self.n_parents;
            if batch.0 >= most_states || batch.1 > most_steps || is_last {
                whole = (number as u32 + 1, n_all);
                batch = (0, 0);
            }
        }
        whole
    }

    /// What the first so many parents lead to and belongs into a half, in order.
    pub fn unknown(&self, half: usize, n_parents: u32) -> impl Iterator<Item = (&'h Unknown, Range<usize>)> {
        self.chunks.iter().map(move |(hand, chunk)| {
            let (unknown, Range { start, end }) = (&hand.unknown[half], chunk.unknown[half].clone());
            let n_kept = unknown.tags[start..end].partition_point(|tag| (tag >> 32) < u64::from(n_parents));
            (unknown, start..start + n_kept)
        })
    }
}

impl Unknown {
    #[inline(always)]
    pub fn push(&mut self, tag: u64, hash: u64, state: &[u64]) {
        self.tags.push(tag);
        self.hashes.push(hash);
        self.states.extend_from_slice(state);
    }

    pub fn clear(&mut self) {
        self.tags.clear();
        self.hashes.clear();
        self.states.clear();
    }
}
