//! Random bodies with loops, local variables and starts: whatever an engine answers, the checker accepts its evidence, and
//! trying everything says the same.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use lapidary_base::Control;
use lapidary_checker::eval;
use lapidary_driver::{CheckRequest, EngineChoice, LoadRequest, Loaded, SolverOptions, check, open_text};
use lapidary_engines::cover::{CEGAR, PCEGAR};
use lapidary_engines::induction::{BMC, KINDUCTION};
use lapidary_engines::matching::MATCHING;
use lapidary_engines::reach::EXPLICIT;
use lapidary_engines::symbolic::BDD;
use lapidary_ir::{Model, PropertyId, PropertyKind, print};
use lapidary_reference::bodies::{self, Locals, Loops, Shape, State};
use lapidary_reference::seeds;
use lapidary_verdict::Verdict;

/// A quarter of the models has straight bodies with branches only, another has no loops without a bound.
fn shape(seed: u64) -> Shape {
    match seed % 4 {
        0 => Shape { loops: Loops::None, locals: Locals::None, depth: 3 },
        1 => Shape { loops: Loops::Bounded, ..Shape::default() },
        _ => Shape::default(),
    }
}

fn reachable(model: &Model) -> BTreeSet<State> {
    let mut found = bodies::initial(model);
    let mut open: Vec<State> = found.iter().cloned().collect();
    while let Some(state) = open.pop() {
        open.extend(bodies::successors(model, &state).into_iter().filter(|next| found.insert(next.clone())));
    }
    found
}

fn holds(model: &Model, property: PropertyId, reachable: &BTreeSet<State>) -> bool {
    let is_fine = |state: &State| match &model.properties[property].kind {
        PropertyKind::Invariant(formula) => eval::truth(model, *formula, state) == Ok(true),
        PropertyKind::DeadlockFree => {
            let busy = model.commands.ids().filter(|&id| !model.commands[id].is_idle);
            busy.into_iter().any(|id| !bodies::steps(model, id, state).is_empty())
        }
        PropertyKind::Reach(formula) => eval::truth(model, *formula, state) == Ok(true),
        kind => panic!("{kind:?}"),
    };
    match model.properties[property].kind.is_reach() {
        true => reachable.iter().any(is_fine),
        false => reachable.iter().all(is_fine),
    }
}

pub fn load(text: &str) -> Loaded {
    let request = LoadRequest { path: "bodies.lir".to_owned(), ..LoadRequest::default() };
    let mut loaded = open_text(&request, text.as_bytes().to_vec()).unwrap_or_else(|error| panic!("{}", error.render()));
    loaded.asked = loaded.declared().properties.ids().collect();
    loaded
}

/// How many properties each engine decided on models of which all the seeds are tried.
fn decided(seeds: std::ops::Range<u64>, engines: &[EngineChoice]) -> Vec<usize> {
    decided_on(seeds, |seed| print::model(&bodies::model(seed, shape(seed))), engines)
}

/// The same of other models.
pub fn decided_on(seeds: std::ops::Range<u64>, text: impl Fn(u64) -> String, engines: &[EngineChoice]) -> Vec<usize> {
    let mut n_decided = vec![0; engines.len()];
    for seed in seeds::of(seeds) {
        let text = text(seed);
        let loaded = load(&text);
        let model = loaded.subject.made_model().expect("a model");
        let reachable = reachable(model);
        let expected: BTreeMap<PropertyId, bool> =
            model.properties.ids().map(|id| (id, holds(model, id, &reachable))).collect();
        for (&engine, n_decided) in engines.iter().zip(&mut n_decided) {
            let solver = SolverOptions { bound: Some(4), ..SolverOptions::default() };
            let request = CheckRequest { engine, solver, ..CheckRequest::default() };
            let control = Control::new().with_timeout(Some(Duration::from_secs(5)));
            let report = check(&loaded, &request, &control);
            assert_eq!(report.internal_errors, Vec::<String>::new(), "seed {seed}, {engine:?}\n{text}");
            for found in &report.properties {
                let wrong = match found.verdict {
                    Verdict::Unknown => continue,
                    Verdict::Holds => Verdict::Violated,
                    Verdict::Violated => Verdict::Holds,
                };
                let right = if expected[&found.property] { Verdict::Holds } else { Verdict::Violated };
                let name = &model.properties[found.property].name;
                assert_ne!(right, wrong, "seed {seed}, {engine:?}, {name}: {:?}\n{text}", found.evidence);
                *n_decided += 1;
            }
        }
    }
    n_decided
}

#[test]
fn listed_states_and_diagrams_answer_as_trying_everything_does() {
    let found = decided(0..400, &[EngineChoice::Named(&EXPLICIT), EngineChoice::Named(&BDD)]);
    assert!(found.iter().all(|&n| n > seeds::least(100)), "{found:?}");
}

#[test]
fn refinement_answers_as_trying_everything_does() {
    let found = decided(1_000..1_160, &[EngineChoice::Named(&CEGAR), EngineChoice::Named(&PCEGAR)]);
    assert!(found.iter().all(|&n| n > seeds::least(20)), "{found:?}");
}

#[cfg(feature = "z3")]
#[test]
fn solvers_answer_as_trying_everything_does() {
    let found = decided(
        2_000..if seeds::are_all() { 2_160 } else { 2_048 },
        &[EngineChoice::Named(&BMC), EngineChoice::Named(&KINDUCTION), EngineChoice::Named(&MATCHING)],
    );
    assert!(found.iter().all(|&n| n > seeds::least(10)), "{found:?}");
}
