//! What is known about each target while a search goes on.

use std::time::Instant;

use lapidary_base::{Stop, memory};
use lapidary_verdict::Stats;

use super::steps;
use crate::{Answer, Outcome};

/// One target.
#[derive(Default)]
struct Row {
    outcome: Option<Outcome>,
    /// No run of at most so many steps meets it.
    clear: Option<u64>,
    /// How far the search was when it ended for this target.
    rounds: u64,
}

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
        (0..self.rows.len()).filter(|&target| self.rows[target].outcome.is_none()).collect()
    }

    pub fn is_done(&self) -> bool {
        self.rows.iter().all(|row| row.outcome.is_some())
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

    /// The answers after a search that ended in this way; targets that are still open share its reason.
    pub fn answers(self, ended: Result<(), Stop>, counts: impl Fn(u64) -> Vec<(&'static str, u64)>) -> Vec<Answer> {
        let stop = ended.err().unwrap_or_else(|| Stop::Incomplete("the search ended".to_owned()));
        let (start, longest, round) = (self.start, self.longest, self.round);
        let answer = |row: Row| {
            let rounds = if row.outcome.is_some() { row.rounds } else { round };
            let outcome = row.outcome.unwrap_or_else(|| Outcome::Unknown(stop.clone()));
            let known = match outcome {
                Outcome::Unknown(_) => known(row.clear, longest),
                Outcome::Reached(_) | Outcome::Unreachable(_) => None,
            };
            let stats = Stats {
                counts: counts(rounds),
                search_seconds: start.elapsed().as_secs_f64(),
                search_memory: memory::peak_resident().unwrap_or(0),
                ..Stats::default()
            };
            Answer { outcome, stats, known, never_enabled: Vec::new() }
        };
        self.rows.into_iter().map(answer).collect()
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
        board.close(0, Outcome::Unknown(Stop::Incomplete("the solver gave up".to_owned())));
        board.clear(1, 5);
        board.longest = Some(5);
        let answers = board.answers(Err(Stop::Incomplete("no proof".to_owned())), |_| Vec::new());
        let known: Vec<Option<&str>> = answers.iter().map(|answer| answer.known.as_deref()).collect();
        assert_eq!(known, [Some("within 2 steps"), Some("within 5 steps, and no run is longer")]);
    }
}
