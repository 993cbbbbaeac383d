//! A run as the locations of a code flow: every step at the place of its command.

use std::io::{self, Write};

use lapidary_base::watched::{Kept, Watched};
use lapidary_base::{Control, Id, Stop};
use lapidary_ir::VarId;
use lapidary_verdict::Trace;
use serde_json::{Map, Value, json};

use super::message;
use super::places::Places;
use crate::load::Loaded;

/// A longer run loses its middle: services that show code flows take no more.
const MOST_STEPS: usize = 1000;

/// More changes than this are not in the words of a step; the values are all there.
const MOST_CHANGES: usize = 8;

/// The list of locations. What was found already has a little time past the limits.
pub fn text(loaded: &Loaded, trace: &Trace, places: &mut Places, control: &Control) -> Result<Vec<u8>, Stop> {
    let control = control.with_grace();
    let mut out = Watched::new(Vec::new(), Kept::InMemory, control.clone());
    let mut flow = Flow { loaded, trace, places };
    let written = flow.write(&control, &mut out)?;
    match out.into_parts() {
        (_, Some(stop)) => Err(stop),
        (text, None) => {
            written.expect("memory can be written");
            Ok(text)
        }
    }
}

struct Flow<'a> {
    loaded: &'a Loaded,
    trace: &'a Trace,
    places: &'a mut Places,
}

impl Flow<'_> {
    fn write(&mut self, control: &Control, out: &mut dyn Write) -> Result<io::Result<()>, Stop> {
        let mut before = b"[" as &[u8];
        for state in shown(self.trace.states.len()) {
            control.look()?;
            let location = self.location(state);
            if let Err(error) = out.write_all(before).and_then(|()| write!(out, "{location}")) {
                return Ok(Err(error));
            }
            before = b",";
        }
        if let Some(location) = self.closing() {
            return Ok(write!(out, ",{location}]"));
        }
        Ok(out.write_all(b"]"))
    }

    fn location(&mut self, state: usize) -> Value {
        let changed = self.changed(state);
        if state == 0 {
            let location = json!({"message": message("the initial state")});
            return json!({"executionOrder": 0, "location": location, "state": self.values(state, &changed)});
        }
        let label = self.loaded.subject.label(&self.trace.actions[state - 1]);
        let words = format!("{state}. {label}{}", self.words(state, &changed));
        json!({
            "executionOrder": state, "location": self.step(state - 1, &words), "state": self.values(state, &changed),
        })
    }

    /// The step that closes a loop.
    fn closing(&mut self) -> Option<Value> {
        let start = self.trace.loop_start?;
        let n_states = self.trace.states.len();
        let words = |label: &str| format!("{label}: back to the state after step {start}");
        let location = match self.trace.actions.get(n_states - 1) {
            Some(action) => self.step(n_states - 1, &words(&self.loaded.subject.label(action))),
            None => json!({"message": message(&words("the loop"))}),
        };
        Some(json!({"executionOrder": n_states, "location": location}))
    }

    fn step(&mut self, step: usize, words: &str) -> Value {
        let span = self.loaded.subject.place(&self.trace.actions[step]);
        let mut location = self.places.location(&self.loaded.sources, span);
        location["message"] = message(words);
        location
    }

    /// Everything is new in the initial state.
    fn changed(&self, state: usize) -> Vec<usize> {
        let states = &self.trace.states;
        let model = self.loaded.declared();
        let is_new = |&variable: &usize| state == 0 || states[state - 1][variable] != states[state][variable];
        let kept = (0..model.vars.len()).filter(|&variable| !model.is_local(VarId::new(variable)));
        kept.filter(is_new).collect()
    }

    /// `: flag[0] = true, P[0].pc = scan`
    fn words(&self, state: usize, changed: &[usize]) -> String {
        let change = |&variable: &usize| format!("{} = {}", self.variable(variable), self.value(state, variable));
        let more = (changed.len() > MOST_CHANGES).then(|| "...".to_owned());
        let changes: Vec<String> = changed.iter().take(MOST_CHANGES).map(change).chain(more).collect();
        if changes.is_empty() { String::new() } else { format!(": {}", changes.join(", ")) }
    }

    fn values(&self, state: usize, changed: &[usize]) -> Value {
        let value = |&variable: &usize| (self.variable(variable).to_owned(), message(&self.value(state, variable)));
        Value::Object(changed.iter().map(value).collect::<Map<_, _>>())
    }

    fn variable(&self, variable: usize) -> &str {
        &self.loaded.declared().vars[VarId::new(variable)].name
    }

    fn value(&self, state: usize, variable: usize) -> String {
        let domain = self.loaded.declared().vars[VarId::new(variable)].domain;
        self.loaded.declared().show(domain, self.trace.states[state][variable])
    }
}

/// All states, or the first and the last ones of a long run; their numbers show the gap.
fn shown(n_states: usize) -> Box<dyn Iterator<Item = usize>> {
    if n_states <= MOST_STEPS {
        return Box::new(0..n_states);
    }
    let half = MOST_STEPS / 2;
    Box::new((0..half).chain(n_states - half..n_states))
}
