//! For k = 1, 2, ...: no run of less than k steps meets a target, and k states that avoid it are followed by no other.

use lapidary_base::event::Iteration;
use lapidary_base::{Event, Stop};
use lapidary_verdict::Certificate;

use super::base::Base;
use super::bmc::nothing_starts;
use super::board::Board;
use super::candidates::lemmas;
use super::step::Step;
use super::{Progress, Work};
use crate::Outcome;

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
    let mut step = Step::new(work)?;
    for k in 1.. {
        board.round = k;
        base.round(work, board)?;
        if board.is_done() {
            return Ok(());
        }
        step.grow(work)?;
        prove(work, &mut step, board)?;
        if k == 1 && !board.is_done() {
            let found = lemmas(work)?;
            if !found.list.is_empty() {
                step.adopt(work, found)?;
                prove(work, &mut step, board)?;
            }
        }
        progress.tell(board, work);
        tell(is_alone, work, &step, k);
        if board.is_done() {
            return Ok(());
        }
        if work.config.bound.is_some_and(|bound| k >= bound) {
            return Err(Stop::Incomplete(format!("no proof by induction with k up to {k}")));
        }
        base.grow(work)?;
    }
    Ok(())
}

fn prove(work: &mut Work<'_, '_>, step: &mut Step<'_>, board: &mut Board) -> Result<(), Stop> {
    for target in board.open() {
        if let Some(proof) = step.proof(work, target)? {
            board.close(target, Outcome::Excluded(Certificate::Induction(proof)));
        }
    }
    Ok(())
}

/// Iterations belong to one property, so where several are looked at together only the depth is told.
fn tell(is_alone: bool, work: &Work<'_, '_>, step: &Step<'_>, k: u64) {
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
