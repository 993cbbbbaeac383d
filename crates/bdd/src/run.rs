//! One operation under way: a recursion over the package's nodes that looks at the limits every few thousand calls.
//!
//! The package's own operations cannot be stopped, and one of them may take hours. Ours share its nodes and its cache.

use std::cell::Cell;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{PoisonError, RwLock};

use lapidary_base::{Control, Stop, Whose};
use oxidd::bcdd::BCDDFunction;
use oxidd::util::OutOfMemory;
use oxidd::{BooleanFunction, Edge, HasLevel, HasWorkers, InnerNode, Manager, Node, WorkerPool};
use oxidd_core::LevelView;
use oxidd_core::util::{EdgeDropGuard, Own};
use oxidd_rules_bdd::complement_edge::EdgeTag;

use crate::walk::{EdgeRef, ManagerOf};

/// Why an operation ended without a result. Small, since every call returns it or an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Halt {
    /// There is no room for another node: the operation may succeed once garbage is collected.
    Full,
    Timeout,
    Memory(Whose),
    Interrupted,
}

impl From<OutOfMemory> for Halt {
    fn from(_: OutOfMemory) -> Self {
        Self::Full
    }
}

impl From<Halt> for Stop {
    fn from(halt: Halt) -> Self {
        match halt {
            Halt::Full => Self::Memory(Whose::Tables),
            Halt::Timeout => Self::Timeout,
            Halt::Memory(whose) => Self::Memory(whose),
            Halt::Interrupted => Self::Interrupted,
        }
    }
}

/// Calls between two looks at the limits: some hundred microseconds.
const CALLS: u32 = 4096;

/// What an operation counts for, however little it computes: many small ones are looked at, too.
const CALLS_PER_OPERATION: u32 = 8;

/// The limits of a space, and when they are looked at next.
pub(crate) struct Watch {
    control: RwLock<Control>,
    /// Calls until then, kept from one operation to the next. Threads that share a space may count wrongly, by little.
    left: AtomicU32,
    /// Calls of parts of operations that other threads may have done, not paid for yet.
    in_parts: AtomicU32,
}

impl Watch {
    pub fn new(control: &Control) -> Self {
        Self { control: RwLock::new(control.clone()), left: AtomicU32::new(CALLS), in_parts: AtomicU32::new(0) }
    }

    /// Other limits from now on.
    pub fn obey(&self, control: &Control) {
        *self.control.write().unwrap_or_else(PoisonError::into_inner) = control.clone();
    }

    pub fn look(&self) -> Result<(), Halt> {
        self.ask(Control::check)
    }

    /// The same for who only waits: nothing was done that counts.
    pub fn glance(&self) -> Result<(), Halt> {
        self.ask(Control::look)
    }

    /// The same before a part of the work is given to another thread: what such parts have done counts once it is enough.
    fn look_at_parts(&self) -> Result<(), Halt> {
        if self.in_parts.load(Ordering::Relaxed) < CALLS {
            return self.glance();
        }
        let work = u64::from(self.in_parts.swap(0, Ordering::Relaxed) / CALLS);
        self.ask(|control| control.spend(work))
    }

    fn ask(&self, question: impl Fn(&Control) -> Result<(), Stop>) -> Result<(), Halt> {
        let control = self.control.read().unwrap_or_else(PoisonError::into_inner);
        question(&control).map_err(|stop| match stop {
            Stop::Timeout => Halt::Timeout,
            Stop::Memory(whose) => Halt::Memory(whose),
            // A control gives no other reasons.
            Stop::Interrupted | Stop::Overflow(_) | Stop::Incomplete(_) | Stop::Budget(_) => Halt::Interrupted,
            Stop::NoAnswer(_) | Stop::Solver(_) => Halt::Interrupted,
        })
    }

    /// The counter of one thread for one operation or walk.
    pub fn counter(&self) -> Counter<'_> {
        let left = self.left.load(Ordering::Relaxed).saturating_sub(CALLS_PER_OPERATION);
        Counter { watch: self, left: Cell::new(left), keeps: Keeps::Rest }
    }
}

/// What becomes of a counter's rest.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Keeps {
    Rest,
    Nothing,
}

/// Counts calls on one thread.
pub(crate) struct Counter<'a> {
    watch: &'a Watch,
    left: Cell<u32>,
    keeps: Keeps,
}

impl Counter<'_> {
    /// To be called once for every node that is made or walked through.
    #[inline(always)]
    pub fn step(&self) -> Result<(), Halt> {
        match self.left.get() {
            0 => self.look(),
            left => {
                self.left.set(left - 1);
                Ok(())
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn look(&self) -> Result<(), Halt> {
        self.watch.look()?;
        self.left.set(CALLS);
        Ok(())
    }
}

impl Drop for Counter<'_> {
    fn drop(&mut self) {
        match self.keeps {
            Keeps::Rest => self.watch.left.store(self.left.get(), Ordering::Relaxed),
            Keeps::Nothing => {
                self.watch.in_parts.fetch_add(CALLS - self.left.get(), Ordering::Relaxed);
            }
        }
    }
}

/// An edge that counts as a reference to its node and must be given back.
pub(crate) type OwnEdge<'id> = Own<<ManagerOf<'id> as Manager>::Edge>;

/// An edge that is given back unless somebody takes it.
pub(crate) type Made<'a, 'id> = EdgeDropGuard<'a, ManagerOf<'id>>;

pub(crate) type NodeOf<'id> = <ManagerOf<'id> as Manager>::InnerNode;

/// An operation, or the part of it that one thread does.
pub(crate) struct Run<'a, 'id: 'a> {
    pub manager: &'a ManagerOf<'id>,
    counter: Counter<'a>,
    /// How often the two branches of a node may still be given to two threads.
    splits: u32,
}

impl<'a, 'id> Run<'a, 'id> {
    pub fn new(manager: &'a ManagerOf<'id>, watch: &'a Watch, splits: u32) -> Self {
        Self { manager, counter: watch.counter(), splits }
    }

    #[inline(always)]
    pub fn step(&self) -> Result<(), Halt> {
        self.counter.step()
    }

    pub fn splits(&self) -> bool {
        self.splits > 0
    }

    /// Both results, computed by two threads if they are free. Kept out of the recursions, which have small frames so.
    #[cold]
    #[inline(never)]
    pub fn fork(
        &self,
        one: impl FnOnce(&Run<'a, 'id>) -> Result<OwnEdge<'id>, Halt> + Send,
        zero: impl FnOnce(&Run<'a, 'id>) -> Result<OwnEdge<'id>, Halt> + Send,
    ) -> Result<(Made<'a, 'id>, Made<'a, 'id>), Halt> {
        let (manager, watch, splits) = (self.manager, self.counter.watch, self.splits - 1);
        // Branches may be too small to look for themselves.
        watch.look_at_parts()?;
        let part = move || {
            let counter = Counter { watch, left: Cell::new(CALLS), keeps: Keeps::Nothing };
            Run { manager, counter, splits }
        };
        let (one, zero) = manager.workers().join(
            move || one(&part()).map(|edge| EdgeDropGuard::new(manager, edge)),
            move || zero(&part()).map(|edge| EdgeDropGuard::new(manager, edge)),
        );
        Ok((one?, zero?))
    }

    #[inline(always)]
    pub fn hold(&self, edge: OwnEdge<'id>) -> Made<'a, 'id> {
        EdgeDropGuard::new(self.manager, edge)
    }

    #[inline(always)]
    pub fn copy(&self, edge: EdgeRef<'_, 'id>) -> OwnEdge<'id> {
        self.manager.clone_edge(edge)
    }

    pub fn none(&self) -> OwnEdge<'id> {
        BCDDFunction::f_edge(self.manager)
    }

    pub fn all(&self) -> OwnEdge<'id> {
        BCDDFunction::t_edge(self.manager)
    }

    /// One where the bit of the level is one, else the other; both are below that level.
    #[inline(always)]
    pub fn node(&self, level: u32, one: OwnEdge<'id>, zero: OwnEdge<'id>) -> Result<OwnEdge<'id>, Halt> {
        if one == zero {
            self.manager.drop_edge(zero);
            return Ok(one);
        }
        // The edge to the part where the bit is one is never complemented.
        let tag = one.tag();
        let (one, zero) = if tag == EdgeTag::None { (one, zero) } else { (turned(one), turned(zero)) };
        let made = self.manager.level(level).get_or_insert(InnerNode::new(level, [one, zero]))?;
        Ok(made.with_tag(tag))
    }

    #[inline(always)]
    pub fn inner<'e>(&self, edge: EdgeRef<'e, 'id>) -> Option<&'e NodeOf<'id>>
    where
        'a: 'e,
    {
        match self.manager.get_node(edge) {
            Node::Inner(node) => Some(node),
            Node::Terminal(_) => None,
        }
    }
}

/// The complement.
#[inline(always)]
pub(crate) fn turned<E: Edge<Tag = EdgeTag>>(edge: Own<E>) -> Own<E> {
    let tag = edge.tag();
    edge.with_tag(!tag)
}

/// The complement.
#[inline(always)]
pub(crate) fn not<'e, 'id>(edge: EdgeRef<'e, 'id>) -> EdgeRef<'e, 'id> {
    edge.with_tag(!edge.tag())
}

/// The parts where the bit of the level is one and where it is zero; the node is that of the edge and not above.
#[inline(always)]
pub(crate) fn halves<'e, 'id>(
    edge: EdgeRef<'e, 'id>,
    node: &'e NodeOf<'id>,
    level: u32,
) -> (EdgeRef<'e, 'id>, EdgeRef<'e, 'id>) {
    if node.level() != level {
        return (edge, edge);
    }
    let (one, zero) = (node.child(0), node.child(1));
    if edge.tag() == EdgeTag::None { (one, zero) } else { (not(one), not(zero)) }
}
