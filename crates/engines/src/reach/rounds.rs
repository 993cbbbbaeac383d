//! Breadth-first search with two threads, round by round.
//!
//! A round is a stretch of the states of one level. Both threads expand it, and look up what it leads to; what is not
//! known yet is sorted by the half of the table that it belongs to. Then each thread enters into its own half what belongs there,
//! in the order of parents and steps; and what is new gets the numbers that one thread would have given.
//!
//! What one thread does is what is meant: where anything else happens in a round than that states are new or known, be it a
//! target, an error or a limit, the round is taken back, and one thread goes through it. What it tells then depends on
//! which states it looks up together, so a round ends where one of its batches would.

use std::hint::black_box;
use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

use lapidary_base::{Control, Stop};
use lapidary_ir::CommandId;
use lapidary_system::{State, Steps, Successors};

use super::expand::{Expansion, Moves};
use super::passed::{Part, Passed, Slots, matches, node_of};
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
        Self { states: 1 << 15, least_states: 1 << 10, least_slots: 1 << 16 }
    }
}

/// So many states are expanded before their successors are looked up together.
const STATES_PER_CHUNK: u32 = 64;
/// Where states lead to more than this, one thread goes on.
const MOST_STEPS_PER_CHUNK: usize = 1 << 14;
const MOST_WORDS_PER_CHUNK: usize = 1 << 20;
/// What one thread keeps of a round until it has numbers: so many words. Rounds are made smaller until they fit.
const MOST_WORDS: usize = 1 << 18;
/// More states than one thread can enter into its half of the table.
const MOST_FRESH: usize = 1 << 20;
/// So many states are entered together, and between two looks at the limits so many times a target is tested on one.
const ENTERED_AT_ONCE: usize = 1 << 6;
const TESTS_PER_LOOK: usize = 1 << 12;

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
    /// The tables had to grow, and what belongs into which of them has changed.
    Begun,
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
    /// What is not known yet, by half of the table.
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
/// each half.
struct Chunk {
    number: u32,
    n_steps: usize,
    unknown: [Range<usize>; 2],
}

/// What one thread enters into one half.
struct Desk {
    fresh: Fresh,
    /// For which there was no room before the end.
    late: Unknown,
    scratch: Steps,
    open: Vec<usize>,
    outcome: Result<(), Halt>,
}

/// New states that have no numbers yet.
#[derive(Default)]
struct Fresh {
    tags: Vec<u64>,
    states: Vec<u64>,
    /// Their slots.
    places: Vec<usize>,
}

/// The working memory of both threads.
struct Crew {
    hands: [Hand; 2],
    desks: [Desk; 2],
    /// Entered when both threads have finished.
    late: Fresh,
    /// In one round now.
    n_parents: u32,
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
        let mut crew = self.crew(rounds.states);
        while !self.is_decided() {
            let Waiting::Interval(interval) = &mut self.waiting else { return Ok(()) };
            let Some((level, depth)) = interval.level() else { return Ok(()) };
            // The batch in which progress is told is left to one thread.
            let n_untold = u32::try_from(self.n_until_told() - 1).unwrap_or(u32::MAX);
            let end = level.end.min(level.start.saturating_add(crew.n_parents.min(n_untold)));
            let round = level.start..end;
            let least = rounds.least_states.min(crew.n_parents).max(1);
            let is_worth = round.len() >= least as usize && self.store.slots.len() >= rounds.least_slots;
            let until = match is_worth {
                true => match self.round(round, level.end, depth, &mut crew)? {
                    Round::Kept => {
                        self.tell(met);
                        crew.adapt(rounds.states);
                        continue;
                    }
                    Round::Begun => continue,
                    Round::TakenBack => {
                        // What was too large is not held on to.
                        crew = self.crew((crew.n_parents / 2).max(STATES_PER_CHUNK).min(rounds.states));
                        end
                    }
                },
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

    fn crew(&self, n_parents: u32) -> Crew {
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
        let desk = || Desk {
            fresh: Fresh::default(),
            late: Unknown::default(),
            scratch: Steps::new(),
            open: Vec::new(),
            outcome: Ok(()),
        };
        Crew { hands: [hand(), hand()], desks: [desk(), desk()], late: Fresh::default(), n_parents }
    }

    fn round(&mut self, parents: Range<u32>, level_end: u32, depth: u64, crew: &mut Crew) -> Result<Round, Stop> {
        // Also for the numbers that new states have for the time being.
        if self.store.len() > u32::MAX as usize - 4 * MOST_FRESH {
            return Ok(Round::TakenBack);
        }
        let hands = &mut crew.hands;
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
        if (self.store.len() + chunks.n_unknown()) * 8 > self.store.slots.len() * 7 {
            self.grow_shared()?;
            return Ok(Round::Begun);
        }
        if !self.enter(n_kept, &chunks, &mut crew.desks, &mut crew.late) {
            return Ok(Round::TakenBack);
        }
        let parents = parents.start..parents.start + n_kept;
        self.counts.transitions += n_steps;
        self.keep(&parents, depth, crew);
        if self.store.is_full() {
            self.grow_shared()?;
        }
        self.report_progress(parents.len() as u64)?;
        Ok(Round::Kept)
    }

    /// Each thread fills a half of the new table.
    fn grow_shared(&mut self) -> Result<(), Stop> {
        let mut slots = self.store.doubled(self.control)?;
        let (half, last) = (slots.len() / 2, slots.len() - 1);
        let (first, second) = slots.split_at_mut(half);
        let mut pair = [
            (Some(Part { slots: first, start: 0, last }), Ok(Vec::new())),
            (Some(Part { slots: second, start: half, last }), Ok(Vec::new())),
        ];
        let (store, control) = (&self.store, self.control);
        both(&mut pair, |_, (part, late)| *late = part.take().map_or(Ok(Vec::new()), |part| part.fill(store, control)));
        let [one, other] = pair.map(|(_, late)| late);
        for late in [one?, other?] {
            self.store.enter_late(late, &mut slots);
        }
        self.store.slots = slots;
        Ok(())
    }

    /// Whether all went well; if not, it is undone.
    fn enter(&mut self, n_parents: u32, chunks: &Chunks<'_>, desks: &mut [Desk; 2], late: &mut Fresh) -> bool {
        let Passed { states, slots, kind, .. } = &mut self.store;
        let (kind, states, n_slots) = (*kind, &*states, slots.len());
        let (first, second) = slots.split_at_mut(n_slots / 2);
        let [one, other] = &mut *desks;
        let mut pair = [(one, first), (other, second)];
        let (system, open, control) = (self.system, &self.open, self.control);
        both(&mut pair, |number, (desk, slots)| {
            let start = number * (n_slots / 2);
            let Desk { fresh, late, scratch, open: still_open, outcome } = &mut **desk;
            still_open.clone_from(open);
            let mut half = Half { slots, start, n_slots, kind, states, fresh, number };
            half.fresh.clear();
            late.clear();
            let mut targets = Targets { system, open: still_open, scratch, control, n_tests: 0 };
            let mut unknown = chunks.unknown(number, n_parents);
            *outcome = unknown.try_for_each(|(unknown, range)| half.enter(unknown, range, late, &mut targets));
        });
        late.clear();
        let mut is_kept = desks.iter().all(|desk| desk.outcome.is_ok());
        is_kept = is_kept && self.enter_late(desks, late).is_ok();
        if !is_kept {
            // The last ones first, so that every search in the table ends again where it did before.
            late.undo(&mut self.store.slots, kind);
            desks.iter().for_each(|desk| desk.fresh.undo(&mut self.store.slots, kind));
        }
        is_kept
    }

    /// What found no room before the end of its half goes on in the other one, or from the beginning.
    fn enter_late(&mut self, desks: &mut [Desk; 2], late: &mut Fresh) -> Result<(), Halt> {
        let words = self.store.states.width();
        let mut order: Vec<(u64, usize, usize)> = Vec::new();
        for (number, desk) in desks.iter().enumerate() {
            order.extend(desk.late.tags.iter().enumerate().map(|(i, &tag)| (tag, number, i)));
        }
        order.sort_unstable();
        let mut scratch = Steps::new();
        let mut open = self.open.clone();
        let (system, control) = (self.system, self.control);
        let mut targets = Targets { system, open: &mut open, scratch: &mut scratch, control, n_tests: 0 };
        for (tag, number, i) in order {
            let unknown = &desks[number].late;
            let (hash, state) = (unknown.hashes[i], &unknown.states[i * words..(i + 1) * words]);
            let mut at = hash as usize & (self.store.slots.len() - 1);
            let place = loop {
                let slot = self.store.slots[at];
                if slot == self.store.kind.empty() {
                    break Some(at);
                }
                let is_known = match self.store.kind {
                    Slots::States => slot == state[0],
                    Slots::Numbers => matches(slot, hash) && same(self.row(node_of(slot), desks, late), state),
                };
                if is_known {
                    break None;
                }
                at = (at + 1) & (self.store.slots.len() - 1);
            };
            let Some(place) = place else { continue };
            let node = provisional(self.store.states.len(), 2, late.tags.len())?;
            self.store.slots[place] = self.store.kind.slot(hash, state, node);
            late.push(tag, state, place);
            targets.test(state)?;
        }
        Ok(())
    }

    fn row<'r>(&'r self, node: Node, desks: &'r [Desk; 2], late: &'r Fresh) -> &'r [u64] {
        let words = self.store.states.width();
        let Some(new) = (node.0 as usize).checked_sub(self.store.states.len()) else {
            return self.store.states.row(node.0 as usize);
        };
        let fresh = if new / MOST_FRESH == 2 { late } else { &desks[new / MOST_FRESH].fresh };
        let i = new % MOST_FRESH;
        &fresh.states[i * words..(i + 1) * words]
    }

    /// New states get their numbers, in the order in which one thread would have met them.
    fn keep(&mut self, parents: &Range<u32>, depth: u64, crew: &Crew) {
        let all = [&crew.desks[0].fresh, &crew.desks[1].fresh, &crew.late];
        let words = self.system.words();
        let mut at = [0; 3];
        let head = |at: &[usize; 3], list: usize| all[list].tags.get(at[list]).copied().unwrap_or(u64::MAX);
        let mut heads = [0, 1, 2].map(|list| head(&at, list));
        let n_new: usize = all.iter().map(|fresh| fresh.tags.len()).sum();
        for _ in 0..n_new {
            let first = usize::from(heads[1] < heads[0]);
            let list = if heads[2] < heads[first] { 2 } else { first };
            let (fresh, i) = (all[list], at[list]);
            let number = self.store.states.len() as u64;
            self.store.states.push(&fresh.states[i * words..(i + 1) * words]);
            self.store.parents.push(&[parents.start + (heads[list] >> 32) as u32]);
            if self.store.kind == Slots::Numbers {
                let slot = &mut self.store.slots[fresh.places[i]];
                *slot = (*slot >> 32 << 32) | (number + 1);
            }
            at[list] += 1;
            heads[list] = head(&at, list);
        }
        let n_new = n_new as u64;
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
        let Self { expansion, batch, unknown, n_steps, fired, fired_late, .. } = self;
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
            let unknown = &mut unknown[usize::from(store.home(batch.hashes[step]) >= half)];
            unknown.push(
                (u64::from(parent) << 32) | step as u64,
                batch.hashes[step],
                steps.state(step, words).discrete,
            );
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

    fn n_unknown(&self) -> usize {
        self.chunks.iter().flat_map(|(_, chunk)| &chunk.unknown).map(Range::len).sum()
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

    /// What the first so many parents lead to and belongs into a half, in order.
    fn unknown(&self, half: usize, n_parents: u32) -> impl Iterator<Item = (&'h Unknown, Range<usize>)> {
        self.chunks.iter().map(move |(hand, chunk)| {
            let (unknown, Range { start, end }) = (&hand.unknown[half], chunk.unknown[half].clone());
            let n_kept = unknown.tags[start..end].partition_point(|tag| (tag >> 32) < u64::from(n_parents));
            (unknown, start..start + n_kept)
        })
    }
}

impl Unknown {
    #[inline(always)]
    fn push(&mut self, tag: u64, hash: u64, state: &[u64]) {
        self.tags.push(tag);
        self.hashes.push(hash);
        self.states.extend_from_slice(state);
    }

    fn clear(&mut self) {
        self.tags.clear();
        self.hashes.clear();
        self.states.clear();
    }
}

impl Crew {
    /// Rounds are as large as what is kept of one has room.
    fn adapt(&mut self, most: u32) {
        let words = |unknown: &Unknown| unknown.states.len() + 2 * unknown.tags.len();
        let n_words: usize = self.hands.iter().flat_map(|hand| &hand.unknown).map(words).sum();
        if n_words > 2 * MOST_WORDS {
            self.n_parents = (self.n_parents / 2).max(STATES_PER_CHUNK).min(most);
        } else if n_words * 4 < 2 * MOST_WORDS {
            self.n_parents = self.n_parents.saturating_mul(2).min(most);
        }
    }
}

/// The number that a new state has until it gets its own.
fn provisional(n_nodes: usize, list: usize, i: usize) -> Result<Node, Halt> {
    if i < MOST_FRESH { Ok(Node((n_nodes + list * MOST_FRESH + i) as u32)) } else { Err(Halt::Eventful) }
}

/// What new states are tested for.
struct Targets<'t, S> {
    system: &'t S,
    open: &'t mut Vec<usize>,
    scratch: &'t mut Steps,
    control: &'t Control,
    n_tests: usize,
}

impl<S: Successors> Targets<'_, S> {
    fn test(&mut self, state: &[u64]) -> Result<(), Halt> {
        self.n_tests += 1 + self.open.len();
        if self.n_tests >= TESTS_PER_LOOK {
            self.control.look()?;
            self.n_tests = 0;
        }
        if self.open.is_empty() {
            return Ok(());
        }
        let mut hit = Vec::new();
        self.system.hits(State::plain(state), self.open, &mut hit, self.scratch)?;
        if hit.is_empty() { Ok(()) } else { Err(Halt::Eventful) }
    }
}

/// One half of the table, while it is filled.
struct Half<'t> {
    slots: &'t mut [u64],
    /// The place of the first slot, of all of so many.
    start: usize,
    n_slots: usize,
    kind: Slots,
    states: &'t Rows<u64>,
    fresh: &'t mut Fresh,
    number: usize,
}

/// What becomes of an unknown state.
enum Place {
    New(usize),
    Known,
    /// No room is left before the end.
    Late,
}

impl Half<'_> {
    /// Enters what is still not known, and tests the targets on it.
    fn enter<S: Successors>(
        &mut self,
        unknown: &Unknown,
        range: Range<usize>,
        late: &mut Unknown,
        targets: &mut Targets<'_, S>,
    ) -> Result<(), Halt> {
        let words = self.states.width();
        for start in range.clone().step_by(ENTERED_AT_ONCE) {
            let end = range.end.min(start + ENTERED_AT_ONCE);
            // The slots are loaded at once, so that the waits for memory overlap.
            for &hash in &unknown.hashes[start..end] {
                black_box(self.slots[self.home(hash)]);
            }
            for i in start..end {
                let (tag, hash, state) =
                    (unknown.tags[i], unknown.hashes[i], &unknown.states[i * words..(i + 1) * words]);
                match self.place(hash, state) {
                    Place::Known => {}
                    Place::Late => late.push(tag, hash, state),
                    Place::New(place) => {
                        let node = provisional(self.states.len(), self.number, self.fresh.tags.len())?;
                        self.slots[place] = self.kind.slot(hash, state, node);
                        self.fresh.push(tag, state, self.start + place);
                        targets.test(state)?;
                    }
                }
            }
        }
        Ok(())
    }

    #[inline(always)]
    fn home(&self, hash: u64) -> usize {
        (hash as usize & (self.n_slots - 1)) - self.start
    }

    #[inline(always)]
    fn place(&self, hash: u64, state: &[u64]) -> Place {
        for (i, &slot) in self.slots[self.home(hash)..].iter().enumerate() {
            if slot == self.kind.empty() {
                return Place::New(self.home(hash) + i);
            }
            let is_known = match self.kind {
                Slots::States => slot == state[0],
                Slots::Numbers => matches(slot, hash) && same(self.row(node_of(slot)), state),
            };
            if is_known {
                return Place::Known;
            }
        }
        Place::Late
    }

    fn row(&self, node: Node) -> &[u64] {
        let (number, words) = (node.0 as usize, self.states.width());
        match number.checked_sub(self.states.len()) {
            None => self.states.row(number),
            Some(new) => {
                let i = new - self.number * MOST_FRESH;
                &self.fresh.states[i * words..(i + 1) * words]
            }
        }
    }
}

impl Fresh {
    fn clear(&mut self) {
        self.tags.clear();
        self.states.clear();
        self.places.clear();
    }

    #[inline(always)]
    fn push(&mut self, tag: u64, state: &[u64], place: usize) {
        self.tags.push(tag);
        self.states.extend_from_slice(state);
        self.places.push(place);
    }

    fn undo(&self, slots: &mut [u64], kind: Slots) {
        self.places.iter().rev().for_each(|&place| slots[place] = kind.empty());
    }
}
