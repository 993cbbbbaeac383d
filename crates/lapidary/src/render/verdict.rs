//! The frozen lines: one `verdict:` line a property at column 0, then `summary:`.

use lapidary_ir::Declarations;
use lapidary_verdict::{Certificate, Checked, Evidence, PropertyReport, Report, Trace, Verdict};

use crate::units;

/// `verdict: mutex = holds  proof=enumeration checked=yes`
pub fn verdict_line(model: &Declarations, report: &PropertyReport) -> String {
    let evidence = match &report.evidence {
        Evidence::Trace(trace) => trace_words(report.verdict, trace),
        Evidence::Certificate(certificate, checked) => certificate_words(certificate, checked),
        Evidence::Nothing(reason) => format!("reason={}", reason.code()),
    };
    let part = report.whole.as_ref().map(|whole| format!(" part={}", whole.part)).unwrap_or_default();
    let vacuous = report.vacuous.map(|vacuity| format!(" vacuous={}", vacuity.word())).unwrap_or_default();
    format!("verdict: {} = {}  {evidence}{part}{vacuous}", report.name(model), report.verdict.name())
}

fn trace_words(verdict: Verdict, trace: &Trace) -> String {
    let witness = if shows_witness(verdict) { "witness " } else { "" };
    let lasso = trace.loop_start.map(|start| format!(" loop={start}..{}", trace.n_steps())).unwrap_or_default();
    format!("{witness}steps={}{lasso} replayed=yes", trace.n_steps())
}

pub fn certificate_words(certificate: &Certificate, checked: &Checked) -> String {
    let solver = checked.on_word().map(|word| format!(" solver={}", word.solver)).unwrap_or_default();
    format!("proof={} checked={}{solver}", certificate.kind(), checked.word())
}

/// A run that shows that a property holds is a witness, any other a counterexample: a `reach` property can have either,
/// because evaluating its goal may err.
pub fn shows_witness(verdict: Verdict) -> bool {
    match verdict {
        Verdict::Holds => true,
        Verdict::Violated | Verdict::Unknown => false,
    }
}

/// `summary: 1 holds, 1 violated, 0 unknown   0.40 s, 14 MB`; time and memory come last because only they vary. What
/// holds of nothing is counted once more: `2 holds, 0 violated, 0 unknown, 1 vacuous`.
pub fn summary_line(report: &Report, seconds: f64, memory: u64) -> String {
    let count = |verdict: Verdict| report.properties.iter().filter(|property| property.verdict == verdict).count();
    let (holds, violated, unknown) = (count(Verdict::Holds), count(Verdict::Violated), count(Verdict::Unknown));
    let spent = format!("{}, {}", units::seconds(seconds), units::memory(memory));
    let vacuous = match report.properties.iter().filter(|property| property.vacuous.is_some()).count() {
        0 => String::new(),
        n => format!(", {n} vacuous"),
    };
    format!("summary: {holds} holds, {violated} violated, {unknown} unknown{vacuous}   {spent}")
}
