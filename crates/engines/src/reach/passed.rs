//! The passed list: every state that was met, stored once, found again by hash.
//!
//! States lie in chunks that are never moved; parents lie beside them. The table holds 32 bits of a state's hash and
//! its number, so that a look-up touches the state itself only when it is almost surely the one. States of one word in
//! the one-point lattice stand in the table themselves, which saves that touch too.

use std::sync::Arc;

use lapidary_base::{Control, Stop, id};
use lapidary_system::Lattice;
use lapidary_verdict::{Enumeration, Layout};

id! {
    /// A stored state, numbered in the order of discovery.
    pub struct Node(u32);
}

/// The parent of an initial state.
pub const NO_PARENT: Node = Node(u32::MAX);

const CHUNK_BITS: u32 = 14;
const CHUNK: usize = 1 << CHUNK_BITS;

pub struct Passed<L: Lattice> {
    words: usize,
    n_nodes: usize,
    chunks: Vec<Vec<u64>>,
    parents: Vec<Vec<u32>>,
    elements: Vec<L::Element>,
    slots: Vec<u64>,
    kind: Slots,
}

/// What the slots of the table hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Slots {
    /// The states themselves; empty slots are all ones.
    States,
    /// A hash's upper half and, below it, a node's number plus one; empty slots are zero.
    Numbers,
}

impl Slots {
    fn empty(self) -> u64 {
        match self {
            Self::States => u64::MAX,
            Self::Numbers => 0,
        }
    }
}

/// What became of a state that was to be stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stored {
    New(Node),
    /// A stored state is at least as large.
    Covered,
}

impl<L: Lattice> Passed<L> {
    pub fn new(words: usize, all_ones_is_free: bool) -> Self {
        let kind = if L::ONE_POINT && words == 1 && all_ones_is_free { Slots::States } else { Slots::Numbers };
        Self {
            words,
            n_nodes: 0,
            chunks: Vec::new(),
            parents: Vec::new(),
            elements: Vec::new(),
            slots: vec![kind.empty(); 1 << 10],
            kind,
        }
    }

    pub fn len(&self) -> usize {
        self.n_nodes
    }

    pub fn state(&self, node: Node) -> &[u64] {
        let start = (node.0 as usize & (CHUNK - 1)) * self.words;
        &self.chunks[(node.0 >> CHUNK_BITS) as usize][start..start + self.words]
    }

    pub fn element(&self, node: Node) -> &L::Element {
        &self.elements[node.0 as usize]
    }

    pub fn parent(&self, node: Node) -> Option<Node> {
        let parent = Node(self.parents[(node.0 >> CHUNK_BITS) as usize][node.0 as usize & (CHUNK - 1)]);
        (parent != NO_PARENT).then_some(parent)
    }

    /// The slot at which the search for a hash begins.
    #[inline(always)]
    fn home(&self, hash: u64) -> usize {
        hash as usize & (self.slots.len() - 1)
    }

    /// Marks in `covered` the states of a batch that are surely covered already.
    /// Each pass makes its loads for the whole batch at once, so that their cache misses overlap.
    pub fn glance(&self, lattice: &L, batch: &mut Batch, states: &[u64], elements: &[L::Element]) {
        batch.hashes.clear();
        batch.hashes.extend(states.chunks_exact(self.words).map(hash));
        batch.slots.clear();
        batch.slots.extend(batch.hashes.iter().map(|&hash| self.slots[self.home(hash)]));
        batch.covered.clear();
        match self.kind {
            Slots::States => {
                let candidates = batch.slots.iter().zip(&batch.hashes).zip(states);
                batch.covered.extend(candidates.map(|((&first, &hash), &state)| {
                    self.probe(first, self.home(hash), |slot| slot == state).0 == state
                }));
            }
            Slots::Numbers => {
                for (slot, &hash) in batch.slots.iter_mut().zip(&batch.hashes) {
                    *slot = self.probe(*slot, self.home(hash), |slot| matches(slot, hash)).0;
                }
                let candidates = batch.slots.iter().zip(states.chunks_exact(self.words)).zip(elements);
                batch.covered.extend(candidates.map(|((&slot, state), element)| {
                    slot != Slots::Numbers.empty() && self.covers(lattice, slot, state, element)
                }));
            }
        }
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

    /// Whether the node in a slot is the same discrete state with an element at least as large.
    #[inline(always)]
    fn covers(&self, lattice: &L, slot: u64, state: &[u64], element: &L::Element) -> bool {
        let node = node_of(slot);
        same(self.state(node), state) && lattice.leq(element, self.element(node))
    }

    /// Stores a state unless it is covered.
    pub fn insert(
        &mut self,
        lattice: &L,
        hash: u64,
        state: &[u64],
        element: &L::Element,
        parent: Node,
        control: &Control,
    ) -> Result<Stored, Stop> {
        let home = self.home(hash);
        let (slot, at) = match self.kind {
            Slots::States => self.probe(self.slots[home], home, |slot| slot == state[0]),
            Slots::Numbers => self.probe(self.slots[home], home, |slot| {
                matches(slot, hash) && self.covers(lattice, slot, state, element)
            }),
        };
        if slot != self.kind.empty() {
            return Ok(Stored::Covered);
        }
        let node = self.push(state, element, parent)?;
        self.slots[at] = self.slot(hash, state, node);
        if self.n_nodes * 4 > self.slots.len() * 3 {
            self.grow(control)?;
        }
        Ok(Stored::New(node))
    }

    #[inline(always)]
    fn slot(&self, hash: u64, state: &[u64], node: Node) -> u64 {
        match self.kind {
            Slots::States => state[0],
            Slots::Numbers => (hash >> 32 << 32) | (u64::from(node.0) + 1),
        }
    }

    fn push(&mut self, state: &[u64], element: &L::Element, parent: Node) -> Result<Node, Stop> {
        // One number is the mark of initial states, and slots hold numbers plus one.
        if self.n_nodes >= u32::MAX as usize - 1 {
            return Err(Stop::Incomplete("more than 4 billion states".to_owned()));
        }
        if self.n_nodes.is_multiple_of(CHUNK) {
            self.chunks.push(Vec::with_capacity(CHUNK * self.words));
            self.parents.push(Vec::with_capacity(CHUNK));
        }
        self.chunks.last_mut().expect("a chunk was begun").extend_from_slice(state);
        self.parents.last_mut().expect("a chunk was begun").push(parent.0);
        self.elements.push(element.clone());
        self.n_nodes += 1;
        Ok(Node(self.n_nodes as u32 - 1))
    }

    /// Doubles the table. It is rebuilt from the states, so the old one is given back first.
    fn grow(&mut self, control: &Control) -> Result<(), Stop> {
        let doubled = self.slots.len() * 2;
        control.reserve((doubled * size_of::<u64>()) as u64)?;
        self.slots = Vec::new();
        let empty = self.kind.empty();
        let mut slots = vec![empty; doubled];
        for (i, state) in self.chunks.iter().flat_map(|chunk| chunk.chunks_exact(self.words)).enumerate() {
            let hash = hash(state);
            let mut at = hash as usize & (doubled - 1);
            while slots[at] != empty {
                at = (at + 1) & (doubled - 1);
            }
            slots[at] = self.slot(hash, state, Node(i as u32));
            if i % (1 << 20) == 0 {
                control.check()?;
            }
        }
        self.slots = slots;
        Ok(())
    }

    /// The stored states as a certificate; everything else is given back.
    pub fn into_enumeration(self, layout: Layout) -> Arc<Enumeration> {
        Arc::new(Enumeration { layout, chunks: self.chunks, n_states: self.n_nodes })
    }
}

/// Working memory of [`Passed::glance`].
#[derive(Default)]
pub struct Batch {
    pub hashes: Vec<u64>,
    slots: Vec<u64>,
    pub covered: Vec<bool>,
}

#[inline(always)]
fn matches(slot: u64, hash: u64) -> bool {
    slot >> 32 == hash >> 32 && slot as u32 != 0
}

#[inline(always)]
fn node_of(slot: u64) -> Node {
    Node(slot as u32 - 1)
}

/// Equality of words; most states are one word, for which a call to compare memory would cost more than it does.
#[inline(always)]
fn same(a: &[u64], b: &[u64]) -> bool {
    if let ([a], [b]) = (a, b) { a == b } else { a == b }
}

/// Folded multiplication: the halves of a product, added without carry, depend on all bits of both factors.
#[inline(always)]
pub fn hash(state: &[u64]) -> u64 {
    let mut hash = 0x9e37_79b9_7f4a_7c15;
    for &word in state {
        hash = fold(hash ^ word, 0xd6e8_feb8_6659_fd93);
    }
    fold(hash, 0xe703_7ed1_a0b4_28db)
}

#[inline(always)]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    (product as u64) ^ ((product >> 64) as u64)
}

#[cfg(test)]
mod tests {
    use lapidary_system::Point;

    use super::*;

    fn find_again<const WORDS: usize>(mut passed: Passed<Point>, state: impl Fn(u64) -> [u64; WORDS]) {
        let control = Control::new();
        for i in 0..50_000 {
            let stored = passed.insert(&Point, hash(&state(i)), &state(i), &(), NO_PARENT, &control);
            assert_eq!(stored, Ok(Stored::New(Node(i as u32))));
        }
        for i in 0..50_000 {
            let again = passed.insert(&Point, hash(&state(i)), &state(i), &(), NO_PARENT, &control);
            assert_eq!(again, Ok(Stored::Covered));
            assert_eq!(passed.state(Node(i as u32)), state(i));
        }
        let mut batch = Batch::default();
        let known_and_new = [state(7), state(60_000)].concat();
        passed.glance(&Point, &mut batch, &known_and_new, &[(), ()]);
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
    }

    #[test]
    fn neighbouring_states_spread_over_the_table() {
        let homes: std::collections::BTreeSet<u64> = (0..1024u64).map(|i| hash(&[i << 20]) & 1023).collect();
        assert!(homes.len() > 560, "1024 random draws hit about 647 of 1024 places, not {}", homes.len());
    }
}
