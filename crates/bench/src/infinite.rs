//! Models with infinitely many states: the portfolio, `matching`, `kinduction`, and Spacer on the same systems.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::explicit::Scratch;
use crate::options::Options;
use crate::spacer::{self, Answer, SpacerRun};
use crate::table::{megabytes, seconds};
use crate::{child, machine, ours, page};

/// A cell is not waited for longer than this.
const LIMIT: &str = "60s";
const LIMIT_S: f64 = 60.0;

const ENGINES: [&str; 3] = ["auto", "matching", "kinduction"];

pub struct Row {
    pub model: &'static str,
    pub example: &'static str,
    pub constants: &'static [&'static str],
    pub property: &'static str,
    /// What is known to be the answer.
    verdict: &'static str,
    /// The name of its Horn clauses.
    clauses: Option<&'static str>,
}

const TICKET: Row =
    Row { model: "", example: "ticket_unbounded", constants: &[], property: "mutex", verdict: "holds", clauses: None };
const BAKERY: Row = Row { example: "bakery_unbounded", ..TICKET };

pub const ROWS: [Row; 12] = [
    Row { model: "ticket 2", constants: &["N=2"], clauses: Some("ticket_2_inf"), ..TICKET },
    Row { model: "ticket 3", constants: &["N=3"], clauses: Some("ticket_3_inf"), ..TICKET },
    Row { model: "ticket 4", constants: &["N=4"], clauses: Some("ticket_4_inf"), ..TICKET },
    Row { model: "ticket 5", constants: &["N=5"], ..TICKET },
    Row { model: "ticket 6", constants: &["N=6"], ..TICKET },
    Row { model: "bakery 2", constants: &["N=2"], clauses: Some("bakery_2_inf"), ..BAKERY },
    Row { model: "bakery 3", constants: &["N=3"], clauses: Some("bakery_3_inf"), ..BAKERY },
    Row { model: "ticket 2, STEP=2", constants: &["N=2", "STEP=2"], verdict: "violated", ..TICKET },
    Row { model: "ticket 3, STEP=2", constants: &["N=3", "STEP=2"], verdict: "violated", ..TICKET },
    Row { model: "bakery 2, TIES=0", constants: &["N=2", "TIES=0"], verdict: "violated", ..BAKERY },
    Row { model: "bakery 3, TIES=0", constants: &["N=3", "TIES=0"], verdict: "violated", ..BAKERY },
    Row { model: "thermostat", example: "thermostat", property: "off_when_hot", ..TICKET },
];

/// What one run of an engine found and counted.
#[derive(Clone, Debug, PartialEq)]
struct Cell {
    verdict: String,
    /// The kind of proof, the length of the run, or why there is neither.
    evidence: String,
    engine: String,
    is_limit: bool,
    total_s: f64,
    peak_bytes: Option<u64>,
    rounds: Option<u64>,
    predicates: Option<u64>,
    queries: Option<u64>,
}

struct Record {
    row: &'static Row,
    /// As in [`ENGINES`].
    engines: [Result<Cell, String>; 3],
    /// Absent where there are no clauses or no Z3.
    spacer: Option<Result<SpacerRun, String>>,
}

pub fn run(options: &Options) -> Result<(), String> {
    let binary = ours::binary()?;
    let selected: Vec<&Row> = ROWS.iter().filter(|row| options.selects(row.model)).collect();
    if selected.is_empty() {
        return Err("no model has such a name".to_owned());
    }
    let scratch = Scratch::new()?;
    let z3 = spacer::binary();
    let mut place = machine::place(&binary);
    place.push(match &z3 {
        Some(z3) => format!("Peer: {}", machine::first_line(Command::new(z3).arg("--version"))),
        None => "Peer: none, z3 is not on the path".to_owned(),
    });
    let listed: Vec<String> = place.iter().map(|line| format!("* {line}")).collect();
    let mut text = format!("{}\n\n{}\n", listed.join("\n"), head());
    println!("{text}");
    let mut records = Vec::new();
    for row in selected {
        let clauses = row.clauses.and_then(spacer::clauses);
        let record = Record {
            row,
            engines: ENGINES.map(|engine| decide(row, engine, &binary, &scratch.path)),
            spacer: z3.as_deref().zip(clauses).map(|(z3, clauses)| spacer::run(z3, &clauses, &scratch.path)),
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
        "infinite",
        options,
        json!({ "place": place, "rows": Value::Array(rows) }),
        &problems(&records),
        &text,
    )
}

fn decide(row: &Row, engine: &str, binary: &Path, scratch: &Path) -> Result<Cell, String> {
    let mut command = Command::new(binary);
    command.arg("check").arg(format!("examples/{}.gcl", row.example)).args(["-p", row.property]);
    for constant in row.constants {
        command.args(["-D", constant]);
    }
    command.args(["--engine", engine, "--timeout", LIMIT, "--format", "json", "--progress", "none"]);
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
    let stats = &property["stats"];
    Ok(Cell {
        is_limit: evidence == "timeout",
        verdict,
        evidence,
        engine: text(&property["engine"], "engine")?,
        total_s,
        peak_bytes: property["mem_bytes"].as_u64().or(peak),
        rounds: stats["rounds"].as_array().map(|rounds| rounds.len() as u64).or(stats["iterations"].as_u64()),
        predicates: stats["predicates"].as_u64(),
        queries: stats["queries"].as_u64(),
    })
}

const NOTES: &str = "\
Every cell is one run of the whole process, from the file to the checked verdict, and has 60 s; *limit* is no answer until then. An answer
comes with its evidence: the kind of certificate that the checker accepted, or the length of the run that it replayed. `auto` runs with as many threads as there are
cores and names the engine that answered; the others use one thread. Memory is the peak of the process. *Rounds*, *predicates* (those of the last
round) and *queries* (questions to the solver) are those of `matching`, *k* that of `kinduction`. Spacer is `z3 -T:60` on Horn clauses of the same protocol, written by
other hands; `-` is where there are none. *Safe* there means that the clauses have a solution, which nobody checks a second time.";

fn head() -> String {
    let names = [
        "model",
        "auto",
        "time",
        "memory",
        "matching",
        "time",
        "memory",
        "rounds",
        "predicates",
        "queries",
        "kinduction",
        "time",
        "memory",
        "k",
        "Spacer",
        "time",
        "memory",
        "auto / Spacer",
    ];
    format!("| {} |\n|{}|", names.join(" | "), vec!["---"; names.len()].join("|"))
}

fn line(record: &Record) -> String {
    let [auto, matching, kinduction] = record.engines.each_ref().map(|cell| cell.as_ref().ok());
    let spacer = record.spacer.as_ref().and_then(|run| run.as_ref().ok());
    let dash = || "-".to_owned();
    let count = |value: Option<u64>| value.map_or_else(dash, |value| value.to_string());
    let common = |cell: Option<&Cell>, answer: fn(&Cell) -> String| {
        let time = match cell {
            Some(cell) if cell.is_limit => dash(),
            cell => seconds(cell.map(|cell| cell.total_s)),
        };
        [cell.map_or_else(|| "failed".to_owned(), answer), time, megabytes(cell.and_then(|cell| cell.peak_bytes))]
    };
    let mut cells = vec![record.row.model.to_owned()];
    cells.extend(common(auto, |cell| match cell.verdict.as_str() {
        "unknown" => answer(cell),
        _ => format!("{} ({})", answer(cell), cell.engine),
    }));
    cells.extend(common(matching, answer));
    let counts: [fn(&Cell) -> Option<u64>; 3] = [|cell| cell.rounds, |cell| cell.predicates, |cell| cell.queries];
    cells.extend(counts.map(|of| count(matching.and_then(of))));
    cells.extend(common(kinduction, answer));
    cells.push(count(kinduction.and_then(|cell| cell.rounds)));
    cells.push(match &record.spacer {
        None => dash(),
        Some(Err(_)) => "failed".to_owned(),
        Some(Ok(run)) => match run.answer {
            Answer::Safe => "safe",
            Answer::Unsafe => "unsafe",
            Answer::Unknown => "unknown",
            Answer::Limit => "limit",
        }
        .to_owned(),
    });
    cells.push(seconds(spacer.filter(|run| run.answer != Answer::Limit).map(|run| run.total_s)));
    cells.push(megabytes(spacer.and_then(|run| run.peak_bytes)));
    cells.push(auto.zip(spacer).map_or_else(dash, |(auto, spacer)| ratio(auto, spacer)));
    format!("| {} |", cells.join(" | "))
}

fn answer(cell: &Cell) -> String {
    match cell.is_limit {
        true => "limit".to_owned(),
        false => format!("{}, {}", cell.verdict, cell.evidence),
    }
}

/// Where one of the two ran into its limit the ratio is a bound.
fn ratio(auto: &Cell, spacer: &SpacerRun) -> String {
    let has_ours = auto.verdict != "unknown";
    let has_theirs = matches!(spacer.answer, Answer::Safe | Answer::Unsafe);
    match (has_ours, has_theirs) {
        (true, true) => format!("{:.2}", auto.total_s / spacer.total_s),
        (true, false) if spacer.answer == Answer::Limit => {
            format!("< {:.2}", auto.total_s / f64::from(spacer::LIMIT_S))
        }
        (false, true) if auto.is_limit => format!("> {:.2}", LIMIT_S / spacer.total_s),
        _ => "-".to_owned(),
    }
}

/// Who answered on how many rows.
fn summary(records: &[Record]) -> String {
    let ours = ENGINES.iter().enumerate().map(|(at, engine)| {
        let answered = |record: &&Record| record.engines[at].as_ref().is_ok_and(|cell| cell.verdict != "unknown");
        format!("`{engine}` on {} of {}", records.iter().filter(answered).count(), records.len())
    });
    let asked: Vec<&SpacerRun> = records.iter().filter_map(|record| record.spacer.as_ref()?.as_ref().ok()).collect();
    let decided = asked.iter().filter(|run| matches!(run.answer, Answer::Safe | Answer::Unsafe)).count();
    let theirs = match asked.is_empty() {
        true => "Spacer was not asked".to_owned(),
        false => format!("Spacer on {decided} of {}", asked.len()),
    };
    let words: Vec<String> = ours.chain([theirs]).collect();
    format!("Answers within the limit: {}.", words.join(", "))
}

/// Wrong answers, and runs that broke.
fn problems(records: &[Record]) -> Vec<String> {
    let mut problems = Vec::new();
    for record in records {
        let Row { model, verdict, .. } = record.row;
        for (engine, cell) in ENGINES.iter().zip(&record.engines) {
            match cell {
                Ok(cell) if cell.verdict == "unknown" || cell.verdict == *verdict => {}
                Ok(cell) => problems.push(format!("{model}: {engine} says {}, not {verdict}", cell.verdict)),
                Err(problem) => problems.push(format!("{model}: {engine}: {problem}")),
            }
        }
        match &record.spacer {
            Some(Ok(SpacerRun { answer: Answer::Safe, .. })) if *verdict != "holds" => {
                problems.push(format!("{model}: Spacer says safe"));
            }
            Some(Ok(SpacerRun { answer: Answer::Unsafe, .. })) if *verdict != "violated" => {
                problems.push(format!("{model}: Spacer says unsafe"));
            }
            Some(Err(problem)) => problems.push(format!("{model}: {problem}")),
            Some(Ok(_)) | None => {}
        }
    }
    problems
}

fn to_json(record: &Record) -> Value {
    let cell = |cell: &Result<Cell, String>| match cell {
        Ok(cell) => json!({ "verdict": cell.verdict, "evidence": cell.evidence, "engine": cell.engine,
            "total_s": cell.total_s, "peak_bytes": cell.peak_bytes, "rounds": cell.rounds,
            "predicates": cell.predicates, "queries": cell.queries }),
        Err(problem) => json!({ "failed": problem }),
    };
    let spacer = record.spacer.as_ref().map(|run| match run {
        Ok(run) => json!({ "answer": format!("{:?}", run.answer).to_lowercase(), "total_s": run.total_s,
            "peak_bytes": run.peak_bytes }),
        Err(problem) => json!({ "failed": problem }),
    });
    let [auto, matching, kinduction] = record.engines.each_ref().map(cell);
    json!({ "model": record.row.model, "auto": auto, "matching": matching, "kinduction": kinduction, "spacer": spacer })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROVED: &str = r#"{"properties":[{"verdict":"holds","engine":"matching","mem_bytes":4096,"trace":null,
        "certificate":{"kind":"blocks","checked":"yes"},"stats":{"predicates":9,"queries":70,"rounds":[{},{},{}]}}]}"#;
    const LATE: &str = r#"{"properties":[{"verdict":"unknown","engine":"kinduction","mem_bytes":4096,"trace":null,
        "certificate":null,"reason":{"code":"timeout"},"stats":{"iterations":12,"queries":70}}]}"#;
    const FOUND: &str = r#"{"properties":[{"verdict":"violated","engine":"explicit","mem_bytes":4096,
        "trace":{"states":[{},{},{}]},"certificate":null,"stats":{}}]}"#;

    fn cell(output: &str, total_s: f64) -> Result<Cell, String> {
        read(output, total_s, None)
    }

    fn peer(answer: Answer) -> Option<Result<SpacerRun, String>> {
        Some(Ok(SpacerRun { answer, total_s: 4.0, peak_bytes: None }))
    }

    fn record(auto: Result<Cell, String>, spacer: Option<Result<SpacerRun, String>>) -> Record {
        Record { row: &ROWS[0], engines: [auto, cell(PROVED, 1.0), cell(LATE, 60.0)], spacer }
    }

    #[test]
    fn results_are_read() {
        let proved = cell(PROVED, 1.0).unwrap();
        assert_eq!((answer(&proved).as_str(), proved.rounds, proved.queries), ("holds, blocks", Some(3), Some(70)));
        assert_eq!(answer(&cell(FOUND, 1.0).unwrap()), "violated, 2 steps");
        let late = cell(LATE, 60.0).unwrap();
        assert_eq!((answer(&late).as_str(), late.rounds), ("limit", Some(12)));
        assert!(cell("{}", 1.0).is_err());
    }

    #[test]
    fn rows_have_the_width_of_the_head_also_without_an_answer() {
        let width = head().lines().next().map(|line| line.matches('|').count());
        for (auto, spacer) in [
            (cell(PROVED, 1.0), peer(Answer::Safe)),
            (cell(LATE, 60.0), peer(Answer::Limit)),
            (Err("gone".to_owned()), Some(Err("gone".to_owned()))),
            (cell(PROVED, 1.0), None),
        ] {
            assert_eq!(Some(line(&record(auto, spacer)).matches('|').count()), width);
        }
    }

    #[test]
    fn a_limit_bounds_the_ratio() {
        let of = |output: &str, answer| {
            let run = peer(answer).unwrap().unwrap();
            ratio(&cell(output, 1.0).unwrap(), &run)
        };
        assert_eq!(of(PROVED, Answer::Safe), "0.25");
        assert_eq!(of(PROVED, Answer::Limit), "< 0.02");
        assert_eq!(of(LATE, Answer::Safe), "> 15.00");
        assert_eq!(of(LATE, Answer::Limit), "-");
        assert_eq!(of(PROVED, Answer::Unknown), "-");
    }

    #[test]
    fn wrong_answers_and_broken_runs_are_problems() {
        assert!(problems(&[record(cell(PROVED, 1.0), peer(Answer::Safe))]).is_empty());
        assert!(problems(&[record(cell(LATE, 60.0), peer(Answer::Limit))]).is_empty());
        assert_eq!(problems(&[record(cell(FOUND, 1.0), None)]), ["ticket 2: auto says violated, not holds"]);
        assert_eq!(problems(&[record(Err("gone".to_owned()), None)]), ["ticket 2: auto: gone"]);
        assert_eq!(problems(&[record(cell(PROVED, 1.0), peer(Answer::Unsafe))]), ["ticket 2: Spacer says unsafe"]);
    }
}
