//! What is known of all variables at one place of an execution: an interval for each.

use std::collections::{BTreeMap, BTreeSet};

use lapidary_base::IdVec;
use lapidary_ir::VarId;

use super::interval::Interval;

/// The values that variables begin with, and those that are known better or were written since.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known<'b> {
    base: &'b IdVec<VarId, Interval>,
    changed: BTreeMap<VarId, Interval>,
}

impl<'b> Known<'b> {
    pub fn new(base: &'b IdVec<VarId, Interval>) -> Self {
        Self { base, changed: BTreeMap::new() }
    }

    pub fn at(&self, var: VarId) -> Interval {
        self.changed.get(&var).copied().unwrap_or_else(|| self.base[var])
    }

    /// After a write.
    pub fn set(&mut self, var: VarId, value: Interval) {
        if self.at(var) != value {
            self.changed.insert(var, value);
        }
    }

    /// Only the executions in which the variable is there; false if there are none.
    #[must_use]
    pub fn narrow(&mut self, var: VarId, to: Interval) -> bool {
        let Some(met) = self.at(var).meet(to) else { return false };
        self.set(var, met);
        true
    }

    /// Both, over the same values at the beginning.
    pub fn hull(mut self, other: &Self) -> Self {
        let written: Vec<VarId> = self.changed.keys().chain(other.changed.keys()).copied().collect();
        for var in written {
            self.set(var, self.at(var).hull(other.at(var)));
        }
        self
    }

    /// The variables of which something else is known here.
    pub fn differing(&self, other: &Self) -> Vec<VarId> {
        let changed: BTreeSet<VarId> = self.changed.keys().chain(other.changed.keys()).copied().collect();
        changed.into_iter().filter(|&var| self.at(var) != other.at(var)).collect()
    }

    pub fn all(&self) -> IdVec<VarId, Interval> {
        self.base.ids().map(|var| self.at(var)).collect()
    }
}

/// The hull of those that there are.
pub fn either<'b>(one: Option<Known<'b>>, other: Option<Known<'b>>) -> Option<Known<'b>> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.hull(&other)),
        (one, other) => one.or(other),
    }
}
