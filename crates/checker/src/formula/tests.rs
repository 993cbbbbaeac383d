//! On random models and statements the terms allow exactly the steps that the interpreter takes.

use std::collections::{BTreeMap, BTreeSet};

use lapidary_base::{Control, Id, Stop};
use lapidary_ir::model::Raw;
use lapidary_ir::{Expr, Model, VarId};
use lapidary_reference::bodies::{self, Locals, Loops, Shape};
use lapidary_reference::dice::Dice;
use lapidary_reference::expressions::Values;
use lapidary_reference::seeds;
use lapidary_smt::Terms;

use super::execution::{self, Ending, Move, Pool};
use super::target;
use super::view::View;
use crate::Rejection;
use crate::certify::Claim;
use crate::eval::{self, Error};
use crate::step;

/// More valuations of the inputs than this are not listed.
const MOST_VALUATIONS: usize = 4096;

/// The state, then a value for each further symbol: all combinations for the inputs, zero for the others.
fn valuations(terms: &Terms<'_>, state: &[Raw], inputs: &[VarId]) -> Option<Vec<Vec<Raw>>> {
    valuations_up_to(terms, state, inputs, MOST_VALUATIONS)
}

fn valuations_up_to(terms: &Terms<'_>, state: &[Raw], inputs: &[VarId], most: usize) -> Option<Vec<Vec<Raw>>> {
    let mut full = state.to_vec();
    full.resize(terms.len(), 0);
    let mut found = vec![full];
    for input in inputs {
        let (lo, hi) = eval::bounds(terms.model(), terms.domain(*input));
        let with = |full: &Vec<Raw>, value: Raw| {
            let mut full = full.clone();
            full[input.index()] = value;
            full
        };
        found = found.iter().flat_map(|full| (lo..=hi).map(move |value| with(full, value))).collect();
        if found.len() > most {
            return None;
        }
    }
    Some(found)
}

/// Conditions are in order: a part without a value comes after one that is false.
fn all_hold(model: &Model, conditions: &[Expr], full: &[Raw]) -> bool {
    for &condition in conditions {
        match eval::truth(model, condition, full) {
            Ok(true) => {}
            Ok(false) => return false,
            Err(why) => panic!("a term has a value wherever it matters, but {why:?}"),
        }
    }
    true
}

fn successors(terms: &Terms<'_>, step: &Move<'_>, state: &[Raw]) -> Option<BTreeSet<Vec<Raw>>> {
    let model = terms.model();
    let after = |full: &Vec<Raw>| {
        let value = |var| eval::eval(model, step.after.value(var), full).expect("a value after a step");
        model.vars.ids().map(|var| Raw::try_from(value(var)).expect("64 bits")).collect()
    };
    let all = valuations(terms, state, &step.inputs)?;
    Some(all.iter().filter(|full| all_hold(model, &step.conditions, full)).map(after).collect())
}

fn moves<'a>(terms: &mut Terms<'a>, view: &View<'a>) -> Vec<Move<'a>> {
    execution::moves(terms, &mut Pool::default(), view, Ending::InConditions, &Control::new()).expect("no loops")
}

/// Compares the moves from a view that the state is in with the interpreter's steps; says how many steps there were.
fn compare(model: &Model, view: &View<'_>, state: &[Raw], what: &str) -> usize {
    let mut terms = Terms::within(model);
    let moves = moves(&mut terms, view);
    let mut n_steps = 0;
    for command in model.commands.ids() {
        let expected = step::successors(model, command, state).expect("finite domains");
        let expected: BTreeSet<Vec<Raw>> = expected.into_iter().map(Vec::from).collect();
        let found = match moves.iter().find(|step| step.command == command) {
            None => Some(BTreeSet::new()),
            Some(step) => successors(&terms, step, state),
        };
        if let Some(found) = found {
            assert_eq!(found, expected, "{what}, {state:?}\n{}", lapidary_ir::print::model(model));
            n_steps += found.len();
        }
    }
    n_steps
}

/// The view in which some variables have their values in the state.
fn partly<'m>(model: &'m Model, terms: &Terms<'_>, state: &[Raw], is_fixed: impl Fn(usize) -> bool) -> View<'m> {
    let fixed = model.vars.enumerated().filter(|(var, _)| is_fixed(var.index()));
    let values = fixed.map(|(var, declared)| (var, terms.constant(declared.domain, state[var.index()])));
    View::new(model, values.collect())
}

#[test]
fn symbolic_steps_are_the_interpreted_steps() {
    let mut n_steps = 0;
    for seed in seeds::of(0..250) {
        let mut dice = Dice::new(seed);
        let model = bodies::guarded(&mut dice);
        let terms = Terms::within(&model);
        let all = bodies::states(&model);
        for _ in 0..12 {
            let state = &all[dice.below(all.len())];
            for is_fixed in [|_| false, |_| true, |var: usize| var.is_multiple_of(2)] {
                let view = partly(&model, &terms, state, is_fixed);
                n_steps += compare(&model, &view, state, &format!("seed {seed}"));
            }
        }
    }
    assert!(n_steps > seeds::least(10_000), "there are steps to compare: {n_steps}");
}

#[test]
fn deep_statements_take_the_interpreted_steps() {
    let shape = Shape { loops: Loops::None, locals: Locals::None, depth: 5 };
    let mut n_steps = 0;
    for seed in seeds::of(0..400) {
        let mut dice = Dice::new(10_000 + seed);
        let mut model = bodies::guarded(&mut dice);
        let body = bodies::statement(&model, &mut dice, shape);
        let first = model.commands.ids().next().expect("a command");
        model.commands[first].body = body;
        let terms = Terms::within(&model);
        let all = bodies::states(&model);
        for _ in 0..8 {
            let state = &all[dice.below(all.len())];
            let view = partly(&model, &terms, state, |var| var == 2);
            n_steps += compare(&model, &view, state, &format!("seed {seed}"));
        }
    }
    assert!(n_steps > seeds::least(5_000), "there are steps to compare: {n_steps}");
}

/// Loops with bounds are written out; those that may go on for ever are refused, and nothing else is.
#[test]
fn random_bodies_take_the_steps_that_trying_everything_finds() {
    let (mut n_steps, mut n_blocked, mut n_refused) = (0, 0, 0);
    for seed in seeds::of(0..1_000) {
        // What has no bound is written out for long before it is refused.
        let loops = if seed % 16 == 0 { Loops::Any } else { Loops::Bounded };
        let model = bodies::model(seed, Shape { loops, ..Shape::default() });
        let mut terms = Terms::within(&model);
        let all = bodies::states(&model);
        let mut dice = Dice::new(60_000 + seed);
        for _ in 0..4 {
            let state = &all[dice.below(all.len())];
            let view = partly(&model, &terms, state, |var| seed % 3 == 0 && var == 2);
            let control = Control::new();
            let found = execution::moves(&mut terms, &mut Pool::default(), &view, Ending::InConditions, &control);
            let moves = match found {
                Ok(moves) => moves,
                Err(Rejection::Stopped(Stop::Incomplete(why))) if loops == Loops::Any => {
                    assert!(why.ends_with("has a loop whose bound is not known"), "{why}");
                    n_refused += 1;
                    break;
                }
                Err(why) => panic!("seed {seed}: {why}\n{}", lapidary_ir::print::model(&model)),
            };
            for command in model.commands.ids() {
                let found = match moves.iter().find(|step| step.command == command) {
                    None => BTreeSet::new(),
                    Some(step) => match successors(&terms, step, state) {
                        None => continue,
                        Some(found) => found,
                    },
                };
                let expected = bodies::steps(&model, command, state);
                assert_eq!(found, expected, "seed {seed}, {state:?}\n{}", lapidary_ir::print::model(&model));
                n_steps += expected.len();
                n_blocked += usize::from(expected.is_empty());
            }
        }
    }
    let enough = n_steps > seeds::least(5_000) && n_blocked > seeds::least(1_000) && n_refused > seeds::least(10);
    assert!(enough, "{n_steps} {n_blocked} {n_refused}");
}

#[test]
fn a_start_leads_to_the_states_that_trying_everything_finds() {
    let (mut n_initial, mut n_others) = (0, 0);
    for seed in seeds::of(0..600).into_iter().filter(|seed| seed.is_multiple_of(3)) {
        let model = bodies::model(seed, Shape { loops: Loops::Bounded, ..Shape::default() });
        let initial = bodies::initial(&model);
        let mut terms = Terms::within(&model);
        let mut view = View::new(&model, BTreeMap::new());
        let conditions = execution::initial(&mut terms, &mut view, &Control::new()).expect("bounded loops");
        let symbols: Vec<VarId> = (model.vars.len()..terms.len()).map(VarId::new).collect();
        for state in bodies::states(&model).iter().step_by(97) {
            let Some(all) = valuations_up_to(&terms, state, &symbols, 20_000) else { continue };
            let keeps = bodies::keeps_invariant(&model, state);
            let found = all.iter().any(|full| all_hold(&model, &conditions, full)) && keeps;
            assert_eq!(found, initial.contains(state), "seed {seed}, {state:?}");
            if found { n_initial += 1 } else { n_others += 1 }
        }
    }
    assert!(n_initial > seeds::least(50) && n_others > seeds::least(50), "{n_initial} {n_others}");
}

#[test]
fn readings_have_the_interpreted_values() {
    let (mut n_values, mut n_missing) = (0, 0);
    for seed in seeds::of(0..2_000) {
        let mut dice = Dice::new(20_000 + seed);
        let model = bodies::variables(Locals::None);
        let expr = bodies::truth(&model, &mut dice, 4, Values::Perhaps);
        let all = bodies::states(&model);
        let terms = Terms::within(&model);
        for _ in 0..8 {
            let state = &all[dice.below(all.len())];
            let mut view = partly(&model, &terms, state, |var| seed % 2 == 0 && var > 2);
            let reading = view.read(expr);
            let defined = eval::truth(&model, reading.defined, state).expect("where it has a value always has one");
            match eval::truth(&model, expr, state) {
                Ok(value) => {
                    assert!(defined);
                    assert_eq!(eval::truth(&model, reading.value, state), Ok(value));
                    n_values += 1;
                }
                Err(Error::Undefined) => {
                    assert!(!defined);
                    n_missing += 1;
                }
                Err(Error::Overflow) => panic!("small numbers"),
            }
        }
    }
    assert!(n_values > seeds::least(5_000) && n_missing > seeds::least(500), "{n_values} {n_missing}");
}

#[test]
fn states_are_stuck_where_the_interpreter_finds_no_step() {
    let (mut n_stuck, mut n_free, mut n_refused) = (0, 0, 0);
    for seed in seeds::of(0..400) {
        let mut dice = Dice::new(30_000 + seed);
        let mut model = bodies::guarded(&mut dice);
        // Fewer commands, so that there are deadlocks at all.
        let few: Vec<_> = model.commands.iter().take(1 + dice.below(2)).cloned().collect();
        model.commands = few.into();
        let progress = model.property("progress").expect("every model has it");
        let mut terms = Terms::within(&model);
        let mut view = View::new(&model, BTreeMap::new());
        let moves = moves(&mut terms, &view);
        let Ok(stuck) = target::spoils(&terms, &mut view, &moves, Claim::Decides(progress), &Control::new()) else {
            n_refused += 1;
            continue;
        };
        for state in bodies::states(&model).iter().step_by(17) {
            let has_step = |command| !step::successors(&model, command, state).expect("finite domains").is_empty();
            let expected = !model.commands.ids().any(has_step);
            assert_eq!(eval::truth(&model, stuck, state), Ok(expected), "seed {seed}, {state:?}");
            if expected { n_stuck += 1 } else { n_free += 1 }
        }
    }
    assert!(
        n_stuck > seeds::least(1_000) && n_free > seeds::least(1_000) && n_refused < 100,
        "{n_stuck} {n_free} {n_refused}"
    );
}
