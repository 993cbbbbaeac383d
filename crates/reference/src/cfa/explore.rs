//! The reachable states of an automaton, breadth first.

use std::collections::BTreeSet;

use super::{Cfa, Exploration, Role, Statement, Variable};
use crate::terms::{Bound, Fault, Sort, Value, WINDOW, start, value, values};

/// A location and what the variables have.
pub(super) type State = (usize, Bound);

/// Explores an automaton with at most so many states. A number that is havocked stays within [`WINDOW`]; whoever wants more
/// says so with an `assume` behind.
///
/// # Panics
///
/// If the automaton is ill-typed or has no initial location.
pub fn explore(cfa: &Cfa, most: usize) -> Result<Exploration, Fault> {
    let variables = visible(cfa);
    let is_error = |at: usize| cfa.main.locations[at].role == Role::Error;
    let levels = levels(cfa, most)?;
    let text = |(at, bound): &State| {
        let row = bound.iter().map(|(_, value)| value.text(&[])).collect();
        (cfa.main.locations[*at].name.clone(), row)
    };
    Ok(Exploration {
        names: variables.iter().map(|variable| variable.name.clone()).collect(),
        states: levels.iter().flatten().map(text).collect(),
        n_initial: levels.first().map_or(0, Vec::len),
        depth: levels.len().saturating_sub(1),
        violation: levels.iter().position(|level| level.iter().any(|(at, _)| is_error(*at))),
    })
}

/// A search with more steps than this for each state that it may have ends as one with too many states does.
const STEPS_PER_STATE: usize = 50;

/// The states by the number of edges that they need.
pub(super) fn levels(cfa: &Cfa, most: usize) -> Result<Vec<Vec<State>>, Fault> {
    let initial = cfa.main.locations.iter().position(|location| location.role == Role::Init);
    let initial = initial.expect("there is an initial location");
    let variables = visible(cfa);
    let mut bounds: Vec<Bound> = vec![Vec::new()];
    for variable in &variables {
        let all = start(&variable.sort, &[]);
        bounds = bounds.iter().flat_map(|bound| all.iter().map(|value| with(bound, &variable.name, value))).collect();
        if bounds.len() > most {
            return Err(Fault::TooManyStates);
        }
    }
    let mut level: Vec<State> = bounds.into_iter().map(|bound| (initial, bound)).collect();
    let mut known: BTreeSet<State> = level.iter().cloned().collect();
    let mut levels = Vec::new();
    let mut n_steps = 0;
    while !level.is_empty() {
        let mut next = Vec::new();
        for state in &level {
            for successor in successors(cfa, &variables, state)? {
                n_steps += 1;
                if known.insert(successor.clone()) {
                    next.push(successor);
                }
            }
            if known.len() > most || n_steps > STEPS_PER_STATE * most {
                return Err(Fault::TooManyStates);
            }
        }
        levels.push(std::mem::replace(&mut level, next));
    }
    Ok(levels)
}

/// What the main process can name: its own variables, and the global ones that these do not hide.
pub(super) fn visible(cfa: &Cfa) -> Vec<Variable> {
    let own = &cfa.main.variables;
    let is_hidden = |global: &&Variable| own.iter().any(|variable| variable.name == global.name);
    cfa.globals.iter().filter(|global| !is_hidden(global)).chain(own).cloned().collect()
}

fn with(bound: &Bound, name: &str, value: &Value) -> Bound {
    bound.iter().cloned().chain([(name.to_owned(), value.clone())]).collect()
}

fn successors(cfa: &Cfa, variables: &[Variable], (at, bound): &State) -> Result<Vec<State>, Fault> {
    let mut found = Vec::new();
    for edge in cfa.main.edges.iter().filter(|edge| edge.from == *at) {
        let mut ways = vec![bound.clone()];
        for statement in &edge.statements {
            // Where ways meet again one is enough.
            let mut next = BTreeSet::new();
            for way in ways {
                next.extend(run(variables, statement, way)?);
            }
            ways = next.into_iter().collect();
        }
        found.extend(ways.into_iter().map(|way| (edge.to, way)));
    }
    Ok(found)
}

fn run(variables: &[Variable], statement: &Statement, bound: Bound) -> Result<Vec<Bound>, Fault> {
    match statement {
        Statement::Assume(condition) => match value(condition, &bound, &[])? {
            Value::Bool(true) => Ok(vec![bound]),
            Value::Bool(false) => Ok(Vec::new()),
            other => panic!("{other:?} is no condition"),
        },
        Statement::Assign(name, expr) => {
            let new = value(expr, &bound, &[])?;
            Ok(vec![set(bound, name, new)])
        }
        Statement::Havoc(name) => {
            let variable = variables.iter().find(|variable| variable.name == *name).expect("variables are declared");
            Ok(any(&variable.sort).into_iter().map(|new| set(bound.clone(), name, new)).collect())
        }
    }
}

fn any(sort: &Sort) -> Vec<Value> {
    match sort {
        Sort::Int => (-WINDOW..=WINDOW).map(Value::Int).collect(),
        other => values(other, &[]).expect("what is havocked has few values"),
    }
}

fn set(mut bound: Bound, name: &str, value: Value) -> Bound {
    let place = bound.iter_mut().find(|(known, _)| known == name);
    place.unwrap_or_else(|| panic!("there is no variable {name}")).1 = value;
    bound
}
