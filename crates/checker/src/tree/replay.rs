//! Replays runs of a tree: an initial configuration, then step by step exactly the flat events that are claimed.

use lapidary_base::{Control, Id, Meter};
use lapidary_ir::tree::ROOT;
use lapidary_ir::{Action, FlatEvent, Property, Tree};
use lapidary_verdict::{State, Trace, Verdict};

use super::scene::Scene;
use super::{Composition, Work, assertions, diagrams, is_true, number, why};
use crate::Rejection;
use crate::eval;
use crate::replay::{self, of_loop};
use crate::words;

/// So much is looked at even when a limit was reached just before: the run was found.
const MOMENT: u64 = 1 << 16;

/// A condition is interpreted, node by node.
const PIECES_PER_CONDITION: usize = 16;

/// Is this a run of the tree by its own composition semantics?
pub fn replay_tree(tree: &Tree, trace: &Trace, control: &Control) -> Result<(), Rejection> {
    let composition = Composition::new(tree);
    let mut meter = Meter::with_allowance(control, MOMENT);
    let (events, states) = (check_shape(tree, trace, &mut meter)?, &trace.states);
    let n_assertions: usize = tree.components.iter().map(|component| component.assertions.len()).sum();
    for (i, state) in states.iter().enumerate() {
        meter.add((tree.vars.len() + n_assertions * PIECES_PER_CONDITION) as u64)?;
        check_configuration(&composition, state).map_err(|why| in_state(i, why))?;
    }
    check_initial(&composition, &states[0]).map_err(|why| in_state(0, why))?;
    for (i, (flat, (_, from, to))) in events.into_iter().zip(trace.steps()).enumerate() {
        // Within a step the limits are looked at only where there is much to try.
        meter.add((tree.components.len() * PIECES_PER_CONDITION) as u64)?;
        match check_step(&composition, flat, from, to, control).map_err(|why| in_step(tree, trace, i, flat, why))? {
            Looked::Through => {}
            // A run that comes to such a place will come to more of them.
            Looked::TooMuch => return check_by_diagrams(&composition, trace, i, control),
        }
    }
    Ok(())
}

/// The steps from this one on.
fn check_by_diagrams(
    composition: &Composition<'_>,
    trace: &Trace,
    from: usize,
    control: &Control,
) -> Result<(), Rejection> {
    let steps = trace.steps().skip(from).filter_map(|(action, before, after)| match action {
        Action::Vector(flat) => Some((flat, before, after)),
        Action::Command(_) => None,
    });
    let steps: Vec<(&FlatEvent, &State, &State)> = steps.collect();
    let found = diagrams::wrong_step(composition, &steps, control)?;
    let Some((number, fault)) = found else { return Ok(()) };
    let (flat, _, after) = steps[number];
    let why = Rejection::Wrong(fault.words(composition, after));
    Err(in_step(composition.tree, trace, from + number, flat, why))
}

fn in_step(tree: &Tree, trace: &Trace, number: usize, flat: &FlatEvent, why: Rejection) -> Rejection {
    match why {
        Rejection::Wrong(why) => {
            let why = format!("step {}, {}: {why}", number + 1, why::flat_event(tree, flat));
            of_loop(trace, number, Rejection::Wrong(why))
        }
        Rejection::Stopped(stop) => Rejection::Stopped(stop),
    }
}

/// Whether a step was found to be one.
enum Looked {
    Through,
    /// There are too many events that could happen together to list them.
    TooMuch,
}

fn wrong<T>(why: String) -> Result<T, Rejection> {
    Err(Rejection::Wrong(why))
}

fn in_state(number: usize, why: Rejection) -> Rejection {
    match why {
        Rejection::Wrong(why) => Rejection::Wrong(format!("state {number}: {why}")),
        Rejection::Stopped(stop) => Rejection::Stopped(stop),
    }
}

/// The form of a run, and its steps as flat events of the tree.
fn check_shape<'t>(tree: &Tree, trace: &'t Trace, meter: &mut Meter<'_>) -> Result<Vec<&'t FlatEvent>, Rejection> {
    trace.validate().map_err(Rejection::Wrong)?;
    let mut events = Vec::with_capacity(trace.actions.len());
    for (i, action) in trace.actions.iter().enumerate() {
        meter.add(tree.components.len() as u64)?;
        let Action::Vector(flat) = action else {
            return wrong(format!(
                "step {} is a command, and a step of a hierarchy is an event of every component",
                i + 1
            ));
        };
        if flat.len() != tree.components.len() {
            let (n_events, n_components) = (flat.len(), tree.components.len());
            return wrong(format!("step {}: {n_events} events for {n_components} components", i + 1));
        }
        let unknown = |component| tree.components[component].events.get(flat[component]).is_none();
        if let Some(component) = tree.components.ids().find(|&component| unknown(component)) {
            let name = why::component(tree, component);
            return wrong(format!("step {}: {name} has no event number {}", i + 1, flat[component].0));
        }
        events.push(flat);
    }
    Ok(events)
}

/// Within the domains, all assertions satisfied.
fn check_configuration(composition: &Composition<'_>, state: &State) -> Result<(), Rejection> {
    let Composition { tree, model, .. } = composition;
    if state.len() != tree.vars.len() {
        return wrong(format!("{} values for {} variables", state.len(), tree.vars.len()));
    }
    if let Some(var) = tree.vars.ids().find(|&var| !eval::in_domain(model, var, state[var.index()])) {
        return wrong(words::outside(model, var, state[var.index()]));
    }
    for component in tree.components.ids() {
        for (i, assertion) in tree.components[component].assertions.iter().enumerate() {
            if !is_true(model, assertion.expr, state)? {
                let name = why::component(tree, component);
                return wrong(format!("not a configuration: assertion {} of {name} is not satisfied", i + 1));
            }
        }
    }
    debug_assert!(assertions(tree, ROOT).all(|expr| is_true(model, expr, state) == Ok(true)), "the root has them all");
    Ok(())
}

fn check_initial(composition: &Composition<'_>, state: &State) -> Result<(), Rejection> {
    let model = &composition.model;
    for &(var, value) in &composition.tree.init {
        let found = state[var.index()];
        let expected = number(model, value, state)?;
        if expected == Some(i128::from(found)) {
            continue;
        }
        let expected = expected.and_then(|value| i64::try_from(value).ok());
        let expected = expected.map_or("what has no value".to_owned(), |value| words::value(model, var, value));
        let (name, found) = (&model.vars[var].name, words::value(model, var, found));
        return wrong(format!("not initial: {name} is {found}, expected {expected}"));
    }
    Ok(())
}

/// Does the last configuration show that a hierarchy can come to a halt?
pub fn check_stuck(
    tree: &Tree,
    asked: &Property,
    verdict: Verdict,
    last: &State,
    control: &Control,
) -> Result<(), Rejection> {
    let claim = replay::claim(asked, verdict)?;
    let composition = Composition::new(tree);
    let mut scene = Scene::new(&composition, last, Work::before_diagrams(control));
    let step = match scene.all_firings(ROOT) {
        Ok(firings) => {
            let moving = firings.iter().find(|(_, firing)| !firing.events.is_empty());
            moving.map(|(_, firing)| composition.flat_event(&firing.events))
        }
        Err(Rejection::Stopped(_)) if scene.work.is_exhausted() => diagrams::some_step(&composition, last, control)?,
        Err(why) => return Err(why),
    };
    match step {
        None => Ok(()),
        Some(flat) => Err(replay::not_shown(asked, claim, &format!("{} has a step", tree.label(&flat)))),
    }
}

fn check_step(
    composition: &Composition<'_>,
    flat: &FlatEvent,
    from: &State,
    to: &State,
    control: &Control,
) -> Result<Looked, Rejection> {
    let Composition { tree, model, .. } = composition;
    let mut scene = Scene::new(composition, from, Work::before_diagrams(control));
    let firings = match scene.matching(ROOT, flat) {
        Err(Rejection::Stopped(_)) if scene.work.is_exhausted() => return Ok(Looked::TooMuch),
        other => other?,
    };
    let mut mismatch = None;
    for (_, firing) in &firings {
        let mut after = from.clone();
        for &(var, value) in &firing.updates {
            after[var.index()] = value;
        }
        let differs = tree.vars.ids().find(|&var| tree.is_state(var) && after[var.index()] != to[var.index()]);
        match differs {
            None => return Ok(Looked::Through),
            Some(var) => mismatch.get_or_insert((var, after[var.index()])),
        };
    }
    let Some((var, expected)) = mismatch else {
        return match why::cannot_fire(&mut scene, ROOT, flat) {
            Err(Rejection::Stopped(_)) if scene.work.is_exhausted() => Ok(Looked::TooMuch),
            other => wrong(other?),
        };
    };
    if firings.len() > 1 {
        return wrong(format!("none of its {} ways leads to ({})", firings.len(), words::state(model, to)));
    }
    let (found, expected) = (words::value(model, var, to[var.index()]), words::value(model, var, expected));
    wrong(format!("leads elsewhere: {} is {found}, expected {expected}", model.vars[var].name))
}
