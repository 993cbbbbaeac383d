//! Hierarchical CEGAR (Chucri 2012, chapter 5): engine `hierarchical`.
//!
//! Every component of a hierarchy is abstracted by itself, by a cover of its configurations. The abstraction is again a
//! hierarchy of the same form. A run of it is feasible exactly if each component finds its own part of it feasible, so
//! that neither the search nor the analysis ever builds the product of the components.

mod cegar;
mod certificate;
mod concrete;
mod cover;
mod local;
mod parts;
mod product;
mod skeleton;
mod tally;
mod target;
#[cfg(test)]
mod tests;
mod verify;

use std::time::Instant;

use lapidary_base::{Control, Stop, Whose};
use lapidary_bdd::Capacity;
use lapidary_ir::{Target, Tree};

use crate::symbolic::{SMALL, capacity, out_of_room};
use crate::{Answer, Engine, Outcome, Task, Unsupported};
use cegar::{Covering, Loop};
use local::Local;
use tally::Tally;

pub use parts::{Components, Coupling, Merged, Part, merged};

pub use crate::cover::{Analysis, Refinement};

/// The options of engine `hierarchical`.
#[derive(Clone, Copy, Debug)]
pub struct Config {
    pub analysis: Analysis,
    pub refinement: Refinement,
    /// Threads of the diagram package.
    pub threads: u32,
}

const NAME: &str = "hierarchical";

pub struct HierarchicalEngine {
    pub config: Config,
}

impl Engine for HierarchicalEngine {
    fn name(&self) -> &'static str {
        NAME
    }

    fn accepts(&self, task: &Task<'_>) -> Result<(), Unsupported> {
        let Some(tree) = task.tree else {
            let what = "only hierarchies have components".to_owned();
            return Err(Unsupported { what, span: None });
        };
        refusal(tree).map_or(Ok(()), Err)
    }

    fn run(&self, task: &Task<'_>, control: &Control) -> Vec<Answer> {
        let start = Instant::now();
        let refused = |stop: Stop| task.targets.iter().map(|_| unknown(stop.clone(), start)).collect();
        match (self.accepts(task), task.tree) {
            (Ok(()), Some(tree)) => {
                let answers: Vec<Answer> = self.answers(task, tree, start, control).unwrap_or_else(refused);
                answers.into_iter().map(|answer| out_of_room(answer, control)).collect()
            }
            (Err(refusal), _) => refused(Stop::Incomplete(refusal.what)),
            (Ok(()), None) => refused(Stop::Incomplete("there is no hierarchy".to_owned())),
        }
    }
}

/// A hierarchy whose root speaks of what is below it, or is spoken of there, is one component: there is nothing to take apart.
fn refusal(tree: &Tree) -> Option<Unsupported> {
    let components = Components::of(tree);
    if components.parts.len() > 1 || tree.components.len() == 1 {
        return None;
    }
    let by = merged(tree).into_iter().next()?;
    let reads = match by.reader == by.component {
        true => "of the root reads variables of the nodes below it".to_owned(),
        false => format!("of {} reads variables of the root", tree.components[by.reader].path),
    };
    let what = format!(
        "{} {reads}, so that all nodes are one component; for such hierarchies there is the engine pcegar",
        by.coupling.name()
    );
    Some(Unsupported { what, span: Some(by.span) })
}

impl HierarchicalEngine {
    /// With small tables first, because large ones take long to set up.
    fn answers(&self, task: &Task<'_>, tree: &Tree, start: Instant, control: &Control) -> Result<Vec<Answer>, Stop> {
        let most = capacity(control, self.config.threads);
        let small = Capacity { nodes: most.nodes.min(SMALL), cache: most.cache.min(SMALL), ..most };
        let answers = answers(task, tree, self.config, Covering::Neat, small, start, control);
        let ran_out = match &answers {
            Ok(answers) => {
                answers.iter().any(|answer| matches!(answer.outcome, Outcome::Unknown(Stop::Memory(Whose::Tables))))
            }
            Err(stop) => *stop == Stop::Memory(Whose::Tables),
        };
        if !ran_out || small == most || control.check().is_err() {
            return answers;
        }
        self::answers(task, tree, self.config, Covering::Neat, most, start, control)
    }
}

/// One loop per target; they share the systems of the components.
fn answers(
    task: &Task<'_>,
    tree: &Tree,
    config: Config,
    covering: Covering,
    capacity: Capacity,
    start: Instant,
    control: &Control,
) -> Result<Vec<Answer>, Stop> {
    let local = Local::new(tree, capacity, control)?;
    let answer = |(place, &target): (usize, &Target)| {
        let start = if place == 0 { start } else { Instant::now() };
        task.announce(place, NAME, control);
        let mut one = Loop { task, local: &local, config, covering, capacity, control, tally: Tally::default() };
        let outcome = one.decide(target);
        let stopped = outcome.is_err();
        Answer {
            outcome: outcome.unwrap_or_else(Outcome::Unknown),
            stats: one.tally.stats(start),
            known: if stopped { one.tally.known() } else { None },
            never_enabled: Vec::new(),
        }
    };
    Ok(task.targets.iter().enumerate().map(answer).collect())
}

fn unknown(stop: Stop, start: Instant) -> Answer {
    let stats = Tally::default().stats(start);
    Answer { outcome: Outcome::Unknown(stop), stats, known: None, never_enabled: Vec::new() }
}
