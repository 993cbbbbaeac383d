//! Of a net: the markings that may be reached, by their greatest elements; in a file a line for each.

use std::io::{self, Write};
use std::sync::Arc;

use lapidary_ir::{Declarations, PlaceId, Tokens};
use serde_json::{Value, json};

use super::markings::{ANY, entries, lines, listed, places};
use super::{About, Certificate, Kind, Source};
use crate::certificate_file::{Unread, count};

/// A downward-closed set of markings of a net: those below any of the ideals. It contains the initial markings, no
/// transition leaves it, and it misses the target.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ideals {
    /// The most tokens that places may have, ascending by place; `None` is any number. Places that are not there are empty.
    pub ideals: Vec<Vec<(PlaceId, Option<Tokens>)>>,
}

impl Kind for Ideals {
    fn word(&self) -> &'static str {
        "invariant"
    }

    fn form(&self) -> &'static str {
        "ideals"
    }

    fn describe(&self, about: About<'_>, header: &mut Value) -> io::Result<()> {
        header["places"] = places(about.model);
        header["ideals"] = json!(self.ideals.len());
        Ok(())
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        for ideal in &self.ideals {
            let word = |(place, most): &(PlaceId, Option<Tokens>)| match most {
                Some(most) => format!("{}:{most}", place.0),
                None => format!("{}:{ANY}", place.0),
            };
            writeln!(out, "{}", ideal.iter().map(word).collect::<Vec<_>>().join(" "))?;
        }
        Ok(())
    }

    fn summary(&self, _: &Declarations, value: &mut Value) {
        value["ideals"] = json!(self.ideals.len());
    }

    fn because(&self, _: Option<u64>) -> String {
        "all of them are below markings that exclude it".to_owned()
    }

    /// The initial ranges of a net are never empty.
    fn is_empty(&self) -> Option<bool> {
        Some(false)
    }
}

pub fn read(source: &mut Source<'_>) -> Result<Certificate, Unread> {
    let places = listed(source.model, source.json)?;
    let ideals = lines(source.input, 2, count(source.json, "ideals")?, |line| entries(line, &places))?;
    Ok(Certificate::Ideals(Arc::new(Ideals { ideals })))
}
