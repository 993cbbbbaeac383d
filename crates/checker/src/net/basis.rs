//! A basis: the markings that are above no minimal marking and within all inequalities. Four conditions, each on its own.

use lapidary_base::{Control, Id};
use lapidary_ir::{Destinations, Flow, Model, Net, PlaceId, Sparse, Tokens, Transition, TransitionId};
use lapidary_verdict::Basis;

use super::covering::{Covering, Rank, Ranked};
use super::{before, check_places, shown, target, wrong};
use crate::Rejection;
use crate::certify::Claim;
use crate::finding;

pub fn check(net: &Net, model: &Model, claims: &[Claim], basis: &Basis, control: &Control) -> Result<(), Rejection> {
    check_form(net, basis)?;
    check_initial(net, &basis.minimal)?;
    let mut bounds = Vec::new();
    for (number, weights) in basis.inequalities.iter().enumerate() {
        control.check()?;
        bounds.push(bound(net, number, weights)?);
    }
    let mut outside = Outside::new(net, basis, bounds);
    let firing = firing(net, &mut outside, control)?;
    for (number, weights) in basis.inequalities.iter().enumerate() {
        control.check()?;
        check_kept(net, &firing, number, weights)?;
    }
    before::check(net, &basis.minimal, &mut outside, control)?;
    let mut within = |marking: &[Tokens]| !outside.has_dense(marking);
    target::check(net, model, claims, &mut within, control)
}

fn check_form(net: &Net, basis: &Basis) -> Result<(), Rejection> {
    for (number, marking) in basis.minimal.iter().enumerate() {
        let places = marking.iter().map(|entry| entry.0);
        check_places(net, places).map_err(|why| wrong(format!("minimal marking {number}: {why}")))?;
    }
    for (number, weights) in basis.inequalities.iter().enumerate() {
        let places = weights.iter().map(|entry| entry.0);
        check_places(net, places).map_err(|why| wrong(format!("inequality {number}: {why}")))?;
    }
    Ok(())
}

/// No initial marking is above a minimal one: the greatest numbers of tokens decide.
fn check_initial(net: &Net, minimal: &[Sparse]) -> Result<(), Rejection> {
    for (number, marking) in minimal.iter().enumerate() {
        let exceeds = |&(place, tokens): &(PlaceId, Tokens)| net.initial[place].hi.is_some_and(|hi| tokens > hi);
        if !marking.iter().any(exceeds) {
            let marking = shown(net, marking.iter().copied());
            return Err(wrong(format!("an initial marking is above minimal marking {number}: {marking}")));
        }
    }
    Ok(())
}

/// The greatest that an initial marking has.
fn bound(net: &Net, number: usize, weights: &Sparse) -> Result<u128, Rejection> {
    let mut bound = 0u128;
    for &(place, weight) in weights.iter().filter(|entry| entry.1 > 0) {
        let Some(hi) = net.initial[place].hi else {
            let name = &net.places[place].name;
            return Err(wrong(format!("inequality {number} has no bound: {name} has any number of tokens at first")));
        };
        let sum = bound.checked_add(u128::from(weight) * u128::from(hi));
        bound = sum.ok_or_else(|| overflow(number))?;
    }
    Ok(bound)
}

fn overflow(number: usize) -> Rejection {
    finding::overflow(format!("inequality {number}"))
}

/// The transitions that may fire within the set: the least marking that enables one, and with it all others, may be outside.
fn firing(net: &Net, outside: &mut Outside, control: &Control) -> Result<Vec<TransitionId>, Rejection> {
    let mut least = Ranked::new();
    let mut firing = Vec::new();
    for (id, transition) in net.transitions.enumerated() {
        control.check()?;
        let guards = transition.guards.iter().map(|guard| (guard.place, guard.range.lo));
        let asked = guards.chain(transition.take.iter().copied()).filter(|&(_, tokens)| tokens > 0);
        least.clear();
        least.extend(asked.map(|(place, tokens)| (outside.rank(place), tokens)));
        // Of a place that is read and taken from the greater number counts, which is the last one.
        least.sort_unstable();
        least.dedup_by(|next, kept| {
            let is_same = next.0 == kept.0;
            kept.1 = if is_same { next.1 } else { kept.1 };
            is_same
        });
        if !outside.has(&least) {
            firing.push(id);
        }
    }
    Ok(firing)
}

/// Every transition that may fire keeps the inequality: it puts no more than it takes, and no token weighs more where it goes.
fn check_kept(net: &Net, firing: &[TransitionId], number: usize, weights: &Sparse) -> Result<(), Rejection> {
    let mut weight_of = vec![0u128; net.places.len()];
    for &(place, weight) in weights {
        weight_of[place.index()] = u128::from(weight);
    }
    for transition in firing.iter().map(|&id| &net.transitions[id]) {
        let kept = keeps_tokens(transition, &weight_of).zip(keeps_flows(&transition.flows, &weight_of));
        let (tokens, flows) = kept.ok_or_else(|| overflow(number))?;
        if !tokens || !flows {
            return Err(wrong(format!("inequality {number} is not kept by {}", transition.name)));
        }
    }
    Ok(())
}

/// `None` for numbers that are too large.
fn keeps_tokens(transition: &Transition, weight_of: &[u128]) -> Option<bool> {
    let (mut before, mut after) = (0u128, 0u128);
    let add = |sum: &mut u128, place: PlaceId, tokens: Tokens| {
        let product = weight_of[place.index()].checked_mul(u128::from(tokens))?;
        *sum = sum.checked_add(product)?;
        Some(())
    };
    for &(place, tokens) in &transition.take {
        add(&mut before, place, tokens)?;
    }
    for &(place, tokens) in &transition.put {
        let side = if tokens < 0 { &mut before } else { &mut after };
        add(side, place, tokens.unsigned_abs())?;
    }
    Some(after <= before)
}

fn keeps_flows(flows: &[Flow], weight_of: &[u128]) -> Option<bool> {
    for flow in flows {
        let heaviest = match &flow.to {
            Destinations::All(to) => to.iter().try_fold(0u128, |sum, &(place, times)| {
                sum.checked_add(weight_of[place.index()].checked_mul(u128::from(times))?)
            })?,
            Destinations::One(to) => to.iter().map(|place| weight_of[place.index()]).max().unwrap_or(0),
        };
        if heaviest > weight_of[flow.from.index()] {
            return Some(false);
        }
    }
    Some(true)
}

/// The markings that are not in the set: with a marking all that have more tokens.
pub struct Outside {
    covering: Covering,
    /// By rank: the inequalities that weigh the place, with its weight.
    weights: Vec<Vec<(usize, Tokens)>>,
    /// By inequality.
    bounds: Vec<u128>,
    /// For queries.
    sums: Vec<u128>,
    ranked: Ranked,
}

impl Outside {
    fn new(net: &Net, basis: &Basis, bounds: Vec<u128>) -> Self {
        let covering = Covering::new(net.places.len(), &basis.minimal);
        let mut weights = vec![Vec::new(); net.places.len()];
        for (number, inequality) in basis.inequalities.iter().enumerate() {
            for &(place, weight) in inequality {
                weights[covering.rank(place).index()].push((number, weight));
            }
        }
        Self { covering, weights, sums: vec![0; bounds.len()], bounds, ranked: Vec::new() }
    }

    pub fn rank(&self, place: PlaceId) -> Rank {
        self.covering.rank(place)
    }

    /// Ascending by rank, without zeros.
    pub fn has(&mut self, marking: &[(Rank, Tokens)]) -> bool {
        self.covering.is_above(marking) || self.breaks_inequality(marking)
    }

    fn breaks_inequality(&mut self, marking: &[(Rank, Tokens)]) -> bool {
        self.sums.fill(0);
        for &(rank, tokens) in marking {
            for &(number, weight) in &self.weights[rank.index()] {
                // A sum that is too large stays at the greatest number, which no bound is above.
                let sum = self.sums[number].saturating_add(u128::from(weight) * u128::from(tokens));
                if sum > self.bounds[number] {
                    return true;
                }
                self.sums[number] = sum;
            }
        }
        false
    }

    fn has_dense(&mut self, marking: &[Tokens]) -> bool {
        let mut ranked = std::mem::take(&mut self.ranked);
        ranked.clear();
        let some = marking.iter().enumerate().filter(|(_, tokens)| **tokens > 0);
        ranked.extend(some.map(|(place, &tokens)| (self.rank(PlaceId::new(place)), tokens)));
        ranked.sort_unstable();
        let has = self.has(&ranked);
        self.ranked = ranked;
        has
    }
}
