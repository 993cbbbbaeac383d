//! Reading the structure of a diagram: levels and branches of its edges.

use oxidd::bcdd::BCDDFunction;
use oxidd::util::Ref;
use oxidd::{BooleanFunction, Function, HasLevel, Manager, Node};

use lapidary_base::Stop;
use lapidary_base::hash;
use oxidd_core::util::NodeSet;

use crate::run::{Counter, Halt};
use crate::space::{Column, Set, Space};

pub(crate) type ManagerOf<'id> = <BCDDFunction as Function>::Manager<'id>;

/// An edge of the diagram; equal edges stand for equal sets.
pub(crate) type EdgeRef<'a, 'id> = Ref<'a, <ManagerOf<'id> as Manager>::Edge>;

/// The diagram, held still while it is read.
#[derive(Clone, Copy)]
pub(crate) struct View<'a, 'id: 'a> {
    manager: &'a ManagerOf<'id>,
    none: EdgeRef<'a, 'id>,
}

/// What an edge leads to.
pub(crate) enum Step<'a, 'id: 'a> {
    All,
    None,
    /// The level of a bit, and what holds where the bit is zero and where it is one.
    Branch(u32, EdgeRef<'a, 'id>, EdgeRef<'a, 'id>),
}

impl<'a, 'id> View<'a, 'id> {
    pub fn step(self, edge: EdgeRef<'a, 'id>) -> Step<'a, 'id> {
        match self.manager.get_node(edge) {
            Node::Terminal(_) if edge == self.none => Step::None,
            Node::Terminal(_) => Step::All,
            Node::Inner(node) => {
                let (one, zero) = BCDDFunction::cofactors_edge(self.manager, edge).expect("inner nodes have cofactors");
                Step::Branch(node.level(), zero, one)
            }
        }
    }
}

impl Space {
    /// Reads a set; whoever takes many steps counts them.
    pub(crate) fn view<T>(
        &self,
        set: &Set,
        read: impl for<'a, 'id> FnOnce(View<'a, 'id>, EdgeRef<'a, 'id>, &Counter<'_>) -> Result<T, Halt>,
    ) -> Result<T, Stop> {
        let counter = self.watch.counter();
        counter.step()?;
        Ok(self.peek(set, |view, edge| read(view, edge, &counter))?)
    }

    /// Takes a few steps.
    fn peek<T>(&self, set: &Set, read: impl for<'a, 'id> FnOnce(View<'a, 'id>, EdgeRef<'a, 'id>) -> T) -> T {
        set.0
            .with_manager_shared(|manager, edge| read(View { manager, none: self.none_ref().0.as_edge(manager) }, edge))
    }

    /// Calls `visit` once for every node of the set with its level.
    fn for_each_node(&self, set: &Set, mut visit: impl FnMut(u32)) -> Result<(), Stop> {
        self.view(set, |view, edge, counter| {
            let mut visited = <ManagerOf<'_> as Manager>::NodeSet::default();
            let mut open = vec![edge];
            while let Some(edge) = open.pop() {
                if let Step::Branch(level, zero, one) = view.step(edge)
                    && visited.insert(edge)
                {
                    counter.step()?;
                    visit(level);
                    open.extend([zero, one]);
                }
            }
            Ok(())
        })
    }

    /// The columns on which the set depends, in the order of their numbers.
    pub fn support(&self, set: &Set) -> Result<Vec<Column>, Stop> {
        let mut seen = vec![false; self.columns.len()];
        self.for_each_node(set, |level| seen[self.levels[level as usize].0.0 as usize] = true)?;
        Ok(self.columns().filter(|column| seen[column.0 as usize]).collect())
    }

    /// The nodes of one set, the terminal included.
    pub fn node_count(&self, set: &Set) -> Result<usize, Stop> {
        let mut n_nodes = 1;
        self.for_each_node(set, |_| n_nodes += 1)?;
        Ok(n_nodes)
    }

    /// Whether a set has at least so many nodes; few are asked for.
    pub(crate) fn has_nodes(&self, set: &Set, n_nodes: usize) -> bool {
        self.peek(set, |view, edge| {
            let mut visited = hash::Set::default();
            let mut open = vec![edge];
            while let Some(edge) = open.pop() {
                if let Step::Branch(_, zero, one) = view.step(edge)
                    && visited.insert(edge)
                {
                    if visited.len() >= n_nodes {
                        return true;
                    }
                    open.extend([zero, one]);
                }
            }
            false
        })
    }

    /// Whether the whole diagram is below a level.
    pub(crate) fn is_below(&self, set: &Set, level: u32) -> bool {
        self.top(set).is_none_or(|top| top > level)
    }

    fn top(&self, set: &Set) -> Option<u32> {
        self.peek(set, |view, edge| match view.step(edge) {
            Step::Branch(top, ..) => Some(top),
            Step::All | Step::None => None,
        })
    }

    /// The parts of a set where the bit of a level is zero and where it is one, without that bit.
    pub(crate) fn split(&self, set: &Set, level: u32) -> Result<(Set, Set), Stop> {
        match self.top(set) {
            Some(top) if top < level => {
                let bit = self.bit(level);
                let zero = self.not(bit)?;
                let where_it = |literal: &Set| {
                    self.attempt(set, 0, |run, edge| run.restrict(edge, literal.0.as_edge(run.manager)))
                };
                Ok((where_it(&zero)?, where_it(bit)?))
            }
            Some(top) if top == level => {
                let (one, zero) = set.0.cofactors().expect("a set with a top level has cofactors");
                Ok((Set(zero), Set(one)))
            }
            Some(_) | None => Ok((set.clone(), set.clone())),
        }
    }
}
