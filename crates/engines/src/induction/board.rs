//! What is known about each target while a search goes on.

use std::time::Instant;

use lapidary_base::{Stop, memory};
use lapidary_verdict::Stats;

use super::steps;
use crate::{Answer, Known, Outcome};

/// One target.
#[derive(Default)]
struct Row {
    outcome: Option<Outcome>,
    /// No run of at most so many steps meets it.
    clear: Option<u64>,
    /// How far the search was when it ended for this target.
    rounds: u64,
    /// Its outcome was handed on.
    is_told: bool,
}

impl Row {
    fn is_closed(&self) -> bool {
        self.is_told || self.outcome.is_some()
    }
}

/// What was counted up to some length or round.
pub type Counts<'a> = dyn Fn(u64) -> Vec<(&'static str, u64)> + 'a;

pub struct Board {
    rows: Vec<Row>,
    /// How far the search is: lengths or rounds.
    pub round: u64,
    /// No run has more steps than this, if that is known.
    pub longest: Option<u64>,
    start: Instant,
}

impl Board {
    pub fn new(n_targets: usize) -> Self {
        let rows = (0..n_targets).map(|_| Row::default()).collect();
        Self { rows, round: 0, longest: None, start: Instant::now() }
    }

    /// The targets without an outcome.
    pub fn open(&self) -> Vec<usize> {
        (0..self.rows.len()).filter(|&target| !self.rows[target].is_closed()).collect()
    }

    pub fn is_done(&self) -> bool {
        self.rows.iter().all(Row::is_closed)
    }

    pub fn close(&mut self, target: usize, outcome: Outcome) {
        let row = &mut self.rows[target];
        row.outcome = Some(outcome);
        row.rounds = self.round;
    }

    /// No run of this length meets the target, nor does a shorter one.
    pub fn clear(&mut self, target: usize, length: u64) {
        self.rows[target].clear = Some(length);
    }

    /// The answers about those of these targets that are not told yet, if all of them are closed.
    pub fn take(&mut self, group: &[usize], counts: &Counts<'_>) -> Vec<(usize, Answer)> {
        let open: Vec<usize> = group.iter().copied().filter(|&target| !self.rows[target].is_told).collect();
        if !open.iter().all(|&target| self.rows[target].is_closed()) {
            return Vec::new();
        }
        open.into_iter().map(|target| (target, self.answer(target, counts))).collect()
    }

    /// After a search that ended in this way, all targets are closed; those that were open share its reason.
    pub fn end(&mut self, ended: Result<(), Stop>) {
        let stop = ended.err().unwrap_or_else(|| Stop::Incomplete("the search ended".to_owned()));
        for target in self.open() {
            self.close(target, Outcome::Unknown(stop.clone()));
        }
    }

    fn answer(&mut self, target: usize, counts: &Counts<'_>) -> Answer {
        let row = &mut self.rows[target];
        row.is_told = true;
        let outcome = row.outcome.take().expect("only closed targets are told of");
        let known = match outcome {
            Outcome::Unknown(_) => known(row.clear, self.longest).map(Known::from),
            Outcome::Found(_) | Outcome::Excluded(_) => None,
        };
        let stats = Stats {
            counts: counts(row.rounds),
            search_seconds: self.start.elapsed().as_secs_f64(),
            search_memory: memory::peak_resident().unwrap_or(0),
            ..Stats::default()
        };
        Answer { outcome, stats, known, never_enabled: Vec::new() }
    }
}

fn known(clear: Option<u64>, longest: Option<u64>) -> Option<String> {
    let clear = clear?;
    let within = format!("within {}", steps(clear));
    // A target that was given up before the others was not looked for in the longest runs.
    let is_all = longest.is_some_and(|longest| longest <= clear);
    Some(if is_all { format!("{within}, and no run is longer") } else { within })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_that_was_given_up_early_is_not_known_to_be_missed_by_all_runs() {
        let mut board = Board::new(2);
        board.clear(0, 2);
        board.clear(1, 2);
        board.close(0, Outcome::Unknown(Stop::NoAnswer("the solver gave up".to_owned())));
        board.clear(1, 5);
        board.longest = Some(5);
        board.end(Err(Stop::Incomplete("no proof".to_owned())));
        let answers = board.take(&[0, 1], &|_| Vec::new());
        let known: Vec<&str> =
            answers.iter().flat_map(|(_, answer)| &answer.known).map(|known| &known.text[..]).collect();
        assert_eq!(known, ["within 2 steps", "within 5 steps, and no run is longer"]);
    }

    #[test]
    fn targets_of_one_property_are_told_together_and_once() {
        let mut board = Board::new(3);
        let gave_up = || Outcome::Unknown(Stop::NoAnswer("the solver gave up".to_owned()));
        let told = |board: &mut Board, group: &[usize]| -> Vec<usize> {
            board.take(group, &|_| Vec::new()).into_iter().map(|(target, _)| target).collect()
        };
        board.close(0, gave_up());
        board.close(2, gave_up());
        assert_eq!((told(&mut board, &[0, 1]), told(&mut board, &[2])), (vec![], vec![2]));
        assert_eq!((told(&mut board, &[2]), board.open()), (vec![], vec![1]));
        board.end(Ok(()));
        assert_eq!(told(&mut board, &[0, 1]), [0, 1]);
        assert!(board.is_done());
    }
}
