//! Bodies with many ways through them, loops, local variables and first statements: diagrams and terms against the checker's
//! interpreter.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use lapidary_base::Control;
use lapidary_bdd::Capacity;
use lapidary_checker::{eval, step};
use lapidary_engines::induction::{self, BmcEngine, InductionEngine};
use lapidary_engines::matching::{self, MatchingEngine};
use lapidary_engines::symbolic::{BddEngine, Config, Direction};
use lapidary_engines::{Engine, Outcome, Target, Task, goals};
use lapidary_ir::{Command, CommandId, EnumId, Expr, Model, Statement, Subject, VarId, print};
use lapidary_reference::bodies::{self, E, Locals, Loops, P, Shape, X, Y, winding};
use lapidary_reference::dice::Dice;
use lapidary_reference::expressions::Values;
use lapidary_reference::seeds;
use lapidary_system::symbolic::{self, Origin};
use lapidary_text::Sources;
use lapidary_verdict::{State, Trace};

use crate::statement_trees::{definitions, diagram_steps};

const CAPACITY: Capacity = Capacity { nodes: 1 << 18, cache: 1 << 14, threads: 1 };

/// Loops with a bound, or any.
fn shape(loops: Loops) -> Shape {
    Shape { loops, locals: Locals::Some, depth: 3 }
}

fn push(model: &mut Model, label: String, body: Statement) {
    let span = model.vars[VarId(0)].span;
    model.commands.push(Command { label, body, faults: Vec::new(), is_idle: false, span });
}

fn holds(model: &Model, condition: Expr, state: &State) -> bool {
    eval::truth(model, condition, state) == Ok(true)
}

fn is_configuration(model: &Model, state: &State) -> bool {
    step::keeps_invariant(model, state) == Some(true)
}

#[test]
fn composed_bodies_take_the_interpreted_steps() {
    let (mut n_steps, mut n_blocked) = (0, 0);
    for seed in seeds::of(0..1_000) {
        let mut dice = Dice::new(seed);
        let mut model = bodies::variables(Locals::Some);
        let body = winding(&model, &mut dice, shape(Loops::Any));
        push(&mut model, "c".to_owned(), body);
        model.invariant = if seed % 3 == 0 { Vec::new() } else { definitions(&model, &mut dice) };
        let system = symbolic::model(&model, CAPACITY, &Control::new()).expect("room enough");
        let group = system.groups.iter().find(|group| group.origin == Origin::Command(CommandId(0)));
        for _ in 0..100 {
            let from: State = bodies::state(&model, &mut dice).into();
            if !is_configuration(&model, &from) {
                continue;
            }
            let found = group.map(|group| diagram_steps(&system, group, &model, &from)).unwrap_or_default();
            let expected: BTreeSet<State> =
                step::successors(&model, CommandId(0), &from).expect("finite domains").into_iter().collect();
            assert_eq!(found, expected, "seed {seed}, from {from:?}\n{}", print::model(&model));
            n_steps += expected.len();
            n_blocked += usize::from(expected.is_empty());
        }
    }
    assert!(
        n_steps > seeds::least(5_000) && n_blocked > seeds::least(1_000),
        "the test sees both: {n_steps} steps, {n_blocked} blocked"
    );
}

#[test]
fn diagrams_start_where_the_first_statement_ends() {
    let (mut n_initial, mut n_none) = (0, 0);
    for seed in seeds::of(0..400) {
        let mut dice = Dice::new(seed);
        let mut model = bodies::variables(Locals::Some);
        model.start = winding(&model, &mut dice, shape(Loops::Any));
        model.init = vec![bodies::truth(&model, &mut dice, 2, Values::Perhaps)];
        model.invariant = if seed % 3 == 0 { Vec::new() } else { definitions(&model, &mut dice) };
        let system = symbolic::model(&model, CAPACITY, &Control::new()).expect("room enough");
        let mut found = BTreeSet::new();
        let visit = &mut |values: &[u64]| {
            found.insert(system.places.restore(&model.exprs, &model.families, values));
            Ok(())
        };
        system.space.for_each(&system.initial, &system.columns(), visit).expect("no limits");
        let expected: BTreeSet<State> = bodies::initial(&model).into_iter().map(State::from).collect();
        assert_eq!(found, expected, "seed {seed}\n{}", print::model(&model));
        n_initial += expected.len();
        n_none += usize::from(expected.is_empty());
    }
    assert!(n_initial > seeds::least(5_000) && n_none > seeds::least(20), "{n_initial} initial, {n_none} without any");
}

/// Two commands with winding bodies, an initial condition, perhaps a first statement and an invariant.
fn random_model(dice: &mut Dice) -> Model {
    let mut model = bodies::variables(Locals::Some);
    for i in 0..2 {
        let body = winding(&model, dice, shape(Loops::Bounded));
        push(&mut model, format!("c{i}"), body);
    }
    let e = &model.exprs;
    let zero = |var: u32| e.eq(e.var(VarId(var)), e.int(0));
    let letter = e.eq(e.var(E), e.literal(EnumId(0), 0));
    model.init = vec![e.not(e.var(P)), zero(X.0), zero(Y.0), letter, zero(4), zero(5)];
    if dice.one_in(3) {
        model.start = winding(&model, dice, Shape { depth: 2, ..shape(Loops::Bounded) });
    }
    if dice.one_in(4) {
        model.invariant = vec![bodies::truth(&model, dice, 2, Values::Perhaps)];
    }
    model
}

/// How far every reachable state is from the initial ones.
fn reachable(model: &Model) -> BTreeMap<State, usize> {
    let mut latest: Vec<State> = bodies::initial(model).into_iter().map(State::from).collect();
    let mut depths: BTreeMap<State, usize> = latest.iter().map(|state| (state.clone(), 0)).collect();
    for depth in 1.. {
        let mut further = Vec::new();
        for state in &latest {
            for id in model.commands.ids() {
                for next in step::successors(model, id, state).expect("small numbers") {
                    if !depths.contains_key(&next) {
                        depths.insert(next.clone(), depth);
                        further.push(next);
                    }
                }
            }
        }
        if further.is_empty() {
            break;
        }
        latest = further;
    }
    depths
}

fn is_run(model: &Model, trace: &Trace, goal: Expr, depths: &BTreeMap<State, usize>) {
    assert_eq!(depths.get(&trace.states[0]), Some(&0), "it starts in an initial state");
    for (pair, action) in trace.states.windows(2).zip(&trace.actions) {
        let command = action.command().expect("a command");
        let next = step::successors(model, command, &pair[0]).expect("small numbers");
        assert!(next.contains(&pair[1]), "{pair:?} is a step");
    }
    assert!(holds(model, goal, trace.states.last().expect("a state")), "it ends in the goal");
}

/// How many questions an engine answered.
#[derive(Debug, Default)]
struct Answered {
    reached: usize,
    unreachable: usize,
    unknown: usize,
}

/// For one engine and one body.
const LONGEST: Duration = Duration::from_secs(10);

#[test]
fn engines_agree_with_brute_force_on_winding_bodies() {
    let induction = induction::Config { bound: Some(6), ..induction::Config::default() };
    let bdd = BddEngine { config: Config { direction: Direction::Forward, threads: 1, most_nodes: Some(1 << 18) } };
    let bmc = BmcEngine { config: induction.clone() };
    let kinduction = InductionEngine { config: induction };
    let matching = MatchingEngine {
        config: matching::Config { most_iterations: Some(8), most_work: Some(2_000), ..matching::Config::default() },
    };
    let engines: [&dyn Engine; 4] = [&bdd, &bmc, &kinduction, &matching];
    let mut answered: BTreeMap<&str, Answered> = BTreeMap::new();
    // Solvers take most of the time.
    let (n_seeds, part) = if seeds::are_all() { (1_000, 1) } else { (320, 3) };
    for seed in seeds::of(0..n_seeds) {
        let mut dice = Dice::new(seed);
        let (model, sources) = (random_model(&mut dice), Sources::default());
        let goal = bodies::truth(&model, &mut dice, 2, Values::Perhaps);
        let depths = reachable(&model);
        let nearest = depths.iter().filter(|(state, _)| holds(&model, goal, state)).map(|(_, &depth)| depth).min();
        let subject = Subject::Model(model.clone());
        let task = Task { subject: &subject, goals: &goals(&[Target::States(goal)]), sources: &sources };
        for engine in engines {
            let text = || format!("seed {seed}, {}\n{}", engine.name(), print::model(&model));
            // A solver may think for ever about one question.
            let control = Control::new().with_timeout(Some(LONGEST));
            let answer = engine.run(&task, &control).pop().expect("one target, one answer");
            let counts = answered.entry(engine.name()).or_default();
            match answer.outcome {
                Outcome::Found(trace) => {
                    assert!(nearest.is_some(), "it cannot be reached: {}", text());
                    is_run(&model, &trace, goal, &depths);
                    if engine.name() != "matching" {
                        assert_eq!(Some(trace.n_steps()), nearest, "the shortest: {}", text());
                    }
                    counts.reached += 1;
                }
                Outcome::Excluded(_) => {
                    assert_eq!(nearest, None, "it can be reached: {}", text());
                    counts.unreachable += 1;
                }
                Outcome::Unknown(_) => counts.unknown += 1,
            }
        }
    }
    for (name, counts) in &answered {
        let is_enough = counts.reached > seeds::least(300) / part
            && (*name == "bmc" || counts.unreachable > seeds::least(100) / part);
        assert!(is_enough, "{answered:?}");
    }
    assert_eq!(answered["bdd"].unknown, 0);
}
