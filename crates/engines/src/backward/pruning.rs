//! The ladder of reasons to pass over a marking, cheapest first: inequalities that pruned before, then new ones from the
//! state equation, then continuous reachability, which leaves no reason that could be written down.

use lapidary_ir::{Net, Tokens};

use super::Pruning;
use super::conditions::{Conditions, Inequality};
use super::continuous::Continuous;
use super::farkas;
use super::simplex::{Simplex, integers};

/// So many inequalities are tried on every marking: those that pruned last.
const MOST_TRIED: usize = 128;
/// After so many solutions that did not prune, some markings are spared the next one.
const PATIENCE: u32 = 64;
const MOST_SPARED: u32 = 1 << 10;
/// Nets with more conditions get their inequalities from the state equation alone, one by one.
const MOST_ELIMINATED: usize = 400;

pub struct Ladder {
    conditions: Conditions,
    pool: Vec<Entry>,
    simplex: Option<Simplex>,
    /// The place of each column of the equation.
    columns: Vec<usize>,
    gain: Vec<f64>,
    continuous: Option<Continuous>,
    /// Solutions since the last that pruned.
    n_failed: u32,
    /// How many markings are spared after a solution that did not prune, and how many of them are still to come.
    spared: u32,
    left: u32,
    /// Markings that only continuous reachability excludes.
    pub n_without_reason: u64,
}

struct Entry {
    inequality: Inequality,
    is_used: bool,
}

impl Ladder {
    pub fn new(net: &Net, pruning: Pruning) -> Self {
        let conditions = Conditions::new(net);
        let has_invariants = pruning >= Pruning::Invariants && conditions.rows.len() <= MOST_ELIMINATED;
        let found = if has_invariants { farkas::inequalities(&conditions) } else { Vec::new() };
        let bounded = (0..conditions.most.len()).filter(|&place| conditions.most[place].is_some());
        let columns: Vec<usize> = bounded.collect();
        let has_equation = pruning >= Pruning::Equation;
        let simplex = has_equation.then(|| Simplex::new(rows(&conditions, &columns), columns.len())).flatten();
        let continuous = (pruning == Pruning::Continuous && net.is_plain()).then(|| Continuous::new(net));
        Self {
            conditions,
            pool: found.into_iter().map(|inequality| Entry { inequality, is_used: false }).collect(),
            simplex,
            gain: vec![0.0; columns.len()],
            columns,
            continuous,
            n_failed: 0,
            spared: 0,
            left: 0,
            n_without_reason: 0,
        }
    }

    /// Is there nothing to try?
    pub fn is_idle(&self) -> bool {
        self.pool.is_empty() && self.simplex.is_none() && self.continuous.is_none()
    }

    /// Is no reachable marking above this one?
    pub fn excludes(&mut self, marking: &[Tokens]) -> bool {
        if let Some(at) = self.pool.iter().take(MOST_TRIED).position(|entry| entry.inequality.excludes(marking)) {
            self.pool[at].is_used = true;
            // What prunes moves to the front.
            self.pool.swap(at, at / 2);
            return true;
        }
        if self.solve(marking) {
            return true;
        }
        let excluded = self.continuous.as_ref().is_some_and(|continuous| continuous.excludes(marking));
        self.n_without_reason += u64::from(excluded);
        excluded
    }

    /// Asks the state equation, unless it has been of no use for a while.
    fn solve(&mut self, marking: &[Tokens]) -> bool {
        let Some(simplex) = &mut self.simplex else { return false };
        if self.left > 0 {
            self.left -= 1;
            return false;
        }
        let mut asks_for_more = false;
        for (gain, &place) in self.gain.iter_mut().zip(&self.columns) {
            let most = self.conditions.most[place].unwrap_or(0);
            *gain = marking[place] as f64 - most as f64;
            asks_for_more |= marking[place] > most;
        }
        if !asks_for_more {
            return false;
        }
        let proposed = simplex.maximise(&self.gain).and_then(|weights| integers(&weights));
        let found = proposed.and_then(|weights| self.conditions.inequality(&self.weights(&weights)));
        match found.filter(|inequality| inequality.excludes(marking)) {
            Some(inequality) => {
                (self.n_failed, self.spared) = (0, 0);
                self.pool.push(Entry { inequality, is_used: true });
                let last = self.pool.len() - 1;
                self.pool.swap(last, last.min(MOST_TRIED) / 2);
                true
            }
            None => {
                self.n_failed += 1;
                if self.n_failed > PATIENCE {
                    self.spared = (self.spared * 2).clamp(1, MOST_SPARED);
                    self.left = self.spared;
                }
                false
            }
        }
    }

    /// Weights of columns as weights of places.
    fn weights(&self, columns: &[(usize, u64)]) -> Vec<(usize, u64)> {
        columns.iter().map(|&(column, weight)| (self.columns[column], weight)).collect()
    }

    /// The inequalities that were a reason.
    pub fn used(&self) -> impl Iterator<Item = &Inequality> {
        self.pool.iter().filter(|entry| entry.is_used).map(|entry| &entry.inequality)
    }
}

/// The conditions over the places with a bound; others have no weight.
fn rows(conditions: &Conditions, columns: &[usize]) -> Vec<Vec<(usize, f64)>> {
    let column = |place: usize| columns.binary_search(&place).ok();
    let row = |row: &Vec<(usize, i64)>| -> Vec<(usize, f64)> {
        row.iter().filter_map(|&(place, number)| Some((column(place)?, number as f64))).collect()
    };
    conditions.rows.iter().map(row).filter(|row| row.iter().any(|&(_, number)| number > 0.0)).collect()
}
