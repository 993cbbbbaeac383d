//! What nodes give to the language: configurations, events, transitions. The stacks have one, two and three places.

use super::support::Shell;

const STACK: &str = include_str!("stack.alt");

/// Cells side by side, a structure, and an array of events.
const PAIR: &str = "
node Cell
  state level : [0,2] : public;
  event inc, dec;
  trans level < 2 |- inc -> level := level + 1;
        level > 0 |- dec -> level := level - 1;
  init level := 0;
edon
node Pair
  sub V : Cell[2];
  state p : struct f : bool; g : {u, v}; tcurts;
  event tick; close[2];
  trans p.f |- tick -> p.f := false;
        true |- close[0], close[1] -> ;
  sync <tick, V[0].inc, V[1].inc>; <close[0], V[0].dec>; <close[1], V[1].dec>;
  init p.f := true, p.g := u;
edon
";

/// Nothing but a flow that nobody determines; and nothing at all.
const SMALL: &str = "node Free flow f : [0,2]; edon node Bare event e; trans true |- e -> ; edon";

fn shell(text: &str) -> Shell {
    let mut shell = Shell::new(&[("stack.alt", STACK), ("pair.alt", PAIR), ("small.alt", SMALL)]);
    shell.define(":ar-load stack.alt\n:ar-load pair.alt\n:ar-load small.alt");
    shell.define(text);
    shell
}

fn cardinal(text: &str) -> u128 {
    shell(text).cardinal("R")
}

fn tuples(text: &str) -> Vec<String> {
    shell(text).tuples("R")
}

#[test]
fn configurations_are_the_valuations_that_satisfy_the_assertions() {
    // The flow `isEmpty` has one value in each.
    assert_eq!(cardinal("R(s : Stack1!c) := true;"), 3);
    assert_eq!(
        tuples("R(s : Stack1!c) := s.isEmpty | s.object = b;"),
        ["({object = no, isEmpty = true})", "({object = b, isEmpty = false})"]
    );
    let mut shell = shell("");
    assert_eq!(
        ["Stack1!c", "Stack2!c", "Stack3!c", "Free!c", "Pair!c"].map(|name| shell.cardinal(name)),
        [3, 9, 27, 3, 36]
    );
}

#[test]
fn a_quantified_configuration_is_one_that_satisfies_the_assertions() {
    // Without the assertion there would be six valuations, and one of them a full place that is called empty.
    assert_eq!(cardinal("R := [s : Stack1!c](s.isEmpty <=> s.object = no);"), 1);
    assert_eq!(cardinal("R := <s : Stack1!c>(s.isEmpty & s.object = a);"), 0);
}

#[test]
fn negation_stays_within_the_configurations() {
    assert_eq!(cardinal("R(s : Stack2!c) := ~(s.Top.object = no);"), 6);
    assert_eq!(cardinal("R(s : Stack2!c, e : Stack2!ev, t : Stack2!c) := ~Stack2!t(s, e, t);"), 9 * 5 * 9 - 27);
}

#[test]
fn initial_configurations_are_those_of_the_model() {
    assert_eq!(tuples("R(s) := Stack1!init(s);"), ["({object = no, isEmpty = true})"]);
    // Unless it says nothing: then all are.
    assert_eq!(shell("").cardinal("Free!init"), 3);
}

#[test]
fn transitions_count_epsilon_and_every_flow() {
    let mut shell = shell("");
    // Epsilon takes a free flow from each of three values to each.
    assert_eq!(["Stack1!t", "Stack2!t", "Stack3!t", "Free!t"].map(|name| shell.cardinal(name)), [7, 27, 91, 9]);
}

#[test]
fn transitions_obey_the_priorities() {
    let by = |event: &str| cardinal(&format!("R(s, t) := <e>(Stack2!t(s, e, t) & e = {event});"));
    // The top is pushed when the rest is full; the rest is popped when the top is empty.
    assert_eq!([by("<pushT, Top.push>"), by("<pushS, Stack.push>")], [4, 6]);
    assert_eq!([by("<popT, Top.pop>"), by("<popS, Stack.pop>"), by("<>")], [6, 2, 9]);
}

#[test]
fn what_can_be_reached_is_the_least_fixpoint() {
    let text = "P(s) += Stack3!init(s) | <x>(P(x) & <e>(Stack3!t(x, e, s)));\nR := [s](P(s) <=> Stack3!reach(s));";
    let mut shell = shell(text);
    assert_eq!((shell.cardinal("R"), shell.cardinal("Stack3!reach"), shell.cardinal("Stack2!reach")), (1, 15, 7));
}

#[test]
fn events_are_one_event_of_every_component() {
    assert_eq!(
        tuples("R(e) := Stack2!ev(e);"),
        ["(<>)", "(<pushT, Top.push>)", "(<pushS, Stack.push>)", "(<popS, Stack.pop>)", "(<popT, Top.pop>)"]
    );
}

#[test]
fn a_vector_names_the_components_that_take_part_and_no_others() {
    assert_eq!(tuples("R(e) := Stack2!ev(e) & e = <pushT, Top.push>;"), ["(<pushT, Top.push>)"]);
    // The order does not matter; leaving a component out means that it does nothing.
    assert_eq!(tuples("R(e : Stack2!ev) := e = <Top.push, pushT>;"), ["(<pushT, Top.push>)"]);
    assert_eq!(tuples("R(e : Stack2!ev) := <Top.push> = e;"), [""; 0]);
    assert_eq!(tuples("R(e : Stack2!ev) := e = <eps, Top.eps>;"), ["(<>)"]);
}

#[test]
fn the_event_of_a_component_is_a_part_of_the_event() {
    assert_eq!(tuples("R(e : Stack2!ev) := e.Top = push;"), ["(<pushT, Top.push>)"]);
    assert_eq!(tuples("R(e : Stack2!ev) := e.Top = eps & e.Stack = eps;"), ["(<>)"]);
    assert_eq!(cardinal("R(e : Stack2!ev) := e.Top = eps;"), 3);
    assert_eq!(cardinal("R(e : Stack2!ev) := e != eps;"), 4);
    assert_eq!(cardinal("R(e : Stack2!ev, f : Stack2!ev) := e.Top = f.Stack;"), 9 + 1 + 1);
}

#[test]
fn an_event_of_the_node_itself_says_nothing_about_its_components() {
    // `pushS` comes with a push into the top or into the rest of the rest.
    assert_eq!(cardinal("R(e : Stack3!ev) := e = pushS;"), 2);
    assert_eq!(cardinal("R(e : Stack3!ev) := e = <pushS>;"), 0);
}

#[test]
fn an_event_of_a_subnode_is_an_event_of_its_node() {
    let text = "P(e : Stack2!ev) := e = <pushT, Top.push>;\nR(e : Stack3!ev) := P(e.Stack);";
    assert_eq!(tuples(text), ["(<pushS, Stack.pushT, Stack.Top.push>)"]);
    assert_eq!(cardinal("R(e : Stack3!ev) := <f : Stack2!ev>(f = e.Stack & f != <>);"), 4);
}

#[test]
fn a_configuration_of_a_subnode_is_one_of_its_node() {
    let text = "P(s : Stack2!c) := s.Top.object = a & s.Stack.isEmpty;\nR(s : Stack3!c) := P(s.Stack);";
    assert_eq!(cardinal(text), 3);
    assert_eq!(cardinal("R(s : Stack3!c) := <t : Stack1!c>(t = s.Top & t.object = a);"), 9);
}

#[test]
fn an_event_can_be_passed_to_a_relation() {
    assert_eq!(cardinal("R(s, t) := Stack2!t(s, <popS, Stack.pop>, t);"), 2);
    assert_eq!(cardinal("R := Stack2!ev(<popS, Stack.pop>) & ~Stack2!ev(<popS>);"), 1);
}

#[test]
fn relations_over_several_nodes_keep_their_types_apart() {
    let text = "R(s : Stack1!c, t : Free!c) := s.isEmpty & t.f = 1;";
    assert_eq!(tuples(text), ["({object = no, isEmpty = true}, {f = 1})"]);
    assert_eq!(shell("").codes("R(s : Stack1!c) := Free!c(s);"), ["mec022"]);
}

#[test]
fn parts_have_indexes_and_fields() {
    assert_eq!(cardinal("R(s : Pair!c) := s.V[0].level = 2 & s.V[1].level > 0 & s.p.f & s.p.g = u;"), 2);
    assert_eq!(cardinal("R(s : Pair!c) := s.V[0] = s.V[1];"), 3 * 4);
    assert_eq!(cardinal("R(s : Pair!c, t : Pair!c) := s.V = t.V & s.p != t.p;"), 9 * 4 * 3);
}

#[test]
fn elements_of_event_arrays_have_indexes() {
    assert_eq!(tuples("R(e : Pair!ev) := e = <close[1], V[1].dec>;"), ["(<close[1], V[1].dec>)"]);
    assert_eq!(cardinal("R(s, t) := <e>(Pair!t(s, e, t) & e = <tick, V[0].inc, V[1].inc>);"), 2 * 2 * 2);
    assert_eq!(cardinal("R(s, t) := <e>(Pair!t(s, e, t) & e.V[0] = dec);"), 2 * 3 * 4);
}

#[test]
fn an_array_event_of_the_node_can_be_asked_for_alone() {
    assert_eq!(tuples("R(e : Pair!ev) := e = close[1];"), ["(<close[1], V[1].dec>)"]);
}

#[test]
fn a_node_without_variables_has_one_configuration() {
    let mut shell =
        shell("R(s) := Bare!init(s);\nS(s : Bare!c, t : Bare!c) := s = t;\nT(s) := <e, t>(Bare!t(s, e, t) & e = e);");
    assert_eq!(["R", "S", "T", "Bare!c", "Bare!t"].map(|name| shell.cardinal(name)), [1, 1, 1, 1, 2]);
    assert_eq!(shell.tuples("Bare!t"), ["({}, <>, {})", "({}, <e>, {})"]);
}

#[test]
fn types_of_nodes_are_shown_by_their_names() {
    let printed = shell("").say("R(s, e) := <t>(Free!t(s, e, t));");
    assert_eq!(printed, "Free!t: (Free!c, Free!ev, Free!c) -> bool\nR: (Free!c, Free!ev) -> bool\n");
}

#[test]
fn quoted_names_of_a_model_can_be_quoted_here_too() {
    let model =
        "node 'odd node' state 'a b', x : bool; event 'go on'; trans true |- 'go on' -> 'a b' := not 'a b'; edon";
    let mut shell = Shell::new(&[("odd.alt", model)]);
    shell.define(":ar-load odd.alt");
    shell.define("R(s : 'odd node'!c) := s.'a b' & s.'x';\nS(s, t) := 'odd node'!t(s, <'go on'>, t);");
    assert_eq!((shell.cardinal("R"), shell.cardinal("S")), (1, 4));
}
