//! Exact preimages of unions of boxes, and single steps into them.

use lapidary_base::{Control, Id, Stop};
use lapidary_ir::Tokens;

use super::step::{Row, Source};
use super::{BoxStep, Cuboid, INFINITE, Interval, MAX_PIECES, Region};

impl BoxStep {
    /// All markings from which the transition can lead into the region.
    pub fn pre(&self, region: &Region, control: &Control) -> Result<Region, Stop> {
        let mut found = Vec::new();
        for cuboid in region.cuboids() {
            let all = Cuboid::all(cuboid.intervals.len());
            let Some(from) = self.enabled_in(&all) else { break };
            for variables in self.solve(&from, cuboid, control)? {
                control.check()?;
                found.extend(self.before(&from, cuboid, &variables));
            }
        }
        self.checked(found, control)
    }

    /// A marking in the region to which the transition leads from this one, if there is any.
    pub fn step_into(&self, from: &[Tokens], to: &Region, control: &Control) -> Result<Option<Box<[Tokens]>>, Stop> {
        let Some(point) = self.enabled_in(&Cuboid::point(from)) else { return Ok(None) };
        for cuboid in to.cuboids() {
            for variables in self.solve(&point, cuboid, control)? {
                if self.before(&point, cuboid, &variables).is_some() {
                    return self.after(from, &variables).map(Some);
                }
            }
        }
        Ok(None)
    }

    /// Boxes over the variables: with any values in one of them, every row is within its interval of `to`.
    fn solve(&self, from: &Cuboid, to: &Cuboid, control: &Control) -> Result<Vec<Vec<Interval>>, Stop> {
        let mut solved = vec![self.start(from)];
        for row in &self.rows {
            let Some(sum) = demanded(row, to.intervals[row.place.index()]) else { return Ok(Vec::new()) };
            if sum == Interval::ANY {
                continue;
            }
            control.check()?;
            let mut next = Vec::new();
            for mut variables in solved {
                control.check()?;
                self.fill(&row.terms, sum, &mut variables, &mut next)?;
            }
            solved = next;
        }
        Ok(solved)
    }

    fn start(&self, from: &Cuboid) -> Vec<Interval> {
        let mut variables = Vec::with_capacity(self.n_variables);
        for source in &self.sources {
            let left = Self::left(source, from.intervals[source.place.index()]);
            // One of several parts may be empty, but is not more than the whole.
            let part = if source.n == 1 { left } else { Interval { lo: 0, hi: left.hi } };
            variables.extend(std::iter::repeat_n(part, source.n));
        }
        variables
    }

    /// Appends boxes within `variables` that have together exactly the values whose sum is within the interval.
    fn fill(
        &self,
        terms: &[(usize, Tokens)],
        sum: Interval,
        variables: &mut Vec<Interval>,
        out: &mut Vec<Vec<Interval>>,
    ) -> Result<(), Stop> {
        let all = terms.iter().fold(Interval::exactly(0), |all, &(v, times)| all.plus(variables[v].times(times)));
        let Some(_) = all.meet(sum) else { return Ok(()) };
        if sum.contains(all) {
            out.push(variables.clone());
            return if out.len() > MAX_PIECES { Err(self.too_many()) } else { Ok(()) };
        }
        match *terms {
            [] => Ok(()),
            [(variable, times)] => self.fill_last(variable, times, sum, variables, out),
            [(variable, times), ref rest @ ..] => self.fill_first(variable, times, rest, sum, variables, out),
        }
    }

    fn fill_first(
        &self,
        variable: usize,
        times: Tokens,
        rest: &[(usize, Tokens)],
        sum: Interval,
        variables: &mut Vec<Interval>,
        out: &mut Vec<Vec<Interval>>,
    ) -> Result<(), Stop> {
        let whole = variables[variable];
        let last = if sum.hi == INFINITE { sum.lo.div_ceil(times) } else { sum.hi / times };
        if last.saturating_sub(whole.lo) > MAX_PIECES as Tokens {
            return Err(self.too_many());
        }
        for value in whole.lo..=last.max(whole.lo).min(whole.hi) {
            let used = value.saturating_mul(times);
            if used > sum.hi {
                break;
            }
            // With more of an upward-closed sum all is well, and with less of a downward-closed one.
            variables[variable] = match (sum.lo, sum.hi) {
                (_, INFINITE) => Interval { lo: value, hi: whole.hi },
                (0, _) => Interval { lo: whole.lo, hi: value },
                (_, _) => Interval::exactly(value),
            };
            let hi = if sum.hi == INFINITE { INFINITE } else { sum.hi - used };
            self.fill(rest, Interval { lo: sum.lo.saturating_sub(used), hi }, variables, out)?;
        }
        variables[variable] = whole;
        Ok(())
    }

    /// Where one variable is left, its values are an interval.
    fn fill_last(
        &self,
        variable: usize,
        times: Tokens,
        sum: Interval,
        variables: &mut [Interval],
        out: &mut Vec<Vec<Interval>>,
    ) -> Result<(), Stop> {
        let hi = if sum.hi == INFINITE { INFINITE } else { sum.hi / times };
        let values = Interval { lo: sum.lo.div_ceil(times), hi };
        let whole = variables[variable];
        if values.lo <= values.hi
            && let Some(met) = whole.meet(values)
        {
            variables[variable] = met;
            out.push(variables.to_vec());
            variables[variable] = whole;
        }
        if out.len() > MAX_PIECES { Err(self.too_many()) } else { Ok(()) }
    }

    /// The markings of `from` with these values of the variables that agree with `to` where nothing is written.
    fn before(&self, from: &Cuboid, to: &Cuboid, variables: &[Interval]) -> Option<Cuboid> {
        let mut before = to.clone();
        for source in &self.sources {
            let left = total(source, variables);
            before.intervals[source.place.index()] = left.plus(Interval::exactly(source.take));
        }
        before.meet(from)
    }

    fn after(&self, from: &[Tokens], variables: &[Interval]) -> Result<Box<[Tokens]>, Stop> {
        let overflow = || Stop::Overflow(format!("transition {}", self.name));
        let mut values: Vec<Tokens> = variables.iter().map(|interval| interval.lo).collect();
        for source in &self.sources {
            let own = source.first..source.first + source.n;
            let mut rest = from[source.place.index()] - source.take - values[own.clone()].iter().sum::<Tokens>();
            for variable in own {
                let more = rest.min(variables[variable].hi - values[variable]);
                values[variable] += more;
                rest -= more;
            }
        }
        let mut after: Box<[Tokens]> = from.into();
        for row in &self.rows {
            let part = |&(variable, times): &(usize, Tokens)| i128::from(values[variable]) * i128::from(times);
            let sum = row.terms.iter().map(part).sum::<i128>() + i128::from(row.put);
            let tokens = Tokens::try_from(sum).ok().filter(|&tokens| tokens <= i64::MAX as Tokens);
            after[row.place.index()] = tokens.ok_or_else(overflow)?;
        }
        Ok(after)
    }
}

fn total(source: &Source, variables: &[Interval]) -> Interval {
    let parts = variables[source.first..source.first + source.n].iter();
    parts.fold(Interval::exactly(0), |total, &part| total.plus(part))
}

/// What the terms of a row must add up to. A row with a negative put must not fall below zero, which the shift says, too.
fn demanded(row: &Row, to: Interval) -> Option<Interval> {
    to.shifted(row.put.saturating_neg())
}
