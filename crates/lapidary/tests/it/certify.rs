//! `certify` as a process: exit codes, and whose word an answer rests on.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::support::{Finished, finish, interrupt, start};

const MODEL: &str = "var x : int = 0;\ninc: x < 5 -> x := x + 1;\ninvariant p: x < 5;\ninvariant h: x <= 5;\n";

/// Confirms everything, and gives the same answer to every question.
const LIAR: &str = r#"#!/bin/sh
while read -r line; do case $line in
  '(echo "'*) text=${line#*\"}; echo "${text%\"*}" ;;
  '(check-sat'*) echo ANSWER ;;
  '(get-value'*) answer=''
     for symbol in $(echo "${line#(get-value}" | tr -d '()'); do answer="$answer($symbol 7)"; done
     echo "($answer)" ;;
  '(get-unsat-assumptions)') echo '()' ;;
  *) echo success ;;
esac; done
"#;

struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("lapidary-word-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).expect("the temporary folder can be written");
        fs::write(path.join("m.gcl"), MODEL).expect("a file can be written");
        Self(path)
    }

    fn path(&self, file: &str) -> String {
        self.0.join(file).display().to_string()
    }

    fn invariant(&self, property: &str, expression: &str) -> String {
        let head = r#"{"schema":"lapidary.certificate/1","kind":"invariant","model_sha256":"","properties":"#;
        let text = format!("{head}[\"{property}\"],\"expression\":\"{expression}\"}}\n");
        fs::write(self.0.join("given.cert"), text).expect("a file can be written");
        self.path("given.cert")
    }

    /// Through the shell: a file that was just written may still be open in a process that another test starts.
    fn liar(&self, answer: &str) -> String {
        let file = self.0.join("liar");
        fs::write(&file, LIAR.replace("ANSWER", answer)).expect("a file can be written");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).expect("it can be made a program");
        format!("sh {}", quoted(&file))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn quoted(path: &Path) -> String {
    format!("'{}'", path.display())
}

fn run(args: &[&str]) -> Finished {
    finish(start(args), Duration::from_secs(60))
}

#[test]
fn a_liar_has_no_wrong_certificate_accepted() {
    let place = Place::new("liar");
    let (model, wrong) = (place.path("m.gcl"), place.invariant("p", "x < 5"));
    for solver in [None, Some(place.liar("unsat")), Some(place.liar("sat"))] {
        let mut args = vec!["certify", &model, &wrong];
        args.extend(solver.iter().flat_map(|solver| ["--solver", solver]));
        let ended = run(&args);
        assert_eq!(ended.code, Some(3), "{ended:?}");
        assert!(ended.stderr.contains("(x=4) leads by inc to (x=5), which is not in the set"), "{ended:?}");
    }
    let good = place.invariant("h", "x <= 5");
    for solver in [place.liar("unsat"), place.liar("sat")] {
        let ended = run(&["certify", &model, &good, "--solver", &solver]);
        assert_eq!(ended.code, Some(0), "{ended:?}");
        assert!(ended.stdout.contains("verdict: h = holds  proof=invariant checked=yes\n"), "{ended:?}");
    }
    let ended = run(&["certify", &model, &good, "--solver", "none"]);
    assert_eq!(ended.code, Some(30), "{ended:?}");
}

#[test]
fn a_liar_is_named_by_the_engines_that_rest_on_it() {
    let place = Place::new("named");
    let model = place.path("m.gcl");
    for (engine, answer) in [("bmc", "unsat"), ("kinduction", "unsat"), ("matching", "unsat"), ("bmc", "sat")] {
        let solver = place.liar(answer);
        let ended = run(&["check", &model, "-p", "p", "--engine", engine, "--solver", &solver, "--bound", "3"]);
        assert_eq!(ended.code, Some(30), "{engine}, {answer}: {ended:?}");
        assert!(ended.stdout.contains("verdict: p = unknown  reason=solver\n"), "{engine}, {answer}: {ended:?}");
        assert!(ended.stdout.contains("the solver sh lies"), "{engine}, {answer}: {ended:?}");
    }
}

#[test]
fn an_interrupt_ends_the_check_of_a_certificate() {
    let place = Place::new("interrupt");
    let head = r#"{"schema":"lapidary.certificate/1","kind":"kinduction","model_sha256":"","properties":["h"],"#;
    let file = place.path("long.cert");
    fs::write(&file, format!("{head}\"k\":10000,\"expression\":\"x <= 5\",\"simple\":true}}\n")).expect("written");
    let child = start(&["certify", &place.path("m.gcl"), &file]);
    std::thread::sleep(Duration::from_millis(300));
    interrupt(&child);
    let ended = finish(child, Duration::from_secs(5));
    assert_eq!(ended.code, Some(130), "{ended:?}");
}
