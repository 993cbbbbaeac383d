//! What the explicit engine promises, one claim a test.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use lapidary_base::{Control, Event, Sink, Stop};
use lapidary_driver::{
    CheckRequest, EngineChoice, LoadRequest, Loaded, SearchDirection, SearchOrder, check, open_text,
};
use lapidary_engines::reach::EXPLICIT;
use lapidary_verdict::{Checked, Evidence, PropertyReport, Reason, Verdict};

fn load(text: &str, properties: &[&str]) -> Loaded {
    let properties: Vec<String> = properties.iter().map(|&name| name.to_owned()).collect();
    let all = properties.is_empty();
    let request = LoadRequest { path: "m.gcl".to_owned(), properties, ..LoadRequest::default() };
    let mut loaded = open_text(&request, text.as_bytes().to_vec()).unwrap_or_else(|error| panic!("{}", error.render()));
    if all {
        loaded.asked = loaded.declared().properties.ids().collect();
    }
    loaded
}

fn request(order: SearchOrder) -> CheckRequest {
    CheckRequest {
        engine: EngineChoice::Named(&EXPLICIT),
        order,
        direction: SearchDirection::Forward,
        jobs: 1,
        ..CheckRequest::default()
    }
}

fn answers(text: &str, properties: &[&str], control: &Control) -> Vec<PropertyReport> {
    check(&load(text, properties), &request(SearchOrder::BreadthFirst), control).properties
}

fn answer(text: &str) -> PropertyReport {
    answers(text, &["p"], &Control::new()).pop().expect("one answer")
}

fn reason(report: &PropertyReport) -> &Reason {
    match &report.evidence {
        Evidence::Nothing(reason) => reason,
        Evidence::Trace(_) | Evidence::Certificate(..) => panic!("{} was answered", report.verdict.name()),
    }
}

fn n_steps(report: &PropertyReport) -> usize {
    match &report.evidence {
        Evidence::Trace(trace) => trace.n_steps(),
        Evidence::Certificate(..) | Evidence::Nothing(_) => panic!("no trace: {}", report.verdict.name()),
    }
}

/// A counter that may grow by one or jump; depth-first search follows the first command.
const COUNTER: &str = "var x : 0..100 = 0;
    one: x < 100 -> x := x + 1;
    jump: x < 10 -> x := x + 50;
    invariant p: x < 60;
    deadlock_free d;";

#[test]
fn breadth_first_runs_are_shortest_and_depth_first_runs_are_runs() {
    let loaded = load(COUNTER, &["p"]);
    let steps = |order| n_steps(&check(&loaded, &request(order), &Control::new()).properties[0]);
    assert_eq!(steps(SearchOrder::BreadthFirst), 11);
    assert_eq!(steps(SearchOrder::DepthFirst), 60);
}

#[test]
fn one_search_answers_every_property_with_counts_of_its_own() {
    let found = answers(COUNTER, &[], &Control::new());
    let states: Vec<Option<u64>> = found.iter().map(|report| report.stats.count("states")).collect();
    let verdicts: Vec<Verdict> = found.iter().map(|report| report.verdict).collect();
    assert_eq!(verdicts, [Verdict::Violated, Verdict::Violated, Verdict::Holds]);
    assert!(states[0] < states[1], "the deadlock at 100 is found later than the violation at 60: {states:?}");
}

#[test]
fn an_overflow_is_unknown_and_names_the_command_and_its_place() {
    let found = answer("var x : int = 1;\ndouble: true -> x := x * 2;\ninvariant p: x > 0;");
    assert_eq!(found.verdict, Verdict::Unknown);
    assert_eq!(reason(&found), &Reason::Stopped(Stop::Overflow("in command double (m.gcl:2:1)".to_owned())));
    assert_eq!(found.known.as_deref(), Some("no violation within 62 steps (63 states)"));
}

#[test]
fn an_overflow_in_a_property_names_the_property() {
    let found = answer("var x : int = 4611686018427387904;\nstep: x < 0 -> skip;\ninvariant p: x * 2 > 0;");
    assert_eq!(reason(&found), &Reason::Stopped(Stop::Overflow("in property p".to_owned())));
}

#[test]
fn integers_beyond_64_bits_that_cancel_out_are_not_guessed() {
    let found = answer("var x : int = 9223372036854775807;\nstep: x + 1 > x -> skip;\ninvariant p: x > 0;");
    assert_eq!(found.verdict, Verdict::Unknown);
}

#[test]
fn an_unbounded_start_is_refused_with_its_place() {
    let found = answer("var x : int;\nstep: true -> skip;\ninvariant p: x = x;");
    assert_eq!(reason(&found), &Reason::Refused("variable x starts with any integer (m.gcl:1:5)".to_owned()));
}

#[test]
fn an_unbounded_start_that_init_determines_is_taken() {
    let text = "var x, y : int;\ninit x = y + 1 & y = 4;\nstep: x < 7 -> x := x + 1;\ninvariant p: x <= 7;";
    let found = answer(text);
    assert_eq!((found.verdict, found.stats.count("states")), (Verdict::Holds, Some(3)));
}

#[test]
fn an_unbounded_input_is_refused_with_its_place() {
    let found = answer("var x : int = 0;\nread: true -> x := input;\ninvariant p: x = x;");
    assert_eq!(reason(&found), &Reason::Refused("command read has an unbounded input (m.gcl:2:1)".to_owned()));
}

#[test]
fn inputs_count_once_for_each_choice() {
    let found = answer("var x, y : 0..2 = 0;\nread: true -> x := input, y := input;\ninvariant p: true;");
    assert_eq!(found.verdict, Verdict::Holds);
    let found = answer("var x, y : 0..2 = 0;\nread: true -> x := input, y := input;\ninvariant p: x <= 2;");
    let counts = |key| found.stats.count(key);
    assert_eq!((counts("states"), counts("transitions"), counts("depth")), (Some(9), Some(81), Some(1)));
}

#[test]
fn without_initial_states_everything_holds_and_a_warning_says_so() {
    let found = answer("var x : 0..3 = 0;\ninit x = 1;\nstep: true -> skip;\ninvariant p: x = 2;");
    assert_eq!(found.verdict, Verdict::Holds);
    assert_eq!(found.warnings, ["no state satisfies the initial condition, so the answer says nothing"]);
}

#[test]
fn a_command_that_is_never_enabled_gets_a_warning_but_single_instances_do_not() {
    let text =
        "var x : 0..3 = 0;\nstep[j in 0..3]: x = 0 & j < 2 -> x := j;\ndead: x = 3 -> skip;\ninvariant p: x <= 1;";
    assert_eq!(answer(text).warnings, ["command dead (line 3) is never enabled"]);
}

#[test]
fn a_reached_goal_does_not_count_where_evaluating_it_errs_elsewhere() {
    let text = "var x : 0..3 = 3;\ndown: x > 0 -> x := x - 1;\nreach p: 6 div x = 3;";
    let found = answer(text);
    assert_eq!((found.verdict, n_steps(&found)), (Verdict::Violated, 3));
    assert!(found.explanation.as_deref().is_some_and(|why| why.contains("division by zero")), "{found:?}");
}

#[test]
fn a_reached_goal_that_may_err_but_never_does_holds() {
    let found = answer("var x : 0..3 = 3;\ndown: x > 1 -> x := x - 1;\nreach p: 6 div x = 3;");
    assert_eq!((found.verdict, n_steps(&found)), (Verdict::Holds, 1));
}

#[test]
fn a_goal_reached_before_a_limit_is_unknown_when_erring_states_may_be_ahead() {
    let found = answer("var x : int = 1;\ntwice: true -> x := x * 2;\nreach p: 8 div (x - 3) = 8;");
    assert_eq!(found.verdict, Verdict::Unknown);
    assert_eq!(found.known.as_deref(), Some("reached in 2 steps, but evaluating it may err elsewhere"));
}

#[test]
fn a_deadline_that_has_passed_says_how_far_nothing_was_found() {
    let text = "var x : int = 0;\nup: true -> x := x + 1;\ninvariant p: x >= 0;\ndeadlock_free d;";
    let control = Control::new().with_timeout(Some(Duration::from_millis(30)));
    for found in answers(text, &["p", "d"], &control) {
        assert_eq!(reason(&found), &Reason::Stopped(Stop::Timeout));
        assert!(found.known.as_deref().is_some_and(|known| known.starts_with("no violation within ")), "{found:?}");
    }
}

/// Interrupts the run at the first heartbeat.
struct Interrupter(Arc<AtomicBool>);

impl Sink for Interrupter {
    fn event(&self, event: &Event) {
        if matches!(event, Event::Heartbeat { .. }) {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}

#[test]
fn a_run_that_is_interrupted_at_its_first_heartbeat_stops() {
    let flag = Arc::new(AtomicBool::new(false));
    let control = Control::new().with_cancel(Arc::clone(&flag)).with_sink(Box::new(Interrupter(flag)));
    let text = "var x : int = 0;\nup: true -> x := x + 1;\ninvariant p: x >= 0;";
    let report = check(&load(text, &["p"]), &request(SearchOrder::BreadthFirst), &control);
    assert!(report.interrupted);
    assert_eq!(reason(&report.properties[0]), &Reason::Stopped(Stop::Interrupted));
}

#[test]
fn states_of_several_words_are_searched_and_certified() {
    let text = "type T = 0..1000000000;\nvar a : T[5] = 0;\nvar k : 0..4 = 0;
        set: a[k] < 3 -> a[k] := a[k] + 1;\nmove: true -> k := (k + 1) mod 5;
        invariant p: (sum i in 0..4: a[i]) <= 15;";
    let found = answer(text);
    assert_eq!((found.verdict, found.stats.count("states")), (Verdict::Holds, Some(4u64.pow(5) * 5)));
    assert!(matches!(found.evidence, Evidence::Certificate(_, Checked::Fully)));
}

#[test]
fn every_bit_of_a_word_may_be_used() {
    let text = "var x : -9223372036854775808..9223372036854775807 = -1;
        up: x < 2 -> x := x + 1;\ninvariant p: x <= 2;";
    let found = answer(text);
    assert_eq!((found.verdict, found.stats.count("states")), (Verdict::Holds, Some(4)));
}

#[test]
fn states_whose_steps_were_not_listed_are_not_said_to_have_steps() {
    let text = "var s : 0..9;\nvar x : int = 9223372036854775807;
        boom: s = 0 -> x := x + 1;\ngo: s != 5 -> skip;\ndeadlock_free p;";
    let found = answer(text);
    assert_eq!((found.verdict, found.known), (Verdict::Unknown, None));
}

#[test]
fn a_state_that_could_not_be_judged_is_not_counted_as_fine() {
    let found = answer("var x : int = 9223372036854775807;\na: true -> skip;\ninvariant p: x + x > 0;");
    assert_eq!((found.verdict, found.known), (Verdict::Unknown, None));
}

#[test]
fn values_far_outside_a_domain_are_never_met() {
    let text = "var x : -10..10 = 0;\nc: x = 9223372036854775807 -> skip;\nd: x = 0 -> x := 1;\ninvariant p: x < 5;";
    assert_eq!(answer(text).verdict, Verdict::Holds);
}

#[test]
fn formulas_that_look_alike_are_asked_apart() {
    let text = "var x : 0..3 = 0;\nup: x < 3 -> x := x + 1;\ninvariant q: true;";
    let formulas = ["x <= 5 // c & x <= 1", "x <= 5 // c\n & x <= 1", " q "];
    let found = answers(text, &formulas, &Control::new());
    let verdicts: Vec<Verdict> = found.iter().map(|report| report.verdict).collect();
    assert_eq!(verdicts, [Verdict::Holds, Verdict::Violated, Verdict::Holds]);
}

#[test]
fn nested_quantifiers_over_one_fault_stay_small() {
    let text = "var x : 0..3 = 0;\nup: x < 3 -> x := x + 1;
        invariant p: forall i in 0..2: exists j in 0..2: forall k in 0..2: forall l in 0..2: 6 div x + i + j + k + l >= 0;";
    let found = answer(text);
    assert_eq!((found.verdict, n_steps(&found)), (Verdict::Violated, 0));
}

#[test]
fn a_property_that_needs_no_search_is_vacuous_too_without_initial_states() {
    let found = answer("var x : 0..3 = 0;\ninit x = 1;\nstep: true -> skip;\ninvariant p: true;");
    assert_eq!((found.verdict, found.warnings.len()), (Verdict::Holds, 1));
}

#[test]
fn instances_of_one_command_are_named_once() {
    let text =
        "var x : 0..3 = 0;\nprocess P(i : 0..2) {\n  a: x = 3 -> skip;\n  b: x = 2 -> skip;\n}\ninvariant p: x <= 2;";
    assert_eq!(answer(text).warnings, ["commands P[0].a (line 3), P[0].b (line 4) are never enabled"]);
}
