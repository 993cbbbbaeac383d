//! Portfolios of engines that do as they are told: lie, refuse, hang, give up, answer.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use lapidary_base::event::Iteration;
use lapidary_base::{Event, Sink, Stop};
use lapidary_engines::induction::KINDUCTION;
use lapidary_engines::reach::EXPLICIT;
use lapidary_engines::{Answer, Engine, Outcome, Prepared, Refused, Task, Tell};
use lapidary_ir::{Action, CommandId};
use lapidary_verdict::{Certificate, Enumeration, Evidence, Reason, Stats, Trace, Verdict};

use super::*;
use crate::load::{LoadRequest, open_text};
use crate::request::EngineChoice;
use lapidary_engines::register::{Budget, Finds, Taking};

const MODEL: &str = "var x : 0..3 = 0;
    up: x < 3 -> x := x + 1;
    invariant low: x < 3;
    invariant fine: x <= 3 & x >= 0 | x = 0;";

fn loaded() -> Loaded {
    let request = LoadRequest { path: "m.gcl".to_owned(), ..LoadRequest::default() };
    let Ok(mut loaded) = open_text(&request, MODEL.into()) else { panic!("the model is fine") };
    loaded.asked = ["low", "fine"].iter().map(|name| loaded.declared().property(name).expect("declared")).collect();
    loaded
}

/// Whether it takes the task, and what it says of a target.
type Accepts = fn() -> Result<(), Refused>;
type Says = Arc<dyn Fn(&str, Option<u64>, &Control) -> (Outcome, u64) + Send + Sync>;

struct Scripted {
    name: &'static str,
    accepts: Accepts,
    says: Says,
    budget: Option<u64>,
    log: Log,
}

/// Which engine ran, with which budget, on what.
type Log = Arc<Mutex<Vec<String>>>;

impl Engine for Scripted {
    fn name(&self) -> &'static str {
        self.name
    }

    fn prepare<'t>(&'t self, task: &'t Task<'t>, _: &Control) -> Result<Box<dyn Prepared + 't>, Refused> {
        (self.accepts)()?;
        Ok(Box::new(Ready { script: self, task }))
    }
}

struct Ready<'t> {
    script: &'t Scripted,
    task: &'t Task<'t>,
}

impl Prepared for Ready<'_> {
    fn run(self: Box<Self>, control: &Control, tell: &mut Tell<'_>) {
        tell(self.script.answers(self.task, control).into_iter().enumerate().collect());
    }
}

impl Scripted {
    fn answers(&self, task: &Task<'_>, control: &Control) -> Vec<Answer> {
        let budget = self.budget.map_or("all".to_owned(), |budget| budget.to_string());
        let properties = &task.subject.declared().properties;
        let names: Vec<&str> = task.goals.iter().map(|goal| &properties[goal.property].name[..]).collect();
        self.log.lock().expect("no test panics").push(format!("{} {budget} {}", self.name, names.join("+")));
        let answer = |name: &&str| {
            let (outcome, work) = (self.says)(name, self.budget, control);
            let stats = Stats { counts: vec![("work", work)], ..Stats::default() };
            Answer { outcome, stats, known: None, never_enabled: Vec::new() }
        };
        names.iter().map(answer).collect()
    }
}

fn contender<'a>(
    name: &'static str,
    taking: Taking,
    log: &Log,
    says: impl Fn(&str, Option<u64>, &Control) -> (Outcome, u64) + Send + Sync + 'static,
) -> Contender<'a> {
    accepting(name, taking, log, || Ok(()), says)
}

fn accepting<'a>(
    name: &'static str,
    taking: Taking,
    log: &Log,
    accepts: Accepts,
    says: impl Fn(&str, Option<u64>, &Control) -> (Outcome, u64) + Send + Sync + 'static,
) -> Contender<'a> {
    let (says, log): (Says, Log) = (Arc::new(says), Arc::clone(log));
    let budget = Budget { first: 10, growth: 1, counts: &["work"] };
    let make: contenders::Make<'a> = Box::new(move |budget, _| {
        let budget = (budget < u64::MAX).then_some(budget);
        Box::new(Scripted { name, accepts, says: Arc::clone(&says), budget, log: Arc::clone(&log) })
    });
    Contender { name, taking, finds: Finds::ShortestRun, budget, slice: 100, first: 400, n_passed: 0, make }
}

fn refuse() -> Result<(), Refused> {
    Err(Refused::what("it has a clock"))
}

fn truth(name: &str) -> Outcome {
    match name {
        "low" => trace(&[0, 1, 2, 3]),
        _ => listed(&[0, 1, 2, 3]),
    }
}

fn trace(states: &[i64]) -> Outcome {
    let actions = vec![Action::Command(CommandId(0)); states.len() - 1];
    let states = states.iter().map(|&x| vec![x].into()).collect();
    Outcome::Found(Trace { states, actions, loop_start: None })
}

fn listed(states: &[u64]) -> Outcome {
    let field = lapidary_verdict::Field { word: 0, shift: 0, bits: 2, lo: 0 };
    let layout = lapidary_verdict::Layout { fields: [field].into_iter().collect(), words: 1 };
    let set = Enumeration { layout, chunks: vec![states.to_vec()], n_states: states.len() };
    Outcome::Excluded(Certificate::Enumeration(Arc::new(set)))
}

fn nothing() -> Outcome {
    Outcome::Unknown(Stop::Incomplete("no more ideas".to_owned()))
}

/// Waits until it is cancelled.
fn hang(control: &Control) -> Outcome {
    loop {
        if let Err(stop) = control.check() {
            return Outcome::Unknown(stop);
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn planned(contenders: Vec<Contender<'_>>) -> Plan<'_> {
    Plan { contenders, because: "x is small".to_owned() }
}

fn run_all(plan: &Plan<'_>, loaded: &Loaded, request: &CheckRequest, control: &Control) -> Report {
    run(plan, loaded, &loaded.asked, request, control)
}

fn told(contenders: Vec<Contender<'_>>, jobs: usize) -> Report {
    let plan = planned(contenders);
    let request = CheckRequest { jobs, ..CheckRequest::default() };
    run_all(&plan, &loaded(), &request, &Control::new())
}

fn verdicts(report: &Report) -> Vec<(&'static str, &'static str)> {
    report.properties.iter().map(|finding| (finding.verdict.name(), finding.engine)).collect()
}

fn logged(log: &Log) -> Vec<String> {
    log.lock().expect("no test panics").clone()
}

#[test]
fn who_answers_first_needs_nobody_else() {
    let log = Log::default();
    let first = contender("first", Taking::Together, &log, |name, _, _| (truth(name), 1));
    let other = contender("other", Taking::Together, &log, |name, _, _| (truth(name), 1));
    let report = told(vec![first, other], 2);
    assert_eq!(verdicts(&report), [("violated", "first"), ("holds", "first")]);
    assert_eq!(logged(&log), ["first all low+fine"]);
    let because = "first answered within its head start";
    assert!(report.properties.iter().all(|finding| finding.chosen_because.as_deref() == Some(because)));
}

/// Looks at the limits so many times, and says who did.
fn work(log: &Log, name: &str, n: usize, control: &Control) {
    for _ in 0..n {
        log.lock().expect("no test panics").push(name.to_owned());
        if control.check().is_err() {
            return;
        }
    }
}

/// Nobody holds all of the run, and nobody begins anew.
#[test]
fn engines_take_turns_in_the_middle_of_their_work() {
    for _ in 0..5 {
        let (log, steps) = (Log::default(), Log::default());
        let toiling = |name: &'static str, n: usize| {
            let steps = Arc::clone(&steps);
            let toil = contender(name, Taking::Together, &log, move |property, _, control| {
                work(&steps, name, if property == "low" { n } else { 0 }, control);
                (if name == "b" { truth(property) } else { nothing() }, 1)
            });
            Contender { slice: 4, first: 24, ..toil }
        };
        let report = told(vec![toiling("a", 1000), toiling("b", 33), toiling("c", 1000)], 1);
        assert_eq!(verdicts(&report), [("violated", "b"), ("holds", "b")]);
        let taken = logged(&steps).concat();
        let first = ["a", "b", "c"].map(|name| name.repeat(24)).concat();
        assert!(taken.starts_with(&format!("{first}aaaabbbbccccaaaabbbbccccaaaab")), "{taken}");
        assert!(taken.len() < 120, "whoever is not needed any more ends: {taken}");
        assert_eq!(logged(&log), ["a all low+fine", "b all low+fine", "c all low+fine"]);
    }
}

#[test]
fn several_things_to_do_share_budgets_that_grow() {
    let log = Log::default();
    let first = contender("first", Taking::Together, &log, |_, _, _| (nothing(), 0));
    // Gets on up to its third budget, and has no more ideas then.
    let short = |_: &str, budget: Option<u64>, _: &Control| (nothing(), budget.unwrap_or(u64::MAX).min(30));
    let one = contender("one", Taking::Loops, &log, short);
    let two = contender("two", Taking::OneByOne, &log, |name, budget, _| match (name, budget) {
        ("low", None | Some(80..)) | ("fine", None | Some(20..)) => (truth(name), 1),
        (_, budget) => (nothing(), budget.unwrap_or(0)),
    });
    let report = told(vec![first, one, two], 1);
    assert_eq!(verdicts(&report), [("violated", "two"), ("holds", "two")]);
    let expected = ["first all low+fine", "one 10 low+fine", "one 20 low+fine", "one 40 low+fine"];
    let later = ["two 10 low", "two 10 fine", "two 20 low", "two 20 fine", "two all low"];
    assert_eq!(logged(&log), [&expected[..], &later].concat());
    let because = "x is small: two answered first (first gave up: no more ideas, one gave up: no more ideas)";
    assert_eq!(report.properties[0].chosen_because.as_deref(), Some(because));
}

#[test]
fn a_refusal_is_passed_over_and_kept_for_the_report() {
    for jobs in [1, 2] {
        let log = Log::default();
        let first = accepting("first", Taking::Together, &log, refuse, |_, _, _| (nothing(), 0));
        let one = accepting("one", Taking::Together, &log, refuse, |_, _, _| (nothing(), 0));
        let two = contender("two", Taking::Together, &log, |name, _, _| (truth(name), 1));
        let report = told(vec![first, one, two], jobs);
        assert_eq!(verdicts(&report), [("violated", "two"), ("holds", "two")]);
        let refused = "refused: it has a clock";
        let because = format!("x is small: two answered first (first {refused}, one {refused})");
        // Beside the other, one may not have begun.
        assert!(jobs == 2 || report.properties[0].chosen_because == Some(because));
    }
}

#[test]
fn what_all_refuse_is_unsupported() {
    for jobs in [1, 2] {
        let log = Log::default();
        let refusing = |name| accepting(name, Taking::Together, &log, refuse, |_, _, _| (nothing(), 0));
        let report = told(vec![refusing("first"), refusing("one"), refusing("two")], jobs);
        let why = "it has a clock".to_owned();
        for finding in &report.properties {
            assert!(matches!(&finding.evidence, Evidence::Nothing(Reason::Unsupported(told)) if *told == why));
        }
        assert_eq!(logged(&log), Vec::<String>::new());
    }
}

#[test]
fn a_lie_is_an_internal_error_and_the_truth_is_still_found() {
    for jobs in [1, 2] {
        let log = Log::default();
        let first = contender("first", Taking::Together, &log, |_, _, _| (nothing(), 0));
        let liar = contender("liar", Taking::Together, &log, |_, _, _| (listed(&[0, 1, 2]), 1));
        let told_later = contender("honest", Taking::Together, &log, |name, _, _| (truth(name), 1));
        let report = told(vec![first, liar, told_later], jobs);
        assert_eq!(verdicts(&report), [("violated", "honest"), ("holds", "honest")]);
        // Beside the other the liar may come too late to be heard, about one property or both.
        let n_heard = report.internal_errors.len();
        assert!(n_heard == 2 || jobs == 2 && n_heard < 2, "{:?}", report.internal_errors);
    }
}

#[test]
fn a_lie_alone_becomes_no_verdict() {
    let log = Log::default();
    let first = contender("first", Taking::Together, &log, |_, _, _| (nothing(), 0));
    let liar = contender("liar", Taking::Together, &log, |_, budget, _| (listed(&[0, 1, 2]), budget.unwrap_or(0)));
    let report = told(vec![first, liar], 2);
    assert_eq!(verdicts(&report), [("unknown", "auto"), ("unknown", "auto")]);
    assert_eq!(report.internal_errors.len(), 2);
}

#[test]
fn the_first_certified_answer_wins_and_cancels_the_other() {
    for turned in [false, true] {
        let log = Log::default();
        let first = contender("first", Taking::Together, &log, |_, _, _| (nothing(), 0));
        let cancelled = Arc::new(AtomicBool::new(false));
        let saw = Arc::clone(&cancelled);
        let stuck = contender("stuck", Taking::Loops, &log, move |_, _, control| {
            let outcome = hang(control);
            saw.store(true, Ordering::Relaxed);
            (outcome, 3)
        });
        let quick = contender("quick", Taking::Together, &log, |name, _, _| (truth(name), 1));
        let [one, other] = if turned { [quick, stuck] } else { [stuck, quick] };
        let report = told(vec![first, one, other], 2);
        assert_eq!(verdicts(&report), [("violated", "quick"), ("holds", "quick")]);
        assert!(!report.interrupted && report.internal_errors.is_empty());
        let ran = logged(&log).iter().any(|line| line.starts_with("stuck"));
        assert_eq!(cancelled.load(Ordering::Relaxed), ran, "who ran was cancelled");
    }
}

/// Nobody has an idea about `fine`; the engine that is stuck with `low` must not be waited for once that is settled.
#[test]
fn who_is_stuck_with_what_another_has_settled_is_cancelled() {
    let log = Log::default();
    let first = contender("first", Taking::Together, &log, |_, _, _| (nothing(), 0));
    let (begun, seen) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
    let (begins, sees) = (Arc::clone(&begun), Arc::clone(&seen));
    let stuck = contender("stuck", Taking::OneByOne, &log, move |name, _, control| match name {
        "low" => {
            begins.store(true, Ordering::Relaxed);
            (hang(control), 0)
        }
        _ => (nothing(), 0),
    });
    let quick = contender("quick", Taking::OneByOne, &log, move |name, _, control| match name {
        "low" => {
            while !begun.load(Ordering::Relaxed) && control.check().is_ok() {
                std::thread::sleep(Duration::from_millis(1));
            }
            sees.store(begun.load(Ordering::Relaxed), Ordering::Relaxed);
            (truth(name), 1)
        }
        _ => (nothing(), 0),
    });
    let plan = planned(vec![first, stuck, quick]);
    let request = CheckRequest { jobs: 2, ..CheckRequest::default() };
    let control = Control::new().with_timeout(Some(Duration::from_secs(20)));
    let report = run_all(&plan, &loaded(), &request, &control);
    assert!(seen.load(Ordering::Relaxed), "the stuck one has begun");
    assert_eq!(verdicts(&report), [("violated", "quick"), ("unknown", "auto")]);
    let Evidence::Nothing(Reason::Stopped(stop)) = &report.properties[1].evidence else { panic!("nobody answers") };
    assert!(matches!(stop, Stop::Incomplete(_)), "{stop:?}");
}

#[test]
fn how_far_induction_came_is_told() {
    let request = LoadRequest { path: "m.gcl".to_owned(), ..LoadRequest::default() };
    let text = "var x : int = 0;\nup: x < 9 -> x := x + 1;\ninvariant low: x < 9;";
    let Ok(mut loaded) = open_text(&request, text.into()) else { panic!("the model is fine") };
    loaded.asked = loaded.declared().properties.ids().collect();
    let log = Log::default();
    let first = contender("first", Taking::Together, &log, |_, _, _| (nothing(), 0));
    let make: contenders::Make<'_> = Box::new(|_, request| request.make(&KINDUCTION, &loaded, Some(4), None));
    let budget = Budget { first: 10, growth: 1, counts: &["queries"] };
    let finds = Finds::ShortestRun;
    let induction = Contender {
        name: "kinduction",
        taking: Taking::Together,
        finds,
        budget,
        slice: 1000,
        first: 1000,
        n_passed: 0,
        make,
    };
    let run_to_nine: Vec<i64> = (0..=9).collect();
    let quick = contender("quick", Taking::Together, &log, move |_, _, _| (trace(&run_to_nine), 1));
    let plan = planned(vec![first, induction, quick]);
    let report = run_all(&plan, &loaded, &CheckRequest::default(), &Control::new());
    let because = report.properties[0].chosen_because.as_deref().expect("a portfolio says why");
    assert!(because.contains("quick answered first (") && because.contains("kinduction was at k = "), "{because}");
}

#[test]
fn each_property_is_settled_by_whoever_can() {
    let log = Log::default();
    let first = contender("first", Taking::Together, &log, |_, _, _| (nothing(), 0));
    let only = |wanted: &'static str| {
        move |name: &str, _: Option<u64>, _: &Control| (if name == wanted { truth(name) } else { nothing() }, 1)
    };
    let low = contender("lower", Taking::OneByOne, &log, only("low"));
    let fine = contender("finer", Taking::Loops, &log, only("fine"));
    let report = told(vec![first, low, fine], 2);
    assert_eq!(verdicts(&report), [("violated", "lower"), ("holds", "finer")]);
}

#[test]
fn an_answer_whose_check_was_stopped_does_not_win() {
    let log = Log::default();
    let first = contender("first", Taking::Together, &log, |_, _, _| (nothing(), 0));
    let hasty = contender("hasty", Taking::Together, &log, |name, _, control| {
        control.cancel();
        (truth(name), 1)
    });
    let report = told(vec![first, hasty], 1);
    let fine = &report.properties[1];
    assert_eq!((fine.verdict, report.internal_errors.len()), (Verdict::Unknown, 0));
}

#[test]
fn the_deadline_is_for_the_whole() {
    for jobs in [1, 2] {
        let log = Log::default();
        let first = contender("first", Taking::Together, &log, |_, _, _| (nothing(), 0));
        let stuck = |name| contender(name, Taking::Together, &log, |_, _, control| (hang(control), 0));
        let plan = planned(vec![first, stuck("one"), stuck("two")]);
        let request = CheckRequest { jobs, ..CheckRequest::default() };
        let control = Control::new().with_timeout(Some(Duration::from_millis(30)));
        let report = run_all(&plan, &loaded(), &request, &control);
        for finding in &report.properties {
            assert!(matches!(finding.evidence, Evidence::Nothing(Reason::Stopped(Stop::Timeout))));
        }
    }
}

#[test]
fn an_unknown_answer_says_what_became_of_everyone() {
    let log = Log::default();
    let first = contender("first", Taking::Together, &log, |_, _, _| (nothing(), 0));
    let one = accepting("one", Taking::Together, &log, refuse, |_, _, _| (nothing(), 0));
    let two = contender("two", Taking::Together, &log, |_, _, _| (nothing(), 0));
    let report = told(vec![first, one, two], 1);
    let Evidence::Nothing(reason) = &report.properties[0].evidence else { panic!("nobody answers") };
    let expected = "no engine came to an answer: first: no more ideas; one refuses: it has a clock; two: no more ideas";
    assert_eq!((reason.to_string().as_str(), report.properties[0].engine), (expected, "auto"));
}

#[test]
fn two_certified_answers_must_agree() {
    let loaded = loaded();
    let property = loaded.asked[0];
    let request = CheckRequest::default();
    let control = Control::new();
    let mut attempt = Attempt::new(&loaded, "one", &request, &control);
    attempt.nothing(property, Reason::Stopped(Stop::Interrupted));
    let finding = attempt.findings.remove(0);
    let board = Board::new(1, Instant::now());
    for (verdict, n_errors) in [(Verdict::Holds, 0), (Verdict::Holds, 0), (Verdict::Unknown, 0), (Verdict::Violated, 1)]
    {
        board.take(Price::All, 0, PropertyReport { verdict, ..finding.clone() });
        assert_eq!(board.n_errors(), n_errors, "{verdict:?}");
    }
}

/// Remembers the starts and the iterations.
#[derive(Clone, Default)]
struct Heard(Arc<Mutex<Vec<String>>>);

impl Sink for Heard {
    fn event(&self, event: &Event) {
        let line = match event {
            Event::PropertyStart { name, engine } => format!("{name} {engine}"),
            Event::Iteration(iteration) => iteration.i.to_string(),
            _ => return,
        };
        self.0.lock().expect("no test panics").push(line);
    }
}

#[test]
fn every_engine_that_tries_a_property_is_announced() {
    let log = Log::default();
    let first = contender("first", Taking::Together, &log, |name, _, _| match name {
        "low" => (truth(name), 1),
        _ => (nothing(), 0),
    });
    let other = contender("other", Taking::Together, &log, |name, _, _| (truth(name), 1));
    let plan = planned(vec![first, other]);
    let heard = Heard::default();
    let control = Control::new().with_sink(Box::new(heard.clone()));
    run_all(&plan, &loaded(), &CheckRequest::default(), &control);
    assert_eq!(*heard.0.lock().expect("no test panics"), ["low first", "fine first", "fine other"]);
}

#[test]
fn iterations_belong_to_the_start_before_them() {
    let heard = Heard::default();
    let control = Control::new().with_sink(Box::new(heard.clone()));
    let children = sink::children(&control, 2);
    let start = |child: usize, name: &str| {
        children[child].emit(&Event::PropertyStart { name: name.to_owned(), engine: format!("e{child}") });
    };
    let iterate = |child: usize, i| children[child].emit(&Event::Iteration(Iteration { i, ..Iteration::default() }));
    start(0, "a");
    start(1, "b");
    iterate(0, 1);
    iterate(0, 2);
    iterate(1, 1);
    start(1, "c");
    iterate(0, 3);
    let expected = ["a e0", "b e1", "a e0", "1", "2", "b e1", "1", "c e1", "a e0", "3"];
    assert_eq!(*heard.0.lock().expect("no test panics"), expected);
}

/// The real engines on the gallery: with a first budget that settles nothing, one thread and two agree with `explicit`.
#[test]
fn the_gallery_has_the_same_verdicts_whoever_answers() {
    let examples = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");
    for name in ["burns", "dekker", "buffer", "philosophers", "token_ring", "ticket", "peterson"] {
        let request = LoadRequest { path: format!("{examples}/{name}.gcl"), ..LoadRequest::default() };
        let Ok(loaded) = crate::load::load(&request) else { panic!("{name} is a model") };
        let named = CheckRequest { engine: EngineChoice::Named(&EXPLICIT), ..CheckRequest::default() };
        let expected = crate::check::check(&loaded, &named, &Control::new());
        let expected: Vec<Verdict> = expected.properties.iter().map(|finding| finding.verdict).collect();
        for jobs in [1, 2] {
            let request = CheckRequest { jobs, ..CheckRequest::default() };
            let mut plan = plan(&loaded, &loaded.asked, &request, &Control::new()).expect("no limit");
            // The first one holds on to nothing, so the others have to answer.
            plan.contenders[0].make = Box::new(|_, request| request.make(&EXPLICIT, &loaded, Some(2), None));
            let report = run_all(&plan, &loaded, &request, &Control::new());
            let found: Vec<Verdict> = report.properties.iter().map(|finding| finding.verdict).collect();
            assert_eq!(found, expected, "{name} with {jobs} threads");
            assert!(report.internal_errors.is_empty(), "{name}: {:?}", report.internal_errors);
            let late = report.properties.iter().filter(|finding| finding.engine != "explicit").count();
            assert!(late > 0, "{name}: some property needs more than two states");
        }
    }
}
