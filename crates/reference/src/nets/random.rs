//! Seeded random nets with few places, few transitions and small numbers, of a chosen kind.

use std::collections::BTreeMap;

use lapidary_base::Id;
use lapidary_ir::passes::Cube;
use lapidary_ir::{Destinations, Flow, Guard, Net, Place, PlaceId, Range, Sparse, Tokens, Transition};

use super::{NOWHERE, Problem};
use crate::dice::Dice;

/// What nets may have, each in percent; zero is never.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Features {
    /// Of transitions: they have flows at all, of one of the next four kinds each, by these weights.
    pub flows: u32,
    pub transfers: u32,
    pub resets: u32,
    pub copies: u32,
    pub choices: u32,
    /// Of transitions: they put more tokens than they take.
    pub spawns: u32,
    /// Of transitions: they read a place without taking from it.
    pub reads: u32,
    /// Of transitions: they take from what has arrived.
    pub negative_puts: u32,
    /// Of transitions: a place must not have too many tokens, mostly none.
    pub upper_bounds: u32,
    /// Of places: any number of tokens at first, or one of several numbers.
    pub unbounded: u32,
    pub ranges: u32,
}

impl Features {
    /// Petri nets with one initial marking.
    pub const PLAIN: Self = Self {
        flows: 0,
        transfers: 0,
        resets: 0,
        copies: 0,
        choices: 0,
        spawns: 25,
        reads: 15,
        negative_puts: 0,
        upper_bounds: 0,
        unbounded: 0,
        ranges: 0,
    };
    /// With transfers, resets and copies.
    pub const FLOWS: Self = Self { flows: 40, transfers: 60, resets: 20, copies: 20, ..Self::PLAIN };
    /// With choices too, as thread systems have them.
    pub const CHOICES: Self = Self { choices: 60, ..Self::FLOWS };
    /// Everything that is monotone.
    pub const MONOTONE: Self = Self { negative_puts: 10, unbounded: 10, ranges: 10, ..Self::CHOICES };
    /// Everything.
    pub const ALL: Self = Self { upper_bounds: 20, ..Self::MONOTONE };
}

/// A net with 2 to 5 places and 2 to 6 transitions, and a target of one or two cubes without upper bounds.
pub fn random(seed: u64, features: &Features) -> Problem {
    let dice = &mut Dice::new(seed);
    let n_places = 2 + dice.below(4);
    let mut maker = Maker { dice, features, n_places };
    let place = |i: usize| Place { name: format!("p{i}"), span: NOWHERE };
    let places = (0..maker.n_places).map(place).collect();
    let initial = (0..maker.n_places).map(|_| maker.initial()).collect();
    let n_transitions = 2 + maker.dice.below(5);
    let transitions = (0..n_transitions).map(|i| maker.transition(i)).collect();
    let net = Net { name: format!("random{seed}"), places, transitions, initial };
    let n_cubes = if maker.dice.percent(20) { 2 } else { 1 };
    let target = (0..n_cubes).map(|_| maker.cube()).collect();
    debug_assert_eq!(net.validate(), Ok(()));
    Problem { net, target }
}

/// A transition of a net with so many places.
pub fn transition(dice: &mut Dice, n_places: usize, features: &Features) -> Transition {
    Maker { dice, features, n_places }.transition(0)
}

struct Maker<'a> {
    dice: &'a mut Dice,
    features: &'a Features,
    n_places: usize,
}

impl Maker<'_> {
    fn place(&mut self) -> PlaceId {
        PlaceId::new(self.dice.below(self.n_places))
    }

    /// Mostly one.
    fn few(&mut self) -> Tokens {
        [1, 1, 1, 2, 2, 3][self.dice.below(6)]
    }

    fn initial(&mut self) -> Range {
        let tokens = [0, 0, 0, 1, 1, 2, 3][self.dice.below(7)];
        if self.dice.percent(self.features.unbounded) {
            return Range::at_least(if self.dice.percent(60) { 0 } else { tokens });
        }
        if self.dice.percent(self.features.ranges) {
            return Range { lo: tokens, hi: Some(tokens + self.few()) };
        }
        Range::exactly(tokens)
    }

    /// Several places, each with a few tokens; the same place may come up twice.
    fn tokens(&mut self, n_tokens: usize) -> BTreeMap<PlaceId, Tokens> {
        let mut found = BTreeMap::new();
        for _ in 0..n_tokens {
            *found.entry(self.place()).or_insert(0) += 1;
        }
        found
    }

    fn transition(&mut self, number: usize) -> Transition {
        let n_taken = [0, 1, 1, 1, 2, 2, 3][self.dice.below(7)];
        // As many as it takes, or fewer: most nets would otherwise grow for ever.
        let n_put = match self.dice.percent(self.features.spawns) {
            true => n_taken + 1 + self.dice.below(2),
            false if n_taken > 0 && self.dice.percent(15) => n_taken - 1,
            false => n_taken,
        };
        let take: Sparse = self.tokens(n_taken).into_iter().collect();
        let mut put: BTreeMap<PlaceId, i64> = BTreeMap::new();
        for (place, tokens) in self.tokens(n_put) {
            put.insert(place, i64::try_from(tokens).expect("a few tokens"));
        }
        if self.dice.percent(self.features.negative_puts) {
            let tokens = i64::try_from(self.few()).expect("a few tokens");
            put.insert(self.place(), -tokens);
        }
        let flows = self.flows();
        let guards = self.guards();
        let put = put.into_iter().collect();
        Transition { name: format!("t{number}"), guards, take, flows, put, span: NOWHERE }
    }

    fn guards(&mut self) -> Vec<Guard> {
        let mut ranges: BTreeMap<PlaceId, Range> = BTreeMap::new();
        if self.dice.percent(self.features.reads) {
            let range = Range::at_least(self.few());
            ranges.insert(self.place(), range);
        }
        if self.dice.percent(self.features.upper_bounds) {
            let hi = [0, 0, 0, 1, 2][self.dice.below(5)];
            let lo = ranges.entry(self.place()).or_insert(Range::ANY);
            *lo = Range { lo: lo.lo.min(hi), hi: Some(hi) };
        }
        ranges.into_iter().map(|(place, range)| Guard { place, range, span: NOWHERE }).collect()
    }

    fn flows(&mut self) -> Vec<Flow> {
        if !self.dice.percent(self.features.flows) {
            return Vec::new();
        }
        let mut flows: BTreeMap<PlaceId, Destinations> = BTreeMap::new();
        for _ in 0..=self.dice.below(2) {
            let from = self.place();
            let to = self.destinations(from);
            flows.insert(from, to);
        }
        flows.into_iter().map(|(from, to)| Flow { from, to }).collect()
    }

    /// Of the four kinds of flows, by their weights.
    fn destinations(&mut self, from: PlaceId) -> Destinations {
        let Features { transfers, resets, copies, choices, .. } = *self.features;
        let number = self.dice.below((transfers + resets + copies + choices) as usize) as u32;
        if number < transfers {
            let to = self.place();
            return Destinations::All(vec![(to, 1)]);
        }
        if number < transfers + resets {
            return Destinations::All(Vec::new());
        }
        let mut to: BTreeMap<PlaceId, Tokens> = BTreeMap::new();
        if self.dice.percent(50) {
            to.insert(from, 1);
        }
        if number < transfers + resets + copies {
            for _ in 0..=self.dice.below(2) {
                let times = [1, 1, 2][self.dice.below(3)];
                to.insert(self.place(), times);
            }
            return Destinations::All(to.into_iter().collect());
        }
        let n_ways = (2 + self.dice.below(2)).min(self.n_places);
        while to.len() < n_ways {
            to.insert(self.place(), 1);
        }
        Destinations::One(to.into_keys().collect())
    }

    fn cube(&mut self) -> Cube {
        let mut cube: BTreeMap<PlaceId, Range> = BTreeMap::new();
        for _ in 0..=self.dice.below(3) {
            let tokens = [1, 1, 2, 2, 3, 4][self.dice.below(6)];
            cube.insert(self.place(), Range::at_least(tokens));
        }
        cube.into_iter().collect()
    }
}
