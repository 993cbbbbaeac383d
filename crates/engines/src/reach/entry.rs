//! The row of engine `explicit`.

use super::{Config, ExplicitEngine, Order};
use crate::options::{Making, SearchOrder};
use crate::register::{Budget, Entry, Finds, OptionGroup, Progress, Shape, Share, Taking, Trivial};
use crate::{Engine, Prospects};

pub static EXPLICIT: Entry = Entry {
    name: "explicit",
    takes: Shape::Everything,
    finds: Finds::ShortestRun,
    options: &[OptionGroup::Order],
    share: Share {
        taking: Taking::Together,
        budget: Budget { first: 300_000, growth: 3, counts: &["states"] },
        slice: 1600,
        first: 6400,
    },
    progress: Some(Progress::Counted { counter: "states", one: "state" }),
    trivial: Trivial::Answered,
    // It lists states, of which there may be infinitely many.
    unbounded: Prospects::Bad,
    instead: None,
    make,
};

fn make(making: &Making<'_>) -> Box<dyn Engine> {
    let order = match making.order {
        SearchOrder::BreadthFirst | SearchOrder::Random(_) => Order::BreadthFirst,
        SearchOrder::DepthFirst => Order::DepthFirst,
    };
    Box::new(ExplicitEngine { config: Config { order, most_states: making.budget, threads: making.threads } })
}
