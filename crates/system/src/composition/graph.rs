//! The whole graph of a tree, listed.

use std::ops::Range;

use lapidary_base::hash::Map;
use lapidary_base::{Control, Id, IdVec, Stop};
use lapidary_ir::Tree;
use lapidary_ir::tree::{ComponentId, EventId};

use super::{Composed, FlatEventId, Valuations};

/// Configurations and the transitions between them.
#[derive(Default)]
pub struct Graph {
    n_vars: usize,
    /// One after the other, in order of discovery.
    values: Vec<i64>,
    n_states: usize,
    /// The first states are the initial ones.
    pub n_initial: usize,
    /// Source, event, target; in order of their sources, each once.
    pub transitions: Vec<(u32, FlatEventId, u32)>,
    pub events: IdVec<FlatEventId, IdVec<ComponentId, EventId>>,
}

impl Graph {
    pub fn n_states(&self) -> usize {
        self.n_states
    }

    /// The values of the tree's variables in a state.
    pub fn state(&self, number: usize) -> &[i64] {
        &self.values[number * self.n_vars..(number + 1) * self.n_vars]
    }

    pub fn states(&self) -> impl Iterator<Item = &[i64]> {
        (0..self.n_states).map(|number| self.state(number))
    }
}

/// The reachable configurations and their transitions.
pub fn explore(tree: &Tree, control: &Control) -> Result<Graph, Stop> {
    let mut explorer = Explorer::new(tree)?;
    let mut starts = Vec::new();
    explorer.composed.initial(control, &mut |state| {
        starts.push(Box::from(state));
        Ok(())
    })?;
    explorer.run(starts, control)
}

/// All configurations, reachable or not, and their transitions. The initial states are not told apart.
pub fn explore_all(tree: &Tree, control: &Control) -> Result<Graph, Stop> {
    let starts = configurations(tree, usize::MAX, control)?;
    Explorer::new(tree)?.run(starts, control)
}

/// All valuations that satisfy the assertions, reachable or not; a stop where there are more than `limit`.
pub fn configurations(tree: &Tree, limit: usize, control: &Control) -> Result<Vec<Box<[i64]>>, Stop> {
    let mut found = Vec::new();
    compose(tree)?.configurations(control, &mut |state| {
        if found.len() == limit {
            return Err(Stop::Incomplete(format!("the model has more than {limit} configurations")));
        }
        found.push(Box::from(state));
        Ok(())
    })?;
    Ok(found)
}

fn compose(tree: &Tree) -> Result<Composed<'_>, Stop> {
    Composed::new(tree).map_err(|refused| Stop::Incomplete(refused.what))
}

struct Explorer<'t> {
    composed: Composed<'t>,
    graph: Graph,
    numbers: Valuations<u32>,
    /// By the values of the state variables: which of `targets` they have.
    completions: Map<Box<[i64]>, Range<usize>>,
    targets: Vec<u32>,
    states: Vec<usize>,
}

impl<'t> Explorer<'t> {
    fn new(tree: &'t Tree) -> Result<Self, Stop> {
        let graph = Graph { n_vars: tree.vars.len(), ..Graph::default() };
        let states = tree.vars.ids().filter(|&var| tree.is_state(var)).map(Id::index).collect();
        let (numbers, completions, targets) = (Map::default(), Map::default(), Vec::new());
        Ok(Self { composed: compose(tree)?, graph, numbers, completions, targets, states })
    }

    fn run(mut self, starts: Vec<Box<[i64]>>, control: &Control) -> Result<Graph, Stop> {
        starts.into_iter().for_each(|start| {
            self.add(&start);
        });
        self.graph.n_initial = self.graph.n_states;
        let mut next = 0;
        while next < self.graph.n_states {
            if next % 64 == 0 {
                control.check()?;
            }
            self.expand(next, control)?;
            next += 1;
        }
        let n_events = self.composed.n_events();
        self.graph.events = (0..n_events).map(|event| self.composed.event(FlatEventId::new(event))).collect();
        Ok(self.graph)
    }

    fn add(&mut self, state: &[i64]) -> u32 {
        if let Some(&known) = self.numbers.get(state) {
            return known;
        }
        let number = u32::try_from(self.graph.n_states).expect("fewer than 2^32 states");
        self.numbers.insert(state.into(), number);
        self.graph.values.extend_from_slice(state);
        self.graph.n_states += 1;
        number
    }

    fn expand(&mut self, number: usize, control: &Control) -> Result<(), Stop> {
        let source = u32::try_from(number).expect("fewer than 2^32 states");
        let state = self.graph.state(number).to_vec();
        let mut next = state.clone();
        for (event, changes) in self.composed.moves(&state, control)? {
            next.copy_from_slice(&state);
            changes.iter().for_each(|&(var, value)| next[var as usize] = value);
            let targets = self.completions(&mut next, control)?;
            let targets = self.targets[targets].iter();
            self.graph.transitions.extend(targets.map(|&target| (source, event, target)));
        }
        Ok(())
    }

    /// The configurations with these values of the state variables, as a stretch of `targets`.
    fn completions(&mut self, state: &mut [i64], control: &Control) -> Result<Range<usize>, Stop> {
        let key: Box<[i64]> = self.states.iter().map(|&var| state[var]).collect();
        if let Some(known) = self.completions.get(&key) {
            return Ok(known.clone());
        }
        let mut found: Vec<Box<[i64]>> = Vec::new();
        self.composed.complete(state, control, &mut |state| {
            found.push(state.into());
            Ok(())
        })?;
        let start = self.targets.len();
        for state in found {
            let number = self.add(&state);
            self.targets.push(number);
        }
        self.completions.insert(key, start..self.targets.len());
        Ok(start..self.targets.len())
    }
}
