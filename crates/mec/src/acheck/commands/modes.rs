//! `modes`: the mode automaton. A mode is a valuation of the state variables; an edge tells its event, and the flows in
//! which it can be taken unless these are all flows of its mode.

use lapidary_base::hash::Map;
use lapidary_base::{Control, Id, Stop};
use lapidary_ir::{Raw, Tree, VarId};

use super::super::algebra::{Listing, Row};
use super::super::decision::Decisions;
use super::super::limits::MAX_VALUATIONS;
use super::super::words::{self, Words};
use super::dot::escaped;

pub fn modes(tree: &Tree, listing: Listing, control: &Control) -> Result<String, Stop> {
    let words = words::of(tree);
    let listing = words.ordered(listing);
    let (states, flows): (Vec<VarId>, Vec<VarId>) = words.vars.iter().partition(|&&var| tree.is_state(var));
    let mut modes: Vec<Row> = listing.states.iter().map(|state| values(state, &states)).collect();
    let keys = modes.clone();
    modes.sort();
    modes.dedup();
    let mode_of: Vec<usize> = keys.iter().map(|key| modes.partition_point(|mode| mode < key)).collect();
    let mut all_flows: Vec<Vec<Row>> = vec![Vec::new(); modes.len()];
    for (state, &mode) in listing.states.iter().zip(&mode_of) {
        all_flows[mode].push(values(state, &flows));
    }
    all_flows.iter_mut().for_each(sort_distinct);

    let mut edges: Map<(usize, usize, usize), Vec<Row>> = Map::default();
    for step in &listing.steps {
        let key = (mode_of[step.source], step.event, mode_of[step.target]);
        edges.entry(key).or_default().push(values(&listing.states[step.source], &flows));
    }
    control.check()?;
    let mut keys: Vec<(usize, usize, usize)> = edges.keys().copied().collect();
    keys.sort_unstable();

    let name = escaped(&tree.name);
    let mut text = format!("digraph \"{name} (mode automaton)\" {{\n  label=\"{name}\";\n\tnode[shape=\"box\"];\n\n");
    let nodes: Vec<String> = modes.iter().map(|mode| conjunction(&words, &states, &point(mode))).collect();
    let declare = |number: usize| format!("N{number}[label=\"{}\"]; \n", escaped(&nodes[number]));
    (0..modes.len()).for_each(|number| text += &declare(number));
    for (mode, all_flows) in all_flows.iter().enumerate() {
        text += &declare(mode);
        for key in keys.iter().filter(|key| key.0 == mode) {
            let mut taken = edges.remove(key).expect("keys are those of the map");
            sort_distinct(&mut taken);
            let event = words.event(&listing.events[key.1]);
            let label = match taken == *all_flows {
                true => escaped(&event),
                false => format!("flow = {}\\nevent={}", escaped(&union(&words, &flows, &taken)?), escaped(&event)),
            };
            text += &format!("N{} -> N{} [label=\"{label}\"];\n", key.0, key.2);
        }
    }
    Ok(text + "}\n")
}

fn values(state: &Row, vars: &[VarId]) -> Row {
    vars.iter().map(|var| state[var.index()]).collect()
}

fn sort_distinct(rows: &mut Vec<Row>) {
    rows.sort_unstable();
    rows.dedup();
}

fn point(row: &Row) -> Vec<(Raw, Raw)> {
    row.iter().map(|&value| (value, value)).collect()
}

/// `(x = 1)`, or `((x = 1)) and ((y = 2))` of several.
fn conjunction(words: &Words<'_>, vars: &[VarId], intervals: &[(Raw, Raw)]) -> String {
    let tests: Vec<String> = vars.iter().zip(intervals).map(|(&var, &(lo, hi))| words.interval(var, lo, hi)).collect();
    match &tests[..] {
        [] => "true".to_owned(),
        [only] => format!("({only})"),
        _ => tests.iter().map(|test| format!("(({test}))")).collect::<Vec<_>>().join(" and "),
    }
}

/// The rows as a union of boxes, each without what is not restricted.
fn union(words: &Words<'_>, vars: &[VarId], rows: &[Row]) -> Result<String, Stop> {
    let bounds: Vec<(Raw, Raw)> = vars.iter().map(|&var| words.bounds(var)).collect();
    let boxes = Decisions::new(rows, bounds.clone()).boxes(MAX_VALUATIONS);
    let boxes = boxes.ok_or_else(|| Stop::Incomplete("a set of flows is too large to be told".to_owned()))?;
    let parts: Vec<String> = boxes
        .iter()
        .map(|intervals| {
            let kept = |place: &usize| intervals[*place] != bounds[*place];
            let places: Vec<usize> = (0..vars.len()).filter(kept).collect();
            let vars: Vec<VarId> = places.iter().map(|&place| vars[place]).collect();
            let intervals: Vec<(Raw, Raw)> = places.iter().map(|&place| intervals[place]).collect();
            conjunction(words, &vars, &intervals)
        })
        .collect();
    Ok(match &parts[..] {
        [only] => only.clone(),
        _ => parts.iter().map(|part| format!("({part})")).collect::<Vec<_>>().join(" or "),
    })
}
