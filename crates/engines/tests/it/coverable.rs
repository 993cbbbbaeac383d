//! What answers about coverability are compared with: a plain backward search, and runs fired once more.

use lapidary_base::Id;
use lapidary_ir::{Net, Tokens};
use lapidary_system::net::{Marking, fire, predecessors};
use lapidary_verdict::Trace;

const MAX_BASIS: usize = 3_000;

pub fn is_below(a: &[Tokens], b: &[Tokens]) -> bool {
    a.iter().zip(b).all(|(a, b)| a <= b)
}

/// Can one of the markings be covered? `None` if there are too many minimal predecessors.
pub fn coverable(net: &Net, minimal: &[Marking]) -> Option<bool> {
    coverable_within(net, minimal, MAX_BASIS)
}

/// The same, with at most so many of them at a time.
pub fn coverable_within(net: &Net, minimal: &[Marking], most: usize) -> Option<bool> {
    let mut basis: Vec<Marking> = Vec::new();
    let mut waiting: Vec<Marking> = minimal.to_vec();
    while let Some(marking) = waiting.pop() {
        if basis.iter().any(|other| is_below(other, &marking)) {
            continue;
        }
        basis.retain(|other| !is_below(&marking, other));
        for transition in net.transitions.iter() {
            predecessors(transition, &marking, &mut waiting).ok()?;
        }
        basis.push(marking);
        if basis.len() > most || waiting.len() > 30 * most {
            return None;
        }
    }
    Some(basis.iter().any(|marking| is_below_an_initial_one(net, marking)))
}

pub fn is_below_an_initial_one(net: &Net, marking: &[Tokens]) -> bool {
    net.initial.iter().zip(marking).all(|(range, &tokens)| range.hi.is_none_or(|hi| tokens <= hi))
}

/// A run that begins initially, fires at every step and ends in the target.
pub fn assert_run(net: &Net, trace: &Trace, is_target: impl Fn(&[Tokens]) -> bool) {
    let n_places = net.places.len();
    let markings: Vec<Marking> =
        trace.states.iter().map(|state| state[..n_places].iter().map(|&raw| raw as Tokens).collect()).collect();
    assert!(net.initial.iter().zip(&markings[0]).all(|(range, &tokens)| range.contains(tokens)), "{:?}", markings[0]);
    assert_eq!(trace.actions.len() + 1, markings.len());
    for (pair, action) in markings.windows(2).zip(&trace.actions) {
        let transition = &net.transitions.as_slice()[action.command().expect("a command").index()];
        let next = fire(transition, &pair[0], &pair[1]).expect("small numbers");
        assert_eq!(next.as_ref(), Some(&pair[1]), "{transition:?} from {:?}", pair[0]);
    }
    assert!(is_target(markings.last().expect("a run has a state")), "{markings:?}");
}
