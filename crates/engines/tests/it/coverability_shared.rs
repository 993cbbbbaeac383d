//! What the engines for coverability share: nothing that is left out of a net changes what it covers, and runs fire.

use lapidary_base::{Control, Id};
use lapidary_engines::coverability::{Problem, Reduced, Step, reduce, run};
use lapidary_engines::{Task, goals};
use lapidary_ir::{CountedNet, Destinations, Flow, Guard, Net, PlaceId, Range, Subject, Tokens, TransitionId};
use lapidary_reference::nets::{Features, random};
use lapidary_reference::seeds;
use lapidary_system::net::{Marking, predecessors};
use lapidary_text::Sources;

use crate::coverable::{assert_run, coverable};
use crate::forward::nets::{self, Case};

/// A backward search on the smaller net: where to start and the steps from there, if the target can be covered.
fn search(reduced: &Reduced) -> Option<(Marking, Vec<Step>)> {
    let net = &reduced.net;
    let mut found: Vec<(Marking, Option<(TransitionId, usize)>)> = Vec::new();
    let mut waiting: Vec<(Marking, Option<(TransitionId, usize)>)> =
        reduced.minimal.iter().map(|marking| (marking.clone(), None)).collect();
    let fits = |(range, tokens): (&Range, &Tokens)| range.hi.is_none_or(|hi| *tokens <= hi);
    let mut at = 0;
    while at < waiting.len() && waiting.len() < 20_000 {
        let (marking, origin) = waiting[at].clone();
        at += 1;
        if found.iter().any(|(other, _)| other.iter().zip(&marking).all(|(a, b)| a <= b)) {
            continue;
        }
        found.push((marking.clone(), origin));
        if net.initial.iter().zip(&marking).all(fits) {
            let mut steps = Vec::new();
            let mut origin = origin;
            while let Some((transition, next)) = origin {
                steps.push(Step { transition, demand: found[next].0.clone() });
                origin = found[next].1;
            }
            return Some((marking, steps));
        }
        for (id, transition) in net.transitions.enumerated() {
            let mut before = Vec::new();
            predecessors(transition, &marking, &mut before).ok()?;
            waiting.extend(before.into_iter().map(|marking| (marking, Some((id, found.len() - 1)))));
        }
    }
    None
}

/// Compares a net and its smaller one, and fires the run of the latter. Was it coverable?
fn check(net: Net, markings: &[Vec<Tokens>]) -> Option<bool> {
    let case = Case::new(net, markings);
    let sources = Sources::default();
    let Case { net, model, targets } = &case;
    let subject = Subject::Net(CountedNet { net: net.clone(), sums: Vec::new(), model: model.clone() });
    let task = Task { subject: &subject, goals: &goals(targets), sources: &sources };
    let problem = Problem::new(&task, targets[0]).expect("a union of cubes");
    let reduced = reduce(net, &problem.minimal);
    assert_eq!(reduced.net.validate(), Ok(()));
    let expected = coverable(net, &problem.minimal)?;
    let smaller = coverable(&reduced.net, &reduced.minimal);
    assert!(smaller.is_none_or(|smaller| smaller == expected), "{expected} {markings:?} {net:?} {:?}", reduced.net);
    if let Some((start, steps)) = search(&reduced) {
        let trace = run(&problem, &reduced, &start, &steps, &Control::new()).expect("short runs");
        let trace =
            trace.unwrap_or_else(|| panic!("{steps:?} does not fire from {start:?} in {net:?} to {markings:?}"));
        assert_run(net, &trace, |marking| problem.is_target(marking));
    }
    Some(expected)
}

fn check_random(seeds: std::ops::Range<u64>, features: &Features) {
    let mut tally = [0; 2];
    let tried = seeds::of(seeds);
    for &seed in &tried {
        let problem = random(seed, features);
        let markings = problem.minimal();
        if let Some(expected) = check(problem.net, &markings) {
            tally[usize::from(expected)] += 1;
        }
    }
    assert!(tally[0] > tried.len() / 8 && tally[1] > tried.len() / 8, "{tally:?}");
}

#[test]
fn the_part_of_a_petri_net_that_matters_covers_the_same() {
    check_random(0..4_000, &Features { unbounded: 10, ranges: 10, ..Features::PLAIN });
}

#[test]
fn the_part_of_a_net_with_transfers_that_matters_covers_the_same() {
    check_random(10_000..14_000, &Features::FLOWS);
}

#[test]
fn the_part_of_a_net_with_choices_that_matters_covers_the_same() {
    check_random(20_000..20_150, &Features::MONOTONE);
}

#[test]
fn of_a_net_with_upper_bounds_the_part_that_matters_covers_no_less() {
    // Tokens that choose make many predecessors, so few do.
    for seed in seeds::of(30_000..32_000) {
        let problem = random(seed, &Features { upper_bounds: 40, choices: 10, ..Features::ALL });
        let minimal: Vec<Marking> = problem.minimal().into_iter().map(Marking::from).collect();
        let net = problem.net;
        let reduced = reduce(&net, &minimal);
        let (whole, smaller) = (coverable(&net, &minimal), coverable(&reduced.net, &reduced.minimal));
        assert!(whole != Some(true) || smaller != Some(false), "{minimal:?} {net:?} {:?}", reduced.net);
    }
}

#[test]
fn a_target_that_asks_for_an_unmarkable_place_is_not_the_one_that_a_run_pumps_for() {
    let mut net = nets::petri(&[0, 0], &[(&[0, 0], &[0, 1])]);
    assert_eq!(check(net.clone(), &[vec![2, 0], vec![0, 3]]), Some(true));
    net.transitions = [].into_iter().collect();
    assert_eq!(check(net, &[vec![2, 0], vec![0, 3]]), Some(false));
}

#[test]
fn what_a_negative_put_takes_must_have_arrived() {
    let mut net = nets::petri(&[1, 0, 0], &[(&[1, 0, 0], &[0, 1, 0])]);
    let mut transition = nets::plain(&[], &[]);
    transition.put = vec![(PlaceId(1), 1), (PlaceId(2), -1)];
    net.transitions = [transition].into_iter().collect();
    assert_eq!(check(net, &[vec![0, 1, 0]]), Some(false));
}

#[test]
fn a_pump_that_takes_from_a_pumped_place_is_fired_after_it() {
    // The second place is filled from nothing, the third one from two tokens of it, with a guard on the first.
    let mut net = nets::petri(&[0, 0, 0], &[(&[], &[0, 1, 0]), (&[0, 2, 0], &[0, 0, 1])]);
    net.initial[PlaceId(0)] = Range::at_least(0);
    let mut transitions: Vec<_> = net.transitions.iter().cloned().collect();
    transitions[1].guards.push(Guard { place: PlaceId(0), range: Range::at_least(5), span: nets::span() });
    net.transitions = transitions.into_iter().collect();
    let reduced = reduce(&net, &[vec![0, 0, 3].into()]);
    assert_eq!((reduced.pumps.len(), reduced.places.len()), (2, 0));
    assert_eq!(check(net, &[vec![1, 1, 3]]), Some(true));
}

#[test]
fn a_place_that_something_empties_is_not_unlimited() {
    let mut net = nets::petri(&[0, 1], &[(&[], &[1, 0])]);
    let mut reset = nets::plain(&[0, 1], &[]);
    reset.flows.push(Flow { from: PlaceId(0), to: Destinations::All(Vec::new()) });
    net.transitions.push(reset);
    let reduced = reduce(&net, &[vec![3, 0].into()]);
    assert!(reduced.unlimited.is_empty() && reduced.pumps.is_empty());
    assert_eq!(reduced.places.iter().map(|place| place.index()).collect::<Vec<_>>(), [0]);
    assert_eq!(check(net, &[vec![3, 0]]), Some(true));
}
