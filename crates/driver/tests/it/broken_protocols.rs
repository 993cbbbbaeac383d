//! Protocols in which one guard was dropped: every engine finds the violation, with a run that was replayed.

use lapidary_base::Control;
use lapidary_driver::cover::{Analysis, Heuristics};
use lapidary_driver::{CheckRequest, CoverOptions, EngineChoice, LoadRequest, Loaded, check, open_text};
use lapidary_engines::cover::{CEGAR, PCEGAR};
use lapidary_engines::reach::EXPLICIT;
use lapidary_engines::symbolic::BDD;
use lapidary_reference::surroundings::corpus_text;
use lapidary_verdict::{Evidence, Verdict};

lapidary_reference::with_corpus!(
    burns_without_looking_at_higher_processes,
    peterson_without_waiting,
    the_fast_algorithm_without_testing_y,
    the_bakery_without_comparing_tickets,
    lifts_that_go_up_with_open_doors,
);

/// No two processes in their critical sections; no door open where the lift is not.
fn property(model: &str, n: usize) -> String {
    let parts: Vec<String> = match model.starts_with("lift") {
        true => (0..n).map(|i| format!("(floors[{i}].door.opened => lift.floor = {i})")).collect(),
        false => (0..n).flat_map(|i| (i + 1..n).map(move |j| format!("~(p{i}.pc = crit & p{j}.pc = crit)"))).collect(),
    };
    parts.join(" & ")
}

/// What stands in the text, and what stands there instead.
type Drop = (&'static str, &'static str);

/// The model with a guard dropped.
fn broken(model: &str, (guard, instead): Drop) -> Loaded {
    let text = corpus_text(&format!("altarica/mutex/{model}.alt"));
    assert!(text.contains(guard), "{model} has the guard {guard}");
    let n: usize = model.trim_start_matches(char::is_alphabetic).parse().expect("a number in the name");
    let properties = vec![property(model, n)];
    let request = LoadRequest { path: format!("{model}.alt"), properties, ..LoadRequest::default() };
    let loaded = open_text(&request, text.replace(guard, instead).into_bytes());
    loaded.unwrap_or_else(|error| panic!("{}", error.render()))
}

/// Explicit search first: what it calls violated is.
fn requests() -> Vec<CheckRequest> {
    let plain = |engine| CheckRequest { engine, ..CheckRequest::default() };
    let mut requests = vec![plain(EngineChoice::Named(&EXPLICIT)), plain(EngineChoice::Named(&BDD))];
    for engine in [EngineChoice::Named(&CEGAR), EngineChoice::Named(&PCEGAR)] {
        for analysis in [Analysis::Forward, Analysis::Backward] {
            let heuristics = Heuristics { analysis, ..Heuristics::default() };
            let cover = CoverOptions { heuristics, ..CoverOptions::default() };
            requests.push(CheckRequest { engine, cover, ..CheckRequest::default() });
        }
    }
    requests
}

fn all_find_it(models: &[&str], drop: Drop) {
    for model in models {
        let loaded = broken(model, drop);
        for request in requests() {
            let report = check(&loaded, &request, &Control::new());
            let what = format!("{model}, {:?}, {:?}", request.engine, request.cover.heuristics.analysis);
            assert_eq!(report.internal_errors, Vec::<String>::new(), "{what}");
            assert_eq!(report.properties[0].verdict, Verdict::Violated, "{what}: {:?}", report.properties[0].evidence);
            assert!(matches!(report.properties[0].evidence, Evidence::Trace(_)), "{what}");
        }
    }
}

fn burns_without_looking_at_higher_processes() {
    all_find_it(&["burns2", "burns3"], ("pc = high & j < ", "pc = high & true | false & j < "));
}

fn peterson_without_waiting() {
    all_find_it(&["peterson2"], ("pc = wait & my = 1 &", "pc = wait & my = 1 | false &"));
    all_find_it(&["peterson3"], ("pc = wait & my = 2 &", "pc = wait & my = 2 | false &"));
}

fn the_fast_algorithm_without_testing_y() {
    all_find_it(&["fast2", "fast3"], ("pc = testy & y = 0 |- ok", "pc = testy |- ok"));
}

fn the_bakery_without_comparing_tickets() {
    all_find_it(&["bakery2"], ("pc = wnum & ~((j=1 & num[1] > 0 & (num[1] < my | num[1] = my & false)))", "pc = wnum"));
}

fn lifts_that_go_up_with_open_doors() {
    all_find_it(&["lift5", "lift6", "lift7", "lift8"], ("~door.opened |- up", "true |- up"));
}

/// A property with twenty atoms: a partition by all of them would have a million blocks.
#[test]
fn a_property_with_many_atoms_begins_with_fewer_blocks() {
    let bits: Vec<String> = (0..20).map(|place| format!("var b{place} : bool = false;")).collect();
    let steps: Vec<String> = (1..20).map(|place| format!("s{place}: b{} -> b{place} := true;", place - 1)).collect();
    let all: Vec<String> = (0..20).map(|place| format!("b{place}")).collect();
    let text = format!(
        "{}\n{}\ninvariant dark: !({});\ninvariant light: !({}) | b0;\n",
        bits.join("\n"),
        steps.join("\n"),
        all.join(" & "),
        all.join(" | ")
    );
    let request = LoadRequest { path: "chain.gcl".to_owned(), ..LoadRequest::default() };
    let mut loaded = open_text(&request, text.into_bytes()).unwrap_or_else(|error| panic!("{}", error.render()));
    loaded.asked =
        ["dark", "light"].iter().map(|name| loaded.declared().property(name).expect("it is there")).collect();
    for request in requests() {
        let report = check(&loaded, &request, &Control::new());
        let verdicts: Vec<Verdict> = report.properties.iter().map(|found| found.verdict).collect();
        assert_eq!(verdicts, [Verdict::Holds, Verdict::Holds], "{:?}", request.engine);
    }
}
