//! Runs from the initial states, all of one length at a time.

use lapidary_base::Stop;
use lapidary_ir::{Action, Domain, Expr};
use lapidary_smt::encode::{Run, Unrolling};
use lapidary_smt::{FullSolver, Sat};
use lapidary_verdict::Trace;

use super::board::Board;
use super::{Work, steps};
use crate::Outcome;

pub struct Base<'c> {
    unrolling: Unrolling,
    solver: Box<dyn FullSolver + 'c>,
}

impl<'c> Base<'c> {
    /// Runs without a step.
    pub fn new(work: &mut Work<'_, 'c>) -> Result<Self, Stop> {
        let mut unrolling = Unrolling::new(&mut work.formulas.terms);
        let mut solver = work.open()?;
        for &part in &work.formulas.encoding.initial {
            let part = unrolling.at_step(&work.formulas.terms, 0, part);
            solver.assert(&work.formulas.terms, part)?;
        }
        Ok(Self { unrolling, solver })
    }

    pub fn length(&self) -> u64 {
        self.unrolling.n_steps() as u64
    }

    /// What all solvers of this thread have counted, if they do.
    pub fn work_done(&self) -> u64 {
        self.solver.work_done().unwrap_or(0)
    }

    /// Runs of one step more.
    pub fn grow(&mut self, work: &mut Work<'_, '_>) -> Result<(), Stop> {
        let formulas = self.unrolling.step(&mut work.formulas.terms, &work.formulas.encoding, work.control)?;
        work.assert(&mut *self.solver, formulas)
    }

    /// Is there any run of this length? Also where the solver does not know.
    pub fn has_runs(&mut self, work: &mut Work<'_, '_>) -> Result<bool, Stop> {
        Ok(work.ask(&mut *self.solver, &[])? != Sat::No)
    }

    /// Looks for runs of this length to every open target. It must have been done for all shorter lengths.
    pub fn round(&mut self, work: &mut Work<'_, '_>, board: &mut Board) -> Result<(), Stop> {
        let length = self.length();
        for target in board.open() {
            let goal =
                self.unrolling.at_step(&work.formulas.terms, self.unrolling.n_steps(), work.formulas.goals[target]);
            match work.ask(&mut *self.solver, &[goal])? {
                Sat::Yes => {
                    let outcome = match self.found(work, goal) {
                        Ok(run) => {
                            let commands = run.commands(&work.formulas.encoding);
                            let actions = commands.into_iter().map(Action::Command).collect();
                            Outcome::Found(Trace { states: run.states, actions, loop_start: None })
                        }
                        Err(stop @ Stop::Overflow(_)) => Outcome::Unknown(stop),
                        Err(stop) => return Err(stop),
                    };
                    board.close(target, outcome);
                }
                Sat::No => {
                    // It follows from what is asserted, and helps with longer runs.
                    let never = work.formulas.terms.exprs().not(goal);
                    work.assert(&mut *self.solver, [never])?;
                    board.clear(target, length);
                }
                Sat::Unknown(why) => {
                    // A limit may have ended the question, and then it is the limit that is told.
                    work.control.look()?;
                    let stop = Stop::NoAnswer(format!("the solver gave up on runs of {}: {why}", steps(length)));
                    board.close(target, Outcome::Unknown(stop));
                }
            }
        }
        Ok(())
    }

    /// The run that the solver has just found, or another one, if only that one's numbers are short enough.
    fn found(&mut self, work: &mut Work<'_, '_>, goal: Expr) -> Result<Run, Stop> {
        let n_steps = self.unrolling.n_steps();
        let run = self.unrolling.run(&work.formulas.terms, &work.formulas.encoding, &mut *self.solver, n_steps);
        let Err(overflow @ Stop::Overflow(_)) = run else { return run };
        let exprs = work.formulas.terms.exprs();
        let mut short = vec![goal];
        for step in 0..=n_steps {
            for &symbol in self.unrolling.symbols(step) {
                if work.formulas.terms.domain(symbol) == Domain::Int {
                    let value = exprs.var(symbol);
                    short.push(exprs.le(exprs.int(i64::MIN), value));
                    short.push(exprs.le(value, exprs.int(i64::MAX)));
                }
            }
        }
        match work.ask(&mut *self.solver, &short)? {
            Sat::Yes => self.unrolling.run(&work.formulas.terms, &work.formulas.encoding, &mut *self.solver, n_steps),
            Sat::No => Err(overflow),
            Sat::Unknown(_) => work.control.look().and(Err(overflow)),
        }
    }
}
