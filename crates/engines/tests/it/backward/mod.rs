//! Engine `backward` against the simplest backward search, and each subtle step by name.

mod nets;
mod oracle;

use std::sync::Arc;

use lapidary_base::Control;
use lapidary_engines::backward::{BackwardEngine, Config, Order, Pruning, Storage};
use lapidary_engines::coverability::{self, Exchange};
use lapidary_engines::{Answer, Outcome};
use lapidary_ir::{Destinations, Flow, Guard, Net, Range, Tokens};
use lapidary_reference::dice::Dice;
use lapidary_reference::nets::{Features, transition};
use lapidary_reference::seeds;
use lapidary_system::WellStructured;
use lapidary_system::net::{Listed, Marking, NetPoints, Packed, fire, predecessors};
use lapidary_system::well_structured::Points;
use lapidary_verdict::{Basis, Certificate, Trace};

use crate::coverable::{assert_run, coverable_within, is_below};
use nets::{ask, net, place, plain, random};
use oracle::check_basis;

const LEVELS: [Pruning; 5] =
    [Pruning::None, Pruning::Signs, Pruning::Invariants, Pruning::Equation, Pruning::Continuous];

fn backward(pruning: Pruning, storage: Storage) -> BackwardEngine {
    BackwardEngine { config: Config { pruning, storage, ..Config::default() } }
}

fn basis(answer: &Answer) -> &Basis {
    match &answer.outcome {
        Outcome::Excluded(Certificate::Basis(basis)) => basis,
        other => panic!("{other:?} is not a basis"),
    }
}

fn count(answer: &Answer, key: &str) -> u64 {
    answer.stats.counts.iter().find(|entry| entry.0 == key).map_or(0, |entry| entry.1)
}

/// It ends in the target.
fn check_run(net: &Net, target: &[Marking], trace: &Trace) {
    assert_run(net, trace, |last| target.iter().any(|least| is_below(least, last)));
}

fn marking(tokens: &[Tokens]) -> Marking {
    tokens.into()
}

#[test]
fn every_level_and_storage_agrees_with_the_simplest_search() {
    let (mut n_reached, mut n_unreachable) = (0, 0);
    for case in seeds::of(0..400) {
        let (net, target) = random(case, &Features::MONOTONE);
        let Some(expected) = coverable_within(&net, &target, 400) else { continue };
        for (i, pruning) in LEVELS.into_iter().enumerate() {
            let storage = if (case as usize + i).is_multiple_of(2) { Storage::Packed } else { Storage::Listed };
            let order = if case % 3 == 0 { Order::BreadthFirst } else { Order::SmallestFirst };
            let config = Config { pruning, storage, order, ..Config::default() };
            let answer = ask(&BackwardEngine { config }, &net, &target);
            match &answer.outcome {
                Outcome::Found(trace) => {
                    assert!(expected, "{pruning:?} {net:?} {target:?}");
                    check_run(&net, &target, trace);
                    n_reached += 1;
                }
                Outcome::Unknown(stop) => panic!("{stop}: {pruning:?} {net:?} {target:?}"),
                Outcome::Excluded(_) => {
                    assert!(!expected, "{pruning:?} {net:?} {target:?} {answer:?}");
                    check_basis(&net, &target, basis(&answer));
                    n_unreachable += 1;
                }
            }
        }
    }
    assert!(n_reached > seeds::least(200) && n_unreachable > seeds::least(200), "{n_reached} {n_unreachable}");
}

#[test]
fn with_upper_bounds_on_guards_answers_are_still_right() {
    let mut n_known = [0, 0];
    for case in seeds::of(0..300) {
        let (net, target) = random(10_000 + case, &Features { upper_bounds: 40, ..Features::ALL });
        if coverable_within(&net, &target, 400).is_none() {
            continue;
        }
        let answer = ask(&backward(LEVELS[case as usize % 5], Storage::BySize), &net, &target);
        match &answer.outcome {
            Outcome::Found(trace) => {
                check_run(&net, &target, trace);
                n_known[0] += 1;
            }
            Outcome::Excluded(_) => {
                check_basis(&net, &target, basis(&answer));
                n_known[1] += 1;
            }
            Outcome::Unknown(stop) => assert!(stop.to_string().contains("the guard p"), "{stop} {net:?} {target:?}"),
        }
    }
    assert!(n_known[0] > seeds::least(50) && n_known[1] > seeds::least(50), "{n_known:?}");
}

#[test]
fn predecessors_through_transfers_copies_and_choices_are_complete() {
    let mut dice = Dice::new(3);
    for _ in 0..600 {
        let mut net = net(&[Range::ANY; 4]);
        let transition = transition(&mut dice, 4, &Features { flows: 60, ..Features::MONOTONE });
        net.transitions.push(transition.clone());
        let point: Marking = (0..4).map(|_| dice.below(4)).collect();
        let mut expected = Vec::new();
        predecessors(&transition, &point, &mut expected).expect("few");
        // Nothing is asked of those above the point itself.
        expected.retain(|marking| !is_below(&point, marking));
        for found in [before(&Packed::new(&net, 8), &point), before(&Listed::new(&net), &point)] {
            let is_found = |marking: &Marking| found.iter().any(|other| is_below(other, marking));
            assert!(expected.iter().all(is_found), "{transition:?} {point:?} {expected:?} {found:?}");
            for marking in &found {
                let after = fire(&transition, marking, &point).expect("small numbers").expect("it is enabled");
                assert!(is_below(&point, &after), "{transition:?} {marking:?} {point:?}");
            }
        }
    }
}

/// What the first transition leads above the point from.
fn before<P: NetPoints>(points: &P, point: &Marking) -> Vec<Marking> {
    let (mut packed, mut found, mut set, mut actions) = (Vec::new(), Points::default(), Vec::new(), Vec::new());
    points.encode(point, &mut packed).expect("small numbers");
    points.candidates(&packed, &mut set, &mut actions);
    for action in actions {
        points.pre_basis(action, &packed, &mut found, &Control::new()).expect("small numbers");
    }
    let decode = |at: usize| {
        let mut marking = marking(&[0; 4]);
        points.decode(found.get(at), &mut marking);
        marking
    };
    (0..found.len()).map(decode).collect()
}

#[test]
fn a_transfer_from_two_places_has_one_predecessor_per_composition() {
    let mut net = net(&[Range::ANY, Range::ANY, Range::ANY]);
    let mut transfer = nets::idle(&net);
    let to = |at: usize| Destinations::All(vec![(place(at), 1)]);
    transfer.flows = vec![Flow { from: place(0), to: to(2) }, Flow { from: place(1), to: to(2) }];
    net.transitions.push(transfer);
    let (mut packed, mut found) = (Vec::new(), Points::default());
    let points = Packed::new(&net, 8);
    points.encode(&[0, 0, 3], &mut packed).expect("small numbers");
    points.pre_basis(0, &packed, &mut found, &Control::new()).expect("small numbers");
    // Three tokens from places 0, 1 and 2, which keeps its own.
    assert_eq!(found.len(), 10);
}

/// Two processes, one lock: `idle`, `busy`, `lock`.
fn lock() -> Net {
    let mut net = net(&[Range::at_least(1), Range::exactly(0), Range::exactly(1)]);
    plain(&mut net, &[(0, 1), (2, 1)], &[(1, 1)]);
    plain(&mut net, &[(1, 1)], &[(0, 1), (2, 1)]);
    net
}

#[test]
fn the_inequality_that_pruned_an_element_is_in_the_certificate() {
    let target = [marking(&[0, 2, 0])];
    for pruning in [Pruning::Invariants, Pruning::Equation] {
        let answer = ask(&backward(pruning, Storage::BySize), &lock(), &target);
        assert_eq!(count(&answer, "pruned"), 1);
        assert_eq!(basis(&answer).inequalities, [vec![(place(1), 1), (place(2), 1)]]);
        check_basis(&lock(), &target, basis(&answer));
    }
    let answer = ask(&backward(Pruning::Signs, Storage::BySize), &lock(), &target);
    assert!(basis(&answer).inequalities.is_empty());
    check_basis(&lock(), &target, basis(&answer));
}

/// Three hundred tokens of a place make one of the next.
fn hundreds(first: Tokens) -> Net {
    let mut net = net(&[Range::exactly(first), Range::exactly(0), Range::exactly(0)]);
    plain(&mut net, &[(0, 300)], &[(1, 1)]);
    plain(&mut net, &[(1, 300)], &[(2, 1)]);
    net
}

#[test]
fn lanes_widen_instead_of_wrapping() {
    let target = [marking(&[0, 0, 1])];
    for storage in [Storage::Packed, Storage::Listed] {
        for pruning in LEVELS {
            let short = ask(&backward(pruning, storage), &hundreds(89_999), &target);
            check_basis(&hundreds(89_999), &target, basis(&short));
            let enough = ask(&backward(pruning, storage), &hundreds(90_000), &target);
            let Outcome::Found(trace) = &enough.outcome else { panic!("{:?}", enough.outcome) };
            check_run(&hundreds(90_000), &target, trace);
            assert_eq!(trace.actions.len(), 301);
        }
    }
}

#[test]
fn numbers_that_fit_nowhere_are_an_overflow() {
    let mut net = net(&[Range::exactly(0), Range::exactly(1)]);
    plain(&mut net, &[(0, 1 << 62), (1, 1)], &[(1, 2)]);
    plain(&mut net, &[(1, 1)], &[(0, 1)]);
    for storage in [Storage::Packed, Storage::Listed] {
        let answer = ask(&backward(Pruning::Signs, storage), &net, &[marking(&[0, 5])]);
        assert!(matches!(&answer.outcome, Outcome::Unknown(lapidary_base::Stop::Overflow(_))), "{answer:?}");
    }
}

#[test]
fn runs_lead_through_dominated_elements_and_dominated_waiting_elements_are_not_expanded() {
    // Places a, b, c, d, e, f, g, goal. Back from the goal: 2a, and d + e + f, which a alone makes; 2a comes from b, b from 5c,
    // 5c from g. When a is found, 2a has been expanded, and the run leads through it.
    let [a, b, c, d, e, f, g, goal] = [0, 1, 2, 3, 4, 5, 6, 7];
    let mut net = net(&[0, 0, 0, 0, 0, 0, 1, 0].map(Range::exactly));
    plain(&mut net, &[(a, 2)], &[(goal, 1)]);
    plain(&mut net, &[(d, 1), (e, 1), (f, 1)], &[(goal, 1)]);
    plain(&mut net, &[(a, 1)], &[(d, 1), (e, 1), (f, 1)]);
    plain(&mut net, &[(b, 1)], &[(a, 2)]);
    plain(&mut net, &[(c, 5)], &[(b, 1)]);
    plain(&mut net, &[(g, 1)], &[(c, 5)]);
    let target = [marking(&[0, 0, 0, 0, 0, 0, 0, 1])];
    let answer = ask(&backward(Pruning::Signs, Storage::BySize), &net, &target);
    let Outcome::Found(trace) = &answer.outcome else { panic!("{:?}", answer.outcome) };
    check_run(&net, &target, trace);
    assert_eq!(trace.actions.len(), 4);

    // Back from the goal: 2a, then a, before anything else is expanded. Then c from a; a + c would come from 2a.
    let mut net = nets::net(&[0, 0, 0].map(Range::exactly));
    plain(&mut net, &[(0, 2)], &[(1, 1)]);
    plain(&mut net, &[(0, 1)], &[(1, 1)]);
    plain(&mut net, &[(2, 1)], &[(0, 1)]);
    let answer = ask(&backward(Pruning::None, Storage::BySize), &net, &[marking(&[0, 1, 0])]);
    assert_eq!((count(&answer, "states"), count(&answer, "transitions")), (3, 3));
}

#[test]
fn continuous_pruning_alone_never_decides_unreachable() {
    // Only with b does c become d, and b costs the token of a that the target asks for. The state equation does not see it.
    let mut net = net(&[1, 0, 1, 0].map(Range::exactly));
    plain(&mut net, &[(0, 1)], &[(1, 1)]);
    plain(&mut net, &[(2, 1)], &[(3, 1)]);
    let mut transitions = net.transitions.clone().into_vec();
    transitions[1].guards.push(Guard { place: place(1), range: Range::at_least(1), span: nets::span() });
    net.transitions = transitions.into_iter().collect();
    let target = [marking(&[1, 0, 0, 1])];
    let equation = ask(&backward(Pruning::Equation, Storage::BySize), &net, &target);
    let continuous = ask(&backward(Pruning::Continuous, Storage::BySize), &net, &target);
    check_basis(&net, &target, basis(&continuous));
    assert_eq!(basis(&continuous), basis(&equation));
    assert!(!basis(&continuous).minimal.is_empty());
}

#[test]
fn a_spent_budget_is_said_to_be_one() {
    let config =
        Config { most_states: Some(3), pruning: Pruning::None, order: Order::BreadthFirst, ..Config::default() };
    let answer = ask(&BackwardEngine { config }, &hundreds(90_000), &[marking(&[0, 0, 1])]);
    let Outcome::Unknown(stop) = &answer.outcome else { panic!("{:?}", answer.outcome) };
    assert_eq!(stop.to_string(), "the budget of 3 markings is spent");
    assert!(
        matches!(stop, lapidary_base::Stop::Budget(_))
            && answer.known.is_some_and(|known| known.text.starts_with("within "))
    );
}

#[test]
fn published_elements_lead_to_the_target() {
    let mut n_paths = 0;
    for case in seeds::of(0..300) {
        let (net, target) = random(20_000 + case, &Features::MONOTONE);
        if coverable_within(&net, &target, 400).is_none() {
            continue;
        }
        let exchange = Arc::new(Exchange::new());
        let config = Config { exchange: Some(Arc::clone(&exchange)), pruning: Pruning::Signs, ..Config::default() };
        ask(&BackwardEngine { config }, &net, &target);
        let mut minimal = target.clone();
        minimal.sort_by_key(|marking| marking.iter().sum::<Tokens>());
        let reduced = coverability::reduce(&net, &minimal);
        let Some(&key) = exchange.targets().first() else { continue };
        for element in exchange.elements(key, 0) {
            let mut marking: Marking = vec![0; reduced.places.len()].into();
            element.marking.iter().for_each(|&(at, tokens)| marking[at.0 as usize] = tokens);
            for step in exchange.path(key, element.index) {
                let transition = &reduced.net.transitions[step.transition];
                marking = fire(transition, &marking, &step.demand).expect("small numbers").expect("it is enabled");
                assert!(is_below(&step.demand, &marking));
                n_paths += 1;
            }
            assert!(reduced.minimal.iter().any(|least| is_below(least, &marking)));
        }
    }
    assert!(n_paths > 0, "no element leads anywhere");
}
