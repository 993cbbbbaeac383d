//! Images of boxes up to thresholds.
//!
//! A source that feeds one row makes that row an interval. One that feeds several rows (a copy), or counts several
//! times, relates its rows, and so do tokens that choose their destinations. The values of such a variable are cut into
//! pieces within which no threshold of any of its rows is crossed: the abstraction of the image is the union over
//! all combinations of pieces, and it is exact.

use lapidary_base::{Control, Id, Stop};
use lapidary_ir::{PlaceId, Tokens};

use super::step::Source;
use super::{BoxStep, Cuboid, INFINITE, Interval, MAX_PIECES, Region, Thresholds};

/// Takes the values of all variables.
type Visit<'a> = dyn FnMut(&BoxStep, &[Interval]) -> Result<(), Stop> + 'a;

/// A variable that relates rows with each other.
struct Related {
    variable: usize,
    /// Ascending; together all values that the variable may have.
    pieces: Vec<Interval>,
}

/// Related variables that share a bound on their sum: the parts of one source.
struct Group {
    left: Interval,
    related: Vec<Related>,
}

impl BoxStep {
    /// All markings that the atoms cannot tell from one to which the transition leads from the region.
    pub fn abstract_post(&self, region: &Region, thresholds: &Thresholds, control: &Control) -> Result<Region, Stop> {
        let mut found = Vec::new();
        for cuboid in region.cuboids() {
            if let Some(from) = self.enabled_in(cuboid) {
                self.image(&from, thresholds, control, &mut found)?;
            }
        }
        self.checked(found, control)
    }

    fn image(
        &self,
        from: &Cuboid,
        thresholds: &Thresholds,
        control: &Control,
        out: &mut Vec<Cuboid>,
    ) -> Result<(), Stop> {
        let (values, is_related) = self.variables(from);
        let mut image = from.clone();
        let mut sums = Vec::with_capacity(self.rows.len());
        for row in &self.rows {
            let plain = row.terms.iter().filter(|&&(variable, _)| !is_related[variable]);
            let sum =
                plain.fold(Interval::exactly(0), |sum, &(variable, times)| sum.plus(values[variable].times(times)));
            sums.push(sum);
        }
        for (at, interval) in image.intervals.iter_mut().enumerate() {
            *interval = thresholds.widen(PlaceId::new(at), *interval);
        }
        let groups = self.groups(from, &is_related, &sums, thresholds)?;
        let mut chosen = values;
        self.combine(&groups, &mut chosen, control, &mut |step, chosen| {
            control.check()?;
            if let Some(cuboid) = step.image_of(&image, &sums, chosen, &is_related, thresholds) {
                out.push(cuboid);
            }
            if out.len() > MAX_PIECES { Err(step.too_many()) } else { Ok(()) }
        })
    }

    /// The values of every variable on its own, and which ones relate several rows.
    fn variables(&self, from: &Cuboid) -> (Vec<Interval>, Vec<bool>) {
        let mut values = Vec::with_capacity(self.n_variables);
        let mut is_related = vec![false; self.n_variables];
        for source in &self.sources {
            let left = Self::left(source, from.intervals[source.place.index()]);
            for (variable, is_related) in is_related.iter_mut().enumerate().skip(source.first).take(source.n) {
                values.push(if source.n == 1 { left } else { Interval { lo: 0, hi: left.hi } });
                *is_related = match source.n {
                    1 => !left.is_single() && !self.is_plain(variable),
                    _ => left.hi > 0,
                };
            }
        }
        (values, is_related)
    }

    /// Does the variable count once in one row only?
    fn is_plain(&self, variable: usize) -> bool {
        let mut times =
            self.rows.iter().flat_map(|row| &row.terms).filter(|term| term.0 == variable).map(|term| term.1);
        times.next().is_none_or(|times| times == 1) && times.next().is_none()
    }

    fn groups(
        &self,
        from: &Cuboid,
        is_related: &[bool],
        sums: &[Interval],
        thresholds: &Thresholds,
    ) -> Result<Vec<Group>, Stop> {
        let related = self.sources.iter().filter(|source| is_related[source.first]);
        let group = |source: &Source| {
            let left = Self::left(source, from.intervals[source.place.index()]);
            let lo = if source.n == 1 { left.lo } else { 0 };
            let pieces = |variable: usize| {
                let cuts = self.cuts(variable, is_related, sums, thresholds)?;
                Ok(Related { variable, pieces: pieces(Interval { lo, hi: left.hi }, cuts) })
            };
            let related = (source.first..source.first + source.n).map(pieces).collect::<Result<Vec<_>, Stop>>()?;
            Ok(Group { left, related })
        };
        related.map(group).collect()
    }

    /// The values from which on one of the variable's rows is in another cell of the abstraction.
    fn cuts(
        &self,
        variable: usize,
        is_related: &[bool],
        sums: &[Interval],
        thresholds: &Thresholds,
    ) -> Result<Vec<Tokens>, Stop> {
        let mut cuts = Vec::new();
        for (row, sum) in self.rows.iter().zip(sums) {
            let Some(&(_, times)) = row.terms.iter().find(|term| term.0 == variable) else { continue };
            let is_alone = row.terms.iter().filter(|term| is_related[term.0]).count() == 1;
            // What falls below zero is no marking: zero is a threshold where something is subtracted.
            let zero = (row.put < 0).then_some(0);
            let numbers = thresholds.of(row.place).iter().copied().chain(zero);
            let cut = |number: Tokens, rest: Tokens| {
                let missing = i128::from(number) - i128::from(rest) - i128::from(row.put);
                Tokens::try_from(missing.max(0)).unwrap_or(Tokens::MAX).div_ceil(times)
            };
            if is_alone {
                let ends = [Some(sum.lo), (sum.hi != INFINITE).then_some(sum.hi)];
                cuts.extend(numbers.flat_map(|number| ends.into_iter().flatten().map(move |rest| cut(number, rest))));
            } else {
                // Beside another such variable every value counts, up to the last threshold.
                let last = numbers.map(|number| cut(number, sum.lo)).max().unwrap_or(0);
                if last > MAX_PIECES as Tokens {
                    return Err(self.too_many());
                }
                cuts.extend(1..=last);
            }
        }
        cuts.sort_unstable();
        cuts.dedup();
        Ok(cuts)
    }

    /// Calls `visit` with the least values of every combination of pieces that is possible.
    fn combine(
        &self,
        groups: &[Group],
        chosen: &mut Vec<Interval>,
        control: &Control,
        visit: &mut Visit<'_>,
    ) -> Result<(), Stop> {
        let Some((group, rest)) = groups.split_first() else { return visit(self, chosen) };
        control.check()?;
        let all: Vec<&Related> = group.related.iter().collect();
        let mut parts = vec![0; all.len()];
        let mut tried = 0;
        'combinations: loop {
            tried += 1;
            if tried > MAX_PIECES {
                return Err(self.too_many());
            }
            let piece = |(related, &part): (&&Related, &usize)| related.pieces[part];
            let total = all.iter().zip(&parts).map(piece).fold(Interval::exactly(0), Interval::plus);
            if total.meet(group.left).is_some() {
                for (related, &part) in all.iter().zip(&parts) {
                    chosen[related.variable] = related.pieces[part];
                }
                self.combine(rest, chosen, control, visit)?;
            }
            for at in 0..parts.len() {
                parts[at] += 1;
                if parts[at] < all[at].pieces.len() {
                    continue 'combinations;
                }
                parts[at] = 0;
            }
            return Ok(());
        }
    }

    /// The cells of a combination: within pieces no row crosses a threshold, so their least values stand for all.
    fn image_of(
        &self,
        image: &Cuboid,
        sums: &[Interval],
        chosen: &[Interval],
        is_related: &[bool],
        thresholds: &Thresholds,
    ) -> Option<Cuboid> {
        let mut image = image.clone();
        for (row, &sum) in self.rows.iter().zip(sums) {
            let related = row.terms.iter().filter(|term| is_related[term.0]);
            let least = |&(variable, times): &(usize, Tokens)| Interval::exactly(chosen[variable].lo).times(times);
            let total = related.map(least).fold(sum, Interval::plus).shifted(row.put)?;
            image.intervals[row.place.index()] = thresholds.widen(row.place, total);
        }
        Some(image)
    }
}

/// The values of an interval, cut before each of the given numbers.
fn pieces(whole: Interval, cuts: Vec<Tokens>) -> Vec<Interval> {
    let mut pieces = Vec::new();
    let mut lo = whole.lo;
    for cut in cuts.into_iter().filter(|&cut| cut > whole.lo && cut <= whole.hi) {
        pieces.push(Interval { lo, hi: cut - 1 });
        lo = cut;
    }
    pieces.push(Interval { lo, hi: whole.hi });
    pieces
}
