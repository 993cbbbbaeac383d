//! The row of engine `matching`.

use super::{Config, MatchingEngine};
use crate::induction::KINDUCTION;
use crate::options::{Making, SolverOptions};
use crate::register::{Budget, Entry, Finds, OptionGroup, Progress, Shape, Share, Taking, Trivial};
use crate::{Engine, Prospects};

pub static MATCHING: Entry = Entry {
    name: "matching",
    takes: Shape::Everything,
    finds: Finds::SomeRun,
    options: &[OptionGroup::Solver, OptionGroup::SomeRefinement],
    share: Share {
        taking: Taking::OneByOne,
        budget: Budget { first: 2000, growth: 2, counts: &["queries", "concrete_states", "states"] },
        slice: 100,
        first: 400,
    },
    progress: Some(Progress::Counted { counter: "iterations", one: "iteration" }),
    trivial: Trivial::Explored,
    unbounded: Prospects::Open,
    instead: Some(&KINDUCTION),
    make,
};

fn make(making: &Making<'_>) -> Box<dyn Engine> {
    let SolverOptions { backend, concretise, is_local, inputs, bound: _ } = making.solver.clone();
    Box::new(MatchingEngine {
        config: Config {
            backend,
            concretise,
            is_local,
            inputs,
            predicates: making.predicates.to_vec(),
            control: making.control.clone(),
            most_iterations: making.cover.most_iterations,
            most_work: making.budget,
            ..Config::default()
        },
    })
}
