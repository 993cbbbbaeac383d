//! Random finite models: the engine decides all of them as listing their states does, with evidence that is checked.

use lapidary_base::Control;
use lapidary_checker::{Means, Rejection, certify_model, replay_model_run};
use lapidary_engines::matching::{Config, Inputs, MatchingEngine};
use lapidary_engines::reach::{self, ExplicitEngine};
use lapidary_engines::{Engine, Outcome, Target, Task, goals};
use lapidary_frontends::gcl;
use lapidary_ir::{Model, PropertyKind, Subject};
use lapidary_reference::ast;
use lapidary_reference::random::Shape;
use lapidary_reference::seeds;
use lapidary_smt::Backend;
use lapidary_text::Sources;

const N_MODELS: u64 = 300;
const N_PARTS: u64 = 3;

fn config(seed: u64) -> Config {
    let pick = |bit: u64| seed >> bit & 1 == 1;
    Config {
        is_local: pick(0),
        inputs: if pick(1) { Inputs::Enumerate } else { Inputs::Solver },
        is_plain: pick(2) && pick(3),
        concretise: Some(if pick(4) { 3 } else { 1 }),
        control: pick(5).then(Vec::new),
        most_iterations: Some(100),
        ..Config::default()
    }
}

fn target(model: &Model, kind: &PropertyKind) -> Option<Target> {
    match *kind {
        PropertyKind::Invariant(formula) => Some(Target::States(model.exprs.not(formula))),
        PropertyKind::Reach(formula) => Some(Target::States(formula)),
        PropertyKind::DeadlockFree => Some(Target::Deadlocks),
        _ => None,
    }
}

fn compare(seed: u64) {
    let shape = Shape { max_states: 200, depth: 2, risky: 0, ..Shape::default() };
    let text = ast::Model::random(seed, &shape).to_gcl(seed);
    let mut sources = Sources::default();
    let source = sources.add("random.gcl", text.as_str());
    let (model, diagnostics) = gcl::load(&sources, source, &gcl::Options::default());
    let model = model.unwrap_or_else(|| panic!("seed {seed}: {diagnostics:?}\n{text}"));
    for (id, property) in model.properties.enumerated() {
        let Some(target) = target(&model, &property.kind) else { continue };
        let targets = [target];
        let subject = Subject::Model(model.clone());
        let task = Task { subject: &subject, goals: &goals(&targets), sources: &sources };
        let listing = ExplicitEngine { config: reach::Config::default() };
        let engine = MatchingEngine { config: config(seed) };
        if engine.prepare(&task, &Control::new()).map(|_| ()).is_err() {
            continue;
        }
        let listed = listing.run(&task, &Control::new()).pop().expect("one answer");
        let answer = engine.run(&task, &Control::new()).pop().expect("one answer");
        let context = format!("seed {seed}, {}, {:?}\n{text}", property.name, engine.config);
        match (&listed.outcome, &answer.outcome) {
            (Outcome::Found(_), Outcome::Found(trace)) => {
                assert_eq!(replay_model_run(&model, trace), Ok(()), "{context}");
            }
            (Outcome::Excluded(_), Outcome::Excluded(certificate)) => {
                let (solver, control) = (Backend::default(), Control::new());
                let found = certify_model(&model, &[id], certificate, &Means::new(&solver, &control));
                // The checker's solver may give up where numbers are divided by variables.
                assert!(matches!(found, Ok(_) | Err(Rejection::Stopped(_))), "{found:?}, {context}");
                assert_eq!(answer.never_enabled, listed.never_enabled, "{context}");
            }
            (expected, found) => panic!("{expected:?} but {found:?}, {context}"),
        }
    }
}

/// One that takes longer than all others of a short run together.
const LONG: u64 = 14;

fn part(part: u64) {
    let seeds = seeds::of(0..N_MODELS).into_iter().filter(|seed| seed % N_PARTS == part);
    seeds.filter(|&seed| seed != LONG || seeds::are_all()).for_each(compare);
}

#[test]
fn random_models_of_the_first_part() {
    part(0);
}

#[test]
fn random_models_of_the_second_part() {
    part(1);
}

#[test]
fn random_models_of_the_third_part() {
    part(2);
}
