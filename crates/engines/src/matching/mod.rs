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
use lapidary_smt::encode::encode_within;
use lapidary_smt::{Backend, Terms};

use self::refine::Refinement;
use self::space::Space;
use crate::goal::of_each;
use crate::{Answer, Engine, Goal, Prepared, Refused, Task, ready};
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
        let (mut spaces, mut refused) = (Vec::new(), Vec::new());
        for group in task.by_property() {
            let mut terms = Terms::among(model, &exprs);
            let encoding = encode_within(&mut terms, control)?;
            let goals: Vec<Goal> = group.iter().map(|&goal| task.goals[goal]).collect();
            match of_each(&goals, control, |target| Ok(target.encoded(&encoding, &terms, control)?)) {
                Ok(targets) => {
                    let space = Space::new(terms, encoding, targets, self.config.control.as_deref(), control)?;
                    spaces.push((space, group));
                }
                Err(Refused::Goals(some)) => refused.extend(some.into_iter().map(|(goal, why)| (group[goal], why))),
                Err(other @ (Refused::Unsupported(_) | Refused::Stop(_))) => return Err(other),
            }
        }
        if !refused.is_empty() {
            return Err(Refused::Goals(refused));
        }
        Ok(ready(move |control, tell| {
            for (space, group) in spaces {
                if let Err(stop) = control.check() {
                    tell(group.into_iter().map(|goal| (goal, Answer::unknown(stop.clone()))).collect());
                    continue;
                }
                task.announce(group[0], self.name(), control);
                let found = Refinement::answers(space, task, &self.config, Instant::now(), control);
                tell(group.into_iter().zip(found).collect());
            }
        }))
    }
}
