//! Sets that speak of the value of a column.

use lapidary_base::Stop;

use crate::space::{Column, Set, Space};

impl Space {
    /// Where the column has this value: nowhere if its domain does not.
    pub fn value(&self, column: Column, value: u64) -> Result<Set, Stop> {
        self.range(column, value, value)
    }

    /// Where the column's value is between the bounds, both included, and in its domain.
    pub fn range(&self, column: Column, lo: u64, hi: u64) -> Result<Set, Stop> {
        let size = self.size(column);
        if lo > hi || lo >= size {
            return Ok(self.none());
        }
        let below = self.at_most(column, hi.min(size - 1))?;
        match lo.checked_sub(1) {
            None => Ok(below),
            Some(under) => self.minus(&below, &self.at_most(column, under)?),
        }
    }

    /// Where the column's value is in its domain: everywhere if the size is a power of two.
    pub fn domain(&self, column: Column) -> Result<Set, Stop> {
        self.range(column, 0, u64::MAX)
    }

    /// Where two columns have the same bits; their domains are not implied.
    pub fn equal(&self, a: Column, b: Column) -> Result<Set, Stop> {
        let (a, b) = (&self.columns[a].bits, &self.columns[b].bits);
        let mut equal = self.all();
        for weight in 0..a.len().max(b.len()) {
            let same = match (a.get(weight), b.get(weight)) {
                (Some(&a), Some(&b)) => self.iff(self.bit(a), self.bit(b))?,
                (Some(&one), None) | (None, Some(&one)) => self.not(self.bit(one))?,
                (None, None) => self.all(),
            };
            equal = self.and(&same, &equal)?;
        }
        Ok(equal)
    }

    /// Where the column's bits, read as a number, are at most a bound; built from the lowest level up.
    fn at_most(&self, column: Column, bound: u64) -> Result<Set, Stop> {
        let bits = &self.columns[column].bits;
        if bits.len() < 64 && bound >> bits.len() != 0 {
            return Ok(self.all());
        }
        bits.iter().enumerate().try_fold(self.all(), |sofar, (weight, &level)| {
            let zero = self.not(self.bit(level))?;
            match bound >> weight & 1 {
                0 => self.and(&zero, &sofar),
                _ => self.or(&zero, &sofar),
            }
        })
    }
}
