//! A checker of certificates that shares nothing with the engine but the plain meaning of a transition.

use lapidary_base::Id;
use lapidary_ir::{Destinations, Net, Sparse, Tokens, Transition};
use lapidary_system::net::{Marking, predecessors};
use lapidary_verdict::Basis;

use crate::coverable::{is_below, is_below_an_initial_one};

/// Contains the initial markings, is kept, misses the target.
pub fn check_basis(net: &Net, target: &[Marking], basis: &Basis) {
    let minimal: Vec<Marking> = basis.minimal.iter().map(|sparse| dense(net, sparse)).collect();
    let weights: Vec<Marking> = basis.inequalities.iter().map(|sparse| dense(net, sparse)).collect();
    let bound = |weights: &Marking| -> Tokens {
        let of =
            |(weight, most): (&Tokens, Option<Tokens>)| if *weight == 0 { 0 } else { weight * most.expect("bounded") };
        weights.iter().zip(net.initial.iter().map(|range| range.hi)).map(of).sum()
    };
    let sum = |weights: &Marking, marking: &[Tokens]| weights.iter().zip(marking).map(|(a, b)| a * b).sum::<Tokens>();
    let is_outside = |marking: &[Tokens]| {
        minimal.iter().any(|least| is_below(least, marking))
            || weights.iter().any(|weights| sum(weights, marking) > bound(weights))
    };
    assert!(!minimal.iter().any(|marking| is_below_an_initial_one(net, marking)), "{basis:?}");
    assert!(target.iter().all(|marking| is_outside(marking)), "{basis:?}");
    for transition in net.transitions.iter().filter(|transition| !is_outside(&least(net, transition))) {
        assert!(weights.iter().all(|weights| is_kept(transition, weights)), "{basis:?}");
        for marking in &minimal {
            let mut before = Vec::new();
            predecessors(transition, marking, &mut before).expect("few");
            assert!(
                before.iter().all(|marking| is_outside(marking)),
                "{} from {before:?} in {basis:?}",
                transition.name
            );
        }
    }
}

fn dense(net: &Net, sparse: &Sparse) -> Marking {
    let mut marking: Marking = vec![0; net.places.len()].into();
    sparse.iter().for_each(|&(place, tokens)| marking[place.index()] = tokens);
    marking
}

/// The least marking with which the transition may fire.
fn least(net: &Net, transition: &Transition) -> Marking {
    let mut marking = dense(net, &transition.take);
    for guard in &transition.guards {
        let tokens = &mut marking[guard.place.index()];
        *tokens = (*tokens).max(guard.range.lo);
    }
    marking
}

/// Does the weighted sum never grow?
fn is_kept(transition: &Transition, weights: &[Tokens]) -> bool {
    let weight = |place: &lapidary_ir::PlaceId| weights[place.index()] as i64;
    let put: i64 = transition.put.iter().map(|(place, tokens)| weight(place) * tokens).sum();
    let taken: i64 = transition.take.iter().map(|(place, tokens)| weight(place) * *tokens as i64).sum();
    let is_lighter = |flow: &lapidary_ir::Flow| match &flow.to {
        Destinations::All(to) => {
            to.iter().map(|(to, times)| weight(to) * *times as i64).sum::<i64>() <= weight(&flow.from)
        }
        Destinations::One(to) => to.iter().all(|to| weight(to) <= weight(&flow.from)),
    };
    put <= taken && transition.flows.iter().all(is_lighter)
}
