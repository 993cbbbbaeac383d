//! Two threads give what one gives, to the last number, with rounds so small that every model has many.

use std::sync::{Arc, Mutex};

use lapidary_base::{Control, Event, Sink};
use lapidary_engines::reach::passed::Passed;
use lapidary_engines::reach::path::{self, Path};
use lapidary_engines::reach::rounds::Rounds;
use lapidary_engines::reach::search::{Counts, Search};
use lapidary_engines::reach::store::{Node, Store};
use lapidary_engines::reach::waiting::Waiting;
use lapidary_frontends::gcl;
use lapidary_ir::{Model, PropertyKind};
use lapidary_system::{Explicit, Successors};
use lapidary_text::Sources;

use lapidary_reference::dice::Dice;

/// All that can be asked of a search that has ended.
#[derive(Debug, PartialEq)]
struct Ended {
    result: Result<(), lapidary_base::Stop>,
    counts: Counts,
    hits: Vec<(usize, Node, Counts, Path)>,
    told: Vec<usize>,
    fired: Vec<bool>,
    level: Option<u64>,
    n_tested: u64,
    n_listed: u64,
    states: Vec<(Vec<u64>, Option<Node>)>,
    heartbeats: Vec<String>,
}

/// What is told while the search goes on.
struct Heard(Arc<Mutex<Vec<String>>>);

impl Sink for Heard {
    fn event(&self, event: &Event) {
        self.0.lock().expect("nobody panicked").push(format!("{event:?}"));
    }
}

#[derive(Clone, Copy)]
enum Threads {
    One,
    Two(Rounds),
}

fn load(text: &str) -> (Model, Explicit) {
    let mut sources = Sources::default();
    let source = sources.add("test.gcl", text);
    let (model, diagnostics) = gcl::load(&sources, source, &gcl::Options::default());
    let model = model.unwrap_or_else(|| panic!("{text}: {diagnostics:?}"));
    let conditions = model.properties.iter().filter_map(|property| match property.kind {
        PropertyKind::Reach(condition) => Some(condition),
        PropertyKind::DeadlockFree | PropertyKind::Invariant(_) | PropertyKind::NoErrors | PropertyKind::Ltl(_) => None,
    });
    let system = Explicit::new(&model, &conditions.collect::<Vec<_>>(), &sources).expect("small models are taken");
    (model, system)
}

fn ended(text: &str, is_numbered: bool, threads: Threads) -> Ended {
    let (model, system) = load(text);
    let heard = Arc::new(Mutex::new(Vec::new()));
    let control = Control::new().with_sink(Box::new(Heard(Arc::clone(&heard))));
    let is_idle = model.commands.iter().map(|command| command.is_idle).collect();
    let passed = match is_numbered {
        true => Passed::numbered(system.words()),
        false => Passed::new(system.words(), system.all_ones_is_free()),
    };
    let mut search = Search::new(&system, passed, Waiting::interval(), is_idle, &control);
    let mut told = Vec::new();
    let n_reach = model.properties.iter().filter(|p| matches!(p.kind, PropertyKind::Reach(_))).count();
    let (targets, deadlocks) = ((0..n_reach).collect(), vec![n_reach]);
    let met = &mut |search: &Search<'_, Explicit, Passed>| told.push(search.hits.len());
    let result = match threads {
        Threads::One => search.run(targets, deadlocks, met),
        Threads::Two(rounds) => search.run_shared(targets, deadlocks, rounds, met),
    };
    let path = |node| path::path(&system, &search.store, node, &control, &mut || Ok(())).expect("no limits");
    let hits = search.hits.iter().map(|hit| (hit.target, hit.node, hit.counts, path(hit.node))).collect();
    let nodes = (0..search.store.len()).map(|number| Node(number as u32));
    let states = nodes.map(|node| (search.store.state(node).discrete.to_vec(), search.store.parent(node))).collect();
    let (counts, fired, level) = (search.counts, search.fired.clone(), search.level);
    let (n_tested, n_listed) = (search.n_tested, search.n_listed);
    let heartbeats = std::mem::take(&mut *heard.lock().expect("nobody panicked"));
    Ended { result, counts, hits, told, fired, level, n_tested, n_listed, states, heartbeats }
}

fn compare(text: &str) -> Ended {
    let one = ended(text, false, Threads::One);
    for is_numbered in [false, true] {
        for states in [5, 70, 1_000] {
            let rounds = Rounds { states, least_states: 0, least_slots: 0 };
            let two = ended(text, is_numbered, Threads::Two(rounds));
            assert!(one == two, "{text}: rounds of {states}: {:?}, {:?}", one.counts, two.counts);
        }
    }
    one
}

fn model(dice: &mut Dice) -> String {
    let names = ["x", "y", "z", "u"];
    let mut text = String::new();
    let wide = dice.percent(30);
    for name in names {
        text += &format!("var {name} : 0..{} = 0; ", 5 + dice.below(4));
    }
    if wide {
        // More than one word to a state.
        text += "var a : 0..4000000000 = 7; var b : 0..4000000000 = 9; ";
    }
    for number in 0..6 + dice.below(5) {
        let [one, other, third] = [0; 3].map(|_| names[dice.below(4)]);
        let guard = format!("{one} {} {}", ["<", "<", "!=", ">="][dice.below(4)], 1 + dice.below(5));
        let change = match dice.below(4) {
            0 => format!("{other} := {}", dice.below(6)),
            1 => format!("{other} := ({other} + {}) mod 6, {third}' := {}", 1 + dice.below(3), dice.below(5))
                .replace('\'', ""),
            2 => format!("{other} := ({one} + {third}) mod 6"),
            _ => format!("{other} := ({other} + 1) mod 6"),
        };
        let also = if wide && dice.percent(30) { ", a := b, b := a" } else { "" };
        text += &format!("c{number}: {guard} -> {change}{also}; ");
    }
    for number in 0..1 + dice.below(3) {
        text += &format!("reach r{number}: x = {} & y = {} & z > {}; ", dice.below(6), dice.below(6), dice.below(4));
    }
    text
}

#[test]
fn two_threads_number_states_as_one_does() {
    let (mut n_hits, mut n_large) = (0, 0);
    for seed in 0..120 {
        let text = model(&mut Dice::new(seed));
        let one = compare(&text);
        n_hits += one.hits.len();
        n_large += usize::from(one.states.len() > 500);
    }
    assert!(n_hits > 60 && n_large > 20, "{n_hits} hits, {n_large} with more than 500 states");
}

/// What one thread would say, and not what happens to be seen first.
#[test]
fn an_error_is_that_of_the_first_state() {
    let text = "var x : 0..99 = 0; var y : 0..99 = 0; right: x < 99 -> x := x + 1; up: y < 99 -> y := y + 1;
        reach far: x * y * 9000000000000000 < 0; reach never: x < 0;";
    let one = compare(text);
    assert!(matches!(one.result, Err(lapidary_base::Stop::Overflow(_))), "{:?}", one.result);
    assert!(one.states.len() > 1_000);
}

#[test]
fn a_deadlock_is_met_where_one_thread_meets_it() {
    let one = compare(
        "var x : 0..40 = 0; var y : 0..40 = 0; right: x < 40 & x + y < 75 -> x := x + 1; up: y < 40 & x + y < 75 -> y := y + 1;
        reach last: x = 38 & y = 37; reach never: x < 0;",
    );
    assert_eq!(one.hits.iter().map(|hit| hit.0).collect::<Vec<_>>(), [0, 2]);
}

/// Tables grow between rounds, by one thread or by two.
#[test]
fn large_levels_are_searched_as_by_one_thread() {
    let text =
        "var x : 0..59 = 0; var y : 0..59 = 0; var z : 0..59 = 0; x: x < 59 -> x := x + 1; y: y < 59 -> y := y + 1;
        z: z < 59 -> z := z + 1; reach far: x = 55 & y = 58 & z = 57; reach never: x < 0;";
    let one = ended(text, false, Threads::One);
    assert_eq!((one.states.len(), one.heartbeats.len()), (60 * 60 * 60, 3));
    for is_numbered in [false, true] {
        assert!(one == ended(text, is_numbered, Threads::Two(Rounds::default())));
    }
}

/// Batches with very many steps end early, and so they do with very many commands.
#[test]
fn batches_end_where_those_of_one_thread_end() {
    let steps = "var x : 0..29 = 0; var y : 0..29 = 0; var z : 0..299 = 0; right: x < 29 -> x := x + 1, z := (x * 37 + y) mod 300;
        up: y < 29 & x > 3 -> y := y + 1; any: x = 7 & y < 9 -> z := input; some: y = 5 & x < 20 -> z := input;
        reach far: x = 29 & y = 11 & z = 77; reach late: x * y * 30000000000000000 < 0; reach never: x < 0;";
    compare(steps);
    let commands: String =
        (0..12_000).map(|i| format!("c{i}: x = {} & y < {} -> y := {}; ", i % 60, i % 53, i % 61)).collect();
    let many = format!(
        "var x : 0..59 = 0; var y : 0..60 = 0; right: x < 59 -> x := x + 1; {commands}
        reach far: x = 31 & y = 17; reach late: x * y * 20000000000000000 < 0; reach never: x < 0;"
    );
    let one = ended(&many, false, Threads::One);
    let rounds = Rounds { states: 50, least_states: 0, least_slots: 0 };
    assert!(one == ended(&many, false, Threads::Two(rounds)), "{:?}", one.counts);
    assert!(one.states.len() > 300 && one.result.is_err(), "{} {:?}", one.states.len(), one.result);
}

/// What initial states meet is told as soon as by one thread.
#[test]
fn what_is_met_among_initial_states_is_told_first() {
    let one = compare(
        "var x : 0..99; var y : 0..99; step: x > 0 -> x := x - 1; init: x < 60 & y < 60; reach at: x = 50 & y = 50; reach never: x > 99;"
            .replace("init: ", "init ")
            .as_str(),
    );
    assert_eq!(one.hits.len(), 2);
}

/// The limits end a round, and what is told is what one thread would have told up to some state.
#[test]
fn a_stopped_search_knows_what_one_thread_knows() {
    let text =
        "var x : 0..59 = 0; var y : 0..59 = 0; var z : 0..59 = 0; x: x < 59 -> x := x + 1; y: y < 59 -> y := y + 1;
        z: z < 59 -> z := z + 1; reach never: x < 0;";
    let (_, system) = load(text);
    let all = ended(text, false, Threads::One).states;
    for allowed in [3, 30, 300] {
        let control = Control::new().with_allowance(allowed);
        let passed = Passed::new(system.words(), system.all_ones_is_free());
        let mut search = Search::new(&system, passed, Waiting::interval(), vec![false; 3], &control);
        let rounds = Rounds { states: 500, least_states: 0, least_slots: 0 };
        let ended = search.run_shared(vec![0], Vec::new(), rounds, &mut |_| ());
        assert_eq!(ended, Err(lapidary_base::Stop::Budget("work".to_owned())));
        let stored = (0..search.store.len()).map(|number| search.store.state(Node(number as u32)).discrete);
        assert!(search.store.len() < all.len());
        assert!(stored.zip(&all).all(|(state, (expected, _))| state == expected), "{allowed}");
    }
}
