//! Printing and parsing are inverse to each other, and no text makes the parser panic.

use expect_test::expect;
use lapidary_base::{Control, Stop};
use lapidary_ir::{Command, Model, Statement, parse, print, same::same, validate::validate};
use lapidary_reference::dice::Dice;
use lapidary_text::Sources;
use lapidary_text::diagnostic::{Style, render};

use crate::random::Kinds;

fn read(text: &str) -> Result<Model, String> {
    let mut sources = Sources::default();
    let id = sources.add("m.lir", text);
    let (model, diagnostics) = parse::parse(&sources, id);
    let rendered = || diagnostics.list.iter().map(|found| render(found, &sources, Style::Plain)).collect::<String>();
    model.ok_or_else(rendered)
}

#[test]
fn random_models_come_back_as_they_were() {
    let (mut n_definitions, mut n_loops, mut n_scopes) = (0, 0, 0);
    for seed in 0..500 {
        let model = crate::random::model(seed);
        assert_eq!(validate(&model), Ok(()), "seed {seed}");
        let text = print::model(&model);
        let again = read(&text).unwrap_or_else(|error| panic!("seed {seed}\n{text}\n{error}"));
        assert_eq!(same(&model, &again), Ok(()), "seed {seed}\n{text}");
        assert_eq!(print::model(&again), text, "seed {seed}");
        n_definitions += text.matches("\nlet $").count();
        n_loops += text.matches(" while ").count();
        n_scopes += text.matches(" scope ").count();
    }
    assert!(n_loops > 100 && n_scopes > 100, "only {n_loops} loops and {n_scopes} scopes were among them");
    assert!(n_definitions > 100, "only {n_definitions} shared expressions were among them");
}

#[test]
fn bit_vectors_and_arrays_come_back_as_they_were() {
    let (mut n_functions, mut n_wide, mut n_arrays) = (0, 0, 0);
    for seed in 0..500 {
        let model = crate::random::model_with(seed, Kinds::Words);
        assert_eq!(validate(&model), Ok(()), "seed {seed}");
        let text = print::model(&model);
        let again = read(&text).unwrap_or_else(|error| panic!("seed {seed}\n{text}\n{error}"));
        assert_eq!(same(&model, &again), Ok(()), "seed {seed}\n{text}");
        assert_eq!(same(&again, &model), Ok(()), "seed {seed}\n{text}");
        assert_eq!(print::model(&again), text, "seed {seed}");
        n_functions += text.matches("@bv").count();
        n_wide += text.matches(" : @bits[6").count();
        n_arrays += text.matches("@value").count();
    }
    assert!(n_functions > 500 && n_wide > 30 && n_arrays > 100, "{n_functions} {n_wide} {n_arrays}");
}

#[test]
fn models_with_other_constants_are_told_apart() {
    let text = |constants: &str| format!("model m; var a : @array(@bits[70] -> int); init a = {constants};");
    let values = [
        "@value(@bits[70] -> int)(0)",
        "@value(@bits[70] -> int)(1)",
        "@value(@bits[70] -> int)(0; 1: 1)",
        "@value(@bits[70] -> int)(0; 1180591620717411303423: 1)",
        "@fill(@bits[70] -> int)(0)",
    ];
    let models = values.map(|value| read(&text(value)).expect("it is sound"));
    for (i, a) in models.iter().enumerate() {
        for (j, b) in models.iter().enumerate() {
            assert_eq!(same(a, b).is_ok(), i == j, "{} and {}", values[i], values[j]);
        }
    }
}

#[test]
fn different_models_are_told_apart() {
    let texts: Vec<String> = (0..200).map(|seed| print::model(&crate::random::model(seed))).collect();
    for (i, a) in texts.iter().enumerate().step_by(7) {
        for (j, b) in texts.iter().enumerate() {
            let verdict = same(&crate::random::model(i as u64), &crate::random::model(j as u64));
            assert_eq!(verdict.is_ok(), a == b, "seeds {i} and {j}: {verdict:?}");
        }
    }
}

#[test]
fn damaged_texts_never_make_the_parser_panic() {
    for seed in 0..300 {
        let mut dice = Dice::new(seed ^ 0xdead);
        let mut text: Vec<char> = print::model(&crate::random::model(seed)).chars().collect();
        for _ in 0..1 + dice.below(6) {
            let at = dice.below(text.len());
            match dice.below(4) {
                0 => drop(text.remove(at)),
                1 => text.insert(at, ['"', '(', '}', '\\', '$', 'é', '-', ';'][dice.below(8)]),
                2 => text[at] = text[dice.below(text.len())],
                _ => text.truncate(at.max(10)),
            }
        }
        let text: String = text.into_iter().collect();
        if let Ok(model) = read(&text) {
            assert_eq!(validate(&model), Ok(()));
            let again = read(&print::model(&model)).expect("what was read can be printed and read again");
            assert_eq!(same(&model, &again), Ok(()));
        }
    }
}

#[test]
fn the_example_of_the_documentation_is_in_the_printed_form() {
    let page = include_str!("../../../../docs/ir.md");
    let (_, rest) = page.split_once("```lir\n").expect("the page has an example");
    let (example, _) = rest.split_once("```").expect("the example ends");
    let model = read(example).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(print::model(&model), example);
}

#[test]
fn long_shared_parts_are_defined_before_the_item_that_uses_them() {
    let long = (0..12).map(|i| format!("x * {i}")).collect::<Vec<_>>().join(" + ");
    let text = format!("model m; var x : int; let $7 = {long};\ncommand c: x := if 0 < $7 then $7 else x;");
    let printed = print::model(&read(&text).expect("a sound text"));
    expect![[r#"
        model m;

        var x : int;

        let $0 = x * 0 + x * 1 + x * 2 + x * 3 + x * 4 + x * 5 + x * 6 + x * 7 + x * 8 + x * 9 + x * 10 + x * 11;
        command c:
          x := if 0 < $0 then $0 else x;
    "#]]
    .assert_eq(&printed);
}

/// A model of so many commands that are guarded by one long condition, each with a part of its own.
fn repetitive(n_commands: usize, n_parts: i64) -> Model {
    let mut model = read("model m; var x : 0..9; command c: x := x;").expect("a sound text");
    let exprs = model.exprs.clone();
    let x = exprs.var(model.vars.ids().next().expect("a variable"));
    let part = |i: i64| exprs.lt(exprs.mul(x, exprs.int(i)), exprs.int(i * i + 7));
    let long = exprs.or((0..n_parts).map(part));
    let command = model.commands.iter().next().expect("a command").clone();
    model.commands = (0..n_commands)
        .map(|i| {
            let own = exprs.and([exprs.le(x, exprs.int(i as i64)), exprs.not(long)]);
            Command { body: Statement::Assume(own), label: format!("c{i}"), ..command.clone() }
        })
        .collect();
    model
}

#[test]
fn commands_that_repeat_too_much_share_it() {
    let model = repetitive(1000, 1000);
    let text = print::model(&model);
    assert!(text.len() < 200_000, "{} bytes, where each part that is shared is written once", text.len());
    let again = read(&text).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(same(&model, &again), Ok(()));
    assert_eq!(print::model(&again), text);
}

/// The same guard of many commands has a name of its own, too.
#[test]
fn whole_expressions_that_repeat_too_much_are_shared() {
    let mut model = repetitive(1000, 1000);
    let first = model.commands.iter().next().expect("a command").body.clone();
    model.commands.iter_mut().for_each(|command| command.body = first.clone());
    let text = print::model(&model);
    assert!(text.len() < 150_000, "{} bytes", text.len());
    assert_eq!(text.matches("  assume $1;").count() + text.matches("  assume $0;").count(), 1000);
    assert_eq!(same(&model, &read(&text).unwrap_or_else(|error| panic!("{error}"))), Ok(()));
}

#[test]
fn commands_that_repeat_little_are_written_apart() {
    let text = print::model(&repetitive(10, 1000));
    assert!(!text.contains("let") && text.matches("x * 999 < ").count() == 10, "{text}");
}

#[test]
fn a_limit_ends_the_writing() {
    let control = Control::new();
    control.cancel();
    assert_eq!(print::model_within(&repetitive(1000, 1000), &control), Err(Stop::Interrupted));
}
