//! Random models and random sets: a diagram is accepted exactly if the definitions say so.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::common::diagrams::diagram;
use crate::common::flows::with_flows;
use crate::common::naive;
use lapidary_base::Control;
use lapidary_checker::{Backend, Means, Rejection, certify_model};
use lapidary_ir::model::Raw;
use lapidary_ir::{Model, VarId};
use lapidary_reference::bodies::states;
use lapidary_reference::dice::Dice;
use lapidary_reference::seeds;
use lapidary_verdict::Certificate;

type State = Vec<Raw>;

/// The reachable states, or a few more, or a few less.
fn set(model: &Model, dice: &mut Dice) -> BTreeSet<State> {
    let mut set: BTreeSet<State> = naive::reachable(model).into_iter().collect();
    let all = states(model);
    match dice.below(4) {
        0 => {
            let lost = dice.below(set.len().max(1));
            let lost = set.iter().nth(lost).cloned();
            lost.map(|lost| set.remove(&lost));
        }
        1 => set.extend((0..3).map(|_| dice.pick(&all))),
        _ => {}
    }
    set
}

/// Why the set proves nothing about a property, straight from the definitions.
fn is_proof(model: &Model, set: &BTreeSet<State>, property: lapidary_ir::PropertyId) -> bool {
    let keeps = |state: &State| lapidary_checker::step::keeps_invariant(model, state) == Some(true);
    let initial = states(model).into_iter().filter(|state| naive::is_initial(model, state));
    let mut members = set.iter().filter(|state| keeps(state));
    initial.into_iter().all(|state| set.contains(&state))
        && members.all(|state| {
            naive::successors(model, state).iter().all(|next| set.contains(next))
                && !naive::is_target(model, property, state)
        })
}

#[test]
fn diagrams_are_judged_as_the_definitions_say() {
    let (mut n_accepted, mut n_rejected) = (0, 0);
    for seed in seeds::of(0..150) {
        let mut dice = Dice::new(seed);
        let model = with_flows(&mut dice);
        let set = set(&model, &mut dice);
        let mut order: Vec<VarId> = model.vars.ids().collect();
        dice.shuffle(&mut order);
        let states: Vec<State> = set.iter().cloned().collect();
        let certificate = Certificate::Diagram(Arc::new(diagram(&order, &states)));
        for property in model.properties.ids() {
            let expected = is_proof(&model, &set, property);
            let found =
                certify_model(&model, &[property], &certificate, &Means::new(&Backend::default(), &Control::new()));
            match found {
                Ok(_) => n_accepted += 1,
                Err(Rejection::Wrong(_)) => n_rejected += 1,
                Err(Rejection::Stopped(ref stop)) => panic!("seed {seed}: {stop}"),
            }
            let name = &model.properties[property].name;
            assert_eq!(found.is_ok(), expected, "seed {seed}, {name}: {found:?}");
        }
    }
    assert!(
        n_accepted > seeds::least(60) && n_rejected > seeds::least(60),
        "{n_accepted} accepted, {n_rejected} rejected"
    );
}
