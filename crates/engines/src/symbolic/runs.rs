//! Which commands or events make the steps of a run of which only the states are known.

use lapidary_base::{Control, Stop, Whose};
use lapidary_bdd::Capacity;
use lapidary_ir::passes::{MAX_PATHS, ways};
use lapidary_ir::{Action, CommandId, CountedNet, Model, Statement, Subject, Tree};
use lapidary_system::composition::{BETWEEN_CAPACITY, Between};
use lapidary_system::successors::State as Listed;
use lapidary_system::symbolic::{Origin, Symbolic};
use lapidary_system::{Explicit, Halt, Steps, Successors};
use lapidary_verdict::{State, Trace};

use super::{capacity, full};
use crate::Task;

/// The run through these states of a system.
pub fn named(task: &Task<'_>, system: &Symbolic, states: Vec<State>, control: &Control) -> Result<Trace, Stop> {
    let model = match task.subject {
        Subject::Tree(_) => return run_through(task, states, control),
        Subject::Model(model) | Subject::Net(CountedNet { model, .. }) => model,
    };
    if has_few_ways(model) {
        return run_through(task, states, control);
    }
    match commands_by_groups(system, &states, control)? {
        Some(commands) => {
            let actions = commands.into_iter().map(Action::Command).collect();
            Ok(Trace { states, actions, loop_start: None })
        }
        None => run_through(task, states, control),
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

/// The run through these states, each step with what makes it: of several commands or events, the first.
pub fn run_through(task: &Task<'_>, states: Vec<State>, control: &Control) -> Result<Trace, Stop> {
    if let Some(tree) = task.subject.tree() {
        return run_of_tree(tree, states, control);
    }
    let model = task.subject.made_model().expect("only trees are flattened");
    let explicit = Explicit::within(model, &[], task.sources, control).map_err(Halt::into_stop)?;
    let mut actions = Vec::new();
    let mut steps = Steps::within(control);
    for pair in states.windows(2) {
        steps.clear();
        explicit.successors(Listed::plain(&explicit.pack(&pair[0])), &mut steps)?;
        let words = explicit.pack(&pair[1]);
        let found = steps.states.chunks_exact(explicit.words()).position(|state| state == &words[..]);
        let action: Option<CommandId> = found.map(|place| steps.actions[place]);
        actions.push(task.subject.action(action.ok_or_else(missing)?));
    }
    Ok(Trace { states, actions, loop_start: None })
}

fn missing() -> Stop {
    Stop::Incomplete("a step of the diagrams is no step of the model".to_owned())
}

/// With small tables for the single steps, and with all that there is room for where they do not suffice.
fn run_of_tree(tree: &Tree, states: Vec<State>, control: &Control) -> Result<Trace, Stop> {
    let actions = match events_through(tree, &states, BETWEEN_CAPACITY, control) {
        Err(Stop::Memory(Whose::Tables)) => match events_through(tree, &states, capacity(control, 1), control) {
            Err(Stop::Memory(Whose::Tables)) => Err(full(control)),
            other => other,
        },
        other => other,
    }?;
    Ok(Trace { states, actions, loop_start: None })
}

fn events_through(tree: &Tree, states: &[State], room: Capacity, control: &Control) -> Result<Vec<Action>, Stop> {
    if states.len() < 2 {
        return Ok(Vec::new());
    }
    let mut between = Between::new(tree, room, control)?;
    let mut event = |pair: &[State]| {
        control.check()?;
        let missing = || Stop::Incomplete("a step of the diagrams is no step of the hierarchy".to_owned());
        Ok(Action::Vector(between.event(&pair[0], &pair[1], control)?.ok_or_else(missing)?))
    };
    states.windows(2).map(&mut event).collect()
}
