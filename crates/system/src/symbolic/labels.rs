//! A tree's whole transition relation with its labels: over current columns, one event per component, next columns.

use lapidary_base::{Control, IdVec, Stop};
use lapidary_bdd::{Capacity, Column, Set};
use lapidary_ir::{ComponentId, Tree, VarId};

use super::Symbolic;
use super::frame::{Copies, Frame};
use super::own::Guarded;
use super::piece::Piece;

pub struct Labelled {
    /// The same system without labels, in the same space.
    pub system: Symbolic,
    /// The copies of the column of each component's event; the value is the event's number.
    pub events: IdVec<ComponentId, Vec<Column>>,
    /// From all configurations, reachable or not; together they are all transitions, epsilon's included. Over copy 0
    /// (before) and copy 1 (after) of the variables and copy 0 of the events.
    pub transitions: Vec<Set>,
}

pub fn labelled(tree: &Tree, copies: Copies, capacity: Capacity, control: &Control) -> Result<Labelled, Stop> {
    assert!(copies.variables >= 2 && copies.events >= 1, "transitions need two copies of variables and one of events");
    let frame = Frame::new(tree, copies, capacity, control)?;
    let mut own = Guarded::new(&frame);
    let mut pieces = frame.pieces(&mut own, control)?;
    pieces.retain(|piece| !frame.space.is_none(&piece.relation));
    let ends = frame.space.and(&frame.configurations(0)?, &frame.configurations(1)?)?;
    let states: Vec<VarId> = tree.vars.ids().filter(|&var| tree.is_state(var)).collect();
    let mut transitions = Vec::new();
    for piece in pieces.iter().chain([&frame.idle(&mut own)?]) {
        control.check()?;
        let whole = piece.widened(&states, &frame.space, &frame.places)?;
        transitions.push(frame.space.and(&whole, &ends)?);
    }
    let unlabelled = pieces.iter().map(|piece| frame.unlabelled(piece)).collect::<Result<Vec<Piece>, Stop>>()?;
    let (events, idle) = (frame.events.clone(), Piece::idle(&frame.space));
    drop(own);
    Ok(Labelled { system: frame.finish(unlabelled, idle)?, events, transitions })
}
