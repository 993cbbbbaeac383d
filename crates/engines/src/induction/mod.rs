//! Engines `bmc` (bounded search for violations, shortest first) and `kinduction`, on formulas over the steps of runs.

mod base;
mod bmc;
mod board;
mod candidates;
mod entry;
mod kinduction;
mod step;

use lapidary_base::{Control, Stop};
use lapidary_ir::Expr;
use lapidary_smt::encode::{self, Encoding};
use lapidary_smt::{Backend, FullSolver, Sat, Terms};
use lapidary_verdict::{Certificate, Formula, Induction};

use crate::goal::of_each;
use crate::{Answer, Engine, Outcome, Prepared, Refused, Task, Tell, ready};
pub use entry::{BMC, KINDUCTION};

use board::Board;

#[derive(Clone, Debug, Default)]
pub struct Config {
    pub backend: Backend,
    /// The longest runs that `bmc` looks at, the greatest `k` that `kinduction` tries; no bound if there is none.
    pub bound: Option<u64>,
    /// For portfolios: give up after so many questions to the solver.
    pub most_queries: Option<u64>,
}

#[derive(Clone, Debug, Default)]
pub struct BmcEngine {
    pub config: Config,
}

#[derive(Clone, Debug, Default)]
pub struct InductionEngine {
    pub config: Config,
}

impl Engine for BmcEngine {
    fn name(&self) -> &'static str {
        BMC.name
    }

    fn prepare<'t>(&'t self, task: &'t Task<'t>, control: &Control) -> Result<Box<dyn Prepared + 't>, Refused> {
        let formulas = Formulas::new(task, &self.config, control)?;
        Ok(ready(move |control, tell| {
            let mut board = Board::new(task.goals.len());
            let mut work = Work { formulas, config: &self.config, control, n_queries: 0 };
            work.close_empty(&mut board);
            let mut progress = Progress { task, unit: "depth", tell };
            let ended = bmc::search(&mut work, &mut board, &mut progress);
            board.end(ended);
            progress.tell(&mut board, &work);
        }))
    }
}

impl Engine for InductionEngine {
    fn name(&self) -> &'static str {
        KINDUCTION.name
    }

    fn prepare<'t>(&'t self, task: &'t Task<'t>, control: &Control) -> Result<Box<dyn Prepared + 't>, Refused> {
        let formulas = Formulas::new(task, &self.config, control)?;
        Ok(ready(move |control, tell| {
            let mut board = Board::new(task.goals.len());
            let mut work = Work { formulas, config: &self.config, control, n_queries: 0 };
            work.close_empty(&mut board);
            let mut progress = Progress { task, unit: "iterations", tell };
            let ended = kinduction::search(&mut work, &mut board, &mut progress);
            board.end(ended);
            progress.tell(&mut board, &work);
        }))
    }
}

/// Properties are told as soon as all their targets are closed: one that is never decided is not to keep the evidence for
/// the others from being checked.
struct Progress<'p> {
    task: &'p Task<'p>,
    /// What the rounds of the search are counted as.
    unit: &'static str,
    tell: &'p mut Tell<'p>,
}

impl Progress<'_> {
    fn tell(&mut self, board: &mut Board, work: &Work<'_, '_>) {
        let counts = |rounds: u64| vec![(self.unit, rounds), ("queries", work.n_queries)];
        let mut told = Vec::new();
        for group in self.task.by_property() {
            told.extend(together(self.task, board.take(&group, &counts)));
        }
        if !told.is_empty() {
            (self.tell)(told);
        }
    }
}

/// A property that is asked through two targets needs one formula that excludes both. Of two formulas that runs keep, with
/// the greater `k` the conjunction is inductive, too.
fn together(task: &Task<'_>, answers: Vec<(usize, Answer)>) -> Vec<(usize, Answer)> {
    let join = |a: Induction, b: Induction| Induction {
        k: a.k.max(b.k),
        formula: a.formula.and(&b.formula),
        is_simple: a.is_simple || b.is_simple,
    };
    let joined = answers.iter().filter_map(|(_, answer)| proof(&answer.outcome)).reduce(join);
    let whole = |(goal, answer): (usize, Answer)| {
        let outcome = match (answer.outcome, &joined) {
            (Outcome::Excluded(Certificate::Induction(_)), Some(joined)) => {
                Outcome::Excluded(Certificate::Induction(joined.clone()))
            }
            (Outcome::Found(trace), _) => Outcome::Found(task.in_shape(trace)),
            (outcome, _) => outcome,
        };
        (goal, Answer { outcome, ..answer })
    };
    answers.into_iter().map(whole).collect()
}

fn proof(outcome: &Outcome) -> Option<Induction> {
    match outcome {
        Outcome::Excluded(Certificate::Induction(induction)) => Some(induction.clone()),
        Outcome::Excluded(_) | Outcome::Found(_) | Outcome::Unknown(_) => None,
    }
}

/// A model and its targets as formulas.
struct Formulas<'a> {
    terms: Terms<'a>,
    encoding: Encoding,
    /// The states of each target.
    goals: Vec<Expr>,
}

impl<'a> Formulas<'a> {
    fn new(task: &Task<'a>, config: &Config, control: &Control) -> Result<Self, Refused> {
        config.backend.available().map_err(Refused::what)?;
        let mut terms = Terms::new(task.model(control)?);
        let encoding = encode::encode_within(&mut terms, control)?;
        let goals = of_each(task.goals, control, |target| Ok(target.encoded(&encoding, &terms, control)?))?;
        Ok(Self { terms, encoding, goals })
    }
}

/// The formulas, and what may be spent on questions about them.
struct Work<'a, 'c> {
    formulas: Formulas<'a>,
    config: &'c Config,
    control: &'c Control,
    n_queries: u64,
}

impl<'c> Work<'_, 'c> {
    /// Targets that no state is in.
    fn close_empty(&self, board: &mut Board) {
        let exprs = self.formulas.terms.exprs();
        for target in board.open() {
            if exprs.as_bool(self.formulas.goals[target]) == Some(false) {
                let induction = Induction { k: 1, formula: Formula::constant(true), is_simple: false };
                board.close(target, Outcome::Excluded(Certificate::Induction(induction)));
            }
        }
    }

    fn open(&self) -> Result<Box<dyn FullSolver + 'c>, Stop> {
        // In a portfolio others wait for their turn.
        match self.config.most_queries {
            Some(_) => self.config.backend.open(self.control),
            None => self.config.backend.patiently().open(self.control),
        }
    }

    fn ask(&mut self, solver: &mut dyn FullSolver, assumptions: &[Expr]) -> Result<Sat, Stop> {
        self.control.check()?;
        if let Some(most) = self.config.most_queries.filter(|&most| self.n_queries >= most) {
            return Err(Stop::Budget(format!("{most} questions")));
        }
        self.n_queries += 1;
        solver.check(&self.formulas.terms, assumptions)
    }

    fn assert(&self, solver: &mut dyn FullSolver, formulas: impl IntoIterator<Item = Expr>) -> Result<(), Stop> {
        formulas.into_iter().try_for_each(|formula| solver.assert(&self.formulas.terms, formula))
    }
}

/// `1 step`, `2 steps`.
fn steps(n: u64) -> String {
    if n == 1 { "1 step".to_owned() } else { format!("{n} steps") }
}
