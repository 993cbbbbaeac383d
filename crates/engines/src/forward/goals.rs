//! What a search looks for: markings of the target, and markings from which a backward search knows the way there.

use lapidary_base::{Id, Meter, Stop};
use lapidary_system::net::Marking;

use crate::coverability::Exchange;

use super::label::{Count, OMEGA, from_tokens};
use super::maximal::Maximal;
use super::tree::NodeId;

/// Further elements of a backward search are compared with what is there when they come, but not kept.
const MAX_KEPT: usize = 20_000;

/// Which goal was covered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// A minimal marking of the target.
    Target(usize),
    /// An element that a backward search has published.
    Published(usize),
}

/// A marking to be covered, by the places that must have tokens.
struct Wanted {
    goal: Goal,
    counts: Vec<(usize, Count)>,
}

impl Wanted {
    fn is_below(&self, label: &[Count]) -> bool {
        self.counts.iter().all(|&(place, count)| count <= label[place])
    }
}

pub struct Goals<'a> {
    n_targets: usize,
    /// First those of the target.
    wanted: Vec<Wanted>,
    exchange: Option<(&'a Exchange, usize)>,
    n_received: usize,
}

impl<'a> Goals<'a> {
    /// With an exchange: the number of the target there.
    pub fn new(minimal: &[Marking], exchange: Option<(&'a Exchange, usize)>) -> Result<Self, Stop> {
        let mut wanted = Vec::new();
        for (at, marking) in minimal.iter().enumerate() {
            let mut counts = Vec::new();
            for (place, &tokens) in marking.iter().enumerate().filter(|&(_, &tokens)| tokens > 0) {
                counts.push((place, from_tokens(tokens)?));
            }
            wanted.push(Wanted { goal: Goal::Target(at), counts });
        }
        Ok(Self { n_targets: wanted.len(), wanted, exchange, n_received: 0 })
    }

    /// A goal that the label is above.
    pub fn covered(&self, label: &[Count]) -> Option<Goal> {
        self.wanted.iter().find(|wanted| wanted.is_below(label)).map(|wanted| wanted.goal)
    }

    /// The work of comparing a label with all of them, in pieces of a [`Meter`].
    pub fn work(&self) -> u64 {
        (self.wanted.len() / 2) as u64
    }

    /// How many tokens the label misses of the nearest target; among equals, more omegas are nearer.
    pub fn distance(&self, label: &[Count]) -> u64 {
        let missing = |&(place, count): &(usize, Count)| u64::from(count.saturating_sub(label[place]));
        let targets = self.wanted[..self.n_targets].iter();
        let distance = targets.map(|wanted| wanted.counts.iter().map(missing).sum::<u64>()).min();
        let omegas = label.iter().filter(|&&count| count == OMEGA).count() as u64;
        distance.unwrap_or(0).saturating_mul(64).saturating_sub(omegas)
    }

    /// Takes over what was published since the last time; a node whose label is already above some of it.
    pub fn receive(&mut self, maximal: &Maximal, meter: &mut Meter<'_>) -> Result<Option<(NodeId, Goal)>, Stop> {
        let Some((exchange, target)) = self.exchange else { return Ok(None) };
        let mut found = None;
        for published in exchange.elements(target, self.n_received) {
            self.n_received = published.index + 1;
            let counts =
                published.marking.iter().map(|&(place, tokens)| Some((place.index(), from_tokens(tokens).ok()?)));
            let Some(counts) = counts.collect::<Option<Vec<_>>>() else { continue };
            let wanted = Wanted { goal: Goal::Published(published.index), counts };
            if found.is_none() {
                meter.add(maximal.work())?;
                let above = maximal.rows().find(|(_, row)| wanted.is_below(row));
                found = above.map(|(node, _)| (node, wanted.goal));
            }
            if self.wanted.len() < self.n_targets + MAX_KEPT {
                self.wanted.push(wanted);
            }
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use lapidary_base::Control;

    use super::*;
    use crate::coverability::Element;

    #[test]
    fn comparing_what_is_published_with_all_labels_is_stopped() {
        let exchange = Exchange::new();
        let element = Element { marking: vec![9, 9].into(), origin: None };
        exchange.publish(3, &vec![element; 2000]);
        let mut maximal = Maximal::new(2);
        for i in 0..8 {
            maximal.add(&[i, 8 - i], NodeId(i), &mut Vec::new());
        }
        let control = Control::new();
        let goals = || Goals::new(&[], Some((&exchange, 3))).expect("small numbers");
        assert_eq!(goals().receive(&maximal, &mut Meter::new(&control)), Ok(None));
        control.cancel();
        assert_eq!(goals().receive(&maximal, &mut Meter::new(&control)), Err(Stop::Interrupted));
    }
}
