//! The manual pages are written where they are asked for, and are rendered without a complaint.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{run, run_in};

fn place(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("lapidary-manual-{name}-{}", std::process::id()))
}

fn names(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).expect("it is made");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("readable").file_name().into_string().expect("plain names")).collect();
    names.sort();
    names
}

#[test]
fn every_command_has_its_page() {
    let place = place("pages");
    let made = place.join("share/man1");
    let printed = run(&["man", "-o", made.to_str().expect("plain paths")]);
    assert_eq!((printed.code, printed.stderr.as_str()), (Some(0), ""));
    let names = names(&made);
    for page in ["lapidary.1", "lapidary-check.1", "lapidary-examples.1", "lapidary-examples-copy.1", "lapidary-man.1"]
    {
        assert!(names.iter().any(|name| name == page), "{page} is not among {names:?}");
    }
    assert!(names.iter().all(|name| !name.ends_with("-help.1")), "{names:?}");
    let top = std::fs::read_to_string(made.join("lapidary.1")).expect("it is written");
    assert_eq!(run(&["man"]).stdout, top, "without -o the first page is printed");
    std::fs::remove_dir_all(place).expect("it is still there");
}

#[test]
fn a_directory_that_cannot_be_made_is_an_error() {
    let place = place("taken");
    std::fs::write(&place, "a file").expect("the temporary directory can be written");
    let printed = run(&["man", "-o", place.join("man1").to_str().expect("plain paths")]);
    assert_eq!(printed.code, Some(3));
    assert!(printed.stderr.starts_with("error: cannot make the directory"), "{}", printed.stderr);
    std::fs::remove_file(place).expect("it is still there");
}

fn groff_renders_every_page_without_a_warning() {
    let place = place("rendered");
    std::fs::create_dir_all(&place).expect("the temporary directory can be written");
    assert_eq!(run_in(&place, &["man", "-o", "."]).code, Some(0));
    for name in names(&place) {
        let groff = ["-man", "-Tascii", "-P-cbou", "-ww", "-rLL=100n", &name];
        let output = Command::new("groff").args(groff).current_dir(&place).output().expect("groff starts");
        let (shown, complaints) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success() && complaints.is_empty(), "{name}: {complaints}");
        for section in ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS"] {
            assert!(shown.lines().any(|line| line == section), "{name} has no {section}:\n{shown}");
        }
        if name == "lapidary-check.1" {
            let example = "lapidary check peterson.gcl -p mutex -D N=4             one property, another constant";
            assert!(shown.contains(example), "columns of examples are kept:\n{shown}");
        }
    }
    std::fs::remove_dir_all(place).expect("it is still there");
}

lapidary_reference::with_groff!(groff_renders_every_page_without_a_warning);
