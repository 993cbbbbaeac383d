//! What is read and what is refused.

use lapidary_text::{Sources, Span};

use super::super::ast::{ExprKind, Item, Section};
use super::super::print;
use super::*;

fn read(text: &str) -> (File, Vec<&'static str>) {
    let mut sources = Sources::default();
    let source = sources.add("m.alt", text);
    let mut log = Log::default();
    let found = file(&sources, source, &mut log);
    (found, log.finish(codes::TOO_MANY).list.iter().map(|diagnostic| diagnostic.code).collect())
}

fn codes_of(text: &str) -> Vec<&'static str> {
    read(text).1
}

/// The sections of a node with this body, printed.
fn body(text: &str) -> String {
    let (file, codes) = read(&format!("node N {text} edon"));
    assert_eq!(codes, [""; 0], "{text}");
    let printed = print::file(&file);
    let lines: Vec<&str> = printed.lines().map(str::trim).collect();
    lines[1..lines.len() - 1].join(" ")
}

fn expression(text: &str) -> String {
    let mut sources = Sources::default();
    let source = sources.add("formula", text);
    let mut log = Log::default();
    let found = formula(&sources, Span::new(source, 0, text.len() as u32), &mut log);
    let codes: Vec<&str> = log.finish(codes::TOO_MANY).list.iter().map(|diagnostic| diagnostic.code).collect();
    assert_eq!(codes, [""; 0], "{text}");
    bracketed(&found)
}

/// All brackets, so that the shape is seen.
fn bracketed(expr: &Expr) -> String {
    match &expr.kind {
        ExprKind::Unary(operator, inner) => format!("{operator:?}({})", bracketed(inner)),
        ExprKind::Binary(operator, left, right) => {
            format!("({} {operator:?} {})", bracketed(left), bracketed(right))
        }
        ExprKind::If(condition, then, otherwise) => {
            format!("[{} ? {} : {}]", bracketed(condition), bracketed(then), bracketed(otherwise))
        }
        _ => print::expr(expr),
    }
}

#[test]
fn operators_have_their_strength() {
    let shapes = [
        ("a => b => c", "(a Imply (b Imply c))"),
        ("a | b & c imply d", "((a Or (b And c)) Imply d)"),
        ("a = b = c", "((a Eq b) Eq c)"),
        ("not a = b", "(Not(a) Eq b)"),
        ("a - b - c + d", "(((a Sub b) Sub c) Add d)"),
        ("a + b * c mod d / e < f", "((a Add (((b Mul c) Mod d) Div e)) Lt f)"),
        ("- a + -3 - -(4)", "((Minus(a) Add -3) Sub Minus(4))"),
        ("~ ~a and NOT b", "(Not(Not(a)) And Not(b))"),
        ("1 + if a then b else c + 2", "(1 Add [a ? b : (c Add 2)])"),
        ("(a ? b : c) = d", "([a ? b : c] Eq d)"),
        ("((a => b) => c) or d", "(((a Imply b) Imply c) Or d)"),
    ];
    for (text, shape) in shapes {
        assert_eq!(expression(text), shape);
    }
    assert_eq!(expression("-9223372036854775808"), "-9223372036854775808");
    let case = "case { a : 1, b=2 : 3, else min(4, f(5, x[0].y[1]), 6) }";
    assert_eq!(expression(case), case);
}

#[test]
fn the_last_semicolon_of_a_section_may_be_left_out() {
    let text = "state x : bool flow y : bool event time trans x |- time -> sync <time> init x := true assert x = y";
    assert_eq!(
        body(text),
        "state x : bool; flow y : bool; event time; trans x |- time -> ; sync <time>; init x := true; assert x=y;"
    );
    assert_eq!(body("assert a = b\n event e"), "assert a=b; event e;");
    assert_eq!(codes_of("const N = 3 domain D = [0, N] sort S node A edon; const M : integer;"), [""; 0]);
}

#[test]
fn separators_are_those_of_each_section() {
    assert_eq!(body("assert a, b; c"), "assert a; b; c;");
    assert_eq!(body("init x := 1, y := 2; a[0].z := 3"), "init x := 1; y := 2; a[0].z := 3;");
    assert_eq!(body("param p, q : [0,3] = 2; r : D param_set s.p := 1, t := 2"), {
        "param p, q : [0, 3] = 2; r : D; param_set s.p := 1; t := 2;"
    });
}

#[test]
fn transitions_have_several_events_and_several_parts() {
    let text = "trans g |- a -> x := 1 |- b, c[0] -> ; true |- 'd e' -> y := 2, z := 3";
    assert_eq!(body(text), "trans g |- a -> x := 1 |- b, c[0] -> ; true |- 'd e' -> y := 2, z := 3;");
}

#[test]
fn bounds_of_vectors_are_written_in_several_ways() {
    let text = "sync <a, s.b?, t[1].c?> >= 2; <a?>[<k + 1]; <b?>=1; <c?>>0; <d?><3; <e?> <= 2";
    let expected = "sync <a, s.b?, t[1].c?> >= 2; <a?> < k + 1; <b?> = 1; <c?> > 0; <d?> < 3; <e?> <= 2;";
    assert_eq!(body(text), expected);
}

#[test]
fn events_have_arrays_groups_chains_and_labels() {
    let text = "event a < b < {c, d} > e[n], f : public, x; open[n] > {up, down}; {g} : private";
    assert_eq!(body(text), "event a < b < {c, d} > e[n], f : public, x; open[n] > {up, down}; g : private;");
}

#[test]
fn quotes_do_not_matter_and_macros_are_put_in() {
    assert_eq!(
        body("event \"a\", 'b', 'Edon', 'b c', \"it's so\", x'^2;"),
        "event a, b, 'Edon', 'b c', \"it's so\", x'^2;"
    );
    let (file, codes) = read("#define N [0,\\\n 3]\nnode A state x : N[2]; edon");
    assert_eq!((print::file(&file).as_str(), codes), ("node A\n state\n  x : [0, 3][2];\nedon\n", vec![]));
}

#[test]
fn directives_of_tools_are_kept_as_they_were_written() {
    let text = "extern law <event e> = exponential(1e-4); predicate  a = <term (x = 'y')>; event e";
    assert_eq!(
        body(text),
        "extern law <event e> = exponential(1e-4); extern predicate  a = <term (x = 'y')>; event e;"
    );
    let (file, _) = read("extern attribute 1.5 ; node A extern x edon extern z");
    assert!(
        matches!(&file.items[..], [Item::Extern { text, .. }, Item::Node(_), Item::Extern { .. }] if text == "attribute 1.5")
    );
}

#[test]
fn a_formula_has_its_places_in_the_text_around_it() {
    let mut sources = Sources::default();
    let text = "@ é [x = 3y + 1] $ /* open";
    let source = sources.add("spec", text);
    let start = text.find('[').unwrap() as u32 + 1;
    let end = text.find(']').unwrap() as u32;
    let mut log = Log::default();
    let found = formula(&sources, Span::new(source, start, end), &mut log);
    assert_eq!((found.span.start, found.span.end), (start, end));
    let list = log.finish(codes::TOO_MANY).list;
    assert_eq!(list.len(), 1);
    assert_eq!(sources.text(list[0].labels[0].0), "3y");
    let mut log = Log::default();
    formula(&sources, Span::new(source, start, start), &mut log);
    formula(&sources, Span::new(source, 90, 4), &mut log);
    assert_eq!(log.finish(codes::TOO_MANY).list[0].labels[0].0.start, 4);
}

#[test]
fn every_broken_part_is_reported_and_no_other() {
    let text = "const = 3; domain D = [0 3]; node A state x : ; y : bool; event e e2; sub 3 : B; trans x -> y := 1; \
                y |- e x := 1; y |- e -> x = 1; sync e; <e, >; assert (x; init y := ; flow z : bool = true; edon";
    let expected = [
        codes::UNEXPECTED,
        codes::UNEXPECTED,
        codes::UNEXPECTED,
        codes::MISSING_SEMICOLON,
        codes::UNEXPECTED,
        codes::UNEXPECTED,
        codes::UNEXPECTED,
        codes::UNEXPECTED,
        codes::UNEXPECTED,
        codes::UNEXPECTED,
        codes::UNEXPECTED,
        codes::UNEXPECTED,
        codes::UNEXPECTED,
    ];
    let (file, codes) = read(text);
    assert_eq!(codes, expected);
    let Some(Item::Node(node)) = file.items.last() else { panic!("the node is read") };
    assert!(matches!(&node.sections[0], Section::State(list) if list.len() == 1));
    assert!(matches!(&node.sections[1], Section::Event(list) if list.len() == 2));
}

#[test]
fn keywords_as_names_are_explained_where_they_stand() {
    assert_eq!(codes_of("node A state event : bool; x, init : bool; init case := 3; edon"), [codes::UNEXPECTED; 3]);
    assert_eq!(codes_of("node A state 'event' : bool; x, 'init' : bool; init 'case' := 3; edon"), [""; 0]);
}

#[test]
fn nodes_in_nodes_are_told_from_nodes_that_are_not_closed() {
    assert_eq!(codes_of("node A node B edon state x : bool; edon node C edon"), [codes::NESTED_NODE]);
    assert_eq!(codes_of("node A state x : bool; node B edon const N = 1; node C edon"), [codes::MISSING_EDON]);
    assert_eq!(codes_of("node A const N = 1; event e; edon"), [codes::MISPLACED]);
    let (file, codes) = read("event a; trans true |- a -> ; edon const N = 1; edon");
    assert_eq!((file.items.len(), codes), (1, vec![codes::MISPLACED, codes::UNEXPECTED]));
}

#[test]
fn deep_nesting_is_refused_and_long_chains_are_not() {
    let asserted = |text: &str| codes_of(&format!("node A assert {text} edon"));
    for (open, close) in [("(", ")"), ("not ", ""), ("-", ""), ("if x then y else ", ""), ("x => ", ""), ("f(", ")")] {
        let deep = |n: usize| format!("{}x{}", open.repeat(n), close.repeat(n));
        assert_eq!(asserted(&deep(100_000)), [codes::TOO_DEEP], "{open}");
        assert_eq!(asserted(&deep(150)), [""; 0], "{open}");
    }
    for operator in ["and", "or", "+"] {
        assert_eq!(asserted(&format!("x{}", format!(" {operator} x").repeat(100_000))), [""; 0]);
    }
    for operator in ["=", "<", "-", "*", "/", "mod"] {
        assert_eq!(asserted(&format!("x{}", format!(" {operator} x").repeat(300))), [""; 0]);
        assert_eq!(asserted(&format!("x{}", format!(" {operator} x").repeat(100_000))), [codes::TOO_DEEP]);
    }
    // Chains in chains are as deep as all of them together.
    let nested = (0..100).fold("x".to_owned(), |inner, _| format!("({inner}){}", " - x".repeat(10)));
    assert_eq!(asserted(&nested), [codes::TOO_DEEP]);
    let flow = |domain: &str| codes_of(&format!("node A flow x : {domain}; y : bool; edon"));
    assert_eq!(flow(&format!("bool{}", "[2]".repeat(100_000))), [codes::TOO_DEEP]);
    assert_eq!(flow(&format!("{}bool{}", "struct a : ".repeat(1000), " tcurts".repeat(1000))), [codes::TOO_DEEP]);
    let doubled = |n: usize| flow(&format!("{}bool{}", "struct a, b, c, d : ".repeat(n), " tcurts".repeat(n)));
    assert_eq!((doubled(5), doubled(16)), (vec![], vec![codes::TOO_LONG]));
}

#[test]
fn initial_values_may_be_written_as_conditions() {
    assert_eq!(body("init x = true, a[0].y := 2; z = 3"), body("init x := true; a[0].y := 2; z := 3;"));
    for other in ["x => true", "x = true & y = false", "x = true = false", "x = true or true"] {
        assert_eq!(codes_of(&format!("node N state x, y : bool; init {other}; edon")), ["alt007"], "{other}");
    }
}

#[test]
fn labels_may_stand_behind_several_colons() {
    let separate = "flow f : bool : in : public; event e : public : failure;";
    assert_eq!(body(separate), body("flow f : bool : in, public; event e : public, failure;"));
}

#[test]
fn a_slip_costs_one_diagnostic() {
    let good = "node A state x : bool; y : [0, 3]; init x := false; y := 0; event a, b; \
                trans x |- a -> x := false, y := 1; not x |- b -> x := true; edon \
                node B sub s, t : A; event e; trans true |- e -> ; sync <e, s.a>; <s.b, t.b>; edon";
    let slips = [
        ("node A", "nod A"),
        ("state x", "sate x"),
        ("event a", "evnet a"),
        ("event a", "events a"),
        ("trans x", "tranz x"),
        ("trans x", "transition x"),
        ("edon node B", "end node B"),
        ("event a, b", "event a b"),
        ("false, y", "false y"),
        ("1; not", "1 not"),
        ("<e, s.a>;", "<e, s.a>"),
        ("x : bool", "bool x"),
        ("[0, 3]", "[0 3]"),
        ("[0, 3]", "0..3"),
        ("node B", "node"),
    ];
    for (from, to) in slips {
        let text = good.replacen(from, to, 1);
        assert_ne!(text, good);
        assert_eq!(codes_of(&text).len(), 1, "{text}: {:?}", codes_of(&text));
    }
    assert_eq!(codes_of(good), [""; 0]);
}
