//! Every engine beside itself at another commit, in turns: what did a change cost?

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::auto::rows::{self, Row};
use crate::cell::{Cell, contradiction, decide, instructions};
use crate::explicit::Scratch;
use crate::options::Options;
use crate::table::seconds;
use crate::{machine, ours, page};

/// Who takes longer is passed over: that is what the other tables are for.
const LIMIT_S: f64 = 2.0;
/// What disturbs a run only ever makes it slower, so the least of several counts.
const REPEAT: usize = 5;
/// Rows that are slower or faster than this get more turns, as long as that may still be by chance.
const DOUBTFUL: f64 = 1.05;
const REPEAT_DOUBTFUL: usize = 15;
/// Of shorter runs the start of the process is most.
const SHORT_S: f64 = 0.02;

struct Record {
    row: String,
    engine: &'static str,
    before: Cell,
    now: Cell,
    /// Instructions now for each one before, of what is slower and was counted.
    counted: Option<f64>,
}

impl Record {
    fn ratio(&self) -> f64 {
        self.now.total_s / self.before.total_s
    }

    fn is_slower(&self) -> bool {
        !self.is_short() && self.ratio() > DOUBTFUL
    }

    fn is_short(&self) -> bool {
        self.now.total_s.min(self.before.total_s) < SHORT_S
    }
}

struct Bench<'a> {
    now: &'a Path,
    before: &'a Path,
    scratch: &'a Path,
}

pub fn run(options: &Options) -> Result<(), String> {
    let before = std::env::var_os("LAPIDARY_BEFORE").map(PathBuf::from).filter(|path| path.is_file());
    let before = before.ok_or("no binary to compare with: start it with `./x bench before REVISION`")?;
    let (now, scratch) = (ours::binary()?, Scratch::new()?);
    let bench = Bench { now: &now, before: &before, scratch: &scratch.path };
    let mut place = machine::place(&now);
    place.push(format!("beside commit {}", std::env::var("LAPIDARY_BEFORE_NAME").unwrap_or_default()));
    println!("{}\n", place.join("\n"));
    let (mut records, mut problems) = (Vec::new(), Vec::new());
    for row in rows::all()?.into_iter().filter(|row| options.selects(&row.name)) {
        for &engine in row.engines {
            if let Some(record) = bench.record(&row, engine, &mut problems) {
                println!("{}", line(&record));
                records.push(record);
            }
        }
    }
    if records.is_empty() {
        return Err("no row has such a name".to_owned());
    }
    let listed: Vec<String> = place.iter().map(|line| format!("* {line}")).collect();
    let text = format!("{}\n\n{}\n{NOTES}\n\n{}\n", listed.join("\n"), by_engine(&records), slower(&records));
    println!("\n{text}");
    let rows: Vec<Value> = records.iter().map(to_json).collect();
    page::conclude("before", options, json!({ "place": place, "rows": rows }), &problems, &text)
}

impl Bench<'_> {
    /// Nothing where one of them refuses or does not decide.
    fn record(&self, row: &Row, engine: &'static str, problems: &mut Vec<String>) -> Option<Record> {
        let one = |binary: &Path| decide(binary, self.scratch, row, engine, 1, LIMIT_S);
        let before = one(self.before).ok()?;
        let now = match one(self.now) {
            Ok(now) => now,
            Err(why) => {
                problems.push(why);
                return None;
            }
        };
        problems.extend(contradiction(&row.name, ("before", &before), ("now", &now)));
        let is_open = now.total_s < LIMIT_S / 2.0 && before.is_decided() && !now.is_decided();
        problems.extend(is_open.then(|| format!("{}: {engine} does not decide it any more", row.name)));
        if !before.is_decided() || !now.is_decided() {
            return None;
        }
        let mut record = Record { row: row.name.clone(), engine, before, now, counted: None };
        for turn in 1..REPEAT_DOUBTFUL {
            if turn >= REPEAT && record.ratio().ln().abs() <= DOUBTFUL.ln() {
                break;
            }
            // Who comes first has the colder caches, so they change places.
            let (first, second) = if turn % 2 == 0 { (self.before, self.now) } else { (self.now, self.before) };
            let (first, second) = match (one(first), one(second)) {
                (Ok(first), Ok(second)) => (first.total_s, second.total_s),
                (Err(why), _) | (_, Err(why)) => {
                    problems.push(why);
                    return None;
                }
            };
            let (before, now) = if turn % 2 == 0 { (first, second) } else { (second, first) };
            record.before.total_s = record.before.total_s.min(before);
            record.now.total_s = record.now.total_s.min(now);
        }
        if record.is_slower() {
            let count = |binary: &Path| Some(instructions(binary, self.scratch, row, engine)? as f64);
            record.counted = count(self.now).zip(count(self.before)).map(|(now, before)| now / before);
        }
        Some(record)
    }
}

const NOTES: &str = "
Every time is that of the whole process with one thread, from the file to the checked verdicts, the least of five or more in turns. Rows are those of `auto` below, each with every engine that decides it within 2 s at both
commits; runs shorter than 20 ms are mostly the start of a process and are left out. What came out slower is counted again in instructions, where valgrind is installed: they do not depend on what else the machine does.";

fn line(record: &Record) -> String {
    let Record { row, engine, before, now, .. } = record;
    let (before, now) = (seconds(Some(before.total_s)), seconds(Some(now.total_s)));
    let counted = record.counted.map_or("-".to_owned(), |counted| format!("{counted:.3}"));
    format!("| {row} | {engine} | {before} | {now} | {:.2} | {counted} |", record.ratio())
}

fn mean(ratios: &[f64]) -> f64 {
    (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len().max(1) as f64).exp()
}

fn by_engine(records: &[Record]) -> String {
    let mut engines: BTreeMap<&str, Vec<&Record>> = BTreeMap::new();
    for record in records.iter().filter(|record| !record.is_short()) {
        engines.entry(record.engine).or_default().push(record);
    }
    let mut text =
        "| engine | rows | now / before, geometric mean | greatest | on |\n|---|---|---|---|---|\n".to_owned();
    for (engine, records) in engines {
        let ratios: Vec<f64> = records.iter().map(|record| record.ratio()).collect();
        let most = records.iter().max_by(|one, other| one.ratio().total_cmp(&other.ratio()));
        let (most, on) = most.map_or((1.0, "-"), |record| (record.ratio(), record.row.as_str()));
        text.push_str(&format!("| {engine} | {} | {:.3} | {most:.2} | {on} |\n", ratios.len(), mean(&ratios)));
    }
    text
}

fn slower(records: &[Record]) -> String {
    let mut slow: Vec<&Record> = records.iter().filter(|record| record.is_slower()).collect();
    if slow.is_empty() {
        return "No row is slower by more than 5 %.".to_owned();
    }
    slow.sort_by(|one, other| other.ratio().total_cmp(&one.ratio()));
    let lines: Vec<String> = slow.iter().map(|record| line(record)).collect();
    format!(
        "Slower by more than 5 %:\n\n| row | engine | before | now | ratio | instructions |\n|---|---|---|---|---|---|\n{}",
        lines.join("\n")
    )
}

fn to_json(record: &Record) -> Value {
    let Record { row, engine, before, now, counted } = record;
    json!({ "row": row, "engine": engine, "before_s": before.total_s, "now_s": now.total_s, "instructions": counted })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(engine: &'static str, before_s: f64, now_s: f64) -> Record {
        let cell = |total_s| Cell { verdicts: Vec::new(), engines: Vec::new(), total_s };
        Record { row: "a.gcl".to_owned(), engine, before: cell(before_s), now: cell(now_s), counted: None }
    }

    #[test]
    fn short_runs_are_not_judged() {
        let records = [record("bdd", 0.001, 0.01), record("bdd", 1.0, 1.04), record("explicit", 1.0, 2.0)];
        assert!(by_engine(&records).contains("| bdd | 1 | 1.040 | 1.04 | a.gcl |"));
        assert!(slower(&records).ends_with("| a.gcl | explicit | 1.00 s | 2.00 s | 2.00 | - |"));
        assert_eq!(slower(&records[..2]), "No row is slower by more than 5 %.");
    }
}
