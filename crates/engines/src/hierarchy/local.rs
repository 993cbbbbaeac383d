//! The systems of the components, each by itself: configurations, initial ones, and steps by label. They stand in one
//! space, but no diagram ever speaks of two components' steps.

use std::collections::{BTreeMap, BTreeSet};

use lapidary_base::{Control, Id, Stop};
use lapidary_bdd::{Capacity, Column, Cube, Set};
use lapidary_ir::passes::{definitions, variables};
use lapidary_ir::tree::EPSILON;
use lapidary_ir::{EventId, EventRef, Expr, Tree, VarId};
use lapidary_system::symbolic::{Copies, Frame, Group, Guarded, Origin, Own, Piece};

use super::parts::{Components, Part};

/// One component. Its labels are numbers: zero does nothing, and flows are chosen anew.
///
/// A node's labels are its events. A subtree's are the events of its root, then the events that it lifts, and last what
/// it hides: steps below that its parent does not see.
pub struct Unit {
    pub part: Part,
    /// The variables that have columns, ascending.
    pub vars: Vec<VarId>,
    /// All local configurations: every set of them lies within.
    pub configurations: Set,
    pub initial: Set,
    /// By label; none where nothing bears the label.
    steps: Vec<Option<Group>>,
    flows: Cube,
    /// Doing nothing may lead elsewhere, because some flows may choose.
    pub idle_moves: bool,
    /// A subtree's lifted events, ascending and in the order of their labels.
    lifted: Vec<EventRef>,
}

/// Doing nothing.
pub const IDLE: usize = 0;

pub struct Local<'a> {
    pub frame: Frame<'a>,
    pub components: Components,
    pub units: Vec<Unit>,
}

impl<'a> Local<'a> {
    pub fn new(tree: &'a Tree, capacity: Capacity, control: &Control) -> Result<Self, Stop> {
        let frame = Frame::new(tree, Copies { variables: 2, events: 0 }, capacity, control)?;
        let components = Components::within(tree, control)?;
        let mut units = Vec::new();
        for &part in &components.parts {
            control.check()?;
            units.push(unit(&frame, part, control)?);
        }
        Ok(Self { frame, components, units })
    }

    pub fn tree(&self) -> &'a Tree {
        self.frame.tree
    }

    /// Where a step of the label leads from the set.
    pub fn post(&self, unit: usize, label: usize, set: &Set) -> Result<Set, Stop> {
        let unit = &self.units[unit];
        match &unit.steps[label] {
            Some(group) => group.post(&self.frame.space, &unit.configurations, set),
            None => Ok(self.frame.space.none()),
        }
    }

    /// From where a step of the label leads into the set.
    pub fn pre(&self, unit: usize, label: usize, set: &Set) -> Result<Set, Stop> {
        let unit = &self.units[unit];
        match &unit.steps[label] {
            Some(group) => group.pre(&self.frame.space, &unit.configurations, &unit.flows, set),
            None => Ok(self.frame.space.none()),
        }
    }

    /// The name of a component, for messages: its path, or the name of the root's node.
    pub fn name(&self, unit: usize) -> &str {
        let component = &self.tree().components[self.units[unit].part.component];
        if component.path.is_empty() { &component.node } else { &component.path }
    }
}

impl Unit {
    pub fn n_labels(&self) -> usize {
        self.steps.len()
    }

    /// The label under which vectors above know an event of this component.
    pub fn label(&self, tree: &Tree, event: EventRef) -> usize {
        if event.component == self.part.component {
            return event.event.index();
        }
        let lifted = self.lifted.binary_search(&event).expect("vectors mention events that are lifted");
        tree.components[self.part.component].events.len() + lifted
    }

    pub fn columns(&self, frame: &Frame<'_>) -> Vec<Column> {
        self.vars.iter().filter_map(|&var| frame.places.column(var, 0)).collect()
    }
}

fn unit(frame: &Frame<'_>, part: Part, control: &Control) -> Result<Unit, Stop> {
    let tree = frame.tree;
    let members: BTreeSet<VarId> = part.vars(tree).into_iter().collect();
    let vars: Vec<VarId> = frame.places.essential().filter(|var| members.contains(var)).collect();
    let flows: Vec<VarId> = vars.iter().copied().filter(|&var| !tree.is_state(var)).collect();
    let configurations = configurations(frame, &vars, &constraints(frame, part, &members))?;
    let initial = initial(frame, &members, &configurations)?;
    let (pieces, lifted) = match part.is_subtree {
        true => subtree_pieces(frame, part, control)?,
        false => (node_pieces(frame, part)?, Vec::new()),
    };
    let mut steps = Vec::new();
    for piece in pieces {
        let group = |piece| Group::new(&frame.space, &frame.places, piece, &flows, Origin::Vectors);
        steps.push(piece.map(group).transpose()?);
    }
    let columns: Vec<Column> = flows.iter().filter_map(|&var| frame.places.column(var, 0)).collect();
    let flows = frame.space.cube(&columns)?;
    Ok(Unit { part, vars, configurations, initial, steps, flows, idle_moves: !columns.is_empty(), lifted })
}

/// The constraints that speak of these variables alone. One without variables belongs to whoever asserts it.
fn constraints(frame: &Frame<'_>, part: Part, members: &BTreeSet<VarId>) -> Vec<Expr> {
    let tree = frame.tree;
    let nodes = if part.is_subtree { tree.subtree(part.component).collect() } else { vec![part.component] };
    let asserted: Vec<Expr> =
        nodes.iter().flat_map(|&id| tree.components[id].assertions.iter().map(|assertion| assertion.expr)).collect();
    let is_flow = |var: VarId| members.contains(&var) && !tree.is_state(var);
    let own = definitions(&tree.exprs, &is_flow, &asserted, &|var| tree.vars[var].domain.bounds(&tree.enums));
    let belongs = |&constraint: &Expr| {
        let vars = variables(&tree.exprs, constraint);
        if vars.is_empty() { own.rest.contains(&constraint) } else { vars.is_subset(members) }
    };
    frame.rest.iter().copied().filter(belongs).collect()
}

/// Within the domains, satisfying the constraints.
fn configurations(frame: &Frame<'_>, vars: &[VarId], constraints: &[Expr]) -> Result<Set, Stop> {
    let (space, mut encoder) = (&frame.space, frame.encoder());
    let mut set = space.all();
    for &var in vars {
        let column = frame.places.column(var, 0).expect("essential variables have columns");
        set = space.and(&set, &space.domain(column)?)?;
    }
    for &constraint in constraints {
        set = space.and(&set, &encoder.holds(constraint)?)?;
    }
    Ok(set)
}

fn initial(frame: &Frame<'_>, members: &BTreeSet<VarId>, configurations: &Set) -> Result<Set, Stop> {
    let (space, mut encoder) = (&frame.space, frame.encoder());
    let mut set = configurations.clone();
    for &(var, value) in frame.tree.init.iter().filter(|(var, _)| members.contains(var)) {
        let column = frame.places.column(var, 0).expect("state variables have columns");
        set = space.and(&set, &encoder.equals(value, column, frame.places.lo(var))?)?;
    }
    Ok(set)
}

/// One piece per event.
fn node_pieces(frame: &Frame<'_>, part: Part) -> Result<Vec<Option<Piece>>, Stop> {
    let mut own = Guarded::new(frame);
    let events = frame.tree.components[part.component].events.ids();
    events.map(|event| own.own(part.component, event)).collect()
}

type Labelled = (Vec<Option<Piece>>, Vec<EventRef>);

/// One piece per event that the parent knows, and one for what is hidden from it.
fn subtree_pieces(frame: &Frame<'_>, part: Part, control: &Control) -> Result<Labelled, Stop> {
    let component = &frame.tree.components[part.component];
    let mut tops: BTreeMap<EventRef, Piece> = frame.tops(part.component, control)?;
    let event = |event: EventId| EventRef { component: part.component, event };
    let hidden = tops.remove(&event(EPSILON));
    let mut pieces = vec![Some(Piece::idle(&frame.space))];
    pieces.extend(component.events.ids().filter(|&id| id != EPSILON).map(|id| tops.remove(&event(id))));
    let mut lifted: BTreeSet<EventRef> = component.lifted.iter().copied().collect();
    lifted.extend(tops.keys().copied());
    let lifted: Vec<EventRef> = lifted.into_iter().collect();
    pieces.extend(lifted.iter().map(|event| tops.remove(event)));
    pieces.push(hidden);
    Ok((pieces, lifted))
}
