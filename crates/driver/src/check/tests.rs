//! An engine that lies: nothing it says becomes a verdict without the checker.

use std::sync::Arc;

use lapidary_engines::reach::EXPLICIT;
use lapidary_engines::{Answer, Outcome, Prepared, Refused, Tell};
use lapidary_ir::{Action, CommandId, Subject};
use lapidary_verdict::{Certificate, Enumeration, Stats, Trace, Verdict};

use super::*;
use crate::load::{LoadRequest, open_text};
use crate::request::EngineChoice;

/// What was said beforehand.
struct Said(Vec<Answer>);

impl Prepared for Said {
    fn run(self: Box<Self>, _: &Control, tell: &mut Tell<'_>) {
        tell(self.0.into_iter().enumerate().collect());
    }
}

/// Says the same about every target.
struct Liar(fn(&Task<'_>) -> Outcome);

impl Engine for Liar {
    fn name(&self) -> &'static str {
        "liar"
    }

    fn prepare<'t>(&'t self, task: &'t Task<'t>, _: &Control) -> Result<Box<dyn Prepared + 't>, Refused> {
        Ok(Box::new(Said(self.answers(task))))
    }
}

impl Liar {
    fn answers(&self, task: &Task<'_>) -> Vec<Answer> {
        let answer =
            |_| Answer { outcome: (self.0)(task), stats: Stats::default(), known: None, never_enabled: Vec::new() };
        task.goals.iter().map(answer).collect()
    }
}

const MODEL: &str = "var x : 0..3 = 0;
    up: x < 3 -> x := x + 1;
    invariant low: x < 3;
    invariant fine: x <= 3 & x >= 0 | x = 0;
    reach top: x = 3;
    reach never: x < 0 & x > 0;
    deadlock_free endless;";

fn believed(lie: fn(&Task<'_>) -> Outcome) -> Vec<String> {
    let request = LoadRequest { path: "m.gcl".to_owned(), ..LoadRequest::default() };
    let Ok(mut loaded) = open_text(&request, MODEL.into()) else { panic!("the model is fine") };
    let names = ["low", "fine", "top", "never", "endless"];
    loaded.asked = names.iter().map(|name| loaded.declared().property(name).expect("declared")).collect();
    let request = CheckRequest { engine: EngineChoice::Auto, ..CheckRequest::default() };
    let report = check_with(&Liar(lie), &loaded, &loaded.asked, &request, &Control::new());
    let believed: Vec<String> = report
        .properties
        .iter()
        .filter(|finding| finding.verdict != Verdict::Unknown)
        .map(|finding| format!("{} {}", loaded.declared().properties[finding.property].name, finding.verdict.name()))
        .collect();
    assert_eq!(report.internal_errors.len() + believed.len(), names.len(), "{:?}", report.internal_errors);
    believed
}

fn trace(states: &[i64], action: u32) -> Outcome {
    let actions = vec![Action::Command(CommandId(action)); states.len() - 1];
    let states = states.iter().map(|&x| vec![x].into()).collect();
    Outcome::Found(Trace { states, actions, loop_start: None })
}

#[test]
fn a_trace_that_starts_elsewhere_or_jumps_or_names_no_command_shows_nothing() {
    assert_eq!(believed(|_| trace(&[3], 0)), Vec::<String>::new());
    assert_eq!(believed(|_| trace(&[0, 3], 0)), Vec::<String>::new());
    assert_eq!(believed(|_| trace(&[0, 1, 2, 3], 7)), Vec::<String>::new());
}

#[test]
fn a_right_run_is_believed_only_where_it_shows_something() {
    assert_eq!(believed(|_| trace(&[0, 1, 2, 3], 0)), ["low violated", "top holds", "endless violated"]);
}

/// `x` takes two bits of one word.
fn listed(task: &Task<'_>, states: &[u64]) -> Outcome {
    let field = lapidary_verdict::Field { word: 0, shift: 0, bits: 2, lo: 0 };
    let layout =
        lapidary_verdict::Layout { fields: task.subject.declared().vars.iter().map(|_| field).collect(), words: 1 };
    let set = Enumeration { layout, chunks: vec![states.to_vec()], n_states: states.len() };
    Outcome::Excluded(Certificate::Enumeration(Arc::new(set)))
}

#[test]
fn a_set_that_is_not_closed_or_misses_the_start_shows_nothing() {
    assert_eq!(believed(|task| listed(task, &[0, 1, 2])), Vec::<String>::new());
    assert_eq!(believed(|task| listed(task, &[1, 2, 3])), Vec::<String>::new());
    assert_eq!(believed(|task| listed(task, &[])), Vec::<String>::new());
}

#[test]
fn a_right_set_is_believed_only_for_the_properties_that_it_shows() {
    assert_eq!(believed(|task| listed(task, &[0, 1, 2, 3])), ["fine holds", "never violated"]);
}

/// A flattening that forgets a command is no reason to believe what was found with it.
#[test]
fn lists_of_configurations_are_followed_on_the_tree_too() {
    let text = "node N state x : [0,3]; event up, leap; init x := 0;
        trans x < 1 |- up -> x := x + 1; x = 1 |- leap -> x := 3; edon";
    let request =
        LoadRequest { path: "m.alt".to_owned(), properties: vec!["x < 3".to_owned()], ..LoadRequest::default() };
    let Ok(mut loaded) = open_text(&request, text.into()) else { panic!("the model is fine") };
    assert!(loaded.subject.model(&Control::new()).is_ok());
    let Subject::Tree(hierarchy) = &mut loaded.subject else { panic!("a hierarchy") };
    let model = &mut hierarchy.flat_mut().expect("it was flattened").model;
    let commands = std::mem::take(&mut model.commands).into_vec();
    model.commands = commands.into_iter().filter(|command| command.label != "leap").collect();
    let request = CheckRequest { engine: EngineChoice::Named(&EXPLICIT), ..CheckRequest::default() };
    let report = check(&loaded, &request, &Control::new());
    assert_eq!(report.properties[0].verdict, Verdict::Unknown);
    let why = "the evidence for x < 3 was rejected: state 1 (x=1) leads by leap to (x=3), which is not listed";
    assert_eq!(report.internal_errors, [why]);
}

/// Has looked further for states in which the property errs than for its goal.
struct Uneven;

impl Engine for Uneven {
    fn name(&self) -> &'static str {
        "uneven"
    }

    fn prepare<'t>(&'t self, task: &'t Task<'t>, _: &Control) -> Result<Box<dyn Prepared + 't>, Refused> {
        Ok(Box::new(Said(self.answers(task))))
    }
}

impl Uneven {
    fn answers(&self, task: &Task<'_>) -> Vec<Answer> {
        let answer = |known: &str| Answer {
            outcome: Outcome::Unknown(lapidary_base::Stop::Timeout),
            stats: Stats::default(),
            known: Some(known.to_owned().into()),
            never_enabled: Vec::new(),
        };
        assert_eq!(task.goals.len(), 2);
        vec![answer("within 1 step"), answer("within 5 steps")]
    }
}

#[test]
fn what_is_known_of_a_goal_is_how_far_that_goal_was_looked_for() {
    let request = LoadRequest { path: "m.gcl".to_owned(), ..LoadRequest::default() };
    let text = "var x : 0..3 = 3;\ndown: x > 1 -> x := x - 1;\nreach p: 6 div x = 3;";
    let Ok(mut loaded) = open_text(&request, text.into()) else { panic!("the model is fine") };
    loaded.asked = loaded.declared().properties.ids().collect();
    let report = check_with(&Uneven, &loaded, &loaded.asked, &CheckRequest::default(), &Control::new());
    assert_eq!(report.properties[0].known.as_deref(), Some("not reached within 1 step"));
}

/// Knows of one property at once and of the other never, or of both when the time is over.
struct Slow {
    tells_at_once: bool,
}

impl Engine for Slow {
    fn name(&self) -> &'static str {
        "slow"
    }

    fn prepare<'t>(&'t self, task: &'t Task<'t>, _: &Control) -> Result<Box<dyn Prepared + 't>, Refused> {
        Ok(Box::new(Slowly { task, tells_at_once: self.tells_at_once }))
    }
}

struct Slowly<'t> {
    task: &'t Task<'t>,
    tells_at_once: bool,
}

impl Prepared for Slowly<'_> {
    fn run(self: Box<Self>, control: &Control, tell: &mut Tell<'_>) {
        let found = || {
            let outcome = listed(self.task, &[0, 1, 2, 3]);
            Answer { outcome, stats: Stats::default(), known: None, never_enabled: Vec::new() }
        };
        if self.tells_at_once {
            tell(vec![(0, found())]);
        }
        let stop = loop {
            if let Err(stop) = control.check() {
                break stop;
            }
            std::thread::sleep(std::time::Duration::from_millis(1));
        };
        if !self.tells_at_once {
            tell(vec![(0, found())]);
        }
        tell(vec![(1, Answer::unknown(stop))]);
    }
}

/// The deadline that ends the search for one property does not leave what was found about another unchecked.
#[test]
fn what_was_found_in_time_is_checked_although_the_rest_is_late() {
    for tells_at_once in [true, false] {
        let request = LoadRequest { path: "m.gcl".to_owned(), ..LoadRequest::default() };
        let Ok(mut loaded) = open_text(&request, MODEL.into()) else { panic!("the model is fine") };
        loaded.asked = ["fine", "low"].iter().map(|name| loaded.declared().property(name).expect("declared")).collect();
        let control = Control::new().with_timeout(Some(std::time::Duration::from_millis(30)));
        let request = CheckRequest::default();
        let report = check_with(&Slow { tells_at_once }, &loaded, &loaded.asked, &request, &control);
        let verdicts: Vec<Verdict> = report.properties.iter().map(|finding| finding.verdict).collect();
        assert_eq!(verdicts, [Verdict::Holds, Verdict::Unknown]);
        assert_eq!(report.internal_errors, Vec::<String>::new());
    }
}
