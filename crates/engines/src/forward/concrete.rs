//! A search over single markings, for nets in which more tokens may do harm: those nearest to the target go first.
//!
//! It only looks for runs. Where places have any number of tokens initially, they are given few at first, then more.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use lapidary_base::hash::Map;
use lapidary_base::{Control, Event, Id, Meter, Stop};
use lapidary_ir::passes::Cube;
use lapidary_ir::{PlaceId, Range, TransitionId};
use lapidary_system::net::Marking;
use lapidary_verdict::Trace;

use crate::coverability::{Problem, Step, run, unreduced};

use super::label::{Count, from_tokens};
use super::moves::Moves;
use super::search::Counts;
use super::tree::{NodeId, Tree};

/// How much is to be tried before it is given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    Little,
    All,
}

/// Markings in the first round, and all that is done with little effort.
const FIRST_ROUND: u64 = 4_096;
/// The last round gives so many doublings of tokens to places that may have any number.
const MAX_ROUNDS: u32 = 24;
/// At most so many initial markings are listed.
const MAX_INITIAL: usize = 1_024;
const HEARTBEAT_NODES: u64 = 1 << 14;

/// A run to the target if one is found.
pub fn search(
    problem: &Problem<'_>,
    effort: Effort,
    most_states: u64,
    counts: &mut Counts,
    control: &Control,
) -> Result<Option<Trace>, Stop> {
    let moves = Moves::new(problem.net)?;
    for round in 0..MAX_ROUNDS {
        let limit = match effort {
            Effort::Little => FIRST_ROUND,
            Effort::All => FIRST_ROUND << (round + 1),
        };
        let left = most_states.saturating_sub(counts.states);
        let mut search = Search::new(problem, &moves, limit.min(left), control);
        let ended = search.round(round);
        counts.add(search.counts);
        match ended? {
            Round::Found(node) => return trace(problem, &search.tree, node, control),
            Round::Finished if is_finite(problem) => return Ok(None),
            Round::Limited if limit >= left => return Err(Stop::Budget(format!("{most_states} markings"))),
            Round::Finished | Round::Limited => {}
        }
        if effort == Effort::Little {
            return Ok(None);
        }
    }
    Ok(None)
}

/// Were all initial markings listed?
fn is_finite(problem: &Problem<'_>) -> bool {
    let width = |range: &Range| Some(usize::try_from(range.hi? - range.lo).ok()?.saturating_add(1));
    let product = problem.net.initial.iter().try_fold(1usize, |product, range| product.checked_mul(width(range)?));
    product.is_some_and(|product| product <= MAX_INITIAL)
}

enum Round {
    Found(NodeId),
    /// Everything was looked at.
    Finished,
    Limited,
}

struct Search<'a> {
    problem: &'a Problem<'a>,
    moves: &'a Moves<'a>,
    control: &'a Control,
    meter: Meter<'a>,
    /// What it takes to look at one marking, in pieces of the meter.
    work: u64,
    limit: u64,
    tree: Tree,
    known: Map<Box<[Count]>, NodeId>,
    waiting: BinaryHeap<Reverse<(u64, u32)>>,
    counts: Counts,
}

impl<'a> Search<'a> {
    fn new(problem: &'a Problem<'a>, moves: &'a Moves<'a>, limit: u64, control: &'a Control) -> Self {
        let tree = Tree::new(problem.net.places.len());
        let (known, waiting, counts) = (Map::default(), BinaryHeap::new(), Counts::default());
        // A marking is hashed, compared and perhaps copied, and it is measured by all cubes.
        let n_asked: usize = problem.cubes.iter().map(|cube| cube.len() + 1).sum();
        let work = (problem.net.places.len() / 2 + n_asked + 1) as u64;
        Self { problem, moves, control, meter: Meter::new(control), work, limit, tree, known, waiting, counts }
    }

    fn round(&mut self, round: u32) -> Result<Round, Stop> {
        let more = if round == 0 { 1 } else { 1u64 << round };
        for marking in initial(self.problem, more)? {
            if let Some(node) = self.add(None, &marking)? {
                return Ok(Round::Found(node));
            }
        }
        let n_places = self.problem.net.places.len();
        let mut successors = Vec::new();
        let mut n_expanded = 0u64;
        while let Some(Reverse((_, node))) = self.waiting.pop() {
            n_expanded += 1;
            self.report_progress(n_expanded)?;
            for transition in self.problem.net.transitions.ids() {
                successors.clear();
                self.moves.successors(transition, self.tree.label(NodeId(node)), &mut successors)?;
                for row in successors.chunks_exact(n_places.max(1)) {
                    self.counts.transitions += 1;
                    if let Some(node) = self.add(Some((NodeId(node), transition)), row)? {
                        return Ok(Round::Found(node));
                    }
                }
            }
            if self.counts.states >= self.limit {
                return Ok(Round::Limited);
            }
        }
        Ok(Round::Finished)
    }

    /// The node if the marking is a target.
    fn add(&mut self, from: Option<(NodeId, TransitionId)>, marking: &[Count]) -> Result<Option<NodeId>, Stop> {
        self.meter.add(self.work)?;
        if self.known.contains_key(marking) {
            return Ok(None);
        }
        let node = self.tree.add(from, marking, &[]);
        self.known.insert(marking.into(), node);
        self.counts.states += 1;
        self.counts.depth = self.counts.depth.max(u64::from(self.tree.node(node).depth));
        let distances = self.problem.cubes.iter().map(|cube| distance(cube, marking));
        let nearest = distances.min().unwrap_or(u64::MAX);
        self.waiting.push(Reverse((nearest, node.0)));
        Ok((nearest == 0).then_some(node))
    }

    fn report_progress(&mut self, n_expanded: u64) -> Result<(), Stop> {
        if n_expanded.is_multiple_of(HEARTBEAT_NODES) {
            let Counts { states, transitions, depth } = self.counts;
            self.control.emit(&Event::Heartbeat { states, transitions, frontier: self.waiting.len() as u64, depth });
        }
        self.meter.add((self.problem.net.transitions.len() / 2) as u64 + 1)
    }
}

/// How many tokens there are too few or too many.
fn distance(cube: &Cube, marking: &[Count]) -> u64 {
    let off = |&(place, range): &(PlaceId, Range)| {
        let tokens = u64::from(marking[place.index()]);
        range.lo.saturating_sub(tokens).saturating_add(range.hi.map_or(0, |hi| tokens.saturating_sub(hi)))
    };
    cube.iter().map(off).fold(0, u64::saturating_add)
}

/// Initial markings with at most so many tokens beyond the least, in all or per place.
fn initial(problem: &Problem<'_>, more: u64) -> Result<Vec<Vec<Count>>, Stop> {
    let mut markings: Vec<Vec<Count>> = vec![Vec::new()];
    for range in problem.net.initial.iter() {
        // A finite range is listed as a whole where there is room.
        let hi = range.hi.unwrap_or_else(|| range.lo.saturating_add(more));
        let n_values = usize::try_from(hi - range.lo).unwrap_or(usize::MAX).saturating_add(1);
        let values: Vec<u64> = match markings.len().saturating_mul(n_values) <= MAX_INITIAL {
            true => (range.lo..=hi).collect(),
            false => vec![hi.min(range.lo.saturating_add(more))],
        };
        if let [value] = values[..] {
            let count = from_tokens(value)?;
            markings.iter_mut().for_each(|marking| marking.push(count));
            continue;
        }
        let mut longer = Vec::with_capacity(markings.len() * values.len());
        for marking in &markings {
            for &value in &values {
                let mut marking = marking.clone();
                marking.push(from_tokens(value)?);
                longer.push(marking);
            }
        }
        markings = longer;
    }
    Ok(markings)
}

fn trace(problem: &Problem<'_>, tree: &Tree, node: NodeId, control: &Control) -> Result<Option<Trace>, Stop> {
    let mut path: Vec<NodeId> = tree.upwards(Some(node)).collect();
    path.reverse();
    let marking = |node: NodeId| tree.label(node).iter().map(|&count| u64::from(count)).collect::<Marking>();
    let step = |&node: &NodeId| {
        let (_, transition) = tree.node(node).from?;
        Some(Step { transition, demand: marking(node) })
    };
    let steps: Vec<Step> = path.iter().filter_map(step).collect();
    run(problem, &unreduced(problem.net, &problem.minimal), &marking(path[0]), &steps, control)
}
