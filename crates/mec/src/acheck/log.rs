//! Collects diagnostics; each place is reported once per code, and only so many are shown.

use lapidary_base::hash::Set;
use lapidary_text::{Diagnostic, Span};

use super::codes;
use super::limits::MAX_SHOWN;

/// More than are ever shown, since what is found late may stand early in the text.
const MAX_KEPT: usize = 1000;

#[derive(Default)]
pub struct Log {
    list: Vec<Diagnostic>,
    n_dropped: usize,
    seen: Set<(&'static str, Span)>,
}

impl Log {
    pub fn push(&mut self, diagnostic: Diagnostic) {
        let place = diagnostic.labels.first().map(|&(span, _)| (diagnostic.code, span));
        if place.is_some_and(|place| self.seen.contains(&place)) {
            return;
        }
        if self.list.len() >= MAX_KEPT {
            self.n_dropped += 1;
            return;
        }
        self.seen.extend(place);
        self.list.push(diagnostic);
    }

    pub fn extend(&mut self, diagnostics: impl IntoIterator<Item = Diagnostic>) {
        diagnostics.into_iter().for_each(|diagnostic| self.push(diagnostic));
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// In the order of the text; beyond the limit one closing line.
    pub fn finish(mut self) -> Vec<Diagnostic> {
        self.list
            .sort_by_key(|diagnostic| diagnostic.labels.first().map(|(span, _)| (span.source, span.start, span.end)));
        let hidden = self.list.split_off(self.list.len().min(MAX_SHOWN));
        if let Some(first) = hidden.first() {
            let message = format!("{} more of these are not shown", hidden.len() + self.n_dropped);
            let span = first.labels[0].0;
            let closing = Diagnostic::error(codes::TOO_MANY, message, span, "the next one is here");
            self.list.push(closing.with_help("repair the first ones; others often go with them"));
        }
        self.list
    }
}
