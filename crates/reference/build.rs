//! Finds out what tests may want that is not part of the project: the models beside it, and solvers that are programs.
//!
//! What is there decides at build time whether a test is ignored, so that a run shows it as ignored and not as passed.
#![allow(clippy::print_stdout, reason = "this is how a build script answers")]

use std::path::Path;
use std::process::{Command, Stdio};

const CORPUS: &str = "../../../shared/corpus/README.md";

fn main() {
    println!("cargo::rustc-check-cfg=cfg(has_corpus, has_z3, has_cvc5)");
    // `./x test` says in this variable what it found: a change of it is a change of what is there.
    println!("cargo::rerun-if-env-changed=LAPIDARY_SURROUNDINGS");
    println!("cargo::rerun-if-changed=build.rs");
    if Path::new(CORPUS).exists() {
        // Only what exists may be named here: cargo takes a missing file for a changed one every time.
        println!("cargo::rerun-if-changed={CORPUS}");
        println!("cargo::rustc-cfg=has_corpus");
    }
    for solver in ["z3", "cvc5"].into_iter().filter(|solver| answers(solver)) {
        println!("cargo::rustc-cfg=has_{solver}");
    }
}

/// A name on the path may be a wrapper without anything behind it.
fn answers(program: &str) -> bool {
    let asked = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    asked.is_ok_and(|status| status.success())
}
