//! Semantic composition on diagrams (Chucri 2012, section 2.2.2): bottom-up, priorities per component, and
//! synchronisation vectors never multiplied out.
//!
//! For every component and every event under which its parent knows it there is one piece of relation. Epsilon's piece
//! holds only the transitions in which something below happens; doing nothing at all is kept apart.

use std::collections::{BTreeMap, BTreeSet};

use lapidary_base::{Control, IdVec, Stop};
use lapidary_bdd::{Capacity, Column, Encoder, Set, Space};
use lapidary_ir::passes::{Definitions, definitions};
use lapidary_ir::tree::{Choice, EPSILON, ROOT, Transition};
use lapidary_ir::{ComponentId, EventId, EventRef, Expr, Family, FamilyId, Tree, VarId};

use super::piece::{Piece, union};
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

/// The tree's transitions without their labels, for searches.
pub fn compose(tree: &Tree, capacity: Capacity, control: &Control) -> Result<Symbolic, Stop> {
    let frame = Frame::new(tree, Copies { variables: 2, events: 0 }, capacity)?;
    let pieces = frame.pieces(control)?;
    frame.finish(pieces)
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
    pub fn new(tree: &'a Tree, copies: Copies, capacity: Capacity) -> Result<Self, Stop> {
        let found = subtree_definitions(tree, ROOT);
        let spots = order::of_tree(tree, &found.list, &found.rest, copies.events);
        let request = Request {
            vars: &tree.vars,
            enums: &tree.enums,
            exprs: &tree.exprs,
            definitions: found.list,
            order: &spots,
            copies: copies.variables,
        };
        let (space, places, others) = Places::new(request, capacity)?;
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

    /// The groups of the root: one per choice of a vector, none of them idle.
    pub fn pieces(&self, control: &Control) -> Result<Vec<Piece>, Stop> {
        let mut composer = Composer { frame: self, encoder: self.encoder(), done: BTreeMap::new() };
        let mut pieces = Vec::new();
        let ids: Vec<ComponentId> = self.tree.components.ids().collect();
        for &id in ids.iter().rev() {
            control.check()?;
            let items = composer.items(id)?;
            if id == ROOT {
                pieces = items.into_iter().map(|item| item.piece).collect();
            } else {
                let merged = composer.merged(items)?;
                composer.done.insert(id, merged);
            }
        }
        Ok(pieces)
    }

    /// Doing nothing anywhere.
    pub fn idle(&self) -> Result<Piece, Stop> {
        Composer { frame: self, encoder: self.encoder(), done: BTreeMap::new() }.idle(ROOT)
    }

    pub(super) fn finish(self, pieces: Vec<Piece>) -> Result<Symbolic, Stop> {
        let configurations = self.configurations(0)?;
        let initial = self.initial(0)?;
        let flows: Vec<VarId> = self.places.essential().filter(|&var| !self.tree.is_state(var)).collect();
        let Self { space, places, .. } = self;
        let mut groups = Vec::new();
        for piece in pieces.into_iter().filter(|piece| !space.is_none(&piece.relation)) {
            groups.push(Group::new(&space, &places, piece, &flows, Origin::Vectors)?);
        }
        groups.push(Group::new(&space, &places, Piece::idle(&space), &flows, Origin::Idle)?);
        let columns: Vec<Column> = flows.iter().filter_map(|&var| places.column(var, 0)).collect();
        let flows = space.cube(&columns)?;
        let idle_moves = !columns.is_empty();
        Ok(Symbolic { configurations, initial, groups, flows, idle_moves, space, places })
    }
}

impl Group {
    pub(super) fn new(
        space: &Space,
        places: &Places,
        piece: Piece,
        flows: &[VarId],
        origin: Origin,
    ) -> Result<Self, Stop> {
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
fn subtree_definitions(tree: &Tree, id: ComponentId) -> Definitions {
    let vars: BTreeSet<VarId> = tree.subtree_vars(id).filter(|&var| !tree.is_state(var)).collect();
    let assertions: Vec<Expr> =
        tree.subtree(id).flat_map(|id| tree.components[id].assertions.iter().map(|assertion| assertion.expr)).collect();
    let bounds = |var: VarId| tree.vars[var].domain.bounds(&tree.enums);
    definitions(&tree.exprs, &|var| vars.contains(&var), &assertions, &bounds)
}

/// One choice of a vector of a component, as a relation.
struct Item {
    top: EventRef,
    vector: usize,
    rank: usize,
    piece: Piece,
}

struct Composer<'a> {
    frame: &'a Frame<'a>,
    encoder: Encoder<'a>,
    /// The pieces of the components whose parents are not composed yet, by the event their parent knows.
    done: BTreeMap<ComponentId, BTreeMap<EventRef, Piece>>,
}

impl Composer<'_> {
    /// The choices of all vectors of a component, with its priorities applied.
    fn items(&mut self, id: ComponentId) -> Result<Vec<Item>, Stop> {
        let tree = self.frame.tree;
        let component = &tree.components[id];
        let subs: Vec<(ComponentId, BTreeMap<EventRef, Piece>)> = component
            .subs
            .iter()
            .map(|&sub| (sub, self.done.remove(&sub).expect("subcomponents are composed before their parent")))
            .collect();
        let mut quiet = Vec::new();
        for (sub, pieces) in &subs {
            quiet.push(self.quiet(*sub, pieces)?);
        }
        let mut own: BTreeMap<EventId, Option<Piece>> = BTreeMap::new();
        for event in component.events.ids().filter(|&event| event != EPSILON) {
            own.insert(event, self.own(id, event)?);
        }
        let mut items = Vec::new();
        for (vector, declared) in component.vectors.iter().enumerate() {
            for choice in declared.choices() {
                // The choice of nothing is the vector without parts, which comes last.
                if choice.events.is_empty() {
                    continue;
                }
                let Some(piece) = self.choice(id, &choice, &own, &subs, &quiet)? else { continue };
                items.push(Item { top: declared.top(id, &choice), vector, rank: choice.rank, piece });
            }
        }
        let items = self.prioritised(id, items)?;
        self.with_hidden(id, items, &subs, &quiet)
    }

    /// The transitions of one event of the component itself.
    fn own(&mut self, id: ComponentId, event: EventId) -> Result<Option<Piece>, Stop> {
        let tree = self.frame.tree;
        let mut pieces = Vec::new();
        for transition in tree.components[id].transitions.iter().filter(|transition| transition.event == event) {
            pieces.push(self.transition(transition)?);
        }
        let (space, places) = (&self.frame.space, &self.frame.places);
        let Some(mut piece) = union(pieces, space, places)? else { return Ok(None) };
        piece.relation = self.labelled(piece.relation, id, event)?;
        Ok(Some(piece))
    }

    fn transition(&mut self, transition: &Transition) -> Result<Piece, Stop> {
        let (space, places) = (&self.frame.space, &self.frame.places);
        let mut relation = self.encoder.holds(transition.guard)?;
        let mut written = Vec::new();
        for &(var, value) in &transition.updates {
            let next = places.column(var, 1).expect("state variables have columns");
            relation = space.and(&relation, &self.encoder.equals(value, next, places.lo(var))?)?;
            written.push(var);
        }
        written.sort_unstable();
        Ok(Piece { written, relation })
    }

    fn labelled(&self, relation: Set, id: ComponentId, event: EventId) -> Result<Set, Stop> {
        match self.frame.events[id].first() {
            Some(&column) => {
                let value = self.frame.space.value(column, u64::from(event.0))?;
                self.frame.space.and(&relation, &value)
            }
            None => Ok(relation),
        }
    }

    /// Doing nothing in a whole subtree.
    fn idle(&self, id: ComponentId) -> Result<Piece, Stop> {
        let mut piece = Piece::idle(&self.frame.space);
        for id in self.frame.tree.subtree(id) {
            piece.relation = self.labelled(piece.relation, id, EPSILON)?;
        }
        Ok(piece)
    }

    /// What a subcomponent does when its parent asks nothing of it: nothing, or what it hides.
    fn quiet(&self, sub: ComponentId, pieces: &BTreeMap<EventRef, Piece>) -> Result<Piece, Stop> {
        let idle = self.idle(sub)?;
        match pieces.get(&EventRef { component: sub, event: EPSILON }) {
            Some(hidden) => idle.or(hidden, &self.frame.space, &self.frame.places),
            None => Ok(idle),
        }
    }

    fn choice(
        &self,
        id: ComponentId,
        choice: &Choice,
        own: &BTreeMap<EventId, Option<Piece>>,
        subs: &[(ComponentId, BTreeMap<EventRef, Piece>)],
        quiet: &[Piece],
    ) -> Result<Option<Piece>, Stop> {
        let (tree, space) = (self.frame.tree, &self.frame.space);
        let mut piece = match choice.events.iter().find(|event| event.component == id) {
            Some(event) => match &own[&event.event] {
                Some(piece) => piece.clone(),
                None => return Ok(None),
            },
            None => {
                let relation = self.labelled(space.all(), id, EPSILON)?;
                Piece { written: Vec::new(), relation }
            }
        };
        for ((sub, pieces), quiet) in subs.iter().zip(quiet) {
            let part = match choice.events.iter().find(|event| tree.contains(*sub, event.component)) {
                Some(event) => match pieces.get(event) {
                    Some(part) => part,
                    None => return Ok(None),
                },
                None => quiet,
            };
            piece = piece.and(part, space)?;
        }
        Ok((!space.is_none(&piece.relation)).then_some(piece))
    }

    /// The vector without parts: some subcomponent does something that it hides.
    fn with_hidden(
        &self,
        id: ComponentId,
        mut items: Vec<Item>,
        subs: &[(ComponentId, BTreeMap<EventRef, Piece>)],
        quiet: &[Piece],
    ) -> Result<Vec<Item>, Stop> {
        let space = &self.frame.space;
        let top = EventRef { component: id, event: EPSILON };
        let vector = self.frame.tree.components[id].vectors.len();
        let mut before = Piece { written: Vec::new(), relation: self.labelled(space.all(), id, EPSILON)? };
        for (place, (sub, pieces)) in subs.iter().enumerate() {
            // The first subcomponent that does something is this one.
            if let Some(hidden) = pieces.get(&EventRef { component: *sub, event: EPSILON }) {
                let mut piece = before.and(hidden, space)?;
                for later in &quiet[place + 1..] {
                    piece = piece.and(later, space)?;
                }
                items.push(Item { top, vector, rank: 0, piece });
            }
            before = before.and(&self.idle(*sub)?, space)?;
        }
        Ok(items)
    }

    /// Takes from every choice the configurations in which one with priority over it can be fired.
    fn prioritised(&mut self, id: ComponentId, mut items: Vec<Item>) -> Result<Vec<Item>, Stop> {
        let component = &self.frame.tree.components[id];
        let is_above = |low: &Item, high: &Item| {
            let own = low.top.component == id && high.top.component == id;
            let declared = own && component.priorities.contains(&(low.top.event, high.top.event));
            declared || (low.vector == high.vector && low.rank < high.rank)
        };
        let above: Vec<Vec<usize>> =
            items.iter().map(|low| (0..items.len()).filter(|&high| is_above(low, &items[high])).collect()).collect();
        if above.iter().all(Vec::is_empty) {
            return Ok(items);
        }
        let solvable = self.solvable(id)?;
        let mut enabled: Vec<Option<Set>> = vec![None; items.len()];
        for item in downwards(&above) {
            let space = &self.frame.space;
            for &high in &above[item] {
                let able = enabled[high].as_ref().expect("higher choices come first");
                items[item].piece.relation = space.minus(&items[item].piece.relation, able)?;
            }
            enabled[item] = Some(self.enabled(id, &items[item].piece, &solvable)?);
        }
        Ok(items)
    }

    /// The configurations in which a piece can be fired within the semantics of this component alone.
    fn enabled(&self, id: ComponentId, piece: &Piece, solvable: &Set) -> Result<Set, Stop> {
        let Frame { space, places, events, tree, .. } = self.frame;
        let columns = |copy: usize| piece.written.iter().filter_map(move |&var| places.column(var, copy));
        let pairs: Vec<(Column, Column)> = columns(0).zip(columns(1)).collect();
        let after = space.rename(solvable, &space.renaming(&pairs))?;
        let mut forgotten: Vec<Column> = columns(1).collect();
        forgotten.extend(tree.subtree(id).filter_map(|id| events[id].first().copied()));
        space.and_exists(&piece.relation, &after, &space.cube(&forgotten)?)
    }

    /// The values of the subtree's states for which its own assertions have a solution in its flows.
    fn solvable(&self, id: ComponentId) -> Result<Set, Stop> {
        let Frame { space, places, tree, .. } = self.frame;
        let found = subtree_definitions(tree, id);
        let local: BTreeMap<VarId, Expr> = found.list.iter().copied().collect();
        let column = |var: VarId| match &places.vars[var] {
            Place::Columns { copies, .. } => copies[0],
            Place::Defined { column, .. } => *column,
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
        space.exists(&set, &space.cube(&flows)?)
    }

    /// One piece per event that the parent knows.
    fn merged(&self, items: Vec<Item>) -> Result<BTreeMap<EventRef, Piece>, Stop> {
        let mut by_top: BTreeMap<EventRef, Vec<Piece>> = BTreeMap::new();
        for item in items {
            by_top.entry(item.top).or_default().push(item.piece);
        }
        let mut merged = BTreeMap::new();
        for (top, pieces) in by_top {
            if let Some(piece) = union(pieces, &self.frame.space, &self.frame.places)? {
                merged.insert(top, piece);
            }
        }
        Ok(merged)
    }
}

/// The items in an order in which those above come first. There are no cycles: along a chain, declared priorities
/// only climb, and within one vector the rank does.
fn downwards(above: &[Vec<usize>]) -> Vec<usize> {
    let mut order = Vec::new();
    let mut placed = vec![false; above.len()];
    while order.len() < above.len() {
        let before = order.len();
        for item in 0..above.len() {
            if !placed[item] && above[item].iter().all(|&high| placed[high]) {
                placed[item] = true;
                order.push(item);
            }
        }
        assert!(order.len() > before, "priorities are a partial order");
    }
    order
}
