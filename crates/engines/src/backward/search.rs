//! Backward search (Abdulla, Cerans, Jonsson, Tsay 1996): minimal predecessors of the target, until an initial marking is
//! above one of them or nothing new is found.
//!
//! Invariant: every marking from which the target can be covered is above a target, above a predecessor of an element that waits, or above
//! an element that is alive, unless an inequality excludes it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use lapidary_base::{Control, Event, Stop};
use lapidary_ir::{Tokens, TransitionId};
use lapidary_system::net::{Marking, NetPoints};
use lapidary_system::well_structured::{Failed, Points};

use super::antichain::{Antichain, Lately};
use super::elements::{Elements, NO_PARENT, Origin};
use super::pruning::Ladder;
use super::{Config, Order};
use crate::coverability::{self, Exchange, Step};

/// How many predecessors are looked at between two looks at the limits: each may be compared with thousands of others.
const CHECK_GENERATED: u64 = 16;
const CHECK_ELEMENTS: u64 = 64;
const HEARTBEAT_ELEMENTS: u64 = 1 << 12;
/// Elements are handed to others in batches.
const BATCH: usize = 256;

#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    /// Predecessors that were computed.
    pub generated: u64,
    pub pruned: u64,
    pub expanded: u64,
    pub depth: u64,
}

pub struct Search<'a, P> {
    points: P,
    control: &'a Control,
    order: Order,
    most_states: u64,
    pub elements: Elements,
    pub antichain: Antichain,
    lately: Lately,
    pub ladder: Ladder,
    queue: BinaryHeap<Reverse<(u64, u32)>>,
    /// Of the element that was expanded last.
    key: u64,
    pub counts: Counts,
    /// Elements below an initial marking that nobody has asked for yet.
    met: Vec<u32>,
    exchange: Option<(Arc<Exchange>, usize)>,
    /// How many elements others had published before, and how many of ours are.
    offset: usize,
    published: usize,
    work: Work,
}

/// Working memory, so that no element allocates.
#[derive(Default)]
struct Work {
    found: Points,
    sketch: Vec<u64>,
    /// Zero but for the marked places while a point is looked at.
    marking: Vec<Tokens>,
    marked: Vec<usize>,
    set: Vec<u64>,
    actions: Vec<usize>,
    removed: Vec<u32>,
}

impl<'a, P: NetPoints> Search<'a, P> {
    pub fn new(points: P, ladder: Ladder, config: &Config, target: usize, control: &'a Control) -> Self {
        let sketch_words = points.sketch_words();
        let offset = config.exchange.as_ref().map_or(0, |exchange| exchange.len(target));
        let work = Work { sketch: vec![0; sketch_words], marking: vec![0; points.n_places()], ..Work::default() };
        Self {
            points,
            control,
            order: config.order,
            most_states: config.most_states.unwrap_or(u64::MAX),
            elements: Elements::default(),
            antichain: Antichain::new(sketch_words),
            lately: Lately::new(sketch_words),
            ladder,
            queue: BinaryHeap::new(),
            key: 0,
            counts: Counts::default(),
            met: Vec::new(),
            exchange: config.exchange.clone().map(|exchange| (exchange, target)),
            offset,
            published: 0,
            work,
        }
    }

    /// Adds the targets.
    pub fn begin(&mut self, targets: &[Marking]) -> Result<(), Stop> {
        for target in targets {
            let point = loop {
                let mut point = Vec::new();
                match self.points.encode(target, &mut point) {
                    Ok(()) => break point,
                    Err(Failed::Narrow) => self.widen()?,
                    Err(Failed::Stop(stop)) => return Err(stop),
                }
            };
            self.add(&point, Origin { parent: NO_PARENT, action: 0, depth: 0 })?;
        }
        Ok(())
    }

    /// The next element that an initial marking is above; `None` when nothing is left.
    pub fn next_met(&mut self) -> Result<Option<u32>, Stop> {
        loop {
            if let Some(element) = self.met.pop() {
                return Ok(Some(element));
            }
            let Some(Reverse((key, element))) = self.queue.pop() else {
                self.publish();
                return Ok(None);
            };
            if self.is_worth_expanding(element) {
                self.key = key;
                self.report_progress()?;
                self.expand(element)?;
            }
        }
    }

    /// What is smaller has the same predecessors or smaller ones. It may be farther from the target, though, which matters where runs have to be
    /// shortest.
    fn is_worth_expanding(&self, element: u32) -> bool {
        self.elements.is_alive(element) || self.order == Order::BreadthFirst
    }

    fn expand(&mut self, element: u32) -> Result<(), Stop> {
        self.counts.expanded += 1;
        let depth = self.elements.origin(element).depth + 1;
        let mut actions = std::mem::take(&mut self.work.actions);
        let mut found = std::mem::take(&mut self.work.found);
        self.points.candidates(self.elements.point(element), &mut self.work.set, &mut actions);
        let mut result = Ok(());
        for &action in &actions {
            result = self.go_back(element, action, depth, &mut found);
            if result.is_err() || !self.is_worth_expanding(element) {
                break;
            }
        }
        self.work.actions = actions;
        self.work.found = found;
        result
    }

    fn go_back(&mut self, element: u32, action: usize, depth: u32, found: &mut Points) -> Result<(), Stop> {
        loop {
            found.clear();
            match self.points.pre_basis(action, self.elements.point(element), found, self.control) {
                Ok(()) => break,
                Err(Failed::Narrow) => self.widen()?,
                Err(Failed::Stop(stop)) => return Err(stop),
            }
        }
        let origin = Origin { parent: element, action: action as u32, depth };
        for at in 0..found.len() {
            self.counts.generated += 1;
            if self.counts.generated.is_multiple_of(CHECK_GENERATED) {
                self.control.check()?;
            }
            if !self.points.leq(self.elements.point(element), found.get(at)) {
                self.add(found.get(at), origin)?;
            }
        }
        Ok(())
    }

    /// Stores a point that is above no other, removes those above it, and lets it wait.
    fn add(&mut self, point: &[u64], origin: Origin) -> Result<(), Stop> {
        let Self { points, elements, antichain, work, .. } = self;
        let exact = points.is_sketch_exact();
        points.sketch(point, &mut work.sketch);
        // Whatever came by is stored, below something stored, or excluded for good.
        if exact && self.lately.has_seen(&work.sketch) {
            return Ok(());
        }
        let is_below = |element: u32| exact || points.leq(elements.point(element), point);
        if antichain.below(&work.sketch, is_below).is_some() {
            return Ok(());
        }
        let is_met = points.meets_initial(point);
        if !is_met && !self.ladder.is_idle() {
            points.mark(point, &mut work.marking, &mut work.marked);
            let excluded = self.ladder.excludes(&work.marking, &work.marked, self.control);
            work.marked.drain(..).for_each(|place| work.marking[place] = 0);
            if excluded? {
                self.counts.pruned += 1;
                return Ok(());
            }
        }
        work.removed.clear();
        let is_above = |element: u32| exact || points.leq(point, elements.point(element));
        antichain.remove_above(&work.sketch, is_above, &mut work.removed);
        work.removed.iter().for_each(|&element| elements.kill(element));
        let element = elements.push(point, origin)?;
        antichain.insert(&work.sketch, element);
        self.counts.depth = self.counts.depth.max(u64::from(origin.depth));
        let key = match self.order {
            Order::SmallestFirst => points.total(point),
            Order::BreadthFirst => u64::from(origin.depth),
        };
        self.queue.push(Reverse((key, element)));
        self.met.extend(is_met.then_some(element));
        Ok(())
    }

    /// Makes room for greater numbers in every element.
    fn widen(&mut self) -> Result<(), Stop> {
        let overflow = || Stop::Overflow("a marking of the backward search".to_owned());
        let wider = self.points.wider().ok_or_else(overflow)?;
        match self.elements.translate(&self.points, &wider, self.control) {
            Ok(()) => self.points = wider,
            Err(Failed::Narrow) => return Err(overflow()),
            Err(Failed::Stop(stop)) => return Err(stop),
        }
        Ok(())
    }

    fn report_progress(&mut self) -> Result<(), Stop> {
        let expanded = self.counts.expanded;
        if self.exchange.is_some() && self.elements.len() >= self.published + BATCH {
            self.publish();
        }
        if self.elements.len() as u64 + self.counts.generated > self.most_states {
            return Err(Stop::Budget(format!("{} markings", self.most_states)));
        }
        if expanded.is_multiple_of(CHECK_ELEMENTS) {
            self.control.check()?;
        }
        if expanded.is_multiple_of(HEARTBEAT_ELEMENTS) && expanded > 0 {
            self.control.emit(&Event::Heartbeat {
                states: self.antichain.len() as u64,
                transitions: self.counts.generated,
                frontier: self.queue.len() as u64,
                depth: self.counts.depth,
            });
        }
        Ok(())
    }

    fn publish(&mut self) {
        let Some((exchange, target)) = &self.exchange else { return };
        let new = self.published as u32..self.elements.len() as u32;
        let batch: Vec<coverability::Element> = new
            .map(|element| {
                let Origin { parent, action, .. } = self.elements.origin(element);
                let origin = (parent != NO_PARENT).then(|| (TransitionId(action), self.offset + parent as usize));
                coverability::Element { marking: self.elements.marking(&self.points, element), origin }
            })
            .collect();
        exchange.publish(*target, &batch);
        self.published = self.elements.len();
    }

    pub fn marking(&self, element: u32) -> Marking {
        self.elements.marking(&self.points, element)
    }

    /// The steps from any marking above the element to the target. Where tokens cannot choose, only the last demand is
    /// looked at.
    pub fn path(&self, element: u32, chooses: &dyn Fn(TransitionId) -> bool) -> Vec<Step> {
        let mut steps = Vec::new();
        let mut at = element;
        loop {
            let Origin { parent, action, .. } = self.elements.origin(at);
            if parent == NO_PARENT {
                return steps;
            }
            let transition = TransitionId(action);
            let is_last = self.elements.origin(parent).parent == NO_PARENT;
            let demand = if is_last || chooses(transition) { self.marking(parent) } else { Marking::default() };
            steps.push(Step { transition, demand });
            at = parent;
        }
    }

    /// Breadth-first: no run with so many steps or fewer meets the target.
    pub fn level(&self) -> Option<u64> {
        match self.order {
            Order::BreadthFirst => Some(self.key),
            Order::SmallestFirst => None,
        }
    }
}
