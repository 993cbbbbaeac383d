//! Least sets that a net's arcs close: which places may have tokens, which never lack them, which matter for a target.
//!
//! Each is computed with a list of what is new, and an index of who waits for it, so that every arc is looked at once.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use lapidary_base::{Control, Id, Stop};
use lapidary_ir::{Destinations, Flow, Net, PlaceId, Transition, TransitionId};
use lapidary_system::net::Marking;

use super::reduce::{Pump, Pumping};

/// Limits are looked at after so many entries of a list.
const PATIENCE: u32 = 1 << 10;

/// Looks at the limits now and then.
struct Poll<'c> {
    control: &'c Control,
    left: u32,
}

impl<'c> Poll<'c> {
    fn new(control: &'c Control) -> Self {
        Self { control, left: PATIENCE }
    }

    fn step(&mut self) -> Result<(), Stop> {
        self.left -= 1;
        if self.left > 0 {
            return Ok(());
        }
        self.left = PATIENCE;
        self.control.check()
    }
}

/// A set of places that grows, and those of them that nobody has looked at.
struct Growing {
    has: Vec<bool>,
    new: Vec<PlaceId>,
}

impl Growing {
    fn new(has: Vec<bool>) -> Self {
        let new = (0..has.len()).filter(|&place| has[place]).map(PlaceId::new).collect();
        Self { has, new }
    }

    fn add(&mut self, place: PlaceId) {
        if !std::mem::replace(&mut self.has[place.index()], true) {
            self.new.push(place);
        }
    }
}

/// By place: the transitions that ask for it, ascending, as often as they do.
fn asking(net: &Net) -> Vec<Vec<TransitionId>> {
    let mut index = vec![Vec::new(); net.places.len()];
    for (id, transition) in net.transitions.enumerated() {
        asks(transition).for_each(|place| index[place.index()].push(id));
    }
    index
}

/// By place: the flows into it, or those out of it, with their transitions.
type Flows<'a> = Vec<Vec<(TransitionId, &'a Flow)>>;

/// Sign analysis: what may ever happen.
pub struct Signs {
    /// The places that may ever have a token.
    pub markable: Vec<bool>,
    /// The transitions that may ever fire.
    pub possible: Vec<bool>,
}

pub fn signs(net: &Net, control: &Control) -> Result<Signs, Stop> {
    let mut poll = Poll::new(control);
    let waiting = asking(net);
    let mut leaving: Flows<'_> = vec![Vec::new(); net.places.len()];
    for (id, transition) in net.transitions.enumerated() {
        transition.flows.iter().for_each(|flow| leaving[flow.from.index()].push((id, flow)));
    }
    let mut n_missing: Vec<usize> = net.transitions.iter().map(|transition| asks(transition).count()).collect();
    let mut markable = Growing::new(net.initial.iter().map(|range| range.hi != Some(0)).collect());
    let mut possible = vec![false; net.transitions.len()];
    let mut enabled: Vec<TransitionId> = net.transitions.ids().filter(|id| n_missing[id.index()] == 0).collect();
    loop {
        while let Some(id) = enabled.pop() {
            poll.step()?;
            possible[id.index()] = true;
            let transition = &net.transitions[id];
            let put = transition.put.iter().filter(|&&(_, tokens)| tokens > 0);
            put.for_each(|&(place, _)| markable.add(place));
            for flow in &transition.flows {
                if markable.has[flow.from.index()] {
                    for_each_destination(flow, |to| markable.add(to));
                }
            }
        }
        let Some(place) = markable.new.pop() else { return Ok(Signs { markable: markable.has, possible }) };
        poll.step()?;
        for &id in &waiting[place.index()] {
            n_missing[id.index()] -= 1;
            enabled.extend((n_missing[id.index()] == 0).then_some(id));
        }
        for &(_, flow) in leaving[place.index()].iter().filter(|(id, _)| possible[id.index()]) {
            for_each_destination(flow, |to| markable.add(to));
        }
    }
}

/// The places that must have a token for the transition to fire; one that is read and taken from is there twice.
fn asks(transition: &Transition) -> impl Iterator<Item = PlaceId> {
    let guards = transition.guards.iter().filter(|guard| guard.range.lo > 0).map(|guard| guard.place);
    guards.chain(transition.take.iter().map(|&(place, _)| place))
}

fn for_each_destination(flow: &Flow, mut visit: impl FnMut(PlaceId)) {
    match &flow.to {
        Destinations::All(to) => to.iter().for_each(|&(place, _)| visit(place)),
        Destinations::One(to) => to.iter().for_each(|&place| visit(place)),
    }
}

/// Places that always have enough: no flow empties them and no guard minds how many there are. Those that a transition fills are
/// listed with it, each after all that the transition takes from.
pub fn unlimited(
    net: &Net,
    possible: &[bool],
    pumping: Pumping,
    control: &Control,
) -> Result<(Vec<bool>, Vec<Pump>), Stop> {
    let steady = steady(net, possible);
    let initially = net.initial.enumerated().map(|(place, range)| range.hi.is_none() && steady[place.index()]);
    let mut unlimited = Growing::new(initially.collect());
    let mut pumps = Vec::new();
    // With upper bounds on guards, what a pump puts elsewhere might do harm.
    if pumping == Pumping::Forbidden || net.upper_bound().is_some() {
        return Ok((unlimited.has, pumps));
    }
    let mut poll = Poll::new(control);
    let waiting = asking(net);
    let mut n_missing: Vec<usize> = net.transitions.iter().map(|transition| asks(transition).count()).collect();
    let can_pump = |id: &TransitionId| possible[id.index()] && net.transitions[*id].is_plain();
    // Pumps are found as if one went through all transitions in their order again and again: in which round, and where.
    let mut ready: BinaryHeap<Reverse<(u64, TransitionId)>> = BinaryHeap::new();
    ready.extend(
        net.transitions.ids().filter(|id| n_missing[id.index()] == 0).filter(can_pump).map(|id| Reverse((0, id))),
    );
    let mut at = (0, None);
    loop {
        while let Some(place) = unlimited.new.pop() {
            poll.step()?;
            for &id in &waiting[place.index()] {
                n_missing[id.index()] -= 1;
                if n_missing[id.index()] == 0 && can_pump(&id) {
                    let (round, last) = at;
                    ready.push(Reverse((if Some(id) > last { round } else { round + 1 }, id)));
                }
            }
        }
        let Some(Reverse((round, by))) = ready.pop() else { return Ok((unlimited.has, pumps)) };
        poll.step()?;
        at = (round, Some(by));
        for &(place, _) in &net.transitions[by].put {
            if steady[place.index()] && !unlimited.has[place.index()] {
                unlimited.add(place);
                pumps.push(Pump { place, by });
            }
        }
    }
}

/// No transition that may fire empties the place, or minds how many tokens there are.
fn steady(net: &Net, possible: &[bool]) -> Vec<bool> {
    let mut steady = vec![true; net.places.len()];
    for (_, transition) in net.transitions.enumerated().filter(|(id, _)| possible[id.index()]) {
        transition.flows.iter().for_each(|flow| steady[flow.from.index()] = false);
        let bounded = transition.guards.iter().filter(|guard| guard.range.hi.is_some());
        bounded.for_each(|guard| steady[guard.place.index()] = false);
        let drained = transition.put.iter().filter(|&&(_, tokens)| tokens < 0);
        drained.for_each(|&(place, _)| steady[place.index()] = false);
    }
    steady
}

/// What matters for a target.
pub struct Relevance {
    pub relevant: Vec<bool>,
    /// The transitions that may raise a relevant place.
    pub useful: Vec<bool>,
}

/// Backwards from the target: a transition is useful if it raises a relevant place, and then all that it asks for is
/// relevant, as is all that flows into relevant places.
pub fn relevance(
    net: &Net,
    minimal: &[&Marking],
    possible: &[bool],
    unlimited: &[bool],
    control: &Control,
) -> Result<Relevance, Stop> {
    let mut poll = Poll::new(control);
    let mut raising: Vec<Vec<TransitionId>> = vec![Vec::new(); net.places.len()];
    let mut arriving: Flows<'_> = vec![Vec::new(); net.places.len()];
    for (id, transition) in net.transitions.enumerated().filter(|(id, _)| possible[id.index()]) {
        raised(transition).for_each(|place| raising[place.index()].push(id));
        for flow in &transition.flows {
            for_each_destination(flow, |to| arriving[to.index()].push((id, flow)));
        }
    }
    let asked = |place: usize| minimal.iter().any(|marking| marking[place] > 0);
    let mut relevant = Growing::new((0..net.places.len()).map(|place| !unlimited[place] && asked(place)).collect());
    let mut useful = vec![false; net.transitions.len()];
    while let Some(place) = relevant.new.pop() {
        poll.step()?;
        let mut asked: Vec<PlaceId> = Vec::new();
        for &id in &raising[place.index()] {
            if !std::mem::replace(&mut useful[id.index()], true) {
                needed(&net.transitions[id], &relevant.has, &mut asked);
            }
        }
        let feeding = arriving[place.index()].iter().filter(|(id, _)| useful[id.index()]);
        asked.extend(feeding.map(|(_, flow)| flow.from));
        asked.iter().filter(|place| !unlimited[place.index()]).for_each(|&place| relevant.add(place));
    }
    Ok(Relevance { relevant: relevant.has, useful })
}

/// What a transition that has become useful asks for, and what it lets flow into places that are relevant by now.
fn needed(transition: &Transition, relevant: &[bool], asked: &mut Vec<PlaceId>) {
    asked.extend(transition.guards.iter().map(|guard| guard.place));
    asked.extend(transition.take.iter().map(|entry| entry.0));
    // What is taken from the tokens that have arrived must arrive.
    asked.extend(transition.put.iter().filter(|entry| entry.1 < 0).map(|entry| entry.0));
    for flow in &transition.flows {
        let mut feeds = false;
        for_each_destination(flow, |to| feeds |= relevant[to.index()]);
        asked.extend(feeds.then_some(flow.from));
    }
}

/// The places that may have more tokens after the transition.
fn raised(transition: &Transition) -> impl Iterator<Item = PlaceId> {
    let taken = |place: PlaceId| match transition.take.binary_search_by_key(&place, |entry| entry.0) {
        Ok(at) => i128::from(transition.take[at].1),
        Err(_) => 0,
    };
    let moves = |place: PlaceId| transition.flows.binary_search_by_key(&place, |flow| flow.from).is_ok();
    let puts =
        move |&&(place, tokens): &&(PlaceId, i64)| i128::from(tokens) > taken(place) || tokens > 0 && moves(place);
    let brought = transition.flows.iter().flat_map(|flow| {
        let mut to: Vec<PlaceId> = Vec::new();
        match &flow.to {
            Destinations::All(all) => {
                to.extend(all.iter().filter(|&&(place, times)| place != flow.from || times > 1).map(|entry| entry.0));
            }
            Destinations::One(one) => to.extend(one.iter().filter(|&&place| place != flow.from)),
        }
        to
    });
    transition.put.iter().filter(puts).map(|entry| entry.0).chain(brought)
}
