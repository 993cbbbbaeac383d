//! SARIF logs keep to the rules of the standard: those of `sarif.schema.json`, and what no schema can say.

use std::path::PathBuf;

use lapidary_base::Control;
use lapidary_driver::Exit;
use lapidary_driver::sarif::{Ending, Log};
use lapidary_verdict::{Evidence, Report, Trace};
use serde_json::{Value, json};

use crate::commands::tests::finished;
use crate::render::fixture;
use crate::schema::validation::complaint;

const RULES: &str = include_str!("sarif.schema.json");

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// What the standard has against a log.
fn objection(log: &Value) -> Option<String> {
    let schema = serde_json::from_str(RULES).expect("the rules are JSON");
    complaint(&schema, log).or_else(|| {
        let run = &log["runs"][0];
        let mut results = run["results"].as_array().expect("a list").iter();
        results.find_map(|result| wrong_rule(run, result)).or_else(|| wrong_artifact(run, run))
    })
}

/// The index of a rule is that of the rule.
fn wrong_rule(run: &Value, result: &Value) -> Option<String> {
    let index = usize::try_from(result["ruleIndex"].as_u64().expect("a number")).expect("a small one");
    let rule = &run["tool"]["driver"]["rules"][index]["id"];
    (*rule != result["ruleId"]).then(|| format!("rule {index} is {rule}, but the result has {}", result["ruleId"]))
}

/// Wherever a file has an index, it is that of the file; and regions do not end before they begin.
fn wrong_artifact(run: &Value, part: &Value) -> Option<String> {
    if let Some(index) = part.get("index").and_then(Value::as_u64) {
        let listed = &run["artifacts"][usize::try_from(index).expect("a small number")]["location"]["uri"];
        if *listed != part["uri"] {
            return Some(format!("artifact {index} is {listed}, but a place has {}", part["uri"]));
        }
    }
    if part.get("startLine").is_some() {
        let [start, end] = ["start", "end"]
            .map(|side| ["Line", "Column"].map(|unit| part[format!("{side}{unit}")].as_u64().expect("a number")));
        if end < start {
            return Some(format!("a region ends before it begins: {part}"));
        }
    }
    let parts: Vec<&Value> = match part {
        Value::Object(object) => object.values().collect(),
        Value::Array(list) => list.iter().collect(),
        _ => Vec::new(),
    };
    parts.into_iter().find_map(|part| wrong_artifact(run, part))
}

/// The log of a command, which the standard has nothing against.
fn log(words: &[&str]) -> Value {
    let fixed = ["check", "--format", "sarif", "--progress", "none", "-j", "1"];
    let run = finished(&[&fixed, words].concat());
    let log: Value = serde_json::from_str(&run.out).unwrap_or_else(|error| panic!("{words:?}: {error}\n{}", run.err));
    assert_eq!(objection(&log), None, "{words:?}: {log:#}");
    assert_eq!(log["runs"][0]["invocations"][0]["exitCode"], json!(run.exit.code()), "{words:?}");
    log
}

fn path(name: &str) -> String {
    root().join(name).to_str().expect("plain paths").to_owned()
}

fn of_report(report: &Report, control: &Control) -> Value {
    let mut log = Log::default();
    log.add_report(&fixture::loaded(), report, control);
    let exit = Exit::of_report(report);
    let ending = Ending { exit_code: exit.code(), meaning: exit.meaning(), is_complete: exit.is_complete() };
    let mut text = Vec::new();
    log.write(&ending, &mut text).expect("memory can be written");
    let log = serde_json::from_slice(&text).expect("JSON");
    assert_eq!(objection(&log), None, "{log:#}");
    log
}

#[test]
fn a_violated_property_is_a_result_with_its_place_and_its_run() {
    let log = log(&[&path("examples/burns.gcl"), "-p", "mutex", "-p", "one_flag", "--engine", "explicit"]);
    let run = &log["runs"][0];
    let results = run["results"].as_array().expect("a list");
    assert_eq!(results.len(), 1, "what holds is no result");
    assert_eq!((&results[0]["level"], &results[0]["ruleId"]), (&json!("error"), &json!("invariant")));
    assert_eq!(results[0]["locations"][0]["physicalLocation"]["region"]["startLine"], json!(46));
    let steps = results[0]["codeFlows"][0]["threadFlows"][0]["locations"].as_array().expect("a list");
    let line = |step: &Value| step["location"]["physicalLocation"]["region"]["startLine"].as_u64();
    assert_eq!(
        steps.iter().map(line).collect::<Vec<_>>(),
        [None, Some(25), Some(26), Some(25), Some(26), Some(29), Some(30), Some(30)]
    );
    assert_eq!(steps[6]["location"]["message"]["text"], json!("6. P[0].raise: flag[0] = true, P[0].pc = scan"));
    assert_eq!(steps[6]["state"], json!({"flag[0]": {"text": "true"}, "P[0].pc": {"text": "scan"}}));
    assert_eq!(run["invocations"][0]["executionSuccessful"], json!(true));
    assert_eq!(run["artifacts"][0]["hashes"]["sha-256"].as_str().map(str::len), Some(64));
}

#[test]
fn what_is_open_is_said_to_be_open() {
    let log = log(&[&path("examples/burns.gcl"), "-p", "mutex", "--engine", "forward"]);
    let result = &log["runs"][0]["results"][0];
    assert_eq!((&result["kind"], &result["level"]), (&json!("open"), &json!("none")));
    let text = result["message"]["text"].as_str().expect("a text");
    assert!(text.starts_with("mutex is unknown: the engine refuses the task"), "{text}");
}

#[test]
fn a_formula_on_the_command_line_has_no_place_in_the_file() {
    let log = log(&[&path("examples/burns.gcl"), "-p", "!flag[0]", "--engine", "explicit"]);
    let place = &log["runs"][0]["results"][0]["locations"][0];
    assert_eq!(place["physicalLocation"].get("region"), None, "{place:#}");
    assert_eq!(place["logicalLocations"][0]["name"], json!("!flag[0]"));
}

#[test]
fn diagnostics_of_several_models_are_results_of_one_run() {
    let mut models: Vec<String> = Vec::new();
    for entry in std::fs::read_dir(root().join("corpus/broken/gcl")).expect("the folder exists") {
        let path = entry.expect("readable").path();
        // Deep texts need a larger stack than tests have.
        let is_model = path.extension().is_some_and(|suffix| suffix == "gcl");
        let name = path.to_str().expect("plain paths").to_owned();
        if is_model && !name.contains("deep") {
            models.push(name);
        }
    }
    models.sort();
    assert!(models.len() > 20, "{models:?}");
    let log = log(&models.iter().map(String::as_str).chain(["--timeout", "5s"]).collect::<Vec<_>>());
    let run = &log["runs"][0];
    assert_eq!(log["runs"].as_array().map(Vec::len), Some(1));
    assert_eq!(run["invocations"][0]["executionSuccessful"], json!(false));
    let rules = run["tool"]["driver"]["rules"].as_array().expect("a list").len();
    assert!(run["results"].as_array().expect("a list").len() >= rules && rules > 20, "{rules} rules");
    assert!(run["results"].as_array().expect("a list").iter().any(|result| result.get("relatedLocations").is_some()));
}

#[test]
fn what_has_no_place_is_a_notification() {
    let log = log(&["no/such model.gcl"]);
    let run = &log["runs"][0];
    assert_eq!(run["results"], json!([]));
    let text = &run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"];
    assert!(text.as_str().is_some_and(|text| text.starts_with("cannot read no/such model.gcl")), "{text}");
    assert_eq!(run["invocations"][0]["exitCode"], json!(3));
}

#[test]
fn the_log_of_every_kind_of_answer_keeps_to_the_rules() {
    let log = of_report(&fixture::report(), &Control::new());
    let results = &log["runs"][0]["results"];
    let kinds: Vec<&Value> = results.as_array().expect("a list").iter().map(|result| &result["kind"]).collect();
    assert_eq!(kinds, ["fail", "fail", "open"], "violated, its warning, unknown");
    assert_eq!((&results[1]["ruleId"], &results[1]["level"]), (&json!("remark"), &json!("warning")));
    of_report(&fixture::proved(), &Control::new());
    let broken = Report { internal_errors: vec!["a {proof} was rejected".to_owned()], ..Report::default() };
    let log = of_report(&broken, &Control::new());
    let invocation = &log["runs"][0]["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], json!(false));
    let text = &invocation["toolExecutionNotifications"][0]["message"]["text"];
    assert_eq!(*text, json!("internal error: a {{proof}} was rejected"));
}

fn with_trace(change: impl FnOnce(&mut Trace)) -> Report {
    let mut report = fixture::report();
    report.properties.truncate(1);
    if let Evidence::Trace(trace) = &mut report.properties[0].evidence {
        change(trace);
    }
    report
}

#[test]
fn a_loop_is_closed_by_a_step_of_its_own() {
    let log = of_report(&with_trace(|trace| trace.loop_start = Some(1)), &Control::new());
    let steps = &log["runs"][0]["results"][0]["codeFlows"][0]["threadFlows"][0]["locations"];
    let text = &steps[3]["location"]["message"]["text"];
    assert_eq!(*text, json!("the loop: back to the state after step 1"));
}

#[test]
fn a_long_run_loses_its_middle_and_one_without_time_is_left_out() {
    let long = with_trace(|trace| {
        let (state, action) = (trace.states[0].clone(), trace.actions[0].clone());
        *trace = Trace { states: vec![state; 50_001], actions: vec![action; 50_000], loop_start: None };
    });
    let log = of_report(&long, &Control::new());
    let steps = &log["runs"][0]["results"][0]["codeFlows"][0]["threadFlows"][0]["locations"];
    let numbers: Vec<u64> =
        steps.as_array().expect("a list").iter().filter_map(|s| s["executionOrder"].as_u64()).collect();
    assert_eq!((numbers.len(), numbers[499], numbers[500], numbers[999]), (1000, 499, 49_501, 50_000));
    let too_late = Control::new();
    too_late.cancel();
    let log = of_report(&long, &too_late);
    let result = &log["runs"][0]["results"][0];
    assert_eq!(result.get("codeFlows"), None);
    let text = result["message"]["text"].as_str().expect("a text");
    assert!(text.ends_with("a run of 50000 steps shows it; it is left out: interrupted"), "{text}");
}

#[test]
fn the_rules_refuse_what_is_no_log() {
    let good = of_report(&fixture::report(), &Control::new());
    let damage = |pointer: &str, value: Value| {
        let mut log = good.clone();
        *log.pointer_mut(pointer).expect("a part of the log") = value;
        log
    };
    let damaged = [
        damage("/version", "2.0.0".into()),
        damage("/runs/0/tool", json!({})),
        damage("/runs/0/results/0/ruleIndex", 1.into()),
        damage("/runs/0/results/0/level", "none".into()),
        damage("/runs/0/results/2/level", "error".into()),
        damage("/runs/0/results/0/message", json!({"text": "{0}"})),
        damage("/runs/0/artifacts/0/location/uri", "other.gcl".into()),
        damage("/runs/0/artifacts/0/location/uri", "my model.gcl".into()),
        damage("/runs/0/results/0/locations/0/physicalLocation/region/startLine", 0.into()),
        damage("/runs/0/results/0/locations/0/physicalLocation/region/endLine", 1.into()),
    ];
    for log in damaged {
        assert!(objection(&log).is_some(), "{log:#}");
    }
}
