//! The engines find the same states in the models of the gallery.

use std::fs;
use std::path::{Path, PathBuf};

use lapidary_base::Control;
use lapidary_engines::reach::{Config, ExplicitEngine};
use lapidary_engines::symbolic::{self, BddEngine, Direction};
use lapidary_engines::{Engine, Outcome, Target, Task, goals};
use lapidary_frontends::gcl;
use lapidary_ir::{Model, Subject};
use lapidary_text::Sources;

fn models() -> Vec<(PathBuf, Model, Sources)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let entries = fs::read_dir(folder).expect("the gallery is there").map(|entry| entry.expect("readable").path());
    let mut paths: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|suffix| suffix == "gcl")).collect();
    paths.sort();
    let load = |path: PathBuf| {
        let mut sources = Sources::default();
        let source = sources.add(path.display().to_string(), fs::read_to_string(&path).expect("readable"));
        let (model, diagnostics) = gcl::load(&sources, source, &gcl::Options::default());
        (path, model.unwrap_or_else(|| panic!("{diagnostics:?}")), sources)
    };
    paths.into_iter().map(load).collect()
}

#[test]
fn explicit_search_and_diagrams_count_the_same_states() {
    let mut n_compared = 0;
    for (path, model, sources) in models() {
        let targets = [Target::States(model.exprs.bool(false))];
        let subject = Subject::Model(model.clone());
        let task = Task { subject: &subject, goals: &goals(&targets), sources: &sources };
        let diagrams =
            BddEngine { config: symbolic::Config { direction: Direction::Forward, threads: 1, most_nodes: None } };
        if diagrams.prepare(&task, &Control::new()).map(|_| ()).is_err() {
            continue;
        }
        let explicit = ExplicitEngine { config: Config::default() };
        let (listed, drawn) = (explicit.run(&task, &Control::new()), diagrams.run(&task, &Control::new()));
        assert!(matches!(drawn[0].outcome, Outcome::Excluded(_)), "{}: {:?}", path.display(), drawn[0].outcome);
        assert_eq!(listed[0].stats.count("states"), drawn[0].stats.count("states"), "{}", path.display());
        n_compared += 1;
    }
    assert!(n_compared >= 6, "most of the gallery is finite");
}
