//! `dot`: part of the graph in Graphviz's language, in ARC's layout.
//!
//! A state's label tells the variables that change along some edge into or out of it. Edges of one source stand in
//! descending order of their events; loops come last and share one line.

use std::fmt::Write;

use lapidary_base::Id;
use lapidary_ir::{Tree, VarId};

use super::super::algebra::{Listing, Row, Step};
use super::super::words::{self, Words};

pub fn dot(tree: &Tree, listing: Listing) -> String {
    let words = words::of(tree);
    let listing = words.ordered(listing);
    let changed = changed(&words, &listing);
    let mut text = format!("digraph StateGraph {{\n  label=\"{}\";\n", escaped(&tree.name));
    for (number, state) in listing.states.iter().enumerate() {
        writeln!(text, "  N{number} [label=\"{}\"];", escaped(&label(&words, state, &changed[number])))
            .expect("texts take all that is written");
        let start = listing.steps.partition_point(|step| step.source < number);
        let end = listing.steps.partition_point(|step| step.source <= number);
        edges(&mut text, &words, &listing, &listing.steps[start..end]);
    }
    text + "}\n"
}

/// For every state, which of the told variables change along an edge into or out of it.
fn changed(words: &Words<'_>, listing: &Listing) -> Vec<Vec<bool>> {
    let mut changed = vec![vec![false; words.vars.len()]; listing.states.len()];
    for step in &listing.steps {
        for (place, var) in words.vars.iter().enumerate() {
            if listing.states[step.source][var.index()] != listing.states[step.target][var.index()] {
                changed[step.source][place] = true;
                changed[step.target][place] = true;
            }
        }
    }
    changed
}

fn label(words: &Words<'_>, state: &Row, changed: &[bool]) -> String {
    let nothing_changes = changed.iter().all(|changed| !changed);
    let told = words.vars.iter().zip(changed).filter(|&(_, &changed)| changed || nothing_changes);
    let parts: Vec<String> = told
        .map(|(&var, _): (&VarId, _)| {
            let value = state[var.index()];
            words.interval(var, value, value)
        })
        .collect();
    parts.join(", ")
}

fn edges(text: &mut String, words: &Words<'_>, listing: &Listing, steps: &[Step]) {
    let name = |step: &Step| escaped(&words.event(&listing.events[step.event]));
    let is_silent = |step: &Step| listing.events[step.event].iter().all(|event| event.index() == 0);
    let mut ordered: Vec<Step> = steps.to_vec();
    ordered.sort_by_key(|step| (!is_silent(step), std::cmp::Reverse(step.event), step.target));
    for step in ordered.iter().filter(|step| step.source != step.target) {
        *text += &format!("  N{} -> N{} [label=\"{}\"];\n", step.source, step.target, name(step));
    }
    let loops: Vec<String> = ordered.iter().filter(|step| step.source == step.target).map(name).collect();
    if let Some(first) = steps.first().filter(|_| !loops.is_empty()) {
        *text += &format!("  N{0} -> N{0} [label=\"{1}\"];\n", first.source, loops.join("\\n"));
    }
}

/// A text within quotes.
pub fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
