//! Answers as JUnit XML: a suite per model, a case per property.
//!
//! The elements and attributes are those that both Ant's and Jenkins' schemas know, in the order that the stricter one,
//! Ant's, asks for.

use std::io::{self, Write};
use std::time::Duration;

use lapidary_driver::{LoadError, Loaded};
use lapidary_text::xml::{attribute, content};
use lapidary_text::{Severity, diagnostic};
use lapidary_verdict::{Evidence, PropertyReport, Reason, Report, Verdict};

use crate::render::report::{self, Options};
use crate::render::verdict::verdict_line;
use crate::units;

/// What stands before the first suite.
pub const BEGIN: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";

/// What stands after the last one.
pub const END: &str = "</testsuites>\n";

/// What is said of a suite besides its cases.
pub struct Head<'a> {
    /// From 0.
    pub number: usize,
    pub path: &'a str,
    /// Since 1970.
    pub started: Duration,
    pub seconds: f64,
}

/// The suite of a model that was checked. `options` says how the details of a property are shown.
pub fn write(
    head: &Head<'_>,
    loaded: &Loaded,
    report: &Report,
    options: &Options<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let of_property = |property| Case::of_property(loaded, property, options);
    let of_error = |error: &String| Case {
        name: "internal error".to_owned(),
        seconds: 0.0,
        outcome: Outcome::Error { kind: "internal", message: error.clone(), details: String::new() },
    };
    let answered = report.properties.iter().map(of_property);
    let cases = answered.chain(loaded.left_out.iter().map(|name| Case::left_out(name)));
    let cases = cases.chain(report.internal_errors.iter().map(of_error));
    let verdicts: String =
        report.properties.iter().map(|property| verdict_line(loaded.declared(), property) + "\n").collect();
    let properties = [("version", env!("CARGO_PKG_VERSION")), ("sha256", &loaded.sha256)];
    write_suite(head, &properties, &cases.collect::<Vec<_>>(), &verdicts, &warnings(loaded, report), out)
}

/// The suite of a model that could not be loaded: one case, which errs; or those that are left out.
pub fn write_failure(head: &Head<'_>, error: &LoadError, out: &mut dyn Write) -> io::Result<()> {
    let details = error.render();
    let (kind, message) = match error {
        LoadError::Text { diagnostics, .. } => {
            let first = diagnostics.iter().find(|diagnostic| diagnostic.severity == Severity::Error);
            first.map_or(("text", "the model cannot be read"), |first| (first.code, &first.message))
        }
        LoadError::File(message) => ("file", message.as_str()),
        LoadError::LeftOut { names, .. } => {
            let cases: Vec<Case> = names.iter().map(|name| Case::left_out(name)).collect();
            return write_suite(head, &[("version", env!("CARGO_PKG_VERSION"))], &cases, "", &details, out);
        }
        LoadError::NoProperty { .. } => ("usage", details.as_str()),
        LoadError::Stopped { stop, .. } => (Reason::Stopped(stop.clone()).code(), details.as_str()),
    };
    write_refusal(head, kind, message, &details, out)
}

/// The suite of a model about which the command line asks something that cannot be: one case, which errs.
pub fn write_misuse(head: &Head<'_>, complaint: &str, out: &mut dyn Write) -> io::Result<()> {
    write_refusal(head, "usage", complaint, "", out)
}

fn write_refusal(
    head: &Head<'_>,
    kind: &'static str,
    message: &str,
    details: &str,
    out: &mut dyn Write,
) -> io::Result<()> {
    let outcome = Outcome::Error { kind, message: message.to_owned(), details: details.to_owned() };
    let case = Case { name: "load".to_owned(), seconds: head.seconds, outcome };
    write_suite(head, &[("version", env!("CARGO_PKG_VERSION"))], &[case], "", "", out)
}

/// What went to the error stream about a model.
fn warnings(loaded: &Loaded, report: &Report) -> String {
    let mut text = String::new();
    for warning in &loaded.warnings {
        text += &diagnostic::render(warning, &loaded.sources, diagnostic::Style::Plain);
        text.push('\n');
    }
    for property in &report.properties {
        let name = property.name(loaded.declared());
        property.warnings.iter().for_each(|warning| text += &format!("warning: {name}: {warning}\n"));
    }
    text
}

struct Case {
    name: String,
    seconds: f64,
    outcome: Outcome,
}

enum Outcome {
    Passed,
    /// Violated.
    Failure {
        message: String,
        details: String,
    },
    /// Unknown, or not even asked; `kind` is the word for the reason.
    Error {
        kind: &'static str,
        message: String,
        details: String,
    },
    /// No engine takes it.
    Skipped {
        message: String,
    },
}

impl Case {
    fn left_out(name: &str) -> Self {
        let outcome = Outcome::Skipped { message: "the property is left out".to_owned() };
        Self { name: name.to_owned(), seconds: 0.0, outcome }
    }

    fn of_property(loaded: &Loaded, report: &PropertyReport, options: &Options<'_>) -> Self {
        let property = &loaded.declared().properties[report.property];
        let details = || report::details(loaded, report, options);
        let violated = || {
            let place = loaded.sources.describe(property.span);
            let message = format!("violated: {} ({place})", report::reported_words(loaded, report));
            Outcome::Failure { message, details: details() }
        };
        let outcome = match (report.verdict, &report.evidence) {
            (Verdict::Holds, _) => Outcome::Passed,
            (Verdict::Violated, _) => violated(),
            (Verdict::Unknown, Evidence::Nothing(reason @ Reason::Unsupported(_))) => {
                Outcome::Skipped { message: reason.to_string() }
            }
            (Verdict::Unknown, Evidence::Nothing(reason)) => {
                Outcome::Error { kind: reason.code(), message: format!("unknown: {reason}"), details: details() }
            }
            (Verdict::Unknown, Evidence::Trace(_) | Evidence::Certificate(..)) => {
                Outcome::Error { kind: "unknown", message: "unknown".to_owned(), details: details() }
            }
        };
        Self { name: report.name(loaded.declared()).to_owned(), seconds: report.seconds, outcome }
    }

    fn write(&self, class: &str, out: &mut dyn Write) -> io::Result<()> {
        let (name, seconds) = (attribute(&self.name), self.seconds);
        write!(out, "    <testcase name=\"{name}\" classname=\"{class}\" time=\"{seconds:.3}\"")?;
        match &self.outcome {
            Outcome::Passed => return writeln!(out, "/>"),
            Outcome::Failure { message, details } => write_outcome("failure", "violated", message, details, out)?,
            Outcome::Error { kind, message, details } => write_outcome("error", kind, message, details, out)?,
            Outcome::Skipped { message } => writeln!(out, ">\n      <skipped message=\"{}\"/>", attribute(message))?,
        }
        writeln!(out, "    </testcase>")
    }
}

fn write_outcome(element: &str, kind: &str, message: &str, details: &str, out: &mut dyn Write) -> io::Result<()> {
    let (message, details) = (attribute(message), content(details));
    writeln!(out, ">\n      <{element} message=\"{message}\" type=\"{kind}\">{details}</{element}>")
}

fn write_suite(
    head: &Head<'_>,
    properties: &[(&str, &str)],
    cases: &[Case],
    said: &str,
    warned: &str,
    out: &mut dyn Write,
) -> io::Result<()> {
    let count = |is_such: &dyn Fn(&Outcome) -> bool| cases.iter().filter(|case| is_such(&case.outcome)).count();
    let failures = count(&|outcome| matches!(outcome, Outcome::Failure { .. }));
    let errors = count(&|outcome| matches!(outcome, Outcome::Error { .. }));
    let skipped = count(&|outcome| matches!(outcome, Outcome::Skipped { .. }));
    let (path, number, n_cases) = (attribute(head.path), head.number, cases.len());
    let started = units::date_and_time(head.started);
    write!(out, "  <testsuite name=\"{path}\" package=\"lapidary\" id=\"{number}\" hostname=\"localhost\"")?;
    write!(out, " timestamp=\"{started}\" time=\"{:.3}\" tests=\"{n_cases}\"", head.seconds)?;
    writeln!(out, " failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\">")?;
    writeln!(out, "    <properties>")?;
    for (name, value) in properties {
        writeln!(out, "      <property name=\"{}\" value=\"{}\"/>", attribute(name), attribute(value))?;
    }
    writeln!(out, "    </properties>")?;
    for case in cases {
        case.write(&path, out)?;
    }
    writeln!(out, "    <system-out>{}</system-out>", content(said))?;
    writeln!(out, "    <system-err>{}</system-err>\n  </testsuite>", content(warned))
}
