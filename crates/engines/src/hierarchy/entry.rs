//! The row of engine `hierarchical`.

use super::{Config, HierarchicalEngine};
use crate::cover::Heuristics;
use crate::options::Making;
use crate::register::{Budget, Entry, Finds, OptionGroup, Progress, Shape, Share, Taking, Trivial};
use crate::{Engine, Prospects};

pub static HIERARCHICAL: Entry = Entry {
    name: "hierarchical",
    takes: Shape::Hierarchies,
    finds: Finds::ShortestRun,
    options: &[OptionGroup::SomeRefinement],
    share: Share {
        taking: Taking::Loops,
        budget: Budget { first: u64::MAX, growth: 0, counts: &[] },
        slice: 40,
        first: 160,
    },
    progress: Some(Progress::Counted { counter: "iterations", one: "iteration" }),
    trivial: Trivial::Answered,
    unbounded: Prospects::Open,
    instead: None,
    make,
};

fn make(making: &Making<'_>) -> Box<dyn Engine> {
    let Heuristics { analysis, refinement, .. } = making.cover.heuristics;
    let most_iterations = making.cover.most_iterations;
    Box::new(HierarchicalEngine { config: Config { analysis, refinement, most_iterations, threads: making.threads } })
}
