//! What can be asked of engines, as plain data: groups of options that several engines understand, and what one is made of.

use std::sync::Arc;

use lapidary_ir::{Expr, VarId};
use lapidary_smt::Backend;

use crate::backward::Pruning;
use crate::cover::Heuristics;
use crate::coverability::Exchange;
use crate::matching::{self, Inputs};
use crate::symbolic::Direction;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SearchOrder {
    #[default]
    BreadthFirst,
    DepthFirst,
    /// By chance, always the same for the same seed; for engines with [`crate::register::OptionGroup::RandomOrder`].
    Random(u64),
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

/// What an engine is made of. Each takes what it understands, and leaves the rest.
#[derive(Clone, Debug)]
pub struct Making<'a> {
    pub order: SearchOrder,
    pub direction: Direction,
    pub cover: &'a CoverOptions,
    pub solver: &'a SolverOptions,
    pub net: NetOptions,
    /// Runs must be shortest ones: who can choose searches so that they are.
    pub shortest: bool,
    /// Threads of one engine: 1 or more.
    pub threads: u32,
    /// Formulas that the user gave to begin with.
    pub predicates: &'a [Expr],
    /// The variables that are kept exact, instead of those that the language marks.
    pub control: Option<Vec<VarId>>,
    /// For portfolios: give up after so much work, in the unit that the table has for the engine.
    pub budget: Option<u64>,
    /// Where engines for the same net tell each other what they find.
    pub exchange: Option<Arc<Exchange>>,
}
