//! Reports as JSON documents of schema `lapidary.result/1`; the schema file is `docs/schema/result.schema.json`.

use std::io::{self, Write};

use lapidary_base::watched::{Kept, Watched};
use lapidary_base::{Control, Stop};
use lapidary_text::{Diagnostic, Severity, Sources};
use lapidary_verdict::itf::{self, Layout};
use lapidary_verdict::{Certificate, Checked, Evidence, PropertyReport, Report, Round, Spread, Stats, Trace};
use serde_json::{Map, Value, json};

use crate::load::{LoadError, Loaded};

const SCHEMA: &str = "lapidary.result/1";

/// Writes the whole answer about one model on one line. Runs are written state by state within the limits: one that
/// does not fit in is left out, and a warning says so.
pub fn write(
    loaded: &Loaded,
    report: &Report,
    exit_code: u8,
    control: &Control,
    out: &mut dyn Write,
) -> io::Result<()> {
    let properties: Vec<Written> = report.properties.iter().map(|one| property(loaded, one, control)).collect();
    let mut model = json!({"path": loaded.path, "sha256": loaded.sha256});
    if loaded.files.len() > 1 {
        model["files"] = json!(loaded.files);
    }
    Document { model, properties, diagnostics: diagnostics(loaded), exit_code }.write(out)
}

/// The answer about a model that could not be loaded: no properties, and the diagnostics say why.
pub fn write_unloadable(path: &str, error: &LoadError, exit_code: u8, out: &mut dyn Write) -> io::Result<()> {
    let plain = |code: &str, message: String| vec![diagnostic(code, "error", (path, None), &message, None)];
    let diagnostics = match error {
        LoadError::Text { sources, diagnostics } => located(sources, diagnostics),
        LoadError::File(message) => plain("file", message.clone()),
        LoadError::LeftOut { sources, warnings, .. } => located(sources, warnings),
        LoadError::NoProperty { .. } => plain("property", error.render()),
        LoadError::Stopped { .. } => plain("limit", error.render()),
    };
    unanswered(path, diagnostics, exit_code, out)
}

/// The answer where something else than the model is wrong: one diagnostic without a place.
pub fn write_failure(path: &str, (code, message): (&str, &str), exit_code: u8, out: &mut dyn Write) -> io::Result<()> {
    unanswered(path, vec![diagnostic(code, "error", (path, None), message, None)], exit_code, out)
}

fn unanswered(path: &str, diagnostics: Vec<Value>, exit_code: u8, out: &mut dyn Write) -> io::Result<()> {
    let model = json!({"path": path, "sha256": null});
    Document { model, properties: Vec::new(), diagnostics, exit_code }.write(out)
}

/// What the front end had to say about a model that it took.
fn diagnostics(loaded: &Loaded) -> Vec<Value> {
    located(&loaded.sources, &loaded.warnings)
}

/// Diagnostics as objects, each at the place of its first label.
fn located(sources: &Sources, list: &[Diagnostic]) -> Vec<Value> {
    let object = |found: &Diagnostic| {
        let severity = match found.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        let span = found.labels.first().map(|(span, _)| *span);
        let path = span.map_or("", |span| sources.get(span.source).name.as_str());
        let place = span.map(|span| sources.place(span)).map(|place| (place.line, place.column));
        diagnostic(found.code, severity, (path, place), &found.message, found.help.as_deref())
    };
    list.iter().map(object).collect()
}

fn diagnostic(
    code: &str,
    severity: &str,
    (path, place): (&str, Option<(usize, usize)>),
    message: &str,
    help: Option<&str>,
) -> Value {
    let (line, column) = place.unzip();
    json!({
        "code": code, "severity": severity, "path": path, "line": line, "column": column,
        "message": message, "help": help,
    })
}

/// An answer about a property whose run, if there is one, is text already.
struct Written {
    head: Map<String, Value>,
    trace: Option<Vec<u8>>,
    tail: Map<String, Value>,
}

/// All that is said about a model.
struct Document {
    model: Value,
    properties: Vec<Written>,
    diagnostics: Vec<Value>,
    exit_code: u8,
}

impl Document {
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        write!(out, "{{\"schema\":{},\"model\":{},\"properties\":[", json!(SCHEMA), self.model)?;
        for (i, property) in self.properties.iter().enumerate() {
            out.write_all(if i == 0 { b"{" } else { b",{" })?;
            write_entries(&property.head, out)?;
            out.write_all(b",\"trace\":")?;
            out.write_all(property.trace.as_deref().unwrap_or(b"null"))?;
            out.write_all(b",")?;
            write_entries(&property.tail, out)?;
            out.write_all(b"}")?;
        }
        write!(out, "],\"diagnostics\":{},\"exit_code\":{}}}", json!(self.diagnostics), self.exit_code)
    }
}

/// What stands between the braces of an object that has entries.
pub(crate) fn write_entries(entries: &Map<String, Value>, out: &mut dyn Write) -> io::Result<()> {
    for (i, (key, value)) in entries.iter().enumerate() {
        let comma = if i == 0 { "" } else { "," };
        write!(out, "{comma}{}:{value}", json!(key))?;
    }
    Ok(())
}

fn property(loaded: &Loaded, report: &PropertyReport, control: &Control) -> Written {
    let asked = &loaded.declared().properties[report.property];
    let mut warnings = report.warnings.clone();
    let (trace, certificate) = match &report.evidence {
        Evidence::Trace(run) => match trace_text(loaded, report, run, control) {
            Ok(text) => (Some(text), Value::Null),
            Err(stop) => {
                warnings.push(format!("the run of {} steps is left out: {stop}", run.n_steps()));
                (None, Value::Null)
            }
        },
        Evidence::Certificate(proof, checked) => (None, certificate(loaded, proof, checked)),
        Evidence::Nothing(_) => (None, Value::Null),
    };
    let head = entries([
        ("name", json!(report.name(loaded.declared()))),
        ("formula", json!(report.whole.as_ref().map_or(&asked.text, |whole| &whole.text))),
        ("verdict", json!(report.verdict.name())),
        ("engine", json!(report.engine)),
        ("time_s", json!(report.seconds)),
        ("mem_bytes", json!(report.memory)),
        ("stats", stats(&report.stats)),
    ]);
    let mut tail = entries([("certificate", certificate), ("warnings", json!(warnings))]);
    if report.whole.is_some() {
        tail.insert("part".to_owned(), json!(asked.name));
    }
    // What only some answers have: there instead of null, so that the common shape stays the frozen one.
    if let Evidence::Nothing(reason) = &report.evidence {
        let reason = json!({"code": reason.code(), "message": reason.to_string(), "known": report.known});
        tail.insert("reason".to_owned(), reason);
    }
    if let Some(because) = &report.chosen_because {
        tail.insert("chosen_because".to_owned(), json!(because));
    }
    if let Some(vacuity) = report.vacuous {
        tail.insert("vacuous".to_owned(), json!(vacuity.word()));
    }
    if let Some(explanation) = &report.explanation {
        tail.insert("explanation".to_owned(), json!(explanation));
    }
    Written { head, trace, tail }
}

pub(crate) fn entries<const N: usize>(entries: [(&str, Value); N]) -> Map<String, Value> {
    entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
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
    certificate.told().summary(loaded.declared(), &mut value);
    value
}

/// A replayed run as an ITF document; its `#meta` also names the verdict that it shows.
pub fn write_trace(
    loaded: &Loaded,
    report: &PropertyReport,
    trace: &Trace,
    layout: Layout,
    control: &Control,
    out: &mut dyn Write,
) -> io::Result<()> {
    // Steps of a hierarchy have the numbers of its flattening, where it is there or costs little.
    let _flattened = loaded.subject.affordable_model(control);
    itf::write(&loaded.subject, trace, &trace_head(loaded, report, trace), layout, out)
}

/// A run that shows nothing in particular, a walk for one, as an ITF document.
pub fn write_run(
    loaded: &Loaded,
    run: &Trace,
    layout: Layout,
    control: &Control,
    out: &mut dyn Write,
) -> io::Result<()> {
    let _flattened = loaded.subject.affordable_model(control);
    let meta = itf::Meta { description: "a walk", source: &loaded.path, property: "" };
    let mut head = itf::head(&loaded.subject, run, &meta);
    if let Value::Object(entries) = &mut head {
        entries.shift_remove("property");
    }
    itf::write(&loaded.subject, run, &head, layout, out)
}

/// The same as a part of a report: what was found already has a little time past the limits.
fn trace_text(loaded: &Loaded, report: &PropertyReport, trace: &Trace, control: &Control) -> Result<Vec<u8>, Stop> {
    let mut out = Watched::new(Vec::new(), Kept::InMemory, control.with_grace());
    let written = write_trace(loaded, report, trace, Layout::OneLine, &control.with_grace(), &mut out);
    match out.into_parts() {
        (_, Some(stop)) => Err(stop),
        (text, None) => {
            written.expect("memory can be written");
            Ok(text)
        }
    }
}

fn trace_head(loaded: &Loaded, report: &PropertyReport, trace: &Trace) -> Value {
    let property = &loaded.declared().properties[report.property].name;
    let verdict = report.verdict.name();
    let description = format!("{property}: {verdict}");
    let meta = itf::Meta { description: &description, source: &loaded.path, property };
    let mut head = itf::head(&loaded.subject, trace, &meta);
    head["verdict"] = json!(verdict);
    head
}
