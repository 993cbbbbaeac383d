//! The nodes that wait for their expansion, in the order in which they are taken.
//!
//! A node waits at most once. One that is put again, since it grew, waits behind all others; one that was evicted does not
//! wait any more. Entries that are out of date are known by their tickets and passed over.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use super::store::Node;

pub enum Waiting {
    /// Depth-first: steps wait, not nodes (see [`super::dive`]).
    Nobody,
    /// Breadth-first where nothing goes or grows: numbers are in order of discovery, so those that wait are an interval.
    Interval(Interval),
    /// Breadth-first.
    Fifo(VecDeque<Entry>, Tickets),
    /// The one with the lowest number, and of those the one that has waited longest.
    Lowest(BinaryHeap<Reverse<(u64, u64, Entry)>>, Tickets),
}

#[derive(Default)]
pub struct Interval {
    next: u32,
    end: u32,
    /// Closes the distance of the nodes that are taken now.
    level_end: u32,
    depth: Option<u64>,
}

/// Depths beyond the numbers of 32 bits are told as the greatest of them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    node: Node,
    ticket: u32,
    depth: u32,
}

/// By node, the ticket that counts: none has it where the node does not wait.
#[derive(Default)]
pub struct Tickets {
    of: Vec<u32>,
    n_drawn: u64,
}

impl Tickets {
    fn draw(&mut self, node: Node) -> u32 {
        self.n_drawn += 1;
        let number = node.0 as usize;
        if self.of.len() <= number {
            self.of.resize(number + 1, 0);
        }
        self.of[number] += 1;
        self.of[number]
    }

    /// Takes an entry unless it is out of date.
    fn take(&mut self, entry: Entry) -> Option<(Node, u64)> {
        let ticket = &mut self.of[entry.node.0 as usize];
        if *ticket != entry.ticket {
            return None;
        }
        *ticket += 1;
        Some((entry.node, u64::from(entry.depth)))
    }

    fn void(&mut self, node: Node) {
        if let Some(ticket) = self.of.get_mut(node.0 as usize) {
            *ticket += 1;
        }
    }
}

impl Waiting {
    pub fn interval() -> Self {
        Self::Interval(Interval::default())
    }

    pub fn fifo() -> Self {
        Self::Fifo(VecDeque::new(), Tickets::default())
    }

    pub fn lowest() -> Self {
        Self::Lowest(BinaryHeap::new(), Tickets::default())
    }

    /// Whether what a node is put with decides when it is taken.
    pub fn asks_rank(&self) -> bool {
        matches!(self, Self::Lowest(..))
    }

    /// How many may be taken before what they lead to is put.
    pub fn most_at_once(&self, n_at_once: usize) -> usize {
        match self {
            Self::Nobody | Self::Interval(_) => n_at_once,
            // What one leads to may evict another, or have it wait behind others.
            Self::Fifo(..) | Self::Lowest(..) => 1,
        }
    }

    /// A node that is new or grew. Its rank counts where [`Waiting::asks_rank`].
    #[inline(always)]
    pub fn put(&mut self, node: Node, depth: u64, rank: u64) {
        match self {
            Self::Nobody => {}
            Self::Interval(interval) => interval.end += 1,
            Self::Fifo(entries, tickets) => {
                entries.push_back(Entry {
                    node,
                    ticket: tickets.draw(node),
                    depth: u32::try_from(depth).unwrap_or(u32::MAX),
                });
            }
            Self::Lowest(entries, tickets) => {
                let entry = Entry { node, ticket: tickets.draw(node), depth: u32::try_from(depth).unwrap_or(u32::MAX) };
                entries.push(Reverse((rank, tickets.n_drawn, entry)));
            }
        }
    }

    pub fn evict(&mut self, node: Node) {
        match self {
            Self::Nobody => {}
            Self::Interval(_) => unreachable!("nothing is evicted where those that wait are an interval"),
            Self::Fifo(_, tickets) | Self::Lowest(_, tickets) => tickets.void(node),
        }
    }

    /// The next node and its depth; none if nobody waits, or if the next one lies farther than those of a batch.
    pub fn take(&mut self, is_batch_begun: bool) -> Option<(Node, u64)> {
        match self {
            Self::Nobody => None,
            Self::Interval(interval) => interval.take(is_batch_begun),
            Self::Fifo(entries, tickets) => std::iter::from_fn(|| entries.pop_front()).find_map(|e| tickets.take(e)),
            Self::Lowest(entries, tickets) => {
                std::iter::from_fn(|| entries.pop()).find_map(|Reverse((_, _, entry))| tickets.take(entry))
            }
        }
    }
}

impl Interval {
    /// The nodes of the level that comes next or has begun, and its depth; none if nobody waits.
    pub fn level(&mut self) -> Option<(std::ops::Range<u32>, u64)> {
        if self.next == self.level_end {
            if self.end == self.level_end {
                return None;
            }
            self.depth = Some(self.depth.map_or(0, |depth| depth + 1));
            self.level_end = self.end;
        }
        Some((self.next..self.level_end, self.depth?))
    }

    /// The node that is taken next, if one waits.
    pub fn next(&self) -> u32 {
        self.next
    }

    /// So many nodes of the level were taken together, and so many were put.
    pub fn advance(&mut self, n_taken: u32, n_put: u32) {
        self.next += n_taken;
        self.end += n_put;
    }

    fn take(&mut self, is_batch_begun: bool) -> Option<(Node, u64)> {
        // The next level is known only when all of this one was looked at.
        if self.next == self.level_end && is_batch_begun {
            return None;
        }
        let (_, depth) = self.level()?;
        self.next += 1;
        Some((Node(self.next - 1), depth))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(waiting: &mut Waiting) -> Vec<u32> {
        std::iter::from_fn(|| waiting.take(false)).map(|(node, _)| node.0).collect()
    }

    #[test]
    fn who_is_put_again_waits_behind_the_others_and_who_is_evicted_does_not_wait() {
        let mut waiting = Waiting::fifo();
        (0..5).for_each(|node| waiting.put(Node(node), 0, 0));
        waiting.put(Node(1), 1, 0);
        waiting.evict(Node(3));
        assert_eq!(taken(&mut waiting), [0, 2, 4, 1]);
        waiting.evict(Node(1));
        waiting.put(Node(1), 2, 0);
        assert_eq!(taken(&mut waiting), [1]);
    }

    #[test]
    fn the_lowest_comes_first_and_of_equals_the_first() {
        let mut waiting = Waiting::lowest();
        [(0, 7), (1, 3), (2, 7), (3, 1)].into_iter().for_each(|(node, rank)| waiting.put(Node(node), 0, rank));
        waiting.put(Node(0), 0, 7);
        assert_eq!(taken(&mut waiting), [3, 1, 2, 0]);
    }

    #[test]
    fn a_batch_ends_with_its_level() {
        let mut waiting = Waiting::interval();
        (0..2).for_each(|node| waiting.put(Node(node), 0, 0));
        assert_eq!((waiting.take(false), waiting.take(true)), (Some((Node(0), 0)), Some((Node(1), 0))));
        waiting.put(Node(2), 1, 0);
        assert_eq!((waiting.take(true), waiting.take(false)), (None, Some((Node(2), 1))));
    }
}
