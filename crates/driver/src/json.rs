//! Reports as JSON documents of schema `lapidary.result/1`; the schema file is `docs/schema/result.schema.json`.

use std::io;

use lapidary_ir::print;
use lapidary_verdict::{Certificate, Checked, Evidence, PropertyReport, Report, Round, Spread, Stats, Trace, itf};
use serde_json::{Map, Value, json};

use crate::load::Loaded;

const SCHEMA: &str = "lapidary.result/1";

/// The whole answer about one model.
pub fn report(loaded: &Loaded, report: &Report, exit_code: u8) -> Value {
    let properties: Vec<Value> = report.properties.iter().map(|one| property(loaded, one)).collect();
    document(&loaded.path, Some(&loaded.sha256), properties, exit_code)
}

/// The answer about a model that could not be loaded: no properties, and the exit code says why.
pub fn unloadable(path: &str, exit_code: u8) -> Value {
    document(path, None, Vec::new(), exit_code)
}

fn document(path: &str, sha256: Option<&str>, properties: Vec<Value>, exit_code: u8) -> Value {
    json!({
        "schema": SCHEMA,
        "model": {"path": path, "sha256": sha256},
        "properties": properties,
        "exit_code": exit_code,
    })
}

fn property(loaded: &Loaded, report: &PropertyReport) -> Value {
    let asked = &loaded.model.properties[report.property];
    let (trace, certificate) = match &report.evidence {
        Evidence::Trace(run) => (trace(loaded, report, run), Value::Null),
        Evidence::Certificate(proof, checked) => (Value::Null, certificate(loaded, proof, checked)),
        Evidence::Nothing(_) => (Value::Null, Value::Null),
    };
    let mut value = json!({
        "name": asked.name,
        "formula": asked.text,
        "verdict": report.verdict.name(),
        "engine": report.engine,
        "time_s": report.seconds,
        "mem_bytes": report.memory,
        "stats": stats(&report.stats),
        "trace": trace,
        "certificate": certificate,
        "warnings": report.warnings,
    });
    // What only some answers have: there instead of null, so that the common shape stays the frozen one.
    if let Evidence::Nothing(reason) = &report.evidence {
        value["reason"] = json!({"code": reason.code(), "message": reason.to_string(), "known": report.known});
    }
    if let Some(because) = &report.chosen_because {
        value["chosen_because"] = json!(because);
    }
    if let Some(explanation) = &report.explanation {
        value["explanation"] = json!(explanation);
    }
    value
}

/// The counts and spreads under their frozen names, then what was spent.
fn stats(stats: &Stats) -> Value {
    let mut map: Map<String, Value> = stats.counts.iter().map(|&(key, count)| (key.to_owned(), count.into())).collect();
    map.extend(stats.spreads.iter().map(|(key, numbers)| ((*key).to_owned(), spread(numbers))));
    if !stats.rounds.is_empty() {
        map.insert("rounds".to_owned(), stats.rounds.iter().map(round).collect());
    }
    map.insert("search_s".to_owned(), json!(stats.search_seconds));
    map.insert("check_s".to_owned(), json!(stats.check_seconds));
    map.insert("search_mem_bytes".to_owned(), json!(stats.search_memory));
    Value::Object(map)
}

/// What the search counted, what it found missing, then what the solver was asked.
fn round(round: &Round) -> Value {
    let of_solver = |&(key, _): &(&str, u64)| ["queries", "cache_hits"].contains(&key);
    let (asked, counted): (Vec<_>, Vec<_>) = round.counts.iter().partition(|count| of_solver(count));
    let count = |&(key, count): &(&str, u64)| (key.to_owned(), Value::from(count));
    let mut map: Map<String, Value> = counted.iter().map(count).collect();
    map.insert("new_predicates".to_owned(), json!(round.new_predicates));
    map.extend(asked.iter().map(count));
    Value::Object(map)
}

fn spread(spread: &Spread) -> Value {
    json!({"average": spread.average, "maximum": spread.maximum, "final": spread.last})
}

fn certificate(loaded: &Loaded, certificate: &Certificate, checked: &Checked) -> Value {
    let mut value = json!({"kind": certificate.kind(), "checked": checked.word()});
    if let Some(word) = checked.on_word() {
        value["solver"] = json!(word.solver);
    }
    match certificate {
        Certificate::Enumeration(enumeration) => value["states"] = json!(enumeration.n_states),
        Certificate::Invariant(expr) => value["formula"] = json!(print::show(&loaded.model, *expr)),
        Certificate::Diagram(diagram) => value["nodes"] = json!(diagram.nodes.len()),
        Certificate::Components(components) => {
            value["blocks"] = components.covers.iter().map(|cover| json!(cover.blocks.len())).collect();
            value["nodes"] = json!(components.reachable.nodes.len());
        }
        Certificate::Blocks(blocks) => {
            value["blocks"] = json!(blocks.blocks.len());
            value["predicates"] = json!(blocks.predicates.len());
        }
        Certificate::Basis(basis) => {
            value["minimal"] = json!(basis.minimal.len());
            value["inequalities"] = json!(basis.inequalities.len());
        }
        Certificate::Ideals(ideals) => value["ideals"] = json!(ideals.ideals.len()),
        Certificate::Induction(induction) => {
            value["k"] = json!(induction.k);
            value["formula"] = json!(print::show(&loaded.model, induction.formula));
        }
    }
    value
}

/// A replayed run as an ITF document; its `#meta` also names the verdict that it shows.
fn trace(loaded: &Loaded, report: &PropertyReport, trace: &Trace) -> Value {
    let mut document = itf::to_json(&loaded.model, trace, &itf::Meta::default());
    document["#meta"] = trace_head(loaded, report, trace);
    document
}

/// Writes the same document piece by piece.
pub fn write_trace(loaded: &Loaded, report: &PropertyReport, trace: &Trace, out: &mut dyn io::Write) -> io::Result<()> {
    itf::write(&loaded.model, trace, &trace_head(loaded, report, trace), out)
}

fn trace_head(loaded: &Loaded, report: &PropertyReport, trace: &Trace) -> Value {
    let property = &loaded.model.properties[report.property].name;
    let verdict = report.verdict.name();
    let description = format!("{property}: {verdict}");
    let meta = itf::Meta { description: &description, source: &loaded.path, property };
    let mut head = itf::head(&loaded.model, trace, &meta);
    head["verdict"] = json!(verdict);
    head
}
