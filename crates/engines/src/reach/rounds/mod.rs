//! Breadth-first search with two threads, round by round.
//!
//! A round is a stretch of the states of one level. Both threads expand it, and look up what it leads to; what is not
//! known yet is sorted by the half of the table that it belongs to. Then each thread enters into its own half what belongs there,
//! in the order of parents and steps; and what is new gets the numbers that one thread would have given.
//!
//! What one thread does is what is meant: where anything else happens in a round than that states are new or known, be it a
//! target, an error or a limit, the round is taken back, and one thread goes through it. What it tells then depends on
//! which states it looks up together, so a round ends where one of its batches would.
mod desk;
mod hand;

use std::ops::Range;
use std::sync::atomic::AtomicU32;

use lapidary_base::Stop;
use lapidary_system::{Steps, Successors};
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::expand::Expansion;
use super::passed::{Part, Passed, Slots, matches, node_of};
use super::search::Search;
use super::store::{Batch, Node, Store, same};
use super::waiting::Waiting;
use desk::{Desk, Fresh, Half, MOST_FRESH, Targets, provisional};
use hand::{Chunks, Hand, Recent, STATES_PER_CHUNK, Shared, Unknown};

/// How large rounds are.
#[derive(Clone, Copy, Debug)]
pub struct Rounds {
    /// Expanded in one round at most: enough that waking the other thread takes no time beside them, few enough that what is new
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
/// What one thread keeps of a round until it has numbers: so many words. Rounds are made smaller until they fit.
const MOST_WORDS: usize = 1 << 18;

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
    /// The table had to grow, and what belongs into which half has changed.
    Begun,
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

/// A thread that waits for work beside this one, if one can be had.
struct Mate(Option<ThreadPool>);

impl Mate {
    fn new() -> Self {
        Self(ThreadPoolBuilder::new().num_threads(1).build().ok())
    }

    /// Runs something for each of two, one of them there.
    fn both<T: Send>(&self, pair: &mut [T; 2], run: impl Fn(usize, &mut T) + Sync) {
        let (run, [one, other]) = (&run, pair);
        match &self.0 {
            Some(pool) => pool.in_place_scope(|scope| {
                scope.spawn(move |_| run(1, other));
                run(0, one);
            }),
            None => {
                run(0, one);
                run(1, other);
            }
        }
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
        let mut mate = None;
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
                true => match self.round(round, level.end, depth, &mut crew, mate.get_or_insert_with(Mate::new))? {
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
            recent: Recent::default(),
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

    fn round(
        &mut self,
        parents: Range<u32>,
        level_end: u32,
        depth: u64,
        crew: &mut Crew,
        mate: &Mate,
    ) -> Result<Round, Stop> {
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
        mate.both(hands, |_, hand| hand.outcome = hand.expand(&shared));
        if hands.iter().any(|hand| hand.outcome.is_err()) {
            return Ok(Round::TakenBack);
        }
        let chunks = Chunks::new(hands, &parents);
        let (n_kept, n_steps) = chunks.whole_batches(self.batch_limits(), parents.end == level_end);
        if n_kept == 0 {
            return Ok(Round::TakenBack);
        }
        if (self.store.len() + chunks.n_unknown()) * 8 > self.store.slots.len() * 7 {
            self.grow_shared(mate)?;
            return Ok(Round::Begun);
        }
        if !self.enter(n_kept, &chunks, &mut crew.desks, &mut crew.late, mate) {
            return Ok(Round::TakenBack);
        }
        let parents = parents.start..parents.start + n_kept;
        self.counts.transitions += n_steps;
        self.keep(&parents, depth, crew);
        if self.store.is_full() {
            self.grow_shared(mate)?;
        }
        self.report_progress(parents.len() as u64)?;
        Ok(Round::Kept)
    }

    /// Each thread fills a half of the new table.
    fn grow_shared(&mut self, mate: &Mate) -> Result<(), Stop> {
        let mut slots = self.store.doubled(self.control)?;
        let (half, last) = (slots.len() / 2, slots.len() - 1);
        let (first, second) = slots.split_at_mut(half);
        let mut pair = [
            (Some(Part { slots: first, start: 0, last }), Ok(Vec::new())),
            (Some(Part { slots: second, start: half, last }), Ok(Vec::new())),
        ];
        let (store, control) = (&self.store, self.control);
        mate.both(&mut pair, |_, (part, late)| {
            *late = part.take().map_or(Ok(Vec::new()), |part| part.fill(store, control))
        });
        let [one, other] = pair.map(|(_, late)| late);
        for late in [one?, other?] {
            self.store.enter_late(late, &mut slots);
        }
        self.store.slots = slots;
        Ok(())
    }

    /// Whether all went well; if not, it is undone.
    fn enter(
        &mut self,
        n_parents: u32,
        chunks: &Chunks<'_>,
        desks: &mut [Desk; 2],
        late: &mut Fresh,
        mate: &Mate,
    ) -> bool {
        let Passed { states, slots, kind, .. } = &mut self.store;
        let (kind, states, n_slots) = (*kind, &*states, slots.len());
        let (first, second) = slots.split_at_mut(n_slots / 2);
        let [one, other] = &mut *desks;
        let mut pair = [(one, first), (other, second)];
        let (system, open, control) = (self.system, &self.open, self.control);
        mate.both(&mut pair, |number, (desk, slots)| {
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
            // Nothing is looked up before all of them are gone, so the table is what it was.
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
