//! The JSON report keeps to its published schema, and its bytes to what was agreed on. The other documents keep to
//! the schemas of others.

mod junit;
mod sarif;
mod validation;

use std::io;
use std::path::Path;

use expect_test::expect;
use lapidary_base::Control;
use lapidary_driver::{Exit, LoadError, json};
use lapidary_verdict::{Evidence, PropertyReport, Report, Trace, Whole};
use serde_json::Value;

use crate::commands::tests::finished;
use crate::render::fixture;
use crate::schema::validation::complaint;

const SCHEMA: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/schema/result.schema.json"));

/// What is written, as a value.
fn written(write: impl FnOnce(&mut Vec<u8>) -> io::Result<()>) -> Value {
    let mut text = Vec::new();
    write(&mut text).expect("memory can be written");
    let document: Value = serde_json::from_slice(&text).expect("JSON");
    assert_eq!(document.to_string().as_bytes(), text, "on one line, without blanks");
    document
}

fn document(report: &Report, exit_code: u8) -> Value {
    written(|out| json::write(&fixture::loaded(), report, exit_code, &Control::new(), out))
}

/// The first complaint of the schema about a document.
fn complaints(document: &Value) -> Option<String> {
    complaint(&serde_json::from_str(SCHEMA).expect("the schema is JSON"), document)
}

#[test]
fn reports_of_every_kind_keep_to_the_schema() {
    let refined = Report { properties: vec![fixture::refined()], ..Report::default() };
    let because = Some("explicit refused; turn is unbounded: matching answered".to_owned());
    let matched = PropertyReport { chosen_because: because, ..fixture::matched() };
    let matched = Report { properties: vec![matched], ..Report::default() };
    let whole = Some(Whole { name: "safe".to_owned(), text: "(EF a) AND (EF b)".to_owned(), part: 2 });
    let whole = Report { properties: vec![PropertyReport { whole, ..fixture::matched() }], ..Report::default() };
    for report in [fixture::report(), fixture::proved(), refined, matched, whole] {
        let document = document(&report, Exit::of_report(&report).code());
        assert_eq!(complaints(&document), None, "{document:#}");
    }
    let missing = LoadError::File("cannot read missing.gcl".to_owned());
    assert_eq!(complaints(&written(|out| json::write_unloadable("missing.gcl", &missing, 3, out))), None);
}

#[test]
fn the_schema_refuses_what_is_not_a_report() {
    let good = document(&fixture::proved(), 10);
    let damage = |pointer: &str, value: Value| {
        let mut document = good.clone();
        *document.pointer_mut(pointer).expect("a part of the document") = value;
        document
    };
    let damaged = [
        damage("/schema", "lapidary.result/2".into()),
        damage("/exit_code", 1.into()),
        damage("/properties/0/verdict", "maybe".into()),
        damage("/properties/0/certificate", Value::Null),
        damage("/properties/0/certificate/checked", "no".into()),
        damage("/properties/0/stats/states", (-1).into()),
    ];
    for document in damaged {
        assert!(complaints(&document).is_some(), "{document:#}");
    }
}

#[test]
fn the_document_of_a_proof_is_this() {
    let mut report = fixture::proved();
    report.properties.truncate(1);
    let document = document(&report, 0);
    expect![[r#"
        {
          "schema": "lapidary.result/1",
          "model": {
            "path": "small.gcl",
            "sha256": "0000000000000000000000000000000000000000000000000000000000000000"
          },
          "properties": [
            {
              "name": "mutex",
              "formula": "turn = 0",
              "verdict": "holds",
              "engine": "explicit",
              "time_s": 0.31,
              "mem_bytes": 14000000,
              "stats": {
                "states": 6029289,
                "transitions": 54000000,
                "depth": 73,
                "search_s": 0.25,
                "check_s": 0.05,
                "search_mem_bytes": 14000000
              },
              "trace": null,
              "certificate": {
                "kind": "enumeration",
                "checked": "yes",
                "states": 12
              },
              "warnings": []
            }
          ],
          "diagnostics": [],
          "exit_code": 0
        }
    "#]]
    .assert_eq(&format!("{document:#}\n"));
}

#[test]
fn what_changes_from_round_to_round_has_an_average_a_maximum_and_an_end() {
    let report = Report { properties: vec![fixture::refined()], ..Report::default() };
    let document = document(&report, 0);
    expect![[r#"
        {
          "iterations": 3,
          "cex_analysis": 31,
          "certified_neg": 4,
          "certified_pos": 2,
          "abstract_states": {
            "average": 5.333333333333333,
            "maximum": 9,
            "final": 9
          },
          "cex_length": {
            "average": 3.0,
            "maximum": 4,
            "final": 4
          },
          "search_s": 0.25,
          "check_s": 0.05,
          "search_mem_bytes": 14000000
        }
    "#]]
    .assert_eq(&format!("{:#}\n", document["properties"][0]["stats"]));
    for (key, wrong) in [("average", "much".into()), ("maximum", Value::from(2.5)), ("final", (-1).into())] {
        let mut damaged = document.clone();
        damaged["properties"][0]["stats"]["cex_length"][key] = wrong;
        assert!(complaints(&damaged).is_some(), "{key}");
    }
}

#[test]
fn rounds_are_listed_one_by_one() {
    let report = Report { properties: vec![fixture::matched()], ..Report::default() };
    let document = document(&report, 0);
    expect![[r#"
        [
          {
            "concrete_states": 5,
            "abstract_states": 3,
            "new_predicates": [
              "turn < 1",
              "p1 = idle"
            ],
            "queries": 12,
            "cache_hits": 4
          },
          {
            "concrete_states": 19,
            "abstract_states": 7,
            "new_predicates": [],
            "queries": 40,
            "cache_hits": 21
          }
        ]
    "#]]
    .assert_eq(&format!("{:#}\n", document["properties"][0]["stats"]["rounds"]));
    for (key, wrong) in [("concrete_states", "few".into()), ("new_predicates", Value::from(2)), ("other", 1.into())] {
        let mut damaged = document.clone();
        damaged["properties"][0]["stats"]["rounds"][1][key] = wrong;
        assert!(complaints(&damaged).is_some(), "{key}");
    }
}

#[test]
fn an_unknown_answer_says_why() {
    let document = document(&fixture::report(), 10);
    expect![[r#"
        {
          "code": "timeout",
          "message": "the time limit was reached",
          "known": "no violation within 29 steps"
        }
    "#]]
    .assert_eq(&format!("{:#}\n", document["properties"][2]["reason"]));
}

#[test]
fn a_run_that_the_limits_leave_no_time_for_is_left_out_with_a_warning() {
    let report = fixture::report();
    let violated = report.properties.iter().find(|property| matches!(property.evidence, Evidence::Trace(_)));
    let mut long = violated.expect("a violated property").clone();
    if let Evidence::Trace(trace) = &mut long.evidence {
        let (state, action) = (trace.states[0].clone(), trace.actions[0].clone());
        *trace = Trace { states: vec![state; 50_001], actions: vec![action; 50_000], loop_start: None };
    }
    let report = Report { properties: vec![long], ..Report::default() };
    let (in_time, too_late) = (Control::new(), Control::new());
    too_late.cancel();
    let of = |control: &Control| written(|out| json::write(&fixture::loaded(), &report, 10, control, out));
    assert_eq!(of(&in_time)["properties"][0]["trace"]["states"].as_array().map(Vec::len), Some(50_001));
    let short = of(&too_late);
    assert_eq!(complaints(&short), None, "{short:#}");
    assert_eq!(short["properties"][0]["trace"], Value::Null);
    let warnings = short["properties"][0]["warnings"].to_string();
    assert!(warnings.contains("the run of 50000 steps is left out: interrupted"), "{warnings}");
}

/// Every engine leaves another kind of evidence.
#[test]
fn what_is_printed_about_the_gallery_keeps_to_the_schema() {
    let wheels = ["corpus/altarica/wheels.alt", "--node", "Counter", "-p", "hi.bit or not hi.bit"];
    let runs: [(&[&str], &str, &str); 11] = [
        (&["examples/peterson.gcl"], "explicit", "enumeration"),
        (&["examples/peterson.gcl"], "bdd", "nodes"),
        (&["examples/peterson.gcl"], "forward", "refused"),
        (&["examples/dekker.gcl"], "pcegar", "iterations"),
        (&["examples/dekker.gcl", "-p", "mutex"], "kinduction", "k"),
        (&["examples/ticket_unbounded.gcl"], "matching", "blocks"),
        (&["examples/msi.spec"], "backward", "minimal"),
        (&["examples/msi.spec"], "forward", "ideals"),
        (&["examples/msi.spec"], "lazy", "certificate"),
        (&wheels, "hierarchical", "components"),
        (&["examples/bakery.gcl"], "auto", "states"),
    ];
    for (asked, engine, key) in runs {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(asked[0]);
        let path = path.to_str().expect("plain paths");
        let fixed = ["check", path, "--engine", engine, "--format", "json", "--progress", "none", "--timeout", "60s"];
        let printed = finished(&[&fixed, &asked[1..]].concat()).out;
        let document = serde_json::from_str(&printed).expect("JSON");
        assert_eq!(complaints(&document), None, "{asked:?} with {engine}: {document:#}");
        assert!(printed.contains(&format!("\"{key}\"")), "{asked:?} with {engine}: {document:#}");
    }
}
