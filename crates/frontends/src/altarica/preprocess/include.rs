//! `#include`: another text is read where the directive stands. A text may include itself if its conditions end that.

use lapidary_base::hash::{Map, Set};
use lapidary_text::{Diagnostic, SourceId, Span, Token};

use super::super::codes;
use super::super::lexer::Kind;
use super::super::limits::{MAX_INCLUDE_DEPTH, MAX_INCLUDED, MAX_INCLUDED_BYTES, MAX_TEXT};
use super::Preprocessor;

/// What was included so far, and what is being read.
#[derive(Default)]
pub struct Inclusions {
    /// The texts that are being read because others include them, and where those do.
    open: Vec<(SourceId, Span)>,
    /// Where each text is included for the first time.
    origins: Map<SourceId, Span>,
    /// Texts that say `#pragma once`.
    once: Set<SourceId>,
    n_included: usize,
    n_bytes: usize,
    /// A limit was reached: nothing more is included, and what was read is not a whole.
    is_too_much: bool,
}

impl Inclusions {
    /// Was this text read, and does it want to be read once?
    pub fn is_done(&self, source: SourceId) -> bool {
        self.once.contains(&source)
    }

    pub fn finish(self) -> Option<Map<SourceId, Span>> {
        (!self.is_too_much).then_some(self.origins)
    }
}

impl Preprocessor<'_> {
    pub(super) fn once(&mut self) {
        self.inclusions.once.insert(self.source);
    }

    pub(super) fn include(&mut self, place: Span, rest: &[Token<Kind>]) {
        let place = rest.last().map_or(place, |last| place.to(last.span));
        if self.inclusions.is_too_much {
            return;
        }
        let Some(name) = self.file_name(rest) else {
            let message = "the name of a file is missing";
            let diagnostic = Diagnostic::error(codes::INCLUDE, message, place, "which file?");
            return self.log.push(diagnostic.with_help("write `#include \"file.alt\"`"));
        };
        let found = match self.library.open(self.source, &name) {
            Ok(found) => found,
            Err(why) => {
                let diagnostic = Diagnostic::error(codes::INCLUDE, why, place, "not read");
                let help = "files are looked for beside the one that includes them";
                return self.log.push(diagnostic.with_help(help));
            }
        };
        if self.inclusions.is_done(found) {
            return;
        }
        match self.no_room(found, place) {
            Some(diagnostic) => {
                self.inclusions.is_too_much = true;
                self.log.push(diagnostic);
            }
            None => self.enter(found, place),
        }
    }

    fn enter(&mut self, found: SourceId, place: Span) {
        self.inclusions.origins.entry(found).or_insert(place);
        self.inclusions.open.push((found, place));
        let outer = std::mem::replace(&mut self.source, found);
        self.text(Span::new(found, 0, u32::MAX));
        self.source = outer;
        self.inclusions.open.pop();
    }

    /// `"file"` or `<file>`.
    fn file_name(&self, rest: &[Token<Kind>]) -> Option<String> {
        let name = match rest {
            [quoted] if quoted.kind == Kind::Quoted => self.word(*quoted).strip_prefix('"')?.strip_suffix('"')?,
            [open, .., close] if open.kind == Kind::Lt && close.kind == Kind::Gt => {
                self.slice(Span::new(self.source, open.span.end, close.span.start))
            }
            _ => return None,
        };
        Some(name.trim()).filter(|name| !name.is_empty()).map(str::to_owned)
    }

    /// What is wrong with reading one more text, if anything is.
    fn no_room(&mut self, found: SourceId, place: Span) -> Option<Diagnostic> {
        let n_bytes = self.library.sources().get(found).text.len();
        self.inclusions.n_included += 1;
        self.inclusions.n_bytes = self.inclusions.n_bytes.saturating_add(n_bytes);
        if self.inclusions.open.len() >= MAX_INCLUDE_DEPTH {
            return Some(self.too_deep(found, place));
        }
        let message = if n_bytes > MAX_TEXT {
            format!("the text is longer than {} MiB", MAX_TEXT >> 20)
        } else if self.inclusions.n_bytes > MAX_INCLUDED_BYTES {
            format!("more than {} MiB are included", MAX_INCLUDED_BYTES >> 20)
        } else if self.inclusions.n_included > MAX_INCLUDED {
            format!("more than {MAX_INCLUDED} files are included")
        } else {
            return None;
        };
        let diagnostic = Diagnostic::error(codes::TOO_LONG, message, place, "no room is left for this one");
        Some(diagnostic.with_help("a file that begins with `#pragma once` is read once, however often it is included"))
    }

    fn too_deep(&self, found: SourceId, place: Span) -> Diagnostic {
        let name = &self.library.sources().get(found).name;
        let last = self.inclusions.open.iter().rposition(|(source, _)| *source == found);
        let Some(last) = last else {
            let message = format!("files include each other more than {MAX_INCLUDE_DEPTH} levels deep");
            return Diagnostic::error(codes::TOO_DEEP, message, place, "while including this one")
                .with_help("let files include each other less");
        };
        // What lies between two readings of the same text is the circle.
        let mut diagnostic = Diagnostic::error(
            codes::INCLUDE,
            format!("`{name}` includes itself"),
            place,
            format!("this reads `{name}` again"),
        );
        for (source, place) in self.inclusions.open[last + 1..].iter().rev() {
            let name = &self.library.sources().get(*source).name;
            diagnostic = diagnostic.with_label(*place, format!("`{name}` is read because of this"));
        }
        diagnostic.with_help("leave one of these out, or begin the file with `#pragma once`")
    }
}
