//! The manager of the diagrams, its columns, and the algebra of sets.

use std::sync::atomic::{AtomicU32, Ordering};

use lapidary_base::{Control, IdVec, Stop, id, threads};
use oxidd::bcdd::{BCDDFunction, BCDDManagerRef};
use oxidd::{BooleanFunction, Function, Manager, ManagerRef};

use crate::capacity::Capacity;
use crate::image::{Action, Image};
use crate::run::{Halt, OwnEdge, Run, Watch, not, turned};
use crate::walk::EdgeRef;

id! {
    /// A typed finite variable of the diagram: its values are the numbers below its size.
    pub struct Column(u32);
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnSpec {
    pub name: String,
    pub size: u64,
}

/// A set of valuations of the columns of a space; two are equal exactly if they contain the same valuations.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Set(pub(crate) BCDDFunction);

pub(crate) struct ColumnData {
    pub spec: ColumnSpec,
    /// The levels of its bits, least significant first.
    pub bits: Vec<u32>,
}

/// Columns and the manager of the sets over them.
pub struct Space {
    pub(crate) manager: BCDDManagerRef,
    pub(crate) columns: IdVec<Column, ColumnData>,
    /// By level: the column to which the bit belongs, and the set where the bit is one.
    pub(crate) levels: Vec<(Column, Set)>,
    all: Set,
    none: Set,
    /// All bits, to be quantified at once.
    everything: Image,
    /// Images that were prepared so far.
    n_images: AtomicU32,
    threads: u32,
    /// The limits that every operation keeps.
    pub(crate) watch: Watch,
}

/// What the diagram package asks for, as address space.
const WORKER_STACK: usize = 1 << 30;
/// What the system maps for the memory of another thread.
const THREAD_HEAP: u64 = 128 << 20;

/// The address space that so many workers take beside the tables, and the thread that collects garbage.
pub fn address_space_of_workers(threads: u32) -> u64 {
    let threads = u64::from(threads.max(1));
    threads * (WORKER_STACK as u64 + THREAD_HEAP) + 2 * THREAD_HEAP
}

/// How many levels the columns of these groups take.
pub fn n_levels(groups: &[Vec<ColumnSpec>]) -> u32 {
    groups.iter().flatten().map(|spec| width(spec.size)).fold(0, u32::saturating_add)
}

impl Space {
    /// Columns are numbered in the order given. The bits of one group's columns are interleaved, bits of equal weight
    /// next to each other and the most significant on top; groups follow each other in the variable order. Every
    /// operation on the space ends soon after the control's limits are reached.
    pub fn new(capacity: Capacity, groups: &[Vec<ColumnSpec>], control: &Control) -> Result<Self, Stop> {
        let nodes = capacity.nodes.clamp(1, (1 << 31) - 2);
        let cache = capacity.cache.clamp(1, 1 << 30);
        // The package panics where its workers, with the stacks that it always gives them, cannot start.
        threads::can_start(capacity.threads.max(1) as usize, WORKER_STACK)?;
        let manager = oxidd::bcdd::new_manager(nodes, cache, capacity.threads.max(1));
        let (all, none) = manager.with_manager_shared(|m| (Set(BCDDFunction::t(m)), Set(BCDDFunction::f(m))));
        let (columns, levels, n_images, threads) = (IdVec::new(), Vec::new(), AtomicU32::new(1), capacity.threads);
        let (everything, watch) = (Image::new(0, Vec::new()), Watch::new(control));
        let mut space = Self { manager, columns, levels, all, none, everything, n_images, threads, watch };
        for group in groups {
            space.add_group(group.clone())?;
        }
        Ok(space)
    }

    /// Whoever keeps a space from one run to the next tells it the limits of the new one.
    pub fn obey(&self, control: &Control) {
        self.watch.obey(control);
    }

    /// Adds columns, at the bottom of the variable order.
    pub fn add_group(&mut self, group: Vec<ColumnSpec>) -> Result<Vec<Column>, Stop> {
        let widths: Vec<u32> = group.iter().map(|spec| width(spec.size)).collect();
        let first = self.levels.len();
        let columns: Vec<Column> =
            group.into_iter().map(|spec| self.columns.push(ColumnData { spec, bits: Vec::new() })).collect();
        let mut level = first as u32;
        let mut owners = Vec::new();
        for weight in (0..widths.iter().copied().max().unwrap_or(0)).rev() {
            for (&column, _) in columns.iter().zip(&widths).filter(|(_, width)| weight < **width) {
                // Weights are met in falling order; the levels are turned around below.
                self.columns[column].bits.push(level);
                owners.push(column);
                level += 1;
            }
        }
        columns.iter().for_each(|&column| self.columns[column].bits.reverse());
        self.manager.with_manager_exclusive(|m| m.add_vars(owners.len() as u32));
        for (offset, column) in owners.into_iter().enumerate() {
            let level = (first + offset) as u32;
            let bit = self.attempt(&self.all, 0, |run, _| Ok(BCDDFunction::var_edge(run.manager, level)?))?;
            self.levels.push((column, bit));
        }
        self.everything = Image::new(self.next_image(), vec![Action::Quantify; self.levels.len()]);
        Ok(columns)
    }

    pub fn columns(&self) -> impl ExactSizeIterator<Item = Column> + use<> {
        (0..self.columns.len() as u32).map(Column)
    }

    pub fn size(&self, column: Column) -> u64 {
        self.columns[column].spec.size
    }

    pub fn name(&self, column: Column) -> &str {
        &self.columns[column].spec.name
    }

    /// Where the bit of a level is one.
    pub(crate) fn bit(&self, level: u32) -> &Set {
        &self.levels[level as usize].1
    }

    /// The bits of a column, least significant first.
    pub fn bits(&self, column: Column) -> Vec<Set> {
        self.columns[column].bits.iter().map(|&level| self.bit(level).clone()).collect()
    }

    pub fn all(&self) -> Set {
        self.all.clone()
    }

    pub fn none(&self) -> Set {
        self.none.clone()
    }

    pub(crate) fn none_ref(&self) -> &Set {
        &self.none
    }

    pub fn is_all(&self, set: &Set) -> bool {
        *set == self.all
    }

    pub fn is_none(&self, set: &Set) -> bool {
        *set == self.none
    }

    pub fn not(&self, set: &Set) -> Result<Set, Stop> {
        self.attempt(set, 0, |run, edge| Ok(turned(run.copy(edge))))
    }

    pub fn and(&self, a: &Set, b: &Set) -> Result<Set, Stop> {
        self.attempt(a, self.splits(&[a, b]), |run, edge| run.and(edge, b.0.as_edge(run.manager)))
    }

    pub fn or(&self, a: &Set, b: &Set) -> Result<Set, Stop> {
        self.attempt(a, self.splits(&[a, b]), |run, edge| run.or(edge, b.0.as_edge(run.manager)))
    }

    /// What is in `a` but not in `b`.
    pub fn minus(&self, a: &Set, b: &Set) -> Result<Set, Stop> {
        self.attempt(a, self.splits(&[a, b]), |run, edge| run.and(edge, not(b.0.as_edge(run.manager))))
    }

    pub fn iff(&self, a: &Set, b: &Set) -> Result<Set, Stop> {
        self.attempt(a, self.splits(&[a, b]), |run, edge| run.xor(edge, b.0.as_edge(run.manager)).map(turned))
    }

    pub fn xor(&self, a: &Set, b: &Set) -> Result<Set, Stop> {
        self.attempt(a, self.splits(&[a, b]), |run, edge| run.xor(edge, b.0.as_edge(run.manager)))
    }

    pub fn implies(&self, a: &Set, b: &Set) -> Result<Set, Stop> {
        self.attempt(a, self.splits(&[a, b]), |run, edge| run.and(edge, not(b.0.as_edge(run.manager))).map(turned))
    }

    pub fn ite(&self, condition: &Set, then: &Set, otherwise: &Set) -> Result<Set, Stop> {
        self.attempt(condition, self.splits(&[condition, then, otherwise]), |run, edge| {
            run.ite(edge, then.0.as_edge(run.manager), otherwise.0.as_edge(run.manager))
        })
    }

    pub fn and_all(&self, sets: &[Set]) -> Result<Set, Stop> {
        self.balanced(sets, &self.all, &self.none, Self::and)
    }

    pub fn or_all(&self, sets: &[Set]) -> Result<Set, Stop> {
        self.balanced(sets, &self.none, &self.all, Self::or)
    }

    /// Combines neighbours in pairs, so that no intermediate diagram spans more parts than it must.
    fn balanced(
        &self,
        sets: &[Set],
        neutral: &Set,
        absorbing: &Set,
        combine: impl Fn(&Self, &Set, &Set) -> Result<Set, Stop>,
    ) -> Result<Set, Stop> {
        let mut layer: Vec<Set> = sets.iter().filter(|set| *set != neutral).cloned().collect();
        while layer.len() > 1 {
            if layer.contains(absorbing) {
                return Ok(absorbing.clone());
            }
            let pair = |pair: &[Set]| match pair {
                [a, b] => combine(self, a, b),
                _ => Ok(pair[0].clone()),
            };
            layer = layer.chunks(2).map(pair).collect::<Result<_, _>>()?;
        }
        Ok(layer.pop().unwrap_or_else(|| neutral.clone()))
    }

    pub fn is_subset(&self, a: &Set, b: &Set) -> Result<bool, Stop> {
        Ok(!self.intersects(a, &self.not(b)?)?)
    }

    /// Whether the sets have a valuation in common; makes no new nodes.
    pub fn intersects(&self, a: &Set, b: &Set) -> Result<bool, Stop> {
        let common = self.attempt(a, 0, |run, edge| self.everything.of_both(run, edge, b.0.as_edge(run.manager)))?;
        Ok(!self.is_none(&common))
    }

    /// A number for the next image; they must not come round, as the cache tells images apart by them.
    pub(crate) fn next_image(&self) -> u32 {
        let id = self.n_images.fetch_add(1, Ordering::Relaxed);
        assert!(id < u32::MAX, "fewer than four billion images are prepared");
        id
    }

    /// Counts a step of work beside the diagrams, and looks at the limits now and then.
    pub fn poll(&self) -> Result<(), Stop> {
        Ok(self.watch.counter().step()?)
    }

    /// How often an operation on these sets may split in two, for several threads: not at all unless it is large.
    ///
    /// Handing a part of the work to another thread costs some microseconds, as much as an operation on fifty nodes.
    pub(crate) fn splits(&self, sets: &[&Set]) -> u32 {
        if self.threads <= 1 {
            return 0;
        }
        let pays = self.nodes_in_use() > 20 * SPLIT_NODES && sets.iter().all(|set| self.has_nodes(set, SPLIT_NODES));
        if pays { (PARTS_PER_THREAD * self.threads).ilog2() } else { 0 }
    }

    /// Nodes in the store, garbage that was not collected yet included.
    pub fn nodes_in_use(&self) -> usize {
        self.manager.with_manager_shared(|m| m.approx_num_inner_nodes())
    }

    /// Runs an operation on a set, and once more after collecting garbage if nodes ran out.
    ///
    /// The package collects in the background when the store is nearly full, but does not wait for that: nodes may run
    /// out although most of them are garbage. One more round is needed if our collection found the other one running.
    pub(crate) fn attempt(
        &self,
        set: &Set,
        splits: u32,
        operation: impl for<'a, 'id> Fn(&Run<'a, 'id>, EdgeRef<'a, 'id>) -> Result<OwnEdge<'id>, Halt>,
    ) -> Result<Set, Stop> {
        for _ in 0..3 {
            let outcome = set.0.with_manager_shared(|manager, edge| {
                let run = Run::new(manager, &self.watch, splits);
                // What is known already takes no other step.
                run.step()?;
                Ok(Set(BCDDFunction::from_edge(manager, operation(&run, edge)?)))
            });
            match outcome {
                Ok(made) => return Ok(made),
                Err(Halt::Full) => self.collect_garbage()?,
                Err(halt) => return Err(halt.into()),
            }
        }
        Err(Halt::Full.into())
    }
}

/// Nodes that both operands must have for an operation to be split.
const SPLIT_NODES: usize = 2000;

/// Into so many parts for every thread an operation is split, so that none of them is left without work.
const PARTS_PER_THREAD: u32 = 4096;

/// The bits that are needed for the numbers below `size`.
pub(crate) fn width(size: u64) -> u32 {
    size.saturating_sub(1).checked_ilog2().map_or(0, |log| log + 1)
}
