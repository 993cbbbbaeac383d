//! Which commands make the steps of a run of which only the states are known.

use lapidary_base::{Control, Stop};
use lapidary_ir::passes::{MAX_PATHS, ways};
use lapidary_ir::{CommandId, Model, Statement};
use lapidary_system::symbolic::{Origin, Symbolic};
use lapidary_system::{Explicit, Halt, Steps, Successors};
use lapidary_verdict::{State, Trace};

use crate::Task;

/// The run through these states of a system.
pub fn named(task: &Task<'_>, system: &Symbolic, states: Vec<State>, control: &Control) -> Result<Trace, Stop> {
    match task.tree.is_some() || has_few_ways(task.model) {
        true => run_through(task, states, control),
        false => match commands_by_groups(system, &states, control)? {
            Some(actions) => Ok(Trace { states, actions, loop_start: None }),
            None => run_through(task, states, control),
        },
    }
}

/// Whether the steps from a state can be listed, whatever the bodies choose.
fn has_few_ways(model: &Model) -> bool {
    let most = MAX_PATHS as u64;
    model.start == Statement::Skip
        && model.vars.ids().all(|var| !model.is_local(var))
        && model.commands.iter().all(|command| ways(&command.body) <= most)
}

/// The first commands that make the steps by their diagrams; `None` where only one that waits does, of which there may be
/// several.
fn commands_by_groups(system: &Symbolic, states: &[State], control: &Control) -> Result<Option<Vec<CommandId>>, Stop> {
    let mut actions = Vec::new();
    for pair in states.windows(2) {
        let (from, to) = (system.single(&pair[0])?, system.single(&pair[1])?);
        let mut action = None;
        for group in &system.groups {
            control.check()?;
            if let Origin::Command(id) = group.origin
                && system.space.intersects(&system.post(group, &from)?, &to)?
            {
                action = Some(id);
                break;
            }
        }
        match action {
            Some(id) => actions.push(id),
            None => return Ok(None),
        }
    }
    Ok(Some(actions))
}

/// The run through these states, each step with a command that makes it.
pub fn run_through(task: &Task<'_>, states: Vec<State>, control: &Control) -> Result<Trace, Stop> {
    let explicit = Explicit::within(task.model, &[], task.sources, control).map_err(Halt::into_stop)?;
    let mut actions = Vec::new();
    let mut steps = Steps::within(control);
    for pair in states.windows(2) {
        steps.clear();
        explicit.successors(&explicit.pack(&pair[0]), &(), &mut steps)?;
        let words = explicit.pack(&pair[1]);
        let found = steps.states.chunks_exact(explicit.words()).position(|state| state == &words[..]);
        let action: Option<CommandId> = found.map(|place| steps.actions[place]);
        actions.push(action.ok_or_else(missing)?);
    }
    Ok(Trace { states, actions, loop_start: None })
}

fn missing() -> Stop {
    Stop::Incomplete("a step of the diagrams is no step of the model".to_owned())
}
