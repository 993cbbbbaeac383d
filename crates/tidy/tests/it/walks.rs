//! The walks of ARCHITECTURE.md, from bytes to a verdict, name functions that exist, in modules that exist.

use std::fs;
use std::path::PathBuf;

use lapidary_tidy::root;

const HEADING: &str = "## Three walks";
const SERVICE: &str = "## The service";
/// The languages whose models are followed, each under a heading of its own.
const WALKS: [&str; 3] = [".gcl", ".alt", ".spec"];
/// A walk of fewer steps leaves something out.
const LEAST_STEPS: usize = 8;

/// The part of the page that has the walks.
fn walks() -> String {
    let page = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let (_, after) = page.split_once(HEADING).unwrap_or_else(|| panic!("ARCHITECTURE.md has no section {HEADING}"));
    after.split("\n## ").next().unwrap_or_default().to_owned()
}

/// What stands between backquotes and is a path.
fn paths(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).filter(|code| code.contains("::")).collect()
}

/// The file of a module, `a/b.rs` or `a/b/mod.rs`; without a module that of the crate.
fn module(krate: &str, modules: &[&str]) -> Option<PathBuf> {
    let source = root().join("crates").join(krate).join("src");
    let Some((last, folders)) = modules.split_last() else { return Some(source.join("lib.rs")) };
    let folder = folders.iter().fold(source, |folder, part| folder.join(part));
    [folder.join(format!("{last}.rs")), folder.join(last).join("mod.rs")].into_iter().find(|path| path.exists())
}

fn is_type(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_uppercase())
}

/// Why there is no such function, if there is none.
fn missing(path: &str) -> Option<String> {
    let parts: Vec<&str> = path.split("::").collect();
    let (krate, rest) = parts.split_first()?;
    let (function, rest) = rest.split_last()?;
    let (of, modules) = match rest.split_last() {
        Some((last, modules)) if is_type(last) => (Some(*last), modules),
        _ => (None, rest),
    };
    let Some(file) = module(krate, modules) else { return Some(format!("{path}: there is no such module")) };
    let text = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let has = |word: &str| text.contains(&format!("fn {word}(")) || text.contains(&format!("fn {word}<"));
    if !has(function) {
        return Some(format!("{path}: {} has no function {function}", file.display()));
    }
    let is_known = |of: &str| {
        text.lines().any(|line| {
            let line = line.trim_start();
            let declares = line.starts_with("impl") || line.starts_with("pub trait") || line.starts_with("trait");
            declares && line.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == of)
        })
    };
    of.filter(|of| !is_known(of)).map(|of| format!("{path}: {} has no methods of {of}", file.display()))
}

#[test]
fn every_function_of_a_walk_exists() {
    let wrong: Vec<String> = paths(&walks()).into_iter().filter_map(missing).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_function_of_the_service_exists() {
    let page = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let (_, service) = page.split_once(SERVICE).unwrap_or_else(|| panic!("ARCHITECTURE.md has no section {SERVICE}"));
    let service = service.split("\n## ").next().unwrap_or_default();
    let named: Vec<&str> = paths(service).into_iter().filter(|path| !path.ends_with("Files")).collect();
    assert!(named.len() >= LEAST_STEPS, "{named:?}");
    let wrong: Vec<String> = named.into_iter().filter_map(missing).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn there_is_a_walk_for_every_shape_of_subject() {
    let walks = walks();
    let sections: Vec<&str> = walks.split("\n### ").skip(1).collect();
    assert_eq!(sections.len(), WALKS.len());
    for (walk, section) in WALKS.iter().zip(sections) {
        let heading = section.lines().next().unwrap_or_default();
        let file = heading.split([' ', '`']).find(|word| word.ends_with(walk));
        let file = file.unwrap_or_else(|| panic!("{heading} names no file with the suffix {walk}"));
        assert!(root().join("examples").join(file).exists(), "{file} is no model of the gallery");
        let numbered = |line: &&str| line.starts_with(|first: char| first.is_ascii_digit());
        let steps: Vec<&str> = section.lines().filter(numbered).collect();
        assert!(steps.len() >= LEAST_STEPS, "{walk} has {} steps", steps.len());
        for step in steps {
            assert!(!paths(step).is_empty(), "{walk}: {step} names no function");
        }
    }
}

#[test]
fn what_does_not_exist_is_noticed() {
    assert_eq!(missing("tidy::root"), None);
    assert!(missing("tidy::nothing").is_some_and(|why| why.contains("no function")));
    assert!(missing("tidy::nowhere::root").is_some_and(|why| why.contains("no such module")));
    assert!(missing("tidy::Nobody::root").is_some_and(|why| why.contains("no methods of Nobody")));
}
