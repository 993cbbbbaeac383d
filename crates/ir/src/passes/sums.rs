//! Weighted sums of tokens that no transition makes larger: they bound the places of which they speak.
//!
//! A sum is grown from one place. A transition that would make it larger has to pay with a place that it takes from, which
//! joins the sum with a weight that suffices; where there are several, they are tried in order, and given up again. What
//! comes out is proposed, not trusted: `checker` looks at every sum by itself before it relies on a bound.

use lapidary_base::{Control, IdVec, Stop};

use crate::net::{Destinations, Net, PlaceId, Sparse, Sum, Tokens, Transition, TransitionId};

/// The most tokens that each place can have, as far as the sums say.
pub fn bounds(net: &Net, sums: &[Sum]) -> IdVec<PlaceId, Option<Tokens>> {
    let mut bounds: IdVec<PlaceId, Option<Tokens>> = net.places.ids().map(|_| None).collect();
    for (place, most) in sums.iter().flat_map(Sum::bounds) {
        bounds[place] = Some(bounds[place].map_or(most, |before| before.min(most)));
    }
    bounds
}

/// Numbers beyond are of no use to anybody who wants a finite domain.
const MOST: Tokens = 1 << 40;
/// How often a step is taken back before a sum is given up.
const MOST_RETREATS: usize = 64;
/// All work, in looks at arcs, for each arc and place of the net.
const WORK_PER_ARC: u64 = 64;
/// Limits are looked at after so many steps.
const PATIENCE: u64 = 4096;

/// Sums that bound as many places as can be found in time that grows with the net.
pub fn sums(net: &Net, control: &Control) -> Result<Vec<Sum>, Stop> {
    let mut search = Search::new(net, control);
    let mut bounds: IdVec<PlaceId, Option<Tokens>> = net.places.ids().map(|_| None).collect();
    let mut found: Vec<Sum> = Vec::new();
    // First every place gets some bound; what is left of the work goes into better ones. One token is as good as it gets.
    for is_open in [|most: Option<Tokens>| most.is_none(), |most: Option<Tokens>| most.is_none_or(|most| most > 1)] {
        for start in net.places.ids() {
            if !is_open(bounds[start]) {
                continue;
            }
            let Some(sum) = search.from(start)? else { continue };
            let is_better = |(place, most): (PlaceId, Tokens)| bounds[place].is_none_or(|before| most < before);
            if sum.bounds().any(is_better) {
                for (place, most) in sum.bounds() {
                    bounds[place] = Some(bounds[place].map_or(most, |before| before.min(most)));
                }
                found.push(sum);
            }
        }
    }
    Ok(found)
}

struct Search<'a> {
    net: &'a Net,
    control: &'a Control,
    /// The transitions that may add tokens to a place.
    into: IdVec<PlaceId, Vec<TransitionId>>,
    /// The transitions that take tokens from a place.
    out_of: IdVec<PlaceId, Vec<TransitionId>>,
    weights: IdVec<PlaceId, Tokens>,
    /// Places whose weight has grown, with the weight before.
    trail: Vec<(PlaceId, Tokens)>,
    /// Of the initial markings.
    most: Tokens,
    work: u64,
    most_work: u64,
}

/// Why the search for one sum ends early.
enum Ended {
    /// There is none, or it takes too long to find.
    Failed,
    Stopped(Stop),
}

/// A transition adds to the sum, and several places could pay for it.
struct Choice {
    /// The length of the trail before.
    mark: usize,
    /// The place of the trail, and which of the transitions into it.
    at: usize,
    number: usize,
    /// Those that are left to try, with the weights that they need; the best is the last.
    payers: Vec<(PlaceId, Tokens)>,
}

impl From<Stop> for Ended {
    fn from(stop: Stop) -> Self {
        Self::Stopped(stop)
    }
}

impl<'a> Search<'a> {
    fn new(net: &'a Net, control: &'a Control) -> Self {
        let none = || -> IdVec<PlaceId, Vec<TransitionId>> { net.places.ids().map(|_| Vec::new()).collect() };
        let (mut into, mut out_of, mut n_arcs) = (none(), none(), net.places.len() as u64);
        for (id, transition) in net.transitions.enumerated() {
            let mut push = |list: &mut IdVec<PlaceId, Vec<TransitionId>>, place: PlaceId| {
                n_arcs += 1;
                if list[place].last() != Some(&id) {
                    list[place].push(id);
                }
            };
            transition.put.iter().filter(|&&(_, n)| n > 0).for_each(|&(place, _)| push(&mut into, place));
            for flow in &transition.flows {
                match &flow.to {
                    Destinations::All(to) => to.iter().for_each(|&(place, _)| push(&mut into, place)),
                    Destinations::One(to) => to.iter().for_each(|&place| push(&mut into, place)),
                }
            }
            transition.take.iter().for_each(|&(place, _)| push(&mut out_of, place));
        }
        let weights = net.places.ids().map(|_| 0).collect();
        let most_work = n_arcs.saturating_mul(WORK_PER_ARC);
        Self { net, control, into, out_of, weights, trail: Vec::new(), most: 0, work: 0, most_work }
    }

    /// A sum with this place in it.
    fn from(&mut self, start: PlaceId) -> Result<Option<Sum>, Stop> {
        let found = self.grow_from(start);
        let sum = found.is_ok().then(|| {
            let mut weights: Sparse = self.trail.iter().map(|&(place, _)| (place, self.weights[place])).collect();
            weights.sort_unstable();
            weights.dedup();
            Sum { weights, most: self.most }
        });
        self.retreat(0);
        match found {
            Ok(()) | Err(Ended::Failed) => Ok(sum),
            Err(Ended::Stopped(stop)) => Err(stop),
        }
    }

    fn grow_from(&mut self, start: PlaceId) -> Result<(), Ended> {
        self.raise(start, 1)?;
        self.close(0)?;
        // A sum that loses tokens may go on with where they go, if that makes nothing larger: one sum instead of many.
        let mut at = 0;
        while at < self.trail.len() {
            let place = self.trail[at].0;
            for number in 0..self.out_of[place].len() {
                self.follow(self.out_of[place][number])?;
            }
            at += 1;
        }
        Ok(())
    }

    /// Adds the places that a transition puts tokens into, worth no more than what it loses.
    fn follow(&mut self, id: TransitionId) -> Result<(), Ended> {
        let transition = &self.net.transitions[id];
        for &(place, tokens) in transition.put.iter().filter(|&&(_, tokens)| tokens > 0) {
            self.spend(1)?;
            let lost = -self.gain(transition);
            let weight = Tokens::try_from(lost / i128::from(tokens)).unwrap_or(0);
            if weight == 0 || self.weights[place] > 0 || self.net.initial[place].hi != Some(0) {
                continue;
            }
            let (mark, most) = (self.trail.len(), self.most);
            match self.raise(place, weight).and_then(|()| self.close(mark)) {
                Ok(()) if self.most == most => {}
                Ok(()) | Err(Ended::Failed) => self.retreat(mark),
                Err(stopped @ Ended::Stopped(_)) => return Err(stopped),
            }
        }
        Ok(())
    }

    /// Makes every transition pay that puts tokens into the places from this one of the trail on.
    fn close(&mut self, from: usize) -> Result<(), Ended> {
        let (mut at, mut number, mut n_retreats) = (from, 0, 0);
        let mut choices: Vec<Choice> = Vec::new();
        while at < self.trail.len() {
            let place = self.trail[at].0;
            let Some(&id) = self.into[place].get(number) else {
                (at, number) = (at + 1, 0);
                continue;
            };
            let mut payers = match self.settle(id) {
                Ok(payers) if payers.is_empty() => {
                    number += 1;
                    continue;
                }
                Ok(payers) => payers,
                Err(Ended::Failed) => Vec::new(),
                Err(stopped @ Ended::Stopped(_)) => return Err(stopped),
            };
            payers.reverse();
            choices.push(Choice { mark: self.trail.len(), at, number, payers });
            (at, number) = self.choose(&mut choices, &mut n_retreats)?;
        }
        Ok(())
    }

    /// The next payer that is left to try; where to go on.
    fn choose(&mut self, choices: &mut Vec<Choice>, n_retreats: &mut usize) -> Result<(usize, usize), Ended> {
        while let Some(choice) = choices.last_mut() {
            let (mark, at, number) = (choice.mark, choice.at, choice.number);
            let Some((place, weight)) = choice.payers.pop() else {
                choices.pop();
                continue;
            };
            if self.trail.len() > mark {
                self.retreat(mark);
                *n_retreats += 1;
            }
            if *n_retreats > MOST_RETREATS {
                return Err(Ended::Failed);
            }
            if self.raise(place, weight).is_ok() {
                return Ok((at, number));
            }
        }
        Err(Ended::Failed)
    }

    /// Who could pay for what a transition adds, with the weights that suffice, the best first; nobody if it adds nothing.
    fn settle(&mut self, id: TransitionId) -> Result<Vec<(PlaceId, Tokens)>, Ended> {
        let transition = &self.net.transitions[id];
        self.spend(1 + transition.put.len() + transition.take.len() + transition.flows.len())?;
        // What moves must not become more on its way; here there is no choice.
        for flow in &transition.flows {
            let needed = self.worth(&flow.to).ok_or(Ended::Failed)?;
            if needed > self.weights[flow.from] {
                self.raise(flow.from, needed)?;
                // Some of it stays where it is, and grows with its own weight.
                if self.worth(&flow.to).is_none_or(|worth| worth > needed) {
                    return Err(Ended::Failed);
                }
            }
        }
        let gain = self.gain(transition);
        if gain <= 0 {
            return Ok(Vec::new());
        }
        let mut payers = Vec::new();
        for &(place, taken) in &transition.take {
            let put = transition.put.iter().find(|&&(to, _)| to == place).map_or(0, |&(_, n)| n);
            let paid = i128::from(taken) - i128::from(put);
            if paid > 0 {
                let more = Tokens::try_from((gain + paid - 1) / paid).map_err(|_| Ended::Failed)?;
                payers.push((place, self.weights[place].saturating_add(more)));
            }
        }
        if payers.is_empty() {
            return Err(Ended::Failed);
        }
        // A place that adds nothing at the beginning first, then one that few transitions put tokens into.
        payers.sort_by_key(|&(place, _)| {
            (self.net.initial[place].hi.unwrap_or(Tokens::MAX), self.weights[place] > 0, self.into[place].len(), place)
        });
        Ok(payers)
    }

    /// By how much one firing changes the sum, flows aside.
    fn gain(&self, transition: &Transition) -> i128 {
        let put = transition.put.iter().map(|&(place, n)| i128::from(n) * i128::from(self.weights[place]));
        let take = transition.take.iter().map(|&(place, n)| i128::from(n) * i128::from(self.weights[place]));
        put.sum::<i128>() - take.sum::<i128>()
    }

    /// What one token is worth at most after it has moved.
    fn worth(&self, to: &Destinations) -> Option<Tokens> {
        match to {
            Destinations::All(to) => {
                let parts = to.iter().map(|&(place, times)| times.checked_mul(self.weights[place]));
                parts.sum::<Option<Tokens>>().filter(|&worth| worth <= MOST)
            }
            Destinations::One(to) => to.iter().map(|&place| self.weights[place]).max(),
        }
    }

    fn raise(&mut self, place: PlaceId, weight: Tokens) -> Result<(), Ended> {
        let before = self.weights[place];
        let initial = self.net.initial[place].hi.ok_or(Ended::Failed)?;
        let most =
            initial.checked_mul(weight - before).and_then(|more| more.checked_add(self.most)).ok_or(Ended::Failed)?;
        if weight > MOST || most > MOST {
            return Err(Ended::Failed);
        }
        self.trail.push((place, before));
        self.weights[place] = weight;
        self.most = most;
        Ok(())
    }

    /// Takes back all that was raised since.
    fn retreat(&mut self, mark: usize) {
        for (place, before) in self.trail.drain(mark..).rev() {
            let initial = self.net.initial[place].hi.expect("only places with a bound at the beginning are raised");
            self.most -= initial * (self.weights[place] - before);
            self.weights[place] = before;
        }
    }

    fn spend(&mut self, work: usize) -> Result<(), Ended> {
        let before = self.work / PATIENCE;
        self.work += work as u64;
        if self.work / PATIENCE != before {
            self.control.check()?;
        }
        if self.work > self.most_work { Err(Ended::Failed) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests;
