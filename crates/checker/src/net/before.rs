//! No transition leads into what is above a minimal marking, but from outside of the set.
//!
//! For a transition and a minimal marking, the least markings that lead above it are enumerated: what a place misses
//! comes from the places whose tokens flow there, in all ways. Whatever is above a marking outside of the set is outside
//! too, so a way is followed only as long as it stays inside.

use std::ops::Range;

use lapidary_base::Control;
use lapidary_base::Id;
use lapidary_ir::{Destinations, Net, PlaceId, Sparse, Tokens, Transition};

use super::basis::Outside;
use super::covering::{Rank, Ranked};
use super::{shown, wrong};
use crate::Rejection;
use crate::finding;

/// Limits are looked at after so many steps.
const PATIENCE: u32 = 256;

pub fn check(net: &Net, minimal: &[Sparse], outside: &mut Outside, control: &Control) -> Result<(), Rejection> {
    let mut having: Vec<Vec<usize>> = vec![Vec::new(); net.places.len()];
    for (number, marking) in minimal.iter().enumerate() {
        for &(place, _) in marking.iter().filter(|entry| entry.1 > 0) {
            having[place.index()].push(number);
        }
    }
    // The last transition, counted from 1, that was looked at with each minimal marking.
    let mut seen = vec![0usize; minimal.len()];
    let mut search = Search { outside, control, patience: PATIENCE, problem: Problem::default(), marking: Vec::new() };
    for (count, transition) in net.transitions.iter().enumerate() {
        let inbound = inbound(transition);
        // A marking without a place that gets more tokens than it had is reached only from above itself.
        for place in raised(transition, &inbound) {
            for &number in &having[place.index()] {
                if std::mem::replace(&mut seen[number], count + 1) == count + 1 {
                    continue;
                }
                search.problem.load(search.outside, transition, &inbound, &minimal[number]);
                if let Some(from) = search.least_inside(transition)? {
                    let (from, to) = (shown(net, from.into_iter()), shown(net, minimal[number].iter().copied()));
                    let name = &transition.name;
                    return Err(wrong(format!("{name} leads out of the set: from {from} above minimal marking {to}")));
                }
            }
        }
    }
    Ok(())
}

/// How tokens of a place count where they come.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// For all places they come to, so many times.
    All(Tokens),
    /// For one of several.
    One,
}

/// Where tokens go, from where and how: ascending by the first.
type Inbound = [(PlaceId, PlaceId, Kind)];

fn inbound(transition: &Transition) -> Vec<(PlaceId, PlaceId, Kind)> {
    let mut inbound = Vec::new();
    for flow in &transition.flows {
        match &flow.to {
            Destinations::All(to) => {
                inbound.extend(to.iter().map(|&(place, times)| (place, flow.from, Kind::All(times))));
            }
            Destinations::One(to) => inbound.extend(to.iter().map(|&place| (place, flow.from, Kind::One))),
        }
    }
    inbound.sort_by_key(|&(to, from, _)| (to, from));
    inbound
}

/// The places that may have more tokens afterwards.
fn raised(transition: &Transition, inbound: &Inbound) -> Vec<PlaceId> {
    let grows = |&(to, from, kind): &(PlaceId, PlaceId, Kind)| match kind {
        Kind::All(times) => to != from || times > 1,
        Kind::One => to != from,
    };
    let put = transition.put.iter().filter(|entry| entry.1 > 0).map(|entry| entry.0);
    put.chain(inbound.iter().filter(|entry| grows(entry)).map(|entry| entry.0)).collect()
}

/// What one place misses.
struct Demand {
    tokens: u128,
    /// Among all sources of the problem.
    sources: Range<usize>,
}

/// What is asked of a place before the transition, besides what has to be left in it.
#[derive(Clone, Copy)]
struct Slot {
    rank: Rank,
    place: PlaceId,
    take: Tokens,
    lo: Tokens,
    hi: Option<Tokens>,
}

/// One transition and one minimal marking.
#[derive(Default)]
struct Problem {
    /// The places that play a role, ascending by rank.
    slots: Vec<Slot>,
    demands: Vec<Demand>,
    /// A slot and how its tokens count.
    sources: Vec<(usize, Kind)>,
    /// The same by place.
    bringing: Vec<(PlaceId, Kind)>,
}

impl Problem {
    fn load(&mut self, outside: &Outside, transition: &Transition, inbound: &Inbound, above: &Sparse) {
        self.slots.clear();
        self.demands.clear();
        self.sources.clear();
        self.bringing.clear();
        for (place, tokens) in missing(transition, above) {
            let first = self.bringing.len();
            self.bringing.extend(sources(transition, inbound, place));
            self.demands.push(Demand { tokens, sources: first..self.bringing.len() });
        }
        // Where there is no choice, nothing branches.
        self.demands.sort_by_key(|demand| demand.sources.len());
        let read = transition.guards.iter().map(|guard| guard.place);
        let taken = transition.take.iter().map(|entry| entry.0);
        let bringing = self.bringing.iter().map(|source| source.0);
        self.slots.extend(read.chain(taken).chain(bringing).map(|place| slot(outside.rank(place), transition, place)));
        self.slots.sort_unstable_by_key(|slot| slot.rank);
        self.slots.dedup_by_key(|slot| slot.rank);
        for &(place, kind) in &self.bringing {
            let at = self.slots.binary_search_by_key(&outside.rank(place), |slot| slot.rank);
            self.sources.push((at.expect("sources have slots"), kind));
        }
    }
}

/// What has to arrive in places, apart from what is put there; also where more is taken from what arrives.
fn missing(transition: &Transition, above: &Sparse) -> impl Iterator<Item = (PlaceId, u128)> {
    let asked = above.iter().map(|&(place, tokens)| {
        let put = transition.put.binary_search_by_key(&place, |entry| entry.0);
        let put = put.map_or(0, |at| i128::from(transition.put[at].1));
        (place, u128::try_from(i128::from(tokens) - put).unwrap_or(0))
    });
    let is_asked = |place: PlaceId| above.binary_search_by_key(&place, |entry| entry.0).is_ok();
    let taken = transition.put.iter().filter(move |&&(place, tokens)| tokens < 0 && !is_asked(place));
    let taken = taken.map(|&(place, tokens)| (place, u128::from(tokens.unsigned_abs())));
    asked.filter(|&(_, tokens)| tokens > 0).chain(taken)
}

/// From where tokens come to a place.
fn sources(transition: &Transition, inbound: &Inbound, place: PlaceId) -> impl Iterator<Item = (PlaceId, Kind)> {
    let stays = transition.flows.binary_search_by_key(&place, |flow| flow.from).is_err();
    let first = inbound.partition_point(|entry| entry.0 < place);
    let flows = inbound[first..].iter().take_while(move |entry| entry.0 == place);
    stays.then_some((place, Kind::All(1))).into_iter().chain(flows.map(|&(_, from, kind)| (from, kind)))
}

fn slot(rank: Rank, transition: &Transition, place: PlaceId) -> Slot {
    let take = transition.take.binary_search_by_key(&place, |entry| entry.0);
    let take = take.map_or(0, |at| transition.take[at].1);
    let guard = transition.guards.binary_search_by_key(&place, |guard| guard.place);
    let (lo, hi) = guard.map_or((0, None), |at| (transition.guards[at].range.lo, transition.guards[at].range.hi));
    Slot { rank, place, take, lo, hi }
}

/// A way to bring tokens, as far as it is settled.
#[derive(Clone)]
struct Way {
    /// The demand that is looked at, and which of its sources.
    demand: usize,
    source: usize,
    /// What came to this demand from tokens that chose it.
    chosen: u128,
    /// By slot: what is left once the transition has taken its tokens.
    left: Vec<Tokens>,
}

struct Search<'a> {
    outside: &'a mut Outside,
    control: &'a Control,
    patience: u32,
    problem: Problem,
    /// For queries.
    marking: Ranked,
}

impl Search<'_> {
    /// A marking of the set from which the transition leads above the minimal marking.
    fn least_inside(&mut self, transition: &Transition) -> Result<Option<Sparse>, Rejection> {
        let overflow = || finding::overflow(format!("transition {}", transition.name));
        let left = vec![0; self.problem.slots.len()];
        let mut open = vec![Way { demand: 0, source: 0, chosen: 0, left }];
        while let Some(mut way) = open.pop() {
            loop {
                self.be_patient()?;
                let Some(demand) = self.problem.demands.get(way.demand) else {
                    if self.is_inside(&way).ok_or_else(overflow)? {
                        return Ok(Some(self.shown_way(&way)));
                    }
                    break;
                };
                let missing = demand.tokens.saturating_sub(self.arriving(&way, demand));
                if missing == 0 {
                    (way.demand, way.source, way.chosen) = (way.demand + 1, 0, 0);
                    continue;
                }
                let sources = &self.problem.sources[demand.sources.clone()];
                let Some(&(slot, kind)) = sources.get(way.source) else { break };
                let is_last = way.source + 1 == sources.len();
                if !is_last {
                    if !self.is_inside(&way).ok_or_else(overflow)? {
                        break;
                    }
                    open.push(Way { source: way.source + 1, ..way.clone() });
                }
                way.raise(slot, kind, if is_last { missing } else { 1 }).ok_or_else(overflow)?;
            }
        }
        Ok(None)
    }

    fn be_patient(&mut self) -> Result<(), Rejection> {
        self.patience -= 1;
        if self.patience == 0 {
            self.patience = PATIENCE;
            self.control.check()?;
        }
        Ok(())
    }

    fn arriving(&self, way: &Way, demand: &Demand) -> u128 {
        let counts = |&(slot, kind): &(usize, Kind)| match kind {
            Kind::All(times) => u128::from(times) * u128::from(way.left[slot]),
            Kind::One => 0,
        };
        let sources = &self.problem.sources[demand.sources.clone()];
        sources.iter().map(counts).fold(way.chosen, u128::saturating_add)
    }

    /// Is the least marking of the way in the set, and may the transition fire there as far as upper bounds go? If not,
    /// the same is so for all above. `None` for numbers that are too large.
    fn is_inside(&mut self, way: &Way) -> Option<bool> {
        self.marking.clear();
        for (slot, &left) in self.problem.slots.iter().zip(&way.left) {
            let tokens = left.checked_add(slot.take)?.max(slot.lo);
            if slot.hi.is_some_and(|hi| tokens > hi) {
                return Some(false);
            }
            if tokens > 0 {
                self.marking.push((slot.rank, tokens));
            }
        }
        Some(!self.outside.has(&self.marking))
    }

    fn shown_way(&self, way: &Way) -> Sparse {
        let tokens = |(slot, &left): (&Slot, &Tokens)| (slot.place, left.saturating_add(slot.take).max(slot.lo));
        let mut marking: Sparse = self.problem.slots.iter().zip(&way.left).map(tokens).collect();
        marking.sort_unstable();
        marking
    }
}

impl Way {
    /// As many tokens more as bring so many, or one of them if they count several times.
    fn raise(&mut self, slot: usize, kind: Kind, wanted: u128) -> Option<()> {
        let more = match kind {
            Kind::All(times) => wanted.div_ceil(u128::from(times)),
            Kind::One => wanted,
        };
        let left = u128::from(self.left[slot]) + more;
        self.left[slot] = Tokens::try_from(left).ok()?;
        if kind == Kind::One {
            self.chosen += wanted;
        }
        Some(())
    }
}
