//! The commands of the shell, and statements one after the other.

use expect_test::expect;
use lapidary_mec::mec5::Flow;

use super::support::Shell;

const STACK: &str = include_str!("stack.alt");

fn shell() -> Shell {
    let mut shell = Shell::new(&[
        ("stack.alt", STACK),
        ("other.alt", "node Other state x : bool; init x := false; event e; trans true |- e -> x := not x; edon"),
        ("warned.alt", "node W state x : bool; init x := 0 = 0; event e; trans false |- e -> ; edon"),
        ("wrong.alt", "node W state x : bool edon node W edon"),
        ("my file.alt", "node Spaced edon"),
        ("defs.mec", "A(x : [0,3]) := x > 1;\n:rel-cardinal A\n"),
        ("outer.mec", ":source defs.mec\nB(x) := ~A(x);\n"),
        ("leave.mec", ":quit\nC := true;\n"),
        ("itself.mec", ":source itself.mec\n"),
    ]);
    shell.define(":ar-load stack.alt");
    shell
}

#[test]
fn loading_says_nothing_and_nodes_are_listed_in_order() {
    let mut shell = shell();
    assert_eq!(shell.say(":ar-load other.alt"), "");
    assert_eq!(shell.say(":ar-list"), "Stack1\nStack2\nStack3\nOther\n");
}

#[test]
fn file_names_with_blanks_are_quoted() {
    for line in [":ar-load 'my file.alt'", ":ar-load \"my file.alt\""] {
        let mut shell = Shell::new(&[("my file.alt", "node Spaced edon")]);
        assert_eq!(shell.say(&format!("{line}\n:ar-list")), "Spaced\n");
    }
}

#[test]
fn a_wrong_model_is_not_loaded() {
    let mut shell = shell();
    assert!(shell.say(":ar-load wrong.alt").contains("error["));
    assert_eq!((shell.session.outcome.n_errors, shell.say(":ar-list")), (1, "Stack1\nStack2\nStack3\n".to_owned()));
}

#[test]
fn a_node_tells_its_variables_events_and_sizes() {
    expect![[r#"
        node Stack2
          state Top.object : {no, a, b}
          flow Top.isEmpty : bool
          state Stack.object : {no, a, b}
          flow Stack.isEmpty : bool
          event : pushT, pushS, popS, popT
          event Top : push, pop
          event Stack : push, pop
          5 events
          9 configurations
          27 transitions
    "#]]
    .assert_eq(&shell().say(":ar-info Stack2"));
}

#[test]
fn printing_ends_at_the_limit_and_says_how_many_are_left() {
    let mut shell = shell();
    shell.define("R(x : [0,9], y : [0,9]) := x + y < 10;");
    expect![[r#"
        (0, 0)
        (0, 1)
        (0, 2)
        ... 3 of 55 tuples
    "#]]
    .assert_eq(&shell.say(":rel-print R 3"));
    assert_eq!(shell.say(":rel-print R 55").lines().count(), 55);
    assert_eq!(shell.say(":rel-print R 54").lines().last(), Some("... 54 of 55 tuples"));
    assert_eq!(shell.say(":rel-print R 0"), "... 0 of 55 tuples\n");
    shell.define(":set print-limit 2");
    expect![[r#"
        (0, 0)
        (0, 1)
        ... 2 of 55 tuples
    "#]]
    .assert_eq(&shell.say(":rel-print R"));
}

#[test]
fn relations_of_nodes_can_be_printed_and_counted() {
    expect![[r#"
        ({object = no, isEmpty = true}, <>, {object = no, isEmpty = true})
        ({object = no, isEmpty = true}, <push>, {object = a, isEmpty = false})
        ({object = no, isEmpty = true}, <push>, {object = b, isEmpty = false})
        ({object = a, isEmpty = false}, <>, {object = a, isEmpty = false})
        ({object = a, isEmpty = false}, <pop>, {object = no, isEmpty = true})
        ({object = b, isEmpty = false}, <>, {object = b, isEmpty = false})
        ({object = b, isEmpty = false}, <pop>, {object = no, isEmpty = true})
        cardinal of Stack1!reach : 3
        Stack1!t: (Stack1!c, Stack1!ev, Stack1!c) -> bool
    "#]]
    .assert_eq(&shell().say(":rel-print Stack1!t\n:rel-cardinal Stack1!reach\n:rel-type Stack1!t"));
}

#[test]
fn relations_are_listed_by_name_with_their_types() {
    let mut shell = shell();
    assert_eq!(shell.say(":rel-list"), "");
    shell.define("B(s : Stack1!c) := true;\nA := true;\nC(x : {p, q}, y : bool[2]) := true;");
    expect![[r#"
        A: bool
        B: (Stack1!c) -> bool
        C: ({p, q}, bool[2]) -> bool
    "#]]
    .assert_eq(&shell.say(":rel-list"));
    assert_eq!(shell.say(":rel-type A"), "A: bool\n");
}

#[test]
fn options_are_shown_and_changed() {
    let mut shell = shell();
    expect![[r#"
        engine = bdd                                    what evaluates `with N do ... done`: decision diagrams, or sets of listed configurations (bdd or explicit)
        print-limit = 100                               how many tuples `:rel-print` prints when it is not told (a number from 1 up)
        cegar-use-cover-abstraction = off               `:ar-cegar-init` makes a block of every predicate, and one of the rest (on or off)
        cegar-use-super-transition = off                images of blocks are not cut down to the configurations (on or off)
        cegar-use-guards-as-predicates = off            `:ar-cegar-init` also takes the atoms of all guards as predicates (on or off)
        cegar-search-algorithm = BFS                    how counterexamples are searched for (BFS or DFS)
        cegar-ce-analysis = FORWARD                     how counterexamples are followed (FORWARD or BACKWARD)
        cegar-abstraction-refinement-algorithm = DIRECT a block is split by what a counterexample comes to, or by its neighbour on it (DIRECT or SIGMA)
        initial-certification = off                     blocks within INIT or ERR are certified (on or off)
        split-certification = off                       what DIRECT splits off is certified (on or off)
        feasibility-certification = off                 blocks that a counterexample fills are certified (on or off)
        cegar-use-must-and-clo = off                    blocks are certified along must transitions (on or off)
        cegar-print-iteration-stats = off               `:ar-cegar-verify` prints a line for every iteration (on or off)
        cegar-abstraction-print = off                   the abstraction of iteration I is written to FILE-I.dot (a file name or off)
    "#]].assert_eq(&shell.say(":set"));
    assert_eq!(shell.say(":set print-limit 7\n:set print-limit"), "print-limit = 7\n");
    assert_eq!(shell.say(":set engine explicit\n:set engine"), "engine = explicit\n");
}

#[test]
fn a_script_runs_as_if_it_had_been_typed() {
    let mut shell = shell();
    let printed = shell.say(":source outer.mec\n:rel-cardinal B");
    expect![[r#"
        A: ([0, 3]) -> bool
        cardinal of A : 2
        B: ([0, 3]) -> bool
        cardinal of B : 2
    "#]]
    .assert_eq(&printed);
}

#[test]
fn a_script_that_reads_itself_comes_to_an_end() {
    let mut shell = shell();
    assert_eq!(shell.codes(":source itself.mec"), ["mec004"]);
}

#[test]
fn quitting_ends_the_session_from_within_a_script_too() {
    assert_eq!(shell().flow(":quit\nC := true;"), Flow::Quit);
    let mut shell = shell();
    assert_eq!(shell.flow(":source leave.mec\nD := true;"), Flow::Quit);
    assert_eq!(shell.session.relation_names().count(), 0);
    assert_eq!(shell.flow("C := true;"), Flow::Continue);
}

#[test]
fn help_is_about_everything_or_about_one_command() {
    let mut shell = shell();
    expect![[r#"
        :ar-load FILE                         load the nodes of an AltaRica file
        :ar-list                              list the nodes
        :ar-info NODE                         show the variables, events and sizes of a node
        :ar-cegar-init NODE INIT ERR [P ...]  make a first abstraction
        :ar-cegar-verify NODE [COUNT]         refine an abstraction
        :rel-cardinal RELATION                count the tuples of a relation
        :rel-print RELATION [LIMIT]           print the tuples of a relation
        :rel-list                             list the relations and their types
        :rel-type RELATION                    show the type of a relation
        :set [OPTION [VALUE]]                 show or change options
        :source FILE                          run the commands of a file
        :help [COMMAND]                       show this, or more about one command
        :quit                                 leave
        `:help formulas` shows how relations are defined.
    "#]]
    .assert_eq(&shell.say(":help"));
    expect![[r#"
        :rel-print RELATION [LIMIT]
          print the tuples of a relation
          In the order of their values, one a line; `:set print-limit` says how many when LIMIT is not given.
    "#]]
    .assert_eq(&shell.say(":help rel-print"));
    assert_eq!(shell.say(":help :rel-print"), shell.say(":help rel-print"));
    assert!(shell.say(":help formulas").contains("R(x) += phi;"));
}

#[test]
fn every_command_has_its_help() {
    let mut shell = shell();
    let overview = shell.say(":help");
    let commands: Vec<String> = overview.lines().filter_map(|line| line.strip_prefix(':')).map(str::to_owned).collect();
    assert_eq!(commands.len(), 13);
    for line in commands {
        let name = line.split(' ').next().expect("a name");
        assert!(shell.say(&format!(":help {name}")).starts_with(&format!(":{name}")), "{name}");
    }
}

#[test]
fn acheck_blocks_run_between_other_statements() {
    for engine in ["bdd", "explicit"] {
        let mut shell = shell();
        let text = format!(
            ":set engine {engine}
A := true;
with Stack1 do
  full := [object != no]; // two
  show(full);
  test(full, 2); test(full, 3);
done
B := A;
"
        );
        let printed = shell.say(&text);
        expect![[r#"
            A: bool
            /*
             * Properties for node : Stack1
             * # state properties : 1
             *
             * full = 2
             *
             * # trans properties : 0
             *
             */
            TEST(full=2) [PASSED]
            TEST(full=3) [FAILED] full = 2
            B: bool
        "#]]
        .assert_eq(&printed);
        assert_eq!((shell.session.outcome.n_errors, shell.session.outcome.n_failed_tests), (0, 1));
    }
}

#[test]
fn mistakes_in_acheck_are_shown_where_they_stand() {
    let mut shell = shell();
    expect![[r#"
        A: bool
        error[ach021]: `nothing` is not defined
         --> input:2:21
          |
        2 | with Stack1 do show(nothing); done
          |                     ^^^^^^^ no set of this name
    "#]]
    .assert_eq(&shell.say("A := true; /* é */\nwith Stack1 do show(nothing); done"));
}

#[test]
fn an_error_ends_its_statement_and_not_the_session() {
    let mut shell = shell();
    assert_eq!(shell.codes("A := ; B := true; C := B & B; :rel-list"), ["mec002"]);
    assert_eq!(shell.session.relation_names().collect::<Vec<_>>(), ["B", "C"]);
    assert_eq!(shell.session.outcome.n_errors, 1);
}

#[test]
fn several_statements_may_stand_on_one_line() {
    let mut shell = shell();
    shell.define("A := true; B := A; C := B;");
    assert_eq!(shell.session.relation_names().count(), 3);
}
