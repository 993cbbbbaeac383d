//! Flattened hierarchies, told command by command: one test per rule.

use expect_test::{Expect, expect};
use lapidary_frontends::altarica;
use lapidary_ir::passes::flatten;
use lapidary_ir::{print, validate};
use lapidary_text::Sources;

/// Compares what the last node of a text becomes: initial condition, invariant and commands.
fn check(text: &str, expected: Expect) {
    let mut sources = Sources::default();
    let source = sources.add("m.alt", text);
    let (document, diagnostics) = altarica::load(&sources, source);
    let document = document.unwrap_or_else(|| panic!("{:?}", diagnostics.list));
    let root = *document.nodes().last().expect("there is a node");
    let (tree, diagnostics) = document.instantiate(&sources, root);
    let tree = tree.unwrap_or_else(|| panic!("{:?}", diagnostics.list));
    let flat = flatten(&tree).expect("small trees are flattened");
    validate::validate(&flat.model).expect("flattened trees are valid models");
    expected.assert_eq(&print::model(&flat.model));
}

#[test]
fn priorities_are_guards_in_which_the_flows_of_the_subtree_must_exist_afterwards() {
    check(
        "node P
           state n, m : [0, 3]; flow f : [0, 9]; init n := 0, m := 0;
           assert f = n + n; f <= 4;
           event high > low;
           trans n != 2 |- high -> n := n + 1; true |- low -> m := 1;
         edon",
        expect![[r#"
            model P;
            processes 1;

            var n : 0..3;
            var m : 0..3;
            var f : 0..9;

            init n = 0;
            init m = 0;

            invariant f = n + n;
            invariant f <= 4;

            command high: {
              assume n != 2;
              n := n + 1;
              f := n + n;
            }

            command low: {
              assume !(n != 2 & n + 1 <= 3 & n + n + 2 <= 4);
              m := 1;
            }

            idle command epsilon: {
            }
        "#]],
    );
}

#[test]
fn priorities_of_a_subcomponent_do_not_know_the_assertions_above_it() {
    check(
        "node P
           state n, m : bool; flow f : bool; init n := false, m := false; assert f = n;
           event high > low;
           trans true |- high -> n := true; true |- low -> m := true;
         edon
         node Q sub p : P; flow g : bool; assert g = p.f; not g; edon",
        expect![[r#"
            model Q;
            processes 1;

            var g : bool;
            var p.n : bool;
            var p.m : bool;
            var p.f : bool;

            init !p.n;
            init !p.m;

            invariant g = p.f;
            invariant !g;
            invariant p.f = p.n;

            command p.high: {
              p.n := true;
            }

            command p.low: {
              assume false;
              p.m := true;
            }

            idle command epsilon: {
            }
        "#]],
    );
}

#[test]
fn priorities_quantify_flows_that_are_free() {
    check(
        "node P
           state n, m : [0, 2]; flow f : bool; assert f => n < 2; (not f) => n > 0;
           event high > low;
           trans true |- high -> n := n + 1; true |- low -> m := 1;
         edon",
        expect![[r#"
            model P;
            processes 1;

            var n : 0..2;
            var m : 0..2;
            var f : bool;

            invariant !f | n < 2;
            invariant f | 0 < n;

            command high: {
              n := n + 1;
              f := any;
            }

            command low: {
              assume !(n + 1 <= 2 & (0 < n + 1 | n + 1 < 2));
              m := 1;
              f := any;
            }

            idle command epsilon: {
              f := any;
            }
        "#]],
    );
}

#[test]
fn of_a_broadcast_the_largest_choice_that_can_be_fired_is_fired() {
    check(
        "node Cell state on : bool; init on := false; event go; trans not on |- go -> on := true; edon
         node Hall sub a, b : Cell; event all; trans true |- all -> ; sync <all, a.go?, b.go?> >= 1; edon",
        expect![[r#"
            model Hall;
            processes 2;

            var a.on : bool;
            var b.on : bool;

            init !a.on;
            init !b.on;

            command "<all, a.go>": {
              assume !a.on & !(!b.on & !a.on);
              a.on := true;
            }

            command "<all, b.go>": {
              assume !b.on & !(!b.on & !a.on);
              b.on := true;
            }

            command "<all, a.go, b.go>": {
              assume !a.on & !b.on;
              a.on := true, b.on := true;
            }

            idle command epsilon: {
            }
        "#]],
    );
}

#[test]
fn what_is_hidden_below_an_epsilon_runs_in_parallel() {
    check(
        "node A event a; state x : bool; trans x |- a -> x := not x; edon
         node B sub a : A; event b; state x : bool; trans x |- b -> x := not x; edon
         node C sub b : B; event c; state x : bool; trans x |- c -> x := not x; edon",
        expect![[r#"
            model C;
            processes 1;

            var x : bool;
            var b.x : bool;
            var b.a.x : bool;

            command "<c, b.a.a>": {
              assume x & b.a.x;
              x := !x, b.a.x := !b.a.x;
            }

            command c: {
              assume x;
              x := !x;
            }

            command b.b: {
              assume b.x;
              b.x := !b.x;
            }

            command b.a.a: {
              assume b.a.x;
              b.a.x := !b.a.x;
            }

            idle command epsilon: {
            }
        "#]],
    );
}

#[test]
fn public_events_are_lifted_and_synchronised_further_above() {
    check(
        "node Button state lit : bool; event push : public; trans not lit |- push -> lit := true; edon
         node Panel sub b : Button[2]; edon
         node House sub p : Panel; event ring, door; trans true |- ring, door -> ; sync <ring, p.b[0].push>; edon",
        expect![[r#"
            model House;
            processes 2;

            var p.b[0].lit : bool;
            var p.b[1].lit : bool;

            command "<ring, p.b[0].push>": {
              assume !p.b[0].lit;
              p.b[0].lit := true;
            }

            command door: {
            }

            command p.b[1].push: {
              assume !p.b[1].lit;
              p.b[1].lit := true;
            }

            idle command epsilon: {
            }
        "#]],
    );
}

#[test]
fn an_update_that_leaves_its_domain_or_has_no_value_is_no_step() {
    check(
        "node N
           state n : [0, 2]; m : [0, 2]; event up > half;
           trans true |- up -> n := n + 1; true |- half -> n := 2 / m;
         edon",
        expect![[r#"
            model N;
            processes 1;

            var n : 0..2;
            var m : 0..2;

            command up: {
              n := n + 1;
            }

            command half: {
              assume !(n + 1 <= 2);
              n := 2 div m;
            }

            idle command epsilon: {
            }
        "#]],
    );
}

#[test]
fn transitions_of_one_event_are_a_choice_and_happen_with_those_of_others() {
    check(
        "node A state x : [0, 2]; event e; trans x < 2 |- e -> x := x + 1; x > 0 |- e -> x := 0; edon
         node M
           sub a : A; state y : bool; flow f : bool; assert f = (y and y);
           event go; trans true |- go -> y := not y; y |- go -> ;
           sync <go, a.e>;
         edon",
        expect![[r#"
            model M;
            processes 1;

            var y : bool;
            var f : bool;
            var a.x : 0..2;

            invariant f = (y & y);

            command "<go, a.e>": {
              choice {
                {
                  assume a.x < 2;
                  y := !y, a.x := a.x + 1;
                }
                {
                  assume 0 < a.x;
                  y := !y, a.x := 0;
                }
                {
                  assume y & a.x < 2;
                  a.x := a.x + 1;
                }
                {
                  assume y & 0 < a.x;
                  a.x := 0;
                }
              }
              f := y & y;
            }

            idle command epsilon: {
            }
        "#]],
    );
}

#[test]
fn initial_values_of_a_parent_override_those_of_its_subcomponents() {
    check(
        "node A state x, y, z : [0, 2]; init x := 1, y := 1; edon
         node M sub a : A[2]; state w : bool; init a[1].x := 2, a[0].z := 0; edon",
        expect![[r#"
            model M;
            processes 2;

            var w : bool;
            var a[0].x : 0..2;
            var a[0].y : 0..2;
            var a[0].z : 0..2;
            var a[1].x : 0..2;
            var a[1].y : 0..2;
            var a[1].z : 0..2;

            init a[0].x = 1;
            init a[0].y = 1;
            init a[0].z = 0;
            init a[1].x = 2;
            init a[1].y = 1;

            idle command epsilon: {
            }
        "#]],
    );
}
