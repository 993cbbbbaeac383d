//! Random models: the lowered model has the states, steps and verdicts that the brute-force oracle finds.

use super::support::{State, load_with, search, show, verdict};
use lapidary_base::Id;
use lapidary_frontends::gcl::limits;
use lapidary_ir::Model;
use lapidary_reference::random::Shape;
use lapidary_reference::seeds;
use lapidary_reference::{ast, brute, mutate};

/// The states in the order of the oracle's names.
fn shown(model: &Model, names: &[String], state: &State) -> Vec<String> {
    let value = |name: &String| {
        let var = model.vars.ids().find(|&id| model.vars[id].name == *name).unwrap_or_else(|| panic!("no {name}"));
        model.show(model.vars[var].domain, state[var.index()])
    };
    names.iter().map(value).collect()
}

#[test]
fn random_models_mean_what_the_oracle_says() {
    let (mut n_compared, tried) = (0, seeds::of(0..800));
    for &seed in &tried {
        let tree = ast::Model::random(seed, &Shape { max_states: 500, ..Shape::default() });
        let text = tree.to_gcl(seed);
        let (model, diagnostics, sources) = load_with("random.gcl", &text, &[]);
        let Some(model) = model else { panic!("seed {seed}\n{text}\n{}", show(&diagnostics, &sources)) };
        let Some(oracle) = brute::explore(&tree, 2000) else { continue };
        let found = search(&model, usize::MAX);
        let states: Vec<Vec<String>> = found.states.keys().map(|state| shown(&model, &oracle.names, state)).collect();
        assert!(states.iter().all(|state| oracle.states.contains(state)), "seed {seed}\n{text}");
        assert_eq!((states.len(), found.n_transitions), (oracle.n_states, oracle.n_transitions), "seed {seed}\n{text}");
        for outcome in &oracle.outcomes {
            let expected = match outcome.verdict {
                brute::Verdict::Holds => "holds",
                brute::Verdict::Violated => "violated",
            };
            assert_eq!(verdict(&model, &found, &outcome.name), expected, "{} of seed {seed}\n{text}", outcome.name);
        }
        n_compared += 1;
    }
    assert!(n_compared * 2 > tried.len(), "only {n_compared} models were small enough");
}

#[test]
fn mutated_models_and_garbage_never_panic() {
    let shape = Shape::default();
    for seed in seeds::of(0..400) {
        let text = ast::Model::random(seed, &shape).to_gcl(seed);
        let other = ast::Model::random(seed + 1, &shape).to_gcl(seed);
        for variant in 0..3 {
            let text = mutate::mutate(&text, &other, seed * 3 + variant);
            check_loading(&text);
        }
        check_loading(&mutate::garbage(seed));
    }
}

fn check_loading(text: &str) {
    let (model, diagnostics, sources) = load_with("broken.gcl", text, &[]);
    assert_eq!(model.is_none(), diagnostics.has_errors(), "{text}");
    assert!(diagnostics.list.len() <= limits::MAX_SHOWN + 1);
    show(&diagnostics, &sources);
}
