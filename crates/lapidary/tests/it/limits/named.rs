//! What once did not end: files of others, sizes beyond them, and depths.

use lapidary_reference::surroundings::corpus;

use super::guarded::{ALL, AT_ONCE, Case, Folder, Limit, check_all, run};
use crate::support::example;

fn path(part: &str) -> String {
    corpus(part).to_str().expect("plain paths").to_owned()
}

#[test]
fn a_conjunction_of_large_diagrams() {
    let model = example("lift.gcl");
    let cases = ALL.map(|limit| (vec![&model, "-D", "FLOORS=16", "--engine", "pcegar"], limit));
    check_all(&cases, AT_ONCE);
}

lapidary_reference::with_corpus!(
    a_sum_in_diagrams,
    shared_expressions,
    pruning_of_thread_programs,
    many_vectors_and_many_paths,
    asking_what_was_understood,
);

fn a_sum_in_diagrams() {
    let model = path("limits/hang_sum.gcl");
    let mut cases: Vec<Case> = Vec::new();
    for engine in ["bdd", "cegar", "pcegar", "explicit", "auto"] {
        cases.push((vec![&model, "--engine", engine], Limit::Soon));
    }
    cases.push((vec![&model, "--engine", "bdd"], Limit::Memory));
    cases.push((vec![&model, "--engine", "pcegar"], Limit::Interrupt));
    check_all(&cases, AT_ONCE);
}

fn shared_expressions() {
    let model = path("limits/hang1480.alt");
    let mut cases: Vec<Case> = Vec::new();
    for engine in ["explicit", "bdd", "cegar", "pcegar", "hierarchical", "matching", "bmc", "kinduction", "auto"] {
        let formula = "(s0.s1.s0.x0 < 1) or (s0.y0 = s0.s0.s1.x0)";
        cases.push((vec![&model, "--engine", engine, "-p", formula], Limit::Soon));
    }
    cases.push((vec![&model, "-p", "not (s1.y0 or s0.s1.s1.x0)"], Limit::Memory));
    cases.push((vec![&model, "-p", "s1.y0"], Limit::Interrupt));
    check_all(&cases, AT_ONCE);
}

fn pruning_of_thread_programs() {
    let largest = path("threads/double_lock_p1_vs_satabs.2.spec");
    let others =
        ["double_lock_p3_vs_satabs.3", "peterson_vs_satabs.2"].map(|name| path(&format!("threads/{name}.spec")));
    let mut cases: Vec<Case> = Vec::new();
    for model in [&largest, &others[0], &others[1]] {
        cases.push((vec![model, "--engine", "backward"], Limit::Soon));
    }
    for engine in ["lazy", "explicit", "bmc", "kinduction", "matching"] {
        cases.push((vec![&largest, "--engine", engine], Limit::Soon));
    }
    cases.push((vec![&largest, "--engine", "backward"], Limit::Interrupt));
    cases.push((vec![&largest, "--engine", "lazy"], Limit::Memory));
    check_all(&cases, AT_ONCE);
}

fn many_vectors_and_many_paths() {
    // Too many combinations to be flattened: who needs them says so at once.
    let found = run(&["check", &path("limits/big.alt"), "-p", "a0.x", "--engine", "explicit"], Limit::Soon);
    assert!(found.code == Some(30) && found.stdout.contains("too large to be flattened"), "{}", found.stdout);
    let models = ["limits/ifs.lir", "limits/a2.gcl"].map(path);
    let mut cases: Vec<Case> = Vec::new();
    for engine in ["explicit", "bdd", "matching", "kinduction", "auto"] {
        cases.extend(models.iter().map(|model| (vec![model.as_str(), "--engine", engine], Limit::Soon)));
    }
    check_all(&cases, AT_ONCE);
}

fn asking_what_was_understood() {
    let threads = "threads/double_lock_p1_vs_satabs.2.spec";
    for part in ["limits/hang_sum.gcl", "limits/hang1480.alt", "limits/ifs.lir", threads] {
        let found = run(&["info", &path(part)], Limit::Time);
        assert!(matches!(found.code, Some(0 | 30)), "{part}: {found:?}");
    }
}

/// A token that walks along a chain of places.
fn chain_in_lola(n: usize) -> String {
    let names: Vec<String> = (0..n).map(|i| format!("p{i}")).collect();
    let mut text = format!("PLACE {};\nMARKING p0: 1;\n", names.join(", "));
    for i in 1..n {
        text.push_str(&format!("TRANSITION t{i} CONSUME p{}: 1; PRODUCE p{i}: 1;\n", i - 1));
    }
    text
}

/// Threads that walk along a chain of local states.
fn chain_of_threads(n: usize) -> String {
    let steps: String = (1..n).map(|i| format!("0 {} -> 0 {i}\n", i - 1)).collect();
    format!("1 {n}\n{steps}")
}

#[test]
fn long_chains_of_places() {
    let folder = Folder::new("chains");
    for n in [10_000, 100_000] {
        let last = n - 1;
        let lola = folder.file(&format!("chain{n}.lola"), &chain_in_lola(n));
        let threads = folder.file(&format!("chain{n}.tts"), &chain_of_threads(n));
        let end = folder.file(&format!("chain{n}.prop"), &format!("0|{last}\n"));
        let target = format!("EF (p{last} >= 1)");
        let mut cases: Vec<Case> = ALL.map(|limit| (vec![lola.as_str(), "-p", &target], limit)).to_vec();
        for limit in [Limit::Time, Limit::Interrupt] {
            cases.push((vec![&threads, "--formula", &end], limit));
        }
        check_all(&cases, AT_ONCE);
        for model in [&lola, &threads] {
            let found = run(&["info", model], Limit::Time);
            assert!(matches!(found.code, Some(0 | 30)), "{model}: {:?} {}", found.code, found.stderr);
        }
    }
}

#[test]
fn a_hundred_thousand_parentheses() {
    let folder = Folder::new("depth");
    let deep = format!("{}x{}", "(".repeat(100_000), ")".repeat(100_000));
    let model = folder.file("m.alt", "node N state x : bool; edon\n");
    let script = folder.file("deep.mec5", &format!("r(x : bool) := {deep};\n"));
    let found = run(&["mec", &model, &script], Limit::Time);
    assert_eq!(found.code, Some(3), "{}", found.stderr);
    let gcl = folder.file("deep.gcl", &format!("var x : bool = false;\ninvariant p: {deep};\n"));
    let found = run(&["check", &gcl], Limit::Time);
    assert_eq!(found.code, Some(3), "{}", found.stderr);
    let alt = folder.file("deep.alt", &format!("node N state x : bool; assert {deep}; edon\n"));
    let found = run(&["check", &alt, "-p", "x"], Limit::Time);
    assert_eq!(found.code, Some(3), "{}", found.stderr);
}

/// To find an initial state here takes a search of its own, which is more than the warning that there is none is worth.
#[test]
fn warnings_take_no_search() {
    let folder = Folder::new("warnings");
    let text = "var a : 0..100000; var b : 0..100000; var c : 0..100000;
        init a + b + c = 300000;
        reset: true -> a := 0;
        invariant fine: a <= 100000;\n";
    let model = folder.file("m.gcl", text);
    for engine in ["kinduction", "matching"] {
        let found = run(&["check", &model, "--engine", engine, "-p", "a >= 0"], Limit::Time);
        assert!(found.code == Some(0) && found.stdout.contains(" = holds"), "{engine}: {found:?}");
    }
}
