//! One place looks at the file system for the models of a request: whoever asks decides where files are.

use std::fs;

use lapidary_tidy::{files, root};

/// The crates that answer requests.
const CRATES: [&str; 12] =
    ["base", "text", "ir", "verdict", "bdd", "smt", "system", "engines", "frontends", "checker", "mec", "driver"];

/// The files of models.
const PLACE: &str = "crates/driver/src/files/disk.rs";

/// What is asked of the machine, and not of the files of a request: its memory, and which programs it has.
const OF_THE_MACHINE: [&str; 2] = ["crates/base/src/memory.rs", "crates/smt/src/backend/command.rs"];

/// How a file system is asked.
const WORDS: [&str; 16] = [
    "std::fs",
    "fs::",
    "File::",
    "OpenOptions",
    ".exists()",
    ".try_exists()",
    ".canonicalize()",
    ".is_dir()",
    ".is_file()",
    ".metadata()",
    ".symlink_metadata()",
    ".read_dir()",
    ".read_link()",
    "current_dir()",
    "temp_dir()",
    "io::stdin",
];

/// Tests may look at files: those of a crate, and those at the end of a file.
fn is_of_tests(path: &str) -> bool {
    path.contains("/tests/") || path.ends_with("tests.rs")
}

fn without_tests(text: &str) -> &str {
    let end = text.find("#[cfg(test)]\nmod tests {").unwrap_or(text.len());
    &text[..end]
}

#[test]
fn only_one_place_looks_at_the_file_system() {
    let mut n_read = 0;
    for path in CRATES.iter().flat_map(|name| files(&format!("crates/{name}/src"), &[".rs"])) {
        let name = path.strip_prefix(root()).expect("below the root").to_str().expect("plain names").to_owned();
        if is_of_tests(&name) || OF_THE_MACHINE.contains(&name.as_str()) {
            continue;
        }
        let text = fs::read_to_string(&path).expect("readable");
        let text = without_tests(&text);
        let found = WORDS.iter().find(|word| text.contains(*word));
        match found {
            Some(_) if name == PLACE => n_read += 1,
            Some(word) => panic!("{name} has `{word}`: files are read through `driver::files::Files`"),
            None => {}
        }
    }
    assert_eq!(n_read, 1, "{PLACE} reads files");
}

#[test]
fn exceptions_are_there_and_needed() {
    for name in OF_THE_MACHINE {
        let text = fs::read_to_string(root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(WORDS.iter().any(|word| without_tests(&text).contains(word)), "{name} looks at no file");
    }
}
