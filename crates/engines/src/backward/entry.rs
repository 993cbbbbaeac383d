//! The row of engine `backward`.

use super::{BackwardEngine, Config, Order, Pruning};
use crate::lazy::LAZY;
use crate::options::Making;
use crate::register::{Budget, Entry, Finds, OptionGroup, Shape, Share, Taking, Trivial};
use crate::{Engine, Prospects};

pub static BACKWARD: Entry = Entry {
    name: "backward",
    takes: Shape::Nets,
    // Where more tokens may do harm, what it finds first need not be shortest.
    finds: Finds::ShortestRun,
    options: &[OptionGroup::Pruning],
    share: Share {
        taking: Taking::OneByOne,
        budget: Budget { first: 5_000, growth: 3, counts: &["transitions"] },
        slice: 20,
        first: 1_500,
    },
    progress: None,
    trivial: Trivial::Answered,
    unbounded: Prospects::Open,
    instead: Some(&LAZY),
    make,
};

fn make(making: &Making<'_>) -> Box<dyn Engine> {
    let order = if making.shortest { Order::BreadthFirst } else { Order::SmallestFirst };
    let pruning = making.net.pruning;
    // Without any pruning it works on the whole net, and its markings mean nothing to others.
    let exchange = making.exchange.clone().filter(|_| pruning != Pruning::None);
    let config = Config { pruning, order, most_states: making.budget, exchange, ..Config::default() };
    Box::new(BackwardEngine { config })
}
