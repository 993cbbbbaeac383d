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

/// What asks an engine for all of a row, added to a command that may call the program by way of another.
fn ask(command: &mut Command, row: &Row, engine: &str, jobs: usize, limit: f64) {
    command.arg("check").args(&row.arguments).args(["--engine", engine, "-j", &jobs.to_string()]);
    let limit = format!("{}ms", (limit * 1000.0).ceil());
    command.args(["--timeout", &limit, "--format", "json", "--progress", "none"]);
}

pub fn decide(binary: &Path, scratch: &Path, row: &Row, engine: &str, jobs: usize, limit: f64) -> Result<Cell, String> {
    let mut command = Command::new(binary);
    ask(&mut command, row, engine, jobs, limit);
    let run = child::run(&mut command, scratch).map_err(|error| format!("cannot run lapidary: {error}"))?;
    match run.status.code() {
        Some(0 | 10 | 30) => read(&run.output, run.seconds),
        Some(_) | None => {
            let first = run.errors.lines().next().unwrap_or("no output");
            Err(format!("{}: {engine} ended with {}: {first}", row.name, run.status))
        }
    }
}

/// How many instructions the process takes, which does not depend on what else the machine does; nothing where there is
/// no valgrind.
pub fn instructions(binary: &Path, scratch: &Path, row: &Row, engine: &str) -> Option<u64> {
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(binary);
    // The tool makes everything some fifty times slower.
    ask(&mut command, row, engine, 1, 900.0);
    let run = child::run(&mut command, scratch).ok()?;
    collected(&run.errors)
}

fn collected(errors: &str) -> Option<u64> {
    errors.lines().find_map(|line| line.split_once("Collected : ")?.1.trim().parse().ok())
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
    fn instructions_are_what_the_tool_collected() {
        assert_eq!(collected("==7== Events    : Ir\n==7== Collected : 4168923\n==7==\n"), Some(4_168_923));
        assert_eq!(collected("valgrind: cannot open it"), None);
    }

    #[test]
    fn opposite_verdicts_are_a_problem() {
        let holds = cell("holds");
        assert!(contradiction("a.gcl", ("auto", &holds), ("bdd", &cell("violated"))).is_some());
        assert!(contradiction("a.gcl", ("auto", &holds), ("bdd", &cell("unknown"))).is_none());
    }
}
