//! Hierarchies on decision diagrams and by explicit search, beside NuSMV where there is one.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::explicit::{Scratch, repeat};
use crate::hierarchies::{HIERARCHIES, Hierarchy};
use crate::nusmv::{self, NuSmvRun};
use crate::options::Options;
use crate::record::Best;
use crate::table::{megabytes, seconds};
use crate::{child, machine, ours};

/// The models; they do not belong to this repository.
const MODELS: &str = "../shared/corpus/altarica/mutex";

/// Explicit search is not waited for longer than this.
const EXPLICIT_LIMIT: &str = "60s";

/// What is promised: seconds and bytes for single models.
const PROMISES: [(&str, f64, u64); 2] = [("lift8", 5.0, 500_000_000), ("fast4", 20.0, 1_000_000_000)];

/// What one run of ours took and found.
#[derive(Debug, Clone, PartialEq)]
struct Decided {
    states: u64,
    nodes: Option<u64>,
    total_s: f64,
    search_s: f64,
    check_s: f64,
    peak_bytes: u64,
}

impl Best for Decided {
    fn best(self, other: Self) -> Self {
        Self {
            total_s: self.total_s.min(other.total_s),
            search_s: self.search_s.min(other.search_s),
            check_s: self.check_s.min(other.check_s),
            peak_bytes: self.peak_bytes.min(other.peak_bytes),
            ..self
        }
    }
}

struct Record {
    model: &'static str,
    bdd: Result<Decided, String>,
    explicit: Result<Decided, String>,
    nusmv: Option<Result<NuSmvRun, String>>,
}

pub fn run(options: &Options) -> Result<(), String> {
    if !Path::new(MODELS).is_dir() {
        println!("skipped: {MODELS} is absent, there is nothing to measure");
        return Ok(());
    }
    let binary = ours::binary()?;
    let selected: Vec<&Hierarchy> = HIERARCHIES.iter().filter(|row| options.selects(row.model)).collect();
    if selected.is_empty() {
        return Err("no model has such a name".to_owned());
    }
    let scratch = Scratch::new()?;
    let other = nusmv::binary();
    let place = machine::place(&binary);
    println!("{}  ", place.join("  \n"));
    match &other {
        Some(path) => println!("NuSMV: {}", path.display()),
        None => println!("NuSMV: not on the path, so its columns are empty"),
    }
    println!("\n{}", head());
    let mut records = Vec::new();
    for row in selected {
        let record = measure(row, &binary, other.as_deref(), &scratch.path);
        println!("{}", line(&record));
        records.push(record);
    }
    println!("\n{NOTES}\n\n{}", summary(&records));
    if let Some(path) = &options.json {
        let rows: Vec<Value> = records.iter().map(to_json).collect();
        let document = json!({ "benchmark": "altarica", "place": place, "rows": rows });
        let text = serde_json::to_string_pretty(&document).expect("plain values become JSON");
        std::fs::write(path, text + "\n").map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    }
    match records.iter().any(|record| record.bdd.is_err()) {
        true => Err("some rows could not be measured".to_owned()),
        false => Ok(()),
    }
}

const NOTES: &str = "\
Every time is the least of several runs and covers the whole process, from the file to the checked verdict; *search* is
the fixpoint alone, *check* the independent check of its certificate. Explicit search is given 60 seconds. NuSMV reads a
flat SMV text of the same model (translated beforehand), runs with `-dynamic -r` and decides the same invariant; it is given 120 seconds.";

fn measure(row: &Hierarchy, binary: &Path, other: Option<&Path>, scratch: &Path) -> Record {
    let model = format!("{MODELS}/{}.alt", row.model);
    let ours = |engine: &str| repeat(|| decide(row, &model, engine, binary, scratch));
    let theirs = |nusmv: &Path| {
        let smv = nusmv::translate(row, &model, scratch)?;
        repeat(|| nusmv::run(nusmv, &smv, scratch))
    };
    Record { model: row.model, bdd: ours("bdd"), explicit: ours("explicit"), nusmv: other.map(theirs) }
}

fn decide(row: &Hierarchy, model: &str, engine: &str, binary: &Path, scratch: &Path) -> Result<Decided, String> {
    let property = format!("~({})", row.bad());
    let limit: &[&str] = if engine == "explicit" { &["--timeout", EXPLICIT_LIMIT] } else { &[] };
    let arguments = ["check", model, "-p", &property, "--engine", engine, "--format", "json", "--progress", "none"];
    let run = child::run_well(Command::new(binary).args(arguments).args(limit), scratch)?;
    let result: Value = serde_json::from_str(&run.output).map_err(|error| format!("not a JSON result: {error}"))?;
    let property = &result["properties"][0];
    if property["verdict"].as_str() != Some("holds") {
        return Err(format!("the verdict is {}, where holds was expected", property["verdict"]));
    }
    let stats = &property["stats"];
    let time = |key: &str| stats[key].as_f64().ok_or_else(|| format!("the result has no stats.{key}"));
    Ok(Decided {
        states: stats["states"].as_u64().ok_or("the result has no stats.states")?,
        nodes: stats["bdd_nodes"].as_u64(),
        total_s: run.seconds,
        search_s: time("search_s")?,
        check_s: time("check_s")?,
        peak_bytes: property["mem_bytes"].as_u64().or(run.peak_bytes).ok_or("the result has no mem_bytes")?,
    })
}

const HEAD: [&str; 12] = [
    "model",
    "configurations",
    "bdd nodes",
    "bdd",
    "search",
    "check",
    "memory",
    "explicit",
    "memory",
    "NuSMV",
    "memory",
    "bdd / NuSMV",
];

fn head() -> String {
    format!("| {} |\n|{}|", HEAD.join(" | "), vec!["---"; HEAD.len()].join("|"))
}

fn line(record: &Record) -> String {
    let (bdd, explicit) = (record.bdd.as_ref().ok(), record.explicit.as_ref().ok());
    let nusmv = record.nusmv.as_ref().and_then(|run| run.as_ref().ok());
    let count = |count: Option<u64>| count.map_or("-".to_owned(), |count| count.to_string());
    let ratio = bdd.zip(nusmv).map_or("-".to_owned(), |(ours, theirs)| format!("{:.2}", ours.total_s / theirs.total_s));
    let cells = [
        record.model.to_owned(),
        count(bdd.map(|run| run.states)),
        count(bdd.and_then(|run| run.nodes)),
        seconds(bdd.map(|run| run.total_s)),
        seconds(bdd.map(|run| run.search_s)),
        seconds(bdd.map(|run| run.check_s)),
        megabytes(bdd.map(|run| run.peak_bytes)),
        seconds(explicit.map(|run| run.total_s)),
        megabytes(explicit.map(|run| run.peak_bytes)),
        match &record.nusmv {
            Some(Err(problem)) => problem.clone(),
            Some(Ok(_)) | None => seconds(nusmv.map(|run| run.total_s)),
        },
        megabytes(nusmv.and_then(|run| run.peak_bytes)),
        ratio,
    ];
    format!("| {} |", cells.join(" | "))
}

/// Each promise that is broken, in words.
fn broken(record: &Record) -> Vec<String> {
    let bdd = match &record.bdd {
        Ok(bdd) => bdd,
        Err(problem) => return vec![problem.clone()],
    };
    let mut broken = Vec::new();
    for (_, most_s, most_bytes) in PROMISES.iter().filter(|(model, ..)| *model == record.model) {
        if bdd.total_s > *most_s {
            broken.push(format!("slower than {most_s} s"));
        }
        if bdd.peak_bytes > *most_bytes {
            broken.push(format!("more than {}", megabytes(Some(*most_bytes))));
        }
    }
    if record.explicit.as_ref().is_ok_and(|explicit| explicit.states != bdd.states) {
        broken.push("explicit search counts other states".to_owned());
    }
    match &record.nusmv {
        // NuSMV prints six digits.
        Some(Ok(other)) if (other.states / bdd.states as f64 - 1.0).abs() > 1e-5 => {
            broken.push("NuSMV counts other states".to_owned());
        }
        Some(Ok(other)) if bdd.total_s > other.total_s => broken.push("slower than NuSMV".to_owned()),
        // A peer that gives up breaks no promise of ours.
        Some(Ok(_) | Err(_)) | None => {}
    }
    broken
}

fn summary(records: &[Record]) -> String {
    let told = records.iter().map(|record| (record.model, broken(record))).filter(|(_, broken)| !broken.is_empty());
    let missed: Vec<String> = told.map(|(model, broken)| format!("{model} ({})", broken.join(", "))).collect();
    match missed.is_empty() {
        true => format!("targets: met on all {} rows", records.len()),
        false => format!("targets: missed on {} of {} rows: {}", missed.len(), records.len(), missed.join("; ")),
    }
}

fn to_json(record: &Record) -> Value {
    let ours = |run: &Result<Decided, String>| match run {
        Ok(run) => json!({ "states": run.states, "bdd_nodes": run.nodes, "total_s": run.total_s,
            "search_s": run.search_s, "check_s": run.check_s, "peak_bytes": run.peak_bytes }),
        Err(problem) => json!({ "failed": problem }),
    };
    let nusmv = record.nusmv.as_ref().map(|run| match run {
        Ok(run) => json!({ "states": run.states, "total_s": run.total_s, "peak_bytes": run.peak_bytes }),
        Err(problem) => json!({ "failed": problem }),
    });
    json!({ "model": record.model, "bdd": ours(&record.bdd), "explicit": ours(&record.explicit), "nusmv": nusmv })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decided(total_s: f64, states: u64) -> Result<Decided, String> {
        Ok(Decided { states, nodes: None, total_s, search_s: 0.1, check_s: 0.1, peak_bytes: 1000 })
    }

    fn record(total_s: f64, nusmv: Option<(f64, f64)>) -> Record {
        let nusmv = nusmv.map(|(total_s, states)| Ok(NuSmvRun { states, total_s, peak_bytes: None }));
        Record { model: "lift8", bdd: decided(total_s, 917_504), explicit: decided(1.0, 917_504), nusmv }
    }

    #[test]
    fn promises_are_about_time_and_about_what_others_count() {
        assert!(broken(&record(4.0, Some((5.0, 917_504.0)))).is_empty());
        assert_eq!(broken(&record(6.0, None)), ["slower than 5 s"]);
        assert_eq!(broken(&record(4.0, Some((3.0, 917_504.0)))), ["slower than NuSMV"]);
        assert_eq!(broken(&record(4.0, Some((5.0, 917_000.0)))), ["NuSMV counts other states"]);
    }

    #[test]
    fn rows_without_a_figure_keep_their_width() {
        let empty = Record { model: "lift8", bdd: Err(String::new()), explicit: Err(String::new()), nusmv: None };
        assert_eq!(line(&empty).matches('|').count(), HEAD.len() + 1);
        assert_eq!(line(&record(1.0, None)).matches('|').count(), HEAD.len() + 1);
    }
}
