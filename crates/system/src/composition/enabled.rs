//! The transitions that a component can take in a configuration, with its subtree's assertions and priorities.

use std::rc::Rc;

use lapidary_base::{Control, IdVec, Stop};
use lapidary_ir::tree::{ComponentId, EventId, EventRef, ROOT};

use super::code::Evaluator;
use super::node::{Change, Flat, Node, Way};

/// One transition of a component together with its subtree.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Step {
    pub top: EventRef,
    pub flat: Flat,
    pub changes: Box<[Change]>,
}

/// In order of their tops, without repetition.
pub struct Enabled {
    steps: Vec<Step>,
}

impl Enabled {
    fn with_top(&self, top: EventRef) -> &[Step] {
        let start = self.steps.partition_point(|step| step.top < top);
        let end = self.steps.partition_point(|step| step.top <= top);
        &self.steps[start..end]
    }
}

const PICKS_PER_LOOK: usize = 1 << 10;

type Nodes = IdVec<ComponentId, Node>;

/// The transitions of the whole tree, in order of their flat events. Flows are not looked for where nothing depends
/// on it: the caller has to find them anyway.
pub fn of_root(
    nodes: &mut Nodes,
    evaluator: &mut Evaluator<'_>,
    state: &[i64],
    control: &Control,
) -> Result<Vec<Step>, Stop> {
    let mut steps = Search { nodes, evaluator, state, control, scratch: state.to_vec() }.steps(ROOT)?;
    // The root's tops are nobody's business.
    steps.sort_by(|a, b| (a.flat, &a.changes).cmp(&(b.flat, &b.changes)));
    steps.dedup_by(|a, b| (a.flat, &a.changes) == (b.flat, &b.changes));
    Ok(steps)
}

struct Search<'a, 't> {
    nodes: &'a mut Nodes,
    evaluator: &'a mut Evaluator<'t>,
    state: &'a [i64],
    control: &'a Control,
    /// A valuation to try flows on.
    scratch: Vec<i64>,
}

impl Search<'_, '_> {
    fn enabled(&mut self, id: ComponentId) -> Result<Rc<Enabled>, Stop> {
        let (from, to) = self.nodes[id].vars;
        if let Some(known) = self.nodes[id].enabled.get(&self.state[from..to]) {
            return Ok(Rc::clone(known));
        }
        let mut steps = self.steps(id)?;
        steps.sort();
        steps.dedup();
        let enabled = Rc::new(Enabled { steps });
        self.nodes[id].enabled.insert(self.state[from..to].into(), Rc::clone(&enabled));
        Ok(enabled)
    }

    /// In no particular order, perhaps with repetitions.
    fn steps(&mut self, id: ComponentId) -> Result<Vec<Step>, Stop> {
        let subs = self.nodes[id].subs.clone();
        let below: Result<Vec<Rc<Enabled>>, Stop> = subs.into_iter().map(|sub| self.enabled(sub)).collect();
        let (below, local) = (below?, self.local(id)?);
        let mut found: Vec<(usize, Step)> = Vec::new();
        for number in 0..self.nodes[id].ways.len() {
            let way = &self.nodes[id].ways[number];
            let parts: Vec<&[Step]> = below.iter().zip(&way.subs).map(|(below, &top)| below.with_top(top)).collect();
            let (own, top) = (way.local, way.top);
            if local[own].is_empty() || parts.iter().any(|part| part.is_empty()) {
                continue;
            }
            self.combine(id, (number, own, top), &local[own], &parts, &mut found)?;
        }
        if self.nodes[id].has_order {
            return Ok(unbeaten(&self.nodes[id], found));
        }
        Ok(found.into_iter().map(|(_, step)| step).collect())
    }

    /// What the component's own transitions change, by event.
    fn local(&mut self, id: ComponentId) -> Result<IdVec<EventId, Vec<Vec<Change>>>, Stop> {
        let Self { nodes, evaluator, state, .. } = self;
        let mut found = IdVec::new();
        for transitions in &nodes[id].transitions {
            let mut fired = Vec::new();
            'transitions: for transition in transitions {
                if !evaluator.holds(transition.guard, state)? {
                    continue;
                }
                let mut changes = Vec::with_capacity(transition.updates.len());
                for &(var, value, (lo, hi)) in &transition.updates {
                    match evaluator.value(value, state)? {
                        Some(value) if (lo..=hi).contains(&value) => changes.push((var, value)),
                        Some(_) | None => continue 'transitions,
                    }
                }
                fired.push(changes);
            }
            found.push(fired);
        }
        Ok(found)
    }

    /// All combinations of an own transition and one of each subcomponent.
    fn combine(
        &mut self,
        id: ComponentId,
        (way, own, top): (usize, EventId, EventRef),
        local: &[Vec<Change>],
        parts: &[&[Step]],
        found: &mut Vec<(usize, Step)>,
    ) -> Result<(), Stop> {
        let mut picks = vec![0; parts.len()];
        loop {
            if found.len() % PICKS_PER_LOOK == PICKS_PER_LOOK - 1 {
                self.control.check()?;
            }
            let flats = picks.iter().zip(parts).map(|(&pick, part)| part[pick].flat).collect();
            let flat = self.nodes[id].flat(own, flats);
            for changes in local {
                let below = picks.iter().zip(parts).flat_map(|(&pick, part)| part[pick].changes.iter().copied());
                let mut changes: Vec<Change> = changes.iter().copied().chain(below).collect();
                // Assigning the value that is there is no change.
                changes.retain(|&(var, value)| self.state[var as usize] != value);
                changes.sort_unstable();
                if self.has_flows(id, &changes)? {
                    found.push((way, Step { top, flat, changes: changes.into() }));
                }
            }
            let Some(place) = (0..picks.len()).rev().find(|&place| picks[place] + 1 < parts[place].len()) else {
                return Ok(());
            };
            picks[place] += 1;
            picks[place + 1..].fill(0);
        }
    }

    /// Are there values of the subtree's flows after the changes? The root's steps are completed with all of them
    /// later, so there the question matters for priorities only.
    fn has_flows(&mut self, id: ComponentId, changes: &[Change]) -> Result<bool, Stop> {
        let Self { nodes, evaluator, state, control, scratch } = self;
        let node = &mut nodes[id];
        if node.flows.is_empty() || changes.is_empty() || (id == ROOT && !node.has_order) {
            return Ok(true);
        }
        let (from, to) = node.vars;
        scratch[from..to].copy_from_slice(&state[from..to]);
        changes.iter().for_each(|&(var, value)| scratch[var as usize] = value);
        let key: Box<[i64]> = node.states.iter().map(|&var| scratch[var]).collect();
        if let Some(&known) = node.has_flows.get(&key) {
            return Ok(known);
        }
        let answer = node.flows.has_solution(evaluator, scratch, control)?;
        node.has_flows.insert(key, answer);
        Ok(answer)
    }
}

/// The steps over which none of the others has priority.
fn unbeaten(node: &Node, found: Vec<(usize, Step)>) -> Vec<Step> {
    let mut is_there = vec![false; node.ways.len()];
    found.iter().for_each(|&(way, _)| is_there[way] = true);
    let mut stands = vec![None; node.ways.len()];
    for way in 0..node.ways.len() {
        judge(node, &is_there, way, &mut stands);
    }
    found.into_iter().filter(|(way, _)| stands[*way] == Some(true)).map(|(_, step)| step).collect()
}

/// A way stands where it has a step and no way with priority over it stands. Priorities are acyclic.
fn judge(node: &Node, is_there: &[bool], way: usize, stands: &mut Vec<Option<bool>>) -> bool {
    if let Some(known) = stands[way] {
        return known;
    }
    let beaten = |stands: &mut Vec<Option<bool>>| {
        (0..node.ways.len()).any(|other| {
            is_there[other]
                && has_priority(node, &node.ways[other], &node.ways[way])
                && judge(node, is_there, other, stands)
        })
    };
    let answer = is_there[way] && !beaten(stands);
    stands[way] = Some(answer);
    answer
}

fn has_priority(node: &Node, over: &Way, way: &Way) -> bool {
    let is_declared = over.top.component == node.id
        && way.top.component == node.id
        && node.higher[way.top.event].contains(&over.top.event);
    let is_larger = way.has_optional && over.vector == way.vector && over.rank > way.rank;
    is_declared || is_larger
}
