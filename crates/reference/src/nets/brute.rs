//! The meaning of nets by trying everything: all successors of a marking, and a breadth-first search of all of them.

use std::collections::BTreeSet;

use lapidary_base::Id;
use lapidary_ir::passes::Cube;
use lapidary_ir::{Destinations, Net, Tokens, Transition};

/// The tokens of every place.
pub type Marking = Vec<Tokens>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Search {
    /// A marking of the target was met after so many steps. Where the bound was hit, there may be a shorter way.
    Reached { depth: usize },
    /// No marking of the target was met. If the bound was never hit, there is none that can be reached.
    NotWithin { bound_was_hit: bool },
}

/// Breadth first from all initial markings. Markings with more than `bound` tokens in all are looked at but not left;
/// of initial markings without a bound those with up to `bound` tokens are taken, and then the bound counts as hit.
pub fn search(net: &Net, target: &[Cube], bound: Tokens) -> Search {
    let (mut layer, mut bound_was_hit) = initial(net, bound);
    let mut seen = layer.clone();
    let mut depth = 0;
    while !layer.is_empty() {
        if layer.iter().any(|marking| is_covered(marking, target)) {
            return Search::Reached { depth };
        }
        let mut next = BTreeSet::new();
        for marking in &layer {
            if marking.iter().sum::<Tokens>() > bound {
                bound_was_hit = true;
                continue;
            }
            for transition in &net.transitions {
                let new = successors(transition, marking).into_iter().filter(|after| !seen.contains(after));
                next.extend(new);
            }
        }
        seen.extend(next.iter().cloned());
        layer = next;
        depth += 1;
    }
    Search::NotWithin { bound_was_hit }
}

/// The initial markings that are taken, and whether there are others.
fn initial(net: &Net, bound: Tokens) -> (BTreeSet<Marking>, bool) {
    let mut markings: Vec<Marking> = vec![Vec::new()];
    let mut others = false;
    for range in &net.initial {
        others |= range.hi.is_none();
        let hi = range.hi.unwrap_or(bound.max(range.lo));
        let extended = |marking: &Marking| -> Vec<Marking> {
            (range.lo..=hi).map(|tokens| [marking.as_slice(), &[tokens]].concat()).collect()
        };
        markings = markings.iter().flat_map(extended).collect();
    }
    (markings.into_iter().collect(), others)
}

/// Is the marking in one of the cubes?
pub fn is_covered(marking: &[Tokens], target: &[Cube]) -> bool {
    let inside = |cube: &Cube| {
        cube.iter().all(|&(place, range)| {
            let tokens = marking[place.index()];
            tokens >= range.lo && range.hi.is_none_or(|hi| tokens <= hi)
        })
    };
    target.iter().any(inside)
}

/// All markings that the transition leads to, with every way in which tokens that choose can go.
pub fn successors(transition: &Transition, marking: &[Tokens]) -> BTreeSet<Marking> {
    let Some(left) = after_taking(transition, marking) else { return BTreeSet::new() };
    // What the places have once their tokens moved; a set, since different choices may lead to the same.
    let mut moved: BTreeSet<Vec<i128>> = BTreeSet::new();
    let stays = |place: usize| !transition.flows.iter().any(|flow| flow.from.index() == place);
    moved.insert(left.iter().enumerate().map(|(place, &n)| if stays(place) { n } else { 0 }).collect());
    for flow in &transition.flows {
        let tokens = left[flow.from.index()];
        match &flow.to {
            Destinations::All(to) => {
                let arrive = |mut marking: Vec<i128>| {
                    to.iter().for_each(|&(place, times)| marking[place.index()] += i128::from(times) * tokens);
                    marking
                };
                moved = moved.into_iter().map(arrive).collect();
            }
            // One token after the other chooses.
            Destinations::One(to) => {
                for _ in 0..tokens {
                    let choose = |marking: &Vec<i128>| -> Vec<Vec<i128>> {
                        let mut ways = vec![marking.clone(); to.len()];
                        ways.iter_mut().zip(to).for_each(|(way, place)| way[place.index()] += 1);
                        ways
                    };
                    moved = moved.iter().flat_map(choose).collect();
                }
            }
        }
    }
    moved.into_iter().filter_map(|marking| after_putting(transition, marking)).collect()
}

fn after_taking(transition: &Transition, marking: &[Tokens]) -> Option<Vec<i128>> {
    for guard in &transition.guards {
        let tokens = marking[guard.place.index()];
        if tokens < guard.range.lo || guard.range.hi.is_some_and(|hi| hi < tokens) {
            return None;
        }
    }
    let mut left: Vec<i128> = marking.iter().map(|&tokens| i128::from(tokens)).collect();
    for &(place, tokens) in &transition.take {
        left[place.index()] -= i128::from(tokens);
    }
    left.iter().all(|&tokens| tokens >= 0).then_some(left)
}

fn after_putting(transition: &Transition, mut marking: Vec<i128>) -> Option<Marking> {
    for &(place, tokens) in &transition.put {
        marking[place.index()] += i128::from(tokens);
    }
    marking.into_iter().map(|tokens| Tokens::try_from(tokens).ok()).collect()
}
