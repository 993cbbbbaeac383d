//! Where listed states are kept. A store says what became of a state that was offered: it is new, a stored one covers it,
//! or a stored one grew by it (Algorithms 2 to 4 of the paper on opaal are three ways to say so).

use lapidary_base::{Control, Stop, id};
use lapidary_ir::CommandId;
use lapidary_system::{State, Steps};

id! {
    /// A stored state, numbered in the order of discovery.
    pub struct Node(u32);
}

/// The parent of an initial state.
pub const NO_PARENT: Node = Node(u32::MAX);

/// How a state was met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    pub from: Node,
    pub action: CommandId,
}

impl Edge {
    /// To initial states.
    pub const START: Self = Self { from: NO_PARENT, action: CommandId(u32::MAX) };
}

/// What became of a state that was offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offered {
    New(Node),
    /// A stored state is at least as large: this one, if the store keeps numbers.
    Covered(Option<Node>),
    /// The state and this one were joined. What explains the node explains only what it was first.
    Grew(Node),
}

pub trait Store {
    /// Nothing that is stored ever goes or grows, so the nodes of a level are an interval of numbers.
    const IS_FIXED: bool;

    /// Whether every state that is met is stored as it is. Elsewhere a deadlock of a smaller state may go unseen.
    fn is_exact(&self) -> bool;

    /// Nodes that were ever made; those that were evicted keep their numbers.
    fn len(&self) -> usize;

    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn state(&self, node: Node) -> State<'_>;

    /// The node that a node was first met from; none for initial states.
    fn parent(&self, node: Node) -> Option<Node>;

    /// The action of the step from the parent, where the store keeps it. It does wherever the two states may not tell.
    fn action(&self, node: Node) -> Option<CommandId>;

    /// Whether a node was not evicted.
    fn is_stored(&self, node: Node) -> bool;

    /// A node is taken from those that wait: it is expanded now.
    fn take(&mut self, node: Node);

    /// Looks up a batch of steps at once: hashes them, and marks those that are surely covered already.
    fn glance(&self, batch: &mut Batch, steps: &Steps, range: std::ops::Range<usize>);

    fn hash(&self, state: State<'_>) -> u64;

    /// Stores a state unless it is covered. What is stored no more because of it is appended to `evicted`; evicted nodes
    /// can still be asked for, since others may have been met from them.
    fn offer(
        &mut self,
        hash: u64,
        state: State<'_>,
        edge: Edge,
        evicted: &mut Vec<Node>,
        control: &Control,
    ) -> Result<Offered, Stop>;
}

/// Working memory of [`Store::glance`].
#[derive(Default)]
pub struct Batch {
    pub hashes: Vec<u64>,
    pub(super) slots: Vec<u64>,
    pub covered: Vec<bool>,
}

/// More nodes have no numbers: one is the mark of initial states, and slots of tables hold numbers plus one.
pub(super) fn next_node(n_nodes: usize) -> Result<Node, Stop> {
    match u32::try_from(n_nodes) {
        Ok(number) if number < u32::MAX - 1 => Ok(Node(number)),
        Ok(_) | Err(_) => Err(Stop::Incomplete("more than 4 billion states".to_owned())),
    }
}

/// Equality of words; most states are one word, for which a call to compare memory would cost more than it does.
#[inline(always)]
pub(super) fn same(a: &[u64], b: &[u64]) -> bool {
    if let ([a], [b]) = (a, b) { a == b } else { a == b }
}

/// Folded multiplication: the halves of a product, added without carry, depend on all bits of both factors.
#[inline(always)]
pub(super) fn hash(words: &[u64]) -> u64 {
    hash_on(0x9e37_79b9_7f4a_7c15, words)
}

/// The same of words that follow others.
#[inline(always)]
pub(super) fn hash_on(seed: u64, words: &[u64]) -> u64 {
    let mut hash = seed;
    for &word in words {
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
    use super::*;

    #[test]
    fn neighbouring_states_spread_over_the_table() {
        let homes: std::collections::BTreeSet<u64> = (0..1024u64).map(|i| hash(&[i << 20]) & 1023).collect();
        assert!(homes.len() > 560, "1024 random draws hit about 647 of 1024 places, not {}", homes.len());
    }
}
