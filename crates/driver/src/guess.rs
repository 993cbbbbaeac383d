//! Which language a text seems to be in, for files whose suffix names none or another one.
//!
//! Only what no other language begins its lines with counts, so that a broken model is not taken for one in another
//! language.

use std::cmp::Reverse;

use lapidary_text::{Diagnostic, SourceId, Sources, Span};

use crate::languages::{LANGUAGES, Language, Looks};

/// So many lines are looked at: a text shows early what it is.
const MAX_LINES: usize = 10_000;

/// What a text seems to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Seems {
    pub kind: Kind,
    /// The bytes that show it.
    start: usize,
    end: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Model(&'static Language),
    /// Properties of a net, in XML.
    Properties,
}

/// What the text seems to be, if it is sure enough.
pub(crate) fn seems(text: &str) -> Option<Seems> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim_start().starts_with('<') {
        return xml(text);
    }
    let mut candidates: Vec<Candidate> = LANGUAGES.into_iter().filter_map(Candidate::of).collect();
    let mut at = 0;
    for line in text.split_inclusive('\n').take(MAX_LINES) {
        let start = at + (line.len() - line.trim_start().len());
        if let Some(line) = Line::of(line.trim()) {
            candidates.iter_mut().for_each(|candidate| candidate.look(&line, start));
        }
        at += line.len();
    }
    // Two signs say more than one.
    let found = candidates.iter().filter_map(|candidate| Some((candidate, candidate.place()?)));
    let (candidate, (start, end)) = found.min_by_key(|(candidate, _)| Reverse(candidate.kinds.len()))?;
    Some(Seems { kind: Kind::Model(candidate.language), start, end })
}

fn xml(text: &str) -> Option<Seems> {
    let tags = LANGUAGES.into_iter().flat_map(|language| match language.looks {
        Looks::Xml(tags) => tags.iter().map(|tag| (*tag, Kind::Model(language))).collect(),
        Looks::Lines(_) | Looks::Plain => Vec::new(),
    });
    let tags = tags.chain([("<property-set", Kind::Properties)]);
    let found = tags.filter_map(|(tag, kind)| text.find(tag).map(|start| (start, tag, kind)));
    let (start, tag, kind) = found.min_by_key(|&(start, ..)| start)?;
    Some(Seems { kind, start, end: start + tag.trim_end().len() })
}

/// A line that is no comment, taken apart.
pub(crate) struct Line<'a> {
    pub text: &'a str,
    /// What it begins with, if that is a word or a number.
    pub word: &'a str,
    /// What stands behind that.
    pub rest: &'a str,
    /// Whether the rest begins with a word.
    pub is_named: bool,
    /// What stands behind that.
    pub behind: &'a str,
}

impl<'a> Line<'a> {
    fn of(text: &'a str) -> Option<Self> {
        let is_comment = ["//", "/*", "*", "#", "{"].iter().any(|open| text.starts_with(open));
        if text.is_empty() || is_comment {
            return None;
        }
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let len = text.find(|c| !is_word(c)).unwrap_or(text.len());
        let (word, rest) = (&text[..len], text[len..].trim_start());
        let named = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        Some(Self { text, word, rest, is_named: named > 0, behind: rest[named..].trim_start() })
    }
}

/// Whether a line is of a kind that only one language has.
pub(crate) type IsSign = fn(&Line<'_>) -> bool;

/// A declaration as guarded commands and the textual form of models have it.
pub(crate) fn declares(line: &Line<'_>) -> bool {
    match line.word {
        // Other languages declare alike, but end nothing with a semicolon.
        "var" | "type" if !line.text.contains(';') => false,
        "var" | "type" | "define" | "invariant" | "reach" => line.is_named && line.behind.starts_with([':', '=', ',']),
        "process" => line.is_named && line.behind.starts_with('('),
        "control" => line.rest.starts_with("var "),
        _ => false,
    }
}

/// A language, and where the first line of each kind is that only it has.
struct Candidate {
    language: &'static Language,
    kinds: Vec<(IsSign, Option<(usize, usize)>)>,
}

impl Candidate {
    fn of(language: &'static Language) -> Option<Self> {
        match language.looks {
            Looks::Lines(kinds) => Some(Self { language, kinds: kinds.iter().map(|&kind| (kind, None)).collect() }),
            Looks::Xml(_) | Looks::Plain => None,
        }
    }

    fn look(&mut self, line: &Line<'_>, start: usize) {
        for (is_of_kind, place) in &mut self.kinds {
            if place.is_none() && is_of_kind(line) {
                *place = Some((start, start + line.word.len()));
            }
        }
    }

    /// Where the first kind is, if all are there.
    fn place(&self) -> Option<(usize, usize)> {
        self.kinds.iter().map(|(_, place)| *place).collect::<Option<Vec<_>>>()?.first().copied()
    }
}

/// Explains a file whose suffix names no language, if its text shows what it is.
pub(crate) fn without_suffix(sources: &Sources, source: SourceId) -> Option<Diagnostic> {
    let message = match suffix(&sources.get(source).name) {
        "" => "the name of this file has no suffix, so nothing says which language it is in".to_owned(),
        suffix => format!("the suffix .{suffix} names no language"),
    };
    explain(sources, source, "file007", message)
}

/// Explains a text that could not be read since it is in another language than its suffix says.
pub(crate) fn other_language(sources: &Sources, source: SourceId) -> Option<Diagnostic> {
    let text = &sources.get(source).text;
    let own = suffix(&sources.get(source).name);
    let seems =
        seems(text).filter(|seems| !matches!(seems.kind, Kind::Model(language) if language.suffixes.contains(&own)))?;
    let what = match seems.kind {
        Kind::Model(language) => language.what,
        Kind::Properties => "properties of a net",
    };
    explain(sources, source, "file008", format!("this file is called .{own}, but it seems to be {what}"))
}

fn explain(sources: &Sources, source: SourceId, code: &'static str, message: String) -> Option<Diagnostic> {
    let file = sources.get(source);
    let Seems { kind, start, end } = seems(&file.text)?;
    // A byte order mark was skipped.
    let mark = file.text.len() - file.text.strip_prefix('\u{feff}').unwrap_or(&file.text).len();
    let span = Span::new(source, (mark + start) as u32, (mark + end) as u32);
    let (label, help) = match kind {
        Kind::Model(language) => (
            format!("this is how {} is written", language.what),
            format!("rename the file to {}", renamed(&file.name, language.suffix())),
        ),
        Kind::Properties => (
            "these are properties of a net".to_owned(),
            format!("name the net, and the properties with it: lapidary check NET.pnml --formula {}", file.name),
        ),
    };
    Some(Diagnostic::error(code, message, span, label).with_help(help))
}

fn suffix(path: &str) -> &str {
    std::path::Path::new(path).extension().and_then(|suffix| suffix.to_str()).unwrap_or("")
}

fn renamed(path: &str, suffix: &str) -> String {
    std::path::Path::new(path).with_extension(suffix).display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn suffix_of(text: &str) -> Option<&'static str> {
        seems(text).map(|seems| match seems.kind {
            Kind::Model(language) => language.suffix(),
            Kind::Properties => "properties",
        })
    }

    #[test]
    fn each_language_is_known_by_its_own_words() {
        let texts = [
            ("// a lamp\nnode Lamp\n  state on : bool;\nedon\n", Some("alt")),
            ("const N = 2;\ntype T = 0..N;\nvar x : T = 0;\na: x = 0 -> x := 1;\n", Some("gcl")),
            ("# c\nvars\n x y\nrules\n x >= 1 -> ;\ninit x = 0\ntarget y >= 1\n", Some("spec")),
            ("{ c }\nPLACE\n a, b;\nMARKING a: 1;\nTRANSITION t\n CONSUME a: 1;\n PRODUCE b: 1;\n", Some("lola")),
            ("# c\n2 3\n0 0 -> 0 1\n", Some("tts")),
            ("type T : { a }\nvar x : T = a\ntrans {\n}\ninit {}\nenv {}\n", Some("xsts")),
            ("model m;\nvar x : bool;\ncommand a: skip\n", Some("lir")),
            ("\u{feff}<?xml version=\"1.0\"?>\n<pnml>\n", Some("pnml")),
            ("<property-set xmlns=\"x\">\n", Some("properties")),
            ("var x = 3;\nconsole.log(x)\n", Some("gcl")),
            ("// c\nvar n : int\nmain process p {\n  init loc A\n  A -> A\n}\n", Some("cfa")),
            ("hello\n", None),
            ("", None),
            ("<html>", None),
        ];
        for (text, expected) in texts {
            assert_eq!(suffix_of(text), expected, "{text}");
        }
    }

    #[test]
    fn the_place_is_that_of_the_word_that_shows_it() {
        let mut sources = Sources::default();
        let source = sources.add("my/lamp.txt", "\u{feff}\n  node Lamp\nedon\n");
        let diagnostic = without_suffix(&sources, source).unwrap();
        assert_eq!(sources.text(diagnostic.labels[0].0), "node");
        assert_eq!(diagnostic.help.as_deref(), Some("rename the file to my/lamp.alt"));
    }
}
