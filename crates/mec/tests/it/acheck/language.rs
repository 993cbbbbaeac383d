//! Acheck, one claim per test, on models small enough to count by hand.

use super::support::Case;
use expect_test::expect;

/// Four states 0-1-2-3 in a row, and back: 3 ups, 3 downs, a reset, 4 epsilon loops. The flow is determined.
const COUNTER: &str = "
const Top = 3;
node N
  state x : [0, Top]; init x := 0;
  flow zero : bool;
  event up, down, reset;
  trans x < Top |- up -> x := x + 1;
        x > 0 |- down -> x := x - 1;
        x = Top |- reset -> x := 0;
  assert zero = (x = 0);
edon
";

/// A flow that nobody determines: four states, two of them initial; eight epsilon steps and four of `e`.
const FREE: &str =
    "node N state b : bool; flow f : bool; event e; trans not b |- e -> b := true; init b := false; edon";

/// Two cells, one stepping alone, both resetting together; and a structure and an array beside them.
const CELLS: &str = "
node Cell state on : bool; init on := false; event flip, clear; trans not on |- flip -> on := true; on |- clear -> on := false; edon
node N
  sub V : Cell[2];
  state s : struct a : [0,1]; m : {idle, busy}; tcurts;
  event all, tick[2];
  trans true |- all, tick[0], tick[1] -> ;
  sync <all, V[0].clear, V[1].clear>; <tick[0], V[0].flip>; <tick[1], V[1].flip>;
  init s.a := 0, s.m := idle;
edon
";

/// The sizes of some sets, after some definitions.
fn sizes<const N: usize>(model: &str, before: &str, sets: [&str; N]) -> [u64; N] {
    let defined: String = sets.iter().enumerate().map(|(i, set)| format!("q{i} := {set};\n")).collect();
    let names: Vec<String> = (0..N).map(|i| format!("q{i}")).collect();
    let script = format!("with N do {before}\n{defined}show({}); done", names.join(", "));
    let printed = Case::new(model, &script).printed();
    std::array::from_fn(|i| {
        let line = printed.lines().find_map(|line| line.strip_prefix(&format!(" * q{i} = ")));
        line.unwrap_or_else(|| panic!("{printed}")).parse().expect("a number")
    })
}

/// What a script prints for the counter.
fn printed(commands: &str) -> String {
    Case::new(COUNTER, &format!("with N do {commands} done")).printed()
}

#[test]
fn any_s_is_what_can_be_reached() {
    assert_eq!(sizes(COUNTER, "", ["any_s", "empty_s", "initial"]), [4, 0, 1]);
    let cut = COUNTER.replace("x < Top |- up", "x < 1 |- up");
    assert_eq!(sizes(&cut, "", ["any_s", "any_t"]), [2, 4]);
}

#[test]
fn any_t_counts_epsilon() {
    assert_eq!(sizes(COUNTER, "", ["any_t", "empty_t"]), [11, 0]);
    assert_eq!(sizes(FREE, "", ["any_s", "any_t", "initial"]), [4, 12, 2]);
}

#[test]
fn loops_that_epsilon_makes_are_a_part_of_epsilon() {
    assert_eq!(sizes(COUNTER, "", ["self", "self_epsilon", "epsilon"]), [4, 4, 4]);
    // With a free flow, epsilon also goes from one value of it to the other.
    assert_eq!(sizes(FREE, "", ["self", "self_epsilon", "epsilon", "epsilon - self"]), [4, 4, 8, 4]);
    let still = "node N state x : bool; event e; trans true |- e -> ; init x := true; edon";
    assert_eq!(sizes(still, "", ["self", "self_epsilon", "epsilon"]), [2, 1, 1]);
}

#[test]
fn a_formula_is_the_configurations_that_satisfy_it() {
    assert_eq!(
        sizes(COUNTER, "", ["[x > 1]", "[zero]", "[x = Top]", "[x + 1 = 2 or not (x < Top)]", "[false]"]),
        [2, 1, 1, 2, 0]
    );
}

#[test]
fn formulas_name_parts_by_their_paths() {
    let sets = ["any_s", "[V[0].on]", "[V[0].on and V[1].on]", "[s.a = 0 and s.m = idle]", "[s.m = busy]"];
    assert_eq!(sizes(CELLS, "", sets), [4, 2, 1, 4, 0]);
}

#[test]
fn a_label_is_every_transition_in_which_the_event_takes_part() {
    assert_eq!(sizes(COUNTER, "", ["label up", "label down", "label reset"]), [3, 3, 1]);
    // `tick[0]` from the two states with the first cell off; `all` from the one with both on.
    assert_eq!(sizes(CELLS, "", ["label tick[0]", "label V[0].flip", "label all", "label V[1].clear"]), [2, 2, 1, 1]);
}

#[test]
fn a_label_without_an_index_is_that_of_all_elements() {
    assert_eq!(sizes(CELLS, "", ["label tick", "label V.flip", "label V.clear"]), [4, 4, 1]);
}

#[test]
fn sources_and_targets_are_the_ends_of_transitions() {
    let sets = [
        "src(label up)",
        "tgt(label up)",
        "src(label up) & tgt(label up)",
        "src(empty_t)",
        "tgt(label reset) & [x = 0]",
    ];
    assert_eq!(sizes(COUNTER, "", sets), [3, 3, 2, 0, 1]);
}

#[test]
fn rsrc_and_rtgt_are_the_transitions_from_and_into_states() {
    let sets = ["rsrc([x = 1])", "rtgt([x = 0])", "rsrc([x = 0]) & rtgt([x = 0])", "rsrc(empty_s)", "rsrc(any_s)"];
    assert_eq!(sizes(COUNTER, "", sets), [3, 3, 1, 0, 11]);
}

#[test]
fn reach_goes_forwards_and_coreach_backwards_in_any_number_of_steps() {
    let sets = [
        "reach([x = 1], label up)",
        "coreach([x = 1], label up)",
        "reach([x = 2], empty_t)",
        "reach(empty_s, any_t)",
        "coreach([x = 3], label down)",
    ];
    assert_eq!(sizes(COUNTER, "", sets), [3, 2, 1, 0, 1]);
}

#[test]
fn a_trace_is_one_shortest_path() {
    let before = "t := trace(initial, any_t, [x = 2]);";
    assert_eq!(sizes(COUNTER, before, ["t", "t & label up", "src(t) & [x < 2]", "tgt(t)"]), [2, 2, 2, 2]);
    // The short way from 3 to 0 is the reset.
    assert_eq!(sizes(COUNTER, "t := trace([x = 3], any_t, [x = 0]);", ["t", "t & label reset"]), [1, 1]);
}

#[test]
fn a_trace_that_is_not_there_is_empty() {
    let sets = ["trace([x = 1], label up, [x = 0])", "trace([x > 0], any_t, [x = 2])", "trace(empty_s, any_t, any_s)"];
    assert_eq!(sizes(COUNTER, "", sets), [0, 0, 0]);
}

#[test]
fn a_trace_takes_one_of_several_events_that_lead_the_same_way() {
    let two = "node N state x : bool; event a, b; trans not x |- a, b -> x := true; init x := false; edon";
    assert_eq!(sizes(two, "", ["trace(initial, any_t, [x])", "any_t - self"]), [1, 2]);
}

#[test]
fn a_loop_is_what_lies_on_cycles_of_both_sets() {
    let sets = [
        "loop(label up, label reset)",
        "loop(label up, empty_t)",
        "loop(label up, label down)",
        "loop(self, empty_t)",
        "loop(any_t, any_t)",
    ];
    assert_eq!(sizes(COUNTER, "", sets), [3, 0, 3, 4, 11]);
    // Only the ups below 2 are on a cycle with the downs below 2.
    assert_eq!(sizes(COUNTER, "", ["loop(label up, label down & rsrc([x = 1]))"]), [1]);
}

#[test]
fn unavoidable_is_what_every_maximal_path_meets() {
    let sets = [
        "unav(label up, [x = 3])",
        "unav(label up, [x = 1])",
        "unav(any_t, [x = 3])",
        "unav(any_t, any_s)",
        "unav(empty_t, [x = 2])",
    ];
    // With epsilon one may wait for ever; with ups alone one gets to the top, and from 2 not back to 1.
    assert_eq!(sizes(COUNTER, "", sets), [4, 2, 1, 4, 1]);
    // 1 may go down instead.
    assert_eq!(sizes(COUNTER, "", ["unav(label up | label down & rsrc([x = 1]), [x = 3])"]), [2]);
}

#[test]
fn projections_forget_flows_or_states() {
    assert_eq!(
        sizes(FREE, "", ["proj_s([f and b])", "proj_f([f and b])", "proj_s([f])", "proj_f(empty_s)"]),
        [2, 2, 4, 0]
    );
    assert_eq!(sizes(FREE, "", ["proj_s([f and b]) & [b]", "proj_f([f and b]) & [f]"]), [2, 2]);
}

#[test]
fn pick_is_the_least_configuration_of_a_set() {
    assert_eq!(
        sizes(COUNTER, "", ["pick(any_s)", "pick(any_s) & [x = 0]", "pick([x > 1]) & [x = 2]", "pick(empty_s)"]),
        [1, 1, 1, 0]
    );
}

#[test]
fn not_deterministic_is_what_has_another_outcome() {
    assert_eq!(sizes(COUNTER, "", ["not_deterministic"]), [0]);
    assert_eq!(sizes(FREE, "", ["not_deterministic", "not_deterministic & label e"]), [12, 4]);
    let choice = "node N state x : [0,2]; event a, b; trans x = 0 |- a -> x := 1; x = 0 |- a -> x := 2; x = 0 |- b -> x := 1; init x := 0; edon";
    assert_eq!(sizes(choice, "", ["not_deterministic", "not_deterministic & label b"]), [2, 0]);
}

#[test]
fn complement_binds_before_intersection_and_that_before_union_and_difference() {
    let sets = [
        "~[x = 0] & [x < 2]",
        "[x = 0] | [x = 1] & [x = 2]",
        "any_s - [x = 0] | [x = 0]",
        "[x = 0] | any_s - [x = 0]",
        "any_s - [x = 0] & [x = 1]",
        "any_s - ([x = 0] | [x = 1]) - [x = 2]",
        "not (any_t - self)",
        "not not label up",
    ];
    assert_eq!(sizes(COUNTER, "", sets), [1, 1, 4, 3, 4, 1, 4, 3]);
}

#[test]
fn words_and_signs_are_the_same_operators() {
    let sets = [
        "[x = 0] and any_s",
        "[x = 0] or [x = 1]",
        "not [x = 0]",
        "[x = 0] AND any_s",
        "[x = 0] OR [x = 1]",
        "NOT [x = 0]",
    ];
    assert_eq!(sizes(COUNTER, "", sets), [1, 2, 3, 1, 2, 3]);
}

#[test]
fn a_name_means_what_it_was_last_defined_as() {
    assert_eq!(sizes(COUNTER, "a := [x = 0]; b := a; a := a | [x = 1]; a := a | [x = 2];", ["a", "b"]), [3, 1]);
    // A name may change its sort.
    assert_eq!(sizes(COUNTER, "a := [x = 0]; a := rsrc(a);", ["a"]), [2]);
}

#[test]
fn a_least_fixpoint_grows_from_nothing() {
    assert_eq!(sizes(COUNTER, "r += [x = 1] | tgt(rsrc(r) & label up);", ["r"]), [3]);
    assert_eq!(sizes(COUNTER, "r += r & any_s;", ["r"]), [0]);
    // The former value of the name does not matter.
    assert_eq!(sizes(COUNTER, "r := any_s; r += r & any_s;", ["r"]), [0]);
}

#[test]
fn a_greatest_fixpoint_shrinks_from_everything() {
    // From where one can stay above 0 when only ups are taken; when downs are taken too, nowhere.
    assert_eq!(sizes(COUNTER, "g -= [x != 0] - src(rtgt(any_s - g) & label up);", ["g"]), [3]);
    assert_eq!(sizes(COUNTER, "g -= [x != 0] - src(rtgt(any_s - g) & label down);", ["g"]), [0]);
    assert_eq!(sizes(COUNTER, "g -= g & any_s;", ["g"]), [4]);
}

#[test]
fn fixpoints_are_also_of_transitions() {
    assert_eq!(sizes(COUNTER, "t += rsrc(initial) | rsrc(tgt(t));", ["t"]), [11]);
    // An up that another one follows for ever: there is none; ups and resets go round.
    assert_eq!(sizes(COUNTER, "t -= label up & rtgt(src(t));", ["t"]), [0]);
    assert_eq!(sizes(COUNTER, "t -= (label up | label reset) & rtgt(src(t));", ["t"]), [4]);
}

#[test]
fn show_tells_states_before_transitions() {
    expect![[r#"
        /*
         * Properties for node : N
         * # state properties : 2
         *
         * top = 1
         * initial = 1
         *
         * # trans properties : 2
         *
         * moves = 7
         * label up & rsrc(top) = 0
         */
    "#]]
    .assert_eq(&printed(
        "moves := any_t - self_epsilon; top := [x = 3]; show(moves, top, label up & rsrc(top), initial);",
    ));
}

#[test]
fn show_all_tells_all_that_is_defined() {
    expect![[r#"
        /*
         * Properties for node : N
         * # state properties : 2
         *
         * any_s = 4
         * top = 1
         *
         * # trans properties : 2
         *
         * any_t = 11
         * moves = 7
         */
    "#]]
    .assert_eq(&printed("moves := any_t - self; top := [x = 3]; gone := any_s; remove(gone); show(all);"));
}

#[test]
fn a_set_called_all_is_shown_as_a_set() {
    assert!(printed("all := [x = 3]; show(all);").contains(" * all = 1\n"));
}

#[test]
fn a_test_compares_a_size_with_a_number() {
    let case = Case::new(
        COUNTER,
        "with N do top := [x = 3]; test(top, 1); test(top); test(empty_s); test(any_t - self, 8); done",
    );
    expect![[r#"
        TEST(top=1) [PASSED]
        TEST(top=0) [FAILED] top = 1
        TEST(empty_s=0) [PASSED]
        TEST(any_t - self=8) [FAILED] any_t - self = 7
    "#]]
    .assert_eq(&case.printed());
    for engine in super::support::ENGINES {
        let (_, summary) = case.run(engine);
        let summary = summary.expect("nothing is wrong");
        assert_eq!((summary.passed_tests, summary.failed_tests), (2, 2));
    }
}

#[test]
fn dot_draws_the_states_and_what_lies_between_them() {
    expect![[r#"
        digraph StateGraph {
          label="N";
          N0 [label="zero = false, x = 1"];
          N0 -> N1 [label="down"];
          N0 -> N0 [label=""];
          N1 [label="zero = true, x = 0"];
          N1 -> N0 [label="up"];
          N1 -> N1 [label=""];
        }
    "#]]
    .assert_eq(&printed("dot([x < 2], any_t);"));
    // Without their loops, a graph of two states.
    expect![[r#"
        digraph StateGraph {
          label="N";
          N0 [label="x = 2"];
          N0 -> N1 [label="up"];
          N1 [label="x = 3"];
          N1 -> N0 [label="down"];
        }
    "#]]
    .assert_eq(&printed("dot([x > 1], any_t - self);"));
}

#[test]
fn dot_trace_draws_one_shortest_path() {
    expect![[r#"
        digraph StateGraph {
          label="N";
          N0 [label="zero = false, x = 1"];
          N0 -> N1 [label="up"];
          N1 [label="x = 2"];
          N2 [label="zero = true, x = 0"];
          N2 -> N0 [label="up"];
        }
    "#]]
    .assert_eq(&printed("dot-trace(initial, any_t, [x = 2]);"));
    // Where the sets meet it is one state, where there is no path none.
    expect![[r#"
        digraph StateGraph {
          label="N";
          N0 [label="zero = false, x = 1"];
        }
        digraph StateGraph {
          label="N";
        }
    "#]]
    .assert_eq(&printed("dot-trace([x < 2], any_t, [x > 0]); dot-trace([x = 1], label up, [x = 0]);"));
}

/// ARC's mode automata have blanks at the ends of their lines.
fn without_blanks(text: &str) -> String {
    text.replace(" \n", "\n")
}

#[test]
fn modes_are_the_valuations_of_the_state_variables() {
    expect![[r#"
        digraph "N (mode automaton)" {
          label="N";
        	node[shape="box"];

        N0[label="(b = false)"];
        N1[label="(b = true)"];
        N0[label="(b = false)"];
        N0 -> N0 [label=""];
        N0 -> N1 [label="e"];
        N1[label="(b = true)"];
        N1 -> N1 [label=""];
        }
    "#]]
    .assert_eq(&without_blanks(&Case::new(FREE, "with N do modes(); done").printed()));
    let guarded = FREE.replace("not b |- e", "not b and f |- e");
    expect![[r#"
        digraph "N (mode automaton)" {
          label="N";
        	node[shape="box"];

        N0[label="(b = false)"];
        N1[label="(b = true)"];
        N0[label="(b = false)"];
        N0 -> N0 [label=""];
        N0 -> N1 [label="flow = (f = true)\nevent=e"];
        N1[label="(b = true)"];
        N1 -> N1 [label=""];
        }
    "#]]
    .assert_eq(&without_blanks(&Case::new(&guarded, "with N do modes(); done").printed()));
}

#[test]
fn the_quotient_joins_what_cannot_be_told_apart() {
    // 1 and 2 both go on and stop at once; epsilon stays within a class.
    let model = "node N state x : [0,3]; event a, b; trans x = 0 |- a -> x := 1; x = 0 |- a -> x := 2; x = 1 or x = 2 |- b -> x := 3; init x := 0; edon";
    expect![[r##"
        digraph "N/Q" {
          label="N/Q (3 classes)";
        	node[shape="box"];

        	C0[label="x = 0",URL="#", tooltip="any_s"];
        	C1[label="x in [1, 2]",URL="#", tooltip="any_s"];
        	C2[label="x = 3",URL="#", tooltip="any_s"];
        	C0 -> C0 [label=""];
        	C0 -> C1 [label="a"];
        	C1 -> C1 [label=""];
        	C1 -> C2 [label="b"];
        	C2 -> C2 [label=""];
        }
    "##]]
    .assert_eq(&Case::new(model, "with N do quot(); done").printed());
}

#[test]
fn events_are_those_that_can_happen() {
    expect![[r#"
        /*
         * Events for node : N
         * # events : 4
         *
         * epsilon
         * <all, V[0].clear, V[1].clear>
         * <tick[0], V[0].flip>
         * <tick[1], V[1].flip>
         */
    "#]]
    .assert_eq(&Case::new(CELLS, "with N do events(); done").printed());
    let never = "node N state x : bool; event e, never; trans true |- e -> ; false |- never -> ; init x := true; edon";
    assert!(!Case::new(never, "with N do events(); done").printed().contains("never"));
}

#[test]
fn a_removed_set_is_not_defined_any_more() {
    let case = Case::new(COUNTER, "with N do a := any_s; remove(a); show(a); done");
    assert!(case.refused().contains("error[ach021]: `a` is not defined"));
    assert_eq!(sizes(COUNTER, "a := [x = 0]; remove(a); a := [x > 0];", ["a"]), [3]);
}

#[test]
fn results_go_to_files_that_are_replaced_or_added_to() {
    let script = "with N do
      test(any_s, 4) > 'a.txt'; test(initial, 1) >> \"a.txt\"; test(any_t, 11) > 'b.txt'; test(self, 4) > 'b.txt'; show(any_s) >> 'c';
    done";
    let case = Case::new(COUNTER, script);
    for engine in super::support::ENGINES {
        let (kept, result) = case.run(engine);
        assert!(result.is_ok() && kept.text.is_empty());
        assert_eq!(kept.file("a.txt"), "TEST(any_s=4) [PASSED]\nTEST(initial=1) [PASSED]\n");
        assert_eq!(kept.file("b.txt"), "TEST(self=4) [PASSED]\n");
        assert!(kept.file("c").contains("any_s = 4"));
    }
}

#[test]
fn a_block_is_run_for_each_of_its_nodes() {
    let model = COUNTER.replace("node N", "node A") + &FREE.replace("node N", "node B");
    let case = Case::new(
        &model,
        "with A, B do moved := any_t - self; show(moved) > 'out/$NODENAME.txt'; test(moved, 7); done",
    );
    let (kept, result) = case.run(super::support::ENGINES[0]);
    let summary = result.expect("nothing is wrong");
    assert!(kept.file("out/A.txt").contains("node : A") && kept.file("out/A.txt").contains("moved = 7"));
    assert!(kept.file("out/B.txt").contains("node : B") && kept.file("out/B.txt").contains("moved = 8"));
    assert_eq!((summary.passed_tests, summary.failed_tests), (1, 1));
}

#[test]
fn later_blocks_know_what_earlier_ones_defined_for_the_node() {
    let text = Case::new(COUNTER, "with N do a := [x = 1]; done with N do test(a, 1); done").printed();
    assert_eq!(text, "TEST(a=1) [PASSED]\n");
}

#[test]
fn quoted_names_are_the_same_names() {
    let model = "node 'odd node' state 'a b' : bool; event 'go on', x; trans not 'a b' |- 'go on', 'x' -> 'a b' := true; init 'a b' := false; edon";
    let script = "with 'odd node' do q := ['a b']; 't' := label 'go on' | label 'x'; test(q, 1); test(t, 2); done";
    assert_eq!(Case::new(model, script).printed(), "TEST(q=1) [PASSED]\nTEST(t=2) [PASSED]\n");
}

#[test]
fn comments_are_blanks() {
    let text = printed("/* a */ a := /*/ b */ [x /* c */ = 1]; // d; e\n test(a, 1);");
    assert_eq!(text, "TEST(a=1) [PASSED]\n");
}

#[test]
fn public_events_have_their_attribute() {
    let model = "node N state x : bool; event a : public; b; trans true |- a, b -> x := not x; init x := false; edon";
    assert_eq!(sizes(model, "", ["attribute public", "label b"]), [2, 2]);
}

#[test]
fn what_is_not_known_well_enough_is_refused_with_the_reason() {
    for what in [
        "t := attribute visible",
        "gml(any_s, any_t)",
        "wts(any_s, any_t)",
        "validate()",
        "display(any_s)",
        "ctl2mu(any_s)",
        "ctlspec(any_s)",
        "nrtest(any_s)",
        "ltl(any_s)",
        "mec(any_s)",
    ] {
        let said = Case::new(COUNTER, &format!("with N do {what}; done")).refused();
        assert!(said.starts_with("error[ach033]: the meaning of"), "{what}\n{said}");
        assert!(said.contains("no answer is better than a wrong one"), "{said}");
    }
}
