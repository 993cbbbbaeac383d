//! The row of engine `lazy`.

use super::{Config, Covering, LazyEngine, Order};
use crate::backward::BACKWARD;
use crate::options::{Making, SearchOrder};
use crate::register::{Budget, Entry, Finds, OptionGroup, Progress, Shape, Share, Taking, Trivial};
use crate::{Engine, Prospects};

pub static LAZY: Entry = Entry {
    name: "lazy",
    takes: Shape::Nets,
    finds: Finds::SomeRun,
    options: &[OptionGroup::Order, OptionGroup::RandomOrder, OptionGroup::SomeRefinement],
    share: Share {
        taking: Taking::OneByOne,
        budget: Budget { first: 2_000, growth: 2, counts: &["transition_analysis"] },
        slice: 100,
        first: 20_000,
    },
    progress: Some(Progress::Counted { counter: "iterations", one: "iteration" }),
    trivial: Trivial::Answered,
    unbounded: Prospects::Open,
    instead: Some(&BACKWARD),
    make,
};

fn make(making: &Making<'_>) -> Box<dyn Engine> {
    let order = match making.order {
        SearchOrder::BreadthFirst => Order::BreadthFirst,
        SearchOrder::DepthFirst => Order::DepthFirst,
        SearchOrder::Random(seed) => Order::Random(seed),
    };
    let (most_refinements, most_nodes) = (making.cover.most_iterations, making.budget);
    // Equal nodes of one depth are expanded once where the paper's own counts were not asked for.
    let covering = most_nodes.map(|_| Covering::NotDeeper);
    Box::new(LazyEngine { config: Config { order, covering, most_refinements, most_nodes } })
}
