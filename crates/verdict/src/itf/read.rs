//! Documents as runs of a subject.

use lapidary_base::Id;
use lapidary_base::hash::Map;
use lapidary_ir::model::Raw;
use lapidary_ir::tree::EPSILON;
use lapidary_ir::value::words_of_decimal;
use lapidary_ir::{
    Action, ArrayId, ArrayType, CommandId, Declarations, Domain, EventRef, FlatEvent, Life, Model, Subject, Tree, VarId,
};
use serde_json::Value;

use crate::trace::{State, Trace};

/// A trace whose steps may be open: for every step, what may have happened, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    pub states: Vec<State>,
    /// One per step, and for a lasso one more for the step that closes the loop.
    pub steps: Vec<Said>,
    pub loop_start: Option<usize>,
}

/// What a document says of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    /// One of these happens, in order; never an empty list.
    OneOf(Vec<Action>),
    /// Nothing, and what could happen is not listed: the events of a hierarchy whose flattening was not made.
    Nothing,
}

/// A trace of this subject in which every step says what happens.
pub fn from_json(subject: &Subject, document: &Value) -> Result<Trace, String> {
    let Run { states, steps, loop_start } = run_from_json(subject, document)?;
    let only = |(i, said): (usize, Said)| match said {
        Said::OneOf(actions) => match <[Action; 1]>::try_from(actions) {
            Ok([action]) => Ok(action),
            Err(actions) => Err(format!("step {} does not say which of {} commands it takes", i + 1, actions.len())),
        },
        Said::Nothing => Err(format!("step {} does not say which event happens", i + 1)),
    };
    let actions = steps.into_iter().enumerate().map(only).collect::<Result<_, String>>()?;
    Ok(Trace { states, actions, loop_start })
}

/// What the document says about the steps of a run. A step that names its command has that one, a step with a label only has all
/// commands of that label, and a step of which nothing is said may be any command. Of a hierarchy whose flattening was not
/// made, numbers mean nothing and are not looked at: a step has the event of its label, or is open.
pub fn run_from_json(subject: &Subject, document: &Value) -> Result<Run, String> {
    let states = listed_states(document)?;
    let loop_start = loop_start(document, states.len())?;
    let reader = Reader::new(subject);
    let mut steps = Vec::new();
    for (i, state) in states.iter().enumerate().skip(1) {
        steps.push(reader.step(state.get("#meta"), &format!("state {i}"))?);
    }
    if loop_start.is_some() {
        let closing = document.get("#meta").and_then(|meta| meta.get("loop_action"));
        steps.push(reader.step(closing, "the step that closes the loop")?);
    }
    let states = states.iter().enumerate().map(|(i, state)| reader.state(state, i)).collect::<Result<_, _>>()?;
    Ok(Run { states, steps, loop_start })
}

/// The states of a document; there is at least one.
pub(super) fn listed_states(document: &Value) -> Result<&[Value], String> {
    match document.get("states").map(Value::as_array) {
        None => Err("the document has no `states`".to_owned()),
        Some(None) => Err("`states` is not a list".to_owned()),
        Some(Some(states)) if states.is_empty() => Err("`states` is empty".to_owned()),
        Some(Some(states)) => match states.iter().position(|state| !state.is_object()) {
            Some(i) => Err(format!("state {i} is not an object")),
            None => Ok(states),
        },
    }
}

pub(super) fn loop_start(document: &Value, n_states: usize) -> Result<Option<usize>, String> {
    let Some(value) = document.get("loop").filter(|value| !value.is_null()) else { return Ok(None) };
    let start = value.as_u64().and_then(|start| usize::try_from(start).ok());
    match start.filter(|&start| start < n_states) {
        Some(start) => Ok(Some(start)),
        None => Err(format!("`loop` is {value}, not the number of one of the {n_states} states")),
    }
}

struct Reader<'m> {
    subject: &'m Subject,
    model: &'m Declarations,
    vars: Map<&'m str, VarId>,
    labels: Labels<'m>,
}

/// What steps are called.
enum Labels<'m> {
    Commands(&'m Model, Map<&'m str, Vec<CommandId>>),
    /// The events of all components as they are seen from the root.
    Events(&'m Tree, Map<String, EventRef>),
}

impl<'m> Labels<'m> {
    fn new(subject: &'m Subject) -> Self {
        match (subject.made_model(), subject.tree()) {
            (Some(model), _) => {
                let mut commands: Map<&str, Vec<CommandId>> = Map::default();
                for (id, command) in model.commands.enumerated() {
                    commands.entry(command.label.as_str()).or_default().push(id);
                }
                Self::Commands(model, commands)
            }
            (None, Some(tree)) => {
                let of =
                    |component| tree.components[component].events.ids().map(move |event| EventRef { component, event });
                let all = tree.components.ids().flat_map(of).filter(|of| of.event != EPSILON);
                Self::Events(tree, all.map(|of| (tree.event_name(of), of)).collect())
            }
            (None, None) => unreachable!("only the model of a tree has to be made"),
        }
    }
}

/// The flat event of a label such as `<cmd, V[0].dec>`.
fn flat_event(tree: &Tree, events: &Map<String, EventRef>, label: &str) -> Option<FlatEvent> {
    let mut flat: FlatEvent = tree.components.iter().map(|_| EPSILON).collect();
    if label == tree.label(&flat) {
        return Some(flat);
    }
    let inner = label.strip_prefix('<').and_then(|rest| rest.strip_suffix('>')).unwrap_or(label);
    for name in inner.split(", ") {
        let EventRef { component, event } = *events.get(name)?;
        flat[component] = event;
    }
    (tree.label(&flat) == label).then_some(flat)
}

impl<'m> Reader<'m> {
    fn new(subject: &'m Subject) -> Self {
        let model = subject.declared();
        let kept = model.vars.enumerated().filter(|(_, var)| var.life == Life::State);
        let vars = kept.map(|(id, var)| (var.name.as_str(), id)).collect();
        Self { subject, model, vars, labels: Labels::new(subject) }
    }

    fn state(&self, state: &Value, i: usize) -> Result<State, String> {
        let object = state.as_object().ok_or_else(|| format!("state {i} is not an object"))?;
        for name in object.keys().filter(|name| !name.starts_with('#')) {
            if !self.vars.contains_key(name.as_str()) {
                return Err(format!("state {i} has a value for `{name}`, which is no variable of the model"));
            }
        }
        let read = |var: &lapidary_ir::Var| match object.get(&var.name) {
            None if var.life == Life::Local => Ok(self.model.first(var.domain)),
            None => Err(format!("state {i} has no value for `{}`", var.name)),
            Some(value) => {
                self.value(var.domain, value).map_err(|problem| format!("state {i}: `{}` {problem}", var.name))
            }
        };
        self.model.vars.iter().map(read).collect()
    }

    /// The rest of a sentence that starts with the variable, if the value is none of the domain.
    fn value(&self, domain: Domain, value: &Value) -> Result<Raw, String> {
        match domain {
            Domain::Bool => match value.as_bool() {
                Some(value) => Ok(Raw::from(value)),
                None => Err(format!("must be true or false, not {value}")),
            },
            Domain::Int => integer(value),
            Domain::Range { lo, hi } => match integer(value)? {
                raw if (lo..=hi).contains(&raw) => Ok(raw),
                raw => Err(format!("is {raw}, which is outside {lo}..{hi}")),
            },
            Domain::Enum(id) => {
                // Quint writes literals as variants with a tag.
                let literal = value.as_str().or_else(|| value.get("tag").and_then(Value::as_str));
                let literal = literal.ok_or_else(|| format!("must be a literal, not {value}"))?;
                let number = self.model.enums[id].literals.iter().position(|known| known == literal);
                let number = number.and_then(|number| Raw::try_from(number).ok());
                number.ok_or_else(|| format!("is `{literal}`, which is no literal of its enumeration"))
            }
            Domain::Bits(width) => {
                let digits = match (value.get("#bigint").and_then(Value::as_str), value.as_u64()) {
                    (Some(digits), _) => digits.to_owned(),
                    (None, Some(number)) => number.to_string(),
                    (None, None) => return Err(format!("must be a number from 0 on, not {value}")),
                };
                let values = self.model.exprs.values();
                // Longer texts have leading zeros, or do not fit.
                let words = words_of_decimal(&digits, width.div_ceil(64) as usize)
                    .filter(|_| digits.len() <= width as usize + 1);
                let words = words.filter(|words| values.words(width, values.bits(width, words)) == *words);
                let words = words.ok_or_else(|| format!("is {digits}, which is no number of {width} bits"))?;
                Ok(values.bits(width, &words))
            }
            Domain::Array(id) => self.array(id, value),
        }
    }

    fn array(&self, id: ArrayId, value: &Value) -> Result<Raw, String> {
        let ArrayType { index, element } = self.model.exprs.array_type(id);
        let parts = (value.get("#map").and_then(Value::as_array), value.get("default"));
        let (Some(entries), Some(default)) = parts else {
            return Err("must have a `#map` of its elements and a `default`".to_owned());
        };
        let default = self.value(element.domain(), default)?;
        let mut read = Vec::with_capacity(entries.len());
        for entry in entries {
            let Some([at, it]) = entry.as_array().map(Vec::as_slice) else {
                return Err(format!("must have pairs of an index and an element in its `#map`, not {entry}"));
            };
            read.push((self.value(index.domain(), at)?, self.value(element.domain(), it)?));
        }
        let values = self.model.exprs.values();
        let n_indexes = values.n_values(index, &|id| self.model.enums[id].literals.len());
        Ok(values.listed(n_indexes, default, read))
    }

    /// What a step may be, by the `action` and the `command` that its metadata tell.
    fn step(&self, meta: Option<&Value>, place: &str) -> Result<Said, String> {
        let field = |name| meta.and_then(|meta| meta.get(name)).filter(|value: &&Value| !value.is_null());
        let label = match field("action") {
            None => None,
            Some(label) => Some(label.as_str().ok_or_else(|| format!("{place}: the action is not a text"))?),
        };
        let (model, commands) = match &self.labels {
            Labels::Commands(model, commands) => (*model, commands),
            Labels::Events(tree, events) => {
                let Some(label) = label else { return Ok(Said::Nothing) };
                let flat = flat_event(tree, events, label);
                let flat = flat.ok_or_else(|| format!("{place}: the model has no event `{label}`"))?;
                return Ok(Said::OneOf(vec![Action::Vector(flat)]));
            }
        };
        let all = match (field("command"), label) {
            (Some(number), _) => vec![numbered(model, number, label, place)?],
            (None, Some(label)) => match commands.get(label) {
                Some(commands) => commands.clone(),
                None => return Err(format!("{place}: the model has no command `{label}`")),
            },
            (None, None) if model.commands.is_empty() => return Err(format!("{place}: the model has no commands")),
            (None, None) => model.commands.ids().collect(),
        };
        Ok(Said::OneOf(all.into_iter().map(|command| self.subject.action(command)).collect()))
    }
}

fn numbered(model: &Model, number: &Value, label: Option<&str>, place: &str) -> Result<CommandId, String> {
    let index = number.as_u64().and_then(|n| usize::try_from(n).ok()).filter(|&n| n < model.commands.len());
    let Some(command) = index.map(CommandId::new) else {
        return Err(format!("{place}: the model has no command number {number}"));
    };
    match (&model.commands[command].label, label) {
        (known, Some(label)) if known != label => {
            Err(format!("{place}: command number {number} is `{known}` in this model, not `{label}`"))
        }
        (_, Some(_) | None) => Ok(command),
    }
}

fn integer(value: &Value) -> Result<Raw, String> {
    let big = value.get("#bigint").and_then(Value::as_str);
    match (big.map(str::parse), value.as_i64()) {
        (Some(Ok(raw)), _) | (None, Some(raw)) => Ok(raw),
        (Some(Err(_)), _) => Err(format!("is {value}, not an integer of 64 bits")),
        (None, None) => Err(format!("must be an integer, not {value}")),
    }
}
