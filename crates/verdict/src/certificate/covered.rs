//! Discrete parts with elements of a lattice, of which those below belong to the set as well: packed into words, which a file
//! has as they are.

use std::io::{self, Write};
use std::sync::Arc;

use lapidary_ir::Declarations;
use serde_json::{Value, json};

use super::enumeration::{self, Enumeration};
use super::{About, Certificate, Kind, Source};
use crate::certificate_file::{Unread, count};

/// A state belongs to the set if a listed one has the same discrete part and an element at least as large.
#[derive(Clone, Debug, Default)]
pub struct Covered {
    /// A row is a packed discrete part and behind it an element; together they have a word at least.
    pub listed: Enumeration,
    /// What the words mean, and which elements lie below which, is for the language to say.
    pub element_words: usize,
}

impl Kind for Covered {
    fn word(&self) -> &'static str {
        "covered"
    }

    fn describe(&self, about: About<'_>, header: &mut Value) -> io::Result<()> {
        self.listed.describe(about, header)?;
        header["element_words"] = json!(self.element_words);
        Ok(())
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        self.listed.write(out)
    }

    fn summary(&self, model: &Declarations, value: &mut Value) {
        self.listed.summary(model, value);
    }

    fn because(&self, _: Option<u64>) -> String {
        match self.listed.n_states {
            0 => "there is none".to_owned(),
            1 => "1 state was listed that covers all".to_owned(),
            n => format!("{n} states were listed that cover all"),
        }
    }

    fn is_empty(&self) -> Option<bool> {
        Some(self.listed.n_states == 0)
    }
}

pub fn read(source: &mut Source<'_>) -> Result<Certificate, Unread> {
    let element_words: usize = count(source.json, "element_words")?;
    // No language has larger ones, and no header decides how much is read at once.
    if element_words > MOST_WORDS {
        return Err(format!("{element_words} words are not a size of elements").into());
    }
    let listed = enumeration::with_elements(source.model, source.json, element_words, source.input)?;
    Ok(Certificate::Covered(Arc::new(Covered { listed, element_words })))
}

/// A matrix of differences between a thousand clocks.
const MOST_WORDS: usize = 1 << 20;
