//! What can be left out of a net without changing what it covers: transitions that never fire, places that never lack
//! tokens, and whatever cannot bring tokens to where the target wants them.
//!
//! All of it over-approximates a net whose guards have upper bounds, and is exact otherwise. Sets of markings that are found
//! on the smaller net are certificates of the large one: a minimal marking of the smaller net asks for nothing of the
//! places that were left out, and the unmarkable places are minimal markings themselves.

use lapidary_base::{Id, IdVec};
use lapidary_ir::{Destinations, Flow, Guard, Net, PlaceId, Sparse, Transition, TransitionId};
use lapidary_system::net::Marking;

/// A place that a transition can fill as often as one likes, before anything else happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pump {
    pub place: PlaceId,
    /// It takes only from unlimited places that come before this one.
    pub by: TransitionId,
}

pub struct Reduced {
    pub net: Net,
    /// The place of the whole net that each place stands for.
    pub places: IdVec<PlaceId, PlaceId>,
    pub transitions: IdVec<TransitionId, TransitionId>,
    /// The target, over the places that are left. Whatever asks for an unmarkable place is gone.
    pub minimal: Vec<Marking>,
    /// Places of the whole net that have no token in any reachable marking.
    pub unmarkable: Vec<PlaceId>,
    /// Places of the whole net that have as many tokens as one likes, beside those that are so initially.
    pub pumps: Vec<Pump>,
    /// All places of the whole net that have as many tokens as one likes.
    pub unlimited: Vec<PlaceId>,
}

/// The part of a net that matters for covering one of the markings.
pub fn reduce(net: &Net, minimal: &[Marking]) -> Reduced {
    reduce_with(net, minimal, Pumping::Allowed)
}

/// May places be left out that some transition can fill at will? Runs then begin with filling them, and are not shortest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pumping {
    Allowed,
    Forbidden,
}

pub fn reduce_with(net: &Net, minimal: &[Marking], pumping: Pumping) -> Reduced {
    let (markable, possible) = markable(net);
    let (unlimited, pumps) = unlimited(net, &possible, pumping);
    let minimal = minimal.iter().filter(|marking| (0..marking.len()).all(|i| marking[i] == 0 || markable[i]));
    let minimal: Vec<&Marking> = minimal.collect();
    let (relevant, useful) = relevant(net, &minimal, &possible, &unlimited);
    let places: IdVec<PlaceId, PlaceId> = net.places.ids().filter(|place| relevant[place.index()]).collect();
    let mut number: Vec<Option<PlaceId>> = vec![None; net.places.len()];
    for (new, &old) in places.enumerated() {
        number[old.index()] = Some(new);
    }
    let transitions: IdVec<TransitionId, TransitionId> =
        net.transitions.ids().filter(|transition| useful[transition.index()]).collect();
    let smaller = Net {
        name: net.name.clone(),
        places: places.iter().map(|&place| net.places[place].clone()).collect(),
        transitions: transitions.iter().map(|&id| restricted(&net.transitions[id], &number)).collect(),
        initial: places.iter().map(|&place| net.initial[place]).collect(),
    };
    let minimal = minimal.iter().map(|marking| places.iter().map(|place| marking[place.index()]).collect()).collect();
    let only = |flags: &[bool]| net.places.ids().filter(|place| flags[place.index()]).collect::<Vec<_>>();
    let unmarkable: Vec<bool> = markable.iter().map(|markable| !markable).collect();
    Reduced {
        net: smaller,
        places,
        transitions,
        minimal,
        unmarkable: only(&unmarkable),
        pumps,
        unlimited: only(&unlimited),
    }
}

/// The whole net, with nothing left out.
pub fn unreduced(net: &Net, minimal: &[Marking]) -> Reduced {
    Reduced {
        net: net.clone(),
        places: net.places.ids().collect(),
        transitions: net.transitions.ids().collect(),
        minimal: minimal.to_vec(),
        unmarkable: Vec::new(),
        pumps: Vec::new(),
        unlimited: Vec::new(),
    }
}

impl Reduced {
    /// A marking of the smaller net as one of the whole net, with nothing elsewhere.
    pub fn lift(&self, marking: &[u64], n_places: usize) -> Marking {
        let mut whole: Marking = vec![0; n_places].into();
        for (&place, &tokens) in self.places.iter().zip(marking) {
            whole[place.index()] = tokens;
        }
        whole
    }

    /// The same for what is not zero.
    pub fn lift_sparse(&self, marking: &[u64]) -> Sparse {
        let entries = self.places.iter().zip(marking).filter(|&(_, &tokens)| tokens > 0);
        entries.map(|(&place, &tokens)| (place, tokens)).collect()
    }
}

/// Sign analysis: the places that may ever have a token, and the transitions that may ever fire.
fn markable(net: &Net) -> (Vec<bool>, Vec<bool>) {
    let mut markable: Vec<bool> = net.initial.iter().map(|range| range.hi != Some(0)).collect();
    let mut possible = vec![false; net.transitions.len()];
    loop {
        let mut grows = false;
        for (id, transition) in net.transitions.enumerated() {
            if !asks(transition).all(|place| markable[place.index()]) {
                continue;
            }
            grows |= !possible[id.index()];
            possible[id.index()] = true;
            let put = transition.put.iter().filter(|&&(_, tokens)| tokens > 0).map(|&(place, _)| place);
            let moved = transition.flows.iter().filter(|flow| markable[flow.from.index()]).flat_map(destinations);
            for place in put.chain(moved).collect::<Vec<_>>() {
                grows |= !markable[place.index()];
                markable[place.index()] = true;
            }
        }
        if !grows {
            return (markable, possible);
        }
    }
}

/// The places that must have a token for the transition to fire.
fn asks(transition: &Transition) -> impl Iterator<Item = PlaceId> {
    let guards = transition.guards.iter().filter(|guard| guard.range.lo > 0).map(|guard| guard.place);
    guards.chain(transition.take.iter().map(|&(place, _)| place))
}

fn destinations(flow: &Flow) -> Vec<PlaceId> {
    match &flow.to {
        Destinations::All(to) => to.iter().map(|&(place, _)| place).collect(),
        Destinations::One(to) => to.clone(),
    }
}

/// Places that always have enough: no flow empties them and no guard minds how many there are.
fn unlimited(net: &Net, possible: &[bool], pumping: Pumping) -> (Vec<bool>, Vec<Pump>) {
    let mut steady = vec![true; net.places.len()];
    let firing = || net.transitions.enumerated().filter(|(id, _)| possible[id.index()]);
    for (_, transition) in firing() {
        transition.flows.iter().for_each(|flow| steady[flow.from.index()] = false);
        let bounded = transition.guards.iter().filter(|guard| guard.range.hi.is_some());
        bounded.for_each(|guard| steady[guard.place.index()] = false);
        let drained = transition.put.iter().filter(|&&(_, tokens)| tokens < 0);
        drained.for_each(|&(place, _)| steady[place.index()] = false);
    }
    let mut unlimited: Vec<bool> =
        net.initial.enumerated().map(|(place, range)| range.hi.is_none() && steady[place.index()]).collect();
    let mut pumps = Vec::new();
    // With upper bounds on guards, what a pump puts elsewhere might do harm.
    let mut grows = pumping == Pumping::Allowed && net.upper_bound().is_none();
    while grows {
        grows = false;
        for (id, transition) in firing().filter(|(_, transition)| transition.is_plain()) {
            if !asks(transition).all(|place| unlimited[place.index()]) {
                continue;
            }
            for &(place, _) in &transition.put {
                if steady[place.index()] && !unlimited[place.index()] {
                    unlimited[place.index()] = true;
                    pumps.push(Pump { place, by: id });
                    grows = true;
                }
            }
        }
    }
    (unlimited, pumps)
}

/// Backwards from the target: a transition is useful if it raises a relevant place, and then all that it asks for is
/// relevant, as is all that flows into relevant places.
fn relevant(net: &Net, minimal: &[&Marking], possible: &[bool], unlimited: &[bool]) -> (Vec<bool>, Vec<bool>) {
    let mut relevant: Vec<bool> =
        (0..net.places.len()).map(|i| !unlimited[i] && minimal.iter().any(|marking| marking[i] > 0)).collect();
    let mut useful = vec![false; net.transitions.len()];
    loop {
        let mut grows = false;
        for (id, transition) in net.transitions.enumerated() {
            if useful[id.index()] || !possible[id.index()] || !raises(transition, &relevant) {
                continue;
            }
            useful[id.index()] = true;
            grows = true;
        }
        for (_, transition) in net.transitions.enumerated().filter(|(id, _)| useful[id.index()]) {
            let guarded = transition.guards.iter().map(|guard| guard.place);
            let taken = transition.take.iter().map(|&(place, _)| place);
            let feeds = |flow: &&Flow| destinations(flow).iter().any(|to| relevant[to.index()]);
            let feeding = transition.flows.iter().filter(feeds).map(|flow| flow.from);
            // What is taken from the tokens that have arrived must arrive.
            let drained = transition.put.iter().filter(|&&(_, tokens)| tokens < 0).map(|&(place, _)| place);
            for place in guarded.chain(taken).chain(feeding).chain(drained).collect::<Vec<_>>() {
                grows |= !relevant[place.index()] && !unlimited[place.index()];
                relevant[place.index()] |= !unlimited[place.index()];
            }
        }
        if !grows {
            return (relevant, useful);
        }
    }
}

/// May some relevant place have more tokens afterwards?
fn raises(transition: &Transition, relevant: &[bool]) -> bool {
    let taken = |place: PlaceId| match transition.take.binary_search_by_key(&place, |entry| entry.0) {
        Ok(at) => i128::from(transition.take[at].1),
        Err(_) => 0,
    };
    let puts = transition.put.iter().any(|&(place, tokens)| {
        relevant[place.index()] && (i128::from(tokens) > taken(place) || moves(transition, place) && tokens > 0)
    });
    let brings = |flow: &Flow| match &flow.to {
        Destinations::All(to) => {
            to.iter().any(|&(place, times)| relevant[place.index()] && (place != flow.from || times > 1))
        }
        Destinations::One(to) => to.iter().any(|&place| relevant[place.index()] && place != flow.from),
    };
    puts || transition.flows.iter().any(brings)
}

fn moves(transition: &Transition, place: PlaceId) -> bool {
    transition.flows.iter().any(|flow| flow.from == place)
}

/// The transition on the places that are left. A token that may go to a place that is left, or be lost, goes there.
fn restricted(transition: &Transition, number: &[Option<PlaceId>]) -> Transition {
    let new = |place: PlaceId| number[place.index()];
    let guards = transition.guards.iter().filter_map(|guard| Some(Guard { place: new(guard.place)?, ..*guard }));
    let flows = transition.flows.iter().filter_map(|flow| {
        let to = match &flow.to {
            Destinations::All(to) => {
                Destinations::All(to.iter().filter_map(|&(place, times)| Some((new(place)?, times))).collect())
            }
            Destinations::One(to) => {
                let to: Vec<PlaceId> = to.iter().filter_map(|&place| new(place)).collect();
                match to[..] {
                    [] => Destinations::All(Vec::new()),
                    [only] => Destinations::All(vec![(only, 1)]),
                    _ => Destinations::One(to),
                }
            }
        };
        Some(Flow { from: new(flow.from)?, to })
    });
    Transition {
        name: transition.name.clone(),
        guards: guards.collect(),
        take: transition.take.iter().filter_map(|&(place, tokens)| Some((new(place)?, tokens))).collect(),
        flows: flows.collect(),
        put: transition.put.iter().filter_map(|&(place, tokens)| Some((new(place)?, tokens))).collect(),
        span: transition.span,
    }
}
