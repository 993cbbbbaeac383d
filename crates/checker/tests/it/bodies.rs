//! Random bodies with loops, local variables and starts: the checker takes the steps that trying everything finds.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::common::build;
use crate::common::diagrams::diagram;
use lapidary_base::Control;
use lapidary_checker::{Backend, Means, Rejection, certify_model, eval, replay_model_run, step};
use lapidary_ir::{CommandId, Model, PropertyId, PropertyKind, VarId};
use lapidary_reference::bodies::{self, Shape, State};
use lapidary_reference::dice::Dice;
use lapidary_reference::seeds;
use lapidary_verdict::{Certificate, Trace};

#[test]
fn the_interpreter_takes_the_steps_that_trying_everything_finds() {
    let (mut n_steps, mut n_blocked) = (0, 0);
    for seed in seeds::of(0..1_000) {
        let model = bodies::model(seed, Shape::default());
        let all = bodies::states(&model);
        let mut dice = Dice::new(seed);
        for _ in 0..12 {
            let from = &all[dice.below(all.len())];
            for command in model.commands.ids() {
                let expected = bodies::steps(&model, command, from);
                let found = step::successors(&model, command, from).expect("few states");
                let found: BTreeSet<State> = found.into_iter().map(Vec::from).collect();
                assert_eq!(found, expected, "seed {seed}, {from:?}\n{}", lapidary_ir::print::model(&model));
                let other = &all[dice.below(all.len())];
                for to in expected.iter().chain([other]) {
                    assert_eq!(step::is_step(&model, command, from, to), Ok(expected.contains(to)), "seed {seed}");
                }
                n_steps += expected.len();
                n_blocked += usize::from(expected.is_empty());
            }
        }
    }
    assert!(n_steps > seeds::least(10_000) && n_blocked > seeds::least(2_000), "{n_steps} {n_blocked}");
}

/// All configurations with their steps.
struct Table {
    initial: BTreeSet<State>,
    next: BTreeMap<State, BTreeMap<CommandId, BTreeSet<State>>>,
}

impl Table {
    fn new(model: &Model) -> Self {
        let configurations =
            bodies::states(model).into_iter().filter(|state| bodies::keeps_invariant(model, state)).collect::<Vec<_>>();
        let steps = |state: &State| model.commands.ids().map(|id| (id, bodies::steps(model, id, state))).collect();
        let next = configurations.into_iter().map(|state| (state.clone(), steps(&state))).collect();
        Self { initial: bodies::initial(model), next }
    }

    fn successors<'a>(&'a self, state: &State) -> impl Iterator<Item = &'a State> + use<'a> {
        self.next[state].values().flatten()
    }

    fn reachable(&self) -> BTreeSet<State> {
        let mut found = self.initial.clone();
        let mut open: Vec<State> = found.iter().cloned().collect();
        while let Some(state) = open.pop() {
            open.extend(self.successors(&state).filter(|next| found.insert((*next).clone())).cloned());
        }
        found
    }

    fn is_proof(&self, model: &Model, set: &BTreeSet<State>, property: PropertyId) -> bool {
        let spoils = |state: &State| match &model.properties[property].kind {
            PropertyKind::Invariant(formula) => eval::truth(model, *formula, state) != Ok(true),
            PropertyKind::DeadlockFree => {
                self.next[state].iter().all(|(&id, ends)| model.commands[id].is_idle || ends.is_empty())
            }
            kind => panic!("{kind:?}"),
        };
        // What a set says of states that are no configurations does not matter.
        let mut members = set.iter().filter(|state| self.next.contains_key(*state));
        self.initial.is_subset(set)
            && members.all(|state| self.successors(state).all(|next| set.contains(next)) && !spoils(state))
    }
}

/// The reachable states, or one less, or some more.
fn set(model: &Model, table: &Table, dice: &mut Dice) -> BTreeSet<State> {
    let mut set = table.reachable();
    match dice.below(3) {
        0 => {
            let lost = set.iter().nth(dice.below(set.len().max(1))).cloned();
            lost.map(|lost| set.remove(&lost));
        }
        1 => {
            let all = bodies::states(model);
            set.extend((0..1 + dice.below(3)).map(|_| all[dice.below(all.len())].clone()));
        }
        _ => {}
    }
    set
}

/// What trying everything says of a random set is what the checker says of the certificate that is made of it.
fn judge(seeds: std::ops::Range<u64>, certificate: impl Fn(&Model, &[State], &mut Dice) -> Certificate) {
    let (mut n_accepted, mut n_rejected) = (0, 0);
    for seed in seeds::of(seeds) {
        let model = bodies::model(seed, Shape::default());
        let (table, mut dice) = (Table::new(&model), Dice::new(seed));
        let set = set(&model, &table, &mut dice);
        let listed: Vec<State> = set.iter().cloned().collect();
        let certificate = certificate(&model, &listed, &mut dice);
        for property in model.properties.ids() {
            let expected = table.is_proof(&model, &set, property);
            let found =
                certify_model(&model, &[property], &certificate, &Means::new(&Backend::default(), &Control::new()));
            if let Err(Rejection::Stopped(stop)) = &found {
                panic!("seed {seed}: {stop}");
            }
            let name = &model.properties[property].name;
            let text = || lapidary_ir::print::model(&model);
            assert_eq!(found.is_ok(), expected, "seed {seed}, {name}: {found:?}\n{}", text());
            if expected { n_accepted += 1 } else { n_rejected += 1 }
        }
    }
    assert!(n_accepted > seeds::least(150) && n_rejected > seeds::least(150), "{n_accepted} {n_rejected}");
}

#[test]
fn enumerations_are_judged_as_trying_everything_does() {
    judge(10_000..10_400, |model, states, dice| {
        let [least, high, wide] = build::layouts(model);
        let layout = dice.pick(&[least, high, wide]);
        // Listed states are judged whether they are configurations or not.
        let states: Vec<&State> = states.iter().filter(|state| bodies::keeps_invariant(model, state)).collect();
        Certificate::Enumeration(Arc::new(build::enumeration_in(layout, &states)))
    });
}

#[test]
fn diagrams_are_judged_as_trying_everything_does() {
    judge(20_000..20_400, |model, states, dice| {
        let mut order: Vec<VarId> = model.vars.ids().filter(|&var| !model.is_local(var)).collect();
        dice.shuffle(&mut order);
        Certificate::Diagram(Arc::new(diagram(&order, states)))
    });
}

#[test]
fn runs_are_replayed_from_initial_states_only() {
    let (mut n_starts, mut n_others) = (0, 0);
    for seed in seeds::of(30_000..30_400) {
        let model = bodies::model(seed, Shape::default());
        let (initial, all, mut dice) = (bodies::initial(&model), bodies::states(&model), Dice::new(seed));
        let some = initial.iter().step_by(initial.len() / 4 + 1).chain((0..6).map(|_| &all[dice.below(all.len())]));
        for state in some.collect::<Vec<_>>() {
            let trace = Trace { states: vec![state.clone().into()], actions: Vec::new(), loop_start: None };
            let expected = initial.contains(state);
            assert_eq!(replay_model_run(&model, &trace).is_ok(), expected, "seed {seed}, {state:?}");
            if expected { n_starts += 1 } else { n_others += 1 }
        }
    }
    assert!(n_starts > seeds::least(500) && n_others > seeds::least(500), "{n_starts} {n_others}");
}
