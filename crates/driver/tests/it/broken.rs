//! Broken files of the kinds that the driver itself reads: each code has its file and its rendering.
//!
//! `UPDATE_EXPECT=1` writes the renderings anew.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use lapidary_driver::{Exit, LoadError, LoadRequest, open_text};

fn folder(kind: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/broken").join(kind)
}

/// The inputs of a folder, in order of their names.
fn inputs(kind: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder(kind)).expect("the folder exists").map(|entry| entry.expect("readable").path());
    let is_input = |path: &PathBuf| path.extension().is_some_and(|suffix| suffix != "expected");
    let mut found: Vec<PathBuf> = entries.filter(is_input).collect();
    found.sort();
    found
}

/// Renders all diagnostics of a file under its bare name, and collects their codes.
fn render(path: &Path) -> (String, BTreeSet<&'static str>) {
    let name = path.file_name().and_then(|name| name.to_str()).expect("plain names").to_owned();
    let request = LoadRequest { path: name, ..LoadRequest::default() };
    let Err(error) = open_text(&request, fs::read(path).expect("readable")) else {
        panic!("{} is not broken", path.display())
    };
    let LoadError::Text { diagnostics, .. } = &error else { panic!("{} has no diagnostic", path.display()) };
    let codes = diagnostics.iter().map(|diagnostic| diagnostic.code).collect();
    (error.render() + "\n", codes)
}

fn check(kind: &str, codes: &[&str]) {
    let mut seen = BTreeSet::new();
    for path in inputs(kind) {
        let (rendering, found) = render(&path);
        let name = path.file_name().and_then(|name| name.to_str()).expect("plain names");
        let code = name.split('-').next().expect("names begin with a code");
        assert!(found.contains(code), "{name} gives {found:?}");
        seen.extend(found);
        let expected = path.with_extension("expected");
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            fs::write(&expected, &rendering).expect("renderings can be written");
        }
        assert_eq!(fs::read_to_string(&expected).unwrap_or_default(), rendering, "{}", expected.display());
    }
    for code in codes {
        assert!(seen.contains(code), "{code} has no file in corpus/broken/{kind}");
    }
}

#[test]
fn every_code_of_the_textual_form_has_its_file() {
    check("ir", &["ir001", "ir002", "ir003", "ir004", "ir005", "ir006", "ir007", "ir008"]);
}

/// What is good text and not supported is told apart from what is wrong.
#[test]
fn only_what_is_not_supported_ends_with_its_own_code() {
    let exit = |name: &str| {
        let text = fs::read(folder("cfa").join(name)).expect("readable");
        let request = LoadRequest { path: name.to_owned(), ..LoadRequest::default() };
        open_text(&request, text).map(|_| ()).map_err(|error| Exit::of_load_error(&error).code())
    };
    assert_eq!(exit("cfa040-unsupported.cfa"), Err(4));
    assert_eq!(exit("cfa030-type-mismatch.cfa"), Err(3));
}

#[test]
fn what_is_wrong_with_a_file_or_a_project_has_a_place_too() {
    let codes: Vec<String> = (1..=8).map(|number| format!("file{number:03}")).collect();
    check("file", &codes.iter().map(String::as_str).collect::<Vec<_>>());
}
