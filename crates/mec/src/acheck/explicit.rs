//! The explicit engine: a graph with numbered states and transitions, sets as bits.

use std::sync::Arc;

use lapidary_base::hash::Set;
use lapidary_base::{Control, Id, IdVec, Stop};
use lapidary_ir::tree::{EPSILON, VarKind};
use lapidary_ir::{EventRef, Expr, Family, FamilyId, Raw, Tree, VarId};
use lapidary_system::composition::{self, FlatEventId};
use lapidary_system::evaluate::Scope;

use super::algebra::{Algebra, FlatEvent, Listing, Operation, Row, Step, too_many};
use super::bits::Bits;

/// The reachable part of a model. States, events and transitions ascend, each once.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    pub states: Vec<Row>,
    pub initial: Vec<usize>,
    pub events: Vec<FlatEvent>,
    pub steps: Vec<Step>,
}

impl Graph {
    /// Brings a graph whose states and events are numbered in any order into order.
    pub fn sorted(states: Vec<Row>, initial: &[usize], events: Vec<FlatEvent>, steps: &[Step]) -> Self {
        let (states, state) = ranked(states, |a, b| a.cmp(b));
        let (events, event) = ranked(events, |a, b| a.as_slice().cmp(b.as_slice()));
        let mut initial: Vec<usize> = initial.iter().map(|&i| state[i]).collect();
        initial.sort_unstable();
        initial.dedup();
        let renumber =
            |step: &Step| Step { source: state[step.source], event: event[step.event], target: state[step.target] };
        let mut steps: Vec<Step> = steps.iter().map(renumber).collect();
        steps.sort_unstable();
        steps.dedup();
        Self { states, initial, events, steps }
    }
}

/// The distinct items in order, and for every former place the new one.
fn ranked<T>(items: Vec<T>, order: impl Fn(&T, &T) -> std::cmp::Ordering) -> (Vec<T>, Vec<usize>) {
    let mut numbered: Vec<(usize, T)> = items.into_iter().enumerate().collect();
    numbered.sort_by(|(_, a), (_, b)| order(a, b));
    let mut rank = vec![0; numbered.len()];
    let mut distinct: Vec<T> = Vec::with_capacity(numbered.len());
    for (place, item) in numbered {
        if distinct.last().is_none_or(|last| order(last, &item).is_ne()) {
            distinct.push(item);
        }
        rank[place] = distinct.len() - 1;
    }
    (distinct, rank)
}

/// Explores a tree.
pub fn open(tree: Arc<Tree>, control: &Control) -> Result<Explicit<'_>, Stop> {
    let explored = composition::explore(&tree, control)?;
    let states: Vec<Row> = explored.states().map(Row::from).collect();
    let initial: Vec<usize> = (0..explored.n_initial).collect();
    let step = |&(source, event, target): &(u32, FlatEventId, u32)| Step {
        source: source as usize,
        event: event.index(),
        target: target as usize,
    };
    let steps: Vec<Step> = explored.transitions.iter().map(step).collect();
    let graph = Graph::sorted(states, &initial, explored.events.into_vec(), &steps);
    Ok(Explicit::new(tree, graph, control))
}

pub struct Explicit<'c> {
    tree: Arc<Tree>,
    graph: Graph,
    /// Transitions by source: those of state `s` are from `starts[s]` up to `starts[s + 1]`.
    starts: Vec<usize>,
    /// The same by target, as places in `entering`.
    ends: Vec<usize>,
    entering: Vec<usize>,
    control: &'c Control,
}

impl<'c> Explicit<'c> {
    pub fn new(tree: Arc<Tree>, graph: Graph, control: &'c Control) -> Self {
        let n_states = graph.states.len();
        let starts = (0..=n_states).map(|s| graph.steps.partition_point(|step| step.source < s)).collect();
        let mut entering: Vec<usize> = (0..graph.steps.len()).collect();
        entering.sort_by_key(|&t| graph.steps[t].target);
        let ends = (0..=n_states).map(|s| entering.partition_point(|&t| graph.steps[t].target < s)).collect();
        Self { tree, graph, starts, ends, entering, control }
    }

    fn leaving(&self, state: usize) -> impl Iterator<Item = usize> + use<> {
        self.starts[state]..self.starts[state + 1]
    }

    fn entering(&self, state: usize) -> impl Iterator<Item = usize> + '_ {
        self.entering[self.ends[state]..self.ends[state + 1]].iter().copied()
    }

    fn steps_where(&self, holds: impl Fn(&Step) -> bool) -> Bits {
        Bits::where_true(self.graph.steps.len(), |t| holds(&self.graph.steps[t]))
    }

    /// Closes the states under a relation given by the next states of one.
    fn closure(&self, states: &Bits, next: impl Fn(usize, &mut Vec<usize>)) -> Result<Bits, Stop> {
        let mut found = states.clone();
        let mut waiting: Vec<usize> = states.iter().collect();
        let mut buffer = Vec::new();
        let mut n_done = 0usize;
        while let Some(state) = waiting.pop() {
            n_done += 1;
            if n_done.is_multiple_of(4096) {
                self.control.check()?;
            }
            next(state, &mut buffer);
            for reached in buffer.drain(..) {
                if !found.contains(reached) {
                    found.insert(reached);
                    waiting.push(reached);
                }
            }
        }
        Ok(found)
    }

    fn values(&self, state: usize, vars: &[VarId]) -> Row {
        vars.iter().map(|var| self.graph.states[state][var.index()]).collect()
    }
}

fn combined(operation: Operation, a: &Bits, b: &Bits) -> Bits {
    match operation {
        Operation::And => a.combine(b, |a, b| a & b),
        Operation::Or => a.combine(b, |a, b| a | b),
        Operation::Minus => a.combine(b, |a, b| a & !b),
    }
}

fn only_first(set: &Bits, len: usize) -> Bits {
    let mut single = Bits::none(len);
    set.first().into_iter().for_each(|first| single.insert(first));
    single
}

impl Algebra for Explicit<'_> {
    type States = Bits;
    type Trans = Bits;

    fn any_states(&self) -> Bits {
        Bits::all(self.graph.states.len())
    }

    fn any_trans(&self) -> Bits {
        Bits::all(self.graph.steps.len())
    }

    fn empty_states(&self) -> Bits {
        Bits::none(self.graph.states.len())
    }

    fn empty_trans(&self) -> Bits {
        Bits::none(self.graph.steps.len())
    }

    fn initial(&self) -> Bits {
        let mut set = self.empty_states();
        self.graph.initial.iter().for_each(|&state| set.insert(state));
        set
    }

    fn satisfying(&self, formula: Expr) -> Result<Bits, Stop> {
        self.control.check()?;
        let no_families: IdVec<FamilyId, Family> = IdVec::new();
        let holds = |state: usize| {
            let row: &[Raw] = &self.graph.states[state];
            let read = |var: VarId| row[var.index()];
            let family = |id: FamilyId| no_families[id].clone();
            let sort = |var: VarId| self.tree.vars[var].domain.sort();
            let (exprs, enums) = (&self.tree.exprs, &self.tree.enums);
            Scope { exprs, family: &family, read: &read, sort: &sort, enums }.value(formula) == Some(1)
        };
        Ok(Bits::where_true(self.graph.states.len(), holds))
    }

    fn labelled(&self, events: &[EventRef]) -> Result<Bits, Stop> {
        let takes_part = |flat: &FlatEvent| events.iter().any(|event| flat[event.component] == event.event);
        let matching = Bits::where_true(self.graph.events.len(), |event| takes_part(&self.graph.events[event]));
        Ok(self.steps_where(|step| matching.contains(step.event)))
    }

    fn loops(&self) -> Result<Bits, Stop> {
        Ok(self.steps_where(|step| step.source == step.target))
    }

    fn epsilon(&self) -> Result<Bits, Stop> {
        let silent = |event: usize| self.graph.events[event].iter().all(|&event| event == EPSILON);
        let matching = Bits::where_true(self.graph.events.len(), silent);
        Ok(self.steps_where(|step| matching.contains(step.event)))
    }

    fn ambiguous(&self) -> Result<Bits, Stop> {
        // Transitions with the same source and events are neighbours.
        let steps = &self.graph.steps;
        let same = |a: &Step, b: &Step| (a.source, a.event) == (b.source, b.event);
        let has_twin = |t: usize| {
            t > 0 && same(&steps[t - 1], &steps[t]) || steps.get(t + 1).is_some_and(|next| same(&steps[t], next))
        };
        Ok(Bits::where_true(steps.len(), has_twin))
    }

    fn states(&self, operation: Operation, a: &Bits, b: &Bits) -> Result<Bits, Stop> {
        self.control.check()?;
        Ok(combined(operation, a, b))
    }

    fn trans(&self, operation: Operation, a: &Bits, b: &Bits) -> Result<Bits, Stop> {
        self.control.check()?;
        Ok(combined(operation, a, b))
    }

    fn no_states(&self, set: &Bits) -> bool {
        set.is_empty()
    }

    fn no_trans(&self, set: &Bits) -> bool {
        set.is_empty()
    }

    fn count_states(&self, set: &Bits) -> Result<u128, Stop> {
        Ok(set.count() as u128)
    }

    fn count_trans(&self, set: &Bits) -> Result<u128, Stop> {
        Ok(set.count() as u128)
    }

    fn sources(&self, set: &Bits) -> Result<Bits, Stop> {
        let mut found = self.empty_states();
        set.iter().for_each(|t| found.insert(self.graph.steps[t].source));
        Ok(found)
    }

    fn targets(&self, set: &Bits) -> Result<Bits, Stop> {
        let mut found = self.empty_states();
        set.iter().for_each(|t| found.insert(self.graph.steps[t].target));
        Ok(found)
    }

    fn from(&self, set: &Bits) -> Result<Bits, Stop> {
        self.control.check()?;
        let mut found = self.empty_trans();
        set.iter().flat_map(|state| self.leaving(state)).for_each(|t| found.insert(t));
        Ok(found)
    }

    fn into(&self, set: &Bits) -> Result<Bits, Stop> {
        self.control.check()?;
        let mut found = self.empty_trans();
        set.iter().flat_map(|state| self.entering(state)).for_each(|t| found.insert(t));
        Ok(found)
    }

    fn reach(&self, states: &Bits, trans: &Bits) -> Result<Bits, Stop> {
        self.closure(states, |state, next| {
            next.extend(self.leaving(state).filter(|&t| trans.contains(t)).map(|t| self.graph.steps[t].target));
        })
    }

    fn coreach(&self, states: &Bits, trans: &Bits) -> Result<Bits, Stop> {
        self.closure(states, |state, next| {
            next.extend(self.entering(state).filter(|&t| trans.contains(t)).map(|t| self.graph.steps[t].source));
        })
    }

    fn alike(&self, kind: VarKind, set: &Bits) -> Result<Bits, Stop> {
        let vars: Vec<VarId> = self.tree.vars.ids().filter(|&var| self.tree.kinds[var] == kind).collect();
        let seen: Set<Row> = set.iter().map(|state| self.values(state, &vars)).collect();
        Ok(Bits::where_true(self.graph.states.len(), |state| seen.contains(&self.values(state, &vars))))
    }

    fn least_state(&self, set: &Bits) -> Result<Bits, Stop> {
        Ok(only_first(set, self.graph.states.len()))
    }

    fn least_trans(&self, set: &Bits) -> Result<Bits, Stop> {
        Ok(only_first(set, self.graph.steps.len()))
    }

    fn listing(&self, states: &Bits, trans: &Bits, limit: u64) -> Result<Listing, Stop> {
        let inner = |t: &usize| {
            let step = self.graph.steps[*t];
            states.contains(step.source) && states.contains(step.target)
        };
        let kept: Vec<usize> = trans.iter().filter(inner).collect();
        if (kept.len() + states.count()) as u64 > limit {
            return Err(too_many("states and transitions", limit));
        }
        let mut place = vec![0; self.graph.states.len()];
        states.iter().enumerate().for_each(|(new, old)| place[old] = new);
        let mut used = Bits::none(self.graph.events.len());
        kept.iter().for_each(|&t| used.insert(self.graph.steps[t].event));
        let mut event = vec![0; self.graph.events.len()];
        used.iter().enumerate().for_each(|(new, old)| event[old] = new);
        let renumber = |&t: &usize| {
            let step = self.graph.steps[t];
            Step { source: place[step.source], event: event[step.event], target: place[step.target] }
        };
        Ok(Listing {
            states: states.iter().map(|state| self.graph.states[state].clone()).collect(),
            events: used.iter().map(|event| self.graph.events[event].clone()).collect(),
            steps: kept.iter().map(renumber).collect(),
        })
    }

    fn valuations(&self, set: &Bits, vars: &[VarId], limit: usize) -> Result<Vec<Row>, Stop> {
        let mut rows: Vec<Row> = set.iter().map(|state| self.values(state, vars)).collect();
        rows.sort_unstable();
        rows.dedup();
        if rows.len() > limit { Err(too_many("valuations", limit as u64)) } else { Ok(rows) }
    }

    fn events(&self, set: &Bits, limit: usize) -> Result<Vec<FlatEvent>, Stop> {
        let mut used = Bits::none(self.graph.events.len());
        set.iter().for_each(|t| used.insert(self.graph.steps[t].event));
        if used.count() > limit {
            return Err(too_many("events", limit as u64));
        }
        Ok(used.iter().map(|event| self.graph.events[event].clone()).collect())
    }
}
