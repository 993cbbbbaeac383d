//! k-induction as a certificate, with a test for each condition that must not be dropped.
#![cfg(feature = "z3")]

use crate::common::formulas::{accepted, formula, incomplete, induction, judged, model, property};
use crate::common::judge::wrong;
use lapidary_base::Control;
use lapidary_checker::{Backend, Means, Rejection, certify_model};
use lapidary_verdict::{Certificate, Checked, Induction};

/// 0 and 1 take turns; 3 leads to 4 and has no predecessor but, perhaps, itself.
const TURNS: &str = "
    var x : 0..5;
    init x = 0;
    command turn: { assume x < 2; x := 1 - x; }
    command fall: { assume x = 3; x := 4; }
    property p: invariant x != 4;";
const STAY: &str = "command stay: assume x = 3;";
const COME: &str = "command come: { assume x = 5; x := 3; }";

fn judge(text: &str, k: u32, formula: &str, is_simple: bool) -> Result<Checked, Rejection> {
    let model = model(text);
    judged(&model, "p", &induction(&model, k, formula, is_simple))
}

#[test]
fn formulas_that_runs_keep_are_accepted() {
    assert_eq!(judge(TURNS, 1, "x < 2", false), accepted());
    for k in 2..5 {
        assert_eq!(judge(TURNS, k, "x != 4", false), accepted());
        assert_eq!(judge(TURNS, k, "x != 4", true), accepted());
    }
}

#[test]
fn too_small_a_k_is_not_enough() {
    let why = "a run of 1 states that satisfy the formula, from (x=3) on, leads to (x=4), which does not";
    assert_eq!(judge(TURNS, 1, "x != 4", false), wrong(why));
    let longer = format!("{TURNS} {COME}");
    let why = "a run of 2 states that satisfy the formula, from (x=5) on, leads to (x=4), which does not";
    assert_eq!(judge(&longer, 2, "x != 4", false), wrong(why));
    assert_eq!(judge(&longer, 3, "x != 4", false), accepted());
}

#[test]
fn different_states_are_needed_where_a_run_can_wait() {
    let waiting = format!("{TURNS} {STAY}");
    for k in 2..5 {
        let why =
            format!("a run of {k} states that satisfy the formula, from (x=3) on, leads to (x=4), which does not");
        assert_eq!(judge(&waiting, k, "x != 4", false), wrong(&why));
        assert_eq!(judge(&waiting, k, "x != 4", true), accepted());
    }
}

#[test]
fn different_states_are_not_always_enough() {
    let text = format!("{TURNS} {STAY} {COME}");
    let why = "a run of 2 different states that satisfy the formula, from (x=5) on, leads to (x=4), which does not";
    assert_eq!(judge(&text, 2, "x != 4", true), wrong(why));
    assert_eq!(judge(&text, 3, "x != 4", true), accepted());
}

#[test]
fn the_first_states_of_runs_satisfy_the_formula() {
    let text = "
        var x : 0..5;
        init x = 0;
        command up: { assume x < 3; x := x + 1; }
        property p: invariant true;";
    assert_eq!(judge(text, 5, "x != 0", false), wrong("the initial state (x=0) does not satisfy the formula"));
    assert_eq!(judge(text, 5, "x != 1", false), wrong("(x=1), which one step leads to, does not satisfy the formula"));
    let why = "(x=3), which 3 steps lead to, does not satisfy the formula";
    assert_eq!(judge(text, 5, "x != 3", true), wrong(why));
    // There the first states are fine, and the objection is to what comes after them.
    let why = "a run of 3 states that satisfy the formula, from (x=0) on, leads to (x=3), which does not";
    assert_eq!(judge(text, 3, "x != 3", false), wrong(why));
}

#[test]
fn a_base_without_runs_still_needs_the_step() {
    let text = "var x : 0..5; init x = 0; command up: { assume x = 4; x := 5; } property p: invariant x != 5;";
    assert!(matches!(judge(text, 1, "x != 5", false), Err(Rejection::Wrong(_))));
    assert_eq!(judge(text, 1, "x < 4", false), accepted());
}

#[test]
fn the_formula_excludes_the_target() {
    assert_eq!(judge(TURNS, 2, "true", false), wrong("the set contains (x=4): it violates p"));
}

#[test]
fn inputs_are_part_of_steps() {
    let text = |after: &str| {
        format!(
            "var n : int; init n = 0; command take: {{ n := any; {after} }} command up: n := n + 1;
             property p: invariant 0 <= n;"
        )
    };
    assert_eq!(judge(&text("assume 0 <= n;"), 1, "0 <= n", false), accepted());
    for k in [1, 2] {
        assert!(matches!(judge(&text("skip;"), k, "0 <= n", false), Err(Rejection::Wrong(_))));
    }
}

#[test]
fn steps_end_where_the_models_invariant_holds() {
    let text = "
        var x : 0..5;
        init x = 0;
        invariant x != 3;
        command up: x := x + 1;
        property p: invariant x < 3;";
    assert_eq!(judge(text, 1, "x < 3", false), accepted());
    assert!(matches!(judge(&text.replace("invariant x != 3;", ""), 1, "x < 3", false), Err(Rejection::Wrong(_))));
}

#[test]
fn the_formula_has_a_value_everywhere() {
    let why = "the formula has no value in (x=0)";
    assert_eq!(judge(TURNS, 1, "6 div x = 6 | x = 0", false), wrong(why));
    assert_eq!(judge(TURNS, 1, "x = 0 | 6 div x = 6", false), accepted());
}

#[test]
fn certificates_are_well_formed() {
    assert_eq!(judge(TURNS, 0, "x < 2", false), wrong("k is 0, not a number from 1 to 10000"));
    assert_eq!(judge(TURNS, 10_001, "x < 2", false), wrong("k is 10001, not a number from 1 to 10000"));
    assert_eq!(judge(TURNS, 1, "x + 1", false), wrong("the formula is malformed: it is not boolean"));
}

#[test]
fn without_a_solver_nothing_is_decided() {
    let model = model(TURNS);
    let certificate = Certificate::Induction(Induction { k: 2, formula: formula(&model, "x != 4"), is_simple: false });
    let p = [property(&model, "p")];
    incomplete(certify_model(&model, &p, &certificate, &Means::new(&Backend::Nothing, &Control::new())));
}
