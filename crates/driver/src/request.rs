//! What is asked of a check: the engine, and the options of all engines.

use std::sync::Arc;
use std::time::Duration;

use lapidary_engines::Engine;
use lapidary_engines::coverability::Exchange;
use lapidary_engines::options::{CoverOptions, Making, NetOptions, SearchOrder, SolverOptions};
use lapidary_engines::register::{self, Entry, OptionGroup, understanding};
use lapidary_engines::symbolic::Direction;
use lapidary_ir::VarId;
use regex_lite::Regex;

use crate::load::Loaded;
use crate::shortest;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EngineChoice {
    /// The choice is left to the portfolio.
    #[default]
    Auto,
    Named(&'static Entry),
}

/// What the portfolio is called where engines are named.
pub(crate) const AUTO: &str = "auto";

impl EngineChoice {
    pub fn named(name: &str) -> Option<Self> {
        if name == AUTO { Some(Self::Auto) } else { register::named(name).map(Self::Named) }
    }

    pub fn name(self) -> &'static str {
        self.entry().map_or(AUTO, |entry| entry.name)
    }

    /// The one that is named.
    pub fn entry(self) -> Option<&'static Entry> {
        match self {
            Self::Auto => None,
            Self::Named(entry) => Some(entry),
        }
    }

    /// Why the engine cannot search in this order, in the words of the command line.
    pub fn misuse(self, order: SearchOrder) -> Option<String> {
        let understands = |group| self.entry().is_some_and(|entry| entry.understands(group));
        match order {
            SearchOrder::Random(_) if !understands(OptionGroup::RandomOrder) => {
                let names: Vec<&str> = understanding(OptionGroup::RandomOrder).collect();
                Some(format!("--order random is for --engine {}", names.join(", ")))
            }
            SearchOrder::Random(_) | SearchOrder::BreadthFirst | SearchOrder::DepthFirst => None,
        }
    }
}

#[derive(Clone, Debug)]
pub struct CheckRequest {
    pub engine: EngineChoice,
    pub order: SearchOrder,
    pub direction: Direction,
    pub cover: CoverOptions,
    /// The variables whose name matches are kept exact, instead of those that the language marks.
    pub control: Option<Regex>,
    pub solver: SolverOptions,
    pub net: NetOptions,
    /// See [`crate::shortest`].
    pub shortest: bool,
    /// Threads: 1 or more.
    pub jobs: usize,
    /// Every property is a run of its own that may take so long.
    pub timeout_each: Option<Duration>,
}

impl Default for CheckRequest {
    fn default() -> Self {
        Self {
            engine: EngineChoice::default(),
            order: SearchOrder::default(),
            direction: Direction::default(),
            cover: CoverOptions::default(),
            control: None,
            solver: SolverOptions::default(),
            net: NetOptions::default(),
            shortest: false,
            jobs: 1,
            timeout_each: None,
        }
    }
}

impl CheckRequest {
    /// Why these options do not go together, in the words of the command line.
    pub fn misuse(&self) -> Option<String> {
        let of_order = self.engine.misuse(self.order);
        of_order.or_else(|| self.shortest.then(|| shortest::misuse(self.engine, self.order)).flatten())
    }

    /// A pattern for variables that no variable of the model matches was meant otherwise: which variables there are.
    pub fn unmatched(&self, loaded: &Loaded) -> Option<String> {
        let regex = self.control.as_ref()?;
        let names: Vec<&str> = loaded.declared().vars.iter().map(|var| var.name.as_str()).collect();
        if names.iter().any(|name| regex.is_match(name)) {
            return None;
        }
        let shown = names.iter().take(5).copied().collect::<Vec<_>>().join(", ");
        let more = if names.len() > 5 { ", ..." } else { "" };
        Some(format!("no variable has such a name; there are {shown}{more}"))
    }

    /// An engine with the options that it understands.
    pub(crate) fn make(
        &self,
        entry: &Entry,
        loaded: &Loaded,
        budget: Option<u64>,
        exchange: Option<Arc<Exchange>>,
    ) -> Box<dyn Engine> {
        (entry.make)(&Making {
            order: self.order,
            direction: self.direction,
            cover: &self.cover,
            solver: &self.solver,
            net: self.net,
            shortest: self.shortest,
            threads: u32::try_from(self.jobs).unwrap_or(1),
            predicates: &loaded.predicates,
            control: self.control(loaded),
            budget,
            exchange,
        })
    }

    /// The variables that are kept exact, where some are named.
    fn control(&self, loaded: &Loaded) -> Option<Vec<VarId>> {
        let regex = self.control.as_ref()?;
        let (declared, vars) = (loaded.declared(), &loaded.declared().vars);
        let is_named = |var: &VarId| !declared.is_local(*var) && regex.is_match(&vars[*var].name);
        Some(vars.ids().filter(is_named).collect())
    }
}
