//! Evidence that a target cannot be reached, in a form that needs no trust in whoever made it.

use std::sync::Arc;

use lapidary_base::IdVec;
use lapidary_ir::model::Raw;
use lapidary_ir::{PlaceId, Sparse, Tokens, VarId};

use crate::components::Components;
use crate::diagram::Diagram;
use crate::formula::Formula;

#[derive(Clone, Debug)]
pub enum Certificate {
    /// All reachable states, listed; shared by the properties that one search answered.
    Enumeration(Arc<Enumeration>),
    /// An expression that holds initially, is kept by every step and excludes the target.
    Invariant(Formula),
    /// The same as a set: it contains the initial states, no step leaves it, and it misses the target.
    Diagram(Arc<Diagram>),
    /// Covers of the components of a hierarchy, and the combinations of their blocks that can be reached.
    Components(Arc<Components>),
    /// The stored blocks of a search with abstract matching.
    Blocks(Arc<Blocks>),
    /// A formula that excludes the target and that no run can leave after keeping it for `k` states.
    Induction(Induction),
    /// Of a net: minimal markings of a backward search, and inequalities for what it passed over.
    Basis(Arc<Basis>),
    /// Of a net: the markings that may be reached, by their greatest elements.
    Ideals(Arc<Ideals>),
}

impl Certificate {
    /// Do both rest on one and the same set? Sharing is enough to look for: a search that answers several properties
    /// shares what it found.
    pub fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Enumeration(a), Self::Enumeration(b)) => Arc::ptr_eq(a, b),
            (Self::Diagram(a), Self::Diagram(b)) => Arc::ptr_eq(a, b),
            (Self::Components(a), Self::Components(b)) => Arc::ptr_eq(a, b),
            (Self::Blocks(a), Self::Blocks(b)) => Arc::ptr_eq(a, b),
            (Self::Basis(a), Self::Basis(b)) => Arc::ptr_eq(a, b),
            (Self::Ideals(a), Self::Ideals(b)) => Arc::ptr_eq(a, b),
            (Self::Invariant(a), Self::Invariant(b)) => a == b,
            (Self::Induction(a), Self::Induction(b)) => a == b,
            (Self::Enumeration(_) | Self::Diagram(_) | Self::Components(_) | Self::Blocks(_), _) => false,
            (Self::Invariant(_) | Self::Induction(_) | Self::Basis(_) | Self::Ideals(_), _) => false,
        }
    }

    /// The word after `proof=`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Enumeration(_) => "enumeration",
            Self::Invariant(_) | Self::Diagram(_) | Self::Ideals(_) => "invariant",
            Self::Basis(_) => "basis",
            Self::Components(_) => "components",
            Self::Blocks(_) => "blocks",
            Self::Induction(_) => "kinduction",
        }
    }
}

/// Sets of states by values of some variables and truth values of predicates: together they contain the initial
/// states, no step leaves them, and none meets the target.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Blocks {
    /// The variables that every block gives a value, in this order.
    pub control: Vec<VarId>,
    /// Over the model's variables; they have a value in every state.
    pub predicates: Vec<Formula>,
    pub blocks: Vec<Block>,
}

/// The states with these values of the control variables in which these predicates have these values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Block {
    pub control: Vec<Raw>,
    /// Numbers of predicates, ascending; predicates that are not here may have any value.
    pub literals: Vec<(u32, bool)>,
}

/// Every run keeps the formula for its first `k` states, and a run that has kept it for `k` states keeps it in the next.
/// If `is_simple`, the second part is claimed only of runs in which these states and the next are all different.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Induction {
    /// At least 1.
    pub k: u32,
    pub formula: Formula,
    pub is_simple: bool,
}

/// Where a variable's number stands in a packed state: `(word >> shift) & mask(bits)`, plus `lo`.
/// No field crosses a word; a field of 64 bits fills its word and is the number itself, as two's complement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    pub word: u32,
    pub shift: u32,
    /// 0 for a variable with one value only.
    pub bits: u32,
    /// The number that the bits 0...0 stand for; 0 for 64-bit fields.
    pub lo: i64,
}

/// How states are packed into words. Bits that no field covers are zero.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    pub fields: IdVec<VarId, Field>,
    /// At least one, so that states are never empty.
    pub words: usize,
}

/// A set of packed states, each there once, in chunks that each hold a whole number of states.
#[derive(Clone, Debug, Default)]
pub struct Enumeration {
    pub layout: Layout,
    pub chunks: Vec<Vec<u64>>,
    pub n_states: usize,
}

/// A set of markings of a net: those that are not above any of the minimal markings and within all inequalities
/// `y . m <= y . m0`, where the right side is the greatest that an initial marking has. It contains the initial
/// markings, no transition leaves it, and it misses the target. The inequalities are kept by every transition on their own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Basis {
    pub minimal: Vec<Sparse>,
    /// Weights of places; none where initial markings are unbounded.
    pub inequalities: Vec<Sparse>,
}

/// A downward-closed set of markings of a net: those below any of the ideals. It contains the initial markings, no
/// transition leaves it, and it misses the target.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ideals {
    /// The most tokens that places may have, ascending by place; `None` is any number. Places that are not there are empty.
    pub ideals: Vec<Vec<(PlaceId, Option<Tokens>)>>,
}
