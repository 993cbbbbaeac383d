//! Reports about all models of a command as one SARIF 2.1.0 log: what is violated or open, and diagnostics, are its results.
//!
//! A log has one run, since services for code scanning refuse several runs of one tool. A property that holds is no result: viewers
//! show every result as something to look at.

mod flow;
mod places;
mod rules;

use std::io::{self, Write};

use lapidary_base::{Control, Stop};
use lapidary_ir::Property;
use lapidary_text::{Diagnostic, Severity, Sources};
use lapidary_verdict::{Evidence, PropertyReport, Reason, Report, Trace, Verdict};
use serde_json::{Map, Value, json};

use self::places::Places;
use self::rules::{Rule, Rules};
use crate::json::{entries, write_entries};
use crate::load::{LoadError, Loaded};

const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// How the command ended that the log is about.
pub struct Ending<'a> {
    pub exit_code: u8,
    /// What the code means.
    pub meaning: &'a str,
    /// Whether everything was done that was asked for, whatever the answers are.
    pub is_complete: bool,
}

/// What is to be said about all models, as far as they are done.
#[derive(Default)]
pub struct Log {
    rules: Rules,
    places: Places,
    /// Each as text already, so that runs are written within the limits of their own model.
    results: Vec<Vec<u8>>,
    notifications: Vec<Value>,
}

impl Log {
    pub fn add_report(&mut self, loaded: &Loaded, report: &Report, control: &Control) {
        self.places.target(&loaded.path, &loaded.sha256);
        for warning in &loaded.warnings {
            self.diagnostic(&loaded.sources, warning);
        }
        for property in &report.properties {
            self.property(loaded, property, control);
        }
        for error in &report.internal_errors {
            self.notify(&format!("internal error: {error}"));
        }
    }

    /// A model that could not be loaded. What has no place in a text is a notification.
    pub fn add_failure(&mut self, error: &LoadError) {
        match error {
            LoadError::Text { sources, diagnostics } | LoadError::LeftOut { sources, warnings: diagnostics, .. } => {
                for diagnostic in diagnostics {
                    self.diagnostic(sources, diagnostic);
                }
            }
            LoadError::File(_) | LoadError::NoProperty { .. } | LoadError::Stopped { .. } => {
                self.notify(&error.render());
            }
        }
    }

    /// Something about the run that is no result of it.
    pub fn notify(&mut self, problem: &str) {
        self.notifications.push(json!({"level": "error", "message": message(problem)}));
    }

    pub fn write(&self, ending: &Ending<'_>, out: &mut dyn Write) -> io::Result<()> {
        let driver =
            json!({"name": "lapidary", "version": env!("CARGO_PKG_VERSION"), "rules": self.rules.descriptors()});
        let mut invocation = json!({
            "executionSuccessful": ending.is_complete,
            "exitCode": ending.exit_code,
            "exitCodeDescription": ending.meaning,
        });
        if !self.notifications.is_empty() {
            invocation["toolExecutionNotifications"] = json!(self.notifications);
        }
        write!(out, "{{\"$schema\":{},\"version\":\"2.1.0\",\"runs\":[{{", json!(SCHEMA))?;
        let head = entries([
            ("tool", json!({"driver": driver})),
            ("invocations", json!([invocation])),
            ("columnKind", json!("unicodeCodePoints")),
            ("artifacts", self.places.artifacts()),
        ]);
        write_entries(&head, out)?;
        out.write_all(b",\"results\":[")?;
        for (i, result) in self.results.iter().enumerate() {
            out.write_all(if i == 0 { b"\n" } else { b",\n" })?;
            out.write_all(result)?;
        }
        out.write_all(b"]}]}")
    }

    fn diagnostic(&mut self, sources: &Sources, diagnostic: &Diagnostic) {
        let severity = match diagnostic.severity {
            Severity::Error => Level::Error,
            Severity::Warning => Level::Warning,
        };
        let mut located = diagnostic.labels.iter().map(|(span, label)| {
            let mut place = self.places.location(sources, *span);
            if !label.is_empty() {
                place["message"] = message(label);
            }
            place
        });
        let (first, others): (Vec<Value>, Vec<Value>) = (located.next().into_iter().collect(), located.collect());
        let help = diagnostic.help.as_ref().map(|help| format!("\nhelp: {help}")).unwrap_or_default();
        let mut result = self.result(&Rule::of_code(diagnostic.code, diagnostic.severity), severity);
        result.insert("message".to_owned(), message(&format!("{}{help}", diagnostic.message)));
        result.insert("locations".to_owned(), json!(first));
        if !others.is_empty() {
            result.insert("relatedLocations".to_owned(), json!(others));
        }
        self.push(&result, None);
    }

    fn property(&mut self, loaded: &Loaded, report: &PropertyReport, control: &Control) {
        let (property, name) = (&loaded.declared().properties[report.property], report.name(loaded.declared()));
        let rule = Rule::of_kind(&property.kind);
        match (report.verdict, &report.evidence) {
            (Verdict::Holds, _) => self.rules.mention(&rule),
            (Verdict::Violated, Evidence::Trace(trace)) => self.violated(loaded, report, trace, control),
            (Verdict::Violated, Evidence::Certificate(..) | Evidence::Nothing(_)) => {
                let text = format!("{name} is violated: {}", never(property));
                self.about(loaded, report, &rule, Level::Error, &text, None);
            }
            (Verdict::Unknown, Evidence::Nothing(reason)) => {
                let text = format!("{name} is unknown: {}", why_open(reason, report));
                self.about(loaded, report, &rule, Level::Open, &text, None);
            }
            (Verdict::Unknown, Evidence::Trace(_) | Evidence::Certificate(..)) => {
                self.about(loaded, report, &rule, Level::Open, &format!("{name} is unknown"), None);
            }
        }
        for warning in &report.warnings {
            let text = format!("{name}: {warning}");
            self.about(loaded, report, &rules::REMARK, Level::Warning, &text, None);
        }
    }

    fn violated(&mut self, loaded: &Loaded, report: &PropertyReport, trace: &Trace, control: &Control) {
        let property = &loaded.declared().properties[report.property];
        let (flow, left_out) = match flow::text(loaded, trace, &mut self.places, control) {
            Ok(flow) => (Some(flow), None),
            Err(stop) => (None, Some(stop)),
        };
        let name = report.name(loaded.declared());
        let text = format!("{name} is violated: {}", run_words(report, trace, left_out.as_ref()));
        self.about(loaded, report, &Rule::of_kind(&property.kind), Level::Error, &text, flow.as_deref());
    }

    /// A result about a property, with the steps of a run.
    fn about(
        &mut self,
        loaded: &Loaded,
        report: &PropertyReport,
        rule: &Rule,
        level: Level,
        text: &str,
        flow: Option<&[u8]>,
    ) {
        let property = &loaded.declared().properties[report.property];
        let name = report.name(loaded.declared());
        let formula = report.whole.as_ref().map_or(&property.text, |whole| &whole.text);
        let mut location = self.places.location_or(&loaded.sources, property.span, loaded.source);
        location["logicalLocations"] = json!([{"name": name, "fullyQualifiedName": name, "kind": "property"}]);
        let mut result = self.result(rule, level);
        result.insert("message".to_owned(), message(text));
        result.insert("locations".to_owned(), json!([location]));
        result.insert("partialFingerprints".to_owned(), json!({"property/v1": name}));
        let bag = json!({"formula": formula, "verdict": report.verdict.name(), "engine": report.engine});
        result.insert("properties".to_owned(), bag);
        self.push(&result, flow);
    }

    fn result(&mut self, rule: &Rule, level: Level) -> Map<String, Value> {
        let (kind, level) = level.words();
        let index = self.rules.index(rule);
        entries([
            ("ruleId", json!(rule.id)),
            ("ruleIndex", json!(index)),
            ("kind", json!(kind)),
            ("level", json!(level)),
        ])
    }

    fn push(&mut self, result: &Map<String, Value>, flow: Option<&[u8]>) {
        let mut text = Vec::new();
        let mut write = || -> io::Result<()> {
            text.write_all(b"{")?;
            write_entries(result, &mut text)?;
            if let Some(locations) = flow {
                text.write_all(b",\"codeFlows\":[{\"threadFlows\":[{\"locations\":")?;
                text.write_all(locations)?;
                text.write_all(b"}]}]")?;
            }
            text.write_all(b"}")
        };
        write().expect("memory can be written");
        self.results.push(text);
    }
}

/// What a result asks of its reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    Error,
    Warning,
    /// Nobody knows whether there is a problem. The standard has no level for that.
    Open,
}

impl Level {
    /// The words for `kind` and `level`.
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Error => ("fail", "error"),
            Self::Warning => ("fail", "warning"),
            Self::Open => ("open", "none"),
        }
    }
}

/// A message whose text stands for itself: braces would be placeholders, and brackets before a parenthesis a link.
fn message(text: &str) -> Value {
    json!({"text": text.replace('{', "{{").replace('}', "}}").replace("](", "] (")})
}

/// What a violation without a run says.
fn never(property: &Property) -> String {
    let why =
        if property.kind.is_reach() { "no reachable state satisfies its formula" } else { "there is no run to show" };
    why.to_owned()
}

fn run_words(report: &PropertyReport, trace: &Trace, left_out: Option<&Stop>) -> String {
    let steps = match trace.n_steps() {
        0 => "an initial state shows it".to_owned(),
        1 => "a run of 1 step shows it".to_owned(),
        n => format!("a run of {n} steps shows it"),
    };
    let explanation = report.explanation.as_ref().map(|text| format!("; {text}")).unwrap_or_default();
    let left_out = left_out.map(|stop| format!("; it is left out: {stop}")).unwrap_or_default();
    format!("{steps}{explanation}{left_out}")
}

fn why_open(reason: &Reason, report: &PropertyReport) -> String {
    let known = report.known.as_ref().map(|known| format!("; known: {known}")).unwrap_or_default();
    format!("{reason}{known}")
}
