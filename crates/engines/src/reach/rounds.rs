//! Breadth-first search with two threads, round by round.
//!
//! A round is a stretch of the states of one level. Both threads expand it, and look up what it leads to; what is not
//! known yet is sorted by the table that it belongs to. Then each thread enters into its own table what belongs there,
//! in the order of parents and steps; and what is new gets the numbers that one thread would have given.
//!
//! What one thread does is what is meant: where anything else happens in a round than that states are new or known, be it a
//! target, an error or a limit, the round is taken back, and one thread goes through it. What it tells then depends on
//! which states it looks up together, so a round ends where one of its batches would.

use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

use lapidary_base::{Control, Stop};
use lapidary_ir::CommandId;
use lapidary_system::{State, Steps, Successors};

use super::expand::{Expansion, Moves};
use super::passed::{Filling, Halves, Passed, Slots, matches, node_of};
use super::rows::Rows;
use super::search::{BATCH_STATES, Search};
use super::store::{Batch, Node, Store, same};
use super::waiting::Waiting;

/// How large rounds are.
#[derive(Clone, Copy, Debug)]
pub struct Rounds {
    /// Expanded in one round at most: enough that starting a thread takes no time beside them, few enough that what is new
    /// stays in the nearer caches.
    pub states: u32,
    /// For fewer states, or with smaller tables, a round is not worth while.
    pub least_states: u32,
    pub least_slots: usize,
}

impl Default for Rounds {
    fn default() -> Self {
        Self { states: 1 << 13, least_states: 1 << 10, least_slots: 1 << 16 }
    }
}

/// So many states are expanded before their successors are looked up together.
const STATES_PER_CHUNK: u32 = 64;
/// Where states lead to more than this, their round needs too much memory.
const MOST_STEPS_PER_CHUNK: usize = 1 << 14;
const MOST_UNKNOWN: usize = 1 << 19;

/// Why a round is taken back.
enum Halt {
    /// One thread has to see what it is.
    Eventful,
}

impl From<Stop> for Halt {
    fn from(_: Stop) -> Self {
        Self::Eventful
    }
}

/// What became of a round.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Round {
    Kept,
    TakenBack,
}

/// What both threads look at.
struct Shared<'r, S> {
    system: &'r S,
    store: &'r Passed,
    parents: Range<u32>,
    is_idle: &'r [bool],
    /// Deadlocks are looked for.
    asks_moves: bool,
    next_chunk: AtomicU32,
    control: &'r Control,
}

/// What one thread found in the chunks that it has expanded.
struct Hand {
    expansion: Expansion,
    batch: Batch,
    /// What is not known yet, by table.
    unknown: [Unknown; 2],
    chunks: Vec<Chunk>,
    /// By parent, in the order of the chunks, how many steps it has.
    n_steps: Vec<usize>,
    fired: Vec<bool>,
    /// Of the parents that may be left to the next round, the actions of their steps.
    fired_late: Vec<(u32, CommandId)>,
    outcome: Result<(), Halt>,
}

/// States that were not known when they were looked up, in the order in which they were found.
#[derive(Default)]
struct Unknown {
    /// The number of the parent within the round, and that of the step.
    tags: Vec<u64>,
    hashes: Vec<u64>,
    states: Vec<u64>,
}

/// A chunk of parents, where their numbers of steps begin, and where what they lead to begins and ends among the unknown states of
/// each table.
struct Chunk {
    number: u32,
    n_steps: usize,
    unknown: [Range<usize>; 2],
}

/// What one thread enters into one table.
struct Desk {
    fresh: Fresh,
    scratch: Steps,
    open: Vec<usize>,
    outcome: Result<(), Halt>,
}

/// New states that have no numbers yet.
#[derive(Default)]
struct Fresh {
    tags: Vec<u64>,
    states: Vec<u64>,
    /// Their slots within the table.
    places: Vec<usize>,
}

/// The working memory of both threads.
pub(super) struct Crew {
    hands: [Hand; 2],
    desks: [Desk; 2],
}

/// Runs something for each of two, one of them in a thread of its own if one can be had.
fn both<T: Send>(pair: &mut [T; 2], run: impl Fn(usize, &mut T) + Sync) {
    let run = &run;
    let is_done = thread::scope(|scope| {
        let [one, other] = &mut *pair;
        let started = thread::Builder::new().spawn_scoped(scope, move || run(1, other));
        run(0, one);
        match started {
            Ok(thread) => thread.join().map_or_else(|panic| resume_unwind(panic), |()| true),
            Err(_) => false,
        }
    });
    if !is_done {
        run(1, &mut pair[1]);
    }
}

/// Fills both tables at once.
fn at_once<'f>(one: &mut Filling<'f>, other: &mut Filling<'f>) -> [Result<usize, Stop>; 2] {
    let mut pair = [(one, Ok(0)), (other, Ok(0))];
    both(&mut pair, |_, (fill, result)| *result = fill());
    pair.map(|(_, result)| result)
}

impl<S: Successors + Sync> Search<'_, S, Passed> {
    /// [`Search::run`] with two threads where that makes no difference but in time.
    pub fn run_shared(
        &mut self,
        targets: Vec<usize>,
        deadlocks: Vec<usize>,
        rounds: Rounds,
        met: &mut dyn FnMut(&Self),
    ) -> Result<(), Stop> {
        // Who takes turns is paid by one thread's work, and a budget ends between two states.
        if !matches!(self.waiting, Waiting::Interval(_)) || self.control.takes_turns() || self.has_budget() {
            return self.run(targets, deadlocks, met);
        }
        self.start(targets, deadlocks, met)?;
        let mut crew = self.crew();
        while !self.is_decided() {
            let Waiting::Interval(interval) = &mut self.waiting else { return Ok(()) };
            let Some((level, depth)) = interval.level() else { return Ok(()) };
            // The batch in which progress is told is left to one thread.
            let n_untold = u32::try_from(self.n_until_told() - 1).unwrap_or(u32::MAX);
            let end = level.end.min(level.start.saturating_add(rounds.states.min(n_untold)));
            let round = level.start..end;
            let is_worth =
                round.len() >= rounds.least_states.max(1) as usize && self.store.slots.len() >= rounds.least_slots;
            let until = match is_worth {
                true if self.round(round, level.end, depth, &mut crew)? == Round::Kept => continue,
                true => end,
                false => level.start + 1,
            };
            while self.next_waiting().is_some_and(|next| next < until) {
                if !self.advance(met)? {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn next_waiting(&self) -> Option<u32> {
        match &self.waiting {
            Waiting::Interval(interval) => Some(interval.next()),
            Waiting::Nobody | Waiting::Fifo(..) | Waiting::Lowest(..) => None,
        }
    }

    fn crew(&self) -> Crew {
        let hand = || Hand {
            expansion: Expansion::within(self.control),
            batch: Batch::default(),
            unknown: Default::default(),
            chunks: Vec::new(),
            n_steps: Vec::new(),
            fired: vec![false; self.is_idle.len()],
            fired_late: Vec::new(),
            outcome: Ok(()),
        };
        let desk = || Desk { fresh: Fresh::default(), scratch: Steps::new(), open: Vec::new(), outcome: Ok(()) };
        Crew { hands: [hand(), hand()], desks: [desk(), desk()] }
    }

    fn round(&mut self, parents: Range<u32>, level_end: u32, depth: u64, crew: &mut Crew) -> Result<Round, Stop> {
        if self.store.len() > u32::MAX as usize - 2 * MOST_UNKNOWN {
            return Ok(Round::TakenBack);
        }
        let Crew { hands, desks } = crew;
        let shared = Shared {
            system: self.system,
            store: &self.store,
            parents: parents.clone(),
            is_idle: &self.is_idle,
            asks_moves: !self.open_deadlocks.is_empty(),
            next_chunk: AtomicU32::new(0),
            control: self.control,
        };
        both(hands, |_, hand| hand.outcome = hand.expand(&shared));
        if hands.iter().any(|hand| hand.outcome.is_err()) {
            return Ok(Round::TakenBack);
        }
        let chunks = Chunks::new(hands, &parents);
        let (n_kept, n_steps) = chunks.whole_batches(self.batch_limits(), parents.end == level_end);
        if n_kept == 0 {
            return Ok(Round::TakenBack);
        }
        let unknown = chunks.n_unknown();
        self.make_room(unknown)?;
        if !self.enter(n_kept, &Chunks::new(hands, &parents), desks) {
            return Ok(Round::TakenBack);
        }
        let parents = parents.start..parents.start + n_kept;
        self.counts.transitions += n_steps;
        self.keep(&parents, depth, crew);
        if self.store.loads.iter().any(|&load| self.store.is_full(load)) {
            self.store.grow(&mut at_once, self.control)?;
        }
        self.report_progress(parents.len() as u64)?;
        Ok(Round::Kept)
    }

    /// So that the tables are never full while they are filled.
    fn make_room(&mut self, n_unknown: [usize; 2]) -> Result<(), Stop> {
        let most = [0, 1].map(|table| self.store.loads[table] + n_unknown[table]).into_iter().max();
        while most.is_some_and(|most| most > self.store.halves.size() / 8 * 7) {
            self.store.grow(&mut at_once, self.control)?;
        }
        Ok(())
    }

    /// Whether all went well; if not, it is undone.
    fn enter(&mut self, n_parents: u32, chunks: &Chunks<'_>, desks: &mut [Desk; 2]) -> bool {
        let Passed { states, slots, kind, halves, .. } = &mut self.store;
        let (halves, kind, states, n_nodes) = (*halves, *kind, &*states, states.len());
        let (first, second) = slots.split_at_mut(halves.size());
        let [one, other] = desks;
        let mut pair = [(one, first), (other, second)];
        let (system, open) = (self.system, &self.open);
        both(&mut pair, |number, (desk, slots)| {
            let mut table = Table { slots, halves, kind, states, n_nodes, fresh: &mut desk.fresh };
            table.fresh.clear();
            desk.open.clone_from(open);
            desk.outcome = chunks.unknown(number, n_parents).try_for_each(|(unknown, range)| {
                table.enter(unknown, range, system, &mut desk.open, &mut desk.scratch)
            });
        });
        let is_kept = pair.iter().all(|(desk, _)| desk.outcome.is_ok());
        if !is_kept {
            pair.iter_mut().for_each(|(desk, slots)| desk.fresh.undo(slots, kind));
        }
        is_kept
    }

    /// New states get their numbers, in the order in which one thread would have met them.
    fn keep(&mut self, parents: &Range<u32>, depth: u64, crew: &mut Crew) {
        let [one, other] = &crew.desks;
        let words = self.system.words();
        let (mut at, n_fresh) = ([0, 0], [one.fresh.tags.len(), other.fresh.tags.len()]);
        for _ in 0..n_fresh[0] + n_fresh[1] {
            let is_first = at[1] == n_fresh[1] || at[0] < n_fresh[0] && one.fresh.tags[at[0]] < other.fresh.tags[at[1]];
            let table = usize::from(!is_first);
            let (fresh, i) = (&crew.desks[table].fresh, at[table]);
            at[table] += 1;
            let number = self.store.states.len() as u64;
            self.store.states.push(&fresh.states[i * words..(i + 1) * words]);
            self.store.parents.push(&[parents.start + (fresh.tags[i] >> 32) as u32]);
            if self.store.kind == Slots::Numbers {
                let slot = &mut self.store.slots[table * self.store.halves.size() + fresh.places[i]];
                *slot = (*slot >> 32 << 32) | (number + 1);
            }
        }
        let n_new = (n_fresh[0] + n_fresh[1]) as u64;
        (0..2).for_each(|table| self.store.loads[table] += n_fresh[table]);
        self.level = Some(depth);
        self.counts.states += n_new;
        self.counts.depth = self.counts.depth.max(depth + u64::from(n_new > 0));
        self.n_tested += if self.open.is_empty() { 0 } else { n_new };
        self.n_listed += parents.len() as u64;
        for hand in &crew.hands {
            self.fired.iter_mut().zip(&hand.fired).for_each(|(fired, &now)| *fired |= now);
            let late = hand.fired_late.iter().filter(|(parent, _)| parents.contains(parent));
            late.for_each(|(_, action)| self.fired[action.0 as usize] = true);
        }
        let Waiting::Interval(interval) = &mut self.waiting else { return };
        interval.advance(parents.len() as u32, n_new as u32);
    }
}

impl Hand {
    fn expand<S: Successors>(&mut self, shared: &Shared<'_, S>) -> Result<(), Halt> {
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
            let unknown = [0, 1].map(|table| before[table]..self.unknown[table].tags.len());
            self.chunks.push(Chunk { number, n_steps, unknown });
            if self.unknown.iter().any(|unknown| unknown.tags.len() > MOST_UNKNOWN) {
                return Err(Halt::Eventful);
            }
        }
    }

    fn expand_chunk<S: Successors>(&mut self, chunk: Range<u32>, shared: &Shared<'_, S>) -> Result<(), Halt> {
        let &Shared { system, store, ref parents, is_idle, asks_moves, .. } = shared;
        let Self { expansion, batch, unknown, n_steps, fired, fired_late, .. } = self;
        expansion.clear();
        for node in chunk {
            let moves = expansion.expand(system, store, (Node(node), 0), is_idle)?;
            if (asks_moves && moves == Moves::Idle) || expansion.steps.len() > MOST_STEPS_PER_CHUNK {
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
        let mut origin = 0;
        for step in (0..steps.len()).filter(|&step| !batch.covered[step]) {
            while expansion.expanded[origin].2 <= step {
                origin += 1;
            }
            let parent = expansion.expanded[origin].0.0 - parents.start;
            let unknown = &mut unknown[(batch.hashes[step] >> 63) as usize];
            unknown.tags.push((u64::from(parent) << 32) | step as u64);
            unknown.hashes.push(batch.hashes[step]);
            unknown.states.extend_from_slice(steps.state(step, words).discrete);
        }
        Ok(())
    }
}

/// The chunks of a round, in order.
struct Chunks<'h> {
    chunks: Vec<(&'h Hand, &'h Chunk)>,
    n_parents: u32,
}

impl<'h> Chunks<'h> {
    fn new(hands: &'h [Hand; 2], parents: &Range<u32>) -> Self {
        let chunks = hands.iter().flat_map(|hand| hand.chunks.iter().map(move |chunk| (hand, chunk)));
        let mut chunks: Vec<(&Hand, &Chunk)> = chunks.collect();
        chunks.sort_unstable_by_key(|(_, chunk)| chunk.number);
        Self { chunks, n_parents: parents.end - parents.start }
    }

    fn n_unknown(&self) -> [usize; 2] {
        [0, 1].map(|table| self.chunks.iter().map(|(_, chunk)| chunk.unknown[table].len()).sum())
    }

    /// With how many parents the last batch ends that one thread would fill with them, and how many steps those have.
    fn whole_batches(&self, (most_states, most_steps): (usize, usize), ends_level: bool) -> (u32, u64) {
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

    /// What the first so many parents lead to and belongs into a table, in order.
    fn unknown(&self, table: usize, n_parents: u32) -> impl Iterator<Item = (&'h Unknown, Range<usize>)> {
        self.chunks.iter().map(move |(hand, chunk)| {
            let (unknown, Range { start, end }) = (&hand.unknown[table], chunk.unknown[table].clone());
            let n_kept = unknown.tags[start..end].partition_point(|tag| (tag >> 32) < u64::from(n_parents));
            (unknown, start..start + n_kept)
        })
    }
}

impl Unknown {
    fn clear(&mut self) {
        self.tags.clear();
        self.hashes.clear();
        self.states.clear();
    }
}

/// One of the two tables, while it is filled.
struct Table<'t> {
    slots: &'t mut [u64],
    halves: Halves,
    kind: Slots,
    states: &'t Rows<u64>,
    /// Those with numbers; the new ones are numbered from there on, each table by itself.
    n_nodes: usize,
    fresh: &'t mut Fresh,
}

impl Table<'_> {
    /// Enters what is still not known, and tests the targets on it.
    fn enter<S: Successors>(
        &mut self,
        unknown: &Unknown,
        range: Range<usize>,
        system: &S,
        open: &mut Vec<usize>,
        scratch: &mut Steps,
    ) -> Result<(), Halt> {
        let words = self.states.width();
        let mut hit = Vec::new();
        for i in range {
            let (hash, state) = (unknown.hashes[i], &unknown.states[i * words..(i + 1) * words]);
            let Some(place) = self.place(hash, state) else { continue };
            self.slots[place] = self.kind.slot(hash, state, Node((self.n_nodes + self.fresh.tags.len()) as u32));
            self.fresh.tags.push(unknown.tags[i]);
            self.fresh.states.extend_from_slice(state);
            self.fresh.places.push(place);
            if !open.is_empty() {
                system.hits(State::plain(state), open, &mut hit, scratch)?;
                if !hit.is_empty() {
                    return Err(Halt::Eventful);
                }
            }
        }
        Ok(())
    }

    /// The slot for a state, if it is new.
    #[inline(always)]
    fn place(&self, hash: u64, state: &[u64]) -> Option<usize> {
        let (mut at, mask, empty) = (self.halves.within(hash), self.slots.len() - 1, self.kind.empty());
        loop {
            let slot = self.slots[at];
            if slot == empty {
                return Some(at);
            }
            let is_known = match self.kind {
                Slots::States => slot == state[0],
                Slots::Numbers => matches(slot, hash) && same(self.row(node_of(slot)), state),
            };
            if is_known {
                return None;
            }
            at = (at + 1) & mask;
        }
    }

    fn row(&self, node: Node) -> &[u64] {
        let (number, words) = (node.0 as usize, self.states.width());
        match number.checked_sub(self.n_nodes) {
            None => self.states.row(number),
            Some(fresh) => &self.fresh.states[fresh * words..(fresh + 1) * words],
        }
    }
}

impl Fresh {
    fn clear(&mut self) {
        self.tags.clear();
        self.states.clear();
        self.places.clear();
    }

    /// The last one first, so that every search in the table ends again where it did before.
    fn undo(&self, slots: &mut [u64], kind: Slots) {
        self.places.iter().rev().for_each(|&place| slots[place] = kind.empty());
    }
}
