//! Evidence about a net, checked on the net itself: runs, and sets of markings that no transition leaves.
//!
//! The sets are downward closed: with a marking they contain all that have fewer tokens. So one marking decides wherever
//! tokens only help: the least from which a transition leads out, the least of a target, the greatest at first.

mod basis;
mod before;
mod covering;
mod distribution;
mod greatest;
mod ideals;
mod replay;
mod sums;
mod target;

pub use replay::{replay_net, replay_net_run};
pub use sums::certify_bounds;

use lapidary_base::{Control, Id};
use lapidary_ir::{Model, Net, PlaceId, Tokens};
use lapidary_verdict::{Certificate, Checked};

use crate::Rejection;
use crate::certify::Claim;

/// Does a basis or a union of ideals show all the claims?
pub fn certify_net(
    net: &Net,
    model: &Model,
    claims: &[Claim],
    certificate: &Certificate,
    control: &Control,
) -> Result<Checked, Rejection> {
    check_shape(net, model)?;
    match certificate {
        Certificate::Basis(basis) => basis::check(net, model, claims, basis, control)?,
        Certificate::Ideals(ideals) => ideals::check(net, model, claims, ideals, control)?,
        Certificate::Enumeration(_)
        | Certificate::Covered(_)
        | Certificate::Invariant(_)
        | Certificate::Diagram(_)
        | Certificate::Components(_)
        | Certificate::Blocks(_)
        | Certificate::Induction(_) => {
            let kind = certificate.kind();
            return Err(wrong(format!("a certificate of kind {kind} is about a model, not about a net")));
        }
    }
    Ok(Checked::Fully)
}

fn wrong(text: impl Into<String>) -> Rejection {
    Rejection::Wrong(text.into())
}

/// Places are the first variables and transitions the commands; that is all that is used of the model, and its
/// properties.
fn check_shape(net: &Net, model: &Model) -> Result<(), Rejection> {
    net.validate().map_err(|why| wrong(format!("the net is not sound: {why}")))?;
    let names = net.places.iter().map(|place| &place.name);
    let vars = model.vars.iter().map(|var| &var.name);
    let labels = model.commands.iter().map(|command| &command.label);
    let is_same = model.vars.len() >= net.places.len()
        && names.zip(vars).all(|(place, var)| place == var)
        && labels.eq(net.transitions.iter().map(|transition| &transition.name));
    match is_same {
        true => Ok(()),
        false => Err(wrong("the model is not that of the net: they differ in places or transitions")),
    }
}

/// Are the places those of the net, ascending?
fn check_places(net: &Net, places: impl Iterator<Item = PlaceId>) -> Result<(), String> {
    let mut last = None;
    for place in places {
        if net.places.get(place).is_none() {
            return Err(format!("the net has no place number {}", place.0));
        }
        if last.is_some_and(|last| place <= last) {
            return Err("its places are not ascending".to_owned());
        }
        last = Some(place);
    }
    Ok(())
}

/// `p=2 q=1`, places without tokens left out.
fn shown(net: &Net, marking: impl Iterator<Item = (PlaceId, Tokens)>) -> String {
    let some = marking.filter(|&(_, tokens)| tokens > 0);
    let words: Vec<String> = some.map(|(place, tokens)| format!("{}={tokens}", net.places[place].name)).collect();
    if words.is_empty() { "the empty marking".to_owned() } else { words.join(" ") }
}

/// The same of a marking that has a number for each place.
fn shown_dense(net: &Net, marking: &[Tokens]) -> String {
    shown(net, marking.iter().enumerate().map(|(place, &tokens)| (PlaceId::new(place), tokens)))
}
