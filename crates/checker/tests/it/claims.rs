//! What a certificate is to show beside a verdict, and initial states that conditions determine by equations.

use std::sync::Arc;

use crate::common::build::{self, add_guarded, add_property, add_var, fault, set};
use crate::common::judge::{judge_states, wrong};
use lapidary_base::Control;
use lapidary_checker::{Backend, Claim, Means, Rejection, certify_model_claims};
use lapidary_ir::{Domain, Model, PropertyId, PropertyKind};
use lapidary_verdict::{Certificate, Checked};

/// `x: 0..3 = 0`, `up: x < last -> x := x + 1`; `reach p: x = 1`, whose evaluation errs where x = 3.
fn climb(last: i64) -> (Model, PropertyId) {
    let mut model = Model::default();
    let x = add_var(&mut model, "x", Domain::Range { lo: 0, hi: 3 });
    let e = &model.exprs;
    let vx = e.var(x);
    let (guard, next) = (e.lt(vx, e.int(last)), e.add([vx, e.int(1)]));
    let (goal, errs) = (e.eq(vx, e.int(1)), e.eq(vx, e.int(3)));
    model.init = vec![e.eq(vx, e.int(0))];
    add_guarded(&mut model, "up", guard, vec![set(x, next)]);
    let property = add_property(&mut model, "p", PropertyKind::Reach(goal));
    model.properties[property].faults.push(fault(errs, "x is 3"));
    (model, property)
}

fn claim(model: &Model, claim: Claim, states: &[[i64; 1]]) -> Result<Checked, Rejection> {
    let certificate = Certificate::Enumeration(Arc::new(build::enumeration(model, states)));
    certify_model_claims(model, &[claim], &certificate, &Means::new(&Backend::default(), &Control::new()))
}

#[test]
fn a_reached_goal_is_no_objection_to_the_claim_that_nothing_errs() {
    let (model, property) = climb(2);
    let states = [[0], [1], [2]];
    assert_eq!(claim(&model, Claim::NeverErrs(property), &states), Ok(Checked::Fully));
    assert_eq!(claim(&model, Claim::Decides(property), &states), wrong("state 1 (x=1) satisfies p"));
}

#[test]
fn a_member_that_errs_is_an_objection_to_the_claim_that_nothing_errs() {
    let (model, property) = climb(3);
    let states = [[0], [1], [2], [3]];
    assert_eq!(claim(&model, Claim::NeverErrs(property), &states), wrong("state 3 (x=3) errs in p: x is 3"));
}

#[test]
fn initial_states_that_equations_determine_must_all_be_listed() {
    let mut model = Model::default();
    let x = add_var(&mut model, "x", Domain::Int);
    let y = add_var(&mut model, "y", Domain::Range { lo: 0, hi: 2 });
    let e = &model.exprs;
    let always = e.le(e.int(1), e.var(x));
    model.init = vec![e.eq(e.var(x), e.add([e.var(y), e.int(1)]))];
    let property = add_property(&mut model, "p", PropertyKind::Invariant(always));
    assert_eq!(judge_states(&model, &[property], &[[1, 0], [2, 1], [3, 2]]), Ok(Checked::Fully));
    let missing = judge_states(&model, &[property], &[[1, 0], [3, 2]]);
    assert_eq!(missing, wrong("the initial state (x=2 y=1) is not listed"));
}
