//! What an engine does not take belongs to the goal that it does not take: it answers for the others.

use lapidary_base::Control;
use lapidary_driver::{CheckRequest, EngineChoice, LoadRequest, Loaded, check, engines, open_text};
use lapidary_engines::register::named;
use lapidary_verdict::{Evidence, PropertyReport, Reason, Verdict};

/// Whether the command can be taken depends on infinitely many values of its input.
const UNBOUNDED: (&str, &str) = (
    "m.lir",
    "model m;
    var x : int;
    init x = 0;
    command read: { x := any; assume x mod 2 = 0; }
    property even: invariant x mod 2 = 0;
    property alive: deadlock_free;
    property zero: invariant x = 0;",
);

/// The markings without a step are not upward-closed.
const NET: (&str, &str) =
    ("m.spec", "vars x y rules x >= 1 -> x' = x - 1, y' = y + 1; init x = 2, y = 0 target y >= 3");

fn load((path, text): (&str, &str), properties: &[&str]) -> Loaded {
    let properties: Vec<String> = properties.iter().map(|&name| name.to_owned()).collect();
    let request = LoadRequest { path: path.to_owned(), properties, ..LoadRequest::default() };
    open_text(&request, text.as_bytes().to_vec()).unwrap_or_else(|error| panic!("{}", error.render()))
}

fn answers(loaded: &Loaded, engine: EngineChoice) -> Vec<PropertyReport> {
    let request = CheckRequest { engine, jobs: 1, ..CheckRequest::default() };
    let report = check(loaded, &request, &Control::new());
    assert_eq!(report.internal_errors, Vec::<String>::new());
    report.properties
}

/// A verdict, or why there is none.
fn told(report: &PropertyReport) -> String {
    match &report.evidence {
        Evidence::Nothing(Reason::Refused(why)) => format!("refused: {why}"),
        Evidence::Nothing(Reason::Unsupported(why)) => format!("unsupported: {why}"),
        Evidence::Nothing(Reason::Stopped(_) | Reason::Diverging(_))
        | Evidence::Trace(_)
        | Evidence::Certificate(..) => report.verdict.name().to_owned(),
    }
}

fn all_told(loaded: &Loaded, engine: &str) -> Vec<String> {
    let entry = named(engine).expect("an engine");
    answers(loaded, EngineChoice::Named(entry)).iter().map(told).collect()
}

const WRITTEN_OUT: &str = "whether read can be taken depends on too many values of its inputs (m.lir:4:5)";

#[test]
fn a_deadlock_that_cannot_be_written_out_does_not_keep_other_properties_from_an_answer() {
    let loaded = load(UNBOUNDED, &["even", "alive", "zero"]);
    let refused = format!("refused: {WRITTEN_OUT}");
    assert_eq!(all_told(&loaded, "kinduction"), ["holds", &refused, "violated"]);
    assert_eq!(all_told(&loaded, "matching"), ["holds", &refused, "violated"]);
    // It would look for a violation of what holds for ever.
    let loaded = load(UNBOUNDED, &["alive", "zero"]);
    assert_eq!(all_told(&loaded, "bmc"), [refused, "violated".to_owned()]);
}

#[test]
fn a_property_that_every_engine_refuses_is_unsupported_whatever_else_is_asked() {
    let loaded = load(UNBOUNDED, &["even", "alive"]);
    let found = answers(&loaded, EngineChoice::Auto);
    assert_eq!(found[0].verdict, Verdict::Holds);
    assert!(told(&found[1]).starts_with("unsupported: "), "{}", told(&found[1]));
}

#[test]
fn engines_for_nets_take_what_is_upward_closed() {
    let loaded = load(NET, &["target", "deadlock_free"]);
    for (engine, why) in [
        ("backward", "deadlocks are not upward-closed"),
        ("forward", "deadlocks are not upward-closed"),
        ("lazy", "it does not look for deadlocks"),
    ] {
        assert_eq!(all_told(&loaded, engine), ["holds".to_owned(), format!("refused: {why}")], "{engine}");
    }
}

#[test]
fn a_property_with_no_goal_that_is_taken_is_refused_alone() {
    let loaded = load(UNBOUNDED, &["alive"]);
    assert_eq!(all_told(&loaded, "kinduction"), [format!("refused: {WRITTEN_OUT}")]);
}

#[test]
fn what_is_known_of_a_model_says_which_properties_an_engine_refuses() {
    let loaded = load(UNBOUNDED, &[]);
    let takes = engines(&loaded, &Control::new());
    let (_, refused) = takes.into_iter().find(|(engine, _)| *engine == "kinduction").expect("a row");
    let refused = refused.expect("there is no limit");
    let names: Vec<&str> =
        refused.iter().map(|(property, _)| &loaded.declared().properties[*property].name[..]).collect();
    assert_eq!(names, ["alive"]);
}
