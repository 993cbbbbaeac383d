//! The model that is looked at, and the work that looking at it may be.
//!
//! Expressions share parts, and conditions are taken apart case by case. Past a number of nodes the rest of an expression is taken to
//! say nothing, which loses precision only.

use std::cell::{Cell, RefCell};

use lapidary_base::{Control, Meter, Stop};
use lapidary_ir::{Declarations, Domain, Model};

use super::interval::Interval;

/// So many nodes are looked at for one condition or value.
const MOST_NODES: u32 = 1 << 12;
/// And so deep.
const DEEPEST: u32 = 96;
/// So many nodes are looked at altogether.
const MOST_WORK: u64 = 1 << 27;
const PIECES_PER_NODE: u64 = 8;

pub struct Scene<'m> {
    pub model: &'m Model,
    meter: RefCell<Meter<'m>>,
    nodes_left: Cell<u32>,
    depth: Cell<u32>,
    work: Cell<u64>,
}

impl<'m> Scene<'m> {
    pub fn new(model: &'m Model, control: &'m Control) -> Self {
        Self {
            model,
            meter: RefCell::new(Meter::new(control)),
            nodes_left: Cell::new(MOST_NODES),
            depth: Cell::new(0),
            work: Cell::new(0),
        }
    }

    /// Before the next condition or value: tells what the last one cost besides so many pieces, and looks at the limits.
    pub fn pause(&self, besides: usize) -> Result<(), Stop> {
        let nodes = u64::from(MOST_NODES - self.nodes_left.replace(MOST_NODES)) + besides as u64 + 1;
        self.work.set(self.work.get() + nodes);
        self.meter.borrow_mut().add(nodes.saturating_mul(PIECES_PER_NODE))?;
        if self.work.get() > MOST_WORK {
            return Err(Stop::Budget(format!("{MOST_WORK} nodes of expressions")));
        }
        Ok(())
    }

    /// Looks at one node and its parts, or answers for it where that would take too long.
    pub fn node<T>(&self, otherwise: T, look: impl FnOnce() -> T) -> T {
        if self.nodes_left.get() == 0 || self.depth.get() == DEEPEST {
            return otherwise;
        }
        self.spend(1);
        self.depth.set(self.depth.get() + 1);
        let found = look();
        self.depth.set(self.depth.get() - 1);
        found
    }

    pub fn spend(&self, nodes: usize) {
        let nodes = u32::try_from(nodes).unwrap_or(u32::MAX);
        self.nodes_left.set(self.nodes_left.get().saturating_sub(nodes));
    }

    pub fn domain(&self, domain: Domain) -> Interval {
        domain_of(self.model, domain)
    }
}

pub fn domain_of(model: &Declarations, domain: Domain) -> Interval {
    match model.bounds(domain) {
        Some((lo, hi)) => Interval { lo: i128::from(lo), hi: i128::from(hi) },
        None => Interval::ALL,
    }
}
