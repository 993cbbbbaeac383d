//! Are the places of a net as bounded as the domains of its model say? A weighted sum that no transition makes larger shows it.
//!
//! Every other evidence about the model of a net rests on this: steps that would leave a domain are none.

use lapidary_base::{Control, Id, IdVec};
use lapidary_ir::{Destinations, Domain, Model, Net, PlaceId, Sum, Transition, TransitionId};

use super::{check_places, check_shape, wrong};
use crate::Rejection;

/// Limits are looked at after so many transitions.
const PATIENCE: usize = 256;

pub fn certify_bounds(net: &Net, model: &Model, sums: &[Sum], control: &Control) -> Result<(), Rejection> {
    check_shape(net, model)?;
    let mut sieve = Sieve::new(net, control);
    let mut bounds: IdVec<PlaceId, Option<u128>> = net.places.ids().map(|_| None).collect();
    for (number, sum) in sums.iter().enumerate() {
        let most = sieve.most(sum).map_err(|why| match why {
            Rejection::Wrong(why) => wrong(format!("sum {number} bounds nothing: {why}")),
            stopped @ Rejection::Stopped(_) => stopped,
        })?;
        for &(place, weight) in &sum.weights {
            let bound = most / u128::from(weight);
            bounds[place] = Some(bounds[place].map_or(bound, |before| before.min(bound)));
        }
    }
    for (place, bound) in bounds.enumerated() {
        let var = &model.vars[lapidary_ir::VarId::new(place.index())];
        let is_fine = match var.domain {
            Domain::Int => true,
            Domain::Range { lo, hi } => {
                let most = u128::try_from(hi).ok();
                lo <= 0 && bound.zip(most).is_some_and(|(bound, most)| bound <= most)
            }
            Domain::Bool | Domain::Enum(_) | Domain::Bits(_) | Domain::Array(_) => false,
        };
        if !is_fine {
            return Err(wrong(format!("nothing shows that the tokens of {} stay within its domain", var.name)));
        }
    }
    Ok(())
}

struct Sieve<'a> {
    net: &'a Net,
    control: &'a Control,
    /// The transitions that may add tokens to a place.
    into: IdVec<PlaceId, Vec<TransitionId>>,
    /// Of the sum that is looked at; zero again afterwards.
    weights: IdVec<PlaceId, u128>,
    n_looks: usize,
}

impl<'a> Sieve<'a> {
    fn new(net: &'a Net, control: &'a Control) -> Self {
        let mut into: IdVec<PlaceId, Vec<TransitionId>> = net.places.ids().map(|_| Vec::new()).collect();
        for (id, transition) in net.transitions.enumerated() {
            let put = transition.put.iter().filter(|&&(_, tokens)| tokens > 0).map(|&(place, _)| place);
            let moved = transition.flows.iter().flat_map(|flow| match &flow.to {
                Destinations::All(to) => to.iter().map(|&(place, _)| place).collect::<Vec<_>>(),
                Destinations::One(to) => to.clone(),
            });
            put.chain(moved).for_each(|place| into[place].push(id));
        }
        Self { net, control, into, weights: net.places.ids().map(|_| 0).collect(), n_looks: 0 }
    }

    /// What no marking in reach has more of.
    fn most(&mut self, sum: &Sum) -> Result<u128, Rejection> {
        check_places(self.net, sum.weights.iter().map(|&(place, _)| place)).map_err(wrong)?;
        if sum.weights.iter().any(|&(_, weight)| weight == 0) {
            return Err(wrong("a weight is zero"));
        }
        sum.weights.iter().for_each(|&(place, weight)| self.weights[place] = weight.into());
        let most = self.initially(sum).and_then(|most| self.check_transitions(sum).map(|()| most));
        sum.weights.iter().for_each(|&(place, _)| self.weights[place] = 0);
        most
    }

    fn initially(&self, sum: &Sum) -> Result<u128, Rejection> {
        let mut most: u128 = 0;
        for &(place, weight) in &sum.weights {
            let name = &self.net.places[place].name;
            let tokens =
                self.net.initial[place].hi.ok_or_else(|| wrong(format!("{name} may begin with any number")))?;
            let part = u128::from(tokens) * u128::from(weight);
            most = most.checked_add(part).ok_or_else(|| wrong("it is too large"))?;
        }
        Ok(most)
    }

    /// A transition that puts nothing into a place of the sum cannot make it larger.
    fn check_transitions(&mut self, sum: &Sum) -> Result<(), Rejection> {
        for &(place, _) in &sum.weights {
            for &id in &self.into[place] {
                self.n_looks += 1;
                if self.n_looks.is_multiple_of(PATIENCE) {
                    self.control.check()?;
                }
                let transition = &self.net.transitions[id];
                if !self.keeps(transition).ok_or_else(|| wrong("it is too large"))? {
                    return Err(wrong(format!("{} makes it larger", transition.name)));
                }
            }
        }
        Ok(())
    }

    /// Tokens that move are worth no more than before, and those that are put no more than those that are taken. No answer
    /// where numbers get too large.
    fn keeps(&self, transition: &Transition) -> Option<bool> {
        for flow in &transition.flows {
            let mut worth: u128 = 0;
            match &flow.to {
                Destinations::All(to) => {
                    for &(place, times) in to {
                        worth = worth.checked_add(u128::from(times).checked_mul(self.weights[place])?)?;
                    }
                }
                Destinations::One(to) => worth = to.iter().map(|&place| self.weights[place]).max().unwrap_or(0),
            }
            if worth > self.weights[flow.from] {
                return Some(false);
            }
        }
        let (mut gained, mut lost): (u128, u128) = (0, 0);
        for &(place, tokens) in &transition.put {
            let part = u128::from(tokens.unsigned_abs()).checked_mul(self.weights[place])?;
            let side = if tokens > 0 { &mut gained } else { &mut lost };
            *side = side.checked_add(part)?;
        }
        for &(place, tokens) in &transition.take {
            lost = lost.checked_add(u128::from(tokens).checked_mul(self.weights[place])?)?;
        }
        Some(gained <= lost)
    }
}
