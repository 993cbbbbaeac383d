//! Nets mean the same to everybody: as models, fired, and backwards, against a search that tries everything.

use std::collections::BTreeSet;

use lapidary_checker::step;
use lapidary_ir::{CommandId, Tokens, Transition};
use lapidary_reference::nets::{self, Features, Problem};
use lapidary_reference::seeds;
use lapidary_system::net::{fire, predecessors};

const SEEDS: std::ops::Range<u64> = 0..300;
const KINDS: [Features; 5] = [Features::PLAIN, Features::FLOWS, Features::CHOICES, Features::MONOTONE, Features::ALL];

/// All markings with at most so many tokens in each place.
fn grid(n_places: usize, most: Tokens) -> Vec<Vec<Tokens>> {
    let extended = |markings: Vec<Vec<Tokens>>, _| {
        let more = |marking: &Vec<Tokens>| (0..=most).map(|n| [&marking[..], &[n]].concat()).collect::<Vec<_>>();
        markings.iter().flat_map(more).collect()
    };
    (0..n_places).fold(vec![Vec::new()], extended)
}

/// Fewer tokens where there are many places.
fn markings(problem: &Problem) -> Vec<Vec<Tokens>> {
    let n_places = problem.net.places.len();
    grid(n_places, if n_places <= 3 { 4 } else { 2 })
}

fn is_above(marking: &[Tokens], other: &[Tokens]) -> bool {
    marking.iter().zip(other).all(|(a, b)| a >= b)
}

fn for_all_transitions(check: impl Fn(&Problem, usize, &Transition, &str)) {
    for (kind, features) in KINDS.iter().enumerate() {
        for seed in seeds::of(SEEDS) {
            let problem = nets::random(seed, features);
            for (number, transition) in problem.net.transitions.iter().enumerate() {
                check(&problem, number, transition, &format!("kind {kind}, seed {seed}, {}", transition.name));
            }
        }
    }
}

#[test]
fn the_model_of_a_net_has_its_steps() {
    for_all_transitions(|problem, number, transition, name| {
        if problem.net.has_choices() {
            return;
        }
        let (model, _) = problem.model();
        for marking in markings(problem) {
            let state: Vec<i64> = marking.iter().map(|&tokens| tokens as i64).collect();
            let found = step::successors(&model, CommandId(number as u32), &state).expect("small numbers");
            let narrow = |state: &[i64]| state.iter().map(|&tokens| tokens as Tokens).collect::<Vec<_>>();
            let found: BTreeSet<Vec<Tokens>> = found.iter().map(|state| narrow(state)).collect();
            assert_eq!(found, nets::successors(transition, &marking), "{name} from {marking:?}");
        }
    });
}

#[test]
fn firing_leads_to_a_successor_and_meets_the_demand_if_that_is_possible() {
    for_all_transitions(|problem, _, transition, name| {
        let all = markings(problem);
        for (i, marking) in all.iter().enumerate() {
            let expected = nets::successors(transition, marking);
            // Some demand, another one for each marking.
            let demand = &all[(i * 7919 + 13) % all.len()];
            let possible = expected.iter().any(|after| is_above(after, demand));
            let found = fire(transition, marking, demand).expect("small numbers");
            assert!(
                found.iter().all(|after| expected.contains(&after.to_vec())),
                "{name} from {marking:?} to {found:?}"
            );
            let is_met = found.as_ref().is_some_and(|after| is_above(after, demand));
            assert_eq!(is_met, possible, "{name} from {marking:?} for {demand:?}: {found:?}");
            let without = fire(transition, marking, &vec![0; marking.len()]).expect("small numbers");
            assert_eq!(without.is_some(), !expected.is_empty(), "{name} from {marking:?}");
        }
    });
}

#[test]
fn predecessors_are_the_least_markings_that_lead_above_a_point() {
    for_all_transitions(|problem, _, transition, name| {
        let all = markings(problem);
        let successors: Vec<_> = all.iter().map(|marking| nets::successors(transition, marking)).collect();
        for point in all.iter().step_by(1 + all.len() / 7) {
            let mut found = Vec::new();
            predecessors(transition, point, &mut found).expect("few predecessors");
            for (marking, after) in all.iter().zip(&successors) {
                let leads = after.iter().any(|after| is_above(after, point));
                let is_above_one = found.iter().any(|least| is_above(marking, least));
                // With an upper bound there may be more above a predecessor than lead to the point.
                if leads || transition.upper_bound().is_none() {
                    assert_eq!(is_above_one, leads, "{name} from {marking:?} to {point:?}: {found:?}");
                }
            }
            for (i, one) in found.iter().enumerate() {
                let other = found.iter().enumerate().find(|&(j, other)| i != j && is_above(one, other));
                assert_eq!(other, None, "{name} to {point:?}: {one:?} is not minimal");
            }
        }
    });
}
