//! Commands that write files: what they write, and what they refuse to overwrite.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

/// An empty directory of its own for every test.
fn directory(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("lapidary-files-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).expect("the temporary directory can be written");
    path
}

fn run_in(directory: &PathBuf, args: &[&str]) -> (Option<i32>, String) {
    let Output { status, stdout, stderr } =
        Command::new(crate::support::binary()).args(args).current_dir(directory).output().expect("the program starts");
    (status.code(), String::from_utf8_lossy(&stdout).into_owned() + &String::from_utf8_lossy(&stderr))
}

#[test]
fn init_writes_a_model_once() {
    let place = directory("init");
    let (code, said) = run_in(&place, &["init"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("lapidary simulate model.gcl -i"), "{said}");
    fs::write(place.join("model.gcl"), "mine").expect("a file can be written");
    let (code, said) = run_in(&place, &["init"]);
    assert_eq!(code, Some(2), "{said}");
    assert_eq!(fs::read_to_string(place.join("model.gcl")).expect("it is still there"), "mine");
    let (code, said) = run_in(&place, &["init", "missing/model.gcl"]);
    assert_eq!(code, Some(3), "{said}");
}

#[test]
fn every_listed_example_can_be_shown_and_copied_once() {
    let place = directory("examples");
    let (_, listed) = run_in(&place, &["examples"]);
    let names: Vec<&str> = listed.lines().filter(|line| !line.starts_with("next:")).map(first_word).collect();
    assert!(names.contains(&"peterson") && names.len() > 10, "{listed}");
    for name in names {
        let (code, said) = run_in(&place, &["examples", "copy", name]);
        assert_eq!(code, Some(0), "{said}");
        let suffixes = [".gcl", ".cfa", ".xsts", ".alt", ".spec", ".tts", ".lola", ".pnml"];
        let file = suffixes.map(|suffix| place.join(format!("{name}{suffix}")));
        let file = file.iter().find(|file| file.exists()).expect("it was copied");
        let copied = fs::read_to_string(file).expect("readable");
        assert_eq!(run_in(&place, &["examples", "show", name]), (Some(0), copied));
        assert_eq!(run_in(&place, &["examples", "copy", name]).0, Some(2));
    }
}

fn first_word(line: &str) -> &str {
    line.split_whitespace().next().unwrap_or("")
}

/// What a trace, a certificate and an event file are good for.
#[test]
fn evidence_written_by_check_is_accepted_by_the_other_commands() {
    let place = directory("evidence");
    assert_eq!(run_in(&place, &["examples", "copy", "peterson"]).0, Some(0));
    let files = ["--trace-out", "run.itf.json", "--certificate", "proof.cert", "--events", "events.jsonl"];
    let args: Vec<&str> = ["check", "peterson.gcl", "-D", "N=2"].into_iter().chain(files).collect();
    let (code, said) = run_in(&place, &args);
    assert_eq!(code, Some(10), "{said}");
    let (code, said) = run_in(&place, &["trace", "run.itf.json", "--replay", "peterson.gcl", "-D", "N=2"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("replayed=yes"), "{said}");
    let (code, said) = run_in(&place, &["certify", "peterson.gcl", "proof.cert", "-D", "N=2"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("verdict: mutex = holds  proof=enumeration checked=yes"), "{said}");
    let events = fs::read_to_string(place.join("events.jsonl")).expect("events were written");
    for line in events.lines() {
        let event: serde_json::Value = serde_json::from_str(line).expect("a line is an object");
        assert_eq!(event["v"], 1, "{line}");
        assert!(event["event"].is_string() && event["t_ms"].is_u64() && event["mem"].is_u64(), "{line}");
    }
    for event in ["model_loaded", "property_start", "verdict"] {
        assert!(events.contains(event), "{event} is missing");
    }
    let damaged = fs::read_to_string(place.join("run.itf.json")).expect("a trace").replacen("climbing", "signing", 1);
    fs::write(place.join("run.itf.json"), damaged).expect("a file can be written");
    let (code, said) = run_in(&place, &["trace", "run.itf.json", "--replay", "peterson.gcl", "-D", "N=2"]);
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains("step 1"), "{said}");
}

/// Two switches that move together, each in the two blocks off and on.
#[test]
fn covers_of_components_are_certified_on_the_hierarchy() {
    let place = directory("covers");
    let model = "node Switch state on : bool; init on := false; event up, down;
  trans not on |- up -> on := true; on |- down -> on := false; edon
node Pair sub A, B : Switch; sync <A.up, B.up>; <A.down, B.down>; edon\n";
    fs::write(place.join("pair.alt"), model).expect("a file can be written");
    let block = |name: &str| format!(r#"{{"order":["{name}"],"root":"0","nodes":1}}"#);
    let cover = |name: &str| {
        let blocks = [block(&format!("{name}.on")), block(&format!("{name}.on"))].join(",");
        format!(r#"{{"component":"{name}","subtree":false,"blocks":[{blocks}]}}"#)
    };
    let root = r#"{"component":"","subtree":false,"blocks":[{"order":[],"root":"all","nodes":0}]}"#;
    let write = |reachable: &str| {
        let reachable = format!(
            r#"{{"order":["A","B"],"root":"2","nodes":3}}}}\n0 0 0:all\n0 0 1:all\n0 0 0:all\n0 0 1:all\n{reachable}"#
        )
        .replace("\\n", "\n");
        let head =
            r#""schema":"lapidary.certificate/1","kind":"components","model_sha256":"","properties":["A.on = B.on"]"#;
        let text = format!("{{{head},\"covers\":[{root},{},{}],\"reachable\":{reachable}", cover("A"), cover("B"));
        fs::write(place.join("proof.cert"), text).expect("a file can be written");
    };
    let certify = || run_in(&place, &["certify", "pair.alt", "proof.cert"]);
    write("0 1 0:all\n1 1 1:all\n2 0 0:0 1:1\n");
    let (code, said) = certify();
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("verdict: A.on = B.on = holds  proof=components checked=yes"), "{said}");
    write("0 1 0:all\n1 1 0..1:all\n2 0 0:0 1:1\n");
    let (code, said) = certify();
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains("the blocks (Pair=0 A=1 B=0) contain (A.on=true B.on=false), against A.on = B.on"), "{said}");
    write("0 1 0:all\n1 1 2:all\n2 0 0:0 1:1\n");
    let (code, said) = certify();
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains("reachable: node 1: 2..2 is not a range of values of `B`"), "{said}");
}

#[test]
fn the_abstraction_that_an_engine_ended_with_is_written_as_nodes() {
    let place = directory("written_covers");
    let model = "node Cell state full : bool; data : [0,15]; init full := false, data := 0; event put, get;
  trans not full |- put -> full := true, data := (data + 1) mod 16; full |- get -> full := false; edon
node Pair sub A, B : Cell; event shift; trans true |- shift -> ; sync <shift, A.get, B.put>; <A.put>; <B.get>; edon
node Tied sub P : Pair; assert P.A.full | true; edon\n";
    fs::write(place.join("cells.alt"), model).expect("a file can be written");
    let property = "A.data < 16 & (A.full | B.full | A.data >= 0)";
    let check = ["check", "cells.alt", "--node", "Pair", "--engine", "hierarchical", "-p", property];
    let (code, said) = run_in(&place, &[&check[..], &["--certificate", "pair.cert"]].concat());
    assert_eq!(code, Some(0), "{said}");
    for how in ["transition", "flow"] {
        let cover = ["--cover", "pair.cert", "--component", "A", "--decomposition", how, "-o", "cell.alt"];
        let (code, said) = run_in(&place, &[&["convert", "cells.alt", "--node", "Pair"], &cover[..]].concat());
        assert_eq!(code, Some(0), "{said}");
        assert!(said.starts_with("written and read back: ") && said.contains("simulates A"), "{said}");
        let (code, said) = run_in(&place, &["check", "cell.alt", "-p", "deadlock_free", "-q"]);
        assert_eq!(code, Some(0), "{said}");
    }
    let wrong = |words: &[&str]| run_in(&place, &[&["convert", "cells.alt", "--node", "Pair"], words].concat());
    let (code, said) = wrong(&["--cover", "pair.cert", "--component", "C", "-o", "cell.alt"]);
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains("there is no component `C`; there are the root (an empty path), `A`, `B`"), "{said}");
    let (code, said) = wrong(&["--cover", "cells.alt", "--component", "A", "-o", "cell.alt"]);
    assert_eq!(code, Some(3), "{said}");
    let (code, said) = wrong(&["--cover", "pair.cert", "--component", "A", "-o", "cell.lir"]);
    assert_eq!(code, Some(2), "{said}");
    let (code, said) = wrong(&["--decomposition", "flow", "-o", "cell.lir"]);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("it needs --abstract or --cover"), "{said}");
}
