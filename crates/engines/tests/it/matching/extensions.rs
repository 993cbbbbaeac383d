//! The extensions of section 7: open systems, predicates that belong to places, and no solver at all.

use lapidary_base::Stop;
use lapidary_engines::matching::{Config, Inputs};
use lapidary_engines::{Answer, Outcome};
use lapidary_smt::Backend;

use super::texts::{ask, load, per_round, ticket};

/// Reads numbers for ever and keeps the greatest.
fn greatest(take: &str) -> String {
    format!(
        "var x, m : int = 0;
         control var pc : 0..1 = 0;
         read: pc = 0 -> x := input, pc := 1;
         keep: pc = 1 & x <= m -> pc := 0;
         take: pc = 1 & {take} -> m := x, pc := 0;
         invariant positive: m >= 0;
         invariant above: pc = 1 | x <= m;"
    )
}

fn strategies() -> [Config; 2] {
    [Inputs::Solver, Inputs::Enumerate].map(|inputs| Config { inputs, ..Config::default() })
}

fn is_proved(answer: &Answer) -> bool {
    matches!(answer.outcome, Outcome::Excluded(_))
}

#[test]
fn an_open_system_is_proved_with_either_strategy() {
    for config in strategies() {
        for property in ["positive", "above"] {
            let answer = ask(&load(&greatest("x > m")), property, config.clone());
            assert!(is_proved(&answer), "{property}: {:?}", answer.outcome);
        }
    }
}

#[test]
fn a_broken_open_system_is_refuted_with_either_strategy() {
    for config in strategies() {
        let answer = ask(&load(&greatest("(x > m | x < -5)")), "positive", config);
        let Outcome::Found(trace) = &answer.outcome else { panic!("{:?}", answer.outcome) };
        assert_eq!(trace.n_steps(), 2);
    }
}

/// The values that matter are far from those that are tried at first.
#[test]
fn more_inputs_are_tried_where_those_tried_do_not_suffice() {
    let config = Config { inputs: Inputs::Enumerate, ..Config::default() };
    let answer = ask(&load(&greatest("(x > m | x < -100)")), "positive", config);
    assert!(matches!(answer.outcome, Outcome::Found(_)), "{:?}", answer.outcome);
    assert!(answer.stats.rounds.len() > 1);
}

/// What inputs can lead to depends on the order of two variables, which no guard compares.
#[test]
fn inputs_are_eliminated_to_tell_states_apart() {
    let model = load(
        "var a, b, x : int = 0;
         control var pc : 0..2 = 0;
         widen: pc = 0 -> b := b + 1;
         read:  pc = 0 -> x := input, pc := 1;
         hit:   pc = 1 & a < x & x < b -> pc := 2;
         again: pc = 2 -> pc := 0, a := 0;
         invariant never_hit: pc != 2;
         invariant ordered: a <= b;",
    );
    for config in strategies() {
        let answer = ask(&model, "never_hit", config.clone());
        let Outcome::Found(trace) = &answer.outcome else { panic!("{:?}", answer.outcome) };
        assert_eq!(trace.n_steps(), 4);
        let answer = ask(&model, "ordered", config);
        assert!(is_proved(&answer), "{:?}", answer.outcome);
    }
}

#[test]
fn initial_values_may_be_left_open() {
    let model = load(
        "var x, y : int;
         init x != y & x <= y + 9;
         swap: x <= y -> x := y, y := x;
         invariant different: x != y;
         invariant ordered: x < y;",
    );
    assert!(is_proved(&ask(&model, "different", Config::default())));
    let answer = ask(&model, "ordered", Config::default());
    assert!(matches!(answer.outcome, Outcome::Found(_)), "{:?}", answer.outcome);
}

#[test]
fn predicates_may_belong_to_places() {
    let answer = ask(&load(&ticket(3, 1)), "mutex", Config { is_local: true, ..Config::default() });
    assert!(is_proved(&answer), "{:?}", answer.outcome);
    let everywhere = ask(&load(&ticket(3, 1)), "mutex", Config::default());
    let last = |answer: &Answer| per_round(answer, "abstract_states").last().copied();
    assert!(last(&answer) <= last(&everywhere));
    let answer = ask(&load(&ticket(2, 2)), "mutex", Config { is_local: true, ..Config::default() });
    assert!(matches!(answer.outcome, Outcome::Found(_)), "{:?}", answer.outcome);
}

#[test]
fn without_a_solver_errors_are_found_and_nothing_is_proved() {
    let config = Config { backend: Backend::Nothing, most_iterations: Some(5), ..Config::default() };
    let answer = ask(&load(&ticket(2, 2)), "mutex", config.clone());
    assert!(matches!(answer.outcome, Outcome::Found(_)), "{:?}", answer.outcome);
    assert_eq!(answer.stats.count("queries"), Some(0));
    let answer = ask(&load(&ticket(2, 1)), "mutex", config.clone());
    assert!(matches!(answer.outcome, Outcome::Unknown(_)), "{:?}", answer.outcome);
    // All there is to find is found, but nothing shows that it is all.
    let still =
        load("var x : int = 0; control var pc : 0..1 = 0; go: pc = 0 & x = 0 -> pc := 1; invariant zero: x = 0;");
    let answer = ask(&still, "zero", config);
    assert!(matches!(&answer.outcome, Outcome::Unknown(Stop::NoAnswer(why)) if why.contains("solver")));
}

/// Comparisons of data with a control variable are no predicates at first: that a guard is false, or a target missed, in all
/// of a block has to be asked. In both models a state that matters is matched with one that does not.
#[test]
fn comparisons_with_control_variables_are_found_missing() {
    let guarded = "
        var x : int = 0;
        control var pc : 0..2 = 0;
        a: pc = 0 -> pc := 1, x := 0;
        b: pc = 0 -> pc := 1, x := 5;
        go: pc >= 1 & x > 2 * pc + 1 -> pc := 2;
        invariant stays: pc < 2;";
    let aimed = "
        var x : int = 0;
        control var pc : 0..2 = 0;
        a: pc = 0 -> pc := 1, x := 0;
        b: pc = 0 -> pc := 1, x := 5;
        go: pc = 1 -> pc := 2;
        invariant stays: !(pc = 2 & x > 2 * pc);";
    for text in [guarded, aimed] {
        let answer = ask(&load(text), "stays", Config::default());
        let Outcome::Found(trace) = &answer.outcome else { panic!("{:?}", answer.outcome) };
        assert_eq!((trace.n_steps(), answer.stats.rounds.len()), (2, 2));
    }
}
