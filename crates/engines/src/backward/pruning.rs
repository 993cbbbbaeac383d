//! The ladder of reasons to pass over a marking, cheapest first: inequalities that pruned before, then new ones from the
//! state equation, then continuous reachability, which leaves no reason that could be written down.

use lapidary_base::{Control, Stop};
use lapidary_ir::{Net, Tokens};

use super::Pruning;
use super::conditions::{Conditions, Inequality};
use super::continuous::Continuous;
use super::farkas;
use super::nearby;
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
    equation: Equation,
    continuous: Option<Continuous>,
    /// Solutions since the last that pruned.
    n_failed: u32,
    /// How many markings are spared after a solution that did not prune, and how many of them are still to come.
    spared: u32,
    left: u32,
    /// Markings that only continuous reachability excludes.
    pub n_without_reason: u64,
}

/// The state equation: on which part of the net it is asked.
enum Equation {
    Off,
    Whole(Box<Whole>),
    /// The net is too large for one dictionary: what is near the marked places is asked, anew for each marking.
    Nearby,
}

struct Whole {
    simplex: Simplex,
    /// The place of each column.
    columns: Vec<usize>,
    gain: Vec<f64>,
}

struct Entry {
    inequality: Inequality,
    is_used: bool,
}

impl Ladder {
    pub fn new(net: &Net, pruning: Pruning, control: &Control) -> Result<Self, Stop> {
        let conditions = Conditions::new(net);
        let has_invariants = pruning >= Pruning::Invariants && conditions.rows.len() <= MOST_ELIMINATED;
        let found = if has_invariants { farkas::inequalities(&conditions, control)? } else { Vec::new() };
        control.check()?;
        let equation = if pruning >= Pruning::Equation { Equation::new(&conditions) } else { Equation::Off };
        let continuous = (pruning == Pruning::Continuous && net.is_plain()).then(|| Continuous::new(net));
        Ok(Self {
            conditions,
            pool: found.into_iter().map(|inequality| Entry { inequality, is_used: false }).collect(),
            equation,
            continuous,
            n_failed: 0,
            spared: 0,
            left: 0,
            n_without_reason: 0,
        })
    }

    /// Is there nothing to try?
    pub fn is_idle(&self) -> bool {
        self.pool.is_empty() && matches!(self.equation, Equation::Off) && self.continuous.is_none()
    }

    /// Is no reachable marking above this one? Its marked places are ascending.
    pub fn excludes(&mut self, marking: &[Tokens], marked: &[usize], control: &Control) -> Result<bool, Stop> {
        if let Some(at) = self.pool.iter().take(MOST_TRIED).position(|entry| entry.inequality.excludes(marking)) {
            self.pool[at].is_used = true;
            // What prunes moves to the front.
            self.pool.swap(at, at / 2);
            return Ok(true);
        }
        if self.solve(marking, marked, control)? {
            return Ok(true);
        }
        let Some(continuous) = &self.continuous else { return Ok(false) };
        let excluded = continuous.excludes(marking, control)?;
        self.n_without_reason += u64::from(excluded);
        Ok(excluded)
    }

    /// Asks the state equation, unless it has been of no use for a while.
    fn solve(&mut self, marking: &[Tokens], marked: &[usize], control: &Control) -> Result<bool, Stop> {
        if matches!(self.equation, Equation::Off) {
            return Ok(false);
        }
        if self.left > 0 {
            self.left -= 1;
            return Ok(false);
        }
        let most = |place: usize| self.conditions.most[place];
        if !marked.iter().any(|&place| most(place).is_some_and(|most| marking[place] > most)) {
            return Ok(false);
        }
        let proposed = match &mut self.equation {
            Equation::Off => None,
            Equation::Whole(whole) => whole.weights(&self.conditions, marking, control)?,
            Equation::Nearby => nearby::weights(&self.conditions, marking, marked, control)?,
        };
        let found = proposed.and_then(|weights| self.conditions.inequality(&weights));
        match found.filter(|inequality| inequality.excludes(marking)) {
            Some(inequality) => {
                (self.n_failed, self.spared) = (0, 0);
                self.pool.push(Entry { inequality, is_used: true });
                let last = self.pool.len() - 1;
                self.pool.swap(last, last.min(MOST_TRIED) / 2);
                Ok(true)
            }
            None => {
                self.n_failed += 1;
                if self.n_failed > PATIENCE {
                    self.spared = (self.spared * 2).clamp(1, MOST_SPARED);
                    self.left = self.spared;
                }
                Ok(false)
            }
        }
    }

    /// The inequalities that were a reason.
    pub fn used(&self) -> impl Iterator<Item = &Inequality> {
        self.pool.iter().filter(|entry| entry.is_used).map(|entry| &entry.inequality)
    }
}

impl Equation {
    fn new(conditions: &Conditions) -> Self {
        let bounded = (0..conditions.most.len()).filter(|&place| conditions.most[place].is_some());
        let columns: Vec<usize> = bounded.collect();
        if columns.is_empty() {
            return Self::Off;
        }
        match Simplex::new(rows(conditions, &columns), columns.len()) {
            Some(simplex) => Self::Whole(Box::new(Whole { simplex, gain: vec![0.0; columns.len()], columns })),
            None => Self::Nearby,
        }
    }
}

impl Whole {
    /// Weights of places that may exclude the marking.
    fn weights(&mut self, conditions: &Conditions, marking: &[Tokens], control: &Control) -> Result<Weights, Stop> {
        for (gain, &place) in self.gain.iter_mut().zip(&self.columns) {
            *gain = marking[place] as f64 - conditions.most[place].unwrap_or(0) as f64;
        }
        let found = self.simplex.maximise(&self.gain, control)?.and_then(|weights| integers(&weights));
        let place = |(column, weight): (usize, u64)| (self.columns[column], weight);
        Ok(found.map(|weights| weights.into_iter().map(place).collect()))
    }
}

/// Ascending by place, if there are any.
pub type Weights = Option<Vec<(usize, u64)>>;

/// The conditions over the places with a bound; others have no weight.
pub fn rows(conditions: &Conditions, columns: &[usize]) -> Vec<Vec<(usize, f64)>> {
    let column = |place: usize| columns.binary_search(&place).ok();
    let row = |row: &Vec<(usize, i64)>| -> Vec<(usize, f64)> {
        row.iter().filter_map(|&(place, number)| Some((column(place)?, number as f64))).collect()
    };
    conditions.rows.iter().map(row).filter(|row| row.iter().any(|&(_, number)| number > 0.0)).collect()
}
