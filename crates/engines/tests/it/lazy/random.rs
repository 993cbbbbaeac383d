//! Random nets: the engine's answers against all markings that are reached within a few tokens.

use std::collections::BTreeSet;

use lapidary_base::{Control, Id, Stop};
use lapidary_engines::lazy::{Config, Covering, LazyEngine, Order};
use lapidary_engines::{Engine, Outcome, Target, Task, goals};
use lapidary_ir::passes::cubes;
use lapidary_ir::{CountedNet, Net, PropertyKind, Subject, Tokens};
use lapidary_reference::nets::{Features, Marking, Problem, Search, random, search, successors};
use lapidary_reference::seeds;
use lapidary_system::boxes::{Cuboid, Region};
use lapidary_text::Sources;
use lapidary_verdict::{Certificate, Trace};

use super::nets::problem;

/// Searching goes no further than so many tokens.
const MOST: Tokens = 8;

fn check_trace(net: &Net, error: &Region, trace: &Trace) {
    let n_places = net.places.len();
    let marking = |state: &[i64]| -> Marking {
        state[..n_places].iter().map(|&n| Tokens::try_from(n).expect("natural")).collect()
    };
    let markings: Vec<Marking> = trace.states.iter().map(|state| marking(state)).collect();
    let is_initial = net.initial.iter().zip(&markings[0]).all(|(range, &tokens)| range.contains(tokens));
    assert!(is_initial && error.contains_point(markings.last().expect("a state")));
    for (i, action) in trace.actions.iter().enumerate() {
        let transition = &net.transitions.as_slice()[action.command().expect("a command").index()];
        assert!(successors(transition, &markings[i]).contains(&markings[i + 1]), "{net:?} {trace:?}");
    }
}

/// Whether the engine says that the target is reached; `None` if it gave up.
fn answer(asked: &Problem, config: Config) -> Option<bool> {
    let (net, control) = (&asked.net, Control::new());
    let (model, property) = asked.model();
    let PropertyKind::Invariant(formula) = model.properties[property].kind else { panic!("an invariant") };
    let targets = [Target::States(model.exprs.not(formula))];
    let region = |cubes: &[lapidary_ir::passes::Cube]| {
        let cuboids = cubes.iter().map(|cube| Cuboid::of_cube(net.places.len(), cube).expect("places only"));
        Region::of(cuboids.collect())
    };
    let error = region(&asked.target);
    let sources = Sources::default();
    let subject = Subject::Net(CountedNet { net: net.clone(), sums: Vec::new(), model: model.clone() });
    let task = Task { subject: &subject, goals: &goals(&targets), sources: &sources };
    let engine = LazyEngine { config };
    engine.prepare(&task, &Control::new()).map(|_| ()).expect("a net and an upward-closed target");
    match &engine.run(&task, &control)[0].outcome {
        Outcome::Found(trace) => {
            check_trace(net, &error, trace);
            Some(true)
        }
        Outcome::Excluded(Certificate::Invariant(formula)) => {
            let cubes = cubes(&model.exprs, formula.within(&model.exprs)).expect("a union of boxes");
            assert_eq!(problem(net, &error, &region(&cubes), &control), None, "{asked:?}");
            assert!(matches!(search(net, &asked.target, MOST), Search::NotWithin { .. }), "{asked:?}");
            Some(false)
        }
        Outcome::Excluded(other) => panic!("no invariant but {other:?}"),
        Outcome::Unknown(stop) => {
            assert!(stop.to_string().starts_with("no answer after") || matches!(stop, Stop::Budget(_)), "{stop}");
            None
        }
    }
}

fn config(order: Order, covering: Option<Covering>) -> Config {
    Config { order, covering, most_refinements: Some(60), most_nodes: Some(20_000) }
}

#[test]
fn answers_agree_with_a_plain_search() {
    let (mut n_safe, mut n_unsafe, mut n_monotone_unknown) = (0, 0, 0);
    for seed in seeds::of(40_000..40_800) {
        let asked = random(seed, &Features::ALL);
        // Half of them; the others may take long.
        if asked.net.places.len() > 3 {
            continue;
        }
        let configs = [
            config(Order::BreadthFirst, None),
            config(Order::BreadthFirst, Some(Covering::NotDeeper)),
            config(Order::DepthFirst, None),
            config(Order::Random(3), None),
        ];
        let answers: Vec<Option<bool>> = configs.into_iter().map(|config| answer(&asked, config)).collect();
        let known: BTreeSet<bool> = answers.iter().copied().flatten().collect();
        assert!(known.len() <= 1, "{asked:?} {answers:?}");
        n_safe += usize::from(known.contains(&false));
        n_unsafe += usize::from(known.contains(&true));
        n_monotone_unknown += usize::from(answers[0].is_none() && asked.net.upper_bound().is_none());
    }
    assert!(
        n_safe > seeds::least(50) && n_unsafe > seeds::least(100) && n_monotone_unknown < 20,
        "{n_safe} {n_unsafe} {n_monotone_unknown}"
    );
}
