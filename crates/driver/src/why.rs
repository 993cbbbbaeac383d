//! Why an answer is what it is, for people: about the last state of a run, or about a goal that no state reaches.

use lapidary_base::{Control, Stop};
use lapidary_checker::Steps;
use lapidary_ir::model::Raw;
use lapidary_ir::passes::NoModel;
use lapidary_ir::{CountedNet, PropertyId, PropertyKind, Subject};
use lapidary_text::Origin;
use lapidary_verdict::{Certificate, Stats, Verdict};

use crate::languages;
use crate::load::Loaded;

/// Why the last state of a run decides the property: what errs, which part of an invariant is false, what keeps each command
/// from having a step. Nothing where the state is a goal that was looked for.
pub fn shown(
    loaded: &Loaded,
    property: PropertyId,
    verdict: Verdict,
    last: &[Raw],
    control: &Control,
) -> Option<String> {
    let declared = loaded.declared();
    // Nothing errs in a hierarchy.
    if let Subject::Model(model) | Subject::Net(CountedNet { model, .. }) = &loaded.subject
        && let Some(sentence) = lapidary_checker::explain(model, property, last)
    {
        let fault = lapidary_checker::deciding_fault(model, property, last)?;
        return Some(format!("{sentence} ({})", loaded.sources.describe(fault.span)));
    }
    // A set that was computed is written as a long formula that nobody wrote.
    if loaded.evaluated.contains(&property) {
        return None;
    }
    match (&declared.properties[property].kind, verdict) {
        (PropertyKind::Invariant(formula), Verdict::Violated) => {
            Some(lapidary_checker::false_part(declared, *formula, written(loaded, property), last))
        }
        (PropertyKind::DeadlockFree, Verdict::Violated) => {
            let steps = match &loaded.subject {
                Subject::Net(counted) => Steps::Transitions(&counted.net),
                Subject::Tree(_) => Steps::Events,
                Subject::Model(_) => Steps::Commands,
            };
            let mut lines = match loaded.subject.affordable_model(control) {
                Ok(model) => lapidary_checker::blocked(model, steps, last),
                Err(why) => vec![unlisted(&why)],
            };
            let change = (lines.len() > 1).then(|| "change one of these conditions".to_owned());
            let stay = languages::of(&loaded.path).filter(|_| asks_for_steps(loaded, property));
            let stay = stay.and_then(|language| (language.stay)(loaded, last));
            let stay = stay.map(|step| format!("if it may end here, {step}"));
            let help: Vec<String> = change.into_iter().chain(stay).collect();
            lines.extend((!help.is_empty()).then(|| format!("help: {}", help.join("; or, "))));
            Some(lines.join("\n"))
        }
        (PropertyKind::Invariant(_) | PropertyKind::DeadlockFree, Verdict::Holds | Verdict::Unknown) => None,
        (PropertyKind::Reach(_) | PropertyKind::NoErrors | PropertyKind::Ltl(_), _) => None,
    }
}

/// The checker has seen that the state is a deadlock; what is not known is what keeps each event from happening. Where there are
/// very many of them, nobody would read it.
fn unlisted(why: &NoModel) -> String {
    let rest = match why {
        NoModel::TooLarge(_) | NoModel::Stopped(Stop::Budget(_)) => {
            "there are too many to say what keeps each of them".to_owned()
        }
        NoModel::Stopped(stop) => format!("what keeps each of them was not looked for: {stop}"),
    };
    format!("no event is possible; {rest}")
}

/// Whether the property is that there are steps, and not a formula of a net that happens to say so.
fn asks_for_steps(loaded: &Loaded, property: PropertyId) -> bool {
    let text = &loaded.declared().properties[property].text;
    loaded.subject.net().is_none() || !text.contains("AG") || text.contains("DEADLOCK")
}

/// The formula as it was written, where the property's text is just that: what nets are asked has an operator before it or is
/// the negation of a target, and a set of a specification is described.
fn written(loaded: &Loaded, property: PropertyId) -> Option<&str> {
    let property = &loaded.declared().properties[property];
    let is_typed = loaded.sources.get(property.span.source).origin == Origin::Option;
    let is_formula = loaded.subject.net().is_none() && (loaded.subject.tree().is_none() || is_typed);
    Some(property.text.as_str()).filter(|text| is_formula && !text.is_empty())
}

/// Why a goal is not reached: what a certificate that was accepted says of the reachable states. Nothing for other properties.
pub fn out_of_reach(loaded: &Loaded, property: PropertyId, certificate: &Certificate, stats: &Stats) -> Option<String> {
    let PropertyKind::Reach(_) = &loaded.declared().properties[property].kind else { return None };
    let because = certificate.told().because(stats.count("states"));
    Some(format!("no reachable state satisfies it: {because}"))
}
