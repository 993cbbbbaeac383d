//! The minimal coverability set: Karp and Miller's tree, in which only the greatest labels are followed.
//!
//! A label is dropped only if another one is above it, and nothing else is ever dropped: what lies below a dropped
//! label stays, unlike in Finkel's minimal coverability tree of 1991, whose pruning loses markings (Finkel, Geeraerts,
//! Raskin and Van Begin 2005). So the set of markings below the labels only grows, and in the end every label has its
//! successors in it: that it is a certificate needs no further argument. This is the way of Valmari and Hansen (Old and
//! New Algorithms for Minimal Coverability Sets, 2014). It ends for Petri nets: on an infinite branch there would be an
//! infinite ascending sequence, in which each label has an omega more than the one before it.
//!
//! From MinCov (Finkel, Haddad and Khmelnitsky, FoSSaCS 2020) comes that pumps are used wherever they can be, and that
//! the topmost node at which a new pump works is made again with it and goes first.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use lapidary_base::{Control, Event, Meter, Stop};
use lapidary_ir::{Net, TransitionId};

use super::goals::{Goal, Goals};
use super::label::{self, Count, OMEGA, is_below};
use super::maximal::Maximal;
use super::moves::{Listed, Moves};
use super::pump::{Item, PumpId, Pumps};
use super::tree::{NodeId, Tree};

/// On a Petri net every loop that gains can be repeated, so branches stay short. Where tokens flow many cannot, branches grow,
/// and to try all loops of a long branch would take its square.
const LONGEST_LOOP: usize = 64;

/// How many nodes are expanded between two looks at what a backward search has found.
const CHECK_NODES: u64 = 64;
const HEARTBEAT_NODES: u64 = 1 << 14;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub states: u64,
    pub transitions: u64,
    pub depth: u64,
}

impl Counts {
    /// After another search.
    pub fn add(&mut self, other: Self) {
        self.states += other.states;
        self.transitions += other.transitions;
        self.depth = self.depth.max(other.depth);
    }
}

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// The label of the node is above the goal.
    Goal(NodeId, Goal),
    /// No label is above a goal, and the greatest labels are closed under all transitions.
    Closed,
    /// The same, but not all successors were looked at.
    Exhausted,
}

/// The order of waiting nodes: small ones first.
type Waiting = Reverse<(u64, u32)>;

pub struct Search<'a> {
    pub moves: Moves<'a>,
    pub tree: Tree,
    pub maximal: Maximal,
    pub pumps: Pumps,
    pub counts: Counts,
    goals: Goals<'a>,
    control: &'a Control,
    meter: Meter<'a>,
    most_states: u64,
    /// How far up the tree loops begin that are looked at.
    longest_loop: usize,
    waiting: BinaryHeap<Waiting>,
    /// Nodes that a new pump raises.
    raises: Vec<(NodeId, PumpId)>,
    listed: Listed,
    transitions: Vec<TransitionId>,
    found: Option<(NodeId, Goal)>,
    n_expanded: u64,
    // Working memory.
    label: Vec<Count>,
    applied: Vec<PumpId>,
    removed: Vec<NodeId>,
}

impl<'a> Search<'a> {
    pub fn new(net: &'a Net, goals: Goals<'a>, most_states: u64, control: &'a Control) -> Result<Self, Stop> {
        let n_places = net.places.len();
        Ok(Self {
            moves: Moves::new(net)?,
            tree: Tree::new(n_places),
            maximal: Maximal::new(n_places),
            pumps: Pumps::default(),
            counts: Counts::default(),
            goals,
            control,
            meter: Meter::new(control),
            most_states,
            longest_loop: if net.is_plain() { usize::MAX } else { LONGEST_LOOP },
            waiting: BinaryHeap::new(),
            raises: Vec::new(),
            listed: Listed::All,
            transitions: net.transitions.ids().collect(),
            found: None,
            n_expanded: 0,
            label: label::initial(net)?,
            applied: Vec::new(),
            removed: Vec::new(),
        })
    }

    /// Until a goal is covered or nothing is left to do.
    pub fn run(&mut self) -> Result<Found, Stop> {
        self.offer(None)?;
        loop {
            if let Some((node, goal)) = self.found {
                return Ok(Found::Goal(node, goal));
            }
            if let Some((node, pump)) = self.raises.pop() {
                self.raise(node, pump)?;
                continue;
            }
            let Some(Reverse((_, node))) = self.waiting.pop() else { break };
            if self.tree.node(NodeId(node)).is_maximal {
                self.expand(NodeId(node))?;
            }
        }
        Ok(if self.listed == Listed::All { Found::Closed } else { Found::Exhausted })
    }

    /// A node again, with a further pump.
    fn raise(&mut self, node: NodeId, pump: PumpId) -> Result<(), Stop> {
        self.label.clear();
        self.label.extend_from_slice(self.tree.label(node));
        self.applied.clear();
        self.applied.extend_from_slice(self.tree.pumps(node));
        if self.pumps.after(&self.moves, Item::Pump(pump), &mut self.label)?.is_some() {
            self.applied.push(pump);
        }
        self.offer(self.tree.node(node).from)
    }

    fn expand(&mut self, node: NodeId) -> Result<(), Stop> {
        self.report_progress()?;
        let n_places = self.label.len();
        let mut successors = Vec::new();
        for i in 0..self.transitions.len() {
            let transition = self.transitions[i];
            successors.clear();
            let listed = self.moves.successors(transition, self.tree.label(node), &mut successors)?;
            if listed == Listed::Some {
                self.listed = Listed::Some;
            }
            for row in successors.chunks_exact(n_places.max(1)) {
                self.counts.transitions += 1;
                self.label.copy_from_slice(row);
                self.applied.clear();
                self.offer(Some((node, transition)))?;
                if self.found.is_some() || !self.tree.node(node).is_maximal {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Takes the label in working memory into the tree, unless it is covered.
    fn offer(&mut self, from: Option<(NodeId, TransitionId)>) -> Result<(), Stop> {
        self.meter.add(self.maximal.work())?;
        if self.maximal.covers(&self.label) {
            return Ok(());
        }
        let before = self.applied.len();
        self.pumps.saturate(&mut self.label, &mut self.applied);
        self.pump(from)?;
        if self.applied.len() > before && self.maximal.covers(&self.label) {
            return Ok(());
        }
        self.insert(from)
    }

    fn insert(&mut self, from: Option<(NodeId, TransitionId)>) -> Result<(), Stop> {
        if self.counts.states >= self.most_states {
            return Err(Stop::Budget(format!("{} markings", self.most_states)));
        }
        if self.tree.len() >= u32::MAX as usize - 1 {
            return Err(Stop::Incomplete(format!(
                "there are more than {} labels, which is all that are numbered",
                u32::MAX
            )));
        }
        self.meter.add(self.maximal.work() + self.goals.work())?;
        let node = self.tree.add(from, &self.label, &self.applied);
        self.counts.states += 1;
        self.counts.depth = self.counts.depth.max(u64::from(self.tree.node(node).depth));
        self.maximal.add(&self.label, node, &mut self.removed);
        for covered in self.removed.drain(..) {
            self.tree.node_mut(covered).is_maximal = false;
        }
        if let Some(goal) = self.goals.covered(&self.label) {
            self.found = Some((node, goal));
        }
        self.waiting.push(Reverse((self.goals.distance(&self.label), node.0)));
        Ok(())
    }

    /// Looks for nodes above whose labels are smaller: what happened since then can be repeated.
    fn pump(&mut self, from: Option<(NodeId, TransitionId)>) -> Result<(), Stop> {
        let Some((parent, transition)) = from else { return Ok(()) };
        let first_new = self.applied.len();
        let ancestors: Vec<NodeId> = self.tree.upwards(Some(parent)).take(self.longest_loop).collect();
        self.meter.add((ancestors.len() / 2) as u64)?;
        for &ancestor in &ancestors {
            if !is_below(self.tree.label(ancestor), &self.label) || !self.gains(ancestor) {
                continue;
            }
            let mut word = self.tree.word(Some(ancestor), parent);
            self.meter.add((word.len() + self.label.len()) as u64)?;
            word.push(Item::Fire(transition));
            word.extend(self.applied.iter().map(|&pump| Item::Pump(pump)));
            let law = self.pumps.law(&self.moves, &word, self.label.len());
            match law {
                Some(law) => {
                    law.apply(&mut self.label);
                    self.applied.push(self.pumps.add(word, Some(law)));
                }
                None => self.pump_flows(word, ancestor)?,
            }
        }
        if self.applied.len() > first_new {
            self.find_raises(&ancestors, first_new);
            self.pumps.saturate(&mut self.label, &mut self.applied);
        }
        Ok(())
    }

    /// Does some place have a finite number of tokens, but more than at the ancestor?
    fn gains(&self, ancestor: NodeId) -> bool {
        let before = self.tree.label(ancestor);
        self.label.iter().zip(before).any(|(&now, &before)| now != OMEGA && now > before)
    }

    /// A word in which tokens flow is repeated from here on.
    fn pump_flows(&mut self, word: Vec<Item>, ancestor: NodeId) -> Result<(), Stop> {
        let Some(limit) = self.pumps.limit(&self.moves, &word, &self.label)? else { return Ok(()) };
        if limit != self.label {
            self.label = limit;
            let pump = self.pumps.add(word, None);
            self.applied.push(pump);
            self.raises.push((ancestor, pump));
        }
        Ok(())
    }

    /// The topmost node that a new pump raises.
    fn find_raises(&mut self, ancestors: &[NodeId], first_new: usize) {
        for &pump in &self.applied[first_new..] {
            let Some(law) = &self.pumps.get(pump).law else { continue };
            let topmost = ancestors.iter().rev().find(|&&ancestor| law.raises(self.tree.label(ancestor)));
            self.raises.extend(topmost.map(|&node| (node, pump)));
        }
    }

    /// Looks at the limits now and then, tells how far the search is, and takes over what others have found.
    fn report_progress(&mut self) -> Result<(), Stop> {
        self.n_expanded += 1;
        self.meter.add((self.transitions.len() / 2) as u64 + 1)?;
        if self.n_expanded % CHECK_NODES == 1 {
            self.control.check()?;
            let received = self.goals.receive(&self.maximal, &mut self.meter)?;
            self.found = self.found.or(received);
        }
        if self.n_expanded.is_multiple_of(HEARTBEAT_NODES) {
            let Counts { states, transitions, depth } = self.counts;
            self.control.emit(&Event::Heartbeat { states, transitions, frontier: self.waiting.len() as u64, depth });
        }
        Ok(())
    }
}
