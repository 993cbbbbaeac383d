//! The row of engine `forward`.

use super::{Config, ForwardEngine};
use crate::backward::BACKWARD;
use crate::options::Making;
use crate::register::{Budget, Entry, Finds, Shape, Share, Taking, Trivial};
use crate::{Engine, Prospects};

pub static FORWARD: Entry = Entry {
    name: "forward",
    takes: Shape::Nets,
    finds: Finds::SomeRun,
    options: &[],
    share: Share {
        taking: Taking::OneByOne,
        budget: Budget { first: 5_000, growth: 3, counts: &["states"] },
        slice: 200,
        first: 800,
    },
    progress: None,
    trivial: Trivial::Answered,
    unbounded: Prospects::Open,
    instead: Some(&BACKWARD),
    make,
};

fn make(making: &Making<'_>) -> Box<dyn Engine> {
    Box::new(ForwardEngine { config: Config { most_states: making.budget, exchange: making.exchange.clone() } })
}
