//! One run of `lapidary check` with an engine: what it answers, and how long the whole process takes.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::auto::rows::Row;
use crate::child;

/// One run of an engine on all that a row asks.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// Name and verdict of each property.
    pub verdicts: Vec<(String, String)>,
    /// Who answered.
    pub engines: Vec<String>,
    pub total_s: f64,
}

impl Cell {
    pub fn is_decided(&self) -> bool {
        self.verdicts.iter().all(|(_, verdict)| verdict != "unknown")
    }
}

pub fn decide(binary: &Path, scratch: &Path, row: &Row, engine: &str, jobs: usize, limit: f64) -> Result<Cell, String> {
    let mut command = Command::new(binary);
    command.arg("check").args(&row.arguments).args(["--engine", engine, "-j", &jobs.to_string()]);
    let limit = format!("{}ms", (limit * 1000.0).ceil());
    command.args(["--timeout", &limit, "--format", "json", "--progress", "none"]);
    let run = child::run(&mut command, scratch).map_err(|error| format!("cannot run lapidary: {error}"))?;
    match run.status.code() {
        Some(0 | 10 | 30) => read(&run.output, run.seconds),
        Some(_) | None => {
            let first = run.errors.lines().next().unwrap_or("no output");
            Err(format!("{}: {engine} ended with {}: {first}", row.name, run.status))
        }
    }
}

/// `total_s` was measured from outside.
pub fn read(output: &str, total_s: f64) -> Result<Cell, String> {
    let result: Value = serde_json::from_str(output).map_err(|error| format!("not a JSON result: {error}"))?;
    let properties = result["properties"].as_array().ok_or("the result has no properties")?;
    let text = |property: &Value, key: &str| property[key].as_str().unwrap_or("unknown").to_owned();
    let verdicts = properties.iter().map(|property| (text(property, "name"), text(property, "verdict"))).collect();
    let mut engines: Vec<String> = properties.iter().map(|property| text(property, "engine")).collect();
    engines.sort();
    engines.dedup();
    Ok(Cell { verdicts, engines, total_s })
}

/// Two answers to one question that cannot both be right.
pub fn contradiction(row: &str, (who, one): (&str, &Cell), (whom, other): (&str, &Cell)) -> Option<String> {
    let is_opposite = |((_, one), (_, other)): (&(String, String), &(String, String))| {
        one != other && one != "unknown" && other != "unknown"
    };
    let found = one.verdicts.iter().zip(&other.verdicts).any(is_opposite);
    found.then(|| format!("{row}: {who} and {whom} contradict each other"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(verdict: &str) -> Cell {
        read(&format!(r#"{{"properties":[{{"name":"p","verdict":"{verdict}","engine":"bdd"}}]}}"#), 1.0)
            .expect("a result")
    }

    #[test]
    fn opposite_verdicts_are_a_problem() {
        let holds = cell("holds");
        assert!(contradiction("a.gcl", ("auto", &holds), ("bdd", &cell("violated"))).is_some());
        assert!(contradiction("a.gcl", ("auto", &holds), ("bdd", &cell("unknown"))).is_none());
    }
}
