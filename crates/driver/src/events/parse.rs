//! Reads back, from a line of an event file, the events that plots are made of.

use lapidary_base::Event;
use lapidary_base::event::Iteration;
use serde_json::Value;

use super::{COUNTS, ITERATION, PROPERTY_START, VERSION};

/// Where in a line, and why, it is no event.
#[derive(Debug, PartialEq, Eq)]
pub struct Broken {
    /// Counted from 1; `None` where the whole line is meant.
    pub column: Option<usize>,
    pub why: String,
}

/// `None` for an event that no plot shows; a later version may well have others.
pub fn parse(line: &[u8]) -> Result<Option<Event>, Broken> {
    let value: Value = serde_json::from_slice(line).map_err(|error| not_json(&error))?;
    read(&value).map_err(|why| Broken { column: None, why })
}

fn not_json(error: &serde_json::Error) -> Broken {
    let text = error.to_string();
    // The line that the reader of JSON counts is always the first.
    let why = text.split(" at line ").next().unwrap_or_default();
    Broken { column: Some(error.column().max(1)), why: format!("this is not JSON: {why}") }
}

fn read(value: &Value) -> Result<Option<Event>, String> {
    let (Some(version), Some(event)) = (value["v"].as_u64(), value["event"].as_str()) else {
        return Err("this is not an event: it has no \"v\" and \"event\"".to_owned());
    };
    if version != VERSION {
        return Err(format!("this event is of version {version}; only version {VERSION} is understood"));
    }
    match event {
        PROPERTY_START => Ok(Some(Event::PropertyStart { name: text(value, "name")?, engine: text(value, "engine")? })),
        ITERATION => iteration(value).map(|iteration| Some(Event::Iteration(iteration))),
        _ => Ok(None),
    }
}

fn iteration(value: &Value) -> Result<Iteration, String> {
    let mut iteration = Iteration { refiner: text(value, "refiner")?, ..Iteration::default() };
    for (name, count) in COUNTS {
        let missing = || format!("the event has no count \"{name}\"");
        *count(&mut iteration) = value[name].as_u64().ok_or_else(missing)?;
    }
    Ok(iteration)
}

fn text(value: &Value, name: &str) -> Result<String, String> {
    value[name].as_str().map(str::to_owned).ok_or_else(|| format!("the event has no text \"{name}\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_with_a_line_is_told() {
        let cases = [
            ("", Some(1), "not JSON"),
            ("{\"v\":1,", Some(7), "not JSON"),
            ("{} {}", Some(4), "trailing characters"),
            ("[1]", None, "not an event"),
            ("{\"v\":1,\"event\":7}", None, "not an event"),
            ("{\"v\":2,\"event\":\"iteration\"}", None, "version 2"),
            ("{\"v\":1,\"event\":\"property_start\",\"name\":\"a\"}", None, "\"engine\""),
            ("{\"v\":1,\"event\":\"iteration\",\"refiner\":\"\",\"i\":-1}", None, "\"i\""),
            ("{\"v\":1,\"event\":\"iteration\",\"refiner\":\"\",\"i\":1}", None, "\"abs_states\""),
        ];
        for (line, column, why) in cases {
            let broken = parse(line.as_bytes()).expect_err(line);
            assert_eq!(broken.column, column, "{line}: {}", broken.why);
            assert!(broken.why.contains(why) && !broken.why.contains(" at line "), "{line}: {}", broken.why);
        }
        assert!(parse(b"\"\xff\"").is_err());
        assert!(parse("[".repeat(100_000).as_bytes()).is_err());
    }
}
