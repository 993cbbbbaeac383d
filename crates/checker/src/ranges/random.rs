//! Random bodies over integers: what is found of them is proved nearly always, what is proved changes no reachable state, and what a
//! reachable state contradicts is never proved.

use std::collections::BTreeSet;

use lapidary_base::Id;
use lapidary_ir::passes::ranges;
use lapidary_ir::{Command, CommandId, Life};
use lapidary_reference::bodies::{self, Shape, State};
use lapidary_reference::dice::Dice;
use lapidary_reference::seeds;

use super::*;

/// Trying everything stays within these numbers, for the original model too.
const FAR: i64 = 7;

/// Most variables of these models are integers; the initial condition says where they begin.
fn model(seed: u64) -> Model {
    let mut model = bodies::model(seed, Shape::default());
    let e = model.exprs.clone();
    for var in model.vars.ids().collect::<Vec<_>>() {
        let Domain::Range { lo, hi } = model.vars[var].domain else { continue };
        if model.vars[var].life == Life::State {
            model.init.insert(0, Domain::Int.between(&e, e.var(var), lo, hi));
        }
        model.vars[var].domain = Domain::Int;
    }
    model
}

/// With domains in which everything can be tried. Local variables still begin with zero.
fn cut(model: &Model) -> Model {
    let mut cut = model.clone();
    for var in cut.vars.iter_mut() {
        let least = if var.life == Life::Local { 0 } else { -FAR };
        var.domain = match var.domain {
            Domain::Int => Domain::Range { lo: least, hi: FAR },
            Domain::Range { lo, hi } if lo <= FAR && least <= hi => {
                Domain::Range { lo: lo.max(least), hi: hi.min(FAR) }
            }
            other => other,
        };
    }
    cut
}

/// The reachable states, or none if they are too many.
fn reachable(model: &Model, begins: &BTreeSet<State>) -> Option<BTreeSet<State>> {
    let mut model = model.clone();
    let body = std::mem::take(&mut model.start);
    let span = model.commands[CommandId(0)].span;
    let start =
        model.commands.push(Command { label: "start".to_owned(), body, faults: Vec::new(), is_idle: false, span });
    let fits = |state: &State| {
        let bounds = |var: VarId| model.bounds(model.vars[var].domain).expect("finite domains");
        model.vars.ids().all(|var| (bounds(var).0..=bounds(var).1).contains(&state[var.index()]))
    };
    let begins = begins.iter().filter(|state| fits(state));
    let mut found: BTreeSet<State> = begins.flat_map(|state| bodies::steps(&model, start, state)).collect();
    let mut open: Vec<State> = found.iter().cloned().collect();
    while let Some(state) = open.pop() {
        if found.len() > 400 {
            return None;
        }
        for command in model.commands.ids().filter(|&command| command != start) {
            open.extend(bodies::steps(&model, command, &state).into_iter().filter(|next| found.insert(next.clone())));
        }
    }
    Some(found)
}

/// Where the initial condition is true; local variables begin with zero.
fn begins(seed: u64, model: &Model) -> BTreeSet<State> {
    let finite = bodies::model(seed, Shape::default());
    let with_zero = |mut state: State| {
        model.vars.enumerated().filter(|(_, var)| var.life == Life::Local).for_each(|(id, _)| state[id.index()] = 0);
        state
    };
    let is_first = |state: &State| model.init.iter().all(|&part| crate::eval::truth(model, part, state) == Ok(true));
    bodies::states(&finite).into_iter().map(with_zero).filter(is_first).collect()
}

/// Claims that a state contradicts, as little as possible.
fn contradicted(model: &Model, claims: &Ranges, states: &BTreeSet<State>) -> Vec<Ranges> {
    let mut all = Vec::new();
    for var in model.vars.ids().filter(|&var| model.vars[var].domain == Domain::Int) {
        let ends = |states: &mut dyn Iterator<Item = &State>| {
            let values: BTreeSet<i64> = states.map(|state| state[var.index()]).collect();
            values.first().copied().zip(values.last().copied())
        };
        let put = |all: &mut Vec<Ranges>, change: &dyn Fn(&mut Ranges, Found), (lo, hi): (Raw, Raw)| {
            for found in [(lo + 1, hi.max(lo + 1)), (lo.min(hi - 1), hi - 1)] {
                let mut other = claims.clone();
                change(&mut other, Some(found));
                all.push(other);
            }
        };
        if let Some(ends) = ends(&mut states.iter()) {
            put(&mut all, &|claims, found| claims.whole[var] = found, ends);
        }
        for (entry, &(value, _)) in claims.by_value.iter().enumerate() {
            let is_here = |state: &&State| claims.control.is_none_or(|control| state[control.index()] == value);
            if let Some(ends) = ends(&mut states.iter().filter(is_here)) {
                put(&mut all, &|claims, found| claims.by_value[entry].1[var] = found, ends);
                let mut other = claims.clone();
                other.by_value.remove(entry);
                all.push(other);
            }
        }
    }
    all
}

/// Claims that may be true or not.
fn other_claims(claims: &Ranges, dice: &mut Dice) -> Ranges {
    let mut other = claims.clone();
    let change = |found: &mut Found, dice: &mut Dice| {
        if let Some((lo, hi)) = found.as_mut().filter(|_| dice.one_in(6)) {
            (*lo, *hi) = (*lo + dice.between(-1, 1), *hi + dice.between(-1, 1));
        }
    };
    other.whole.iter_mut().for_each(|found| change(found, dice));
    other.by_value.iter_mut().flat_map(|(_, at)| at.iter_mut()).for_each(|found| change(found, dice));
    other
}

#[test]
fn what_is_found_is_proved_and_what_is_proved_is_true() {
    let (mut n_found, mut n_proved, mut n_compared, mut n_wrong, mut n_others) = (0, 0, 0, 0, 0);
    for seed in seeds::of(40_000..40_800) {
        let model = model(seed);
        let control = Control::new();
        let Some(claims) = ranges::ranges(&model, &control).expect("there is no limit") else { continue };
        if !claims.narrows(&model) {
            continue;
        }
        n_found += 1;
        let judged = |claims: &Ranges| certify(&model, claims, &control);
        let first = judged(&claims);
        n_proved += usize::from(first.is_ok());
        let begins = begins(seed, &model);
        let Some(states) = reachable(&cut(&model), &begins) else { continue };
        let mut dice = Dice::new(seed);
        for other in std::iter::once(claims.clone()).chain((0..8).map(|_| other_claims(&claims, &mut dice))) {
            if judged(&other).is_ok() {
                n_others += 1;
                let narrow = reachable(&cut(&other.narrowed(&model)), &begins);
                let text = || lapidary_ir::print::model(&model);
                assert_eq!(narrow.as_ref(), Some(&states), "seed {seed}, {other:?}\n{}", text());
            }
        }
        if first.is_err() {
            continue;
        }
        n_compared += 1;
        for other in contradicted(&model, &claims, &states) {
            let text = || lapidary_ir::print::model(&model);
            assert!(judged(&other).is_err(), "seed {seed}, {other:?}\n{}", text());
            n_wrong += 1;
        }
    }
    assert!(n_found > seeds::least(400) && n_proved * 10 >= n_found * 9, "{n_proved} of {n_found} are proved");
    assert!(
        n_others > seeds::least(800) && n_compared > seeds::least(200) && n_wrong > seeds::least(4_000),
        "{n_compared} {n_wrong}"
    );
}
