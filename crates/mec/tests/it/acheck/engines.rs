//! Both engines give the same answers, byte by byte, on random hierarchies and random specifications.

use std::sync::Arc;

use super::support::{Case, scripts};
use lapidary_base::{Control, Stop};
use lapidary_ir::tree::VarKind;
use lapidary_ir::{Tree, VarId};
use lapidary_mec::acheck::algebra::{Algebra, Operation};
use lapidary_mec::acheck::{EngineChoice, diagrams, explicit};
use lapidary_reference::altarica::{Arithmetic, Shape, hierarchy};
use lapidary_reference::seeds;

/// Every other one has expressions without a value.
fn model(seed: u64) -> (String, String) {
    let arithmetic = if seed.is_multiple_of(2) { Arithmetic::Total } else { Arithmetic::Partial };
    let made = hierarchy(seed, &Shape { n_nodes: 3, max_valuations: 200, arithmetic });
    (made.text, made.root)
}

fn tree(text: &str, root: &str) -> Tree {
    let case = Case::new(text, "");
    case.document.instantiate(&case.sources, root).0.expect("hierarchies are right")
}

/// All that a specification says, or why it says nothing.
fn answers(case: &Case, engine: EngineChoice) -> String {
    let (kept, result) = case.run(engine);
    let files: String = kept.files.iter().map(|(path, text)| format!("[{path}]\n{text}")).collect();
    let end = match result {
        Ok(summary) => format!("{summary:?}"),
        Err(failure) => case.failure(failure),
    };
    format!("{}{files}{end}", kept.text)
}

fn engines_agree(seeds: std::ops::Range<u64>) {
    let seeds = seeds::of(seeds);
    let n_seeds = seeds.len();
    let mut n_finished = 0;
    for seed in seeds {
        let (text, root) = model(seed);
        let script = scripts::script(&tree(&text, &root), seed);
        let case = Case::new(&text, &script);
        let [explicit, diagrams] =
            [EngineChoice::Explicit, EngineChoice::Diagrams].map(|engine| answers(&case, engine));
        n_finished += usize::from(explicit.contains("Summary"));
        assert!(explicit == diagrams, "seed {seed}\n{text}\n{script}\n{}", difference(&explicit, &diagrams));
    }
    assert!(n_finished * 10 > n_seeds * 9, "only {n_finished} specifications of {n_seeds} were right");
}

fn difference(explicit: &str, diagrams: &str) -> String {
    let differing = explicit.lines().zip(diagrams.lines()).find(|(a, b)| a != b);
    differing.map_or_else(
        || format!("one is longer: {} and {} lines", explicit.lines().count(), diagrams.lines().count()),
        |(a, b)| format!("explicit: {a}\ndiagrams: {b}"),
    )
}

#[test]
fn random_specifications_have_the_same_answers() {
    engines_agree(0..100);
}

#[test]
fn more_random_specifications_have_the_same_answers() {
    engines_agree(100..200);
}

/// What an engine answers to every question, sets peeled one least element after the other.
fn told<A: Algebra>(engine: &A) -> Result<String, Stop> {
    let (any_s, any_t) = (engine.any_states(), engine.any_trans());
    let list = |states: &A::States, trans: &A::Trans| engine.listing(states, trans, 1_000_000);
    let mut text = format!("{:?}\n{:?}\n", list(&any_s, &any_t)?, engine.events(&any_t, 1_000_000)?);
    for trans in [engine.loops()?, engine.epsilon()?, engine.ambiguous()?, engine.empty_trans()] {
        let rest = engine.trans(Operation::Minus, &any_t, &trans)?;
        for part in [&trans, &rest] {
            let (sources, targets) = (engine.sources(part)?, engine.targets(part)?);
            let (ahead, behind) = (engine.image(&targets, part)?, engine.preimage(&sources, part)?);
            text += &format!("{} {:?}\n", engine.count_trans(part)?, engine.events(part, 1_000_000)?);
            for states in [sources, targets, ahead, behind] {
                let around = engine.trans(Operation::Or, &engine.from(&states)?, &engine.into(&states)?)?;
                text += &format!("{} {:?}\n", engine.count_trans(&around)?, list(&states, &any_t)?);
            }
        }
    }
    let (mut states, mut trans) = (any_s.clone(), any_t);
    for _ in 0..20 {
        let (state, step) = (engine.least_state(&states)?, engine.least_trans(&trans)?);
        text += &format!("{:?} {:?}\n", list(&state, &engine.empty_trans())?, list(&any_s, &step)?);
        states = engine.states(Operation::Minus, &states, &state)?;
        trans = engine.trans(Operation::Minus, &trans, &step)?;
    }
    Ok(text)
}

/// One part per event as well as one part for all.
fn engines_tell_the_same(tree: &Arc<Tree>, about: &str) {
    let control = Control::new();
    let wanted = told(&explicit::open(tree.clone(), &control).unwrap()).unwrap();
    for small in [0, usize::MAX] {
        let found = told(&diagrams::open_in_parts(tree.clone(), small, &control).unwrap()).unwrap();
        assert!(wanted == found, "parts of {small}\n{about}\n{}", difference(&wanted, &found));
    }
}

#[test]
fn every_question_has_the_same_answer_however_transitions_are_parted() {
    for seed in seeds::of(0..60) {
        let (text, root) = model(seed);
        engines_tell_the_same(&Arc::new(tree(&text, &root)), &format!("seed {seed}\n{text}"));
    }
}

#[test]
fn a_transition_that_two_vectors_give_is_one() {
    let text = "node S
        state x : [0,2]; init x := 0; event e, f;
        trans x < 2 |- e -> x := x + 1; x = 1 |- e -> x := 0; x = 1 |- e -> x := 2; true |- f -> ;
        edon
        node N
        sub s, t : S; state y : bool; event a;
        trans true |- a -> y := y; y |- a -> y := true;
        sync <a, s.e>; <a, s.e?>; <a, s.e, t.f?>;
        edon";
    engines_tell_the_same(&Arc::new(tree(text, "N")), text);
}

/// What an engine lists within a limit, or that it is too much.
fn listed<A: Algebra>(engine: &A, limit: u64) -> Result<String, Stop> {
    engine.listing(&engine.any_states(), &engine.any_trans(), limit).map(|listing| format!("{listing:?}"))
}

#[test]
fn limits_are_met_at_the_same_number() {
    let control = Control::new();
    for seed in seeds::of(0..20) {
        let (text, root) = model(seed);
        let tree = Arc::new(tree(&text, &root));
        let vars: Vec<VarId> = tree.vars.ids().collect();
        let (a, b) = (explicit::open(tree.clone(), &control).unwrap(), diagrams::open(tree, &control).unwrap());
        let n_states = a.count_states(&a.any_states()).unwrap();
        let total = u64::try_from(n_states + a.count_trans(&a.any_trans()).unwrap()).unwrap();
        for limit in [total, total.saturating_sub(1)] {
            let wanted = listed(&a, limit);
            assert_eq!(wanted.is_ok(), limit >= total, "seed {seed}");
            assert_eq!(wanted, listed(&b, limit), "seed {seed}");
        }
        let n_events = a.events(&a.any_trans(), usize::MAX).unwrap().len();
        for limit in [n_events, n_events.saturating_sub(1)] {
            let wanted = a.events(&a.any_trans(), limit);
            assert_eq!(wanted.is_ok(), limit >= n_events, "seed {seed}");
            let found = b.events(&b.any_trans(), limit);
            assert_eq!(wanted.map(|events| events.len()), found.map(|events| events.len()), "seed {seed}");
        }
        let n_states = usize::try_from(n_states).unwrap();
        for limit in [n_states, n_states.saturating_sub(1)] {
            let wanted = a.valuations(&a.any_states(), &vars, limit);
            assert_eq!(wanted.is_ok(), limit >= n_states, "seed {seed}");
            assert_eq!(wanted, b.valuations(&b.any_states(), &vars, limit), "seed {seed}");
        }
    }
}

/// The numbers of configurations that look like the initial ones, by states and by flows.
fn alike<A: Algebra>(engine: &A) -> [u128; 2] {
    [VarKind::State, VarKind::Flow]
        .map(|kind| engine.count_states(&engine.alike(kind, &engine.initial()).unwrap()).unwrap())
}

#[test]
fn flows_that_assertions_define_count_when_configurations_are_compared() {
    let text = "node N
        state x, y : [0,3]; init x := 0, y := 0;
        flow odd : bool; same : bool; free : bool;
        event a, b;
        trans true |- a -> x := (x + 1) mod 4; true |- b -> y := (y + 1) mod 4;
        assert odd = (x mod 2 = 1); same = (odd = free);
        edon";
    let control = Control::new();
    let tree = Arc::new(tree(text, "N"));
    let (a, b) = (explicit::open(tree.clone(), &control).unwrap(), diagrams::open(tree, &control).unwrap());
    // Half of the values of x are even, and all of y look alike; `free` is both.
    assert_eq!((alike(&a), alike(&b)), ([2, 16], [2, 16]));
}

#[test]
fn the_least_configuration_is_least_by_defined_flows_too() {
    // `f` comes before `x` and falls as it grows.
    let text = "node N
        flow f : [0,3]; state x : [0,3]; init x := 0;
        event a; trans x < 3 |- a -> x := x + 1;
        assert f = 3 - x;
        edon";
    let printed =
        Case::new(text, "with N do dot(pick(any_s), empty_t); dot-trace(initial, any_t, any_s - initial); done");
    assert!(printed.printed().contains("f = 0, x = 3"), "{}", printed.printed());
}

#[test]
fn more_events_than_can_be_written_are_counted_and_refused() {
    // Every one of thirty hidden components may move or not: two to the thirtieth combinations.
    let text = "node Bit state x : bool; init x := false; event e; trans true |- e -> x := not x; edon
        node Hidden sub b : Bit; edon
        node N sub h : Hidden[30]; edon";
    let case = Case::new(text, "with N do show(any_s, any_t); events(); done");
    let answer = answers(&case, EngineChoice::Diagrams);
    assert!(answer.contains(&format!(" * any_s = {}\n", 1u64 << 30)), "{answer}");
    assert!(answer.contains(&format!(" * any_t = {}\n", 1u64 << 60)), "{answer}");
    assert!(answer.contains("more than 4000000 events would have to be written out"), "{answer}");
}
