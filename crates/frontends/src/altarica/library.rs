//! Where the texts of a model are, and how those that it includes are found. Nothing here reads files: who can, says how.

use lapidary_base::hash::{Map, Set};
use lapidary_text::{Diagnostics, SourceId, Sources, Span};

pub trait Library {
    fn sources(&self) -> &Sources;

    /// The text that another one includes under this name; the same one each time. A sentence says why there is none.
    fn open(&mut self, from: SourceId, name: &str) -> Result<SourceId, String>;
}

/// Texts that stand by themselves.
pub struct Alone<'a>(pub &'a Sources);

impl Library for Alone<'_> {
    fn sources(&self) -> &Sources {
        self.0
    }

    fn open(&mut self, _from: SourceId, _name: &str) -> Result<SourceId, String> {
        Err("other files are not included here".to_owned())
    }
}

/// A chain of inclusions is shown up to here.
const MAX_SHOWN: usize = 8;

/// The first diagnostic in each text that was included says also where that is so.
pub fn tell_origins(diagnostics: &mut Diagnostics, origins: &Map<SourceId, Span>) {
    let mut told: Set<SourceId> = Set::default();
    for diagnostic in &mut diagnostics.list {
        let Some(mut source) = diagnostic.labels.first().map(|(span, _)| span.source) else { continue };
        if !told.insert(source) {
            continue;
        }
        for _ in 0..MAX_SHOWN {
            let Some(&place) = origins.get(&source) else { break };
            if diagnostic.labels.iter().any(|(span, _)| *span == place) {
                break;
            }
            diagnostic.labels.push((place, "included here".to_owned()));
            source = place.source;
        }
    }
}
