//! Algorithms 1 and 2 of the paper: LA[*], and LA[BF] if nodes are chosen breadth-first and covered by shallower ones.

use std::collections::BTreeMap;
use std::rc::Rc;

use lapidary_base::event::Iteration;
use lapidary_base::hash::Map;
use lapidary_base::{Control, Event, IdVec, Stop};
use lapidary_ir::{Net, PlaceId, Tokens, TransitionId};
use lapidary_system::boxes::{BoxStep, Cuboid, Interval, Region, Thresholds};

use super::choose::{Choose, Open};
use super::cover::{Coverers, Covering};
use super::errors::{ErrorId, Errors};
use super::labels::{Labels, PrecisionId, RegionId};
use super::tree::{Mark, NodeId, Tree};
use crate::words::counted;

/// After so many nodes a word about how far it is.
const HEARTBEAT: u64 = 1 << 16;
/// Intervals for so many places take about as long as what lies between two looks at the limits elsewhere.
const PLACES_OF_A_LOOK: usize = 1000;

/// What a search may spend.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    pub most_refinements: Option<u64>,
    /// Counts all nodes that are ever made.
    pub most_nodes: Option<u64>,
}

/// The answer: "CORRECT" with a formula, or "NOT CORRECT" with a counterexample.
#[derive(Clone, Debug)]
pub enum Ended {
    Correct(Region),
    NotCorrect(Vec<TransitionId>),
}

/// One abstract counterexample that was no real one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refinement {
    /// How many nodes had been processed, the error node included.
    pub step: u64,
    /// The trace from the root to the pivot node.
    pub pivot: Vec<TransitionId>,
    /// The trace from the pivot node to the error node.
    pub error: Vec<TransitionId>,
    /// The atoms that the pivot node did not have before.
    pub atoms: Vec<(PlaceId, Tokens)>,
    /// The size of the tree when the error node was processed.
    pub n_nodes: u64,
}

/// The transitions that can fire, and their abstract images.
type Posts = Rc<[(TransitionId, RegionId)]>;

pub struct Search<'a> {
    net: &'a Net,
    control: &'a Control,
    limits: Limits,
    steps: IdVec<TransitionId, BoxStep>,
    labels: Labels,
    pub errors: Errors,
    pub tree: Tree,
    open: Open,
    /// Covered nodes by the time when they were marked.
    covered: BTreeMap<u64, NodeId>,
    coverers: Coverers,
    /// Has every node so far been one of least depth, and was it covered by none that is deeper?
    is_breadth_first: bool,
    /// The children of nodes with these labels.
    posts: Map<(RegionId, PrecisionId), Posts>,
    /// How many nodes have been processed: the time.
    pub clock: u64,
    pub n_posts: u64,
    pub refinements: Vec<Refinement>,
    /// Every atom that some node ever had.
    pub atoms: Thresholds,
}

impl<'a> Search<'a> {
    pub fn new(net: &'a Net, error: Region, covering: Covering, limits: Limits, control: &'a Control) -> Self {
        let initial =
            Region::of(vec![Cuboid { intervals: net.initial.iter().map(|&range| Interval::of(range)).collect() }]);
        // Line 1: the atoms of init and of unsafe.
        let mut atoms = initial.thresholds(net.places.len());
        atoms.add_region(&error);
        let mut made = Self {
            net,
            control,
            limits,
            steps: net.transitions.iter().map(BoxStep::new).collect(),
            labels: Labels::new(error.clone()),
            errors: Errors::new(error),
            tree: Tree::default(),
            open: Open::new(),
            covered: BTreeMap::new(),
            coverers: Coverers::new(covering),
            is_breadth_first: covering != Covering::Any,
            posts: Map::default(),
            clock: 0,
            n_posts: 0,
            refinements: Vec::new(),
            atoms: atoms.clone(),
        };
        // Lines 2 and 3: a single node with exactly the initial markings.
        let (region, precision) = (made.labels.region(initial), made.labels.precision(atoms));
        let root = made.tree.add(None, region, precision);
        made.open.insert((0, root));
        made
    }

    pub fn run(&mut self, choose: &mut dyn Choose) -> Result<Ended, Stop> {
        while !self.open.is_empty() {
            self.control.check()?;
            let node = choose.choose(&self.tree, &self.open);
            self.is_breadth_first &= self.open.first().is_some_and(|&(least, _)| self.tree.depth(node) == least);
            self.open.remove(&(self.tree.depth(node), node));
            self.clock += 1;
            if self.clock.is_multiple_of(HEARTBEAT) {
                self.report(node);
            }
            debug_assert!(self.lemma_1(node), "a shallow node meets an error region of a short trace");
            if !self.labels.is_error[self.tree.nodes[node].region] {
                self.process_safe(node)?;
            } else if let Some((pivot, errors)) = self.pivot(node)? {
                self.refine(pivot, node, &errors)?;
            } else {
                return Ok(Ended::NotCorrect(self.tree.trace(node)));
            }
        }
        Ok(Ended::Correct(self.coverers.reach(&self.labels, self.control)?))
    }

    /// The region of the root, which never changes.
    pub fn initial(&self) -> &Region {
        &self.labels.regions[self.tree.nodes[Tree::ROOT].region]
    }

    pub fn steps(&self) -> &IdVec<TransitionId, BoxStep> {
        &self.steps
    }

    fn report(&self, node: NodeId) {
        let (states, frontier, depth) = (self.tree.n_nodes, self.open.len() as u64, u64::from(self.tree.depth(node)));
        self.control.emit(&Event::Heartbeat { states, transitions: self.n_posts, frontier, depth });
    }

    fn process_safe(&mut self, node: NodeId) -> Result<(), Stop> {
        let (region, depth) = (self.tree.nodes[node].region, self.tree.depth(node));
        self.tree.nodes[node].processed = self.clock;
        if self.coverers.covers(region, depth, &self.labels, self.control)? {
            self.tree.nodes[node].mark = Mark::Covered;
            self.covered.insert(self.clock, node);
            return Ok(());
        }
        self.tree.nodes[node].mark = Mark::Uncovered;
        self.coverers.add(region, depth);
        let precision = self.tree.nodes[node].precision;
        let posts = self.posts(region, precision)?;
        let first = self.tree.nodes.next_id();
        for &(transition, region) in &*posts {
            let child = self.tree.add(Some((node, transition)), region, precision);
            self.open.insert((depth + 1, child));
        }
        self.tree.nodes[node].children = (first, posts.len() as u32);
        match self.limits.most_nodes {
            Some(most) if self.tree.nodes.len() as u64 > most => Err(Stop::Budget(format!("{most} nodes"))),
            Some(_) | None => Ok(()),
        }
    }

    /// For each transition that can fire its abstract image.
    fn posts(&mut self, region: RegionId, precision: PrecisionId) -> Result<Posts, Stop> {
        if let Some(known) = self.posts.get(&(region, precision)) {
            return Ok(Rc::clone(known));
        }
        let mut posts = Vec::new();
        for (transition, step) in self.steps.enumerated() {
            self.control.check()?;
            let (from, thresholds) = (&self.labels.regions[region], &self.labels.precisions[precision]);
            let post = step.abstract_post(from, thresholds, self.control)?;
            self.n_posts += 1;
            // An abstract image is empty only if the image is.
            if !post.is_empty() {
                // An image has an interval for every place of the net.
                self.control.spend((self.net.places.len() / PLACES_OF_A_LOOK) as u64)?;
                posts.push((transition, self.labels.region(post)));
            }
        }
        let posts: Posts = posts.into();
        self.posts.insert((region, precision), Rc::clone(&posts));
        Ok(posts)
    }

    /// The first node backwards from an error node that misses its error region, and the error regions of all suffixes
    /// of the trace from there, the shortest first; `None` if there is no such node.
    fn pivot(&mut self, error: NodeId) -> Result<Option<(NodeId, Vec<ErrorId>)>, Stop> {
        let mut errors = vec![Errors::UNSAFE];
        let (mut at, mut suffix) = (error, Errors::UNSAFE);
        while let Some((parent, transition)) = self.tree.nodes[at].parent {
            self.control.check()?;
            suffix = self.errors.pre(suffix, transition, &self.steps[transition], self.control)?;
            errors.push(suffix);
            at = parent;
            if !self.labels.regions[self.tree.nodes[at].region].meets(&self.errors.regions[suffix].region) {
                return Ok(Some((at, errors)));
            }
        }
        Ok(None)
    }

    /// The error regions along a trace from the root: of the whole trace first, `unsafe` last.
    pub fn error_regions(&mut self, trace: &[TransitionId]) -> Result<Vec<ErrorId>, Stop> {
        let mut errors = vec![Errors::UNSAFE];
        let mut suffix = Errors::UNSAFE;
        for &transition in trace.iter().rev() {
            suffix = self.errors.pre(suffix, transition, &self.steps[transition], self.control)?;
            errors.push(suffix);
        }
        errors.reverse();
        Ok(errors)
    }

    /// The focus operator: the atoms of `pre(suffix, unsafe)` for every suffix of the error trace. Those of
    /// `pre(c, f)` are those of the guard of `c` and those of a description of the markings from which `c` leads to `f`.
    fn focus(&self, trace: &[TransitionId], errors: &[ErrorId]) -> Thresholds {
        let mut atoms = Thresholds::none(self.net.places.len());
        trace.iter().for_each(|&transition| self.steps[transition].add_guard_atoms(&mut atoms));
        errors.iter().for_each(|&error| atoms.add_region(&self.errors.regions[error].region));
        atoms
    }

    fn refine(&mut self, pivot: NodeId, error: NodeId, errors: &[ErrorId]) -> Result<(), Stop> {
        let to_pivot = self.tree.trace(pivot);
        let trace = self.tree.trace(error).split_off(to_pivot.len());
        let mut precision = self.labels.precisions[self.tree.nodes[pivot].precision].clone();
        let focus = self.focus(&trace, errors);
        let atoms: Vec<(PlaceId, Tokens)> = focus.atoms().filter(|&(place, k)| !precision.has(place, k)).collect();
        debug_assert!(!atoms.is_empty(), "a pivot node becomes strictly finer");
        for &(place, number) in &atoms {
            precision.add(place, number);
            self.atoms.add(place, number);
        }
        let (step, n_nodes) = (self.clock, self.tree.n_nodes);
        self.control.emit(&Event::Iteration(Iteration {
            i: self.refinements.len() as u64 + 1,
            abs_states: n_nodes,
            abs_trans: n_nodes - 1,
            cex_len: u64::from(self.tree.depth(error)),
            predicates: self.atoms.count() as u64,
            refiner: "focus".to_owned(),
            ..Iteration::default()
        }));
        self.refinements.push(Refinement { step, pivot: to_pivot, error: trace, atoms, n_nodes });
        self.relabel(pivot, precision);
        self.reopen_covered(pivot);
        match self.limits.most_refinements {
            Some(most) if self.refinements.len() as u64 >= most => {
                Err(Stop::Incomplete(format!("no answer after {}", counted(most, "refinement"))))
            }
            Some(_) | None => Ok(()),
        }
    }

    /// The pivot node is marked as unprocessed with its new label, and the subtrees below it are deleted.
    fn relabel(&mut self, pivot: NodeId, precision: Thresholds) {
        let mut doomed: Vec<NodeId> = self.tree.children(pivot).collect();
        while let Some(node) = doomed.pop() {
            doomed.extend(self.tree.children(node));
            self.take_out(node);
            self.tree.nodes[node].mark = Mark::Deleted;
            self.tree.n_nodes -= 1;
        }
        self.take_out(pivot);
        let precision = self.labels.precision(precision);
        let node = &mut self.tree.nodes[pivot];
        node.precision = precision;
        node.children.1 = 0;
        node.mark = Mark::Unprocessed;
        self.open.insert((node.depth, pivot));
    }

    fn take_out(&mut self, node: NodeId) {
        let &super::tree::Node { depth, region, processed, mark, .. } = &self.tree.nodes[node];
        match mark {
            Mark::Unprocessed => {
                self.open.remove(&(depth, node));
            }
            Mark::Covered => {
                self.covered.remove(&processed);
            }
            Mark::Uncovered => self.coverers.remove(region, depth),
            Mark::Deleted => {}
        }
    }

    /// All nodes that were marked as covered after the pivot node was last processed may have been covered by what
    /// has just been deleted.
    fn reopen_covered(&mut self, pivot: NodeId) {
        let since = self.tree.nodes[pivot].processed;
        for (_, node) in self.covered.split_off(&since) {
            self.tree.nodes[node].mark = Mark::Unprocessed;
            self.open.insert((self.tree.depth(node), node));
        }
    }

    /// Lemma 1 for LA[BF], as far as error regions are known: a node misses the error region of every trace that is
    /// shorter than the way that is left down to the node that is processed now. Large trees are not looked through.
    fn lemma_1(&self, processed: NodeId) -> bool {
        const MAX_PAIRS: usize = 2000;
        if !self.is_breadth_first || self.tree.nodes.len() * self.errors.regions.len() > MAX_PAIRS {
            return true;
        }
        let limit = self.tree.depth(processed);
        let nodes = self.tree.nodes.iter().filter(|node| node.mark != Mark::Deleted);
        let mut pairs = nodes.flat_map(|node| self.errors.regions.iter().map(move |error| (node, error)));
        pairs.all(|(node, error)| {
            node.depth + error.length >= limit || !self.labels.regions[node.region].meets(&error.region)
        })
    }

    /// How many nodes have a mark.
    pub fn n_marked(&self, mark: Mark) -> usize {
        self.tree.nodes.iter().filter(|node| node.mark == mark).count()
    }
}
