//! Traces as ITF documents: JSON in the Informal Trace Format that Apalache and Quint write and read.
//!
//! Every variable of the model's states is one of the document, under the name that traces show (`flag[1]`, `P[0].pc`);
//! what is local to a statement has one value in all states, which readers know. What
//! the format has no place for is under `#meta`: of a state, the action that led to it and the number of the command;
//! of a lasso, under `loop_action`, the step that leads from the last state back to the state `loop`.

mod document;
mod read;

use std::io::{self, Write};

use lapidary_base::Id;
use lapidary_ir::model::Raw;
use lapidary_ir::types::shown_order;
use lapidary_ir::value::decimal;
use lapidary_ir::{Action, ArrayType, Declarations, Domain, Life, Subject};
use serde_json::{Map, Value, json};

use crate::trace::Trace;

pub use document::{Document, document};
pub use read::{Run, Said, from_json, run_from_json};

const FORMAT_DESCRIPTION: &str = "https://apalache-mc.org/docs/adr/015adr-trace.html";

/// JSON numbers are safe up to this magnitude; readers may hold them as floating-point numbers.
const SAFE_INTEGER: u64 = 1 << 53;

/// Where a trace comes from.
#[derive(Clone, Copy, Debug, Default)]
pub struct Meta<'a> {
    pub description: &'a str,
    /// The path of the model.
    pub source: &'a str,
    /// The name of the property that the trace is about.
    pub property: &'a str,
}

/// How a document is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// For people: a line for every value.
    Lines,
    /// Within other documents.
    OneLine,
}

/// Writes the document state by state: a run may be longer than what fits in memory twice.
pub fn write(subject: &Subject, trace: &Trace, head: &Value, layout: Layout, out: &mut dyn Write) -> io::Result<()> {
    let (line, colon) = match layout {
        Layout::Lines => ("\n  ", ": "),
        Layout::OneLine => ("", ":"),
    };
    write!(out, "{{{line}\"#meta\"{colon}{},", laid_out(head, layout, 1))?;
    write!(out, "{line}\"vars\"{colon}{},", laid_out(&json!(names(subject.declared())), layout, 1))?;
    write!(out, "{line}\"states\"{colon}[")?;
    for i in 0..trace.states.len() {
        let comma = if i == 0 { "" } else { "," };
        let inner = if layout == Layout::Lines { "\n    " } else { "" };
        write!(out, "{comma}{inner}{}", laid_out(&state(subject, trace, i), layout, 2))?;
    }
    write!(out, "{}]", if trace.states.is_empty() { "" } else { line })?;
    if let Some(start) = trace.loop_start {
        write!(out, ",{line}\"loop\"{colon}{start}")?;
    }
    out.write_all(if layout == Layout::Lines { b"\n}\n" } else { b"}" })
}

/// A value so deep within a document. No text in JSON has a line end of its own.
fn laid_out(value: &Value, layout: Layout, depth: usize) -> String {
    match layout {
        Layout::Lines => format!("{value:#}").replace('\n', &format!("\n{}", "  ".repeat(depth))),
        Layout::OneLine => value.to_string(),
    }
}

fn names(model: &Declarations) -> Vec<&str> {
    let kept = model.vars.iter().filter(|var| var.life == Life::State);
    kept.map(|var| var.name.as_str()).collect()
}

/// What stands under `#meta` of the document.
pub fn head(subject: &Subject, trace: &Trace, meta: &Meta<'_>) -> Value {
    let mut head = json!({
        "format": "ITF",
        "format-description": FORMAT_DESCRIPTION,
        "description": meta.description,
        "source": meta.source,
        "property": meta.property,
    });
    let closing = trace.loop_start.and_then(|_| trace.actions.get(trace.n_steps()));
    if let Some(closing) = closing {
        head["loop_action"] = action(subject, closing, Map::new());
    }
    head
}

fn state(subject: &Subject, trace: &Trace, i: usize) -> Value {
    let model = subject.declared();
    let mut meta = Map::new();
    meta.insert("index".to_owned(), json!(i));
    let meta = match i.checked_sub(1).and_then(|step| trace.actions.get(step)) {
        Some(before) => action(subject, before, meta),
        None => Value::Object(meta),
    };
    let mut state = Map::new();
    state.insert("#meta".to_owned(), meta);
    let values = model.vars.iter().zip(&trace.states[i]);
    for (var, &raw) in values.filter(|(var, _)| var.life == Life::State) {
        state.insert(var.name.clone(), value(model, var.domain, raw));
    }
    Value::Object(state)
}

/// Labels are for people and other tools; the number tells commands of one label apart. Of a hierarchy it is there where its
/// flattening was made.
fn action(subject: &Subject, action: &Action, mut into: Map<String, Value>) -> Value {
    into.insert("action".to_owned(), json!(subject.label(action)));
    if let Some(command) = subject.command(action) {
        into.insert("command".to_owned(), json!(command.index()));
    }
    Value::Object(into)
}

fn value(model: &Declarations, domain: Domain, raw: Raw) -> Value {
    match domain {
        Domain::Bool => json!(raw != 0),
        Domain::Enum(_) => json!(model.show(domain, raw)),
        Domain::Int | Domain::Range { .. } if raw.unsigned_abs() > SAFE_INTEGER => {
            json!({ "#bigint": raw.to_string() })
        }
        Domain::Int | Domain::Range { .. } => json!(raw),
        Domain::Bits(width) => match &model.exprs.values().words(width, raw)[..] {
            &[word] if word <= SAFE_INTEGER => json!(word),
            words => json!({ "#bigint": decimal(words) }),
        },
        Domain::Array(id) => {
            let ArrayType { index, element } = model.exprs.array_type(id);
            let values = model.exprs.values();
            let array = values.array_value(raw);
            let entry =
                |(at, it): (Raw, Raw)| json!([value(model, index.domain(), at), value(model, element.domain(), it)]);
            let entries: Vec<Value> = shown_order(index, values, &array.entries).map(entry).collect();
            json!({ "#map": entries, "default": value(model, element.domain(), array.default) })
        }
    }
}

#[cfg(test)]
mod tests;
