//! Decision diagrams as a [`SetSystem`].

use lapidary_base::{Shared, Stop};
use lapidary_bdd::Set;

use super::{Group, Origin, Symbolic};
use crate::sets::{SetAlgebra, SetSystem};

/// A system and how its transitions are taken.
pub struct Transitions<'a> {
    pub system: Shared<'a, Symbolic>,
    /// Groups that write the same variables are one here, so that an image takes fewer products.
    moving: Vec<Group>,
    /// What images are cut down to: the configurations. With super transitions everything: images are only ever compared
    /// with sets of configurations, so nothing changes but the cost.
    within: Set,
}

impl<'a> Transitions<'a> {
    pub fn new(system: impl Into<Shared<'a, Symbolic>>, is_super: bool) -> Result<Self, Stop> {
        let system = system.into();
        let mut moving: Vec<Group> = Vec::new();
        // Waiting leads elsewhere only where flows may choose.
        let moves = |group: &&Group| group.origin != Origin::Idle || system.idle_moves;
        for group in system.groups.iter().filter(moves) {
            let same = moving.iter_mut().find(|other| other.written == group.written);
            match same {
                Some(other) => {
                    let union = system.space.or(&other.relation, &group.relation)?;
                    match system.space.node_count(&union)? <= MOST_NODES {
                        true => other.relation = union,
                        false => moving.push(group.clone()),
                    }
                }
                None => moving.push(group.clone()),
            }
        }
        let within = if is_super { system.space.all() } else { system.configurations.clone() };
        Ok(Self { system, moving, within })
    }
}

/// Relations are not joined beyond this size.
const MOST_NODES: usize = 10_000;

impl SetAlgebra for Transitions<'_> {
    type Set = Set;

    fn none(&self) -> Set {
        self.system.space.none()
    }

    fn and(&self, a: &Set, b: &Set) -> Result<Set, Stop> {
        self.system.space.and(a, b)
    }

    fn or(&self, a: &Set, b: &Set) -> Result<Set, Stop> {
        self.system.space.or(a, b)
    }

    fn minus(&self, a: &Set, b: &Set) -> Result<Set, Stop> {
        self.system.space.minus(a, b)
    }

    fn is_none(&self, set: &Set) -> bool {
        self.system.space.is_none(set)
    }

    fn intersects(&self, a: &Set, b: &Set) -> Result<bool, Stop> {
        self.system.space.intersects(a, b)
    }

    fn is_subset(&self, a: &Set, b: &Set) -> Result<bool, Stop> {
        self.system.space.is_subset(a, b)
    }

    fn one(&self, set: &Set) -> Result<Option<Set>, Stop> {
        let columns = self.system.columns();
        let Some(values) = self.system.space.pick(set, &columns)? else { return Ok(None) };
        let mut one = self.system.space.all();
        for (&column, &value) in columns.iter().zip(&values) {
            one = self.system.space.and(&one, &self.system.space.value(column, value)?)?;
        }
        Ok(Some(one))
    }
}

impl SetSystem for Transitions<'_> {
    fn all(&self) -> Set {
        self.system.configurations.clone()
    }

    fn initial(&self) -> Set {
        self.system.initial.clone()
    }

    fn n_actions(&self) -> usize {
        self.moving.len()
    }

    fn post(&self, action: usize, set: &Set) -> Result<Set, Stop> {
        self.moving[action].post(&self.system.space, &self.within, set)
    }

    fn pre(&self, action: usize, set: &Set) -> Result<Set, Stop> {
        self.moving[action].pre(&self.system.space, &self.within, &self.system.flows, set)
    }
}
