//! The engines that compete in a portfolio, and how much of the time each gets.

use std::sync::Arc;

use lapidary_engines::Engine;
use lapidary_engines::coverability::Exchange;
use lapidary_engines::register::{Budget, Entry, Finds, Share, Taking};

use crate::load::Loaded;
use crate::request::CheckRequest;

/// The engine with a budget; the greatest is none at all.
pub type Make<'a> = Box<dyn Fn(u64, &CheckRequest) -> Box<dyn Engine> + Send + Sync + 'a>;

/// One of the engines that compete. What the table says of its share may be changed by the plan.
pub struct Contender<'a> {
    pub name: &'static str,
    pub taking: Taking,
    pub finds: Finds,
    pub budget: Budget,
    pub slice: u64,
    pub first: u64,
    /// How many turns it leaves to the others before it begins.
    pub n_passed: u32,
    pub make: Make<'a>,
}

impl<'a> Contender<'a> {
    pub fn of(entry: &'static Entry, loaded: &'a Loaded) -> Self {
        Self::with(entry, loaded, None)
    }

    /// One that hears what others find, and tells what it finds itself.
    pub fn sharing(entry: &'static Entry, loaded: &'a Loaded, exchange: &Arc<Exchange>) -> Self {
        Self::with(entry, loaded, Some(Arc::clone(exchange)))
    }

    fn with(entry: &'static Entry, loaded: &'a Loaded, exchange: Option<Arc<Exchange>>) -> Self {
        let Share { taking, budget, slice, first } = entry.share;
        let make =
            move |budget: u64, request: &CheckRequest| request.make(entry, loaded, Some(budget), exchange.clone());
        let (name, finds) = (entry.name, entry.finds);
        Self { name, taking, finds, budget, slice, first, n_passed: 0, make: Box::new(make) }
    }

    /// One whose runs need not be shortest on this model, whatever the table says.
    pub fn finding_some_run(self) -> Self {
        Self { finds: Finds::SomeRun, ..self }
    }

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
