//! Finds out what tests may want that is not part of the project: the models beside it, and programs: solvers, shells and what
//! renders manual pages.
//!
//! What is there decides at build time whether a test is ignored, so that a run shows it as ignored and not as passed.
#![allow(clippy::print_stdout, reason = "this is how a build script answers")]

use std::path::Path;
use std::process::{Command, Stdio};

const CORPUS: &str = "../../../shared/corpus/README.md";

const PROGRAMS: [&str; 6] = ["z3", "cvc5", "bash", "zsh", "fish", "groff"];

fn main() {
    println!("cargo::rustc-check-cfg=cfg(has_corpus, has_z3, has_cvc5, has_bash, has_zsh, has_fish, has_groff)");
    // `./x test` says in this variable what it found: a change of it is a change of what is there.
    println!("cargo::rerun-if-env-changed=LAPIDARY_SURROUNDINGS");
    println!("cargo::rerun-if-changed=build.rs");
    if Path::new(CORPUS).exists() {
        // Only what exists may be named here: cargo takes a missing file for a changed one every time.
        println!("cargo::rerun-if-changed={CORPUS}");
        println!("cargo::rustc-cfg=has_corpus");
    }
    for program in PROGRAMS.into_iter().filter(|program| answers(program)) {
        println!("cargo::rustc-cfg=has_{program}");
    }
}

/// A name on the path may be a wrapper without anything behind it.
fn answers(program: &str) -> bool {
    let asked = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    asked.is_ok_and(|status| status.success())
}
