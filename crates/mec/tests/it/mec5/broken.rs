//! One broken input for every code, and how it is shown.

use std::time::Duration;

use expect_test::{Expect, expect};
use lapidary_base::Control;

use super::support::{Shell, codes};

const CODES: &str = include_str!("../../../src/mec5/codes.rs");

fn shell() -> Shell {
    let mut shell = Shell::new(&[
        ("stack.alt", include_str!("stack.alt")),
        ("itself.mec", ":source itself.mec"),
        ("int.alt", "node Unbounded state x : integer; edon"),
    ]);
    shell.define(":ar-load stack.alt");
    shell
}

/// Two and twenty names that nobody knows.
const MANY: &str = "R := n & n & n & n & n & n & n & n & n & n & n
     & n & n & n & n & n & n & n & n & n & n & n;";

fn cases() -> Vec<(&'static str, &'static str, Expect)> {
    vec![
        (
            "mec001",
            "R := true ? false;",
            expect![[r#"
            error[mec001]: unexpected `?`
             --> input:1:11
              |
            1 | R := true ? false;
              |           ^ not part of any formula
              |
              = help: formulas are made of names, numbers, & | ~ => <=> = != < <= > >= + - * and <x>( ) [x]( )
        "#]],
        ),
        (
            "mec002",
            "R(x : bool) := x & ;",
            expect![[r#"
            error[mec002]: expected a formula, found `;`
             --> input:1:20
              |
            1 | R(x : bool) := x & ;
              |                    ^ here
        "#]],
        ),
        (
            "mec003",
            "R := 99999999999999999999 = 0;",
            expect![[r#"
            error[mec003]: 99999999999999999999 does not fit in 64 bits
             --> input:1:6
              |
            1 | R := 99999999999999999999 = 0;
              |      ^^^^^^^^^^^^^^^^^^^^ too large
        "#]],
        ),
        (
            "mec004",
            ":source itself.mec",
            expect![[r#"
            error[mec004]: scripts are nested more than 16 deep
             --> itself.mec:1:9
              |
            1 | :source itself.mec
              |         ^^^^^^^^^^ not read
              |
              = help: does a script read itself?
        "#]],
        ),
        (
            "mec005",
            "R(x : bool) := x",
            expect![[r#"
            error[mec005]: this statement has no end
             --> input:1:17
              |
            1 | R(x : bool) := x
              |                 ^ expected `;`
        "#]],
        ),
        (
            "mec006",
            ":rel-cardinl R",
            expect![[r#"
            error[mec006]: there is no command :rel-cardinl
             --> input:1:1
              |
            1 | :rel-cardinl R
              | ^^^^^^^^^^^^ not known
              |
              = help: did you mean :rel-cardinal?
        "#]],
        ),
        (
            "mec007",
            ":rel-cardinal",
            expect![[r#"
            error[mec007]: :rel-cardinal takes RELATION
             --> input:1:1
              |
            1 | :rel-cardinal
              | ^^^^^^^^^^^^^ something is missing
              |
              = help: `:help rel-cardinal` tells more
        "#]],
        ),
        (
            "mec008",
            ":set speed 3",
            expect![[r#"
                error[mec008]: there is no option speed
                 --> input:1:6
                  |
                1 | :set speed 3
                  |      ^^^^^ not known
                  |
                  = help: `:set` lists the options
            "#]],
        ),
        (
            "mec009",
            ":set print-limit none",
            expect![[r#"
            error[mec009]: none is no value of print-limit
             --> input:1:18
              |
            1 | :set print-limit none
              |                  ^^^^ not accepted
              |
              = help: print-limit takes a number from 1 up
        "#]],
        ),
        (
            "mec010",
            "R(s) := Stack1!sc(s);",
            expect![[r#"
                error[mec010]: Stack1!sc is not there yet
                 --> input:1:9
                  |
                1 | R(s) := Stack1!sc(s);
                  |         ^^^^^^^^^ planned
                  |
                  = help: use the configurations and transitions that satisfy the assertions: `c`, `t`
            "#]],
        ),
        (
            "mec011",
            ":ar-load missing.alt",
            expect![[r#"
            error[mec011]: cannot read missing.alt: not there
             --> input:1:10
              |
            1 | :ar-load missing.alt
              |          ^^^^^^^^^^^ cannot be loaded
        "#]],
        ),
        (
            "mec012",
            "R(s : Stack4!c) := true;",
            expect![[r#"
            error[mec012]: there is no node Stack4
             --> input:1:7
              |
            1 | R(s : Stack4!c) := true;
              |       ^^^^^^ not loaded
              |
              = help: the nodes are Stack1, Stack2, Stack3
        "#]],
        ),
        (
            "mec013",
            "Reach(x : bool) := x;\nR(x : bool) := Reech(x);",
            expect![[r#"
            error[mec013]: there is no relation Reech
             --> input:2:16
              |
            2 | R(x : bool) := Reech(x);
              |                ^^^^^ not defined
              |
              = help: did you mean Reach?
        "#]],
        ),
        (
            "mec014",
            "R(s : Stack1!c) := s.object = noo;",
            expect![[r#"
            error[mec014]: there is no noo
             --> input:1:31
              |
            1 | R(s : Stack1!c) := s.object = noo;
              |                               ^^^ not known
              |
              = help: did you mean no?
        "#]],
        ),
        (
            "mec015",
            "R(s : Stack1) := true;",
            expect![[r#"
            error[mec015]: there is no type Stack1
             --> input:1:7
              |
            1 | R(s : Stack1) := true;
              |       ^^^^^^ not declared
              |
              = help: Stack1 is a node: its configurations are `Stack1!c`, its events `Stack1!ev`
        "#]],
        ),
        (
            "mec016",
            "R(x : [3,1]) := true;",
            expect![[r#"
            error[mec016]: [3, 1] has no value
             --> input:1:7
              |
            1 | R(x : [3,1]) := true;
              |       ^^^^^ the first bound is the larger one
        "#]],
        ),
        (
            "mec017",
            "R(s : Stack1!c) := s.objet = a;",
            expect![[r#"
            error[mec017]: s : Stack1!c has no part objet
             --> input:1:22
              |
            1 | R(s : Stack1!c) := s.objet = a;
              |                      ^^^^^ not there
              |
              = help: its parts are object, isEmpty
        "#]],
        ),
        (
            "mec018",
            "R(x : bool[2], i : [0,1]) := x[i];",
            expect![[r#"
            error[mec018]: an index has to be a number
             --> input:1:32
              |
            1 | R(x : bool[2], i : [0,1]) := x[i];
              |                                ^ not a number
              |
              = help: use `case` to choose between the elements
        "#]],
        ),
        (
            "mec019",
            "R(e : Stack2!ev) := e = <pushT, Top.pull>;",
            expect![[r#"
            error[mec019]: Stack2!ev has no event Top.pull
             --> input:1:33
              |
            1 | R(e : Stack2!ev) := e = <pushT, Top.pull>;
              |                                 ^^^^^^^^ not there
              |
              = help: its events are eps, push, pop
        "#]],
        ),
        (
            "mec020",
            "R(x) := <y : bool>(y);",
            expect![[r#"
            error[mec020]: the type of x is not known
             --> input:1:3
              |
            1 | R(x) := <y : bool>(y);
              |   ^ no relation tells it
              |
              = help: write it, as in `x : [0,7]`
        "#]],
        ),
        (
            "mec021",
            "A(x : [0,1]) := true;\nB(x : [0,7]) := true;\nR(x) := A(x) & B(x);",
            expect![[r#"
            error[mec021]: x is used as [0, 1] and as [0, 7]
             --> input:3:18
              |
            3 | R(x) := A(x) & B(x);
              |           -      ^ one type here
              |           |
              |           another one here
              |
              = help: write the type of x where it is declared
        "#]],
        ),
        (
            "mec022",
            "R(x : bool, y : [0,1]) := x = y;",
            expect![[r#"
            error[mec022]: a formula cannot be compared with a number
             --> input:1:27
              |
            1 | R(x : bool, y : [0,1]) := x = y;
              |                           ^^^^^ different kinds
        "#]],
        ),
        (
            "mec023",
            "R(s) := Stack1!t(s);",
            expect![[r#"
                error[mec023]: Stack1!t has 3 parameters, not 1
                 --> input:1:9
                  |
                1 | R(s) := Stack1!t(s);
                  |         ^^^^^^^^ wrong number of arguments
                  |
                  = help: its type is Stack1!t: (Stack1!c, Stack1!ev, Stack1!c) -> bool
            "#]],
        ),
        (
            "mec024",
            "R(x : bool, x : bool) := true;",
            expect![[r#"
            error[mec024]: the variable x is declared twice
             --> input:1:13
              |
            1 | R(x : bool, x : bool) := true;
              |   -         ^ again here
              |   |
              |   first here
        "#]],
        ),
        (
            "mec025",
            "Stack1!good(s : Stack1!c) := true;",
            expect![[r#"
            error[mec025]: Stack1!good belongs to the node
             --> input:1:1
              |
            1 | Stack1!good(s : Stack1!c) := true;
              | ^^^^^^^^^^^ cannot be defined
              |
              = help: take another name; nodes have c, ev, init, reach, t
        "#]],
        ),
        (
            "mec026",
            "R(x : bool) := R(x);",
            expect![[r#"
            error[mec026]: R is defined by itself
             --> input:1:1
              |
            1 | R(x : bool) := R(x);
              | ^ `:=` cannot be recursive
              |
              = help: write `+=` for the least solution or `-=` for the greatest one
        "#]],
        ),
        (
            "mec027",
            "R(x : bool) += ~R(x);",
            expect![[r#"
                error[mec027]: R is used negatively while it is being solved
                 --> input:1:17
                  |
                1 | R(x : bool) += ~R(x);
                  |                 ^ under an odd number of negations
                  |
                  = help: a recursive relation may only be used positively: then a least and a greatest solution exist
            "#]],
        ),
        (
            "mec028",
            "R(x : {a, b}, y : {c}) := x = y;",
            expect![[r#"
            warning[mec028]: the two sides are never equal
             --> input:1:27
              |
            1 | R(x : {a, b}, y : {c}) := x = y;
              |                           ^^^^^ no value in common
              |
              = help: one is of {a, b}, the other of {c}
        "#]],
        ),
        (
            "mec029",
            "R(x : [0,1000], y : [0,1000]) := x * y = 12;",
            expect![[r#"
            error[mec029]: this computation has too many values, or too large ones
             --> input:1:34
              |
            1 | R(x : [0,1000], y : [0,1000]) := x * y = 12;
              |                                  ^^^^^ too large
              |
              = help: compare the parts one by one, or use smaller ranges
        "#]],
        ),
        (
            "mec030",
            "R(s) := Stack3!reach(s);",
            expect![[r#"
                error[mec030]: the time limit was reached
                 --> input:1:1
                  |
                1 | R(s) := Stack3!reach(s);
                  | ^^^^^^^^^^^^^^^^^^^^^^^^ given up here
                  |
                  = help: `--timeout` sets the limit, for every statement anew
            "#]],
        ),
        (
            "mec031",
            MANY,
            expect![[r#"
            error[mec031]: 1 more of these are not shown
             --> input:2:48
              |
            2 |      & n & n & n & n & n & n & n & n & n & n & n;
              |                                                ^ the next one is here
              |
              = help: repair the first ones; others often go with them
        "#]],
        ),
        (
            "mec032",
            ":ar-cegar-verify Stack1",
            expect![[r#"
                error[mec032]: Stack1 has no abstraction
                 --> input:1:18
                  |
                1 | :ar-cegar-verify Stack1
                  |                  ^^^^^^ nothing to refine
                  |
                  = help: `:ar-cegar-init Stack1 Stack1!init ERR` makes one; what a limit ended has to be made anew
            "#]],
        ),
        (
            "mec033",
            ":set cegar-use-super-transition\n:ar-cegar-init Stack2 Stack2!init Stack2!reach",
            expect![[r#"
                error[mec033]: super transitions are wrong for Stack2: its events have priorities
                  --> input:2:16
                   |
                 2 | :ar-cegar-init Stack2 Stack2!init Stack2!reach
                   |                ^^^^^^ cannot be abstracted in this way
                   |
                  ::: stack.alt:16:9
                   |
                16 |   event pushT < pushS; popS < popT;
                   |         ----- priorities are declared here
                   |
                   = help: `:set cegar-use-super-transition off`
            "#]],
        ),
        (
            "mec034",
            ":ar-cegar-init Stack1 Stack1!init Stack1!reach\n:ar-cegar-verify Stack1",
            expect![[r#"
                error[mec034]: internal error: the answer is not shown by its evidence: state 1 leads out of it
                 --> input:2:18
                  |
                2 | :ar-cegar-verify Stack1
                  |                  ^^^^^^ no answer is given
                  |
                  = help: this is a mistake of the program: please report it
            "#]],
        ),
    ]
}

/// What is said to a broken input.
fn refused(code: &str, text: &str) -> String {
    let mut shell = match code {
        "mec030" => shell().with_control(Control::new().with_timeout(Some(Duration::ZERO))),
        "mec034" => shell().rejecting("state 1 leads out of it"),
        _ => shell(),
    };
    let said = shell.say(text);
    let is_type = |line: &&str| !line.starts_with(' ') && line.ends_with("-> bool");
    said.lines().filter(|line| !is_type(line)).map(|line| format!("{line}\n")).collect()
}

#[test]
fn every_broken_input_is_told_what_is_wrong() {
    for (code, text, expected) in cases() {
        let said = refused(code, text);
        let codes = codes(&said);
        assert!(codes == [code] || code == "mec031" && codes.len() == 22, "{text}\n{said}");
        let last = said.rfind(&format!("[{code}]")).and_then(|at| said[..at].rfind('\n')).map_or(0, |at| at + 1);
        expected.assert_eq(&said[last..]);
    }
}

#[test]
fn every_code_has_a_broken_input() {
    let known: Vec<&str> = CODES.split('"').filter(|part| part.starts_with("mec")).collect();
    let broken: Vec<&str> = cases().iter().map(|(code, ..)| *code).collect();
    assert_eq!(known, broken);
    assert_eq!((known.len(), known.last()), (34, Some(&"mec034")));
}

#[test]
fn other_mistakes_have_the_code_of_their_kind() {
    let mut wrong = Vec::new();
    for (text, code) in [
        ("/* never closed", "mec001"),
        ("R := true /* never closed ;", "mec001"),
        ("R := 'open;", "mec001"),
        ("R := \u{e9};", "mec001"),
        ("begin end", "mec002"),
        ("R() := true;", "mec002"),
        ("R(x : bool) := x < x < x;", "mec002"),
        ("R(x : bool) = x;", "mec002"),
        ("R(x : bool) := <>(x);", "mec002"),
        ("R(x : bool) := [](x);", "mec002"),
        ("R := case { true : true };", "mec002"),
        ("with", "ach010"),
        ("R := 3 = 9223372036854775808;", "mec003"),
        ("domain D = [0,9223372036854775808];", "mec003"),
        ("begin R += true;", "mec002"),
        ("domain D = bool", "mec005"),
        (":", "mec006"),
        (":help nothing", "mec006"),
        (":quit now", "mec007"),
        (":rel-print R many", "mec007"),
        (":ar-info", "mec007"),
        (":set print-limit 0", "mec009"),
        (":set engine steam", "mec009"),
        ("R(s) := Stack1!st(s);", "mec010"),
        (":source missing.mec", "mec011"),
        (":ar-info Stack9", "mec012"),
        (":rel-cardinal Stack9!t", "mec012"),
        (":rel-cardinal nothing", "mec013"),
        (":rel-cardinal Stack1!nothing", "mec013"),
        ("R(x : bool) := Stack1!nothing(x);", "mec013"),
        ("R(x) := Nothing(x);", "mec013"),
        ("R(s : Stack1!t) := true;", "mec015"),
        ("R(x : bool[0]) := true;", "mec016"),
        ("R(x : bool[20000]) := true;", "mec016"),
        ("R(x : struct tcurts) := true;", "mec016"),
        ("R(x : [0,9000000]) := true;", "mec016"),
        ("R(x : bool[2]) := x[2];", "mec017"),
        ("R(x : bool) := x.f;", "mec017"),
        ("R(x : bool[2]) := x[0 + 1];", "mec018"),
        ("R(e : Stack2!ev) := e = <Side.push>;", "mec019"),
        ("begin R(x) += S(x); S(y) += R(y); end", "mec020 mec020"),
        ("R(x : [0,1]) := x;", "mec022"),
        ("R(x : bool) := x + 1 = 2;", "mec022"),
        ("R(x : {a}) := x < a;", "mec022 mec022"),
        ("R(x : [0,1]) := x = (if true then 1 else false);", "mec022"),
        ("R(s : Stack1!c) := s;", "mec022"),
        ("R(x : bool) := <push> = x;", "mec022"),
        ("domain D = struct s : Stack1!c; tcurts;", "mec022"),
        ("domain D = Stack1!ev[2];", "mec022"),
        ("R(x : bool) := R(x, x);", "mec023"),
        ("R(x : bool) := x & R;", "mec023"),
        ("R(x : {a, a}) := true;", "mec024"),
        ("domain D = struct f : bool; f : bool; tcurts;", "mec024"),
        ("begin R := true; R := false; end", "mec024"),
        ("R(e : Stack2!ev) := e = <Top.push, Top.pop>;", "mec024"),
        ("begin R := S; S := R; end", "mec026 mec026"),
        ("R(x : bool) -= R(x) => x;", "mec027"),
        ("R(x : bool) += R(x) <=> x;", "mec027"),
        ("R(x : bool) += R(x) = x;", "mec027"),
        ("R(x : bool) += if R(x) then x else true;", "mec027"),
        ("R(x : bool) += R(R(x));", "mec027"),
        ("begin R(x : bool) += ~S(x); S(x : bool) := R(x); end", "mec027"),
        ("R := <x : [0,1]>(x * 9223372036854775807 * 2 = 0);", "mec029"),
        ("R := -9223372036854775807 - 2 = 0;", "mec029"),
    ] {
        let found = shell().codes(text);
        if found.join(" ") != code {
            wrong.push((text, code, found));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn variables_without_bounds_are_refused_not_guessed() {
    let mut shell = shell();
    let said = shell.say(":ar-load int.alt\nR(s : Unbounded!c) := s.x = 3;");
    assert!(!codes(&said).is_empty() && shell.session.relation_names().count() == 0, "{said}");
}

#[test]
fn a_session_goes_on_after_a_limit() {
    let mut stopped = shell().with_control(Control::new().with_timeout(Some(Duration::ZERO)));
    assert_eq!(stopped.codes("R(s) := Stack3!reach(s);"), ["mec030"]);
    assert_eq!(stopped.session.outcome.n_stopped, 1);
    let mut shell = stopped.with_control(Control::new());
    shell.define("R(s) := Stack3!reach(s);");
    assert_eq!((shell.cardinal("R"), shell.cardinal("Stack3!t")), (15, 91));
}
