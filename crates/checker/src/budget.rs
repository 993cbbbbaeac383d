//! How much of a large certificate is looked at.

use lapidary_ir::{Destination, Model, Rhs, Statement};
use lapidary_verdict::Checked;

use crate::eval;

/// How much work the check of a certificate may be, in a measure that is the same on every machine: one unit for each
/// command that is looked at in a state, and one for each step that is taken from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    pub units: u64,
    /// Which states are looked at when not all can be.
    pub seed: u64,
}

impl Default for Budget {
    fn default() -> Self {
        Self { units: 20_000_000_000, seed: 0x1a51_da27 }
    }
}

/// A sample is never smaller than this many states, whatever they cost.
const LEAST_SAMPLE: u128 = 1 << 10;

/// Which of the listed states are checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sample {
    All,
    /// Those whose mixed number is below the threshold: a share of `threshold / 2^64`.
    Below {
        threshold: u64,
        seed: u64,
    },
}

impl Sample {
    /// As many of `n_states` as the budget allows at this cost for each.
    pub fn within(budget: Budget, n_states: usize, units_per_state: u64) -> Self {
        let n_states = n_states as u128;
        let n_affordable = u128::from(budget.units / units_per_state.max(1)).max(LEAST_SAMPLE);
        if n_states <= n_affordable {
            return Self::All;
        }
        let threshold = u64::try_from((n_affordable << 64) / n_states).unwrap_or(u64::MAX);
        Self::Below { threshold, seed: budget.seed }
    }

    #[inline]
    pub fn includes(self, number: usize) -> bool {
        match self {
            Self::All => true,
            Self::Below { threshold, seed } => mix(seed.wrapping_add(number as u64)) < threshold,
        }
    }

    /// Percent are rounded down: a sample of less than one percent does not pass for one.
    pub fn checked(self) -> Checked {
        match self {
            Self::All => Checked::Fully,
            Self::Below { threshold, .. } => Checked::Sample(((u128::from(threshold) * 100) >> 64) as u8),
        }
    }
}

/// The finaliser of splitmix64 (Steele, Lea and Flood 2014).
fn mix(number: u64) -> u64 {
    let mixed = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// The most that a state can cost, told without looking at any.
pub fn most_units_per_state(model: &Model) -> u64 {
    let units = |statement| n_executions(model, statement).saturating_add(1);
    model.commands.iter().fold(0u64, |sum, command| sum.saturating_add(units(&command.body)))
}

/// The most executions that a statement may have from one state.
pub fn n_executions(model: &Model, statement: &Statement) -> u64 {
    match statement {
        Statement::Skip | Statement::Assume(_) => 1,
        Statement::Assign(list) => list.iter().fold(1u64, |product, assignment| {
            let domain = match (assignment.value, assignment.to) {
                (Rhs::Expr(_), _) => return product,
                (Rhs::Any, Destination::Var(var)) => model.vars[var].domain,
                // Without cells there is no domain, and no execution either.
                (Rhs::Any, Destination::Cell(family, _)) if model.families[family].len == 0 => return 0,
                (Rhs::Any, Destination::Cell(family, _)) => model.family_domain(family),
            };
            let (lo, hi) = eval::bounds(model, domain);
            product.saturating_mul(hi.abs_diff(lo).saturating_add(1))
        }),
        Statement::Sequence(parts) => {
            parts.iter().fold(1, |product, part| n_executions(model, part).saturating_mul(product))
        }
        Statement::Choice(parts) => parts.iter().fold(0, |sum, part| n_executions(model, part).saturating_add(sum)),
        Statement::If(_, then, otherwise) => n_executions(model, then).max(n_executions(model, otherwise)),
        // Where every turn has one way to go there is one execution at most; otherwise the turns multiply.
        Statement::While(_, body) => match n_executions(model, body) {
            0 | 1 => 1,
            _ => u64::MAX,
        },
        Statement::Scope(_, body) => n_executions(model, body),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_has_about_the_share_that_the_budget_allows() {
        let sample = Sample::within(Budget { units: 250_000, seed: 1 }, 100_000, 10);
        assert_eq!(sample.checked(), Checked::Sample(25));
        let n_included = (0..100_000).filter(|&number| sample.includes(number)).count();
        assert!((24_000..26_000).contains(&n_included), "{n_included}");
    }

    #[test]
    fn work_within_the_budget_is_done_fully() {
        assert_eq!(Sample::within(Budget { units: 20_000, seed: 1 }, 2000, 10), Sample::All);
        assert_ne!(Sample::within(Budget { units: 19_990, seed: 1 }, 2000, 10), Sample::All);
    }

    #[test]
    fn few_states_are_checked_fully_whatever_they_cost() {
        assert_eq!(Sample::within(Budget { units: 1, seed: 1 }, 1000, u64::MAX), Sample::All);
    }
}
