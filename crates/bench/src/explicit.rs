//! Exhaustive search side by side with Spin: the same systems, in the same run, on the same machine.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde_json::{Value, json};

use crate::options::Options;
use crate::record::{Best, Record};
use crate::rows::{ROWS, Row};
use crate::spin::{self, Reduction};
use crate::{machine, ours, table, targets};

/// The Promela files; they do not belong to this repository.
const PEERS: &str = "../shared/corpus/peers";

/// Short runs are repeated until this much time is spent on a tool and a row.
const REPEAT_FOR_S: f64 = 8.0;
const REPEAT_AT_MOST: usize = 7;
const REPEAT_AT_LEAST: usize = 2;

/// Measures the selected rows; each line is printed as soon as it is known.
pub fn run(options: &Options) -> Result<(), String> {
    if !Path::new(PEERS).is_dir() {
        println!("skipped: {PEERS} is absent, there is nothing to compare with");
        return Ok(());
    }
    let binary = ours::binary()?;
    let selected: Vec<&Row> = ROWS.iter().filter(|r| options.selects(r.model)).collect();
    if selected.is_empty() {
        return Err("no model has such a name".to_owned());
    }
    let scratch = Scratch::new()?;
    let place = machine::lines(&binary);
    println!("{}\n\n{}", place.join("  \n"), table::head());
    let mut records = Vec::new();
    for row in selected {
        let record = measure(row, &binary, &scratch.path);
        println!("{}", table::line(&record));
        records.push(record);
    }
    println!("\n{NOTES}\n\n{}", summary(&records));
    if let Some(path) = &options.json {
        write_json(path, &place, &records)?;
    }
    let unmeasured = |r: &Record| r.ours.is_err() || r.spin.is_err() || r.reduced.is_err();
    if records.iter().any(unmeasured) {
        return Err("some rows could not be measured".to_owned());
    }
    Ok(())
}

const NOTES: &str = "\
Every time is the least of several runs. Lapidary's file to verdict is its whole process: reading, searching, and
checking the stored states a second time (`check`). Spin's is `spin -a`, `gcc -O2 -DSAFETY -DNOREDUCE`
and `pan`; *reduced* is the same without `-DNOREDUCE`, so with partial-order reduction. `pan` runs with `-n`, with a
depth `-m` that suffices and a table size `-w` tuned for speed (from `-m20000 -w16` to `-m800000 -w24` for lift_8), and
with `-E` for the bakery, which has deadlocks by design. Its time is that of its process, its memory the resident
peak. Spin counts the initial state as a transition.";

fn measure(row: &Row, binary: &Path, scratch: &Path) -> Record {
    let promela = PathBuf::from(format!("{PEERS}/{}.pml", row.model));
    let spin = |reduction| repeat(|| spin::run(row, &promela, reduction, scratch));
    Record {
        model: row.model,
        ours: repeat(|| ours::run(row, binary, scratch)),
        spin: spin(Reduction::None),
        reduced: spin(Reduction::PartialOrder),
    }
}

/// The best of several runs: what disturbs a run only ever makes it slower.
pub fn repeat<T: Best>(run: impl Fn() -> Result<T, String>) -> Result<T, String> {
    let started = Instant::now();
    let mut best = run()?;
    for n_runs in 1..REPEAT_AT_MOST {
        if n_runs >= REPEAT_AT_LEAST && started.elapsed().as_secs_f64() > REPEAT_FOR_S {
            break;
        }
        best = best.best(run()?);
    }
    Ok(best)
}

fn summary(records: &[Record]) -> String {
    let missed: Vec<String> = records
        .iter()
        .map(|record| (record.model, targets::broken(record)))
        .filter(|(_, broken)| !broken.is_empty())
        .map(|(model, broken)| format!("{model} ({})", broken.join(", ")))
        .collect();
    if missed.is_empty() {
        format!("targets: met on all {} rows", records.len())
    } else {
        format!("targets: missed on {} of {} rows: {}", missed.len(), records.len(), missed.join("; "))
    }
}

fn write_json(path: &Path, place: &[String], records: &[Record]) -> Result<(), String> {
    let rows: Vec<Value> = records.iter().map(Record::to_json).collect();
    let document = json!({ "benchmark": "explicit", "place": place, "rows": rows });
    let text = serde_json::to_string_pretty(&document).expect("plain values become JSON");
    fs::write(path, text + "\n").map_err(|error| format!("cannot write {}: {error}", path.display()))
}

/// A folder of our own that goes away with us.
pub struct Scratch {
    pub path: PathBuf,
}

impl Scratch {
    pub fn new() -> Result<Scratch, String> {
        let path = std::env::temp_dir().join(format!("lapidary-bench-{}", std::process::id()));
        fs::create_dir_all(&path).map_err(|error| format!("cannot make a scratch folder: {error}"))?;
        Ok(Scratch { path })
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // A folder that cannot be removed is only litter: nothing to report.
        let _ = fs::remove_dir_all(&self.path);
    }
}
