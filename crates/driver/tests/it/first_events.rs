//! The flat event between two configurations is found on the tree, and is the one that flattening lists first.

use std::collections::BTreeMap;

use crate::meanings::tree;
use lapidary_base::Control;
use lapidary_bdd::Capacity;
use lapidary_ir::passes::{flatten, place};
use lapidary_ir::{CommandId, Tree};
use lapidary_reference::altarica::{Arithmetic, Hierarchy, Shape, hierarchy};
use lapidary_reference::seeds;
use lapidary_system::composition::{Between, configurations, event_between};
use lapidary_system::{Explicit, Steps, Successors};
use lapidary_text::Sources;
use lapidary_verdict::State;

const CAPACITY: Capacity = Capacity { nodes: 1 << 18, cache: 1 << 14, threads: 1 };

/// The number of pairs of configurations with a step between them, and of those between which several commands lead.
fn agreed(tree: &Tree, what: &str) -> (usize, usize) {
    let control = Control::new();
    let flat = flatten(tree).expect("small trees are flattened");
    let mut sources = Sources::default();
    sources.add("flattened", "");
    let system = Explicit::new(&flat.model, &[], &sources).expect("small models are taken");
    let mut between = Between::new(tree, CAPACITY, &control).expect("room enough");
    let states: Vec<State> = configurations(tree, usize::MAX, &control).expect("no limits");
    for (command, events) in flat.events.enumerated() {
        let found = place(tree, events);
        assert_eq!(found, flat.model.commands[command].span, "{what}: {}", flat.model.commands[command].label);
    }
    let (mut n_pairs, mut n_chosen) = (0, 0);
    let mut steps = Steps::new();
    for (number, from) in states.iter().enumerate() {
        steps.clear();
        system.successors(lapidary_system::State::plain(&system.pack(from)), &mut steps).expect("small numbers");
        let mut first: BTreeMap<State, Vec<CommandId>> = BTreeMap::new();
        for (words, &command) in steps.states.chunks(system.words()).zip(&steps.actions) {
            first.entry(system.unpack(words)).or_default().push(command);
        }
        for (to, commands) in &first {
            // Explicit search looks some commands up by a value, and may come to them later than to others.
            let expected = *commands.iter().min().expect("a step has a command");
            let found = between.event(from, to, &control).expect("no limits");
            assert_eq!(found.as_ref(), Some(&flat.events[expected]), "{what}: {from:?} to {to:?}, of {commands:?}");
            assert_eq!(tree.label(&found.expect("just seen")), flat.model.commands[expected].label);
            n_pairs += 1;
            n_chosen += usize::from(commands.len() > 1);
        }
        let other = &states[(number * 7 + 3) % states.len()];
        if !first.contains_key(other) {
            assert_eq!(between.event(from, other, &control), Ok(None), "{what}: {from:?} to {other:?}");
        }
    }
    (n_pairs, n_chosen)
}

#[test]
fn events_between_configurations_are_those_that_flattening_lists_first() {
    let (mut n_pairs, mut n_chosen) = (0, 0);
    for seed in seeds::of(0..200) {
        let arithmetic = if seed.is_multiple_of(2) { Arithmetic::Total } else { Arithmetic::Partial };
        let Hierarchy { text, root } = hierarchy(seed, &Shape { n_nodes: 4, max_valuations: 60, arithmetic });
        let found = agreed(&tree("random.alt", &text, Some(&root)), &format!("seed {seed}\n{text}"));
        (n_pairs, n_chosen) = (n_pairs + found.0, n_chosen + found.1);
    }
    assert!(n_pairs >= seeds::least(1000), "steps: {n_pairs}");
    assert!(n_chosen >= seeds::least(100), "steps with several labels: {n_chosen}");
}

/// Parts whose events change nothing: every event leads to the same configuration, and only the order tells them apart.
const STILL: &str = "
node A event e, f; trans true |- e, f -> ; edon
node B sub a, b : A; event g; trans true |- g -> ; sync <g, a.e?, b.f?> >= 1; <a.f, b.e>; edon
node Main sub b, c : B; a : A; event t; trans true |- t -> ;
 sync <t, b.g?, c.g?, a.e?> <= 2; <b.g, a.f>;
edon";

#[test]
fn among_events_that_change_nothing_the_order_of_flattening_decides() {
    let tree = tree("still.alt", STILL, None);
    let (n_pairs, n_chosen) = agreed(&tree, STILL);
    assert_eq!((n_pairs, n_chosen), (1, 1));
}

#[test]
fn a_limit_ends_the_search_for_an_event() {
    let tree = tree("still.alt", STILL, None);
    let state: State = Vec::new().into();
    let late = Control::new();
    late.cancel();
    assert_eq!(event_between(&tree, &state, &state, &late), Err(lapidary_base::Stop::Interrupted));
    let found = event_between(&tree, &state, &state, &Control::new()).expect("no limits");
    assert!(found.is_some());
}
