//! NuSMV on the same system, where there is one: the flat SMV text comes from the reference translator beside the corpus.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::child;
use crate::hierarchies::Hierarchy;
use crate::record::Best;

/// Writes an AltaRica model as flat SMV; it does not belong to this repository.
const TRANSLATOR: &str = "../shared/oracles/altarica_to_smv.py";

/// It may compute for so many seconds.
const LIMIT_S: &str = "120";

#[derive(Debug, Clone, PartialEq)]
pub struct NuSmvRun {
    pub states: f64,
    pub total_s: f64,
    pub peak_bytes: Option<u64>,
}

impl Best for NuSmvRun {
    fn best(self, other: Self) -> Self {
        Self { total_s: self.total_s.min(other.total_s), peak_bytes: self.peak_bytes.max(other.peak_bytes), ..self }
    }
}

/// The program, if it is on the path.
pub fn binary() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let found = std::env::split_paths(&path).map(|folder| folder.join("NuSMV"));
    found.into_iter().find(|file| file.is_file())
}

/// The model as SMV, in a file of the scratch folder; translating is not part of what is measured.
pub fn translate(row: &Hierarchy, model: &str, scratch: &Path) -> Result<PathBuf, String> {
    let run = child::run_well(Command::new("python3").args([TRANSLATOR, model, row.node, &row.bad()]), scratch)?;
    let file = scratch.join(format!("{}.smv", row.model));
    std::fs::write(&file, run.output).map_err(|error| format!("cannot write {}: {error}", file.display()))?;
    Ok(file)
}

/// Checks the invariant and counts the reachable states, with dynamic reordering as its users do.
pub fn run(nusmv: &Path, smv: &Path, scratch: &Path) -> Result<NuSmvRun, String> {
    // The shell becomes NuSMV, so that what is measured is its own process.
    let limited = format!("ulimit -t {LIMIT_S} && exec \"$0\" -dynamic -r \"$1\"");
    let run = child::run(Command::new("sh").args(["-c", &limited]).arg(nusmv).arg(smv), scratch);
    let run = run.map_err(|error| format!("cannot run NuSMV: {error}"))?;
    if run.status.code().is_none() {
        return Err(format!("more than {LIMIT_S} s"));
    }
    if !run.output.contains("is true") {
        return Err("NuSMV does not say that the invariant is true".to_owned());
    }
    Ok(NuSmvRun { states: states(&run.output)?, total_s: run.seconds, peak_bytes: run.peak_bytes })
}

/// `reachable states: 8960 (2^13.1293) out of 1.67772e+07 (2^24)`
fn states(output: &str) -> Result<f64, String> {
    let line = output.lines().find_map(|line| line.trim().strip_prefix("reachable states:"));
    let number = line.and_then(|line| line.split_whitespace().next());
    number
        .and_then(|number| number.parse().ok())
        .ok_or_else(|| "NuSMV does not say how many states there are".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_states_is_read_in_both_forms() {
        let said =
            |number: &str| format!("######\nsystem diameter: 16\nreachable states: {number} (2^1) out of 9 (2^24)\n");
        assert_eq!(states(&said("8960")), Ok(8960.0));
        assert_eq!(states(&said("9.17504e+05")), Ok(917_504.0));
        assert!(states("nothing").is_err());
    }
}
