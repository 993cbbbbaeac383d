//! Sums of tokens that bound the places of a net: what is accepted, and what is not.

use lapidary_base::{Control, Id};
use lapidary_checker::{Rejection, certify_bounds};
use lapidary_ir::{Domain, Model, Net, PlaceId, Range, Sum, Tokens, VarId, passes};
use lapidary_reference::nets::{Features, Search, random, search};
use lapidary_reference::seeds;

use crate::common::nets::{P, Q, R, all, exactly, moves, net, one, transition};

fn sum(weights: &[(PlaceId, Tokens)]) -> Sum {
    Sum { weights: weights.to_vec(), most: 1 }
}

/// The model of which these places have at most so many tokens.
fn bounded(net: &Net, bounds: &[(PlaceId, i64)]) -> Model {
    let mut model = passes::counters(net);
    for &(place, hi) in bounds {
        model.vars[VarId::new(place.index())].domain = Domain::Range { lo: 0, hi };
    }
    model
}

fn complaint(net: &Net, bounds: &[(PlaceId, i64)], sums: &[Sum]) -> String {
    match certify_bounds(net, &bounded(net, bounds), sums, &Control::new()) {
        Ok(()) => "accepted".to_owned(),
        Err(Rejection::Wrong(why)) => why,
        Err(Rejection::Stopped(stop)) => panic!("there are no limits: {stop}"),
    }
}

fn ring() -> Net {
    net(&exactly([1, 0, 0]), vec![moves("a", &[(P, 1)], &[(Q, 1)]), moves("b", &[(Q, 1)], &[(P, 1), (R, 1)])])
}

#[test]
fn a_sum_that_nothing_makes_larger_bounds_its_places() {
    assert_eq!(complaint(&ring(), &[(P, 1), (Q, 1)], &[sum(&[(P, 1), (Q, 1)])]), "accepted");
    assert_eq!(complaint(&ring(), &[], &[]), "accepted");
}

#[test]
fn what_no_sum_bounds_has_no_finite_domain() {
    let why = "nothing shows that the tokens of r stay within its domain";
    assert_eq!(complaint(&ring(), &[(R, 7)], &[sum(&[(P, 1), (Q, 1)])]), why);
    let why = "nothing shows that the tokens of q stay within its domain";
    assert_eq!(complaint(&ring(), &[(Q, 0)], &[sum(&[(P, 1), (Q, 1)])]), why);
}

#[test]
fn sums_that_grow_bound_nothing() {
    assert_eq!(complaint(&ring(), &[], &[sum(&[(Q, 1)])]), "sum 0 bounds nothing: a makes it larger");
    assert_eq!(complaint(&ring(), &[], &[sum(&[(P, 1), (Q, 1), (R, 1)])]), "sum 0 bounds nothing: b makes it larger");
    let flows = |flow| net(&exactly([1, 0, 0]), vec![lapidary_ir::Transition { flows: vec![flow], ..transition("f") }]);
    let both = [sum(&[(P, 1), (Q, 1)])];
    assert_eq!(complaint(&flows(all(P, &[(Q, 1)])), &[(Q, 1)], &both), "accepted");
    assert_eq!(complaint(&flows(all(P, &[(Q, 2)])), &[], &both), "sum 0 bounds nothing: f makes it larger");
    assert_eq!(complaint(&flows(all(P, &[(P, 1), (Q, 1)])), &[], &both), "sum 0 bounds nothing: f makes it larger");
    assert_eq!(complaint(&flows(one(P, &[Q, R])), &[], &[sum(&[(Q, 1)])]), "sum 0 bounds nothing: f makes it larger");
}

#[test]
fn sums_without_meaning_are_rejected() {
    assert_eq!(complaint(&ring(), &[], &[sum(&[(P, 0)])]), "sum 0 bounds nothing: a weight is zero");
    assert_eq!(
        complaint(&ring(), &[], &[sum(&[(PlaceId(9), 1)])]),
        "sum 0 bounds nothing: the net has no place number 9"
    );
    let open = net(&[Range::ANY], vec![moves("a", &[(P, 1)], &[])]);
    assert_eq!(complaint(&open, &[], &[sum(&[(P, 1)])]), "sum 0 bounds nothing: p may begin with any number");
}

/// What is found is accepted, and is so: brute force finds no marking beyond.
#[test]
fn sums_of_random_nets_are_right() {
    let (mut n_bounded, mut n_places) = (0, 0);
    for features in [Features::PLAIN, Features::FLOWS, Features::MONOTONE, Features::ALL] {
        for seed in seeds::of(0..400) {
            let problem = random(seed, &features);
            let net = &problem.net;
            let sums = passes::sums(net, &Control::new()).expect("there are no limits");
            let model = passes::counters_within(net, &sums, &Control::new()).expect("there are no limits");
            assert_eq!(certify_bounds(net, &model, &sums, &Control::new()), Ok(()), "{problem:?}");
            n_places += net.places.len();
            for (place, most) in sums.iter().flat_map(Sum::bounds) {
                n_bounded += 1;
                let beyond = vec![vec![(place, Range::at_least(most + 1))]];
                let found = search(net, &beyond, 8);
                assert!(matches!(found, Search::NotWithin { .. }), "{place:?} beyond {most}: {problem:?}");
            }
        }
    }
    assert!(n_bounded * 5 > n_places, "{n_bounded} of {n_places}");
}
