//! The runs of the components put together to one of the whole.

use lapidary_base::hash::Map;
use lapidary_base::{Control, Id, IdVec, Stop};
use lapidary_ir::tree::EPSILON;
use lapidary_ir::{CommandId, ComponentId, EventId};
use lapidary_verdict::{State, Trace};

use super::Refinement;
use super::cover::Cover;
use super::local::Local;
use super::product::AbstractRun;
use super::tally::Tally;
use super::verify::{Projection, Verified};
use crate::Task;
use crate::symbolic::run_through;

/// A run of the model; no component finds the abstract one spurious.
pub fn trace(
    task: &Task<'_>,
    local: &Local<'_>,
    covers: &[Cover],
    run: &AbstractRun,
    control: &Control,
) -> Result<Trace, Stop> {
    let frame = &local.frame;
    let vars: Vec<_> = frame.places.essential().collect();
    let mut states = vec![vec![0u64; vars.len()]; run.blocks.len()];
    for cover in covers {
        let projection = Projection::new(cover, run);
        let Verified::Feasible(sets) = projection.forward(local, Refinement::Direct, &mut Tally::default())? else {
            return Err(Stop::Incomplete("a feasible run is spurious".to_owned()));
        };
        let values = projection.values(local, &sets)?;
        for (state, values) in states.iter_mut().zip(values) {
            for (var, value) in local.units[cover.unit].vars.iter().zip(values) {
                let place = vars.binary_search(var).expect("variables of components are essential");
                state[place] = value;
            }
        }
    }
    let restored = |values: &Vec<u64>| frame.places.restore(&frame.tree.exprs, &IdVec::new(), values);
    let states: Vec<State> = states.iter().map(restored).collect();
    match actions(task, local, run) {
        Some(actions) => Ok(Trace { states, actions, loop_start: None }),
        None => run_through(task, states, control),
    }
}

/// The commands by their labels, where those name the events of all nodes.
fn actions(task: &Task<'_>, local: &Local<'_>, run: &AbstractRun) -> Option<Vec<CommandId>> {
    if local.units.iter().any(|unit| unit.part.is_subtree) {
        return None;
    }
    let mut commands: Map<&str, CommandId> = Map::default();
    for (id, command) in task.model.commands.enumerated().filter(|(_, command)| !command.is_idle) {
        if commands.insert(&command.label, id).is_some() {
            return None;
        }
    }
    let idle = task.model.commands.ids().find(|&id| task.model.commands[id].is_idle);
    let action = |labels: &Vec<usize>| {
        let flat: IdVec<ComponentId, EventId> = labels.iter().map(|&label| EventId::new(label)).collect();
        match flat.iter().all(|&event| event == EPSILON) {
            true => idle,
            false => commands.get(local.tree().flat_event_name(&flat).as_str()).copied(),
        }
    };
    run.labels.iter().map(action).collect()
}
