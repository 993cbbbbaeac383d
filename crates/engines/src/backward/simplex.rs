//! The state equation in its dual form: weights `y` with `A y <= 0`, `y >= 0` and `y . b > y . m0`.
//!
//! Only what is maximised, `y . (b - m0)`, changes from one marking `b` to the next, so the basis where the last search ended is
//! where the next one begins (primal simplex with a dense dictionary, Chvatal 1983, chapter 3). Weights are scaled by
//! `sum y <= 1`; since all other right sides are zero, they are perturbed a little so that no step is wasted, and a second column has
//! the true values. Whatever comes out is only a proposal: the caller verifies it with integers.

use lapidary_base::{Control, Stop};

/// Numbers with a smaller absolute value count as zero.
const TINY: f64 = 1e-9;
/// More steps from one marking to the next are not worth it.
const MAX_STEPS: usize = 400;
/// Errors add up: after so many steps everything is computed anew.
const FRESH_STEPS: usize = 2000;
/// Larger dictionaries are not filled in.
const MAX_ENTRIES: usize = 4_000_000;
/// A step over so many entries takes about as long as what lies between two looks at the limits elsewhere.
const ENTRIES_OF_A_LOOK: usize = 100_000;

pub struct Simplex {
    /// The conditions, for a fresh start: rows of `A`.
    conditions: Vec<Vec<(usize, f64)>>,
    n_columns: usize,
    /// Row by row, one entry per column: basic variable = right side - sum of entry times column variable.
    entries: Vec<f64>,
    /// Perturbed and true.
    right: Vec<[f64; 2]>,
    /// The variable of each row and column: weights first, then what is left over in each condition.
    rows: Vec<usize>,
    columns: Vec<usize>,
    n_steps: usize,
    costs: Vec<f64>,
    /// Working memory.
    pivot_row: Vec<f64>,
}

impl Simplex {
    /// `None` if it would be too large, or if there is nothing to weigh.
    pub fn new(conditions: Vec<Vec<(usize, f64)>>, n_columns: usize) -> Option<Self> {
        let n_entries = (conditions.len() + 1).checked_mul(n_columns)?;
        if n_columns == 0 || n_entries > MAX_ENTRIES {
            return None;
        }
        let mut simplex = Self {
            conditions,
            n_columns,
            entries: Vec::new(),
            right: Vec::new(),
            rows: Vec::new(),
            columns: Vec::new(),
            n_steps: 0,
            costs: Vec::new(),
            pivot_row: Vec::new(),
        };
        simplex.begin();
        Some(simplex)
    }

    /// All weights are zero.
    fn begin(&mut self) {
        let n = self.n_columns;
        let n_rows = self.conditions.len() + 1;
        self.entries = vec![0.0; n_rows * n];
        for (i, row) in self.conditions.iter().enumerate() {
            row.iter().for_each(|&(column, number)| self.entries[i * n + column] = number);
        }
        self.entries[(n_rows - 1) * n..].fill(1.0);
        // Different from row to row, and far above rounding errors.
        let perturbed = |i: usize| 1e-5 * (1.0 + ((i * 7919 + 13) % 1009) as f64 / 1009.0);
        self.right = (0..n_rows).map(|i| [perturbed(i), 0.0]).collect();
        self.right[n_rows - 1] = [1.0, 1.0];
        self.rows = (n..n + n_rows).collect();
        self.columns = (0..n).collect();
        self.n_steps = 0;
    }

    /// Weights with a positive value of `gain . y`, if there are any. A step may take milliseconds, so limits are looked at in
    /// each.
    pub fn maximise(&mut self, gain: &[f64], control: &Control) -> Result<Option<Vec<f64>>, Stop> {
        if self.n_steps > FRESH_STEPS {
            self.begin();
        }
        self.price(gain);
        let work = 1 + (self.entries.len() / ENTRIES_OF_A_LOOK) as u64;
        for _ in 0..MAX_STEPS {
            control.spend(work)?;
            let Some(column) = self.entering() else { break };
            let Some(row) = self.leaving(column) else { break };
            self.pivot(row, column);
        }
        let mut weights = vec![0.0; self.n_columns];
        for (&variable, right) in self.rows.iter().zip(&self.right) {
            if variable < self.n_columns {
                weights[variable] = right[1];
            }
        }
        let value: f64 = weights.iter().zip(gain).map(|(weight, gain)| weight * gain).sum();
        Ok((value > 1e-7).then_some(weights))
    }

    /// What one more of each column's variable brings.
    fn price(&mut self, gain: &[f64]) {
        let n = self.n_columns;
        let gain_of = |variable: usize| gain.get(variable).copied().unwrap_or(0.0);
        self.costs.clear();
        self.costs.extend(self.columns.iter().map(|&variable| gain_of(variable)));
        for (i, &variable) in self.rows.iter().enumerate() {
            let gain = gain_of(variable);
            if gain != 0.0 {
                let row = &self.entries[i * n..(i + 1) * n];
                self.costs.iter_mut().zip(row).for_each(|(cost, entry)| *cost -= gain * entry);
            }
        }
    }

    /// The column with the greatest gain.
    fn entering(&self) -> Option<usize> {
        let best = self.costs.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1))?;
        (*best.1 > TINY).then_some(best.0)
    }

    /// The row that first becomes zero.
    fn leaving(&self, column: usize) -> Option<usize> {
        let mut best: Option<(f64, usize)> = None;
        for (i, right) in self.right.iter().enumerate() {
            let entry = self.entries[i * self.n_columns + column];
            if entry > TINY {
                let ratio = right[0] / entry;
                if best.is_none_or(|(least, _)| ratio < least) {
                    best = Some((ratio, i));
                }
            }
        }
        best.map(|(_, row)| row)
    }

    fn pivot(&mut self, row: usize, column: usize) {
        let n = self.n_columns;
        self.n_steps += 1;
        let inverse = 1.0 / self.entries[row * n + column];
        let mut pivot_row = std::mem::take(&mut self.pivot_row);
        pivot_row.clear();
        pivot_row.extend(self.entries[row * n..(row + 1) * n].iter().map(|entry| entry * inverse));
        pivot_row[column] = inverse;
        let right = self.right[row].map(|side| side * inverse);
        for i in 0..self.right.len() {
            let factor = self.entries[i * n + column];
            if i == row || factor == 0.0 {
                continue;
            }
            let entries = &mut self.entries[i * n..(i + 1) * n];
            entries[column] = 0.0;
            entries.iter_mut().zip(&pivot_row).for_each(|(entry, pivot)| *entry -= factor * pivot);
            self.right[i][0] = (self.right[i][0] - factor * right[0]).max(0.0);
            self.right[i][1] -= factor * right[1];
        }
        let factor = self.costs[column];
        self.costs[column] = 0.0;
        self.costs.iter_mut().zip(&pivot_row).for_each(|(cost, pivot)| *cost -= factor * pivot);
        self.entries[row * n..(row + 1) * n].copy_from_slice(&pivot_row);
        self.right[row] = right;
        std::mem::swap(&mut self.rows[row], &mut self.columns[column]);
        self.pivot_row = pivot_row;
    }
}

/// Integers in about the same proportions, not too large; positions with zero are left out.
pub fn integers(weights: &[f64]) -> Option<Vec<(usize, u64)>> {
    let positive = weights.iter().copied().filter(|&weight| weight > 1e-7);
    let least = positive.fold(f64::INFINITY, f64::min);
    if !least.is_finite() {
        return None;
    }
    let scaled = |times: u32| {
        let numbers = weights.iter().enumerate().filter(|&(_, &weight)| weight > 1e-7);
        let mut out = Vec::new();
        for (place, weight) in numbers {
            let number = weight / least * f64::from(times);
            let rounded = number.round();
            if (number - rounded).abs() > 1e-4 * number.max(1.0) || rounded > 1e12 {
                return None;
            }
            out.push((place, rounded as u64));
        }
        Some(out)
    };
    (1..=64).find_map(scaled)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};

    use lapidary_base::Pace;

    use super::*;

    #[test]
    fn weights_are_found_again_and_again_from_where_the_last_search_ended() {
        // Tokens move from place 0 to 1, and two of place 1 become three of place 2.
        let mut simplex = Simplex::new(vec![vec![(0, -1.0), (1, 1.0)], vec![(1, -2.0), (2, 3.0)]], 3).expect("small");
        // Initially one token in place 0: three tokens in place 2 cannot be had, one token in place 1 can.
        let mut maximise = |gain: [f64; 3]| simplex.maximise(&gain, &Control::new()).expect("no limit");
        let weights = maximise([-1.0, 0.0, 3.0]).expect("3 y0 = 3 y1 = 2 y2 is not enough");
        let found = integers(&weights).expect("small numbers");
        assert_eq!(found, [(0, 3), (1, 3), (2, 2)].map(|(place, weight)| (place, weight as u64)));
        assert!(maximise([-1.0, 1.0, 0.0]).is_none());
        assert!(maximise([-1.0, 0.0, 2.0]).is_some());
        assert!(maximise([-1.0, 0.0, 1.0]).is_none());
    }

    /// Counts what is spent, in one turn without end.
    struct Counted(AtomicU64);

    impl Pace for Counted {
        fn spend(&self, work: u64) -> Option<u64> {
            self.0.fetch_add(work, Ordering::Relaxed);
            None
        }

        fn pass(&self) {}
    }

    /// Otherwise an engine that takes turns would hold the run: a step of a large dictionary takes milliseconds.
    #[test]
    fn steps_of_large_dictionaries_are_paid_for_by_their_size() {
        let spent = |n: usize| {
            let pace = Arc::new(Counted(AtomicU64::new(0)));
            let control = Control::new().with_pace(pace.clone());
            let conditions = (1..n).map(|place| vec![(place - 1, -1.0), (place, 1.0)]).collect();
            let mut simplex = Simplex::new(conditions, n).expect("not too large");
            let mut gain = vec![0.0; n];
            gain[0] = 1.0;
            assert!(simplex.maximise(&gain, &control).expect("no limit").is_some());
            pace.0.load(Ordering::Relaxed) / (simplex.n_steps as u64 + 1)
        };
        assert_eq!((spent(10), spent(1000)), (1, 11));
    }

    #[test]
    fn proportions_become_integers() {
        assert_eq!(integers(&[0.5, 0.0, 0.25, 0.75]), Some(vec![(0, 2), (2, 1), (3, 3)]));
        assert_eq!(integers(&[0.2, 0.3]), Some(vec![(0, 2), (1, 3)]));
        assert_eq!(integers(&[0.0, 0.0]), None);
    }
}
