//! ARC's own results on its published models, value by value.

use std::fs;

use super::support::{Case, ENGINES, corpus, corpus_folder};
use lapidary_mec::acheck::EngineChoice;

lapidary_reference::with_corpus!(
    explicit_sets_have_the_sizes_that_arc_published,
    diagrams_have_the_sizes_that_arc_published,
    graphs_have_as_many_nodes_and_edges_as_arcs,
    graphs_of_the_valves_read_like_arcs,
    the_lift_satisfies_what_its_authors_say,
    controllers_that_we_synthesise_have_the_numbers_of_arcs,
);

/// The tank with so many failures and this controller, assembled as its authors did.
fn tank(failures: &str, controller: &str) -> String {
    let folders = ["Alt", "Controleurs", "ControleursOpt"];
    let folder = corpus_folder();
    let found = folders.iter().rev().find(|f| folder.join(format!("tank/{f}/{controller}.alt")).exists());
    let found = found.expect("a controller of the corpus");
    assembled(failures, controller, &corpus(&format!("tank/{found}/{controller}.alt")))
}

fn assembled(failures: &str, controller: &str, text_of_controller: &str) -> String {
    let parts = ["Parameters", "Valve", "ValveVirtual", "Tank"].map(|part| corpus(&format!("tank/Alt/{part}.alt")));
    let text = parts.concat() + text_of_controller + &corpus("tank/Alt/System.alt");
    text.replace("NbPannes", failures).replace("NomDuControleur", controller)
}

/// `System1FCtrlVV1F2I_Opt` is the tank with one failure and the controller `CtrlVV1F2I_Opt`.
fn split(system: &str) -> (&str, &str) {
    let rest = system.strip_prefix("System").expect("results are called after their system");
    rest.split_once('F').expect("failures come before the controller")
}

fn names(folder: &str, suffix: &str) -> Vec<String> {
    let entries = fs::read_dir(corpus_folder().join(folder)).expect("a folder of the corpus");
    let files = entries.map(|entry| entry.expect("readable").file_name().into_string().expect("plain names"));
    let mut names: Vec<String> = files.filter_map(|name| name.strip_suffix(suffix).map(str::to_owned)).collect();
    names.sort();
    names
}

fn spec(system: &str) -> String {
    let (failures, controller) = split(system);
    let text = corpus("tank/Spec/System.spe");
    text.replace("NbPannes", failures).replace("NomDuControleur", controller)
}

fn check_results(engine: EngineChoice, wanted: impl Fn(usize) -> bool) {
    for (place, system) in names("tank/Res", ".res").iter().enumerate() {
        if !wanted(place) {
            continue;
        }
        let (failures, controller) = split(system);
        let case = Case::new(&tank(failures, controller), &spec(system));
        let (kept, result) = case.run(engine);
        if let Err(failure) = result {
            panic!("{system}: {}", case.failure(failure));
        }
        let expected = corpus(&format!("tank/Res/{system}.res"));
        assert_eq!(kept.file(&format!("Res/{system}.res")), expected, "{system}");
    }
}

fn explicit_sets_have_the_sizes_that_arc_published() {
    check_results(EngineChoice::Explicit, |_| true);
}

fn diagrams_have_the_sizes_that_arc_published() {
    check_results(EngineChoice::Diagrams, |_| true);
}

/// Distinct nodes and edges of a graph.
fn counts(dot: &str) -> (usize, usize) {
    let names = |line: &str| {
        let line = line.trim_start();
        let is_node = line.starts_with(['N', 'C']) && line.chars().nth(1).is_some_and(|c| c.is_ascii_digit());
        is_node.then(|| line.split(['[', ' ']).next().expect("a name").to_owned())
    };
    let mut nodes: Vec<String> = dot.lines().filter_map(names).collect();
    nodes.sort();
    nodes.dedup();
    (nodes.len(), dot.lines().filter(|line| line.contains(" -> ")).count())
}

fn graphs_have_as_many_nodes_and_edges_as_arcs() {
    for engine in ENGINES {
        for graph in names("tank/Graphs", ".dot").iter().filter(|graph| graph.starts_with("System")) {
            let (failures, controller) = split(graph);
            let script = format!("with {graph} do dot(any_s, any_t - self_epsilon) > '$NODENAME.dot'; done");
            let case = Case::new(&tank(failures, controller), &script);
            let (kept, result) = case.run(engine);
            assert!(result.is_ok(), "{graph}");
            let expected = corpus(&format!("tank/Graphs/{graph}.dot"));
            assert_eq!(counts(kept.file(&format!("{graph}.dot"))), counts(&expected), "{graph}");
        }
    }
}

/// A graph with its nodes called by their labels, line by line in order: names and places of nodes do not matter.
fn told(dot: &str) -> Vec<String> {
    let label = |line: &str| line.split("[label=").nth(1).unwrap_or("").to_owned();
    let node = |line: &str| line.trim().split(['[', ' ']).next().unwrap_or("").to_owned();
    let is_node = |line: &&str| !line.contains(" -> ") && line.contains("[label=");
    let labels: Vec<(String, String)> = dot.lines().filter(is_node).map(|line| (node(line), label(line))).collect();
    let called = |name: &str| labels.iter().find(|(known, _)| known == name).map_or(String::new(), |(_, l)| l.clone());
    let mut lines: Vec<String> = dot
        .lines()
        .map(|line| match line.trim().split_once(" -> ") {
            Some((source, rest)) => {
                let target = rest.split(' ').next().expect("a target");
                format!("{} -> {} {}", called(source), called(target), label(line))
            }
            None if is_node(&line) => called(&node(line)),
            None => line.to_owned(),
        })
        .collect();
    lines.sort();
    lines
}

fn graphs_of_the_valves_read_like_arcs() {
    let (model, script) = (corpus("tank/Alt/Parameters.alt"), corpus("tank/Spec/Graphs.spe"));
    let model = model.replace("NbPannes", "0") + &corpus("tank/Alt/Valve.alt") + &corpus("tank/Alt/ValveVirtual.alt");
    let script = script.split("with System").next().expect("the valves come first").to_owned();
    for engine in ENGINES {
        let case = Case::new(&model, &script);
        let (kept, result) = case.run(engine);
        assert!(result.is_ok());
        assert_eq!(kept.files.len(), 6);
        for (path, text) in &kept.files {
            let expected = corpus(&format!("tank/{path}"));
            assert_eq!(told(text), told(&expected), "{path}:\n{text}");
        }
    }
}

fn the_lift_satisfies_what_its_authors_say() {
    let script = corpus("lift/specs.spe");
    let properties = ["notP1", "notP2", "notP3", "notP5", "notP6", "notP7", "notP8"];
    let show = format!("show(any_s, any_t, dead, notResettable, {});\ndone", properties.join(", "));
    let script = script.trim_end().strip_suffix("done").expect("one block").to_owned() + &show;
    let versions: [(&str, &str, u64, &[&str]); 2] =
        [("v0", "Building", 19032, &["notP7", "notP8"]), ("v1", "BuildingV1", 18006, &["notP8"])];
    for (version, node, transitions, violated) in versions {
        let model = corpus(&format!("lift/lift{version}.alt"));
        let text = Case::new(&model, &script.replace("with Building do", &format!("with {node} do"))).printed();
        let value = |set: &str| -> u64 {
            let line = text.lines().find_map(|line| line.strip_prefix(&format!(" * {set} = ")));
            line.expect("shown").parse().expect("a number")
        };
        assert_eq!((value("any_s"), value("any_t")), (1792, transitions), "{version}");
        assert_eq!((value("dead"), value("notResettable")), (0, 0), "{version}");
        let failing: Vec<&str> = properties.into_iter().filter(|property| value(property) > 0).collect();
        assert_eq!(failing, violated, "{version}");
    }
}

/// ARC's rule for universal projection is not documented. On the tank ours gives the same numbers: controllers are
/// projected, put in place of their predecessors and projected again, until there is no published result any more.
fn controllers_that_we_synthesise_have_the_numbers_of_arcs() {
    let mut n_compared = 0;
    for (family, failures) in ["Ctrl", "CtrlVV"].iter().flat_map(|family| ["0", "1", "2", "3"].map(|f| (family, f))) {
        let mut text = corpus(&format!("tank/Alt/{family}.alt"));
        let mut controller = (*family).to_owned();
        for iteration in 1.. {
            let system = format!("System{failures}F{controller}");
            let script = spec(&system).replace("CtrlInitial", family);
            let script = script.replace("NumIter", &format!("{iteration}I"));
            let case = Case::new(&assembled(failures, &controller, &text), &script);
            let (kept, result) = case.run(EngineChoice::Diagrams);
            assert!(result.is_ok(), "{system}");
            let expected = corpus(&format!("tank/Res/{system}.res"));
            assert_eq!(kept.file(&format!("Res/{system}.res")), expected, "{system}");
            n_compared += usize::from(iteration > 1);
            controller = format!("{family}{failures}F{iteration}I");
            if !corpus_folder().join(format!("tank/Res/System{failures}F{controller}.res")).exists() {
                break;
            }
            text = kept.file(&format!("Controleurs/{controller}.alt")).to_owned();
        }
    }
    assert_eq!(n_compared, 24, "controllers of our own");
}
