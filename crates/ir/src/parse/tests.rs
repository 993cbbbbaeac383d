//! What is refused, with which code; what is accepted comes back as it was in the round trips of `tests`.

use expect_test::{Expect, expect};

use super::*;

const HEAD: &str = "model m; enum E { a, b } var x : int; var p : bool; family f[_] from x len 1;\n";

/// The code and message of every diagnostic of a text.
fn messages(text: &str) -> String {
    let mut sources = Sources::default();
    let id = sources.add("m.lir", text);
    let (model, diagnostics) = parse(&sources, id);
    assert_eq!(model.is_none(), diagnostics.has_errors(), "{text}");
    let lines: Vec<String> = diagnostics
        .list
        .iter()
        .map(|found| format!("{} {}: {}", found.code, sources.describe(found.labels[0].0), found.message))
        .collect();
    lines.join("\n")
}

fn check(rest: &str, expect: Expect) {
    expect.assert_eq(&messages(&format!("{HEAD}{rest}")));
}

#[test]
fn broken_items_are_reported_one_by_one() {
    check(
        "var y bool; init x = ; command c: { x := 1 } command d: skip;\nproperty p: always p; @ var \"q : int;",
        expect![[r#"
            ir001 m.lir:3:23: unexpected character '@'
            ir002 m.lir:3:29: the quotes are not closed in this line
            ir004 m.lir:2:7: expected `:`, found `bool`
            ir004 m.lir:2:22: expected an expression, found `;`
            ir004 m.lir:2:44: expected `;`, found `}`
            ir004 m.lir:3:13: expected `invariant`, `reach`, `deadlock_free`, `no_errors` or `ltl`, found `always`
            ir004 m.lir:3:38: expected the name of the variable, found the end of the text"#]],
    );
    check("init p", expect!["ir004 m.lir:2:7: expected `;`, found the end of the text"]);
    check("init x = x = x;", expect!["ir004 m.lir:2:12: expected `;`, found `=`"]);
    check("init !p = p;", expect!["ir004 m.lir:2:9: expected `;`, found `=`"]);
    check("7;", expect!["ir004 m.lir:2:1: expected an item, found `7`"]);
    expect!["ir004 m.lir:1:1: expected `model`, found the end of the text"].assert_eq(&messages(""));
}

#[test]
fn numbers_that_do_not_fit_are_refused() {
    check(
        "var y : 0..9223372036854775808; init x = -9223372036854775809; init $99999999999 = x; family g from x len 5000000000;",
        expect![[r#"
            ir003 m.lir:2:12: the integer does not fit 64 bits
            ir003 m.lir:2:43: the integer does not fit 64 bits
            ir003 m.lir:2:69: the number of a definition does not fit 32 bits
            ir003 m.lir:2:107: the number of cells does not fit"#]],
    );
    check("init x = -9223372036854775808;", expect![""]);
}

#[test]
fn unknown_names_are_reported_with_what_was_looked_for() {
    check(
        "init y; init g[_](0); init F::a = F::a; init E::c = E::c; init $0; init #7; let $1 = x; let $1 = x; var z : F;",
        expect![[r#"
            ir006 m.lir:2:6: there are no variables called `y` before this line
            ir006 m.lir:2:14: there are no families called `g[_]` before this line
            ir006 m.lir:2:28: there are no enumerations called `F` before this line
            ir006 m.lir:2:49: the enumeration has no literal `c`
            ir006 m.lir:2:64: `$0` is not defined before
            ir006 m.lir:2:73: there are only 2 variables before `#7`
            ir007 m.lir:2:93: `$1` is defined twice"#]],
    );
}

#[test]
fn what_validation_finds_is_reported_at_its_place() {
    check(
        "var y : 3..1; init x;\ncommand c: p := x;\nproperty q: ltl G {x};",
        expect![[r#"
            ir008 m.lir:2:1: the range 3..1 is empty
            ir008 m.lir:2:15: an initial condition must be boolean, but `x` is an integer
            ir008 m.lir:3:1: `x` is an integer, but what it is assigned to is a boolean
            ir008 m.lir:4:1: a state formula must be boolean, but `x` is an integer"#]],
    );
}

#[test]
fn loops_scopes_and_starts_are_refused_where_they_do_not_fit() {
    check(
        "local var t : 0..3; command c: while p skip; command d: scope t x do skip; command e: scope t, do skip;\n\
         start skip; start p := true;\nlocal control var u : bool; command f: while := 1; init t = 0;",
        expect![[r#"
            ir004 m.lir:2:40: expected `do`, found `skip`
            ir004 m.lir:2:65: expected `,`, found `x`
            ir004 m.lir:2:96: expected a local variable, or `do`, found `do`
            ir007 m.lir:3:13: there is a start already
            ir004 m.lir:4:7: expected `var`, found `control`
            ir004 m.lir:4:46: expected an expression, found `:=`"#]],
    );
    check(
        "local var t : 0..3; init t = 0; start t := 1; command c: scope x do skip;",
        expect![[r#"
            ir008 m.lir:2:21: the local variable `t` is read outside its scope
            ir008 m.lir:2:33: the local variable `t` is written outside its scope
            ir008 m.lir:2:47: a scope lists the variable `x`, which is not local"#]],
    );
}

#[test]
fn no_depth_of_nesting_overflows() {
    let n = 100_000;
    let item = |before: &str, piece: &str, after: &str| messages(&format!("{HEAD}{before}{}{after}", piece.repeat(n)));
    for (before, piece) in [
        ("init ", "("),
        ("init ", "!"),
        ("init ", "-"),
        ("init ", "if p then "),
        ("init ", "if "),
        ("init ", "f[_]("),
        ("init ", "x - ("),
        ("init x = x", "* x"),
        ("command c: ", "{"),
        ("command c: ", "choice {"),
        ("command c: ", "if p then "),
        ("command c: ", "if p then skip; else "),
        ("command c: ", "while p do "),
        ("start ", "scope do "),
        ("property q: ltl ", "("),
        ("property q: ltl ", "G "),
        ("property q: ltl ", "!"),
        ("property q: ltl ", "{p} U "),
        ("property q: ltl ", "{p} => "),
        ("property q: ltl {p}", "& {p}"),
        ("property q: ltl {p}", "<=> {p}"),
    ] {
        let found = item(before, piece, ";");
        assert!(found.contains("ir005"), "{before}{piece}...: {found}");
    }
    for (before, piece, after) in [("init p", " & p", ";"), ("init x = x", " - x", ";"), ("command c: {", "skip;", "}")]
    {
        assert_eq!(item(before, piece, after), "", "{before}{piece}{after}");
    }
    assert_eq!(item("", "}", "").lines().count(), 1);
    assert_eq!(item("", "var ;", "").lines().count(), MAX_ERRORS);
}

#[test]
fn definitions_cannot_build_what_nesting_may_not() {
    let mut text = format!("{HEAD}let $0 = x;\n");
    for i in 1..10_000 {
        text += &format!("let ${i} = ${} + ${};\n", i - 1, i - 1);
    }
    assert!(messages(&text).starts_with("ir005 m.lir:5002:"), "{}", messages(&text));
}

#[test]
fn a_lone_expression_must_be_one() {
    let mut sources = Sources::default();
    let id = sources.add("m.lir", HEAD);
    let model = parse(&sources, id).0.unwrap();
    let wrong = |text: &str| expr(&model, text).unwrap_err();
    expect!["expected the end of the expression, found `;`, at character 2 of the expression"].assert_eq(&wrong("p;"));
    expect!["`x` in `!x` is an integer, not a boolean"].assert_eq(&wrong("!x"));
    expect!["expected an expression, found the end of the text, at character 1 of the expression"]
        .assert_eq(&wrong(""));
    assert!(expr(&model, "let $4 = p & p; $4 | $4").is_ok());
}
