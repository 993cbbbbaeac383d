//! One broken specification for every code of Acheck, and how it is shown; and damaged ones, which are all answered.

use std::time::{Duration, Instant};

use super::support::Case;
use expect_test::{Expect, expect};
use lapidary_mec::acheck::codes::TABLE;
use lapidary_reference::dice::Dice;
use lapidary_reference::seeds;

const MODEL: &str = "
node Part param p : [0,1]; state y : bool; init y := false; event set[2]; trans true |- set[p] -> y := true; edon
node N
  state x : [0,3]; init x := 0;
  event up, down;
  trans x < 3 |- up -> x := x + 1; x > 0 |- down -> x := x - 1;
  sub S : Part; param_set S.p := 1;
edon
";

/// A number of states whose guards, one after the other, are longer than any text may be.
fn long_names() -> String {
    let name = "x".repeat(400);
    format!("node N state {name} : [0,149]; {name}y : [0,149]; event e; trans true |- e -> {name} := 0; edon")
}

fn cases() -> Vec<(&'static str, String, Expect)> {
    let block = |text: &str| format!("with N do\n{text}\ndone");
    vec![
        (
            "ach001",
            block("a := any_s $ initial;"),
            expect![[r#"
            error[ach001]: `$` has no meaning here
             --> spec.spe:2:12
              |
            2 | a := any_s $ initial;
              |            ^ not part of the language
        "#]],
        ),
        (
            "ach002",
            block("a := any_s;") + " /* never closed",
            expect![[r#"
            error[ach002]: this comment is not closed
             --> spec.spe:3:6
              |
            3 | done /* never closed
              |      ^^ it reaches to the end of the text
              |
              = help: close it with `*/`; comments do not nest
        "#]],
        ),
        (
            "ach003",
            block("show(any_s) > 'file;"),
            expect![[r#"
            error[ach003]: this quoted text is not closed
             --> spec.spe:2:15
              |
            2 | show(any_s) > 'file;
              |               ^ it starts here
              |
              = help: close it on the same line with the same quote
            error[ach010]: expected a file name between quotes, found `file`
             --> spec.spe:2:16
              |
            2 | show(any_s) > 'file;
              |                ^^^^ here
        "#]],
        ),
        (
            "ach010",
            block("a = any_s;"),
            expect![[r#"
            error[ach010]: expected `:=`, `+=`, `-=` or `(`, found `=`
             --> spec.spe:2:3
              |
            2 | a = any_s;
              |   ^ here
        "#]],
        ),
        (
            "ach011",
            block("a := [x = 1;"),
            expect![[r#"
            error[ach011]: this formula is not closed
             --> spec.spe:2:6
              |
            2 | a := [x = 1;
              |      ^ it begins here
              |
              = help: close it with `]`
        "#]],
        ),
        (
            "ach012",
            "with N do\na := any_s;".to_owned(),
            expect![[r#"
            error[ach012]: this block is not closed
             --> spec.spe:1:1
              |
            1 | with N do
              | ^^^^ it begins here
              |
              = help: close it with `done`
        "#]],
        ),
        (
            "ach013",
            block(&format!("a :=\n{}\nany_s;", "~\n".repeat(201))),
            expect![[r#"
            error[ach013]: more than 200 levels of nesting
               --> spec.spe:203:1
                |
            203 | ~
                | ^ too deep
                |
                = help: give a name to an inner part with `:=`
        "#]],
        ),
        (
            "ach020",
            "with M do done".to_owned(),
            expect![[r#"
            error[ach020]: there is no node `M`
             --> spec.spe:1:6
              |
            1 | with M do done
              |      ^ not declared
              |
              = help: there is `N`, `Part`
        "#]],
        ),
        (
            "ach021",
            block("show(Any_s, x);"),
            expect![[r#"
            error[ach021]: `x` is not defined
             --> spec.spe:2:13
              |
            2 | show(Any_s, x);
              |             ^ no set of this name
              |
              = help: a formula over variables stands between brackets: `[x]`
        "#]],
        ),
        (
            "ach022",
            block("any_s := [x = 0];"),
            expect![[r#"
            error[ach022]: `any_s` has a fixed meaning
             --> spec.spe:2:1
              |
            2 | any_s := [x = 0];
              | ^^^^^ choose another name
        "#]],
        ),
        (
            "ach023",
            block("a := label set[1];"),
            expect![[r#"
            error[ach023]: `N` has no event `set[1]`
             --> spec.spe:2:12
              |
            2 | a := label set[1];
              |            ^^^^^^ unknown event
              |
              = help: there is `S.set[1]`
        "#]],
        ),
        (
            "ach024",
            block("project(any_s, (any_t, empty_t), 'A', true, T);"),
            expect![[r#"
            error[ach024]: `N` has no subnode `T`
             --> spec.spe:2:45
              |
            2 | project(any_s, (any_t, empty_t), 'A', true, T);
              |                                             ^ unknown subnode
              |
              = help: there is `S`
        "#]],
        ),
        (
            "ach025",
            block("draw(any_s);"),
            expect![[r#"
            error[ach025]: there is no command `draw`
             --> spec.spe:2:1
              |
            2 | draw(any_s);
              | ^^^^ unknown
              |
              = help: the commands are show, test, dot, dot-trace, modes, quot, project, remove, events
        "#]],
        ),
        (
            "ach030",
            block("a := src(any_s);"),
            expect![[r#"
            error[ach030]: this is a set of states, but a set of transitions is needed
             --> spec.spe:2:10
              |
            2 | a := src(any_s);
              |          ^^^^^ a set of states
              |
              = help: `rsrc(S)` and `rtgt(S)` are the transitions from and into states
        "#]],
        ),
        (
            "ach031",
            block("a += a;"),
            expect![[r#"
            error[ach031]: `a` may be a set of states or of transitions
             --> spec.spe:2:1
              |
            2 | a += a;
              | ^ nothing in its body decides
              |
              = help: intersect the body with `any_s` or with `any_t`
        "#]],
        ),
        (
            "ach032",
            block("a := reach(initial);"),
            expect![[r#"
            error[ach032]: `reach` takes 2 arguments, not 1
             --> spec.spe:2:6
              |
            2 | a := reach(initial);
              |      ^^^^^ here
              |
              = help: it takes a set of states, a set of transitions
        "#]],
        ),
        (
            "ach033",
            block("gml(any_s, any_t);"),
            expect![[r#"
            error[ach033]: the meaning of `gml` is not known
             --> spec.spe:2:1
              |
            2 | gml(any_s, any_t);
              | ^^^ not supported
              |
              = help: no answer is better than a wrong one: rewrite it with other operators
        "#]],
        ),
        (
            "ach040",
            block("a += any_s - a;"),
            expect![[r#"
            error[ach040]: the fixpoint `a` does not exist by iteration
             --> spec.spe:2:1
              |
            2 | a += any_s - a;
              | ^ round 2 loses elements, but the approximations should only grow
              |
              = help: use the name under an even number of `-` right sides and complements
        "#]],
        ),
        (
            "ach041",
            block("project(any_s, (any_t, empty_t), 'A', false);"),
            expect![[r#"
            error[ach041]: the result is too large to be written out
             --> spec.spe:2:1
              |
            2 | project(any_s, (any_t, empty_t), 'A', false);
              | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ a guard would be too long
              |
              = help: intersect the sets with smaller ones
        "#]],
        ),
        (
            "ach042",
            block("show(any_s) > 'forbidden/file';"),
            expect![[r#"
            error[ach042]: `forbidden/file` cannot be written
             --> spec.spe:2:15
              |
            2 | show(any_s) > 'forbidden/file';
              |               ^^^^^^^^^^^^^^^^ it is forbidden
        "#]],
        ),
        (
            "ach043",
            block("project(any_s, (any_t, empty_t), 'A', true, S);"),
            expect![[r#"
                error[ach043]: the text of node `Part` is not known
                 --> spec.spe:2:1
                  |
                2 | project(any_s, (any_t, empty_t), 'A', true, S);
                  | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ nothing can be projected on it
                  |
                  = help: its file has to be loaded, and the indexes of its events to be constants
            "#]],
        ),
        (
            "ach044",
            block("a := any_t;"),
            expect![[r#"
            error[ach044]: `a` is a set of transitions, but states are needed
             --> spec.spe:1:1
              |
            1 | with N do
              | ^ in this specification
        "#]],
        ),
        (
            "ach050",
            block("test(any_s, 1000000000000000000000000000000000000000);"),
            expect![[r#"
            error[ach050]: this number is too large
             --> spec.spe:2:13
              |
            2 | test(any_s, 1000000000000000000000000000000000000000);
              |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ it does not fit 128 bits
        "#]],
        ),
        (
            "ach051",
            block(&"a := b;\n".repeat(21)),
            expect![[r#"
            error[ach051]: 1 more of these are not shown
              --> spec.spe:22:6
               |
            22 | a := b;
               |      ^ the next one is here
               |
               = help: repair the first ones; others often go with them
        "#]],
        ),
    ]
}

fn refused(code: &str, script: &str) -> String {
    let model = if code == "ach041" { long_names() } else { MODEL.to_owned() };
    let case = Case::new(&model, script);
    if code == "ach044" {
        let failure = case.state_set("N", "a", super::support::ENGINES[0]).err().expect("a set of transitions");
        return case.failure(failure);
    }
    case.refused()
}

#[test]
fn what_was_probably_meant_is_told() {
    let helps = [
        ("dead := any_s; show(ded);", "did you mean `dead`?"),
        ("low := low | initial;", "a set that is defined by itself has `+=` or `-=`: the least or the greatest"),
        ("a := label dwn;", "did you mean `down`?"),
        ("a := label epsilon;", "`epsilon` alone is the set of transitions in which nothing happens"),
    ];
    for (body, help) in helps {
        let said = refused("ach021", &format!("with N do {body} done"));
        assert!(said.ends_with(&format!("= help: {help}\n")), "{body}\n{said}");
    }
    for (body, help) in
        [("low := [x = 0]; t := any_t;", "its sets of states are `low`"), ("", "it defines no set of states")]
    {
        let said = refused("ach044", &format!("with N do {body} done"));
        assert!(said.contains(help), "{body}\n{said}");
    }
}

#[test]
fn every_broken_specification_is_told_what_is_wrong() {
    for (code, script, expected) in cases() {
        let said = refused(code, &script);
        let start = said.rfind(&format!("error[{code}]"));
        let Some(start) = start else { panic!("{script}\n{said}") };
        // Where one mistake leads to others, they come before.
        expected.assert_eq(&said[start..]);
    }
}

#[test]
fn every_code_has_a_broken_specification() {
    let known: Vec<&str> = TABLE.iter().map(|(code, _)| *code).collect();
    let broken: Vec<&str> = cases().iter().map(|(code, ..)| *code).collect();
    assert_eq!(known, broken);
}

/// The codes of what is wrong with the statements of a block.
fn codes(statements: &str) -> Vec<String> {
    let said = Case::new(MODEL, &format!("with N do\n{statements}\ndone")).refused();
    said.lines().filter_map(|line| Some(line.strip_prefix("error[")?.split(']').next()?.to_owned())).collect()
}

#[test]
fn other_mistakes_have_the_code_of_their_kind() {
    let mut wrong = Vec::new();
    for (statements, code) in [
        ("a := any_s", "ach010"),
        ("a := ;", "ach010"),
        ("a := (any_s;", "ach010"),
        ("a := any_s |;", "ach010"),
        ("show any_s;", "ach010"),
        ("show(any_s) > file;", "ach010"),
        ("a := label;", "ach010"),
        ("a := label x[y];", "ach010"),
        ("a := [x = ];", "alt007"),
        ("a := [nothing = 1];", "alt020"),
        ("a := [x];", "alt030"),
        ("a := any_s | any_t;", "ach030"),
        ("a := any_t & initial;", "ach030"),
        ("a := ~label up | src(any_t);", "ach030"),
        ("a += src(a) & a;", "ach030"),
        ("a := rsrc(any_t);", "ach030"),
        ("dot(any_t, any_t);", "ach030"),
        ("dot(any_s, any_s);", "ach030"),
        ("project(any_s, (any_t, any_s), 'A', true, S);", "ach030"),
        ("a -= a | a;", "ach031"),
        ("show();", "ach032"),
        ("dot(any_s);", "ach032"),
        ("modes(any_s);", "ach032"),
        ("test(any_s, any_s);", "ach032"),
        ("test(any_s, 1, 2);", "ach032"),
        ("project(any_s, any_t, 'A', true, S);", "ach032"),
        ("project(any_s, (any_t, any_t, any_t), 'A', true, S);", "ach032"),
        ("project(any_s, (any_t, any_t), 'A', maybe, S);", "ach032"),
        ("project(any_s, (any_t, any_t), 'A');", "ach032"),
        ("remove(any_s | any_s);", "ach032"),
        ("show('text');", "ach032"),
        ("show(3);", "ach032"),
        ("a := trace(any_s, any_t);", "ach032"),
        ("remove(nothing);", "ach021"),
        ("remove(any_s);", "ach021"),
        ("a := walk(any_s);", "ach021"),
        ("a := src;", "ach021"),
        ("a := a;", "ach021"),
        ("src := any_s;", "ach022"),
        ("a := label S.nothing;", "ach023"),
        ("a -= src(rtgt(any_s - a));", "ach040"),
        ("t += any_t - t;", "ach040"),
        ("a := attribute hidden;", "ach033"),
    ] {
        let found = codes(statements);
        if found != [code] {
            wrong.push((statements, code, found));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn nothing_is_evaluated_before_everything_is_understood() {
    let case = Case::new(MODEL, "with N do show(any_s); a := nothing; done");
    let (kept, result) = case.run(super::support::ENGINES[0]);
    assert!(result.is_err() && kept.text.is_empty());
}

#[test]
fn a_wrong_definition_is_one_mistake_and_not_one_for_every_use() {
    assert_eq!(codes("a := label nothing; b := a & any_t; show(a, b);"), ["ach023"]);
}

/// Words and signs of the language, and some that it does not have.
const TOKENS: &str = "with do done label attribute and or not := += -= > >> ( ) [ ] , . ; - & | ~ any_s any_t empty_s
    empty_t initial self self_epsilon epsilon not_deterministic src tgt rsrc rtgt reach coreach trace loop unav pick
    proj_s proj_f show test dot dot-trace modes quot project remove events all true false N S up down S.set[1] x y a b t
    [x=1] [x>0] [S.y] 'f' \"g\" 0 1 99999999999999999999999999999999999999999 ? : { } != <= = + * / $ @ \u{e9} /* */ // ' \"";

const SCRIPTS: [&str; 3] = [
    "with N do a := [x > 1]; b += initial | tgt(rsrc(b) & label up); t := trace(initial, any_t, a); show(all); test(t, 2); done",
    "with N, N do g -= any_s - src(rtgt(any_s - g) & label down); dot(g, any_t - self) > '$NODENAME.dot'; events(); done",
    "with N do t := loop(any_t, any_t) & ~(label S.set | epsilon); u := unav(t, pick([x = 3])); quot(); modes(); remove(t); done",
];

fn check(script: &str) {
    let started = Instant::now();
    let case = Case::new(MODEL, script);
    for engine in super::support::ENGINES {
        if let (_, Err(failure)) = case.run(engine) {
            assert!(!case.failure(failure).is_empty(), "{script}");
        }
    }
    assert!(started.elapsed() < Duration::from_secs(10), "{script}");
}

#[test]
fn token_soup_is_answered() {
    let tokens: Vec<&str> = TOKENS.split_whitespace().collect();
    for seed in seeds::of(0..1_000) {
        let mut dice = Dice::new(seed);
        let starts = ["", "with N do ", "with N do a := ", "with N do t += ", "with N do show("];
        let mut soup = dice.pick(&starts).to_owned();
        for _ in 0..dice.below(30) {
            soup += dice.pick(&tokens);
            soup += dice.pick(&[" ", " ", " ", "", "\n"]);
        }
        soup += dice.pick(&["", "; done", "); done"]);
        check(&soup);
    }
}

/// A script with a few pieces dropped, doubled, swapped, or taken from another one.
fn damaged(dice: &mut Dice) -> String {
    let cut = |text: &str| -> Vec<String> {
        text.split_inclusive([' ', '(', ')', ';', '.', ',']).map(str::to_owned).collect()
    };
    let mut pieces = cut(dice.pick(&SCRIPTS));
    let others = cut(dice.pick(&SCRIPTS));
    for _ in 0..1 + dice.below(4) {
        let place = dice.below(pieces.len());
        match dice.below(5) {
            0 if pieces.len() > 1 => {
                pieces.remove(place);
            }
            1 => pieces.insert(place, pieces[place].clone()),
            2 => {
                let other = dice.below(pieces.len());
                pieces.swap(place, other);
            }
            3 => pieces[place] = dice.pick(&others),
            _ => pieces.truncate(place + 1),
        }
    }
    pieces.concat()
}

#[test]
fn damaged_specifications_are_answered() {
    for seed in seeds::of(0..1_200) {
        check(&damaged(&mut Dice::new(seed + 77)));
    }
}

#[test]
fn deep_nesting_is_refused_and_long_chains_are_not() {
    let nested = |open: &str, close: &str| format!("a := {}any_s{};", open.repeat(300), close.repeat(300));
    for (open, close) in
        [("(", ")"), ("~", ""), ("~(", ")"), ("src(rsrc(", "))"), ("any_s & (", ")"), ("any_s - (", ")")]
    {
        assert_eq!(codes(&nested(open, close)), ["ach013"], "{open}");
    }
    let chain = |sign: &str| vec!["any_s"; 5_000].join(sign);
    let script = format!(
        "with N do a := {}; b := {}; c := {}; test(a, 8); test(b, 8); test(c, 0); done",
        chain(" & "),
        chain(" | "),
        chain(" - ")
    );
    assert!(!Case::new(MODEL, &script).printed().contains("FAILED"));
}
