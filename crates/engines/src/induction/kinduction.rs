//! For k = 1, 2, ...: no run of less than k steps meets a target, and k states that avoid it are followed by no other.

use lapidary_base::event::Iteration;
use lapidary_base::{Event, Stop};
use lapidary_verdict::Certificate;

use super::base::Base;
use super::bmc::nothing_starts;
use super::board::Board;
use super::candidates::lemmas;
use super::step::StepCase;
use super::{Progress, Work};
use crate::Outcome;

/// Steps that took less work than this, a few seconds, are not what runs wait for.
const LITTLE_WORK: u64 = 1_000_000;

/// The runs from the initial states, and the work on both sides.
struct Sides<'c> {
    base: Base<'c>,
    /// All runs with fewer steps were looked at.
    n_lengths: u64,
    on_runs: u64,
    on_last_runs: u64,
    on_steps: u64,
    /// What the solvers had counted when it was last looked at.
    counted: u64,
}

impl Sides<'_> {
    /// The work since the last time. To ask for it takes as long as a small question.
    fn since(&mut self) -> u64 {
        let counted = self.base.work_done();
        counted.saturating_sub(std::mem::replace(&mut self.counted, counted))
    }

    /// Looks at the next longer runs.
    fn lengthen(&mut self, work: &mut Work<'_, '_>, board: &mut Board) -> Result<(), Stop> {
        if self.n_lengths > 0 {
            self.base.grow(work)?;
        }
        self.base.round(work, board)?;
        self.n_lengths += 1;
        self.on_last_runs = self.since();
        self.on_runs += self.on_last_runs;
        Ok(())
    }

    /// Whether longer runs than the induction needs are to be looked at: a step may take so much that a violation is never
    /// come to which is found at once among the runs. These take up to half of the work that the steps took, and none where
    /// questions are counted, because a portfolio asks for long runs elsewhere.
    fn is_behind(&self, work: &Work<'_, '_>) -> bool {
        let is_bounded =
            work.config.most_queries.is_some() || work.config.bound.is_some_and(|bound| self.n_lengths >= bound);
        !is_bounded && self.on_steps > LITTLE_WORK && self.on_runs + 2 * self.on_last_runs < self.on_steps / 2
    }
}

/// Until all targets are closed, or until the search cannot go on: then the reason.
pub fn search(work: &mut Work<'_, '_>, board: &mut Board, progress: &mut Progress<'_>) -> Result<(), Stop> {
    let mut base = Base::new(work)?;
    if !base.has_runs(work)? {
        nothing_starts(board);
        return Ok(());
    }
    let is_alone = match board.open()[..] {
        [target] => {
            progress.task.announce(target, super::KINDUCTION.name, work.control);
            true
        }
        _ => false,
    };
    let counted = base.work_done();
    let mut sides = Sides { base, n_lengths: 0, on_runs: 0, on_last_runs: 0, on_steps: 0, counted };
    let mut step = StepCase::new(work)?;
    for k in 1.. {
        board.round = k;
        while sides.n_lengths < k {
            sides.lengthen(work, board)?;
        }
        while !board.is_done() && sides.is_behind(work) {
            sides.lengthen(work, board)?;
            progress.tell(board, work);
        }
        if board.is_done() {
            return Ok(());
        }
        induct(work, &mut step, board, &mut sides)?;
        progress.tell(board, work);
        tell(is_alone, work, &step, k);
        if board.is_done() {
            return Ok(());
        }
        if work.config.bound.is_some_and(|bound| k >= bound) {
            return Err(Stop::Incomplete(format!("no proof by induction with k up to {k}")));
        }
    }
    Ok(())
}

/// The induction step for the next `k`, at first also with lemmas; the search for these is no work on steps.
fn induct<'c>(
    work: &mut Work<'_, 'c>,
    step: &mut StepCase<'c>,
    board: &mut Board,
    sides: &mut Sides<'_>,
) -> Result<(), Stop> {
    step.grow(work)?;
    prove(work, step, board)?;
    sides.on_steps += sides.since();
    if step.k() > 1 || board.is_done() {
        return Ok(());
    }
    let found = lemmas(work)?;
    sides.since();
    if !found.list.is_empty() {
        step.adopt(work, found)?;
        prove(work, step, board)?;
        sides.on_steps += sides.since();
    }
    Ok(())
}

/// Tries the induction step for all open targets.
fn prove(work: &mut Work<'_, '_>, step: &mut StepCase<'_>, board: &mut Board) -> Result<(), Stop> {
    for target in board.open() {
        if let Some(proof) = step.proof(work, target)? {
            board.close(target, Outcome::Excluded(Certificate::Induction(proof)));
        }
    }
    Ok(())
}

/// Iterations belong to one property, so where several are looked at together only the depth is told.
fn tell(is_alone: bool, work: &Work<'_, '_>, step: &StepCase<'_>, k: u64) {
    let event = match is_alone {
        true => Event::Iteration(Iteration {
            i: k,
            cex_len: k,
            predicates: step.n_lemmas() as u64,
            refiner: super::KINDUCTION.name.to_owned(),
            ..Iteration::default()
        }),
        false => Event::Heartbeat { states: 0, transitions: 0, frontier: 0, depth: k },
    };
    work.control.emit(&event);
}
