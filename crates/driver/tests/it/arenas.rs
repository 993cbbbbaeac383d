//! What engines and checker make over a model's expressions is gone with them: a model has as many afterwards as before.

use std::path::{Path, PathBuf};

use lapidary_base::Control;
use lapidary_checker::{Backend, Claim, Means, certify, replay};
use lapidary_driver::{LoadRequest, Loaded, load, open_text};
use lapidary_engines::options::{CoverOptions, Making, NetOptions, SearchOrder, SolverOptions};
use lapidary_engines::register::{Entry, OptionGroup};
use lapidary_engines::symbolic::Direction;
use lapidary_engines::{ENGINES, Engine, Goal, Outcome, Target, Task};
use lapidary_ir::{PropertyId, PropertyKind};
use lapidary_verdict::Verdict;

/// With the properties that are asked, if not those of the file.
const MODELS: [(&str, &[&str]); 10] = [
    ("peterson.gcl", &[]),
    ("ticket.gcl", &[]),
    ("bakery_unbounded.gcl", &[]),
    ("lift.gcl", &[]),
    ("rax.gcl", &[]),
    ("tank.alt", &["deadlock_free", "0 < T.level and T.level < Top"]),
    ("msi.spec", &[]),
    ("lock.tts", &[]),
    ("workshop.lola", &[]),
    ("semaphore.pnml", &[]),
];

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name)
}

/// All engines of the table, with budgets that end them where there is no end.
fn engines() -> Vec<Box<dyn Engine>> {
    let cover = CoverOptions { shows_abstractions: true, most_iterations: Some(8), ..CoverOptions::default() };
    let solver = SolverOptions { bound: Some(6), ..SolverOptions::default() };
    let made = |entry: &Entry, direction: Direction| {
        (entry.make)(&Making {
            order: SearchOrder::BreadthFirst,
            direction,
            cover: &cover,
            solver: &solver,
            net: NetOptions::default(),
            shortest: false,
            threads: 1,
            predicates: &[],
            control: None,
            budget: Some(entry.share.budget.first.max(20_000)),
            exchange: None,
        })
    };
    let backward = ENGINES.into_iter().filter(|entry| entry.understands(OptionGroup::Direction));
    let backward = backward.map(|entry| made(entry, Direction::Backward));
    ENGINES.into_iter().map(|entry| made(entry, Direction::Forward)).chain(backward).collect()
}

/// What is asked, in the expressions of the model; properties with more than one goal are of no interest here.
fn goals(loaded: &Loaded) -> Vec<Goal> {
    let declared = loaded.declared();
    let goal = |id: PropertyId| match declared.properties[id].kind {
        PropertyKind::Invariant(expr) => Some(Goal::decides(id, Target::States(declared.exprs.not(expr)))),
        PropertyKind::Reach(expr) => Some(Goal::decides(id, Target::States(expr))),
        PropertyKind::DeadlockFree => Some(Goal::decides(id, Target::Deadlocks)),
        PropertyKind::NoErrors | PropertyKind::Ltl(_) => None,
    };
    declared.properties.ids().filter_map(goal).collect()
}

/// Components that share events, for engines that refine component by component.
const ALARM: &str = "
node Lamp state on : bool; init on := false; event up, down;
  trans not on |- up -> on := true; on |- down -> on := false; edon
node Alarm sub a, b : Lamp; state armed : bool; init armed := false; event both, off;
  trans not armed |- both -> armed := true; armed |- off -> armed := false;
  sync <both, a.up, b.up>; <off, a.down, b.down>; edon";

/// Runs an engine and has its evidence checked; how many goals it closed.
fn closed(loaded: &Loaded, engine: &dyn Engine, context: &str) -> usize {
    let (subject, control) = (&loaded.subject, Control::new());
    let goals = goals(loaded);
    subject.model(&control).unwrap_or_else(|why| panic!("{context}: {why:?}"));
    let n_before = loaded.declared().exprs.len();
    let same = |when: &str| assert_eq!(loaded.declared().exprs.len(), n_before, "{context}: {when}");
    let answers = engine.run(&Task { subject, goals: &goals, sources: &loaded.sources }, &control);
    same("the engine added expressions");
    let mut n_closed = 0;
    for (goal, answer) in goals.iter().zip(answers) {
        let is_reach = matches!(loaded.declared().properties[goal.property].kind, PropertyKind::Reach(_));
        match answer.outcome {
            Outcome::Found(trace) => {
                let verdict = if is_reach { Verdict::Holds } else { Verdict::Violated };
                replay(subject, goal.property, verdict, &trace, &control)
                    .unwrap_or_else(|why| panic!("{context}: {why:?}"));
                same("replay added expressions");
            }
            Outcome::Excluded(certificate) => {
                let solver = Backend::default();
                let (claims, means) = ([Claim::Decides(goal.property)], Means::new(&solver, &control));
                certify(subject, &claims, &certificate, &means).unwrap_or_else(|why| panic!("{context}: {why:?}"));
                same("the checker added expressions");
            }
            Outcome::Unknown(_) => continue,
        }
        n_closed += 1;
    }
    n_closed
}

#[test]
fn neither_engines_nor_checker_add_to_the_expressions_of_a_model() {
    let mut n_closed = vec![0; engines().len()];
    for (name, properties) in MODELS {
        for (number, engine) in engines().iter().enumerate() {
            let path = file(name).display().to_string();
            let request = LoadRequest {
                path,
                properties: properties.iter().map(|&text| text.to_owned()).collect(),
                ..LoadRequest::default()
            };
            let loaded = load(&request).unwrap_or_else(|_| panic!("{name} is an example"));
            let context = format!("{} on {name}", engine.name());
            n_closed[number] += closed(&loaded, &**engine, &context);
        }
    }
    for (number, engine) in engines().iter().enumerate() {
        let properties = ["armed => a.on", "not armed"].map(str::to_owned).to_vec();
        let request = LoadRequest { path: "alarm.alt".to_owned(), properties, ..LoadRequest::default() };
        let loaded = open_text(&request, ALARM.into()).unwrap_or_else(|error| panic!("{}", error.render()));
        n_closed[number] += closed(&loaded, &**engine, &format!("{} on a hierarchy", engine.name()));
    }
    assert!(n_closed.iter().all(|&closed| closed > 0), "an engine had nothing to say: {n_closed:?}");
}
