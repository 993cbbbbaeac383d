//! Engine `forward`: verdicts against a backward search, runs that fire, certificates that mean what they say.

mod ideals;
pub mod nets;

use std::sync::Arc;
use std::time::Duration;

use lapidary_base::Control;
use lapidary_engines::coverability::{Element, Exchange, Problem};
use lapidary_engines::forward::{Config, ForwardEngine};
use lapidary_engines::{Answer, Engine, Outcome, Task, goals};
use lapidary_ir::{CountedNet, Destinations, Flow, Guard, Net, PlaceId, Range, Subject, Tokens};
use lapidary_reference::nets::{Features, random};
use lapidary_reference::seeds;
use lapidary_text::Sources;
use lapidary_verdict::Certificate;

use crate::coverable;
use nets::{Case, petri};

/// Runs the engine and checks the evidence for its answer.
fn answer(case: &Case, config: Config) -> Answer {
    let sources = Sources::default();
    let Case { net, model, targets } = case;
    let subject = Subject::Net(CountedNet { net: net.clone(), sums: Vec::new(), model: model.clone() });
    let task = Task { subject: &subject, goals: &goals(targets), sources: &sources };
    let engine = ForwardEngine { config };
    assert_eq!(engine.prepare(&task, &Control::new()).map(|_| ()), Ok(()));
    let control = Control::new().with_timeout(Some(Duration::from_secs(20)));
    let answer = engine.run(&task, &control).pop().expect("one target");
    let problem = Problem::new(&task, targets[0]).expect("a union of cubes");
    match &answer.outcome {
        Outcome::Found(trace) => coverable::assert_run(net, trace, |marking| problem.is_target(marking)),
        Outcome::Excluded(Certificate::Ideals(ideals)) => ideals::assert_ideals(net, ideals, &problem.minimal),
        Outcome::Excluded(other) => panic!("a certificate of another kind: {other:?}"),
        Outcome::Unknown(_) => {}
    }
    answer
}

fn cover(net: Net, marking: &[Tokens]) -> Answer {
    answer(&Case::new(net, &[marking.to_vec()]), Config::default())
}

fn verdict(answer: &Answer) -> Option<bool> {
    match answer.outcome {
        Outcome::Found(_) => Some(true),
        Outcome::Excluded(_) => Some(false),
        Outcome::Unknown(_) => None,
    }
}

/// How many of the random nets got which answer, and how many the plain search left open.
fn compare(tried: std::ops::Range<u64>, features: &Features, most_states: u64) -> [usize; 4] {
    let mut tally = [0; 4];
    for seed in seeds::of(tried) {
        let problem = random(seed, features);
        let markings = problem.minimal();
        let case = Case::new(problem.net, &markings);
        let answer = answer(&case, Config { most_states: Some(most_states), exchange: None });
        let minimal: Vec<_> = markings.iter().map(|marking| marking.clone().into()).collect();
        let expected = coverable::coverable(&case.net, &minimal);
        match (verdict(&answer), expected) {
            (None, _) => tally[2] += 1,
            (Some(_), None) => tally[3] += 1,
            (Some(found), Some(expected)) => {
                assert_eq!(found, expected, "seed {seed}: {:?} {markings:?}", case.net);
                tally[usize::from(found)] += 1;
            }
        }
    }
    tally
}

#[test]
fn verdicts_on_random_petri_nets_are_those_of_a_backward_search() {
    let [unreachable, reached, unknown, open] =
        compare(0..3_000, &Features { unbounded: 10, ranges: 10, ..Features::PLAIN }, u64::MAX);
    assert_eq!(unknown, 0);
    assert!(
        unreachable > seeds::least(300) && reached > seeds::least(300) && open < 300,
        "{unreachable} {reached} {open}"
    );
}

#[test]
fn verdicts_on_random_nets_with_transfers_are_those_of_a_backward_search() {
    let [unreachable, reached, unknown, _] = compare(10_000..13_000, &Features::FLOWS, 2_000);
    assert!(
        unreachable > seeds::least(300) && reached > seeds::least(300) && unknown < 200,
        "{unreachable} {reached} {unknown}"
    );
}

#[test]
fn verdicts_on_random_nets_with_choices_are_those_of_a_backward_search() {
    let [unreachable, reached, unknown, _] = compare(20_000..20_200, &Features::MONOTONE, 1_000);
    assert!(
        unreachable > seeds::least(30) && reached > seeds::least(30) && unknown < 60,
        "{unreachable} {reached} {unknown}"
    );
}

#[test]
fn what_random_nets_with_upper_bounds_are_said_to_reach_they_reach() {
    let mut tally = [0; 3];
    for seed in seeds::of(30_000..31_000) {
        let problem = random(seed, &Features { upper_bounds: 40, ..Features::ALL });
        let markings = problem.minimal();
        let case = Case::new(problem.net, &markings);
        // Runs and certificates are checked there.
        let answer = answer(&case, Config { most_states: Some(5_000), exchange: None });
        tally[verdict(&answer).map_or(2, usize::from)] += 1;
    }
    assert!(tally[0] > seeds::least(100) && tally[1] > seeds::least(100), "{tally:?}");
}

/// A cache line that is shared by many or owned by one: who wants to write sends all others away.
fn ownership() -> Net {
    let mut net = nets::empty(&[Range::at_least(1), Range::exactly(0), Range::exactly(0)]);
    let everything =
        |to: u32| move |from: u32| Flow { from: PlaceId(from), to: Destinations::All(vec![(PlaceId(to), 1)]) };
    let mut read = nets::plain(&[1, 0, 0], &[0, 1, 0]);
    read.flows = vec![everything(1)(2)];
    let mut write = nets::plain(&[1, 0, 0], &[0, 0, 1]);
    write.flows = [1, 2].map(everything(0)).to_vec();
    net.transitions = [read, write].into_iter().collect();
    net
}

#[test]
fn a_broadcast_protocol_with_any_number_of_processes_is_proved() {
    assert_eq!(verdict(&cover(ownership(), &[0, 0, 2])), Some(false));
    assert_eq!(verdict(&cover(ownership(), &[0, 1, 1])), Some(false));
    assert_eq!(verdict(&cover(ownership(), &[0, 9, 0])), Some(true));
    assert_eq!(verdict(&cover(ownership(), &[5, 0, 1])), Some(true));
}

#[test]
fn a_zero_test_that_is_needed_for_the_proof_leaves_the_target_open() {
    let mut net = petri(&[1, 0], &[(&[1, 0], &[0, 1]), (&[], &[1, 0])]);
    let guard = Guard { place: PlaceId(0), range: Range { lo: 0, hi: Some(0) }, span: nets::span() };
    let mut transitions: Vec<_> = net.transitions.iter().cloned().collect();
    transitions[1].guards.push(guard);
    net.transitions = transitions.into_iter().collect();
    // One token may stay in the first place, but never two.
    let answer = answer(&Case::new(net.clone(), &[vec![2, 0]]), Config { most_states: Some(20_000), exchange: None });
    assert_eq!(verdict(&answer), None);
    assert_eq!(verdict(&cover(net, &[1, 6])), Some(true));
}

#[test]
fn an_element_of_a_backward_search_ends_the_search() {
    // 40 tokens move one by one; a backward search knows that ten of them are enough.
    let net = petri(&[40, 0, 0], &[(&[1, 0, 0], &[0, 1, 0]), (&[0, 10, 0], &[0, 0, 1])]);
    let case = Case::new(net, &[vec![0, 0, 4]]);
    let lapidary_engines::Target::States(formula) = case.targets[0] else { panic!("a set of states") };
    let exchange = Arc::new(Exchange::new());
    let element = |marking: [Tokens; 3], origin| Element { marking: marking.into(), origin };
    exchange.publish(formula.0 as usize, &[element([0, 0, 4], None)]);
    for (index, tokens) in [(0, 3u64), (1, 2), (2, 1), (3, 0)] {
        let marking = [0, 10 * (4 - tokens), tokens];
        exchange.publish(formula.0 as usize, &[element(marking, Some((lapidary_ir::TransitionId(1), index)))]);
    }
    let with = answer(&case, Config { most_states: None, exchange: Some(exchange) });
    let without = answer(&case, Config::default());
    assert_eq!((verdict(&with), verdict(&without)), (Some(true), Some(true)));
    let n_states = |answer: &Answer| answer.stats.counts[0].1;
    assert!(n_states(&with) < n_states(&without), "{} {}", n_states(&with), n_states(&without));
}

#[test]
fn numbers_that_are_too_large_are_no_panic() {
    let large = 1 << 40;
    let net = petri(&[large, 0], &[(&[large, 0], &[0, 1])]);
    assert_eq!(verdict(&cover(net, &[0, 1])), None);
    let slow = petri(&[1, 0], &[(&[1, 0], &[1, 1])]);
    assert_eq!(verdict(&cover(slow, &[0, large])), None);
}
