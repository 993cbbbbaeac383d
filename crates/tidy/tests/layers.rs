//! A crate uses only the layers below its own, as ARCHITECTURE.md says.

use std::fs;

use lapidary_tidy::root;

/// Layer and name. Crates of layers 0 and 1 are open to all above them; `checker` stands apart.
const LAYERS: [(u32, &str); 15] = [
    (0, "base"),
    (1, "text"),
    (2, "ir"),
    (3, "verdict"),
    (4, "bdd"),
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
            assert!(DATA.contains(&used.as_str()), "{name} must not use {used}");
        }
    }
}
