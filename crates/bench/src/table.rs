//! The Markdown table.

use crate::ours::OurRun;
use crate::record::Record;
use crate::spin::SpinRun;

const HEAD: [&str; 14] = [
    "model",
    "states (ours / Spin)",
    "transitions (ours / Spin)",
    "file to verdict",
    "Spin",
    "Spin, reduced",
    "ours / Spin",
    "search",
    "pan",
    "ours / pan",
    "check",
    "memory, search",
    "memory, peak",
    "pan's memory",
];

/// Head and rule of the table.
pub fn head() -> String {
    let rule = vec!["---"; HEAD.len()].join("|");
    format!("| {} |\n|{rule}|", HEAD.join(" | "))
}

/// One line of the table.
pub fn line(record: &Record) -> String {
    let ours = record.ours.as_ref().ok();
    let spin = record.spin.as_ref().ok();
    let reduced = record.reduced.as_ref().ok();
    let cells = [
        record.model.to_owned(),
        pair(ours.map(|run| run.states), spin.map(|run| run.states)),
        pair(ours.map(|run| run.transitions), spin.map(|run| run.transitions)),
        seconds(ours.map(|run| run.total_s)),
        seconds(spin.map(|run| run.total_s)),
        seconds(reduced.map(|run| run.total_s)),
        ratio(ours, spin, |run| run.total_s, |run| run.total_s),
        seconds(ours.map(|run| run.search_s)),
        seconds(spin.map(|run| run.search_s)),
        ratio(ours, spin, |run| run.search_s, |run| run.search_s),
        seconds(ours.and_then(|run| run.check_s)),
        megabytes(ours.and_then(|run| run.search_bytes)),
        megabytes(ours.map(|run| run.peak_bytes)),
        megabytes(spin.map(|run| run.peak_bytes)),
    ];
    format!("| {} |", cells.join(" | "))
}

fn pair(ours: Option<u64>, spin: Option<u64>) -> String {
    let shown = |count: Option<u64>| count.map_or_else(|| "-".to_owned(), |n| n.to_string());
    format!("{} / {}", shown(ours), shown(spin))
}

/// Three digits are as many as the measurement is worth.
pub fn seconds(value: Option<f64>) -> String {
    match value {
        None => "-".to_owned(),
        Some(value) if value < 0.001 => format!("{:.3} ms", value * 1000.0),
        Some(value) if value < 1.0 => format!("{:.1} ms", value * 1000.0),
        Some(value) => format!("{value:.2} s"),
    }
}

pub fn megabytes(value: Option<u64>) -> String {
    value.map_or_else(|| "-".to_owned(), |bytes| format!("{:.1} MB", bytes as f64 / 1e6))
}

fn ratio(
    ours: Option<&OurRun>,
    spin: Option<&SpinRun>,
    our_time: fn(&OurRun) -> f64,
    spin_time: fn(&SpinRun) -> f64,
) -> String {
    match (ours, spin) {
        (Some(ours), Some(spin)) => format!("{:.2}", our_time(ours) / spin_time(spin)),
        (None, _) | (_, None) => "-".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_follow_the_size() {
        let shown = [0.000_25, 0.025, 14.5].map(|value| seconds(Some(value)));
        assert_eq!(shown, ["0.250 ms", "25.0 ms", "14.50 s"]);
        assert_eq!(seconds(None), "-");
        assert_eq!(megabytes(Some(360_500_000)), "360.5 MB");
    }

    #[test]
    fn a_failed_row_keeps_its_width() {
        let failed = || Err("gone".to_owned());
        let record =
            Record { model: "lift_8", ours: failed(), spin: Err("gone".to_owned()), reduced: Err("gone".to_owned()) };
        assert_eq!(line(&record).matches('|').count(), HEAD.len() + 1);
    }
}
