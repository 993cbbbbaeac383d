//! What every engine says of the gallery and of the corpora, counters and runs included, as it was recorded.
//!
//! A row of `tests/recorded.tsv` is a model, an engine, one more option with its value or nothing, and what came out: the exit
//! code, then for every property its verdict, its counters, and a hash of all that `--format json` tells of it but times and
//! memory. A change that is meant to change an engine's numbers shows which ones it changes:
//! `LAPIDARY_RECORD=overwrite` writes what comes out now into the table, and `git diff` shows the rest. Rows that end by a limit are not in it.

use std::fmt::Write;
use std::fs;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use lapidary_reference::seeds;
use serde_json::Value;

use crate::support::{root, run_in};

lapidary_reference::with_corpus!(the_corpora_come_out_as_recorded,);

/// By default this part of the rows is run always, and another one that moves from commit to commit.
const PART: u64 = 24;

struct Row {
    number: usize,
    file: String,
    engine: String,
    option: String,
    result: String,
}

impl Row {
    fn read(number: usize, line: &str) -> Self {
        let cells: Vec<&str> = line.split('\t').collect();
        let [file, engine, option, result] = cells[..] else { panic!("row {number} has not four cells: {line}") };
        let [file, engine, option, result] = [file, engine, option, result].map(str::to_owned);
        Self { number, file, engine, option, result }
    }

    fn line(&self) -> String {
        [&self.file[..], &self.engine, &self.option, &self.result].join("\t")
    }

    fn is_of_gallery(&self) -> bool {
        self.file.starts_with("examples/")
    }

    /// What comes out now.
    fn run(&self) -> String {
        let mut args = vec!["check", &self.file, "--engine", &self.engine, "--format", "json", "--timeout", "240s"];
        if let Some((option, value)) = self.option.split_once(' ') {
            args.extend([option, value]);
        }
        let found = run_in(&root(), &args);
        let mut result = format!("exit {}", found.code.map_or("none".to_owned(), |code| code.to_string()));
        let Ok(report) = serde_json::from_str::<Value>(&found.stdout) else { return result };
        for property in report["properties"].as_array().into_iter().flatten() {
            // Where a limit ends a search depends on the machine.
            if ["timeout", "memory", "interrupted"].iter().any(|limit| property["reason"]["code"] == *limit) {
                return "a limit".to_owned();
            }
            write!(result, "; {}", summary(property)).expect("strings can be written to");
        }
        result
    }
}

/// The verdict, the counters, and a hash over all that is not measured.
fn summary(property: &Value) -> String {
    let plain = without_measurements(property);
    let counters = plain["stats"].as_object().into_iter().flatten().map(|(key, value)| match value {
        Value::Array(rounds) => format!("{key}={} of them", rounds.len()),
        other => format!("{key}={other}"),
    });
    let counters: Vec<String> = counters.collect();
    let text = plain.to_string();
    format!("{} {} {} #{:016x}", property["name"], property["verdict"], counters.join(" "), hash(text.as_bytes()))
}

/// Times and memory are called so in every part of the document; how many nodes of diagrams are in use depends on when their
/// garbage was last collected.
fn without_measurements(value: &Value) -> Value {
    match value {
        Value::Object(parts) => {
            let ends = ["_s", "_ms", "_bytes", "bdd_nodes"];
            let is_measured = |key: &str| ends.iter().any(|end| key.ends_with(end));
            let kept = parts.iter().filter(|(key, _)| !is_measured(key));
            Value::Object(kept.map(|(key, part)| (key.clone(), without_measurements(part))).collect())
        }
        Value::Array(parts) => parts.iter().map(without_measurements).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

/// FNV-1a: the same on every machine and with every compiler.
fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

fn table() -> PathBuf {
    root().join("crates/lapidary/tests/recorded.tsv")
}

fn rows() -> Vec<Row> {
    let text = fs::read_to_string(table()).expect("the table of what was recorded");
    text.lines().enumerate().map(|(number, line)| Row::read(number, line)).collect()
}

/// Runs rows, two at a time, and tells those that came out otherwise.
fn otherwise(rows: Vec<Row>) -> Vec<Row> {
    let (next, found) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(row) = rows.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let result = row.run();
                    if result != row.result {
                        let row = Row { result, ..Row::read(row.number, &row.line()) };
                        found.lock().expect("nobody panics with it").push(row);
                    }
                }
            });
        }
    });
    let mut found = found.into_inner().expect("nobody panics with it");
    found.sort_by_key(|row| row.number);
    found
}

fn come_out_as_recorded(wanted: impl Fn(&Row) -> bool) {
    let wanted: Vec<Row> = rows().into_iter().filter(wanted).collect();
    assert!(!wanted.is_empty(), "there are no such rows");
    let changed = otherwise(wanted);
    if std::env::var_os("LAPIDARY_RECORD").is_some_and(|word| word == "overwrite") {
        let mut all = rows();
        changed.into_iter().for_each(|row| {
            let number = row.number;
            all[number] = row;
        });
        let lines: String = all.iter().map(|row| row.line() + "\n").collect();
        fs::write(table(), lines).expect("the table can be written");
        return;
    }
    let before = rows();
    assert!(before.iter().all(|row| row.result != "a limit"), "rows that end by a limit are not recorded");
    let told = changed.iter().map(|row| format!("was {}\nnow {}\n", before[row.number].line(), row.line()));
    let told: Vec<String> = told.collect();
    assert!(told.is_empty(), "{} rows came out otherwise:\n{}", told.len(), told.join("\n"));
}

/// A part of the rows by default, all with all seeds.
fn is_wanted(row: &Row) -> bool {
    let Some(window) = seeds::window() else { return true };
    let part = row.number as u64 % PART;
    part == 0 || part == 1 + window % (PART - 1)
}

#[test]
fn the_gallery_comes_out_as_recorded() {
    come_out_as_recorded(|row| row.is_of_gallery() && is_wanted(row));
}

fn the_corpora_come_out_as_recorded() {
    come_out_as_recorded(|row| !row.is_of_gallery() && is_wanted(row));
}
