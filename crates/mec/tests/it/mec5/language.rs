//! The language of relations, one claim per test; what is expected was computed by hand.

use super::support::Shell;

fn shell(text: &str) -> Shell {
    let mut shell = Shell::new(&[]);
    shell.define(text);
    shell
}

/// The tuples of the relation `R` that some statements define, in one line.
fn tuples(text: &str) -> String {
    shell(text).tuples("R").join(" ")
}

/// What some statements print when nothing is wrong.
fn printed(text: &str) -> String {
    let mut shell = Shell::new(&[]);
    let printed = shell.say(text);
    assert_eq!(shell.session.outcome.n_errors, 0, "{printed}");
    printed
}

/// Whether a formula without variables is true.
fn is_true(formula: &str) -> bool {
    shell(&format!("R := {formula};")).cardinal("R") == 1
}

/// Edges of a cycle of four with a chord: 0-1-2-3-0 and 1-1.
const EDGES: &str = "E(x : [0,3], y : [0,3]) := y = x + 1 | x = 3 & y = 0 | x = 1 & y = 1;\n";

#[test]
fn a_plain_definition_is_the_set_of_its_solutions() {
    assert_eq!(tuples("R(x : [0,3], y : bool) := x > 1 & y;"), "(2, true) (3, true)");
}

#[test]
fn a_least_fixpoint_has_nothing_that_is_not_forced() {
    let path = "P(x : [0,5], y : [0,5]) := y = x + 1;\n";
    assert_eq!(tuples(&format!("{path}R(x : [0,5]) += x = 3 | <y>(R(y) & P(y, x));")), "(3) (4) (5)");
    assert_eq!(tuples("R(x : [0,3]) += R(x);"), "");
}

#[test]
fn a_greatest_fixpoint_has_everything_that_is_not_refused() {
    let path = "P(x : [0,5], y : [0,5]) := y = x + 1;\n";
    // Every finite path ends in 5: only a loop can go on for ever.
    assert_eq!(tuples(&format!("{path}R(x : [0,5]) -= <y>(P(x, y) & R(y));")), "");
    assert_eq!(tuples(&format!("{EDGES}R(x : [0,3]) -= <y>(E(x, y) & R(y));")), "(0) (1) (2) (3)");
    assert_eq!(tuples("R(x : [0,3]) -= R(x);"), "(0) (1) (2) (3)");
}

#[test]
fn a_greatest_fixpoint_shrinks_to_the_states_that_can_stay() {
    // 0-1-2 with a loop at 1: from 2 nothing goes on.
    let edges = "E(x : [0,2], y : [0,2]) := y = x + 1 | x = 1 & y = 1;\n";
    assert_eq!(tuples(&format!("{edges}R(x : [0,2]) -= <y>(E(x, y) & R(y));")), "(0) (1)");
}

#[test]
fn equations_of_a_block_see_each_other() {
    let block = "begin
      R(x : [0,7]) += x = 0 | <y>(Odd(y) & x = y + 1);
      Odd(x : [0,7]) += <y>(R(y) & x = y + 1);
    end";
    let mut shell = shell(block);
    assert_eq!(shell.tuples("R"), ["(0)", "(2)", "(4)", "(6)"]);
    assert_eq!(shell.tuples("Odd"), ["(1)", "(3)", "(5)", "(7)"]);
}

#[test]
fn a_plain_equation_of_a_block_follows_the_fixpoints() {
    let block = "begin R(x : [0,3]) += x = 1 | Next(x); Next(x : [0,3]) := <y>(R(y) & x = y + 1); end";
    let mut shell = shell(block);
    assert_eq!(shell.tuples("R"), ["(1)", "(2)", "(3)"]);
    assert_eq!(shell.tuples("Next"), ["(2)", "(3)"]);
}

#[test]
fn the_first_equation_of_a_block_is_the_outermost_fixpoint() {
    // nu X. mu Y. X is true, mu Y. nu X. Y is false.
    let mut outer = shell("begin R -= S; S += R; end");
    assert_eq!((outer.cardinal("R"), outer.cardinal("S")), (1, 1));
    let mut inner = shell("begin S += R; R -= S; end");
    assert_eq!((inner.cardinal("R"), inner.cardinal("S")), (0, 0));
}

#[test]
fn infinitely_often_is_not_eventually_always() {
    // On 0-1-0, with P = {0}: every path meets P again and again, none stays in P.
    let edges = "E(x : [0,1], y : [0,1]) := x != y;\n";
    let often = "R(x : [0,1]) -= S(x)";
    let step = "S(x : [0,1]) += <y>(E(x, y) & (y = 0 & R(y) | S(y)))";
    assert_eq!(tuples(&format!("{edges}begin {often}; {step}; end")), "(0) (1)");
    assert_eq!(tuples(&format!("{edges}begin {step}; {often}; end")), "");
}

#[test]
fn three_alternations_are_solved_from_the_outside_in() {
    // nu X. mu Y. nu Z. of a game graph: 0 -> 1 -> 2 -> 0 and 2 -> 2, priorities 0: even, 1: odd, 2: even.
    let edges = "E(x : [0,2], y : [0,2]) := x = 0 & y = 1 | x = 1 & y = 2 | x = 2 & y = 0 | x = 2 & y = 2;\n";
    let goal = "(y = 0 & X(y) | y = 1 & Y(y) | y = 2 & R(y))";
    let block =
        format!("{edges}begin X(x : [0,2]) -= Y(x); Y(x : [0,2]) += R(x); R(x : [0,2]) -= <y>(E(x, y) & {goal}); end");
    // The loop at 2 has priority 2 alone, so every vertex has a good path. Without the loop the cycle also meets 0.
    assert_eq!(tuples(&block), "(0) (1) (2)");
    // With 1 outermost, a path must pass it finitely often: all can end in the loop at 2.
    let odd =
        block.replace("X(x : [0,2]) -= Y(x); Y(x : [0,2]) += R(x);", "Y(x : [0,2]) += X(x); X(x : [0,2]) -= R(x);");
    assert_eq!(tuples(&odd), "(0) (1) (2)");
    // Without the loop only the order with 0 outermost is won.
    let without = |block: &str| block.replace(" | x = 2 & y = 2;", ";");
    assert_eq!((tuples(&without(&block)), tuples(&without(&odd))), ("(0) (1) (2)".to_owned(), String::new()));
}

#[test]
fn angles_ask_for_some_value() {
    assert_eq!(tuples("R(x : [0,3]) := <y : [0,3]>(x = y + 2);"), "(2) (3)");
}

#[test]
fn brackets_ask_for_all_values() {
    assert_eq!(tuples("R(x : [0,3]) := [y : [0,2]](x >= y);"), "(2) (3)");
}

#[test]
fn several_variables_may_be_quantified_at_once() {
    assert!(is_true("[x : [0,2], y : [0,2]](<z : [0,4]>(z = x + y))"));
    assert!(!is_true("[x : [0,2], y : [0,2]](<z : [0,3]>(z = x + y))"));
}

#[test]
fn an_inner_variable_hides_an_outer_one_of_the_same_name() {
    assert_eq!(tuples("R(x : [0,3]) := x = 2 & <x : [0,3]>(x = 0);"), "(2)");
    assert_eq!(tuples("R(x : [0,3]) := <x : bool>(x) & x = 1;"), "(1)");
}

#[test]
fn quantified_variables_take_only_values_of_their_type() {
    // Five values need three bits: the three codes that are no values must not count.
    assert!(is_true("[x : [0,4]](x < 5)") && !is_true("<x : [0,4]>(~(x <= 4))"));
    assert!(is_true("[x : {a, b, c}](x = a | x = b | x = c)"));
    assert_eq!(shell("R(x : [0,4], y : {a, b, c}) := ~(x = 0 & y = a);").cardinal("R"), 14);
}

#[test]
fn operators_bind_as_in_altarica() {
    for (written, meant) in [
        ("a & b | c", "(a & b) | c"),
        ("a | b & c", "a | (b & c)"),
        ("a | b => c", "(a | b) => c"),
        ("a => b => c", "a => (b => c)"),
        ("a => b <=> c", "(a => b) <=> c"),
        ("a <=> b <=> c", "(a <=> b) <=> c"),
        ("~a & b", "(~a) & b"),
        ("~a = b", "(~a) = b"),
        ("a & b = c", "a & (b = c)"),
        ("a = b | c", "(a = b) | c"),
        ("a != b & c", "(a != b) & c"),
        ("~~a | b", "a | b"),
        ("if a then b else c & a", "if a then b else (c & a)"),
        ("a & if b then c else a | b", "a & (if b then c else (a | b))"),
    ] {
        assert!(is_true(&format!("[a : bool, b : bool, c : bool](({written}) <=> ({meant}))")), "{written}");
    }
}

#[test]
fn arithmetic_binds_before_comparison_and_from_the_left() {
    for (written, meant) in [
        ("x + y * 2 = 5", "(x + (y * 2)) = 5"),
        ("x - y - 1 = 0", "((x - y) - 1) = 0"),
        ("x - y + 1 = 2", "((x - y) + 1) = 2"),
        ("-x * y = -2", "((-x) * y) = (-2)"),
        ("- - x = x", "true"),
        ("x < y + 1 & y < 2", "(x < (y + 1)) & (y < 2)"),
        ("2 * x * y > 3", "((2 * x) * y) > 3"),
    ] {
        assert!(is_true(&format!("[x : [0,3], y : [0,3]](({written}) <=> ({meant}))")), "{written}");
    }
    assert!(is_true("7 - 4 - 2 = 1 & 2 + 3 * 4 = 14 & -2 * 3 = -6"));
}

#[test]
fn comparisons_are_those_of_integers() {
    for (operator, pairs) in [
        ("<", "(-1, 0) (-1, 1) (0, 1)"),
        ("<=", "(-1, -1) (-1, 0) (-1, 1) (0, 0) (0, 1) (1, 1)"),
        (">", "(0, -1) (1, -1) (1, 0)"),
        (">=", "(-1, -1) (0, -1) (0, 0) (1, -1) (1, 0) (1, 1)"),
        ("=", "(-1, -1) (0, 0) (1, 1)"),
        ("!=", "(-1, 0) (-1, 1) (0, -1) (0, 1) (1, -1) (1, 0)"),
    ] {
        assert_eq!(tuples(&format!("R(x : [-1,1], y : [-1,1]) := x {operator} y;")), pairs, "{operator}");
    }
}

#[test]
fn numbers_of_different_ranges_are_compared_by_value() {
    assert_eq!(tuples("R(x : [0,3], y : [2,5]) := x = y;"), "(2, 2) (3, 3)");
    assert_eq!(tuples("R(x : [0,1]) := x = 7;"), "");
    assert_eq!(tuples("R(x : [0,1]) := x < 7;"), "(0) (1)");
}

#[test]
fn results_of_arithmetic_may_leave_every_range() {
    assert_eq!(tuples("R(x : [0,3]) := x + x = 6 | x * x * x = 1 | x - 5 = -5;"), "(0) (1) (3)");
}

#[test]
fn words_are_the_same_operators_in_any_case() {
    for words in ["a and not b or c imply a", "a AND NOT b OR c IMPLY a", "a And Not b Or c Imply a"] {
        assert!(is_true(&format!("[a : BOOL, b : Bool, c : bool](({words}) <=> ((a & ~b | c) => a))")), "{words}");
    }
    assert!(is_true("IF TRUE THEN NOT FALSE ELSE False"));
    assert!(is_true("CASE { False : false, Else True }"));
    let text = "DOMAIN D = STRUCT f : Bool; TCURTS;\nR(x : D) := x.f;";
    assert_eq!(tuples(text), "({f = true})");
}

#[test]
fn a_conditional_chooses_between_formulas_and_between_terms() {
    assert_eq!(tuples("R(x : [0,3]) := if x > 1 then x = 3 else x = 0;"), "(0) (3)");
    assert_eq!(tuples("R(x : [0,3]) := (if x > 1 then x - 2 else x + 2) = 3;"), "(1)");
    assert_eq!(tuples("R(x : bool, y : {a, b}) := y = (if x then a else b);"), "(false, b) (true, a)");
}

#[test]
fn a_case_takes_the_first_condition_that_holds() {
    assert_eq!(tuples("R(x : [0,3]) := case { x > 2 : false, x > 0 : true, else false };"), "(1) (2)");
    assert_eq!(tuples("R(x : [0,3]) := case { x = 0 : 5, x = 1 : 6, else x } = 6;"), "(1)");
}

#[test]
fn a_truth_value_of_a_comparison_is_passed_as_it_is() {
    // `x = 1` is false for 0, 2 and 3, not only for 0.
    assert_eq!(tuples("N(b : bool) := ~b;\nR(x : [0,3]) := N(x = 1);"), "(0) (2) (3)");
    assert_eq!(tuples("N(b : bool) := b;\nR(x : [0,3]) := N(x = 1);"), "(1)");
    assert_eq!(tuples("N(b : bool) := ~b;\nR(x : {p, q, r}) := N(x = q);"), "(p) (r)");
    assert_eq!(tuples("N(b : bool) := ~b;\nR(x : bool) := N(x = true) | N(~x) & N(x);"), "(false)");
}

#[test]
fn arguments_are_terms_of_any_shape() {
    let less = "L(x : [0,3], y : [0,3]) := x < y;\n";
    for (formula, pairs) in [
        ("L(x, y)", "(0, 1) (0, 2) (1, 2)"),
        ("L(y, x)", "(1, 0) (2, 0) (2, 1)"),
        ("L(x, x)", ""),
        ("L(x + 1, y) & y > 0", "(0, 2)"),
        ("L(2, y + 1)", "(0, 2) (1, 2) (2, 2)"),
        ("L(if x = 0 then 2 else 0, y)", "(1, 1) (1, 2) (2, 1) (2, 2)"),
        // Five is no value of the parameter.
        ("L(x, 5)", ""),
    ] {
        assert_eq!(tuples(&format!("{less}R(x : [0,2], y : [0,2]) := {formula};")), pairs, "{formula}");
    }
}

#[test]
fn a_literal_is_the_same_in_every_enumeration() {
    assert_eq!(tuples("R(x : {a, b, c}, y : {c, d, a}) := x = y;"), "(a, a) (c, c)");
    assert_eq!(tuples("E(x : {c, a}) := true;\nR(x : {a, b, c}) := E(x);"), "(a) (c)");
}

#[test]
fn structures_have_fields_and_are_compared_field_by_field() {
    let pair = "domain P = struct f, g : [0,1]; h : bool; tcurts;\n";
    assert_eq!(tuples(&format!("{pair}R(p : P) := p.f = 1 & p.g != p.f & p.h;")), "({f = 1, g = 0, h = true})");
    let equal = format!("{pair}R(p : P) := <q : P>(p = q & q.f = 0 & q.g = 0 & ~q.h);");
    assert_eq!(tuples(&equal), "({f = 0, g = 0, h = false})");
    assert_eq!(shell(&format!("{pair}R(p : P, q : P) := p != q;")).cardinal("R"), 8 * 7);
}

#[test]
fn a_part_of_a_structure_is_a_value_of_its_own() {
    let text = "S(q : struct a : bool; tcurts) := ~q.a;
      R(p : struct s, t : struct a : bool; tcurts; tcurts) := S(p.s) & ~S(p.t) | p.s = p.t & p.s.a;";
    assert_eq!(tuples(text), "({s.a = false, t.a = true}) ({s.a = true, t.a = true})");
}

#[test]
fn fields_of_different_kinds_are_never_mixed_up() {
    // The literals would have the numbers 0 and 1.
    let types = "domain A = struct f : {p, q}; tcurts;\ndomain B = struct f : [0,3]; tcurts;\nS(b : B) := true;\n";
    assert_eq!(Shell::new(&[]).codes(&format!("{types}R(a : A, b : B) := a = b;")), ["mec022"]);
    assert_eq!(Shell::new(&[]).codes(&format!("{types}R(a : A) := S(a);")), ["mec022"]);
}

#[test]
fn arrays_have_elements() {
    assert_eq!(tuples("R(x : bool[2]) := x[0] & ~x[1];"), "({[0] = true, [1] = false})");
    let table = "R(x : [0,1][2][2]) := x[0][0] + x[0][1] + x[1][0] + x[1][1] = 3 & x[1][1] = 0;";
    assert_eq!(tuples(table), "({[0][0] = 1, [0][1] = 1, [1][0] = 1, [1][1] = 0})");
    assert_eq!(shell("R(x : bool[3], y : bool[3]) := x = y;").cardinal("R"), 8);
}

#[test]
fn equal_types_are_one_type_whatever_their_name() {
    let text = "domain D = [0,3];\nS(x : D) := x = 2;\nR(x : [0,3]) := S(x);";
    assert_eq!(tuples(text), "(2)");
    assert_eq!(printed("domain D = [0,3];\nR(x : D) := true;"), "D = [0, 3]\nR: ([0, 3]) -> bool\n");
}

#[test]
fn a_constant_is_a_relation_without_parameters() {
    assert_eq!(printed("c := 1 < 2;"), "c: bool\n");
    assert_eq!(tuples("c := true;\nd := ~c;\nR(x : [0,1]) := c & x = 1 | d;"), "(1)");
    let mut shell = shell("c := true;\nd := false;");
    assert_eq!((shell.cardinal("c"), shell.tuples("c"), shell.tuples("d")), (1, vec!["()".to_owned()], vec![]));
}

#[test]
fn types_are_inferred_from_other_relations() {
    let text = "S(x : [0,3], y : {a, b}) := x = 1 & y = a;\nR(u, v) := S(v, u);";
    assert_eq!(printed(text), "S: ([0, 3], {a, b}) -> bool\nR: ({a, b}, [0, 3]) -> bool\n");
}

#[test]
fn types_are_inferred_from_the_relation_itself() {
    let text = "E(x : [0,3], y : [0,3]) := y = x + 1;\nR(x) += <z>(E(z, x) & R(z)) | x = 0;";
    assert_eq!(printed(text).lines().last(), Some("R: ([0, 3]) -> bool"));
    let only = "R(x : [0,3], y) += x = 0 & R(y, x) | x = y;";
    assert_eq!(printed(only), "R: ([0, 3], [0, 3]) -> bool\n");
}

#[test]
fn types_are_inferred_from_comparisons_and_from_use_as_a_formula() {
    assert_eq!(printed("R(x : [0,3], y) := x = y;"), "R: ([0, 3], [0, 3]) -> bool\n");
    assert_eq!(printed("R(x, y) := x & ~y;"), "R: (bool, bool) -> bool\n");
    assert_eq!(
        printed("R(p : struct f : {a, b}; tcurts, x) := x != p.f;").lines().last(),
        Some("R: (struct f : {a, b}; tcurts, {a, b}) -> bool")
    );
    assert_eq!(printed("R(x, y, z) := x = y & y = z & (z <=> true);"), "R: (bool, bool, bool) -> bool\n");
}

#[test]
fn types_are_inferred_across_a_block() {
    let block = "begin R(x) += S(x); S(y) += T(y) | R(y); T(z : {a, b}) := z = b; end";
    assert_eq!(printed(block), "R: ({a, b}) -> bool\nS: ({a, b}) -> bool\nT: ({a, b}) -> bool\n");
    assert_eq!(tuples(block), "(b)");
}

#[test]
fn a_declared_type_wins_over_that_of_the_relations() {
    let text = "S(x : [0,3]) := x > 1;\nR(x : [2,5]) := S(x);";
    assert_eq!(tuples(text), "(2) (3)");
}

#[test]
fn a_new_definition_replaces_the_former_one() {
    let mut shell = shell("R(x : [0,1]) := true;\nS(x) := R(x);\nR(x : bool) := x;");
    assert_eq!((shell.tuples("R"), shell.cardinal("S")), (vec!["(true)".to_owned()], 2));
    // What was computed from the former one stays; what is computed now sees the new one.
    shell.define("S(x) := ~R(x);");
    assert_eq!(shell.tuples("S"), ["(false)"]);
}

#[test]
fn a_plain_definition_may_use_the_former_value_of_another_name_only() {
    assert_eq!(Shell::new(&[]).codes("R(x : [0,1]) := true;\nR(x : [0,1]) := R(x) & x = 0;"), ["mec026"]);
}

#[test]
fn a_refused_definition_leaves_the_former_one() {
    let mut shell = shell("R(x : [0,1]) := true;");
    assert_eq!(shell.codes("R(x : [0,1]) := nothing;"), ["mec014"]);
    assert_eq!(shell.cardinal("R"), 2);
}

#[test]
fn comments_are_blanks() {
    let text = "/* a ; b */ R /**/ (x : [0,3]) // one ; two\n := /*/ still */ x = /* * / ** */ 2; // end";
    assert_eq!(tuples(text), "(2)");
}

#[test]
fn names_may_have_primes_and_circumflexes() {
    assert_eq!(tuples("S'(x'^ : [0,1]) := x'^ = 1;\nR(y') := S'(y');"), "(1)");
}

#[test]
fn long_conjunctions_are_not_deep() {
    let text = vec!["x != 1"; 5_000].join(" & ");
    assert_eq!(tuples(&format!("R(x : [0,2]) := {text};")), "(0) (2)");
}

#[test]
fn tuples_are_printed_in_the_order_of_their_values() {
    assert_eq!(tuples("R(x : [-1,1], y : {q, p}) := x != 0;"), "(-1, q) (-1, p) (1, q) (1, p)");
}

#[test]
fn large_relations_are_counted_and_not_listed() {
    let mut shell = shell("R(x : bool[100], y : [0,6]) := y != 3;");
    assert_eq!(shell.cardinal("R"), 6 * (1 << 100));
    let printed = shell.say(":rel-print R 1");
    assert!(printed.ends_with(&format!("... 1 of {} tuples\n", 6u128 << 100)), "{printed}");
    shell.define("S(x : bool[200]) := true;");
    assert_eq!(shell.say(":rel-cardinal S"), "cardinal of S : more than 2^128\n");
}

#[test]
fn recursion_under_two_negations_is_monotone() {
    let mut shell = Shell::new(&[]);
    shell.define("R(x : [0,3]) += x = 0 | ~[y : [0,3]](x = y + 1 => ~R(y));");
    assert_eq!(shell.cardinal("R"), 4);
}

#[test]
fn negations_of_what_does_not_depend_on_fixpoints_are_fine_within_a_block() {
    let mut shell = Shell::new(&[]);
    shell.define("begin R(x : [0,3]) += ~A(x) | <y>(R(y) & x = y + 1); A(x : [0,3]) := x != 2; end");
    assert_eq!(shell.tuples("R"), ["(2)", "(3)"]);
}
