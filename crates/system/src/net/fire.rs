//! Firing: the marking that a transition leads to.

use lapidary_base::{Id, Stop};
use lapidary_ir::{Destinations, PlaceId, Tokens, Transition};

/// The tokens of every place.
pub type Marking = Box<[Tokens]>;

/// The marking after the transition; `None` where it is not enabled. Where tokens choose where to go, enough of them go
/// where `demand` misses some, if that is possible at all; without flows of that kind `demand` plays no role.
pub fn fire(transition: &Transition, marking: &[Tokens], demand: &[Tokens]) -> Result<Option<Marking>, Stop> {
    if !transition.guards.iter().all(|guard| guard.range.contains(marking[guard.place.index()])) {
        return Ok(None);
    }
    let mut left: Marking = marking.into();
    for &(place, tokens) in &transition.take {
        let Some(rest) = left[place.index()].checked_sub(tokens) else { return Ok(None) };
        left[place.index()] = rest;
    }
    let mut after: Vec<i128> = left.iter().map(|&tokens| i128::from(tokens)).collect();
    for flow in &transition.flows {
        after[flow.from.index()] -= i128::from(left[flow.from.index()]);
    }
    for flow in &transition.flows {
        let Destinations::All(to) = &flow.to else { continue };
        for &(place, times) in to {
            after[place.index()] += i128::from(left[flow.from.index()]) * i128::from(times);
        }
    }
    for &(place, tokens) in &transition.put {
        after[place.index()] += i128::from(tokens);
    }
    choose(transition, &left, &mut after, demand);
    if after.iter().any(|&tokens| tokens < 0) {
        return Ok(None);
    }
    let overflow = || Stop::Overflow(format!("transition {}", transition.name));
    let narrow = |&tokens: &i128| i64::try_from(tokens).ok().and_then(|tokens| Tokens::try_from(tokens).ok());
    after.iter().map(narrow).collect::<Option<Marking>>().map(Some).ok_or_else(overflow)
}

/// Sends tokens with a choice where they are missed, then the rest to their first destination.
fn choose(transition: &Transition, left: &[Tokens], after: &mut [i128], demand: &[Tokens]) {
    let choices: Vec<(PlaceId, &[PlaceId])> = transition
        .flows
        .iter()
        .filter_map(|flow| match &flow.to {
            Destinations::All(_) => None,
            Destinations::One(to) => Some((flow.from, &to[..])),
        })
        .collect();
    if choices.is_empty() {
        return;
    }
    let mut idle: Vec<i128> = choices.iter().map(|&(from, _)| i128::from(left[from.index()])).collect();
    let mut sent: Vec<Vec<i128>> = choices.iter().map(|(_, to)| vec![0; to.len()]).collect();
    // First what keeps places from falling below zero: without it the transition does not fire at all.
    let demanded = |place: usize| i128::from(demand.get(place).copied().unwrap_or(0));
    let wanted: [&dyn Fn(usize) -> i128; 2] = [&|_| 0, &demanded];
    for wanted in wanted {
        for (place, tokens) in after.iter_mut().enumerate() {
            while wanted(place) > *tokens {
                let missing = wanted(place) - *tokens;
                let Some(amount) = augment(&choices, place, missing, &mut idle, &mut sent) else { break };
                *tokens += amount;
            }
        }
    }
    for (i, (_, to)) in choices.iter().enumerate() {
        after[to[0].index()] += idle[i];
    }
}

/// One augmenting path of a flow problem: idle tokens come to a place, directly or by pushing others elsewhere. Returns how
/// many came.
fn augment(
    choices: &[(PlaceId, &[PlaceId])],
    goal: usize,
    most: i128,
    idle: &mut [i128],
    sent: &mut [Vec<i128>],
) -> Option<i128> {
    // Breadth-first from the goal: by which source each place was filled up, and for which place each source was asked.
    let mut asked_for: Vec<Option<usize>> = vec![None; choices.len()];
    let mut reached = vec![(goal, None)];
    let mut at = 0;
    while at < reached.len() {
        let (place, _) = reached[at];
        for (source, (_, to)) in choices.iter().enumerate() {
            if asked_for[source].is_some() || !to.iter().any(|to| to.index() == place) {
                continue;
            }
            asked_for[source] = Some(at);
            if idle[source] > 0 {
                return Some(push(choices, source, &asked_for, &reached, most, idle, sent));
            }
            for (slot, to) in to.iter().enumerate() {
                if sent[source][slot] > 0 && !reached.iter().any(|&(place, _)| place == to.index()) {
                    reached.push((to.index(), Some(source)));
                }
            }
        }
        at += 1;
    }
    None
}

/// Follows the path from a source with idle tokens back to the goal: every source on it sends to the place it was asked
/// for, and takes that from where it had sent before.
fn push(
    choices: &[(PlaceId, &[PlaceId])],
    first: usize,
    asked_for: &[Option<usize>],
    reached: &[(usize, Option<usize>)],
    most: i128,
    idle: &mut [i128],
    sent: &mut [Vec<i128>],
) -> i128 {
    let slot = |source: usize, place: usize| {
        choices[source].1.iter().position(|to| to.index() == place).expect("sources on a path reach their places")
    };
    let mut path = Vec::new();
    let mut amount = most.min(idle[first]);
    let mut source = first;
    loop {
        let (place, by) = reached[asked_for[source].expect("sources on a path were asked")];
        path.push((source, place));
        let Some(before) = by else { break };
        amount = amount.min(sent[before][slot(before, place)]);
        source = before;
    }
    idle[first] -= amount;
    for (i, &(source, place)) in path.iter().enumerate() {
        sent[source][slot(source, place)] += amount;
        if let Some(&(next, _)) = path.get(i + 1) {
            // The next source frees the place that this one fills.
            sent[next][slot(next, place)] -= amount;
        }
    }
    amount
}
