//! Of a net: minimal markings of a backward search, and inequalities for what it passed over; in a file a line for each.

use std::io::{self, Write};
use std::sync::Arc;

use lapidary_ir::{Declarations, PlaceId, Sparse, Tokens};
use serde_json::{Value, json};

use super::markings::{ANY, entries, lines, listed, places};
use super::{About, Certificate, Kind, Source};
use crate::certificate_file::{Unread, count};

/// A set of markings of a net: those that are not above any of the minimal markings and within all inequalities
/// `y . m <= y . m0`, where the right side is the greatest that an initial marking has. It contains the initial
/// markings, no transition leaves it, and it misses the target. The inequalities are kept by every transition on their own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Basis {
    pub minimal: Vec<Sparse>,
    /// Weights of places; none where initial markings are unbounded.
    pub inequalities: Vec<Sparse>,
}

impl Kind for Basis {
    fn word(&self) -> &'static str {
        "basis"
    }

    fn describe(&self, about: About<'_>, header: &mut Value) -> io::Result<()> {
        header["places"] = places(about.model);
        header["minimal"] = json!(self.minimal.len());
        header["inequalities"] = json!(self.inequalities.len());
        Ok(())
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        for entries in self.minimal.iter().chain(&self.inequalities) {
            let words: Vec<String> = entries.iter().map(|(place, n)| format!("{}:{n}", place.0)).collect();
            writeln!(out, "{}", words.join(" "))?;
        }
        Ok(())
    }

    fn summary(&self, _: &Declarations, value: &mut Value) {
        value["minimal"] = json!(self.minimal.len());
        value["inequalities"] = json!(self.inequalities.len());
    }

    fn because(&self, _: Option<u64>) -> String {
        let n = self.minimal.len();
        let markings = if n == 1 { "marking is" } else { "markings are" };
        format!("backwards from it {n} minimal {markings} met, none of them initial")
    }

    /// The initial ranges of a net are never empty.
    fn is_empty(&self) -> Option<bool> {
        Some(false)
    }
}

pub fn read(source: &mut Source<'_>) -> Result<Certificate, Unread> {
    let places = listed(source.model, source.json)?;
    let read = |line: &str| sparse(&entries(line, &places)?);
    let minimal = lines(source.input, 2, count(source.json, "minimal")?, read)?;
    let inequalities = lines(source.input, 2 + minimal.len(), count(source.json, "inequalities")?, read)?;
    Ok(Certificate::Basis(Arc::new(Basis { minimal, inequalities })))
}

fn sparse(entries: &[(PlaceId, Option<Tokens>)]) -> Result<Sparse, String> {
    let number = |&(place, tokens): &(PlaceId, Option<Tokens>)| Some((place, tokens?));
    entries.iter().map(number).collect::<Option<Sparse>>().ok_or_else(|| format!("`{ANY}` is not a number here"))
}
