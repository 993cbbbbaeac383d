//! A body with forty branches in a row and twelve choices within each other has more ways through it than can be listed; it
//! is an ordinary body.

use std::fmt::Write;
use std::time::Duration;

use lapidary_base::Control;
use lapidary_driver::{CheckRequest, EngineChoice, LoadRequest, Loaded, check, open_text};
use lapidary_engines::cover::{CEGAR, PCEGAR};
use lapidary_engines::induction::KINDUCTION;
use lapidary_engines::matching::MATCHING;
use lapidary_engines::reach::EXPLICIT;
use lapidary_engines::symbolic::BDD;
use lapidary_verdict::{Evidence, Verdict};

/// In the first step all switches are turned on; from then on each adds one to `c`, modulo 11. The choices may set `seen`.
fn text() -> String {
    let mut text = "model forty;\nvar c : 0..10;\nvar seen : bool;\ninit c = 0;\ninit seen = false;\n".to_owned();
    let mut body = String::new();
    for i in 0..40 {
        writeln!(text, "var x{i} : bool;\ninit x{i} = false;").expect("strings grow");
        writeln!(body, "  if x{i} then c := (c + 1) mod 11; else x{i} := true;").expect("strings grow");
    }
    let choices =
        (0..12).fold("skip;".to_owned(), |inner, _| format!("choice {{ skip; {{ seen := true; {inner} }} }}"));
    writeln!(text, "command go: {{\n  assume c < 10;\n{body}  {choices}\n}}").expect("strings grow");
    text.push_str("property within:\n  invariant c <= 10;\nproperty below:\n  invariant c < 10;\n");
    text
}

fn load(text: String) -> Loaded {
    let request = LoadRequest { path: "forty.lir".to_owned(), ..LoadRequest::default() };
    let mut loaded = open_text(&request, text.into_bytes()).unwrap_or_else(|error| panic!("{}", error.render()));
    loaded.asked = loaded.declared().properties.ids().collect();
    loaded
}

/// The verdicts about `within` and `below`, and how many steps lead to the violation.
fn verdicts(engine: EngineChoice) -> (Verdict, Verdict, Option<usize>) {
    let report = check(&load(text()), &CheckRequest { engine, jobs: 1, ..CheckRequest::default() }, &Control::new());
    assert_eq!(report.internal_errors, Vec::<String>::new());
    let [within, below] = &report.properties[..] else { panic!("two properties") };
    let steps = match &below.evidence {
        Evidence::Trace(trace) => Some(trace.n_steps()),
        Evidence::Certificate(..) | Evidence::Nothing(_) => None,
    };
    (within.verdict, below.verdict, steps)
}

#[test]
fn diagrams_compose_it() {
    for engine in [EngineChoice::Named(&BDD), EngineChoice::Named(&CEGAR), EngineChoice::Named(&PCEGAR)] {
        assert_eq!(verdicts(engine), (Verdict::Holds, Verdict::Violated, Some(4)), "{engine:?}");
    }
}

#[test]
fn induction_proves_what_holds_and_finds_what_does_not() {
    assert_eq!(verdicts(EngineChoice::Named(&KINDUCTION)), (Verdict::Holds, Verdict::Violated, Some(4)));
}

#[test]
fn matching_refines_along_the_way_that_is_taken() {
    assert_eq!(verdicts(EngineChoice::Named(&MATCHING)), (Verdict::Holds, Verdict::Violated, Some(4)));
}

/// Thirteen switches, and a number that gets to 100 in 32 steps.
fn thirteen() -> String {
    let mut text = "model thirteen;\nvar c : 0..100;\ninit c = 0;\n".to_owned();
    let mut body = String::new();
    for i in 0..13 {
        writeln!(text, "var x{i} : bool;\ninit x{i} = false;").expect("strings grow");
        writeln!(body, "  if x{i} then c := (c + 1) mod 101; else x{i} := true;").expect("strings grow");
    }
    writeln!(text, "command go: {{\n  assume c < 100;\n{body}}}\nproperty below:\n  invariant c < 100;")
        .expect("strings grow");
    text
}

/// One question about ten states in a row takes longer than all about the runs of 32 steps.
#[test]
fn induction_steps_that_are_hard_do_not_keep_a_violation_waiting() {
    let control = Control::new().with_timeout(Some(Duration::from_secs(120)));
    let request = CheckRequest { engine: EngineChoice::Named(&KINDUCTION), jobs: 1, ..CheckRequest::default() };
    let report = check(&load(thirteen()), &request, &control);
    let below = &report.properties[0];
    let Evidence::Trace(trace) = &below.evidence else { panic!("{:?}", below.verdict) };
    assert_eq!(trace.n_steps(), 32);
    assert!(below.stats.count("iterations").is_some_and(|k| k < 20), "{:?}", below.stats.counts);
}

/// From every state the loop may go on for ever, and does not have to.
#[test]
fn listed_states_come_to_an_end_where_loops_need_not() {
    let text = "model back;\nvar x : 0..500;\ninit x = 0;\ncommand go: {\n  while x < 400 do\n    choice { x := x + 1; skip; x := x div 2; assume x = 7; }\n  \
                choice { skip; x := 0; }\n}\ncommand never: {\n  while true do choice { x := 0; x := 500; }\n}\n\
                property low:\n  invariant x <= 400;\nproperty lower:\n  invariant x < 400;\n";
    let request = CheckRequest { engine: EngineChoice::Named(&EXPLICIT), jobs: 1, ..CheckRequest::default() };
    let report = check(&load(text.to_owned()), &request, &Control::new());
    assert_eq!(report.internal_errors, Vec::<String>::new());
    let verdicts: Vec<Verdict> = report.properties.iter().map(|property| property.verdict).collect();
    assert_eq!(verdicts, [Verdict::Holds, Verdict::Violated]);
}
