//! Which language a text seems to be in, for files whose suffix names none or another one.
//!
//! Only what no other language begins its lines with counts, so that a broken model is not taken for one in another
//! language.

use lapidary_text::{Diagnostic, SourceId, Sources, Span};

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
    /// A model that is read under this suffix.
    Model(&'static str, &'static str),
    /// Properties of a net, in XML.
    Properties,
}

const ALTARICA: Kind = Kind::Model("alt", "AltaRica");
const GCL: Kind = Kind::Model("gcl", "a model in guarded commands");
const IR: Kind = Kind::Model("lir", "the textual form of a model");
const LOLA: Kind = Kind::Model("lola", "a LoLA net");
pub(crate) const PNML: Kind = Kind::Model("pnml", "a PNML net");
const SPEC: Kind = Kind::Model("spec", "a MIST specification");
const TTS: Kind = Kind::Model("tts", "a thread transition system");

/// What the text seems to be, if it is sure enough.
pub(crate) fn seems(text: &str) -> Option<Seems> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim_start().starts_with('<') {
        return xml(text);
    }
    let mut signs = Signs::default();
    let mut at = 0;
    for line in text.split_inclusive('\n').take(MAX_LINES) {
        let start = at + (line.len() - line.trim_start().len());
        signs.line(line.trim(), start);
        at += line.len();
    }
    signs.sum()
}

fn xml(text: &str) -> Option<Seems> {
    let tags = [("<pnml", PNML), ("<net ", PNML), ("<property-set", Kind::Properties)];
    let found = tags.into_iter().filter_map(|(tag, kind)| text.find(tag).map(|start| (start, tag, kind)));
    let (start, tag, kind) = found.min_by_key(|&(start, ..)| start)?;
    Some(Seems { kind, start, end: start + tag.trim_end().len() })
}

/// The first place of each thing that only one language has.
#[derive(Default)]
struct Signs {
    node: Option<(usize, usize)>,
    edon: Option<(usize, usize)>,
    vars: Option<(usize, usize)>,
    rules: Option<(usize, usize)>,
    place: Option<(usize, usize)>,
    transition: Option<(usize, usize)>,
    declaration: Option<(usize, usize)>,
    command: Option<(usize, usize)>,
    model: Option<(usize, usize)>,
    sizes: Option<(usize, usize)>,
    threads: Option<(usize, usize)>,
}

impl Signs {
    fn line(&mut self, line: &str, start: usize) {
        let is_comment = ["//", "/*", "*", "#", "{"].iter().any(|open| line.starts_with(open));
        if line.is_empty() || is_comment {
            return;
        }
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let len = line.find(|c| !is_word(c)).unwrap_or(line.len());
        let (word, rest) = (&line[..len], line[len..].trim_start());
        let named = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        let behind = rest[named..].trim_start();
        let sign = match word {
            "node" | "Node" | "NODE" if named > 0 => &mut self.node,
            "edon" | "Edon" | "EDON" => &mut self.edon,
            "vars" if !rest.starts_with([':', '=']) => &mut self.vars,
            "rules" if !rest.starts_with([':', '=']) => &mut self.rules,
            "PLACE" => &mut self.place,
            "TRANSITION" => &mut self.transition,
            "model" if behind == ";" => &mut self.model,
            "var" | "type" | "define" | "invariant" | "reach" if named > 0 && behind.starts_with([':', '=', ',']) => {
                &mut self.declaration
            }
            "process" if named > 0 && behind.starts_with('(') => &mut self.declaration,
            "control" if rest.starts_with("var ") => &mut self.declaration,
            "command" if behind.starts_with([':', '.', '[']) => &mut self.command,
            _ if is_number(word) && is_number(rest) => &mut self.sizes,
            _ if is_number(word) && line.contains("->") => &mut self.threads,
            _ => return,
        };
        sign.get_or_insert((start, start + len));
    }

    fn sum(&self) -> Option<Seems> {
        let both = |one: Option<(usize, usize)>, other: Option<(usize, usize)>| one.filter(|_| other.is_some());
        let found = [
            (ALTARICA, both(self.node, self.edon)),
            (SPEC, both(self.vars, self.rules)),
            (LOLA, both(self.place, self.transition)),
            (IR, both(self.model, self.command.or(self.declaration))),
            (TTS, both(self.sizes, self.threads)),
            (GCL, self.declaration),
        ];
        let (kind, (start, end)) = found.into_iter().find_map(|(kind, place)| Some((kind, place?)))?;
        Some(Seems { kind, start, end })
    }
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
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
    let seems = seems(text).filter(|seems| !matches!(seems.kind, Kind::Model(suffix, _) if suffix == own))?;
    let what = match seems.kind {
        Kind::Model(_, what) => what,
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
        Kind::Model(suffix, what) => {
            (format!("this is how {what} is written"), format!("rename the file to {}", renamed(&file.name, suffix)))
        }
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
            Kind::Model(suffix, _) => suffix,
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
            ("model m;\nvar x : bool;\ncommand a: skip\n", Some("lir")),
            ("\u{feff}<?xml version=\"1.0\"?>\n<pnml>\n", Some("pnml")),
            ("<property-set xmlns=\"x\">\n", Some("properties")),
            ("var x = 3;\nconsole.log(x)\n", Some("gcl")),
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
