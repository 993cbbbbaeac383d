//! Evidence that a target cannot be reached, in a form that needs no trust in whoever made it.
//!
//! Each kind has a file: what it is, its words, how it is written and read, and what is told of it. The list of kinds is here.

mod basis;
mod blocks;
mod components;
mod covered;
mod diagram;
mod enumeration;
mod ideals;
mod induction;
mod invariant;
mod markings;

use std::io::{self, BufRead, Write};
use std::sync::Arc;

use lapidary_base::Control;
use lapidary_ir::{Declarations, Tree};
use serde_json::Value;

use crate::certificate_file::Unread;
use crate::formula::Formula;

pub use basis::Basis;
pub use blocks::{Block, Blocks};
pub use components::{Components, Cover};
pub use covered::Covered;
pub use diagram::{Child, Diagram, DiagramNode};
pub use enumeration::{Enumeration, Field, Layout};
pub use ideals::Ideals;
pub use induction::Induction;

#[derive(Clone, Debug)]
pub enum Certificate {
    /// All reachable states, listed; shared by the properties that one search answered.
    Enumeration(Arc<Enumeration>),
    /// The same where states have elements of a lattice: each stands for those below, too.
    Covered(Arc<Covered>),
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

/// How each kind is read, by what files call it.
pub(crate) const FORMS: [(&str, Read); 9] = [
    ("enumeration", enumeration::read),
    ("invariant", invariant::read),
    ("diagram", diagram::read),
    ("components", components::read),
    ("covered", covered::read),
    ("blocks", blocks::read),
    ("kinduction", induction::read),
    ("basis", basis::read),
    ("ideals", ideals::read),
];

pub(crate) type Read = fn(&mut Source<'_>) -> Result<Certificate, Unread>;

/// A file whose header was read, and what it is about.
pub(crate) struct Source<'s> {
    pub model: &'s Declarations,
    pub tree: Option<&'s Tree>,
    /// The header.
    pub json: &'s Value,
    /// What follows it.
    pub input: &'s mut dyn BufRead,
    pub control: &'s Control,
}

/// What a certificate speaks of. `tree` is the hierarchy of which the model is the flattening, if there is one.
#[derive(Clone, Copy)]
pub struct About<'a> {
    pub model: &'a Declarations,
    pub tree: Option<&'a Tree>,
}

/// What a kind of certificate says of itself.
pub trait Kind {
    /// The word after `proof=`.
    fn word(&self) -> &'static str;

    /// What files call it. What follows the header depends on this, so it tells apart what [`Kind::word`] does not.
    fn form(&self) -> &'static str {
        self.word()
    }

    /// The keys of the header that only this kind has.
    fn describe(&self, about: About<'_>, header: &mut Value) -> io::Result<()>;

    /// What follows the header.
    fn write(&self, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    /// What JSON tells of it.
    fn summary(&self, model: &Declarations, value: &mut Value);

    /// Why no reachable state satisfies a goal that it excludes; `n_states` were counted, if any were.
    fn because(&self, n_states: Option<u64>) -> String;

    /// Whether it shows that nothing is reachable at all; `None` if it does not say.
    fn is_empty(&self) -> Option<bool>;

    /// Was it made from a flattening and by means that no hierarchy has?
    fn is_flat(&self) -> bool {
        false
    }
}

impl Certificate {
    /// What the kind says of itself.
    pub fn told(&self) -> &dyn Kind {
        match self {
            Self::Enumeration(states) => &**states,
            Self::Covered(covered) => &**covered,
            Self::Invariant(formula) => formula,
            Self::Diagram(set) => &**set,
            Self::Components(components) => &**components,
            Self::Blocks(blocks) => &**blocks,
            Self::Induction(induction) => induction,
            Self::Basis(basis) => &**basis,
            Self::Ideals(ideals) => &**ideals,
        }
    }

    /// The word after `proof=`.
    pub fn kind(&self) -> &'static str {
        self.told().word()
    }

    /// Do both rest on one and the same set? Sharing is enough to look for: a search that answers several properties
    /// shares what it found.
    pub fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Enumeration(a), Self::Enumeration(b)) => Arc::ptr_eq(a, b),
            (Self::Covered(a), Self::Covered(b)) => Arc::ptr_eq(a, b),
            (Self::Diagram(a), Self::Diagram(b)) => Arc::ptr_eq(a, b),
            (Self::Components(a), Self::Components(b)) => Arc::ptr_eq(a, b),
            (Self::Blocks(a), Self::Blocks(b)) => Arc::ptr_eq(a, b),
            (Self::Basis(a), Self::Basis(b)) => Arc::ptr_eq(a, b),
            (Self::Ideals(a), Self::Ideals(b)) => Arc::ptr_eq(a, b),
            (Self::Invariant(a), Self::Invariant(b)) => a == b,
            (Self::Induction(a), Self::Induction(b)) => a == b,
            (Self::Enumeration(_) | Self::Covered(_) | Self::Diagram(_) | Self::Components(_) | Self::Blocks(_), _) => {
                false
            }
            (Self::Invariant(_) | Self::Induction(_) | Self::Basis(_) | Self::Ideals(_), _) => false,
        }
    }
}
