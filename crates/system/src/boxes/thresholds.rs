//! Atoms `place >= k`, and the abstraction that they make: markings that no atom tells apart belong together.

use lapidary_base::Id;
use lapidary_ir::{PlaceId, Tokens};

use super::{Cuboid, INFINITE, Interval, Region};

/// Per place the numbers `k` of its atoms, ascending and never zero: `place >= 0` tells nothing apart.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Thresholds {
    of: Vec<Vec<Tokens>>,
}

impl Thresholds {
    pub fn none(n_places: usize) -> Self {
        Self { of: vec![Vec::new(); n_places] }
    }

    pub fn of(&self, place: PlaceId) -> &[Tokens] {
        &self.of[place.index()]
    }

    /// How many atoms there are.
    pub fn count(&self) -> usize {
        self.of.iter().map(Vec::len).sum()
    }

    /// The atoms in the order of places and numbers.
    pub fn atoms(&self) -> impl Iterator<Item = (PlaceId, Tokens)> + '_ {
        let places = self.of.iter().enumerate();
        places.flat_map(|(place, numbers)| numbers.iter().map(move |&number| (PlaceId::new(place), number)))
    }

    pub fn has(&self, place: PlaceId, number: Tokens) -> bool {
        number == 0 || number == INFINITE || self.of[place.index()].binary_search(&number).is_ok()
    }

    pub fn add(&mut self, place: PlaceId, number: Tokens) {
        let numbers = &mut self.of[place.index()];
        if number == 0 || number == INFINITE {
            return;
        }
        if let Err(at) = numbers.binary_search(&number) {
            numbers.insert(at, number);
        }
    }

    /// The atoms of `lo <= place <= hi`; those of `place = k` are `place >= k` and `place >= k + 1`.
    pub fn add_interval(&mut self, place: PlaceId, interval: Interval) {
        self.add(place, interval.lo);
        self.add(place, interval.hi.saturating_add(1));
    }

    pub fn add_region(&mut self, region: &Region) {
        for (place, interval) in region.cuboids().iter().flat_map(Cuboid::bounds) {
            self.add_interval(place, interval);
        }
    }

    /// The numbers that the atoms of the place cannot tell from one of the interval.
    pub fn widen(&self, place: PlaceId, interval: Interval) -> Interval {
        let numbers = &self.of[place.index()];
        let below = numbers.partition_point(|&number| number <= interval.lo);
        let above = numbers.partition_point(|&number| number <= interval.hi);
        Interval {
            lo: if below == 0 { 0 } else { numbers[below - 1] },
            hi: numbers.get(above).map_or(INFINITE, |&number| number - 1),
        }
    }

    /// All markings that the atoms cannot tell from one of the region.
    pub fn alpha(&self, region: &Region) -> Region {
        let widen = |cuboid: &Cuboid| {
            let intervals = cuboid.intervals.iter().enumerate();
            Cuboid { intervals: intervals.map(|(at, &interval)| self.widen(PlaceId::new(at), interval)).collect() }
        };
        Region::of(region.cuboids().iter().map(widen).collect())
    }
}
