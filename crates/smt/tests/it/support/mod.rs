//! What the tests of solvers share: variables with few values, and random terms over them.

pub mod bits;
#[cfg(unix)]
pub mod fake;

use lapidary_base::Id;
use lapidary_ir::{Domain, Exprs, VarId};
use lapidary_reference::expressions::{Leaves, Values};
use lapidary_smt::Terms;

/// Three integers between -3 and 3, one that counts 0 to 2, and two Booleans.
pub struct Few {
    pub ints: Vec<VarId>,
    pub bools: Vec<VarId>,
}

impl Few {
    pub fn new(terms: &mut Terms<'_>) -> Self {
        let small = Domain::Range { lo: -3, hi: 3 };
        let ints = [small, small, small, Domain::Range { lo: 0, hi: 2 }];
        let ints = ints.into_iter().enumerate().map(|(at, domain)| terms.fresh(format!("i{at}"), domain)).collect();
        let bools = (0..2).map(|at| terms.fresh(format!("b{at}"), Domain::Bool)).collect();
        Self { ints, bools }
    }

    pub fn vars(&self) -> Vec<VarId> {
        self.ints.iter().chain(&self.bools).copied().collect()
    }

    /// Every assignment of values, by variable.
    pub fn assignments(&self, terms: &Terms<'_>) -> Vec<Vec<i64>> {
        let mut all = vec![vec![0; terms.len()]];
        for var in self.vars() {
            let (lo, hi) = match terms.domain(var) {
                Domain::Range { lo, hi } => (lo, hi),
                _ => (0, 1),
            };
            let with = |old: Vec<i64>| {
                (lo..=hi).map(move |value| {
                    let mut new = old.clone();
                    new[var.index()] = value;
                    new
                })
            };
            all = all.into_iter().flat_map(with).collect();
        }
        all
    }

    /// Random terms over them have values everywhere.
    pub fn leaves(&self, e: &Exprs) -> Leaves {
        let bools = self.bools.iter().map(|&var| e.var(var));
        let bounds = self.ints.iter().map(|&var| e.lt(e.var(var), e.int(1)));
        Leaves {
            numbers: self.ints.iter().map(|&var| e.var(var)).collect(),
            truths: bools.chain(bounds).collect(),
            rows: Vec::new(),
            values: Values::Everywhere,
        }
    }
}
