//! Runs of nets: an initial marking, then one firing after the other.

use lapidary_base::{Control, Id, Meter, Stop};
use lapidary_ir::model::Raw;
use lapidary_ir::{Destinations, Flow, Model, Net, PlaceId, PropertyId, Transition, TransitionId};
use lapidary_verdict::{State, Trace, Verdict};

use super::{check_shape, distribution, wrong};
use crate::Rejection;
use crate::replay;

/// So many numbers are looked at even when a limit was reached just before: the run was found.
const MOMENT: u64 = 1 << 20;

/// Is `trace` a run of the net that shows `verdict` for the property?
pub fn replay_net(
    net: &Net,
    model: &Model,
    property: PropertyId,
    verdict: Verdict,
    trace: &Trace,
    control: &Control,
) -> Result<(), Rejection> {
    replay::check_claim(model, property, trace)?;
    replay_net_run(net, model, trace, control)?;
    replay::check_last(model, property, verdict, trace.last(), control)
}

/// Is `trace` a run of the net, whatever it shows?
pub fn replay_net_run(net: &Net, model: &Model, trace: &Trace, control: &Control) -> Result<(), Rejection> {
    check_shape(net, model)?;
    let commands = replay::check_shape(model, trace)?;
    let mut meter = Meter::with_allowance(control, MOMENT);
    let work = model.vars.len() as u64 + 1;
    for (i, state) in trace.states.iter().enumerate() {
        meter.add(work)?;
        check_marking(net, model, state).map_err(|why| wrong(format!("state {i}: {why}")))?;
    }
    check_initial(net, &trace.states[0])?;
    let mut moved = Moved::default();
    for (i, (command, (_, from, to))) in commands.into_iter().zip(trace.steps()).enumerate() {
        meter.add(2 * work)?;
        let transition = &net.transitions[TransitionId::new(command.index())];
        let firing = moved.check_firing(net, transition, from, to, &mut meter)?;
        let why = |why| replay::of_loop(trace, i, wrong(format!("step {}: {} {why}", i + 1, transition.name)));
        firing.map_err(why)?;
    }
    Ok(())
}

/// A number of tokens for every place, and zero for the variables behind them.
fn check_marking(net: &Net, model: &Model, state: &State) -> Result<(), String> {
    if state.len() != model.vars.len() {
        return Err(format!("{} values for {} variables", state.len(), model.vars.len()));
    }
    let (places, others) = state.split_at(net.places.len());
    if let Some(place) = places.iter().position(|&tokens| tokens < 0) {
        return Err(format!("{} has {} tokens", net.places[PlaceId::new(place)].name, places[place]));
    }
    match others.iter().position(|&value| value != 0) {
        Some(i) => Err(format!("the auxiliary variable {i} is {}, not 0", others[i])),
        None => Ok(()),
    }
}

fn check_initial(net: &Net, state: &State) -> Result<(), Rejection> {
    for (place, range) in net.initial.enumerated() {
        let tokens = i128::from(state[place.index()]);
        if tokens < i128::from(range.lo) || range.hi.is_some_and(|hi| tokens > i128::from(hi)) {
            let name = &net.places[place].name;
            let hi = range.hi.map_or("any number".to_owned(), |hi| hi.to_string());
            let why = format!("{name} has {tokens} tokens, not {} to {hi}", range.lo);
            return Err(wrong(format!("state 0 is not initial: {why}")));
        }
    }
    Ok(())
}

/// What is moved in one step, kept from step to step: a run may have millions of them.
#[derive(Default)]
struct Moved {
    /// What is left in every place once the transition has taken what it takes.
    left: Vec<i128>,
    /// What the next marking has beyond what is sure to arrive.
    open: Vec<i128>,
}

/// Numbers are those of 64-bit states, so sums and products of a few stay within 128 bits; whatever does not is no
/// firing, because the next marking has 64-bit numbers again.
impl Moved {
    /// Inside: why this is no firing.
    fn check_firing(
        &mut self,
        net: &Net,
        transition: &Transition,
        from: &[Raw],
        to: &[Raw],
        meter: &mut Meter<'_>,
    ) -> Result<Result<(), String>, Stop> {
        if let Err(why) = self.take(net, transition, from) {
            return Ok(Err(why));
        }
        self.open.clear();
        self.open.extend(to[..net.places.len()].iter().map(|&tokens| i128::from(tokens)));
        if let Err(why) = self.arrive(transition) {
            return Ok(Err(why));
        }
        let chooses = |flow: &Flow| match &flow.to {
            Destinations::All(_) => None,
            Destinations::One(to) => Some((self.left[flow.from.index()], to.clone())),
        };
        let choices: Vec<(i128, Vec<PlaceId>)> = transition.flows.iter().filter_map(chooses).collect();
        let differs = self.open.iter().position(|&tokens| tokens != 0);
        if let Some(place) = differs.filter(|_| choices.is_empty()) {
            let (name, expected) = (&net.places[PlaceId::new(place)].name, i128::from(to[place]) - self.open[place]);
            return Ok(Err(format!("leads elsewhere: {name} is {}, expected {expected}", to[place])));
        }
        if choices.is_empty() || distribution::exists(&choices, &self.open, meter)? {
            return Ok(Ok(()));
        }
        Ok(Err("leads elsewhere, wherever tokens choose to go".to_owned()))
    }

    /// What the transition takes from every place, if it is enabled.
    fn take(&mut self, net: &Net, transition: &Transition, from: &[Raw]) -> Result<(), String> {
        self.left.clear();
        self.left.extend(from[..net.places.len()].iter().map(|&tokens| i128::from(tokens)));
        let left = &mut self.left;
        for guard in &transition.guards {
            let tokens = left[guard.place.index()];
            if tokens < i128::from(guard.range.lo) || guard.range.hi.is_some_and(|hi| tokens > i128::from(hi)) {
                return Err(format!("is not enabled: {} has {tokens} tokens", net.places[guard.place].name));
            }
        }
        for &(place, tokens) in &transition.take {
            let has = left[place.index()];
            left[place.index()] -= i128::from(tokens);
            if left[place.index()] < 0 {
                return Err(format!("is not enabled: {} has {has} tokens", net.places[place].name));
            }
        }
        Ok(())
    }

    /// What stays, what flows to all of its places and what is put, but for the tokens that choose.
    fn arrive(&mut self, transition: &Transition) -> Result<(), String> {
        let mut arrives = |place: PlaceId, tokens: Option<i128>| {
            let rest = tokens.and_then(|tokens| self.open[place.index()].checked_sub(tokens));
            rest.map(|rest| self.open[place.index()] = rest).ok_or("would bring more tokens than a state can have")
        };
        let mut flows = transition.flows.iter().peekable();
        for (place, &tokens) in self.left.iter().enumerate() {
            let place = PlaceId::new(place);
            let Some(flow) = flows.next_if(|flow| flow.from == place) else {
                arrives(place, Some(tokens))?;
                continue;
            };
            match &flow.to {
                Destinations::All(to) => {
                    for &(place, times) in to {
                        arrives(place, tokens.checked_mul(i128::from(times)))?;
                    }
                }
                Destinations::One(_) => {}
            }
        }
        for &(place, tokens) in &transition.put {
            arrives(place, Some(i128::from(tokens)))?;
        }
        Ok(())
    }
}
