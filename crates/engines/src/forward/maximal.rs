//! The greatest labels found so far, none below another.

use super::label::{Count, Signature, is_below};
use super::tree::NodeId;

/// Rows are kept side by side: the test whether some row is above a label is what the search spends its time with.
pub struct Maximal {
    n_places: usize,
    entries: Vec<(Signature, NodeId)>,
    rows: Vec<Count>,
}

impl Maximal {
    pub fn new(n_places: usize) -> Self {
        Self { n_places, entries: Vec::new(), rows: Vec::new() }
    }

    pub fn row(&self, at: usize) -> &[Count] {
        &self.rows[at * self.n_places..(at + 1) * self.n_places]
    }

    /// The work of comparing a label with all of them, in pieces of a [`Meter`](lapidary_base::Meter): mostly only
    /// signatures are compared.
    pub fn work(&self) -> u64 {
        (self.entries.len() / 8 + self.n_places / 8 + 1) as u64
    }

    pub fn rows(&self) -> impl Iterator<Item = (NodeId, &[Count])> {
        (0..self.entries.len()).map(|at| (self.entries[at].1, self.row(at)))
    }

    /// Is the label below one of them? A row that covers one label often covers the next one, so it moves forward.
    pub fn covers(&mut self, label: &[Count]) -> bool {
        let signature = Signature::of(label);
        let is_above = |&at: &usize| signature.may_be_below(self.entries[at].0) && is_below(label, self.row(at));
        let Some(at) = (0..self.entries.len()).find(is_above) else { return false };
        self.swap(at, at / 2);
        true
    }

    /// Adds a label that is not covered, and removes those below it, which are listed.
    pub fn add(&mut self, label: &[Count], node: NodeId, removed: &mut Vec<NodeId>) {
        let signature = Signature::of(label);
        let mut at = 0;
        while at < self.entries.len() {
            if self.entries[at].0.may_be_below(signature) && is_below(self.row(at), label) {
                removed.push(self.entries[at].1);
                self.remove(at);
            } else {
                at += 1;
            }
        }
        self.entries.push((signature, node));
        self.rows.extend_from_slice(label);
    }

    fn remove(&mut self, at: usize) {
        self.swap(at, self.entries.len() - 1);
        self.entries.pop();
        self.rows.truncate(self.entries.len() * self.n_places);
    }

    fn swap(&mut self, a: usize, b: usize) {
        if a == b {
            return;
        }
        self.entries.swap(a, b);
        let (low, high) = (a.min(b) * self.n_places, a.max(b) * self.n_places);
        let (before, after) = self.rows.split_at_mut(high);
        before[low..low + self.n_places].swap_with_slice(&mut after[..self.n_places]);
    }
}
