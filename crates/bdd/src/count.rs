//! Counting and listing the valuations of a set.

use lapidary_base::Stop;
use lapidary_base::hash::{Map, Set as HashSet};

use crate::run::{Counter, Halt};
use crate::space::{Column, Set, Space};
use crate::walk::{EdgeRef, Step, View};

/// A bit of a list of columns: its level, and where it stands in a valuation of them.
#[derive(Clone, Copy)]
struct Place {
    level: u32,
    column: usize,
    weight: usize,
}

impl Space {
    /// The number of valuations of exactly these columns in the set, whose support lies within them and which implies
    /// their domains; `None` if it does not fit.
    pub fn count(&self, set: &Set, columns: &[Column]) -> Result<Option<u128>, Stop> {
        let places = self.places(columns);
        // By level: how many bits of the columns are above it.
        let mut above = vec![0u32; self.levels.len() + 1];
        places.iter().for_each(|place| above[place.level as usize + 1] = 1);
        (0..self.levels.len()).for_each(|level| above[level + 1] += above[level]);
        let bits = places.len() as u32;
        self.view(set, |view, edge, counter| {
            let mut counting = Counting { view, counter, above: &above, bits, known: Map::default() };
            Ok(counting.count(edge)?.and_then(|(count, at)| shifted(count, at)))
        })
    }

    /// The least valuation in the set, in the order of the given columns; `None` if the set is empty.
    ///
    /// Columns of the support that are not given are chosen in some way, and forgotten.
    pub fn pick(&self, set: &Set, columns: &[Column]) -> Result<Option<Vec<u64>>, Stop> {
        if self.is_none(set) {
            return Ok(None);
        }
        let mut values = vec![0; columns.len()];
        self.view(set, |view, edge, counter| {
            let mut picking = Picking { view, counter, edge, chosen: vec![None; self.levels.len()], n_chosen: 0 };
            for (value, &column) in values.iter_mut().zip(columns) {
                for &level in self.columns[column].bits.iter().rev() {
                    *value = *value << 1 | u64::from(picking.bit(level)?);
                }
            }
            Ok(())
        })?;
        Ok(Some(values))
    }

    /// Calls `visit` with all valuations of the columns in the set, whose support lies within them. Columns on which the
    /// set does not depend run through their domain. The order is that of the bits in the diagram.
    pub fn for_each(
        &self,
        set: &Set,
        columns: &[Column],
        visit: &mut dyn FnMut(&[u64]) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let domains: Vec<Set> = columns.iter().map(|&column| self.domain(column)).collect::<Result<_, _>>()?;
        let set = self.and(set, &self.and_all(&domains)?)?;
        let places = self.places(columns);
        let mut refused = Ok(());
        self.view(&set, |view, edge, counter| {
            let mut listing = Listing { view, counter, places: &places, values: vec![0; columns.len()], visit };
            match listing.list(edge, 0) {
                Err(Ended::Halted(halt)) => Err(halt),
                Err(Ended::Refused(stop)) => {
                    refused = Err(stop);
                    Ok(())
                }
                Ok(()) => Ok(()),
            }
        })?;
        refused
    }

    /// The bits of the columns from the top of the diagram down.
    fn places(&self, columns: &[Column]) -> Vec<Place> {
        let mut places: Vec<Place> = Vec::new();
        for (column, &id) in columns.iter().enumerate() {
            let bits = self.columns[id].bits.iter().enumerate();
            places.extend(bits.map(|(weight, &level)| Place { level, column, weight }));
        }
        places.sort_unstable_by_key(|place| place.level);
        places
    }
}

/// A choice of bits one after the other, in any order.
struct Picking<'s, 'a, 'id: 'a> {
    view: View<'a, 'id>,
    counter: &'s Counter<'s>,
    /// What remains of the set after the choices above its topmost bit.
    edge: EdgeRef<'a, 'id>,
    /// By level: choices below the topmost bit.
    chosen: Vec<Option<bool>>,
    n_chosen: usize,
}

impl<'a, 'id> Picking<'_, 'a, 'id> {
    /// Chooses a bit: zero if what was chosen so far allows that.
    fn bit(&mut self, level: u32) -> Result<bool, Halt> {
        Ok(match self.view.step(self.edge) {
            Step::Branch(top, zero, one) if top == level => {
                let bit = !self.possible(zero)?;
                self.edge = if bit { one } else { zero };
                bit
            }
            Step::Branch(top, ..) if top < level => {
                self.chosen[level as usize] = Some(false);
                self.n_chosen += 1;
                let bit = !self.possible(self.edge)?;
                self.chosen[level as usize] = Some(bit);
                bit
            }
            Step::Branch(..) | Step::All | Step::None => false,
        })
    }

    /// Whether there is a valuation below an edge that agrees with the choices; each node is looked at once.
    fn possible(&self, edge: EdgeRef<'a, 'id>) -> Result<bool, Halt> {
        let mut visited = HashSet::default();
        let mut open = vec![edge];
        while let Some(edge) = open.pop() {
            match self.view.step(edge) {
                Step::All => return Ok(true),
                Step::None => {}
                Step::Branch(..) if self.n_chosen == 0 => return Ok(true),
                Step::Branch(level, zero, one) => {
                    if !visited.insert(edge) {
                        continue;
                    }
                    self.counter.step()?;
                    match self.chosen[level as usize] {
                        Some(false) => open.push(zero),
                        Some(true) => open.push(one),
                        None => open.extend([one, zero]),
                    }
                }
            }
        }
        Ok(false)
    }
}

struct Counting<'s, 'a, 'id: 'a> {
    view: View<'a, 'id>,
    counter: &'s Counter<'s>,
    above: &'s [u32],
    bits: u32,
    known: Map<EdgeRef<'a, 'id>, u128>,
}

impl<'a, 'id> Counting<'_, 'a, 'id> {
    /// The valuations of the bits from the edge's level down, and how many bits are above that.
    ///
    /// Every node that is met is part of the whole, so the whole does not fit if a part does not.
    fn count(&mut self, edge: EdgeRef<'a, 'id>) -> Result<Option<(u128, u32)>, Halt> {
        let (level, zero, one) = match self.view.step(edge) {
            Step::All => return Ok(Some((1, self.bits))),
            Step::None => return Ok(Some((0, self.bits))),
            Step::Branch(level, zero, one) => (level as usize, zero, one),
        };
        let at = self.above[level];
        debug_assert_eq!(self.above[level + 1], at + 1, "the support lies within the columns");
        if let Some(&count) = self.known.get(&edge) {
            return Ok(Some((count, at)));
        }
        self.counter.step()?;
        let mut total = 0u128;
        for child in [zero, one] {
            let Some((count, below)) = self.count(child)? else { return Ok(None) };
            let sum = shifted(count, below - at - 1).and_then(|count| total.checked_add(count));
            let Some(sum) = sum else { return Ok(None) };
            total = sum;
        }
        self.known.insert(edge, total);
        Ok(Some((total, at)))
    }
}

fn shifted(count: u128, by: u32) -> Option<u128> {
    if by <= count.leading_zeros() { Some(if by == 128 { 0 } else { count << by }) } else { (count == 0).then_some(0) }
}

/// Why a listing ended early.
enum Ended {
    Halted(Halt),
    /// By who is told.
    Refused(Stop),
}

struct Listing<'s, 'a, 'id: 'a> {
    view: View<'a, 'id>,
    counter: &'s Counter<'s>,
    places: &'s [Place],
    values: Vec<u64>,
    visit: &'s mut dyn FnMut(&[u64]) -> Result<(), Stop>,
}

impl<'a, 'id> Listing<'_, 'a, 'id> {
    /// Lists what the edge leads to, given that the first places are decided.
    fn list(&mut self, edge: EdgeRef<'a, 'id>, decided: usize) -> Result<(), Ended> {
        self.counter.step().map_err(Ended::Halted)?;
        let (level, zero, one) = match self.view.step(edge) {
            Step::None => return Ok(()),
            Step::All => (u32::MAX, edge, edge),
            Step::Branch(level, zero, one) => (level, zero, one),
        };
        let Some(&Place { level: next, column, weight }) = self.places.get(decided) else {
            debug_assert_eq!(level, u32::MAX, "the support lies within the columns");
            return (self.visit)(&self.values).map_err(Ended::Refused);
        };
        debug_assert!(next <= level, "the support lies within the columns");
        let (zero, one) = if next == level { (zero, one) } else { (edge, edge) };
        self.list(zero, decided + 1)?;
        self.values[column] |= 1 << weight;
        let listed = self.list(one, decided + 1);
        self.values[column] &= !(1 << weight);
        listed
    }
}
