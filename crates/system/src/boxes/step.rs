//! A transition as equations: what is left in its sources are variables, and every place that it writes is a sum of some.

use lapidary_base::{Control, Id, Stop};
use lapidary_ir::{Destinations, PlaceId, Tokens, Transition};

use super::{Cuboid, GREATEST, INFINITE, Interval, Region, Thresholds};

/// The tokens that a place has left once the transition has taken its own. They are one variable, or the sum of
/// several where every token chooses its destination.
#[derive(Clone, Debug)]
pub(super) struct Source {
    pub place: PlaceId,
    pub take: Tokens,
    /// The variables `first .. first + n`.
    pub first: usize,
    pub n: usize,
}

/// `place' = sum of times * variable + put`.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub place: PlaceId,
    pub put: i64,
    pub terms: Vec<(usize, Tokens)>,
}

#[derive(Clone, Debug)]
pub struct BoxStep {
    pub(super) name: String,
    /// What guards and takes ask of places, ascending.
    pub(super) enabled: Vec<(PlaceId, Interval)>,
    pub(super) sources: Vec<Source>,
    /// Ascending by place. A place without a row keeps what it has.
    pub(super) rows: Vec<Row>,
    pub(super) n_variables: usize,
    /// A transition whose guards and takes contradict each other.
    pub(super) is_dead: bool,
}

impl BoxStep {
    pub fn new(transition: &Transition) -> Self {
        let mut made = Self {
            name: transition.name.clone(),
            enabled: Vec::new(),
            sources: Vec::new(),
            rows: Vec::new(),
            n_variables: 0,
            is_dead: false,
        };
        for guard in &transition.guards {
            made.ask(guard.place, Interval::of(guard.range));
        }
        for &(place, tokens) in &transition.take {
            made.ask(place, Interval::at_least(tokens));
        }
        for place in touched(transition) {
            let put = transition.put.iter().find(|&&(to, _)| to == place).map_or(0, |&(_, tokens)| tokens);
            made.rows.push(Row { place, put, terms: Vec::new() });
        }
        for place in touched(transition) {
            made.add_source(transition, place);
        }
        made
    }

    fn ask(&mut self, place: PlaceId, interval: Interval) {
        match self.enabled.binary_search_by_key(&place, |entry| entry.0) {
            Err(at) => self.enabled.insert(at, (place, interval)),
            Ok(at) => match self.enabled[at].1.meet(interval) {
                Some(met) => self.enabled[at].1 = met,
                None => self.is_dead = true,
            },
        }
    }

    fn add_source(&mut self, transition: &Transition, place: PlaceId) {
        let take = transition.take.iter().find(|&&(from, _)| from == place).map_or(0, |&(_, tokens)| tokens);
        let first = self.n_variables;
        let flow = transition.flows.iter().find(|flow| flow.from == place);
        let n = match flow.map(|flow| &flow.to) {
            None => {
                self.add_term(place, first, 1);
                1
            }
            Some(Destinations::All(to)) => {
                to.iter().for_each(|&(to, times)| self.add_term(to, first, times));
                1
            }
            Some(Destinations::One(to)) => {
                to.iter().enumerate().for_each(|(i, &to)| self.add_term(to, first + i, 1));
                to.len()
            }
        };
        self.n_variables += n;
        self.sources.push(Source { place, take, first, n });
    }

    fn add_term(&mut self, place: PlaceId, variable: usize, times: Tokens) {
        let at = self.rows.binary_search_by_key(&place, |row| row.place).expect("every destination has a row");
        self.rows[at].terms.push((variable, times));
    }

    /// The markings of the box in which guards hold and everything that is taken is there.
    pub fn enabled_in(&self, cuboid: &Cuboid) -> Option<Cuboid> {
        let meets = |&(place, interval): &(PlaceId, Interval)| {
            let own: Interval = cuboid.intervals[place.index()];
            own.lo <= interval.hi && interval.lo <= own.hi
        };
        if self.is_dead || !self.enabled.iter().all(meets) {
            return None;
        }
        let mut met = cuboid.clone();
        for &(place, interval) in &self.enabled {
            met.intervals[place.index()] = met.intervals[place.index()].meet(interval)?;
        }
        Some(met)
    }

    /// The atoms of the guard, takes included.
    pub fn add_guard_atoms(&self, thresholds: &mut Thresholds) {
        self.enabled.iter().for_each(|&(place, interval)| thresholds.add_interval(place, interval));
    }

    /// What a source has left if its place is within the interval, which satisfies the guard.
    pub(super) fn left(source: &Source, interval: Interval) -> Interval {
        let hi = if interval.hi == INFINITE { INFINITE } else { interval.hi - source.take };
        Interval { lo: interval.lo - source.take, hi }
    }

    /// Bounds stay so small that sums of two of them are numbers.
    pub(super) fn checked(&self, cuboids: Vec<Cuboid>, control: &Control) -> Result<Region, Stop> {
        let is_large =
            |interval: &Interval| interval.lo > GREATEST || (interval.hi > GREATEST && interval.hi != INFINITE);
        if cuboids.iter().any(|cuboid| cuboid.intervals.iter().any(is_large)) {
            return Err(Stop::Overflow(format!("transition {}", self.name)));
        }
        Region::within(cuboids, control)
    }

    pub(super) fn too_many(&self) -> Stop {
        Stop::Incomplete(format!("transition {} splits a box into too many pieces", self.name))
    }
}

/// The places that a transition takes from, puts to, empties or fills.
fn touched(transition: &Transition) -> Vec<PlaceId> {
    let mut places: Vec<PlaceId> = transition.take.iter().map(|&(place, _)| place).collect();
    places.extend(transition.put.iter().map(|&(place, _)| place));
    for flow in &transition.flows {
        places.push(flow.from);
        match &flow.to {
            Destinations::All(to) => places.extend(to.iter().map(|&(place, _)| place)),
            Destinations::One(to) => places.extend(to),
        }
    }
    places.sort_unstable();
    places.dedup();
    places
}
