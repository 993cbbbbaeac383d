//! Certificates checked by hand.

use lapidary_base::Id;
use lapidary_ir::{Destinations, Net, PlaceId, Tokens, Transition};
use lapidary_system::net::Marking;
use lapidary_verdict::Ideals;

/// Any number is `None`.
type Bounds = Vec<Option<Tokens>>;

fn is_within(a: &Bounds, b: &Bounds) -> bool {
    a.iter().zip(b).all(|(a, b)| b.is_none_or(|b| a.is_some_and(|a| a <= b)))
}

/// The set contains the initial markings, is left by no transition and misses the target.
pub fn assert_ideals(net: &Net, certificate: &Ideals, minimal: &[Marking]) {
    let dense = |ideal: &Vec<(PlaceId, Option<Tokens>)>| {
        let mut bounds: Bounds = vec![Some(0); net.places.len()];
        ideal.iter().for_each(|&(place, bound)| bounds[place.index()] = bound);
        bounds
    };
    let ideals: Vec<Bounds> = certificate.ideals.iter().map(dense).collect();
    let contains = |bounds: &Bounds| ideals.iter().any(|ideal| is_within(bounds, ideal));
    assert!(contains(&net.initial.iter().map(|range| range.hi).collect()), "initial markings in {ideals:?}");
    for ideal in &ideals {
        let misses = |marking: &Marking| !is_within(&marking.iter().map(|&tokens| Some(tokens)).collect(), ideal);
        assert!(minimal.iter().all(misses), "{ideal:?} meets the target {minimal:?}");
        for transition in net.transitions.iter() {
            for after in after(transition, ideal) {
                assert!(contains(&after), "{transition:?} leads from {ideal:?} to {after:?}, not in {ideals:?}");
            }
        }
    }
}

/// The greatest bounds after a transition.
fn after(transition: &Transition, ideal: &Bounds) -> Vec<Bounds> {
    let enough = |place: PlaceId, tokens: Tokens| ideal[place.index()].is_none_or(|bound| tokens <= bound);
    if !transition.guards.iter().all(|guard| enough(guard.place, guard.range.lo))
        || !transition.take.iter().all(|&(place, tokens)| enough(place, tokens))
    {
        return Vec::new();
    }
    let mut left: Vec<Option<i128>> = ideal.iter().map(|bound| bound.map(i128::from)).collect();
    for &(place, tokens) in &transition.take {
        left[place.index()] = left[place.index()].map(|left| left - i128::from(tokens));
    }
    let mut start = left.clone();
    transition.flows.iter().for_each(|flow| start[flow.from.index()] = Some(0));
    for &(place, tokens) in &transition.put {
        start[place.index()] = start[place.index()].map(|before| before + i128::from(tokens));
    }
    let mut all = vec![start];
    for flow in &transition.flows {
        all = all.iter().flat_map(|bounds| flown(bounds, left[flow.from.index()], &flow.to)).collect();
    }
    all.retain(|bounds| bounds.iter().all(|bound| bound.is_none_or(|bound| bound >= 0)));
    all.iter().map(|bounds| bounds.iter().map(|bound| bound.map(|bound| bound as Tokens)).collect()).collect()
}

fn flown(bounds: &[Option<i128>], tokens: Option<i128>, to: &Destinations) -> Vec<Vec<Option<i128>>> {
    let mut ways = vec![(bounds.to_vec(), tokens)];
    match (to, tokens) {
        (Destinations::All(to), _) => {
            for &(place, times) in to {
                let bound = &mut ways[0].0[place.index()];
                *bound = bound.and_then(|bound| Some(bound + tokens? * i128::from(times)));
            }
        }
        (Destinations::One(to), None) => to.iter().for_each(|place| ways[0].0[place.index()] = None),
        (Destinations::One(to), Some(_)) => {
            for (i, place) in to.iter().enumerate() {
                let is_last = i + 1 == to.len();
                let send = |(bounds, rest): &(Vec<Option<i128>>, Option<i128>)| {
                    let rest = rest.expect("finitely many");
                    let least = if is_last { rest } else { 0 };
                    let bounds = bounds.clone();
                    let at = place.index();
                    (least..=rest).map(move |sent| {
                        let mut bounds = bounds.clone();
                        bounds[at] = bounds[at].map(|bound| bound + sent);
                        (bounds, Some(rest - sent))
                    })
                };
                ways = ways.iter().flat_map(send).collect();
            }
        }
    }
    ways.into_iter().map(|(bounds, _)| bounds).collect()
}
