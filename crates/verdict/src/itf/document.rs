//! Documents of any tool, read without a model: values become the text that people see.

use serde_json::{Map, Value};

use crate::itf::read::{listed_states, loop_start};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Document {
    pub vars: Vec<String>,
    /// For every state its variables and their values, in the order of `vars`.
    pub states: Vec<Vec<(String, String)>>,
    /// The action before every state but the first, then the one that closes a loop, empty where the document does
    /// not tell it. No entries at all if it tells none.
    pub actions: Vec<String>,
    pub loop_start: Option<usize>,
    /// What `#meta` says in single values: `source`, `description`, `property` and the like.
    pub meta: Vec<(String, String)>,
}

pub fn document(value: &Value) -> Result<Document, String> {
    let states = listed_states(value)?;
    let loop_start = loop_start(value, states.len())?;
    let vars = vars(value, states)?;
    let shown = |state: &Value| -> Vec<(String, String)> {
        vars.iter().filter_map(|var| Some((var.clone(), show(state.get(var)?)))).collect()
    };
    let meta = value.get("#meta").and_then(Value::as_object);
    let single = |(key, value): (&String, &Value)| {
        let is_single = !value.is_object() && !value.is_array();
        is_single.then(|| (key.clone(), show(value)))
    };
    Ok(Document {
        states: states.iter().map(shown).collect(),
        actions: actions(value, states, loop_start),
        loop_start,
        meta: meta.into_iter().flatten().filter_map(single).collect(),
        vars,
    })
}

/// The listed variables; a document without the list has those of its first state.
fn vars(document: &Value, states: &[Value]) -> Result<Vec<String>, String> {
    let name = |value: &Value| match value.as_str() {
        Some(name) => Ok(name.to_owned()),
        None => Err(format!("`vars` contains {value}, which is no name")),
    };
    match document.get("vars") {
        Some(Value::Array(list)) => list.iter().map(name).collect(),
        Some(_) => Err("`vars` is not a list".to_owned()),
        None => {
            let keys = states.first().and_then(Value::as_object).into_iter().flat_map(Map::keys);
            Ok(keys.filter(|key| !key.starts_with('#')).cloned().collect())
        }
    }
}

fn actions(document: &Value, states: &[Value], loop_start: Option<usize>) -> Vec<String> {
    let action = |meta: Option<&Value>| {
        let label = meta.and_then(|meta| meta.get("action")).and_then(Value::as_str);
        label.unwrap_or_default().to_owned()
    };
    let mut actions: Vec<String> = states.iter().skip(1).map(|state| action(state.get("#meta"))).collect();
    if loop_start.is_some() {
        actions.push(action(document.get("#meta").and_then(|meta| meta.get("loop_action"))));
    }
    if actions.iter().all(String::is_empty) {
        actions.clear();
    }
    actions
}

fn show(value: &Value) -> String {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::String(text) => text.clone(),
        Value::Array(list) => format!("[{}]", joined(list)),
        Value::Object(object) => show_object(object),
    }
}

fn joined(list: &[Value]) -> String {
    list.iter().map(show).collect::<Vec<_>>().join(", ")
}

/// The special objects of the format; any other is a record.
fn show_object(object: &Map<String, Value>) -> String {
    let list = |key| object.get(key).and_then(Value::as_array);
    if let Some(text) = object.get("#bigint").or_else(|| object.get("#unserializable")) {
        return show(text);
    }
    if let Some(list) = list("#tup") {
        return format!("({})", joined(list));
    }
    if let Some(list) = list("#set") {
        return format!("{{{}}}", joined(list));
    }
    if let Some(list) = list("#map") {
        let pair = |pair: &Value| match pair.as_array().map(Vec::as_slice) {
            Some([key, value]) => format!("{} -> {}", show(key), show(value)),
            Some(_) | None => show(pair),
        };
        return format!("{{{}}}", list.iter().map(pair).collect::<Vec<_>>().join(", "));
    }
    if let Some(Value::String(tag)) = object.get("tag") {
        return show_variant(tag, object.get("value"));
    }
    let field = |(key, value): (&String, &Value)| format!("{key}: {}", show(value));
    format!("{{{}}}", object.iter().map(field).collect::<Vec<_>>().join(", "))
}

/// A variant without a value has an empty record or an empty tuple for one.
fn show_variant(tag: &str, value: Option<&Value>) -> String {
    match value.map(show) {
        None => tag.to_owned(),
        Some(inner) if inner == "{}" || inner == "()" => tag.to_owned(),
        Some(inner) => format!("{tag}({inner})"),
    }
}
