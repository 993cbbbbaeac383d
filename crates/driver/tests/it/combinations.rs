//! Properties that are made of others: what decides them, what is reported, and what was asked.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use lapidary_base::{Control, Event, Sink};
use lapidary_driver::{CheckRequest, EngineChoice, LoadRequest, Loaded, check, open_text};
use lapidary_engines::reach::EXPLICIT;
use lapidary_ir::{PropertyKind, print};
use lapidary_verdict::{Evidence, Report};

/// Two tokens go from `p` to `q`, one by one.
const NET: &str = "PLACE p, q; MARKING p: 2; TRANSITION t CONSUME p; PRODUCE q;";

/// What holds, and what does not.
const YES: [&str; 2] = ["(EF q = 2)", "(AG p <= 2)"];
const NO: [&str; 2] = ["(EF q = 3)", "(AG p >= 1)"];

fn loaded(formula: &str, asked: &[&str]) -> Loaded {
    let text = if formula.is_empty() { NET.to_owned() } else { format!("{NET} FORMULA {formula}") };
    let properties = asked.iter().map(|&text| text.to_owned()).collect();
    let request = LoadRequest { path: "m.lola".to_owned(), properties, ..LoadRequest::default() };
    let mut loaded = open_text(&request, text.into_bytes()).unwrap_or_else(|error| panic!("{}", error.render()));
    if asked.is_empty() {
        loaded.asked = loaded.declared().properties.ids().collect();
        loaded.combinations.ask_all();
    }
    loaded
}

fn report(loaded: &Loaded, each: Option<Duration>) -> Report {
    let request = CheckRequest { jobs: 1, timeout_each: each, ..CheckRequest::default() };
    let report = check(loaded, &request, &Control::new());
    assert_eq!(report.internal_errors, Vec::<String>::new());
    report
}

/// The lines: name, verdict and the part that decided.
fn lines(loaded: &Loaded, report: &Report) -> Vec<String> {
    let line = |one: &lapidary_verdict::PropertyReport| {
        let part = one.whole.as_ref().map(|whole| format!(" by {}", whole.part)).unwrap_or_default();
        format!("{} {}{part}", one.name(loaded.declared()), one.verdict.name())
    };
    report.properties.iter().map(line).collect()
}

fn told(formula: &str, asked: &[&str]) -> (Vec<String>, Vec<String>) {
    let loaded = loaded(formula, asked);
    let report = report(&loaded, None);
    let warnings = report.properties.iter().flat_map(|one| one.warnings.clone()).collect();
    (lines(&loaded, &report), warnings)
}

#[test]
fn a_part_decides_where_one_suffices() {
    let ([reach, always], [never, sometimes]) = (YES, NO);
    for (formula, expected) in [
        (format!("{reach} AND {sometimes}"), "formula violated by 2"),
        (format!("{never} AND {always}"), "formula violated by 1"),
        (format!("{always} OR {never}"), "formula holds by 1"),
        (format!("{sometimes} OR {reach}"), "formula holds by 2"),
        (format!("({sometimes} OR {reach}) AND {never}"), "formula violated by 3"),
        (format!("({sometimes} AND {reach}) OR {always}"), "formula holds by 3"),
        (format!("{reach} -> {sometimes} -> {never}"), "formula holds by 2"),
    ] {
        let (lines, warnings) = told(&formula, &[]);
        assert_eq!((lines, warnings), (vec![expected.to_owned()], Vec::new()), "{formula}");
    }
}

#[test]
fn otherwise_the_parts_are_reported_and_what_they_come_to_is_said() {
    let ([reach, always], [never, sometimes]) = (YES, NO);
    let head = "formula is left out, since none of its parts decides it alone: ";
    for (formula, lines, warning) in [
        (
            format!("{reach} AND {always}"),
            vec!["formula[1] holds", "formula[2] holds"],
            "formula[1] AND formula[2]; together they show that it holds",
        ),
        (
            format!("{never} OR {sometimes}"),
            vec!["formula[1] violated", "formula[2] violated"],
            "formula[1] OR formula[2]; together they show that it is violated",
        ),
        (
            format!("{reach} AND ({sometimes} OR {never})"),
            vec!["formula[1] holds", "formula[2] violated", "formula[3] violated"],
            "formula[1] AND (formula[2] OR formula[3]); together they show that it is violated",
        ),
    ] {
        let (found, warnings) = told(&formula, &[]);
        assert_eq!(
            (found, warnings),
            (lines.into_iter().map(str::to_owned).collect(), vec![format!("{head}{warning}")])
        );
    }
}

#[test]
fn the_whole_and_its_parts_can_be_asked_for() {
    let formula = format!("{} AND {}", YES[0], NO[1]);
    let lines = |asked: &[&str]| told(&formula, asked).0;
    assert_eq!(lines(&["formula"]), ["formula violated by 2"]);
    assert_eq!(lines(&["formula[1]"]), ["formula[1] holds"]);
    assert_eq!(lines(&["formula[2]", "formula"]), ["formula[2] violated", "formula violated by 2"]);
    assert_eq!(lines(&["formula", "EF p = 2"]), ["formula violated by 2", "EF p = 2 holds"]);
    // A formula of the command line may be a combination too.
    let typed = "(EF q = 2) AND (AG p >= 1)";
    assert_eq!(told("", &[typed, "EF  p = 2"]).0, [format!("{typed} violated by 2"), "EF p = 2 holds".to_owned()]);
}

#[test]
fn parts_that_take_too_long_do_not_matter_where_another_decides() {
    let loaded = loaded(&format!("{} AND {}", YES[0], NO[1]), &[]);
    let report = report(&loaded, Some(Duration::from_secs(20)));
    assert_eq!(lines(&loaded, &report), ["formula violated by 2"]);
    assert!(matches!(report.properties[0].evidence, Evidence::Trace(_)));
}

/// Counts properties that engines begin with.
struct Begun(Arc<AtomicUsize>);

impl Sink for Begun {
    fn event(&self, event: &Event) {
        self.0.fetch_add(usize::from(matches!(event, Event::PropertyStart { .. })), Ordering::Relaxed);
    }
}

#[test]
fn parts_that_no_longer_matter_get_no_time_of_their_own() {
    let begun = |formula: String, asked: &[&str]| {
        let (loaded, begun) = (loaded(&formula, asked), Arc::new(AtomicUsize::new(0)));
        let each = Some(Duration::from_secs(20));
        let request =
            CheckRequest { jobs: 1, timeout_each: each, engine: EngineChoice::Named(&EXPLICIT), ..Default::default() };
        let report = check(&loaded, &request, &Control::new().with_sink(Box::new(Begun(Arc::clone(&begun)))));
        (lines(&loaded, &report), begun.load(Ordering::Relaxed))
    };
    let formula = || format!("{} AND {} AND {}", NO[0], YES[1], YES[0]);
    assert_eq!(begun(formula(), &[]), (vec!["formula violated by 1".to_owned()], 1));
    assert_eq!(begun(formula(), &["formula", "formula[3]"]).1, 2);
    assert_eq!(begun(format!("{} AND {}", YES[0], NO[1]), &[]).1, 2);
}

#[test]
fn blanks_make_no_other_formula() {
    let (lines, _) = told("", &["EF q = 2", "EF  q  = 2", "AG p <= 2"]);
    assert_eq!(lines, ["EF q = 2 holds", "AG p <= 2 holds"]);
}

#[test]
fn what_is_left_out_is_told_where_it_was_asked_for() {
    let open = |asked: &[&str]| {
        let properties = asked.iter().map(|&text| text.to_owned()).collect();
        let request = LoadRequest { path: "m.lola".to_owned(), properties, ..LoadRequest::default() };
        open_text(&request, format!("{NET} FORMULA EF q = 2 ANALYSE PLACE q").into_bytes()).ok().expect("a model")
    };
    let left_out = "ANALYSE PLACE q";
    assert_eq!(open(&[]).left_out, [left_out]);
    assert_eq!(open(&["formula"]).left_out, [""; 0]);
    let asked = open(&["formula", left_out]);
    assert_eq!((asked.asked.len(), &asked.left_out[..]), (1, &[left_out.to_owned()][..]));
    let alone = open(&[left_out]);
    assert_eq!((alone.asked.len(), alone.left_out.len()), (0, 1));
}

#[test]
fn what_is_no_condition_on_one_state_is_no_predicate() {
    for predicate in ["(EF p = 1) AND (AG q = 1)", "NOT DEADLOCK"] {
        let predicates = vec![predicate.to_owned()];
        let request = LoadRequest { path: "m.lola".to_owned(), predicates, ..LoadRequest::default() };
        let error = open_text(&request, NET.as_bytes().to_vec()).err().expect("it is refused");
        assert!(error.render().contains("a predicate is a condition on one state"), "{}", error.render());
    }
}

/// What is shown and proposed must mean what was checked: operators may be written without blanks.
#[test]
fn what_was_put_together_means_the_same_when_it_is_read_again() {
    let meaning = |formula: &str| {
        let loaded = loaded("", &[formula]);
        let property = &loaded.declared().properties[loaded.asked[0]];
        let shown = match property.kind {
            PropertyKind::Invariant(expr) => format!("always {}", print::show(loaded.declared(), expr)),
            PropertyKind::Reach(expr) => format!("reach {}", print::show(loaded.declared(), expr)),
            _ => panic!("{formula} asks about states"),
        };
        (shown, property.text.clone())
    };
    for formula in ["(AG p=2->q=0) AND (AG q<=1)", "(EF p=2<->q=3) OR (EF q=1)", "(EF p=3) OR (EF FIREABLE(t))"] {
        let (shown, text) = meaning(formula);
        assert_eq!(meaning(&text).0, shown, "{formula}: {text}");
    }
}
