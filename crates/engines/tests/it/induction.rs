//! Engines `bmc` and `kinduction`: verdicts, shortest runs, and certificates that mean what they say.

use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use lapidary_base::{Control, Event, Sink, Stop};
use lapidary_checker::{eval, step};
use lapidary_engines::induction::{BmcEngine, Config, InductionEngine};
use lapidary_engines::reach::{self, ExplicitEngine};
use lapidary_engines::{Answer, Engine, Goal, Known, Outcome, Refused, Target, Task, Unsupported, goals};
use lapidary_frontends::gcl;
use lapidary_ir::{CommandId, Domain, Expr, Model, PropertyKind, Statement, Subject, VarId};
use lapidary_reference::ast;
use lapidary_reference::random::Shape;
use lapidary_reference::seeds;
use lapidary_smt::Backend;
use lapidary_text::Sources;
use lapidary_verdict::{Certificate, Formula, Induction, State, Trace};

/// A model and what its properties ask for.
struct Case {
    subject: Subject,
    sources: Sources,
    targets: Vec<Target>,
    goals: Vec<Goal>,
}

fn load(text: &str) -> Case {
    let mut sources = Sources::default();
    let source = sources.add("test.gcl", text);
    let (model, diagnostics) = gcl::load(&sources, source, &gcl::Options::default());
    let model = model.unwrap_or_else(|| panic!("{diagnostics:?}\n{text}"));
    let mut targets = Vec::new();
    for property in model.properties.iter() {
        let exprs = &model.exprs;
        let faults = property.faults.iter().map(|fault| fault.when);
        targets.push(match &property.kind {
            PropertyKind::Invariant(formula) => Target::States(exprs.or(faults.chain([exprs.not(*formula)]))),
            PropertyKind::Reach(formula) => {
                let fine = faults.map(|when| exprs.not(when));
                Target::States(exprs.and(fine.chain([*formula])))
            }
            PropertyKind::DeadlockFree => Target::Deadlocks,
            PropertyKind::NoErrors => {
                let faults = model.commands.iter().flat_map(|command| &command.faults);
                Target::States(exprs.or(faults.map(|fault| fault.when)))
            }
            PropertyKind::Ltl(_) => continue,
        });
    }
    let goals = goals(&targets);
    Case { subject: Subject::Model(model), sources, targets, goals }
}

impl Case {
    fn model(&self) -> &Model {
        self.subject.made_model().expect("a model")
    }

    fn task(&self) -> Task<'_> {
        Task { subject: &self.subject, goals: &self.goals, sources: &self.sources }
    }

    fn run(&self, engine: &dyn Engine, control: &Control) -> Vec<Answer> {
        let task = self.task();
        assert_eq!(engine.prepare(&task, &Control::new()).map(|_| ()), Ok(()));
        let answers = engine.run(&task, control);
        assert_eq!(answers.len(), self.targets.len());
        for (answer, &target) in answers.iter().zip(&self.targets) {
            match &answer.outcome {
                Outcome::Found(trace) => assert_run(self.model(), target, trace),
                Outcome::Excluded(Certificate::Induction(induction)) => {
                    if let Some(states) = configurations(self.model()) {
                        assert_induction(self.model(), &states, target, induction);
                    }
                }
                Outcome::Excluded(other) => panic!("a certificate of another kind: {other:?}"),
                Outcome::Unknown(_) => {}
            }
        }
        answers
    }
}

fn is_true(model: &Model, expr: Expr, state: &[i64]) -> bool {
    eval::truth(model, expr, state).expect("it has a value everywhere")
}

fn successors(model: &Model, state: &[i64]) -> Vec<State> {
    let steps = model.commands.ids().map(|id| step::successors(model, id, state).expect("finite inputs"));
    steps.flatten().collect()
}

fn is_target(model: &Model, target: Target, state: &[i64]) -> bool {
    match target {
        Target::States(expr) => is_true(model, expr, state),
        Target::Deadlocks => {
            let busy = model.commands.enumerated().filter(|(_, command)| !command.is_idle);
            busy.map(|(id, _)| id).all(|id| step::successors(model, id, state).expect("finite inputs").is_empty())
        }
    }
}

fn is_initial(model: &Model, state: &[i64]) -> bool {
    let starts = model.init.iter().all(|&part| eval::truth(model, part, state) == Ok(true));
    starts && step::keeps_invariant(model, state) == Some(true)
}

fn assert_run(model: &Model, target: Target, trace: &Trace) {
    assert!(is_initial(model, &trace.states[0]));
    for (i, action) in trace.actions.iter().enumerate() {
        let command = action.command().expect("a command");
        assert_eq!(step::is_step(model, command, &trace.states[i], &trace.states[i + 1]), Ok(true));
    }
    assert!(is_target(model, target, trace.last()));
}

/// Every valuation within the domains that keeps the invariant, if there are not too many.
fn configurations(model: &Model) -> Option<Vec<State>> {
    let mut states: Vec<Vec<i64>> = vec![Vec::new()];
    for var in model.vars.iter() {
        let (lo, hi) = model.bounds(var.domain)?;
        states = states.iter().flat_map(|state| (lo..=hi).map(|value| [&state[..], &[value]].concat())).collect();
        if states.len() > 20_000 {
            return None;
        }
    }
    states.retain(|state| step::keeps_invariant(model, state) == Some(true));
    Some(states.into_iter().map(Into::into).collect())
}

/// The claims of the certificate, one by one, over all configurations.
fn assert_induction(model: &Model, states: &[State], target: Target, induction: &Induction) {
    let Induction { k, ref formula, is_simple } = *induction;
    let model = &model.apart();
    let formula = formula.within(&model.exprs);
    let holds = |state: &State| is_true(model, formula, state);
    for state in states {
        assert!(!(holds(state) && is_target(model, target, state)), "the formula excludes the target");
    }
    let mut reached: BTreeSet<State> = states.iter().filter(|state| is_initial(model, state)).cloned().collect();
    for i in 0..k {
        assert!(reached.iter().all(holds), "runs keep the formula in state {i} of {k}");
        reached = reached.iter().flat_map(|state| successors(model, state)).collect();
    }
    if is_simple {
        let mut path = Vec::new();
        for state in states.iter().filter(|state| holds(state)) {
            assert_simple(model, &holds, state, k as usize, &mut path);
        }
        return;
    }
    let mut kept: BTreeSet<State> = states.iter().filter(|state| holds(state)).cloned().collect();
    for _ in 1..k {
        kept = kept.iter().flat_map(|state| successors(model, state)).filter(|state| holds(state)).collect();
    }
    assert!(kept.iter().flat_map(|state| successors(model, state)).all(|state| holds(&state)), "the step of {k}");
}

/// No path without repetition through `k` states of the formula leaves it.
fn assert_simple(model: &Model, holds: &dyn Fn(&State) -> bool, state: &State, k: usize, path: &mut Vec<State>) {
    path.push(state.clone());
    for next in successors(model, state) {
        if !path.contains(&next) {
            if path.len() < k {
                if holds(&next) {
                    assert_simple(model, holds, &next, k, path);
                }
            } else {
                assert!(holds(&next), "a path of {k} different states leaves the formula");
            }
        }
    }
    path.pop();
}

fn bmc(bound: Option<u64>) -> BmcEngine {
    BmcEngine { config: Config { bound, ..Config::default() } }
}

fn kinduction(bound: Option<u64>) -> InductionEngine {
    InductionEngine { config: Config { bound, ..Config::default() } }
}

fn length(answer: &Answer) -> usize {
    match &answer.outcome {
        Outcome::Found(trace) => trace.n_steps(),
        other => panic!("not reached: {other:?}"),
    }
}

fn induction(answer: &Answer) -> Induction {
    match &answer.outcome {
        Outcome::Excluded(Certificate::Induction(induction)) => induction.clone(),
        other => panic!("not proved: {other:?}"),
    }
}

/// The reason and what is known.
fn open(answer: &Answer) -> (String, Option<&str>) {
    match &answer.outcome {
        Outcome::Unknown(stop) => (stop.to_string(), answer.known.as_ref().map(|known| &known.text[..])),
        other => panic!("decided: {other:?}"),
    }
}

/// Both engines find the same shortest run.
fn assert_reached(text: &str, n_steps: usize) {
    let case = load(text);
    for engine in [&bmc(Some(9)) as &dyn Engine, &kinduction(Some(9))] {
        let answers = case.run(engine, &Control::new());
        assert_eq!(length(&answers[0]), n_steps, "{}", engine.name());
    }
}

fn proved(text: &str) -> Induction {
    let case = load(text);
    induction(&case.run(&kinduction(Some(20)), &Control::new())[0])
}

#[test]
fn a_counter_reaches_its_end_in_as_many_steps() {
    assert_reached("var x : 0..9 = 0; up: x < 9 -> x := x + 1; jump: x = 2 -> x := 5; reach end: x = 9;", 7);
}

#[test]
fn a_target_that_is_initial_needs_no_step() {
    assert_reached("var x : int; up: x < 9 -> x := x + 1; reach seven: x = 7;", 0);
}

#[test]
fn unbounded_integers_grow_as_far_as_need_be() {
    assert_reached("var x : int = 1; double: x < 100000000 -> x := x * 10; reach large: x > 5000000;", 7);
}

#[test]
fn values_beyond_64_bits_are_no_run() {
    let case =
        load("var x : int = 1; grow: x > 0 -> x := x * 1000000000; reach large: x > 9000000000000000000 & x > 0;");
    let answers = case.run(&bmc(Some(9)), &Control::new());
    assert!(matches!(&answers[0].outcome, Outcome::Unknown(Stop::Overflow(_))), "{:?}", answers[0].outcome);
    assert_eq!(answers[0].known, Some(Known::from("within 2 steps".to_owned())));
}

#[test]
fn inputs_are_chosen_to_fit() {
    assert_reached(
        "var x : int = 0; var y : int = 0; read: x = 0 -> x := input; check: x > 3 & x mod 7 = 5 -> y := x div 2;
         reach nine: y = 9;",
        2,
    );
    assert_reached(
        "var a : bool[3] = false; var i : 0..2 = 0; flip: !a[i] -> a[i] := input, i := input;
                    reach all: a[0] & a[1] & a[2];",
        3,
    );
}

#[test]
fn deadlocks_are_found_and_excluded() {
    assert_reached("var x : 0..5 = 0; up: x < 4 -> x := x + 1; deadlock_free alive;", 4);
    let proof = proved("var x : int = 0; up: x >= 0 -> x := x + 1; down: x > 3 -> x := x - 1; deadlock_free alive;");
    assert_eq!((proof.k, proof.is_simple), (1, false));
}

#[test]
fn arrays_are_written_where_the_index_says() {
    assert_reached(
        "type S = 0..3; var a : S[3] = 0; var i : 0..2 = 0;
         put: a[i] < 3 & a[(i + 1) mod 3] = a[i] -> a[i] := a[i] + 1, i := (i + 1) mod 3;
         next: true -> i := (i + 2) mod 3;
         reach two: a[0] = 1 & a[1] = 1 & a[2] = 0 & i = 1;",
        3,
    );
}

#[test]
fn what_a_step_keeps_is_proved_at_once() {
    let proof = proved("var x, y : int = 0; both: true -> x := x + 1, y := y + 1; invariant same: x = y;");
    assert_eq!((proof.k, proof.is_simple), (1, false));
}

#[test]
fn one_more_state_may_be_needed() {
    let text = "var x : int = 0; var y : int = 1; turn: true -> x := y, y := x + 3; invariant odd: x mod 3 != 2;";
    let proof = proved(text);
    assert_eq!((proof.k, proof.is_simple), (2, false));
}

#[test]
fn loops_outside_need_states_that_differ() {
    // Six odd states go round for ever and may leave for the target; no template tells them from the even ones.
    let text = "var x : 0..11 = 0; var b : bool = false;
                turn: !b -> x := (x + 2) mod 12; fall: x = 7 -> b := true;
                invariant fine: !b;";
    let proof = proved(text);
    assert_eq!((proof.k, proof.is_simple), (7, true));
}

#[test]
fn lemmas_about_two_variables_help() {
    let text = "var x, y : int = 0;
                up: x < 10 -> x := x + 1, y := y + 2; turn: x > 5 -> x := 0, y := 0;
                follow: y > x -> y := y - 1;
                invariant below: x <= 10 & y >= 0 - 7;";
    let proof = proved(text);
    assert!(!proof.is_simple);
}

#[test]
fn several_targets_are_answered_by_one_search() {
    let text =
        "var x : int = 0; var b : bool = false; up: x < 6 -> x := x + 1, b := !b; again: x = 6 -> x := 2, b := false;
                reach four: x = 4; invariant small: x <= 6; reach odd: b & x mod 2 = 0; reach five: x = 5;";
    let case = load(text);
    let answers = case.run(&kinduction(Some(9)), &Control::new());
    assert_eq!((length(&answers[0]), length(&answers[3])), (4, 5));
    induction(&answers[1]);
    induction(&answers[2]);
    let answers = case.run(&bmc(Some(12)), &Control::new());
    assert_eq!((length(&answers[0]), length(&answers[3])), (4, 5));
    for answer in &answers[1..3] {
        assert_eq!(open(answer), ("the bound of 12 steps was reached".to_owned(), Some("within 12 steps")));
        assert_eq!(answer.stats.count("depth"), Some(12));
    }
}

#[test]
fn a_bound_leaves_open_what_lies_beyond() {
    let case = load("var x : 0..99 = 0; up: x < 99 -> x := x + 1; reach end: x = 99;");
    let answers = case.run(&bmc(Some(1)), &Control::new());
    assert_eq!(open(&answers[0]), ("the bound of 1 step was reached".to_owned(), Some("within 1 step")));
    let answers = case.run(&kinduction(Some(3)), &Control::new());
    assert_eq!(open(&answers[0]), ("no proof by induction with k up to 3".to_owned(), Some("within 2 steps")));
    assert_eq!(answers[0].stats.count("iterations"), Some(3));
}

#[test]
fn questions_may_be_limited() {
    let case = load("var x : int = 0; up: true -> x := x + 1; reach never: x = 0 - 5;");
    let config = Config { most_queries: Some(7), ..Config::default() };
    let answers = case.run(&BmcEngine { config }, &Control::new());
    assert_eq!(open(&answers[0]).0, "the budget of 7 questions is spent");
    assert_eq!(answers[0].stats.count("queries"), Some(7));
}

#[test]
fn an_interrupt_ends_the_search() {
    let case = load("var x : int = 0; up: true -> x := x + 1; reach never: x = 0 - 5;");
    for engine in [&bmc(None) as &dyn Engine, &kinduction(None)] {
        let control = Control::new().with_cancel(Arc::new(AtomicBool::new(true)));
        let answers = case.run(engine, &control);
        assert!(matches!(answers[0].outcome, Outcome::Unknown(Stop::Interrupted)));
    }
}

#[test]
fn runs_that_end_are_all_there_is() {
    let case = load("var x : 0..20 = 0; up: x < 3 -> x := x + 1; reach far: x = 9;");
    let proof = induction(&case.run(&bmc(None), &Control::new())[0]);
    assert_eq!(proof.k, 4);
    let case = load(
        "var x : int = 0; var y : int = 0; up: x < 3 -> x := x + 1, y := y + x; more: x > 90 -> x := x + 1, y := input;
         reach far: y = 99;",
    );
    let answers = case.run(&bmc(None), &Control::new());
    let why = "no run has more than 3 steps, but there is no proof by induction of that";
    assert_eq!(open(&answers[0]), (why.to_owned(), Some("within 3 steps, and no run is longer")));
}

#[test]
fn without_initial_states_nothing_is_reached() {
    let case = load("var x : 0..5; init x > 3; init x < 2; up: x < 5 -> x := x + 1; reach end: x = 5;");
    for engine in [&bmc(None) as &dyn Engine, &kinduction(None)] {
        assert_eq!(induction(&case.run(engine, &Control::new())[0]).formula, Formula::constant(false));
    }
}

#[test]
fn without_a_solver_nothing_is_accepted() {
    let case = load("var x : 0..5 = 0; reach end: x = 5;");
    let config = Config { backend: Backend::Nothing, ..Config::default() };
    assert!(BmcEngine { config: config.clone() }.prepare(&case.task(), &Control::new()).map(|_| ()).is_err());
    let engine = InductionEngine { config };
    assert!(engine.prepare(&case.task(), &Control::new()).map(|_| ()).is_err());
    assert!(matches!(engine.run(&case.task(), &Control::new())[0].outcome, Outcome::Unknown(Stop::Incomplete(_))));
}

#[test]
fn what_cannot_be_written_out_is_refused_with_its_place() {
    let mut case = load("var x : int = 0; read: true -> x := input; deadlock_free alive;");
    assert_eq!(
        bmc(None).prepare(&case.task(), &Control::new()).map(|_| ()),
        Ok(()),
        "the guard does not read the input"
    );
    let Subject::Model(model) = &mut case.subject else { panic!("a model") };
    let (x, e) = (VarId(0), model.exprs.clone());
    let even = Statement::Assume(e.eq(e.modulo(e.var(x), e.int(2)), e.int(0)));
    let command = &mut model.commands[CommandId(0)];
    command.body = Statement::Sequence(vec![command.body.clone(), even]);
    let span = command.span;
    let refused = kinduction(None).prepare(&case.task(), &Control::new()).map(|_| ()).expect_err("no quantifiers");
    let what = "whether read can be taken depends on too many values of its inputs".to_owned();
    assert_eq!(refused, Refused::Goals(vec![(0, Unsupported { what, span: Some(span) })]));
}

/// Remembers the rounds that were told.
struct Rounds(Arc<Mutex<Vec<u64>>>);

impl Sink for Rounds {
    fn event(&self, event: &Event) {
        if let Event::Iteration(iteration) = event {
            self.0.lock().expect("one thread").push(iteration.i);
        }
    }
}

#[test]
fn every_round_is_told() {
    let case = load("var x : 0..99 = 0; up: x < 99 -> x := x + 1; reach end: x = 99;");
    let rounds = Arc::default();
    let control = Control::new().with_sink(Box::new(Rounds(Arc::clone(&rounds))));
    case.run(&kinduction(Some(3)), &control);
    assert_eq!(*rounds.lock().expect("one thread"), [1, 2, 3]);
}

fn random(seed: u64) -> Case {
    let shape = Shape { max_states: 600, ..Shape::default() };
    load(&ast::Model::random(seed, &shape).to_gcl(seed))
}

#[test]
fn random_models_have_the_verdicts_and_the_lengths_of_a_listing_search() {
    let (mut n_models, mut n_reached, mut n_proved, mut n_open) = (0, 0, 0, 0);
    for seed in seeds::of(0..300) {
        let case = random(seed);
        if case.model().vars.iter().any(|var| var.domain == Domain::Int) {
            continue;
        }
        n_models += 1;
        let listed = ExplicitEngine { config: reach::Config::default() }.run(&case.task(), &Control::new());
        for engine in [&bmc(Some(8)) as &dyn Engine, &kinduction(Some(8))] {
            for (expected, answer) in listed.iter().zip(case.run(engine, &Control::new())) {
                match (&expected.outcome, &answer.outcome) {
                    (Outcome::Found(shortest), Outcome::Found(found)) => {
                        n_reached += 1;
                        assert_eq!(found.n_steps(), shortest.n_steps(), "seed {seed}, {}", engine.name());
                    }
                    (Outcome::Excluded(_), Outcome::Excluded(_)) => n_proved += 1,
                    (Outcome::Found(shortest), Outcome::Unknown(_)) => {
                        n_open += 1;
                        assert!(shortest.n_steps() >= 8, "seed {seed}, {}", engine.name());
                    }
                    (Outcome::Excluded(_), Outcome::Unknown(_)) => n_open += 1,
                    (expected, found) => panic!("seed {seed}, {}: {expected:?}, {found:?}", engine.name()),
                }
            }
        }
    }
    assert!(
        n_models > seeds::least(200) && n_reached > seeds::least(200) && n_proved > seeds::least(100) && n_open > 0,
        "{n_models}: {n_reached}, {n_proved}, {n_open}"
    );
}
