//! Abstraction refinement: `:ar-cegar-init`, `:ar-cegar-verify` and their options.

use std::time::Duration;

use expect_test::expect;
use lapidary_base::Control;

use super::support::Shell;

fn shell() -> Shell {
    let mut shell =
        Shell::new(&[("stack.alt", include_str!("stack.alt")), ("peterson.alt", include_str!("peterson.alt"))]);
    shell.define(":ar-load stack.alt\n:ar-load peterson.alt");
    shell.define("Both_in(s : Peterson!c) := s.p = critical & s.q = critical;");
    shell.define("Clash(s : Careless!c) := s.p = critical & s.q = critical;");
    shell
}

#[test]
fn error_states_out_of_reach_are_found_to_be_so() {
    expect![[r#"
        abstraction of Peterson : 9 states, 18 transitions
        the error states are not reachable
        iterations : 3, at most 10 states, 12 pruned, 11 images of counterexamples, 24 transitions tested
    "#]]
    .assert_eq(&shell().say(":ar-cegar-init Peterson Peterson!init Both_in\n:ar-cegar-verify Peterson"));
}

#[test]
fn error_states_in_reach_are_shown_with_a_run() {
    expect![[r#"
        abstraction of Careless : 9 states, 18 transitions
        the error states are reachable
          {p = idle, q = idle, turn = 0}
          <q_try> {p = idle, q = trying, turn = 0}
          <q_enter> {p = idle, q = critical, turn = 0}
          <p_try> {p = trying, q = critical, turn = 1}
          <p_enter> {p = critical, q = critical, turn = 1}
        iterations : 1, at most 9 states, 0 pruned, 4 images of counterexamples, 0 transitions tested
    "#]]
    .assert_eq(&shell().say(":ar-cegar-init Careless Careless!init Clash\n:ar-cegar-verify Careless"));
}

#[test]
fn predicates_may_be_given_with_commas_or_without() {
    for words in ["P Q R", "P, Q, R", "P,Q,R", "P , Q ,R"] {
        let mut shell = shell();
        shell.define("P(s : Peterson!c) := s.p = trying; Q(s : Peterson!c) := s.q = trying;");
        shell.define("R(s : Peterson!c) := s.turn = 0;");
        let said = shell.say(&format!(":ar-cegar-init Peterson Peterson!init Both_in {words}"));
        assert_eq!(said, "abstraction of Peterson : 8 states, 14 transitions\n", "{words}");
        shell.define(":set cegar-use-cover-abstraction");
        let said = shell.say(&format!(":ar-cegar-init Peterson Peterson!init Both_in {words}"));
        assert_eq!(said, "abstraction of Peterson : 4 states, 15 transitions\n", "{words}");
    }
}

#[test]
fn a_loop_is_taken_up_again_with_other_options() {
    let mut shell = shell();
    expect![[r#"
        abstraction of Peterson : 9 states, 18 transitions
        undecided after 0 iterations
        iterations : 0, at most 9 states, 0 pruned, 0 images of counterexamples, 0 transitions tested
        iteration 1 : 9 states, 0 pruned, counterexample of 5, 5 split into 9 and 10, 8 transitions tested
        undecided after 1 iteration
        iterations : 1, at most 9 states, 1 pruned, 4 images of counterexamples, 8 transitions tested
        iteration 2 : 9 states, 1 pruned, counterexample of 5, 7 split into 11 and 12, 8 transitions tested
        the error states are not reachable
        iterations : 2, at most 9 states, 11 pruned, 6 images of counterexamples, 16 transitions tested
        the error states are not reachable
        iterations : 2, at most 9 states, 11 pruned, 6 images of counterexamples, 16 transitions tested
    "#]]
    .assert_eq(&shell.say(
        ":ar-cegar-init Peterson Peterson!init Both_in
:set cegar-print-iteration-stats
:ar-cegar-verify Peterson 0
:ar-cegar-verify Peterson 1
:set cegar-search-algorithm dfs
:set cegar-ce-analysis backward
:set initial-certification
:set split-certification
:set feasibility-certification on
:set cegar-abstraction-refinement-algorithm Sigma
:ar-cegar-verify Peterson
:ar-cegar-verify Peterson",
    ));
}

#[test]
fn abstractions_are_written_one_file_an_iteration() {
    for file in ["abs", "abs.dot"] {
        let mut shell = shell();
        let said = shell.say(&format!(
            ":ar-cegar-init Stack1 Stack1!init Stack1!reach\n:set cegar-abstraction-print {file}\n:ar-cegar-verify Stack1"
        ));
        assert_eq!(said.matches("[abs-1.dot]\ndigraph abstraction {\n").count(), 1, "{said}");
        // Blocks are told apart by the sets of the command.
        assert!(said.contains("\\nStack1!init\\n") && said.contains("\\nnot Stack1!init\\n"), "{said}");
        shell.define(":set cegar-abstraction-print OFF");
        assert!(!shell.say(":ar-cegar-verify Stack1").contains("digraph"));
    }
}

#[test]
fn an_abstraction_outlives_a_graph_that_cannot_be_written() {
    let mut shell = shell();
    shell.define(":ar-cegar-init Stack1 Stack1!init Stack1!reach\n:set cegar-abstraction-print nowhere/abs");
    assert!(shell.say(":ar-cegar-verify Stack1").contains("`nowhere/abs-1.dot` cannot be written"));
    let said = shell.say(":set cegar-abstraction-print OFF\n:ar-cegar-verify Stack1");
    assert!(said.contains("the error states are reachable\n"), "{said}");
}

#[test]
fn switches_go_on_when_they_are_named_and_off_when_told() {
    let mut shell = shell();
    let value = |shell: &mut Shell| {
        let all = shell.say(":set");
        let line = all.lines().find(|line| line.starts_with("split-certification")).expect("it is listed");
        line.split_whitespace().nth(2).expect("a value").to_owned()
    };
    assert_eq!(value(&mut shell), "off");
    shell.define(":set split-certification");
    assert_eq!(value(&mut shell), "on");
    shell.define(":set split-certification Off");
    assert_eq!(value(&mut shell), "off");
    assert_eq!(
        shell.say(":set cegar-search-algorithm dfs\n:set cegar-search-algorithm"),
        "cegar-search-algorithm = DFS\n"
    );
}

#[test]
fn super_transitions_are_for_nodes_without_priorities() {
    let mut shell = shell();
    shell.define(":set cegar-use-super-transition");
    assert_eq!(shell.codes(":ar-cegar-init Stack2 Stack2!init Stack2!reach"), ["mec033"]);
    assert_eq!(shell.codes(":ar-cegar-verify Stack2"), ["mec032"]);
    let said = shell.say(":ar-cegar-init Peterson Peterson!init Both_in\n:ar-cegar-verify Peterson");
    assert!(said.contains("the error states are not reachable\n"), "{said}");
    let said = shell.say(":set cegar-use-super-transition off\n:ar-cegar-init Stack2 Stack2!init Stack2!reach");
    assert!(said.starts_with("abstraction of Stack2"), "{said}");
}

#[test]
fn a_limit_ends_an_abstraction_and_not_the_session() {
    let mut shell = shell();
    let init = ":ar-cegar-init Peterson Peterson!init Both_in";
    shell.define(init);
    let mut shell = shell.with_control(Control::new().with_timeout(Some(Duration::ZERO)));
    assert_eq!(shell.codes(":ar-cegar-verify Peterson"), ["mec030"]);
    let mut shell = shell.with_control(Control::new());
    assert_eq!(shell.codes(":ar-cegar-verify Peterson"), ["mec032"]);
    assert!(shell.say(&format!("{init}\n:ar-cegar-verify Peterson")).contains("not reachable"));
}

#[test]
fn evidence_that_is_rejected_gives_no_answer() {
    for (node, error) in [("Peterson", "Both_in"), ("Careless", "Clash")] {
        let mut shell = shell().rejecting("it is wrong");
        let said = shell.say(&format!(":ar-cegar-init {node} {node}!init {error}\n:ar-cegar-verify {node}"));
        assert!(said.contains("error[mec034]") && !said.contains("reachable"), "{said}");
        let outcome = shell.session.outcome;
        assert_eq!((outcome.n_rejected, outcome.n_errors, outcome.n_stopped), (1, 0, 0));
        assert_eq!(shell.codes(&format!(":ar-cegar-verify {node}")), ["mec032"]);
    }
}

/// A node, with initial states and error states that are asked about.
const QUESTIONS: [(&str, &str, &str); 14] = [
    ("Peterson", "Peterson!init(s)", "s.p = critical & s.q = critical"),
    ("Peterson", "s.p != critical | s.q != critical", "s.p = critical & s.q = critical"),
    ("Peterson", "s.p = trying & s.q = idle", "s.p = idle & s.q = trying & s.turn = 1"),
    ("Peterson", "false", "true"),
    ("Peterson", "true", "false"),
    ("Careless", "Careless!init(s)", "s.p = critical & s.q = critical"),
    ("Careless", "s.q = critical", "s.p = critical & s.q = trying"),
    ("Counter", "Counter!init(s)", "s.n = 7"),
    ("Counter", "Counter!init(s)", "s.twice = 12 & ~s.on"),
    ("Counter", "s.n = 1 & s.below = 0", "s.twice = 14 & s.below = 3"),
    ("Counter", "s.n = 7 & ~s.on", "s.twice = 0"),
    ("Stack3", "Stack3!init(s)", "s.Top.object != no & s.Stack.Top.object = no"),
    ("Stack3", "s.Top.object = a", "s.Stack.Stack.isEmpty & ~s.Top.isEmpty"),
    ("Both", "Both!init(s)", "s.a.twice = 2 | s.b.n = 6"),
];

const SETTINGS: [&str; 10] = [
    "",
    ":set cegar-search-algorithm DFS",
    ":set cegar-ce-analysis BACKWARD",
    ":set cegar-abstraction-refinement-algorithm SIGMA",
    ":set cegar-abstraction-refinement-algorithm SIGMA\n:set cegar-ce-analysis BACKWARD",
    ":set initial-certification\n:set split-certification\n:set feasibility-certification",
    ":set initial-certification\n:set split-certification\n:set cegar-ce-analysis BACKWARD",
    ":set cegar-use-must-and-clo",
    ":set cegar-use-guards-as-predicates\n:set initial-certification",
    ":set cegar-use-guards-as-predicates\n:set cegar-use-cover-abstraction",
];

/// Every set is judged by listing all configurations, every run by what it ends in.
#[test]
fn all_settings_agree_with_the_fixpoints_of_the_session() {
    let (mut n_reached, mut n_safe) = (0, 0);
    for (node, initial, error) in QUESTIONS {
        let mut shell = shell();
        shell.define(&format!("I(s : {node}!c) := {initial}; E(s : {node}!c) := {error};"));
        shell.define("Post(s) += I(s) | <x>(Post(x) & <e>(T(x, e, s)));".replace("T(", &format!("{node}!t(")).as_str());
        shell.define("Met(s) := Post(s) & E(s);");
        let is_reached = shell.cardinal("Met") > 0;
        for setting in SETTINGS {
            let reset = ":set cegar-search-algorithm BFS
:set cegar-ce-analysis FORWARD
:set cegar-abstraction-refinement-algorithm DIRECT
:set initial-certification off
:set split-certification off
:set feasibility-certification off
:set cegar-use-must-and-clo off
:set cegar-use-guards-as-predicates off
:set cegar-use-cover-abstraction off";
            let said = shell.say(&format!("{reset}\n{setting}\n:ar-cegar-init {node} I E\n:ar-cegar-verify {node}"));
            let verdict = said.lines().nth(1).expect("a verdict");
            let expected =
                if is_reached { "the error states are reachable" } else { "the error states are not reachable" };
            assert_eq!(verdict, expected, "{node}, {initial}, {error}, {setting}:\n{said}");
        }
        *(if is_reached { &mut n_reached } else { &mut n_safe }) += 1;
    }
    assert!(n_reached >= 5 && n_safe >= 5, "both answers occur: {n_reached}, {n_safe}");
}

#[test]
fn mistakes_have_the_code_of_their_kind() {
    let mut wrong = Vec::new();
    for (text, code) in [
        (":ar-cegar-init Stack1 Stack1!init", "mec007"),
        (":ar-cegar-init Stack1 Stack1!init , ,", "mec007"),
        (":ar-cegar-verify Stack1 many", "mec007"),
        (":ar-cegar-verify Stack1 -1", "mec007"),
        (":ar-cegar-verify Stack1 1 1", "mec007"),
        (":set cegar-search-algorithm A*", "mec009"),
        (":set initial-certification maybe", "mec009"),
        (":set cegar-abstraction-print on", "mec009"),
        (":ar-cegar-init Stack9 A B", "mec012"),
        (":ar-cegar-verify Stack9", "mec012"),
        (":ar-cegar-init Stack1 Stack1!init B", "mec013"),
        (":ar-cegar-init Stack1 Stack1!init Stack1!init, P", "mec013"),
        (":ar-cegar-init Stack1 Stack1!init Stack2!init", "mec022"),
        (":ar-cegar-init Stack1 Stack1!init Stack1!ev", "mec022"),
        (":ar-cegar-init Stack1 Stack1!t Stack1!init", "mec023"),
        ("A := true; :ar-cegar-init Stack1 A Stack1!init", "mec023"),
    ] {
        let found = shell().codes(text);
        if found != [code] {
            wrong.push((text, code, found));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
