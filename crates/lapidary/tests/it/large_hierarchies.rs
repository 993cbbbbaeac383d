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

#[test]
fn nor_are_forty() {
    let all = |suffix: &str| (0..40).map(|i| format!("a{i}{suffix}")).collect::<Vec<_>>().join(", ");
    let text = format!(
        "node A state x : bool; event e; trans not x |- e -> x := true; init x := false; edon
         node Main sub {} : A; event tick; sync <tick, {}> >= 0; trans true |- tick -> ; edon",
        all(""),
        all(".e?")
    );
    answers(written("forty.alt", &text).to_str().expect("plain paths"), &BROADCAST);
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
