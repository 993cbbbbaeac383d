//! The loop (Chucri 2012, figure 5.9): search the abstraction, verify the run that was found, refine one component.

use lapidary_base::event::Iteration;
use lapidary_base::{Control, Event, Stop};
use lapidary_bdd::{Capacity, Set};
use lapidary_ir::{ComponentId, Tree};

use super::Config;
use super::certificate::certificate;
use super::concrete::trace;
use super::cover::{Cover, event_predicates, separated};
use super::local::Local;
use super::product::{AbstractRun, Found, Product, goal};
use super::tally::Tally;
use super::target::Goal;
use super::verify::{Projection, Verified};
use crate::words::counted;
use crate::{Outcome, Target, Task};

/// Which covers the loop begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Covering {
    /// Members of a block have the same labels, wherever priorities ask for it (section 5.3.2).
    Neat,
    /// Only what is looked for is separated: wrong where there are priorities.
    #[cfg_attr(not(test), expect(dead_code, reason = "shows what neat covers are for"))]
    Plain,
}

/// The search for one target.
pub struct Loop<'a> {
    pub task: &'a Task<'a>,
    pub local: &'a Local<'a>,
    pub config: Config,
    pub covering: Covering,
    pub capacity: Capacity,
    pub control: &'a Control,
    pub tally: Tally,
}

impl Loop<'_> {
    pub fn decide(&mut self, target: Target) -> Result<Outcome, Stop> {
        let goal = goal(self.local, target, &self.task.subject.declared().exprs, self.control)?;
        let mut covers = self.covers(goal.as_ref())?;
        if covers.iter().any(|cover| cover.blocks.is_empty()) {
            return Ok(Outcome::Excluded(certificate(self.local, &covers, None)?));
        }
        loop {
            self.control.check()?;
            self.tally.blocks.push(n_blocks(&covers));
            let product = Product::new(self.local, &covers, self.capacity, self.control)?;
            let target = product.target(self.local, &covers, goal.as_ref(), self.control)?;
            let run = match product.search(&target, &mut self.tally, self.control)? {
                Found::Nothing(reached) => {
                    self.report(&covers, None, String::new());
                    let certificate = certificate(self.local, &covers, Some((&product.system, &reached)))?;
                    return Ok(Outcome::Excluded(certificate));
                }
                Found::Run(run) => run,
            };
            self.tally.lengths.push(run.labels.len() as u64);
            let Some((unit, block, by)) = self.spurious(&covers, &run)? else {
                self.report(&covers, Some(&run), String::new());
                return Ok(Outcome::Found(trace(self.task, self.local, &covers, &run, self.control)?));
            };
            let (refinement, analysis) = (self.config.refinement.name(), self.config.analysis.name());
            self.report(&covers, Some(&run), format!("{refinement} {analysis} {}", self.local.name(unit)));
            self.may_refine()?;
            covers[unit].split(self.local, block, &by, &mut self.tally)?;
        }
    }

    /// As in [`crate::scheme::run`]: what was refined for the last time is looked at once more.
    fn may_refine(&self) -> Result<(), Stop> {
        let n_refined = self.tally.blocks.len() as u64 - 1;
        match self.config.most_iterations {
            Some(most) if n_refined >= most => {
                Err(Stop::Incomplete(format!("no answer after {}", counted(most, "iteration"))))
            }
            Some(_) | None => Ok(()),
        }
    }

    /// The first component that has no run like this, and how its cover is refined.
    fn spurious(&mut self, covers: &[Cover], run: &AbstractRun) -> Result<Option<(usize, usize, Set)>, Stop> {
        for cover in covers {
            self.control.check()?;
            let projection = Projection::new(cover, run);
            if let Verified::Spurious { block, by } = projection.verify(self.local, self.config, &mut self.tally)? {
                return Ok(Some((cover.unit, block, by)));
            }
        }
        Ok(None)
    }

    /// The initial covers.
    fn covers(&mut self, goal: Option<&Goal>) -> Result<Vec<Cover>, Stop> {
        let (local, control) = (self.local, self.control);
        let mut covers = Vec::new();
        for unit in 0..local.units.len() {
            let mut by = goal.map_or_else(Vec::new, |goal| goal.atoms[unit].clone());
            let is_ordered = goal.is_none() || has_order_above(local.tree(), local.units[unit].part.component);
            if self.covering == Covering::Neat && is_ordered {
                by.extend(event_predicates(local, unit)?);
            }
            let blocks = separated(&local.frame.space, &local.units[unit].configurations, &by, control)?;
            covers.push(Cover::new(local, unit, blocks, &mut self.tally, control)?);
        }
        Ok(covers)
    }

    fn report(&self, covers: &[Cover], run: Option<&AbstractRun>, refiner: String) {
        self.control.emit(&Event::Iteration(Iteration {
            i: self.tally.blocks.len() as u64,
            abs_states: n_blocks(covers),
            abs_trans: covers.iter().map(|cover| cover.n_steps() as u64).sum(),
            cex_len: run.map_or(0, |run| run.labels.len() as u64),
            refiner,
            ..Iteration::default()
        }));
    }
}

fn n_blocks(covers: &[Cover]) -> u64 {
    covers.iter().map(|cover| cover.blocks.len() as u64).sum()
}

/// Whether some events have priority over others at the component or above it.
pub fn has_order_above(tree: &Tree, component: ComponentId) -> bool {
    let mut at = Some(component);
    while let Some(id) = at {
        let node = &tree.components[id];
        if !node.priorities.is_empty() || node.vectors.iter().any(|vector| vector.has_optional()) {
            return true;
        }
        at = node.parent;
    }
    false
}
