//! Runs and conditions of paths: what a solver finds are runs, and pre- and postconditions fit each other.

use std::collections::BTreeSet;

use crate::common::{all_hold, random_model, statement_tree};
use lapidary_base::{Control, Id};
use lapidary_checker::step;
use lapidary_ir::{Expr, Model, print};
use lapidary_reference::bodies::{state, truth};
use lapidary_reference::dice::Dice;
use lapidary_reference::expressions::Values;
use lapidary_reference::seeds;
use lapidary_smt::encode::{Encoding, Totals, Unrolling, encode};
use lapidary_smt::{Backend, FullSolver, Sat, Terms};

fn assert_all(solver: &mut dyn FullSolver, terms: &Terms<'_>, formulas: Vec<Expr>) {
    formulas.into_iter().for_each(|formula| solver.assert(terms, formula).expect("taken"));
}

fn is_state(terms: &Terms<'_>, state: &[i64]) -> Expr {
    let (model, exprs) = (terms.model(), terms.exprs());
    let equal = |(id, &value)| exprs.eq(exprs.var(id), terms.constant(model.vars[id].domain, value));
    exprs.and(model.vars.ids().zip(state).map(equal))
}

/// Asks for runs of some steps from a state, and for others as long as there are.
fn ends(model: &Model, from: &[i64], n_steps: usize, most: usize) -> BTreeSet<Box<[i64]>> {
    let mut terms = Terms::within(model);
    let encoding = encode(&mut terms).expect("small bodies");
    let control = Control::new();
    let mut solver = Backend::default().open(&control).expect("a solver");
    let mut unrolling = Unrolling::new(&mut terms);
    let here = is_state(&terms, from);
    let here = unrolling.at_step(&terms, 0, here);
    assert_all(&mut *solver, &terms, vec![here]);
    for _ in 0..n_steps {
        let formulas = unrolling.step(&mut terms, &encoding, &Control::new()).expect("no limits");
        assert_all(&mut *solver, &terms, formulas);
    }
    let mut found = BTreeSet::new();
    while found.len() < most && solver.check(&terms, &[]) == Ok(Sat::Yes) {
        let run = unrolling.run(&terms, &encoding, &mut *solver, n_steps).expect("small numbers");
        assert_eq!(*run.states[0], *from);
        for (i, command) in run.commands(&encoding).into_iter().enumerate() {
            let (a, b) = (&run.states[i], &run.states[i + 1]);
            assert_eq!(step::is_step(model, command, a, b), Ok(true), "{a:?} to {b:?}\n{}", print::model(model));
        }
        let end = run.states[n_steps].clone();
        let other = terms.exprs().not(is_state(&terms, &end));
        let other = unrolling.at_step(&terms, n_steps, other);
        assert_all(&mut *solver, &terms, vec![other]);
        assert!(found.insert(end), "a run of its own");
        assert_path_formula(&mut terms, &encoding, &run.paths, &run.states);
    }
    found
}

/// The formula of the paths that a run took has this run as its only one from its first state, but for inputs.
fn assert_path_formula(terms: &mut Terms<'_>, encoding: &Encoding, paths: &[usize], states: &[Box<[i64]>]) {
    let control = Control::new();
    let mut solver = Backend::default().open(&control).expect("a solver");
    let mut unrolling = Unrolling::new(terms);
    for &path in paths {
        let formulas = unrolling.step_along(terms, encoding, path, &Control::new()).expect("no limits");
        assert_all(&mut *solver, terms, formulas);
    }
    for (i, state) in states.iter().enumerate() {
        let here = is_state(terms, state);
        let here = unrolling.at_step(terms, i, here);
        assert_all(&mut *solver, terms, vec![here]);
    }
    assert_eq!(solver.check(terms, &[]), Ok(Sat::Yes));
    let run = unrolling.run(terms, encoding, &mut *solver, paths.len()).expect("small numbers");
    assert_eq!((&run.states[..], &run.paths[..]), (states, paths));
}

fn successors(model: &Model, from: &BTreeSet<Box<[i64]>>) -> BTreeSet<Box<[i64]>> {
    let next = |state: &[i64]| {
        let steps = model.commands.ids().map(|id| step::successors(model, id, state).expect("finite"));
        steps.flatten().collect::<Vec<_>>()
    };
    from.iter().flat_map(|state| next(state)).collect()
}

#[test]
fn runs_of_the_solver_are_runs_and_all_of_them_are_found() {
    let (mut n_ends, mut n_stuck) = (0, 0);
    for seed in seeds::of(0..120) {
        let model = if seed % 2 == 0 { statement_tree(seed) } else { random_model(seed) };
        let mut dice = Dice::new(seed);
        let from: Box<[i64]> = state(&model, &mut dice).into();
        if step::keeps_invariant(&model, &from) != Some(true) {
            continue;
        }
        let expected = successors(&model, &successors(&model, &[from.clone()].into()));
        let found = ends(&model, &from, 2, 40);
        assert!(found.is_subset(&expected) && (found.len() == 40 || found == expected), "seed {seed}");
        n_ends += found.len();
        n_stuck += usize::from(found.is_empty());
    }
    assert!(n_ends > seeds::least(300) && n_stuck > seeds::least(10), "{n_ends} ends, {n_stuck} without");
}

#[test]
fn states_differ_where_some_variable_does() {
    let model = statement_tree(1);
    let mut terms = Terms::within(&model);
    let encoding = encode(&mut terms).expect("small bodies");
    let mut unrolling = Unrolling::new(&mut terms);
    assert_eq!(terms.exprs().as_bool(unrolling.differ(&terms, 0, 0)), Some(false));
    let formulas = unrolling.step(&mut terms, &encoding, &Control::new()).expect("no limits");
    let differ = unrolling.differ(&terms, 0, 1);
    let control = Control::new();
    let mut solver = Backend::default().open(&control).expect("a solver");
    assert_all(&mut *solver, &terms, formulas);
    let same = |terms: &Terms<'_>, unrolling: &mut Unrolling| {
        let vars = model.vars.ids().map(|var| terms.exprs().var(var)).collect::<Vec<_>>();
        let equal = vars.iter().map(|&var| {
            let (a, b) = (unrolling.at_step(terms, 0, var), unrolling.at_step(terms, 1, var));
            terms.exprs().eq(a, b)
        });
        terms.exprs().and(equal.collect::<Vec<_>>())
    };
    let same = same(&terms, &mut unrolling);
    assert_eq!(solver.check(&terms, &[differ, same]), Ok(Sat::No));
    assert_eq!(solver.check(&terms, &[differ]), Ok(Sat::Yes));
}

#[test]
fn a_model_without_commands_has_no_steps() {
    let model = crate::common::variables();
    let mut terms = Terms::within(&model);
    let encoding = encode(&mut terms).expect("no bodies at all");
    let mut unrolling = Unrolling::new(&mut terms);
    let formulas = unrolling.step(&mut terms, &encoding, &Control::new()).expect("no limits");
    assert_eq!(formulas, vec![model.exprs.bool(false)]);
}

fn is_valid(terms: &Terms<'_>, formula: Expr) -> bool {
    let control = Control::new();
    let mut solver = Backend::default().open(&control).expect("a solver");
    match solver.check(terms, &[terms.exprs().not(formula)]).expect("an answer") {
        Sat::Yes => false,
        Sat::No => true,
        Sat::Unknown(why) => panic!("{why}"),
    }
}

#[test]
fn postconditions_imply_what_preconditions_ask_for() {
    let (mut n_valid, mut n_invalid) = (0, 0);
    for seed in seeds::of(0..150) {
        let model = statement_tree(seed);
        let mut dice = Dice::new(seed + 1);
        let mut terms = Terms::within(&model);
        let encoding = encode(&mut terms).expect("small bodies");
        let domains = encoding.always.clone();
        let mut totals = Totals::new(&terms);
        let exprs = &model.exprs;
        for path in encoding.paths.iter().take(3) {
            let truths = [truth(&model, &mut dice, 1, Values::Perhaps), truth(&model, &mut dice, 1, Values::Perhaps)];
            let [before, after] = truths.map(|truth| exprs.and(totals.is(truth, true)));
            let before = exprs.and(domains.iter().copied().chain([before]));
            let post = path.strongest_post(&mut terms, before);
            let by_post = is_valid(&terms, exprs.implies(post, after));
            let by_pre = is_valid(&terms, exprs.implies(before, path.weakest_precondition(exprs, after)));
            assert_eq!(by_post, by_pre, "seed {seed}\n{}", print::model(&model));
            *if by_post { &mut n_valid } else { &mut n_invalid } += 1;
        }
    }
    assert!(n_valid > seeds::least(40) && n_invalid > seeds::least(40), "{n_valid} and {n_invalid}");
}

#[test]
fn preconditions_are_about_the_step() {
    for seed in seeds::of(0..300) {
        let model = statement_tree(seed);
        let mut dice = Dice::new(seed);
        let mut terms = Terms::within(&model);
        let encoding = encode(&mut terms).expect("small bodies");
        let goal = model.exprs.and(Totals::new(&terms).is(truth(&model, &mut dice, 2, Values::Perhaps), true));
        for path in encoding.paths.iter().filter(|path| path.inputs.is_empty()) {
            let condition = path.weakest_precondition(&model.exprs, goal);
            for _ in 0..20 {
                let from = state(&model, &mut dice);
                let mut next = from.clone();
                let is_taken = all_hold(&model, &path.guard, &from);
                for (var, &update) in path.updates.iter().filter(|_| is_taken) {
                    next[var.index()] = crate::common::value(&model, update, &from) as i64;
                }
                let expected = !is_taken || crate::common::value(&model, goal, &next) != 0;
                assert_eq!(crate::common::value(&model, condition, &from) != 0, expected, "seed {seed}, {from:?}");
            }
        }
    }
}

#[test]
fn a_run_without_any_path_is_none() {
    let model = Model::default();
    let mut terms = Terms::within(&model);
    let encoding = encode(&mut terms).expect("nothing to encode");
    let control = Control::new();
    let mut solver = Backend::default().open(&control).expect("a solver");
    let mut unrolling = Unrolling::new(&mut terms);
    assert_eq!(unrolling.step(&mut terms, &encoding, &Control::new()), Ok(vec![terms.exprs().bool(false)]));
    // As if a solver had found a model of that.
    assert_eq!(solver.check(&terms, &[]), Ok(Sat::Yes));
    assert!(unrolling.run(&terms, &encoding, &mut *solver, 1).is_err());
}
