//! Configurations listed one by one.

use std::collections::BTreeSet;

use lapidary_base::Control;
use lapidary_checker::tree::Composition;
use lapidary_ir::passes::flatten;
use lapidary_ir::{Tree, validate};
use lapidary_system::{Explicit, Steps, Successors, composition};
use lapidary_text::Sources;
use lapidary_verdict::State;

use super::{Label, Meaning};

/// Steps from a configuration.
type Next = Vec<(Label, State)>;

/// Everything that is reached; every triple has to be listed once.
fn explored(initial: &[State], successors: &mut dyn FnMut(&State) -> Next) -> Meaning {
    let mut seen: BTreeSet<State> = initial.iter().cloned().collect();
    assert_eq!(seen.len(), initial.len(), "every initial configuration is listed once");
    let mut open = initial.to_vec();
    let mut transitions = Vec::new();
    while let Some(state) = open.pop() {
        for (label, next) in successors(&state) {
            if seen.insert(next.clone()) {
                open.push(next.clone());
            }
            transitions.push((state.clone(), label, next));
        }
    }
    once(Meaning::new(seen, initial, &transitions))
}

fn once(meaning: Meaning) -> Meaning {
    let is_new = meaning.transitions.windows(2).all(|pair| pair[0] != pair[1]);
    assert!(is_new, "every transition is listed once");
    meaning
}

pub fn composed(tree: &Tree) -> Meaning {
    let graph = composition::explore(tree, &Control::new()).expect("no limits");
    let state = |number: u32| -> State { graph.state(number as usize).into() };
    let initial: Vec<State> = graph.states().take(graph.n_initial).map(State::from).collect();
    let transitions: Vec<(State, Label, State)> = graph
        .transitions
        .iter()
        .map(|&(from, event, to)| (state(from), graph.events[event].as_slice().to_vec(), state(to)))
        .collect();
    once(Meaning::new(graph.states().map(State::from).collect(), &initial, &transitions))
}

pub fn checked(tree: &Tree) -> Meaning {
    let (composition, control) = (Composition::new(tree), Control::new());
    let initial = composition.initial(&control).expect("no limits");
    explored(&initial, &mut |state| {
        let steps = composition.successors(state, &control).expect("no limits");
        steps.into_iter().map(|(events, next)| (events.as_slice().to_vec(), next)).collect()
    })
}

pub fn flattened(tree: &Tree) -> Meaning {
    let flat = flatten(tree).expect("small trees are flattened");
    validate::validate(&flat.model).expect("flattened trees are valid models");
    let mut sources = Sources::default();
    sources.add("flattened", "");
    let system = Explicit::new(&flat.model, &[], &sources).expect("small models are taken");
    let mut initial: Vec<State> = Vec::new();
    let visit = &mut |state: lapidary_system::State<'_>| {
        initial.push(system.unpack(state.discrete));
        Ok(())
    };
    system.initial(&Control::new(), visit).expect("no limits");
    let mut steps = Steps::new();
    explored(&initial, &mut |state| {
        steps.clear();
        system.successors(lapidary_system::State::plain(&system.pack(state)), &mut steps).expect("small numbers");
        let next = steps.states.chunks(system.words()).map(|words| system.unpack(words));
        steps.actions.iter().map(|&command| flat.events[command].as_slice().to_vec()).zip(next).collect()
    })
}
