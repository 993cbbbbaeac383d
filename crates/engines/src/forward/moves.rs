//! Transitions on labels.
//!
//! The labels after a transition together stand for exactly the markings below those that it leads to: firing is
//! monotone and continuous, so that an omega is carried along like a large number. Where tokens choose their
//! destination, those of a place with any number of tokens give any number to each.

use std::collections::BTreeMap;

use lapidary_base::{Id, Stop};
use lapidary_ir::{Destinations, Flow, Net, PlaceId, Transition, TransitionId};

use super::label::{Count, OMEGA, add, from_tokens, narrow};

/// More ways in which the tokens of a step can choose are not looked at.
const MAX_SPLITS: usize = 2_000;

pub struct Moves<'a> {
    net: &'a Net,
    /// Of the transitions that only take and put, as the inner loop wants them.
    pub moves: Vec<Option<Move>>,
}

/// Ascending by place.
pub struct Move {
    pub needs: Vec<(usize, Count)>,
    pub effect: Vec<(usize, i64)>,
}

/// Were all labels after a transition listed?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listed {
    All,
    Some,
}

impl<'a> Moves<'a> {
    pub fn new(net: &'a Net) -> Result<Self, Stop> {
        let mut moves = Vec::with_capacity(net.transitions.len());
        for transition in net.transitions.iter() {
            moves.push(if transition.is_plain() { Some(Move::new(transition)?) } else { None });
        }
        Ok(Self { net, moves })
    }

    pub fn has_choice(&self, transition: TransitionId) -> bool {
        self.net.transitions[transition].has_choices()
    }

    /// Appends the labels after a transition, one after the other.
    pub fn successors(&self, transition: TransitionId, label: &[Count], out: &mut Vec<Count>) -> Result<Listed, Stop> {
        let Some(plain) = &self.moves[transition.index()] else {
            return successors(&self.net.transitions[transition], label, out);
        };
        if plain.is_enabled(label) {
            let start = out.len();
            out.extend_from_slice(label);
            plain.apply(&mut out[start..])?;
        }
        Ok(Listed::All)
    }

    /// Fires a transition that leads to one label at most.
    pub fn only_successor(&self, transition: TransitionId, label: &mut [Count]) -> Result<Option<()>, Stop> {
        let mut out = Vec::new();
        self.successors(transition, label, &mut out)?;
        if out.len() != label.len() {
            return Ok(None);
        }
        label.copy_from_slice(&out);
        Ok(Some(()))
    }
}

impl Move {
    fn new(transition: &Transition) -> Result<Self, Stop> {
        let mut needs: BTreeMap<usize, Count> = BTreeMap::new();
        let mut effect: BTreeMap<usize, i64> = BTreeMap::new();
        for guard in &transition.guards {
            needs.insert(guard.place.index(), from_tokens(guard.range.lo)?);
        }
        for &(place, tokens) in &transition.take {
            let tokens = from_tokens(tokens)?;
            let need = needs.entry(place.index()).or_default();
            *need = tokens.max(*need);
            *effect.entry(place.index()).or_default() -= i64::from(tokens);
        }
        for &(place, tokens) in &transition.put {
            *effect.entry(place.index()).or_default() += i64::from(narrow(i128::from(tokens))?);
        }
        Ok(Self {
            needs: needs.into_iter().filter(|&(_, count)| count > 0).collect(),
            effect: effect.into_iter().filter(|&(_, change)| change != 0).collect(),
        })
    }

    pub fn is_enabled(&self, label: &[Count]) -> bool {
        self.needs.iter().all(|&(place, count)| label[place] >= count)
    }

    /// Where it is enabled.
    pub fn apply(&self, label: &mut [Count]) -> Result<(), Stop> {
        self.effect.iter().try_for_each(|&(place, change)| {
            label[place] = add(label[place], change)?;
            Ok(())
        })
    }
}

/// The sum of two counts that are not negative, of which the second counts so many times.
fn plus(count: i128, more: i128, times: i128) -> i128 {
    if count == ANY || more == ANY { ANY } else { count + more * times }
}

/// Omega among wide numbers.
const ANY: i128 = i128::MAX;

fn widen(count: Count) -> i128 {
    if count == OMEGA { ANY } else { i128::from(count) }
}

/// For any transition. Upper bounds of guards are checked, too, where the number is known.
fn successors(transition: &Transition, label: &[Count], out: &mut Vec<Count>) -> Result<Listed, Stop> {
    let holds = |guard: &lapidary_ir::Guard| {
        let count = label[guard.place.index()];
        u64::from(count) >= guard.range.lo && (count == OMEGA || guard.range.hi.is_none_or(|hi| u64::from(count) <= hi))
    };
    if !transition.guards.iter().all(holds) {
        return Ok(Listed::All);
    }
    let mut left: Vec<i128> = label.iter().map(|&count| widen(count)).collect();
    for &(place, tokens) in &transition.take {
        let rest = &mut left[place.index()];
        if *rest != ANY {
            *rest -= i128::from(tokens);
            if *rest < 0 {
                return Ok(Listed::All);
            }
        }
    }
    let mut after = left.clone();
    transition.flows.iter().for_each(|flow| after[flow.from.index()] = 0);
    for flow in &transition.flows {
        let Destinations::All(to) = &flow.to else { continue };
        for &(place, times) in to {
            after[place.index()] = plus(after[place.index()], left[flow.from.index()], i128::from(times));
        }
    }
    for &(place, tokens) in &transition.put {
        after[place.index()] = plus(after[place.index()], i128::from(tokens), 1);
    }
    let mut splits = Splits { left: &left, choices: choices(transition), n_left: MAX_SPLITS, listed: Listed::All };
    splits.spread(0, after, out)?;
    Ok(splits.listed)
}

fn choices(transition: &Transition) -> Vec<(PlaceId, &[PlaceId])> {
    let choice = |flow: &'_ Flow| matches!(flow.to, Destinations::One(_));
    let choosing = transition.flows.iter().filter(|flow| choice(flow));
    choosing
        .map(|flow| match &flow.to {
            Destinations::One(to) => (flow.from, &to[..]),
            Destinations::All(_) => (flow.from, &[][..]),
        })
        .collect()
}

struct Splits<'a> {
    left: &'a [i128],
    choices: Vec<(PlaceId, &'a [PlaceId])>,
    n_left: usize,
    listed: Listed,
}

impl Splits<'_> {
    /// All ways to send the tokens of the places from `at` on.
    fn spread(&mut self, at: usize, after: Vec<i128>, out: &mut Vec<Count>) -> Result<(), Stop> {
        let Some(&(from, to)) = self.choices.get(at) else { return self.finish(&after, out) };
        match self.left[from.index()] {
            ANY => {
                let mut after = after;
                to.iter().for_each(|place| after[place.index()] = ANY);
                self.spread(at + 1, after, out)
            }
            tokens => self.send(at, to, tokens, after, out),
        }
    }

    /// Some of the tokens go to the first of the places, the rest to others.
    fn send(
        &mut self,
        at: usize,
        to: &[PlaceId],
        tokens: i128,
        after: Vec<i128>,
        out: &mut Vec<Count>,
    ) -> Result<(), Stop> {
        let Some((first, others)) = to.split_first() else { return Ok(()) };
        let least = if others.is_empty() { tokens } else { 0 };
        // The extreme ways come first, in case that there are too many.
        let middle = (least + 1..tokens).rev();
        let ends = if least < tokens { vec![tokens, least] } else { vec![tokens] };
        for sent in ends.into_iter().chain(middle) {
            if self.n_left == 0 {
                self.listed = Listed::Some;
                return Ok(());
            }
            let mut after = after.clone();
            after[first.index()] = plus(after[first.index()], sent, 1);
            if sent == tokens {
                self.spread(at + 1, after, out)?;
            } else {
                self.send(at, others, tokens - sent, after, out)?;
            }
        }
        Ok(())
    }

    fn finish(&mut self, after: &[i128], out: &mut Vec<Count>) -> Result<(), Stop> {
        self.n_left = self.n_left.saturating_sub(1);
        if after.iter().any(|&count| count < 0) {
            return Ok(());
        }
        let start = out.len();
        for &count in after {
            let count = if count == ANY { OMEGA } else { narrow(count)? };
            out.push(count);
        }
        // Choices that lead to the same label are one.
        let (known, new) = out.split_at(start);
        let n_places = new.len();
        let is_known =
            n_places > 0 && known.len() < 64 * n_places && known.chunks_exact(n_places).any(|row| row == new);
        if is_known {
            out.truncate(start);
        }
        Ok(())
    }
}
