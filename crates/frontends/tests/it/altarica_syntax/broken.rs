//! Broken models: every code of the syntax has its example, and how it is shown.

use std::fs;
use std::path::PathBuf;

use lapidary_frontends::altarica::codes;

use super::{read, root, show};

/// The first code that is not about syntax.
const FIRST_OF_MEANING: &str = "alt020";

fn files() -> Vec<PathBuf> {
    let entries = fs::read_dir(root().join("corpus/broken/alt")).expect("the broken models");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|suffix| suffix == "alt"));
    files.sort();
    files
}

fn code_of(path: &std::path::Path) -> String {
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    name.split('-').next().unwrap().to_owned()
}

#[test]
fn every_code_of_the_syntax_has_a_broken_file_with_its_rendering() {
    let update = std::env::var_os("UPDATE_EXPECT").is_some();
    let mut produced = Vec::new();
    for path in files().into_iter().filter(|path| *code_of(path) < *FIRST_OF_MEANING) {
        let text = fs::read_to_string(&path).unwrap();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let code = code_of(&path);
        let (_, diagnostics, sources) = read(&name, &text);
        assert!(diagnostics.has_errors(), "{name}");
        assert!(diagnostics.list.iter().any(|diagnostic| diagnostic.code == code), "{name} does not produce its code");
        assert!(codes::TABLE.iter().any(|(known, _)| *known == code), "{name} is named after no code");
        let shown = show(&diagnostics, &sources).trim_end().to_owned() + "\n";
        let expected = path.with_extension("expected");
        if update {
            fs::write(&expected, &shown).unwrap();
        }
        let known = fs::read_to_string(&expected).unwrap_or_default();
        assert_eq!(known, shown, "{name}: run with UPDATE_EXPECT=1 if the new rendering is better");
        produced.push(code);
    }
    let of_syntax = codes::TABLE.iter().map(|(code, _)| *code).filter(|code| *code < FIRST_OF_MEANING);
    let missing: Vec<&str> = of_syntax.filter(|code| !produced.iter().any(|found| found == code)).collect();
    assert_eq!(missing, [""; 0], "codes without a file in corpus/broken/alt");
}

#[test]
fn every_diagnostic_of_the_syntax_says_what_to_do() {
    for path in files().into_iter().filter(|path| *code_of(path) < *FIRST_OF_MEANING) {
        let (_, diagnostics, _) = read("m.alt", &fs::read_to_string(&path).unwrap());
        for diagnostic in &diagnostics.list {
            let is_plain = diagnostic.code == codes::UNEXPECTED;
            assert!(is_plain || diagnostic.help.is_some(), "{}: {}", path.display(), diagnostic.message);
        }
    }
}
