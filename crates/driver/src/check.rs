//! Runs engines on the properties asked for and makes the report.

#[cfg(test)]
mod tests;

use lapidary_base::hash::Map;
use lapidary_base::{Control, Event, memory};
use lapidary_engines::{Engine, Goal, Task};
use lapidary_ir::PropertyId;
use lapidary_verdict::{PropertyReport, Reason, Report};

use crate::attempt::{Asked, Attempt};
use crate::combinations::{folded, is_settled};
use crate::load::Loaded;
use crate::portfolio;
use crate::question::{Question, question};
use crate::request::{CheckRequest, EngineChoice};

/// Emits `property_start`, `heartbeat`, `iteration`, `verdict` and `warning` events through the control.
pub fn check(loaded: &Loaded, request: &CheckRequest, control: &Control) -> Report {
    folded(loaded, check_asked(loaded, request, control), control)
}

fn check_asked(loaded: &Loaded, request: &CheckRequest, control: &Control) -> Report {
    let Some(each) = request.timeout_each else {
        return check_together(loaded, &loaded.asked, request, control);
    };
    let mut whole = Report::default();
    for &property in &loaded.asked {
        if is_settled(loaded, &whole.properties, property) {
            continue;
        }
        let report = check_together(loaded, &[property], request, &control.within(Some(each)));
        whole.properties.extend(report.properties);
        whole.internal_errors.extend(report.internal_errors);
    }
    Report { interrupted: control.is_cancelled(), ..whole }
}

fn check_together(loaded: &Loaded, asked: &[PropertyId], request: &CheckRequest, control: &Control) -> Report {
    match request.engine {
        EngineChoice::Named(entry) => {
            check_with(&*request.make(entry, loaded, None, None), loaded, asked, request, control)
        }
        EngineChoice::Auto => portfolio::check(loaded, asked, request, control),
    }
}

fn check_with(
    engine: &dyn Engine,
    loaded: &Loaded,
    asked: &[PropertyId],
    request: &CheckRequest,
    control: &Control,
) -> Report {
    announce(loaded, asked, engine.name(), control);
    let mut attempt = Attempt::new(loaded, engine.name(), request, control);
    let searched = searched(loaded, asked, &mut attempt);
    if !searched.is_empty() {
        for (property, why) in attempt.search(engine, &searched) {
            attempt.nothing(property, Reason::Refused(why));
        }
    }
    report(loaded, asked, attempt.findings, attempt.errors, control)
}

/// What an engine has to search for; the rest is answered here.
pub(crate) fn searched(loaded: &Loaded, asked: &[PropertyId], attempt: &mut Attempt<'_>) -> Vec<Asked> {
    let mut searched = Vec::new();
    for &property in asked {
        match question(&loaded.subject, property) {
            Question::Temporal => attempt.unsupported(property),
            trivial if trivial.is_trivial(&loaded.declared().exprs) && !attempt.explores(property) => {
                attempt.trivial(property);
            }
            question => searched.push(Asked { property, question }),
        }
    }
    searched
}

/// Tells that an engine begins with some properties.
pub(crate) fn announce(loaded: &Loaded, properties: &[PropertyId], engine: &str, control: &Control) {
    for &property in properties {
        let name = loaded.declared().properties[property].name.clone();
        control.emit(&Event::PropertyStart { name, engine: engine.to_owned() });
    }
}

pub(crate) fn task<'a>(loaded: &'a Loaded, goals: &'a [Goal]) -> Task<'a> {
    Task { subject: &loaded.subject, goals, sources: &loaded.sources }
}

/// The findings in the order of the request.
pub(crate) fn report(
    loaded: &Loaded,
    asked: &[PropertyId],
    mut findings: Vec<PropertyReport>,
    errors: Vec<String>,
    control: &Control,
) -> Report {
    let order: Map<PropertyId, usize> = asked.iter().copied().zip(0..).collect();
    findings.sort_by_key(|finding| order[&finding.property]);
    let memory = memory::peak_resident().unwrap_or(0);
    for finding in &mut findings {
        finding.memory = memory;
        let name = loaded.declared().properties[finding.property].name.clone();
        for message in &finding.warnings {
            control.emit(&Event::Warning { message: format!("{name}: {message}") });
        }
        control.emit(&Event::Verdict { name, verdict: finding.verdict.name().to_owned() });
    }
    Report { properties: findings, interrupted: control.is_cancelled(), internal_errors: errors }
}
