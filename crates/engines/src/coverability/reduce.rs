//! What can be left out of a net without changing what it covers: transitions that never fire, places that never lack
//! tokens, and whatever cannot bring tokens to where the target wants them.
//!
//! All of it over-approximates a net whose guards have upper bounds, and is exact otherwise. Sets of markings that are found
//! on the smaller net are certificates of the large one: a minimal marking of the smaller net asks for nothing of the
//! places that were left out, and the unmarkable places are minimal markings themselves.

use lapidary_base::{Control, Id, IdVec, Stop};
use lapidary_ir::{Destinations, Flow, Guard, Net, PlaceId, Sparse, Transition, TransitionId};
use lapidary_system::net::Marking;

use super::closures::{self, Relevance, Signs};

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
    reduce_within(net, minimal, Pumping::Allowed, &Control::new()).expect("there is no limit")
}

/// May places be left out that some transition can fill at will? Runs then begin with filling them, and are not shortest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pumping {
    Allowed,
    Forbidden,
}

/// The same within limits. Every step takes time in proportion to the arcs of the net, but for sorting.
pub fn reduce_within(net: &Net, minimal: &[Marking], pumping: Pumping, control: &Control) -> Result<Reduced, Stop> {
    let Signs { markable, possible } = closures::signs(net, control)?;
    let (unlimited, pumps) = closures::unlimited(net, &possible, pumping, control)?;
    let minimal = minimal.iter().filter(|marking| (0..marking.len()).all(|i| marking[i] == 0 || markable[i]));
    let minimal: Vec<&Marking> = minimal.collect();
    let Relevance { relevant, useful } = closures::relevance(net, &minimal, &possible, &unlimited, control)?;
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
    Ok(Reduced {
        net: smaller,
        places,
        transitions,
        minimal,
        unmarkable: only(&unmarkable),
        pumps,
        unlimited: only(&unlimited),
    })
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
