//! Nets: the portfolio and each engine for coverability on all files of a corpus, beside MIST and bfc where they are on the path.

mod peers;
pub mod tasks;

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::explicit::Scratch;
use crate::options::Options;
use crate::table::{megabytes, seconds};
use crate::{child, machine, ours, page};
use peers::{Peer, PeerRun};
use tasks::Task;

/// `auto` and peers are not waited for longer than this.
pub const LIMIT_S: u32 = 60;
/// Nor is a single engine longer than this: what it does not decide by then it mostly does not decide in a minute.
const ENGINE_LIMIT_S: u32 = 10;

const ENGINES: [&str; 4] = ["auto", "backward", "forward", "lazy"];

/// What one run of an engine found.
#[derive(Clone, Debug, PartialEq)]
struct Cell {
    verdict: String,
    /// The kind of proof, the length of the run, or why there is neither.
    evidence: String,
    engine: String,
    total_s: f64,
    peak_bytes: Option<u64>,
    stats: Value,
}

struct Record {
    task: Task,
    /// As in [`ENGINES`].
    engines: [Result<Cell, String>; 4],
    /// The best run of each peer that reads the file.
    peers: Vec<(&'static str, Option<PeerRun>)>,
}

pub fn run(options: &Options) -> Result<(), String> {
    let binary = ours::binary()?;
    let selected: Vec<Task> = tasks::all()?.into_iter().filter(|task| options.selects(&task.name)).collect();
    if selected.is_empty() {
        return Err("no file has such a name, or the corpus is not there".to_owned());
    }
    let scratch = Scratch::new()?;
    let peers = peers::on_the_path();
    let mut place = machine::place(&binary);
    place.push(match peers.is_empty() {
        true => "Peers: none, neither mist nor bfc is on the path".to_owned(),
        false => format!("Peers: {}", peers.iter().map(|peer| peer.name).collect::<Vec<_>>().join(", ")),
    });
    let listed: Vec<String> = place.iter().map(|line| format!("* {line}")).collect();
    let mut text = format!("{}\n\n{}\n", listed.join("\n"), head(&peers));
    println!("{text}");
    let mut records = Vec::new();
    for task in selected {
        let record = Record {
            engines: ENGINES.map(|engine| decide(&task, engine, &binary, &scratch.path)),
            peers: peers.iter().map(|peer| (peer.name, peer.best(&task, &scratch.path))).collect(),
            task,
        };
        let line = line(&record);
        println!("{line}");
        text.push_str(&line);
        text.push('\n');
        records.push(record);
    }
    let rest = format!("\n{NOTES}\n\n{}\n", summary(&records));
    println!("{rest}");
    text.push_str(&rest);
    let rows = records.iter().map(to_json).collect();
    page::conclude(
        "coverability",
        options,
        json!({ "place": place, "rows": Value::Array(rows) }),
        &problems(&records),
        &text,
    )
}

fn decide(task: &Task, engine: &str, binary: &Path, scratch: &Path) -> Result<Cell, String> {
    let mut command = Command::new(binary);
    command.arg("check").arg(&task.path);
    if let Some(initial) = &task.initial {
        command.args(["--init", initial]);
    }
    let limit = format!("{}s", if engine == "auto" { LIMIT_S } else { ENGINE_LIMIT_S });
    command.args(["--engine", engine, "--timeout", &limit, "--format", "json", "--progress", "none"]);
    let run = child::run(&mut command, scratch).map_err(|error| format!("cannot run lapidary: {error}"))?;
    match run.status.code() {
        Some(0 | 10 | 30) => read(&run.output, run.seconds, run.peak_bytes),
        Some(_) | None => {
            let first = run.errors.lines().next().unwrap_or("no output");
            Err(format!("lapidary ended with {}: {first}", run.status))
        }
    }
}

/// Reads the only property of the result. `total_s` and `peak` were measured from outside.
fn read(output: &str, total_s: f64, peak: Option<u64>) -> Result<Cell, String> {
    let result: Value = serde_json::from_str(output).map_err(|error| format!("not a JSON result: {error}"))?;
    let property = &result["properties"][0];
    let text = |value: &Value, what: &str| value.as_str().map(str::to_owned).ok_or(format!("the result has no {what}"));
    let verdict = text(&property["verdict"], "verdict")?;
    let trace = property["trace"]["states"].as_array();
    let evidence = match (verdict.as_str(), trace) {
        ("unknown", _) => text(&property["reason"]["code"], "reason")?,
        (_, Some(states)) => format!("{} steps", states.len().saturating_sub(1)),
        (_, None) => text(&property["certificate"]["kind"], "certificate")?,
    };
    Ok(Cell {
        verdict,
        evidence,
        engine: text(&property["engine"], "engine")?,
        total_s,
        peak_bytes: property["mem_bytes"].as_u64().or(peak),
        stats: property["stats"].clone(),
    })
}

const NOTES: &str = "\
Every cell is one run of the whole process, from the file to the checked verdict, and has 60 s with `auto` or a peer and 10 s with a single engine; *limit* is no answer until then, *unknown* one that was given up
earlier. *Holds* means that the target cannot be covered; the kind of certificate that the checker accepted, or the length of the run that it replayed, stands beside the verdict of `auto`,
with the engine that answered. `auto` has as many threads as there are cores, the others one. Memory is the peak of the process. Of a peer it is the best time of its engines.";

fn head(peers: &[Peer]) -> String {
    let ours = ["file", "expected", "auto", "time", "memory", "backward", "forward", "lazy"];
    let mut names: Vec<&str> = ours.to_vec();
    names.extend(peers.iter().map(|peer| peer.name));
    names.push("auto / best peer");
    format!("| {} |\n|{}|", names.join(" | "), vec!["---"; names.len()].join("|"))
}

fn line(record: &Record) -> String {
    let [auto, rest @ ..] = &record.engines;
    let mut cells = vec![record.task.name.clone(), record.task.expected.words().to_owned()];
    match auto {
        Ok(cell) => {
            let who = if cell.verdict == "unknown" { String::new() } else { format!(" ({})", cell.engine) };
            cells.push(format!("{}, {}{who}", cell.verdict, cell.evidence));
            cells.push(seconds(Some(cell.total_s)));
            cells.push(megabytes(cell.peak_bytes));
        }
        Err(_) => cells.extend(["failed", "-", "-"].map(str::to_owned)),
    }
    cells.extend(rest.iter().map(short));
    cells.extend(record.peers.iter().map(|(_, run)| run.as_ref().map_or_else(|| "-".to_owned(), PeerRun::words)));
    cells.push(ratio(record));
    format!("| {} |", cells.join(" | "))
}

/// Time and, where it is not an answer, why.
fn short(cell: &Result<Cell, String>) -> String {
    match cell {
        Err(_) => "failed".to_owned(),
        Ok(cell) if cell.verdict == "unknown" && cell.evidence == "timeout" => "limit".to_owned(),
        Ok(cell) if cell.verdict == "unknown" => format!("unknown, {}", seconds(Some(cell.total_s))),
        Ok(cell) => format!("{}, {}", cell.verdict, seconds(Some(cell.total_s))),
    }
}

/// Where no peer answers, the ratio to its limit is a bound.
fn ratio(record: &Record) -> String {
    let Ok(auto) = &record.engines[0] else { return "-".to_owned() };
    let asked: Vec<&PeerRun> = record.peers.iter().filter_map(|(_, run)| run.as_ref()).collect();
    let best = asked.iter().filter(|run| run.answer.is_some()).map(|run| run.total_s).min_by(f64::total_cmp);
    match (auto.verdict != "unknown", best) {
        (true, Some(best)) => format!("{:.2}", auto.total_s / best),
        (true, None) if !asked.is_empty() => format!("< {:.2}", auto.total_s / f64::from(LIMIT_S)),
        (_, _) => "-".to_owned(),
    }
}

/// Who answered on how many rows, and how much `auto` needed at most.
fn summary(records: &[Record]) -> String {
    let answered = ENGINES.iter().enumerate().map(|(at, engine)| {
        let answers = |record: &&Record| record.engines[at].as_ref().is_ok_and(|cell| cell.verdict != "unknown");
        format!("`{engine}` on {} of {}", records.iter().filter(answers).count(), records.len())
    });
    let auto = || records.iter().filter_map(|record| record.engines[0].as_ref().ok());
    let answered: Vec<String> = answered.collect();
    let longest = auto().filter(|cell| cell.verdict != "unknown").map(|cell| cell.total_s).max_by(f64::total_cmp);
    let most = auto().filter_map(|cell| cell.peak_bytes).max();
    format!(
        "Answers: {}. Where it answers, `auto` takes at most {}, and never more than {}.",
        answered.join(", "),
        seconds(longest),
        megabytes(most)
    )
}

/// Answers that contradict what is expected or each other, and runs that broke.
fn problems(records: &[Record]) -> Vec<String> {
    let mut problems = Vec::new();
    for Record { task, engines, .. } in records {
        for (engine, cell) in ENGINES.iter().zip(engines) {
            match cell {
                Ok(cell) if task.expected.allows(&cell.verdict) => {}
                Ok(cell) => problems.push(format!("{}: {engine} says {}", task.name, cell.verdict)),
                Err(problem) => problems.push(format!("{}: {engine}: {problem}", task.name)),
            }
        }
        let mut verdicts: Vec<&str> = engines.iter().flatten().map(|cell| cell.verdict.as_str()).collect();
        verdicts.retain(|&verdict| verdict != "unknown");
        verdicts.dedup();
        if verdicts.len() > 1 {
            problems.push(format!("{}: the engines disagree", task.name));
        }
    }
    problems
}

fn to_json(record: &Record) -> Value {
    let cell = |cell: &Result<Cell, String>| match cell {
        Ok(cell) => json!({ "verdict": cell.verdict, "evidence": cell.evidence, "engine": cell.engine,
            "total_s": cell.total_s, "peak_bytes": cell.peak_bytes, "stats": cell.stats }),
        Err(problem) => json!({ "failed": problem }),
    };
    let engines: serde_json::Map<String, Value> =
        ENGINES.iter().zip(&record.engines).map(|(engine, run)| ((*engine).to_owned(), cell(run))).collect();
    let peers: serde_json::Map<String, Value> =
        record.peers.iter().map(|(name, run)| ((*name).to_owned(), json!(run.as_ref().map(PeerRun::words)))).collect();
    json!({ "file": record.task.name, "expected": record.task.expected.words(), "engines": engines, "peers": peers })
}

#[cfg(test)]
mod tests {
    use super::tasks::Expected;
    use super::*;

    const PROVED: &str = r#"{"properties":[{"verdict":"holds","engine":"backward","mem_bytes":4096,"trace":null,
        "certificate":{"kind":"basis","checked":"yes"},"stats":{"states":9}}]}"#;
    const FOUND: &str = r#"{"properties":[{"verdict":"violated","engine":"forward","mem_bytes":4096,
        "trace":{"states":[{},{},{}]},"certificate":null,"stats":{}}]}"#;

    fn record(expected: Expected, auto: &str, lazy: &str) -> Record {
        let task = Task { name: "n".to_owned(), path: "n.spec".into(), initial: None, expected };
        let engines = [auto, PROVED, PROVED, lazy].map(|output| read(output, 1.0, None));
        Record { task, engines, peers: Vec::new() }
    }

    #[test]
    fn rows_have_the_width_of_the_head() {
        let width = head(&[]).lines().next().map(|line| line.matches('|').count());
        assert_eq!(Some(line(&record(Expected::Safe, PROVED, FOUND)).matches('|').count()), width);
        assert_eq!(Some(line(&record(Expected::Unsaid, "{}", PROVED)).matches('|').count()), width);
    }

    #[test]
    fn contradictions_are_problems() {
        assert!(problems(&[record(Expected::Safe, PROVED, PROVED)]).is_empty());
        assert_eq!(problems(&[record(Expected::Unsaid, PROVED, FOUND)]), ["n: the engines disagree"]);
        assert_eq!(problems(&[record(Expected::Unsafe, PROVED, PROVED)]).len(), 4);
    }
}
