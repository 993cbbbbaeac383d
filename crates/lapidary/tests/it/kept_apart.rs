//! AltaRica models that are kept in several files: named together, listed in a project, or including each other.

use std::fs;
use std::path::PathBuf;

use lapidary_reference::surroundings::{corpus, corpus_text};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::support::{Finished, run_in};

lapidary_reference::with_corpus!(the_tank_is_one_model_of_six_files, the_counts_of_the_tank_are_those_of_its_authors,);

/// A folder of its own for a test.
struct Place(PathBuf);

impl Place {
    fn new(name: &str, files: &[(&str, &str)]) -> Self {
        let path = std::env::temp_dir().join(format!("lapidary-apart-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        let place = Self(path);
        files.iter().for_each(|(file, text)| place.write(file, text));
        place
    }

    fn write(&self, file: &str, text: &str) {
        let path = self.0.join(file);
        fs::create_dir_all(path.parent().expect("files have folders")).expect("the temporary folder can be written");
        fs::write(path, text).expect("a file can be written");
    }

    fn run(&self, words: &[&str]) -> Finished {
        run_in(&self.0, words)
    }

    fn report(&self, words: &[&str]) -> Value {
        let ended = self.run(&[words, &["--format", "json"]].concat());
        serde_json::from_str(&ended.stdout).unwrap_or_else(|_| panic!("{words:?}: {ended:?}"))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn digest(texts: &[&str]) -> String {
    let digests: Vec<[u8; 32]> = texts.iter().map(|text| Sha256::digest(text).into()).collect();
    let all: [u8; 32] = match &digests[..] {
        [only] => *only,
        several => Sha256::digest(several.concat()).into(),
    };
    all.iter().map(|byte| format!("{byte:02x}")).collect()
}

const CELL: &str = "#pragma once
node Cell
  state full : bool : public;
  init  full := false;
  event put, get;
  trans not full |- put -> full := true;
        full     |- get -> full := false;
edon
";

const PAIR: &str = "#define FIRST A
node Pair
  sub  FIRST, B : Cell;
  sync <FIRST.get, B.put>;
edon
";

/// The same model three times: the files named, listed, and included.
#[test]
fn files_are_one_model_however_they_come_together() {
    let main = format!("#include \"lib/cell.alt\"\n#include <lib/cell.alt>\n{PAIR}");
    let project = "# two cells\nlib/cell.alt\npair.alt // the root\nnode Pair\n";
    let place = Place::new(
        "three",
        &[("lib/cell.alt", CELL), ("pair.alt", PAIR), ("main.alt", &main), ("all.project", project)],
    );
    let ways: [(&[&str], Vec<&str>); 3] = [
        (&["lib/cell.alt", "pair.alt", "--as-one"], vec![CELL, PAIR]),
        (&["all.project"], vec![project, CELL, PAIR]),
        (&["main.alt"], vec![&main, CELL]),
    ];
    for (model, read) in ways {
        let violated = "not (A.full and B.full)";
        let report = place.report(&[&["check"], model, &["-p", violated, "--trace-out", "t.itf.json"]].concat());
        assert_eq!(report["properties"][0]["verdict"], "violated", "{model:?}");
        assert_eq!(report["model"]["sha256"], digest(&read), "{model:?}");
        assert_eq!(report["model"]["files"].as_array().map(Vec::len), Some(read.len()), "{model:?}");
        let (files, as_one): (Vec<&str>, Vec<&str>) = model.iter().partition(|word| !word.starts_with('-'));
        let replay: Vec<&str> = files.iter().flat_map(|file| ["--replay", file]).chain(as_one).collect();
        let replayed = place.run(&[&["trace", "t.itf.json"], &replay[..]].concat());
        assert!(replayed.stdout.contains("replayed=yes  not (A.full and B.full) = violated"), "{replayed:?}");
        // A transition of a component, and a synchronisation, each in its file.
        assert!(replayed.stdout.contains("1  B.put") || replayed.stdout.contains("1  A.put"), "{replayed:?}");
        assert!(
            replayed.stdout.contains(if model[0] == "lib/cell.alt" { " :6 " } else { "cell.alt:6" }),
            "{replayed:?}"
        );
        let proved = place.run(&[&["check"], model, &["-p", "deadlock_free", "--certificate", "c.cert"]].concat());
        assert_eq!(proved.code, Some(0), "{proved:?}");
        let certified = place.run(&[&["certify"], model, &["c.cert"]].concat());
        assert_eq!((certified.code, certified.stderr.as_str()), (Some(0), ""), "{certified:?}");
        for command in [&["simulate"][..], &["info"], &["convert", "-o", "x.lir"]] {
            let ended = place.run(&[command, model].concat());
            assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""), "{command:?}: {ended:?}");
        }
    }
    place.write("lib/cell.alt", &format!("{CELL}\n"));
    let changed = place.run(&["certify", "main.alt", "c.cert"]);
    assert_eq!(changed.code, Some(0), "{changed:?}");
    assert!(changed.stderr.contains("or a file that is read with it, changed since"), "{changed:?}");
}

#[test]
fn a_single_file_keeps_its_hash_and_property_files_count() {
    let spec = "with Cell do full := any_s & [full]; done\n";
    let place = Place::new("hash", &[("cell.alt", CELL), ("cell.spe", spec)]);
    let alone = place.report(&["check", "cell.alt", "-p", "deadlock_free"]);
    assert_eq!(alone["model"]["sha256"], digest(&[CELL]));
    assert_eq!(alone["model"].get("files"), None);
    let with = place.report(&["check", "cell.alt", "--spec", "cell.spe", "--never", "full"]);
    assert_eq!(with["model"]["sha256"], digest(&[CELL, spec]));
}

#[test]
fn the_next_command_can_be_pasted_back() {
    let place = Place::new("next", &[("a cell.alt", CELL), ("pair.alt", PAIR)]);
    let ended = place.run(&["check", "a cell.alt", "pair.alt", "--as-one", "-p", "not A.full"]);
    let command = "next: lapidary check 'a cell.alt' pair.alt --as-one -p 'not A.full' --trace-out not_A_full.itf.json";
    assert!(
        ended.stdout.starts_with("a cell.alt and 1 more: 3 components") && ended.stdout.contains(command),
        "{ended:?}"
    );
}

#[test]
fn files_that_are_no_model_together_are_refused() {
    let place = Place::new(
        "refused",
        &[("cell.alt", CELL), ("pair.alt", PAIR), ("m.gcl", "var x : bool = false;\n"), ("t.itf.json", "{}")],
    );
    for command in [&["simulate"][..], &["info"], &["convert", "-o", "x.lir"], &["certify", "x.cert"]] {
        let ended = place.run(&[command, &["cell.alt", "pair.alt"]].concat());
        assert_eq!(ended.code, Some(2), "{command:?}: {ended:?}");
        assert!(ended.stderr.contains("--as-one"), "{command:?}: {ended:?}");
    }
    let traced = place.run(&["trace", "t.itf.json", "--replay", "cell.alt", "--replay", "pair.alt"]);
    assert_eq!(traced.code, Some(2), "{traced:?}");
    let mixed = place.run(&["check", "cell.alt", "m.gcl", "--as-one"]);
    assert_eq!((mixed.code, mixed.stderr.contains("m.gcl is none")), (Some(2), true), "{mixed:?}");
    let twice = place.run(&["check", "cell.alt", "./cell.alt", "--as-one", "-p", "deadlock_free"]);
    assert_eq!((twice.code, twice.stderr.contains("given twice")), (Some(3), true), "{twice:?}");
    let by_themselves = place.run(&["check", "cell.alt", "pair.alt", "-p", "deadlock_free", "-q"]);
    assert_eq!(by_themselves.code, Some(3), "the pair has no cell: {by_themselves:?}");
    assert!(by_themselves.stdout.contains("model: cell.alt"), "{by_themselves:?}");
    // What a model includes is somebody's work, too.
    place.write("main.alt", "#include \"cell.alt\"\n");
    let clash = place.run(&["check", "main.alt", "-p", "deadlock_free", "--certificate", "cell.alt"]);
    assert_eq!((clash.code, clash.stderr.contains("overwrite")), (Some(2), true), "{clash:?}");
    assert_eq!(fs::read_to_string(place.0.join("cell.alt")).expect("it is still there"), CELL);
}

fn tank(place: &Place, failures: &str, controller: &str) -> Vec<String> {
    // What its authors put in with sed is a file of two lines here.
    place.write("setup.alt", &format!("#define NbPannes {failures}\n#define NomDuControleur {controller}\n"));
    let folder = corpus("altarica/tank");
    let file = |path: &str| folder.join(path).display().to_string();
    let controller = match controller {
        "Ctrl" | "CtrlVV" => file(&format!("Alt/{controller}.alt")),
        _ => file(&format!("Controleurs/{controller}.alt")),
    };
    let alt = ["Parameters", "Valve", "ValveVirtual", "Tank"].map(|name| file(&format!("Alt/{name}.alt")));
    let setup = ["setup.alt".to_owned()].into_iter();
    setup.chain(alt).chain([controller, file("Alt/System.alt"), "--as-one".to_owned()]).collect()
}

fn the_tank_is_one_model_of_six_files() {
    let place = Place::new("tank", &[]);
    let free = tank(&place, "1", "CtrlVV");
    let model: Vec<&str> = free.iter().map(String::as_str).collect();
    let violated =
        place.run(&[&["check"], &model[..], &["-p", "T.level < nbSensors", "--trace-out", "t.itf.json"]].concat());
    assert_eq!(violated.code, Some(10), "{violated:?}");
    // Every step is a synchronisation of the system, and the trace says in which line.
    let steps: Vec<&str> = violated.stdout.lines().filter(|line| line.contains("  <")).collect();
    assert!(!steps.is_empty() && steps.iter().all(|line| line.contains("System.alt:")), "{violated:?}");
    let files = &model[..model.len() - 1];
    let replay: Vec<&str> = files.iter().flat_map(|file| ["--replay", file]).chain(["--as-one"]).collect();
    let replayed = place.run(&[&["trace", "t.itf.json"], &replay[..]].concat());
    assert!(replayed.stdout.contains("replayed=yes  T.level < nbSensors = violated"), "{replayed:?}");
    let walked = place.run(&[&["simulate"], &model[..], &["--steps", "5"]].concat());
    assert!(walked.code == Some(0) && walked.stdout.contains("and 6 more: 5 random steps"), "{walked:?}");

    let controlled = tank(&place, "1", "CtrlVV1F4I");
    let model: Vec<&str> = controlled.iter().map(String::as_str).collect();
    let critical = "T.level > 0 and T.level < nbSensors";
    let proved = place.run(&[&["check"], &model[..], &["-p", critical, "--certificate", "tank.cert"]].concat());
    assert_eq!(proved.code, Some(0), "{proved:?}");
    let certified = place.run(&[&["certify"], &model[..], &["tank.cert"]].concat());
    assert_eq!(certified.code, Some(0), "{certified:?}");
    assert!(!certified.stderr.contains("changed since"), "{certified:?}");
}

/// The number of reachable configurations that ARC wrote down.
fn any_s(result: &str) -> u64 {
    let line = result.lines().find_map(|line| line.strip_prefix(" * any_s = "));
    line.and_then(|number| number.trim().parse().ok()).expect("every result has it")
}

fn the_counts_of_the_tank_are_those_of_its_authors() {
    let place = Place::new("counts", &[]);
    for (failures, controller) in [("0", "Ctrl0F1I"), ("0", "CtrlVV"), ("1", "Ctrl1F2I")] {
        let files = tank(&place, failures, controller);
        let model: Vec<&str> = files.iter().map(String::as_str).collect();
        let report = place
            .report(&[&["check"], &model[..], &["-p", "V[0].rate + T.level < 100", "--engine", "explicit"]].concat());
        let states = report["properties"][0]["stats"]["states"].as_u64();
        let result = corpus_text(&format!("altarica/tank/Res/System{failures}F{controller}.res"));
        assert_eq!(states, Some(any_s(&result)), "{controller}");
    }
}
