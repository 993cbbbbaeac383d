//! A second user of store and expansion: runs of a model beside a small automaton, searched for a cycle through its accepting
//! states. Nothing of the search for targets is needed for it.

use std::collections::BTreeMap;

use lapidary_base::{Control, Stop};
use lapidary_engines::reach::expand::{Expansion, Moves};
use lapidary_engines::reach::passed::Passed;
use lapidary_engines::reach::store::{Batch, Edge, Node, Offered, Store};
use lapidary_frontends::gcl;
use lapidary_ir::PropertyKind;
use lapidary_system::successors::Visit;
use lapidary_system::{Explicit, Point, State, Steps, Successors};
use lapidary_text::Sources;

use lapidary_reference::dice::Dice;

/// Moves beside the model: from one of its states to another where the model's state is as asked for.
struct Monitor {
    moves: Vec<Move>,
    accepting: Vec<u64>,
}

struct Move {
    from: u64,
    to: u64,
    /// Whether the condition is to be true or false, if it is asked.
    asks: Option<bool>,
}

/// The model's words, and behind them the state of the monitor, which has looked at the model's state.
struct Product<'m> {
    model: &'m Explicit,
    monitor: &'m Monitor,
}

impl Product<'_> {
    fn is_true(&self, model: &[u64]) -> Result<bool, Stop> {
        let (mut open, mut hit) = (vec![0], Vec::new());
        self.model.hits(State::plain(model), &mut open, &mut hit, &mut Steps::new())?;
        Ok(!hit.is_empty())
    }

    fn moves(&self, from: u64, model: &[u64]) -> Result<impl Iterator<Item = u64>, Stop> {
        let is_true = self.is_true(model)?;
        let may = move |m: &&Move| m.from == from && m.asks.is_none_or(|asks| asks == is_true);
        Ok(self.monitor.moves.iter().filter(may).map(|m| m.to))
    }

    fn is_accepting(&self, state: State<'_>) -> bool {
        state.discrete.last().is_some_and(|monitor| self.monitor.accepting.contains(monitor))
    }
}

impl Successors for Product<'_> {
    type Lat = Point;

    fn lattice(&self) -> &Point {
        &Point
    }

    fn words(&self) -> usize {
        self.model.words() + 1
    }

    fn all_ones_is_free(&self) -> bool {
        true
    }

    fn initial(&self, control: &Control, visit: &mut Visit<'_>) -> Result<(), Stop> {
        self.model.initial(control, &mut |state| {
            self.moves(0, state.discrete)?.try_for_each(|to| visit(State::plain(&[state.discrete, &[to]].concat())))
        })
    }

    fn successors(&self, state: State<'_>, out: &mut Steps) -> Result<(), Stop> {
        let (model, monitor) = state.discrete.split_at(self.model.words());
        let mut steps = Steps::new();
        self.model.successors(State::plain(model), &mut steps)?;
        for (&action, next) in steps.actions.iter().zip(steps.states.chunks_exact(self.model.words())) {
            for to in self.moves(monitor[0], next)? {
                out.actions.push(action);
                out.states.extend_from_slice(next);
                out.states.push(to);
            }
        }
        Ok(())
    }

    fn hits(&self, _: State<'_>, _: &mut Vec<usize>, _: &mut Vec<usize>, _: &mut Steps) -> Result<(), Stop> {
        Ok(())
    }
}

/// The graph of a product by the numbers of a store.
struct Graph {
    store: Passed,
    edges: Vec<Vec<usize>>,
}

fn explore(product: &Product<'_>) -> Graph {
    let (control, evicted) = (Control::new(), &mut Vec::new());
    let mut store = Passed::numbered(product.words());
    let mut open: Vec<Node> = Vec::new();
    let mut offer = |store: &mut Passed, hash: u64, state: State<'_>, edge: Edge, open: &mut Vec<Node>| match store
        .offer(hash, state, edge, evicted, &control)
        .expect("there are no limits")
    {
        Offered::New(node) => {
            open.push(node);
            node
        }
        Offered::Covered(by) => by.expect("the store keeps numbers"),
        Offered::Grew(_) => unreachable!("plain states do not grow"),
    };
    let start = product.initial(&control, &mut |state| {
        let hash = store.hash(state);
        offer(&mut store, hash, state, Edge::START, &mut open);
        Ok(())
    });
    start.expect("there are no limits");
    let mut edges: Vec<Vec<usize>> = Vec::new();
    let (mut expansion, mut batch) = (Expansion::within(&control), Batch::default());
    let is_idle = vec![false; 16];
    let words = (product.words(), 0);
    while let Some(node) = open.pop() {
        expansion.clear();
        let moves = expansion.expand(product, &store, (node, 0), &is_idle).expect("there are no limits");
        let steps = &expansion.steps;
        assert_eq!(moves == Moves::Idle, steps.is_empty());
        store.glance(&mut batch, steps, 0..steps.len());
        let lead = |step: usize| {
            let edge = Edge { from: node, action: steps.actions[step] };
            let to = offer(&mut store, batch.hashes[step], steps.state(step, words), edge, &mut open);
            assert!(!batch.covered[step] || to.0 < store.len() as u32);
            to.0 as usize
        };
        let led: Vec<usize> = (0..steps.len()).map(lead).collect();
        edges.resize(edges.len().max(store.len()), Vec::new());
        edges[node.0 as usize] = led;
    }
    Graph { store, edges }
}

/// Whether an accepting state lies on a cycle: the components by Tarjan's algorithm, without recursion.
fn has_accepting_cycle(product: &Product<'_>, graph: &Graph) -> bool {
    let n = graph.edges.len();
    let (mut index, mut low, mut on_stack) = (vec![usize::MAX; n], vec![0; n], vec![false; n]);
    let (mut stack, mut n_seen, mut is_found) = (Vec::new(), 0, false);
    for root in 0..n {
        let mut calls = vec![(root, 0)];
        while let Some((node, next)) = calls.pop() {
            if next == 0 {
                if index[node] != usize::MAX {
                    continue;
                }
                (index[node], low[node]) = (n_seen, n_seen);
                n_seen += 1;
                stack.push(node);
                on_stack[node] = true;
            } else if on_stack[graph.edges[node][next - 1]] {
                low[node] = low[node].min(low[graph.edges[node][next - 1]]);
            }
            if let Some(&to) = graph.edges[node].get(next) {
                calls.push((node, next + 1));
                if index[to] == usize::MAX {
                    calls.push((to, 0));
                }
                continue;
            }
            if low[node] == index[node] {
                let at = stack.iter().position(|&other| other == node).expect("it is on the stack");
                let component = stack.split_off(at);
                component.iter().for_each(|&other| on_stack[other] = false);
                let is_cycle = component.len() > 1 || graph.edges[node].contains(&node);
                let is_accepting = |&node: &usize| product.is_accepting(graph.store.state(Node(node as u32)));
                is_found |= is_cycle && component.iter().any(is_accepting);
            }
        }
    }
    is_found
}

/// The same from a plain graph: states by their words, and what can be reached in at least one step.
fn by_brute_force(product: &Product<'_>) -> (usize, bool) {
    let mut rows: BTreeMap<Vec<u64>, Vec<Vec<u64>>> = BTreeMap::new();
    let mut open: Vec<Vec<u64>> = Vec::new();
    let visit = &mut |state: State<'_>| {
        open.push(state.discrete.to_vec());
        Ok(())
    };
    product.initial(&Control::new(), visit).expect("there are no limits");
    while let Some(row) = open.pop() {
        if rows.contains_key(&row) {
            continue;
        }
        let mut steps = Steps::new();
        product.successors(State::plain(&row), &mut steps).expect("there are no limits");
        let next: Vec<Vec<u64>> = steps.states.chunks_exact(product.words()).map(<[u64]>::to_vec).collect();
        open.extend(next.iter().cloned());
        rows.insert(row, next);
    }
    let returns = |row: &Vec<u64>| {
        let (mut seen, mut open) = (Vec::new(), rows[row].clone());
        while let Some(next) = open.pop() {
            if !seen.contains(&next) {
                open.extend(rows[&next].iter().cloned());
                seen.push(next);
            }
        }
        seen.contains(row)
    };
    let is_accepting = |row: &&Vec<u64>| product.is_accepting(State::plain(row));
    (rows.len(), rows.keys().filter(is_accepting).any(returns))
}

fn load(text: &str) -> Explicit {
    let mut sources = Sources::default();
    let source = sources.add("test.gcl", text);
    let (model, diagnostics) = gcl::load(&sources, source, &gcl::Options::default());
    let model = model.unwrap_or_else(|| panic!("{diagnostics:?}"));
    let reach = model.properties.iter().find_map(|property| match property.kind {
        PropertyKind::Reach(condition) => Some(condition),
        PropertyKind::DeadlockFree | PropertyKind::Invariant(_) | PropertyKind::NoErrors | PropertyKind::Ltl(_) => None,
    });
    let condition = reach.expect("one thing is asked");
    Explicit::new(&model, &[condition], &sources).expect("small models are taken")
}

/// Infinitely often: accepting where the condition was just true. From some time on: one guesses when, and stays.
fn monitors() -> [Monitor; 2] {
    let moves =
        |moves: &[(u64, Option<bool>, u64)]| moves.iter().map(|&(from, asks, to)| Move { from, to, asks }).collect();
    let (yes, no) = (Some(true), Some(false));
    [
        Monitor { moves: moves(&[(0, yes, 1), (0, no, 0), (1, yes, 1), (1, no, 0)]), accepting: vec![1] },
        Monitor { moves: moves(&[(0, None, 0), (0, yes, 1), (1, yes, 1)]), accepting: vec![1] },
    ]
}

#[test]
fn what_a_monitor_accepts_is_told_apart() {
    let model = load("var x : 0..3 = 0; up: x < 3 -> x := x + 1; back: x = 3 -> x := 1; reach r: x = 2;");
    let accepted = monitors().each_ref().map(|monitor| {
        let product = Product { model: &model, monitor };
        has_accepting_cycle(&product, &explore(&product))
    });
    assert_eq!(accepted, [true, false], "x is 2 again and again, and never for ever");
}

#[test]
fn products_of_random_models_are_searched_as_by_brute_force() {
    let mut n_accepted = 0;
    for seed in 0..300 {
        let mut dice = Dice::new(seed);
        let mut text = "var x : 0..4 = 0; var y : 0..2 = 0; ".to_owned();
        for number in 0..3 + dice.below(3) {
            let [a, b, c] = [5, 5, 3].map(|n| dice.below(n));
            let [guard, change] = [
                format!("x {} {a}", ["<", ">=", "!="][dice.below(3)]),
                [format!("x := {b}"), format!("y := {c}"), format!("x := {b}, y := {c}")][dice.below(3)].clone(),
            ];
            text += &format!("c{number}: {guard} & y != {} -> {change}; ", dice.below(4));
        }
        text += &format!("reach r: x = {} | y = {};", dice.below(5), dice.below(3));
        let model = load(&text);
        for monitor in &monitors() {
            let product = Product { model: &model, monitor };
            let graph = explore(&product);
            let found = (graph.store.len(), has_accepting_cycle(&product, &graph));
            assert_eq!(found, by_brute_force(&product), "{text}");
            n_accepted += usize::from(found.1);
        }
    }
    assert!((100..500).contains(&n_accepted), "{n_accepted}");
}
