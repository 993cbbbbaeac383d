//! A formula that excludes the target and that no run can leave after keeping it for `k` states: text in the header of a file.

use std::io;

use lapidary_ir::Declarations;
use serde_json::{Value, json};

use super::{About, Certificate, Kind, Source};
use crate::certificate_file::{Unread, count, formula, text};
use crate::formula::Formula;

/// Every run keeps the formula for its first `k` states, and a run that has kept it for `k` states keeps it in the next.
/// If `is_simple`, the second part is claimed only of runs in which these states and the next are all different.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Induction {
    /// At least 1.
    pub k: u32,
    pub formula: Formula,
    pub is_simple: bool,
}

impl Kind for Induction {
    fn word(&self) -> &'static str {
        "kinduction"
    }

    fn describe(&self, about: About<'_>, header: &mut Value) -> io::Result<()> {
        header["k"] = json!(self.k);
        header["expression"] = json!(self.formula.text(about.model));
        header["simple"] = json!(self.is_simple);
        Ok(())
    }

    fn summary(&self, model: &Declarations, value: &mut Value) {
        value["k"] = json!(self.k);
        value["formula"] = json!(self.formula.show(model));
    }

    fn because(&self, _: Option<u64>) -> String {
        format!("by induction over {} steps", self.k)
    }

    /// It may hold without any initial state, and shows it only if it is true nowhere.
    fn is_empty(&self) -> Option<bool> {
        self.formula.is_empty()
    }

    fn is_flat(&self) -> bool {
        true
    }
}

pub fn read(source: &mut Source<'_>) -> Result<Certificate, Unread> {
    let k: u32 = count(source.json, "k")?;
    if k == 0 {
        return Err("`k` is 0, but must be at least 1".into());
    }
    let formula = formula(source.model, text(source.json, "expression")?, source.control)?;
    let is_simple = source.json.get("simple").and_then(Value::as_bool);
    let is_simple = is_simple.ok_or("there is no truth value `simple` in the header")?;
    Ok(Certificate::Induction(Induction { k, formula, is_simple }))
}
