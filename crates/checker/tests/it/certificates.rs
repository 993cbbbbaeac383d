//! Wrong certificates, each rejected for its own reason, beside the right ones that they were made from.

use std::sync::Arc;
use std::time::Duration;

use crate::common::build::{self, add_command, add_guarded, add_property, add_var, fault, set, set_any};
use crate::common::judge::{judge, judge_states, wrong};
use crate::common::{lift, naive};
use lapidary_base::{Control, Stop};
use lapidary_checker::{Backend, Budget, Means, Rejection, certify_model};
use lapidary_ir::model::Raw;
use lapidary_ir::{Domain, Ltl, Model, PropertyId, PropertyKind, Statement, VarId};
use lapidary_verdict::{Certificate, Checked, Layout};

const X: VarId = VarId(0);
const Y: VarId = VarId(1);

const APART: PropertyId = PropertyId(0);
const FAR: PropertyId = PropertyId(1);
const PROGRESS: PropertyId = PropertyId(2);
const NO_ERRORS: PropertyId = PropertyId(3);
const ALL: [PropertyId; 4] = [APART, FAR, PROGRESS, NO_ERRORS];

/// `x: 0..5 = 0, y: 0..5`, initially `y < 2`; `up: x < 2 -> x := x + 1`, `back: x = 2 -> x := 0`.
fn rounds() -> Model {
    let mut model = Model::default();
    let x = add_var(&mut model, "x", Domain::Range { lo: 0, hi: 5 });
    let y = add_var(&mut model, "y", Domain::Range { lo: 0, hi: 5 });
    let e = &model.exprs;
    let (vx, vy, zero, two) = (e.var(x), e.var(y), e.int(0), e.int(2));
    let (below, at_end, next) = (e.lt(vx, two), e.eq(vx, two), e.add([vx, e.int(1)]));
    let (apart, far) = (e.le(e.add([vx, vy]), e.int(3)), e.lt(e.int(3), vx));
    let over = e.lt(e.int(4), vx);
    model.init = vec![e.eq(vx, zero), e.lt(vy, two)];
    let up = add_guarded(&mut model, "up", below, vec![set(x, next)]);
    add_guarded(&mut model, "back", at_end, vec![set(x, zero)]);
    model.commands[up].faults.push(fault(over, "x + 1 is outside 0..5"));
    add_property(&mut model, "apart", PropertyKind::Invariant(apart));
    add_property(&mut model, "far", PropertyKind::Reach(far));
    add_property(&mut model, "progress", PropertyKind::DeadlockFree);
    add_property(&mut model, "no_errors", PropertyKind::NoErrors);
    model
}

/// The reachable states of [`rounds`].
fn reached() -> Vec<[Raw; 2]> {
    (0..3).flat_map(|x| (0..2).map(move |y| [x, y])).collect()
}

#[test]
fn a_closed_set_without_targets_is_accepted() {
    assert_eq!(judge_states(&rounds(), &ALL, &reached()), Ok(Checked::Fully));
    let larger = [reached(), vec![[2, 2]]].concat();
    assert_eq!(judge_states(&rounds(), &[FAR], &[larger, vec![[0, 2], [1, 2]]].concat()), Ok(Checked::Fully));
}

#[test]
fn a_state_that_is_listed_twice_does_no_harm() {
    assert_eq!(judge_states(&rounds(), &ALL, &[reached(), reached()].concat()), Ok(Checked::Fully));
}

#[test]
fn the_lift_with_three_floors_is_certified_by_its_reachable_states() {
    let model = lift::lift(3);
    let properties: Vec<_> = model.properties.ids().collect();
    let reachable = naive::reachable(&model);
    assert_eq!(judge_states(&model, &properties, &reachable), Ok(Checked::Fully));
}

#[test]
fn all_initial_states_are_listed() {
    let without: Vec<_> = reached().into_iter().filter(|state| *state != [0, 1]).collect();
    assert_eq!(judge_states(&rounds(), &ALL, &without), wrong("the initial state (x=0 y=1) is not listed"));
    assert_eq!(judge_states::<[Raw; 2]>(&rounds(), &ALL, &[]), wrong("the initial state (x=0 y=0) is not listed"));
}

#[test]
fn all_successors_are_listed() {
    let without: Vec<_> = reached().into_iter().filter(|state| *state != [1, 0]).collect();
    let why = "state 0 (x=0 y=0) leads by up to (x=1 y=0), which is not listed";
    assert_eq!(judge_states(&rounds(), &ALL, &without), wrong(why));
}

#[test]
fn the_objection_to_the_lowest_state_comes_first() {
    // State 0 lacks its successor, which is noticed later than the target in state 1.
    let states = [[0, 1], [2, 3], [0, 0]];
    let why = "state 0 (x=0 y=1) leads by up to (x=1 y=1), which is not listed";
    assert_eq!(judge_states(&rounds(), &[APART], &states), wrong(why));
}

#[test]
fn no_member_is_a_target() {
    let with = |states: &[[Raw; 2]]| [&reached(), states].concat();
    let high = with(&[[0, 3], [1, 3], [2, 3]]);
    assert_eq!(judge_states(&rounds(), &[APART], &high), wrong("state 7 (x=1 y=3) violates apart"));
    assert_eq!(judge_states(&rounds(), &[FAR], &with(&[[4, 0]])), wrong("state 6 (x=4 y=0) satisfies far"));
    let why = "state 6 (x=4 y=0) has no step, against progress";
    assert_eq!(judge_states(&rounds(), &[PROGRESS], &with(&[[4, 0]])), wrong(why));
    let why = "state 6 (x=5 y=0): up would err: x + 1 is outside 0..5";
    assert_eq!(judge_states(&rounds(), &[NO_ERRORS], &with(&[[5, 0]])), wrong(why));
    assert_eq!(judge_states(&rounds(), &[NO_ERRORS], &with(&[[4, 0]])), Ok(Checked::Fully));
}

#[test]
fn members_in_which_a_property_errs_are_targets() {
    let mut model = rounds();
    for property in [APART, FAR] {
        let when = model.exprs.eq(model.exprs.var(Y), model.exprs.int(1));
        model.properties[property].faults = vec![fault(when, "index y")];
    }
    assert_eq!(judge_states(&model, &[APART], &reached()), wrong("state 1 (x=0 y=1) errs in apart: index y"));
    assert_eq!(judge_states(&model, &[FAR], &reached()), wrong("state 1 (x=0 y=1) errs in far: index y"));
}

#[test]
fn formulas_without_value_prove_nothing() {
    let mut model = rounds();
    let e = &model.exprs;
    let formula = e.eq(e.modulo(e.int(1), e.var(X)), e.int(7));
    model.properties[FAR].kind = PropertyKind::Reach(formula);
    let why = "state 0 (x=0 y=0): far has no value, but none of its faults says why";
    assert_eq!(judge_states(&model, &[FAR], &reached()), wrong(why));
}

#[test]
fn states_are_well_formed() {
    let mut listed = build::enumeration(&rounds(), &[reached(), vec![[0, 0]]].concat());
    listed.chunks[1][1] |= 1 << 6;
    assert_eq!(judge(&rounds(), &ALL, listed), wrong("state 6 has bits outside of all fields"));
    let with_seven = [reached(), vec![[0, 7]]].concat();
    let why = "state 6 is malformed: y is 7, outside 0..5";
    assert_eq!(judge_states(&rounds(), &ALL, &with_seven), wrong(why));
}

/// A certificate of [`rounds`] whose layout was changed.
fn with_layout(change: impl Fn(&mut Layout)) -> Result<Checked, Rejection> {
    let mut listed = build::enumeration(&rounds(), &reached());
    change(&mut listed.layout);
    judge(&rounds(), &ALL, listed)
}

#[test]
fn layouts_fit_the_model() {
    let overlap = with_layout(|layout| layout.fields[Y].shift = 2);
    assert_eq!(overlap, wrong("the fields of x and y overlap"));
    let narrow = with_layout(|layout| layout.fields[Y].bits = 2);
    assert_eq!(narrow, wrong("the field of y is too narrow for 0..5: 2 bits from 0"));
    let shifted = with_layout(|layout| layout.fields[Y].lo = 1);
    assert_eq!(shifted, wrong("the field of y is too narrow for 0..5: 3 bits from 1"));
    let crossing = with_layout(|layout| layout.fields[Y].shift = 62);
    assert_eq!(crossing, wrong("the field of y crosses the end of its word: 3 bits from bit 62"));
    let wide = with_layout(|layout| layout.fields[Y].bits = 65);
    assert_eq!(wide, wrong("the field of y crosses the end of its word: 65 bits from bit 3"));
    let beyond = with_layout(|layout| layout.fields[Y].word = 1);
    assert_eq!(beyond, wrong("the field of y lies in word 1 of 1"));
    let missing = with_layout(|layout| layout.fields = vec![layout.fields[X]].into());
    assert_eq!(missing, wrong("the layout has 1 fields for 2 variables"));
    assert_eq!(with_layout(|layout| layout.words = 0), wrong("the layout has no words"));
}

#[test]
fn chunks_hold_the_claimed_number_of_whole_states() {
    let mut listed = build::enumeration(&rounds(), &reached());
    listed.layout.words = 2;
    assert_eq!(judge(&rounds(), &ALL, listed), wrong("chunk 0 has 5 words, not a multiple of 2"));
    let mut listed = build::enumeration(&rounds(), &reached());
    listed.n_states = 7;
    assert_eq!(judge(&rounds(), &ALL, listed), wrong("the certificate lists 6 states but claims 7"));
}

#[test]
fn values_outside_a_domain_are_no_steps() {
    let mut model = rounds();
    let e = &model.exprs;
    let (always, far, beyond) = (e.bool(true), e.int(6), e.add([e.var(X), e.int(6)]));
    add_guarded(&mut model, "constant", always, vec![set(X, far)]);
    add_guarded(&mut model, "computed", always, vec![set(X, beyond)]);
    assert_eq!(judge_states(&model, &ALL, &reached()), Ok(Checked::Fully));
}

#[test]
fn steps_that_break_the_models_invariant_are_not_taken() {
    let mut model = rounds();
    let e = &model.exprs;
    model.invariant = vec![e.lt(e.var(X), e.int(2))];
    let states = [[0, 0], [0, 1], [1, 0], [1, 1]];
    assert_eq!(judge_states(&model, &[APART, FAR, NO_ERRORS], &states), Ok(Checked::Fully));
    let why = "state 2 (x=1 y=0) has no step, against progress";
    assert_eq!(judge_states(&model, &[PROGRESS], &states), wrong(why));
}

#[test]
fn steps_that_change_nothing_are_steps() {
    let mut model = rounds();
    model.commands = Default::default();
    add_command(&mut model, "stay", Statement::Skip);
    assert_eq!(judge_states(&model, &[PROGRESS], &[[0, 0], [0, 1]]), Ok(Checked::Fully));
}

#[test]
fn a_small_budget_is_spent_on_a_sample_that_depends_on_the_seed_only() {
    let model = lift::lift(3);
    let properties: Vec<_> = model.properties.ids().collect();
    let mut reachable = naive::reachable(&model);
    let budget = Budget { units: 10_000, ..Budget::default() };
    let judged = |states: &[Vec<Raw>], jobs| {
        let certificate = Certificate::Enumeration(Arc::new(build::enumeration(&model, states)));
        let (solver, control) = (Backend::default(), Control::new());
        certify_model(&model, &properties, &certificate, &Means { budget, jobs, ..Means::new(&solver, &control) })
    };
    let full = judged(&reachable, 1);
    assert!(matches!(full, Ok(Checked::Sample(1..=50))), "{full:?}");
    // Even a sample sees every initial state.
    let initial = reachable.remove(0);
    assert!(matches!(judged(&reachable, 1), Err(Rejection::Wrong(why)) if why.starts_with("the initial state")));
    // Without half of the states, any sample finds a hole, and always the same.
    let half: Vec<_> = [vec![initial], reachable.into_iter().step_by(2).collect()].concat();
    assert!(matches!(judged(&half, 1), Err(Rejection::Wrong(why)) if why.ends_with("which is not listed")));
    assert_eq!(judged(&half, 1), judged(&half, 2));
}

#[test]
fn what_a_command_might_do_counts_only_if_it_does_it() {
    let mut model = lift::lift(3);
    let properties: Vec<_> = model.properties.ids().collect();
    let states: Vec<_> = naive::reachable(&model).into_iter().map(|state| [state, vec![0]].concat()).collect();
    assert!(states.len() > 2000, "more than a sample has at least");
    let z = add_var(&mut model, "z", Domain::Range { lo: 0, hi: 1 << 40 });
    let e = &model.exprs.clone();
    model.init.push(e.eq(e.var(z), e.int(0)));
    let never = e.lt(e.var(X), e.int(0));
    add_guarded(&mut model, "input", never, vec![set_any(z)]);
    assert_eq!(judge_states(&model, &properties, &states), Ok(Checked::Fully));
}

#[test]
fn limits_stop_the_check() {
    let certificate = Certificate::Enumeration(Arc::new(build::enumeration(&rounds(), &reached())));
    let control = Control::new().with_timeout(Some(Duration::ZERO));
    let means = Means { jobs: 2, ..Means::new(&Backend::Nothing, &control) };
    let answer = certify_model(&rounds(), &ALL, &certificate, &means);
    assert_eq!(answer, Err(Rejection::Stopped(Stop::Timeout)));
}

#[test]
fn temporal_and_unknown_properties_are_not_certified() {
    let mut model = rounds();
    let always = model.exprs.bool(true);
    let live = add_property(&mut model, "live", PropertyKind::Ltl(Ltl::State(always)));
    let why = "unsupported evidence: live is a temporal property";
    assert_eq!(judge_states(&model, &[APART, live], &reached()), wrong(why));
    let why = "the model has no property number 5";
    assert_eq!(judge_states(&model, &[PropertyId(5)], &reached()), wrong(why));
}
