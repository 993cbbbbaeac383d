//! From a label above a goal back to an initial marking: how often each pump is used, and all transitions one by one.
//!
//! The marking that has to be covered goes backwards along the path and stays below the labels there. At a pump, labels
//! are computed forwards round by round until one is above what is asked for, and then every round is gone through
//! backwards, with pumps inside in the same way.

use lapidary_base::{Control, Id, Stop};
use lapidary_ir::{Net, Tokens, TransitionId};
use lapidary_system::net::{Marking, predecessors};

use crate::coverability::Step;

use super::label::{self, Count, OMEGA};
use super::pump::Item;
use super::search::Search;
use super::tree::NodeId;

/// No longer run is written down.
const MAX_STEPS: usize = 1_000_000;
/// Nor one whose states have more numbers in all.
const MAX_NUMBERS: usize = 1 << 27;

struct Unrolling<'a> {
    search: &'a Search<'a>,
    net: &'a Net,
    control: &'a Control,
    most_steps: usize,
    /// What has to be covered at the point that was reached.
    demand: Marking,
    /// The last step comes first.
    steps: Vec<Step>,
}

/// What an initial marking must have, and the steps from there to a marking above `goal`, which is below the label of a
/// node.
pub fn unroll(
    search: &Search<'_>,
    net: &Net,
    node: NodeId,
    goal: &[Tokens],
    n_places: usize,
    control: &Control,
) -> Result<(Marking, Vec<Step>), Stop> {
    let most_steps = MAX_STEPS.min(MAX_NUMBERS / n_places.max(1));
    let mut unrolling = Unrolling { search, net, control, most_steps, demand: goal.into(), steps: Vec::new() };
    let mut path: Vec<NodeId> = search.tree.upwards(Some(node)).collect();
    path.reverse();
    for &node in path.iter().rev() {
        unrolling.back_to_parent(node)?;
    }
    let Unrolling { demand, mut steps, .. } = unrolling;
    steps.reverse();
    Ok((demand, steps))
}

fn is_above(label: &[Count], demand: &[Tokens]) -> bool {
    label.iter().zip(demand).all(|(&count, &tokens)| count == OMEGA || u64::from(count) >= tokens)
}

fn broken() -> Stop {
    Stop::Incomplete("a pump cannot be unrolled".to_owned())
}

impl Unrolling<'_> {
    /// From after the pumps of a node to before its transition.
    fn back_to_parent(&mut self, node: NodeId) -> Result<(), Stop> {
        let from = self.search.tree.node(node).from;
        let word: Vec<Item> = self.search.tree.pumps(node).iter().map(|&pump| Item::Pump(pump)).collect();
        let start = match from {
            None => label::initial(self.net)?,
            Some((parent, transition)) => self.before_pumps(parent, transition, node, &word)?,
        };
        self.back_word(&word, &start)?;
        match from {
            None => Ok(()),
            Some((parent, transition)) => self.back_step(transition, self.search.tree.label(parent)),
        }
    }

    /// The label to which a transition led, before any pump. With choices there are several; then the one that the
    /// pumps make the label of the node.
    fn before_pumps(
        &self,
        parent: NodeId,
        transition: TransitionId,
        node: NodeId,
        word: &[Item],
    ) -> Result<Vec<Count>, Stop> {
        let (tree, moves) = (&self.search.tree, &self.search.moves);
        let mut successors = Vec::new();
        moves.successors(transition, tree.label(parent), &mut successors)?;
        for row in successors.chunks_exact(self.net.places.len().max(1)) {
            let mut label = row.to_vec();
            let happens = self.search.pumps.after_all(moves, word, &mut label)?.is_some();
            if happens && label == tree.label(node) {
                return Ok(row.to_vec());
            }
        }
        Err(broken())
    }

    fn back_word(&mut self, word: &[Item], start: &[Count]) -> Result<(), Stop> {
        let mut labels = vec![start.to_vec()];
        for &item in &word[..word.len().saturating_sub(1)] {
            let mut label = labels.last().cloned().unwrap_or_default();
            self.search.pumps.after(&self.search.moves, item, &mut label)?.ok_or_else(broken)?;
            labels.push(label);
        }
        for (&item, label) in word.iter().zip(&labels).rev() {
            match item {
                Item::Fire(transition) => self.back_step(transition, label)?,
                Item::Pump(pump) => self.back_pump(&self.search.pumps.get(pump).word, label)?,
            }
        }
        Ok(())
    }

    fn back_pump(&mut self, word: &[Item], before: &[Count]) -> Result<(), Stop> {
        let mut rounds: Vec<Vec<Count>> = Vec::new();
        let mut label = before.to_vec();
        while !is_above(&label, &self.demand) {
            self.check(rounds.len() + self.steps.len())?;
            rounds.push(label.clone());
            self.search.pumps.after_all(&self.search.moves, word, &mut label)?.ok_or_else(broken)?;
        }
        for start in rounds.iter().rev() {
            self.back_word(word, start)?;
        }
        Ok(())
    }

    fn back_step(&mut self, transition: TransitionId, before: &[Count]) -> Result<(), Stop> {
        self.check(self.steps.len())?;
        let is_last = self.steps.is_empty();
        let earlier = match &self.search.moves.moves[transition.index()] {
            Some(plain) => {
                let mut earlier = self.demand.clone();
                for &(place, change) in &plain.effect {
                    earlier[place] = Tokens::try_from(i128::from(earlier[place]) - i128::from(change)).unwrap_or(0);
                }
                plain.needs.iter().for_each(|&(place, count)| earlier[place] = earlier[place].max(count.into()));
                earlier
            }
            None => {
                let mut found = Vec::new();
                predecessors(&self.net.transitions[transition], &self.demand, &mut found)?;
                found.into_iter().find(|marking| is_above(before, marking)).ok_or_else(broken)?
            }
        };
        let demand = std::mem::replace(&mut self.demand, earlier);
        // Where tokens have no choice, only the last demand is looked at.
        let demand = if is_last || self.search.moves.has_choice(transition) { demand } else { Marking::default() };
        self.steps.push(Step { transition, demand });
        Ok(())
    }

    fn check(&self, n_steps: usize) -> Result<(), Stop> {
        if n_steps >= self.most_steps {
            return Err(Stop::Incomplete(format!("a run has more than {} steps", self.most_steps)));
        }
        if n_steps.is_multiple_of(256) { self.control.check() } else { Ok(()) }
    }
}
