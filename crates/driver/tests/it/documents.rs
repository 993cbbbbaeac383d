//! The language pages are true: models are checked against the verdicts and numbers written beside them, specifications
//! run, and commands exist. All models of the repository survive the textual form.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{fs, io};

use lapidary_base::Control;
use lapidary_driver::files::disk;
use lapidary_driver::mec::{Desk, Workspace, session};
use lapidary_driver::{
    CheckRequest, EngineChoice, LoadRequest, Loaded, SearchDirection, SearchOrder, check, open_text,
};
use lapidary_ir::{parse, print, same, validate};
use lapidary_mec::acheck::{Mode, Output};
use lapidary_mec::mec5::{Host, Outcome};
use lapidary_text::{Diagnostic, Sources};
use lapidary_verdict::Verdict;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn page(path: &str) -> String {
    fs::read_to_string(root().join(path)).expect("the page exists")
}

/// The fenced blocks of a page whose language is exactly this one: complete models or specifications.
fn blocks(path: &str, language: &str) -> Vec<String> {
    let text = page(path);
    let fence = format!("\n```{language}\n");
    let blocks = text.split(&fence).skip(1);
    blocks.map(|block| block.split("\n```").next().expect("blocks end").to_owned() + "\n").collect()
}

fn load(name: &str, text: &str) -> Option<Loaded> {
    let request = LoadRequest { path: name.to_owned(), ..LoadRequest::default() };
    let mut loaded = open_text(&request, text.as_bytes().to_vec()).ok()?;
    loaded.asked = loaded.declared().properties.ids().collect();
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
    let models = blocks("docs/languages/gcl.md", "gcl");
    assert!(models.len() >= 10, "the page has its examples");
    for text in models {
        let loaded = load("page.gcl", &text).unwrap_or_else(|| panic!("does not load:\n{text}"));
        let request = CheckRequest {
            engine: EngineChoice::Auto,
            order: SearchOrder::BreadthFirst,
            direction: SearchDirection::Forward,
            jobs: 1,
            ..CheckRequest::default()
        };
        for found in check(&loaded, &request, &Control::new()).properties {
            let name = &loaded.declared().properties[found.property].name;
            let expected = promised(&text, name).unwrap_or_else(|| panic!("no verdict beside {name}:\n{text}"));
            assert_eq!(found.verdict, expected, "{name} in\n{text}");
        }
    }
}

#[test]
fn the_transition_systems_of_the_language_page_have_the_verdicts_beside_them() {
    let models = blocks("docs/languages/xsts.md", "xsts");
    assert!(models.len() >= 5, "the page has its examples");
    for text in models {
        let loaded = load("page.xsts", &text).unwrap_or_else(|| panic!("does not load:\n{text}"));
        round_trip(&text, &loaded);
        let found = check(&loaded, &CheckRequest::default(), &Control::new()).properties;
        let comment = text.lines().find(|line| line.starts_with("prop ")).and_then(|line| line.split_once("// "));
        let expected = match comment {
            Some((_, "holds")) => Verdict::Holds,
            Some((_, "violated")) => Verdict::Violated,
            _ => panic!("no verdict beside the property:\n{text}"),
        };
        assert_eq!(found.iter().map(|found| found.verdict).collect::<Vec<_>>(), [expected], "{text}");
    }
}

/// The lines `// -p 'x < 3': holds` and `// error_unreachable: violated` of a model.
fn promises(text: &str) -> Vec<(String, Verdict)> {
    let promise = |line: &str| {
        let (asked, verdict) = line.strip_prefix("// ")?.rsplit_once(": ")?;
        let verdict = match verdict {
            "holds" => Verdict::Holds,
            "violated" => Verdict::Violated,
            _ => return None,
        };
        let asked = asked.strip_prefix("-p '").and_then(|formula| formula.strip_suffix('\'')).unwrap_or(asked);
        Some((asked.to_owned(), verdict))
    };
    text.lines().filter_map(promise).collect()
}

#[test]
fn the_automata_of_their_page_have_the_verdicts_above_them() {
    let models = blocks("docs/languages/cfa.md", "cfa");
    assert!(models.len() >= 3, "the page has its examples");
    for text in models {
        let promised = promises(&text);
        assert!(!promised.is_empty(), "{text}");
        let properties = promised.iter().map(|(asked, _)| asked.clone()).collect();
        let request = LoadRequest { path: "page.cfa".to_owned(), properties, ..LoadRequest::default() };
        let loaded = open_text(&request, text.as_bytes().to_vec()).unwrap_or_else(|error| panic!("{}", error.render()));
        let report = check(&loaded, &CheckRequest::default(), &Control::new());
        for (found, (asked, verdict)) in report.properties.iter().zip(&promised) {
            assert_eq!(found.verdict, *verdict, "{asked} in\n{text}");
        }
        assert_eq!(report.properties.len(), promised.len());
        round_trip(&text, &loaded);
    }
}

fn files(folder: PathBuf) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> =
        fs::read_dir(folder).expect("the folder exists").map(|e| e.expect("readable").path()).collect();
    found.sort();
    found.into_iter().filter(|path| path.extension().is_some_and(|suffix| suffix == "gcl")).collect()
}

fn round_trip(name: &str, loaded: &Loaded) {
    let model = loaded.subject.made_model().expect("a model");
    validate::validate(model).unwrap_or_else(|problems| panic!("{name}: {problems:?}"));
    let printed = print::model(model);
    let mut sources = Sources::default();
    let source = sources.add("again.lir", printed.as_str());
    let (again, diagnostics) = parse::parse(&sources, source);
    let again = again.unwrap_or_else(|| panic!("{name}: {diagnostics:?}\n{printed}"));
    same::same(model, &again).unwrap_or_else(|difference| panic!("{name}: {difference}"));
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
    for text in blocks("docs/languages/gcl.md", "gcl") {
        round_trip(&text, &load("page.gcl", &text).expect("the page's models load"));
        n_models += 1;
    }
    assert!(n_models >= 22, "{n_models} models");
}

/// The numbers of a line such as `// reachable: 4 configurations, 10 transitions`.
fn promised_counts(text: &str) -> Option<(usize, usize)> {
    let (configurations, rest) = text.strip_prefix("// reachable: ")?.split_once(" configurations, ")?;
    let (transitions, _) = rest.split_once(" transitions\n")?;
    Some((configurations.parse().ok()?, transitions.parse().ok()?))
}

#[test]
fn the_altarica_models_of_the_language_page_have_the_numbers_above_them() {
    let models = blocks("docs/languages/altarica.md", "altarica");
    assert!(models.len() >= 4, "the page has its examples");
    for text in models {
        let promised = promised_counts(&text).unwrap_or_else(|| panic!("no numbers above:\n{text}"));
        let tree = crate::meanings::tree("page.alt", &text, None);
        assert_eq!(crate::meanings::agreed(&tree, &text).counts(), promised, "{text}");
    }
}

#[derive(Default)]
struct Printed {
    text: String,
    messages: Vec<String>,
}

impl Output for Printed {
    fn text(&mut self, text: &str) {
        self.text += text;
    }

    fn file(&mut self, path: &str, _mode: Mode, _text: &str) -> io::Result<()> {
        panic!("the pages write no files such as {path}")
    }
}

impl Desk for Printed {
    fn report(&mut self, _sources: &Sources, diagnostics: &[Diagnostic]) {
        self.messages.extend(diagnostics.iter().map(|diagnostic| diagnostic.message.clone()));
    }

    fn keep(&mut self, _path: &str) {}
}

/// What statements print; nothing in them is wrong.
fn run(statements: &str) -> (String, Outcome) {
    let mut workspace = Workspace::new(&disk(), Printed::default());
    let mut session = session(Some(1 << 28), 1);
    let source = workspace.add_source("page", statements);
    session.run(&mut workspace, source, &Control::new());
    assert_eq!(workspace.desk.messages, [""; 0], "{statements}");
    (workspace.desk.text, session.outcome)
}

#[test]
fn the_specifications_of_the_acheck_page_run_on_the_tank() {
    let specifications = blocks("docs/languages/acheck.md", "acheck");
    assert!(!specifications.is_empty(), "the page has its example");
    let model = root().join("examples/tank.alt");
    for text in specifications {
        let (printed, outcome) = run(&format!(":ar-load {}\n{text}", model.display()));
        assert_eq!((outcome.n_errors, outcome.n_failed_tests), (0, 0), "{text}\n{printed}");
        assert!(printed.contains("Properties for node : Plant") && printed.contains("[PASSED]"), "{printed}");
    }
}

/// The first words of code in a text: of `` `:set [OPTION]` `` it is `:set`.
fn code_words(text: &str) -> Vec<&str> {
    let code = text.split('`').skip(1).step_by(2);
    code.filter_map(|code| code.split([' ', '\n']).next()).collect()
}

/// The first words of the lines that a command prints.
fn first_words(command: &str) -> BTreeSet<String> {
    let printed = run(command).0;
    printed.lines().filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect()
}

#[test]
fn the_mec_page_names_all_commands_and_options_and_no_others() {
    let text = page("docs/languages/mec5.md");
    let is_command = |word: &&&str| word.strip_prefix(':').is_some_and(|name| name.starts_with(char::is_alphabetic));
    let outside = text.split("```").step_by(2).collect::<String>();
    let named: BTreeSet<String> = code_words(&outside).iter().filter(is_command).map(|&word| word.to_owned()).collect();
    let mut commands = first_words(":help");
    commands.retain(|word| word.starts_with(':'));
    // `:command` stands for any of them.
    assert_eq!(&named - &BTreeSet::from([":command".to_owned()]), commands);

    let options = first_words(":set");
    assert!(options.len() >= 2, "{options:?}");
    for option in options {
        assert!(outside.contains(&format!("`{option}`")), "the page does not explain {option}");
    }
}

/// Statements follow `mec> `, what they print comes after them. Lines of a run and of counts may be left out at the end.
#[test]
fn the_sessions_of_the_mec_page_print_what_is_written_there() {
    let sessions = blocks("docs/languages/mec5.md", "session");
    assert!(!sessions.is_empty(), "the page has its session");
    for text in sessions {
        let mut workspace = Workspace::new(&disk(), Printed::default());
        let mut session = session(Some(1 << 28), 1);
        for part in text.split("mec> ").skip(1) {
            let (statement, expected) = part.split_once('\n').expect("statements end with their lines");
            let folder = root().join("crates/mec/tests/it/mec5");
            let statement = statement.replace(":ar-load ", &format!(":ar-load {}/", folder.display()));
            let source = workspace.add_source("page", &statement);
            session.run(&mut workspace, source, &Control::new());
            let printed = std::mem::take(&mut workspace.desk.text);
            assert!(printed.starts_with(expected), "{statement}\n{printed}");
            assert!(!expected.is_empty() || printed.is_empty(), "{statement}\n{printed}");
        }
        assert_eq!((workspace.desk.messages, session.outcome), (Vec::new(), Outcome::default()));
    }
}
