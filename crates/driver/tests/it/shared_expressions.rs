//! Expressions that share their parts, sixty levels deep: as trees they would be larger than any machine. Every engine and
//! the checker take them at once, or end within the limits.

use std::fmt::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use lapidary_base::Control;
use lapidary_driver::files::{Files, Texts};
use lapidary_driver::{CheckRequest, EngineChoice, LoadRequest, Loaded, check, open_within};
use lapidary_engines::cover::PCEGAR;
use lapidary_engines::hierarchy::HIERARCHICAL;
use lapidary_engines::induction::{BMC, KINDUCTION};
use lapidary_engines::matching::MATCHING;
use lapidary_engines::reach::EXPLICIT;
use lapidary_engines::symbolic::BDD;
use lapidary_verdict::{Report, Verdict};

const N_LEVELS: usize = 60;
const LIMIT: Duration = Duration::from_secs(4);
/// For those that are not expected to end by themselves.
const SOON: Duration = Duration::from_secs(2);
/// A limit of L ends a run before L and this.
const GRACE: Duration = Duration::from_secs(3);

/// Both branches of a choice and the choice itself use the level before; values stay small.
fn chain() -> String {
    let mut text = String::from("let $0 = x;\n");
    for level in 1..=N_LEVELS {
        let part = format!("${}", level - 1);
        writeln!(text, "let ${level} = if {part} mod 2 = 0 then ({part} + {part} + 1) mod 5 else ({part} + 3) mod 5;")
            .expect("strings take everything");
    }
    text
}

/// What the chain does to a number.
fn image(x: i64) -> i64 {
    (0..N_LEVELS).fold(x, |x, _| if x % 2 == 0 { (x + x + 1) % 5 } else { (x + 3) % 5 })
}

fn written() -> String {
    let values: Vec<i64> = std::iter::successors(Some(0), |&x| Some(image(x))).take(8).collect();
    let last = values[values.len() - 1];
    format!(
        "model m;\nvar x : 0..4;\ninit x = 0;\n{}command go: {{ assume 0 <= ${N_LEVELS}; x := ${N_LEVELS}; }}\n\
         property within:\n  invariant ${N_LEVELS} < 5;\nproperty met:\n  reach x = {last};\n",
        chain()
    )
}

fn loaded(path: &str, text: &str, properties: &[&str]) -> Loaded {
    let properties: Vec<String> = properties.iter().map(|&name| name.to_owned()).collect();
    let request = LoadRequest { path: path.to_owned(), properties, ..LoadRequest::default() };
    let control = Control::new().with_timeout(Some(LIMIT));
    let files: Arc<dyn Files> = Arc::new(Texts::new().with(path, text));
    open_within(&request, &files, &control).unwrap_or_else(|error| panic!("{}", error.render()))
}

fn verdicts(loaded: &Loaded, engine: EngineChoice) -> Vec<Verdict> {
    verdicts_within(loaded, engine, LIMIT)
}

fn verdicts_within(loaded: &Loaded, engine: EngineChoice, limit: Duration) -> Vec<Verdict> {
    let start = Instant::now();
    let request = CheckRequest { engine, jobs: 1, ..CheckRequest::default() };
    let control = Control::new().with_timeout(Some(limit));
    let Report { properties, internal_errors, .. } = check(loaded, &request, &control);
    assert!(start.elapsed() < limit + GRACE, "{engine:?} took {:?}", start.elapsed());
    assert_eq!(internal_errors, Vec::<String>::new(), "{engine:?}");
    properties.iter().map(|finding| finding.verdict).collect()
}

#[test]
fn a_model_with_shared_expressions_is_decided_at_once() {
    let loaded = loaded("m.lir", &written(), &["within", "met"]);
    assert_eq!(verdicts(&loaded, EngineChoice::Named(&EXPLICIT)), [Verdict::Holds, Verdict::Holds]);
    assert_eq!(verdicts(&loaded, EngineChoice::Named(&BDD)), [Verdict::Holds, Verdict::Holds]);
}

/// Whether a solver gets anywhere with it is another matter; no engine says anything wrong or lasts longer than it may.
#[test]
fn engines_that_ask_a_solver_keep_to_the_limit() {
    let loaded = loaded("m.lir", &written(), &["within", "met"]);
    for engine in [
        EngineChoice::Named(&BMC),
        EngineChoice::Named(&KINDUCTION),
        EngineChoice::Named(&MATCHING),
        EngineChoice::Named(&PCEGAR),
    ] {
        let found = verdicts_within(&loaded, engine, SOON);
        assert!(!found.contains(&Verdict::Violated), "{engine:?}: {found:?}");
    }
}

/// Under priorities the definitions of flows are put into each other.
#[test]
fn flows_that_are_defined_by_each_other_are_decided_at_once() {
    let flows: Vec<String> = (0..N_LEVELS).map(|i| format!("f{i}")).collect();
    let mut text = format!("node Main\n  state x : [0, 4];\n  flow {} : [0, 4];\n", flows.join(", "));
    text.push_str("  event low, high;\n  event low < high;\n  init x := 0;\n  assert f0 = x;\n");
    for i in 1..N_LEVELS {
        let part = format!("f{}", i - 1);
        writeln!(
            text,
            "  assert f{i} = (if {part} mod 2 = 0 then ({part} + {part} + 1) mod 5 else ({part} + 3) mod 5);"
        )
        .expect("strings take everything");
    }
    let last = format!("f{}", N_LEVELS - 1);
    text.push_str("  trans true |- low -> x := (x + 1) mod 5;\n");
    writeln!(text, "  trans {last} > 2 |- high -> x := {last};\nedon").expect("strings take everything");
    let loaded = loaded("m.alt", &text, &[&format!("{last} <= 4")]);
    for engine in [EngineChoice::Named(&EXPLICIT), EngineChoice::Named(&BDD), EngineChoice::Named(&HIERARCHICAL)] {
        assert_eq!(verdicts(&loaded, engine), [Verdict::Holds], "{engine:?}");
    }
}
