//! Formulas as certificates, with a test for each condition that must not be dropped.
#![cfg(feature = "z3")]

use crate::common::formulas::{accepted, incomplete, invariant, judged, judged_claim, model, property};
use crate::common::judge::wrong;
use lapidary_base::{Control, Stop};
use lapidary_checker::{Backend, Claim, Means, Rejection, certify_model};
use lapidary_ir::Model;
use lapidary_smt::Limits;
use lapidary_verdict::{Certificate, Checked, Formula};

const ROUNDS: &str = "
    var x : 0..5;
    var y : 0..5;
    init x = 0 & y < 2;
    command up: fault \"x + 1 is outside 0..5\" when 4 < x; { assume x < 2; x := x + 1; }
    command back: { assume x = 2; x := 0; }
    property apart: invariant x + y <= 3;
    property far: reach 3 < x;
    property progress: deadlock_free;
    property no_errors: no_errors;";

/// The answer about the only or the named property of a text.
fn judge(text: &str, name: &str, formula: &str) -> Result<Checked, Rejection> {
    let model = model(text);
    let certificate = invariant(&model, formula);
    judged(&model, name, &certificate)
}

fn objection(text: &str, name: &str, formula: &str) -> String {
    match judge(text, name, formula) {
        Err(Rejection::Wrong(why)) => why,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_formula_that_no_step_leaves_is_accepted() {
    for name in ["apart", "far", "progress", "no_errors"] {
        assert_eq!(judge(ROUNDS, name, "x <= 2 & y < 2"), accepted());
    }
    assert_eq!(judge(ROUNDS, "far", "x <= 2"), accepted());
}

#[test]
fn it_holds_initially() {
    let why = "the initial state (x=0 y=1) is not in the set";
    assert_eq!(judge(ROUNDS, "far", "x <= 2 & y < 1"), wrong(why));
}

#[test]
fn no_command_leads_out_of_it() {
    let why = objection(ROUNDS, "far", "x <= 1 & y < 2");
    assert!(why.starts_with("(x=1 y=") && why.contains(") leads by up to (x=2 y="), "{why}");
    assert!(why.ends_with("which is not in the set"), "{why}");
    let back = objection(ROUNDS, "far", "x <= 2 & (x != 0 | y < 2)");
    assert!(back.contains(" leads by back to (x=0 y="), "{back}");
}

#[test]
fn no_state_in_it_is_a_target() {
    let said = |name: &str, formula: &str, what: &str| {
        let why = objection(ROUNDS, name, formula);
        assert!(why.starts_with("the set contains (x=") && why.contains(what), "{why}");
    };
    said("apart", "x <= 2", "it violates apart");
    said("far", "true", "it satisfies far");
    said("progress", "true", "which has no step, against progress");
    said("no_errors", "true", "(x=5 y=");
    said("no_errors", "true", "up would err: x + 1 is outside 0..5");
}

#[test]
fn states_in_which_the_property_errs_are_targets() {
    let text = "
        var x : 0..3;
        init x = 0;
        command up: { assume x < 2; x := x + 1; }
        property p: fault \"x is 1\" when x = 1; invariant true;
        property q: invariant 6 div x < 9;
        property r: fault \"x is 3\" when x = 3; reach x = 1;";
    assert_eq!(judge(text, "p", "x < 3"), wrong("the set contains (x=1): it errs in p: x is 1"));
    let why = "the set contains (x=0): q has no value, but none of its faults says why";
    assert_eq!(judge(text, "q", "x < 3"), wrong(why));
    let claim = |claim: fn(_) -> Claim, formula: &str| {
        let model = model(text);
        judged_claim(&model, claim(property(&model, "r")), &invariant(&model, formula))
    };
    assert_eq!(claim(Claim::NeverErrs, "x < 3"), accepted());
    assert_eq!(claim(Claim::NeverErrs, "true"), wrong("the set contains (x=3): it errs in r: x is 3"));
    assert_eq!(claim(Claim::Decides, "x < 3"), wrong("the set contains (x=1): it satisfies r"));
}

#[test]
fn integers_without_bounds_and_inputs_are_taken() {
    let text = |after: &str| {
        format!(
            "var n : int; init n = 0; command inc: n := n + 1; command take: {{ n := any; {after} }}
             property p: invariant 0 <= n;"
        )
    };
    assert_eq!(judge(&text("assume 0 <= n;"), "p", "0 <= n"), accepted());
    let why = objection(&text("skip;"), "p", "0 <= n");
    assert!(why.contains(" leads by take to (n=-"), "{why}");
    let why = objection(&text("assume 0 <= n;"), "p", "0 <= n & n < 7");
    assert!(why.contains("which is not in the set"), "{why}");
}

#[test]
fn inputs_are_within_their_domains() {
    let text = "var x : 0..3; init x = 0; command take: x := any; command pick: choice { x := 0; x := 1; x := 2; }
        property p: invariant x + x <= 6;";
    assert_eq!(judge(text, "p", "x <= 3"), accepted());
}

#[test]
fn executions_that_are_no_steps_lead_nowhere() {
    let text = "
        var x : 0..3;
        var i : 0..2;
        var a[0] : 0..1;
        var a[1] : 0..1;
        family a[_] from a[0] len 2;
        init x = 0 & i = 2 & a[0] = 0 & a[1] = 1;
        invariant x != 2;
        command divided: { assume 6 div x = 3; x := 3; }
        command remainder: { assume !(6 mod x = 1); x := 3; }
        command beyond: x := x + 4;
        command broken: x := 2;
        command no_cell: { assume a[_](i) = 1; x := 3; }
        command no_place: a[_](i) := 0;
        command twice: { a[_](x) := 1, a[_](0) := 1; }
        command nowhere: choice { }
        command decided: { if 1 div x = 1 | true then x := 3; else x := 3; }
        property p: invariant x = 0 & a[0] = 0 & a[1] = 1;";
    assert_eq!(judge(text, "p", "x = 0 & i = 2 & a[0] = 0 & a[1] = 1"), accepted());
    let taken = text.replace("6 div x = 3", "x = 0 | 6 div x = 3");
    let why = "(x=0 i=2 a[0]=0 a[1]=1) leads by divided to (x=3 i=2 a[0]=0 a[1]=1), which is not in the set";
    assert_eq!(judge(&taken, "p", "x = 0 & i = 2 & a[0] = 0 & a[1] = 1"), wrong(why));
}

#[test]
fn a_state_without_a_value_is_not_in_the_set() {
    let text = "var x : 0..3; init x = 1; command stay: skip; property p: invariant x != 0;";
    assert_eq!(judge(text, "p", "6 div x = 6"), accepted());
    let text = "var x : 0..3; init x = 0; command stay: skip; property p: invariant true;";
    assert_eq!(judge(text, "p", "6 div x = 6"), wrong("the initial state (x=0) is not in the set"));
}

#[test]
fn the_invariant_of_the_model_may_be_taken_for_granted() {
    let text = "
        var x : 0..3;
        var flow : 0..9;
        init x = 0;
        invariant flow = x + x;
        command up: { assume x < 2; x := x + 1; flow := any; }
        command back: { assume 1 < x; x := 0, flow := any; }
        property p: invariant flow < 5;
        property progress: deadlock_free;";
    assert_eq!(judge(text, "p", "x <= 2"), accepted());
    // Which flow comes after a step is an input that an equation determines.
    assert_eq!(judge(text, "progress", "x <= 3"), accepted());
}

#[test]
fn deadlocks_depend_on_some_input_only() {
    let text = |body: &str| {
        format!(
            "var x : 0..3; var n : int; init x = 0 & n = 0; idle command wait: skip; command c: {{ {body} }}
             property progress: deadlock_free;"
        )
    };
    let deadlocks = |body: &str, formula: &str| judge(&text(body), "progress", formula);
    assert_eq!(deadlocks("n := any; assume n = x + 1;", "true"), accepted());
    assert_eq!(deadlocks("x := any; assume x = 2 | n = 7;", "true"), accepted());
    assert_eq!(deadlocks("choice { assume x < 2; assume 1 < x; }", "true"), accepted());
    let why = "the set contains (x=0 n=0), which has no step, against progress";
    assert_eq!(deadlocks("assume 0 < x;", "x = 0 & n = 0"), wrong(why));
    assert_eq!(deadlocks("x := any; assume x < 2 & n < 0;", "x = 0 & n = 0"), wrong(why));
    // The only value that the equation allows is none of x.
    let why = "the set contains (x=0 n=7), which has no step, against progress";
    assert_eq!(deadlocks("x := any; assume x = n + 1;", "x = 0 & (n = 0 | n = 7)"), wrong(why));
    let why = "whether c can be taken depends on more values of its inputs than can be listed";
    assert_eq!(incomplete(deadlocks("n := any; assume n * n = x;", "x = 0")), why);
}

#[test]
fn only_boolean_expressions_are_sets() {
    assert_eq!(judge(ROUNDS, "far", "x + 1"), wrong("the invariant is malformed: it is not boolean"));
    let model = model(ROUNDS);
    let stray = lapidary_ir::Exprs::new();
    let stray = Certificate::Invariant(Formula::new(&stray, stray.var(lapidary_ir::VarId(1 << 20))));
    let Err(Rejection::Wrong(why)) = judged(&model, "far", &stray) else { panic!("there is no such variable") };
    assert!(why.starts_with("the invariant is malformed: "), "{why}");
}

fn with(solver: &Backend, model: &Model, name: &str, formula: &str) -> Result<Checked, Rejection> {
    let certificate = invariant(model, formula);
    certify_model(model, &[property(model, name)], &certificate, &Means::new(solver, &Control::new()))
}

#[test]
fn without_a_solver_only_what_terms_decide_is_accepted() {
    let model = model(&format!("{ROUNDS} property tautology: invariant 1 < 2; property impossible: reach false;"));
    assert_eq!(with(&Backend::Nothing, &model, "tautology", "true"), accepted());
    assert_eq!(with(&Backend::Nothing, &model, "impossible", "true"), accepted());
    for (name, formula) in [("far", "x <= 2"), ("progress", "true"), ("tautology", "x <= 2")] {
        incomplete(with(&Backend::Nothing, &model, name, formula));
    }
}

#[test]
fn a_solver_that_gives_up_decides_nothing() {
    let cubes = model(
        "var x : int; var y : int; var z : int; command stay: skip;
         property p: invariant !(1 < x & 1 < y & 1 < z & x * x * x + y * y * y = z * z * z);",
    );
    let brief = Backend::InProcess(Limits { work: 200_000, millis: 1_000, ..Limits::default() });
    let why = incomplete(with(&brief, &cubes, "p", "true"));
    assert!(why.starts_with("the solver gave up"), "{why}");
}

#[test]
fn examples_beyond_64_bits_decide_nothing() {
    let text = "var m : int; var n : int; command stay: skip; init false;
        property p: invariant !(m < n & 9223372036854775806 < m);";
    assert!(matches!(judge(text, "p", "true"), Err(Rejection::Stopped(Stop::Overflow(_)))));
}
