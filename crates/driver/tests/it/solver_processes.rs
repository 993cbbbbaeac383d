//! The same answers with Z3 in this process, `z3` and `cvc5`; certificates are checked with the solver that helped to find
//! them. A solver that is not installed is left out.

use std::fs;
use std::path::Path;

use lapidary_engines::Engine;
use lapidary_engines::induction::{BmcEngine, InductionEngine};
use lapidary_engines::matching::MatchingEngine;
use lapidary_reference::ast::Model;
use lapidary_reference::random::Shape;
use lapidary_smt::{Backend, Limits};

use crate::solver_support::{Case, Found, induction, load, matching};

fn example(name: &str, defines: &[(&str, &str)]) -> Case {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name);
    load(name, &fs::read_to_string(path).expect("an example"), defines)
}

/// A program, if it is there.
fn installed(name: &str) -> Option<Backend> {
    let backend = Backend::parse(name).ok()?;
    // A name on the path may be a wrapper without anything behind it.
    let answers = std::process::Command::new(name).arg("--version").output();
    answers.is_ok_and(|output| output.status.success()).then_some(backend)
}

fn programs() -> Vec<(&'static str, Backend)> {
    ["z3", "cvc5"].into_iter().filter_map(|name| Some((name, installed(name)?))).collect()
}

fn engines(backend: &Backend) -> Vec<Box<dyn Engine>> {
    let matching = lapidary_engines::matching::Config { most_work: Some(5_000), ..matching(backend) };
    vec![
        Box::new(MatchingEngine { config: matching }),
        Box::new(BmcEngine { config: induction(backend, 6) }),
        Box::new(InductionEngine { config: induction(backend, 3) }),
    ]
}

/// What every engine says about every target.
fn ask(case: &Case, backend: &Backend, engines: impl IntoIterator<Item = Box<dyn Engine>>) -> Vec<Vec<Found>> {
    let ask = |engine: Box<dyn Engine>| {
        let checked = case.check(&case.run(&*engine), backend);
        checked.unwrap_or_else(|why| panic!("{}, {}: {why}", case.loaded.path, engine.name()))
    };
    engines.into_iter().map(ask).collect()
}

/// Equal verdicts, also as to which are open; runs of one engine are as long as those of another solver.
fn compare(case: &Case) {
    let usual = Backend::default();
    let expected = ask(case, &usual, engines(&usual));
    for (name, backend) in programs() {
        let found = ask(case, &backend, engines(&backend));
        for (engine, (expected, found)) in expected.iter().zip(&found).enumerate() {
            for (target, (expected, found)) in expected.iter().zip(found).enumerate() {
                let about = format!("{}, {}, {name}, engine {engine}", case.loaded.path, case.name(target));
                match (expected, found) {
                    (Found::Unknown(_), Found::Unknown(_)) => {}
                    // Which states `matching` takes for others depends on the values that the solver chooses.
                    (Found::Reached(_), Found::Reached(_)) if engine == 0 => {}
                    _ => assert_eq!(expected, found, "{about}"),
                }
            }
        }
    }
}

#[test]
fn the_unbounded_ticket_lock() {
    compare(&example("ticket_unbounded.gcl", &[("N", "2")]));
    compare(&example("ticket_unbounded.gcl", &[("N", "2"), ("STEP", "2")]));
}

#[test]
fn the_thermostat() {
    compare(&example("thermostat.gcl", &[]));
    compare(&example("thermostat.gcl", &[("HIGH", "17")]));
}

#[test]
fn the_remote_agent() {
    compare(&example("rax.gcl", &[]));
}

#[test]
fn the_unbounded_bakery() {
    compare(&example("bakery_unbounded.gcl", &[]));
}

/// Little for each question: products of variables can take for ever.
fn briefly(backend: &Backend) -> Backend {
    let limits = Limits { work: 20_000, millis: 2_000, ..Limits::default() };
    match backend {
        Backend::InProcess(_) => Backend::InProcess(limits),
        Backend::Process(command, _) => Backend::Process(command.clone(), limits),
        Backend::Nothing => Backend::Nothing,
    }
}

/// No contradictions; what one solver leaves open another may decide.
#[test]
fn small_random_models() {
    let usual = briefly(&Backend::default());
    let (mut n_decided, mut n_compared) = (0, 0);
    for seed in 0..20 {
        let text = Model::random(seed, &Shape::unbounded()).to_gcl(seed);
        let case = load(&format!("random{seed}.gcl"), &text, &[]);
        let expected = ask(&case, &usual, crate::solver_support::engines(&usual)).concat();
        for (name, backend) in programs() {
            let backend = briefly(&backend);
            let found = ask(&case, &backend, crate::solver_support::engines(&backend)).concat();
            for (expected, found) in expected.iter().zip(found) {
                n_compared += 1;
                if let (Some(a), Some(b)) = (expected.verdict(), found.verdict()) {
                    assert_eq!(a, b, "seed {seed}, {name}: {expected:?}, {found:?}\n{text}");
                    n_decided += 1;
                }
            }
        }
    }
    assert!(n_compared == 0 || n_decided * 4 > n_compared, "{n_decided} of {n_compared}");
}
