//! A start that leads nowhere: whoever answers says that the answer is about nothing.

use lapidary_base::Control;
use lapidary_driver::{CheckRequest, EngineChoice, LoadRequest, check, open_text};
use lapidary_engines::register::named;
use lapidary_verdict::{Vacuity, Verdict};

const NOWHERE: &str = "model m;
    var x : 0..3;
    init x = 0;
    start assume x = 1;
    command up: { assume x < 3; x := x + 1; }
    property p: invariant x < 2;
    property always: invariant x = x;
    property never: reach x = 3;";

fn verdicts(text: &str, properties: &[&str], engine: &str) -> Vec<(Verdict, Option<Vacuity>)> {
    let properties: Vec<String> = properties.iter().map(|&name| name.to_owned()).collect();
    let request = LoadRequest { path: "m.lir".to_owned(), properties, ..LoadRequest::default() };
    let loaded = open_text(&request, text.as_bytes().to_vec()).unwrap_or_else(|error| panic!("{}", error.render()));
    let engine = EngineChoice::Named(named(engine).expect("an engine"));
    let request = CheckRequest { engine, jobs: 1, ..CheckRequest::default() };
    let report = check(&loaded, &request, &Control::new());
    report.properties.iter().map(|property| (property.verdict, property.vacuous)).collect()
}

#[test]
fn every_engine_says_that_there_is_no_initial_state() {
    let nothing = Some(Vacuity::NoInitialState);
    let expected =
        [(Verdict::Holds, nothing), (Verdict::Holds, nothing), (Verdict::Violated, None), (Verdict::Holds, nothing)];
    for engine in ["explicit", "bdd", "cegar", "pcegar", "kinduction", "bmc", "matching"] {
        assert_eq!(verdicts(NOWHERE, &["p", "always", "never", "true"], engine), expected, "{engine}");
    }
}

#[test]
fn a_start_that_leads_somewhere_is_not_taken_for_one_that_does_not() {
    let somewhere = NOWHERE.replace("assume x = 1", "x := 1").replace("x < 2", "x < 4");
    for engine in ["explicit", "bdd", "kinduction", "matching"] {
        assert_eq!(verdicts(&somewhere, &["p", "true"], engine), [(Verdict::Holds, None); 2], "{engine}");
    }
}
