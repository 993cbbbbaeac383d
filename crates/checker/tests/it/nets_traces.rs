//! Runs of nets: right ones are accepted, and whatever is not a firing is rejected.

use expect_test::{Expect, expect};
use lapidary_base::{Control, Stop};
use lapidary_checker::{Rejection, replay_net, replay_net_run};
use lapidary_ir::{Action, CommandId, Net, PropertyKind, Range, Transition};
use lapidary_verdict::{Trace, Verdict};

use crate::common::nets::{
    P, Q, R, S, add_property, all, at_least, avoids, exactly, guard, moves, net, one, transition,
};

fn trace(states: &[&[i64]], actions: &[u32]) -> Trace {
    let states = states.iter().map(|state| (*state).into()).collect();
    Trace {
        states,
        actions: actions.iter().map(|&action| Action::Command(CommandId(action))).collect(),
        loop_start: None,
    }
}

fn run(net: &Net, states: &[&[i64]], actions: &[u32]) -> Result<(), Rejection> {
    replay_net_run(net, &avoids(net, &[]).0, &trace(states, actions), &Control::new())
}

#[track_caller]
fn is_run(net: &Net, states: &[&[i64]], actions: &[u32]) {
    assert_eq!(run(net, states, actions), Ok(()));
}

fn is_none(net: &Net, states: &[&[i64]], actions: &[u32], expect: Expect) {
    expect.assert_eq(&run(net, states, actions).expect_err("no run").to_string());
}

/// One transition, and one step of it.
fn step(transition: Transition, from: &[i64], to: &[i64]) -> bool {
    let initial: Vec<Range> = from.iter().take(4).map(|&tokens| Range::exactly(tokens as u64)).collect();
    run(&net(&initial, vec![transition]), &[from, to], &[0]).is_ok()
}

fn lock() -> Net {
    let enter = moves("enter", &[(P, 1), (R, 1)], &[(Q, 1)]);
    let leave = moves("leave", &[(Q, 1)], &[(P, 1), (R, 1)]);
    net(&[Range::at_least(1), Range::exactly(0), Range { lo: 1, hi: Some(2) }], vec![enter, leave])
}

#[test]
fn a_run_starts_initially_and_fires_what_it_says() {
    is_run(&lock(), &[&[5, 0, 1]], &[]);
    is_run(&lock(), &[&[2, 0, 1], &[1, 1, 0], &[2, 0, 1]], &[0, 1]);
    is_none(&lock(), &[&[0, 0, 1]], &[], expect!["state 0 is not initial: p has 0 tokens, not 1 to any number"]);
    is_none(&lock(), &[&[1, 0, 3]], &[], expect!["state 0 is not initial: r has 3 tokens, not 1 to 2"]);
    is_none(&lock(), &[&[1, 0, 0]], &[], expect!["state 0 is not initial: r has 0 tokens, not 1 to 2"]);
    is_none(&lock(), &[&[2, 0, 1], &[1, 1, 0]], &[1], expect!["step 1: leave is not enabled: q has 0 tokens"]);
    is_none(&lock(), &[&[2, 0, 1], &[1, 2, 0]], &[0], expect!["step 1: enter leads elsewhere: q is 2, expected 1"]);
    is_none(&lock(), &[&[2, 0, 1], &[2, 1, 0]], &[0], expect!["step 1: enter leads elsewhere: p is 2, expected 1"]);
    is_none(&lock(), &[&[1, 0, 1], &[0, 1, 0], &[-1, 2, -1]], &[0, 0], expect!["state 2: p has -1 tokens"]);
    is_none(
        &lock(),
        &[&[1, 0, 1], &[0, 1, 0], &[0, 1, 0]],
        &[0, 0],
        expect!["step 2: enter is not enabled: p has 0 tokens"],
    );
}

#[test]
fn a_trace_of_another_form_is_refused() {
    is_none(&lock(), &[], &[], expect!["the trace has no states"]);
    is_none(&lock(), &[&[2, 0, 1]], &[0], expect!["the trace has 1 states and 1 actions, it needs one action less"]);
    is_none(&lock(), &[&[2, 0, 1], &[1, 1, 0]], &[2], expect!["the model has no command number 2"]);
    is_none(&lock(), &[&[2, 0]], &[], expect!["state 0: 2 values for 3 variables"]);
    is_none(&lock(), &[&[2, 0, 1, 0]], &[], expect!["state 0: 4 values for 3 variables"]);
    let with_loop = Trace { loop_start: Some(0), ..trace(&[&[2, 0, 1]], &[]) };
    assert!(replay_net_run(&lock(), &avoids(&lock(), &[]).0, &with_loop, &Control::new()).is_err());
}

#[test]
fn guards_hold_before_a_step() {
    let t = |lo, hi| Transition { guards: vec![guard(P, lo, hi)], ..moves("t", &[(P, 1)], &[(Q, 1)]) };
    assert!(step(t(2, None), &[2, 0], &[1, 1]) && !step(t(2, None), &[1, 0], &[0, 1]));
    assert!(step(t(0, Some(2)), &[2, 0], &[1, 1]) && !step(t(0, Some(2)), &[3, 0], &[2, 1]));
    let zero = Transition { guards: vec![guard(P, 0, Some(0))], put: vec![(Q, 1)], ..transition("t") };
    assert!(step(zero.clone(), &[0, 0], &[0, 1]) && !step(zero, &[1, 0], &[1, 1]));
}

#[test]
fn flows_move_what_is_left_all_at_once() {
    let swap = vec![all(P, &[(Q, 1)]), all(Q, &[(P, 1)])];
    let t = Transition { flows: swap, ..moves("t", &[(P, 1)], &[(P, 1), (R, 2)]) };
    assert!(step(t.clone(), &[4, 7, 0], &[8, 3, 2]));
    for wrong in [[7, 3, 2], [8, 4, 2], [8, 3, 0], [4, 7, 2], [11, 0, 2], [8, 3, 3]] {
        assert!(!step(t.clone(), &[4, 7, 0], &wrong), "{wrong:?}");
    }
    let reset = Transition { flows: vec![all(P, &[])], ..transition("t") };
    assert!(step(reset.clone(), &[4, 1], &[0, 1]) && !step(reset, &[4, 1], &[1, 1]));
    let copy = Transition { flows: vec![all(P, &[(P, 1), (Q, 3)])], ..transition("t") };
    assert!(step(copy.clone(), &[4, 1], &[4, 13]) && !step(copy, &[4, 1], &[4, 5]));
}

#[test]
fn a_negative_put_takes_from_what_has_arrived() {
    let t = Transition { flows: vec![all(P, &[(Q, 1)])], put: vec![(Q, -2)], ..transition("t") };
    assert!(step(t.clone(), &[2, 1], &[0, 1]) && step(t.clone(), &[2, 0], &[0, 0]));
    assert!(!step(t.clone(), &[1, 0], &[0, 0]) && !step(t, &[2, 1], &[0, 3]));
}

#[test]
fn some_distribution_must_explain_what_tokens_chose() {
    let t = || Transition { flows: vec![one(P, &[Q, R]), one(S, &[P, Q])], ..transition("t") };
    // The model has two variables behind the four places.
    let choose = |to: [i64; 4]| {
        let [p, q, r, s] = to;
        step(t(), &[2, 1, 0, 3, 0, 0], &[p, q, r, s, 0, 0])
    };
    assert!(choose([3, 3, 0, 0]) && choose([0, 6, 0, 0]) && choose([0, 4, 2, 0]) && choose([2, 3, 1, 0]));
    for wrong in [[4, 2, 0, 0], [0, 3, 3, 0], [3, 2, 0, 0], [3, 2, 1, 1], [3, 0, 3, 0], [0, 7, 0, 0], [6, 0, 0, 0]] {
        assert!(!choose(wrong), "{wrong:?}");
    }
    assert!(step(t(), &[2, 1, 0, 3, 0, 0], &[3, 2, 1, 0, 0, 0]));
    assert!(!step(t(), &[2, 1, 0, 3, 0, 0], &[3, 2, 1, 0, 1, 0]));
    assert!(!step(t(), &[2, 1, 0, 3, 0, 1], &[3, 2, 1, 0, 0, 0]));
    assert!(!step(t(), &[2, 1, 0, 3], &[3, 2, 1, 0]));
}

#[test]
fn a_negative_put_may_take_what_chose_to_come() {
    let t = Transition { flows: vec![one(P, &[Q, R])], put: vec![(Q, -1)], ..transition("t") };
    let net = net(&exactly([2, 0, 0]), vec![t]);
    // One variable is behind the three places.
    is_run(&net, &[&[2, 0, 0, 0], &[0, 0, 1, 0]], &[0]);
    is_run(&net, &[&[2, 0, 0, 0], &[0, 1, 0, 0]], &[0]);
    is_none(
        &net,
        &[&[2, 0, 0, 0], &[0, 0, 2, 0]],
        &[0],
        expect!["step 1: t leads elsewhere, wherever tokens choose to go"],
    );
    is_none(&net, &[&[2, 0, 0, 0], &[0, 0, 1, 1]], &[0], expect!["state 1: the auxiliary variable 0 is 1, not 0"]);
}

#[test]
fn large_numbers_do_not_wrap() {
    let most = i64::MAX;
    let grow = moves("t", &[], &[(P, 1)]);
    assert!(step(grow.clone(), &[most - 1], &[most]) && !step(grow, &[most], &[i64::MIN]));
    let copy = Transition { flows: vec![all(P, &[(Q, i64::MAX as u64)])], ..transition("t") };
    assert!(!step(copy, &[most, 0], &[0, most]));
    let many =
        Transition { flows: vec![all(P, &[(R, i64::MAX as u64)]), all(Q, &[(R, i64::MAX as u64)])], ..transition("t") };
    assert!(!step(many, &[most, most, 0], &[0, 0, 2]));
}

#[test]
fn the_last_marking_shows_the_verdict() {
    let net = lock();
    let (mut model, safe) = avoids(&net, &[(Q, 1)]);
    let kind = PropertyKind::Reach(at_least(&model.exprs, &[(Q, 1)]));
    let reach = add_property(&mut model, "reach", kind);
    let short = trace(&[&[2, 0, 1]], &[]);
    let long = trace(&[&[2, 0, 1], &[1, 1, 0]], &[0]);
    let verdict =
        |property, verdict, trace: &Trace| replay_net(&net, &model, property, verdict, trace, &Control::new());
    assert_eq!(verdict(safe, Verdict::Violated, &long), Ok(()));
    assert_eq!(verdict(reach, Verdict::Holds, &long), Ok(()));
    for (property, said, trace) in [
        (safe, Verdict::Violated, &short),
        (safe, Verdict::Holds, &long),
        (reach, Verdict::Holds, &short),
        (reach, Verdict::Violated, &long),
        (safe, Verdict::Violated, &Trace { loop_start: Some(0), ..long.clone() }),
        (safe, Verdict::Violated, &common_cut(&long)),
    ] {
        assert!(verdict(property, said, trace).is_err(), "{said:?}");
    }
    assert!(verdict(lapidary_ir::PropertyId(9), Verdict::Violated, &long).is_err());
}

/// Without its first state: what is left is no run.
fn common_cut(trace: &Trace) -> Trace {
    Trace { states: trace.states[1..].to_vec(), actions: trace.actions[1..].to_vec(), loop_start: None }
}

#[test]
fn a_model_of_another_net_is_refused() {
    let (model, property) = avoids(&lock(), &[(Q, 1)]);
    let mut other = lock();
    other.transitions = other.transitions.iter().rev().cloned().collect();
    let long = trace(&[&[2, 0, 1], &[1, 1, 0]], &[0]);
    assert!(replay_net(&other, &model, property, Verdict::Violated, &long, &Control::new()).is_err());
}

#[test]
fn a_long_run_is_followed_within_the_limits_and_a_short_one_whatever_they_are() {
    let (model, _) = avoids(&lock(), &[(Q, 1)]);
    let cancelled = Control::new();
    cancelled.cancel();
    let run = |n_rounds: usize| {
        let states: Vec<&[i64]> = [&[2, 0, 1][..], &[1, 1, 0]].repeat(n_rounds);
        let mut run = trace(&states, &[0, 1].repeat(n_rounds));
        run.actions.pop();
        replay_net_run(&lock(), &model, &run, &cancelled)
    };
    assert_eq!(run(100), Ok(()));
    assert_eq!(run(100_000), Err(Rejection::Stopped(Stop::Interrupted)));
}
