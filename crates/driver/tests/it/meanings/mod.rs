//! What a tree of components means, found in five ways that share no code: composed and flattened, each listed and on
//! decision diagrams, and composed by the checker.

pub mod diagrams;
pub mod listed;

use std::collections::BTreeSet;

use lapidary_frontends::altarica;
use lapidary_ir::tree::EPSILON;
use lapidary_ir::{EventId, Tree};
use lapidary_text::diagnostic::{Style, render};
use lapidary_text::{Diagnostics, Sources};
use lapidary_verdict::State;

/// One event for every component.
pub type Label = Vec<EventId>;

/// The part of a tree's graph that is reachable. States are told by their values, transitions by the places of their
/// states in `configurations`; everything is in order, so that equal meanings are equal values.
#[derive(Debug, PartialEq, Eq)]
pub struct Meaning {
    pub configurations: Vec<State>,
    pub initial: Vec<usize>,
    pub transitions: Vec<(usize, Label, usize)>,
    /// Configurations with nothing but epsilon.
    pub deadlocks: Vec<usize>,
}

impl Meaning {
    fn new(configurations: BTreeSet<State>, initial: &[State], transitions: &[(State, Label, State)]) -> Self {
        let configurations: Vec<State> = configurations.into_iter().collect();
        let number = |state: &State| configurations.binary_search(state).expect("no step leaves the reachable states");
        let mut initial: Vec<usize> = initial.iter().map(number).collect();
        initial.sort_unstable();
        let mut transitions: Vec<(usize, Label, usize)> =
            transitions.iter().map(|(from, label, to)| (number(from), label.clone(), number(to))).collect();
        transitions.sort_unstable();
        let moves = transitions.iter().filter(|(_, label, _)| !is_idle(label)).map(|&(from, _, _)| from);
        let moving: BTreeSet<usize> = moves.collect();
        let deadlocks = (0..configurations.len()).filter(|number| !moving.contains(number)).collect();
        Self { configurations, initial, transitions, deadlocks }
    }

    /// Reachable configurations and their transitions.
    pub fn counts(&self) -> (usize, usize) {
        (self.configurations.len(), self.transitions.len())
    }

    /// The flat events that occur, in words.
    pub fn events(&self, tree: &Tree) -> BTreeSet<String> {
        let labels: BTreeSet<&Label> = self.transitions.iter().map(|(_, label, _)| label).collect();
        labels.into_iter().map(|label| tree.flat_event_name(&label.clone().into())).collect()
    }
}

pub fn is_idle(label: &Label) -> bool {
    label.iter().all(|&event| event == EPSILON)
}

/// The tree of a node of a text; of the last node if none is named.
pub fn tree(name: &str, text: &str, node: Option<&str>) -> Tree {
    let mut sources = Sources::default();
    let source = sources.add(name, text);
    let (document, diagnostics) = altarica::load(&sources, source);
    let document = document.unwrap_or_else(|| panic!("{}\n{text}", shown(&diagnostics, &sources)));
    let node = node.unwrap_or_else(|| document.nodes().last().expect("there is a node"));
    let (tree, diagnostics) = document.instantiate(&sources, node);
    tree.unwrap_or_else(|| panic!("{}\n{text}", shown(&diagnostics, &sources)))
}

fn shown(diagnostics: &Diagnostics, sources: &Sources) -> String {
    diagnostics.list.iter().map(|diagnostic| render(diagnostic, sources, Style::Plain) + "\n").collect()
}

/// The meaning on which all five ways agree.
pub fn agreed(tree: &Tree, what: &str) -> Meaning {
    let composed = listed::composed(tree);
    let others = [
        ("composed on diagrams", diagrams::composed(tree)),
        ("flattened", listed::flattened(tree)),
        ("flattened on diagrams", diagrams::flattened(tree)),
        ("composed by the checker", listed::checked(tree)),
    ];
    for (way, meaning) in &others {
        assert!(*meaning == composed, "{what}: {way} differs: {}", difference(tree, &composed, meaning));
    }
    composed
}

/// The first places where two meanings differ.
fn difference(tree: &Tree, composed: &Meaning, other: &Meaning) -> String {
    let apart = |a: &BTreeSet<String>, b: &BTreeSet<String>| a.difference(b).take(4).cloned().collect::<Vec<_>>();
    let (ours, theirs) = (lines(tree, composed), lines(tree, other));
    format!("only composed {:#?}, only there {:#?}", apart(&ours, &theirs), apart(&theirs, &ours))
}

fn lines(tree: &Tree, meaning: &Meaning) -> BTreeSet<String> {
    let show = |number: usize| format!("{:?}", meaning.configurations[number]);
    let configurations = (0..meaning.configurations.len()).map(show);
    let initial = meaning.initial.iter().map(|&number| format!("initial {}", show(number)));
    let deadlocks = meaning.deadlocks.iter().map(|&number| format!("deadlock {}", show(number)));
    let transitions = meaning.transitions.iter().map(|(from, label, to)| {
        let event = tree.flat_event_name(&label.clone().into());
        format!("{} -- {event} -> {}", show(*from), show(*to))
    });
    configurations.chain(initial).chain(deadlocks).chain(transitions).collect()
}
