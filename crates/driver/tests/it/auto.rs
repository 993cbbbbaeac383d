//! The portfolio with its real budgets: models that are too large for the first one.

use lapidary_base::{Control, Stop};
use lapidary_driver::{CheckRequest, EngineChoice, LoadRequest, Loaded, check, open_text};
use lapidary_engines::reach::EXPLICIT;
use lapidary_engines::reach::{Config, ExplicitEngine};
use lapidary_engines::symbolic::{self, BddEngine, Direction};
use lapidary_engines::{Answer, Engine, Outcome, Target, Task, goals};
use lapidary_verdict::{Report, Verdict};

/// A million states and more, with a violation far beyond the first budget and one within it.
const GRID: &str = "var x : 0..1023 = 0; var y : 0..1023 = 0;
    right: x < 1023 -> x := x + 1;
    up: y < 1023 -> y := y + 1;
    invariant near: x + y < 20;
    invariant far: x + y < 2000;
    invariant inside: x <= 1023 & y <= 1023 & x + y >= 0;";

fn loaded(text: &str) -> Loaded {
    let request = LoadRequest { path: "m.gcl".to_owned(), ..LoadRequest::default() };
    let Ok(mut loaded) = open_text(&request, text.into()) else { panic!("the model is fine") };
    loaded.asked = loaded.declared().properties.ids().collect();
    loaded
}

fn verdicts(report: &Report) -> Vec<Verdict> {
    report.properties.iter().map(|finding| finding.verdict).collect()
}

#[test]
fn whoever_answers_says_what_explicit_would() {
    let loaded = loaded(GRID);
    let explicit = CheckRequest { engine: EngineChoice::Named(&EXPLICIT), ..CheckRequest::default() };
    let expected = verdicts(&check(&loaded, &explicit, &Control::new()));
    assert_eq!(expected[..3], [Verdict::Violated, Verdict::Violated, Verdict::Holds]);
    for jobs in [1, 2] {
        let request = CheckRequest { jobs, ..CheckRequest::default() };
        let report = check(&loaded, &request, &Control::new());
        assert_eq!(verdicts(&report), expected, "{jobs} threads");
        assert!(report.internal_errors.is_empty(), "{:?}", report.internal_errors);
        assert_eq!(report.properties[0].engine, "explicit");
        assert!(report.properties[1].chosen_because.is_some(), "a portfolio says why");
    }
}

/// Unbounded by its type, finite all the same: whoever answers, the answer is there.
#[test]
fn a_counter_without_bounds_that_stops_is_decided() {
    let loaded = loaded("var x : int = 0; up: x < 700000 -> x := x + 1; invariant low: x <= 700000;");
    for jobs in [1, 2] {
        let request = CheckRequest { jobs, ..CheckRequest::default() };
        let report = check(&loaded, &request, &Control::new());
        assert!(verdicts(&report).iter().all(|&verdict| verdict == Verdict::Holds), "{jobs} threads");
    }
}

fn answer(engine: &dyn Engine, loaded: &Loaded) -> Answer {
    let model = loaded.declared();
    let exprs = &model.exprs;
    let x = exprs.var(model.vars.ids().next().expect("a variable"));
    let targets = [Target::States(exprs.eq(x, exprs.int(1023)))];
    let task = Task { subject: &loaded.subject, goals: &goals(&targets), sources: &loaded.sources };
    engine.run(&task, &Control::new()).remove(0)
}

#[test]
fn a_spent_budget_is_told_apart_from_other_ends_and_what_is_known_is_said() {
    let loaded = loaded(GRID);
    let explicit = ExplicitEngine { config: Config { most_states: Some(5000), ..Config::default() } };
    let Answer { outcome, stats, known, .. } = answer(&explicit, &loaded);
    assert!(
        matches!(&outcome, Outcome::Unknown(stop) if *stop == Stop::Budget("5000 states".to_owned())),
        "{outcome:?}"
    );
    assert!(stats.count("states").is_some_and(|states| (5000..6000).contains(&states)), "{stats:?}");
    assert!(known.is_some_and(|known| known.text.starts_with("within ")));
    let bdd =
        |most_nodes| BddEngine { config: symbolic::Config { direction: Direction::Forward, threads: 1, most_nodes } };
    let outcome = answer(&bdd(Some(64)), &loaded).outcome;
    assert!(matches!(&outcome, Outcome::Unknown(Stop::Budget(_))), "{outcome:?}");
    assert!(matches!(answer(&bdd(None), &loaded).outcome, Outcome::Found(_)));
}
