//! Hierarchical CEGAR (Chucri 2012, chapter 5): engine `hierarchical`.
//!
//! Every component of a hierarchy is abstracted by itself, by a cover of its configurations. The abstraction is again a
//! hierarchy of the same form. A run of it is feasible exactly if each component finds its own part of it feasible, so
//! that neither the search nor the analysis ever builds the product of the components.

mod cegar;
mod certificate;
mod concrete;
mod cover;
mod entry;
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
use lapidary_ir::Tree;

use crate::symbolic::{SMALL, all_out_of_room, capacity};
use crate::{Answer, Engine, Known, Outcome, Prepared, Refused, Task, Tell, Unsupported, ready};
use cegar::{Covering, Loop};
pub use entry::HIERARCHICAL;
use local::Local;
use tally::Tally;

use parts::coupling;
pub use parts::{Components, Coupling, Merged, Part, merged};

pub use crate::cover::{Analysis, Refinement};

/// The options of engine `hierarchical`.
#[derive(Clone, Copy, Debug)]
pub struct Config {
    pub analysis: Analysis,
    pub refinement: Refinement,
    pub most_iterations: Option<u64>,
    /// Threads of the diagram package.
    pub threads: u32,
}

pub struct HierarchicalEngine {
    pub config: Config,
}

impl Engine for HierarchicalEngine {
    fn name(&self) -> &'static str {
        HIERARCHICAL.name
    }

    fn prepare<'t>(&'t self, task: &'t Task<'t>, control: &Control) -> Result<Box<dyn Prepared + 't>, Refused> {
        let tree = task.subject.tree().ok_or_else(|| Refused::what("only hierarchies have components"))?;
        if let Some(refusal) = refusal(tree, &Components::within(tree, control)?) {
            return Err(refusal.into());
        }
        let subject = task.subject.apart();
        Ok(ready(move |control, tell| {
            let task = &task.of(&subject);
            let tree = task.subject.tree().expect("the subject is a hierarchy");
            self.search(task, tree, control, tell);
        }))
    }
}

/// A hierarchy whose root speaks of what is below it, or is spoken of there, is one component: there is nothing to take apart.
fn refusal(tree: &Tree, components: &Components) -> Option<Unsupported> {
    if components.parts.len() > 1 || tree.components.len() == 1 {
        return None;
    }
    let by = coupling(tree, components.parts.first()?.component)?;
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
    /// With small tables first, because large ones take long to set up; what they do not suffice for begins anew.
    fn search(&self, task: &Task<'_>, tree: &Tree, control: &Control, tell: &mut Tell<'_>) {
        let most = capacity(control, self.config.threads);
        let small = Capacity { nodes: most.nodes.min(SMALL), cache: most.cache.min(SMALL), ..most };
        let mut open: Vec<usize> = (0..task.goals.len()).collect();
        if small != most {
            let mut larger = Vec::new();
            answers(task, tree, self.config, Covering::Neat, small, &open, control, &mut |told| {
                let ran_out = |(_, answer): &(usize, Answer)| {
                    matches!(answer.outcome, Outcome::Unknown(Stop::Memory(Whose::Tables))) && control.check().is_ok()
                };
                let (again, told): (Vec<_>, Vec<_>) = told.into_iter().partition(ran_out);
                larger.extend(again.into_iter().map(|(target, _)| target));
                tell(all_out_of_room(told, control));
            });
            open = larger;
        }
        if !open.is_empty() {
            let mut last = |told| tell(all_out_of_room(told, control));
            answers(task, tree, self.config, Covering::Neat, most, &open, control, &mut last);
        }
    }
}

/// One loop per target; they share the systems of the components.
#[expect(clippy::too_many_arguments, reason = "tests choose the cover and its tables")]
fn answers(
    task: &Task<'_>,
    tree: &Tree,
    config: Config,
    covering: Covering,
    capacity: Capacity,
    targets: &[usize],
    control: &Control,
    tell: &mut Tell<'_>,
) {
    let start = Instant::now();
    let local = match Local::new(tree, capacity, control) {
        Ok(local) => local,
        Err(stop) => return targets.iter().for_each(|&target| tell(vec![(target, unknown(stop.clone(), start))])),
    };
    for (place, &target) in targets.iter().enumerate() {
        let start = if place == 0 { start } else { Instant::now() };
        task.announce(target, HIERARCHICAL.name, control);
        let mut one = Loop { task, local: &local, config, covering, capacity, control, tally: Tally::default() };
        let outcome = one.decide(task.goals[target].target);
        let stopped = outcome.is_err();
        let answer = Answer {
            outcome: outcome.unwrap_or_else(Outcome::Unknown),
            stats: one.tally.stats(start),
            known: if stopped { one.tally.known().map(Known::from) } else { None },
            never_enabled: Vec::new(),
        };
        tell(vec![(target, answer)]);
    }
}

fn unknown(stop: Stop, start: Instant) -> Answer {
    let stats = Tally::default().stats(start);
    Answer { outcome: Outcome::Unknown(stop), stats, known: None, never_enabled: Vec::new() }
}
