//! Plain breadth-first search: every reachable state, every step, every property in every state.

use std::collections::{BTreeMap, BTreeSet};

use crate::ast::{Claim, Command, Initial, Model, Owner, ProcessId, Source, Type, Update};
use crate::eval::{Eval, Own, State};
use crate::layout::{Cell, Layout, Value, bounds};

/// The name of the implicit property that no reachable state enables a step that would err.
pub const NO_ERRORS: &str = "no_errors";

/// A run-time error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    /// A value outside of its type's range is assigned.
    Range,
    /// An index is out of bounds, of an array or of the instances of a process.
    Index,
    /// The divisor of `div` or `mod` is zero.
    DivisionByZero,
    /// One command writes a cell twice.
    DoubleWrite,
}

/// Whether a property holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It holds.
    Holds,
    /// It is violated.
    Violated,
}

/// What became of a property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The property's name.
    pub name: String,
    /// Whether it holds.
    pub verdict: Verdict,
    /// The number of steps of a shortest run to a deciding state: one that violates the property,
    /// or one that satisfies a `reach`. There is none when it takes all states to decide.
    pub run: Option<usize>,
    /// The errors that evaluating the property ran into anywhere; for [`NO_ERRORS`] the errors of
    /// steps.
    pub faults: BTreeSet<Fault>,
}

/// All there is to know about a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exploration {
    /// The names of the cells as traces show them: `flag[1]`, `P[0].pc`, `P[1].buf[2]`. Global
    /// variables are first, then process by process, instance by instance; within each the order
    /// is that of the syntax tree, and arrays go row by row.
    pub names: Vec<String>,
    /// The reachable states, each with one printed value per name.
    pub states: BTreeSet<Vec<String>>,
    /// The number of reachable states.
    pub n_states: usize,
    /// The number of initial states.
    pub n_initial: usize,
    /// The number of steps taken: one per state, command instance and choice of inputs.
    pub n_transitions: usize,
    /// The greatest distance of a reachable state from the initial ones; zero without states.
    pub depth: usize,
    /// One outcome per property, in their order, and then [`NO_ERRORS`].
    pub outcomes: Vec<Outcome>,
}

/// Explores a model; `None` when it has more than `limit` states, more than a thousand times
/// `limit` candidates for initial states, or an `int` without an initial value or as an input.
///
/// # Panics
///
/// When the model is ill-typed or a number leaves 128 bits.
pub fn explore(model: &Model, limit: usize) -> Option<Exploration> {
    if reads_any_int(model) {
        return None;
    }
    let layout = Layout::new(model);
    let mut search = Search::new(model, &layout, None);
    let mut level = search.initial(limit)?;
    let mut depths: BTreeMap<State, usize> = level.iter().map(|state| (state.clone(), 0)).collect();
    let n_initial = depths.len();
    let mut depth = 0;
    while !level.is_empty() {
        let mut next = Vec::new();
        for state in &level {
            for successor in search.visit(state, depth) {
                if !depths.contains_key(&successor) {
                    depths.insert(successor.clone(), depth + 1);
                    next.push(successor);
                }
            }
            if depths.len() > limit {
                return None;
            }
        }
        level = next;
        depth += 1;
    }
    let text = |state: &State| state.iter().map(|value| value.text(model)).collect();
    Some(Exploration {
        names: layout.cells.iter().map(|cell| cell.name.clone()).collect(),
        states: depths.keys().map(text).collect(),
        n_states: depths.len(),
        n_initial,
        n_transitions: search.n_transitions,
        depth: depth.saturating_sub(1),
        outcomes: search.outcomes(),
    })
}

/// The depths of the first states that bear on a property.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sighting {
    pub(crate) satisfied: Option<usize>,
    pub(crate) falsified: Option<usize>,
    pub(crate) erred: Option<usize>,
    faults: BTreeSet<Fault>,
}

impl Sighting {
    /// Notes what a property evaluates to; levels come in order, so the first sighting is nearest.
    fn note(&mut self, result: Result<bool, Fault>, depth: usize) {
        let first = match result {
            Ok(true) => &mut self.satisfied,
            Ok(false) => &mut self.falsified,
            Err(fault) => {
                self.faults.insert(fault);
                &mut self.erred
            }
        };
        first.get_or_insert(depth);
    }

    fn decide(&self, claim: &Claim) -> (Verdict, Option<usize>) {
        let bad = match claim {
            Claim::Invariant(_) | Claim::DeadlockFree => earliest(self.falsified, self.erred),
            // An error anywhere makes a `reach` violated, even if some state satisfies it.
            Claim::Reach(_) => self.erred,
        };
        match (claim, bad) {
            (_, Some(depth)) => (Verdict::Violated, Some(depth)),
            (Claim::Invariant(_) | Claim::DeadlockFree, None) => (Verdict::Holds, None),
            (Claim::Reach(_), None) if self.satisfied.is_some() => (Verdict::Holds, self.satisfied),
            (Claim::Reach(_), None) => (Verdict::Violated, None),
        }
    }
}

fn earliest(left: Option<usize>, right: Option<usize>) -> Option<usize> {
    left.into_iter().chain(right).min()
}

pub(crate) struct Search<'a> {
    model: &'a Model,
    layout: &'a Layout,
    instances: Vec<CommandInstance<'a>>,
    /// How far from zero an `int` is that may have any value, where only some are tried.
    window: Option<i128>,
    /// Whether some successors were left out for that reason.
    pub(crate) is_sampled: bool,
    n_transitions: usize,
    /// One per property.
    pub(crate) sightings: Vec<Sighting>,
    pub(crate) steps: Sighting,
}

/// A command of one process instance and for one value of its index.
struct CommandInstance<'a> {
    command: &'a Command,
    own: Option<Own>,
    index: Option<(&'a str, i128)>,
}

impl<'a> Search<'a> {
    pub(crate) fn new(model: &'a Model, layout: &'a Layout, window: Option<i128>) -> Search<'a> {
        let mut instances = Vec::new();
        for command in &model.commands {
            spread(model, command, None, &mut instances);
        }
        for (id, process) in model.processes.iter().enumerate() {
            for at in 0..layout.processes[id].len() {
                for command in &process.commands {
                    spread(model, command, Some((ProcessId(id), at)), &mut instances);
                }
            }
        }
        let sightings = vec![Sighting::default(); model.properties.len()];
        let steps = Sighting::default();
        Search { model, layout, instances, window, is_sampled: false, n_transitions: 0, sightings, steps }
    }

    /// The states that fit all initialisers and satisfy all `init` conditions; a state in which
    /// such a condition errs does not satisfy it.
    pub(crate) fn initial(&self, limit: usize) -> Option<Vec<State>> {
        let mut candidates: Vec<State> = vec![Vec::new()];
        for cell in &self.layout.cells {
            let choices = choices(cell, self.window);
            if candidates.len().saturating_mul(choices.len()) > limit.saturating_mul(1000) {
                return None;
            }
            let extend = |state: &State, value: &Value| state.iter().copied().chain([*value]).collect::<State>();
            candidates = candidates.iter().flat_map(|state| choices.iter().map(|value| extend(state, value))).collect();
        }
        let holds = |state: &State, condition| {
            let result = Eval::new(self.model, self.layout, state).value(condition);
            result.is_ok_and(Value::as_bool)
        };
        candidates.retain(|state| self.model.inits.iter().all(|condition| holds(state, condition)));
        (candidates.len() <= limit).then_some(candidates)
    }

    /// Checks everything in one state and returns its successors.
    pub(crate) fn visit(&mut self, state: &State, depth: usize) -> Vec<State> {
        let mut successors = Vec::new();
        for instance in &self.instances {
            let mut eval = Eval::new(self.model, self.layout, state);
            if let Some(own) = instance.own {
                eval.enter(own);
            }
            eval.bound.extend(instance.index);
            eval.window = self.window;
            match eval.fire(instance.command) {
                Ok(fired) => {
                    self.is_sampled |= eval.is_sampled;
                    successors.extend(fired);
                }
                Err(fault) => self.steps.note(Err(fault), depth),
            }
        }
        self.n_transitions += successors.len();
        for (property, sighting) in self.model.properties.iter().zip(&mut self.sightings) {
            let result = match &property.claim {
                Claim::Invariant(expr) | Claim::Reach(expr) => {
                    Eval::new(self.model, self.layout, state).value(expr).map(Value::as_bool)
                }
                Claim::DeadlockFree => Ok(!successors.is_empty()),
            };
            sighting.note(result, depth);
        }
        successors
    }

    fn outcomes(self) -> Vec<Outcome> {
        let decided = self.model.properties.iter().zip(self.sightings).map(|(property, sighting)| {
            let (verdict, run) = sighting.decide(&property.claim);
            Outcome { name: property.name.clone(), verdict, run, faults: sighting.faults }
        });
        let verdict = if self.steps.erred.is_some() { Verdict::Violated } else { Verdict::Holds };
        let implicit =
            Outcome { name: NO_ERRORS.to_owned(), verdict, run: self.steps.erred, faults: self.steps.faults };
        decided.chain([implicit]).collect()
    }
}

fn choices(cell: &Cell, window: Option<i128>) -> Vec<Value> {
    match cell.initial {
        Some(value) => vec![value],
        None => cell.domain.sample(window).expect("initial values are finite"),
    }
}

fn spread<'a>(model: &'a Model, command: &'a Command, own: Option<Own>, instances: &mut Vec<CommandInstance<'a>>) {
    let Some(index) = &command.index else {
        instances.push(CommandInstance { command, own, index: None });
        return;
    };
    for value in bounds(model, index) {
        instances.push(CommandInstance { command, own, index: Some((&index.name, value)) });
    }
}

/// Whether some `int` starts with, or is assigned, any of infinitely many values.
fn reads_any_int(model: &Model) -> bool {
    let locals = model.processes.iter().flat_map(|process| &process.variables);
    let uninitialised = model
        .variables
        .iter()
        .chain(locals)
        .any(|variable| variable.ty == Type::Int && variable.initial == Initial::Any);
    let own = |process: usize, update: &Update| {
        let variables = match &update.target.owner {
            Owner::Global => &model.variables,
            Owner::Own => &model.processes[process].variables,
            Owner::Instance(process, _) => &model.processes[process.0].variables,
        };
        update.source == Source::Input && variables[update.target.variable.0].ty == Type::Int
    };
    let global = model.commands.iter().flat_map(|command| &command.updates).any(|update| own(0, update));
    let local = model.processes.iter().enumerate().any(|(id, process)| {
        process.commands.iter().flat_map(|command| &command.updates).any(|update| own(id, update))
    });
    uninitialised || global || local
}
