//! What a portfolio says about the engines that it tried.

use lapidary_base::Stop;
use lapidary_engines::register::{Progress, named};
use lapidary_verdict::{Evidence, PropertyReport, Reason, Stats};

use super::board::{Ended, Tried};
use super::plan::Plan;

/// `t is unbounded: matching answered first (explicit was at 100000 states, kinduction was at k = 7)`
pub fn because(plan: &Plan<'_>, finding: &PropertyReport, tried: &[Tried]) -> String {
    let others: Vec<String> = tried.iter().filter(|tried| tried.engine != finding.engine).map(was).collect();
    let (because, engine) = (&plan.because, finding.engine);
    match others.is_empty() {
        true if engine == plan.first().name => format!("{engine} answered within its head start"),
        true => format!("{because}: {engine} answered"),
        false => format!("{because}: {engine} answered first ({})", others.join(", ")),
    }
}

/// How far an engine was that did not answer.
fn was(tried: &Tried) -> String {
    let engine = tried.engine;
    match &tried.ended {
        Ended::Refused(why) => format!("{engine} refused: {why}"),
        Ended::Unknown(finding) => match (far(engine, &finding.stats), stop(tried)) {
            (Some(far), _) => format!("{engine} was at {far}"),
            (None, Some(stop)) if *stop != Stop::Interrupted => format!("{engine} gave up: {stop}"),
            (None, _) => format!("{engine} had nothing yet"),
        },
    }
}

fn far(engine: &str, stats: &Stats) -> Option<String> {
    let count = |counter| stats.count(counter).filter(|&count| count > 0);
    match named(engine)?.progress? {
        Progress::Parameter { counter, name, .. } => count(counter).map(|value| format!("{name} = {value}")),
        Progress::Counted { counter, one } => count(counter).map(|count| match count {
            1 => format!("1 {one}"),
            _ => format!("{count} {one}s"),
        }),
    }
}

pub fn stop(tried: &Tried) -> Option<&Stop> {
    match &tried.ended {
        Ended::Refused(_) => None,
        Ended::Unknown(finding) => match &finding.evidence {
            Evidence::Nothing(Reason::Stopped(stop)) => Some(stop),
            Evidence::Nothing(Reason::Refused(_) | Reason::Unsupported(_) | Reason::Diverging(_))
            | Evidence::Trace(_)
            | Evidence::Certificate(..) => None,
        },
    }
}

/// Why each of the engines ended: `explicit: the budget of 100000 states is spent; bmc: the solver gave up`.
pub fn ends(tried: &[Tried]) -> String {
    let end = |tried: &Tried| match &tried.ended {
        Ended::Refused(why) => format!("{} refuses: {why}", tried.engine),
        Ended::Unknown(_) => match stop(tried) {
            Some(stop) => format!("{}: {stop}", tried.engine),
            None => tried.engine.to_owned(),
        },
    };
    tried.iter().map(end).collect::<Vec<_>>().join("; ")
}

/// What each of the engines knows all the same.
pub fn known(tried: &[Tried]) -> Option<String> {
    let known = |tried: &Tried| match &tried.ended {
        Ended::Refused(_) => None,
        Ended::Unknown(finding) => finding.known.as_ref().map(|known| format!("{known} ({})", tried.engine)),
    };
    let known: Vec<String> = tried.iter().filter_map(known).collect();
    (!known.is_empty()).then(|| known.join("; "))
}
