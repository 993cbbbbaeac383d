//! Random models about bit-vectors and small arrays: steps and sets are judged as trying everything says.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::common::build::enumeration;
use crate::common::diagrams::diagram;
use lapidary_base::{Control, Id, Stop};
use lapidary_checker::step::{self, Trouble};
use lapidary_checker::{Backend, Means, Rejection, certify_model, eval, replay_model_run};
use lapidary_ir::{Action, Domain, Expr, Life, Model, PropertyId, PropertyKind, VarId};
use lapidary_reference::bodies::words::{Arrays, words};
use lapidary_reference::bodies::{self, initial, keeps_invariant, states, successors};
use lapidary_reference::dice::Dice;
use lapidary_reference::expressions::Meaning;
use lapidary_reference::seeds;
use lapidary_verdict::{Certificate, Formula, Trace};

type State = Vec<i64>;

#[test]
fn steps_are_those_that_trying_everything_finds() {
    let (mut n_steps, mut n_others, mut n_open) = (0, 0, 0);
    for seed in seeds::of(0..200) {
        let arrays = if seed % 2 == 0 { Arrays::None } else { Arrays::Some };
        let model = words(seed, arrays);
        let dice = &mut Dice::new(seed);
        let all = states(&model);
        for _ in 0..6 {
            let from = dice.pick(&all);
            for command in model.commands.ids() {
                let ends = bodies::steps(&model, command, &from);
                match step::successors(&model, command, &from) {
                    Ok(found) => assert!(found.iter().map(|end| end.to_vec()).eq(ends.iter().cloned()), "seed {seed}"),
                    Err(Trouble::Unbounded(_)) => n_open += 1,
                    Err(other) => panic!("seed {seed}: {other:?}"),
                }
                let others = [dice.pick(&all), dice.pick(&all), dice.pick(&all)];
                for to in ends.iter().take(8).chain(&others) {
                    match step::is_step(&model, command, &from, to) {
                        Ok(found) => assert_eq!(found, ends.contains(to), "seed {seed}, {from:?} to {to:?}"),
                        Err(Trouble::Unbounded(_)) => n_open += 1,
                        Err(other) => panic!("seed {seed}: {other:?}"),
                    }
                    if ends.contains(to) { n_steps += 1 } else { n_others += 1 }
                }
            }
        }
    }
    assert!(n_steps > seeds::least(500) && n_others > seeds::least(500), "{n_steps} steps, {n_others} others");
    assert!(n_open < (n_steps + n_others) / 4, "{n_open} of them cannot be told");
}

#[test]
fn runs_begin_where_trying_everything_says() {
    let (mut n_initial, mut n_others) = (0, 0);
    for seed in seeds::of(500..620) {
        let arrays = if seed % 2 == 0 { Arrays::None } else { Arrays::Some };
        let model = words(seed, arrays);
        let expected = initial(&model);
        let all = states(&model);
        for state in expected.iter().take(3).chain(all.iter().step_by(1 + all.len() / 5)) {
            let trace = Trace { states: vec![state.clone().into()], actions: Vec::<Action>::new(), loop_start: None };
            match replay_model_run(&model, &trace) {
                Ok(()) => assert!(expected.contains(state), "seed {seed}: {state:?}"),
                Err(Rejection::Wrong(why)) => assert!(!expected.contains(state), "seed {seed}: {state:?}: {why}"),
                Err(Rejection::Stopped(Stop::Incomplete(_))) => continue,
                Err(other) => panic!("seed {seed}: {other}"),
            }
            if expected.contains(state) { n_initial += 1 } else { n_others += 1 }
        }
    }
    assert!(n_initial > seeds::least(60) && n_others > seeds::least(60), "{n_initial} initial, {n_others} others");
}

/// The reachable states, or one less, or a few more.
fn set(model: &Model, dice: &mut Dice) -> BTreeSet<State> {
    let mut set = initial(model);
    let mut open: Vec<State> = set.iter().cloned().collect();
    while let Some(state) = open.pop() {
        open.extend(successors(model, &state).into_iter().filter(|next| set.insert(next.clone())));
    }
    match dice.below(4) {
        0 => {
            let lost = set.iter().nth(dice.below(set.len().max(1))).cloned();
            lost.map(|lost| set.remove(&lost));
        }
        1 => {
            let all: Vec<State> = states(model).into_iter().filter(|state| keeps_invariant(model, state)).collect();
            if !all.is_empty() {
                set.extend((0..2).map(|_| dice.pick(&all)));
            }
        }
        _ => {}
    }
    set
}

fn truth(model: &Model, formula: Expr, state: &State) -> Option<bool> {
    let meaning = Meaning {
        exprs: &model.exprs,
        read: &|var| Some(i128::from(state[var.index()])),
        cell: &|family, index| model.cells(family).nth(usize::try_from(index).ok()?),
        sort: &|var| model.vars[var].domain.sort(),
        n_literals: &|id| model.enums[id].literals.len(),
    };
    meaning.value(formula).map(|value| value != 0)
}

fn is_proof(model: &Model, set: &BTreeSet<State>, property: PropertyId) -> bool {
    let is_fine = |state: &State| match &model.properties[property].kind {
        PropertyKind::Invariant(formula) => truth(model, *formula, state) == Some(true),
        PropertyKind::Reach(formula) => truth(model, *formula, state) == Some(false),
        PropertyKind::DeadlockFree => !successors(model, state).is_empty(),
        PropertyKind::NoErrors | PropertyKind::Ltl(_) => unreachable!("the models have no such properties"),
    };
    initial(model).is_subset(set) && set.iter().all(|state| successors(model, state).is_subset(set) && is_fine(state))
}

fn formula(model: &Model, set: &BTreeSet<State>) -> Formula {
    let e = &model.exprs;
    let kept: Vec<VarId> = model.vars.ids().filter(|&var| model.vars[var].life == Life::State).collect();
    let is = |state: &State, var: VarId| e.eq(e.var(var), model.vars[var].domain.constant(e, state[var.index()]));
    let state = |state: &State| e.and(kept.iter().map(|&var| is(state, var)));
    Formula::new(e, e.or(set.iter().map(state)))
}

#[derive(Default)]
struct Counts {
    accepted: usize,
    rejected: usize,
    open: usize,
}

fn judge(model: &Model, set: &BTreeSet<State>, certificate: &Certificate, seed: u64, counts: &mut Counts) {
    for property in model.properties.ids() {
        let expected = is_proof(model, set, property);
        let found = certify_model(model, &[property], certificate, &Means::new(&Backend::default(), &Control::new()));
        let name = &model.properties[property].name;
        match found {
            Ok(_) => counts.accepted += 1,
            Err(Rejection::Wrong(_)) => counts.rejected += 1,
            Err(Rejection::Stopped(Stop::Incomplete(_) | Stop::NoAnswer(_))) => {
                counts.open += 1;
                continue;
            }
            Err(Rejection::Stopped(ref stop)) => panic!("seed {seed}: {stop}"),
        }
        assert_eq!(found.is_ok(), expected, "seed {seed}, {name}: {found:?}");
    }
}

#[test]
fn lists_and_diagrams_of_words_are_judged_as_the_definitions_say() {
    let mut counts = Counts::default();
    for seed in seeds::of(1_000..1_120) {
        let dice = &mut Dice::new(seed);
        let model = words(seed, Arrays::None);
        let set = set(&model, dice);
        let list: Vec<State> = set.iter().cloned().collect();
        judge(&model, &set, &Certificate::Enumeration(Arc::new(enumeration(&model, &list))), seed, &mut counts);
        let mut order: Vec<VarId> = model.vars.ids().filter(|&var| model.vars[var].life == Life::State).collect();
        dice.shuffle(&mut order);
        judge(&model, &set, &Certificate::Diagram(Arc::new(diagram(&order, &list))), seed, &mut counts);
    }
    let Counts { accepted, rejected, open } = counts;
    assert!(accepted > seeds::least(40) && rejected > seeds::least(60), "{accepted} accepted, {rejected} rejected");
    assert_eq!(open, 0);
}

#[cfg(feature = "z3")]
#[test]
fn formulas_about_words_and_arrays_are_judged_as_the_definitions_say() {
    let mut counts = Counts::default();
    for seed in seeds::of(2_000..2_060) {
        let arrays = if seed % 2 == 0 { Arrays::None } else { Arrays::Some };
        let model = words(seed, arrays);
        let set = set(&model, &mut Dice::new(seed));
        if set.len() < 60 {
            judge(&model, &set, &Certificate::Invariant(formula(&model, &set)), seed, &mut counts);
        }
    }
    let Counts { accepted, rejected, open } = counts;
    assert!(accepted > seeds::least(10) && rejected > seeds::least(15), "{accepted} accepted, {rejected} rejected");
    assert!(open < accepted + rejected, "{open} cannot be told");
}

#[test]
fn all_states_that_there_are_have_values_of_their_domains() {
    for seed in seeds::of(0..40) {
        let model = words(seed, Arrays::Some);
        for state in states(&model).iter().take(2_000) {
            assert!(model.vars.ids().all(|var| eval::in_domain(&model, var, state[var.index()])), "seed {seed}");
        }
        let wrong = model.vars.ids().find(|&var| matches!(model.vars[var].domain, Domain::Array(_)));
        assert!(wrong.is_some_and(|var| !eval::in_domain(&model, var, 1 << 30)), "seed {seed}");
    }
}
