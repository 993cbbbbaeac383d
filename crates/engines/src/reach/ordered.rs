//! The store of states with an ordered part: the update functions of the paper on opaal (Algorithms 2, 3 and 4).
//!
//! Nodes with the same discrete part stand in a chain, in the order in which they came or grew last; of several that would
//! do, the first one covers, and the first one is joined. What is evicted leaves its chain and keeps its number, its element
//! and its edge, which explain those that were met from it.

use std::ops::Range;

use lapidary_base::{Control, Stop};
use lapidary_ir::CommandId;
use lapidary_system::{Grew, Join, Lattice, State, Steps};
use lapidary_verdict::{Covered, Enumeration, Layout};

use super::rows::Rows;
use super::store::{self, Batch, Edge, NO_PARENT, Node, Offered, Store, hash, hash_on, same};

/// What is done with a state that is offered.
#[derive(Clone, Copy)]
pub enum Update<'a> {
    /// Algorithm 2: it is stored unless it is there.
    Simple,
    /// Algorithm 3: it is stored unless one that is at least as large is there, and evicts those that it covers.
    Cover(Evict),
    /// Algorithm 4: the same, but it is joined with the first stored one that the strategy lets it be joined with.
    Join(&'a dyn Join, &'a dyn Strategy, Evict),
}

/// Which stored elements go when one comes that covers them. Where those that wait may go, a run that is found breadth-first
/// need not be a shortest one: what covers a state may be farther away.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Evict {
    Nobody,
    /// Those that were not expanded yet, as in Algorithm 3.
    Waiting,
    /// The rest lies below what is kept, so it is needed for nothing.
    #[default]
    Everybody,
}

/// Definition 6: which elements may be joined at a discrete part.
pub trait Strategy {
    fn may_join(&self, discrete: &[u64], stored: &[u64], offered: &[u64]) -> bool;
}

impl<F: Fn(&[u64], &[u64], &[u64]) -> bool> Strategy for F {
    fn may_join(&self, discrete: &[u64], stored: &[u64], offered: &[u64]) -> bool {
        self(discrete, stored, offered)
    }
}

/// Of no node, and of no part.
const NONE: u32 = u32::MAX;

/// So many elements are compared between two looks at the limits.
const COMPARED_PER_LOOK: usize = 1 << 12;
/// Of a certificate, unless a state is larger.
const WORDS_PER_CHUNK: usize = 1 << 16;
/// So many parts are entered into a new table between two looks.
const ENTERED_PER_LOOK: usize = 1 << 16;

pub struct Ordered<'a, L> {
    lattice: &'a L,
    update: Update<'a>,
    parts: Parts,
    elements: Rows<u64>,
    nodes: Rows<Links>,
    n_compared: usize,
    /// Stored now.
    n_stored: usize,
}

/// What is known of a node beside its element.
#[derive(Clone, Copy)]
struct Links {
    part: u32,
    from: u32,
    action: CommandId,
    previous: u32,
    next: u32,
    life: Life,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Life {
    Waiting,
    Expanded,
    Evicted,
}

/// The discrete parts, found again by hash. With the simple update every node has a part of its own, which is looked up with
/// its element.
struct Parts {
    discrete: Rows<u64>,
    /// The first and the last node of each chain.
    chains: Rows<(u32, u32)>,
    /// Upper halves of hashes and, below them, numbers of parts plus one; empty slots are zero.
    slots: Vec<u64>,
}

impl<'a, L: Lattice> Ordered<'a, L> {
    pub fn new(lattice: &'a L, words: usize, update: Update<'a>) -> Self {
        Self {
            lattice,
            update,
            parts: Parts { discrete: Rows::new(words), chains: Rows::new(1), slots: vec![0; 1 << 10] },
            elements: Rows::new(lattice.words()),
            nodes: Rows::new(1),
            n_compared: 0,
            n_stored: 0,
        }
    }

    /// Nodes that are stored and were not evicted, in the order of their numbers.
    pub fn stored(&self) -> impl Iterator<Item = Node> {
        (0..self.nodes.len()).map(|number| Node(number as u32)).filter(|&node| self.is_stored(node))
    }

    pub fn n_stored(&self) -> usize {
        self.n_stored
    }

    /// What is stored as a certificate: each stands for those below.
    pub fn into_covered(self, layout: Layout) -> Covered {
        let (words, element_words) = (self.parts.discrete.width(), self.elements.width());
        let mut chunks: Vec<Vec<u64>> = Vec::new();
        for node in self.stored() {
            let State { discrete, element } = self.state(node);
            if chunks.last().is_none_or(|chunk| chunk.len() + words + element_words > WORDS_PER_CHUNK) {
                chunks.push(Vec::new());
            }
            let chunk = chunks.last_mut().expect("a chunk was begun");
            chunk.extend_from_slice(discrete);
            chunk.extend_from_slice(element);
        }
        let listed = Enumeration { layout: Layout { words, ..layout }, chunks, n_states: self.n_stored };
        Covered { listed, element_words }
    }

    fn links(&self, node: Node) -> &Links {
        &self.nodes.row(node.0 as usize)[0]
    }

    fn links_mut(&mut self, node: Node) -> &mut Links {
        &mut self.nodes.row_mut(node.0 as usize)[0]
    }

    fn element(&self, node: Node) -> &[u64] {
        self.elements.row(node.0 as usize)
    }

    /// The nodes of a chain in order.
    fn chain(&self, part: u32) -> impl Iterator<Item = Node> {
        let first = self.parts.chains.row(part as usize)[0].0;
        let link = |node: u32| (node != NONE).then_some(Node(node));
        std::iter::successors(link(first), move |&node| link(self.links(node).next))
    }

    /// The slot of the part that a state belongs to, or else an empty one.
    fn find(&self, hash: u64, state: State<'_>) -> (usize, Option<u32>) {
        let mask = self.parts.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let slot = self.parts.slots[at];
            if slot == 0 {
                return (at, None);
            }
            let part = slot as u32 - 1;
            if slot >> 32 == hash >> 32 && self.is_of(state, part) {
                return (at, Some(part));
            }
            at = (at + 1) & mask;
        }
    }

    fn is_of(&self, state: State<'_>, part: u32) -> bool {
        let is_alike = same(self.parts.discrete.row(part as usize), state.discrete);
        match self.update {
            Update::Simple => is_alike && self.element(Node(part)) == state.element,
            Update::Cover(_) | Update::Join(..) => is_alike,
        }
    }

    /// Elements were compared.
    fn compared(&mut self, n: usize, control: &Control) -> Result<(), Stop> {
        self.n_compared += n;
        if self.n_compared >= COMPARED_PER_LOOK {
            control.spend((self.n_compared / COMPARED_PER_LOOK) as u64)?;
            self.n_compared %= COMPARED_PER_LOOK;
        }
        Ok(())
    }

    fn offer_to(
        &mut self,
        part: u32,
        state: State<'_>,
        edge: Edge,
        evicted: &mut Vec<Node>,
        control: &Control,
    ) -> Result<Offered, Stop> {
        let State { discrete, element } = state;
        // Line 1: a stored element is at least as large.
        let (mut n_seen, mut by) = (0, None);
        for node in self.chain(part) {
            n_seen += 1;
            if n_seen % COMPARED_PER_LOOK == 0 {
                control.check()?;
            }
            if self.lattice.leq(discrete, element, self.element(node)) {
                by = Some(node);
                break;
            }
        }
        self.compared(n_seen, control)?;
        let evict = match self.update {
            _ if by.is_some() => return Ok(Offered::Covered(by)),
            Update::Simple => Evict::Nobody,
            Update::Cover(evict) => evict,
            // Algorithm 4, line 3: one is there that it is joined with.
            Update::Join(lattice, strategy, evict) => {
                let (mut n_asked, mut joined) = (0, None);
                for node in self.chain(part) {
                    n_asked += 1;
                    if n_asked % COMPARED_PER_LOOK == 0 {
                        control.check()?;
                    }
                    if strategy.may_join(discrete, self.element(node), element) {
                        joined = Some(node);
                        break;
                    }
                }
                self.compared(n_asked, control)?;
                if let Some(node) = joined {
                    return self.join(node, state, (lattice, evict), evicted, control);
                }
                evict
            }
        };
        self.evict_below(part, discrete, element, None, evict, evicted, control)?;
        let node = self.push(part, element, edge)?;
        Ok(Offered::New(node))
    }

    /// Line 4: the join stands for both, and waits behind all others.
    fn join(
        &mut self,
        node: Node,
        state: State<'_>,
        (lattice, evict): (&dyn Join, Evict),
        evicted: &mut Vec<Node>,
        control: &Control,
    ) -> Result<Offered, Stop> {
        let State { discrete, element } = state;
        let grew = lattice.join(discrete, self.elements.row_mut(node.0 as usize), element);
        debug_assert!(self.lattice.leq(discrete, element, self.element(node)), "a join lies above what was joined");
        if grew == Grew::No {
            return Ok(Offered::Covered(Some(node)));
        }
        let part = self.links(node).part;
        self.unlink(node);
        self.link(node);
        self.links_mut(node).life = Life::Waiting;
        let joined = self.element(node).to_vec();
        self.evict_below(part, discrete, &joined, Some(node), evict, evicted, control)?;
        Ok(Offered::Grew(node))
    }

    /// Evicts the elements below this one, which is that of a stored node or of one that comes.
    #[expect(
        clippy::too_many_arguments,
        reason = "an element in three words, whose it is, who goes and who hears of it"
    )]
    fn evict_below(
        &mut self,
        part: u32,
        discrete: &[u64],
        element: &[u64],
        itself: Option<Node>,
        evict: Evict,
        evicted: &mut Vec<Node>,
        control: &Control,
    ) -> Result<(), Stop> {
        let goes = |life: Life| match evict {
            Evict::Nobody => false,
            Evict::Waiting => life == Life::Waiting,
            Evict::Everybody => true,
        };
        if evict == Evict::Nobody {
            return Ok(());
        }
        let before = evicted.len();
        let mut n_seen = 0;
        for node in self.chain(part) {
            n_seen += 1;
            if n_seen % COMPARED_PER_LOOK == 0 {
                control.check()?;
            }
            let is_another = Some(node) != itself && goes(self.links(node).life);
            if is_another && self.lattice.leq(discrete, self.element(node), element) {
                evicted.push(node);
            }
        }
        for &node in &evicted[before..] {
            self.unlink(node);
            self.links_mut(node).life = Life::Evicted;
            self.n_stored -= 1;
        }
        self.compared(n_seen, control)
    }

    /// A node of its own, at the end of its chain.
    fn push(&mut self, part: u32, element: &[u64], edge: Edge) -> Result<Node, Stop> {
        let node = store::next_node(self.nodes.len())?;
        self.elements.push(element);
        let Edge { from, action } = edge;
        self.nodes.push(&[Links { part, from: from.0, action, previous: NONE, next: NONE, life: Life::Waiting }]);
        self.link(node);
        self.n_stored += 1;
        Ok(node)
    }

    /// Puts a node at the end of its chain.
    fn link(&mut self, node: Node) {
        let part = self.links(node).part as usize;
        let (_, last) = self.parts.chains.row(part)[0];
        let links = self.links_mut(node);
        (links.previous, links.next) = (last, NONE);
        match last {
            NONE => self.parts.chains.row_mut(part)[0] = (node.0, node.0),
            _ => {
                self.links_mut(Node(last)).next = node.0;
                self.parts.chains.row_mut(part)[0].1 = node.0;
            }
        }
    }

    fn unlink(&mut self, node: Node) {
        let Links { part, previous, next, .. } = *self.links(node);
        match previous {
            NONE => self.parts.chains.row_mut(part as usize)[0].0 = next,
            _ => self.links_mut(Node(previous)).next = next,
        }
        match next {
            NONE => self.parts.chains.row_mut(part as usize)[0].1 = previous,
            _ => self.links_mut(Node(next)).previous = previous,
        }
    }

    /// A chain for a discrete part that was not met yet, where its look-up ended.
    fn begin(&mut self, at: usize, hash: u64, state: State<'_>) -> Result<u32, Stop> {
        let part = store::next_node(self.parts.chains.len())?.0;
        self.parts.discrete.push(state.discrete);
        self.parts.chains.push(&[(NONE, NONE)]);
        self.parts.slots[at] = slot(hash, part);
        Ok(part)
    }

    /// Doubles a table that is three quarters full.
    fn make_room(&mut self, control: &Control) -> Result<(), Stop> {
        let n_parts = self.parts.chains.len();
        if n_parts * 4 <= self.parts.slots.len() * 3 {
            return Ok(());
        }
        let doubled = self.parts.slots.len() * 2;
        control.reserve((doubled * size_of::<u64>()) as u64)?;
        let mut slots = vec![0; doubled];
        for part in 0..n_parts {
            if part % ENTERED_PER_LOOK == 0 {
                control.check()?;
            }
            let discrete = self.parts.discrete.row(part);
            let hash = match self.update {
                Update::Simple => self.hash(State { discrete, element: self.elements.row(part) }),
                Update::Cover(_) | Update::Join(..) => hash(discrete),
            };
            enter(&mut slots, hash, part as u32);
        }
        self.parts.slots = slots;
        Ok(())
    }
}

fn slot(hash: u64, part: u32) -> u64 {
    (hash >> 32 << 32) | (u64::from(part) + 1)
}

fn enter(slots: &mut [u64], hash: u64, part: u32) {
    let mask = slots.len() - 1;
    let mut at = hash as usize & mask;
    while slots[at] != 0 {
        at = (at + 1) & mask;
    }
    slots[at] = slot(hash, part);
}

impl<L: Lattice> Store for Ordered<'_, L> {
    const IS_FIXED: bool = false;

    fn is_exact(&self) -> bool {
        matches!(self.update, Update::Simple)
    }

    fn len(&self) -> usize {
        self.nodes.len()
    }

    fn state(&self, node: Node) -> State<'_> {
        State { discrete: self.parts.discrete.row(self.links(node).part as usize), element: self.element(node) }
    }

    fn parent(&self, node: Node) -> Option<Node> {
        let from = Node(self.links(node).from);
        (from != NO_PARENT).then_some(from)
    }

    fn action(&self, node: Node) -> Option<CommandId> {
        self.parent(node).map(|_| self.links(node).action)
    }

    fn is_stored(&self, node: Node) -> bool {
        self.links(node).life != Life::Evicted
    }

    fn take(&mut self, node: Node) {
        self.links_mut(node).life = Life::Expanded;
    }

    /// Nothing is sure before it is offered: what a batch stores may evict what covered the rest of it.
    fn glance(&self, batch: &mut Batch, steps: &Steps, range: Range<usize>) {
        let words = (self.parts.discrete.width(), self.elements.width());
        batch.hashes.clear();
        batch.hashes.extend(range.clone().map(|step| self.hash(steps.state(step, words))));
        batch.covered.clear();
        batch.covered.resize(range.len(), false);
    }

    fn hash(&self, state: State<'_>) -> u64 {
        match self.update {
            Update::Simple => hash_on(hash(state.discrete), state.element),
            Update::Cover(_) | Update::Join(..) => hash(state.discrete),
        }
    }

    fn offer(
        &mut self,
        hash: u64,
        state: State<'_>,
        edge: Edge,
        evicted: &mut Vec<Node>,
        control: &Control,
    ) -> Result<Offered, Stop> {
        let (at, found) = self.find(hash, state);
        match (found, self.update) {
            (Some(part), Update::Simple) => Ok(Offered::Covered(Some(Node(part)))),
            (Some(part), Update::Cover(_) | Update::Join(..)) => self.offer_to(part, state, edge, evicted, control),
            (None, _) => {
                let part = self.begin(at, hash, state)?;
                let node = self.push(part, state.element, edge)?;
                self.make_room(control)?;
                Ok(Offered::New(node))
            }
        }
    }
}
