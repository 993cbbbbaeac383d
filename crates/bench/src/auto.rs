//! Engine `auto` beside each single engine: what does it cost not to know which one is best?

pub mod rows;

use std::path::Path;

use serde_json::{Value, json};

use crate::cell::{self, Cell, contradiction};
use crate::explicit::Scratch;
use crate::options::Options;
use crate::table::seconds;
use crate::{machine, ours, page};
use rows::Row;

/// Nobody is waited for longer than this.
const LIMIT_S: f64 = 60.0;
/// Who takes so many times as long as the best so far is not the best.
const PATIENCE: f64 = 1.5;
/// Starting a process takes some of it.
const LEAST_S: f64 = 0.1;
/// Short runs are repeated: what disturbs a run only ever makes it slower.
const REPEAT: usize = 5;
const REPEAT_BELOW_S: f64 = 3.0;

/// What is promised: the geometric mean, and the most of one row unless `auto` takes less than this.
const MOST_MEAN: f64 = 2.0;
const MOST_RATIO: f64 = 10.0;
const SHORT_S: f64 = 0.2;

struct Record {
    row: Row,
    auto: Cell,
    /// With two threads, once.
    two: Cell,
    /// The fastest of those that decide everything.
    best: Option<(&'static str, Cell)>,
    /// What contradicts each other, or broke.
    problems: Vec<String>,
}

struct Bench<'a> {
    binary: &'a Path,
    scratch: &'a Path,
}

pub fn run(options: &Options) -> Result<(), String> {
    let (binary, scratch) = (ours::binary()?, Scratch::new()?);
    let bench = Bench { binary: &binary, scratch: &scratch.path };
    let place = machine::place(&binary);
    let listed: Vec<String> = place.iter().map(|line| format!("* {line}")).collect();
    let mut text = format!("{}\n\n{HEAD}\n", listed.join("\n"));
    println!("{text}");
    let mut records = Vec::new();
    for row in rows::all()?.into_iter().filter(|row| options.selects(&row.name)) {
        for record in bench.file(row)? {
            let line = line(&record);
            println!("{line}");
            text.push_str(&line);
            text.push('\n');
            records.push(record);
        }
    }
    if records.is_empty() {
        return Err("no row has such a name".to_owned());
    }
    let rest = format!("\n{NOTES}\n\n{}\n", summary(&records));
    println!("{rest}");
    text.push_str(&rest);
    let problems: Vec<String> = records.iter().flat_map(|record| record.problems.iter().cloned()).collect();
    let rows: Vec<Value> = records.iter().map(to_json).collect();
    page::conclude("auto", options, json!({ "place": place, "rows": rows }), &problems, &text)
}

impl Bench<'_> {
    /// A file as it is, and each of its properties alone where it has several.
    fn file(&self, row: Row) -> Result<Vec<Record>, String> {
        let whole = self.record(row.clone())?;
        let names: Vec<String> = whole.auto.verdicts.iter().map(|(name, _)| name.clone()).collect();
        let mut records = vec![whole];
        if row.asks_all() && names.len() > 1 {
            for name in names {
                records.push(self.record(row.only(&name))?);
            }
        }
        Ok(records)
    }

    fn record(&self, row: Row) -> Result<Record, String> {
        let mut auto = self.decide(&row, "auto", 1, LIMIT_S)?;
        let two = self.decide(&row, "auto", 2, LIMIT_S)?;
        let mut problems =
            contradiction(&row.name, ("auto", &auto), ("auto -j 2", &two)).into_iter().collect::<Vec<_>>();
        let (mut cells, mut least) = (Vec::new(), if auto.is_decided() { auto.total_s } else { LIMIT_S });
        for &engine in row.engines {
            let limit = (least * PATIENCE + LEAST_S).min(LIMIT_S);
            self.take(&row, engine, limit, &auto, &mut cells, &mut problems);
            least = cells.iter().map(|(_, cell): &(_, Cell)| cell.total_s).fold(least, f64::min);
        }
        let was_cut_short = auto.is_decided();
        for &engine in row.engines {
            // Is `auto` so much faster than all of them, or does nobody else decide it?
            if cells.is_empty() && was_cut_short {
                self.take(&row, engine, LIMIT_S, &auto, &mut cells, &mut problems);
            }
        }
        cells.sort_by(|(_, one), (_, other)| one.total_s.total_cmp(&other.total_s));
        cells.truncate(2);
        self.repeat(&row, &mut auto, &mut cells)?;
        let best = cells.into_iter().min_by(|(_, one), (_, other)| one.total_s.total_cmp(&other.total_s));
        Ok(Record { row, auto, two, best, problems })
    }

    /// Keeps what decides everything.
    fn take(
        &self,
        row: &Row,
        engine: &'static str,
        limit: f64,
        auto: &Cell,
        cells: &mut Vec<(&'static str, Cell)>,
        problems: &mut Vec<String>,
    ) {
        // An engine that does not take the task ends with another code than those of an answer.
        let Ok(cell) = self.decide(row, engine, 1, limit) else { return };
        problems.extend(contradiction(&row.name, ("auto", auto), (engine, &cell)));
        if cell.is_decided() {
            cells.push((engine, cell));
        }
    }

    /// The best of several, in turns.
    fn repeat(&self, row: &Row, auto: &mut Cell, cells: &mut [(&'static str, Cell)]) -> Result<(), String> {
        for _ in 1..REPEAT {
            for (engine, cell) in std::iter::once(("auto", &mut *auto)).chain(cells.iter_mut().map(|(e, c)| (*e, c))) {
                if cell.total_s < REPEAT_BELOW_S {
                    cell.total_s = self.decide(row, engine, 1, LIMIT_S)?.total_s.min(cell.total_s);
                }
            }
        }
        Ok(())
    }

    fn decide(&self, row: &Row, engine: &str, jobs: usize, limit: f64) -> Result<Cell, String> {
        cell::decide(self.binary, self.scratch, row, engine, jobs, limit)
    }
}

const HEAD: &str = "\
| row | verdict | auto -j 1 | by | auto -j 2 | best engine | time | auto / best |
|---|---|---|---|---|---|---|---|";

const NOTES: &str = "\
Every time is that of the whole process, from the file to the checked verdicts; with one thread it is the least of five where it is below 3 s. A file of several properties is asked for all of them,
then for each alone. *Best* is the fastest of all engines that decide everything that is asked, with one thread; an engine is not waited for more than half as long again as the best so far, and
nobody longer than 60 s. Where no single engine decides the row there is no ratio.";

fn line(record: &Record) -> String {
    let Record { row, auto, two, best, .. } = record;
    let time = |cell: &Cell| if cell.is_decided() { seconds(Some(cell.total_s)) } else { "open".to_owned() };
    let (engine, best_time) = match best {
        Some((engine, cell)) => ((*engine).to_owned(), seconds(Some(cell.total_s))),
        None => ("-".to_owned(), "-".to_owned()),
    };
    let ratio = ratio(record).map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.2}"));
    let cells =
        [row.name.clone(), verdicts(auto), time(auto), auto.engines.join(", "), time(two), engine, best_time, ratio];
    format!("| {} |", cells.join(" | "))
}

/// `holds`, or how many of each where several are asked.
fn verdicts(cell: &Cell) -> String {
    if let [(_, verdict)] = &cell.verdicts[..] {
        return verdict.clone();
    }
    let count = |wanted: &str| {
        let n = cell.verdicts.iter().filter(|(_, verdict)| verdict == wanted).count();
        (n > 0).then(|| format!("{n} {wanted}"))
    };
    ["holds", "violated", "unknown"].into_iter().filter_map(count).collect::<Vec<_>>().join(", ")
}

/// Where `auto` does not decide what an engine decides, its time is a bound that says enough.
fn ratio(record: &Record) -> Option<f64> {
    let (_, best) = record.best.as_ref()?;
    let auto = if record.auto.is_decided() { record.auto.total_s } else { record.auto.total_s.max(LIMIT_S) };
    Some(auto / best.total_s)
}

fn summary(records: &[Record]) -> String {
    let ratios: Vec<(&Record, f64)> =
        records.iter().filter_map(|record| ratio(record).map(|ratio| (record, ratio))).collect();
    let mean = (ratios.iter().map(|(_, ratio)| ratio.ln()).sum::<f64>() / ratios.len().max(1) as f64).exp();
    let is_broken = |(record, ratio): &&(&Record, f64)| {
        *ratio > MOST_RATIO && (record.auto.total_s > SHORT_S || !record.auto.is_decided())
    };
    let broken: Vec<String> =
        ratios.iter().filter(is_broken).map(|(record, ratio)| format!("{} ({ratio:.1})", record.row.name)).collect();
    let most = ratios.iter().map(|&(_, ratio)| ratio).fold(0.0, f64::max);
    let long = ratios.iter().filter(|(record, _)| record.auto.total_s > SHORT_S);
    let most_long = long.map(|&(_, ratio)| ratio).fold(0.0, f64::max);
    let open = records.iter().filter(|record| !record.auto.is_decided() || !record.two.is_decided()).count();
    let missed = match (mean <= MOST_MEAN, broken.is_empty()) {
        (true, true) => "Targets: met".to_owned(),
        (false, true) => format!("Targets: missed, the mean is above {MOST_MEAN}"),
        (_, false) => format!("Targets: missed on {}", broken.join(", ")),
    };
    format!(
        "{} rows, {} with a ratio: geometric mean {mean:.2}, at most {most:.1}, and {most_long:.1} where `auto` takes more than {SHORT_S} s; `auto` leaves {open} open. {missed}.",
        records.len(),
        ratios.len(),
    )
}

fn to_json(record: &Record) -> Value {
    let cell = |cell: &Cell| json!({ "verdicts": verdicts(cell), "engines": cell.engines, "total_s": cell.total_s });
    let best = record.best.as_ref().map(|(engine, best)| json!({ "engine": engine, "total_s": best.total_s }));
    json!({ "row": record.row.name, "auto": cell(&record.auto), "two": cell(&record.two), "best": best })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(verdict: &str, total_s: f64) -> Cell {
        let output = json!({ "properties": [{ "name": "p", "verdict": verdict, "engine": "explicit" }] });
        cell::read(&output.to_string(), total_s).expect("a result")
    }

    fn record(auto: Cell, best: Option<f64>) -> Record {
        let row = Row { name: "a.gcl".to_owned(), arguments: vec!["a.gcl".to_owned()], engines: &["explicit"] };
        let best = best.map(|total_s| ("bdd", cell("holds", total_s)));
        Record { row, two: auto.clone(), auto, best, problems: Vec::new() }
    }

    #[test]
    fn rows_have_the_width_of_the_head() {
        let width = HEAD.lines().next().map(|line| line.matches('|').count());
        for record in [record(cell("holds", 1.0), Some(0.5)), record(cell("unknown", 60.0), None)] {
            assert_eq!(Some(line(&record).matches('|').count()), width);
        }
    }

    #[test]
    fn what_auto_leaves_open_counts_as_the_limit() {
        assert_eq!(ratio(&record(cell("unknown", 0.5), Some(1.0))), Some(60.0));
        assert_eq!(ratio(&record(cell("holds", 0.5), Some(1.0))), Some(0.5));
        assert_eq!(ratio(&record(cell("unknown", 0.5), None)), None);
    }

    #[test]
    fn targets_are_judged() {
        let short = record(cell("holds", 0.1), Some(0.001));
        let long = record(cell("holds", 30.0), Some(1.0));
        assert!(
            summary(&[record(cell("holds", 1.0), Some(1.0)), record(cell("holds", 2.0), Some(1.0))]).contains("met")
        );
        assert!(summary(&[short]).contains("the mean is above 2"));
        assert!(summary(&[long]).contains("missed on"));
    }
}
