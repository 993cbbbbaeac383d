//! Damaged models and token soup: whatever is read, reading ends soon, with a tree or with diagnostics.

use lapidary_frontends::altarica::limits;
use lapidary_reference::dice::Dice;
use lapidary_reference::mutate;
use lapidary_reference::seeds;

use super::{EVERYTHING, print, read, show};

const SMALL: &str = "const N = 2; // é
node A state x : [0, N] : public; init x := 0; event up, down : public;
  trans x < N |- up -> x := x + 1; x > 0 |- down -> x := x - 1; edon
node Main sub a : A[N]; event tick; flow all : bool; assert all = (a[0].x = N and a[1].x = N);
  trans true |- tick -> ; sync <tick, a[0].up?, a[1].up?> >= 1; edon
";

/// Words and signs of the language, and some that it does not have.
const TOKENS: &str = "and assert bool case const domain edon else event extern false flow if imply init integer max
    min mod node not or param param_set sig sort state struct sub sync tcurts then trans true ? |- -> { } != <= >= <
    > = := | & => ; , . ( ) [ ] + - * ~ / x y N 'q' \"r s\" ' \" == && ! 3 3x 99999999999999999999 é # @ // /* */
    #define #ifdef #endif #else #undef #include \\ : : ; ; , x";

fn check(text: &str) {
    let (file, diagnostics, sources) = read("m.alt", text);
    assert!(diagnostics.list.len() <= limits::MAX_SHOWN + 1);
    show(&diagnostics, &sources);
    let printed = print::file(&file);
    if diagnostics.list.is_empty() {
        let (again, diagnostics, sources) = read("m.alt", &printed);
        assert!(diagnostics.list.is_empty(), "{text}\n{printed}\n{}", show(&diagnostics, &sources));
        assert_eq!(super::shape(&file), super::shape(&again), "{text}\n{printed}");
    }
}

#[test]
fn damaged_models_never_panic_and_good_ones_keep_their_shape() {
    for seed in seeds::of(0..800) {
        check(&mutate::mutate(SMALL, EVERYTHING, seed));
        check(&mutate::mutate(EVERYTHING, SMALL, seed));
    }
}

#[test]
fn every_way_to_cut_a_model_short_ends_well() {
    let words: Vec<&str> = EVERYTHING.split_inclusive([' ', '\n', ';', '(', '[']).collect();
    for i in 0..words.len() {
        check(&words[..i].concat());
        check(&[&words[..i], &words[i + 1..]].concat().concat());
        check(&[&words[..i], &["edon "], &words[i..]].concat().concat());
    }
}

#[test]
fn token_soup_never_panics() {
    let tokens: Vec<&str> = TOKENS.split_whitespace().collect();
    for seed in seeds::of(0..4_000) {
        let mut dice = Dice::new(seed);
        let n_tokens = dice.below(80);
        let mut soup = dice.pick(&["", "node A ", "node A assert ", "node A event "]).to_owned();
        for _ in 0..n_tokens {
            soup += dice.pick(&tokens);
            soup += dice.pick(&[" ", " ", "", "\n"]);
        }
        check(&soup);
    }
}

#[test]
fn long_texts_of_unfinished_things_are_read_to_their_end() {
    let repeated = [
        "node P\n",
        "node P edon\n",
        "edon ",
        "@ a\n",
        "'a\n",
        "struct a, b : ",
        "#ifdef X\n",
        "#else\n",
        "extern x; ",
        "extern ' <event ",
        "case { ",
        "const a, ",
        "event ",
        "3x ; ",
        "x[",
        "a.",
        "assert x := ; ",
        "sync <a, ",
        "trans x |- ",
        "/* ",
        "(x ? ",
    ];
    for head in ["", "node A ", "node A assert ", "node A state x : ", "const N = "] {
        for part in repeated {
            let (_, diagnostics, sources) = read("m.alt", &format!("{head}{}", part.repeat(20_000)));
            show(&diagnostics, &sources);
        }
    }
}
