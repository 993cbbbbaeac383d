//! Replays runs of a tree: an initial configuration, then step by step exactly the flat events that are claimed.

use lapidary_base::{Control, Id, Meter};
use lapidary_ir::Tree;
use lapidary_ir::tree::ROOT;
use lapidary_verdict::State;

use super::scene::Scene;
use super::{Composition, FlatEvent, Work, assertions, diagrams, is_true, number, why};
use crate::Rejection;
use crate::eval;
use crate::words;

/// So much is looked at even when a limit was reached just before: the run was found.
const MOMENT: u64 = 1 << 16;

/// A condition is interpreted, node by node.
const PIECES_PER_CONDITION: usize = 16;

/// Is this a run of the tree by its own composition semantics? `events[i]` leads from `states[i]` to `states[i + 1]`.
pub fn replay_tree(tree: &Tree, events: &[FlatEvent], states: &[State], control: &Control) -> Result<(), Rejection> {
    let composition = Composition::new(tree);
    let mut meter = Meter::with_allowance(control, MOMENT);
    check_shape(tree, events, states, &mut meter)?;
    let n_assertions: usize = tree.components.iter().map(|component| component.assertions.len()).sum();
    for (i, state) in states.iter().enumerate() {
        meter.add((tree.vars.len() + n_assertions * PIECES_PER_CONDITION) as u64)?;
        check_configuration(&composition, state).map_err(|why| in_state(i, why))?;
    }
    check_initial(&composition, &states[0]).map_err(|why| in_state(0, why))?;
    for (i, (flat, pair)) in events.iter().zip(states.windows(2)).enumerate() {
        // Within a step the limits are looked at only where there is much to try.
        meter.add((tree.components.len() * PIECES_PER_CONDITION) as u64)?;
        match check_step(&composition, flat, &pair[0], &pair[1], control).map_err(|why| in_step(tree, i, flat, why))? {
            Looked::Through => {}
            // A run that comes to such a place will come to more of them.
            Looked::TooMuch => return check_by_diagrams(&composition, events, states, i, control),
        }
    }
    Ok(())
}

/// The steps from this one on.
fn check_by_diagrams(
    composition: &Composition<'_>,
    events: &[FlatEvent],
    states: &[State],
    from: usize,
    control: &Control,
) -> Result<(), Rejection> {
    let found = diagrams::wrong_step(composition, &events[from..], &states[from..], control)?;
    let Some((number, fault)) = found else { return Ok(()) };
    let step = from + number;
    let why = Rejection::Wrong(fault.words(composition, &states[step + 1]));
    Err(in_step(composition.tree, step, &events[step], why))
}

fn in_step(tree: &Tree, number: usize, flat: &FlatEvent, why: Rejection) -> Rejection {
    match why {
        Rejection::Wrong(why) => {
            Rejection::Wrong(format!("step {}, {}: {why}", number + 1, why::flat_event(tree, flat)))
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

fn check_shape(tree: &Tree, events: &[FlatEvent], states: &[State], meter: &mut Meter<'_>) -> Result<(), Rejection> {
    if states.len() != events.len() + 1 {
        let (n_states, n_events) = (states.len(), events.len());
        return wrong(format!("the run has {n_states} states and {n_events} events, it needs one event less"));
    }
    for (i, flat) in events.iter().enumerate() {
        meter.add(tree.components.len() as u64)?;
        if flat.len() != tree.components.len() {
            let (n_events, n_components) = (flat.len(), tree.components.len());
            return wrong(format!("step {}: {n_events} events for {n_components} components", i + 1));
        }
        let unknown = |component| tree.components[component].events.get(flat[component]).is_none();
        if let Some(component) = tree.components.ids().find(|&component| unknown(component)) {
            let name = why::component(tree, component);
            return wrong(format!("step {}: {name} has no event number {}", i + 1, flat[component].0));
        }
    }
    Ok(())
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
