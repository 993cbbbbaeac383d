//! What is found in models by hand.

use lapidary_text::Sources;

use super::*;
use crate::parse;

fn model(text: &str) -> Model {
    let mut sources = Sources::default();
    let source = sources.add("m.lir", text);
    let (model, diagnostics) = parse::parse(&sources, source);
    model.unwrap_or_else(|| panic!("{:?}", diagnostics.list))
}

fn whole(text: &str) -> Vec<Found> {
    let model = model(text);
    let found = ranges(&model, &Control::new()).expect("there is no limit").expect("there are integers");
    found.whole.iter().copied().collect()
}

#[test]
fn a_guard_before_a_step_bounds_it() {
    let text = "model m; var x : int; init x = 0; command up: { assume x < 10; x := x + 2; }";
    assert_eq!(whole(text), [Some((0, 11))]);
}

#[test]
fn a_guard_at_another_location_bounds_it() {
    let text = "model m; enum L { a, b } control var l : L; var x : int; init l = L::a; init x = 0;
        command test: { assume l = L::a; assume x < 5; l := L::b; }
        command step: { assume l = L::b; x := x + 1; l := L::a; }";
    assert_eq!(whole(text)[1], Some((0, 5)));
}

#[test]
fn what_grows_without_a_guard_has_no_end() {
    let text = "model m; var x : int; var y : int; init x = 0; init y = 3;
        command up: { x := x + 1; } command turn: { assume 7 < x; y := 7 - y; }";
    assert_eq!(whole(text), [None, Some((3, 4))]);
}

#[test]
fn values_in_the_middle_of_a_step_count() {
    let text = "model m; var x : int; init x = 0; command jump: { x := x + 100; assume x = 100; x := x - 100; }";
    assert_eq!(whole(text), [Some((0, 100))]);
}

#[test]
fn an_assumption_behind_any_value_takes_it_away_and_a_later_one_does_not() {
    let text = "model m; var x : int; init x = 1; command pick: { x := any; assume 0 < x; assume x < 15; }";
    assert_eq!(whole(text), [Some((1, 14))]);
    let late = "model m; var x : int; var y : bool; init x = 1;
        command pick: { x := any; y := true; assume 0 < x; assume x < 15; }";
    assert_eq!(whole(late)[0], None);
}

#[test]
fn loops_and_local_variables_have_ends() {
    let text = "model m; var x : int; local var i : int; init x = 0;
        command loop: scope i do { assume x = 0; while i < 10 do { i := i + 1; x := x + 1; } assume x <= 20; x := 0; }";
    assert_eq!(whole(text)[1], Some((0, 10)));
}

#[test]
fn a_narrower_model_has_narrower_domains() {
    let model = model("model m; var x : int; var y : int; init x = 0; command up: { assume x < 3; x := x + 1; }");
    let found = ranges(&model, &Control::new()).expect("there is no limit").expect("there are integers");
    assert!(found.narrows(&model));
    let narrow = found.narrowed(&model);
    let domains: Vec<Domain> = narrow.vars.iter().map(|var| var.domain).collect();
    assert_eq!(domains, [Domain::Range { lo: 0, hi: 3 }, Domain::Int]);
}

#[test]
fn what_a_start_begins_in_need_not_keep_the_invariant() {
    let text =
        "model m; var x : int; init 0 <= x; init x <= 10; invariant x < 5; start x := x - 6; command stay: skip;";
    assert_eq!(whole(text), [Some((-6, 10))]);
}

#[test]
fn branches_of_a_choice_lie_where_they_are_chosen() {
    let text = "model m; var x : int; init x = 0; command turn: { x := if x < 4 then x + 1 else 0; }";
    assert_eq!(whole(text), [Some((0, 4))]);
}
