//! Two threads give what one gives, to the last number, with rounds so small that every model has many.

use lapidary_base::Control;
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
    let control = Control::new();
    let is_idle = model.commands.iter().map(|command| command.is_idle).collect();
    let one = || match is_numbered {
        true => Passed::numbered(system.words()),
        false => Passed::new(system.words(), system.all_ones_is_free()),
    };
    let passed = if let Threads::Two(_) = threads { one().shared() } else { one() };
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
    Ended { result, counts, hits, told, fired, level, n_tested: search.n_tested, n_listed: search.n_listed, states }
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
    assert_eq!(one.states.len(), 60 * 60 * 60);
    for is_numbered in [false, true] {
        assert!(one == ended(text, is_numbered, Threads::Two(Rounds::default())));
    }
}
