//! Known verdicts of real models against a plain search that sees a part of the reachable markings: it finds the run to a
//! target that can be covered with few tokens, and never one to a target that cannot be covered.

use std::collections::{BTreeSet, VecDeque};

use lapidary_frontends::petri::Loaded;
use lapidary_ir::{Destinations, Net, PropertyKind, Transition, passes};

use super::corpus::{self, Known};

lapidary_reference::with_corpus!(
    thread_systems_are_as_safe_as_bfc_says,
    specifications_that_are_said_to_be_safe_are_not_seen_to_be_unsafe,
);

/// Limits of the search: tokens added to a place that has no bound at first, tokens of any place later, markings.
const MAX_FIRST: u64 = 3;
const MAX_TOKENS: u64 = 6;
const MAX_MARKINGS: usize = 6_000;

type Marking = Vec<u64>;

/// The initial marking with so many more tokens than there have to be wherever there may be more.
fn initial(net: &Net, more: u64) -> Marking {
    net.initial.iter().map(|range| (range.lo + more).min(range.hi.unwrap_or(u64::MAX))).collect()
}

/// All markings after a transition, whatever the tokens choose.
fn successors(transition: &Transition, marking: &Marking) -> Vec<Marking> {
    let mut left = marking.clone();
    for &(place, tokens) in &transition.take {
        let Some(rest) = left[place.0 as usize].checked_sub(tokens) else { return Vec::new() };
        left[place.0 as usize] = rest;
    }
    if !transition.guards.iter().all(|guard| guard.range.contains(marking[guard.place.0 as usize])) {
        return Vec::new();
    }
    let mut kept = left.clone();
    for flow in &transition.flows {
        kept[flow.from.0 as usize] = 0;
    }
    let mut all = vec![kept];
    for flow in &transition.flows {
        let tokens = left[flow.from.0 as usize];
        let moves: Vec<Vec<(usize, u64)>> = match &flow.to {
            Destinations::All(to) => {
                vec![to.iter().map(|&(place, times)| (place.0 as usize, tokens * times)).collect()]
            }
            Destinations::One(to) => splits(tokens, to.iter().map(|place| place.0 as usize).collect()),
        };
        let moved = |marking: &Marking| -> Vec<Marking> { moves.iter().map(|parts| plus(marking, parts)).collect() };
        all = all.iter().flat_map(moved).collect();
    }
    let put = |mut marking: Marking| {
        for &(place, tokens) in &transition.put {
            marking[place.0 as usize] = marking[place.0 as usize].checked_add_signed(tokens)?;
        }
        Some(marking)
    };
    all.into_iter().filter_map(put).collect()
}

fn plus(marking: &Marking, parts: &[(usize, u64)]) -> Marking {
    let mut marking = marking.clone();
    for &(place, tokens) in parts {
        marking[place] += tokens;
    }
    marking
}

/// All ways to share so many tokens out among places.
fn splits(tokens: u64, mut to: Vec<usize>) -> Vec<Vec<(usize, u64)>> {
    let Some(last) = to.pop() else { return Vec::new() };
    if to.is_empty() {
        return vec![vec![(last, tokens)]];
    }
    let with = |here: u64| {
        let rest = splits(tokens - here, to.clone());
        rest.into_iter().map(move |mut parts| {
            parts.push((last, here));
            parts
        })
    };
    (0..=tokens).flat_map(with).collect()
}

/// Whether the search finds a marking of the target.
fn finds(loaded: &Loaded) -> bool {
    let Loaded { net, model, .. } = loaded;
    let PropertyKind::Invariant(expr) = &model.properties.as_slice()[0].kind else { panic!("targets are invariants") };
    let cubes = passes::cubes(&model.exprs, model.exprs.not(*expr)).expect("targets are cubes");
    let is_target = |marking: &Marking| {
        cubes.iter().any(|cube| cube.iter().all(|&(place, range)| range.contains(marking[place.0 as usize])))
    };
    (0..=MAX_FIRST).any(|more| search(net, initial(net, more), is_target))
}

fn search(net: &Net, first: Marking, is_target: impl Fn(&Marking) -> bool) -> bool {
    let mut seen = BTreeSet::from([first.clone()]);
    let mut waiting = VecDeque::from([first]);
    while let Some(marking) = waiting.pop_front() {
        if is_target(&marking) {
            return true;
        }
        for next in net.transitions.iter().flat_map(|transition| successors(transition, &marking)) {
            let is_small = next.iter().all(|&tokens| tokens <= MAX_TOKENS);
            if is_small && seen.len() < MAX_MARKINGS && seen.insert(next.clone()) {
                waiting.push_back(next);
            }
        }
    }
    false
}

fn thread_systems_are_as_safe_as_bfc_says() {
    for path in corpus::files("tts", "tts") {
        let (loaded, known) = corpus::thread_system(&path);
        if let Some(known) = known {
            assert_eq!(finds(&loaded), known == Known::Unsafe, "{path:?}");
        }
    }
}

fn specifications_that_are_said_to_be_safe_are_not_seen_to_be_unsafe() {
    for path in corpus::files("mist", "spec") {
        let loaded = corpus::specification(&path);
        // With thousands of alternatives this search is no help.
        let is_small = loaded.model.exprs.len() < 20_000;
        if is_small && corpus::text(&path).contains("expected result: safe") {
            assert!(!finds(&loaded), "{path:?}");
        }
    }
}
