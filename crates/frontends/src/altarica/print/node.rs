//! Nodes, and nodes whose transitions are restricted: what a synthesised controller is.

use lapidary_ir::tree::Comparison;

use super::super::ast::{
    Arm, EventGroup, EventName, Events, Expr, ExprKind, Node, Param, Path, Relation, Section, Subs, Sync, Trans,
    Update, Variables,
};
use super::expr::{AND, SUM, expr, operand, path};
use super::{domain, name, names, quoted};

pub fn node(node: &Node) -> String {
    let sections: String = node.sections.iter().map(section).collect();
    format!("node {}{}\n{sections}edon\n", name(&node.name), attributes(node))
}

/// The node under another name, in which every transition also needs the condition that `condition` gives for its
/// event (as the transition names it). Events without a condition lose their transitions.
pub fn restricted(node: &Node, new_name: &str, condition: &dyn Fn(&str) -> Option<String>) -> String {
    let mut text = format!("node {}{}\n", quoted(new_name), attributes(node));
    let mut sections: Vec<&Section> = node.sections.iter().filter(|section| rank(section).is_some()).collect();
    sections.sort_by_key(|section| rank(section));
    sections.into_iter().for_each(|own| text += &section(own));
    let transitions: String = node.sections.iter().flat_map(|own| kept(own, condition)).collect();
    if !transitions.is_empty() {
        text += " trans\n";
        text += &transitions;
    }
    text + "edon\n"
}

/// Where a section stands in a generated node; transitions come last.
fn rank(section: &Section) -> Option<u32> {
    match section {
        Section::Param(_) => Some(0),
        Section::Flow(_) => Some(1),
        Section::State(_) => Some(2),
        Section::Event(_) => Some(3),
        Section::Sub(_) => Some(4),
        Section::ParamSet(_) => Some(5),
        Section::Assert(_) => Some(6),
        Section::Sync(_) => Some(7),
        Section::Init(_) => Some(8),
        Section::Extern { .. } => Some(9),
        Section::Trans(_) => None,
    }
}

/// The transitions of a section that are left, one for each event.
fn kept(section: &Section, condition: &dyn Fn(&str) -> Option<String>) -> Vec<String> {
    let Section::Trans(transitions) = section else { return Vec::new() };
    let mut lines = Vec::new();
    for transition in transitions {
        for arm in &transition.arms {
            for event in &arm.events {
                if let Some(condition) = condition(&path(event)) {
                    lines.push(restricted_transition(&transition.guard, &condition, event, &arm.updates));
                }
            }
        }
    }
    lines
}

fn restricted_transition(guard: &Expr, condition: &str, event: &Path, changes: &[Update]) -> String {
    let guard = match (&guard.kind, condition) {
        (ExprKind::Bool(true), condition) => condition.to_owned(),
        (_, "true") => expr(guard),
        (_, condition) => format!("{} and {}", operand(guard, AND), parenthesised(condition)),
    };
    format!("  {guard} |- {} -> {};\n", path(event), updates(changes))
}

/// A condition given as text, in parentheses unless it is a single word or path.
fn parenthesised(condition: &str) -> String {
    let is_simple = condition.bytes().all(|letter| letter.is_ascii_alphanumeric() || b"_.[]".contains(&letter));
    if is_simple { condition.to_owned() } else { format!("({condition})") }
}

fn attributes(node: &Node) -> String {
    labels(&names(&node.attributes))
}

fn labels(names: &str) -> String {
    if names.is_empty() { String::new() } else { format!(" : {names}") }
}

fn section(section: &Section) -> String {
    match section {
        Section::State(list) => lines("state", list, variables),
        Section::Flow(list) => lines("flow", list, variables),
        Section::Event(list) => lines("event", list, events),
        Section::Sub(list) => lines("sub", list, subs),
        Section::Init(list) => lines("init", list, update),
        Section::Assert(list) => lines("assert", list, expr),
        Section::Trans(list) => lines("trans", list, transition),
        Section::Sync(list) => lines("sync", list, vector),
        Section::Param(list) => lines("param", list, parameter),
        Section::ParamSet(list) => lines("param_set", list, update),
        Section::Extern { text, .. } => format!(" extern\n  {text};\n"),
    }
}

fn lines<T>(keyword: &str, entries: &[T], print: fn(&T) -> String) -> String {
    let entries: String = entries.iter().map(|entry| format!("  {};\n", print(entry))).collect();
    format!(" {keyword}\n{entries}")
}

fn variables(list: &Variables) -> String {
    format!("{} : {}{}", names(&list.names), domain(&list.domain), labels(&names(&list.attributes)))
}

fn parameter(parameter: &Param) -> String {
    let value = parameter.value.as_ref().map_or(String::new(), |value| format!(" = {}", expr(value)));
    let labels = labels(&names(&parameter.attributes));
    format!("{} : {}{value}{labels}", names(&parameter.names), domain(&parameter.domain))
}

fn events(events: &Events) -> String {
    let mut text = event_group(&events.first);
    for (relation, group) in &events.rest {
        text += match relation {
            Relation::None => ", ",
            Relation::Below => " < ",
            Relation::Above => " > ",
        };
        text += &event_group(group);
    }
    text + &labels(&names(&events.attributes))
}

fn event_group(group: &EventGroup) -> String {
    let events: Vec<String> = group.events.iter().map(event_name).collect();
    match &events[..] {
        [single] => single.clone(),
        _ => format!("{{{}}}", events.join(", ")),
    }
}

fn event_name(event: &EventName) -> String {
    name(&event.name) + &indexes(&event.indexes)
}

fn indexes(indexes: &[Expr]) -> String {
    indexes.iter().map(|index| format!("[{}]", expr(index))).collect()
}

fn subs(subs: &Subs) -> String {
    let node = name(&subs.node) + &indexes(&subs.sizes);
    format!("{} : {node}{}", names(&subs.names), labels(&names(&subs.attributes)))
}

fn update(update: &Update) -> String {
    format!("{} := {}", path(&update.path), expr(&update.value))
}

fn updates(list: &[Update]) -> String {
    list.iter().map(update).collect::<Vec<_>>().join(", ")
}

fn transition(transition: &Trans) -> String {
    let arms: Vec<String> = transition.arms.iter().map(arm).collect();
    format!("{} {}", expr(&transition.guard), arms.join("\n    "))
}

fn arm(arm: &Arm) -> String {
    let events: Vec<String> = arm.events.iter().map(path).collect();
    format!("|- {} -> {}", events.join(", "), updates(&arm.updates))
}

fn vector(sync: &Sync) -> String {
    let part = |part: &super::super::ast::SyncPart| path(&part.event) + if part.is_optional { "?" } else { "" };
    let parts: Vec<String> = sync.parts.iter().map(part).collect();
    let count = sync.count.as_ref().map_or(String::new(), |(comparison, bound)| {
        format!(" {} {}", comparison_symbol(*comparison), operand(bound, SUM))
    });
    format!("<{}>{count}", parts.join(", "))
}

fn comparison_symbol(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::Lt => "<",
        Comparison::Le => "<=",
        Comparison::Eq => "=",
        Comparison::Ge => ">=",
        Comparison::Gt => ">",
    }
}
