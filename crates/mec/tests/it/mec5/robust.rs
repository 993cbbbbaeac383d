//! Damaged scripts and token soup: whatever is typed, the answer comes soon, and the session goes on.

use std::time::{Duration, Instant};

use lapidary_base::Control;
use lapidary_reference::dice::Dice;
use lapidary_reference::seeds;

use super::support::Shell;

/// Words and signs of the language, and some that it does not have.
const TOKENS: &str = "and or not true false bool if then else case struct tcurts domain begin end with do done imply
    != ! := += -= <=> => <= >= < > = & | ~ + - * ( ) [ ] { } , ; : . R S x y s e N!c N!ev N!t N!init N!reach N!sc
    0 1 2 99999999999999999999 push Top.push eps no a {a,b} [0,3] bool[2] <x> [x] <push> :rel-list :rel-print
    :rel-cardinal :ar-info :ar-load :set :help :source Stack2 Stack2!c Stack2!t(x,e,y) 'q' \" ' /* */ // @ \u{e9} # $ \\";

const SCRIPTS: [&str; 5] = [
    "P(s) += Stack2!init(s) | <x>(P(x) & <e>(Stack2!t(x, e, s)));\n:rel-cardinal P\n:rel-print P 3\n",
    "begin X(x : [0,3]) -= Y(x); Y(x : [0,3]) += <y>(E(x, y) & (y = 0 & X(y) | Y(y))); end\n",
    "domain D = struct f, g : [0,1]; h : {a, b}; tcurts;\nR(p : D, q : D) := p = q & p.f + q.g = 1 | p.h != a;\n",
    "R(e : Stack2!ev) := e = <pushT, Top.push> | e.Top = pop & e != eps;\n:rel-type R\n:rel-list // all\n",
    "R(x : [0,7], b) := if b then x * x > 5 else case { x = 1 : true, else x - 1 = 2 };\nwith Stack1 do show(any_s); done\n",
];

fn shell() -> Shell {
    let mut shell = Shell::new(&[("stack.alt", include_str!("stack.alt"))]);
    shell.define(":ar-load stack.alt");
    shell.define("E(x : [0,3], y : [0,3]) := y = x + 1;");
    shell.with_control(Control::new().with_timeout(Some(Duration::from_secs(600))))
}

/// Runs a text; afterwards the session still answers.
fn check(shell: &mut Shell, text: &str) {
    let started = Instant::now();
    shell.say(text);
    assert!(started.elapsed() < Duration::from_secs(10), "{text}");
    // What was typed may have left an option behind, never a broken session.
    shell.define(":set print-limit 5\n:set engine explicit");
    assert_eq!(shell.cardinal("Stack2!t"), 27, "{text}");
}

#[test]
fn token_soup_is_answered() {
    let tokens: Vec<&str> = TOKENS.split_whitespace().collect();
    let mut session = shell();
    for seed in seeds::of(0..1_000) {
        let mut dice = Dice::new(seed);
        let starts = ["", "R(x : [0,3]) := ", "begin R += ", "with Stack1 do ", "R(s : Stack2!c) += "];
        let mut soup = dice.pick(&starts).to_owned();
        for _ in 0..dice.below(40) {
            soup += dice.pick(&tokens);
            soup += dice.pick(&[" ", " ", " ", "", "\n"]);
        }
        check(&mut session, &soup);
        if seed.is_multiple_of(100) {
            session = shell();
        }
    }
}

/// A script with a few pieces dropped, doubled, swapped, or taken from another one.
fn damaged(dice: &mut Dice, script: &str) -> String {
    let cut = |text: &str| -> Vec<String> {
        text.split_inclusive([' ', '(', ')', '\n', ';', '.', ',']).map(str::to_owned).collect()
    };
    let mut pieces = cut(script);
    let others = cut(dice.pick(&SCRIPTS));
    for _ in 0..1 + dice.below(4) {
        let place = dice.below(pieces.len());
        match dice.below(6) {
            0 if pieces.len() > 1 => {
                pieces.remove(place);
            }
            1 => pieces.insert(place, pieces[place].clone()),
            2 => {
                let other = dice.below(pieces.len());
                pieces.swap(place, other);
            }
            3 => pieces[place] = dice.pick(&others),
            4 => {
                let letters: Vec<char> = pieces[place].chars().collect();
                let dropped = dice.below(letters.len());
                pieces[place] =
                    letters.iter().enumerate().filter(|(at, _)| *at != dropped).map(|(_, letter)| *letter).collect();
            }
            _ => pieces.truncate(place + 1),
        }
    }
    pieces.concat()
}

#[test]
fn damaged_scripts_are_answered() {
    let mut session = shell();
    for seed in seeds::of(0..1_200) {
        let mut dice = Dice::new(seed + 50_000);
        let script = dice.pick(&SCRIPTS);
        let text = damaged(&mut dice, script);
        check(&mut session, &text);
        if seed.is_multiple_of(100) {
            session = shell();
        }
    }
}

#[test]
fn little_memory_stops_a_computation_and_not_the_session() {
    let mut small = shell();
    small.session = lapidary_mec::mec5::Session::new(1 << 14, 1);
    // The sum of many squares needs a diagram that does not fit.
    let terms: Vec<String> = (0..8).map(|i| format!("x[{i}] * y[{i}]")).collect();
    let codes = small.codes(&format!("R(x : [0,7][8], y : [0,7][8]) := {} = 100;", terms.join(" + ")));
    assert!(codes == ["mec030"] || codes == ["mec029"], "{codes:?}");
    small.define("S := true;");
}

#[test]
fn deep_nesting_is_refused_whatever_nests() {
    let n = 300;
    let mut wrong = Vec::new();
    for (open, inner, close) in [
        ("(", "true", ")"),
        ("~", "true", ""),
        ("~(", "true", ")"),
        ("<x : bool>(", "x", ")"),
        ("[x : bool](", "x", ")"),
        ("if true then ", "true", " else true"),
        ("case { true : ", "true", ", else true }"),
        ("true => ", "true", ""),
        ("", "true", " <=> true"),
        ("(true & ", "true", ")"),
    ] {
        let text = format!("R := {}{inner}{};", open.repeat(n), close.repeat(n));
        let codes = shell().codes(&text);
        if codes != ["mec004"] {
            wrong.push((open, close, codes));
        }
    }
    for (open, inner, close) in [("-", "1", ""), ("1 + (", "1", ")"), ("", "1", " + 1"), ("", "1", " * 1")] {
        let codes = shell().codes(&format!("R := {}{inner}{} = 1;", open.repeat(n), close.repeat(n)));
        if codes != ["mec004"] {
            wrong.push((open, close, codes));
        }
    }
    for (open, inner, close) in [("struct f : ", "bool", "; tcurts"), ("", "bool", "[1]")] {
        let codes = shell().codes(&format!("domain D = {}{inner}{};", open.repeat(n), close.repeat(n)));
        if codes != ["mec004"] {
            wrong.push((open, close, codes));
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn chains_within_nests_are_as_deep_as_both_together() {
    let (mut sum, mut ty, mut path) = ("1".to_owned(), "bool".to_owned(), "x".to_owned());
    for _ in 0..100 {
        sum = format!("({sum}){}", " + 1".repeat(100));
        ty = format!("struct f : {ty}{}; tcurts", "[1]".repeat(100));
        path = format!("({path}){}", ".f".repeat(100));
    }
    let mut shell = shell();
    assert_eq!(shell.codes(&format!("R := {sum} = 1;")), ["mec004"]);
    assert_eq!(shell.codes(&format!("domain D = {ty};")), ["mec004"]);
    assert_eq!(shell.codes(&format!("R(x : bool) := {path};")), ["mec004"]);
}

#[test]
fn what_is_just_not_too_deep_is_answered() {
    let n = 150;
    let mut shell = shell();
    shell.define(&format!("R := {}true;", "~".repeat(n)));
    shell.define(&format!("R(x : [0,1]) := x{} = {n};", " + 1".repeat(n - 1)));
    shell.define(&format!("R := {}x{};", "<x : bool>(".repeat(n), ")".repeat(n)));
    shell.define(&format!("domain D = {}bool{};", "struct f : ".repeat(n), "; tcurts".repeat(n)));
    let fields = ".f".repeat(n);
    shell.define(&format!("R(x : D) := x{fields} & [y : D](y = x => y{fields} <=> x{fields});"));
    assert_eq!(shell.cardinal("R"), 1);
}

#[test]
fn long_scripts_take_time_in_proportion() {
    let time = |text: &str| {
        let once = || {
            let mut shell = Shell::new(&[]);
            let started = Instant::now();
            shell.say(text);
            started.elapsed()
        };
        (0..3).map(|_| once()).min().expect("three times")
    };
    for part in [
        "R := true;\n",
        ":help quit\n",
        "/* a */ ",
        "R := (",
        "begin ",
        "<x",
        "<x, ",
        "struct a : ",
        "x & ",
        "'a ",
        "@ ",
    ] {
        let text = |n: usize| part.repeat(n);
        let (short, long) = (time(&text(200)), time(&text(2_000)));
        assert!(long < short * 60 + Duration::from_millis(500), "{part}: {short:?} for 200, {long:?} for 2000");
    }
}
