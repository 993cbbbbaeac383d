//! What control-flow automata mean: how they are lowered, what their operators give, what is said of broken ones.

mod broken;
mod evaluate;
mod lowering;
mod operators;

use std::fs;
use std::path::{Path, PathBuf};

use lapidary_frontends::asked::{Asked, Wording};
use lapidary_frontends::cfa::{self, Options};
use lapidary_ir::Model;
use lapidary_text::diagnostic::{Style, render};
use lapidary_text::{Diagnostics, Sources};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn files(folder: &str) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(root().join(folder)) else { return Vec::new() };
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|found| found == "cfa" || found == "theta"));
    files.sort();
    files
}

/// Loads a text with options such as `-p x < 2` and `--errorloc L`.
fn load_with(name: &str, text: &str, options: &[(&str, &str)]) -> (Option<Model>, Diagnostics, Sources) {
    let mut sources = Sources::default();
    let source = sources.add(name, text);
    let mut given = Options::default();
    for &(option, value) in options {
        let source = sources.add_option(option, value);
        match option {
            "-p" => given.formulas.push(Asked { name: value.to_owned(), wording: Wording::Plain, source }),
            "--errorloc" => given.error_location = Some(source),
            _ => panic!("unknown option {option} {value}"),
        }
    }
    let (model, diagnostics) = cfa::load(&sources, source, &given);
    (model, diagnostics, sources)
}

fn show(diagnostics: &Diagnostics, sources: &Sources) -> String {
    diagnostics.list.iter().map(|diagnostic| render(diagnostic, sources, Style::Plain) + "\n\n").collect()
}

/// A model that loads without a word.
fn load(text: &str, options: &[(&str, &str)]) -> Model {
    let (model, diagnostics, sources) = load_with("m.cfa", text, options);
    let shown = show(&diagnostics, &sources);
    assert_eq!(shown, "", "{text}");
    model.expect("there is nothing wrong")
}

lapidary_reference::with_corpus!(the_models_of_the_corpus_are_read_or_refused_by_name);

fn the_models_of_the_corpus_are_read_or_refused_by_name() {
    for part in ["theta/cfa", "theta/plc", "theta/ltl/cfa"] {
        let folder = lapidary_reference::surroundings::corpus(part);
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            let is_automaton = name.ends_with(".cfa") || name.ends_with(".theta");
            // The other syntax has nothing in common with this one.
            if !is_automaton || name.ends_with(".lisp.cfa") {
                continue;
            }
            let (model, diagnostics, sources) = load_with(&name, &fs::read_to_string(&path).unwrap(), &[]);
            let has_floats = ["fp1.cfa", "fp2.cfa", "counter_fp_true.cfa"].contains(&name.as_str());
            assert_eq!(model.is_none(), has_floats, "{name}: {}", show(&diagnostics, &sources));
            assert_eq!(diagnostics.list.is_empty(), !has_floats, "{name}: {}", show(&diagnostics, &sources));
            assert!(diagnostics.list.iter().all(|diagnostic| diagnostic.is_unsupported), "{name}");
        }
    }
}
