//! Small models and the trees that are made of them, line by line.

use lapidary_frontends::altarica::codes;
use lapidary_ir::Tree;
use lapidary_text::{Sources, Span};

use super::semantics::{Semantics, eval};
use super::{document, dump, instantiate, load};

/// The dump of the tree of the last node, without the first blank of the expectation's lines.
fn check(text: &str, expected: &str) {
    let tree = instantiate("m.alt", text, "");
    let expected: String = expected.trim_start_matches('\n').lines().map(|line| line.to_owned() + "\n").collect();
    assert_eq!(dump::tree(&tree), expected);
}

/// The codes that a text is read with.
fn codes_of(text: &str) -> Vec<&'static str> {
    load("m.alt", text).1.list.iter().map(|diagnostic| diagnostic.code).collect()
}

#[test]
fn own_variables_come_first_and_parameters_after_states_and_flows() {
    check(
        "node Leaf state x : bool; edon
         node Main param p : bool; sub a : Leaf; state s : [0, 1]; flow f : bool; sub b : Leaf[2]; edon",
        "
 : Main
  state s : [0, 1]
  flow f : bool
  state p : bool
  <>
a : Leaf
  state a.x : bool
  <>
b[0] : Leaf
  state b[0].x : bool
  <>
b[1] : Leaf
  state b[1].x : bool
  <>
",
    );
}

#[test]
fn arrays_and_structs_become_scalars_in_order() {
    check(
        "domain P = struct x : [0, 1]; m : bool[2][3] tcurts;
         node Main state p : P; event e; trans p.m[2][1] |- e -> p.m[0] := p.m[1]; edon",
        "
 : Main
  state p.x : [0, 1]
  state p.m[0][0] : bool
  state p.m[0][1] : bool
  state p.m[1][0] : bool
  state p.m[1][1] : bool
  state p.m[2][0] : bool
  state p.m[2][1] : bool
  event e
  p.m[2][1] |- e -> p.m[0][0] := p.m[1][0], p.m[0][1] := p.m[1][1]
  <e>
  <>
",
    );
}

#[test]
fn subnode_arrays_are_indexed_as_domains_are() {
    let tree = instantiate("m.alt", "node Leaf state x : bool; edon node Main sub b : Leaf[2][3]; edon", "");
    let paths: Vec<&str> = tree.components.iter().map(|component| component.path.as_str()).collect();
    assert_eq!(paths, ["", "b[0][0]", "b[0][1]", "b[1][0]", "b[1][1]", "b[2][0]", "b[2][1]"]);
}

#[test]
fn vectors_are_the_declared_ones_then_own_events_then_those_of_subnodes() {
    check(
        "node Leaf event a, b : public; event c; edon
         node Mid sub l : Leaf; event m : public; sync <m, l.c>; edon
         node Main sub x : Mid; y : Leaf; event e, f; sync <f, y.b?> >= 1; edon",
        "
 : Main
  event e
  event f
  <f, y.b?> Ge 1
  <e>
  <x.m> lifted
  <x.l.a> lifted
  <x.l.b> lifted
  <y.a> lifted
  <y.c>
  <>
x : Mid
  event m : public
  <x.m, x.l.c>
  <x.l.a> lifted
  <x.l.b> lifted
  <>
x.l : Leaf
  event a : public
  event b : public
  event c
  <x.l.a>
  <x.l.b>
  <x.l.c>
  <>
y : Leaf
  event a : public
  event b : public
  event c
  <y.a>
  <y.b>
  <y.c>
  <>
",
    );
}

#[test]
fn events_may_be_mentioned_again_and_priorities_are_closed() {
    check(
        "const n = 2;
         node Main
           event open[n], up, down;
           event up > down;
           event open[n] > {up, down};
           event open[1] < stop;
           trans true |- open -> ; true |- open[1], up -> ;
         edon",
        "
 : Main
  event open[0]
  event open[1]
  event up
  event down
  event stop
  open[1] < stop
  up < open[0]
  up < open[1]
  up < stop
  down < open[0]
  down < open[1]
  down < up
  down < stop
  true |- open[0] ->
  true |- open[1] ->
  true |- open[1] ->
  true |- up ->
  <open[0]>
  <open[1]>
  <up>
  <down>
  <stop>
  <>
",
    );
}

#[test]
fn enumerations_meet_in_their_common_symbols() {
    check(
        "domain Light = {red, green};
         node Main
           state l : Light; m : {red, green}; s : {green, off};
           init l := red;
           event e;
           assert l = s;
           trans l = m |- e -> s := if l = m then l else off, l := red;
         edon",
        "
 : Main
  state l : Light{red, green} := red
  state m : Light{red, green}
  state s : {green, off}
  event e
  assert ((l = green) & (s = green))
  ((l = m) & ((l = m) ? (l = green) : true)) |- e -> s := ((l = m) ? green : off), l := red
  <e>
  <>
",
    );
}

#[test]
fn quotients_are_turned_around_only_where_the_dividend_may_be_negative() {
    check(
        "node Main
           state x : [0, 9]; y : [-9, 9]; event e;
           trans x / 2 = 1 |- e -> y := y / 2, x := (x + 1) mod 3;
                 min(x, 3) = max(y, x, 1) |- e -> ;
         edon",
        "
 : Main
  state x : [0, 9]
  state y : [-9, 9]
  event e
  ((x div 2) = 1) |- e -> y := ((0 <= y) ? (y div 2) : -(-y div 2)), x := ((x + 1) mod 3)
  (((x <= 3) ? x : 3) = ((1 <= ((x <= y) ? y : x)) ? ((x <= y) ? y : x) : 1)) |- e ->
  <e>
  <>
",
    );
}

#[test]
fn an_index_within_its_bounds_needs_no_way_out() {
    check(
        "node Main state a : bool[3]; i : [0, 2]; j : [1, 3]; assert a[i]; a[j]; edon",
        "
 : Main
  state a[0] : bool
  state a[1] : bool
  state a[2] : bool
  state i : [0, 2]
  state j : [1, 3]
  assert ((i < 1) ? a[0] : ((i < 2) ? a[1] : a[2]))
  assert (((1 <= j) & (j <= 2)) ? ((j < 2) ? a[1] : a[2]) : (((1 div 0) = 0) ? a[1] : a[1]))
  <>
",
    );
}

#[test]
fn an_index_reaches_into_arrays_of_subnodes() {
    let text = "node Leaf state x : [0, 3] : public; edon
        node Main sub b : Leaf[3]; state i : [0, 2]; assert b[i].x = i; edon";
    let tree = instantiate("m.alt", text, "");
    // For each i one of the three is fixed, the others are free.
    assert_eq!(Semantics::new(&tree).all().configurations, 3 * 4 * 4);
}

#[test]
fn parameters_are_set_by_the_outermost_node() {
    check(
        "node Leaf param n : [1, 9] = 1; k : bool[2]; state x : [0, n]; init x := n; edon
         node Mid param m : [1, 9] = 5; sub l : Leaf; param_set l.n := m - 1, l.k[1] := true; edon
         node Main sub a, b : Mid; param_set a.l.n := 7, b.m := 3; edon",
        "
 : Main
  <>
a : Mid
  <>
a.l : Leaf
  state a.l.x : [0, 7] := 7
  state a.l.k[0] : bool
  <>
b : Mid
  <>
b.l : Leaf
  state b.l.x : [0, 2] := 2
  state b.l.k[0] : bool
  <>
",
    );
}

#[test]
fn functions_are_tables_of_the_root() {
    check(
        "sort S; const a : S; const b : S; sig f : S, bool -> [0, 1]; sig unused : S -> S;
         node Leaf state s : S; assert f(s, true) = 1; edon
         node Main sub l : Leaf; state x : bool; edon",
        "
 : Main
  state x : bool
  state f[a][false] : [0, 1]
  state f[a][true] : [0, 1]
  state f[b][false] : [0, 1]
  state f[b][true] : [0, 1]
  <>
l : Leaf
  state l.s : S{a, b}
  assert (((l.s = a) ? f[a][true] : f[b][true]) = 1)
  <>
",
    );
}

#[test]
fn externs_are_kept_as_they_were_written() {
    let tree = instantiate("m.alt", "node Main event e; extern law <event e> = exponential(1e-4); edon", "");
    let externs: Vec<&String> = tree.components.iter().flat_map(|component| &component.externs).collect();
    assert_eq!(externs.len(), 1);
    assert!(externs[0].contains("law <event e> = exponential(1e-4)"), "{externs:?}");
}

#[test]
fn symbols_belong_to_no_enumeration_until_they_meet_one() {
    let text = "domain A = {on, off}; domain B = {broken, on};
        const start = on;
        node Main state a : A; b : B; init a := start, b := start; event e;
        trans (if a = on then on else broken) = b |- e -> a := case { b = on : off, else on }; edon";
    assert_eq!(codes_of(text), [""; 0]);
    let tree = instantiate("m.alt", text, "");
    assert_eq!(Semantics::new(&tree).all().transitions, 4 + 2);
}

#[test]
fn a_document_says_where_things_are_declared_and_what_was_perhaps_meant() {
    let (_, diagnostics, sources) = load("m.alt", "node A state s : Late; edon\ndomain Late = bool;");
    let shown = super::show(&diagnostics, &sources);
    assert!(shown.contains("move its declaration at m.alt:2:8 in front of this use"), "{shown}");
    let (_, diagnostics, sources) = load("m.alt", "node A state level : bool; assert levle; edon");
    assert!(super::show(&diagnostics, &sources).contains("did you mean `level`?"));
}

#[test]
fn names_differ_by_case() {
    assert_eq!(codes_of("const N = 1; const n = 2; node A state x : [N, n]; X : bool; edon"), [""; 0]);
    assert_eq!(codes_of("node A state x : bool; assert X; edon"), [codes::UNKNOWN_NAME]);
}

#[test]
fn a_warning_is_given_once_however_often_its_node_is_used() {
    let text = "node Leaf state x : [0, 1]; event e; trans true |- e -> x := 2; edon
        node Main sub a : Leaf[5]; edon";
    assert_eq!(codes_of(text), [codes::OUT_OF_DOMAIN]);
    let (document, sources) = document("m.alt", text);
    let (tree, diagnostics) = document.instantiate(&sources, "Main");
    assert!(tree.is_some() && diagnostics.list.is_empty(), "it was given when the file was read");
}

#[test]
fn what_only_some_trees_need_is_asked_for_only_there() {
    let text = "node Leaf param n : [1, 3]; state x : [0, n]; edon
        node Good sub l : Leaf; param_set l.n := 2; edon
        node Bad sub l : Leaf; edon";
    let (document, sources) = document("m.alt", text);
    assert_eq!(document.nodes(), ["Leaf", "Good", "Bad"]);
    assert!(document.instantiate(&sources, "Good").0.is_some());
    for node in ["Bad", "Leaf"] {
        let (tree, diagnostics) = document.instantiate(&sources, node);
        let found: Vec<&str> = diagnostics.list.iter().map(|diagnostic| diagnostic.code).collect();
        assert_eq!((tree.is_none(), found), (true, vec![codes::PARAMETER_UNSET]), "{node}");
    }
    let (tree, diagnostics) = document.instantiate(&sources, "Goood");
    assert!(tree.is_none() && diagnostics.list[0].help.as_deref() == Some("did you mean `Good`?"));
}

/// The meaning of a formula about the last node, or the codes of what is wrong with it.
fn formula(text: &str, formula: &str) -> Result<(Tree, String), Vec<&'static str>> {
    let mut sources = Sources::default();
    let source = sources.add("m.alt", text);
    let of_formula = sources.add("formula", formula);
    let (document, _) = lapidary_frontends::altarica::load(&sources, source);
    let document = document.expect("the model is fine");
    let last = document.nodes().last().expect("there is a node").to_string();
    let tree = document.instantiate(&sources, &last).0.expect("the node is fine");
    let span = Span::new(of_formula, 0, formula.len() as u32);
    match document.formula(&tree, &sources, span) {
        Ok(expr) => {
            let shown = dump::expr(&tree, expr);
            Ok((tree, shown))
        }
        Err(found) => Err(found.list.iter().map(|diagnostic| diagnostic.code).collect()),
    }
}

#[test]
fn formulas_see_everything_from_the_root() {
    let text = "const N = 2; domain L = {low, high};
        node Leaf param p : [0, 3] = 3; state l : L : private; x : [0, 3]; edon
        node Mid sub v : Leaf[N]; edon
        node Main sub m : Mid; state i : [0, 1]; edon";
    let shown = |written: &str| formula(text, written).map(|(_, shown)| shown);
    assert_eq!(shown("m.v[N - 1].l = high"), Ok("(m.v[1].l = high)".to_owned()));
    assert_eq!(shown("m.v[i].x < m.v[0].p"), Ok("(((i < 1) ? m.v[0].x : m.v[1].x) < 3)".to_owned()));
    assert_eq!(shown("m.v[2].x = 1"), Err(vec![codes::WRONG_INDEX]));
    assert_eq!(shown("m.v[0].x"), Err(vec![codes::TYPE_MISMATCH]));
    assert_eq!(shown("m.w = 1"), Err(vec![codes::UNKNOWN_MEMBER]));
    let deep = format!("min(i{}) = 0", ", i + 1, i + 2".repeat(2000));
    assert_eq!(shown(&deep), Err(vec![codes::TOO_LARGE]));
}

#[test]
fn a_formula_without_a_value_is_not_true_either_way() {
    let text = "node Main state a : bool[2]; i : [0, 3]; edon";
    for written in ["a[i]", "not a[i]"] {
        let mut sources = Sources::default();
        let source = sources.add("m.alt", text);
        let of_formula = sources.add("formula", written);
        let document = lapidary_frontends::altarica::load(&sources, source).0.expect("the model is fine");
        let tree = document.instantiate(&sources, "Main").0.expect("the node is fine");
        let span = Span::new(of_formula, 0, written.len() as u32);
        let expr = document.formula(&tree, &sources, span).expect("the formula is fine");
        assert_eq!(eval(&tree, &[1, 1, 2], expr), None);
        assert!(eval(&tree, &[1, 1, 1], expr).is_some());
    }
}

#[test]
fn a_restricted_node_can_be_read_in_place_of_the_first() {
    let text =
        "node A state x : [0, 3]; event up, down; trans x < 3 |- up -> x := x + 1; x > 0 |- down -> x := x - 1; edon";
    let (first, _) = document("m.alt", text);
    let condition = |event: &str| (event == "up").then(|| "x < 2".to_owned());
    let restricted = first.restricted("A", "B", &condition).expect("there is a node A");
    assert!(first.restricted("Z", "B", &condition).is_none());
    let tree = instantiate("m.alt", &format!("{text}\n{restricted}"), "B");
    // Up from 0 and 1, four times epsilon; an event without a condition has no transitions.
    assert_eq!(Semantics::new(&tree).all().transitions, 6);
}

#[test]
fn what_can_never_be_assigned_where_its_guard_holds_is_a_warning() {
    let warned = |guard: &str, value: &str| {
        let text = format!("node A state x, y : [0, 3]; event e; trans {guard} |- e -> x := {value}; edon");
        codes_of(&text) == [codes::OUT_OF_DOMAIN]
    };
    for (guard, value) in [
        ("true", "x + 4"),
        ("true", "0 - y - 1"),
        ("x = 0", "x - 1"),
        ("x = 3 and y > 0", "x + y"),
        ("y >= 2 and 1 < x", "x + y"),
    ] {
        assert!(warned(guard, value), "{guard} |- {value}");
    }
    for (guard, value) in
        [("true", "x + 1"), ("x <= 1", "x - 1"), ("x = 1 and x = 2", "x + 4 - y"), ("x = y", "7 - x - y")]
    {
        assert!(!warned(guard, value), "{guard} |- {value}");
    }
}

#[test]
fn events_without_transition_are_told_once_a_node() {
    let text = "node A event a, b, c[2]; d; trans true |- a -> ; true |- c[0] -> ; edon node B sub x, y : A; edon";
    assert_eq!(codes_of(text), [codes::NO_TRANSITION]);
    assert_eq!(codes_of("node A event a; c[2]; trans true |- a, c -> ; edon"), [""; 0]);
}
