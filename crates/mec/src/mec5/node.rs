//! What a node means, brought into the space of a session: its configurations, events and transitions.

use lapidary_base::{Control, Id, Stop};
use lapidary_bdd::{Binding, Capacity, Column, Encoder, Set, Space};
use lapidary_ir::{Tree, VarId};
use lapidary_system::symbolic::flat_events::FlatEvents;
use lapidary_system::symbolic::{Copies, Labelled, Representation, labelled};

use super::carry::import;
use super::evaluate::Stored;
use super::slots::{Slots, Spot};
use super::types::{Scalar, TypeId, Types};

/// The two types of a node.
#[derive(Clone, Copy)]
pub struct NodeTypes {
    pub configuration: TypeId,
    pub event: TypeId,
}

/// The relations of a node by their names after `!`; all but `reach`.
pub fn relations(
    slots: &mut Slots,
    types: &Types,
    of: NodeTypes,
    tree: &Tree,
    capacity: Capacity,
    control: &Control,
) -> Result<Vec<(&'static str, Stored)>, Stop> {
    let whole = labelled(tree, Copies { variables: 2, events: 1 }, capacity, control)?;
    slots.add_node(types, of.configuration, of.event, &order(tree, &whole))?;
    let (now, next) = (slots.columns(types, of.configuration, 0)?, slots.columns(types, of.configuration, 1)?);
    let event = slots.columns(types, of.event, 0)?;
    let map = columns(&whole, &now, &next, &event);
    let (space, system) = (&slots.space, &whole.system);
    let defined = definitions(space, types, of, tree, &whole, &now)?;
    let domains = now.iter().map(|&column| space.domain(column)).collect::<Result<Vec<_>, _>>()?;
    let within = space.and(&space.and_all(&domains)?, &defined)?;
    let configurations = space.and(&import(&system.space, &system.configurations, space, &map)?, &within)?;
    let initial = space.and(&import(&system.space, &system.initial, space, &map)?, &configurations)?;
    let mut transitions = Vec::new();
    for part in &whole.transitions {
        control.check()?;
        transitions.push(import(&system.space, part, space, &map)?);
    }
    let transitions = space.or_all(&transitions)?;
    slots.set_universe(of.configuration, configurations.clone());
    let events = FlatEvents::new(&slots.space, tree, &event.into(), control)?.all(&slots.space)?;
    slots.set_universe(of.event, events.clone());
    let signature = vec![of.configuration, of.event, of.configuration];
    let tuples = slots.tuples(types, &signature)?;
    let transitions = slots.space.and(&transitions, &tuples)?;
    let one = |set| Stored { signature: vec![of.configuration], set };
    Ok(vec![
        ("c", one(configurations)),
        ("ev", Stored { signature: vec![of.event], set: events }),
        ("init", one(initial)),
        ("t", Stored { signature, set: transitions }),
    ])
}

/// The leaves in the variable order that was chosen for the tree.
fn order(tree: &Tree, whole: &Labelled) -> Vec<Spot> {
    let mut spots: Vec<(Column, Spot)> = Vec::new();
    for var in tree.vars.ids() {
        let column = match &whole.system.places.vars[var] {
            Representation::Columns { copies, .. } => copies[0],
            Representation::Defined { column, .. } => *column,
        };
        spots.push((column, Spot::Variable(var.index())));
    }
    for (component, columns) in whole.events.ids().map(|id| (id, &whole.events[id])) {
        spots.push((columns[0], Spot::Component(component.index())));
    }
    spots.sort_by_key(|(column, _)| *column);
    spots.into_iter().map(|(_, spot)| spot).collect()
}

/// For every column of the tree's space the one of the session's.
fn columns(whole: &Labelled, now: &[Column], next: &[Column], event: &[Column]) -> Vec<Option<Column>> {
    let mut map = vec![None; whole.system.space.columns().len()];
    let places = &whole.system.places;
    for var in places.essential() {
        for (copy, columns) in [now, next].into_iter().enumerate() {
            if let Some(column) = places.column(var, copy) {
                map[column.index()] = Some(columns[var.index()]);
            }
        }
    }
    for id in whole.events.ids() {
        map[whole.events[id][0].index()] = Some(event[id.index()]);
    }
    map
}

/// The variables that the assertions determine have their values, in copy 0.
fn definitions(
    space: &Space,
    types: &Types,
    of: NodeTypes,
    tree: &Tree,
    whole: &Labelled,
    now: &[Column],
) -> Result<Set, Stop> {
    let lo = |var: VarId| match types.get(of.configuration).leaves[var.index()].scalar {
        Scalar::Bool | Scalar::Enum(_) => 0,
        Scalar::Range { lo, .. } => lo,
    };
    let bind = |var: VarId| Binding::Column { column: now[var.index()], lo: lo(var) };
    let families = |_| unreachable!("trees have no families");
    let mut encoder = Encoder::new(space, &tree.exprs, families, bind);
    let mut set = space.all();
    for &(var, expr) in &whole.system.places.definitions {
        let column = now[var.index()];
        let equal = space.and(&encoder.equals(expr, column, lo(var))?, &space.domain(column)?)?;
        set = space.and(&set, &equal)?;
    }
    Ok(set)
}

/// The configurations that can be reached: forwards from the initial ones.
pub fn reach(
    slots: &mut Slots,
    types: &Types,
    initial: &Stored,
    transitions: &Stored,
    control: &Control,
) -> Result<Stored, Stop> {
    let signature = initial.signature.clone();
    let (configuration, event) = (transitions.signature[0], transitions.signature[1]);
    let (now, next) = (slots.columns(types, configuration, 0)?, slots.columns(types, configuration, 1)?);
    let events = slots.columns(types, event, 0)?;
    let space = &slots.space;
    let step = space.exists(&transitions.set, &space.cube(&events)?)?;
    let pairs: Vec<(Column, Column)> = next.iter().copied().zip(now.iter().copied()).collect();
    let (forget, settle) = (space.cube(&now)?, space.renaming(&pairs));
    let (mut reached, mut fresh) = (initial.set.clone(), initial.set.clone());
    while !space.is_none(&fresh) {
        control.check()?;
        let image = space.rename(&space.and_exists(&fresh, &step, &forget)?, &settle)?;
        fresh = space.minus(&image, &reached)?;
        reached = space.or(&reached, &fresh)?;
    }
    Ok(Stored { signature, set: reached })
}
