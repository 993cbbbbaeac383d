//! Systems as decision diagrams: sets of configurations, and a transition relation in groups.
//!
//! A variable that the invariant determines (`f = e`) has no place of its own in a set: it is read through its
//! definition. A group's relation speaks only of the variables that it writes; all others keep their values, except
//! the flows, which are chosen anew within the invariant.

mod choices;
mod compose;
mod composed;
pub mod flat_events;
pub mod flows;
mod frame;
mod labels;
mod model;
mod order;
mod own;
mod piece;
mod places;
mod sets;
mod straight;

use lapidary_base::{Control, IdVec, Stop};
use lapidary_bdd::{Column, Cube, Renaming, Set, Space};
use lapidary_ir::{CommandId, Exprs, Family, FamilyId, VarId};
use lapidary_verdict::State;

pub use compose::compose;
pub use frame::{Copies, Frame};
pub use labels::{Labelled, labelled};
pub use model::{Unfit, accepts, model};
pub use own::{Guarded, Own};
pub use piece::{Piece, union};
pub use places::{Places, Representation};
pub use sets::Transitions;

/// What a group stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Only waits: a configuration with no other transition is a deadlock.
    Idle,
    Command(CommandId),
    /// A choice of a synchronisation vector of the root, or all with as many optional parts, with all that may happen
    /// below at the same time.
    Vectors,
}

/// A group of transitions that write the same variables.
#[derive(Clone)]
pub struct Group {
    /// Over the current columns and the next columns of what is written.
    pub relation: Set,
    pub written: Vec<VarId>,
    pub origin: Origin,
    /// The current columns of what is written, and of the flows.
    forget: Cube,
    next: Cube,
    settle: Renaming,
    recall: Renaming,
}

pub struct Symbolic {
    pub space: Space,
    pub places: Places,
    /// All configurations: within the domains, satisfying the invariant. Every set of configurations lies within.
    pub configurations: Set,
    pub initial: Set,
    pub groups: Vec<Group>,
    flows: Cube,
    /// Whether waiting may lead elsewhere, because some flows may choose.
    pub idle_moves: bool,
}

impl Group {
    /// The configurations that one transition leads to.
    pub fn post(&self, space: &Space, configurations: &Set, set: &Set) -> Result<Set, Stop> {
        let moved = space.and_exists(set, &self.relation, &self.forget)?;
        let settled = space.rename(&moved, &self.settle)?;
        space.and(&settled, configurations)
    }

    /// The configurations from which one transition leads into the set; `flows` are those that were chosen anew.
    pub fn pre(&self, space: &Space, configurations: &Set, flows: &Cube, set: &Set) -> Result<Set, Stop> {
        let states = space.exists(set, flows)?;
        let ahead = space.rename(&states, &self.recall)?;
        let sources = space.and_exists(&ahead, &self.relation, &self.next)?;
        space.and(&sources, configurations)
    }
}

impl Symbolic {
    /// The configurations that one transition of the group leads to.
    pub fn post(&self, group: &Group, set: &Set) -> Result<Set, Stop> {
        group.post(&self.space, &self.configurations, set)
    }

    /// The configurations from which one transition of the group leads into the set.
    pub fn pre(&self, group: &Group, set: &Set) -> Result<Set, Stop> {
        group.pre(&self.space, &self.configurations, &self.flows, set)
    }

    /// The configurations without a step that does more than wait.
    pub fn deadlocks(&self, control: &Control) -> Result<Set, Stop> {
        let mut stuck = self.configurations.clone();
        for group in self.groups.iter().filter(|group| group.origin != Origin::Idle) {
            control.check()?;
            let able = self.pre(group, &self.configurations)?;
            stuck = self.space.minus(&stuck, &able)?;
        }
        Ok(stuck)
    }

    /// The columns of a configuration, in the order of the variables.
    pub fn columns(&self) -> Vec<Column> {
        self.places.columns(0)
    }

    /// One configuration of a set, the same one every time.
    pub fn pick(&self, exprs: &Exprs, families: Families<'_>, set: &Set) -> Result<Option<State>, Stop> {
        let Some(values) = self.space.pick(set, &self.columns())? else { return Ok(None) };
        Ok(Some(self.places.restore(exprs, families, &values)))
    }

    /// The set of just this configuration.
    pub fn single(&self, state: &State) -> Result<Set, Stop> {
        let mut set = self.space.all();
        for (column, value) in self.places.values_of(state) {
            set = self.space.and(&set, &self.space.value(column, value)?)?;
        }
        Ok(set)
    }
}

/// The families of a model, for expressions that index.
pub type Families<'a> = &'a IdVec<FamilyId, Family>;
