//! Families of damaged and random texts, each text by its seed: what a program must answer or explain, whatever it is.

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use crate::altarica::hierarchy;
use crate::ast::Model;
use crate::mutate::{garbage, mutate};
use crate::random::Shape;

pub struct Family {
    pub name: &'static str,
    /// Of the texts' language.
    pub suffix: &'static str,
    pub text: fn(u64) -> String,
}

pub const FAMILIES: [Family; 9] = [
    Family { name: "gallery", suffix: "gcl", text: gallery },
    Family { name: "gallery-more", suffix: "gcl", text: |seed| gallery(seed + 1_000_000) },
    Family { name: "gallery-twice", suffix: "gcl", text: |seed| mutate(&gallery(seed), "", seed + 5) },
    Family { name: "random", suffix: "gcl", text: random },
    Family { name: "soup", suffix: "gcl", text: garbage },
    Family { name: "hierarchies", suffix: "alt", text: hierarchies },
    Family { name: "hierarchies-twice", suffix: "alt", text: hierarchies_twice },
    Family { name: "automata", suffix: "cfa", text: crate::cfa::damaged },
    Family { name: "systems", suffix: "xsts", text: crate::xsts::damaged },
];

/// The texts of folders of the project whose names end like this, in order.
fn texts(folders: &[&str], suffix: &str) -> Vec<String> {
    let mut paths = Vec::new();
    for folder in folders {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder);
        let entries = fs::read_dir(folder).expect("the folder is there");
        let mut found: Vec<_> = entries.map(|entry| entry.expect("readable").path()).collect();
        found.retain(|path| path.extension().is_some_and(|found| found == suffix));
        found.sort();
        paths.extend(found);
    }
    paths.iter().map(|path| fs::read_to_string(path).expect("examples are texts")).collect()
}

fn gallery(seed: u64) -> String {
    static TEXTS: LazyLock<Vec<String>> = LazyLock::new(|| texts(&["examples"], "gcl"));
    let pick = |n: u64| &TEXTS[(n % TEXTS.len() as u64) as usize];
    mutate(pick(seed), pick(seed / 7 + 3), seed)
}

fn random(seed: u64) -> String {
    let text = |seed: u64| Model::random(seed, &Shape::default()).to_gcl(seed);
    mutate(&text(seed), &text(seed + 1), seed)
}

fn hierarchies(seed: u64) -> String {
    static TEXTS: LazyLock<Vec<String>> = LazyLock::new(|| texts(&["examples", "corpus/altarica"], "alt"));
    let pick = |n: u64| match n % 3 {
        0 => hierarchy(n, &Default::default()).text,
        _ => TEXTS[(n % TEXTS.len() as u64) as usize].clone(),
    };
    mutate(&pick(seed), &pick(seed / 5 + 1), seed)
}

fn hierarchies_twice(seed: u64) -> String {
    mutate(&hierarchies(seed + 1_000_000), "", seed + 9)
}
