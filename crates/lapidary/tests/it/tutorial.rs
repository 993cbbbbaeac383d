//! The tutorial for users of ARC: its commands are run one after the other in one folder, and show what it shows.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::support::{binary, root, without_measurements};

const PAGE: &str = "docs/altarica.md";

/// A page as a list of lines, those of commands told apart.
fn commands(text: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    for block in text.split("\n```console\n").skip(1) {
        let block = block.split("```").next().expect("blocks end");
        for line in block.lines() {
            match line.strip_prefix("$ ") {
                Some(command) => found.push((command.to_owned(), String::new())),
                None => found.last_mut().expect("a block starts with a command").1 += &format!("{line}\n"),
            }
        }
    }
    found
}

/// Runs a line as a user would type it, with our program on the path.
fn run(command: &str, folder: &Path) -> String {
    let programs = binary().parent().expect("the program is in a folder").display().to_string();
    let path = format!("{programs}:{}", std::env::var("PATH").unwrap_or_default());
    let shell = Command::new("sh").args(["-c", command]).current_dir(folder).env("PATH", path).output();
    let output = shell.expect("there is a shell");
    assert!(matches!(output.status.code(), Some(0 | 10)), "{command}\n{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("plain text")
}

/// The page with the output that its commands have now.
fn updated(text: &str, outputs: &[String]) -> String {
    let mut page = String::new();
    let mut outputs = outputs.iter();
    let mut in_block = false;
    for line in text.lines() {
        match line {
            "```console" => in_block = true,
            "```" if in_block => in_block = false,
            _ if in_block && !line.starts_with("$ ") => continue,
            _ => {}
        }
        page += &format!("{line}\n");
        if in_block && line.starts_with("$ ") {
            page += outputs.next().expect("one output for every command");
        }
    }
    page
}

#[test]
fn the_tutorial_shows_what_the_program_shows() {
    let folder = std::env::temp_dir().join(format!("lapidary-tutorial-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    for file in ["tank.alt", "tank.spe"] {
        fs::copy(root().join("examples").join(file), folder.join(file)).expect("the example is there");
    }
    let text = fs::read_to_string(root().join(PAGE)).expect("the page exists");
    let commands = commands(&text);
    assert!(commands.len() > 8, "the page has its commands");
    let outputs: Vec<String> = commands.iter().map(|(command, _)| run(command, &folder)).collect();
    fs::remove_dir_all(&folder).expect("our own folder");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(root().join(PAGE), updated(&text, &outputs)).expect("the page can be written");
        return;
    }
    for ((command, expected), found) in commands.iter().zip(&outputs) {
        assert_eq!(without_measurements(found), without_measurements(expected), "{command}");
    }
}
