//! Certificates of every kind and of every kind of model, damaged: always refused in words, or still a proof.

use std::fs;
use std::path::{Path, PathBuf};

use lapidary_driver::Exit;
use lapidary_reference::dice::Dice;
use serde_json::{Value, json};

use crate::commands::tests::finished;

const COUNTER: &str = "var x : 0..7 = 0; var b : bool = false;
inc: x < 5 -> x := x + 1;
back: x = 5 -> x := 0, b := !b;
invariant p: x < 6;
";

const CELLS: &str = "node Cell state full : bool; n : [0,3]; init full := false, n := 0; event put, get;
  trans not full & n < 2 |- put -> full := true, n := n + 1; full |- get -> full := false; edon
node Pair sub A, B : Cell; event shift; trans true |- shift -> ; sync <shift, A.get, B.put>; edon
";

const TOKENS: &str = "vars a b c
rules
  a >= 1 -> a' = a - 1, b' = b + 1;
  b >= 1, c >= 1 -> b' = b - 1, a' = a + 1;
init a = 2, b = 0, c = 1
target c >= 2
";

/// What a command says, on both streams, and how it ends.
fn run(words: &[&str]) -> (Exit, String) {
    let finished = finished(words);
    (finished.exit, finished.out + &finished.err)
}

/// A folder of its own for a test, with models of every kind in it.
struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("lapidary-certify-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("the temporary folder can be written");
        let place = Self(path);
        for (file, text) in [("m.gcl", COUNTER), ("m.alt", CELLS), ("m.spec", TOKENS)] {
            fs::write(place.0.join(file), text).expect("a file can be written");
        }
        for (from, to) in [("m.gcl", "m.lir"), ("m.spec", "p.pnml"), ("m.spec", "l.lola")] {
            let (exit, said) = run(&["convert", &place.path(from), "-o", &place.path(to)]);
            assert_eq!(exit, Exit::Success, "{said}");
        }
        for file in ["lock.tts", "lock.prop"] {
            let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(file);
            fs::copy(example, place.0.join(file)).expect("a file can be copied");
        }
        place
    }

    fn path(&self, file: &str) -> String {
        self.0.join(file).display().to_string()
    }

    /// The certificate that an engine finds.
    fn certificate(&self, model: &str, engine: &str) -> Vec<u8> {
        let (model, file) = (self.path(model), self.path("found.cert"));
        let mut words = vec!["check", &model, "--engine", engine, "--certificate", &file, "-q"];
        if model.ends_with(".alt") {
            words.extend(["-p", "A.n < 3 & B.n < 3"]);
        }
        let (exit, said) = run(&words);
        assert_eq!(exit, Exit::Success, "{model}, {engine}: {said}");
        fs::read(&file).expect("it was written")
    }

    fn certify(&self, model: &str, certificate: &[u8]) -> (Exit, String) {
        let file = self.path("given.cert");
        fs::write(&file, certificate).expect("a file can be written");
        run(&["certify", &self.path(model), &file, "-j", "1"])
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Every kind of model, with the engines whose certificates are of different kinds.
const EVIDENCE: [(&str, &[&str]); 7] = [
    ("m.gcl", &["explicit", "bdd", "matching", "kinduction"]),
    ("m.lir", &["explicit", "bdd", "matching", "kinduction"]),
    ("m.alt", &["explicit", "bdd", "matching", "kinduction", "hierarchical"]),
    ("m.spec", &["explicit", "matching", "kinduction", "backward", "forward", "lazy"]),
    ("p.pnml", &["explicit", "backward", "forward"]),
    ("l.lola", &["explicit", "backward", "forward"]),
    ("lock.tts", &["backward", "forward"]),
];

fn header(bytes: &[u8]) -> (Value, &[u8]) {
    let end = bytes.iter().position(|&byte| byte == b'\n').expect("a header");
    (serde_json::from_slice(&bytes[..end]).expect("a header"), &bytes[end + 1..])
}

fn joined(header: &Value, rest: &[u8]) -> Vec<u8> {
    [header.to_string().as_bytes(), b"\n", rest].concat()
}

/// An induction of a hierarchy speaks of its flattening: both who finds it and who checks it alone say so.
#[test]
fn evidence_about_the_flattening_only_is_told() {
    let (place, remark) =
        (Place::new("flattening"), "its evidence was checked on the flattening of the hierarchy only");
    for (model, engine, is_told) in
        [("m.alt", "kinduction", true), ("m.alt", "bdd", false), ("m.gcl", "kinduction", false)]
    {
        let certificate = place.certificate(model, engine);
        let (exit, said) = place.certify(model, &certificate);
        assert_eq!((exit, said.contains(remark)), (Exit::Success, is_told), "{model}, {engine}: {said}");
    }
}

/// What can be said to be wrong before anything is checked: these are refused whatever they are about.
fn broken(bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
    let (json, rest) = header(bytes);
    let mut dice = Dice::new(1);
    let mut all: Vec<(String, Vec<u8>)> = vec![
        ("empty".into(), Vec::new()),
        ("half".into(), bytes[..bytes.len() / 2].to_vec()),
        ("without its last byte".into(), bytes[..bytes.len() - 1].to_vec()),
        ("without a quote".into(), [&bytes[..1], &bytes[2..]].concat()),
        ("with more at its end".into(), [bytes, b"1\n"].concat()),
        ("noise".into(), (0..50).flat_map(|_| dice.roll().to_le_bytes()).collect()),
        ("nested".into(), [&b"[".repeat(100_000)[..], b"\n", rest].concat()),
        ("a key twice".into(), joined(&json, rest)),
    ];
    let twice = &mut all.last_mut().expect("just put there").1;
    let end = twice.iter().position(|&byte| byte == b'\n').expect("a header") - 1;
    twice.splice(end..end, *b",\"kind\":\"invariant\"");
    for key in json.as_object().expect("an object").keys() {
        let mut without = json.clone();
        without.as_object_mut().expect("an object").remove(key);
        all.push((format!("without {key}"), joined(&without, rest)));
        for value in [json!(null), json!(-1), json!({}), json!([[]])] {
            let mut changed = json.clone();
            changed[key] = value.clone();
            all.push((format!("{key} is {value}"), joined(&changed, rest)));
        }
    }
    for key in ["states", "nodes", "blocks", "minimal", "ideals", "words", "inequalities"] {
        if json[key].is_u64() {
            for n in [1u64 << 31, 1 << 62, u64::MAX] {
                let mut changed = json.clone();
                changed[key] = json!(n);
                all.push((format!("{key} is {n}"), joined(&changed, rest)));
            }
        }
    }
    all
}

/// Damages that may leave a proof.
fn shaken(bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut all = Vec::new();
    for i in 0..12usize {
        let at = (i * 7919 + 31) % bytes.len();
        let mut changed = bytes.to_vec();
        changed[at] ^= 1 << (i % 8);
        all.push((format!("byte {at}"), changed));
    }
    let (json, rest) = header(bytes);
    let mut lines: Vec<&[u8]> = rest.split(|&byte| byte == b'\n').collect();
    if lines.len() > 2 {
        lines.swap(0, 1);
        all.push(("lines swapped".into(), joined(&json, &lines.join(&b'\n'))));
    }
    let mut other = json.clone();
    other["model_sha256"] = json!("00");
    all.push(("another digest".into(), joined(&other, rest)));
    all
}

#[test]
fn damaged_certificates_of_every_kind_of_model_are_refused_in_words_or_are_proofs_all_the_same() {
    let place = Place::new("damaged");
    let (mut n_damages, mut kinds) = (0, Vec::new());
    for (model, engines) in EVIDENCE {
        for (number, engine) in engines.iter().enumerate() {
            let good = place.certificate(model, engine);
            kinds.push(header(&good).0["kind"].as_str().expect("a kind").to_owned());
            assert_eq!(place.certify(model, &good).0, Exit::Success, "{model}, {engine}");
            // Every certificate has another quarter of the damages.
            for (what, bytes) in broken(&good).into_iter().skip(number % 4).step_by(4) {
                n_damages += 1;
                let (exit, said) = place.certify(model, &bytes);
                assert_eq!(exit, Exit::Input, "{model}, {engine}, {what}: {said}");
                assert!(said.contains("given.cert is no certificate"), "{model}, {engine}, {what}: {said}");
            }
            // What leaves a proof is checked to its end, which takes long with a solver.
            let asks = ["matching", "kinduction", "lazy"].contains(engine);
            for (what, bytes) in shaken(&good).into_iter().step_by(if asks { 5 } else { 1 }) {
                n_damages += 1;
                let (exit, said) = place.certify(model, &bytes);
                match exit {
                    Exit::Input => assert!(said.starts_with("error"), "{model}, {engine}, {what}: {said}"),
                    Exit::Success => is_true(&place, model, &good, &bytes),
                    other => panic!("{model}, {engine}, {what}: {other:?}, {said}"),
                }
            }
        }
    }
    kinds.sort();
    kinds.dedup();
    let all = ["basis", "blocks", "components", "diagram", "enumeration", "ideals", "invariant", "kinduction"];
    assert_eq!(kinds, all);
    assert!(n_damages > 300, "{n_damages}");
}

/// What an accepted certificate says is so: it is what the good one says, or an engine finds it, too.
fn is_true(place: &Place, model: &str, good: &[u8], accepted: &[u8]) {
    let known = header(good).0["properties"].clone();
    let known = known.as_array().expect("a list");
    for name in header(accepted).0["properties"].as_array().expect("a list").iter().filter(|name| !known.contains(name))
    {
        let name = name.as_str().expect("a name");
        let (exit, said) = run(&["check", &place.path(model), "-p", name, "-q"]);
        assert_eq!(exit, Exit::Success, "{model}: {said}");
    }
}

#[test]
fn a_damaged_header_is_told_before_the_model_is_asked_for_properties() {
    let place = Place::new("header");
    let (exit, said) = place.certify("m.alt", b"{schema\":\"lapidary.certificate/1\"}\n");
    assert_eq!(exit, Exit::Input);
    assert!(said.contains("the first line is not a JSON header: key must be a string (column 2)"), "{said}");
    assert!(said.contains("help: `lapidary check MODEL --certificate FILE` writes certificates"), "{said}");
    let nothing = br#"{"schema":"lapidary.certificate/1","kind":"invariant","model_sha256":"","properties":[],"expression":"true"}"#;
    for model in ["m.alt", "m.gcl"] {
        let (exit, said) = place.certify(model, &[&nothing[..], b"\n"].concat());
        assert_eq!(exit, Exit::Input);
        assert!(said.contains("the header lists no property"), "{said}");
    }
}

#[test]
fn a_property_that_the_model_does_not_know_is_told_with_the_file_that_names_it() {
    let place = Place::new("unknown");
    let text = r#"{"schema":"lapidary.certificate/1","kind":"invariant","model_sha256":"","properties":["y < 3"],"expression":"true"}"#;
    let (exit, said) = place.certify("m.gcl", format!("{text}\n").as_bytes());
    assert_eq!(exit, Exit::Input);
    assert!(said.contains("given.cert is about y < 3"), "{said}");
    let (exit, said) = place.certify("m.gcl", format!("{}\n", text.replace("y < 3", "x < 8 // \\u001b[2J")).as_bytes());
    assert_eq!(exit, Exit::Input);
    assert!(said.contains("a control character in its name") && !said.contains('\u{1b}'), "{said}");
}

#[test]
fn limits_end_the_reading_and_the_checking() {
    let place = Place::new("limits");
    let file = place.path("long.cert");
    let text = r#"{"schema":"lapidary.certificate/1","kind":"kinduction","model_sha256":"","properties":["p"],"k":10000,"expression":"x < 6","simple":true}"#;
    fs::write(&file, format!("{text}\n")).expect("a file can be written");
    for timeout in ["1ms", "300ms"] {
        let (exit, said) = run(&["certify", &place.path("m.gcl"), &file, "--timeout", timeout]);
        assert_eq!(exit, Exit::Unknown, "{said}");
        assert!(said.contains("the time limit was reached"), "{said}");
    }
    let (exit, said) = run(&["certify", &place.path("m.gcl"), &file, "--memory", "1M"]);
    assert_eq!(exit, Exit::Unknown, "{said}");
    assert!(said.contains("the memory limit was reached"), "{said}");
}
