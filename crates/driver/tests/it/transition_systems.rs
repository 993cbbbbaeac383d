//! The transition systems of the corpus: no engine ever says the wrong thing, and `auto` says it about nearly all of them.

use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fs, io};

use lapidary_base::Control;
use lapidary_driver::{CheckRequest, EngineChoice, LoadError, LoadRequest, Loaded, OrtOrder, check, load, open_text};
use lapidary_engines::induction::{BMC, KINDUCTION};
use lapidary_engines::reach::EXPLICIT;
use lapidary_engines::symbolic::BDD;
use lapidary_reference::surroundings::corpus;
use lapidary_verdict::{Evidence, PropertyReport, Verdict};

lapidary_reference::with_corpus!(
    every_row_has_its_verdict_with_every_engine_that_answers,
    what_statecharts_became_has_its_verdicts,
    the_order_of_branches_that_all_run_matters,
    all_systems_with_temporal_properties_are_read
);

/// A model, its property, and whether it holds.
struct Row {
    model: PathBuf,
    property: PathBuf,
    holds: bool,
}

fn request(model: &Path, property: &Path, ort: Option<OrtOrder>) -> LoadRequest {
    let [path, property] = [model, property].map(|path| path.to_str().expect("plain paths").to_owned());
    LoadRequest { path, formulas: vec![property], ort, ..LoadRequest::default() }
}

fn answer(loaded: &Loaded, engine: EngineChoice, seconds: u64) -> PropertyReport {
    let control = Control::new().with_timeout(Some(Duration::from_secs(seconds)));
    let mut report = check(loaded, &CheckRequest { engine, ..CheckRequest::default() }, &control);
    assert_eq!(report.internal_errors, Vec::<String>::new(), "{}", loaded.path);
    report.properties.swap_remove(0)
}

/// Asks all engines about all rows; the names of those that `auto` leaves open.
fn judge(rows: &[Row]) -> Vec<String> {
    let mut open = Vec::new();
    for Row { model, property, holds } in rows {
        let loaded = load(&request(model, property, None)).unwrap_or_else(|error| panic!("{}", error.render()));
        let right = if *holds { Verdict::Holds } else { Verdict::Violated };
        for engine in [&EXPLICIT, &BMC, &KINDUCTION, &BDD] {
            let found = answer(&loaded, EngineChoice::Named(engine), 1).verdict;
            assert!([right, Verdict::Unknown].contains(&found), "{}: {} says {found:?}", model.display(), engine.name);
        }
        match answer(&loaded, EngineChoice::Auto, 10).verdict {
            Verdict::Unknown => open.push(model.display().to_string()),
            found => assert_eq!(found, right, "{}", model.display()),
        }
    }
    open
}

fn every_row_has_its_verdict_with_every_engine_that_answers() {
    let folder = corpus("theta/xsts");
    let table = fs::read_to_string(folder.join("expected.csv")).expect("a table");
    let row = |line: &str| {
        let [model, property, safe] = line.split(',').collect::<Vec<_>>()[..] else { panic!("three columns: {line}") };
        Row { model: folder.join(model), property: folder.join(property), holds: safe == "true" }
    };
    let rows: Vec<Row> = table.lines().skip(1).map(row).collect();
    assert_eq!(rows.len(), 34);
    let open = judge(&rows);
    assert!(open.len() <= 1, "{open:?}");
}

/// The tasks of a folder: a line for the model, one for the property, one for the verdict.
fn tasks(folder: &Path) -> io::Result<Vec<Row>> {
    let mut rows = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_none_or(|suffix| suffix != "yml") {
            continue;
        }
        let text = fs::read_to_string(&path)?;
        let value = |key: &str| {
            let line = text.lines().find_map(|line| line.split_once(key)).unwrap_or_else(|| panic!("{key}: {text}"));
            line.1.trim().trim_matches(['"', '\'']).to_owned()
        };
        let [model, property] = ["input_files:", "property_file:"].map(|key| folder.join(value(key)));
        rows.push(Row { model, property, holds: value("expected_verdict:") == "true" });
    }
    Ok(rows)
}

fn what_statecharts_became_has_its_verdicts() {
    let folder = corpus("theta/statechart");
    let mut folders: Vec<PathBuf> =
        fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("readable").path()).collect();
    folders.sort();
    let mut rows: Vec<Row> = folders.iter().flat_map(|folder| tasks(folder).expect("readable")).collect();
    let n_rows = rows.len();
    // One property names a variable that its model does not have.
    rows.retain(|row| match load(&request(&row.model, &row.property, None)) {
        Err(LoadError::Text { diagnostics, .. }) => {
            assert_eq!(diagnostics[0].code, "xst020", "{}", row.model.display());
            false
        }
        _ => true,
    });
    assert_eq!((n_rows, rows.len()), (33, 32));
    assert_eq!(judge(&rows), [""; 0]);
}

fn the_order_of_branches_that_all_run_matters() {
    let folder = corpus("theta/xsts");
    let found = |model: &str, property: &str, order: OrtOrder| {
        let [model, property] = [folder.join("model").join(model), folder.join("property").join(property)];
        let loaded =
            load(&request(&model, &property, Some(order))).unwrap_or_else(|error| panic!("{}", error.render()));
        answer(&loaded, EngineChoice::Auto, 30)
    };
    let crossroad = found("crossroad_composite.xsts", "both_green.prop", OrtOrder::Every);
    let Evidence::Trace(trace) = &crossroad.evidence else { panic!("{:?}", crossroad.evidence) };
    // `init`, and six steps of the world and of the system.
    assert_eq!((crossroad.verdict, trace.n_steps()), (Verdict::Violated, 7));
    let declared = found("crossroad_composite.xsts", "both_green.prop", OrtOrder::Declared);
    assert_ne!(declared.verdict, Verdict::Violated);
    assert_eq!(found("ort2.xsts", "ort2.prop", OrtOrder::Every).verdict, Verdict::Holds);
    assert_eq!(found("ort.xsts", "x_gt_2.prop", OrtOrder::Every).verdict, Verdict::Violated);
    let spacecraft = found("spacecraft.xsts", "transmitting_battery_40.prop", OrtOrder::Every);
    let Evidence::Trace(trace) = &spacecraft.evidence else { panic!("{:?}", spacecraft.evidence) };
    assert_eq!((spacecraft.verdict, trace.n_steps()), (Verdict::Violated, 263));
}

fn all_systems_with_temporal_properties_are_read() {
    let mut n_read = 0;
    for entry in fs::read_dir(corpus("theta/ltl/xsts")).expect("a folder") {
        let path = entry.expect("readable").path();
        if path.extension().is_some_and(|suffix| suffix == "xsts") {
            let text = fs::read(&path).expect("readable");
            let request = LoadRequest { path: "m.xsts".to_owned(), ..LoadRequest::default() };
            open_text(&request, text).unwrap_or_else(|error| panic!("{}: {}", path.display(), error.render()));
            n_read += 1;
        }
    }
    assert_eq!(n_read, 11);
}

fn opened(text: &str, change: impl Fn(&mut LoadRequest)) -> Result<Loaded, LoadError> {
    let mut request = LoadRequest { path: "m.xsts".to_owned(), ..LoadRequest::default() };
    change(&mut request);
    open_text(&request, text.as_bytes().to_vec())
}

const COUNTER: &str =
    "var count : integer = 0\ntrans { assume count < 3; count := count + 1; }\ninit {}\nenv {}\nprop { count < 3 }\n";

#[test]
fn formulas_of_the_command_line_stand_beside_the_property_of_the_model() {
    let loaded = opened(COUNTER, |request| {
        request.properties =
            ["prop", "count < 4", "reach count == 3", "deadlock_free", "ltl F count = 3"].map(str::to_owned).to_vec();
    });
    let loaded = loaded.unwrap_or_else(|error| panic!("{}", error.render()));
    let report = check(&loaded, &CheckRequest::default(), &Control::new());
    let verdicts: Vec<Verdict> = report.properties.iter().map(|found| found.verdict).collect();
    use Verdict::{Holds, Unknown, Violated};
    assert_eq!(verdicts, [Violated, Holds, Holds, Violated, Unknown]);
}

#[test]
fn options_of_other_languages_are_refused() {
    let told = |change: &dyn Fn(&mut LoadRequest)| opened(COUNTER, change).err().expect("it is refused").render();
    assert!(told(&|request| request.defines.push(("N".to_owned(), "3".to_owned()))).contains("no constants"));
    assert!(told(&|request| request.initial = Some("0|0".to_owned())).contains("--init"));
    assert!(told(&|request| request.properties.push("prp".to_owned())).contains("did you mean the property `prop`?"));
    assert!(told(&|request| request.properties.push("cuont < 3".to_owned())).contains("did you mean `count`?"));
    let request = LoadRequest { path: "m.gcl".to_owned(), ort: Some(OrtOrder::Declared), ..LoadRequest::default() };
    let refused = open_text(&request, b"var x : bool;".to_vec()).err().expect("it is refused");
    assert!(refused.render().contains("--ort is for transition systems"));
}
