//! Runs of length 0, 1, 2, ... to all targets at once.

use lapidary_base::{Event, Stop};
use lapidary_verdict::{Certificate, Formula, Induction};

use super::base::Base;
use super::board::Board;
use super::step::StepCase;
use super::{Progress, Work, steps};
use crate::Outcome;

/// Until all targets are closed, or until the search cannot go on: then the reason.
pub fn search(work: &mut Work<'_, '_>, board: &mut Board, progress: &mut Progress<'_>) -> Result<(), Stop> {
    let mut base = Base::new(work)?;
    while !board.is_done() {
        if !base.has_runs(work)? {
            return all_runs_seen(work, board, base.length());
        }
        let searched = board.round;
        board.round = base.length();
        if let Err(stop) = base.round(work, board) {
            board.round = searched;
            return Err(stop);
        }
        progress.tell(board, work);
        work.control.emit(&Event::Heartbeat { states: 0, transitions: 0, frontier: 0, depth: board.round });
        if !board.is_done() && work.config.bound.is_some_and(|bound| base.length() >= bound) {
            return Err(Stop::Incomplete(format!("the bound of {} was reached", steps(base.length()))));
        }
        base.grow(work)?;
    }
    Ok(())
}

/// No run has this length, so nothing more can be met. That is a proof only where it can be written down as one.
fn all_runs_seen(work: &mut Work<'_, '_>, board: &mut Board, length: u64) -> Result<(), Stop> {
    let Some(longest) = length.checked_sub(1) else {
        nothing_starts(board);
        return Ok(());
    };
    board.longest = Some(longest);
    let k = u32::try_from(length).map_err(|_| Stop::Incomplete("runs are too long".to_owned()))?;
    let mut step = StepCase::new(work)?;
    while step.k() < k {
        step.grow(work)?;
    }
    for target in board.open() {
        if let Some(proof) = step.proof(work, target)? {
            board.close(target, Outcome::Excluded(Certificate::Induction(proof)));
        }
    }
    let why = format!("no run has more than {}, but there is no proof by induction of that", steps(longest));
    if board.is_done() { Ok(()) } else { Err(Stop::Incomplete(why)) }
}

/// Without initial states, everything holds in all that are reached.
pub fn nothing_starts(board: &mut Board) {
    let induction = Induction { k: 1, formula: Formula::constant(false), is_simple: false };
    for target in board.open() {
        board.close(target, Outcome::Excluded(Certificate::Induction(induction.clone())));
    }
}
