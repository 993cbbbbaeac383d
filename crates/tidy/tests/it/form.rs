//! Form: lengths, white space, and pages that must exist.

use std::fs;

use lapidary_tidy::{files, root};

const MAX_LINES: usize = 600;

#[test]
fn source_files_answer_one_question_each() {
    for path in files("crates", &[".rs"]) {
        let lines = fs::read_to_string(&path).expect("readable").lines().count();
        assert!(lines <= MAX_LINES, "{} has {lines} lines: it wants to be two files", path.display());
    }
}

#[test]
fn modules_begin_by_saying_what_they_are() {
    for path in files("crates", &[".rs"]) {
        let text = fs::read_to_string(&path).expect("readable");
        assert!(text.starts_with("//! "), "{} does not begin with a //! line", path.display());
    }
}

/// Every integration test that is a program of its own is linked with all libraries once more.
#[test]
fn a_crate_has_one_integration_test_binary() {
    for path in files("crates", &[".rs"]) {
        let path = path.strip_prefix(root()).expect("below the root").to_str().expect("plain names").to_owned();
        let parts: Vec<&str> = path.split('/').collect();
        if let ["crates", _, "tests", rest @ ..] = parts.as_slice() {
            assert_eq!(rest[0], "it", "{path}: move it below tests/it and name it in tests/it/main.rs");
        }
    }
}

#[test]
fn texts_have_no_stray_white_space() {
    for path in ["crates", "docs", "examples"].iter().flat_map(|folder| files(folder, &[".gcl", ".md", ".rs", ".toml"]))
    {
        let text = fs::read_to_string(&path).expect("readable");
        assert!(text.ends_with('\n') && !text.ends_with("\n\n"), "{}: one newline at the end", path.display());
        for (i, line) in text.lines().enumerate() {
            let is_source = path.extension().is_some_and(|suffix| suffix == "rs");
            let tidy = !line.ends_with([' ', '\t']) && !line.contains('\r') && (is_source || !line.contains('\t'));
            assert!(tidy, "{}:{}: stray white space", path.display(), i + 1);
        }
    }
}

#[test]
fn every_language_and_engine_has_its_page() {
    let languages = [
        "languages/gcl.md",
        "languages/cfa.md",
        "languages/altarica.md",
        "languages/acheck.md",
        "languages/mec5.md",
        "languages/mist.md",
        "languages/tts.md",
        "languages/pnml.md",
        "languages/lola.md",
        "languages/xsts.md",
    ];
    let engines = [
        "engines/auto.md",
        "engines/backward.md",
        "engines/bdd.md",
        "engines/bmc.md",
        "engines/cegar.md",
        "engines/explicit.md",
        "engines/forward.md",
        "engines/hierarchical.md",
        "engines/kinduction.md",
        "engines/lazy.md",
        "engines/matching.md",
        "engines/pcegar.md",
        "engines/solvers.md",
    ];
    let others = ["altarica.md", "coverability.md", "decisions.md", "benchmarks.md", "gallery.md"];
    for page in languages.iter().chain(&engines).chain(&others) {
        assert!(root().join("docs").join(page).exists(), "docs/{page} is missing");
    }
}

#[test]
fn the_gallery_page_names_every_example() {
    let page = fs::read_to_string(root().join("docs/gallery.md")).expect("docs/gallery.md");
    for path in files("examples", &[".gcl", ".lola", ".pnml", ".spec", ".tts"]) {
        let name = path.file_name().and_then(|name| name.to_str()).expect("plain names").to_owned();
        assert!(page.contains(&name), "docs/gallery.md does not mention {name}");
    }
}

#[test]
fn the_project_says_how_it_may_be_used_and_changed() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).expect("Cargo.toml");
    assert!(manifest.contains("license = \"Apache-2.0 OR MIT\""), "the two licences below");
    let readme = fs::read_to_string(root().join("README.md")).expect("README.md");
    for (page, words) in [
        ("LICENSE-APACHE", "Version 2.0, January 2004"),
        ("LICENSE-MIT", "Copyright (c) The Lapidary authors"),
        ("CHANGELOG.md", "## Unreleased"),
        ("CONTRIBUTING.md", "./x test"),
    ] {
        let text = fs::read_to_string(root().join(page)).unwrap_or_else(|error| panic!("{page}: {error}"));
        assert!(text.contains(words), "{page} does not say: {words}");
        assert!(readme.contains(&format!("({page})")), "README.md does not lead to {page}");
    }
}

/// Tests draw from `reference::dice`. What is shipped mixes numbers for itself, because it does not use what tests use.
#[test]
fn tests_throw_one_dice() {
    // Multipliers of splitmix and of Knuth's generator, and the first shift of Marsaglia's.
    let mixing = [concat!("bf58476d", "1ce4e5b9"), concat!("63641362", "23846793005"), concat!("^=self.0", "<<13")];
    let mut found = Vec::new();
    for path in files("crates", &[".rs"]) {
        let text = fs::read_to_string(&path).expect("readable").to_lowercase().replace(['_', ' '], "");
        if mixing.iter().any(|mixing| text.contains(mixing)) {
            found.push(path.strip_prefix(root().join("crates")).expect("below it").to_str().expect("plain").to_owned());
        }
    }
    let shipped = ["checker/src/budget.rs", "driver/src/simulate.rs", "engines/src/lazy/choose.rs"];
    assert_eq!(found, [&shipped[..], &["reference/src/dice.rs"]].concat(), "others take `reference::dice`");
}
