//! Sets of configurations as decision diagrams, listed in the end.

use std::collections::BTreeSet;

use lapidary_base::{Control, Id, IdVec};
use lapidary_bdd::{Capacity, Column, Set};
use lapidary_ir::passes::flatten;
use lapidary_ir::tree::EPSILON;
use lapidary_ir::{EventId, Exprs, Tree};
use lapidary_system::symbolic::{self, Copies, Group, Origin, Symbolic};
use lapidary_verdict::State;

use super::{Label, Meaning};

const CAPACITY: Capacity = Capacity { nodes: 1 << 20, cache: 1 << 14, threads: 1 };

/// A system and the expressions of its definitions.
struct Seen<'a> {
    system: &'a Symbolic,
    exprs: &'a Exprs,
    reachable: Set,
}

impl<'a> Seen<'a> {
    fn new(system: &'a Symbolic, exprs: &'a Exprs) -> Self {
        let space = &system.space;
        let mut reachable = system.initial.clone();
        loop {
            let mut more = reachable.clone();
            for group in &system.groups {
                let next = system.post(group, &reachable).expect("room enough");
                more = space.or(&more, &next).expect("room enough");
            }
            if more == reachable {
                return Self { system, exprs, reachable };
            }
            reachable = more;
        }
    }

    fn state(&self, values: &[u64]) -> State {
        self.system.places.restore(self.exprs, &IdVec::new(), values)
    }

    fn states(&self, set: &Set) -> Vec<State> {
        let mut found = Vec::new();
        let visit = &mut |values: &[u64]| {
            found.push(self.state(values));
            Ok(())
        };
        self.system.space.for_each(set, &self.system.columns(), visit).expect("no limits");
        found
    }

    /// The transitions of a relation that leave a reachable configuration; `labels` are the columns of their events.
    fn transitions(&self, relation: &Set, labels: &[Column]) -> Vec<(State, Label, State)> {
        let Symbolic { space, places, .. } = self.system;
        let relation = space.and(relation, &self.reachable).expect("room enough");
        let (before, after) = (places.columns(0), places.columns(1));
        let n_columns = before.len();
        let columns = [&before[..], &after[..], labels].concat();
        let mut found = Vec::new();
        let visit = &mut |values: &[u64]| {
            let (before, rest) = values.split_at(n_columns);
            let (after, events) = rest.split_at(n_columns);
            let event = |&value: &u64| EventId::new(usize::try_from(value).unwrap());
            found.push((self.state(before), events.iter().map(event).collect(), self.state(after)));
            Ok(())
        };
        space.for_each(&relation, &columns, visit).expect("no limits");
        found
    }

    fn meaning(&self, mut transitions: Vec<(State, Label, State)>) -> Meaning {
        transitions.sort_unstable();
        transitions.dedup();
        let reachable: BTreeSet<State> = self.states(&self.reachable).into_iter().collect();
        let meaning = Meaning::new(reachable, &self.states(&self.system.initial), &transitions);
        let stuck = self.system.deadlocks(&Control::new()).expect("room enough");
        let mut stuck = self.states(&self.system.space.and(&stuck, &self.reachable).expect("room enough"));
        stuck.sort_unstable();
        let deadlocks: Vec<State> =
            meaning.deadlocks.iter().map(|&number| meaning.configurations[number].clone()).collect();
        assert_eq!(stuck, deadlocks, "the set of deadlocks is where nothing but epsilon leads on");
        meaning
    }
}

pub fn composed(tree: &Tree) -> Meaning {
    let (copies, control) = (Copies { variables: 2, events: 1 }, Control::new());
    let labelled = symbolic::labelled(tree, copies, CAPACITY, &control).expect("room enough");
    let seen = Seen::new(&labelled.system, &tree.exprs);
    let labels: Vec<Column> = labelled.events.iter().map(|copies| copies[0]).collect();
    let transitions = labelled.transitions.iter().flat_map(|relation| seen.transitions(relation, &labels)).collect();
    let meaning = seen.meaning(transitions);
    assert_eq!(unlabelled(tree), meaning.configurations, "labels change nothing");
    meaning
}

/// What is reached where transitions have no labels.
fn unlabelled(tree: &Tree) -> Vec<State> {
    let system = symbolic::compose(tree, CAPACITY, &Control::new()).expect("room enough");
    let seen = Seen::new(&system, &tree.exprs);
    let mut states = seen.states(&seen.reachable);
    states.sort_unstable();
    states
}

pub fn flattened(tree: &Tree) -> Meaning {
    let flat = flatten(tree).expect("small trees are flattened");
    let system = symbolic::model(&flat.model, CAPACITY, &Control::new()).expect("room enough");
    let seen = Seen::new(&system, &flat.model.exprs);
    let mut transitions = Vec::new();
    for group in &system.groups {
        let label: Label = match group.origin {
            Origin::Idle => tree.components.iter().map(|_| EPSILON).collect(),
            Origin::Command(command) => flat.events[command].as_slice().to_vec(),
            Origin::Vectors => panic!("models have commands"),
        };
        let found = seen.transitions(&whole(&system, group), &[]);
        transitions.extend(found.into_iter().map(|(from, _, to)| (from, label.clone(), to)));
    }
    seen.meaning(transitions)
}

/// The relation of a group between configurations: what it does not write keeps its value.
fn whole(system: &Symbolic, group: &Group) -> Set {
    let Symbolic { space, places, configurations, .. } = system;
    let pairs: Vec<(Column, Column)> = places.columns(0).into_iter().zip(places.columns(1)).collect();
    let after = space.rename(configurations, &space.renaming(&pairs)).expect("room enough");
    let mut relation = space.and(&group.relation, configurations).expect("room enough");
    relation = space.and(&relation, &after).expect("room enough");
    for (var, &(before, after)) in places.essential().zip(&pairs) {
        if !group.written.contains(&var) {
            let kept = space.equal(before, after).expect("room enough");
            relation = space.and(&relation, &kept).expect("room enough");
        }
    }
    relation
}
