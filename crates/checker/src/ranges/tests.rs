//! Claims by hand, right and slightly wrong.

use lapidary_ir::parse;
use lapidary_text::Sources;

use super::*;

/// What is claimed at a value of the control variable, of the variables in order.
type At<'a> = (Raw, &'a [Found]);

const NOTHING: Found = None;

fn found(lo: Raw, hi: Raw) -> Found {
    Some((lo, hi))
}

fn model(text: &str) -> Model {
    let mut sources = Sources::default();
    let source = sources.add("m.lir", format!("model m; {text}"));
    let (model, diagnostics) = parse::parse(&sources, source);
    model.unwrap_or_else(|| panic!("{:?}", diagnostics.list))
}

fn claims(model: &Model, whole: &[Found], by_value: &[At<'_>]) -> Ranges {
    let list = |found: &[Found]| found.iter().copied().collect();
    Ranges {
        control: model.vars.ids().find(|&var| model.vars[var].control),
        by_value: by_value.iter().map(|&(value, found)| (value, list(found))).collect(),
        whole: list(whole),
    }
}

fn judged(model: &Model, claims: &Ranges) -> Result<(), Rejection> {
    certify(model, claims, &Control::new())
}

/// The claims as they are, with one end moved inwards, or without one value of the control variable.
fn weaker(claims: &Ranges) -> Vec<Ranges> {
    let ends = |(lo, hi): (Raw, Raw)| [lo.checked_add(1).map(|lo| (lo, hi)), hi.checked_sub(1).map(|hi| (lo, hi))];
    let moved = |found: Found| found.into_iter().flat_map(ends).flatten().map(Some);
    let mut all = Vec::new();
    for var in claims.whole.ids() {
        all.extend(moved(claims.whole[var]).map(|end| {
            let mut other = claims.clone();
            other.whole[var] = end;
            other
        }));
        for entry in 0..claims.by_value.len() {
            all.extend(moved(claims.by_value[entry].1[var]).map(|end| {
                let mut other = claims.clone();
                other.by_value[entry].1[var] = end;
                other
            }));
        }
    }
    all.extend((0..claims.by_value.len()).map(|entry| {
        let mut other = claims.clone();
        other.by_value.remove(entry);
        other
    }));
    all
}

/// The claims are proved, and as tight as they can be.
#[track_caller]
fn exact(text: &str, whole: &[Found], by_value: &[At<'_>]) {
    let model = model(text);
    let claims = claims(&model, whole, by_value);
    assert_eq!(judged(&model, &claims), Ok(()));
    for other in weaker(&claims) {
        assert!(matches!(judged(&model, &other), Err(Rejection::Wrong(_))), "{other:?}");
    }
}

#[track_caller]
fn rejected(text: &str, whole: &[Found], by_value: &[At<'_>]) {
    let model = model(text);
    let found = judged(&model, &claims(&model, whole, by_value));
    assert!(matches!(found, Err(Rejection::Wrong(_))), "{found:?}");
}

/// Without a control variable, and with the same claims about states.
#[track_caller]
fn exactly(text: &str, whole: &[Found]) {
    exact(text, whole, &[(0, whole)]);
}

#[test]
fn a_guard_before_a_step_bounds_it() {
    exactly("var x : int; init x = 0; command up: { assume x < 10; x := x + 2; }", &[found(0, 11)]);
    exactly("var x : int; init x = 3; command turn: x := 7 - x;", &[found(3, 4)]);
    exactly("var x : int; init -2 <= x & x < 3; command flip: x := -x;", &[found(-2, 2)]);
}

#[test]
fn what_grows_is_within_no_bounds() {
    let text = "var x : int; var y : int; init x = 0; init y = 3; command up: x := x + 1; command turn: y := 7 - y;";
    let whole = [NOTHING, found(3, 4)];
    exactly(text, &whole);
    let finite = [found(0, i64::MAX), found(3, 4)];
    rejected(text, &finite, &[(0, &finite)]);
}

#[test]
fn values_of_the_control_variable_tell_states_apart() {
    let text = "enum L { a, b, c } control var l : L; var x : int; init l = L::a; init x = 0;
        command test: { assume l = L::a; assume x < 5; l := L::b; }
        command step: { assume l = L::b; x := x + 1; l := L::a; }
        command stop: { assume l = L::a; assume x = 5; l := L::c; x := x * 100; }";
    let by_value: [At<'_>; 3] =
        [(0, &[NOTHING, found(0, 5)]), (1, &[NOTHING, found(0, 4)]), (2, &[NOTHING, found(500, 500)])];
    let model = model(text);
    let claims = claims(&model, &[NOTHING, found(0, 500)], &by_value);
    assert_eq!(judged(&model, &claims), Ok(()));
    assert!(weaker(&claims).iter().all(|other| judged(&model, other).is_err()));
    // More values than are reached do no harm.
    let unused = "enum L { a, b } control var l : L; var x : int; init l = L::a & x = 1; command c: skip;";
    let whole = [NOTHING, found(1, 1)];
    let model = self::model(unused);
    assert_eq!(judged(&model, &self::claims(&model, &whole, &[(0, &whole), (1, &whole)])), Ok(()));
}

#[test]
fn several_first_values_of_the_control_variable_are_looked_at_one_by_one() {
    let text =
        "enum L { a, b, c } control var l : L; var x : int; init l = L::a & x = 0 | l = L::c & x = 9; command c: skip;";
    exact(text, &[NOTHING, found(0, 9)], &[(0, &[NOTHING, found(0, 0)]), (2, &[NOTHING, found(9, 9)])]);
}

#[test]
fn values_in_the_middle_of_a_step_count() {
    let text = "var x : int; init x = 0; command jump: { x := x + 100; assume x = 100; x := x - 100; }";
    exact(text, &[found(0, 100)], &[(0, &[found(0, 0)])]);
    rejected(text, &[found(0, 0)], &[(0, &[found(0, 0)])]);
}

#[test]
fn an_assumption_right_behind_any_value_takes_it_away_and_a_later_one_does_not() {
    exactly("var x : int; init x = 1; command pick: { x := any; assume 0 < x; assume x < 15; }", &[found(1, 14)]);
    let whole = [found(1, 14), NOTHING];
    let late = "var x : int; var y : bool; init x = 1;
        command pick: { x := any; y := true; assume 0 < x; assume x < 15; }";
    rejected(late, &whole, &[(0, &whole)]);
    rejected("var x : int; init x = 1; command pick: x := any;", &[found(1, 14)], &[(0, &[NOTHING])]);
    let outside = "var x : int; init x = 1; command pick: { x := 15; assume x < 15; }";
    rejected(outside, &[found(1, 14)], &[(0, &[found(1, 1)])]);
}

#[test]
fn any_values_may_be_bounded_by_each_other() {
    let text = "var x : int; var y : int; init x = 1 & y = 1;
        command pick: { x := any, y := any; assume x <= y & y < 2 * x; assume 0 < x; assume x < 5; }";
    exactly(text, &[found(1, 4), found(1, 7)]);
}

#[test]
fn loops_and_local_variables_stay_within_their_claims() {
    let text = "var x : int; local var i : int; init x = 0;
        command loop: scope i do { assume x = 0; while i < 10 do { i := i + 1; x := 2; } assume i = 10; x := 0; }";
    let model = model(text);
    let claims = claims(&model, &[found(0, 2), found(0, 10)], &[(0, &[found(0, 0), found(0, 0)])]);
    assert_eq!(judged(&model, &claims), Ok(()));
    assert!(weaker(&claims).iter().all(|other| judged(&model, other).is_err()));
    let growing = "var x : int; init x = 0; command loop: { while x != 7 do x := x + 2; x := 0; }";
    rejected(growing, &[found(0, 7)], &[(0, &[found(0, 0)])]);
}

#[test]
fn what_a_loop_writes_may_be_known_better_behind_it_than_all_that_is_written() {
    let text = "var x : int; var n : int; init x = 0 & n = 50;
        command c: { n := 0; while n < 3 do { n := n + 1; x := n; } n := 50; assume x <= 3; }";
    exact(text, &[found(0, 3), found(0, 50)], &[(0, &[found(0, 3), found(50, 50)])]);
    let inner =
        "var x : int; local var i : int; init x = 0; command c: while x < 3 do { scope i do { i := x + 1; x := i; } }";
    exact(inner, &[found(0, 3), found(0, 3)], &[(0, &[found(0, 3), found(0, 0)])]);
}

#[test]
fn a_local_variable_that_would_begin_with_another_value_is_no_narrower() {
    let text = "var x : int; local var i : int; init x = 0; command c: scope i do { i := -1; i := 3; }";
    let model = model(text);
    let claims = claims(&model, &[found(0, 0), found(-1, 3)], &[(0, &[found(0, 0), found(0, 0)])]);
    let begins = |model: &Model| model.vars.iter().map(|var| model.first(var.domain)).collect::<Vec<_>>();
    assert_eq!(judged(&model, &claims).is_ok(), begins(&claims.narrowed(&model)) == begins(&model));
}

#[test]
fn the_start_is_looked_at_and_what_it_begins_in_need_not_keep_the_invariant() {
    let text = "var x : int; init 0 <= x & x <= 10; invariant x < 5; start x := x - 6; command c: skip;";
    exact(text, &[found(-6, 10)], &[(0, &[found(-6, 4)])]);
    rejected(text, &[found(-6, 4)], &[(0, &[found(-6, 4)])]);
    let plain = "var x : int; init 0 <= x & x <= 10; invariant x < 5; command c: x := x + 1;";
    exact(plain, &[found(0, 5)], &[(0, &[found(0, 4)])]);
}

#[test]
fn rows_are_written_in_any_of_their_cells() {
    let text = "var a : int; var b : int; family row from a len 2; var i : int;
        init a = 0 & b = 5 & 0 <= i & i <= 1; command turn: i := 1 - i;
        command c: { assume b < 9; row(i) := b + 1; }";
    exactly(text, &[found(0, 9), found(5, 9), found(0, 1)]);
    let outside = "var a : int; var b : int; family row from a len 2; var i : int;
        init a = 0 & b = 5 & i = 0; command c: { row(i) := 1; i := i + 1; }";
    exactly(outside, &[found(0, 1), found(1, 5), found(0, 2)]);
}

#[test]
fn cases_of_a_value_are_told_apart() {
    let text = "var x : int; init x = 0; command c: x := if x < 9 then x + 1 else 0;";
    exactly(text, &[found(0, 9)]);
    let either = "var x : int; init x = 0; command c: { assume x = 3 | x < 2 | 10 < x & x < 10; x := x + 1; }";
    exactly(either, &[found(0, 4)]);
    let parts = "var x : int; var y : int; init x = 4 & 7 <= y & y < 9;
        command c: { assume 4 <= x & x < 8 & x mod 4 < 3; x := x + y - (y - 1); }
        command d: { assume 6 <= x; x := x div 2 + 2; } command e: y := 15 - y;";
    exactly(parts, &[found(4, 7), found(7, 8)]);
}

#[test]
fn what_is_claimed_of_finite_domains_helps_where_it_is_proved() {
    let text = "var p : bool; var x : int; init !p & x = 0; command c: { assume p; x := x + 1; }";
    let whole = [NOTHING, found(0, 0)];
    let model = model(text);
    assert_eq!(judged(&model, &claims(&model, &whole, &[(0, &[found(0, 0), found(0, 0)])])), Ok(()));
    rejected(text, &whole, &[(0, &[NOTHING, found(0, 0)])]);
    rejected(text, &whole, &[(0, &[found(1, 1), found(0, 0)])]);
    let turned =
        "var p : bool; var x : int; init !p & x = 0; command c: { assume p; x := x + 1; } command d: p := true;";
    rejected(turned, &whole, &[(0, &[found(0, 0), found(0, 0)])]);
    // One that is wrong does no harm where nothing rests on it.
    let idle = self::model("var p : bool; var x : int; init !p & x = 0; command c: { p := true; x := -x; }");
    assert_eq!(judged(&idle, &claims(&idle, &whole, &[(0, &[found(0, 0), found(0, 0)])])), Ok(()));
}

#[test]
fn numbers_beyond_64_bits_are_outside() {
    let text = "var x : int; init x = 9223372036854775807; command c: { assume x < 0; x := 0; }";
    exactly(text, &[found(i64::MAX, i64::MAX)]);
    let over = "var x : int; init x = 9223372036854775807; command c: x := x + 1;";
    rejected(over, &[found(0, i64::MAX)], &[(0, &[NOTHING])]);
}

#[test]
fn claims_about_another_model_are_rejected() {
    let text = "var x : int; init x = 0; command c: skip;";
    rejected(text, &[], &[]);
    rejected(text, &[found(0, 0)], &[(0, &[])]);
    rejected(text, &[found(0, 0)], &[(0, &[NOTHING]), (1, &[NOTHING])]);
    rejected(text, &[found(1, 0)], &[(0, &[NOTHING])]);
    rejected(text, &[found(0, 0)], &[]);
}

#[test]
fn an_end_of_the_run_ends_the_check() {
    let control = Control::new();
    control.interrupter().interrupt();
    let model = model("var x : int; init x = 0; command c: skip;");
    let claims = claims(&model, &[found(0, 0)], &[(0, &[NOTHING])]);
    assert!(matches!(certify(&model, &claims, &control), Err(Rejection::Stopped(_))));
}

#[test]
fn many_places_and_many_conditions_are_no_trouble() {
    const N: usize = 600;
    let many = |part: &dyn Fn(usize) -> String| (0..N).map(part).collect::<String>();
    let vars = many(&|i| format!("var x{i} : int; "));
    let init = many(&|i| format!("init x{i} = {i}; "));
    let steps = many(&|i| format!("command c{i}: {{ assume l = {i}; x{i} := x{i} + 1; l := {}; }} ", i + 1));
    let text = format!("control var l : 0..{N}; {vars} init l = 0; {init} {steps}");
    let model = model(&text);
    let (ends, lasts) = (found(0, N as Raw), |i: usize| found(i as Raw, i as Raw + 1));
    let whole: Vec<Found> = std::iter::once(ends).chain((0..N).map(lasts)).collect();
    let at = |place: usize| {
        let was = move |i: usize| if i < place { found(i as Raw + 1, i as Raw + 1) } else { found(i as Raw, i as Raw) };
        std::iter::once(ends).chain((0..N).map(was)).collect::<Vec<Found>>()
    };
    let by_value: Vec<Vec<Found>> = (0..=N).map(at).collect();
    let by_value: Vec<At<'_>> = by_value.iter().enumerate().map(|(place, at)| (place as Raw, &at[..])).collect();
    assert_eq!(judged(&model, &claims(&model, &whole, &by_value)), Ok(()));
}

#[test]
fn deep_and_shared_conditions_end_soon() {
    let text = "var x : int; var y : int; init x = 0 & y = 0; command c: { assume 0 < y; x := 1; } command d: x := 0;";
    let model = model(text);
    let e = model.exprs.clone();
    let (x, y) = (e.var(VarId(0)), e.var(VarId(1)));
    let shared = (0..200).fold(e.lt(y, x), |part, i| {
        let (low, high) = (e.lt(x, e.int(i)), e.lt(e.int(-i), y));
        e.or([e.and([part, low]), e.and([high, e.not(part)]), e.eq(part, low)])
    });
    let deep = (0..20_000).fold(x, |part, _| e.modulo(e.add([part, e.int(1)]), e.int(10)));
    let low = found(0, 0);
    for condition in [shared, e.not(shared), e.lt(deep, e.int(11)), e.eq(e.ite(shared, deep, y), x)] {
        let mut other = model.clone();
        let body = std::mem::take(&mut other.commands[CommandId(1)].body);
        other.commands[CommandId(1)].body = Statement::Sequence(vec![Statement::Assume(condition), body]);
        assert_eq!(judged(&other, &claims(&other, &[low, low], &[(0, &[low, low])])), Ok(()));
    }
}
