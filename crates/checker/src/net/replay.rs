//! Runs of nets: an initial marking, then one firing after the other.

use lapidary_base::Id;
use lapidary_ir::model::Raw;
use lapidary_ir::{Destinations, Flow, Model, Net, PlaceId, PropertyId, Transition, TransitionId};
use lapidary_verdict::{State, Trace, Verdict};

use super::{check_shape, distribution, wrong};
use crate::Rejection;
use crate::replay;

/// Is `trace` a run of the net that shows `verdict` for the property?
pub fn replay_net(
    net: &Net,
    model: &Model,
    property: PropertyId,
    verdict: Verdict,
    trace: &Trace,
) -> Result<(), Rejection> {
    replay::check_claim(model, property, trace)?;
    replay_net_run(net, model, trace)?;
    replay::check_last(model, property, verdict, trace.last())
}

/// Is `trace` a run of the net, whatever it shows?
pub fn replay_net_run(net: &Net, model: &Model, trace: &Trace) -> Result<(), Rejection> {
    check_shape(net, model)?;
    replay::check_shape(model, trace)?;
    for (i, state) in trace.states.iter().enumerate() {
        check_marking(net, model, state).map_err(|why| wrong(format!("state {i}: {why}")))?;
    }
    check_initial(net, &trace.states[0])?;
    for (i, (action, pair)) in trace.actions.iter().zip(trace.states.windows(2)).enumerate() {
        let transition = &net.transitions[TransitionId::new(action.index())];
        let firing = check_firing(net, transition, &pair[0], &pair[1]);
        firing.map_err(|why| wrong(format!("step {}: {} {why}", i + 1, transition.name)))?;
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

/// Numbers are those of 64-bit states, so sums and products of a few stay within 128 bits; whatever does not is no
/// firing, because the next marking has 64-bit numbers again.
fn check_firing(net: &Net, transition: &Transition, from: &[Raw], to: &[Raw]) -> Result<(), String> {
    let left = left(net, transition, from)?;
    // What the next marking has beyond what is sure to arrive.
    let n_places = net.places.len();
    let mut open: Vec<i128> = to[..n_places].iter().map(|&tokens| i128::from(tokens)).collect();
    let mut arrives = |place: PlaceId, tokens: Option<i128>| {
        let rest = tokens.and_then(|tokens| open[place.index()].checked_sub(tokens));
        rest.map(|rest| open[place.index()] = rest).ok_or("would bring more tokens than a state can have")
    };
    for (place, &tokens) in left.iter().enumerate() {
        let place = PlaceId::new(place);
        match transition.flows.binary_search_by_key(&place, |flow| flow.from) {
            Err(_) => arrives(place, Some(tokens))?,
            Ok(at) => match &transition.flows[at].to {
                Destinations::All(to) => {
                    for &(place, times) in to {
                        arrives(place, tokens.checked_mul(i128::from(times)))?;
                    }
                }
                Destinations::One(_) => {}
            },
        }
    }
    for &(place, tokens) in &transition.put {
        arrives(place, Some(i128::from(tokens)))?;
    }
    let chooses = |flow: &Flow| match &flow.to {
        Destinations::All(_) => None,
        Destinations::One(to) => Some((left[flow.from.index()], to.clone())),
    };
    let choices: Vec<(i128, Vec<PlaceId>)> = transition.flows.iter().filter_map(chooses).collect();
    if distribution::exists(&choices, &open) {
        return Ok(());
    }
    let differs = open.iter().position(|&tokens| tokens != 0).filter(|_| choices.is_empty());
    let Some(place) = differs else { return Err("leads elsewhere, wherever tokens choose to go".to_owned()) };
    let (name, expected) = (&net.places[PlaceId::new(place)].name, i128::from(to[place]) - open[place]);
    Err(format!("leads elsewhere: {name} is {}, expected {expected}", to[place]))
}

/// What is left in every place once the transition has taken what it takes.
fn left(net: &Net, transition: &Transition, from: &[Raw]) -> Result<Vec<i128>, String> {
    let mut left: Vec<i128> = from[..net.places.len()].iter().map(|&tokens| i128::from(tokens)).collect();
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
    Ok(left)
}
