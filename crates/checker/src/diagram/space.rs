//! Sets of bit vectors: the decision diagram package behind the few operations that the check needs.

use lapidary_base::{Control, Stop, Whose, memory, threads};
use oxidd::bcdd::{self, BCDDFunction, BCDDManagerRef};
use oxidd::util::{AllocResult, OptBool};
use oxidd::{BooleanFunction, BooleanFunctionQuant, BooleanOperator, FunctionSubst, Manager, ManagerRef, Subst, VarNo};

use crate::Rejection;

pub type Set = BCDDFunction;

/// What a node costs with its place in the unique table and its share of the operation cache.
/// What the diagram package asks for, as address space.
const WORKER_STACK: usize = 1 << 30;
const BYTES_PER_NODE: u64 = 32;

/// All sets of one check. Every operation looks at the limits first and fails when the nodes run out.
pub struct Space<'a> {
    manager: BCDDManagerRef,
    control: &'a Control,
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
        let manager = bcdd::new_manager(n_nodes, n_nodes, 1);
        let (none, all) = manager.with_manager_exclusive(|manager| {
            manager.add_vars(n_bits);
            (Set::f(manager), Set::t(manager))
        });
        Ok(Self { manager, control, none, all })
    }

    fn run(&self, operation: impl FnOnce() -> AllocResult<Set>) -> Result<Set, Rejection> {
        self.control.check()?;
        operation().map_err(|_| Rejection::Stopped(Stop::Memory(Whose::Tables)))
    }

    pub fn bit(&self, number: VarNo) -> Result<Set, Rejection> {
        self.run(|| self.manager.with_manager_shared(|manager| Set::var(manager, number)))
    }

    pub fn not(&self, a: &Set) -> Result<Set, Rejection> {
        self.run(|| a.not())
    }

    pub fn and(&self, a: &Set, b: &Set) -> Result<Set, Rejection> {
        self.run(|| a.and(b))
    }

    pub fn or(&self, a: &Set, b: &Set) -> Result<Set, Rejection> {
        self.run(|| a.or(b))
    }

    pub fn xor(&self, a: &Set, b: &Set) -> Result<Set, Rejection> {
        self.run(|| a.xor(b))
    }

    /// What is in `a` but not in `b`.
    pub fn without(&self, a: &Set, b: &Set) -> Result<Set, Rejection> {
        self.run(|| b.imp_strict(a))
    }

    pub fn ite(&self, condition: &Set, then: &Set, otherwise: &Set) -> Result<Set, Rejection> {
        self.run(|| condition.ite(then, otherwise))
    }

    /// Exists a value of the bits such that both are true?
    pub fn and_exists(&self, a: &Set, b: &Set, bits: &[VarNo]) -> Result<Set, Rejection> {
        self.and_exists_in(a, b, &self.cube(bits)?)
    }

    /// [`and_exists`](Self::and_exists) with the bits as [`cube`](Self::cube) gives them.
    pub fn and_exists_in(&self, a: &Set, b: &Set, cube: &Set) -> Result<Set, Rejection> {
        self.run(|| a.apply_exists(BooleanOperator::And, b, cube))
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
        if bits.is_empty() {
            return Ok(a.clone());
        }
        self.run(|| a.substitute(&Subst::new(bits, by)))
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
/// most checks. A cache as large as the store of nodes keeps an attempt that is doomed from taking long.
pub fn attempts(
    n_bits: VarNo,
    control: &Control,
    attempt: impl Fn(&Space<'_>) -> Result<(), Rejection>,
) -> Result<(), Rejection> {
    let mut outcome = Ok(());
    for log in [14, 18, 21, 24] {
        outcome = Space::new(n_bits, 1 << log, control).and_then(|space| attempt(&space));
        if outcome != Err(Rejection::Stopped(Stop::Memory(Whose::Tables))) {
            break;
        }
    }
    outcome
}
