//! The same answers with Z3 in this process, `z3` and `cvc5`; certificates are checked with the solver that helped to find
//! them.

use std::fs;
use std::path::Path;

use lapidary_engines::Engine;
use lapidary_engines::induction::{BmcEngine, InductionEngine};
use lapidary_engines::matching::MatchingEngine;
use lapidary_reference::ast::Model;
use lapidary_reference::random::Shape;
use lapidary_reference::seeds;
use lapidary_smt::{Backend, Limits};

use crate::solver_support::{Case, Found, induction, load, matching};

lapidary_reference::with_z3!(z3_agrees_on_the_examples, z3_agrees_on_small_random_models);
lapidary_reference::with_cvc5!(cvc5_agrees_on_the_examples, cvc5_agrees_on_small_random_models);

fn z3_agrees_on_the_examples() {
    agrees_on_the_examples("z3");
}

fn z3_agrees_on_small_random_models() {
    agrees_on_small_random_models("z3");
}

fn cvc5_agrees_on_the_examples() {
    agrees_on_the_examples("cvc5");
}

fn cvc5_agrees_on_small_random_models() {
    agrees_on_small_random_models("cvc5");
}

fn example(name: &str, defines: &[(&str, &str)]) -> Case {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name);
    load(name, &fs::read_to_string(path).expect("an example"), defines)
}

fn program(name: &str) -> Backend {
    Backend::parse(name).unwrap_or_else(|why| panic!("this test is about the program {name}: {why}"))
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
fn compare(name: &str, case: &Case) {
    let usual = Backend::default();
    let expected = ask(case, &usual, engines(&usual));
    let backend = program(name);
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

/// Some of them, as the seeds say: processes are slow.
fn agrees_on_the_examples(name: &str) {
    let ticket = "ticket_unbounded.gcl";
    let examples: [(&str, &[(&str, &str)]); 6] = [
        (ticket, &[("N", "2")]),
        (ticket, &[("N", "2"), ("STEP", "2")]),
        ("thermostat.gcl", &[]),
        ("thermostat.gcl", &[("HIGH", "17")]),
        ("rax.gcl", &[]),
        ("bakery_unbounded.gcl", &[]),
    ];
    for number in seeds::of(0..examples.len() as u64) {
        let (file, defines) = examples[number as usize];
        compare(name, &example(file, defines));
    }
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
fn agrees_on_small_random_models(name: &str) {
    let (usual, backend) = (briefly(&Backend::default()), briefly(&program(name)));
    let (mut n_decided, mut n_compared) = (0, 0);
    for seed in seeds::of(0..40) {
        let text = Model::random(seed, &Shape::unbounded()).to_gcl(seed);
        let case = load(&format!("random{seed}.gcl"), &text, &[]);
        let expected = ask(&case, &usual, crate::solver_support::engines(&usual)).concat();
        let found = ask(&case, &backend, crate::solver_support::engines(&backend)).concat();
        for (expected, found) in expected.iter().zip(found) {
            n_compared += 1;
            if let (Some(a), Some(b)) = (expected.verdict(), found.verdict()) {
                assert_eq!(a, b, "seed {seed}, {name}: {expected:?}, {found:?}\n{text}");
                n_decided += 1;
            }
        }
    }
    assert!(n_decided * 4 > n_compared, "{n_decided} of {n_compared}");
}
