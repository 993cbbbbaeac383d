//! `quot`: the quotient of the graph by strong bisimulation; epsilon is an event like others.

use lapidary_base::hash::Map;
use lapidary_base::{Control, Stop};
use lapidary_ir::{Raw, Tree, VarId};

use super::super::algebra::{Listing, Row};
use super::super::decision::Decisions;
use super::super::limits::MAX_VALUATIONS;
use super::super::words::{self, Words};
use super::dot::escaped;

pub fn quotient(tree: &Tree, listing: Listing, control: &Control) -> Result<String, Stop> {
    let words = words::of(tree);
    let listing = words.ordered(listing);
    let (class_of, n_classes) = classes(&listing, control)?;
    let mut members: Vec<Vec<Row>> = vec![Vec::new(); n_classes];
    for (state, &class) in listing.states.iter().zip(&class_of) {
        members[class].push(words.told(state));
    }
    let mut edges: Vec<(usize, usize, usize)> =
        listing.steps.iter().map(|step| (class_of[step.source], class_of[step.target], step.event)).collect();
    edges.sort_unstable();
    edges.dedup();
    // Of every pair of classes, the edges there stand before those back, and loops before both.
    edges.sort_by_key(|&(source, target, event)| (source.min(target), source.max(target), source > target, event));

    let name = escaped(&tree.name);
    let mut text = format!("digraph \"{name}/Q\" {{\n  label=\"{name}/Q ({n_classes} classes)\";\n");
    text += "\tnode[shape=\"box\"];\n\n";
    for (class, rows) in members.iter().enumerate() {
        let label = boxes(&words, rows)?;
        text += &format!("\tC{class}[label=\"{label}\",URL=\"#\", tooltip=\"any_s\"];\n");
    }
    for (source, target, event) in edges {
        let label = escaped(&words.event(&listing.events[event]));
        text += &format!("\tC{source} -> C{target} [label=\"{label}\"];\n");
    }
    Ok(text + "}\n")
}

/// For every state its class; classes are numbered by their first states. Starts from one class and splits by the
/// classes that each event leads to, until nothing changes.
fn classes(listing: &Listing, control: &Control) -> Result<(Vec<usize>, usize), Stop> {
    let n_states = listing.states.len();
    let mut class_of = vec![0; n_states];
    let mut n_classes = usize::from(n_states > 0);
    loop {
        let mut known: Map<(usize, Vec<(usize, usize)>), usize> = Map::default();
        let mut next = Vec::with_capacity(n_states);
        let mut steps = listing.steps.iter().peekable();
        for (state, &class) in class_of.iter().enumerate() {
            if state.is_multiple_of(4096) {
                control.check()?;
            }
            let mut signature = Vec::new();
            while let Some(step) = steps.next_if(|step| step.source == state) {
                signature.push((step.event, class_of[step.target]));
            }
            signature.sort_unstable();
            signature.dedup();
            let fresh = known.len();
            next.push(*known.entry((class, signature)).or_insert(fresh));
        }
        let is_stable = known.len() == n_classes;
        (class_of, n_classes) = (next, known.len());
        if is_stable {
            return Ok((class_of, n_classes));
        }
    }
}

/// The members of a class as boxes, one on each line.
fn boxes(words: &Words<'_>, rows: &[Row]) -> Result<String, Stop> {
    let bounds: Vec<(Raw, Raw)> = words.vars.iter().map(|&var| words.bounds(var)).collect();
    let mut rows = rows.to_vec();
    rows.sort_unstable();
    rows.dedup();
    let boxes = Decisions::new(&rows, bounds).boxes(MAX_VALUATIONS);
    let boxes = boxes.ok_or_else(|| Stop::Incomplete("a class is too large to be told".to_owned()))?;
    let line = |intervals: &Vec<(Raw, Raw)>| {
        let tests: Vec<String> = words
            .vars
            .iter()
            .zip(intervals)
            .map(|(&var, &(lo, hi)): (&VarId, _)| words.interval(var, lo, hi))
            .collect();
        escaped(&tests.join(", "))
    };
    Ok(boxes.iter().map(line).collect::<Vec<_>>().join("\\n"))
}
