//! The space of a tree: where its variables and events stand, its configurations, and the system that composed pieces
//! make.

use std::collections::BTreeSet;

use lapidary_base::{Control, IdVec, Stop};
use lapidary_bdd::{Capacity, Column, Encoder, Set, Space};
use lapidary_ir::passes::{Definitions, definitions};
use lapidary_ir::tree::ROOT;
use lapidary_ir::{ComponentId, Expr, Family, FamilyId, Tree, VarId};

use super::piece::Piece;
use super::places::{Place, Places, Request};
use super::{Group, Origin, Symbolic, order};

/// How many copies of the columns are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Copies {
    /// Of every variable: at least two.
    pub variables: usize,
    /// Of every component's events; none, if transitions need no labels.
    pub events: usize,
}

/// The space of a tree and what is known before transitions are composed.
pub struct Frame<'a> {
    pub tree: &'a Tree,
    pub space: Space,
    pub places: Places,
    /// The copies of the column of each component's event; empty without labels.
    pub events: IdVec<ComponentId, Vec<Column>>,
    pub rest: Vec<Expr>,
}

impl<'a> Frame<'a> {
    pub fn new(tree: &'a Tree, copies: Copies, capacity: Capacity, control: &Control) -> Result<Self, Stop> {
        let found = subtree_definitions(tree, ROOT);
        let spots = order::of_tree(tree, &found.list, &found.rest, copies.events, control)?;
        let request = Request {
            vars: &tree.vars,
            enums: &tree.enums,
            exprs: &tree.exprs,
            definitions: found.list,
            order: &spots,
            copies: copies.variables,
            passing: &BTreeSet::new(),
        };
        let (space, places, others) = Places::new(request, capacity, control)?;
        let mut events: IdVec<ComponentId, Vec<Column>> = tree.components.iter().map(|_| Vec::new()).collect();
        for (id, columns) in order::event_order(tree, &spots).into_iter().zip(others) {
            events[id] = columns;
        }
        Ok(Self { tree, space, places, events, rest: found.rest })
    }

    pub fn encoder(&self) -> Encoder<'_> {
        self.places.encoder(&self.space, &self.tree.exprs, &NO_FAMILIES)
    }

    /// The configurations, in one copy.
    pub fn configurations(&self, copy: usize) -> Result<Set, Stop> {
        let mut encoder = self.encoder();
        let mut set = self.space.all();
        for var in self.places.essential() {
            let column = self.places.column(var, copy).expect("essential variables have columns");
            set = self.space.and(&set, &self.space.domain(column)?)?;
        }
        for &constraint in &self.rest {
            let constraint = self.places.in_copy(&self.tree.exprs, constraint, copy);
            set = self.space.and(&set, &encoder.holds(constraint)?)?;
        }
        Ok(set)
    }

    /// The initial configurations, in one copy.
    pub fn initial(&self, copy: usize) -> Result<Set, Stop> {
        let mut encoder = self.encoder();
        let mut set = self.configurations(copy)?;
        for &(var, value) in &self.tree.init {
            let equals = match &self.places.vars[var] {
                Place::Columns { copies, lo } => encoder.equals(value, copies[copy], *lo)?,
                Place::Defined { by, .. } => encoder.holds(self.tree.exprs.eq(by[copy], value))?,
            };
            set = self.space.and(&set, &equals)?;
        }
        Ok(set)
    }

    /// The same piece whatever the labels.
    pub fn unlabelled(&self, piece: &Piece) -> Result<Piece, Stop> {
        let labels: Vec<Column> = self.events.iter().filter_map(|copies| copies.first().copied()).collect();
        let relation = self.space.exists(&piece.relation, &self.space.cube(&labels)?)?;
        Ok(Piece { written: piece.written.clone(), relation })
    }

    /// The system of these groups, and of one that does nothing; none of them has labels.
    pub fn finish(self, pieces: Vec<Piece>, idle: Piece) -> Result<Symbolic, Stop> {
        let configurations = self.configurations(0)?;
        let initial = self.initial(0)?;
        let flows: Vec<VarId> = self.places.essential().filter(|&var| !self.tree.is_state(var)).collect();
        let Self { space, places, .. } = self;
        let mut groups = Vec::new();
        for piece in pieces.into_iter().filter(|piece| !space.is_none(&piece.relation)) {
            groups.push(Group::new(&space, &places, piece, &flows, Origin::Vectors)?);
        }
        let columns: Vec<Column> = flows.iter().filter_map(|&var| places.column(var, 0)).collect();
        let idle_moves = !columns.is_empty() || !idle.written.is_empty();
        groups.push(Group::new(&space, &places, idle, &flows, Origin::Idle)?);
        let flows = space.cube(&columns)?;
        Ok(Symbolic { configurations, initial, groups, flows, idle_moves, space, places })
    }
}

impl Group {
    /// `flows` are chosen anew with every step.
    pub fn new(space: &Space, places: &Places, piece: Piece, flows: &[VarId], origin: Origin) -> Result<Self, Stop> {
        let column = |var: VarId, copy: usize| places.column(var, copy);
        let written: Vec<VarId> = piece.written.into_iter().filter(|&var| column(var, 0).is_some()).collect();
        let current: Vec<Column> = written.iter().filter_map(|&var| column(var, 0)).collect();
        let next: Vec<Column> = written.iter().filter_map(|&var| column(var, 1)).collect();
        let mut forgotten = current.clone();
        forgotten
            .extend(flows.iter().filter(|var| written.binary_search(var).is_err()).filter_map(|&var| column(var, 0)));
        let pairs: Vec<(Column, Column)> = next.iter().copied().zip(current.iter().copied()).collect();
        let back: Vec<(Column, Column)> = pairs.iter().map(|&(next, current)| (current, next)).collect();
        Ok(Self {
            relation: piece.relation,
            written,
            origin,
            forget: space.cube(&forgotten)?,
            next: space.cube(&next)?,
            settle: space.renaming(&pairs),
            recall: space.renaming(&back),
        })
    }
}

/// Trees have no families.
pub(super) static NO_FAMILIES: IdVec<FamilyId, Family> = IdVec::new();

/// The flows of a subtree that its own assertions determine.
pub(super) fn subtree_definitions(tree: &Tree, id: ComponentId) -> Definitions {
    let vars: BTreeSet<VarId> = tree.subtree_vars(id).filter(|&var| !tree.is_state(var)).collect();
    let assertions: Vec<Expr> =
        tree.subtree(id).flat_map(|id| tree.components[id].assertions.iter().map(|assertion| assertion.expr)).collect();
    let bounds = |var: VarId| tree.vars[var].domain.bounds(&tree.enums);
    definitions(&tree.exprs, &|var| vars.contains(&var), &assertions, &bounds)
}
