//! Nets as other tools write them: the properties of verifypn come out as they should, and as brute force says; nets of
//! LoLA are read or rightly refused.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use lapidary_base::Control;
use lapidary_driver::{CheckRequest, LoadError, LoadRequest, Loaded, check, load, open};
use lapidary_reference::nets::contest;
use lapidary_reference::surroundings::{corpus, corpus_text};
use lapidary_verdict::{Report, Verdict};

lapidary_reference::with_corpus!(
    properties_that_were_left_out_are_answered_as_brute_force_says,
    every_lola_net_is_read_or_rightly_refused,
    known_verdicts_come_out,
);

/// Enough for a machine that is busy with other tests.
const LIMIT: Duration = Duration::from_secs(600);

/// No tool decides it.
const OPEN: &str = "prime-test023.FALSE-1";

/// The rows of the table, by model.
fn rows() -> BTreeMap<String, Vec<(String, String)>> {
    let mut rows: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    for line in corpus_text("petri/verifypn/expected.tsv").lines().skip(1) {
        let cells: Vec<&str> = line.split('\t').collect();
        rows.entry(cells[0].to_owned()).or_default().push((cells[1].to_owned(), cells[2].to_owned()));
    }
    rows
}

fn path(model: &str, file: &str) -> String {
    corpus(&format!("petri/verifypn/{model}/{file}")).to_str().expect("plain paths").to_owned()
}

/// Nothing if every property is left out.
fn loaded(model: &str) -> Option<Loaded> {
    let request = LoadRequest {
        path: path(model, "model.pnml"),
        formulas: vec![path(model, "query.xml")],
        ..LoadRequest::default()
    };
    match load(&request) {
        Ok(loaded) => Some(loaded),
        Err(LoadError::LeftOut { warnings, .. }) => {
            assert!(!warnings.is_empty(), "{model}");
            None
        }
        Err(error) => panic!("{model}: {}", error.render()),
    }
}

fn checked(loaded: &Loaded) -> Report {
    let request = CheckRequest { jobs: 1, ..CheckRequest::default() };
    let report = check(loaded, &request, &Control::new().with_timeout(Some(LIMIT)).with_memory(Some(4 << 30)));
    assert_eq!(report.internal_errors, Vec::<String>::new(), "{}", loaded.path);
    report
}

/// What a report says of a property: in its line, or in the warning of its parts.
fn answer(loaded: &Loaded, report: &Report, name: &str) -> Option<Verdict> {
    let line = report.properties.iter().find(|one| one.name(loaded.declared()) == name);
    if let Some(line) = line {
        return Some(line.verdict);
    }
    let mut warnings = report.properties.iter().flat_map(|one| &one.warnings);
    let warning = warnings.find(|warning| warning.starts_with(&format!("{name} is left out")))?;
    Some(match () {
        () if warning.ends_with("it holds") => Verdict::Holds,
        () if warning.ends_with("it is violated") => Verdict::Violated,
        () => Verdict::Unknown,
    })
}

fn verdict(truth: bool) -> Verdict {
    if truth { Verdict::Holds } else { Verdict::Violated }
}

/// Those without a verdict in the table: they have differences, products or several path operators, or are about paths.
fn properties_that_were_left_out_are_answered_as_brute_force_says() {
    let (mut n_answered, mut n_left_out) = (0, 0);
    for (model, rows) in rows() {
        let open: Vec<&String> = rows.iter().filter(|(_, known)| known == "-").map(|(name, _)| name).collect();
        if open.is_empty() {
            continue;
        }
        let text = fs::read_to_string(path(&model, "query.xml")).expect("readable");
        let loaded = loaded(&model);
        let is_read = |name: &str| {
            let several = loaded.iter().flat_map(|loaded| &loaded.combinations.all).map(|several| &several.name);
            let alone =
                loaded.iter().flat_map(|loaded| loaded.declared().properties.iter()).map(|property| &property.name);
            several.chain(alone).any(|known| known == name)
        };
        let (read, left_out): (Vec<&String>, Vec<&String>) = open.into_iter().partition(|name| is_read(name));
        n_left_out += left_out.len();
        for name in left_out {
            let of = text.split("<property>").find(|property| property.contains(&format!("<id>{name}</id>")));
            let of: String = of.expect("it is in the file").split_whitespace().collect();
            let is_path = of.contains("<all-paths><finally>") || of.contains("<exists-path><globally>");
            assert!(is_path, "{name} could be read");
        }
        if read.is_empty() {
            continue;
        }
        let loaded = loaded.expect("something is read");
        let truths = contest(loaded.subject.net().expect("a net"), &text, 20_000).expect("the nets of these are small");
        let report = checked(&loaded);
        for name in read {
            let truth = truths.iter().find(|(known, _)| known == name).and_then(|(_, truth)| *truth);
            let truth = truth.expect("brute force decides what is read");
            assert_eq!(answer(&loaded, &report, name), Some(verdict(truth)), "{name}");
            n_answered += 1;
        }
    }
    assert_eq!((n_answered, n_left_out), (13, 42));
}

/// Checks the rows with a verdict.
fn compare(model: &str, rows: &[(String, String)]) {
    let known = |word: &str| [Verdict::Holds, Verdict::Violated].into_iter().find(|verdict| verdict.name() == word);
    let known: Vec<(&String, Verdict)> = rows.iter().filter_map(|(name, word)| Some((name, known(word)?))).collect();
    if known.is_empty() {
        return;
    }
    let loaded = loaded(model).expect("some properties have a verdict");
    let mut report = checked(&loaded);
    report.properties.retain(|one| one.name(loaded.declared()) != OPEN);
    for (name, expected) in known {
        assert_eq!(answer(&loaded, &report, name), Some(expected), "{name}");
    }
}

/// Takes more than a moment, and other tools leave it open.
const SLOW: &str = "prime-test023";

fn known_verdicts_come_out() {
    for (model, rows) in rows().iter().filter(|(model, _)| model.as_str() != SLOW) {
        compare(model, rows);
        // Where the markings can be listed, brute force agrees.
        let Some(loaded) = loaded(model) else { continue };
        let text = fs::read_to_string(path(model, "query.xml")).expect("readable");
        for (name, truth) in contest(loaded.subject.net().expect("a net"), &text, 3_000).into_iter().flatten() {
            let known = rows.iter().find(|(known, _)| *known == name).map(|(_, word)| word.as_str());
            if let (Some(truth), Some(word @ ("holds" | "violated"))) = (truth, known) {
                assert_eq!(verdict(truth).name(), word, "{name}");
            }
        }
    }
}

/// The files that are no nets, and why.
const REFUSED: [(&str, &str); 1] = [("testfiles-error_parser_lola_02.lola", "lola003")];

fn every_lola_net_is_read_or_rightly_refused() {
    let folder = corpus("petri/lola");
    let mut files: Vec<_> =
        fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("readable").path()).collect();
    files.sort();
    let mut refused = Vec::new();
    for file in &files {
        let name = file.file_name().and_then(|name| name.to_str()).expect("plain names");
        match open(&LoadRequest { path: file.to_str().expect("plain paths").to_owned(), ..LoadRequest::default() }) {
            Ok(loaded) => {
                assert!(loaded.warnings.is_empty(), "{name}");
                assert!(!loaded.subject.net().expect("a net").places.is_empty(), "{name}");
            }
            Err(LoadError::Text { diagnostics, .. }) => refused.push((name.to_owned(), diagnostics[0].code)),
            Err(error) => panic!("{name}: {}", error.render()),
        }
    }
    let refused: Vec<(&str, &str)> = refused.iter().map(|(name, code)| (name.as_str(), *code)).collect();
    assert_eq!(refused, REFUSED);
    assert_eq!((files.len(), files.iter().filter(|file| has_suffix(file, "llnet")).count()), (33, 3));
}

fn has_suffix(file: &Path, suffix: &str) -> bool {
    file.extension().is_some_and(|found| found == suffix)
}
