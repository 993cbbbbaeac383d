//! Engine `hierarchical` gives the answers of the other engines, and evidence that lists confirm.

use crate::hierarchical_support::{Case, Expected, engine, others, verdict};
use crate::meanings::listed;
use lapidary_base::Control;
use lapidary_engines::hierarchy::{Analysis, Components, Refinement};
use lapidary_engines::{Engine, Outcome, Target, reach};
use lapidary_reference::altarica::{Arithmetic, Hierarchy, Named, Shape, Sort, condition, local_hierarchy};
use lapidary_reference::seeds;
use lapidary_verdict::Certificate;

const N_HIERARCHIES: u64 = 400;
const N_CONDITIONS: u64 = 3;

fn random(seed: u64) -> Case {
    let arithmetic = if seed.is_multiple_of(2) { Arithmetic::Total } else { Arithmetic::Partial };
    let Hierarchy { text, root } = local_hierarchy(seed, &Shape { n_nodes: 4, max_valuations: 250, arithmetic });
    Case::new(&text, &root)
}

/// The variables as seen from the root.
fn vars(case: &Case) -> Vec<Named> {
    let named = |var: &lapidary_ir::Var| {
        let sort = match var.domain {
            lapidary_ir::Domain::Bits(_) | lapidary_ir::Domain::Array(_) => unreachable!("AltaRica has neither"),
            lapidary_ir::Domain::Bool => Sort::Bool,
            lapidary_ir::Domain::Range { hi, .. } => Sort::Int(i128::from(hi)),
            lapidary_ir::Domain::Enum(_) => Sort::Colour,
            lapidary_ir::Domain::Int => panic!("domains are finite"),
        };
        Named { path: var.name.clone(), sort }
    };
    case.tree.vars.iter().map(named).collect()
}

/// Random conditions, and deadlocks.
fn targets(case: &Case, seed: u64) -> Vec<Target> {
    let vars = vars(case);
    let text = |number| condition(seed * N_CONDITIONS + number, &vars, Arithmetic::Total);
    let mut targets: Vec<Target> = (0..N_CONDITIONS).map(|number| case.target(&text(number))).collect();
    targets.push(Target::Deadlocks);
    targets
}

/// What was compared: hierarchies, targets that are reached, targets that are not.
#[derive(Default)]
struct Compared {
    hierarchies: usize,
    with_priorities: usize,
    with_subtrees: usize,
    reached: usize,
    missed: usize,
}

fn part(number: u64, n_parts: u64) -> Compared {
    let mut compared = Compared::default();
    for seed in seeds::of(0..N_HIERARCHIES).into_iter().filter(|seed| seed % n_parts == number) {
        let case = random(seed);
        let targets = targets(&case, seed);
        let (analysis, refinement) = match seed / n_parts % 4 {
            0 => (Analysis::Forward, Refinement::Direct),
            1 => (Analysis::Forward, Refinement::Sigma),
            2 => (Analysis::Backward, Refinement::Direct),
            _ => (Analysis::Backward, Refinement::Sigma),
        };
        let hierarchical = engine(analysis, refinement);
        if case.with_task(&targets, |task| hierarchical.prepare(task, &Control::new()).map(|_| ())).is_err() {
            continue;
        }
        let ours = case.with_task(&targets, |task| hierarchical.run(task, &Control::new()));
        let mut theirs = Vec::new();
        for engine in others(analysis, refinement) {
            let answers = case.with_task(&targets, |task| engine.run(task, &Control::new()));
            theirs.push((engine.name(), answers));
        }
        let meaning = listed::composed(&case.tree);
        compared.hierarchies += 1;
        compared.with_priorities += usize::from(case.tree.components.iter().any(|node| !node.priorities.is_empty()));
        let parts = Components::of(&case.tree).parts;
        compared.with_subtrees += usize::from(parts.iter().any(|part| part.is_subtree));
        for (place, answer) in ours.iter().enumerate() {
            let what = format!("seed {seed}, target {place}\n{}", case.text);
            for (name, answers) in &theirs {
                assert_eq!(verdict(answer), verdict(&answers[place]), "{name}, {what}");
            }
            match &answer.outcome {
                Outcome::Found(trace) => {
                    compared.reached += 1;
                    case.replay(trace, targets[place], &what);
                }
                Outcome::Excluded(Certificate::Components(evidence)) => {
                    compared.missed += 1;
                    case.confirm(evidence, &meaning.configurations, &what);
                    case.certify(evidence, targets[place], &what);
                }
                other => panic!("{what}: {other:?}"),
            }
        }
    }
    compared
}

#[test]
fn random_hierarchies_have_the_same_answers() {
    let parts = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..2).map(|number| scope.spawn(move || part(number, 2))).collect();
        threads.into_iter().map(|thread| thread.join().expect("the part ends")).collect::<Vec<Compared>>()
    });
    let sum = |of: fn(&Compared) -> usize| parts.iter().map(of).sum::<usize>();
    assert!(sum(|part| part.hierarchies) >= seeds::least(300), "hierarchies: {}", sum(|part| part.hierarchies));
    assert!(
        sum(|part| part.with_priorities) >= seeds::least(150),
        "with priorities: {}",
        sum(|part| part.with_priorities)
    );
    assert!(
        sum(|part| part.with_subtrees) >= seeds::least(20),
        "with merged subtrees: {}",
        sum(|part| part.with_subtrees)
    );
    assert!(sum(|part| part.reached) >= seeds::least(300), "reached: {}", sum(|part| part.reached));
    assert!(sum(|part| part.missed) >= seeds::least(150), "missed: {}", sum(|part| part.missed));
}

/// Every node of the corpus, asked for every value of every variable.
#[test]
fn the_hierarchies_of_the_corpus_have_the_same_answers() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/altarica");
    let entries = std::fs::read_dir(folder).expect("the corpus is there").map(|entry| entry.expect("readable").path());
    let mut paths: Vec<_> = entries.filter(|path| path.extension().is_some_and(|suffix| suffix == "alt")).collect();
    paths.sort();
    let (mut n_hierarchies, mut n_answers) = (0, [0, 0]);
    for path in paths {
        let text = std::fs::read_to_string(&path).expect("readable");
        for root in Case::roots(&text) {
            let case = Case::new(&text, &root);
            let mut targets = vec![Target::Deadlocks];
            for (id, var) in case.tree.vars.enumerated() {
                let (lo, hi) = case.tree.bounds(id);
                targets.extend((lo..=hi).map(|value| Target::States(case.has_value(id, var.domain, value))));
            }
            let hierarchical = engine(Analysis::Forward, Refinement::Direct);
            if case.with_task(&targets, |task| hierarchical.prepare(task, &Control::new()).map(|_| ())).is_err() {
                continue;
            }
            n_hierarchies += usize::from(case.tree.components.len() > 1);
            let explicit = reach::ExplicitEngine { config: reach::Config::default() };
            let engines: [&dyn Engine; 2] = [&hierarchical, &explicit];
            let [ours, listed] =
                engines.map(|engine| case.with_task(&targets, |task| engine.run(task, &Control::new())));
            for (place, answer) in ours.iter().enumerate() {
                let what = format!("{} {root}, target {place}", path.display());
                let found = verdict(answer).unwrap_or_else(|| panic!("{what}: {:?}", answer.outcome));
                assert_eq!(Some(found), verdict(&listed[place]), "{what}");
                n_answers[usize::from(found)] += 1;
            }
        }
    }
    assert!(n_hierarchies >= 8 && n_answers[0] >= 5 && n_answers[1] >= 50, "{n_hierarchies} {n_answers:?}");
}

const STACK: &str = include_str!("hierarchical_support/stack.alt");

#[test]
fn the_stack_is_filled_in_order() {
    // What lies above an empty place is what the thesis calls an error, and it reaches none.
    let case = Case::new(STACK, "Stack3");
    case.decides("Top.object = no or Stack.Top.object != no", Expected::Holds);
    case.decides("Stack.Top.object = no or Stack.Stack.object != no", Expected::Holds);
    case.decides("Top.object = no", Expected::Fails);
}

/// What defines a flow may be an expression that nobody wrote: the negation of what `not f` is said to be.
#[test]
fn flows_that_are_determined_by_their_negations_have_the_same_answers() {
    let text = "node N state x : [0,3]; flow f, g, h : bool; init x := 0; event e; trans x < 3 |- e -> x := x + 1;
          assert (not f) = (x = 2); not g = (x = 1 or x = 3); not h; edon
        node R sub a, b : N; edon";
    let fresh = || Case::new(text, "R");
    // Each engine has to meet the definitions first: later ones find them written down.
    fresh().ours("a.f", Expected::Fails);
    fresh().ours("a.g or a.x = 1 or a.x = 3", Expected::Holds);
    fresh().decides("a.f", Expected::Fails);
    fresh().decides("a.g or b.x < 2", Expected::Fails);
    fresh().decides("a.g or a.x = 1 or a.x = 3", Expected::Holds);
    fresh().decides("a.x < 3 or a.h", Expected::Fails);
    fresh().decides("not a.h", Expected::Holds);
}
