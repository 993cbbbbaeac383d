//! Random models are varied enough to be worth checking engines with.

use std::collections::BTreeSet;

use lapidary_reference::ast::{Claim, Model, Source, Type, Variable};
use lapidary_reference::brute::{self, Exploration, Fault, NO_ERRORS, Outcome, Verdict};
use lapidary_reference::random::Shape;

const SEEDS: std::ops::Range<u64> = 0..2000;

fn explorations(shape: &Shape) -> Vec<(Model, Exploration)> {
    let explore = |seed| {
        let model = Model::random(seed, shape);
        let exploration = brute::explore(&model, 20_000).unwrap_or_else(|| panic!("seed {seed} is too large"));
        (model, exploration)
    };
    SEEDS.map(explore).collect()
}

fn variables(model: &Model) -> impl Iterator<Item = &Variable> {
    model.variables.iter().chain(model.processes.iter().flat_map(|process| &process.variables))
}

fn shares_literals(model: &Model) -> bool {
    let all: Vec<&String> = model.enums.iter().flat_map(|enumeration| &enumeration.literals).collect();
    all.iter().collect::<BTreeSet<_>>().len() < all.len()
}

fn has_input(model: &Model) -> bool {
    let local = model.processes.iter().flat_map(|process| &process.commands);
    let mut updates = model.commands.iter().chain(local).flat_map(|command| &command.updates);
    updates.any(|update| update.source == Source::Input)
}

/// Whether some property or, for the implicit one, some step ran into an error.
fn errs(exploration: &Exploration, fault: Fault) -> bool {
    exploration.outcomes.iter().any(|outcome| outcome.faults.contains(&fault))
}

fn own(exploration: &Exploration) -> impl Iterator<Item = &Outcome> {
    exploration.outcomes.iter().filter(|outcome| outcome.name != NO_ERRORS)
}

fn no_errors(exploration: &Exploration) -> &Outcome {
    exploration.outcomes.last().expect("the implicit property is always there")
}

type Feature = (&'static str, usize, fn(&Model, &Exploration) -> bool);

/// What models must have, and how many in a thousand at least.
const FEATURES: [Feature; 28] = [
    ("more than 10 states", 400, |_, seen| seen.n_states > 10),
    ("more than 100 states", 90, |_, seen| seen.n_states > 100),
    ("more than 1000 states", 8, |_, seen| seen.n_states > 1000),
    ("depth above 3", 250, |_, seen| seen.depth > 3),
    ("depth above 8", 40, |_, seen| seen.depth > 8),
    ("several initial states", 250, |_, seen| seen.n_initial > 1),
    ("no initial state", 20, |_, seen| seen.n_initial == 0),
    ("init conditions", 150, |model, _| !model.inits.is_empty()),
    ("inputs", 200, |model, _| has_input(model)),
    ("processes", 500, |model, _| !model.processes.is_empty()),
    ("enumerations", 400, |model, _| !model.enums.is_empty()),
    ("shared literals", 100, |model, _| shares_literals(model)),
    ("arrays of two dimensions", 100, |model, _| variables(model).any(|variable| variable.dims.len() == 2)),
    ("unbounded numbers", 150, |model, _| variables(model).any(|variable| variable.ty == Type::Int)),
    ("reachable deadlock", 30, |model, seen| {
        let claims = model.properties.iter().map(|property| &property.claim).zip(own(seen));
        claims.into_iter().any(|(claim, seen)| *claim == Claim::DeadlockFree && seen.verdict == Verdict::Violated)
    }),
    ("violated no_errors", 200, |_, seen| no_errors(seen).verdict == Verdict::Violated),
    ("violated no_errors after a step", 30, |_, seen| no_errors(seen).run.is_some_and(|run| run > 0)),
    ("value out of range", 100, |_, seen| errs(seen, Fault::Range)),
    ("index out of bounds", 60, |_, seen| errs(seen, Fault::Index)),
    ("division by zero", 10, |_, seen| errs(seen, Fault::DivisionByZero)),
    ("two writes to one cell", 30, |_, seen| errs(seen, Fault::DoubleWrite)),
    ("property that errs", 20, |_, seen| own(seen).any(|outcome| !outcome.faults.is_empty())),
    ("violated property", 500, |_, seen| own(seen).any(|outcome| outcome.verdict == Verdict::Violated)),
    ("property violated without a run", 100, |_, seen| {
        own(seen).any(|outcome| outcome.verdict == Verdict::Violated && outcome.run.is_none())
    }),
    ("holding property", 500, |_, seen| own(seen).any(|outcome| outcome.verdict == Verdict::Holds)),
    ("holding invariant", 200, |_, seen| {
        own(seen).any(|outcome| outcome.verdict == Verdict::Holds && outcome.run.is_none())
    }),
    ("property decided after a step", 200, |_, seen| own(seen).any(|outcome| outcome.run.is_some_and(|run| run > 0))),
    ("property decided after 3 steps", 25, |_, seen| own(seen).any(|outcome| outcome.run.is_some_and(|run| run > 3))),
];

#[test]
#[expect(clippy::print_stdout, reason = "the distribution is for people who change the generator")]
fn random_models_have_all_features_often_enough() {
    let all = explorations(&Shape::default());
    let mut missing = Vec::new();
    for (name, least, has) in FEATURES {
        let n = all.iter().filter(|(model, exploration)| has(model, exploration)).count();
        let share = n * 1000 / all.len();
        println!("{share:4} of 1000, at least {least:3}: {name}");
        if share < least {
            missing.push(name);
        }
    }
    let n_states: usize = all.iter().map(|(_, exploration)| exploration.n_states).sum();
    let most = all.iter().map(|(_, exploration)| exploration.n_states).max();
    println!("{n_states} states in all, at most {most:?}");
    assert!(missing.is_empty(), "too rare: {missing:?}");
    assert!(most <= Some(Shape::default().max_states));
}

#[test]
fn models_without_risk_never_err() {
    for (model, exploration) in explorations(&Shape { risky: 0, ..Shape::default() }) {
        assert!(exploration.outcomes.iter().all(|outcome| outcome.faults.is_empty()), "{}", model.to_gcl(0));
    }
}

#[test]
fn equal_seeds_give_equal_models_and_texts() {
    for seed in 0..50 {
        let (once, again) = (Model::random(seed, &Shape::default()), Model::random(seed, &Shape::default()));
        assert_eq!(once, again);
        assert_eq!(once.to_gcl(seed), again.to_gcl(seed));
        assert_ne!(once.to_gcl(0), once.to_gcl(1));
    }
}
