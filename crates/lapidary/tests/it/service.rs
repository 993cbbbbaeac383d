//! A thousand requests through the service in one process: texts in every language, good and broken, some stopped midway, some two
//! at once. Neither memory nor threads nor files are left behind, and the answers are those of the program.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use lapidary_base::{Control, Stop, memory, threads};
use lapidary_driver::files::{Files, Texts};
use lapidary_driver::languages::{LANGUAGES, Starter};
use lapidary_driver::service::{Answer, Request, Running, start};
use lapidary_driver::simulate::{NoSimulation, Simulation};
use lapidary_driver::{CheckRequest, EngineChoice, Exit, Limits, LoadRequest};
use lapidary_reference::damaged::FAMILIES;
use lapidary_reference::mutate::mutate;
use lapidary_reference::seeds;
use serde_json::Value;

use crate::support::{root, run_in};

/// All requests of a long run.
const N_REQUESTS: u64 = 1000;
/// After so many the process has what it needs.
const N_WARM: usize = 60;
/// Pairs at the end whose memory is looked at.
const LAST: usize = 20;
/// So much more may be resident then: pieces that the allocator keeps for its threads.
const MOST_GROWTH: u64 = 64 << 20;
/// Z3 keeps the threads of its timers, which all contexts share: as many as were needed at once.
const TIMERS: usize = 6;
/// One answer of so many is compared with that of the program.
const COMPARED: u64 = 32;
/// What is not stopped has so long.
const TIME: Duration = Duration::from_millis(250);

const ENGINES: [&str; 8] = ["auto", "explicit", "auto", "bdd", "pcegar", "kinduction", "matching", "auto"];

/// Texts that are searched for ever, or nearly so.
const ENDLESS: [(&str, &str); 3] = [
    ("count.gcl", "var x : int = 0;\nup: true -> x := x + 1;\ninvariant far: x != 4000000000;\n"),
    (
        "grid.gcl",
        "var x : 0..99999 = 0;\nvar y : 0..99999 = 0;\na: x < 99999 -> x := x + 1;\nb: y < 99999 -> y := y + 1;\ninvariant apart: x + y < 199998;\n",
    ),
    (
        "grow.spec",
        "vars a b c rules a >= 1 -> b' = b + 2; b >= 1 -> b' = b - 1, c' = c + 1; init a = 1, b = 0, c = 0 target c >= 90000\n",
    ),
];

/// A text under a name, with those beside it, in memory.
struct Model {
    name: String,
    texts: Vec<(String, Vec<u8>)>,
}

fn gallery() -> Vec<Model> {
    let folder = root().join("examples");
    let mut paths: Vec<PathBuf> =
        fs::read_dir(&folder).expect("examples/").map(|entry| entry.expect("readable").path()).collect();
    paths.sort();
    let name = |path: &Path| path.file_name().and_then(|name| name.to_str()).expect("plain names").to_owned();
    let all: Vec<(String, Vec<u8>)> =
        paths.iter().map(|path| (name(path), fs::read(path).expect("readable"))).collect();
    let is_model = |name: &&String| lapidary_driver::languages::of(name).is_some();
    let stem = |name: &str| name.split('.').next().unwrap_or_default().to_owned();
    let beside = |model: &String| all.iter().filter(|(name, _)| stem(name) == stem(model)).cloned().collect();
    let names = all.iter().map(|(name, _)| name).filter(is_model);
    names.map(|name| Model { name: name.clone(), texts: beside(name) }).collect()
}

fn starters() -> Vec<Model> {
    let model = |language: &&lapidary_driver::languages::Language| match language.starter {
        Starter::Model { text, .. } => {
            let name = format!("starter.{}", language.suffix());
            Some(Model { texts: vec![(name.clone(), text.into())], name })
        }
        Starter::None(_) => None,
    };
    LANGUAGES.iter().filter_map(model).collect()
}

const LAMP: &str = "#pragma once\nnode Lamp state on : bool; init on := false; event up, down;\n\
    trans not on |- up -> on := true; on |- down -> on := false; edon\n";
const ROOM: &str = "#include \"lamp.alt\"\nnode Room sub a, b : Lamp; event both; trans true |- both -> ; sync <both, a.up, b.up>; edon\n";
const LIR: &str = "model c;\nvar x : 0..3;\ninit x = 0;\ncommand up: { assume x < 3; x := x + 1; }\n\
    property small: text \"x < 3\"; invariant x < 3;\n";

/// Languages that neither the gallery nor starters have, and a model in several files.
fn others() -> Vec<Model> {
    let model = |texts: &[(&str, &str)]| Model {
        name: texts[0].0.to_owned(),
        texts: texts.iter().map(|&(name, text)| (name.to_owned(), text.into())).collect(),
    };
    vec![
        model(&[("counter.lir", LIR)]),
        model(&[("house.project", "lamp.alt\nroom.alt\nnode Room\n"), ("lamp.alt", LAMP), ("room.alt", ROOM)]),
        model(&[("room.alt", ROOM), ("lamp.alt", LAMP)]),
    ]
}

/// What is asked under a number: always the same, whatever was asked before.
struct Asked {
    request: Request,
    texts: Vec<(String, Vec<u8>)>,
    stop: Option<Duration>,
}

fn asked(number: u64, models: &[Model]) -> Asked {
    let pick = |of: usize| (number / 8 % of as u64) as usize;
    let plain = |name: &str, text: Vec<u8>| (name.to_owned(), vec![(name.to_owned(), text)]);
    let (name, texts) = match number % 8 {
        // Damaged texts of two languages, and of all others.
        1 | 5 => {
            let family = &FAMILIES[pick(FAMILIES.len())];
            plain(&format!("damaged.{}", family.suffix), (family.text)(number).into_bytes())
        }
        3 => {
            let model = &models[pick(models.len())];
            let (_, text) = model.texts.iter().find(|(name, _)| *name == model.name).expect("the model itself");
            let damaged = mutate(&String::from_utf8_lossy(text), "", number).into_bytes();
            let beside = model.texts.iter().filter(|(name, _)| *name != model.name).cloned();
            (model.name.clone(), beside.chain([(model.name.clone(), damaged)]).collect())
        }
        6 => {
            let (name, text) = ENDLESS[pick(ENDLESS.len())];
            plain(name, text.into())
        }
        _ => {
            let model = &models[(number as usize * 5 / 8) % models.len()];
            (model.name.clone(), model.texts.clone())
        }
    };
    let properties = match (name.rsplit('.').next(), number % 8) {
        (Some("alt" | "project"), _) => vec!["deadlock_free".to_owned()],
        (Some("gcl"), 0) => vec!["no_errors".to_owned()],
        _ => Vec::new(),
    };
    let engine = EngineChoice::named(ENGINES[(number / 3) as usize % ENGINES.len()]).expect("an engine");
    let load = LoadRequest { path: name, properties, ..LoadRequest::default() };
    let check = CheckRequest { engine, ..CheckRequest::default() };
    let limits = Limits { timeout: Some(TIME), memory: Some(4 << 30) };
    // A quarter, those that would last among them.
    let stop = matches!(number % 8, 6 | 7).then(|| Duration::from_micros(number * 37 % 25_000));
    Asked { request: Request { load, check, limits }, texts, stop }
}

fn files(asked: &Asked) -> Arc<dyn Files> {
    Arc::new(asked.texts.iter().fold(Texts::new(), |files, (name, text)| files.with(name, text.clone())))
}

fn begin(asked: &Asked) -> Running {
    start(asked.request.clone(), files(asked), None).expect("there is room for a thread")
}

/// The answer, and how long it was waited for.
fn finish(asked: &Asked, running: Running, begun: Instant) -> (Answer, Duration) {
    if let Some(after) = asked.stop {
        thread::sleep(after);
        running.interrupter().interrupt();
    }
    let answer = running.wait();
    (answer, begun.elapsed())
}

/// A walk through the model, kept by a thread that has the stack for it.
fn walk(asked: &Asked) {
    let (load, files) = (asked.request.load.clone(), files(asked));
    let steps = move || {
        let control = Control::new().with_timeout(Some(TIME));
        let mut walk = match Simulation::begin(&load, &files, &control) {
            Ok(walk) => walk,
            Err(NoSimulation::Unloaded(_) | NoSimulation::NoInitialState | NoSimulation::Stopped(_)) => return,
        };
        let walked = walk.walk(7, 20, &control);
        assert!(matches!(walked, Ok(()) | Err(Stop::Timeout | Stop::Overflow(_))), "{walked:?}");
        let run = walk.trace().clone();
        while walk.undo() {}
        if walked.is_ok() && walk.take_over(&run).is_ok() {
            assert_eq!(walk.trace(), &run);
        }
    };
    threads::deep("walk", steps).expect("there is room for a thread").join().expect("a walk does not panic");
}

/// A document without what differs from run to run.
fn document(bytes: &[u8]) -> Value {
    let mut document: Value = serde_json::from_slice(bytes).expect("a document of JSON");
    for property in document["properties"].as_array_mut().expect("a list") {
        for (part, keys) in
            [("", &["time_s", "mem_bytes"][..]), ("stats", &["search_s", "check_s", "search_mem_bytes", "bdd_nodes"])]
        {
            let object = if part.is_empty() { Some(&mut *property) } else { property.get_mut(part) };
            let entries = object.and_then(Value::as_object_mut).expect("an object");
            keys.iter().for_each(|key| drop(entries.remove(*key)));
        }
    }
    document
}

/// Where two documents differ first.
fn difference(found: &Value, expected: &Value) -> String {
    match (found, expected) {
        (Value::Object(one), Value::Object(other)) if one.keys().eq(other.keys()) => {
            let differing = one.iter().zip(other.values()).find(|((_, one), other)| one != other);
            differing.map_or_else(String::new, |((key, one), other)| format!("{key}: {}", difference(one, other)))
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            let differing = one.iter().zip(other).find(|(one, other)| one != other);
            differing.map_or_else(String::new, |(one, other)| difference(one, other))
        }
        _ => format!("{found} here, {expected} by the program"),
    }
}

/// Whether a limit or the pace of the machine had a say in the answer.
fn is_timed(document: &Value) -> bool {
    let of_property =
        |property: &Value| matches!(property["reason"]["code"].as_str(), Some("timeout" | "memory" | "interrupted"));
    let of_model =
        document["diagnostics"].as_array().is_some_and(|list| list.iter().any(|found| found["code"] == "limit"));
    of_model || document["properties"].as_array().is_some_and(|list| list.iter().any(of_property))
}

/// The document of the program about the same files, in a folder of their own.
fn of_program(asked: &Asked, folder: &Path) -> Value {
    let Request { load, check, .. } = &asked.request;
    fs::create_dir_all(folder).expect("a folder can be made");
    for (name, text) in &asked.texts {
        fs::write(folder.join(name), text).expect("a file can be written");
    }
    let mut args =
        vec!["check", &load.path, "--engine", check.engine.name(), "--format", "json", "-j", "1", "--progress", "none"];
    load.properties.iter().for_each(|property| args.extend(["-p", property]));
    let found = run_in(folder, &args);
    fs::remove_dir_all(folder).expect("what was made can be removed");
    document(found.stdout.as_bytes())
}

fn entries(folder: &str) -> usize {
    fs::read_dir(folder).map_or(0, |entries| entries.count())
}

fn names_of_threads() -> String {
    let tasks = fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let name = |task: fs::DirEntry| fs::read_to_string(task.path().join("comm")).unwrap_or_default().trim().to_owned();
    tasks.map(name).collect::<Vec<_>>().join(", ")
}

/// Waits for what ends by itself, workers of diagrams for one.
fn settled(n_threads: usize) -> usize {
    let begun = Instant::now();
    while entries("/proc/self/task") > n_threads && begun.elapsed() < Duration::from_secs(10) {
        thread::sleep(Duration::from_millis(5));
    }
    entries("/proc/self/task")
}

/// Set for the process in which the requests are answered, so that nobody else counts in it.
const ALONE: &str = "LAPIDARY_SERVICE_ALONE";

/// The allocator keeps pieces for each of up to eight pools for every processor. With one of them what is kept is what is used.
const ONE_POOL: (&str, &str) = ("MALLOC_ARENA_MAX", "1");

#[test]
fn a_thousand_requests_leave_nothing_behind_and_are_answered_as_by_the_program() {
    if env::var_os(ALONE).is_some() {
        return a_thousand_requests();
    }
    let name = "service::a_thousand_requests_leave_nothing_behind_and_are_answered_as_by_the_program";
    let mut again = Command::new(env::current_exe().expect("this program"));
    again.args(["--exact", name, "--nocapture"]).env(ALONE, "yes").env(ONE_POOL.0, ONE_POOL.1).stdin(Stdio::null());
    let ended = again.status().expect("the program of the tests starts");
    assert!(ended.success(), "{ended}; what is wrong stands above");
}

/// The answers to both, one beside or behind the other.
fn answered(both: &[Asked], together: Together) -> Vec<(Answer, Duration)> {
    match together {
        Together::Yes => {
            let start = Instant::now();
            let running: Vec<Running> = both.iter().map(begin).collect();
            both.iter().zip(running).map(|(asked, running)| finish(asked, running, start)).collect()
        }
        Together::No => {
            let alone = |asked| {
                let start = Instant::now();
                finish(asked, begin(asked), start)
            };
            both.iter().map(alone).collect()
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Together {
    Yes,
    No,
}

/// What came of all requests so far.
#[derive(Default)]
struct Tally {
    exits: BTreeMap<u8, usize>,
    n_compared: usize,
    /// Bytes after each pair.
    resident: Vec<u64>,
}

impl Tally {
    fn note(&mut self, number: u64, asked: &Asked, (answer, took): &(Answer, Duration)) {
        let path = &asked.request.load.path;
        assert_ne!(answer.exit, Exit::Internal, "{number}, {path}: {}", String::from_utf8_lossy(&answer.document));
        let found = document(&answer.document);
        assert_eq!(found["exit_code"], answer.exit.code(), "{number}, {path}");
        *self.exits.entry(answer.exit.code()).or_default() += 1;
        // A limit may have ended an engine, also where another one had the answer.
        let is_free = asked.stop.is_none() && *took < TIME && !is_timed(&found);
        if is_free && (number / 8).is_multiple_of(COMPARED / 8) {
            let folder = env::temp_dir().join(format!("lapidary-service-{}", std::process::id()));
            let expected = of_program(asked, &folder);
            // The system has words of its own for a file that is not there.
            let words = expected.to_string().replace("No such file or directory (os error 2)", "there is no such file");
            let expected: Value = serde_json::from_str(&words).expect("a document");
            assert!(found == expected, "{number}, {path}: {}", difference(&found, &expected));
            self.n_compared += 1;
        }
    }

    /// The most memory while the process became warm, and the least after the last answers: what is freed a moment later does
    /// not count.
    fn memory(&self) -> (u64, u64) {
        let warm = self.resident.iter().take(N_WARM / 2).copied().max().unwrap_or(0);
        (warm, self.resident.iter().rev().take(LAST).copied().min().unwrap_or(0))
    }
}

fn a_thousand_requests() {
    let models: Vec<Model> = gallery().into_iter().chain(starters()).chain(others()).collect();
    let (n_threads, n_files) = (entries("/proc/self/task"), entries("/proc/self/fd"));
    let numbers = seeds::of(0..N_REQUESTS);
    let mut tally = Tally::default();
    let begun = Instant::now();
    for (round, pair) in numbers.chunks(2).enumerate() {
        let both: Vec<Asked> = pair.iter().map(|&number| asked(number, &models)).collect();
        let together = if round % 3 == 0 { Together::Yes } else { Together::No };
        let answers = answered(&both, together);
        pair.iter().zip(&both).zip(&answers).for_each(|((&number, asked), answer)| tally.note(number, asked, answer));
        if round % 9 == 0 {
            walk(&both[0]);
        }
        tally.resident.push(memory::resident().unwrap_or(0));
    }
    let (seconds, threads) = (begun.elapsed().as_secs_f64(), settled(n_threads + TIMERS));
    let (warm, after) = tally.memory();
    let Tally { exits, n_compared, .. } = tally;
    let told = format!(
        "{} requests in {seconds:.1} s, {n_compared} of them compared; exit codes {exits:?}; resident {} MB when warm, \
         {} MB at the end; {n_threads} threads before, {threads} after",
        numbers.len(),
        warm >> 20,
        after >> 20
    );
    writeln!(io::stderr(), "{told}").expect("somebody listens");
    assert!(threads <= n_threads + TIMERS, "{threads} threads, and {n_threads} before: {}", names_of_threads());
    assert!(entries("/proc/self/fd") <= n_files, "files stay open");
    assert!(after <= warm + MOST_GROWTH, "{after} bytes resident, and {warm} when warm");
    for code in [0, 2, 3, 10, 30, 130] {
        assert!(exits.contains_key(&code), "no answer ends with {code}: {exits:?}");
    }
    assert!(n_compared >= seeds::least(100), "only {n_compared} answers were compared");
}
