//! The rings of a breadth-first search: what is first met after so many steps; runs are read off them.

use lapidary_base::{Control, Event, Stop};
use lapidary_bdd::Set;
use lapidary_ir::Exprs;
use lapidary_system::symbolic::{Families, Origin, Symbolic};
use lapidary_verdict::{State, Trace};

use super::runs::named;
use crate::Task;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    Post,
    Pre,
}

/// Waiting leads elsewhere only where flows may choose.
pub fn moves(system: &Symbolic, origin: Origin) -> bool {
    origin != Origin::Idle || system.idle_moves
}

/// How many configurations a set has, as far as that can be said.
pub fn count(system: &Symbolic, set: &Set) -> Result<u64, Stop> {
    let n_states = system.space.count(set, &system.columns())?;
    Ok(n_states.and_then(|n| u64::try_from(n).ok()).unwrap_or(u64::MAX))
}

type Counts = Vec<(&'static str, u64)>;

pub struct Rings<'a> {
    system: &'a Symbolic,
    /// The union of the rings.
    pub all: Set,
    rings: Vec<Set>,
    /// When the last ring was laid: counting takes too long for one who is to stop.
    states: Option<u64>,
    most_nodes: u64,
}

impl<'a> Rings<'a> {
    pub fn new(system: &'a Symbolic, first: &Set) -> Self {
        Self { system, all: first.clone(), rings: vec![first.clone()], states: None, most_nodes: 0 }
    }

    pub fn last(&self) -> &Set {
        self.rings.last().expect("there is a first ring")
    }

    pub fn depth(&self) -> usize {
        self.rings.len() - 1
    }

    /// The first ring that meets the set.
    pub fn meeting(&self, set: &Set) -> Result<Option<usize>, Stop> {
        for (depth, ring) in self.rings.iter().enumerate() {
            if self.system.space.intersects(ring, set)? {
                return Ok(Some(depth));
            }
        }
        Ok(None)
    }

    /// Adds the next ring; false if there is none.
    pub fn grow(&mut self, way: Way, control: &Control) -> Result<bool, Stop> {
        let space = &self.system.space;
        let mut next = space.none();
        for group in self.system.groups.iter().filter(|group| moves(self.system, group.origin)) {
            control.check()?;
            let step = match way {
                Way::Post => self.system.post(group, self.last())?,
                Way::Pre => self.system.pre(group, self.last())?,
            };
            next = space.or(&next, &step)?;
        }
        let next = space.minus(&next, &self.all)?;
        if space.is_none(&next) {
            return Ok(false);
        }
        self.all = space.or(&self.all, &next)?;
        self.rings.push(next);
        let (states, frontier, depth) = (self.count()?, count(self.system, self.last())?, self.depth() as u64);
        control.emit(&Event::Heartbeat { states, transitions: 0, frontier, depth });
        Ok(true)
    }

    /// Counts what all rings have.
    fn count(&mut self) -> Result<u64, Stop> {
        self.most_nodes = self.most_nodes.max(self.system.space.node_count(&self.all)? as u64);
        let states = count(self.system, &self.all)?;
        self.states = Some(states).filter(|&states| states != u64::MAX);
        Ok(states)
    }

    /// The counts of a search that ended; also where the first ring is all there is.
    pub fn final_counts(&mut self) -> Result<Counts, Stop> {
        if self.depth() == 0 {
            self.count()?;
        }
        Ok(self.counts())
    }

    /// What was counted when the last ring was laid.
    pub fn counts(&self) -> Counts {
        let states = self.states.map(|states| ("states", states));
        let others = [("depth", self.depth() as u64), ("bdd_nodes", self.most_nodes)];
        states.into_iter().chain(others).collect()
    }

    /// How far the search came.
    pub fn known(&self) -> Option<String> {
        let steps = if self.depth() == 1 { "step" } else { "steps" };
        Some(format!("within {} {steps}", self.depth()))
    }

    /// A shortest run into the target, which the ring at this depth meets; the rings came by [`Way::Post`].
    pub fn trace_to(&self, task: &Task<'_>, target: &Set, depth: usize, control: &Control) -> Result<Trace, Stop> {
        let declared = task.subject.declared();
        let states = self.states_to(&declared.exprs, &declared.families, target, depth, control)?;
        named(task, self.system, states, control)
    }

    /// The states of such a run.
    pub fn states_to(
        &self,
        exprs: &Exprs,
        families: Families<'_>,
        target: &Set,
        depth: usize,
        control: &Control,
    ) -> Result<Vec<State>, Stop> {
        let system = self.system;
        let pick = |set: &Set| pick(system, exprs, families, set);
        let end = pick(&system.space.and(&self.rings[depth], target)?)?;
        let mut states = vec![end];
        for ring in self.rings[..depth].iter().rev() {
            let after = system.single(states.last().expect("the end is there"))?;
            states.push(pick(&self.neighbours(&after, ring, Way::Pre, control)?)?);
        }
        states.reverse();
        Ok(states)
    }

    /// A shortest run from the last ring, which meets `from`, to the first; the rings came by [`Way::Pre`].
    pub fn trace_from(&self, task: &Task<'_>, from: &Set, control: &Control) -> Result<Trace, Stop> {
        let (system, model) = (self.system, task.subject.declared());
        let pick = |set: &Set| pick(system, &model.exprs, &model.families, set);
        let mut states = vec![pick(&system.space.and(self.last(), from)?)?];
        for ring in self.rings[..self.depth()].iter().rev() {
            let before = system.single(states.last().expect("the start is there"))?;
            states.push(pick(&self.neighbours(&before, ring, Way::Post, control)?)?);
        }
        named(task, system, states, control)
    }

    /// The members of a ring that are one step away from a set.
    fn neighbours(&self, of: &Set, ring: &Set, way: Way, control: &Control) -> Result<Set, Stop> {
        let system = self.system;
        for group in system.groups.iter().filter(|group| moves(self.system, group.origin)) {
            control.check()?;
            let step = match way {
                Way::Post => system.post(group, of)?,
                Way::Pre => system.pre(group, of)?,
            };
            let found = system.space.and(&step, ring)?;
            if !system.space.is_none(&found) {
                return Ok(found);
            }
        }
        Ok(system.space.none())
    }
}

fn pick(system: &Symbolic, exprs: &Exprs, families: Families<'_>, set: &Set) -> Result<State, Stop> {
    Ok(system.pick(exprs, families, set)?.expect("rings follow each other by steps"))
}
