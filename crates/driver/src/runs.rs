//! Runs of which a document does not tell every step: each open step gets what leads to its state.
//!
//! What is found here is only proposed: the checker replays it.

use lapidary_base::{Control, Stop, Whose};
use lapidary_checker::step::is_step;
use lapidary_ir::passes::NoModel;
use lapidary_ir::{Action, Subject, Tree};
use lapidary_system::composition::{BETWEEN_CAPACITY, Between};
use lapidary_verdict::itf::{self, Run, Said};
use lapidary_verdict::{State, Trace};
use serde_json::Value;

use crate::load::Loaded;

/// Why there is no trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoTrace {
    /// Nothing leads to a state; the text says where.
    Wrong(String),
    Stopped(Stop),
}

impl From<Stop> for NoTrace {
    fn from(stop: Stop) -> Self {
        Self::Stopped(stop)
    }
}

/// The run of an ITF document on this model. It is only read, and not replayed.
pub fn read(loaded: &Loaded, document: &Value, control: &Control) -> Result<Trace, NoTrace> {
    // Steps that are told by their numbers are those of the flattening, where it costs little.
    match loaded.subject.affordable_model(control) {
        Ok(_) | Err(NoModel::TooLarge(_) | NoModel::Stopped(Stop::Budget(_))) => {}
        Err(NoModel::Stopped(stop)) => return Err(NoTrace::Stopped(stop)),
    }
    let run = itf::run_from_json(&loaded.subject, document).map_err(NoTrace::Wrong)?;
    with_actions(&loaded.subject, run, control)
}

/// Chooses what happens in every step that leaves it open: something that takes the step, if there is any.
fn with_actions(subject: &Subject, run: Run, control: &Control) -> Result<Trace, NoTrace> {
    let last = run.states.len() - 1;
    let mut events = subject.tree().map(|tree| Events { tree, between: None, control });
    let mut actions = Vec::new();
    for (i, said) in run.steps.iter().enumerate() {
        control.check()?;
        let target = if i < last { i + 1 } else { run.loop_start.unwrap_or(last) };
        let (from, to) = (&run.states[i], &run.states[target]);
        let none = |what: &str| NoTrace::Wrong(format!("step {}: {what} leads to its state", i + 1));
        actions.push(match (said, &mut events) {
            (Said::OneOf(candidates), _) => fitting(subject, candidates, from, to)
                .ok_or_else(|| none(&format!("none of {} commands", candidates.len())))?,
            (Said::Nothing, Some(events)) => events.between(from, to)?.ok_or_else(|| none("no event"))?,
            (Said::Nothing, None) => unreachable!("of all but hierarchies the commands are listed"),
        });
    }
    Ok(Trace { states: run.states, actions, loop_start: run.loop_start })
}

/// The only candidate whatever it does, or the first that takes the step.
fn fitting(subject: &Subject, candidates: &[Action], from: &State, to: &State) -> Option<Action> {
    let fits = |action: &&Action| {
        let taken = subject.made_model().zip(subject.command(action));
        taken.is_some_and(|(model, command)| is_step(model, command, from, to) == Ok(true))
    };
    match candidates {
        [only] => Some(only.clone()),
        _ => candidates.iter().find(fits).cloned(),
    }
}

/// Finds events of a hierarchy by the composition of its components, which is made ready when it is first needed.
struct Events<'a> {
    tree: &'a Tree,
    between: Option<Between<'a>>,
    control: &'a Control,
}

impl Events<'_> {
    fn between(&mut self, from: &State, to: &State) -> Result<Option<Action>, Stop> {
        let Self { tree, between, control } = self;
        let is_configuration = |state: &State| {
            let inside = |(var, &value): (_, &i64)| {
                let (low, high) = tree.bounds(var);
                (low..=high).contains(&value)
            };
            state.len() == tree.vars.len() && tree.vars.ids().zip(state).all(inside)
        };
        // Diagrams have no columns for other values; the checker says what is wrong with them.
        if !is_configuration(from) || !is_configuration(to) {
            return Ok(None);
        }
        let between = match between {
            Some(between) => between,
            None => between.insert(Between::new(tree, BETWEEN_CAPACITY, control).map_err(full)?),
        };
        Ok(between.event(from, to, control).map_err(full)?.map(Action::Vector))
    }
}

/// Nobody has bounded these tables but us.
fn full(stop: Stop) -> Stop {
    match stop {
        Stop::Memory(Whose::Tables) => {
            Stop::Incomplete("the diagrams became too large to find the events of steps without a label".to_owned())
        }
        stop => stop,
    }
}
