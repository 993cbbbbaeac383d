//! What is asked of a check: the engine by its name, and the options of all engines.

use std::sync::Arc;
use std::time::Duration;

use lapidary_engines::Engine;
use lapidary_engines::backward::{self, BackwardEngine, Pruning};
use lapidary_engines::cover::{self, Certification, CoverEngine, Heuristics, Start};
use lapidary_engines::coverability::Exchange;
use lapidary_engines::forward::{self, ForwardEngine};
use lapidary_engines::hierarchy::{self, HierarchicalEngine};
use lapidary_engines::induction::{self, BmcEngine, InductionEngine};
use lapidary_engines::lazy::{self, LazyEngine};
use lapidary_engines::matching::{self, Inputs, MatchingEngine};
use lapidary_engines::reach::{self, ExplicitEngine};
use lapidary_engines::symbolic::{self, BddEngine, Direction};
use lapidary_ir::VarId;
use lapidary_smt::Backend;
use regex_lite::Regex;

use crate::load::Loaded;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EngineChoice {
    #[default]
    Auto,
    Explicit,
    Bdd,
    Cegar,
    Pcegar,
    Hierarchical,
    Matching,
    Bmc,
    Kinduction,
    Lazy,
    Backward,
    Forward,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SearchOrder {
    #[default]
    BreadthFirst,
    DepthFirst,
    /// By chance, always the same for the same seed; for engine `lazy`.
    Random(u64),
}

/// From where engine `bdd` searches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SearchDirection {
    #[default]
    Forward,
    Backward,
}

/// The options of the engines that refine covers; the predicates come with the model.
#[derive(Clone, Debug, Default)]
pub struct CoverOptions {
    /// What `cegar` certifies is nothing, whatever stands here.
    pub heuristics: Heuristics,
    /// The atoms of all guards are predicates.
    pub guards: bool,
    /// A cover by the predicates instead of a partition.
    pub is_cover: bool,
    /// The variables whose name matches are kept exact, instead of those that the language marks.
    pub control: Option<Regex>,
    pub super_transition: bool,
    pub most_iterations: Option<u64>,
    /// Every abstraction is told of in an event.
    pub shows_abstractions: bool,
}

/// The options of the engines that ask a solver. `matching` has its control variables, its predicates and the most
/// iterations where the engines that refine covers have theirs.
#[derive(Clone, Debug)]
pub struct SolverOptions {
    pub backend: Backend,
    /// After so many rounds `matching` makes an inexact transition exact by equalities; never if there is no number.
    pub concretise: Option<u32>,
    /// Predicates belong to the values of the control variables where they were found missing.
    pub is_local: bool,
    pub inputs: Inputs,
    /// The longest runs of `bmc`, the greatest `k` of `kinduction`.
    pub bound: Option<u64>,
}

impl Default for SolverOptions {
    fn default() -> Self {
        let matching::Config { backend, concretise, is_local, inputs, .. } = matching::Config::default();
        Self { backend, concretise, is_local, inputs, bound: None }
    }
}

/// The options of the engines for nets.
#[derive(Clone, Copy, Debug, Default)]
pub struct NetOptions {
    /// What `backward` leaves out because it cannot be reached.
    pub pruning: Pruning,
}

#[derive(Clone, Debug)]
pub struct CheckRequest {
    pub engine: EngineChoice,
    pub order: SearchOrder,
    pub direction: SearchDirection,
    pub cover: CoverOptions,
    pub solver: SolverOptions,
    pub net: NetOptions,
    /// Only engines whose counterexamples and witnesses are shortest may answer.
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
            direction: SearchDirection::default(),
            cover: CoverOptions::default(),
            solver: SolverOptions::default(),
            net: NetOptions::default(),
            shortest: false,
            jobs: 1,
            timeout_each: None,
        }
    }
}

impl CheckRequest {
    /// The engine that is named; none if the choice is left to the portfolio.
    pub(crate) fn named(&self, loaded: &Loaded) -> Option<Box<dyn Engine>> {
        Some(match self.engine {
            EngineChoice::Auto => return None,
            EngineChoice::Explicit => Box::new(self.explicit(None)),
            EngineChoice::Bdd => Box::new(self.bdd(None)),
            EngineChoice::Cegar => Box::new(self.cegar(loaded)),
            EngineChoice::Pcegar => Box::new(self.pcegar(loaded, None)),
            EngineChoice::Hierarchical => Box::new(self.hierarchical()),
            EngineChoice::Matching => Box::new(self.matching(loaded, None)),
            EngineChoice::Bmc => Box::new(self.bmc(None)),
            EngineChoice::Kinduction => Box::new(self.kinduction(None)),
            EngineChoice::Lazy => Box::new(self.lazy(None)),
            EngineChoice::Backward => Box::new(self.backward(None, None)),
            EngineChoice::Forward => Box::new(self.forward(None, None)),
        })
    }

    fn threads(&self) -> u32 {
        u32::try_from(self.jobs).unwrap_or(1)
    }

    pub(crate) fn explicit(&self, most_states: Option<u64>) -> ExplicitEngine {
        let order = match self.order {
            SearchOrder::BreadthFirst | SearchOrder::Random(_) => reach::Order::BreadthFirst,
            SearchOrder::DepthFirst => reach::Order::DepthFirst,
        };
        ExplicitEngine { config: reach::Config { order, most_states } }
    }

    pub(crate) fn bdd(&self, most_nodes: Option<usize>) -> BddEngine {
        let direction = match self.direction {
            SearchDirection::Forward => Direction::Forward,
            SearchDirection::Backward => Direction::Backward,
        };
        BddEngine { config: symbolic::Config { direction, threads: self.threads(), most_nodes } }
    }

    pub(crate) fn cegar(&self, loaded: &Loaded) -> CoverEngine {
        self.cover(loaded, "cegar", Certification::NONE, None)
    }

    pub(crate) fn pcegar(&self, loaded: &Loaded, budget: Option<u64>) -> CoverEngine {
        self.cover(loaded, "pcegar", self.cover.heuristics.certification, budget)
    }

    fn cover(
        &self,
        loaded: &Loaded,
        name: &'static str,
        certification: Certification,
        budget: Option<u64>,
    ) -> CoverEngine {
        let CoverOptions { heuristics, guards, is_cover, super_transition, shows_abstractions, .. } = &self.cover;
        let start = Start {
            predicates: loaded.predicates.clone(),
            guards: *guards,
            control: self.control(loaded),
            is_cover: *is_cover,
        };
        CoverEngine {
            name,
            config: cover::Config {
                heuristics: Heuristics { certification, ..*heuristics },
                start,
                super_transition: *super_transition,
                most_iterations: least(self.cover.most_iterations, budget),
                shows_abstractions: *shows_abstractions,
                threads: self.threads(),
            },
        }
    }

    pub(crate) fn hierarchical(&self) -> HierarchicalEngine {
        let Heuristics { analysis, refinement, .. } = self.cover.heuristics;
        HierarchicalEngine { config: hierarchy::Config { analysis, refinement, threads: self.threads() } }
    }

    pub(crate) fn matching(&self, loaded: &Loaded, most_work: Option<u64>) -> MatchingEngine {
        let SolverOptions { backend, concretise, is_local, inputs, bound: _ } = self.solver.clone();
        MatchingEngine {
            config: matching::Config {
                backend,
                concretise,
                is_local,
                inputs,
                predicates: loaded.predicates.clone(),
                control: self.control(loaded),
                most_iterations: self.cover.most_iterations,
                most_work,
                ..matching::Config::default()
            },
        }
    }

    pub(crate) fn bmc(&self, most_queries: Option<u64>) -> BmcEngine {
        BmcEngine { config: self.induction(most_queries) }
    }

    pub(crate) fn kinduction(&self, most_queries: Option<u64>) -> InductionEngine {
        InductionEngine { config: self.induction(most_queries) }
    }

    pub(crate) fn lazy(&self, most_nodes: Option<u64>) -> LazyEngine {
        let order = match self.order {
            SearchOrder::BreadthFirst => lazy::Order::BreadthFirst,
            SearchOrder::DepthFirst => lazy::Order::DepthFirst,
            SearchOrder::Random(seed) => lazy::Order::Random(seed),
        };
        let most_refinements = self.cover.most_iterations;
        // Equal nodes of one depth are expanded once where the paper's own counts were not asked for.
        let covering = most_nodes.map(|_| lazy::Covering::NotDeeper);
        LazyEngine { config: lazy::Config { order, covering, most_refinements, most_nodes } }
    }

    pub(crate) fn backward(&self, most_states: Option<u64>, exchange: Option<Arc<Exchange>>) -> BackwardEngine {
        let order = if self.shortest { backward::Order::BreadthFirst } else { backward::Order::SmallestFirst };
        let pruning = self.net.pruning;
        // Without any pruning it works on the whole net, and its markings mean nothing to others.
        let exchange = exchange.filter(|_| pruning != Pruning::None);
        BackwardEngine { config: backward::Config { pruning, order, most_states, exchange, ..Default::default() } }
    }

    pub(crate) fn forward(&self, most_states: Option<u64>, exchange: Option<Arc<Exchange>>) -> ForwardEngine {
        ForwardEngine { config: forward::Config { most_states, exchange } }
    }

    fn induction(&self, most_queries: Option<u64>) -> induction::Config {
        let SolverOptions { backend, bound, .. } = self.solver.clone();
        induction::Config { backend, bound, most_queries }
    }

    /// The variables that are kept exact, where some are named.
    fn control(&self, loaded: &Loaded) -> Option<Vec<VarId>> {
        let regex = self.cover.control.as_ref()?;
        let (declared, vars) = (loaded.declared(), &loaded.declared().vars);
        let is_named = |var: &VarId| !declared.is_local(*var) && regex.is_match(&vars[*var].name);
        Some(vars.ids().filter(is_named).collect())
    }
}

/// The smaller of two limits, either of which may be missing.
pub(crate) fn least(one: Option<u64>, other: Option<u64>) -> Option<u64> {
    one.into_iter().chain(other).min()
}
