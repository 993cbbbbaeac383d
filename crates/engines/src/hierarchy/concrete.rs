//! The runs of the components put together to one of the whole.

use lapidary_base::{Control, Id, IdVec, Stop};
use lapidary_ir::{Action, EventId};
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
    match actions(local, run) {
        Some(actions) => Ok(Trace { states, actions, loop_start: None }),
        None => run_through(task, states, control),
    }
}

/// What every component did, where the abstract run says so of each by itself.
fn actions(local: &Local<'_>, run: &AbstractRun) -> Option<Vec<Action>> {
    if local.units.iter().any(|unit| unit.part.is_subtree) {
        return None;
    }
    let action = |labels: &Vec<usize>| Action::Vector(labels.iter().map(|&label| EventId::new(label)).collect());
    Some(run.labels.iter().map(action).collect())
}
