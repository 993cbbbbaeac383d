//! Semantic composition (Chucri 2012, section 2.2.2): the steps of a tree, from those of its components upwards.
//!
//! What a component can do depends on the values of its subtree alone: its enabled transitions are found from those of
//! its subcomponents, cut down by its own assertions and priorities, and remembered.

mod between;
mod code;
mod enabled;
mod first;
mod graph;
mod node;
mod solve;

use lapidary_base::hash::Map;
use lapidary_base::{Control, Id, IdVec, Stop, id};
use lapidary_ir::tree::{ComponentId, EPSILON, EventId, ROOT};
use lapidary_ir::{Tree, VarId};

use crate::explicit::TooMuch;

use code::Evaluator;
use node::{Flat, Node};
use solve::Plan;

pub use between::{Between, CAPACITY as BETWEEN_CAPACITY, event_between};
pub use graph::{Graph, configurations, explore, explore_all};

id! {
    /// A combination of one event per component, in the order in which they were met.
    pub struct FlatEventId(u32);
}

/// Called on states; an error ends the enumeration.
pub type Visit<'a> = dyn FnMut(&[i64]) -> Result<(), Stop> + 'a;

pub struct Composed<'t> {
    tree: &'t Tree,
    nodes: IdVec<ComponentId, Node>,
    evaluator: Evaluator<'t>,
    initial: Plan,
    /// The flows of the whole tree, given its state variables.
    flows: Plan,
}

impl<'t> Composed<'t> {
    pub fn new(tree: &'t Tree) -> Result<Self, TooMuch> {
        let mut evaluator = Evaluator::new(tree);
        let mut nodes = IdVec::new();
        for component in tree.components.ids() {
            nodes.push(Node::new(tree, component, &mut evaluator)?);
        }
        let mut conditions = solve::assertions(tree, ROOT);
        let is_flow = |var: &VarId| !tree.is_state(*var);
        let flows = Plan::new(tree, tree.vars.ids().filter(is_flow).collect(), &conditions, &mut evaluator);
        let equation = |&(var, value)| tree.exprs.eq(tree.exprs.var(var), value);
        conditions.splice(0..0, tree.init.iter().map(equation));
        let initial = Plan::new(tree, tree.vars.ids().collect(), &conditions, &mut evaluator);
        Ok(Self { tree, nodes, evaluator, initial, flows })
    }

    /// Visits every initial configuration once, in a fixed order.
    pub fn initial(&mut self, control: &Control, visit: &mut Visit<'_>) -> Result<(), Stop> {
        let mut state = vec![0; self.tree.vars.len()];
        self.initial.solve(&mut self.evaluator, &mut state, control, visit)
    }

    /// Visits every configuration, reachable or not, once.
    pub fn configurations(&mut self, control: &Control, visit: &mut Visit<'_>) -> Result<(), Stop> {
        let conditions = solve::assertions(self.tree, ROOT);
        let plan = Plan::new(self.tree, self.tree.vars.ids().collect(), &conditions, &mut self.evaluator);
        let mut state = vec![0; self.tree.vars.len()];
        plan.solve(&mut self.evaluator, &mut state, control, visit)
    }

    /// Appends the steps from a configuration, each triple of a state, a flat event and a state once.
    pub fn successors(
        &mut self,
        state: &[i64],
        control: &Control,
        out: &mut Vec<(FlatEventId, Box<[i64]>)>,
    ) -> Result<(), Stop> {
        let mut next = state.to_vec();
        for (event, changes) in self.moves(state, control)? {
            next.copy_from_slice(state);
            changes.iter().for_each(|&(var, value)| next[var as usize] = value);
            self.complete(&mut next, control, &mut |found| {
                out.push((event, found.into()));
                Ok(())
            })?;
        }
        Ok(())
    }

    /// The events that can be fired in a configuration, and what each changes. Whether flows exist afterwards is not
    /// yet looked at.
    fn moves(&mut self, state: &[i64], control: &Control) -> Result<Vec<Move>, Stop> {
        let found = enabled::of_root(&mut self.nodes, &mut self.evaluator, state, control)?;
        Ok(found.into_iter().map(|step| (FlatEventId::new(step.flat.index()), step.changes)).collect())
    }

    /// Visits the configurations with these values of the state variables.
    fn complete(&mut self, state: &mut [i64], control: &Control, visit: &mut Visit<'_>) -> Result<(), Stop> {
        self.flows.solve(&mut self.evaluator, state, control, visit)
    }

    /// How many flat events were met so far; more may come with more successors.
    pub fn n_events(&self) -> usize {
        self.nodes[ROOT].flats.len()
    }

    /// The event of each component in a flat event.
    pub fn event(&self, id: FlatEventId) -> IdVec<ComponentId, EventId> {
        let mut tuple: IdVec<ComponentId, EventId> = self.tree.components.iter().map(|_| EPSILON).collect();
        let mut open = vec![(ROOT, Flat::new(id.index()))];
        while let Some((component, flat)) = open.pop() {
            let (local, subs) = &self.nodes[component].flats[flat];
            tuple[component] = *local;
            open.extend(self.tree.components[component].subs.iter().copied().zip(subs.iter().copied()));
        }
        tuple
    }
}

/// A flat event and what it changes.
type Move = (FlatEventId, Box<[node::Change]>);

/// Slices of numbers by their content.
type Valuations<T> = Map<Box<[i64]>, T>;
