//! Engine `forward`: verdicts against a backward search, runs that fire, certificates that mean what they say.

mod ideals;
mod nets;
mod oracle;

use std::time::Duration;

use lapidary_base::Control;
use lapidary_engines::coverability::Problem;
use lapidary_engines::forward::{Config, ForwardEngine};
use lapidary_engines::{Answer, Engine, Outcome, Task};
use lapidary_ir::{Net, Range, Tokens};
use lapidary_text::Sources;
use lapidary_verdict::Certificate;

use nets::{Case, Random, Shape, petri};

/// Runs the engine and checks the evidence for its answer.
fn answer(case: &Case, config: Config) -> Answer {
    let sources = Sources::default();
    let Case { net, model, targets } = case;
    let task = Task { model, tree: None, net: Some(net), targets, target_names: &[], sources: &sources };
    let engine = ForwardEngine { config };
    assert_eq!(engine.accepts(&task), Ok(()));
    let control = Control::new().with_timeout(Some(Duration::from_secs(20)));
    let answer = engine.run(&task, &control).pop().expect("one target");
    let problem = Problem::new(&task, &targets[0]).expect("a union of cubes");
    match &answer.outcome {
        Outcome::Reached(trace) => oracle::assert_run(net, trace, |marking| problem.is_target(marking)),
        Outcome::Unreachable(Certificate::Ideals(ideals)) => ideals::assert_ideals(net, ideals, &problem.minimal),
        Outcome::Unreachable(other) => panic!("a certificate of another kind: {other:?}"),
        Outcome::Unknown(_) => {}
    }
    answer
}

fn cover(net: Net, marking: &[Tokens]) -> Answer {
    answer(&Case::new(net, &[marking.to_vec()]), Config::default())
}

fn verdict(answer: &Answer) -> Option<bool> {
    match answer.outcome {
        Outcome::Reached(_) => Some(true),
        Outcome::Unreachable(_) => Some(false),
        Outcome::Unknown(_) => None,
    }
}

/// How many of the random nets got which answer, and how many the oracle left open.
fn compare(seed: u64, n_nets: usize, shape: Shape, most_states: u64) -> [usize; 4] {
    let mut tally = [0; 4];
    for i in 0..n_nets {
        let mut random = Random(seed * 1_000_003 + i as u64);
        let net = nets::random(&mut random, shape);
        let n_places = net.places.len();
        let markings: Vec<Vec<Tokens>> =
            (0..1 + random.below(2)).map(|_| nets::random_marking(&mut random, n_places)).collect();
        let case = Case::new(net, &markings);
        let answer = answer(&case, Config { most_states: Some(most_states), exchange: None });
        let minimal: Vec<_> = markings.iter().map(|marking| marking.clone().into()).collect();
        let expected = oracle::coverable(&case.net, &minimal);
        match (verdict(&answer), expected) {
            (None, _) => tally[2] += 1,
            (Some(_), None) => tally[3] += 1,
            (Some(found), Some(expected)) => {
                assert_eq!(found, expected, "net {i}: {:?} {markings:?}", case.net);
                tally[usize::from(found)] += 1;
            }
        }
    }
    tally
}

#[test]
fn verdicts_on_random_petri_nets_are_those_of_a_backward_search() {
    let [unreachable, reached, unknown, open] = compare(1, 3_000, Shape::default(), u64::MAX);
    assert_eq!(unknown, 0);
    assert!(unreachable > 300 && reached > 300 && open < 300, "{unreachable} {reached} {open}");
}

#[test]
fn verdicts_on_random_nets_with_transfers_are_those_of_a_backward_search() {
    let shape = Shape { flows: true, ..Shape::default() };
    let [unreachable, reached, unknown, _] = compare(2, 3_000, shape, 2_000);
    assert!(unreachable > 300 && reached > 300 && unknown < 200, "{unreachable} {reached} {unknown}");
}

#[test]
fn verdicts_on_random_nets_with_choices_are_those_of_a_backward_search() {
    let shape = Shape { flows: true, choices: true, ..Shape::default() };
    let [unreachable, reached, unknown, _] = compare(3, 500, shape, 2_000);
    assert!(unreachable > 50 && reached > 50 && unknown < 100, "{unreachable} {reached} {unknown}");
}
