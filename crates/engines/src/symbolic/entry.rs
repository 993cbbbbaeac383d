//! The row of engine `bdd`.

use super::{BddEngine, Config};
use crate::options::Making;
use crate::register::{Budget, Entry, Finds, OptionGroup, Progress, Shape, Share, Taking, Trivial};
use crate::{Engine, Prospects};

pub static BDD: Entry = Entry {
    name: "bdd",
    takes: Shape::Everything,
    finds: Finds::ShortestRun,
    options: &[OptionGroup::Direction],
    share: Share {
        taking: Taking::Together,
        budget: Budget { first: 1 << 18, growth: 3, counts: &[] },
        slice: 40,
        first: 160,
    },
    progress: Some(Progress::Counted { counter: "states", one: "state" }),
    trivial: Trivial::Answered,
    unbounded: Prospects::Open,
    instead: None,
    make,
};

fn make(making: &Making<'_>) -> Box<dyn Engine> {
    let most_nodes = making.budget.map(|budget| usize::try_from(budget).unwrap_or(usize::MAX));
    Box::new(BddEngine { config: Config { direction: making.direction, threads: making.threads, most_nodes } })
}
