//! The rows of the paper's tables that are known to reproduce.

use lapidary_base::Stop;
use lapidary_engines::Outcome;
use lapidary_engines::matching::Config;

use super::texts::{RAX, ask, formula, load, new_predicates, per_round, ticket};

/// As the paper has it, and as fast as we can: both find the same predicates.
fn both() -> [Config; 2] {
    [Config { is_plain: true, ..Config::default() }, Config::default()]
}

#[test]
fn ticket2() {
    for config in both() {
        let answer = ask(&load(&ticket(2, 1)), "mutex", config);
        assert!(matches!(answer.outcome, Outcome::Excluded(_)), "{:?}", answer.outcome);
        assert_eq!(per_round(&answer, "concrete_states"), [15, 15, 15, 15]);
        assert_eq!(per_round(&answer, "abstract_states"), [9, 9, 9, 9]);
        let found = new_predicates(&answer);
        assert_eq!(found.iter().map(Vec::len).sum::<usize>(), 6, "{found:?}");
    }
}

#[test]
fn ticket3_with_the_predicates_of_table_2() {
    for config in both() {
        let answer = ask(&load(&ticket(3, 1)), "mutex", config);
        assert!(matches!(answer.outcome, Outcome::Excluded(_)), "{:?}", answer.outcome);
        assert_eq!(per_round(&answer, "concrete_states"), [52, 58, 58, 58, 58]);
        assert_eq!(per_round(&answer, "abstract_states"), [25, 31, 31, 31, 31]);
        let a = |k: usize| (1..=3).map(move |i| format!("P[{i}].a <= s + {k}"));
        let expected: [Vec<String>; 5] = [
            a(1).chain(["t <= s".to_owned()]).collect(),
            a(2).chain(["t + 1 <= s".to_owned(), "t <= s + 1".to_owned()]).collect(),
            vec!["t <= s + 2".to_owned()],
            vec!["t <= s + 3".to_owned()],
            vec![],
        ];
        assert_eq!(new_predicates(&answer), expected);
    }
}

#[test]
fn ticket2_with_the_error() {
    for config in both() {
        let answer = ask(&load(&ticket(2, 2)), "mutex", config);
        assert!(matches!(answer.outcome, Outcome::Found(_)), "{:?}", answer.outcome);
        assert_eq!(per_round(&answer, "concrete_states"), [15, 31]);
        assert_eq!(per_round(&answer, "abstract_states"), [9, 17]);
        assert_eq!(new_predicates(&answer).iter().map(Vec::len).sum::<usize>(), 5);
    }
}

#[test]
fn rax_diverges() {
    for config in both() {
        let config = Config { concretise: None, most_iterations: Some(4), ..config };
        let answer = ask(&load(RAX), "all", config);
        assert!(matches!(&answer.outcome, Outcome::Unknown(Stop::Incomplete(why)) if why.contains("divergent")));
        assert_eq!(per_round(&answer, "concrete_states"), [69, 101, 101, 101]);
        assert_eq!(per_round(&answer, "abstract_states"), [44, 65, 65, 65]);
        let expected = [["e1 = 0", "e2 = 0"], ["e1 = -1", "e2 = -1"], ["e1 = -2", "e2 = -2"], ["e1 = -3", "e2 = -3"]];
        assert_eq!(new_predicates(&answer), expected);
    }
}

#[test]
fn rax_ends_with_two_more_predicates() {
    for config in both() {
        let model = load(RAX);
        let predicates = ["e1_counts", "e2_counts"].map(|name| formula(&model, name)).to_vec();
        let answer = ask(&model, "all", Config { predicates, ..config });
        assert!(matches!(answer.outcome, Outcome::Excluded(_)), "{:?}", answer.outcome);
        assert_eq!(per_round(&answer, "concrete_states"), [69, 101]);
        assert_eq!(per_round(&answer, "abstract_states"), [44, 65]);
    }
}

#[test]
fn rax_can_deadlock() {
    for config in both() {
        let answer = ask(&load(RAX), "awake", config);
        let Outcome::Found(trace) = &answer.outcome else { panic!("{:?}", answer.outcome) };
        // The paper counts eight steps: that is the number of states of the shortest run.
        assert_eq!((trace.states.len(), trace.n_steps()), (8, 7));
        assert_eq!(per_round(&answer, "concrete_states"), [69]);
        assert_eq!(per_round(&answer, "abstract_states"), [44]);
    }
}

/// Figure 4: finitely many states, in fact one, and infinitely many predicates of the form y + k x >= 0.
const SPIN: &str = "
    var x, y : int = 0;
    control var pc : 0..1 = 0;
    grow: pc = 0 -> y := y + x;
    fail: pc = 0 & y < 0 -> pc := 1;
    invariant stays: pc = 0;";

#[test]
fn the_example_of_section_6_1_ends_only_with_the_states_values_as_predicates() {
    for config in both() {
        let without = Config { concretise: None, most_iterations: Some(6), ..config.clone() };
        let answer = ask(&load(SPIN), "stays", without);
        assert!(matches!(&answer.outcome, Outcome::Unknown(Stop::Incomplete(why)) if why.contains("divergent")));
        assert_eq!(per_round(&answer, "abstract_states"), [1; 6]);
        let found: Vec<String> = new_predicates(&answer).concat();
        // The negations of y + x >= 0, y + 2 x >= 0.
        assert_eq!(found[..2], ["x + y <= -1", "2 * x + y <= -1"]);
        let answer = ask(&load(SPIN), "stays", config);
        assert!(matches!(answer.outcome, Outcome::Excluded(_)), "{:?}", answer.outcome);
    }
}

/// A program in the spirit of Figure 5. With x > 3 alone, (C, 1) is matched with (C, 0). With x = 1 as well it is
/// visited, and its successor (R, 3) stands for (R, 2), which was visited before and leads to (S, 4).
const DETOUR: &str = "
    type Loc = { A, B, C, P, Q, R, S };
    var x : int = 0;
    control var pc : Loc = A;
    ab: pc = A -> x := 1, pc := B;
    ac: pc = A -> pc := C;
    bc: pc = B -> pc := C;
    cr: pc = C -> x := 5 - 2 * x, pc := R;
    cp: pc = C -> pc := P;
    pq: pc = P -> pc := Q;
    qr: pc = Q -> x := x + 2, pc := R;
    rs: pc = R -> x := 6 - x, pc := S;
    invariant low: !(pc = S & x > 3);
    invariant one: x = 1;";

#[test]
fn a_refinement_may_lose_what_was_reached_and_finds_it_again() {
    let model = load(DETOUR);
    let predicates = vec![formula(&model, "one")];
    for config in both() {
        let once = Config { most_iterations: Some(1), ..config.clone() };
        assert!(matches!(ask(&model, "low", once.clone()).outcome, Outcome::Found(_)));
        let with = Config { predicates: predicates.clone(), ..once };
        assert!(matches!(ask(&model, "low", with).outcome, Outcome::Unknown(_)));
        let to_the_end = ask(&model, "low", Config { predicates: predicates.clone(), ..config });
        let Outcome::Found(trace) = &to_the_end.outcome else { panic!("{:?}", to_the_end.outcome) };
        assert_eq!(trace.last()[..], [4, 6]);
        assert!(to_the_end.stats.rounds.len() > 1);
    }
}

/// Figure 6 (a): the transition is neither must+ nor must- for x > 0, but it is executed.
#[test]
fn a_transition_that_is_no_must_transition_is_taken() {
    let model = load("var x : int = 1; dec: x > 0 -> x := x - 1; invariant positive: x > 0;");
    for config in both() {
        let answer = ask(&model, "positive", Config { most_iterations: Some(1), ..config });
        let Outcome::Found(trace) = &answer.outcome else { panic!("{:?}", answer.outcome) };
        assert_eq!(trace.n_steps(), 1);
    }
}

/// Figure 6 (b): of two states that match, only the first is followed, so the order of transitions decides what the
/// first round reaches.
#[test]
fn of_two_matching_states_the_first_is_followed() {
    let program = |first: i64, second: i64| {
        format!(
            "var x : int = 0;
             control var pc : 0..3 = 0;
             a: pc = 0 -> pc := 1, x := {first};
             b: pc = 0 -> pc := 1, x := {second};
             c: pc = 1 -> pc := 2, x := x + 1;
             d: pc = 2 & x >= 3 -> pc := 3;
             e: pc = 2 & x < 3 -> pc := 3;
             invariant never_high: !(pc = 3 & x >= 3);
             invariant never_low: !(pc = 3 & x < 3);"
        )
    };
    let is_reached = |text: &str, name: &str, config: &Config| {
        matches!(ask(&load(text), name, config.clone()).outcome, Outcome::Found(_))
    };
    for config in both() {
        let once = Config { most_iterations: Some(1), ..config.clone() };
        let (low_first, high_first) = (program(1, 2), program(2, 1));
        let reached =
            |text: &str, config: &Config| ["never_high", "never_low"].map(|name| is_reached(text, name, config));
        assert_eq!(reached(&low_first, &once), [false, true]);
        assert_eq!(reached(&high_first, &once), [true, false]);
        assert_eq!(reached(&low_first, &config), [true, true]);
        assert_eq!(reached(&high_first, &config), [true, true]);
    }
}
