//! Spin on one Promela file: generate the verifier, compile it, run it, read what it says.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::child;
use crate::rows::{EndStates, Row};

/// Whether the verifier may leave out interleavings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reduction {
    None,
    PartialOrder,
}

/// What one run of the whole chain took and found.
#[derive(Debug, Clone, PartialEq)]
pub struct SpinRun {
    pub states: u64,
    /// As Spin prints them: stored plus matched, so the initial state counts as one.
    pub transitions: u64,
    /// `spin -a`, the C compiler and the verifier together.
    pub total_s: f64,
    /// The verifier's process alone.
    pub search_s: f64,
    pub peak_bytes: u64,
}

/// Runs the chain in `scratch`, which must be empty of other verifiers.
pub fn run(row: &Row, promela: &Path, reduction: Reduction, scratch: &Path) -> Result<SpinRun, String> {
    let source = scratch.join("model.pml");
    fs::copy(promela, &source).map_err(|error| format!("cannot copy {}: {error}", promela.display()))?;
    let generate = child::run_well(Command::new("spin").args(["-a", "model.pml"]).current_dir(scratch), scratch)?;
    let mut compiler = Command::new("gcc");
    compiler.args(["-O2", "-DSAFETY"]).current_dir(scratch);
    match reduction {
        Reduction::None => compiler.arg("-DNOREDUCE"),
        Reduction::PartialOrder => &mut compiler,
    };
    let compile = child::run_well(compiler.args(["-o", "pan", "pan.c"]), scratch)?;
    let mut verifier = Command::new(scratch.join("pan"));
    verifier.arg("-n").args(row.room.pan_options());
    match row.end_states {
        EndStates::Checked => &mut verifier,
        EndStates::Ignored => verifier.arg("-E"),
    };
    let search = child::run_well(verifier.current_dir(scratch), scratch)?;
    let found = read(&(search.errors + &search.output))?;
    Ok(SpinRun {
        states: found.states,
        transitions: found.transitions,
        total_s: generate.seconds + compile.seconds + search.seconds,
        search_s: search.seconds,
        // Its own figure leaves out the program text and the C library, the kernel's may come too
        // early: the larger is nearer to the truth.
        peak_bytes: found.memory_bytes.max(search.peak_bytes.unwrap_or(0)),
    })
}

#[derive(Debug, PartialEq, Eq)]
struct Found {
    states: u64,
    transitions: u64,
    memory_bytes: u64,
}

/// Reads the verifier's report; an error or an incomplete search is not a measurement.
fn read(output: &str) -> Result<Found, String> {
    if output.contains("max search depth too small") {
        return Err("Spin's search was cut off: the depth is too small".to_owned());
    }
    if !output.contains("errors: 0") {
        return Err("Spin reports an error where the property holds".to_owned());
    }
    let before = |words: &str| -> Result<&str, String> {
        output
            .lines()
            .find(|line| line.contains(words))
            .and_then(|line| line.split_whitespace().next())
            .ok_or_else(|| format!("Spin's report has no line `{words}`"))
    };
    let count = |words: &str| -> Result<u64, String> {
        // Large counts are printed as 6.0e+06 by some versions.
        let word = before(words)?;
        let exact = word.parse::<u64>().ok();
        let rounded = || word.parse::<f64>().ok().map(|value| value as u64);
        exact.or_else(rounded).ok_or_else(|| format!("`{word}` is not a count"))
    };
    let megabytes: f64 =
        before("total actual memory usage")?.parse().map_err(|_| "Spin's memory is not a number".to_owned())?;
    Ok(Found {
        states: count("states, stored")?,
        transitions: count("transitions (= ")?,
        memory_bytes: (megabytes * 1024.0 * 1024.0) as u64,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT: &str = "\
State-vector 20 byte, depth reached 24, errors: 0
       34 states, stored
       32 states, matched
       66 transitions (= stored+matched)
        0 atomic steps
    0.284	actual memory usage for states
   77.500	total actual memory usage
pan: elapsed time 0 seconds
";

    #[test]
    fn a_report_is_read() {
        let expected = Found { states: 34, transitions: 66, memory_bytes: 81_264_640 };
        assert_eq!(read(REPORT), Ok(expected));
    }

    #[test]
    fn an_incomplete_or_failed_search_is_no_measurement() {
        assert!(read(&format!("error: max search depth too small\n{REPORT}")).is_err());
        assert!(read(&REPORT.replace("errors: 0", "errors: 1")).is_err());
    }
}
