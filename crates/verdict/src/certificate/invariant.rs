//! An expression that holds initially, is kept by every step and excludes the target: text in the header of a file.

use std::io;

use lapidary_ir::Declarations;
use serde_json::{Value, json};

use super::{About, Certificate, Kind, Source};
use crate::certificate_file::{Unread, formula, text};
use crate::formula::Formula;

impl Kind for Formula {
    fn word(&self) -> &'static str {
        "invariant"
    }

    fn describe(&self, about: About<'_>, header: &mut Value) -> io::Result<()> {
        header["expression"] = json!(self.text(about.model));
        Ok(())
    }

    fn summary(&self, model: &Declarations, value: &mut Value) {
        value["formula"] = json!(self.show(model));
    }

    fn because(&self, _: Option<u64>) -> String {
        "an invariant that they all satisfy excludes it".to_owned()
    }

    /// It may hold without any initial state, and shows it only if it is true nowhere.
    fn is_empty(&self) -> Option<bool> {
        (self.as_bool() == Some(false)).then_some(true)
    }
}

pub fn read(source: &mut Source<'_>) -> Result<Certificate, Unread> {
    Ok(Certificate::Invariant(formula(source.model, text(source.json, "expression")?, source.control)?))
}
