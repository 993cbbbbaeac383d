//! The language page is true: its models are checked against the verdicts written beside their properties. All models
//! of the repository survive the textual form.

use std::fs;
use std::path::{Path, PathBuf};

use lapidary_base::Control;
use lapidary_driver::{
    CheckRequest, EngineChoice, LoadRequest, Loaded, SearchDirection, SearchOrder, check, open_text,
};
use lapidary_ir::{parse, print, same, validate};
use lapidary_text::Sources;
use lapidary_verdict::Verdict;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The fenced blocks of a page whose language is exactly `gcl`: complete models.
fn models(page: &str) -> Vec<String> {
    let text = fs::read_to_string(root().join(page)).expect("the page exists");
    let blocks = text.split("\n```gcl\n").skip(1);
    blocks.map(|block| block.split("\n```").next().expect("blocks end").to_owned() + "\n").collect()
}

fn load(name: &str, text: &str) -> Option<Loaded> {
    let request = LoadRequest { path: name.to_owned(), ..LoadRequest::default() };
    let mut loaded = open_text(&request, text.as_bytes().to_vec()).ok()?;
    loaded.asked = loaded.model.properties.ids().collect();
    Some(loaded)
}

/// `holds` or `violated` in the comment behind the property, or in a comment of its own for `no_errors`.
fn promised(text: &str, name: &str) -> Option<Verdict> {
    if name == "no_errors" {
        return Some(if text.contains("// violated: no_errors") { Verdict::Violated } else { Verdict::Holds });
    }
    let named = |line: &&str| line.split([' ', ':', ';']).filter(|word| !word.is_empty()).nth(1) == Some(name);
    let start = text.lines().position(|line| named(&line))?;
    let comment = text.lines().skip(start).find_map(|line| line.split_once("// "))?.1;
    match comment.split([' ', ':', ',']).next()? {
        "holds" => Some(Verdict::Holds),
        "violated" => Some(Verdict::Violated),
        _ => None,
    }
}

#[test]
fn the_models_of_the_language_page_have_the_verdicts_beside_them() {
    let models = models("docs/languages/gcl.md");
    assert!(models.len() >= 10, "the page has its examples");
    for text in models {
        let loaded = load("page.gcl", &text).unwrap_or_else(|| panic!("does not load:\n{text}"));
        let request = CheckRequest {
            engine: EngineChoice::Auto,
            order: SearchOrder::BreadthFirst,
            direction: SearchDirection::Forward,
            jobs: 1,
        };
        for found in check(&loaded, &request, &Control::new()).properties {
            let name = &loaded.model.properties[found.property].name;
            let expected = promised(&text, name).unwrap_or_else(|| panic!("no verdict beside {name}:\n{text}"));
            assert_eq!(found.verdict, expected, "{name} in\n{text}");
        }
    }
}

fn files(folder: PathBuf) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> =
        fs::read_dir(folder).expect("the folder exists").map(|e| e.expect("readable").path()).collect();
    found.sort();
    found.into_iter().filter(|path| path.extension().is_some_and(|suffix| suffix == "gcl")).collect()
}

fn round_trip(name: &str, loaded: &Loaded) {
    validate::validate(&loaded.model).unwrap_or_else(|problems| panic!("{name}: {problems:?}"));
    let printed = print::model(&loaded.model);
    let mut sources = Sources::default();
    let source = sources.add("again.lir", printed.as_str());
    let (again, diagnostics) = parse::parse(&sources, source);
    let again = again.unwrap_or_else(|| panic!("{name}: {diagnostics:?}\n{printed}"));
    same::same(&loaded.model, &again).unwrap_or_else(|difference| panic!("{name}: {difference}"));
    assert_eq!(print::model(&again), printed, "{name}");
}

#[test]
fn every_model_of_gallery_corpus_and_language_page_round_trips() {
    let mut n_models = 0;
    for path in files(root().join("examples")).into_iter().chain(files(root().join("corpus/broken/gcl"))) {
        let text = fs::read_to_string(&path).unwrap_or_default();
        // Most of corpus/broken has no model; what has warnings only does.
        if let Some(loaded) = load("model.gcl", &text) {
            round_trip(&path.display().to_string(), &loaded);
            n_models += 1;
        }
    }
    for text in models("docs/languages/gcl.md") {
        round_trip(&text, &load("page.gcl", &text).expect("the page's models load"));
        n_models += 1;
    }
    assert!(n_models >= 22, "{n_models} models");
}
