//! The least elements of sets, in the order of all variables: also of those that have no column in a set.

use lapidary_base::Stop;
use lapidary_bdd::{Column, Set};

use super::super::algebra::Algebra;
use super::{Diagrams, Parts};

impl Diagrams<'_> {
    /// The least configuration alone; none of an empty set.
    pub(super) fn least_configuration(&self, set: &Set) -> Result<Set, Stop> {
        let space = self.space();
        let mut rest = set.clone();
        let mut columns: Vec<Column> = Vec::new();
        for var in self.tree.vars.ids() {
            let Some(definition) = self.definition(var)? else {
                columns.push(self.column(var));
                continue;
            };
            self.control.check()?;
            rest = self.least_values(&rest, &columns)?;
            columns.clear();
            let column = self.column(var);
            let least = self.least_values(&space.and(&rest, &definition)?, &[column])?;
            rest = space.exists(&least, &space.cube(&[column])?)?;
        }
        self.least_values(&rest, &columns)
    }

    /// Where the columns have the least values that they have in the set, one column after the other.
    fn least_values(&self, set: &Set, columns: &[Column]) -> Result<Set, Stop> {
        let space = self.space();
        let Some(values) = space.pick(set, columns)? else { return Ok(space.none()) };
        let mut parts = vec![set.clone()];
        for (&column, &value) in columns.iter().zip(&values) {
            parts.push(space.value(column, value)?);
        }
        space.and_all(&parts)
    }

    /// The least transition by source, events and target, alone.
    pub(super) fn least_transition(&self, set: &Parts) -> Result<Parts, Stop> {
        let space = self.space();
        let source = self.least_configuration(&self.sources(set)?)?;
        let leaving = self.union(set, |part| space.and(part, &source))?;
        let same = self.least_values(&leaving, self.frame.events.as_slice())?;
        let target = self.least_configuration(&space.image(&space.all(), &same, &self.frame.arrive)?)?;
        let least = space.and(&same, &self.in_next(&target)?)?;
        self.each(set, |part| space.and(part, &least))
    }
}
