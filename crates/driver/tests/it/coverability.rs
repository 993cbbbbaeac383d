//! The corpus of nets: every file is read, no answer contradicts what is known, and what must be decided is.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use lapidary_base::Control;
use lapidary_driver::{CheckRequest, EngineChoice, LoadRequest, Loaded, check, load, nets, open_text};
use lapidary_engines::backward::BACKWARD;
use lapidary_engines::forward::FORWARD;
use lapidary_engines::lazy::LAZY;
use lapidary_reference::seeds;
use lapidary_reference::surroundings::corpus;
use lapidary_verdict::{Report, Verdict};

lapidary_reference::with_corpus!(
    auto_contradicts_nothing_and_answers_wherever_it_should,
    engines_for_nets_agree_on_the_corpus,
    plain_nets_survive_the_way_through_other_formats,
    protocols_with_assignments_are_accepted,
    thread_programs_are_decided_by_whoever_can,
);

const MINUTE: Duration = Duration::from_secs(60);
const MOMENT: Duration = Duration::from_millis(250);

struct Task {
    name: String,
    request: LoadRequest,
    expected: Option<Verdict>,
}

/// All files, with what their first line or `test.desc` says of them.
fn tasks() -> Vec<Task> {
    let corpus = corpus("coverability");
    let mut files = Vec::new();
    collect(&corpus, &mut files);
    files.sort();
    files.iter().map(|file| task(&corpus, file)).collect()
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("readable").path();
        match path.extension().and_then(|suffix| suffix.to_str()) {
            _ if path.is_dir() => collect(&path, files),
            Some("spec" | "tts") => files.push(path),
            Some(_) | None => {}
        }
    }
}

fn task(corpus: &Path, file: &Path) -> Task {
    let name = file.strip_prefix(corpus).expect("below the corpus").display().to_string();
    // Some files are older than UTF-8.
    let text = String::from_utf8_lossy(&fs::read(file).expect("readable")).into_owned();
    let description = fs::read_to_string(file.with_file_name("test.desc")).unwrap_or_default();
    let (safe, not) = ("expected result: safe", "expected result: unsafe");
    let first = text.lines().next().unwrap_or("");
    let asks = description.contains("--target");
    let expected = if first.contains(safe) || asks && description.contains("SUCCESSFUL") {
        Some(Verdict::Holds)
    } else if first.contains(not) || asks && description.contains("FAILED") {
        Some(Verdict::Violated)
    } else {
        None
    };
    let initial = description.split_once("--init").and_then(|(_, rest)| rest.split_whitespace().next());
    let initial = initial.map(|word| word.trim_matches('"').to_owned());
    let request = LoadRequest { path: file.display().to_string(), initial, ..LoadRequest::default() };
    Task { name, request, expected }
}

fn loaded(task: &Task) -> Loaded {
    load(&task.request).unwrap_or_else(|error| panic!("{}: {}", task.name, error.render()))
}

fn checked(loaded: &Loaded, engine: EngineChoice, limit: Duration) -> Report {
    let request = CheckRequest { engine, jobs: 2, ..CheckRequest::default() };
    let control = Control::new().with_timeout(Some(limit)).with_memory(Some(4 << 30));
    let report = check(loaded, &request, &control);
    assert_eq!(report.internal_errors, Vec::<String>::new(), "{}", loaded.path);
    report
}

fn verdict(report: &Report) -> Verdict {
    assert_eq!(report.properties.len(), 1, "there is one property, target");
    report.properties[0].verdict
}

/// The files on which `auto` gives no answer, and why: all of them are questions of exact reachability or have zero tests.
const OPEN: [&str; 0] = [];

fn auto_contradicts_nothing_and_answers_wherever_it_should() {
    let mut open = Vec::new();
    for task in tasks() {
        let report = checked(&loaded(&task), EngineChoice::Auto, MINUTE);
        match verdict(&report) {
            Verdict::Unknown => open.push(task.name),
            found => assert!(task.expected.is_none_or(|expected| expected == found), "{}: {found:?}", task.name),
        }
    }
    assert_eq!(open, OPEN);
}

/// Three engines on everything, each for a moment: what they say must agree. Many moments: files are chosen like seeds.
fn engines_for_nets_agree_on_the_corpus() {
    let tasks = tasks();
    for task in seeds::of(0..tasks.len() as u64).into_iter().map(|number| &tasks[number as usize]) {
        let loaded = loaded(task);
        let mut found: Vec<(EngineChoice, Verdict)> = Vec::new();
        for engine in [EngineChoice::Named(&BACKWARD), EngineChoice::Named(&FORWARD), EngineChoice::Named(&LAZY)] {
            let answer = verdict(&checked(&loaded, engine, MOMENT));
            found.extend((answer != Verdict::Unknown).then_some((engine, answer)));
        }
        let expected = task.expected.or(found.first().map(|&(_, answer)| answer));
        assert!(found.iter().all(|&(_, answer)| Some(answer) == expected), "{}: {found:?}", task.name);
    }
}

/// A net that is written as PNML or for LoLA and read again has the same answer.
fn plain_nets_survive_the_way_through_other_formats() {
    let mut n_written = 0;
    for task in tasks() {
        let original = loaded(&task);
        if !original.subject.net().is_some_and(lapidary_ir::Net::is_plain) {
            continue;
        }
        let expected = verdict(&checked(&original, EngineChoice::Auto, MINUTE));
        for suffix in ["pnml", "lola", "spec"] {
            let again = rewritten(&original, suffix);
            assert_eq!(verdict(&checked(&again, EngineChoice::Auto, MINUTE)), expected, "{} as {suffix}", task.name);
            n_written += 1;
        }
    }
    assert!(n_written >= 90, "{n_written} files were written");
}

/// Writes the net and its properties to a folder of its own, and reads both again.
fn rewritten(original: &Loaded, suffix: &str) -> Loaded {
    let folder = std::env::temp_dir().join(format!("lapidary-nets-{}-{suffix}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join("net").with_extension(suffix);
    let files = nets::written(original, &path).expect("a format for nets").expect("plain nets can be written");
    for file in &files {
        fs::write(&file.path, &file.text).expect("writable");
    }
    let request = LoadRequest { path: path.display().to_string(), ..LoadRequest::default() };
    let again = load(&request).unwrap_or_else(|error| panic!("{}: {}", original.path, error.render()));
    fs::remove_dir_all(&folder).expect("removable");
    again
}

/// The protocols with assignments that MIST refuses.
fn protocols_with_assignments_are_accepted() {
    for name in ["MOESI", "berkeley", "dragon", "last-in-first-served"] {
        let task = tasks().into_iter().find(|task| task.name.contains(name)).expect("a protocol of the corpus");
        assert!(loaded(&task).subject.net().is_some_and(|net| net.places.len() >= 4), "{name}");
    }
}

/// `forward` decides them in a moment, `backward` does not.
fn thread_programs_are_decided_by_whoever_can() {
    for name in ["double_lock_p3_vs_satabs.3", "peterson_vs_satabs.2", "pthread5_vs_satabs.4"] {
        let path = corpus(&format!("threads/{name}.spec")).to_str().expect("plain paths").to_owned();
        let request = LoadRequest { path, ..LoadRequest::default() };
        let loaded = load(&request).unwrap_or_else(|error| panic!("{name}: {}", error.render()));
        for jobs in [1, 2] {
            let request = CheckRequest { jobs, ..CheckRequest::default() };
            let report = check(&loaded, &request, &Control::new().with_timeout(Some(MINUTE)));
            assert_eq!(verdict(&report), Verdict::Violated, "{name} with {jobs} threads");
        }
    }
}

#[test]
fn a_text_without_a_file_is_read_too() {
    let text = "vars a b rules a >= 1 -> a' = a - 1, b' = b + 1; init a = 1, b = 0 target b >= 2";
    let request = LoadRequest { path: "two.spec".to_owned(), ..LoadRequest::default() };
    let mut loaded = open_text(&request, text.as_bytes().to_vec()).unwrap_or_else(|error| panic!("{}", error.render()));
    loaded.asked = loaded.declared().properties.ids().collect();
    assert_eq!(verdict(&checked(&loaded, EngineChoice::Auto, MINUTE)), Verdict::Holds);
}
