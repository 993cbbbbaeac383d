//! The mistakes of beginners: ten in each language, each with a place, a reason and advice that works when it is
//! followed. [`cli`](super::cli) runs the transcripts; here it is their shape that is looked at, so that none of them
//! loses what it is there to show.

use std::fs;
use std::path::Path;

const LANGUAGES: [&str; 4] = ["gcl", "alt", "spec", "pnml"];

const MISTAKES: [&str; 10] = [
    "typo",
    "missing separator",
    "wrong type",
    "wrong suffix",
    "misspelt property",
    "no property",
    "unreachable target",
    "deadlock",
    "value outside its domain",
    "unbounded data",
];

/// A command and what it prints, exit code included.
struct Run {
    command: String,
    output: String,
}

struct Mistake {
    name: String,
    runs: Vec<Run>,
}

fn mistakes(language: &str) -> Vec<Mistake> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/cmd/mistakes/{language}.trycmd"));
    let text = fs::read_to_string(path).expect("the transcript is there");
    let section = |section: &str| {
        let (name, rest) = section.split_once('\n').expect("a heading has a line");
        let console = rest.split("```").nth(1).expect("a section has commands");
        let runs = console.split("\n$ ").skip(1).map(|run| {
            let (command, output) = run.split_once('\n').expect("something is printed");
            Run { command: command.to_owned(), output: output.to_owned() }
        });
        Mistake { name: name.trim().to_owned(), runs: runs.collect() }
    };
    text.split("\n## ").skip(1).map(section).collect()
}

/// The commands that an output proposes, without what is said about them.
fn proposed(output: &str) -> Vec<&str> {
    let commands = output.lines().map(|line| line.trim_start().trim_start_matches("next: "));
    let commands = commands.filter(|line| line.starts_with("lapidary "));
    commands.map(|line| line.split("  ").next().unwrap_or(line)).collect()
}

fn check(language: &str, mistake: &Mistake) {
    let [wrong, mended, others @ ..] = &mistake.runs[..] else { panic!("{language}: {} has two runs", mistake.name) };
    let has = |part: &str| assert!(wrong.output.contains(part), "{}: no {part:?} in\n{}", wrong.command, wrong.output);
    let is_wrong = |line: &str| line.starts_with("error[") || line.starts_with("error:");
    assert!(!mended.output.lines().any(is_wrong), "{}:\n{}", mended.command, mended.output);
    assert_ne!(wrong.output, mended.output, "{language}: {}", mistake.name);
    match (mistake.name.as_str(), language) {
        ("no property", _) => {
            assert_eq!(proposed(&wrong.output).len(), 3, "{}", wrong.output);
            assert!(proposed(&wrong.output).contains(&mended.command.as_str()), "{} is proposed", mended.command);
        }
        ("unreachable target", _) => {
            has(" no reachable state satisfies it: ");
            has(" = violated ");
            let walk = wrong.command.split(" -p ").next().unwrap_or("").replace("check", "simulate") + " -i";
            assert_eq!(proposed(&wrong.output), [walk], "{}", wrong.output);
            assert!(mended.output.contains(" = holds "), "{}", mended.output);
        }
        // There are two ways out.
        ("deadlock", _) => {
            has("counterexample: ");
            has(" help: ");
            has(" = violated ");
            assert_eq!(others.len(), 1, "{language}");
            for way in [mended, &others[0]] {
                assert!(way.output.contains(" = holds "), "{}", way.output);
            }
        }
        ("unbounded data", "gcl" | "spec" | "pnml") => {
            has(" (line ");
            assert_eq!(proposed(&wrong.output), [mended.command.as_str()], "{}", wrong.output);
        }
        _ => {
            has(" --> ");
            has(" = help: ");
            assert_eq!(wrong.output.matches("error[").count(), 1, "one mistake is one error\n{}", wrong.output);
        }
    }
}

#[test]
fn every_mistake_has_its_place_its_reason_and_advice_that_works() {
    for language in LANGUAGES {
        let found = mistakes(language);
        assert_eq!(found.iter().map(|mistake| mistake.name.as_str()).collect::<Vec<_>>(), MISTAKES, "{language}");
        found.iter().for_each(|mistake| check(language, mistake));
    }
}
