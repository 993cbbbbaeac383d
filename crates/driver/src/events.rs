//! Events as lines of JSON, and the fan-out to several listeners. [`parse`] reads a line back; [`told`] is for people.

mod parse;
pub mod told;

use std::sync::Arc;
use std::time::Instant;

use lapidary_base::event::Iteration;
use lapidary_base::{Control, Event, Sink, memory};
use serde_json::{Map, Value, json};

use crate::load::Loaded;
pub use parse::{Broken, parse};

/// What writer and reader must agree on.
const VERSION: u64 = 1;
const PROPERTY_START: &str = "property_start";
const ITERATION: &str = "iteration";

type Count = (&'static str, fn(&mut Iteration) -> &mut u64);

/// The counts of an iteration under their frozen names.
const COUNTS: [Count; 8] = [
    ("i", |iteration| &mut iteration.i),
    ("abs_states", |iteration| &mut iteration.abs_states),
    ("abs_trans", |iteration| &mut iteration.abs_trans),
    ("certified_pos", |iteration| &mut iteration.certified_pos),
    ("certified_neg", |iteration| &mut iteration.certified_neg),
    ("pruned", |iteration| &mut iteration.pruned),
    ("cex_len", |iteration| &mut iteration.cex_len),
    ("predicates", |iteration| &mut iteration.predicates),
];

/// Whether an event tells how many commands a model has where nobody has asked for them yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Commands {
    /// Only where they are there.
    AsTheyAre,
    /// Also where somebody has to make them, as long as that costs little.
    Counted,
}

/// What there is to tell of a model that was loaded.
pub fn model_loaded(loaded: &Loaded, commands: Commands, control: &Control) -> Event {
    let model = match commands {
        Commands::Counted => loaded.subject.affordable_model(control).ok(),
        Commands::AsTheyAre => loaded.subject.made_model(),
    };
    Event::ModelLoaded {
        path: loaded.path.clone(),
        variables: loaded.n_variables(),
        commands: model.map(|model| model.commands.len()),
        properties: loaded.asked.len(),
    }
}

/// Passes every event to each of its listeners.
pub struct Fanout {
    pub sinks: Vec<Arc<dyn Sink>>,
}

impl Sink for Fanout {
    fn event(&self, event: &Event) {
        for sink in &self.sinks {
            sink.event(event);
        }
    }
}

/// Gives events their lines, one after the other: who writes them, and where to, is the listener's business.
pub struct Lines {
    start: Instant,
    /// Milliseconds and states of the last heartbeat: the rate is counted from there.
    last: (u64, u64),
}

impl Lines {
    /// Time is counted from now on.
    pub fn new() -> Self {
        Self { start: Instant::now(), last: (0, 0) }
    }

    /// The next event as a line, without its end.
    pub fn line(&mut self, event: &Event) -> String {
        let millis = u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX);
        to_json(event, millis, memory::resident().unwrap_or(0), &mut self.last).to_string()
    }
}

impl Default for Lines {
    fn default() -> Self {
        Self::new()
    }
}

/// `{"v":1,"event":NAME,"t_ms":..,"mem":..}` and the fields of the event.
fn to_json(event: &Event, millis: u64, memory: u64, last: &mut (u64, u64)) -> Value {
    let (name, fields) = match event {
        Event::ModelLoaded { path, variables, commands, properties } => {
            let mut fields = json!({"path": path, "variables": variables});
            if let Some(commands) = commands {
                fields["commands"] = json!(commands);
            }
            fields["properties"] = json!(properties);
            ("model_loaded", fields)
        }
        Event::PropertyStart { name, engine } => {
            *last = (millis, 0);
            (PROPERTY_START, json!({"name": name, "engine": engine}))
        }
        Event::Iteration(iteration) => (ITERATION, iteration_fields(iteration)),
        Event::Abstraction { i, dot } => ("abstraction", json!({"i": i, "dot": dot})),
        Event::Heartbeat { states, transitions, frontier, depth } => {
            let rate = rate(*last, (millis, *states));
            *last = (millis, *states);
            let fields = json!({
                "states": states, "rate": rate, "frontier": frontier, "transitions": transitions, "depth": depth,
            });
            ("heartbeat", fields)
        }
        Event::Verdict { name, verdict } => ("verdict", json!({"name": name, "verdict": verdict})),
        Event::Warning { message } => ("warning", json!({"message": message})),
    };
    let mut value = json!({"v": VERSION, "event": name, "t_ms": millis, "mem": memory});
    if let (Some(all), Value::Object(fields)) = (value.as_object_mut(), fields) {
        all.extend(fields);
    }
    value
}

fn iteration_fields(iteration: &Iteration) -> Value {
    let mut counts = iteration.clone();
    let mut fields: Map<String, Value> =
        COUNTS.iter().map(|(name, count)| ((*name).to_owned(), (*count(&mut counts)).into())).collect();
    fields.insert("refiner".to_owned(), json!(iteration.refiner));
    Value::Object(fields)
}

/// States a second between two moments.
fn rate(before: (u64, u64), now: (u64, u64)) -> u64 {
    let millis = now.0.saturating_sub(before.0).max(1);
    now.1.saturating_sub(before.1).saturating_mul(1000) / millis
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_has_a_version_a_name_a_time_and_a_size() {
        let mut last = (1000, 0);
        let heartbeat = Event::Heartbeat { states: 5000, transitions: 9000, frontier: 7, depth: 3 };
        let value = to_json(&heartbeat, 3000, 42, &mut last);
        let expected = r#"{"v":1,"event":"heartbeat","t_ms":3000,"mem":42,"states":5000,"rate":2500,"frontier":7,"transitions":9000,"depth":3}"#;
        assert_eq!(value.to_string(), expected);
        assert_eq!(last, (3000, 5000));
    }

    #[test]
    fn an_abstraction_is_one_line_with_its_graph() {
        let event = Event::Abstraction { i: 2, dot: "digraph a {\n}\n".to_owned() };
        let value = to_json(&event, 3, 42, &mut (0, 0));
        let expected = r#"{"v":1,"event":"abstraction","t_ms":3,"mem":42,"i":2,"dot":"digraph a {\n}\n"}"#;
        assert_eq!(value.to_string(), expected);
    }

    #[test]
    fn an_iteration_has_all_its_fields_and_is_read_back_as_it_was() {
        let refiner = "interpolant \"left\"".to_owned();
        let (certified_pos, certified_neg, pruned, predicates) = (4, 5, 6, 8);
        let (i, abs_states, abs_trans, cex_len) = (1, 2, u64::MAX, 7);
        let iteration =
            Iteration { i, abs_states, abs_trans, certified_pos, certified_neg, pruned, cex_len, predicates, refiner };
        let event = Event::Iteration(iteration);
        let line = to_json(&event, 3000, 42, &mut (0, 0)).to_string();
        let expected = concat!(
            r#"{"v":1,"event":"iteration","t_ms":3000,"mem":42,"i":1,"abs_states":2,"abs_trans":18446744073709551615,"#,
            r#""certified_pos":4,"certified_neg":5,"pruned":6,"cex_len":7,"predicates":8,"refiner":"interpolant \"left\""}"#
        );
        assert_eq!(line, expected);
        assert_eq!(parse(line.as_bytes()), Ok(Some(event)));
    }

    #[test]
    fn a_start_is_read_back_and_other_events_are_passed_over() {
        let start = Event::PropertyStart { name: "x < 3".to_owned(), engine: "pcegar".to_owned() };
        let line = to_json(&start, 0, 0, &mut (0, 0)).to_string();
        assert_eq!(parse(line.as_bytes()), Ok(Some(start)));
        let others = [
            Event::ModelLoaded { path: "m.gcl".to_owned(), variables: 1, commands: Some(2), properties: 3 },
            Event::Heartbeat { states: 1, transitions: 2, frontier: 3, depth: 4 },
            Event::Abstraction { i: 2, dot: "digraph a {\n}\n".to_owned() },
            Event::Verdict { name: "x < 3".to_owned(), verdict: "holds".to_owned() },
            Event::Warning { message: "never enabled".to_owned() },
        ];
        for event in others {
            let line = to_json(&event, 0, 0, &mut (0, 0)).to_string();
            assert_eq!(parse(line.as_bytes()), Ok(None), "{line}");
        }
    }

    #[test]
    fn a_rate_within_one_millisecond_divides_by_no_zero() {
        assert_eq!(rate((5, 10), (5, 20)), 10_000);
        assert_eq!(rate((9, 20), (5, 10)), 0);
    }
}
