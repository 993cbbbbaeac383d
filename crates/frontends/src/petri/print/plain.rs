//! A net with ordinary arcs and one initial marking that covers the same markings.

use lapidary_base::hash::Set;
use lapidary_ir::{Net, PlaceId, Sparse, Tokens, Transition};

use super::{Unwritable, unwritable};

/// Places, the first of which are those of the net, and transitions, likewise. Arcs speak of places by number.
pub struct Plain {
    pub places: Vec<(String, Tokens)>,
    pub transitions: Vec<Arcs>,
}

pub struct Arcs {
    pub name: String,
    pub take: Vec<(usize, Tokens)>,
    pub put: Vec<(usize, Tokens)>,
}

/// A place that may have more tokens at first gets a transition that adds one; as often as it likes if there is no
/// bound, and otherwise as often as a further place has tokens for it.
pub fn plain(net: &Net) -> Result<Plain, Unwritable> {
    let mut names: Set<String> = net.places.iter().map(|place| place.name.clone()).collect();
    let places = net.places.iter().zip(net.initial.iter());
    let mut plain = Plain { places: Vec::new(), transitions: Vec::new() };
    plain.places = places.map(|(place, range)| (place.name.clone(), range.lo)).collect();
    for transition in net.transitions.iter() {
        let mut arcs = arcs(transition)?;
        arcs.name = fresh(&transition.name, &mut names);
        plain.transitions.push(arcs);
    }
    for (place, range) in net.initial.enumerated().filter(|(_, range)| range.hi != Some(range.lo)) {
        let name = &net.places[place].name;
        let adds = fresh(&format!("add_{name}"), &mut names);
        let mut arcs = Arcs { name: adds, take: Vec::new(), put: vec![(number(place), 1)] };
        if let Some(hi) = range.hi {
            arcs.take = vec![(plain.places.len(), 1)];
            plain.places.push((fresh(&format!("more_{name}"), &mut names), hi - range.lo));
        }
        plain.transitions.push(arcs);
    }
    Ok(plain)
}

fn number(place: PlaceId) -> usize {
    place.0 as usize
}

/// A name that nothing has yet: formats have one space of names for everything.
fn fresh(wanted: &str, names: &mut Set<String>) -> String {
    let mut name = wanted.to_owned();
    while names.contains(&name) {
        name.push('_');
    }
    names.insert(name.clone());
    name
}

/// What a guard asks for beyond what is taken is taken too, and put back.
fn arcs(transition: &Transition) -> Result<Arcs, Unwritable> {
    let what = || format!("transition `{}`", transition.name);
    if transition.upper_bound().is_some() {
        return unwritable(what(), "it has a guard with an upper bound, and ordinary nets have none");
    }
    if !transition.flows.is_empty() {
        return unwritable(what(), "it moves or removes all tokens of a place, and ordinary nets cannot");
    }
    let mut take: Sparse = transition.take.clone();
    let mut put = Vec::new();
    for &(place, tokens) in &transition.put {
        match Tokens::try_from(tokens) {
            Ok(tokens) => put.push((place, tokens)),
            Err(_) => return unwritable(what(), "it takes from what has arrived, and ordinary nets cannot"),
        }
    }
    for guard in &transition.guards {
        let taken = take.iter().find(|entry| entry.0 == guard.place).map_or(0, |entry| entry.1);
        let more = guard.range.lo.saturating_sub(taken);
        if more > 0 {
            add(&mut take, guard.place, more);
            add(&mut put, guard.place, more);
        }
    }
    let numbered = |arcs: Sparse| arcs.into_iter().map(|(place, tokens)| (number(place), tokens)).collect();
    Ok(Arcs { name: String::new(), take: numbered(take), put: numbered(put) })
}

fn add(sparse: &mut Sparse, place: PlaceId, more: Tokens) {
    match sparse.binary_search_by_key(&place, |entry| entry.0) {
        Ok(at) => sparse[at].1 += more,
        Err(at) => sparse.insert(at, (place, more)),
    }
}
