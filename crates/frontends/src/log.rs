//! Collects diagnostics: each place is reported once per code, and only so many are kept. Whoever reads asks it as well whether
//! there is time to read on.

use lapidary_base::hash::Set;
use lapidary_base::{Control, Stop};
use lapidary_text::{Diagnostic, Diagnostics, Severity, Span};

/// Diagnostics shown; one more says how many are left out.
pub const MAX_SHOWN: usize = 20;

/// More of each severity than are ever shown, since errors that come late may stand early in the text.
const MAX_KEPT: usize = 1000;

/// Limits are looked at after so many steps of a reader.
const PATIENCE: u32 = 256;

#[derive(Clone, Default)]
pub struct Log {
    errors: Vec<Diagnostic>,
    warnings: Vec<Diagnostic>,
    n_dropped: usize,
    seen: Set<(&'static str, Span)>,
    /// Words that were complained about: the code, the item of the file, the word.
    words: Set<(&'static str, usize, String)>,
    ignored: &'static [&'static str],
    control: Option<Control>,
    n_steps: u32,
    stop: Option<Stop>,
}

impl Log {
    /// Of a reader that ends early when a limit is reached.
    pub fn within(control: &Control) -> Self {
        Self { control: Some(control.clone()), ..Self::default() }
    }

    /// Asked by every loop over a text. Once it said no, what was read is worth nothing, and [`Self::stopped`] tells why.
    pub fn goes_on(&mut self) -> bool {
        self.n_steps = self.n_steps.wrapping_add(1);
        if self.stop.is_none() && self.n_steps.is_multiple_of(PATIENCE) {
            self.stop = self.control.as_ref().and_then(|control| control.check().err());
        }
        self.stop.is_none()
    }

    /// The limit that ended the reading, if one did or would now.
    pub fn stopped(&self) -> Result<(), Stop> {
        match (&self.stop, &self.control) {
            (Some(stop), _) => Err(stop.clone()),
            (None, Some(control)) => control.check(),
            (None, None) => Ok(()),
        }
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
        let kept = match diagnostic.severity {
            Severity::Error => &mut self.errors,
            Severity::Warning => &mut self.warnings,
        };
        if kept.len() >= MAX_KEPT {
            self.n_dropped += 1;
            return;
        }
        self.seen.extend(place);
        kept.push(diagnostic);
    }

    pub fn has_errors(&self) -> bool {
        !self.errors.is_empty()
    }

    /// Errors before warnings, both in the order of the text; beyond the limit one closing line with its own code.
    pub fn finish(mut self, too_many: &'static str) -> Diagnostics {
        for kept in [&mut self.errors, &mut self.warnings] {
            kept.sort_by_key(|diagnostic| {
                diagnostic.labels.first().map(|(span, _)| (span.source, span.start, span.end))
            });
        }
        let mut list = self.errors;
        list.append(&mut self.warnings);
        let hidden = list.split_off(list.len().min(MAX_SHOWN));
        if let Some(first) = hidden.first() {
            let span = first.labels[0].0;
            let message = format!("{} more of these are not shown", hidden.len() + self.n_dropped);
            let mut closing = Diagnostic::warning(too_many, message, span, "the next one is here")
                .with_help("repair the first ones; others often go with them");
            closing.severity = first.severity;
            list.push(closing);
        }
        Diagnostics { list }
    }
}

#[cfg(test)]
mod tests {
    use lapidary_text::SourceId;

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
}
