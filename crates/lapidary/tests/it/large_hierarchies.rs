//! Hierarchies whose flat events nobody could list: answered on the tree, runs replayed and certificates checked there.

use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

use lapidary_reference::surroundings::corpus;

use crate::support::run;

lapidary_reference::with_corpus!(sixteen_optional_parts_are_no_burden,);

const ENGINES: [&str; 3] = ["bdd", "pcegar", "hierarchical"];

/// What each of the engines says of each of the properties.
fn answers(path: &str, expected: &[(&str, &str)]) {
    for engine in ENGINES {
        for (property, verdict) in expected {
            let found = run(&["check", path, "--engine", engine, "-p", property, "--timeout", "60s"]);
            let line = format!("verdict: {property} = {verdict}");
            assert!(found.stdout.contains(&line), "{engine}, {property}: {}{}", found.stdout, found.stderr);
        }
    }
}

const BROADCAST: [(&str, &str); 4] = [
    ("deadlock_free", "holds  proof="),
    ("a0.x", "violated  steps=0 replayed=yes"),
    ("not a1.x", "violated  steps=1 replayed=yes"),
    ("a0.x = a1.x", "holds  proof="),
];

fn sixteen_optional_parts_are_no_burden() {
    answers(corpus("limits/big.alt").to_str().expect("plain paths"), &BROADCAST);
}

/// A file in the folder of temporary files.
fn written(name: &str, text: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, text).expect("the folder of temporary files can be written to");
    path
}

/// A broadcast that any of so many components may hear.
fn broadcast(n_components: usize) -> String {
    let all = |suffix: &str| (0..n_components).map(|i| format!("a{i}{suffix}")).collect::<Vec<_>>().join(", ");
    format!(
        "node A state x : bool; event e; trans not x |- e -> x := true; init x := false; edon
         node Main sub {} : A; event tick; sync <tick, {}> >= 0; trans true |- tick -> ; edon",
        all(""),
        all(".e?")
    )
}

#[test]
fn nor_are_forty() {
    answers(written("forty.alt", &broadcast(40)).to_str().expect("plain paths"), &BROADCAST);
}

/// Sixteen thousand flat events could be listed, which takes longer than the answer: nobody does it for their numbers.
#[test]
fn numbers_of_commands_are_left_out_where_they_cost_more_than_the_answer() {
    for (n_components, has_numbers) in [(8, true), (14, false)] {
        let path = written(&format!("numbers{n_components}.alt"), &broadcast(n_components));
        let events = path.with_extension("jsonl");
        let (path, events) = (path.to_str().expect("plain paths"), events.to_str().expect("plain paths"));
        let words = ["check", path, "--engine", "bdd", "-p", "not a1.x", "--format", "json", "--events", events];
        let found = run(&words);
        assert_eq!(found.stdout.contains("\"command\":"), has_numbers, "{}{}", found.stdout, found.stderr);
        let events = fs::read_to_string(events).expect("it was written");
        assert_eq!(events.contains("\"commands\":"), has_numbers, "{events}");
    }
}

/// Only whether an engine takes the model is asked: whoever takes long to prepare is told of as such, and the rest is known.
#[test]
fn what_is_understood_of_sixteen_thousand_flat_events_is_told() {
    let path = written("understood.alt", &broadcast(14));
    let found = run(&["info", path.to_str().expect("plain paths")]);
    assert_eq!(found.code, Some(0), "{}", found.stderr);
    assert!(found.stdout.contains(" 16385 commands, "), "{}", found.stdout);
    let is_taken = found.stdout.lines().any(|line| line.split_whitespace().eq(["bdd", "yes"]));
    assert!(is_taken, "{}", found.stdout);
}

/// The states alone say what happened.
#[test]
fn steps_without_labels_are_found_on_the_tree() {
    let path = written("unlabelled.alt", &broadcast(40));
    let trace = path.with_extension("itf.json");
    let (path, file) = (path.to_str().expect("plain paths"), trace.to_str().expect("plain paths"));
    let found = run(&["check", path, "--engine", "bdd", "-p", "not a1.x", "--trace-out", file]);
    assert_eq!(found.code, Some(10), "{}{}", found.stdout, found.stderr);
    let mut json: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(file).expect("it was written")).expect("a document");
    let replayed = |json: &serde_json::Value| {
        fs::write(file, json.to_string()).expect("it can be written again");
        run(&["trace", file, "--replay", path])
    };
    assert!(json["states"][1]["#meta"]["action"].is_string(), "{json}");
    json["states"][1].as_object_mut().expect("a state").remove("#meta");
    let found = replayed(&json);
    assert!(found.stdout.contains("replayed=yes  not a1.x = violated"), "{}{}", found.stdout, found.stderr);
    assert!(found.stdout.contains("<tick, a0.e, a1.e, "), "{}", found.stdout);
    json["states"][0]["a1.x"] = true.into();
    json["states"][1]["a1.x"] = false.into();
    let found = replayed(&json);
    assert_eq!(found.code, Some(3));
    assert!(found.stderr.contains("step 1: no event leads to its state"), "{}", found.stderr);
}

/// Twenty-one switches below a node that hides them move in any combination; what the root does has priorities.
#[test]
fn nor_are_millions_of_flat_events_with_priorities() {
    let mut text =
        "node S state on : bool; event flip; trans true |- flip -> on := not on; init on := false; edon\n".to_owned();
    text.push_str("node H sub s : S; edon\n");
    let parts = (0..21).map(|i| format!("s{i} : H;")).collect::<Vec<_>>().join(" ");
    write!(
        text,
        "node Main sub {parts} state n : [0,3]; event slow < fast; init n := 0;
         trans n < 3 |- slow -> n := n + 1; n = 1 |- fast -> n := 0; edon\n"
    )
    .expect("strings grow");
    let path = written("millions.alt", &text);
    let expected = [
        ("deadlock_free", "holds  proof="),
        ("n < 2", "holds  proof="),
        ("not (s0.s.on and s20.s.on)", "violated  steps=1 replayed=yes"),
    ];
    answers(path.to_str().expect("plain paths"), &expected);
    let path = path.to_str().expect("plain paths");
    let refused = run(&["check", path, "--engine", "explicit", "-p", "n < 2", "--timeout", "60s"]);
    assert!(refused.stdout.contains("too large to be flattened"), "{}", refused.stdout);
}
