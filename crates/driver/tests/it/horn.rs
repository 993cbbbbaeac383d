//! Horn clauses that `convert` writes: what Z3 says of them is what search and brute force say of the model.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use lapidary_base::Control;
use lapidary_driver::horn::{self, Unwritten};
use lapidary_driver::{LoadRequest, Loaded, open, open_text};
use lapidary_reference::ast::Model;
use lapidary_reference::brute::{self, Verdict};
use lapidary_reference::random::Shape;
use lapidary_reference::seeds;
use lapidary_reference::surroundings::{corpus, corpus_text};

lapidary_reference::with_z3!(z3_agrees_with_the_gallery, z3_agrees_with_brute_force_on_random_models);

lapidary_reference::with_corpus_and_z3!(z3_agrees_with_the_tables_of_theta);

/// What Z3 says with so much work, which is the same on every machine; nothing where it does not come to an answer.
fn solved(clauses: &str) -> Option<bool> {
    let mut command = Command::new("z3");
    command.args(["-in", "rlimit=2000000", "-T:20", "-memory:1000"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("the program z3");
    child.stdin.take().expect("a pipe").write_all(clauses.as_bytes()).expect("z3 listens");
    let output = child.wait_with_output().expect("z3 ends");
    match String::from_utf8_lossy(&output.stdout).lines().next() {
        Some("sat") => Some(true),
        Some("unsat") => Some(false),
        Some("unknown" | "timeout") | None => None,
        Some(other) => panic!("z3 says {other} of\n{clauses}"),
    }
}

fn example(name: &str, constants: &[(&str, &str)], property: &str) -> Loaded {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name);
    let request = LoadRequest {
        path: path.display().to_string(),
        defines: constants.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
        properties: vec![property.to_owned()],
        ..LoadRequest::default()
    };
    open(&request).unwrap_or_else(|error| panic!("{}", error.render()))
}

/// File, constants, a property, and whether its clauses can be satisfied.
type Row = (&'static str, &'static [(&'static str, &'static str)], &'static str, bool);

const GALLERY: [Row; 14] = [
    ("peterson.gcl", &[("N", "2")], "mutex", true),
    ("peterson.gcl", &[("N", "2")], "alone", false),
    ("peterson.gcl", &[("N", "2")], "progress", true),
    ("dekker.gcl", &[], "mutex", true),
    ("dekker.gcl", &[], "by_turn", false),
    ("burns.gcl", &[("N", "2")], "mutex", true),
    ("burns.gcl", &[("N", "2")], "one_flag", false),
    ("ticket.gcl", &[("N", "2"), ("M", "2")], "small_first", false),
    ("ticket_unbounded.gcl", &[("N", "2")], "mutex", true),
    ("ticket_unbounded.gcl", &[("N", "2")], "first", false),
    ("lift.gcl", &[], "doors", true),
    ("thermostat.gcl", &[], "off_when_hot", true),
    ("thermostat.gcl", &[("HIGH", "23")], "off_when_hot", false),
    ("tank.alt", &[], "deadlock_free", true),
];

fn z3_agrees_with_the_gallery() {
    let mut n_answers = 0;
    for (name, constants, property, expected) in GALLERY {
        let clauses = horn::written(&example(name, constants, property), &Control::new()).expect("clauses");
        if let Some(found) = solved(&clauses) {
            assert_eq!(found, expected, "{name} {constants:?}: {property}");
            n_answers += 1;
        }
    }
    assert!(n_answers >= GALLERY.len() / 2, "{n_answers} answers");
}

fn z3_agrees_with_brute_force_on_random_models() {
    let (mut n_sat, mut n_unsat) = (0, 0);
    for seed in seeds::of(0..48) {
        let model = Model::random(seed, &Shape { max_states: 200, ..Shape::default() });
        let text = model.to_gcl(seed);
        let expected = brute::explore(&model, 100_000).expect("random models are small");
        for outcome in &expected.outcomes {
            let request = LoadRequest {
                path: format!("random{seed}.gcl"),
                properties: vec![outcome.name.clone()],
                ..LoadRequest::default()
            };
            let loaded =
                open_text(&request, text.clone().into_bytes()).unwrap_or_else(|error| panic!("{}", error.render()));
            let property = &loaded.declared().properties[loaded.asked[0]];
            // That a `reach` property errs somewhere is not among what the clauses say.
            let is_partial = property.kind.is_reach() && !property.faults.is_empty();
            let expects_sat = (outcome.verdict == Verdict::Holds) != property.kind.is_reach();
            let Ok(clauses) = horn::written(&loaded, &Control::new()) else { continue };
            if let Some(found) = solved(&clauses).filter(|_| !is_partial) {
                assert_eq!(found, expects_sat, "seed {seed}, {}\n{text}\n{clauses}", outcome.name);
                *if found { &mut n_sat } else { &mut n_unsat } += 1;
            }
        }
    }
    let least = seeds::least(36);
    assert!(n_sat > least && n_unsat > least, "{n_sat} can be satisfied, {n_unsat} cannot");
}

/// Every row of a table: the file, where its property is, and whether it holds.
fn rows(table: &str) -> Vec<(LoadRequest, bool)> {
    let folder = table.rsplit_once('/').expect("a folder").0.to_owned();
    let row = |line: &str| {
        let cells: Vec<&str> = line.split(',').map(str::trim).collect();
        let file = |name: &str| corpus(&format!("{folder}/{name}")).display().to_string();
        let (formulas, safe) = match cells[..] {
            [_, property, safe] if property.ends_with(".prop") => (vec![file(property)], safe),
            [_, safe, ..] => (Vec::new(), safe),
            _ => panic!("{line}"),
        };
        (LoadRequest { path: file(cells[0]), formulas, ..LoadRequest::default() }, safe == "true")
    };
    corpus_text(table).lines().skip(1).map(row).collect()
}

fn z3_agrees_with_the_tables_of_theta() {
    let (mut n_rows, mut n_answers) = (0, 0);
    for (request, is_safe) in
        ["theta/cfa/expected.csv", "theta/plc/expected.csv", "theta/xsts/expected.csv"].map(rows).concat()
    {
        // Floating-point numbers are not read.
        let Ok(mut loaded) = lapidary_driver::load(&request) else { continue };
        loaded.asked.truncate(1);
        n_rows += 1;
        let clauses = horn::written(&loaded, &Control::new());
        let Ok(clauses) = clauses else { panic!("{} cannot be written", request.path) };
        if let Some(found) = solved(&clauses) {
            assert_eq!(found, is_safe, "{} {:?}", request.path, request.formulas);
            n_answers += 1;
        }
    }
    assert!(n_rows >= 50 && n_answers * 2 > n_rows, "{n_answers} answers about {n_rows} rows");
}

#[test]
fn it_is_told_what_cannot_be_asked() {
    let why = |name: &str, properties: &[&str]| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name).display().to_string();
        let properties = properties.iter().map(|&property| property.to_owned()).collect();
        let loaded = open(&LoadRequest { path, properties, ..LoadRequest::default() });
        let loaded = loaded.unwrap_or_else(|error| panic!("{}", error.render()));
        match horn::written(&loaded, &Control::new()) {
            Err(Unwritten::Unasked(why) | Unwritten::Unsupported(why)) => why,
            Err(Unwritten::Stopped(stop)) => panic!("{stop}"),
            Ok(text) => text,
        }
    };
    let which = "the clauses of one file are about one property; -p says which: mutex, progress, stepped_back, by_turn";
    assert_eq!(why("dekker.gcl", &[]), which);
    assert_eq!(why("dekker.gcl", &["mutex", "progress"]), "the clauses of one file are about one property");
    let endless = "ltl turn = 0 is about infinite runs, and Horn clauses say which states can be reached";
    assert_eq!(why("dekker.gcl", &["ltl turn = 0"]), endless);
}
