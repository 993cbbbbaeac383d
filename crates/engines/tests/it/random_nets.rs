//! Random nets: every engine for coverability against trying everything, against the others, and before the checker.

use lapidary_base::Control;
use lapidary_checker::{Backend, Claim, Means, certify_model_claims, certify_net, replay_net};
use lapidary_engines::backward::{self, BackwardEngine, Pruning};
use lapidary_engines::forward::{self, ForwardEngine};
use lapidary_engines::lazy::{self, LazyEngine};
use lapidary_engines::{Engine, Outcome, Target, Task, goals};
use lapidary_ir::{CountedNet, Model, PropertyId, PropertyKind, Subject};
use lapidary_reference::nets::{Features, Problem, Search, random, search};
use lapidary_reference::seeds;
use lapidary_text::Sources;
use lapidary_verdict::{Certificate, Verdict};

/// Enough for the small nets of the generator.
const BOUND: u64 = 7;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Reached,
    Unreachable,
    Unknown,
}

struct Asked {
    problem: Problem,
    model: Model,
    property: PropertyId,
    target: Target,
}

impl Asked {
    fn new(seed: u64, features: &Features) -> Self {
        let problem = random(seed, features);
        let (model, property) = problem.model();
        let PropertyKind::Invariant(formula) = model.properties[property].kind else { panic!("an invariant") };
        let target = Target::States(model.exprs.not(formula));
        Self { problem, model, property, target }
    }

    fn ask(&self, engine: &dyn Engine, seed: u64) -> Answer {
        self.ask_for_steps(engine, seed).0
    }

    /// The engine's answer, and how many steps its run has; whatever it shows must be accepted by the checker.
    fn ask_for_steps(&self, engine: &dyn Engine, seed: u64) -> (Answer, Option<usize>) {
        let (targets, sources) = ([self.target], Sources::default());
        let net = &self.problem.net;
        let subject = Subject::Net(CountedNet { net: net.clone(), sums: Vec::new(), model: self.model.clone() });
        let task = Task { subject: &subject, goals: &goals(&targets), sources: &sources };
        engine.prepare(&task, &Control::new()).map(|_| ()).expect("nets with cubes as targets are taken");
        let control = Control::new();
        let answer = engine.run(&task, &control).pop().expect("one target, one answer");
        let context = || format!("seed {seed}, {}: {net:?}", engine.name());
        match answer.outcome {
            Outcome::Found(trace) => {
                let replayed = replay_net(net, &self.model, self.property, Verdict::Violated, &trace, &Control::new());
                assert_eq!(replayed, Ok(()), "{}", context());
                (Answer::Reached, Some(trace.n_steps()))
            }
            Outcome::Excluded(certificate) => {
                let claims = [Claim::Decides(self.property)];
                let checked = match &certificate {
                    Certificate::Basis(_) | Certificate::Ideals(_) => {
                        certify_net(net, &self.model, &claims, &certificate, &control)
                    }
                    _ => certify_model_claims(
                        &self.model,
                        &claims,
                        &certificate,
                        &Means::new(&Backend::default(), &control),
                    ),
                };
                assert!(checked.is_ok(), "{checked:?} {certificate:?} {}", context());
                (Answer::Unreachable, None)
            }
            Outcome::Unknown(_) => (Answer::Unknown, None),
        }
    }
}

fn backward(pruning: Pruning) -> BackwardEngine {
    let order = backward::Order::SmallestFirst;
    BackwardEngine { config: backward::Config { pruning, order, most_states: Some(20_000), ..Default::default() } }
}

fn engines() -> Vec<Box<dyn Engine>> {
    let levels =
        [Pruning::None, Pruning::Signs, Pruning::Invariants, Pruning::Equation, Pruning::Continuous].map(backward);
    let mut engines: Vec<Box<dyn Engine>> =
        levels.into_iter().map(|engine| Box::new(engine) as Box<dyn Engine>).collect();
    let most_states = Some(20_000);
    engines.push(Box::new(ForwardEngine { config: forward::Config { most_states, exchange: None } }));
    let order = lazy::Order::BreadthFirst;
    let config = lazy::Config { order, most_nodes: Some(3_000), ..Default::default() };
    engines.push(Box::new(LazyEngine { config }));
    engines
}

/// How many answers each engine gave, in the order of [`engines`].
fn compare(seeds: &[u64], features: &Features) -> Vec<usize> {
    let engines = engines();
    let mut answered = vec![0; engines.len()];
    for &seed in seeds {
        let asked = Asked::new(seed, features);
        let brute = match search(&asked.problem.net, &asked.problem.target, BOUND) {
            Search::Reached { .. } => Some(Answer::Reached),
            Search::NotWithin { bound_was_hit: false } => Some(Answer::Unreachable),
            Search::NotWithin { bound_was_hit: true } => None,
        };
        let mut known = brute;
        for (engine, answered) in engines.iter().zip(&mut answered) {
            let answer = asked.ask(&**engine, seed);
            if answer == Answer::Unknown {
                continue;
            }
            *answered += 1;
            let expected = *known.get_or_insert(answer);
            assert_eq!(answer, expected, "seed {seed}, {}: {:?}", engine.name(), asked.problem.net);
        }
    }
    answered
}

#[test]
fn engines_agree_on_petri_nets_and_forward_is_complete() {
    let tried = seeds::of(0..250);
    let answered = compare(&tried, &Features::PLAIN);
    assert_eq!(answered[..6], [tried.len(); 6], "backward at every level, and forward");
    assert!(answered[6] * 10 >= tried.len() * 9, "lazy answers {} of {}", answered[6], tried.len());
}

#[test]
fn engines_agree_on_nets_with_transfers_resets_and_copies() {
    let tried = seeds::of(250..600);
    let answered = compare(&tried, &Features::FLOWS);
    assert_eq!(answered[..5], [tried.len(); 5], "backward at every level");
    assert!(answered[6] * 10 >= tried.len() * 9, "lazy answers {} of {}", answered[6], tried.len());
}

#[test]
fn engines_agree_on_nets_where_tokens_choose_and_initial_markings_are_open() {
    let tried = seeds::of(600..1000);
    let answered = compare(&tried, &Features::MONOTONE);
    assert_eq!(answered[..5], [tried.len(); 5], "backward at every level");
    assert!(answered[6] * 10 >= tried.len() * 8, "lazy answers {} of {}", answered[6], tried.len());
}

/// A marking that is above another one, but nearer to the target, has to be expanded all the same.
#[test]
fn breadth_first_runs_are_shortest() {
    let mut n_compared = 0;
    for seed in seeds::of(2000..3000) {
        let asked = Asked::new(seed, &Features { unbounded: 0, ..Features::MONOTONE });
        let Search::Reached { depth } = search(&asked.problem.net, &asked.problem.target, 12) else { continue };
        // Longer runs may have been cut off by the bound; then a shorter one may be unknown to the search.
        for pruning in [Pruning::None, Pruning::Signs, Pruning::Equation] {
            let order = backward::Order::BreadthFirst;
            let config = backward::Config { pruning, order, most_states: Some(20_000), ..Default::default() };
            let (_, steps) = asked.ask_for_steps(&BackwardEngine { config }, seed);
            let steps = steps.expect("what is reached is found");
            assert!(
                steps <= depth,
                "seed {seed}, {pruning:?}: {steps} steps instead of {depth}: {:?}",
                asked.problem.net
            );
            n_compared += 1;
        }
    }
    assert!(n_compared > seeds::least(600), "{n_compared}");
}

/// No engine is complete here, but none may be wrong.
#[test]
fn nobody_is_wrong_about_nets_with_zero_tests() {
    let answered = compare(&seeds::of(1000..1250), &Features::ALL);
    assert!(answered.iter().all(|&answers| answers > seeds::least(100)), "{answered:?}");
}
