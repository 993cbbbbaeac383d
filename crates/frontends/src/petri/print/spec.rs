//! MIST specifications: guards, transfers, resets and copies, and one target.

use lapidary_ir::passes::{self, Cube};
use lapidary_ir::{Destinations, Expr, Model, Net, Node, PlaceId, PropertyKind, Range, Tokens, Transition};

use super::super::limits::MAX_TERMS;
use super::super::mist::KEYWORDS;
use super::{Unwritable, unwritable};

/// The net and its only property, as a target: the states that violate an invariant, or those to be reached.
pub fn spec(net: &Net, model: &Model) -> Result<String, Unwritable> {
    let names: Vec<&str> = net.places.iter().map(|place| place.name.as_str()).collect();
    if let Some(name) = names.iter().find(|name| !is_name(name)) {
        return unwritable(format!("`{name}`"), "MIST has no such names");
    }
    if names.is_empty() {
        return unwritable("the net", "it has no places");
    }
    let mut text = format!("vars\n  {}\n\nrules\n", names.join(" "));
    for transition in net.transitions.iter() {
        text += &format!("  # {}\n", transition.name.replace(['\n', '\r'], " "));
        text += &rule(net, transition)?;
    }
    let initial: Vec<String> = net.initial.enumerated().map(|(place, range)| constraint(net, place, *range)).collect();
    text += &format!("\ninit\n  {}\n\ntarget\n", initial.join(", "));
    for cube in target(model)? {
        let parts: Vec<String> = cube.iter().map(|&(place, range)| constraint(net, place, range)).collect();
        text += &match parts.is_empty() {
            true => format!("  {} >= 0\n", names[0]),
            false => format!("  {}\n", parts.join(", ")),
        };
    }
    Ok(text)
}

fn is_name(name: &str) -> bool {
    let starts = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    starts && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') && !KEYWORDS.contains(&name)
}

fn target(model: &Model) -> Result<Vec<Cube>, Unwritable> {
    let [property] = model.properties.as_slice() else {
        return unwritable("the set of properties", "a specification has exactly one target");
    };
    let what = format!("property `{}`", property.name);
    let wanted = match &property.kind {
        PropertyKind::Invariant(expr) => model.exprs.not(*expr),
        PropertyKind::Reach(expr) => *expr,
        PropertyKind::DeadlockFree | PropertyKind::NoErrors | PropertyKind::Ltl(_) => {
            return unwritable(what, "a target is a condition on one marking");
        }
    };
    // Alternatives are taken apart one by one, since there may be thousands.
    let alternatives: &[Expr] =
        if let Node::Or(parts) = model.exprs.node(wanted) { parts } else { std::slice::from_ref(&wanted) };
    let mut all = Vec::new();
    for &alternative in alternatives {
        all.extend(passes::cubes(&model.exprs, alternative).or_else(|why| unwritable(&what, why))?);
    }
    if all.is_empty() { unwritable(what, "no marking is asked for") } else { Ok(all) }
}

fn constraint(net: &Net, place: PlaceId, range: Range) -> String {
    let name = &net.places[place].name;
    match range.hi {
        None => format!("{name} >= {}", range.lo),
        Some(hi) if hi == range.lo => format!("{name} = {hi}"),
        Some(hi) => format!("{name} in [{}, {hi}]", range.lo),
    }
}

/// The guards with what is taken, and a row for each place that changes.
fn rule(net: &Net, transition: &Transition) -> Result<String, Unwritable> {
    let what = || format!("transition `{}`", transition.name);
    let mut ranges: Vec<(PlaceId, Range)> = transition.guards.iter().map(|guard| (guard.place, guard.range)).collect();
    for &(place, tokens) in &transition.take {
        match ranges.iter_mut().find(|known| known.0 == place) {
            Some((_, range)) => range.lo = range.lo.max(tokens),
            None => ranges.push((place, Range::at_least(tokens))),
        }
    }
    if ranges.iter().any(|(_, range)| range.hi.is_some_and(|hi| hi < range.lo)) {
        return unwritable(what(), "it never fires, and its guard would be an empty range");
    }
    ranges.sort_by_key(|&(place, _)| place);
    let guards: Vec<String> = ranges.iter().map(|&(place, range)| constraint(net, place, range)).collect();
    let guards = if guards.is_empty() { "true".to_owned() } else { guards.join(", ") };
    let mut changed: Vec<PlaceId> = transition.take.iter().map(|entry| entry.0).collect();
    changed.extend(transition.put.iter().map(|entry| entry.0));
    for flow in &transition.flows {
        changed.push(flow.from);
        match &flow.to {
            Destinations::All(to) => changed.extend(to.iter().map(|entry| entry.0)),
            Destinations::One(_) => return unwritable(what(), "its tokens choose where they go"),
        }
    }
    changed.sort_unstable();
    changed.dedup();
    let rows = changed.into_iter().map(|place| row(net, transition, place).or_else(|why| unwritable(what(), why)));
    let rows: Vec<String> = rows.collect::<Result<_, _>>()?;
    Ok(format!("  {guards} -> {};\n", rows.join(", ")))
}

/// `x' = y + z + 3`: all that flows to a place, less what was taken of it, and what is put.
fn row(net: &Net, transition: &Transition, place: PlaceId) -> Result<String, String> {
    let mut sources: Vec<(PlaceId, Tokens)> = Vec::new();
    if transition.flows.iter().all(|flow| flow.from != place) {
        sources.push((place, 1));
    }
    for flow in &transition.flows {
        let Destinations::All(to) = &flow.to else { continue };
        sources.extend(to.iter().filter(|entry| entry.0 == place).map(|&(_, times)| (flow.from, times)));
    }
    sources.sort_unstable();
    if sources.iter().map(|entry| entry.1).fold(0, Tokens::saturating_add) > MAX_TERMS {
        return Err(format!("more than {MAX_TERMS} copies of a place are too many to list"));
    }
    let mut constant: i128 = transition.put.iter().filter(|put| put.0 == place).map(|put| i128::from(put.1)).sum();
    let mut terms: Vec<&str> = Vec::new();
    for &(source, times) in &sources {
        let taken = transition.take.iter().find(|take| take.0 == source).map_or(0, |take| take.1);
        constant -= i128::from(taken) * i128::from(times);
        terms.extend((0..times).map(|_| net.places[source].name.as_str()));
    }
    let name = &net.places[place].name;
    let sum = terms.join(" + ");
    match (terms.is_empty(), constant) {
        (true, constant) if constant < 0 => Err("it takes tokens where none can be".to_owned()),
        (true, _) => Ok(format!("{name}' = {constant}")),
        (false, 0) => Ok(format!("{name}' = {sum}")),
        (false, constant) if constant < 0 => Ok(format!("{name}' = {sum} - {}", constant.unsigned_abs())),
        (false, _) => Ok(format!("{name}' = {sum} + {constant}")),
    }
}
