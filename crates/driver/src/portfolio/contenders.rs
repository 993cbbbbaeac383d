//! The engines that compete in a portfolio: how they take properties, and how they are measured.

use std::sync::Arc;

use lapidary_engines::coverability::Exchange;

use super::plan::{Budget, Contender, Finds, Taking};
use crate::load::Loaded;

/// Slices were chosen so that each lasts some ten milliseconds, and one of `explicit` twice that: looks at the limits of most engines are from 0.04 to 0.3 ms apart,
/// and those of `backward` up to 2 ms where it prunes; `explicit` says how much it did.
impl Contender<'_> {
    /// One that rarely answers first, where others do not give up: it gets a small part of the time.
    /// It does not begin with the others either, for its first question may take long.
    pub fn seldom(self) -> Self {
        Self { n_passed: 8, ..self.with_part(8) }
    }

    /// It gets so large a part of the time that others have.
    pub fn with_part(self, part: u64) -> Self {
        Self { slice: (self.slice / part).max(1), first: (self.first / part).max(1), ..self }
    }
}

pub fn backward<'a>(exchange: Option<&Arc<Exchange>>) -> Contender<'a> {
    let exchange = exchange.cloned();
    // Where more tokens may do harm it is asked alone, and what it finds first need not be shortest.
    let finds = if exchange.is_some() { Finds::ShortestRun } else { Finds::SomeRun };
    Contender {
        name: "backward",
        taking: Taking::OneByOne,
        finds,
        budget: Budget { first: 5_000, growth: 3, counts: &["transitions"] },
        slice: 20,
        first: 1_500,
        n_passed: 0,
        make: Box::new(move |budget, request| Box::new(request.backward(Some(budget), exchange.clone()))),
    }
}

pub fn forward<'a>(exchange: &Arc<Exchange>) -> Contender<'a> {
    let exchange = Arc::clone(exchange);
    Contender {
        name: "forward",
        taking: Taking::OneByOne,
        finds: Finds::SomeRun,
        budget: Budget { first: 5_000, growth: 3, counts: &["states"] },
        slice: 200,
        first: 800,
        n_passed: 0,
        make: Box::new(move |budget, request| Box::new(request.forward(Some(budget), Some(Arc::clone(&exchange))))),
    }
}

pub fn lazy<'a>() -> Contender<'a> {
    Contender {
        name: "lazy",
        taking: Taking::OneByOne,
        finds: Finds::SomeRun,
        budget: Budget { first: 2_000, growth: 2, counts: &["transition_analysis"] },
        slice: 100,
        first: 20_000,
        n_passed: 0,
        make: Box::new(|budget, request| Box::new(request.lazy(Some(budget)))),
    }
}

pub fn explicit<'a>() -> Contender<'a> {
    Contender {
        name: "explicit",
        taking: Taking::Together,
        finds: Finds::ShortestRun,
        budget: Budget { first: 300_000, growth: 3, counts: &["states"] },
        slice: 1600,
        first: 6400,
        n_passed: 0,
        make: Box::new(|budget, request| Box::new(request.explicit(Some(budget)))),
    }
}

pub fn bdd<'a>() -> Contender<'a> {
    Contender {
        name: "bdd",
        taking: Taking::Together,
        finds: Finds::ShortestRun,
        budget: Budget { first: 1 << 18, growth: 3, counts: &[] },
        slice: 40,
        first: 160,
        n_passed: 0,
        make: Box::new(|budget, request| Box::new(request.bdd(Some(usize::try_from(budget).unwrap_or(usize::MAX))))),
    }
}

pub fn pcegar(loaded: &Loaded) -> Contender<'_> {
    Contender {
        name: "pcegar",
        taking: Taking::Loops,
        finds: Finds::SomeRun,
        budget: Budget { first: 32, growth: 2, counts: &["iterations"] },
        slice: 40,
        first: 160,
        n_passed: 0,
        make: Box::new(|budget, request| Box::new(request.pcegar(loaded, Some(budget)))),
    }
}

pub fn hierarchical<'a>() -> Contender<'a> {
    Contender {
        name: "hierarchical",
        taking: Taking::Loops,
        finds: Finds::ShortestRun,
        budget: Budget { first: u64::MAX, growth: 0, counts: &[] },
        slice: 40,
        first: 160,
        n_passed: 0,
        make: Box::new(|_, request| Box::new(request.hierarchical())),
    }
}

pub fn matching(loaded: &Loaded) -> Contender<'_> {
    Contender {
        name: "matching",
        taking: Taking::OneByOne,
        finds: Finds::SomeRun,
        budget: Budget { first: 2000, growth: 2, counts: &["queries", "concrete_states", "states"] },
        slice: 100,
        first: 400,
        n_passed: 0,
        make: Box::new(|budget, request| Box::new(request.matching(loaded, Some(budget)))),
    }
}

pub fn kinduction<'a>() -> Contender<'a> {
    Contender {
        name: "kinduction",
        taking: Taking::OneByOne,
        finds: Finds::ShortestRun,
        budget: Budget { first: 100, growth: 2, counts: &["queries"] },
        slice: 100,
        first: 400,
        n_passed: 0,
        make: Box::new(|budget, request| Box::new(request.kinduction(Some(budget)))),
    }
}

pub fn bmc<'a>() -> Contender<'a> {
    Contender {
        name: "bmc",
        taking: Taking::OneByOne,
        finds: Finds::ShortestRun,
        budget: Budget { first: 100, growth: 2, counts: &["queries"] },
        slice: 150,
        first: 600,
        n_passed: 0,
        make: Box::new(|budget, request| Box::new(request.bmc(Some(budget)))),
    }
}
