//! What expressions and models look like.

use expect_test::{Expect, expect};
use lapidary_text::Sources;

use super::*;
use crate::expr::Node;
use crate::parse;

/// Integers `x`, `y`, an integer row `a[_]`, a boolean `p`, a row `P[_].next_pc` over an enumeration.
const DECLARATIONS: &str = "model m; enum Loc { idle, crit } enum \"\" { idle }
    var x : int; var y : int; var a[0] : int; var a[1] : int; var p : bool; var q : bool;
    var P[0].next_pc : Loc; var P[1].next_pc : Loc; var \"odd name\" : #1;
    family a[_] from a[0] len 2; family P[_].next_pc from P[0].next_pc len 2;";

fn declared() -> Model {
    let mut sources = Sources::default();
    let id = sources.add("m.lir", DECLARATIONS);
    let (model, diagnostics) = parse::parse(&sources, id);
    model.unwrap_or_else(|| panic!("{diagnostics:?}"))
}

/// Reads an exact text, which must be printed as it was, and compares what people see.
fn check(exact: &str, shown: Expect) {
    let model = declared();
    let read = parse::expr(&model, exact).unwrap_or_else(|error| panic!("{exact}: {error}"));
    assert_eq!(expr(&model, read), exact);
    shown.assert_eq(&show(&model, read));
}

#[test]
fn parentheses_stand_only_where_they_matter() {
    check("p & q & (p & q) | !p & (q | p)", expect!["p & q & (p & q) | !p & (q | p)"]);
    check("(if p then q else p) & q", expect!["(if p then q else p) & q"]);
    check("if p then x else y + 1", expect!["if p then x else y + 1"]);
    check("(x + y) + 1 = x * (y * x)", expect!["(x + y) + 1 = x * (y * x)"]);
    check("x * y * x div (x mod y)", expect!["x * y * x div (x mod y)"]);
    check("(p = q) = (x < y)", expect!["(p = q) = (x < y)"]);
}

#[test]
fn negations_and_differences_are_read_back_as_they_were() {
    check("(!p) = q", expect!["(!p) = q"]);
    check("!(!p)", expect!["!(!p)"]);
    check("!(x < y) & !(x <= y) & x != y", expect!["x >= y & x > y & x != y"]);
    check("!(x != y)", expect!["!(x != y)"]);
    check("x - y - 3 + -3 * x", expect!["x - y - 3 + -3 * x"]);
    check("x - (3) - (-3) - 3 * y", expect!["x - (3) - (-3) - 3 * y"]);
}

#[test]
fn signs_of_constants_stay_apart_from_negatives() {
    let model = declared();
    let e = &model.exprs;
    let x = parse::expr(&model, "x").unwrap();
    let negative = |value| e.intern(Node::Neg(e.int(value)));
    let sums = [e.int(-3), negative(3), negative(-3), e.int(i64::MIN), negative(i64::MIN), negative(0)];
    let mut texts = Vec::new();
    for part in sums {
        for whole in [part, e.intern(Node::Neg(part)), e.intern(Node::Mul(part, part))] {
            for sum in [whole, e.intern(Node::Add([x, whole].into())), e.intern(Node::Add([whole, x].into()))] {
                let text = expr(&model, sum);
                assert_eq!(parse::expr(&model, &text), Ok(sum), "{text}");
                texts.push(text);
            }
        }
    }
    expect![
        "-3, x - 3, -3 + x, -(-3), x - (-3), -(-3) + x, -3 * -3, x + -3 * -3, -3 * -3 + x, -(3), x - (3), -(3) + x"
    ]
    .assert_eq(&texts[..12].join(", "));
}

#[test]
fn cells_and_literals_are_shown_as_in_the_source() {
    check("a[_](x + 1) = a[_](a[_](0))", expect!["a[x + 1] = a[a[0]]"]);
    check("P[_].next_pc(x) != Loc::crit", expect!["P[x].next_pc != crit"]);
    check("\"odd name\" = #1::idle", expect!["odd name = idle"]);
}

#[test]
fn text_grows_with_the_graph_and_not_with_the_tree() {
    let model = declared();
    let e = &model.exprs;
    let mut deep = e.var(VarId(0));
    for _ in 0..1000 {
        deep = e.intern(Node::Mul(deep, deep));
    }
    let text = expr(&model, deep);
    assert!(text.len() < 100_000, "{}", text.len());
    assert!(text.starts_with("let $0 = x * x * (x * x) * (x * x * (x * x)) * "), "{text}");
    assert_eq!(parse::expr(&model, &text), Ok(deep));
    assert!(show(&model, deep).len() < 10_000);
}

#[test]
fn deep_expressions_are_cut_into_definitions() {
    let model = declared();
    let e = &model.exprs;
    let mut deep = e.var(VarId(4));
    for _ in 0..4000 {
        deep = e.intern(Node::Not(deep));
    }
    assert_eq!(parse::expr(&model, &expr(&model, deep)), Ok(deep));
    let mut chain = e.var(VarId(0));
    for i in 0..4000 {
        chain = e.intern(Node::Ite(e.var(VarId(4)), e.int(i), chain));
    }
    assert_eq!(parse::expr(&model, &expr(&model, chain)), Ok(chain));
}
