//! The commands of the pages run, and show what the pages say they show.

mod support;

use std::fs;

use support::{root, run_in, without_measurements};

/// The commands of all ```console blocks of a page, each with the output that follows it.
fn transcripts(page: &str) -> Vec<(String, String)> {
    let text = fs::read_to_string(root().join(page)).expect("the page exists");
    let mut found: Vec<(String, String)> = Vec::new();
    for block in text.split("\n```console\n").skip(1) {
        for line in block.split("\n```").next().expect("blocks end").lines() {
            match (line.strip_prefix("$ lapidary "), found.last_mut()) {
                (Some(command), _) => found.push((command.to_owned(), String::new())),
                (None, Some((_, output))) => *output += &format!("{line}\n"),
                (None, None) => panic!("{page}: output without a command: {line}"),
            }
        }
    }
    found
}

#[test]
fn the_pages_show_what_the_program_shows() {
    for page in ["README.md", "docs/engines/bdd.md", "docs/engines/explicit.md"] {
        let transcripts = transcripts(page);
        assert!(!transcripts.is_empty(), "{page} has an example");
        for (command, expected) in transcripts {
            let words: Vec<&str> = command.split(' ').collect();
            let found = run_in(&root(), &words);
            assert!(matches!(found.code, Some(0 | 10)), "{page}: {command}\n{}", found.stderr);
            assert_eq!(without_measurements(&found.stdout), without_measurements(&expected), "{page}: {command}");
        }
    }
}
