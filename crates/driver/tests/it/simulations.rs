//! Walks that the service keeps: steps are listed, taken and undone, and runs of answers and of documents are gone on from.

use std::sync::Arc;

use lapidary_base::Control;
use lapidary_driver::files::{Files, Texts};
use lapidary_driver::runs::NoTrace;
use lapidary_driver::service::{self, Outcome, Request};
use lapidary_driver::simulate::{NoSimulation, Simulation};
use lapidary_driver::{LoadRequest, json};
use lapidary_verdict::itf::Layout;
use lapidary_verdict::{Evidence, Trace};
use serde_json::{Value, json};

const COUNTER: &str = "var x : 0..3 = 0;\nup: x < 3 -> x := x + 1;\nreset: x > 1 -> x := 0;\ninvariant small: x < 3;\n";
const LAMPS: &str = "node Lamp state on : bool; init on := false; event up, down;
trans not on |- up -> on := true; on |- down -> on := false; edon
node Main sub a, b : Lamp; event both; trans true |- both -> ; sync <both, a.up, b.up>; edon\n";
/// As many processes as one likes.
const NET: &str =
    "vars idle busy rules idle >= 1 -> idle' = idle - 1, busy' = busy + 1; init idle >= 1, busy = 0 target busy >= 5\n";

fn files(path: &str, text: &str) -> Arc<dyn Files> {
    Arc::new(Texts::new().with(path, text))
}

fn begun(path: &str, text: &str) -> Simulation {
    let request = LoadRequest { path: path.to_owned(), ..LoadRequest::default() };
    match Simulation::begin(&request, &files(path, text), &Control::new()) {
        Ok(simulation) => simulation,
        Err(NoSimulation::Unloaded(error)) => panic!("{}", error.render()),
        Err(NoSimulation::NoInitialState | NoSimulation::Stopped(_)) => panic!("{path} can be walked through"),
    }
}

/// The steps that can be taken, by their names.
fn steps(simulation: &Simulation) -> Vec<String> {
    let choices = simulation.choices().expect("there is no limit");
    choices.iter().map(|choice| simulation.model().commands[choice.command].label.clone()).collect()
}

fn take(simulation: &mut Simulation, number: usize) {
    let choice = simulation.choices().expect("there is no limit").swap_remove(number);
    simulation.step(choice);
}

/// The run that shows the first answer.
fn run(path: &str, text: &str, property: &str) -> Trace {
    let load = LoadRequest { path: path.to_owned(), properties: vec![property.to_owned()], ..LoadRequest::default() };
    let running = service::start(Request { load, ..Request::default() }, files(path, text), None).expect("room");
    let Outcome::Checked(checked) = running.wait().outcome else { panic!("{path} is a model") };
    match checked.report.properties.into_iter().next().map(|one| one.evidence) {
        Some(Evidence::Trace(trace)) => trace,
        Some(Evidence::Certificate(..) | Evidence::Nothing(_)) | None => panic!("a run shows {property}"),
    }
}

#[test]
fn steps_are_listed_taken_and_undone() {
    let mut walk = begun("c.gcl", COUNTER);
    assert_eq!((steps(&walk), walk.state().to_vec()), (vec!["up".to_owned()], vec![0]));
    take(&mut walk, 0);
    take(&mut walk, 0);
    assert_eq!((steps(&walk), walk.state().to_vec()), (vec!["up".to_owned(), "reset".to_owned()], vec![2]));
    take(&mut walk, 1);
    assert_eq!(walk.state().to_vec(), [0]);
    assert!(walk.undo() && walk.state().to_vec() == [2]);
    assert!(walk.undo() && walk.undo() && !walk.undo());
    let disabled = walk.disabled().expect("there is no limit");
    assert_eq!(disabled.iter().map(|one| one.because.as_str()).collect::<Vec<_>>(), ["1 < x is false"]);
    let mut lamps = begun("l.alt", LAMPS);
    assert_eq!(steps(&lamps), ["<both, a.up, b.up>"]);
    lamps.walk(3, 10, &Control::new()).expect("there is no limit");
    assert_eq!(lamps.trace().n_steps(), 10);
}

#[test]
fn a_walk_goes_on_where_the_run_of_an_answer_ends() {
    let found = run("c.gcl", COUNTER, "small");
    let mut walk = begun("c.gcl", COUNTER);
    take(&mut walk, 0);
    walk.take_over(&found).expect("it is a run of this model");
    assert_eq!((walk.state().to_vec(), walk.trace().n_steps(), steps(&walk)), (vec![3], 3, vec!["reset".to_owned()]));
    assert!(walk.undo() && walk.state().to_vec() == [2]);
    take(&mut walk, 1);
    assert_eq!(walk.state().to_vec(), [0]);
    let found = run("l.alt", LAMPS, "not (a.on and b.on)");
    let mut lamps = begun("l.alt", LAMPS);
    lamps.take_over(&found).expect("it is a run of this model");
    assert_eq!(lamps.trace().n_steps(), found.n_steps());
    assert!(steps(&lamps).iter().any(|step| step.contains("down")), "{:?}", steps(&lamps));
}

#[test]
fn a_walk_is_written_and_taken_over_again() {
    for (path, text) in [("c.gcl", COUNTER), ("l.alt", LAMPS), ("n.spec", NET)] {
        let mut walk = begun(path, text);
        walk.walk(1, 4, &Control::new()).expect("there is no limit");
        let mut document = Vec::new();
        json::write_run(&walk.loaded, walk.trace(), Layout::Lines, &Control::new(), &mut document).expect("memory");
        let document: Value = serde_json::from_slice(&document).expect("JSON");
        let mut other = begun(path, text);
        other.take_over_document(&document).expect("it is a run of the same model");
        assert_eq!((other.trace(), steps(&other)), (walk.trace(), steps(&walk)), "{path}");
    }
}

#[test]
fn a_loop_is_gone_round_once() {
    let states: Vec<Value> = [0, 1, 2].iter().map(|x| json!({"#meta": {"action": "up"}, "x": x})).collect();
    let document = json!({
        "#meta": {"loop_action": {"action": "reset"}}, "vars": ["x"], "states": states, "loop": 0,
    });
    let mut walk = begun("c.gcl", COUNTER);
    walk.take_over_document(&document).expect("it is a run");
    let values: Vec<i64> = walk.trace().states.iter().map(|state| state[0]).collect();
    assert_eq!((values, walk.trace().n_steps(), walk.trace().loop_start), (vec![0, 1, 2, 0], 3, None));
    assert!(walk.undo() && walk.state().to_vec() == [2]);
}

#[test]
fn what_is_no_run_is_refused_and_the_walk_stays_where_it_is() {
    let mut walk = begun("c.gcl", COUNTER);
    take(&mut walk, 0);
    let document = |values: &[i64]| {
        let states: Vec<Value> = values.iter().map(|x| json!({"x": x})).collect();
        json!({"vars": ["x"], "states": states})
    };
    for values in [&[0, 2][..], &[1], &[0, 1, 7], &[0, -1]] {
        assert!(matches!(walk.take_over_document(&document(values)), Err(NoTrace::Wrong(_))), "{values:?}");
        assert_eq!((walk.state().to_vec(), walk.trace().n_steps()), (vec![1], 1));
    }
    for nonsense in [json!(3), json!({"states": []}), json!({"vars": ["y"], "states": [{"y": 0}]})] {
        assert!(matches!(walk.take_over_document(&nonsense), Err(NoTrace::Wrong(_))), "{nonsense}");
    }
    let foreign = Trace { states: vec![vec![0, 0].into()], actions: Vec::new(), loop_start: None };
    assert!(matches!(walk.take_over(&foreign), Err(NoTrace::Wrong(_))));
}

#[test]
fn a_run_may_begin_with_more_tokens_than_a_walk_does() {
    let found = run("n.spec", NET, "target");
    let first = begun("n.spec", NET);
    assert_eq!(first.state().to_vec(), [3, 0]);
    let mut walk = begun("n.spec", NET);
    walk.take_over(&found).expect("five tokens are as good as three");
    assert_eq!(walk.state()[1], 5);
}
