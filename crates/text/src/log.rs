//! Collects diagnostics: each place is reported once per code, and only so many are kept. Whoever reads asks it as well whether
//! there is time to read on.

use lapidary_base::hash::Set;
use lapidary_base::{Control, Stop};

use crate::patience::Patience;
use crate::{Diagnostic, Diagnostics, Severity, SourceId, Span};

/// Diagnostics shown; one more says how many are left out.
pub const MAX_SHOWN: usize = 20;

/// More of each severity than are ever shown, since errors that come late may stand early in the text.
const MAX_KEPT: usize = 1000;

/// Limits are looked at after so many steps of a reader.
const STEPS_PER_LOOK: u32 = 256;

#[derive(Clone)]
pub struct Log {
    list: Vec<Diagnostic>,
    n_errors: usize,
    n_warnings: usize,
    n_dropped: usize,
    seen: Set<(&'static str, Span)>,
    /// Words that were complained about: the code, the item of the file, the word.
    words: Set<(&'static str, usize, String)>,
    ignored: &'static [&'static str],
    patience: Patience,
}

impl Default for Log {
    fn default() -> Self {
        Self::within(&Control::new())
    }
}

impl Log {
    /// Of a reader that ends early when a limit is reached.
    pub fn within(control: &Control) -> Self {
        Self {
            list: Vec::new(),
            n_errors: 0,
            n_warnings: 0,
            n_dropped: 0,
            seen: Set::default(),
            words: Set::default(),
            ignored: &[],
            patience: Patience::with_calls_per_look(control, STEPS_PER_LOOK),
        }
    }

    /// Asked by every loop over a text. Once it said no, what was read is worth nothing, and [`Self::stopped`] tells why.
    pub fn goes_on(&mut self) -> bool {
        !self.patience.ends()
    }

    /// The limit that ended the reading, if one did or would now.
    pub fn stopped(&self) -> Result<(), Stop> {
        self.patience.finish()
    }

    /// From now on diagnostics with these codes are not collected.
    pub fn ignore(&mut self, codes: &'static [&'static str]) {
        self.ignored = codes;
    }

    /// Whether this word of this item is complained about for the first time.
    pub fn is_news(&mut self, code: &'static str, item: usize, word: &str) -> bool {
        self.words.len() < MAX_KEPT && self.words.insert((code, item, word.to_owned()))
    }

    pub fn push(&mut self, diagnostic: Diagnostic) {
        if self.ignored.contains(&diagnostic.code) {
            return;
        }
        let place = diagnostic.labels.first().map(|&(span, _)| (diagnostic.code, span));
        if place.is_some_and(|place| self.seen.contains(&place)) {
            return;
        }
        let n_kept = match diagnostic.severity {
            Severity::Error => &mut self.n_errors,
            Severity::Warning => &mut self.n_warnings,
        };
        if *n_kept >= MAX_KEPT {
            self.n_dropped += 1;
            return;
        }
        *n_kept += 1;
        self.seen.extend(place);
        self.list.push(diagnostic);
    }

    pub fn extend(&mut self, diagnostics: impl IntoIterator<Item = Diagnostic>) {
        diagnostics.into_iter().for_each(|diagnostic| self.push(diagnostic));
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub fn has_errors(&self) -> bool {
        self.n_errors > 0
    }

    /// Errors before warnings, both in the order of the text; beyond the limit one closing line with its own code, which is as
    /// severe as the first that it hides.
    pub fn finish(mut self, too_many: &'static str) -> Diagnostics {
        self.list.sort_by_key(|diagnostic| (diagnostic.severity == Severity::Warning, place(diagnostic)));
        let severity = self.list.get(MAX_SHOWN).map(|hidden| hidden.severity);
        let mut list = cut(self.list, MAX_SHOWN, self.n_dropped, too_many);
        if let (Some(severity), Some(closing)) = (severity, list.last_mut()) {
            closing.severity = severity;
        }
        Diagnostics { list }
    }

    /// In the order of the text, whatever they are; beyond the limit one closing line, which is an error.
    pub fn finish_by_place(mut self, too_many: &'static str) -> Diagnostics {
        self.list.sort_by_key(place);
        Diagnostics { list: cut(self.list, MAX_SHOWN, self.n_dropped, too_many) }
    }
}

fn place(diagnostic: &Diagnostic) -> Option<(SourceId, u32, u32)> {
    diagnostic.labels.first().map(|(span, _)| (span.source, span.start, span.end))
}

/// Not more diagnostics than somebody reads; one more says how many are left out, with those that were dropped before.
pub fn cut(mut list: Vec<Diagnostic>, max_shown: usize, n_dropped: usize, too_many: &'static str) -> Vec<Diagnostic> {
    let hidden = list.split_off(list.len().min(max_shown));
    if let Some(first) = hidden.first() {
        let message = format!("{} more of these are not shown", hidden.len() + n_dropped);
        let mut closing = Diagnostic::error(too_many, message, first.labels[0].0, "the next one is here");
        closing.is_unsupported = n_dropped == 0 && hidden.iter().all(|one| one.is_unsupported);
        list.push(closing.with_help("repair the first ones; others often go with them"));
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(places: impl Iterator<Item = u32>) -> Diagnostics {
        let mut log = Log::default();
        for start in places {
            let span = Span::new(SourceId(0), start, start + 1);
            log.push(Diagnostic::error("x001", "odd", span, "here"));
        }
        log.finish("x009")
    }

    #[test]
    fn a_place_is_reported_once_and_the_order_is_that_of_the_text() {
        let starts: Vec<u32> = log([5, 3, 5].into_iter()).list.iter().map(|d| d.labels[0].0.start).collect();
        assert_eq!(starts, [3, 5]);
    }

    #[test]
    fn warnings_never_hide_an_error() {
        let mut log = Log::default();
        let place = |start| Span::new(SourceId(0), start, start + 1);
        for start in 0..5000 {
            log.push(Diagnostic::warning("x002", "odd", place(start), "here"));
        }
        log.push(Diagnostic::error("x001", "wrong", place(9000), "here"));
        let shown = log.finish("x009").list;
        assert_eq!((shown.len(), shown[0].message.as_str()), (MAX_SHOWN + 1, "wrong"));
        assert_eq!(shown[MAX_SHOWN].severity, Severity::Warning);
    }

    #[test]
    fn beyond_the_limit_one_line_counts_the_rest() {
        let shown = log(0..5000).list;
        assert_eq!(shown.len(), MAX_SHOWN + 1);
        assert_eq!(shown[MAX_SHOWN].message, "4980 more of these are not shown");
        assert_eq!(shown[MAX_SHOWN].severity, Severity::Error);
    }

    #[test]
    fn by_their_places_warnings_stand_among_errors() {
        let mut log = Log::default();
        let place = |start| Span::new(SourceId(0), start, start + 1);
        log.push(Diagnostic::error("x001", "wrong", place(5), "here"));
        log.push(Diagnostic::warning("x002", "odd", place(3), "here"));
        assert_eq!(log.finish_by_place("x009").list[0].message, "odd");
    }
}
