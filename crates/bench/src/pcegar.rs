//! Cegar and PCegar on the columns of the thesis' Table 4.1 (Chucri 2012), and PCegar as it is used by default.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::explicit::Scratch;
use crate::hierarchies::{HIERARCHIES, Hierarchy};
use crate::options::Options;
use crate::table::{megabytes, seconds};
use crate::{child, machine, ours, page};

const MODELS: &str = "../shared/corpus/altarica/mutex";

/// The rows, as far as the corpus goes: the thesis has its own texts of these protocols.
const ROWS: [&str; 11] =
    ["burns2", "burns3", "peterson2", "peterson3", "fast2", "fast3", "bakery2", "lift5", "lift6", "lift7", "lift8"];

/// A cell is not waited for longer than this.
const LIMIT: &str = "60s";

/// What is promised of the better column with default options: seconds, and bytes.
const MOST_SECONDS: f64 = 5.0;
const MOST_SECONDS_FAST3: f64 = 30.0;
const MOST_BYTES: u64 = 500_000_000;

/// What one run counted.
#[derive(Clone, Debug, PartialEq)]
struct Cell {
    total_s: f64,
    peak_bytes: u64,
    loops: u64,
    length: f64,
    analyses: u64,
    blocks: f64,
    tests: u64,
}

struct Record {
    model: &'static str,
    heuristic: &'static str,
    cegar: Result<Cell, String>,
    factor: Result<Cell, String>,
    usual: Result<Cell, String>,
}

pub fn run(options: &Options) -> Result<(), String> {
    if !Path::new(MODELS).is_dir() {
        println!("skipped: {MODELS} is absent, there is nothing to measure");
        return Ok(());
    }
    let binary = ours::binary()?;
    let scratch = Scratch::new()?;
    let place = machine::place(&binary);
    let listed: Vec<String> = place.iter().map(|line| format!("* {line}")).collect();
    let mut text = format!("{}\n\n{}\n", listed.join("\n"), head());
    println!("{text}");
    let mut records = Vec::new();
    for model in ROWS.iter().filter(|model| options.selects(model)) {
        let row = HIERARCHIES.iter().find(|row| row.model == *model).ok_or("a row without a model")?;
        for (heuristic, analysis) in [("Post", "forward"), ("Pre", "backward")] {
            let decide = |words: &[&str]| decide(row, analysis, words, &binary, &scratch.path);
            let record = Record {
                model: row.model,
                heuristic,
                cegar: decide(&["--engine", "cegar"]),
                factor: decide(&["--engine", "pcegar", "--pick", "factor"]),
                usual: decide(&["--engine", "pcegar"]),
            };
            let line = line(&record);
            println!("{line}");
            text.push_str(&line);
            text.push('\n');
            records.push(record);
        }
    }
    let rest = format!("\n{NOTES}\n\n{}\n\n{}\n", reasons(&records), summary(&records));
    println!("{rest}");
    text.push_str(&rest);
    if let Some(path) = &options.json {
        let rows: Vec<Value> = records.iter().map(to_json).collect();
        let document = json!({ "benchmark": "pcegar", "place": place, "rows": rows });
        let text = serde_json::to_string_pretty(&document).expect("plain values become JSON");
        std::fs::write(path, text + "\n").map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    }
    match options.only.is_empty() {
        true => page::write("pcegar", &text),
        false => Ok(()),
    }
}

fn decide(row: &Hierarchy, analysis: &str, words: &[&str], binary: &Path, scratch: &Path) -> Result<Cell, String> {
    let model = format!("{MODELS}/{}.alt", row.model);
    let property = format!("~({})", row.bad());
    let arguments =
        ["check", &model, "-p", &property, "--cegar-ce-analysis", analysis, "--timeout", LIMIT, "--format", "json"];
    let mut command = Command::new(binary);
    command.args(arguments).args(["--progress", "none"]).args(words);
    let run = child::run_well(&mut command, scratch)?;
    let result: Value = serde_json::from_str(&run.output).map_err(|error| format!("not a JSON result: {error}"))?;
    let property = &result["properties"][0];
    if property["verdict"].as_str() != Some("holds") {
        return Err(format!("the verdict is {}", property["verdict"].as_str().unwrap_or("missing")));
    }
    let stats = &property["stats"];
    let count = |key: &str| stats[key].as_u64().ok_or_else(|| format!("the result has no stats.{key}"));
    let average = |key: &str| stats[key]["average"].as_f64().ok_or_else(|| format!("the result has no stats.{key}"));
    Ok(Cell {
        total_s: run.seconds,
        peak_bytes: property["mem_bytes"].as_u64().or(run.peak_bytes).ok_or("the result has no mem_bytes")?,
        loops: count("iterations")?,
        length: average("cex_length")?,
        analyses: count("cex_analysis")?,
        blocks: average("abstract_states")?,
        tests: count("transition_analysis")?,
    })
}

const NOTES: &str = "\
C is `cegar`, PC is `pcegar --pick factor`, which takes a factor of the counterexample that `cegar` would take, as the thesis did for its
Table 4.1; the unpruned graph that this needs beside is in its time and memory, not in its other columns. *Default* is `pcegar` as it comes: a shortest kernel path. *Post* analyses counterexamples
forwards, *Pre* backwards. *CE analysis* counts images computed along counterexamples, *transitions* pairs of blocks that were tested for a
transition after a split. Every cell is one run of the whole process, from the file to the checked verdict; `x` is no answer after 60 s. All answers
are *holds*, each with a certificate that the checker accepted.";

fn head() -> String {
    let columns = ["time", "memory", "loops", "length", "CE analysis", "blocks", "transitions"];
    let pairs = columns.iter().flat_map(|name| [format!("{name} C"), "PC".to_owned()]);
    let names: Vec<String> = ["model".to_owned(), "heuristic".to_owned()]
        .into_iter()
        .chain(pairs)
        .chain(["default time".to_owned(), "memory".to_owned(), "loops".to_owned()])
        .collect();
    format!("| {} |\n|{}|", names.join(" | "), vec!["---"; names.len()].join("|"))
}

fn line(record: &Record) -> String {
    let (c, pc, usual) = (record.cegar.as_ref().ok(), record.factor.as_ref().ok(), record.usual.as_ref().ok());
    let time = |cell: Option<&Cell>| cell.map_or("x".to_owned(), |cell| seconds(Some(cell.total_s)));
    let memory = |cell: Option<&Cell>| cell.map_or("x".to_owned(), |cell| megabytes(Some(cell.peak_bytes)));
    let count = |cell: Option<&Cell>, of: fn(&Cell) -> u64| cell.map_or("x".to_owned(), |cell| of(cell).to_string());
    let mean =
        |cell: Option<&Cell>, of: fn(&Cell) -> f64| cell.map_or("x".to_owned(), |cell| format!("{:.1}", of(cell)));
    let mut cells = vec![record.model.to_owned(), record.heuristic.to_owned()];
    for cell in [c, pc] {
        cells.push(time(cell));
    }
    for cell in [c, pc] {
        cells.push(memory(cell));
    }
    for cell in [c, pc] {
        cells.push(count(cell, |cell| cell.loops));
    }
    for cell in [c, pc] {
        cells.push(mean(cell, |cell| cell.length));
    }
    for cell in [c, pc] {
        cells.push(count(cell, |cell| cell.analyses));
    }
    for cell in [c, pc] {
        cells.push(mean(cell, |cell| cell.blocks));
    }
    for cell in [c, pc] {
        cells.push(count(cell, |cell| cell.tests));
    }
    cells.extend([time(usual), memory(usual), count(usual, |cell| cell.loops)]);
    format!("| {} |", cells.join(" | "))
}

/// Where pruning did not pay in some column, and why.
fn reasons(records: &[Record]) -> String {
    let mut told = Vec::new();
    for record in records {
        let (Ok(c), Ok(pc)) = (&record.cegar, &record.factor) else { continue };
        let mut more = Vec::new();
        if pc.loops > c.loops {
            more.push(format!(
                "{} loops instead of {}: an analysis that begins at a certified block, or ends at one, comes to \
                 another set there than one along the whole counterexample, so the splits differ",
                pc.loops, c.loops
            ));
        }
        if pc.analyses > c.analyses {
            more.push(format!("{} analyses instead of {}, because of the loops", pc.analyses, c.analyses));
        }
        if pc.blocks > c.blocks {
            more.push(format!(
                "{:.1} blocks instead of {:.1} on the average: `cegar` ends earlier, before its graph has grown",
                pc.blocks, c.blocks
            ));
        }
        if !more.is_empty() {
            told.push(format!("* {} {}: {}", record.model, record.heuristic, more.join("; ")));
        }
    }
    let pruned = match told.is_empty() {
        true => "PC needs no more loops, analyses or blocks than C in any row.".to_owned(),
        false => format!("Where PC needs more than C:\n{}", told.join("\n")),
    };
    let mut longer = Vec::new();
    for record in records {
        if let (Ok(c), Ok(usual)) = (&record.cegar, &record.usual)
            && usual.loops > c.loops
        {
            longer.push(format!("{} {} ({} instead of {})", record.model, record.heuristic, usual.loops, c.loops));
        }
    }
    match longer.is_empty() {
        true => pruned,
        false => format!(
            "{pruned}\nBy default `pcegar` takes more loops than C on {}: a shortest kernel path need not be part of the \
             counterexample that C takes, so other blocks are split; each loop costs less.",
            longer.join(", ")
        ),
    }
}

/// What is promised is about the better of the two default runs of a model.
fn summary(records: &[Record]) -> String {
    let mut missed = Vec::new();
    for model in ROWS.iter().filter(|model| records.iter().any(|record| record.model == **model)) {
        let runs =
            records.iter().filter(|record| record.model == *model).filter_map(|record| record.usual.as_ref().ok());
        let best = runs.min_by(|a, b| a.total_s.total_cmp(&b.total_s));
        let most = if *model == "fast3" { MOST_SECONDS_FAST3 } else { MOST_SECONDS };
        match best {
            Some(best) if best.total_s <= most && best.peak_bytes <= MOST_BYTES => {}
            Some(best) => missed.push(format!("{model} ({:.1} s, {})", best.total_s, megabytes(Some(best.peak_bytes)))),
            None => missed.push(format!("{model} (no answer)")),
        }
    }
    let goal = format!("the better default column within {MOST_SECONDS} s (fast3 {MOST_SECONDS_FAST3} s) and 500 MB");
    match missed.is_empty() {
        true => format!("Targets: met; {goal}."),
        false => format!("Targets: {goal}; missed by {}.", missed.join(", ")),
    }
}

fn to_json(record: &Record) -> Value {
    let cell = |run: &Result<Cell, String>| match run {
        Ok(run) => json!({ "total_s": run.total_s, "peak_bytes": run.peak_bytes, "iterations": run.loops,
            "cex_length": run.length, "cex_analysis": run.analyses, "abstract_states": run.blocks,
            "transition_analysis": run.tests }),
        Err(problem) => json!({ "failed": problem }),
    };
    json!({ "model": record.model, "heuristic": record.heuristic, "cegar": cell(&record.cegar),
        "factor": cell(&record.factor), "default": cell(&record.usual) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(total_s: f64, loops: u64) -> Result<Cell, String> {
        Ok(Cell { total_s, peak_bytes: 1000, loops, length: 3.0, analyses: 7, blocks: 5.0, tests: 9 })
    }

    fn record(usual: Result<Cell, String>) -> Record {
        Record { model: "burns2", heuristic: "Post", cegar: cell(1.0, 5), factor: cell(1.0, 6), usual }
    }

    #[test]
    fn rows_have_the_width_of_the_head_also_without_an_answer() {
        let width = head().lines().next().map(|line| line.matches('|').count());
        assert_eq!(Some(line(&record(cell(1.0, 5))).matches('|').count()), width);
        assert_eq!(Some(line(&record(Err("no".to_owned()))).matches('|').count()), width);
    }

    #[test]
    fn more_loops_are_explained_and_slow_rows_are_named() {
        assert!(reasons(&[record(cell(1.0, 5))]).contains("burns2 Post: 6 loops instead of 5"));
        assert!(summary(&[record(cell(1.0, 5))]).starts_with("Targets: met"));
        assert!(summary(&[record(cell(9.0, 5))]).contains("burns2 (9.0 s"));
        assert!(summary(&[record(Err(String::new()))]).contains("burns2 (no answer)"));
    }
}
