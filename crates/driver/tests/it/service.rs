//! Requests through the service: from texts, with events, stopped from outside, beside each other.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use lapidary_base::{Event, Sink};
use lapidary_driver::events::{Lines, parse};
use lapidary_driver::files::{Files, Texts, disk};
use lapidary_driver::service::{Answer, Outcome, Request, start};
use lapidary_driver::{CheckRequest, EngineChoice, Exit, Limits, LoadRequest, SearchOrder};
use lapidary_verdict::{Evidence, Reason, Verdict};
use serde_json::Value;

fn request(path: &str, engine: &str) -> Request {
    let engine = EngineChoice::named(engine).expect("an engine");
    let load = LoadRequest { path: path.to_owned(), ..LoadRequest::default() };
    Request { load, check: CheckRequest { engine, ..CheckRequest::default() }, limits: Limits::default() }
}

fn texts(path: &str, text: &str) -> Arc<dyn Files> {
    Arc::new(Texts::new().with(path, text))
}

fn answer(request: &Request, files: &Arc<dyn Files>) -> Answer {
    start(request.clone(), Arc::clone(files), None).expect("there is room for a thread").wait()
}

/// The document without what differs from run to run.
fn document(answer: &Answer) -> Value {
    let mut document: Value = serde_json::from_slice(&answer.document).expect("a document of JSON");
    for property in document["properties"].as_array_mut().expect("a list") {
        for key in ["time_s", "mem_bytes"] {
            property[key] = Value::Null;
        }
        for key in ["search_s", "check_s", "search_mem_bytes"] {
            property["stats"][key] = Value::Null;
        }
    }
    document
}

/// Counts for ever.
const ENDLESS: &str = "var x : int = 0;\nup: true -> x := x + 1;\ninvariant natural: x >= 0;\n";
const COUNTER: &str = "var x : 0..9 = 0;\nup: x < 9 -> x := x + 1;\ninvariant small: x < 7;\ninvariant fits: x <= 9;\n";

#[test]
fn a_text_in_memory_gets_the_answer_of_its_file() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    for name in ["peterson.gcl", "lock.tts", "msi.spec", "workshop.lola"] {
        let path = examples.join(name).display().to_string();
        let of_file = answer(&request(&path, "auto"), &disk());
        let read = |path: &Path| std::fs::read(path).expect("a model of the gallery");
        let mut memory = Texts::new().with(name, read(&examples.join(name)));
        for beside in ["lock.prop", "workshop.formula"] {
            memory.put(beside, read(&examples.join(beside)));
        }
        let of_text = answer(&request(name, "auto"), &(Arc::new(memory) as Arc<_>));
        let (mut file, mut text) = (document(&of_file).to_string(), document(&of_text).to_string());
        let folder = format!("{}/", examples.display());
        file = file.replace(&folder, "");
        text = text.replace(&folder, "");
        assert_eq!((file, of_file.exit), (text, of_text.exit), "{name}");
    }
}

#[derive(Default)]
struct Heard(Mutex<(Lines, Vec<String>)>);

impl Sink for Heard {
    fn event(&self, event: &Event) {
        let mut heard = self.0.lock().expect("nobody panics");
        let line = heard.0.line(event);
        heard.1.push(line);
    }
}

#[test]
fn events_come_as_lines_of_json_while_the_answer_is_sought() {
    let heard = Arc::new(Heard::default());
    let mut asked = request("c.gcl", "cegar");
    asked.load.properties = vec!["small".to_owned()];
    let observer = Arc::clone(&heard) as Arc<dyn Sink>;
    let running = start(asked, texts("c.gcl", COUNTER), Some(observer)).expect("there is room for a thread");
    assert_eq!(running.wait().exit, Exit::Violated);
    let lines = heard.0.lock().expect("nobody panics").1.clone();
    let names: Vec<String> = lines
        .iter()
        .map(|line| {
            assert!(parse(line.as_bytes()).is_ok(), "{line}");
            let value: Value = serde_json::from_str(line).expect("JSON");
            value["event"].as_str().expect("a name").to_owned()
        })
        .collect();
    assert_eq!((names[0].as_str(), names[1].as_str()), ("model_loaded", "property_start"));
    assert!(names.iter().any(|name| name == "iteration"), "{names:?}");
    assert_eq!(names.last().map(String::as_str), Some("verdict"));
    assert!(lines[0].contains(r#""path":"c.gcl","variables":1,"commands":1,"properties":1"#), "{}", lines[0]);
}

fn is_interrupted(answer: &Answer) -> bool {
    let Outcome::Checked(checked) = &answer.outcome else { return false };
    let is_so =
        |evidence: &Evidence| matches!(evidence, Evidence::Nothing(Reason::Stopped(lapidary_base::Stop::Interrupted)));
    answer.exit == Exit::Interrupted
        && checked.report.properties.iter().all(|one| one.verdict == Verdict::Unknown && is_so(&one.evidence))
        && document(answer)["exit_code"] == 130
        && document(answer)["properties"][0]["reason"]["code"] == "interrupted"
}

#[test]
fn a_request_is_stopped_from_any_thread_and_says_so() {
    let engines = ["explicit", "auto", "kinduction", "matching"];
    for engine in engines {
        let files = texts("m.gcl", ENDLESS);
        // Violated, but so far away that nobody comes there.
        let mut asked = request("m.gcl", engine);
        asked.load.properties = vec!["x != 4000000000".to_owned()];
        let heard = Arc::new(Heard::default());
        let observer = Arc::clone(&heard) as Arc<dyn Sink>;
        let running = start(asked, files, Some(observer)).expect("there is room for a thread");
        let interrupter = running.interrupter();
        let begun = Instant::now();
        let stopper = thread::spawn(move || {
            while heard.0.lock().expect("nobody panics").1.len() < 2 {
                thread::sleep(Duration::from_millis(1));
            }
            interrupter.interrupt();
        });
        let answer = running.wait();
        stopper.join().expect("it only waits");
        assert!(begun.elapsed() < Duration::from_secs(10), "{engine}: {:?}", begun.elapsed());
        assert!(is_interrupted(&answer), "{engine}: {}", document(&answer));
    }
}

#[test]
fn to_stop_one_request_does_not_stop_the_other() {
    let files = texts("m.gcl", ENDLESS);
    let one = start(request("m.gcl", "explicit"), Arc::clone(&files), None).expect("there is room for a thread");
    let other = start(request("c.gcl", "explicit"), texts("c.gcl", COUNTER), None).expect("there is room");
    let third = start(request("m.gcl", "explicit"), files, None).expect("there is room for a thread");
    one.interrupter().interrupt();
    assert_eq!((one.wait().exit, other.wait().exit), (Exit::Interrupted, Exit::Violated));
    assert!(!third.is_finished());
    third.interrupter().interrupt();
    assert_eq!(third.wait().exit, Exit::Interrupted);
}

#[test]
fn who_does_not_wait_for_an_answer_stops_it() {
    let running = start(request("m.gcl", "explicit"), texts("m.gcl", ENDLESS), None).expect("there is room");
    let heard = Arc::new(Heard::default());
    let watched = Arc::downgrade(&heard);
    let second = start(request("m.gcl", "explicit"), texts("m.gcl", ENDLESS), Some(heard)).expect("there is room");
    drop((running, second));
    let begun = Instant::now();
    while watched.strong_count() > 0 {
        assert!(begun.elapsed() < Duration::from_secs(10), "its thread still has the observer");
        thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn limits_are_those_of_the_request() {
    let limits = Limits { timeout: Some(Duration::from_millis(100)), memory: None };
    let answer = answer(&Request { limits, ..request("m.gcl", "explicit") }, &texts("m.gcl", ENDLESS));
    assert_eq!(
        (answer.exit, document(&answer)["properties"][0]["reason"]["code"].as_str()),
        (Exit::Unknown, Some("timeout"))
    );
}

#[test]
fn what_cannot_be_asked_is_answered_too() {
    let files = texts("c.gcl", COUNTER);
    let diagnostic = |answer: &Answer| {
        let found = document(answer)["diagnostics"][0].clone();
        (answer.exit, found["code"].as_str().unwrap_or_default().to_owned(), found["message"].to_string())
    };
    let mut asked = request("c.gcl", "bdd");
    asked.check.order = SearchOrder::Random(1);
    let (exit, code, message) = diagnostic(&answer(&asked, &files));
    assert_eq!((exit, code.as_str()), (Exit::Usage, "usage"));
    assert!(message.contains("--order random is for"), "{message}");
    let (exit, code, message) = diagnostic(&answer(&request("d.gcl", "auto"), &files));
    assert_eq!((exit, code.as_str()), (Exit::Input, "file"));
    assert!(message.contains("cannot read d.gcl"), "{message}");
    let broken = texts("c.gcl", "var x : 0..3 = 0;\ninvariant y < 3;\n");
    let (exit, code, _) = diagnostic(&answer(&request("c.gcl", "auto"), &broken));
    assert_eq!((exit, code.starts_with("gcl")), (Exit::Input, true), "{code}");
    let nothing = texts("c.gcl", "var x : 0..3 = 0;\nup: x < 3 -> x := x + 1;\n");
    assert_eq!(diagnostic(&answer(&request("c.gcl", "auto"), &nothing)).0, Exit::Usage);
}
