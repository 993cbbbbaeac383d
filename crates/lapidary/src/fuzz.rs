//! 21,000 damaged and random texts through the command `check`, in this process: an answer where the text is valid, a
//! diagnostic with a place where it is not, and never an internal error or a hang. `tests/it/fuzz.rs` starts the program.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use lapidary_base::threads::DEEP_STACK;
use lapidary_reference::damaged::{FAMILIES, Family};
use lapidary_reference::seeds;

use crate::commands::tests::{Finished, finished};

/// Of a hang: a busy machine may take its time for an answer.
const DEADLINE: Duration = Duration::from_secs(60);

/// What an engine gets for a text that is a model after all: few of them need more, and those would take any time.
fn time() -> &'static str {
    if std::env::var("LAPIDARY_SEEDS").is_ok_and(|seeds| seeds == "all") { "60ms" } else { "30ms" }
}

fn check(path: &str, extra: &[&str]) -> Finished {
    let fixed = ["check", path, "--timeout", time(), "--memory", "2G", "--progress", "none", "-q"];
    finished(&[&fixed, extra].concat())
}

/// `name:line:column` stands somewhere in the text.
fn names_a_place(text: &str, path: &str) -> bool {
    text.match_indices(path).any(|(at, _)| {
        let mut rest = text[at + path.len()..].split(|c: char| c != ':' && !c.is_ascii_digit());
        let place = rest.next().unwrap_or("");
        place.split(':').filter(|number| !number.is_empty()).count() >= 2
    })
}

fn judge(text: &str, path: &str) {
    let found = check(path, &[]);
    let shown = || format!("exit {}\n{}\n{}\n--- text\n{text}", found.exit.code(), found.out, found.err);
    match found.exit.code() {
        // The limit may be reached while the text is read.
        30 if found.err.contains("limit was reached before the model") => {}
        // What stands in the model itself and is not supported leaves nothing to answer.
        4 if !found.out.contains("summary:") => assert!(names_a_place(&found.err, path), "{}", shown()),
        0 | 4 | 10 | 30 => assert!(found.out.contains("summary:"), "{}", shown()),
        3 => assert!(names_a_place(&found.err, path), "{}", shown()),
        // A valid model without a property: ask for the implicit one.
        2 => {
            let implicit = if path.ends_with(".gcl") { "no_errors" } else { "deadlock_free" };
            let again = check(path, &["-p", implicit]);
            assert!(matches!(again.exit.code(), 0 | 4 | 10 | 30), "{}\n{}\n{}", shown(), again.out, again.err);
        }
        _ => panic!("{}", shown()),
    }
}

/// A file of its own for every test.
fn place(family: &Family) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("lapidary-fuzz-{}-{}", family.name, std::process::id()));
    fs::create_dir_all(&folder).expect("a folder for the inputs");
    folder.join("input").with_extension(family.suffix)
}

/// Judges one text after the other on the stack that the program has, and waits for each no longer than it may take.
fn judge_all(name: &str, n: u64) {
    let family = FAMILIES.iter().find(|family| family.name == name).expect("a family");
    let path = place(family);
    let (begin, begun) = mpsc::channel();
    let input = path.clone();
    let work = move || {
        for seed in seeds::of(0..n) {
            begin.send(seed).expect("somebody waits");
            let text = (family.text)(seed);
            fs::write(&input, &text).expect("inputs can be written");
            judge(&text, input.to_str().expect("plain paths"));
        }
    };
    let worker = thread::Builder::new().stack_size(DEEP_STACK).spawn(work).expect("a thread");
    let mut last = None;
    loop {
        match begun.recv_timeout(DEADLINE) {
            Ok(seed) => last = Some(seed),
            Err(mpsc::RecvTimeoutError::Disconnected) => break,
            Err(mpsc::RecvTimeoutError::Timeout) => panic!("{name}: seed {last:?} takes too long"),
        }
    }
    assert!(worker.join().is_ok(), "{name}: seed {last:?}; the text is in {}", path.display());
    fs::remove_dir_all(path.parent().unwrap_or(Path::new(""))).expect("the folder can be removed");
}

#[test]
fn mutated_gallery_models_are_answered_or_diagnosed() {
    judge_all("gallery", 3_000);
}

#[test]
fn more_mutated_gallery_models_are_answered_or_diagnosed() {
    judge_all("gallery-more", 3_000);
}

#[test]
fn twice_mutated_gallery_models_are_answered_or_diagnosed() {
    judge_all("gallery-twice", 3_000);
}

#[test]
fn mutated_random_models_are_answered_or_diagnosed() {
    judge_all("random", 3_000);
}

#[test]
fn token_soup_is_diagnosed() {
    judge_all("soup", 3_000);
}

#[test]
fn mutated_hierarchies_are_answered_or_diagnosed() {
    judge_all("hierarchies", 1_500);
}

#[test]
fn twice_mutated_hierarchies_are_answered_or_diagnosed() {
    judge_all("hierarchies-twice", 1_500);
}

#[test]
fn mutated_automata_are_answered_or_diagnosed() {
    judge_all("automata", 1_500);
}

#[test]
fn mutated_systems_are_answered_or_diagnosed() {
    judge_all("systems", 1_500);
}
