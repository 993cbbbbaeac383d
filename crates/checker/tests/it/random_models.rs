//! Random small models: exactly the sets that contain the initial states, are closed and miss the target are accepted.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::common::{build, naive};
use lapidary_base::Control;
use lapidary_checker::{Backend, Means, Rejection, certify_model, step};
use lapidary_ir::model::Raw;
use lapidary_ir::{Model, PropertyId};
use lapidary_reference::bodies;
use lapidary_reference::dice::Dice;
use lapidary_reference::seeds;
use lapidary_verdict::{Certificate, Checked};

/// The answer, which must not depend on how the states are packed.
fn certified(model: &Model, properties: &[PropertyId], states: &[Vec<Raw>], jobs: usize) -> Result<(), Rejection> {
    let answers = build::layouts(model).map(|layout| {
        let certificate = Certificate::Enumeration(Arc::new(build::enumeration_in(layout, states)));
        let (solver, control) = (Backend::default(), Control::new());
        certify_model(model, properties, &certificate, &Means { jobs, ..Means::new(&solver, &control) })
    });
    assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:?}");
    let [answer, ..] = answers;
    assert_eq!(answer.clone().unwrap_or(Checked::Fully), Checked::Fully);
    answer.map(|_| ())
}

/// Calls `check` on many models with their reachable states and the properties that these do not spoil.
fn for_random_models(seeds: std::ops::Range<u64>, check: impl Fn(&Model, &[Vec<Raw>], &[PropertyId], &mut Dice)) {
    for seed in seeds::of(seeds) {
        let mut dice = Dice::new(seed);
        let model = bodies::guarded(&mut dice);
        let reachable = naive::reachable(&model);
        let is_proved = |id: &PropertyId| !reachable.iter().any(|state| naive::is_target(&model, *id, state));
        let proved: Vec<PropertyId> = model.properties.ids().filter(is_proved).collect();
        check(&model, &reachable, &proved, &mut dice);
    }
}

#[test]
fn the_reachable_states_prove_exactly_the_properties_that_they_do_not_spoil() {
    for_random_models(0..150, |model, reachable, proved, _| {
        assert_eq!(certified(model, proved, reachable, 2), Ok(()), "{}", model.name);
        for id in model.properties.ids() {
            assert_eq!(certified(model, &[id], reachable, 1).is_ok(), proved.contains(&id));
        }
    });
}

#[test]
fn a_set_without_one_of_the_reachable_states_is_rejected() {
    for_random_models(300..450, |model, reachable, proved, dice| {
        for _ in 0..reachable.len().min(6) {
            let mut states = reachable.to_vec();
            let removed = states.remove(dice.below(states.len()));
            let rejection = certified(model, proved, &states, 2).expect_err("a hole in the set");
            let Rejection::Wrong(why) = &rejection else { panic!("{rejection:?}") };
            let what = if naive::is_initial(model, &removed) { "is not listed" } else { "which is not listed" };
            assert!(why.contains(what), "{why}");
            assert_eq!(certified(model, proved, &states, 1), Err(rejection), "one and two threads say the same");
        }
    });
}

#[test]
fn a_larger_set_is_accepted_if_it_is_closed_and_misses_the_target() {
    for_random_models(600..750, |model, reachable, proved, dice| {
        let all = bodies::states(model);
        for _ in 0..12 {
            let extra = &all[dice.below(all.len())];
            if reachable.contains(extra) {
                continue;
            }
            let states = [reachable, std::slice::from_ref(extra)].concat();
            let closed = naive::successors(model, extra).iter().all(|state| states.contains(state));
            let fine = !proved.iter().any(|&id| naive::is_target(model, id, extra));
            assert_eq!(certified(model, proved, &states, 2).is_ok(), closed && fine);
        }
    });
}

#[test]
fn single_steps_are_recognised_exactly_where_they_are_listed() {
    for_random_models(900..1000, |model, reachable, _, dice| {
        let all = bodies::states(model);
        for _ in 0..20 {
            let Some(from) = reachable.get(dice.below(reachable.len().max(1))) else { return };
            for command in model.commands.ids() {
                let listed: BTreeSet<_> = step::successors(model, command, from).unwrap().into_iter().collect();
                let other = &all[dice.below(all.len())];
                let candidates = listed.iter().map(|state| state.to_vec()).chain([other.clone()]);
                for to in candidates {
                    assert_eq!(step::is_step(model, command, from, &to), Ok(listed.contains(&to[..])));
                }
            }
        }
    });
}
