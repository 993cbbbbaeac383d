//! Random small models: engine, checker, textual form and brute force must agree.

use std::collections::BTreeSet;

use lapidary_base::Control;
use lapidary_driver::cover::{Analysis, Certification, Heuristics, Pick, Refinement, SearchAlgorithm};
use lapidary_driver::{
    CheckRequest, CoverOptions, EngineChoice, LoadRequest, Loaded, SearchDirection, SearchOrder, check, open_text,
};
use lapidary_engines::cover::{CEGAR, PCEGAR};
use lapidary_engines::reach::EXPLICIT;
use lapidary_engines::reach::{Config, ExplicitEngine, Order};
use lapidary_engines::symbolic::BDD;
use lapidary_engines::{Answer, Engine, Outcome, Target, Task, goals};
use lapidary_ir::{Domain, VarId, parse, print};
use lapidary_reference::ast::Model;
use lapidary_reference::brute::{self, Exploration};
use lapidary_reference::random::Shape;
use lapidary_reference::seeds;
use lapidary_text::Sources;
use lapidary_verdict::{Certificate, Enumeration, Evidence, Verdict};

const N_MODELS: u64 = 2_000;
const N_PARTS: u64 = 4;

fn load(name: &str, text: &str) -> Loaded {
    let request = LoadRequest { path: name.to_owned(), ..LoadRequest::default() };
    match open_text(&request, text.as_bytes().to_vec()) {
        Ok(mut loaded) => {
            loaded.asked = loaded.declared().properties.ids().collect();
            loaded
        }
        Err(error) => panic!("{name} does not load: {}\n{text}", error.render()),
    }
}

/// Engine, order and direction of every way in which a model is checked.
const WAYS: [(EngineChoice, SearchOrder, SearchDirection); 4] = [
    (EngineChoice::Named(&EXPLICIT), SearchOrder::BreadthFirst, SearchDirection::Forward),
    (EngineChoice::Named(&EXPLICIT), SearchOrder::DepthFirst, SearchDirection::Forward),
    (EngineChoice::Named(&BDD), SearchOrder::BreadthFirst, SearchDirection::Forward),
    (EngineChoice::Named(&BDD), SearchOrder::BreadthFirst, SearchDirection::Backward),
];

fn compare_verdicts(seed: u64, text: &str, loaded: &Loaded, expected: &Exploration, request: &CheckRequest) {
    let report = check(loaded, request, &Control::new());
    assert_eq!(report.internal_errors, Vec::<String>::new(), "seed {seed}\n{text}");
    assert_eq!(report.properties.len(), expected.outcomes.len(), "seed {seed}");
    for found in &report.properties {
        let name = &loaded.declared().properties[found.property].name;
        // The text declares properties in another order than the tree.
        let expected = expected.outcomes.iter().find(|outcome| &outcome.name == name).expect("same properties");
        let verdict = match expected.verdict {
            brute::Verdict::Holds => Verdict::Holds,
            brute::Verdict::Violated => Verdict::Violated,
        };
        assert_eq!(found.verdict, verdict, "seed {seed}, {request:?}, property {name}, {:?}\n{text}", found.evidence);
        let steps = match &found.evidence {
            Evidence::Trace(trace) => Some(trace.n_steps()),
            Evidence::Certificate(..) | Evidence::Nothing(_) => None,
        };
        match request.order {
            // Runs of abstract counterexamples need not be shortest.
            _ if is_refining(request.engine) => {
                assert_eq!(steps.is_some(), expected.run.is_some(), "seed {seed}, {name}")
            }
            SearchOrder::BreadthFirst => assert_eq!(steps, expected.run, "seed {seed}, property {name}\n{text}"),
            SearchOrder::DepthFirst => assert_eq!(steps.is_some(), expected.run.is_some(), "seed {seed}, {name}"),
            SearchOrder::Random(_) => unreachable!("the explicit engine has no such order"),
        }
    }
}

fn is_refining(engine: EngineChoice) -> bool {
    engine == EngineChoice::Named(&CEGAR) || engine == EngineChoice::Named(&PCEGAR)
}

/// Every seed has heuristics of its own.
fn refining(engine: EngineChoice, seed: u64) -> CheckRequest {
    let pick = |bit: u64| seed >> bit & 1 == 1;
    let heuristics = Heuristics {
        certification: Certification { closure: pick(4), initial: !pick(7), ..Certification::USUAL },
        search: if pick(2) && pick(3) { SearchAlgorithm::Dfs } else { SearchAlgorithm::Bfs },
        analysis: if pick(1) { Analysis::Backward } else { Analysis::Forward },
        refinement: if pick(5) { Refinement::Sigma } else { Refinement::Direct },
        pick: if pick(6) && pick(3) { Pick::Factor } else { Pick::Kernel },
    };
    let cover = CoverOptions {
        heuristics,
        guards: seed.is_multiple_of(5),
        is_cover: seed.is_multiple_of(7),
        ..CoverOptions::default()
    };
    CheckRequest { engine, cover, ..CheckRequest::default() }
}

/// Explores everything: no state satisfies `false`.
fn enumerate(loaded: &Loaded, order: Order) -> Answer {
    let targets = [Target::States(loaded.declared().exprs.bool(false))];
    let task = Task { subject: &loaded.subject, goals: &goals(&targets), sources: &loaded.sources };
    let engine = ExplicitEngine { config: Config { order, ..Config::default() } };
    engine.run(&task, &Control::new()).pop().expect("one target, one answer")
}

fn decode(loaded: &Loaded, set: &Enumeration, names: &[String]) -> BTreeSet<Vec<String>> {
    let model = loaded.declared();
    let var = |name: &String| model.vars.ids().find(|&id| &model.vars[id].name == name).expect("same names");
    let order: Vec<VarId> = names.iter().map(var).collect();
    assert_eq!(order.len(), model.vars.len(), "same variables");
    let show = |words: &[u64], id: VarId| {
        let field = set.layout.fields[id];
        let mask = if field.bits == 64 { u64::MAX } else { (1 << field.bits) - 1 };
        let raw = (words[field.word as usize] >> field.shift) & mask;
        model.show(model.vars[id].domain, (raw as i64).wrapping_add(field.lo))
    };
    let states = set.chunks.iter().flat_map(|chunk| chunk.chunks_exact(set.layout.words));
    states.map(|words| order.iter().map(|&id| show(words, id)).collect()).collect()
}

fn compare_states(seed: u64, text: &str, loaded: &Loaded, expected: &Exploration) {
    for order in [Order::BreadthFirst, Order::DepthFirst] {
        let answer = enumerate(loaded, order);
        let Outcome::Excluded(Certificate::Enumeration(set)) = &answer.outcome else {
            panic!("seed {seed}: {:?}", answer.outcome)
        };
        assert_eq!(answer.stats.count("states"), Some(expected.n_states as u64), "seed {seed}\n{text}");
        assert_eq!(answer.stats.count("transitions"), Some(expected.n_transitions as u64), "seed {seed}\n{text}");
        if order == Order::BreadthFirst {
            assert_eq!(answer.stats.count("depth"), Some(expected.depth as u64), "seed {seed}\n{text}");
        }
        assert_eq!(decode(loaded, set, &expected.names), expected.states, "seed {seed}\n{text}");
    }
}

fn compare_round_trip(seed: u64, loaded: &Loaded) {
    let printed = print::model(loaded.subject.made_model().expect("a model"));
    let mut sources = Sources::default();
    let source = sources.add("random.lir", printed.as_str());
    let (again, diagnostics) = parse::parse(&sources, source);
    let again = again.unwrap_or_else(|| panic!("seed {seed}: {diagnostics:?}\n{printed}"));
    assert_eq!(print::model(&again), printed, "seed {seed}");
}

fn part(number: u64) {
    for seed in seeds::of(0..N_MODELS).into_iter().filter(|seed| seed % N_PARTS == number) {
        let model = Model::random(seed, &Shape::default());
        let text = model.to_gcl(seed);
        let expected = brute::explore(&model, 100_000).expect("random models are small");
        let loaded = load(&format!("random{seed}.gcl"), &text);
        lapidary_ir::validate::validate(loaded.subject.made_model().expect("a model"))
            .unwrap_or_else(|errors| panic!("seed {seed}: {errors:?}"));
        let is_finite = loaded.declared().vars.iter().all(|var| var.domain != Domain::Int);
        for (engine, order, direction) in WAYS {
            if engine == EngineChoice::Named(&EXPLICIT) || is_finite {
                let request = CheckRequest { engine, order, direction, jobs: 1, ..CheckRequest::default() };
                compare_verdicts(seed, &text, &loaded, &expected, &request);
            }
        }
        for engine in [EngineChoice::Named(&CEGAR), EngineChoice::Named(&PCEGAR)].into_iter().filter(|_| is_finite) {
            compare_verdicts(seed, &text, &loaded, &expected, &refining(engine, seed));
        }
        compare_states(seed, &text, &loaded, &expected);
        compare_round_trip(seed, &loaded);
    }
}

#[test]
fn engine_checker_and_brute_force_agree_on_the_first_quarter() {
    part(0);
}

#[test]
fn engine_checker_and_brute_force_agree_on_the_second_quarter() {
    part(1);
}

#[test]
fn engine_checker_and_brute_force_agree_on_the_third_quarter() {
    part(2);
}

#[test]
fn engine_checker_and_brute_force_agree_on_the_last_quarter() {
    part(3);
}

#[test]
fn half_of_the_models_and_more_are_finite_so_that_all_engines_take_them() {
    let is_finite = |seed: &u64| {
        let text = Model::random(*seed, &Shape::default()).to_gcl(*seed);
        let loaded = load(&format!("random{seed}.gcl"), &text);
        loaded.declared().vars.iter().all(|var| var.domain != Domain::Int)
    };
    let tried = seeds::of(0..N_MODELS);
    let n_finite = tried.iter().filter(|seed| is_finite(seed)).count();
    assert!(2 * n_finite >= tried.len(), "{n_finite} of {}", tried.len());
}
