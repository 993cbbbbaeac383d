//! What models in `.alt` mean: the trees that are made of them, shown and counted.

mod broken;
mod dump;
mod files;
mod golden;
mod semantics;

use std::fs;
use std::path::{Path, PathBuf};

use lapidary_frontends::altarica::{self, Document};
use lapidary_ir::Tree;
use lapidary_reference::surroundings::corpus_text;
use lapidary_text::diagnostic::{Style, render};
use lapidary_text::{Diagnostics, Sources};
use semantics::{Counts, Semantics, check_promises};

lapidary_reference::with_corpus!(
    the_stacks_of_the_thesis_have_its_numbers,
    what_a_node_hides_runs_in_parallel_with_its_parent,
    mutual_exclusion_and_lifts_have_their_known_numbers,
    public_events_keep_the_flat_events_of_the_lift_few,
    every_real_model_is_instantiated,
);

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The models of a folder, in order.
fn files(folder: &str) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(root().join(folder)) else { return Vec::new() };
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|found| found == "alt"));
    files.sort();
    files
}

fn load(name: &str, text: &str) -> (Option<Document>, Diagnostics, Sources) {
    let mut sources = Sources::default();
    let source = sources.add(name, text);
    let (document, diagnostics) = altarica::load(&sources, source);
    (document, diagnostics, sources)
}

fn show(diagnostics: &Diagnostics, sources: &Sources) -> String {
    diagnostics.list.iter().map(|diagnostic| render(diagnostic, sources, Style::Plain) + "\n\n").collect()
}

/// A document that is read without errors.
fn document(name: &str, text: &str) -> (Document, Sources) {
    let (document, diagnostics, sources) = load(name, text);
    (document.unwrap_or_else(|| panic!("{}", show(&diagnostics, &sources))), sources)
}

/// The tree of a node; of the last one if it has no name.
fn instantiate(name: &str, text: &str, node: &str) -> Tree {
    let (document, sources) = document(name, text);
    let node = if node.is_empty() { *document.nodes().last().expect("there is a node") } else { node };
    let (tree, diagnostics) = document.instantiate(&sources, node);
    let tree = tree.unwrap_or_else(|| panic!("{}", show(&diagnostics, &sources)));
    check_promises(&tree);
    tree
}

/// The tasks of a model: a node and its known numbers.
fn tasks(path: &Path) -> Vec<(String, Vec<(String, usize)>)> {
    let text = fs::read_to_string(path.with_extension("toml")).expect("every model has its numbers beside it");
    let tasks = text.split("[[task]]").skip(1).map(|task| {
        let pairs: Vec<(&str, &str)> = task.lines().filter_map(|line| line.split_once(" = ")).collect();
        let node = pairs.iter().find(|(key, _)| *key == "node").expect("a task names its node").1;
        let numbers = pairs.iter().filter_map(|(key, value)| Some(((*key).to_owned(), value.parse().ok()?))).collect();
        (node.trim_matches('"').to_owned(), numbers)
    });
    tasks.collect()
}

#[test]
fn the_corpus_has_the_numbers_that_were_counted_by_hand() {
    let mut n_tasks = 0;
    for path in files("corpus/altarica") {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let text = fs::read_to_string(&path).unwrap();
        let (_, diagnostics, sources) = load(&name, &text);
        assert_eq!(show(&diagnostics, &sources), "", "{name} is read without a word");
        for (node, expected) in tasks(&path) {
            let tree = instantiate(&name, &text, &node);
            let semantics = Semantics::new(&tree);
            let (all, (reachable, _)) = (semantics.all(), semantics.reachable());
            let found = [
                ("configurations", all.configurations),
                ("reachable", reachable.configurations),
                ("transitions", all.transitions),
                ("reachable_transitions", reachable.transitions),
                ("flat_events", semantics.n_flat_events()),
            ];
            let found: Vec<(String, usize)> = found.iter().map(|&(key, number)| (key.to_owned(), number)).collect();
            assert_eq!(found, expected, "{name} {node}");
            n_tasks += 1;
        }
    }
    assert!(n_tasks >= 14);
}

/// A model that is kept elsewhere.
fn elsewhere(path: &str) -> String {
    corpus_text(&format!("altarica/{path}"))
}

fn the_stacks_of_the_thesis_have_its_numbers() {
    let text = elsewhere("stack/stack3.alt");
    for (node, configurations, transitions, reachable) in
        [("Stack1", 3, 7, 3), ("Stack2", 9, 27, 7), ("Stack3", 27, 91, 15)]
    {
        let tree = instantiate("stack3.alt", &text, node);
        let semantics = Semantics::new(&tree);
        assert_eq!(semantics.all(), Counts { configurations, transitions }, "{node}");
        assert_eq!(semantics.reachable().0.configurations, reachable, "{node}");
    }
}

fn what_a_node_hides_runs_in_parallel_with_its_parent() {
    let text = elsewhere("stack/epsilon3levels.alt");
    let tree = instantiate("epsilon3levels.alt", &text, "C");
    let semantics = Semantics::new(&tree);
    assert_eq!(semantics.n_flat_events(), 5);
    assert_eq!(semantics.all(), Counts { configurations: 8, transitions: 22 });
}

fn mutual_exclusion_and_lifts_have_their_known_numbers() {
    let known = [
        ("mutex/burns2.alt", 50, 146),
        ("mutex/burns3.alt", 589, 2257),
        ("mutex/peterson2.alt", 20, 54),
        ("mutex/peterson3.alt", 288, 939),
        ("mutex/fast2.alt", 506, 1944),
        ("mutex/bakery2.alt", 318, 876),
        ("mutex/lift2.alt", 56, 334),
        ("mutex/lift3.alt", 336, 2694),
    ];
    for (path, configurations, transitions) in known {
        let text = elsewhere(path);
        let tree = instantiate(path, &text, "");
        assert_eq!(Semantics::new(&tree).reachable().0, Counts { configurations, transitions }, "{path}");
    }
}

fn public_events_keep_the_flat_events_of_the_lift_few() {
    for path in ["lift/liftv0.alt", "lift/liftv1.alt"] {
        let text = elsewhere(path);
        let tree = instantiate(path, &text, "");
        assert_eq!(Semantics::new(&tree).n_flat_events(), 19, "{path}");
    }
}

/// The tank with a controller: six files one after the other, with the controller's name and a number of failures.
fn tank(controller: &str, failures: &str) -> (String, String) {
    let parts =
        ["Alt/Parameters.alt", "Alt/Valve.alt", "Alt/ValveVirtual.alt", "Alt/Tank.alt", controller, "Alt/System.alt"];
    let texts: Vec<String> = parts.iter().map(|part| elsewhere(&format!("tank/{part}"))).collect();
    let name = Path::new(controller).file_stem().expect("a file").to_string_lossy().into_owned();
    let text = texts.concat().replace("NbPannes", failures).replace("NomDuControleur", &name);
    (text, format!("System{failures}F{name}"))
}

fn every_real_model_is_instantiated() {
    let mut n_trees = 0;
    for folder in ["stack", "mutex", "lift"] {
        for path in files(&format!("../shared/corpus/altarica/{folder}")) {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            instantiate(&name, &fs::read_to_string(&path).unwrap(), "");
            n_trees += 1;
        }
    }
    for path in files("../shared/corpus/altarica/tank/Controleurs") {
        let controller = format!("Controleurs/{}", path.file_name().unwrap().to_string_lossy());
        for failures in ["0", "3"] {
            let (text, node) = tank(&controller, failures);
            let tree = instantiate(&controller, &text, &node);
            let vectors = tree.components.iter().map(|component| component.vectors.len()).next();
            assert_eq!((tree.components[lapidary_ir::tree::ROOT].subs.len(), vectors), (5, Some(29)), "{controller}");
            n_trees += 1;
        }
    }
    assert!(n_trees > 100, "{n_trees}");
}
