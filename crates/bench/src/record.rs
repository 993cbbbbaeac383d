//! What was measured for one row, and its JSON form.

use serde_json::{Value, json};

use crate::ours::OurRun;
use crate::spin::SpinRun;

/// The best of several runs of each tool, or why there is none.
#[derive(Debug)]
pub struct Record {
    pub model: &'static str,
    pub ours: Result<OurRun, String>,
    pub spin: Result<SpinRun, String>,
    pub reduced: Result<SpinRun, String>,
}

/// The faster figures of two runs; what was found must be the same in both.
pub trait Best {
    fn best(self, other: Self) -> Self;
}

impl Best for OurRun {
    fn best(self, other: Self) -> Self {
        OurRun {
            total_s: self.total_s.min(other.total_s),
            search_s: self.search_s.min(other.search_s),
            check_s: least(self.check_s, other.check_s),
            peak_bytes: self.peak_bytes.min(other.peak_bytes),
            search_bytes: self.search_bytes.min(other.search_bytes),
            ..self
        }
    }
}

impl Best for SpinRun {
    fn best(self, other: Self) -> Self {
        SpinRun {
            total_s: self.total_s.min(other.total_s),
            search_s: self.search_s.min(other.search_s),
            // A peak read from outside may come too early, never too late.
            peak_bytes: self.peak_bytes.max(other.peak_bytes),
            ..self
        }
    }
}

fn least(one: Option<f64>, other: Option<f64>) -> Option<f64> {
    Some(one?.min(other?))
}

impl Record {
    pub fn to_json(&self) -> Value {
        json!({
            "model": self.model,
            "lapidary": either(&self.ours, ours_json),
            "spin": either(&self.spin, spin_json),
            "spin_reduced": either(&self.reduced, spin_json),
        })
    }
}

fn either<T>(run: &Result<T, String>, to_json: fn(&T) -> Value) -> Value {
    match run {
        Ok(run) => to_json(run),
        Err(problem) => json!({ "failed": problem }),
    }
}

fn ours_json(run: &OurRun) -> Value {
    json!({
        "states": run.states,
        "transitions": run.transitions,
        "total_s": run.total_s,
        "search_s": run.search_s,
        "check_s": run.check_s,
        "peak_bytes": run.peak_bytes,
        "search_bytes": run.search_bytes,
    })
}

fn spin_json(run: &SpinRun) -> Value {
    json!({
        "states": run.states,
        "transitions": run.transitions,
        "total_s": run.total_s,
        "search_s": run.search_s,
        "peak_bytes": run.peak_bytes,
    })
}
