//! Random small hierarchies: composition, flattening, diagrams and the checker give them one meaning.

use crate::meanings::{Label, Meaning, agreed, is_idle, listed, tree};
use lapidary_ir::Tree;
use lapidary_ir::tree::{EPSILON, Part, Vector};
use lapidary_reference::altarica::{Arithmetic, Hierarchy, Shape, hierarchy};
use lapidary_reference::seeds;

const N_HIERARCHIES: u64 = 500;
const N_PARTS: u64 = 4;

fn random(seed: u64) -> Hierarchy {
    let arithmetic = if seed.is_multiple_of(2) { Arithmetic::Total } else { Arithmetic::Partial };
    hierarchy(seed, &Shape { n_nodes: 4, max_valuations: 250, arithmetic })
}

fn instantiated(seed: u64) -> Tree {
    let Hierarchy { text, root } = random(seed);
    tree("random.alt", &text, Some(&root))
}

fn part(number: u64) {
    for seed in seeds::of(0..N_HIERARCHIES).into_iter().filter(|seed| seed % N_PARTS == number) {
        let Hierarchy { text, root } = random(seed);
        let mut tree = tree("random.alt", &text, Some(&root));
        agreed(&tree, &format!("seed {seed}\n{text}"));
        // Without initial values every configuration is reached.
        tree.init.clear();
        agreed(&tree, &format!("seed {seed}, everywhere\n{text}"));
    }
}

#[test]
fn all_ways_agree_on_the_first_quarter() {
    part(0);
}

#[test]
fn all_ways_agree_on_the_second_quarter() {
    part(1);
}

#[test]
fn all_ways_agree_on_the_third_quarter() {
    part(2);
}

#[test]
fn all_ways_agree_on_the_last_quarter() {
    part(3);
}

/// Another tree in which one rule is not there.
fn without(seed: u64, change: fn(&mut Tree)) -> Meaning {
    let mut tree = instantiated(seed);
    change(&mut tree);
    listed::composed(&tree)
}

fn no_priorities(tree: &mut Tree) {
    for id in tree.components.ids() {
        tree.components[id].priorities.clear();
    }
}

/// Every choice of a broadcast is a vector of its own, and none has priority.
fn no_order_of_broadcasts(tree: &mut Tree) {
    for id in tree.components.ids() {
        let written_out = |vector: &Vector| -> Vec<Vector> {
            let choices = vector.choices().into_iter();
            choices
                .map(|choice| Vector {
                    parts: choice.events.into_iter().map(|event| Part { event, is_optional: false }).collect(),
                    count: None,
                    ..vector.clone()
                })
                .collect()
        };
        tree.components[id].vectors = tree.components[id].vectors.iter().flat_map(written_out).collect();
    }
}

/// Public events are hidden by the component above theirs, like any other.
fn no_lifting(tree: &mut Tree) {
    for id in tree.components.ids() {
        tree.components[id].vectors.iter_mut().for_each(|vector| vector.is_lifted = false);
    }
}

/// Some event happens above a component that does nothing itself, and some below it.
fn has_hidden_event(tree: &Tree, label: &Label) -> bool {
    let busy = |component: lapidary_ir::ComponentId| label[component.0 as usize] != EPSILON;
    tree.components.ids().any(|id| {
        let parent = tree.components[id].parent;
        parent.is_some_and(busy) && !busy(id) && tree.subtree(id).any(busy)
    })
}

#[test]
fn random_hierarchies_have_what_they_are_for() {
    let mut tally = [0; 9];
    for seed in seeds::of(0..N_HIERARCHIES) {
        let tree = instantiated(seed);
        let meaning = listed::composed(&tree);
        let chooses = |(from, label, to): &(usize, Label, usize)| is_idle(label) && from != to;
        let has = [
            without(seed, no_priorities) != meaning,
            without(seed, no_order_of_broadcasts) != meaning,
            without(seed, no_lifting) != meaning,
            meaning.transitions.iter().any(chooses),
            meaning.transitions.iter().any(|(_, label, _)| has_hidden_event(&tree, label)),
            !meaning.deadlocks.is_empty(),
            meaning.configurations.is_empty(),
            meaning.configurations.len() > 10,
            tree.components.iter().any(|component| component.path.contains('[')),
        ];
        tally.iter_mut().zip(has).for_each(|(count, has)| *count += usize::from(has));
    }
    let [priorities, broadcasts, lifted, free_flows, hidden, deadlocks, empty, large, arrays] = tally;
    assert!(priorities >= seeds::least(80), "priorities that forbid something: {priorities}");
    assert!(broadcasts >= seeds::least(35), "broadcasts in which a larger choice wins: {broadcasts}");
    assert!(lifted >= seeds::least(20), "public events that matter above: {lifted}");
    assert!(free_flows >= seeds::least(120), "free flows: {free_flows}");
    assert!(hidden >= seeds::least(60), "hidden events at the same time as others above: {hidden}");
    assert!(deadlocks >= seeds::least(15), "deadlocks: {deadlocks}");
    assert!(empty <= 150, "no configuration at all: {empty}");
    assert!(large >= seeds::least(80), "more than ten configurations: {large}");
    assert!(arrays >= seeds::least(100), "arrays of components: {arrays}");
}
