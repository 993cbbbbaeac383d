//! The space of a tree: where its variables and events stand, its configurations, and the system that composed pieces
//! make.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use lapidary_base::{Control, IdVec, Stop};
use lapidary_bdd::{Capacity, Column, Encoder, Set, Space};
use lapidary_ir::passes::{Definitions, definitions};
use lapidary_ir::tree::ROOT;
use lapidary_ir::{ComponentId, Expr, Family, FamilyId, Tree, VarId};

use super::piece::Piece;
use super::places::{Places, Representation, Request};
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
    /// A vector with more choices of its optional parts is composed by their number.
    pub most_listed: u64,
    /// What the assertions of subtrees allow, of those that were asked for.
    solvable: RefCell<BTreeMap<ComponentId, Set>>,
}

/// The choices of a vector are groups of their own as long as there are few.
const FEW_CHOICES: u64 = 16;

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
        let solvable = RefCell::default();
        Ok(Self { tree, space, places, events, rest: found.rest, most_listed: FEW_CHOICES, solvable })
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
                Representation::Columns { copies, lo } => encoder.equals(value, copies[copy], *lo)?,
                Representation::Defined { by, .. } => encoder.holds(self.tree.exprs.eq(by[copy], value))?,
            };
            set = self.space.and(&set, &equals)?;
        }
        Ok(set)
    }

    /// The values of the subtree's states for which its own assertions have a solution in its flows.
    pub(super) fn solvable(&self, id: ComponentId) -> Result<Set, Stop> {
        if let Some(known) = self.solvable.borrow().get(&id) {
            return Ok(known.clone());
        }
        let Self { space, places, tree, .. } = self;
        let found = subtree_definitions(tree, id);
        let local: BTreeMap<VarId, Expr> = found.list.iter().copied().collect();
        let column = |var: VarId| match &places.vars[var] {
            Representation::Columns { copies, .. } => copies[0],
            Representation::Defined { column, .. } => *column,
        };
        let bind = |var: VarId| match local.get(&var) {
            Some(&expr) => lapidary_bdd::Binding::Defined(expr),
            None => lapidary_bdd::Binding::Column { column: column(var), lo: places.lo(var) },
        };
        let family = |_| unreachable!("trees have no families");
        let mut encoder = Encoder::new(space, &tree.exprs, family, bind);
        let mut set = space.all();
        let flows = tree.subtree_vars(id).filter(|var| !tree.is_state(*var) && !local.contains_key(var));
        let flows: Vec<Column> = flows.map(column).collect();
        for &flow in &flows {
            set = space.and(&set, &space.domain(flow)?)?;
        }
        for &constraint in &found.rest {
            set = space.and(&set, &encoder.holds(constraint)?)?;
        }
        let set = space.exists(&set, &space.cube(&flows)?)?;
        self.solvable.borrow_mut().insert(id, set.clone());
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
