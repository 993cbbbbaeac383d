//! The store of plain states, of the one-point lattice: every state that was met, stored once, found again by hash.
//!
//! States lie in chunks that are never moved; parents lie beside them. The table holds 32 bits of a state's hash and
//! its number, so that a look-up touches the state itself only when it is almost surely the one. States of one word
//! may stand in the table themselves, which saves that touch too. Any step from a parent to its child explains the child,
//! so no actions are kept.

use std::hint::black_box;
use std::ops::Range;
use std::sync::Arc;

use lapidary_base::{Control, Stop};
use lapidary_ir::CommandId;
use lapidary_system::{State, Steps};
use lapidary_verdict::{Enumeration, Layout};

use super::rows::Rows;
use super::store::{self, Batch, Edge, NO_PARENT, Node, Offered, Store, hash, same};

pub struct Passed {
    words: usize,
    pub(super) states: Rows<u64>,
    pub(super) parents: Rows<u32>,
    pub(super) slots: Vec<u64>,
    pub(super) kind: Slots,
}

/// What the slots of the table hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Slots {
    /// The states themselves; empty slots are all ones.
    States,
    /// A hash's upper half and, below it, a node's number plus one; empty slots are zero.
    Numbers,
}

impl Slots {
    pub fn empty(self) -> u64 {
        match self {
            Self::States => u64::MAX,
            Self::Numbers => 0,
        }
    }

    #[inline(always)]
    pub fn slot(self, hash: u64, state: &[u64], node: Node) -> u64 {
        match self {
            Self::States => state[0],
            Self::Numbers => (hash >> 32 << 32) | (u64::from(node.0) + 1),
        }
    }
}

/// A stretch of a new table.
pub(super) struct Part<'s> {
    pub slots: &'s mut [u64],
    /// The place of the first one.
    pub start: usize,
    /// The last place of the whole table.
    pub last: usize,
}

/// So many states are entered together into a new table.
const FILLED_AT_ONCE: usize = 1 << 6;

impl Part<'_> {
    /// Enters the states whose search begins here; those that find no room before the end are left.
    pub fn fill(mut self, passed: &Passed, control: &Control) -> Result<Vec<usize>, Stop> {
        let (mut late, mut here, n_states) = (Vec::new(), [(0, 0); FILLED_AT_ONCE], passed.states.len());
        for start in (0..n_states).step_by(FILLED_AT_ONCE) {
            if start % (1 << 20) == 0 {
                control.check()?;
            }
            // Which ones begin here is as good as random, so nothing is decided by it.
            let mut n_here = 0;
            for number in start..n_states.min(start + FILLED_AT_ONCE) {
                let hash = hash(passed.states.row(number));
                here[n_here] = (number, hash);
                n_here += usize::from(self.home(hash) < self.slots.len());
            }
            // The slots are loaded at once, so that the waits for memory overlap.
            for &(_, hash) in &here[..n_here] {
                black_box(self.slots[self.home(hash)]);
            }
            late.extend(
                here[..n_here].iter().filter(|&&(number, hash)| !self.enter(passed, number, hash)).map(|it| it.0),
            );
        }
        Ok(late)
    }

    #[inline(always)]
    fn home(&self, hash: u64) -> usize {
        (hash as usize & self.last).wrapping_sub(self.start)
    }

    /// Whether there was room.
    #[inline(always)]
    fn enter(&mut self, passed: &Passed, number: usize, hash: u64) -> bool {
        let home = self.home(hash);
        let free = self.slots[home..].iter_mut().find(|slot| **slot == passed.kind.empty());
        let has_room = free.is_some();
        if let Some(slot) = free {
            *slot = passed.kind.slot(hash, passed.states.row(number), Node(number as u32));
        }
        has_room
    }
}

impl Passed {
    /// Where who asks need not know which state covers another.
    pub fn new(words: usize, all_ones_is_free: bool) -> Self {
        Self::of(words, if words == 1 && all_ones_is_free { Slots::States } else { Slots::Numbers })
    }

    /// Every state that is covered comes with the number of the stored one.
    pub fn numbered(words: usize) -> Self {
        Self::of(words, Slots::Numbers)
    }

    fn of(words: usize, kind: Slots) -> Self {
        let slots = vec![kind.empty(); 1 << 10];
        Self { words, states: Rows::new(words), parents: Rows::new(1), slots, kind }
    }

    /// The slot at which the search for a hash begins.
    #[inline(always)]
    pub(super) fn home(&self, hash: u64) -> usize {
        hash as usize & (self.slots.len() - 1)
    }

    /// The first slot that is empty or wanted, from place `at` on where `first` was found, and its place.
    #[inline(always)]
    fn probe(&self, first: u64, at: usize, wanted: impl Fn(u64) -> bool) -> (u64, usize) {
        let (mut slot, mut at, empty) = (first, at, self.kind.empty());
        while slot != empty && !wanted(slot) {
            at = (at + 1) & (self.slots.len() - 1);
            slot = self.slots[at];
        }
        (slot, at)
    }

    /// Whether the node in a slot is this state.
    #[inline(always)]
    fn is(&self, slot: u64, state: &[u64]) -> bool {
        same(self.states.row(node_of(slot).0 as usize), state)
    }

    /// Whether the table has to grow.
    #[inline(always)]
    pub(super) fn is_full(&self) -> bool {
        self.states.len() * 4 > self.slots.len() * 3
    }

    /// Doubles the table. It is rebuilt from the states, so the old one is given back first.
    pub(super) fn grow(&mut self, control: &Control) -> Result<(), Stop> {
        let mut slots = self.doubled(control)?;
        let last = slots.len() - 1;
        let late = Part { slots: &mut slots, start: 0, last }.fill(self, control)?;
        self.enter_late(late, &mut slots);
        self.slots = slots;
        Ok(())
    }

    /// An empty table of twice the size, instead of this one.
    pub(super) fn doubled(&mut self, control: &Control) -> Result<Vec<u64>, Stop> {
        let doubled = self.slots.len() * 2;
        control.reserve((doubled * size_of::<u64>()) as u64)?;
        self.slots = Vec::new();
        Ok(vec![self.kind.empty(); doubled])
    }

    /// Enters the states for which there was no room before the end of their part.
    pub(super) fn enter_late(&self, late: Vec<usize>, slots: &mut [u64]) {
        for number in late {
            let state = self.states.row(number);
            let hash = hash(state);
            let mut at = hash as usize & (slots.len() - 1);
            while slots[at] != self.kind.empty() {
                at = (at + 1) & (slots.len() - 1);
            }
            slots[at] = self.kind.slot(hash, state, Node(number as u32));
        }
    }

    /// The stored states as a certificate; everything else is given back.
    pub fn into_enumeration(self, layout: Layout) -> Arc<Enumeration> {
        let n_states = self.states.len();
        Arc::new(Enumeration { layout, chunks: self.states.into_chunks(), n_states })
    }
}

impl Store for Passed {
    const IS_FIXED: bool = true;

    fn is_exact(&self) -> bool {
        true
    }

    fn len(&self) -> usize {
        self.states.len()
    }

    fn state(&self, node: Node) -> State<'_> {
        State::plain(self.states.row(node.0 as usize))
    }

    fn parent(&self, node: Node) -> Option<Node> {
        let parent = Node(self.parents.row(node.0 as usize)[0]);
        (parent != NO_PARENT).then_some(parent)
    }

    fn action(&self, _: Node) -> Option<CommandId> {
        None
    }

    fn is_stored(&self, _: Node) -> bool {
        true
    }

    fn take(&mut self, _: Node) {}

    /// Each pass makes its loads for the whole batch at once, so that their cache misses overlap.
    fn glance(&self, batch: &mut Batch, steps: &Steps, range: Range<usize>) {
        let Batch { hashes, slots, covered } = batch;
        let states = &steps.states[range.start * self.words..range.end * self.words];
        hashes.clear();
        slots.clear();
        covered.clear();
        if self.words == 0 {
            hashes.resize(range.len(), hash(&[]));
            covered.resize(range.len(), false);
            return;
        }
        hashes.extend(states.chunks_exact(self.words).map(hash));
        slots.extend(hashes.iter().map(|&hash| self.slots[self.home(hash)]));
        match self.kind {
            Slots::States => {
                let candidates = slots.iter().zip(&*hashes).zip(states);
                covered.extend(candidates.map(|((&first, &hash), &state)| {
                    self.probe(first, self.home(hash), |slot| slot == state).0 == state
                }));
            }
            Slots::Numbers => {
                for (slot, &hash) in slots.iter_mut().zip(&*hashes) {
                    *slot = self.probe(*slot, self.home(hash), |slot| matches(slot, hash)).0;
                }
                let candidates = slots.iter().zip(states.chunks_exact(self.words));
                covered.extend(candidates.map(|(&slot, state)| slot != Slots::Numbers.empty() && self.is(slot, state)));
            }
        }
    }

    #[inline(always)]
    fn hash(&self, state: State<'_>) -> u64 {
        hash(state.discrete)
    }

    #[inline(always)]
    fn offer(
        &mut self,
        hash: u64,
        state: State<'_>,
        edge: Edge,
        _: &mut Vec<Node>,
        control: &Control,
    ) -> Result<Offered, Stop> {
        let (home, state) = (self.home(hash), state.discrete);
        let (slot, at) = match self.kind {
            Slots::States => self.probe(self.slots[home], home, |slot| slot == state[0]),
            Slots::Numbers => self.probe(self.slots[home], home, |slot| matches(slot, hash) && self.is(slot, state)),
        };
        if slot != self.kind.empty() {
            return Ok(Offered::Covered((self.kind == Slots::Numbers).then(|| node_of(slot))));
        }
        let node = store::next_node(self.states.len())?;
        self.states.push(state);
        self.parents.push(&[edge.from.0]);
        self.slots[at] = self.kind.slot(hash, state, node);
        if self.is_full() {
            self.grow(control)?;
        }
        Ok(Offered::New(node))
    }
}

#[inline(always)]
pub(super) fn matches(slot: u64, hash: u64) -> bool {
    slot >> 32 == hash >> 32 && slot as u32 != 0
}

#[inline(always)]
pub(super) fn node_of(slot: u64) -> Node {
    Node(slot as u32 - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find_again<const WORDS: usize>(mut passed: Passed, state: impl Fn(u64) -> [u64; WORDS]) {
        let (control, evicted) = (Control::new(), &mut Vec::new());
        let mut offer = |passed: &mut Passed, i: u64| {
            passed.offer(hash(&state(i)), State::plain(&state(i)), Edge::START, evicted, &control)
        };
        for i in 0..50_000 {
            assert_eq!(offer(&mut passed, i), Ok(Offered::New(Node(i as u32))));
        }
        for i in 0..50_000 {
            let by = (passed.kind == Slots::Numbers).then_some(Node(i as u32));
            assert_eq!(offer(&mut passed, i), Ok(Offered::Covered(by)));
            assert_eq!(passed.state(Node(i as u32)).discrete, state(i));
        }
        let mut batch = Batch::default();
        let known_and_new = Steps { states: [state(7), state(60_000)].concat(), ..Steps::new() };
        passed.glance(&mut batch, &known_and_new, 0..2);
        assert_eq!(batch.covered, [true, false]);
    }

    #[test]
    fn states_are_found_again_after_growth() {
        find_again(Passed::new(2, true), |i| [i * 7, i % 13]);
    }

    #[test]
    fn single_words_are_found_again_with_and_without_a_free_word() {
        find_again(Passed::new(1, true), |i| [i * 3]);
        find_again(Passed::new(1, false), |i| [i.wrapping_sub(1)]);
        find_again(Passed::numbered(1), |i| [i * 3]);
    }

    #[test]
    fn where_states_have_no_words_there_is_one() {
        let (mut passed, control, evicted) = (Passed::new(0, true), Control::new(), &mut Vec::new());
        let mut offer = || passed.offer(hash(&[]), State::plain(&[]), Edge::START, evicted, &control);
        assert_eq!((offer(), offer()), (Ok(Offered::New(Node(0))), Ok(Offered::Covered(Some(Node(0))))));
    }
}
