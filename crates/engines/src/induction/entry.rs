//! The rows of engines `bmc` and `kinduction`.

use super::{BmcEngine, Config, InductionEngine};
use crate::Prospects;
use crate::matching::MATCHING;
use crate::options::{Making, SolverOptions};
use crate::register::{Budget, Entry, Finds, OptionGroup, Progress, Shape, Share, Taking, Trivial};

pub static BMC: Entry = Entry {
    name: "bmc",
    takes: Shape::Everything,
    finds: Finds::ShortestRun,
    options: &[OptionGroup::Solver, OptionGroup::Bound],
    share: Share {
        taking: Taking::OneByOne,
        budget: Budget { first: 100, growth: 2, counts: &["queries"] },
        slice: 150,
        first: 600,
    },
    progress: Some(Progress::Counted { counter: "depth", one: "step" }),
    trivial: Trivial::Answered,
    unbounded: Prospects::Open,
    instead: Some(&KINDUCTION),
    make: |making| Box::new(BmcEngine { config: config(making) }),
};

pub static KINDUCTION: Entry = Entry {
    name: "kinduction",
    takes: Shape::Everything,
    finds: Finds::ShortestRun,
    options: &[OptionGroup::Solver, OptionGroup::Bound],
    share: Share {
        taking: Taking::OneByOne,
        budget: Budget { first: 100, growth: 2, counts: &["queries"] },
        slice: 100,
        first: 400,
    },
    progress: Some(Progress::Parameter { counter: "iterations", name: "k", much: 10 }),
    trivial: Trivial::Answered,
    unbounded: Prospects::Open,
    instead: Some(&MATCHING),
    make: |making| Box::new(InductionEngine { config: config(making) }),
};

fn config(making: &Making<'_>) -> Config {
    let SolverOptions { backend, bound, .. } = making.solver.clone();
    Config { backend, bound, most_queries: making.budget }
}
