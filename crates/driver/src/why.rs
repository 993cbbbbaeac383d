//! Why an answer is what it is, for people: about the last state of a run, or about a goal that no state reaches.

use lapidary_base::{Control, Id};
use lapidary_checker::Steps;
use lapidary_frontends::petri;
use lapidary_ir::model::Raw;
use lapidary_ir::{CountedNet, Domain, Life, PropertyId, PropertyKind, Subject, Var, VarId};
use lapidary_verdict::{Certificate, Stats, Verdict};

use crate::load::{self, Language, Loaded};

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
            // Where there are too many events to list them, nobody would read what keeps each of them.
            let mut lines = match loaded.subject.model(control) {
                Ok(model) => lapidary_checker::blocked(model, steps, last),
                Err(_) => vec!["no event is possible".to_owned()],
            };
            let change = (lines.len() > 1).then(|| "change one of these conditions".to_owned());
            let stay = if asks_for_steps(loaded, property) { step_in_place(loaded, last) } else { None };
            let stay = stay.map(|step| format!("if it may end here, {step}"));
            let help: Vec<String> = change.into_iter().chain(stay).collect();
            lines.extend((!help.is_empty()).then(|| format!("help: {}", help.join("; or, "))));
            Some(lines.join("\n"))
        }
        (PropertyKind::Invariant(_) | PropertyKind::DeadlockFree, Verdict::Holds | Verdict::Unknown) => None,
        (PropertyKind::Reach(_) | PropertyKind::NoErrors | PropertyKind::Ltl(_), _) => None,
    }
}

/// So many variables tell a state apart in a line that people read.
const MOST_VARIABLES: usize = 6;

/// Whether the property is that there are steps, and not a formula of a net that happens to say so.
fn asks_for_steps(loaded: &Loaded, property: PropertyId) -> bool {
    let text = &loaded.declared().properties[property].text;
    loaded.subject.net().is_none() || !text.contains("AG") || text.contains("DEADLOCK")
}

/// A name for a step that no step has.
fn name_for(loaded: &Loaded) -> String {
    let commands = loaded.subject.made_model().map(|model| model.commands.as_slice()).unwrap_or_default();
    let is_free = |name: &String| commands.iter().all(|command| command.label != *name);
    let numbered = (2..).map(|n: u32| format!("stay{n}"));
    std::iter::once("stay".to_owned()).chain(numbered).find(is_free).expect("there are fewer commands than numbers")
}

/// How to say that a state is an end: by a step that changes nothing. Thread systems have none.
fn step_in_place(loaded: &Loaded, state: &[Raw]) -> Option<String> {
    match load::language(&loaded.path)? {
        Language::Gcl => {
            let (name, condition) = (name_for(loaded), condition(loaded, state));
            Some(format!("add a command that changes nothing here: `{name}: {condition} -> skip;`"))
        }
        Language::AltaRica | Language::Project => Some(
            "give a node an event that changes nothing here: `event stay; trans CONDITION |- stay -> ;`".to_owned(),
        ),
        Language::Net(petri::Language::Tts) => None,
        Language::Net(language) => {
            let mut places = loaded.subject.net()?.places.enumerated();
            let Some((_, place)) = places.find(|(place, _)| state[place.index()] > 0) else {
                return Some("add a transition that takes nothing and puts nothing".to_owned());
            };
            let place = &place.name;
            let rule = match language {
                petri::Language::Mist => format!(": `{place} >= 1 -> {place}' = {place};`"),
                petri::Language::Lola => {
                    format!(": `TRANSITION {} CONSUME {place}: 1; PRODUCE {place}: 1;`", name_for(loaded))
                }
                petri::Language::Tts | petri::Language::Pnml => format!(", by arcs from and to `{place}`"),
            };
            Some(format!("add a transition that puts back what it takes{rule}"))
        }
        Language::Ir => Some("add a command that changes nothing here".to_owned()),
    }
}

/// What is true of a state; of a large one only a word.
fn condition(loaded: &Loaded, state: &[Raw]) -> String {
    let model = loaded.declared();
    let kept = || model.vars.enumerated().filter(|(_, var)| var.life == Life::State);
    match kept().count() {
        0 => return "true".to_owned(),
        n if n > MOST_VARIABLES => return "CONDITION".to_owned(),
        _ => {}
    }
    let value = |(id, var): (VarId, &Var)| match (var.domain, state[id.index()]) {
        (Domain::Bool, 0) => format!("!{}", var.name),
        (Domain::Bool, _) => var.name.clone(),
        (domain, value) => format!("{} = {}", var.name, model.show(domain, value)),
    };
    kept().map(value).collect::<Vec<_>>().join(" & ")
}

/// The formula as it was written, where the property's text is just that: what nets are asked has an operator before it or is
/// the negation of a target, and a set of a specification is described.
fn written(loaded: &Loaded, property: PropertyId) -> Option<&str> {
    let property = &loaded.declared().properties[property];
    let is_typed = loaded.sources.get(property.span.source).name == "-p";
    let is_formula = loaded.subject.net().is_none() && (loaded.subject.tree().is_none() || is_typed);
    Some(property.text.as_str()).filter(|text| is_formula && !text.is_empty())
}

/// Why a goal is not reached: what a certificate that was accepted says of the reachable states. Nothing for other properties.
pub fn out_of_reach(loaded: &Loaded, property: PropertyId, certificate: &Certificate, stats: &Stats) -> Option<String> {
    let PropertyKind::Reach(_) = &loaded.declared().properties[property].kind else { return None };
    let because = certificate.told().because(stats.count("states"));
    Some(format!("no reachable state satisfies it: {because}"))
}
