//! From a list of transitions of the smaller net to a run of the whole one.

use lapidary_base::{Control, Id, Stop};
use lapidary_ir::model::Raw;
use lapidary_ir::{Action, CommandId, Net, Tokens, TransitionId};
use lapidary_system::net::{Marking, fire};
use lapidary_verdict::{State, Trace};

use super::{Problem, Reduced};

/// A transition of the smaller net, and the marking that has to be covered after it.
#[derive(Clone, Debug)]
pub struct Step {
    pub transition: TransitionId,
    pub demand: Marking,
}

/// No longer run is written down.
const MAX_STEPS: u64 = 10_000_000;

/// Fires the steps from the least initial marking above `start`, pumping first what the steps need from unlimited places,
/// and stops at the first target. `None` if some step cannot fire or no target is met, which only happens where the net is
/// not monotone.
pub fn run(
    problem: &Problem<'_>,
    reduced: &Reduced,
    start: &[Tokens],
    steps: &[Step],
    control: &Control,
) -> Result<Option<Trace>, Stop> {
    let net = problem.net;
    let n_places = net.places.len();
    let goal = reduced.lift(steps.last().map_or(start, |step| &step.demand), n_places);
    let mut needs = needs(problem, reduced, steps, &goal);
    let mut actions: Vec<TransitionId> = Vec::new();
    for pump in reduced.pumps.iter().rev() {
        let transition = &net.transitions[pump.by];
        let put = transition.put.iter().find(|&&(place, _)| place == pump.place).map_or(1, |&(_, tokens)| tokens);
        let times = needs[pump.place.index()].div_ceil(u128::try_from(put).unwrap_or(1));
        if times + actions.len() as u128 > u128::from(MAX_STEPS) {
            return Err(Stop::Incomplete(format!("a run has more than {MAX_STEPS} steps")));
        }
        needs[pump.place.index()] = 0;
        ask(net, pump.by, times, &mut needs);
        actions.extend((0..times).map(|_| pump.by));
    }
    actions.reverse();
    let mut marking = initial(net, &reduced.lift(start, n_places), &needs)?;
    let mut trace = Trace { states: vec![state(problem, &marking)?], actions: Vec::new(), loop_start: None };
    let pumped = actions.into_iter().map(|transition| (transition, &[][..]));
    let fired = steps.iter().map(|step| (reduced.transitions[step.transition], &step.demand[..]));
    // Only one demand at a time is written out for the whole net: a long run has many.
    let mut demanded: Marking = vec![0; n_places].into();
    for (transition, demand) in pumped.chain(fired) {
        control.check()?;
        if problem.is_target(&marking) {
            break;
        }
        reduced.places.iter().zip(demand).for_each(|(place, &tokens)| demanded[place.index()] = tokens);
        let Some(next) = fire(&net.transitions[transition], &marking, &demanded)? else { return Ok(None) };
        reduced.places.iter().zip(demand).for_each(|(place, _)| demanded[place.index()] = 0);
        marking = next;
        trace.actions.push(Action::Command(CommandId::new(transition.index())));
        trace.states.push(state(problem, &marking)?);
    }
    Ok(problem.is_target(&marking).then_some(trace))
}

/// What the steps take from unlimited places, and what the target asks of them.
fn needs(problem: &Problem<'_>, reduced: &Reduced, steps: &[Step], goal: &[Tokens]) -> Vec<u128> {
    let mut asked = vec![0u128; problem.net.places.len()];
    for step in steps {
        ask(problem.net, reduced.transitions[step.transition], 1, &mut asked);
    }
    // The target that is met is the one whose part in the smaller net is covered at last. One that asks for an unmarkable
    // place is not in the smaller net at all.
    let is_met = |marking: &&Marking| {
        reduced.places.iter().all(|place| marking[place.index()] <= goal[place.index()])
            && reduced.unmarkable.iter().all(|place| marking[place.index()] == 0)
    };
    let met = problem.minimal.iter().find(is_met);
    let mut needs = vec![0u128; asked.len()];
    for place in &reduced.unlimited {
        let wanted = met.map_or(0, |marking| marking[place.index()]);
        needs[place.index()] = asked[place.index()].saturating_add(u128::from(wanted));
    }
    needs
}

/// Taken tokens add up; a guard only asks for what is there.
fn ask(net: &Net, transition: TransitionId, times: u128, needs: &mut [u128]) {
    if times == 0 {
        return;
    }
    let transition = &net.transitions[transition];
    for &(place, tokens) in &transition.take {
        needs[place.index()] = needs[place.index()].saturating_add(times.saturating_mul(u128::from(tokens)));
    }
    for guard in &transition.guards {
        needs[guard.place.index()] = needs[guard.place.index()].saturating_add(u128::from(guard.range.lo));
    }
}

fn initial(net: &Net, start: &[Tokens], needs: &[u128]) -> Result<Marking, Stop> {
    let most = |place: usize| {
        let need = Tokens::try_from(needs[place]).ok()?;
        let range = &net.initial.as_slice()[place];
        let tokens = range.lo.max(start[place]).max(if range.hi.is_none() { need } else { 0 });
        (tokens <= i64::MAX as Tokens).then_some(tokens)
    };
    let marking: Option<Marking> = (0..start.len()).map(most).collect();
    marking.ok_or_else(|| Stop::Overflow("the initial marking of a run".to_owned()))
}

fn state(problem: &Problem<'_>, marking: &[Tokens]) -> Result<State, Stop> {
    let overflow = || Stop::Overflow("a marking of a run".to_owned());
    let mut state = marking.iter().map(|&tokens| Raw::try_from(tokens)).collect::<Result<Vec<Raw>, _>>();
    if let Ok(state) = &mut state {
        state.resize(problem.model.vars.len(), 0);
    }
    state.map(Into::into).map_err(|_| overflow())
}
