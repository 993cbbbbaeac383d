//! Sets of bit vectors: the decision diagram package behind the few operations that the check needs.

use std::cell::Cell;

use lapidary_base::{Control, Stop, Whose, memory, threads};
use oxidd::bcdd::{self, BCDDFunction};
use oxidd::util::OptBool;
use oxidd::{BooleanFunction, Function, Manager, ManagerRef, VarNo};

use super::operate::{Edge, Halt, Owned, Pairwise, Work, complement, inverted};
use crate::Rejection;

pub type Set = BCDDFunction;

/// What the diagram package asks for, as address space.
const WORKER_STACK: usize = 1 << 30;

/// What a node costs with its place in the unique table and its share of the operation cache.
const BYTES_PER_NODE: u64 = 32;

/// A larger cache takes longer to set up than one who is to stop may wait.
const MOST_ENTRIES: usize = 1 << 24;

/// All sets of one check. Every operation looks at the limits, also within, and fails when the nodes run out.
pub struct Space<'a> {
    control: &'a Control,
    n_substitutions: Cell<u32>,
    pub none: Set,
    pub all: Set,
}

impl<'a> Space<'a> {
    /// Room for so many nodes, if the memory that is left allows it.
    pub fn new(n_bits: VarNo, n_nodes: usize, control: &'a Control) -> Result<Self, Rejection> {
        let bytes = n_nodes as u64 * BYTES_PER_NODE;
        control.reserve(bytes)?;
        if memory::available().is_some_and(|available| available < bytes) {
            return Err(Rejection::Stopped(Stop::Memory(Whose::System)));
        }
        // The package panics where its worker, with the stack that it always gives it, and its collector cannot start.
        threads::can_start(1, WORKER_STACK).and_then(|()| threads::can_start(1, 0))?;
        let manager = bcdd::new_manager(n_nodes, n_nodes.min(MOST_ENTRIES), 1);
        let (none, all) = manager.with_manager_exclusive(|manager| {
            manager.add_vars(n_bits);
            (Set::f(manager), Set::t(manager))
        });
        Ok(Self { control, n_substitutions: Cell::new(0), none, all })
    }

    /// The same sets under other limits.
    #[cfg(test)]
    pub fn under<'b>(&self, control: &'b Control) -> Space<'b> {
        let (none, all) = (self.none.clone(), self.all.clone());
        Space { control, n_substitutions: self.n_substitutions.clone(), none, all }
    }

    /// Runs an operation on a set.
    fn run(
        &self,
        a: &Set,
        operation: impl for<'w, 'id> FnOnce(&Work<'w, 'id>, Edge<'w, 'id>) -> Result<Owned<'id>, Halt>,
    ) -> Result<Set, Rejection> {
        self.control.check()?;
        a.with_manager_shared(|nodes, edge| {
            let work = Work::new(nodes, self.control);
            match operation(&work, edge) {
                Ok(made) => Ok(Set::from_edge(nodes, made)),
                Err(Halt::Full) => Err(Rejection::Stopped(Stop::Memory(Whose::Tables))),
                Err(Halt::Stopped) => Err(Rejection::Stopped(work.stop())),
            }
        })
    }

    pub fn bit(&self, number: VarNo) -> Result<Set, Rejection> {
        self.run(&self.all, |work, _| Ok(Set::var_edge(work.nodes, number)?))
    }

    pub fn not(&self, a: &Set) -> Result<Set, Rejection> {
        self.run(a, |work, a| Ok(inverted(work.nodes.clone_edge(a))))
    }

    pub fn and(&self, a: &Set, b: &Set) -> Result<Set, Rejection> {
        self.run(a, |work, a| work.pairwise(Pairwise::Both, a, b.as_edge(work.nodes)))
    }

    pub fn or(&self, a: &Set, b: &Set) -> Result<Set, Rejection> {
        self.run(a, |work, a| work.either(a, b.as_edge(work.nodes)))
    }

    pub fn xor(&self, a: &Set, b: &Set) -> Result<Set, Rejection> {
        self.run(a, |work, a| work.pairwise(Pairwise::OneOfThem, a, b.as_edge(work.nodes)))
    }

    /// What is in `a` but not in `b`.
    pub fn without(&self, a: &Set, b: &Set) -> Result<Set, Rejection> {
        self.run(a, |work, a| work.pairwise(Pairwise::Both, a, complement(b.as_edge(work.nodes))))
    }

    pub fn ite(&self, condition: &Set, then: &Set, otherwise: &Set) -> Result<Set, Rejection> {
        self.run(condition, |work, condition| {
            work.choose(condition, then.as_edge(work.nodes), otherwise.as_edge(work.nodes))
        })
    }

    /// Exists a value of the bits such that both are true?
    pub fn and_exists(&self, a: &Set, b: &Set, bits: &[VarNo]) -> Result<Set, Rejection> {
        self.and_exists_in(a, b, &self.cube(bits)?)
    }

    /// [`and_exists`](Self::and_exists) with the bits as [`cube`](Self::cube) gives them.
    pub fn and_exists_in(&self, a: &Set, b: &Set, cube: &Set) -> Result<Set, Rejection> {
        self.run(a, |work, a| work.meet(a, b.as_edge(work.nodes), cube.as_edge(work.nodes)))
    }

    /// Where all these bits are set.
    pub fn cube(&self, bits: &[VarNo]) -> Result<Set, Rejection> {
        let mut bits = bits.to_vec();
        // From the lowest level up, so that every step adds one node on top.
        bits.sort_unstable_by(|a, b| b.cmp(a));
        bits.into_iter().try_fold(self.all.clone(), |cube, bit| self.and(&self.bit(bit)?, &cube))
    }

    /// All bits at once; `bits` has no bit twice.
    pub fn substitute(&self, a: &Set, bits: &[VarNo], by: &[Set]) -> Result<Set, Rejection> {
        let Some(&last) = bits.iter().max() else { return Ok(a.clone()) };
        let mut instead = (0..=last).map(|bit| self.bit(bit)).collect::<Result<Vec<Set>, _>>()?;
        for (&bit, by) in bits.iter().zip(by) {
            instead[bit as usize] = by.clone();
        }
        let number = self.n_substitutions.get();
        self.n_substitutions.set(number.checked_add(1).expect("fewer than four billion substitutions are made"));
        self.run(a, |work, a| {
            let by: Vec<Edge<'_, '_>> = instead.iter().map(|set| set.as_edge(work.nodes)).collect();
            work.replace(a, &by, number)
        })
    }

    pub fn is_none(&self, a: &Set) -> bool {
        *a == self.none
    }

    /// The bits of some member, if there is one.
    pub fn pick(&self, a: &Set) -> Option<Vec<bool>> {
        let cube = a.pick_cube(|_, _, _| false)?;
        Some(cube.into_iter().map(|bit| bit == OptBool::True).collect())
    }
}

/// Makes spaces of rising sizes until the attempt does not run out of nodes: setting up a large space takes longer than
/// most checks. A cache as large as the store of nodes keeps an attempt that is doomed from taking long. The largest fits
/// into no memory, so that it is the memory's limits that end the attempts.
pub fn attempts(
    n_bits: VarNo,
    control: &Control,
    attempt: impl Fn(&Space<'_>) -> Result<(), Rejection>,
) -> Result<(), Rejection> {
    let mut outcome = Ok(());
    for log in [14, 18, 21, 24, 27, 30] {
        outcome = Space::new(n_bits, 1 << log, control).and_then(|space| attempt(&space));
        if outcome != Err(Rejection::Stopped(Stop::Memory(Whose::Tables))) {
            break;
        }
    }
    outcome
}
