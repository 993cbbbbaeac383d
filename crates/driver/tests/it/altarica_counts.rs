//! Known numbers of AltaRica models, found in all five ways.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::meanings::{Meaning, agreed, tree};
use lapidary_base::Control;
use lapidary_ir::Tree;
use lapidary_ir::passes::flatten;
use lapidary_reference::surroundings::corpus_text;
use lapidary_system::composition::explore_all;

lapidary_reference::with_corpus!(
    mutual_exclusion_has_its_known_numbers,
    lifts_have_their_known_numbers,
    the_first_version_of_the_lift_has_its_known_numbers,
    the_second_version_of_the_lift_has_its_known_numbers,
    stacks_have_the_numbers_of_the_thesis,
    three_levels_have_the_five_listed_vectors,
);

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A model that is kept elsewhere: the tree of a node, or of the last one.
fn elsewhere(path: &str, node: Option<&str>) -> Tree {
    tree(path, &corpus_text(&format!("altarica/{path}")), node)
}

/// All configurations, reachable or not, with their transitions.
fn everything(tree: &mut Tree, what: &str) -> Meaning {
    let graph = explore_all(tree, &Control::new()).expect("no limits");
    tree.init.clear();
    let all = agreed(tree, what);
    assert_eq!((graph.n_states(), graph.transitions.len()), all.counts(), "{what}: listed at once");
    all
}

/// The numbers of reachable configurations and transitions of models, each the last node of its file.
fn check(known: &[(&str, usize, usize)]) {
    for &(path, configurations, transitions) in known {
        let tree = elsewhere(path, None);
        assert_eq!(agreed(&tree, path).counts(), (configurations, transitions), "{path}");
    }
}

fn mutual_exclusion_has_its_known_numbers() {
    check(&[
        ("mutex/burns2.alt", 50, 146),
        ("mutex/burns3.alt", 589, 2257),
        ("mutex/peterson2.alt", 20, 54),
        ("mutex/peterson3.alt", 288, 939),
        ("mutex/fast2.alt", 506, 1944),
        ("mutex/bakery2.alt", 318, 876),
    ]);
}

fn lifts_have_their_known_numbers() {
    check(&[("mutex/lift2.alt", 56, 334), ("mutex/lift3.alt", 336, 2694)]);
}

fn the_first_version_of_the_lift_has_its_known_numbers() {
    check(&[("lift/liftv0.alt", 1792, 19032)]);
}

fn the_second_version_of_the_lift_has_its_known_numbers() {
    check(&[("lift/liftv1.alt", 1792, 18006)]);
}

#[test]
#[ignore = "slow: takes minutes"]
fn large_models_have_their_known_numbers() {
    check(&[("mutex/burns4.alt", 8925, 42397), ("mutex/fast3.alt", 11963, 55642), ("mutex/lift5.alt", 8960, 108_118)]);
}

fn stacks_have_the_numbers_of_the_thesis() {
    for (node, all, reachable) in [("Stack1", (3, 7), 3), ("Stack2", (9, 27), 7), ("Stack3", (27, 91), 15)] {
        let mut tree = elsewhere("stack/stack3.alt", Some(node));
        assert_eq!(agreed(&tree, node).configurations.len(), reachable, "{node}");
        assert_eq!(everything(&mut tree, node).counts(), all, "{node}");
    }
}

fn three_levels_have_the_five_listed_vectors() {
    let mut tree = elsewhere("stack/epsilon3levels.alt", Some("C"));
    let all = everything(&mut tree, "epsilon3levels");
    assert_eq!(all.counts(), (8, 22));
    let expected = ["", "<c, b.a.a>", "b.a.a", "b.b", "c"].map(str::to_owned);
    assert_eq!(all.events(&tree), BTreeSet::from(expected));
    assert_eq!(flatten(&tree).unwrap().events.len(), 5);
}

#[test]
fn many_transitions_of_many_components_at_once_are_all_combined() {
    let text = "
        node Bit state x : bool; event e; trans true |- e -> x := not x; not x |- e -> ; edon
        node Main
          sub b : Bit[7]; event go; trans true |- go -> ;
          sync <go, b[0].e, b[1].e, b[2].e, b[3].e, b[4].e, b[5].e, b[6].e>;
        edon";
    // Where a bit is set, e clears it; where it is not, e sets it or leaves it.
    assert_eq!(agreed(&tree("bits.alt", text, None), "bits").counts(), (128, 3usize.pow(7) + 128));
}

#[test]
fn flows_after_what_has_priority_satisfy_all_assertions_at_once() {
    let text = "
        node Main
          state n : [0, 2]; m : bool; flow f : bool; init n := 0, m := false;
          assert (n = 2) => f; (n = 2) => not f;
          event high > low;
          trans true |- high -> n := n + 1; true |- low -> m := not m;
        edon";
    // Each assertion alone leaves a value of f where n is 2, both together none: high is fired once, then low.
    // Epsilon 4 + 2 * 4, high 2 * 2, low 4 * 2.
    assert_eq!(agreed(&tree("flows.alt", text, None), "flows").counts(), (6, 24));
}

#[test]
fn what_a_priority_forbids_has_no_priority_itself() {
    let text = "
        node Bit state x : bool; event e; trans true |- e -> x := not x; edon
        node Main
          sub s : Bit; state y : bool; event a < b;
          trans true |- a -> ; y |- b -> y := false;
          sync <a?, s.e?>;
        edon";
    // Where b can be fired it forbids both choices with a; the larger one then does not forbid s.e alone.
    let tree = tree("order.alt", text, None);
    let meaning = agreed(&tree, "order");
    assert_eq!(meaning.counts(), (4, 10));
    assert_eq!(meaning.events(&tree), ["", "<a, s.e>", "b", "s.e"].map(str::to_owned).into());
}

/// The tasks of a model of our own: a node with what was counted by hand, by name.
fn tasks(path: &Path) -> Vec<(String, Vec<(String, usize)>)> {
    let text = fs::read_to_string(path.with_extension("toml")).expect("every model has its numbers beside it");
    let tasks = text.split("[[task]]").skip(1).map(|task| {
        let pairs: Vec<(&str, &str)> = task.lines().filter_map(|line| line.split_once(" = ")).collect();
        let node = pairs.iter().find(|(key, _)| *key == "node").expect("a task names its node").1;
        let numbers = pairs.iter().filter_map(|(key, value)| Some(((*key).to_owned(), value.parse().ok()?)));
        (node.trim_matches('"').to_owned(), numbers.collect())
    });
    tasks.collect()
}

#[test]
fn our_own_models_have_the_numbers_that_were_counted_by_hand() {
    let entries = fs::read_dir(root().join("corpus/altarica")).expect("the corpus is there");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|found| found == "alt"));
    files.sort();
    let mut n_tasks = 0;
    for path in files {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let text = fs::read_to_string(&path).unwrap();
        for (node, expected) in tasks(&path) {
            let what = format!("{name} {node}");
            let mut tree = tree(&name, &text, Some(&node));
            let reachable = agreed(&tree, &what);
            let all = everything(&mut tree, &what);
            let flat = flatten(&tree).unwrap();
            let flat_events: BTreeSet<String> = flat.events.iter().map(|flat| tree.flat_event_name(flat)).collect();
            assert!(all.events(&tree).is_subset(&flat_events), "{what}: no other event occurs");
            let found = [
                ("configurations", all.configurations.len()),
                ("reachable", reachable.configurations.len()),
                ("transitions", all.transitions.len()),
                ("reachable_transitions", reachable.transitions.len()),
                ("flat_events", flat_events.len()),
            ];
            assert_eq!(expected, found.map(|(key, number)| (key.to_owned(), number)), "{what}");
            n_tasks += 1;
        }
    }
    assert!(n_tasks >= 14, "there are {n_tasks} tasks");
}
