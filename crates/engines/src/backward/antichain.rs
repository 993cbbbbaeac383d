//! An index of points by their sketches: which stored points are below a given one, which are above?
//!
//! A tree splits the points by whether one lane is below a threshold, and every subtree knows the least and the greatest
//! value of every lane in it; a question goes only where these bounds leave something to find (a k-d tree, used as by Jaszkiewicz
//! and Lust 2018 for non-dominated points). Sketches of a leaf lie side by side.

use lapidary_system::net::lanes::{HIGH_8, Lanes, leq};

/// A leaf with more points is split.
const LEAF: usize = 16;

/// Points by number. It does not matter in which order they come.
pub struct Antichain {
    words: usize,
    lanes: Lanes,
    nodes: Vec<Node>,
    /// Per node: the least values of all lanes, then the greatest. They may be too generous once points were removed.
    bounds: Vec<u64>,
    n_points: usize,
    /// Working memory: nodes that wait for a visit.
    stack: Vec<u32>,
}

enum Node {
    /// Below the threshold in the first child, the others in the second.
    Inner {
        lane: usize,
        threshold: u64,
        children: [u32; 2],
    },
    Leaf {
        sketches: Vec<u64>,
        points: Vec<u32>,
        most: usize,
    },
}

impl Antichain {
    /// Of sketches with so many words.
    pub fn new(words: usize) -> Self {
        let lanes = Lanes { words, ..Lanes::new(8, words * 8) };
        let mut index = Self { words, lanes, nodes: Vec::new(), bounds: Vec::new(), n_points: 0, stack: Vec::new() };
        index.leaf();
        index
    }

    pub fn len(&self) -> usize {
        self.n_points
    }

    /// Adds an empty leaf.
    fn leaf(&mut self) -> u32 {
        let number = u32::try_from(self.nodes.len()).expect("there are fewer leaves than points");
        self.nodes.push(Node::Leaf { sketches: Vec::new(), points: Vec::new(), most: LEAF });
        self.bounds.extend(std::iter::repeat_n(!HIGH_8, self.words));
        self.bounds.extend(std::iter::repeat_n(0, self.words));
        number
    }

    fn least(&self, node: u32) -> &[u64] {
        let start = node as usize * 2 * self.words;
        &self.bounds[start..start + self.words]
    }

    fn greatest(&self, node: u32) -> &[u64] {
        let start = (node as usize * 2 + 1) * self.words;
        &self.bounds[start..start + self.words]
    }

    /// A stored point whose sketch is below this one and that is confirmed.
    pub fn below(&mut self, sketch: &[u64], mut confirm: impl FnMut(u32) -> bool) -> Option<u32> {
        let mut stack = std::mem::take(&mut self.stack);
        stack.clear();
        stack.push(0);
        let mut found = None;
        while let Some(node) = stack.pop() {
            if !leq(self.least(node), sketch, HIGH_8) {
                continue;
            }
            match &self.nodes[node as usize] {
                Node::Inner { lane, threshold, children } => {
                    if self.lanes.get(sketch, *lane) >= *threshold {
                        stack.push(children[1]);
                    }
                    stack.push(children[0]);
                }
                Node::Leaf { sketches, points, .. } => {
                    let mut rows = sketches.chunks_exact(self.words).zip(points);
                    found = rows.find(|(row, point)| leq(row, sketch, HIGH_8) && confirm(**point)).map(|row| *row.1);
                    if found.is_some() {
                        break;
                    }
                }
            }
        }
        self.stack = stack;
        found
    }

    /// Removes all points whose sketches are above this one and that are confirmed.
    pub fn remove_above(&mut self, sketch: &[u64], mut confirm: impl FnMut(u32) -> bool, removed: &mut Vec<u32>) {
        let words = self.words;
        let before = removed.len();
        let mut stack = std::mem::take(&mut self.stack);
        stack.clear();
        stack.push(0);
        while let Some(node) = stack.pop() {
            if !leq(sketch, self.greatest(node), HIGH_8) {
                continue;
            }
            match &mut self.nodes[node as usize] {
                Node::Inner { lane, threshold, children } => {
                    if self.lanes.get(sketch, *lane) < *threshold {
                        stack.push(children[0]);
                    }
                    stack.push(children[1]);
                }
                Node::Leaf { sketches, points, .. } => {
                    let mut at = 0;
                    while at < points.len() {
                        let row = &sketches[at * words..(at + 1) * words];
                        if leq(sketch, row, HIGH_8) && confirm(points[at]) {
                            removed.push(points.swap_remove(at));
                            let last = points.len() * words;
                            sketches.copy_within(last..last + words, at * words);
                            sketches.truncate(last);
                        } else {
                            at += 1;
                        }
                    }
                }
            }
        }
        self.stack = stack;
        self.n_points -= removed.len() - before;
    }

    pub fn insert(&mut self, sketch: &[u64], point: u32) {
        self.n_points += 1;
        let mut node = 0;
        loop {
            self.stretch(node, sketch);
            match &mut self.nodes[node as usize] {
                Node::Inner { lane, threshold, children } => {
                    node = children[usize::from(self.lanes.get(sketch, *lane) >= *threshold)];
                }
                Node::Leaf { sketches, points, most } => {
                    sketches.extend_from_slice(sketch);
                    points.push(point);
                    if points.len() > *most {
                        self.split(node);
                    }
                    return;
                }
            }
        }
    }

    /// Lets the bounds of a node take in a point.
    fn stretch(&mut self, node: u32, sketch: &[u64]) {
        let start = node as usize * 2 * self.words;
        let (least, greatest) = self.bounds[start..start + 2 * self.words].split_at_mut(self.words);
        for (i, &word) in sketch.iter().enumerate() {
            least[i] = self.lanes.min(least[i], word);
            greatest[i] = self.lanes.max(greatest[i], word);
        }
    }

    /// Splits a leaf where that separates best; one whose sketches are all alike may grow on.
    fn split(&mut self, node: u32) {
        let (words, lanes) = (self.words, self.lanes);
        let Node::Leaf { sketches, points, most } = &mut self.nodes[node as usize] else { return };
        let Some((lane, threshold)) = best_split(lanes, sketches) else {
            *most *= 2;
            return;
        };
        let (sketches, points) = (std::mem::take(sketches), std::mem::take(points));
        let children = [self.leaf(), self.leaf()];
        self.nodes[node as usize] = Node::Inner { lane, threshold, children };
        for (sketch, point) in sketches.chunks_exact(words).zip(points) {
            let child = children[usize::from(lanes.get(sketch, lane) >= threshold)];
            self.stretch(child, sketch);
            if let Node::Leaf { sketches, points, .. } = &mut self.nodes[child as usize] {
                sketches.extend_from_slice(sketch);
                points.push(point);
            }
        }
    }

    /// The numbers of all points, ascending.
    pub fn points(&self) -> Vec<u32> {
        let mut all: Vec<u32> = Vec::with_capacity(self.n_points);
        for node in &self.nodes {
            if let Node::Leaf { points, .. } = node {
                all.extend(points);
            }
        }
        all.sort_unstable();
        all
    }
}

/// A lane and a threshold with about as many sketches below as not below.
fn best_split(lanes: Lanes, sketches: &[u64]) -> Option<(usize, u64)> {
    let rows = || sketches.chunks_exact(lanes.words);
    let n_rows = sketches.len() / lanes.words;
    let mut best = None;
    let mut values: Vec<u64> = Vec::with_capacity(n_rows);
    for lane in 0..lanes.words * 8 {
        values.clear();
        values.extend(rows().map(|row| lanes.get(row, lane)));
        values.sort_unstable();
        // The median, or the next value above it.
        let median = values[n_rows / 2];
        let below = values.partition_point(|&value| value < median);
        let through = values.partition_point(|&value| value <= median);
        for (threshold, n_below) in [(median, below), (median + 1, through)] {
            let balance = n_below.min(n_rows - n_below);
            if balance > 0 && best.is_none_or(|(most, _, _)| balance > most) {
                best = Some((balance, lane, threshold));
            }
        }
    }
    best.map(|(_, lane, threshold)| (lane, threshold))
}

/// Sketches that came by lately: most points of a search come several times, and looking here is cheaper than in the tree.
pub struct Lately {
    words: usize,
    /// Per slot a sketch; at first one that no point has.
    slots: Vec<u64>,
}

const N_SLOTS: usize = 1 << 14;

impl Lately {
    pub fn new(words: usize) -> Self {
        Self { words, slots: vec![u64::MAX; words * N_SLOTS] }
    }

    /// Was the sketch here, and not replaced by another since? Now it is.
    pub fn has_seen(&mut self, sketch: &[u64]) -> bool {
        let mix = |hash: u64, &word: &u64| (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
        let slot = (sketch.iter().fold(0, mix) >> 20) as usize % N_SLOTS;
        let known = &mut self.slots[slot * self.words..(slot + 1) * self.words];
        let is_seen = known == sketch;
        known.copy_from_slice(sketch);
        is_seen
    }
}

#[cfg(test)]
mod tests {
    use lapidary_reference::dice::Dice;

    use super::*;

    /// A thousand random points, against looking at all of them.
    #[test]
    fn the_tree_finds_what_a_list_finds() {
        let mut dice = Dice::new(7);
        let mut tree = Antichain::new(2);
        let mut list: Vec<(u32, [u64; 2])> = Vec::new();
        for number in 0..3000 {
            let mut sketch = [0u64; 2];
            for lane in 0..16 {
                sketch[lane / 8] |= dice.below(5u64) << (lane % 8 * 8);
            }
            let is_below = list.iter().any(|(_, other)| leq(other, &sketch, HIGH_8));
            assert_eq!(tree.below(&sketch, |_| true).is_some(), is_below);
            if is_below {
                continue;
            }
            let mut removed = Vec::new();
            tree.remove_above(&sketch, |_| true, &mut removed);
            removed.sort_unstable();
            let above: Vec<u32> =
                list.iter().filter(|(_, other)| leq(&sketch, other, HIGH_8)).map(|&(number, _)| number).collect();
            assert_eq!(removed, above);
            list.retain(|(_, other)| !leq(&sketch, other, HIGH_8));
            list.push((number, sketch));
            tree.insert(&sketch, number);
            assert_eq!(tree.len(), list.len());
        }
        assert!(list.len() > 100);
        assert_eq!(tree.points(), list.iter().map(|&(number, _)| number).collect::<Vec<_>>());
    }

    #[test]
    fn sketches_that_are_all_alike_stay_in_one_leaf() {
        let mut tree = Antichain::new(1);
        (0..100).for_each(|point| tree.insert(&[5], point));
        assert_eq!(tree.points().len(), 100);
        assert_eq!(tree.below(&[5], |point| point == 77), Some(77));
    }
}
