//! A body with forty branches in a row and twelve choices within each other has more ways through it than can be listed; it
//! is an ordinary body.

use std::fmt::Write;

use lapidary_base::Control;
use lapidary_driver::{CheckRequest, EngineChoice, LoadRequest, Loaded, check, open_text};
use lapidary_engines::cover::{CEGAR, PCEGAR};
use lapidary_engines::induction::KINDUCTION;
use lapidary_engines::matching::MATCHING;
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

fn load() -> Loaded {
    let request = LoadRequest { path: "forty.lir".to_owned(), ..LoadRequest::default() };
    let mut loaded = open_text(&request, text().into_bytes()).unwrap_or_else(|error| panic!("{}", error.render()));
    loaded.asked = loaded.declared().properties.ids().collect();
    loaded
}

/// The verdicts about `within` and `below`, and how many steps lead to the violation.
fn verdicts(engine: EngineChoice) -> (Verdict, Verdict, Option<usize>) {
    let report = check(&load(), &CheckRequest { engine, jobs: 1, ..CheckRequest::default() }, &Control::new());
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
