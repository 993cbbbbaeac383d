//! Engine `matching`: concrete search with abstract matching, refined until exact (Pasareanu, Pelanek, Visser 2007).
//!
//! [`search`] is the paper's procedure aSEARCH, [`refine`] its REFINEMENTSEARCH. Only concrete transitions are executed, so
//! what is found is real; the stored abstract states decide where the search goes on. If no explored transition loses
//! anything by the abstraction, the stored blocks are closed, and they are the certificate.

mod entry;
mod inputs;
mod literals;
mod predicates;
mod prover;
mod refine;
mod search;
mod space;

use std::time::Instant;

use lapidary_base::Control;
use lapidary_ir::{Expr, VarId};
use lapidary_smt::{Backend, Terms};

use self::refine::Refinement;
use self::space::Space;
use crate::{Engine, Prepared, Refused, Task, ready};
pub use entry::MATCHING;

/// How the values of unbounded inputs are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Inputs {
    /// The solver finds one for every satisfiable valuation of the predicates.
    #[default]
    Solver,
    /// The values around zero are tried one after the other.
    Enumerate,
}

#[derive(Clone, Debug)]
pub struct Config {
    pub backend: Backend,
    /// After so many rounds in which a transition stays inexact, the equalities of its concrete state are added.
    pub concretise: Option<u32>,
    /// Predicates belong to the values of the control variables where they were found missing.
    pub is_local: bool,
    pub inputs: Inputs,
    /// Further predicates to begin with.
    pub predicates: Vec<Expr>,
    /// Variables that are never abstracted, instead of those that the language marks.
    pub control: Option<Vec<VarId>>,
    pub most_iterations: Option<u64>,
    /// For portfolios: give up after so many questions to the solver, or so many concrete states or missing predicates
    /// in one round.
    pub most_work: Option<u64>,
    /// As the paper has it: every conjunct is a question of its own.
    pub is_plain: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            backend: Backend::default(),
            concretise: Some(3),
            is_local: false,
            inputs: Inputs::default(),
            predicates: Vec::new(),
            control: None,
            most_iterations: None,
            most_work: None,
            is_plain: false,
        }
    }
}

#[derive(Clone, Debug, Default)]
pub struct MatchingEngine {
    pub config: Config,
}

impl Engine for MatchingEngine {
    fn name(&self) -> &'static str {
        MATCHING.name
    }

    /// Without a solver it can still refute.
    fn prepare<'t>(&'t self, task: &'t Task<'t>, control: &Control) -> Result<Box<dyn Prepared + 't>, Refused> {
        if self.config.backend != Backend::Nothing {
            self.config.backend.available().map_err(Refused::what)?;
        }
        let model = task.model(control)?;
        // One for all properties.
        let exprs = model.exprs.above();
        let mut spaces = Vec::new();
        for group in task.by_property() {
            let targets: Vec<_> = group.iter().map(|&target| task.goals[target].target).collect();
            let terms = Terms::among(model, &exprs);
            spaces.push((Space::new(terms, &targets, self.config.control.as_deref(), control)?, group));
        }
        Ok(ready(move |control, tell| {
            for (space, group) in spaces {
                task.announce(group[0], self.name(), control);
                let found = Refinement::answers(space, task, &self.config, Instant::now(), control);
                tell(group.into_iter().zip(found).collect());
            }
        }))
    }
}
