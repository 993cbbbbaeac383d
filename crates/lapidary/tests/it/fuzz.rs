//! 20,000 mutated and random texts: an answer where the text is valid, a diagnostic with a place where it is not,
//! and never an internal error, a signal or a hang.

use std::fs;
use std::time::Duration;

use crate::support::{Finished, finish, root, start};
use lapidary_reference::ast::Model;
use lapidary_reference::mutate;
use lapidary_reference::random::Shape;

const N_PER_TEST: u64 = 3_000;

fn gallery() -> Vec<String> {
    texts("examples", "gcl")
}

/// The texts of a folder whose names end like this.
fn texts(folder: &str, suffix: &str) -> Vec<String> {
    let mut paths: Vec<_> = fs::read_dir(root().join(folder))
        .expect("the folder exists")
        .map(|entry| entry.expect("readable").path())
        .collect();
    paths.sort();
    paths.iter().filter(|path| path.extension().is_some_and(|found| found == suffix)).map(read).collect()
}

fn read(path: &std::path::PathBuf) -> String {
    fs::read_to_string(path).expect("examples are texts")
}

fn check(path: &str, extra: &[&str]) -> Finished {
    let fixed = ["check", path, "--timeout", "60ms", "--memory", "2G", "--progress", "none", "-q"];
    let args: Vec<&str> = fixed.iter().chain(extra).copied().collect();
    finish(start(&args), Duration::from_secs(20))
}

/// `name:line:column` stands somewhere in the text.
fn names_a_place(text: &str, path: &str) -> bool {
    text.match_indices(path).any(|(at, _)| {
        let mut rest = text[at + path.len()..].split(|c: char| c != ':' && !c.is_ascii_digit());
        let place = rest.next().unwrap_or("");
        let numbers: Vec<&str> = place.split(':').filter(|number| !number.is_empty()).collect();
        numbers.len() >= 2
    })
}

fn judge(seed: u64, text: &str, path: &str) {
    let found = check(path, &[]);
    let shown = || format!("seed {seed}, exit {:?}\n{}\n{}\n--- text\n{text}", found.code, found.stdout, found.stderr);
    match found.code {
        Some(0 | 4 | 10 | 30) => assert!(found.stdout.contains("summary:"), "{}", shown()),
        Some(3) => assert!(names_a_place(&found.stderr, path), "{}", shown()),
        // A valid model without a property: ask for the implicit one.
        Some(2) => {
            let implicit = if path.ends_with(".alt") { "deadlock_free" } else { "no_errors" };
            let again = check(path, &["-p", implicit]);
            assert!(matches!(again.code, Some(0 | 10 | 30 | 4)), "{}\n{again:?}", shown());
        }
        _ => panic!("{}", shown()),
    }
}

/// Writes each text to a file of its own name and judges what the program says about it.
fn judge_all(name: &str, make: impl Fn(u64) -> String) {
    judge_files(name, "input.gcl", N_PER_TEST, make);
}

fn judge_files(name: &str, file: &str, n: u64, make: impl Fn(u64) -> String) {
    let folder = std::env::temp_dir().join(format!("lapidary-fuzz-{name}-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder for the inputs");
    let path = folder.join(file);
    let path = path.to_str().expect("plain paths");
    for seed in 0..n {
        let text = make(seed);
        fs::write(path, &text).expect("inputs can be written");
        judge(seed, &text, path);
    }
    fs::remove_dir_all(&folder).expect("the folder can be removed");
}

fn mutated_gallery(seed: u64) -> String {
    let texts = gallery();
    let pick = |n: u64| &texts[(n % texts.len() as u64) as usize];
    mutate::mutate(pick(seed), pick(seed / 7 + 3), seed)
}

fn mutated_model(seed: u64) -> String {
    let text = |seed: u64| Model::random(seed, &Shape::default()).to_gcl(seed);
    mutate::mutate(&text(seed), &text(seed + 1), seed)
}

#[test]
fn mutated_gallery_models_are_answered_or_diagnosed() {
    judge_all("gallery", mutated_gallery);
}

#[test]
fn more_mutated_gallery_models_are_answered_or_diagnosed() {
    judge_all("gallery-more", |seed| mutated_gallery(seed + 1_000_000));
}

#[test]
fn twice_mutated_gallery_models_are_answered_or_diagnosed() {
    judge_all("gallery-twice", |seed| mutate::mutate(&mutated_gallery(seed), "", seed + 5));
}

#[test]
fn mutated_random_models_are_answered_or_diagnosed() {
    judge_all("random", mutated_model);
}

#[test]
fn token_soup_is_diagnosed() {
    judge_all("soup", mutate::garbage);
}

fn mutated_hierarchy(seed: u64) -> String {
    let mut known = texts("examples", "alt");
    known.extend(texts("corpus/altarica", "alt"));
    let random = |seed: u64| lapidary_reference::altarica::hierarchy(seed, &Default::default()).text;
    let pick = |n: u64| match n % 3 {
        0 => random(n),
        _ => known[(n % known.len() as u64) as usize].clone(),
    };
    mutate::mutate(&pick(seed), &pick(seed / 5 + 1), seed)
}

#[test]
fn mutated_hierarchies_are_answered_or_diagnosed() {
    judge_files("hierarchies", "input.alt", N_PER_TEST / 2, mutated_hierarchy);
}

#[test]
fn twice_mutated_hierarchies_are_answered_or_diagnosed() {
    let again = |seed: u64| mutate::mutate(&mutated_hierarchy(seed + 1_000_000), "", seed + 9);
    judge_files("hierarchies-twice", "input.alt", N_PER_TEST / 2, again);
}
