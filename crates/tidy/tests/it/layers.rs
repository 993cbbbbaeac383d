//! A crate uses only the layers below its own, as ARCHITECTURE.md says.

use std::fs;
use std::path::{Path, PathBuf};

use lapidary_tidy::root;

/// Layer and name. Crates of layers 0 and 1 are open to all above them; `checker` stands apart.
const LAYERS: [(u32, &str); 16] = [
    (0, "base"),
    (1, "text"),
    (2, "ir"),
    (3, "verdict"),
    (4, "bdd"),
    (4, "smt"),
    (5, "system"),
    (6, "engines"),
    (7, "frontends"),
    (7, "checker"),
    (7, "mec"),
    (8, "driver"),
    (9, "lapidary"),
    (10, "bench"),
    (10, "tidy"),
    (10, "reference"),
];

/// The checker and the front ends must not see the code whose answers they judge or feed.
const ONLY_DATA: [&str; 2] = ["checker", "frontends"];
const DATA: [&str; 4] = ["base", "text", "ir", "verdict"];
/// Of `smt` the checker may use terms and solvers, never the encoding that engines use.
const ALSO: [(&str, &str); 1] = [("checker", "smt")];

fn layer(name: &str) -> u32 {
    let found = LAYERS.iter().find(|(_, known)| *known == name);
    found.unwrap_or_else(|| panic!("crate {name} has no layer: add it here and to ARCHITECTURE.md")).0
}

/// The project's own crates among the dependencies (not the dev-dependencies) of a crate.
fn dependencies(name: &str) -> Vec<String> {
    let manifest = fs::read_to_string(root().join("crates").join(name).join("Cargo.toml")).expect("a manifest");
    let section = manifest.split("\n[").find_map(|section| section.strip_prefix("dependencies]"));
    let names = section.unwrap_or("").lines().filter_map(|line| line.strip_prefix("lapidary-"));
    names.map(|line| line.split(['.', ' ', '=']).next().expect("a name").to_owned()).collect()
}

#[test]
fn every_crate_uses_only_layers_below_its_own() {
    let mut folders: Vec<String> = fs::read_dir(root().join("crates"))
        .expect("crates/")
        .map(|entry| entry.expect("readable").file_name().into_string().expect("plain names"))
        .collect();
    folders.sort();
    for name in &folders {
        for used in dependencies(name) {
            assert!(layer(&used) < layer(name), "{name} (layer {}) uses {used} (layer {})", layer(name), layer(&used));
        }
    }
    assert_eq!(folders.len(), LAYERS.len(), "LAYERS lists the crates there are: {folders:?}");
}

#[test]
fn checker_and_frontends_see_only_data() {
    for name in ONLY_DATA {
        for used in dependencies(name) {
            let allowed = DATA.contains(&used.as_str()) || ALSO.contains(&(name, used.as_str()));
            assert!(allowed, "{name} must not use {used}");
        }
    }
}

/// Every `.rs` file below a folder.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("readable").path();
        match path.is_dir() {
            true => found.extend(sources(&path)),
            false => found.extend(path.extension().is_some_and(|extension| extension == "rs").then_some(path)),
        }
    }
    found.sort();
    found
}

#[test]
fn the_checker_has_an_encoding_of_its_own() {
    let files = sources(&root().join("crates/checker/src"));
    assert!(files.len() > 30, "the files are found: {}", files.len());
    for file in files {
        let text = fs::read_to_string(&file).expect("readable");
        // Its diagrams have a module of this name too.
        let text = text.replace("self::encode::", "").replace("super::encode::", "").replace("diagram::encode::", "");
        for word in ["lapidary_smt::encode", "encode::"] {
            assert!(!text.contains(word), "{} mentions {word}", file.display());
        }
        let mut uses = text.lines().filter(|line| line.contains("lapidary_smt"));
        assert!(!uses.any(|line| line.contains("encode")), "{} uses the encoding of engines", file.display());
    }
}
