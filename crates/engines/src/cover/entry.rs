//! The rows of engines `cegar` and `pcegar`.

use super::{Certification, Config, CoverEngine, Heuristics, Start};
use crate::options::Making;
use crate::register::{Budget, Entry, Finds, OptionGroup, Progress, Shape, Share, Taking, Trivial};
use crate::{Engine, Prospects};

const ROUNDS: Progress = Progress::Counted { counter: "iterations", one: "iteration" };

const SHARE: Share = Share {
    taking: Taking::Loops,
    budget: Budget { first: 32, growth: 2, counts: &["iterations"] },
    slice: 40,
    first: 160,
};

pub static CEGAR: Entry = Entry {
    name: "cegar",
    takes: Shape::Everything,
    finds: Finds::SomeRun,
    options: &[OptionGroup::Refinement],
    share: SHARE,
    progress: Some(ROUNDS),
    trivial: Trivial::Answered,
    unbounded: Prospects::Open,
    instead: None,
    make: |making| engine(making, CEGAR.name, Certification::NONE),
};

pub static PCEGAR: Entry = Entry {
    name: "pcegar",
    takes: Shape::Everything,
    finds: Finds::SomeRun,
    options: &[OptionGroup::Refinement],
    share: SHARE,
    progress: Some(ROUNDS),
    trivial: Trivial::Answered,
    unbounded: Prospects::Open,
    instead: None,
    make: |making| engine(making, PCEGAR.name, making.cover.heuristics.certification),
};

fn engine(making: &Making<'_>, name: &'static str, certification: Certification) -> Box<dyn Engine> {
    let options = making.cover;
    let start = Start {
        predicates: making.predicates.to_vec(),
        guards: options.guards,
        control: making.control.clone(),
        is_cover: options.is_cover,
    };
    Box::new(CoverEngine {
        name,
        config: Config {
            heuristics: Heuristics { certification, ..options.heuristics },
            start,
            super_transition: options.super_transition,
            // Either limit may be missing.
            most_iterations: options.most_iterations.into_iter().chain(making.budget).min(),
            shows_abstractions: options.shows_abstractions,
            threads: making.threads,
        },
    })
}
