//! The commands of the pages run, and show what the pages say they show.

use std::fs;

use crate::support::{root, run_in, without_measurements};

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
    for page in [
        "README.md",
        "docs/coverability.md",
        "docs/engines/auto.md",
        "docs/engines/backward.md",
        "docs/engines/bdd.md",
        "docs/engines/bmc.md",
        "docs/engines/cegar.md",
        "docs/engines/explicit.md",
        "docs/engines/forward.md",
        "docs/engines/hierarchical.md",
        "docs/engines/kinduction.md",
        "docs/engines/lazy.md",
        "docs/engines/matching.md",
        "docs/engines/pcegar.md",
        "docs/engines/solvers.md",
    ] {
        let transcripts = transcripts(page);
        assert!(!transcripts.is_empty(), "{page} has an example");
        for (command, expected) in transcripts {
            let found = run_in(&root(), &words(&command));
            assert!(matches!(found.code, Some(0 | 10 | 30)), "{page}: {command}\n{}", found.stderr);
            assert_eq!(without_measurements(&found.stdout), without_measurements(&expected), "{page}: {command}");
        }
    }
}

/// The words of a command; those in quotes are one.
fn words(command: &str) -> Vec<&str> {
    let mut words = Vec::new();
    for (i, part) in command.split('"').enumerate() {
        match i % 2 {
            0 => words.extend(part.split_whitespace()),
            _ => words.push(part),
        }
    }
    words
}

/// Each command of the page writes a file, which is the block that follows.
#[test]
fn the_page_on_abstractions_shows_what_is_written() {
    let page = fs::read_to_string(root().join("docs/abstractions.md")).expect("the page exists");
    let place = std::env::temp_dir().join(format!("lapidary-abstractions-{}", std::process::id()));
    fs::create_dir_all(&place).expect("the temporary directory can be written");
    fs::copy(root().join("examples/tank.alt"), place.join("tank.alt")).expect("the example is there");
    let written: Vec<&str> =
        page.split("\n```altarica\n").skip(1).filter_map(|block| block.split("```").next()).collect();
    let transcripts = transcripts("docs/abstractions.md");
    assert_eq!((transcripts.len(), written.len()), (2, 2));
    for ((command, expected), block) in transcripts.into_iter().zip(written) {
        let words: Vec<&str> = command.split(' ').collect();
        let found = run_in(&place, &words);
        assert_eq!((found.code, &found.stdout), (Some(0), &expected), "{command}\n{}", found.stderr);
        assert_eq!(fs::read_to_string(place.join("valve.alt")).expect("it is written"), block, "{command}");
    }
    fs::remove_dir_all(&place).expect("it is still there");
}
