//! A set as a decision diagram over columns instead of bits, for printing, certificates and other readers.

use lapidary_base::Stop;
use lapidary_base::hash::Map;

use crate::space::{Column, Set, Space};

/// Where a branch of a decision leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Child {
    None,
    All,
    /// By index into the nodes of the decision.
    Node(usize),
}

/// A choice by the value of a column.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DecisionNode {
    pub column: Column,
    /// Intervals of values, both bounds included, that follow each other without gaps from zero to the column's size;
    /// neighbours lead to different children.
    pub children: Vec<(u64, u64, Child)>,
}

/// An ordered decision diagram; the children of a node come before it, equal nodes are one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    pub nodes: Vec<DecisionNode>,
    pub root: Child,
}

impl Space {
    /// The set as decisions by the columns in the given order, which contains its support. The order of the columns'
    /// uppermost bits in the diagram is cheapest. Valuations outside the domains do not matter.
    pub fn multi_valued(&self, set: &Set, order: &[Column]) -> Result<Decision, Stop> {
        let mut reader = Reader { space: self, order, known: Map::default(), ids: Map::default(), nodes: Vec::new() };
        let root = reader.read(set, 0)?;
        Ok(Decision { nodes: reader.nodes, root })
    }

    /// What remains of the set for each value of a column, as intervals of values that follow each other; neighbours
    /// differ.
    pub fn cofactors(&self, set: &Set, column: Column) -> Result<Vec<(u64, u64, Set)>, Stop> {
        let mut parts = Parts { space: self, column, found: Vec::new() };
        parts.add(set, self.columns[column].bits.len(), 0)?;
        Ok(parts.found)
    }
}

/// The cofactors of a set by the values of a column.
struct Parts<'a> {
    space: &'a Space,
    column: Column,
    found: Vec<(u64, u64, Set)>,
}

impl Parts<'_> {
    /// Adds the cofactors for the values that agree with `base` in the bits from `weight` up.
    fn add(&mut self, set: &Set, weight: usize, base: u64) -> Result<(), Stop> {
        self.space.poll()?;
        if base >= self.space.size(self.column) {
            return Ok(());
        }
        let bits = &self.space.columns[self.column].bits;
        if weight == 0 || self.space.is_below(set, bits[0]) {
            let values = ((1u128 << weight) - 1) as u64;
            self.push(base, base + values, set.clone());
            return Ok(());
        }
        let (zero, one) = self.space.split(set, bits[weight - 1])?;
        self.add(&zero, weight - 1, base)?;
        if zero == one {
            return self.repeat(base, 1 << (weight - 1));
        }
        self.add(&one, weight - 1, base | 1 << (weight - 1))
    }

    /// Adds what was found from a value on once more, that much later.
    fn repeat(&mut self, from: u64, later: u64) -> Result<(), Stop> {
        let first = self.found.partition_point(|(_, hi, _)| *hi < from);
        let n_found = self.found.len();
        // The last of them may grow when the first is added again.
        let last = self.found.last().cloned();
        for at in first..n_found {
            // What repeats itself in a wide column doubles again and again.
            self.space.poll()?;
            let again = if at + 1 == n_found { last.clone() } else { Some(self.found[at].clone()) };
            let (lo, hi, part) = again.expect("there is a last one where there is any");
            self.push(lo.max(from) + later, hi + later, part);
        }
        Ok(())
    }

    fn push(&mut self, lo: u64, hi: u64, part: Set) {
        let last = self.space.size(self.column) - 1;
        match self.found.last_mut() {
            _ if lo > last => {}
            Some((_, end, same)) if *same == part => *end = hi.min(last),
            Some(_) | None => self.found.push((lo, hi.min(last), part)),
        }
    }
}

struct Reader<'a> {
    space: &'a Space,
    order: &'a [Column],
    /// What became of a set that is to be decided from some column of the order on.
    known: Map<(Set, usize), Child>,
    ids: Map<DecisionNode, usize>,
    nodes: Vec<DecisionNode>,
}

impl Reader<'_> {
    fn read(&mut self, set: &Set, at: usize) -> Result<Child, Stop> {
        if self.space.is_none(set) {
            return Ok(Child::None);
        }
        if self.space.is_all(set) {
            return Ok(Child::All);
        }
        let key = (set.clone(), at);
        if let Some(&child) = self.known.get(&key) {
            return Ok(child);
        }
        let column = *self.order.get(at).expect("the order contains the support");
        let mut children: Vec<(u64, u64, Child)> = Vec::new();
        for (lo, hi, part) in self.space.cofactors(set, column)? {
            let child = self.read(&part, at + 1)?;
            match children.last_mut() {
                Some((_, last, same)) if *same == child => *last = hi,
                Some(_) | None => children.push((lo, hi, child)),
            }
        }
        let child = match children[..] {
            // A column of size zero has no values to decide by.
            [] => Child::None,
            [(_, _, only)] => only,
            _ => self.node(DecisionNode { column, children }),
        };
        self.known.insert(key, child);
        Ok(child)
    }

    fn node(&mut self, node: DecisionNode) -> Child {
        let next = self.nodes.len();
        let id = *self.ids.entry(node.clone()).or_insert(next);
        if id == next {
            self.nodes.push(node);
        }
        Child::Node(id)
    }
}
