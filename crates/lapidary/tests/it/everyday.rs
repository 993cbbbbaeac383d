//! False success is shown, warnings can be denied, and what cannot be read is explained to programs, too.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{Finished, run_in};

fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let path = std::env::temp_dir().join(format!("lapidary-everyday-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).expect("the temporary directory can be written");
    files.iter().for_each(|(file, text)| fs::write(path.join(file), text).expect("a file can be written"));
    path
}

fn json(folder: &Path, args: &[&str]) -> (Option<i32>, serde_json::Value) {
    let Finished { code, stdout, .. } = run_in(folder, &[args, &["--format", "json"]].concat());
    (code, serde_json::from_str(&stdout).unwrap_or_else(|error| panic!("{error}: {stdout}")))
}

const EMPTY: &str = "var x : 0..3 = 0;\ninit x = 1;\nup: x < 3 -> x := x + 1;\ninvariant low: x = 2;\n";

#[test]
fn what_holds_of_nothing_is_no_success() {
    let place = folder("vacuous", &[("empty.gcl", EMPTY)]);
    let check = ["check", "empty.gcl", "-p", "low", "--engine", "explicit"];
    let Finished { code, stdout, stderr, .. } = run_in(&place, &check);
    assert_eq!(code, Some(0), "{stdout}{stderr}");
    assert!(stdout.contains("\n  vacuous   low "), "{stdout}");
    let line = "\nverdict: low = holds  proof=enumeration checked=yes vacuous=no-initial-state\n";
    assert!(stdout.contains(line), "{stdout}");
    assert!(stdout.contains("\nsummary: 1 holds, 0 violated, 0 unknown, 1 vacuous   "), "{stdout}");
    assert!(stderr.contains("warning: low: no state satisfies the initial condition"), "{stderr}");
    let denied = run_in(&place, &[&check[..], &["--deny", "warnings"]].concat());
    assert_eq!(denied.code, Some(30), "{}", denied.stdout);
    let (code, document) = json(&place, &[&check[..], &["--deny", "warnings"]].concat());
    assert_eq!((code, &document["exit_code"]), (Some(30), &30.into()));
    assert_eq!(document["properties"][0]["vacuous"], "no-initial-state");
    assert_eq!(document["diagnostics"], serde_json::json!([]));
}

#[test]
fn a_warning_about_the_text_can_be_denied_but_hides_nothing_worse() {
    let text = "var x : 0..3 = 0;\nvar unused : bool;\nup: x < 3 -> x := x + 1;\n";
    let place = folder("denied", &[("unused.gcl", text)]);
    let check =
        |formula: &str, more: &[&str]| run_in(&place, &[&["check", "unused.gcl", "-p", formula], more].concat()).code;
    assert_eq!(check("x <= 3", &[]), Some(0));
    assert_eq!(check("x <= 3", &["--deny", "warnings"]), Some(30));
    assert_eq!(check("x < 3", &["--deny", "warnings"]), Some(10));
    assert_eq!(check("y < 3", &["--deny", "warnings"]), Some(3));
    assert_eq!(check("x <= 3", &["--deny", "errors"]), Some(2));
    let (_, document) = json(&place, &["check", "unused.gcl", "-p", "x <= 3"]);
    let found = &document["diagnostics"][0];
    assert_eq!(
        (&found["severity"], &found["line"], &found["path"]),
        (&"warning".into(), &2.into(), &"unused.gcl".into())
    );
}

#[test]
fn json_of_a_text_that_cannot_be_read_says_why() {
    let place = folder("broken", &[("broken.gcl", "var x : 0..3 = 0;\ninvariant p: y = 1;\n")]);
    let (code, document) = json(&place, &["check", "broken.gcl"]);
    assert_eq!((code, &document["exit_code"]), (Some(3), &3.into()));
    let found = &document["diagnostics"][0];
    assert_eq!((&found["severity"], &found["path"]), (&"error".into(), &"broken.gcl".into()));
    assert_eq!((&found["line"], &found["column"]), (&2.into(), &14.into()));
    assert_eq!(found["message"], "`y` is not declared");
    assert!(found["code"].as_str().is_some_and(|code| code.starts_with("gcl")), "{found}");
    let (code, document) = json(&place, &["check", "missing.gcl"]);
    assert_eq!((code, &document["diagnostics"][0]["code"]), (Some(3), &"file".into()));
}

/// Only even numbers, but the predicates that would show it never end: x = 5, x = 3, x = 1, x = -1, ...
const EVEN: &str = "var x : int = 0;\nup: true -> x := x + 2;\ninvariant odd: x != 7;\n";

#[test]
fn more_of_the_same_is_not_proposed_to_what_looks_divergent() {
    let place = folder("divergent", &[("even.gcl", EVEN)]);
    let told =
        |engine: &[&str]| run_in(&place, &[&["check", "even.gcl", "-p", "odd", "--engine"], engine].concat()).stdout;
    let next = "\n  next: lapidary check even.gcl -p odd --engine auto\n";
    let stdout = told(&["matching", "--max-iterations", "15"]);
    assert!(stdout.contains("; looks divergent: ") && stdout.contains(" reason=diverging\n"), "{stdout}");
    assert!(stdout.contains(next), "{stdout}");
    // States that may be infinitely many are not listed for longer either.
    let stdout = told(&["explicit", "--timeout", "300ms"]);
    assert!(stdout.contains(" reason=timeout\n") && stdout.contains(next), "{stdout}");
    let stdout = told(&["matching", "--max-iterations", "3"]);
    assert!(!stdout.contains("; looks divergent") && stdout.contains("--max-iterations 12\n"), "{stdout}");
}

#[test]
fn every_language_has_a_starter() {
    let place = folder("starters", &[]);
    for suffix in ["gcl", "cfa", "alt", "spec", "tts", "pnml", "lola"] {
        let file = format!("first.{suffix}");
        let Finished { code, stdout, stderr, .. } = run_in(&place, &["init", &file]);
        assert_eq!(code, Some(0), "{stdout}{stderr}");
        let command = stdout.lines().nth(1).and_then(|line| line.trim().split("    ").next()).expect("what to do next");
        let words: Vec<String> = command
            .split('\'')
            .enumerate()
            .flat_map(|(i, part)| match i % 2 {
                0 => part.split_whitespace().map(str::to_owned).collect(),
                _ => vec![part.to_owned()],
            })
            .collect();
        let words: Vec<&str> = words.iter().skip(1).map(String::as_str).collect();
        let Finished { code, stdout, stderr, .. } = run_in(&place, &words);
        assert_eq!(code, Some(0), "{command}: {stdout}{stderr}");
    }
    let refused = run_in(&place, &["init", "first.txt"]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    assert!(refused.stderr.contains(".alt") && !place.join("first.txt").exists(), "{}", refused.stderr);
}

#[test]
fn graphs_of_abstractions_say_what_blocks_have_in_common() {
    let text = "var x : 0..9 = 0;\nup: x < 4 -> x := x + 2;\ninvariant odd: x != 3;\n";
    let place = folder("graphs", &[("m.gcl", text)]);
    let check = ["check", "m.gcl", "-p", "odd", "--engine", "cegar", "--predicate", "x < 5"];
    let Finished { code, stdout, stderr, .. } =
        run_in(&place, &[&check[..], &["--cegar-abstraction-print", "blocks.dot"]].concat());
    assert_eq!(code, Some(0), "{stdout}{stderr}");
    let graph = fs::read_to_string(place.join("blocks.dot")).expect("it is written");
    assert!(graph.contains("\\nx < 5"), "{graph}");
}

/// Of a property that cannot be read nothing was proved, whatever a certificate says.
#[test]
fn what_is_left_out_is_skipped_and_a_certificate_about_it_refused() {
    let net =
        "PLACE p, q;\nMARKING p: 2;\nTRANSITION t CONSUME p: 1; PRODUCE q: 1;\nFORMULA AG q <= 2\nANALYSE PLACE q\n";
    let place = folder("left-out", &[("m.lola", net)]);
    let check = ["check", "m.lola", "-p", "formula", "--engine", "explicit", "--certificate", "m.cert"];
    let Finished { code, stdout, stderr, .. } = run_in(&place, &check);
    assert_eq!(code, Some(0), "{stdout}{stderr}");
    assert_eq!(run_in(&place, &["certify", "m.lola", "m.cert"]).code, Some(0));
    for asked in [&[][..], &["-p", "ANALYSE PLACE q"]] {
        let junit = run_in(&place, &[&["check", "m.lola", "--format", "junit"], asked].concat());
        assert_eq!(junit.code, Some(4), "{}", junit.stdout);
        assert!(junit.stdout.contains("<testcase name=\"ANALYSE PLACE q\""), "{}", junit.stdout);
        assert!(junit.stdout.contains("errors=\"0\" skipped=\"1\""), "{}", junit.stdout);
    }
    let bytes = fs::read(place.join("m.cert")).expect("it is written");
    let end = bytes.iter().position(|&byte| byte == b'\n').expect("a header");
    let header = String::from_utf8(bytes[..end].to_vec()).expect("headers are texts");
    for claimed in ["[\"formula\",\"ANALYSE PLACE q\"]", "[\"ANALYSE PLACE q\"]"] {
        let forged = header.replace("[\"formula\"]", claimed);
        assert_ne!(forged, header);
        fs::write(place.join("forged.cert"), [forged.as_bytes(), &bytes[end..]].concat()).expect("it can be written");
        let Finished { code, stdout, stderr, .. } = run_in(&place, &["certify", "m.lola", "forged.cert"]);
        assert_eq!(code, Some(3), "{claimed}: {stdout}{stderr}");
        assert!(stderr.contains("left out"), "{stderr}");
    }
}

/// A variable of a body is no part of a state, so it does not count where variables do.
#[test]
fn variables_of_bodies_are_not_counted() {
    let text = "model m;\nvar x : 0..2;\nlocal var t : 0..2;\ninit x = 0;\n
command go: scope t do { t := 1; x := t; }\nproperty p: invariant x < 2;\n";
    let place = folder("locals", &[("m.lir", text)]);
    for command in ["check", "info"] {
        let found = run_in(&place, &[command, "m.lir"]);
        assert!(found.stdout.lines().next().is_some_and(|head| head.contains(" 1 variable, ")), "{found:?}");
    }
    let _ = run_in(&place, &["check", "m.lir", "--events", "m.jsonl"]);
    let events = fs::read_to_string(place.join("m.jsonl")).expect("it was written");
    assert!(events.contains("\"variables\":1,"), "{events}");
}
