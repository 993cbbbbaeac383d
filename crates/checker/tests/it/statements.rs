//! Loops, local variables and starts: what counts as a step, and what is said where that cannot be told.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::common::build::{enumeration, layout, pack};
use crate::common::diagrams::diagram;
use crate::common::formulas::{judged, model};
use lapidary_base::{Control, Stop};
use lapidary_checker::{Rejection, replay_model, replay_model_run, replay_model_run_within};
use lapidary_ir::model::Raw;
use lapidary_ir::{Action, CommandId, Model, PropertyId, VarId};
use lapidary_verdict::{Blocks, Certificate, Checked, Enumeration, Field, Formula, Trace, Verdict};

fn run(states: &[&[Raw]]) -> Trace {
    let actions = vec![Action::Command(CommandId(0)); states.len() - 1];
    Trace { states: states.iter().map(|&state| state.into()).collect(), actions, loop_start: None }
}

fn wrong<T>(why: &str) -> Result<T, Rejection> {
    Err(Rejection::Wrong(why.to_owned()))
}

fn incomplete<T>(why: &str) -> Result<T, Rejection> {
    Err(Rejection::Stopped(Stop::Incomplete(why.to_owned())))
}

fn listed(model: &Model, states: &[&[Raw]]) -> Certificate {
    Certificate::Enumeration(Arc::new(enumeration(model, states)))
}

fn drawn(order: &[VarId], states: &[&[Raw]]) -> Certificate {
    let states: Vec<Vec<Raw>> = states.iter().map(|state| state.to_vec()).collect();
    Certificate::Diagram(Arc::new(diagram(order, &states)))
}

const ROUNDS: &str = "var x : 0..3; init x = 0;
    command go: while x < 3 do choice { x := x + 1; skip; }
    property anything: invariant true; property progress: deadlock_free;";

#[test]
fn a_loop_leads_to_where_it_ends() {
    let model = model(ROUNDS);
    assert_eq!(replay_model_run(&model, &run(&[&[0], &[3], &[3]])), Ok(()));
    assert_eq!(replay_model_run(&model, &run(&[&[0], &[2]])), wrong("step 1: go leads elsewhere: x is 2, expected 3"));
    for certificate in [listed(&model, &[&[0], &[3]]), drawn(&[VarId(0)], &[&[0], &[3]])] {
        assert_eq!(judged(&model, "progress", &certificate), Ok(Checked::Fully));
    }
    let why = "state 0 (x=0) leads by go to (x=3), which is not listed";
    assert_eq!(judged(&model, "anything", &listed(&model, &[&[0]])), wrong(why));
    let why = "(x=0) leads by go to a state that is not in the set";
    assert_eq!(judged(&model, "anything", &drawn(&[VarId(0)], &[&[0]])), wrong(why));
}

#[test]
fn a_loop_that_never_ends_is_no_step() {
    let model = model(&ROUNDS.replace("choice { x := x + 1; skip; }", "skip;"));
    let [low, high]: [&[Raw]; 2] = [&[0], &[3]];
    assert_eq!(replay_model_run(&model, &run(&[low, high])), wrong("step 1: go is not enabled"));
    assert_eq!(replay_model(&model, PropertyId(1), Verdict::Violated, &run(&[low])), Ok(()));
    for certificate in [listed(&model, &[low]), drawn(&[VarId(0)], &[low])] {
        assert_eq!(judged(&model, "anything", &certificate), Ok(Checked::Fully));
        let Err(Rejection::Wrong(why)) = judged(&model, "progress", &certificate) else { panic!("a deadlock") };
        assert!(why.contains("has no step, against progress"), "{why}");
    }
}

/// It counts up for ever, which no finite work shows.
const UPWARD: &str = "var n : int; init n = 0; command go: while 0 <= n do n := n + 1;
    property anything: invariant true; property progress: deadlock_free;";

#[test]
fn a_loop_of_which_the_end_is_not_seen_is_never_called_no_step() {
    let model = model(UPWARD);
    let long = "the executions of go go through more states than are followed";
    assert_eq!(replay_model(&model, PropertyId(1), Verdict::Violated, &run(&[&[0]])), incomplete(long));
    assert_eq!(replay_model_run(&model, &run(&[&[0], &[0]])), incomplete(long));
    assert_eq!(judged(&model, "anything", &listed(&model, &[&[0]])), incomplete(long));
    let formula = Certificate::Invariant(Formula::constant(true));
    let unbounded = "command go has a loop whose bound is not known";
    assert_eq!(judged(&model, "anything", &formula), incomplete(unbounded));
}

#[test]
fn limits_end_a_long_loop() {
    let model = model(UPWARD);
    let late = Control::new().with_timeout(Some(Duration::ZERO));
    let start = Instant::now();
    let found = replay_model_run_within(&model, &run(&[&[0], &[0]]), &late);
    assert_eq!(found, Err(Rejection::Stopped(Stop::Timeout)));
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
}

/// The local variable begins with 2, and what the scope leaves is forgotten.
const LOCAL: &str = "var x : 0..5; local var t : 2..4; init x = 0;
    command go: scope t do { assume x < 4; x := t; t := any; x := t; }
    property anything: invariant true;";

#[test]
fn a_local_variable_has_its_first_value_in_every_state() {
    let model = model(LOCAL);
    assert_eq!(replay_model_run(&model, &run(&[&[0, 2], &[4, 2]])), Ok(()));
    let why = "state 1: t is 4, expected 2 for a local variable between steps";
    assert_eq!(replay_model_run(&model, &run(&[&[0, 2], &[4, 4]])), wrong(why));
    let states: [&[Raw]; 4] = [&[0, 2], &[2, 2], &[3, 2], &[4, 2]];
    for certificate in [listed(&model, &states), drawn(&[VarId(0)], &states)] {
        assert_eq!(judged(&model, "anything", &certificate), Ok(Checked::Fully));
    }
    let why = "state 0 (x=0) leads by go to (x=4), which is not listed";
    assert_eq!(judged(&model, "anything", &listed(&model, &states[..3])), wrong(why));
    let why = "(x=0) leads by go to (x=4), which is not in the set";
    assert_eq!(judged(&model, "anything", &drawn(&[VarId(0)], &states[..3])), wrong(why));
}

#[test]
fn no_certificate_speaks_of_a_local_variable() {
    let model = model(LOCAL);
    let (e, t) = (&model.exprs, VarId(1));
    let low = Formula::new(e, e.lt(e.var(t), e.int(3)));
    let invariant = Certificate::Invariant(low.clone());
    let why = "the invariant is malformed: the variable `t` is local to a statement";
    assert_eq!(judged(&model, "anything", &invariant), wrong(why));
    let blocks = |control, predicates| Certificate::Blocks(Arc::new(Blocks { control, predicates, blocks: vec![] }));
    let why = "the blocks are malformed: t is local to a statement";
    assert_eq!(judged(&model, "anything", &blocks(vec![t], vec![])), wrong(why));
    let why = "predicate 0 is malformed: the variable `t` is local to a statement";
    assert_eq!(judged(&model, "anything", &blocks(vec![], vec![low])), wrong(why));
    let why = "the diagram is malformed: the variable `t` is local to a statement";
    assert_eq!(judged(&model, "anything", &drawn(&[VarId(0), t], &[&[0, 2]])), wrong(why));
    let mut wide = layout(&model);
    wide.fields[t] = Field { word: 0, shift: 20, bits: 2, lo: 2 };
    let chunks = vec![pack(&wide, &[0, 2])];
    let wide = Certificate::Enumeration(Arc::new(Enumeration { chunks, n_states: 1, layout: wide }));
    let why = "the field of t is not that of a local variable, which has no bits and always is 2";
    assert_eq!(judged(&model, "anything", &wide), wrong(why));
}

/// Whatever `n` was before, it is 5 in all initial states; `y` stays as it was.
const START: &str = "var n : int; var x : 0..2; var y : 0..1; init y = 1; invariant x != 1;
    start { n := 0; while n < 5 do n := n + 1; x := any; }
    command go: skip;
    property anything: invariant true;";

#[test]
fn initial_states_are_those_that_the_start_leads_to() {
    let model = model(START);
    assert_eq!(replay_model_run(&model, &run(&[&[5, 2, 1]])), Ok(()));
    for (state, why) in [
        ([4, 2, 1], "the start does not lead there"),
        ([5, 2, 0], "the start does not lead there"),
        ([5, 1, 1], "the model's invariant is not true"),
    ] {
        assert_eq!(replay_model_run(&model, &run(&[&state])), wrong(&format!("state 0 is not initial: {why}")));
    }
    assert_eq!(judged(&model, "anything", &listed(&model, &[&[5, 0, 1], &[5, 2, 1]])), Ok(Checked::Fully));
    let why = "the initial state (n=5 x=2 y=1) is not listed";
    assert_eq!(judged(&model, "anything", &listed(&model, &[&[5, 0, 1]])), wrong(why));
}

/// Thirty switches that the start turns, and how many of them were on: where it began is one of a billion states.
#[test]
fn where_a_start_began_is_found_among_many_states() {
    let switches: String = (0..30).map(|i| format!("var x{i} : bool; ")).collect();
    let turns: String = (0..30).map(|i| format!("if x{i} then {{ x{i} := false; c := c + 1; }} else skip; ")).collect();
    let text = format!(
        "{switches} var c : 0..30; init c = 0; init !x0 | !x1; start {{ {turns} }} command go: skip;
        property anything: invariant true;"
    );
    let model = model(&text);
    let with_sum = |sum: Raw| {
        let mut state = vec![0; 31];
        state[30] = sum;
        state
    };
    for sum in [0, 15, 29] {
        assert_eq!(replay_model_run(&model, &run(&[&with_sum(sum)])), Ok(()), "{sum}");
    }
    let why = "state 0 is not initial: the start does not lead there";
    assert_eq!(replay_model_run(&model, &run(&[&with_sum(30)])), wrong(why));
    let mut on = with_sum(3);
    on[7] = 1;
    assert_eq!(replay_model_run(&model, &run(&[&on])), wrong(why));
}

#[test]
fn what_only_a_loop_of_the_start_reads_makes_a_difference() {
    let text = "var x : 0..5; var y : 1..2; init x = 0; start { while x < 3 do x := x + y; y := 1; }
        command go: skip; property anything: invariant true;";
    let model = model(text);
    assert_eq!(replay_model_run(&model, &run(&[&[4, 1]])), Ok(()));
    assert_eq!(judged(&model, "anything", &listed(&model, &[&[3, 1], &[4, 1]])), Ok(Checked::Fully));
    let why = "the initial state (x=4 y=1) is not listed";
    assert_eq!(judged(&model, "anything", &listed(&model, &[&[3, 1]])), wrong(why));
}

#[test]
fn a_start_that_depends_on_infinitely_many_values_is_not_refuted() {
    let model = model(&START.replace("n := 0;", "n := n + 1;"));
    let why = "cannot enumerate the initial states: no condition gives n a value";
    assert_eq!(replay_model_run(&model, &run(&[&[5, 2, 1]])), incomplete(why));
    assert_eq!(judged(&model, "anything", &listed(&model, &[&[5, 2, 1]])), incomplete(why));
}

#[test]
fn a_diagram_holds_all_states_that_the_start_leads_to() {
    // Before the start the invariant is false, and `f` has not the value that the invariant gives it.
    let text = "var x : 0..3; var f : 0..3; init x = 3 & f = 1; invariant f = x;
        start { assume f = 1; x := f; while x < 2 do x := x + 1; f := 2; }
        command go: skip; property anything: invariant true;";
    let model = model(text);
    assert_eq!(judged(&model, "anything", &drawn(&[VarId(0)], &[&[2, 2]])), Ok(Checked::Fully));
    let why = "the initial state (x=2 f=2) is not in the set";
    assert_eq!(judged(&model, "anything", &drawn(&[VarId(0)], &[&[1, 1], &[3, 3]])), wrong(why));
}

#[test]
fn a_flow_that_a_loop_reads_again_still_has_its_old_value() {
    // `p` is true in all turns, because nothing gives it the value of `x = 0` before the loop ends.
    let text = "var x : 0..3; var p : bool; init x = 0; invariant p = (x = 0);
        command go: { while p & x < 3 do x := x + 1; p := any; }
        property anything: invariant true;";
    let model = model(text);
    let why = "(x=0 p=true) leads by go to (x=3 p=false), which is not in the set";
    assert_eq!(judged(&model, "anything", &drawn(&[VarId(0)], &[&[0, 1], &[1, 0]])), wrong(why));
    assert_eq!(judged(&model, "anything", &drawn(&[VarId(0)], &[&[0, 1], &[3, 0]])), Ok(Checked::Fully));
}

/// What `x` was in the middle of the step is nowhere told.
const FORGOTTEN: &str = "var x : int; var y : 0..2; init x = 0 & y = 0;
    command go: { x := any; if 41 < x & x < 43 then y := 1; else skip; x := 0; }
    property never: invariant y = 0; property progress: deadlock_free;";

#[test]
fn a_value_without_bounds_that_is_forgotten_is_guessed_or_open() {
    let model = model(FORGOTTEN);
    assert_eq!(replay_model(&model, PropertyId(0), Verdict::Violated, &run(&[&[0, 0], &[0, 1]])), Ok(()));
    let open = "cannot enumerate the steps of go: it gives x any of infinitely many values";
    assert_eq!(replay_model_run(&model, &run(&[&[0, 0], &[0, 2]])), incomplete(open));
    assert_eq!(replay_model_run(&model, &run(&[&[0, 0], &[1, 1]])), incomplete(open));
    // The square of no guess: it is a step, which is not found.
    let square = crate::common::formulas::model(&FORGOTTEN.replace("41 < x & x < 43", "x * x = 5041"));
    assert_eq!(replay_model_run(&square, &run(&[&[0, 0], &[0, 1]])), incomplete(open));
    // Nothing is guessed of what is not written again.
    let kept = crate::common::formulas::model(&FORGOTTEN.replace(" x := 0; }", " }"));
    assert_eq!(replay_model_run(&kept, &run(&[&[0, 0], &[42, 1]])), Ok(()));
    let why = "step 1: go has no execution that leads to x=7 y=1";
    assert_eq!(replay_model_run(&kept, &run(&[&[0, 0], &[7, 1]])), wrong(why));
}

#[cfg(feature = "z3")]
mod with_a_solver {
    use super::*;
    use crate::common::formulas::{Written, blocks, certificate, induction, invariant};

    #[test]
    fn formulas_hold_in_all_states_that_the_start_leads_to() {
        let model = model(START);
        let all = |formula: &str| [invariant(&model, formula), induction(&model, 1, formula, false)];
        for fine in all("n = 5 & y = 1 & x != 1") {
            assert_eq!(judged(&model, "anything", &fine), Ok(Checked::Fully));
        }
        let why = [
            "the initial state (n=5 x=2 y=1) is not in the set",
            "the initial state (n=5 x=2 y=1) does not satisfy the formula",
        ];
        for (lost, why) in all("n = 5 & x = 0").iter().zip(why) {
            assert_eq!(judged(&model, "anything", lost), wrong(why));
        }
        let parts = |values: &[&[Raw]]| {
            let listed: Vec<Written<'_>> = values.iter().map(|&value| (value, &[(0, true)][..])).collect();
            certificate(blocks(&model, &["x"], &["n = 5 & y = 1"], &listed))
        };
        assert_eq!(judged(&model, "anything", &parts(&[&[0], &[2]])), Ok(Checked::Fully));
        let why = "the initial state (n=5 x=2 y=1) is not in the set";
        assert_eq!(judged(&model, "anything", &parts(&[&[0]])), wrong(why));
    }

    #[test]
    fn loops_are_written_out_as_far_as_domains_bound_them() {
        let text = "var n : 0..7; var sum : int; local var i : 0..10; init sum = 0;
            command go: scope i do { sum := 0; while i < n do { i := i + 1; sum := sum + i; } }
            property low: invariant sum <= 28;";
        let model = model(text);
        let exact = "sum = 0 | 2 * sum = n * (n + 1)";
        assert_eq!(judged(&model, "low", &invariant(&model, &format!("({exact}) & sum <= 28"))), Ok(Checked::Fully));
        let why = "(n=7 sum=0) leads by go to (n=7 sum=28), which is not in the set";
        assert_eq!(judged(&model, "low", &invariant(&model, &format!("({exact}) & sum < 28"))), wrong(why));
    }

    /// Engines write out 16,384 statements.
    #[test]
    fn loops_are_written_out_as_far_as_engines_do() {
        let text = "var n : 0..8000; var done : bool; init n = 0 & !done;
            command go: { assume !done; n := 0; while n < 8000 do n := n + 1; done := true; }
            property low: invariant n = 0 | n = 8000;";
        let model = model(text);
        assert_eq!(judged(&model, "low", &invariant(&model, "n = 0 | n = 8000")), Ok(Checked::Fully));
        let why = "(n=0 done=false) leads by go to (n=8000 done=true), which is not in the set";
        assert_eq!(judged(&model, "low", &invariant(&model, "n = 0 & (n = 0 | n = 8000)")), wrong(why));
        let longer = crate::common::formulas::model(&text.replace("8000", "40000"));
        let why = "command go has a loop whose bound is not known";
        assert_eq!(judged(&longer, "low", &invariant(&longer, "n = 0 | n = 40000")), incomplete(why));
    }
}
