//! A node with predicates, its abstractions, and what listing all configurations says of them.

use std::collections::{BTreeMap, BTreeSet};

use lapidary_base::{Control, IdVec};
use lapidary_bdd::Capacity;
use lapidary_frontends::altarica::{Document, load, print};
use lapidary_ir::tree::{EPSILON, ROOT};
use lapidary_ir::{ComponentId, Domain, EventId, Expr, Family, FamilyId, Tree, VarId};
use lapidary_system::abstraction::{Decomposition, Local, Predicate, Simulation, Unsimulated, decompose, simulates};
use lapidary_system::composition::{configurations, explore, explore_all};
use lapidary_system::evaluate::Scope;
use lapidary_text::{Sources, Span};

/// Enough for small nodes.
const CAPACITY: Capacity = Capacity { nodes: 1 << 18, cache: 1 << 12, threads: 1 };

pub struct Case {
    pub text: String,
    pub tree: Tree,
    pub local: Local,
    predicates: Vec<Predicate>,
    /// For every configuration of the detached node, which predicates hold.
    holds: BTreeMap<Vec<i64>, Vec<bool>>,
}

pub struct Made {
    pub before: Tree,
    pub text: String,
    /// What the text is read as.
    pub tree: Tree,
    pub absorbed: Vec<(EventId, EventId)>,
}

fn document(text: &str) -> (Sources, Document) {
    let mut sources = Sources::default();
    let source = sources.add("test.alt", text);
    let (document, diagnostics) = load(&sources, source);
    let wrong: Vec<&str> = diagnostics.list.iter().map(|found| &found.message[..]).collect();
    (sources, document.unwrap_or_else(|| panic!("{wrong:?}\n{text}")))
}

/// Variables with their greatest values and whether they are enumerations; zero stands for Booleans.
pub fn names(tree: &Tree) -> Vec<(String, i64, bool)> {
    let of = |var: VarId| {
        let name = tree.vars[var].name.clone();
        match tree.vars[var].domain {
            Domain::Bits(_) | Domain::Array(_) => unreachable!("AltaRica has neither"),
            Domain::Bool => (name, 0, false),
            Domain::Enum(_) => (name, 0, true),
            Domain::Int | Domain::Range { .. } => (name, tree.bounds(var).1, false),
        }
    };
    tree.vars.ids().map(of).collect()
}

impl Case {
    pub fn new(text: &str, node: &str, predicates: &[(&str, &str)]) -> Self {
        Self::at(text, node, "", predicates)
    }

    pub fn at(text: &str, node: &str, path: &str, predicates: &[(&str, &str)]) -> Self {
        let (mut sources, document) = document(text);
        let (tree, _) = document.instantiate(&sources, node);
        let tree = tree.expect("the node can be instantiated");
        let id = tree.component(path).expect("there is such a component");
        let control = Control::new();
        let local = Local::new(&tree, id, CAPACITY, &control).expect("the component can be detached");
        let mut made = Vec::new();
        let mut exprs = Vec::new();
        for (name, formula) in predicates {
            let source = sources.add("formula", *formula);
            let span = Span::new(source, 0, u32::try_from(formula.len()).expect("short"));
            let expr = document.formula(&tree, &sources, span).expect("a formula");
            let predicate = local.predicate(name, &tree, id, expr).expect("small").expect("about the component");
            made.push(predicate);
            exprs.push(expr);
        }
        let holds = valuations(&tree, id, &local.tree, &exprs);
        Self { text: text.to_owned(), tree, local, predicates: made, holds }
    }

    pub fn with_event_predicates(mut self) -> Self {
        let events: Vec<EventId> = self.local.steps.ids().filter(|&event| event != EPSILON).collect();
        let able = enabled(&self.local.tree);
        for event in events {
            let name = &self.local.tree.components[ROOT].events[event].name;
            let predicate = self.local.event_predicate(&format!("can_{name}"), event).expect("small");
            for (state, holds) in &mut self.holds {
                holds.push(able[state].contains(name));
            }
            self.predicates.push(predicate);
        }
        self
    }

    pub fn n_predicates(&self) -> usize {
        self.predicates.len()
    }

    pub fn made(&mut self, how: Decomposition) -> Made {
        let made = decompose(&mut self.local, &self.predicates, how, &Control::new());
        let made = made.expect("the abstraction is small");
        let text = print::leaf(&made.tree, ROOT);
        let tree = self.read(&text);
        Made { before: made.tree, text, tree, absorbed: made.absorbed }
    }

    pub fn read(&self, text: &str) -> Tree {
        let (sources, document) = document(text);
        document.instantiate(&sources, &self.local.tree.name).0.expect("the text has the node")
    }

    pub fn judged(&self, node: &Tree) -> Result<Simulation, Unsimulated> {
        let control = Control::new();
        simulates(&self.local, &self.predicates, node, CAPACITY, &control).expect("a small node")
    }

    /// The node itself, with the priorities of a leaf.
    fn concrete(&self) -> Listed {
        let mut alone = lapidary_system::abstraction::detached(&self.local.tree, ROOT).expect("it is alone");
        alone.components[ROOT].priorities = self.local.priorities.clone();
        Listed::new(&alone)
    }

    /// Which predicates hold in a configuration of an abstraction, as its variables say.
    fn said(&self, node: &Tree, state: &[i64]) -> Vec<bool> {
        let place = |predicate: &Predicate| {
            node.vars.ids().position(|var| node.vars[var].name == predicate.name).expect("a variable")
        };
        self.predicates.iter().map(|predicate| state[place(predicate)] != 0).collect()
    }

    /// None if the node does not simulate; otherwise whether it is exact.
    pub fn brute(&self, node: &Tree) -> Option<bool> {
        let (ours, its) = (self.concrete(), Listed::new(node));
        let block = |state: &Vec<i64>| self.holds[state].clone();
        let said = |state: &Vec<i64>| self.said(node, state);
        let initial: BTreeSet<Vec<bool>> = its.initial.iter().map(said).collect();
        let begun: BTreeSet<Vec<bool>> = ours.initial.iter().map(block).collect();
        if !begun.is_subset(&initial) {
            return None;
        }
        let steps = |of: &Listed, label: &dyn Fn(&Vec<i64>) -> Vec<bool>| -> BTreeSet<(Vec<bool>, String, Vec<bool>)> {
            of.steps.iter().map(|(from, event, to)| (label(from), event.clone(), label(to))).collect()
        };
        let asked = steps(&ours, &block);
        let mut answers: BTreeMap<&Vec<i64>, BTreeSet<(&str, Vec<bool>)>> = BTreeMap::new();
        for (from, event, to) in &its.steps {
            answers.entry(from).or_default().insert((event, said(to)));
        }
        let nothing = BTreeSet::new();
        for state in &its.states {
            let here = said(state);
            let answered = answers.get(state).unwrap_or(&nothing);
            if asked.iter().any(|(from, event, to)| *from == here && !answered.contains(&(event, to.clone()))) {
                return None;
            }
        }
        let inhabited: BTreeSet<Vec<bool>> = ours.states.iter().map(block).collect();
        let is_inhabited = its.states.iter().all(|state| inhabited.contains(&said(state)));
        Some(is_inhabited && initial.is_subset(&begun) && steps(&its, &said).is_subset(&asked))
    }

    /// Leaves out transitions and assertions one at a time.
    pub fn mutants_are_judged_as_by_brute_force(&self, node: &Tree, how: Decomposition, told: &str) {
        let component = &node.components[ROOT];
        let judge = |mutant: &Tree, what: String| {
            let found = self.judged(mutant).ok().map(|found| found.loose.is_none());
            assert_eq!(found, self.brute(mutant), "{what}\n{told}");
            found
        };
        for place in 0..component.transitions.len().min(4) {
            let mut mutant = copy(node);
            mutant.components[ROOT].transitions.remove(place);
            let found = judge(&mutant, format!("without transition {place}"));
            // With flows, the blocks in which an event can be fired need not be within reach.
            assert!(how == Decomposition::Flow || found.is_none(), "without transition {place}\n{told}");
        }
        for place in 0..component.assertions.len().min(3) {
            let mut mutant = copy(node);
            mutant.components[ROOT].assertions.remove(place);
            judge(&mutant, format!("without assertion {place}"));
        }
    }

    /// Whether configurations in relation can fire the same events.
    pub fn is_neat(&self, node: &Tree) -> bool {
        let concrete = self.concrete();
        let mut alone = lapidary_system::abstraction::detached(&self.local.tree, ROOT).expect("it is alone");
        alone.components[ROOT].priorities = self.local.priorities.clone();
        let (ours, its) = (enabled(&alone), enabled(node));
        concrete.states.iter().all(|state| {
            its.iter().all(|(other, events)| self.said(node, other) != self.holds[state] || *events == ours[state])
        })
    }
}

fn copy(tree: &Tree) -> Tree {
    let mut same = lapidary_system::abstraction::detached(tree, ROOT).expect("it is alone");
    same.components[ROOT].priorities = tree.components[ROOT].priorities.clone();
    same
}

/// Which expressions hold in each configuration of a detached component.
fn valuations(tree: &Tree, id: ComponentId, alone: &Tree, exprs: &[Expr]) -> BTreeMap<Vec<i64>, Vec<bool>> {
    let first = tree.components[id].vars.0 as usize;
    let families: IdVec<FamilyId, Family> = IdVec::new();
    let mut found = BTreeMap::new();
    for state in configurations(alone, usize::MAX, &Control::new()).expect("small") {
        let family = |id: FamilyId| families[id].clone();
        let read = |var: VarId| state[var.0 as usize - first];
        let sort = |var: VarId| tree.vars[var].domain.sort();
        let (arena, enums) = (&tree.exprs, &tree.enums);
        let scope = Scope { exprs: arena, family: &family, read: &read, sort: &sort, enums };
        let holds = exprs.iter().map(|&expr| scope.value(expr) == Some(1)).collect();
        found.insert(state.to_vec(), holds);
    }
    found
}

/// All configurations and steps of a tree with one component; epsilon's name is empty.
struct Listed {
    states: Vec<Vec<i64>>,
    initial: Vec<Vec<i64>>,
    steps: Vec<(Vec<i64>, String, Vec<i64>)>,
}

impl Listed {
    fn new(tree: &Tree) -> Self {
        let control = Control::new();
        let graph = explore_all(tree, &control).expect("a small graph");
        let reached = explore(tree, &control).expect("a small graph");
        let name = |event: EventId| tree.components[ROOT].events[event].name.clone();
        let state = |number: u32| graph.state(number as usize).to_vec();
        let steps = graph.transitions.iter();
        Self {
            states: graph.states().map(<[i64]>::to_vec).collect(),
            initial: reached.states().take(reached.n_initial).map(<[i64]>::to_vec).collect(),
            steps: steps.map(|&(from, event, to)| (state(from), name(graph.events[event][ROOT]), state(to))).collect(),
        }
    }
}

/// The events, epsilon aside, that can be fired in each configuration.
fn enabled(tree: &Tree) -> BTreeMap<Vec<i64>, BTreeSet<String>> {
    let listed = Listed::new(tree);
    let mut able: BTreeMap<Vec<i64>, BTreeSet<String>> =
        listed.states.iter().map(|state| (state.clone(), BTreeSet::new())).collect();
    for (from, event, _) in listed.steps.into_iter().filter(|(_, event, _)| !event.is_empty()) {
        able.get_mut(&from).expect("a state").insert(event);
    }
    able
}

/// The sequences of events up to a length, with epsilon anywhere between them.
pub fn words(tree: &Tree, most: usize) -> BTreeSet<Vec<String>> {
    let listed = Listed::new(tree);
    let after = |states: &BTreeSet<Vec<i64>>, event: &str| -> BTreeSet<Vec<i64>> {
        let steps = listed.steps.iter().filter(|(from, its, _)| its == event && states.contains(from));
        steps.map(|(_, _, to)| to.clone()).collect()
    };
    let events: BTreeSet<&String> =
        listed.steps.iter().map(|(_, event, _)| event).filter(|event| !event.is_empty()).collect();
    // Epsilon reaches all it can in one step: the states stay, and flows take any values.
    let mut open = vec![(Vec::new(), after(&listed.initial.iter().cloned().collect(), ""))];
    let mut words = BTreeSet::new();
    while let Some((word, states)) = open.pop() {
        if states.is_empty() {
            continue;
        }
        if word.len() < most {
            for &event in &events {
                let longer: Vec<String> = word.iter().chain([event]).cloned().collect();
                open.push((longer, after(&after(&states, event), "")));
            }
        }
        words.insert(word);
    }
    words
}
