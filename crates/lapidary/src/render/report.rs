//! The report of one model as text, in the frozen form.

use std::path::PathBuf;

use lapidary_base::Stop;
use lapidary_driver::Loaded;
use lapidary_ir::{Property, PropertyKind, Var};
use lapidary_verdict::{Evidence, PropertyReport, Reason, Report, Trace, Verdict};

use crate::args::TraceForm;
use crate::console::{Ink, Palette};
use crate::render::next::{Invocation, next_command};
use crate::render::rounds;
use crate::render::run::ModelRun;
use crate::render::stats;
use crate::render::trace::{self, Form};
use crate::render::verdict::{shows_witness, summary_line, verdict_line};
use crate::units::{self, counted};

/// How much is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// The frozen lines at column 0 only.
    Quiet,
    Normal,
    /// Also where time and memory went.
    Verbose,
}

pub struct Options<'a> {
    pub detail: Detail,
    pub trace: TraceForm,
    pub width: usize,
    pub palette: Palette,
    /// `auto`, or the engine that was named.
    pub engine: &'a str,
    pub invocation: &'a Invocation,
    /// Per property of the report, the file that its trace was written to.
    pub written: &'a [Option<PathBuf>],
    /// Of the whole run on this model.
    pub seconds: f64,
    pub memory: u64,
}

/// Header, properties, verdicts and summary.
pub fn render(loaded: &Loaded, report: &Report, options: &Options<'_>) -> String {
    let mut text = String::new();
    if options.detail != Detail::Quiet {
        text.push_str(&header(loaded, report, options));
        let columns = Columns::of(loaded, report, options.width);
        for (i, property) in report.properties.iter().enumerate() {
            let written = options.written.get(i).and_then(Option::as_deref);
            text.push_str(&columns.line(loaded, property, options.palette));
            text.push_str(&details(loaded, property, options));
            if let Some(command) = next_command(options.invocation, loaded, property, written) {
                text.push_str(&format!("  next: {command}\n"));
            }
        }
    }
    for property in &report.properties {
        text.push_str(&verdict_line(loaded.declared(), property));
        text.push('\n');
    }
    text.push_str(&summary_line(report, options.seconds, options.memory));
    text.push('\n');
    text
}

/// `peterson.gcl: 2 processes, 4 variables, 2 properties   (engine auto -> explicit)`
fn header(loaded: &Loaded, report: &Report, options: &Options<'_>) -> String {
    let model = loaded.declared();
    let mut parts = Vec::new();
    match loaded.subject.tree() {
        Some(tree) => parts.push(counted(tree.components.len(), "component", "components")),
        None if model.n_processes > 0 => parts.push(counted(model.n_processes, "process", "processes")),
        None => {}
    }
    match loaded.subject.net() {
        Some(net) => {
            parts.push(counted(net.places.len(), "place", "places"));
            parts.push(counted(net.transitions.len(), "transition", "transitions"));
        }
        None => parts.push(counted(loaded.n_variables(), "variable", "variables")),
    }
    // Parts of a property that is reported as a whole do not count.
    let n_wholes = report.properties.iter().filter(|property| property.whole.is_some()).count();
    let n_properties = if n_wholes > 0 { report.properties.len() } else { loaded.asked.len() };
    parts.push(counted(n_properties, "property", "properties"));
    let engine = engine_words(report, options.engine);
    format!("{}: {}   ({engine})\n", options.palette.paint(Ink::Strong, &loaded.title()), parts.join(", "))
}

/// Several engines may have answered; each is named once, in the order of the properties.
fn engine_words(report: &Report, asked: &str) -> String {
    let mut answered: Vec<&str> = Vec::new();
    for property in &report.properties {
        if !property.engine.is_empty() && property.engine != asked && !answered.contains(&property.engine) {
            answered.push(property.engine);
        }
    }
    if answered.is_empty() { format!("engine {asked}") } else { format!("engine {asked} -> {}", answered.join(", ")) }
}

/// The widths of the columns of the property lines.
struct Columns {
    mark: usize,
    name: usize,
    formula: usize,
    stats: usize,
}

const LEFT_MARGIN: usize = 7;
/// What stands around a mark.
const AROUND_MARK: usize = 5;
const TIME_WIDTH: usize = 9;

impl Columns {
    fn of(loaded: &Loaded, report: &Report, width: usize) -> Self {
        let longest = |text: &dyn Fn(&PropertyReport) -> String| {
            report.properties.iter().map(|property| text(property).chars().count()).max().unwrap_or(0)
        };
        let name = longest(&|p| p.name(loaded.declared()).to_owned()).clamp(8, 24);
        let stats = longest(&|p| stats::words(&p.stats));
        let formula = longest(&|p| reported_words(loaded, p));
        let mark = report.properties.iter().map(|property| mark(property).0.len()).max().unwrap_or(0).max(2);
        let margin = mark + AROUND_MARK;
        let left = width.saturating_sub(margin + name + 2 + 2 + stats + 2 + TIME_WIDTH);
        let formula = formula.min(left.max(12));
        // The time stands at the right edge, so that it is where the eye looks for it.
        let stats = stats.max(width.saturating_sub(margin + name + 2 + formula + 2 + 2 + TIME_WIDTH));
        Self { mark, name, formula, stats }
    }

    fn line(&self, loaded: &Loaded, report: &PropertyReport, palette: Palette) -> String {
        let (mark, ink) = mark(report);
        let blanks = " ".repeat(self.mark - mark.len());
        let name = shortened(report.name(loaded.declared()), self.name);
        let formula = shortened(&reported_words(loaded, report), self.formula);
        let stats = stats::words(&report.stats);
        let time = units::seconds(report.seconds);
        format!(
            "  {}{blanks}   {name:<name_width$}  {formula:<formula_width$}  {stats:<stats_width$}  {time:>TIME_WIDTH$}\n",
            palette.paint(ink, mark),
            name_width = self.name,
            formula_width = self.formula,
            stats_width = self.stats,
        )
    }
}

/// What holds of nothing must not look like success.
fn mark(report: &PropertyReport) -> (&'static str, Ink) {
    match (report.verdict, report.vacuous) {
        (Verdict::Holds, Some(_)) => ("vacuous", Ink::Open),
        (Verdict::Holds, None) => ("ok", Ink::Good),
        (Verdict::Violated, _) => ("XX", Ink::Bad),
        (Verdict::Unknown, _) => ("??", Ink::Open),
    }
}

/// The formula of what is reported: of a whole, its own.
pub fn reported_words(loaded: &Loaded, report: &PropertyReport) -> String {
    match &report.whole {
        Some(whole) => whole.text.clone(),
        None => formula_words(&loaded.declared().properties[report.property]),
    }
}

/// The formula on one line; properties without a formula are described.
pub fn formula_words(property: &Property) -> String {
    let text = property.text.split_whitespace().collect::<Vec<_>>().join(" ");
    // Formulas of nets say themselves what is asked.
    let has_path = text.split(|letter: char| !letter.is_alphanumeric()).any(|word| ["EF", "AG"].contains(&word));
    match &property.kind {
        PropertyKind::DeadlockFree if has_path && !(text.starts_with("AG") && text.contains("DEADLOCK")) => text,
        PropertyKind::DeadlockFree => "some step is always possible".to_owned(),
        PropertyKind::NoErrors => "no step errs".to_owned(),
        PropertyKind::Reach(_) if has_path => text,
        PropertyKind::Reach(_) => format!("reach {text}"),
        PropertyKind::Invariant(_) | PropertyKind::Ltl(_) => text,
    }
}

fn shortened(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    text.chars().take(width.saturating_sub(3)).chain("...".chars()).collect()
}

/// What stands under a property's line.
pub fn details(loaded: &Loaded, report: &PropertyReport, options: &Options<'_>) -> String {
    let mut text = String::new();
    if report.whole.is_some() {
        let part = &loaded.declared().properties[report.property];
        text.push_str(&format!("       decided by {}: {}\n", part.name, formula_words(part)));
    }
    match &report.evidence {
        Evidence::Trace(trace) => text.push_str(&trace_details(loaded, report, trace, options)),
        Evidence::Certificate(_, checked) => {
            if report.verdict == Verdict::Violated {
                let place = loaded.sources.describe(loaded.declared().properties[report.property].span);
                text.push_str(&format!("       {:<47}   {place}\n", "out of reach"));
            }
            text.push_str(&explanation(report));
            let words = checked.on_word().map(|word| format!("       checked {word}\n"));
            text.push_str(&words.unwrap_or_default());
        }
        Evidence::Nothing(reason) => text.push_str(&unknown_details(loaded, report, reason)),
    }
    if options.detail == Detail::Verbose {
        let spent = &report.stats;
        let (search, check) = (units::seconds(spent.search_seconds), units::seconds(spent.check_seconds));
        let memory = units::memory(spent.search_memory);
        text.push_str(&format!("       engine {}; search {search}, check {check}, {memory}\n", report.engine));
        if let Some(because) = &report.chosen_because {
            text.push_str(&format!("       chosen: {because}\n"));
        }
        text.push_str(&stats::more(&report.stats, LEFT_MARGIN, options.width));
        text.push_str(&rounds::table(&report.stats, LEFT_MARGIN, options.width));
    }
    text
}

fn trace_details(loaded: &Loaded, report: &PropertyReport, trace: &Trace, options: &Options<'_>) -> String {
    let property = &loaded.declared().properties[report.property];
    let what = if shows_witness(report.verdict) { "witness" } else { "counterexample" };
    let n_steps = trace.n_steps();
    let lasso = trace.loop_start.map(|start| format!(", then a loop of {}", n_steps + 1 - start)).unwrap_or_default();
    let title = format!("{what}: {}{lasso}", counted(n_steps, "step", "steps"));
    let mut text = format!("       {title:<47}   {}\n", loaded.sources.describe(property.span));
    let form = match options.trace {
        TraceForm::None => None,
        TraceForm::Diff => Some(Form::Diff),
        TraceForm::Full => Some(Form::Full),
    };
    if let Some(form) = form {
        let run = ModelRun { loaded, trace };
        // Whoever asks for full states wants all of them.
        let most_steps = if form == Form::Full { usize::MAX } else { trace::MOST_STEPS };
        let layout = trace::Options { form, width: options.width, palette: options.palette, only: None, most_steps };
        text.push_str(&trace::render(&run, &layout));
    }
    text + &explanation(report)
}

/// A sentence, and lines below it.
fn explanation(report: &PropertyReport) -> String {
    let lines = report.explanation.iter().flat_map(|explanation| explanation.lines());
    lines.map(|line| format!("       {line}\n")).collect()
}

fn unknown_details(loaded: &Loaded, report: &PropertyReport, reason: &Reason) -> String {
    let mut text = format!("       unknown: {reason}\n");
    if let Some(known) = &report.known {
        text.push_str(&format!("       known: {known}\n"));
    }
    if let Some(advice) = advice(loaded, reason) {
        text.push_str(&format!("       {advice}\n"));
    }
    text
}

/// What to change where a repeated command alone does not help.
fn advice(loaded: &Loaded, reason: &Reason) -> Option<String> {
    let words = match (reason, unbounded(loaded)) {
        (Reason::Stopped(Stop::Overflow(_)), Some(var)) if loaded.subject.net().is_none() => {
            return Some(format!(
                "numbers are computed with 64 bits; bounds keep them small: {} could be 0..100 (line {})",
                var.name,
                loaded.sources.place(var.span).line
            ));
        }
        (Reason::Stopped(Stop::Overflow(_)), _) => "numbers are computed with 64 bits; smaller ones are needed",
        (Reason::Stopped(Stop::Timeout | Stop::Memory(_)), Some(var)) => return Some(endless(loaded, var)),
        (Reason::Stopped(Stop::Timeout | Stop::Memory(_)), None) if has_constants(loaded) => {
            "allow more, or make the model's constants smaller with -D"
        }
        (Reason::Stopped(Stop::Timeout), None) => "allow more time",
        (Reason::Stopped(Stop::Memory(_)), None) => "allow more memory",
        (Reason::Stopped(Stop::Solver(_)), _) => "nothing that rests on this solver can be believed; ask another one",
        (
            Reason::Stopped(Stop::Interrupted | Stop::Incomplete(_) | Stop::NoAnswer(_) | Stop::Budget(_))
            | Reason::Refused(_)
            | Reason::Unsupported(_)
            | Reason::Diverging(_),
            _,
        ) => {
            return None;
        }
    };
    Some(words.to_owned())
}

/// Why the states may have no end, and what gives them one.
fn endless(loaded: &Loaded, var: &Var) -> String {
    let (name, line) = (&var.name, loaded.sources.place(var.span).line);
    match loaded.subject.net() {
        Some(_) => format!("nothing bounds the tokens of {name} (line {line}), so its markings may be infinitely many"),
        None => format!(
            "{name} is unbounded (line {line}), so the states may be infinitely many; with a range such as 0..100 they are not"
        ),
    }
}

/// The first variable that no domain bounds.
pub fn unbounded(loaded: &Loaded) -> Option<&Var> {
    loaded.declared().vars.iter().find(|var| loaded.declared().bounds(var.domain).is_none())
}

/// Constants are gone from a loaded model, but not from its text.
fn has_constants(loaded: &Loaded) -> bool {
    let text = &loaded.sources.get(loaded.source).text;
    text.split([';', '\n']).any(|declaration| declaration.split_whitespace().next() == Some("const"))
}

#[cfg(test)]
mod tests;
