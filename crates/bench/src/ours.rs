//! `lapidary check` on one example, read through its JSON result.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::child;
use crate::rows::Row;

/// What one run took and found.
#[derive(Debug, Clone, PartialEq)]
pub struct OurRun {
    pub states: u64,
    pub transitions: u64,
    /// The whole process, seen from outside.
    pub total_s: f64,
    /// The search alone, as the engine reports it.
    pub search_s: f64,
    /// The independent check of the stored states.
    pub check_s: Option<f64>,
    /// The peak of the whole process, check included.
    pub peak_bytes: u64,
    /// The peak when the search had ended.
    pub search_bytes: Option<u64>,
}

/// The binary that `LAPIDARY_BIN` names, or else the one that was built together with this one.
pub fn binary() -> Result<PathBuf, String> {
    if let Some(path) = std::env::var_os("LAPIDARY_BIN").map(PathBuf::from) {
        let missing = || format!("there is no {}, which LAPIDARY_BIN names", path.display());
        return if path.is_file() { Ok(path) } else { Err(missing()) };
    }
    let own = std::env::current_exe().map_err(|error| format!("where am I? {error}"))?;
    let path = own.with_file_name("lapidary");
    if path.is_file() { Ok(path) } else { Err("no lapidary beside this program: start it with `./x bench`".to_owned()) }
}

/// The arguments, also shown in the notes under the table.
pub fn arguments(row: &Row) -> Vec<String> {
    let mut arguments = vec!["check".to_owned(), format!("examples/{}.gcl", row.family)];
    for constant in row.constants {
        arguments.extend(["-D".to_owned(), (*constant).to_owned()]);
    }
    let rest = ["-p", row.property, "--engine", "explicit", "--format", "json", "--progress", "none"];
    arguments.extend(rest.map(str::to_owned));
    arguments
}

pub fn run(row: &Row, binary: &Path, scratch: &Path) -> Result<OurRun, String> {
    let run = child::run_well(Command::new(binary).args(arguments(row)), scratch)?;
    read(&run.output, run.seconds, run.peak_bytes)
}

/// Reads the first property of the result. `seconds` and `peak` were measured from outside.
fn read(output: &str, seconds: f64, peak: Option<u64>) -> Result<OurRun, String> {
    let result: Value = serde_json::from_str(output).map_err(|error| format!("not a JSON result: {error}"))?;
    let property = &result["properties"][0];
    match property["verdict"].as_str() {
        Some("holds") => {}
        Some(other) => return Err(format!("the verdict is {other}, where holds was expected")),
        None => return Err("the result has no verdict".to_owned()),
    }
    let stats = &property["stats"];
    let count = |key: &str| stats[key].as_u64().ok_or_else(|| format!("the result has no stats.{key}"));
    Ok(OurRun {
        states: count("states")?,
        transitions: count("transitions")?,
        total_s: seconds,
        search_s: stats["search_s"].as_f64().ok_or("the result has no stats.search_s")?,
        check_s: stats["check_s"].as_f64(),
        peak_bytes: property["mem_bytes"].as_u64().or(peak).ok_or("the result has no mem_bytes")?,
        search_bytes: stats["search_mem_bytes"].as_u64(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const RESULT: &str = r#"{"schema":"lapidary.result/1","properties":[{"name":"mutex","verdict":"holds",
        "mem_bytes":4096,"stats":{"states":34,"transitions":65,"search_s":0.25,"check_s":0.5,"search_mem_bytes":2048}}]}"#;

    #[test]
    fn a_result_is_read() {
        let run = read(RESULT, 1.0, None).unwrap();
        assert_eq!((run.states, run.transitions), (34, 65));
        assert_eq!((run.search_s, run.check_s), (0.25, Some(0.5)));
        assert_eq!((run.peak_bytes, run.search_bytes), (4096, Some(2048)));
    }

    #[test]
    fn another_verdict_is_no_measurement() {
        let unknown = RESULT.replace("holds", "unknown");
        let problem = read(&unknown, 1.0, None).unwrap_err();
        assert_eq!(problem, "the verdict is unknown, where holds was expected");
    }
}
