//! Models that were written to break the engine: every proof is certified, every run is replayed.

use lapidary_base::{Control, Stop};
use lapidary_checker::{Means, certify_model, replay_model};
use lapidary_engines::matching::{Config, Inputs};
use lapidary_engines::{Answer, Outcome};
use lapidary_ir::Model;
use lapidary_smt::Backend;
use lapidary_verdict::Verdict;

use super::texts::{ask, load};

fn configs() -> Vec<Config> {
    let base = || Config { most_iterations: Some(60), ..Config::default() };
    vec![
        base(),
        Config { is_plain: true, ..base() },
        Config { is_local: true, ..base() },
        Config { inputs: Inputs::Enumerate, ..base() },
        Config { concretise: Some(0), ..base() },
        Config { control: Some(Vec::new()), ..base() },
    ]
}

/// The answer, with its evidence checked.
fn checked(model: &Model, name: &str, config: Config) -> Answer {
    let answer = ask(model, name, config);
    let property = model.property(name).expect("a property");
    match &answer.outcome {
        Outcome::Excluded(certificate) => {
            let (solver, control) = (Backend::default(), Control::new());
            let found = certify_model(model, &[property], certificate, &Means::new(&solver, &control));
            assert!(found.is_ok(), "{name}: {found:?}");
        }
        Outcome::Found(trace) => assert_eq!(replay_model(model, property, Verdict::Violated, trace), Ok(())),
        Outcome::Unknown(_) => {}
    }
    answer
}

fn holds(text: &str, name: &str) {
    let model = load(text);
    for config in configs() {
        let answer = checked(&model, name, config.clone());
        assert!(matches!(answer.outcome, Outcome::Excluded(_)), "{config:?}: {:?}\n{text}", answer.outcome);
    }
}

fn fails(text: &str, name: &str) {
    let model = load(text);
    for config in configs() {
        let answer = checked(&model, name, config.clone());
        assert!(matches!(answer.outcome, Outcome::Found(_)), "{config:?}: {:?}\n{text}", answer.outcome);
    }
}

/// Two transitions are inexact in turn, never one of them twice in a row.
#[test]
fn transitions_that_are_inexact_in_turn_are_concretised() {
    holds(
        "var x, y, z : int = 0;
         control var pc : 0..1 = 0;
         a: pc = 0 -> x := y + z, pc := 1;
         b: pc = 1 -> y := x + z, pc := 0;
         invariant small: x <= 5;",
        "small",
    );
    holds(
        "var x, y, w, z : int = 0;
         control var pc : 0..2 = 0;
         a: pc = 0 -> x := y + z, pc := 1;
         b: pc = 1 -> y := w + z, pc := 2;
         c: pc = 2 -> w := x + z, pc := 0;
         invariant small: x <= 5;",
        "small",
    );
}

/// The control variable has no bounds, so a round would never end.
#[test]
fn a_run_that_was_found_is_told_though_the_round_has_no_end() {
    let model = load(
        "control var pc : int = 0;
         go: true -> pc := pc + 1;
         invariant small: pc < 3;",
    );
    let answer = checked(&model, "small", Config { most_work: Some(1 << 18), ..Config::default() });
    let Outcome::Found(trace) = &answer.outcome else { panic!("{:?}", answer.outcome) };
    assert_eq!(trace.n_steps(), 3);
    assert!(answer.stats.count("states") < Some(1 << 12), "{:?}", answer.stats.count("states"));
}

#[test]
fn control_variables_may_be_assigned_from_data() {
    holds(
        "var x : int = 0; control var pc : int = 0;
         up: x < 4 -> x := x + 1; down: x >= 4 -> x := 0;
         jump: true -> pc := x;
         invariant near: pc <= 4 & pc >= 0;",
        "near",
    );
    fails(
        "var x : int = 0; control var pc : int = 0;
         up: x < 4 -> x := x + 1; down: x >= 4 -> x := 0;
         jump: true -> pc := x;
         invariant near: pc <= 3;",
        "near",
    );
    fails(
        "var x : int = 0; var b : bool = false; control var pc : bool = false;
         up: x < 10 -> x := x + 3; flip: pc -> b := x = 9;
         jump: true -> pc := x > 7 | b;
         invariant never: !b;",
        "never",
    );
}

#[test]
fn divisions_remainders_and_negative_numbers() {
    holds(
        "var x, y : int = 0;
         down: y > -7 -> x := x - 3, y := y - 1;
         back: y <= -7 -> x := 0, y := 0;
         invariant third: x mod 3 = 0 & x div 3 = y;
         invariant strict: !(x < 0 & y = 0);
         invariant scaled: -2 * x <= 43 & 4 * y + 3 > -27;",
        "scaled",
    );
    let text = "var x, y : int = 0;
         down: y > -7 -> x := x - 3, y := y - 1;
         back: y <= -7 -> x := 0, y := 0;
         safe: y != 0 & x div y = 3 -> x := x;
         odd:  y != 0 & x mod y != 0 -> x := 1000;
         invariant third: x mod 3 = 0 & x div 3 = y;
         invariant below: x < 1000;
         invariant least: 2 * y > -14;";
    holds(text, "third");
    holds(text, "below");
    fails(text, "least");
}

#[test]
fn atoms_at_the_ends_of_the_numbers() {
    for bound in ["x <= 9223372036854775807", "x >= -9223372036854775807", "x + y <= 9223372036854775807"] {
        holds(
            &format!(
                "var x, y : int = 0; flip: true -> x := 1 - x; \
                 far: x > 9223372036854775806 -> y := 5; near: x < -9223372036854775806 -> y := 6;
                 invariant bound: {bound}; invariant still: y = 0;"
            ),
            "still",
        );
    }
    // The sums leave 64 bits; there is no answer, but no wrong one either, and nothing breaks.
    let model = load(
        "var x, y, z : int = 9223372036854775807;
         odd: 9223372036854775807 * x + 9223372036854775805 * y + 9223372036854775803 * z <= 5 -> x := 0;
         invariant still: x > 0;",
    );
    for config in configs() {
        let answer = checked(&model, "still", config);
        assert!(matches!(answer.outcome, Outcome::Unknown(_)), "{:?}", answer.outcome);
    }
}

#[test]
fn trivial_models() {
    holds("invariant fine: true;", "fine");
    fails("invariant wrong: false;", "wrong");
    holds("var x : int = 0; invariant fine: x = 0;", "fine");
    holds("var x : int; init x != x; go: true -> x := x + 1; invariant none: false;", "none");
    fails("var x : int; invariant wrong: x != 77;", "wrong");
    holds("var b : bool = false; control var c : bool = false; go: c -> b := true; invariant no: !b;", "no");
    holds("var x : int = 0; no: false -> x := 1; invariant fine: x = 0;", "fine");
}

#[test]
fn enumerations_and_booleans() {
    let text = "type Light = { red, amber, green };
         var a, b : Light = red; var p, q : bool = false; var x : int = 0;
         one: a = red -> a := amber, p := (x > 0) = q;
         two: a = amber & p -> a := green, b := a;
         back: a = green -> a := red, b := if p then red else green, q := !q | x < -3, x := x - 1;
         round: x < -5 -> x := 0;
         invariant lags: b != green;
         invariant bounded: x >= -6;
         invariant not_amber: b != amber;";
    holds(text, "lags");
    holds(text, "bounded");
    fails(text, "not_amber");
}

#[test]
fn cells_with_indexes_that_are_data() {
    let text = "var a : int[4] = 0; var i : 0..3 = 0; var n : int = 0;
         put: a[i] < 3 -> a[i] := a[i] + 1;
         next: i < 3 -> i := i + 1;
         wrap: i = 3 -> i := 0;
         invariant small: a[i] <= 3;
         invariant less: a[2] < 3;";
    let model = load(text);
    let answer = checked(&model, "less", Config::default());
    assert!(matches!(answer.outcome, Outcome::Found(_)), "{:?}", answer.outcome);
    let answer = checked(&model, "small", Config { most_iterations: Some(30), ..Config::default() });
    assert!(matches!(answer.outcome, Outcome::Excluded(_)), "{:?}", answer.outcome);
}

/// When more values are tried than can be combined, those near zero must not be lost.
#[test]
fn combinations_of_many_inputs_begin_near_zero() {
    let model = load(
        "var x, y, z : int = 0; control var pc : 0..2 = 0;
         read: pc = 0 -> x := input, y := input, z := input, pc := 1;
         hit: pc = 1 & x = 1 & y = 1 & z = 18 -> pc := 2;
         miss: pc = 1 & !(x = 1 & y = 1 & z = 18) -> pc := 0;
         invariant never: pc != 2;",
    );
    for inputs in [Inputs::Solver, Inputs::Enumerate] {
        let answer = checked(&model, "never", Config { inputs, most_iterations: Some(6), ..Config::default() });
        let Outcome::Found(trace) = &answer.outcome else { panic!("{:?}", answer.outcome) };
        assert_eq!(trace.n_steps(), 2);
    }
}

/// Inputs with a domain, assigned to control variables, and in guards.
#[test]
fn inputs_of_all_kinds() {
    let text = "var x : 0..80 = 0; var y : int = 0; control var c : 0..30 = 0;
         read: c < 20 -> x := input;
         steer: x > 60 -> c := input;
         both: c > 25 & x >= 65 -> y := input, x := input;
         invariant far: !(y > 1000 & x = 7);
         invariant sane: c = 0 | x >= 0;";
    let model = load(text);
    let answer = checked(&model, "far", Config::default());
    assert!(matches!(answer.outcome, Outcome::Found(_)), "{:?}", answer.outcome);
    let answer = checked(&model, "sane", Config::default());
    assert!(matches!(answer.outcome, Outcome::Excluded(_)), "{:?}", answer.outcome);
}

/// Terms that square in every round must not be walked as trees.
#[test]
fn terms_that_double_in_every_round_end_by_the_limit_of_rounds() {
    let model = load("var x, y : int = 0; go: true -> x := y * y, y := x * x + x; invariant small: x <= 5;");
    let config = Config { backend: Backend::Nothing, most_iterations: Some(60), ..Config::default() };
    let answer = checked(&model, "small", config);
    assert!(matches!(answer.outcome, Outcome::Unknown(Stop::NoAnswer(_))), "{:?}", answer.outcome);
}

/// What an input that is a literal may be is no predicate; and four of three literals each are too many to be listed.
#[test]
fn inputs_that_are_literals() {
    holds(
        "type Light = { red, amber, green }; var a, b : Light = red;
         read: a = red -> a := input; put: a != green -> b := a; invariant no: b != green;",
        "no",
    );
    let model = load(
        "type Light = { red, amber, green }; var a, b, c, d, f : Light = red;
         read: true -> a := input, b := input, c := input, d := input;
         keep: d = a & a != green -> f := d;
         invariant amber: f != amber; invariant green: f != green;",
    );
    let answer = checked(&model, "amber", Config::default());
    assert!(matches!(answer.outcome, Outcome::Found(_)), "{:?}", answer.outcome);
    let answer = checked(&model, "green", Config::default());
    assert!(matches!(answer.outcome, Outcome::Excluded(_)), "{:?}", answer.outcome);
}

/// The few initial states are found by the solver, not by trying a million times a million values.
#[test]
fn initial_states_in_a_large_space() {
    let text = "var x, y : 0..1000000;
         init x + y >= 1999999;
         swap: x <= y -> x := y, y := x;
         invariant above: x >= 999999;
         invariant equal: x = y;";
    let model = load(text);
    let answer = checked(&model, "above", Config::default());
    assert!(matches!(answer.outcome, Outcome::Excluded(_)), "{:?}", answer.outcome);
    let answer = checked(&model, "equal", Config::default());
    assert!(matches!(answer.outcome, Outcome::Found(_)), "{:?}", answer.outcome);
}
