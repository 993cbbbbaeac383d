//! Project files (`.project`): the files that one AltaRica model is kept in, a path a line, and its root.
//!
//! Paths are relative to the project file. `#` and `//` begin comments; `node NAME` names the root, as `--node` does.

use lapidary_base::Control;
use lapidary_base::hash::Map;
use lapidary_text::{Diagnostic, SourceId, Sources, Span};

use crate::languages::{self, ALTARICA, PROJECT};
use crate::load::Refusal;
use crate::origins::{Origins, beside};

/// More than this is no model that anybody keeps.
const MAX_FILES: usize = 10_000;

/// After so many mistakes the rest is not looked at.
const MAX_SHOWN: usize = 20;

/// The texts of a model, in order, and the root that it names.
#[derive(Default)]
pub(crate) struct Listed {
    pub texts: Vec<SourceId>,
    pub root: Option<(String, Span)>,
}

/// Opens all that a project lists.
pub(crate) fn listed(
    sources: &mut Sources,
    project: SourceId,
    files: &mut Origins,
    control: &Control,
) -> Result<Listed, Refusal> {
    let mut reader = Reader { project, listed: Listed::default(), places: Map::default(), wrong: Vec::new() };
    for (line, span) in lines(sources, project) {
        control.check()?;
        if reader.wrong.len() >= MAX_SHOWN {
            break;
        }
        reader.line(&line, span, sources, files);
    }
    reader.finish()
}

/// Lines with something in them, and the places of that.
fn lines(sources: &Sources, project: SourceId) -> Vec<(String, Span)> {
    let text = &sources.get(project).text;
    let mut found = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let content = without_comment(line).trim_end();
        let words = content.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
        if !words.is_empty() {
            let first = start + (content.len() - words.len());
            let span = Span::new(project, first as u32, (first + words.len()) as u32);
            found.push((words.to_owned(), span));
        }
        start += line.len();
    }
    found
}

/// A comment begins where a word could: a path may have either sign within it.
fn without_comment(line: &str) -> &str {
    let begins = |(at, _): &(usize, char)| {
        let is_sign = line[*at..].starts_with('#') || line[*at..].starts_with("//");
        is_sign && line[..*at].chars().next_back().is_none_or(|before| before.is_whitespace() || before == '\u{feff}')
    };
    line.char_indices().find(begins).map_or(line, |(at, _)| &line[..at])
}

struct Reader {
    project: SourceId,
    listed: Listed,
    /// Where each file is listed.
    places: Map<SourceId, Span>,
    wrong: Vec<Diagnostic>,
}

impl Reader {
    fn line(&mut self, line: &str, span: Span, sources: &mut Sources, files: &mut Origins) {
        if let Some(rest) = line.strip_prefix("node").filter(|rest| rest.is_empty() || rest.starts_with([' ', '\t'])) {
            return self.root(rest.trim(), span);
        }
        let path = beside(&sources.get(self.project).name, line);
        let language = languages::of(&path);
        if language == Some(&ALTARICA) {
            self.file(&path, span, sources, files);
        } else if language == Some(&PROJECT) {
            self.complain(
                ("file002", "a project cannot list another project"),
                (span, "a project"),
                "list its files here",
            );
        } else {
            self.complain(
                ("file002", "only AltaRica models are kept in several files"),
                (span, "not a file that ends in .alt"),
                "list .alt files; `node NAME` names the root, and `#` begins a comment",
            );
        }
    }

    fn file(&mut self, path: &str, span: Span, sources: &mut Sources, files: &mut Origins) {
        if self.listed.texts.len() >= MAX_FILES {
            let message = format!("the project lists more than {MAX_FILES} files");
            let help = "put some of them together";
            return self.complain(("file005", &message), (span, "one too many"), help);
        }
        let source = match files.open(sources, path) {
            Ok(source) => source,
            Err(why) => {
                let help = "paths are relative to the project file";
                return self.complain(("file003", &why), (span, "listed here"), help);
            }
        };
        if let Some(place) = self.places.get(&source) {
            let diagnostic = Diagnostic::error("file004", "this file is listed twice", span, "listed again here");
            let diagnostic = diagnostic.with_label(*place, "first listed here");
            return self.wrong.push(diagnostic.with_help("each file is read once: leave one of the lines out"));
        }
        self.places.insert(source, span);
        self.listed.texts.push(source);
    }

    fn root(&mut self, name: &str, span: Span) {
        if name.is_empty() || name.contains(char::is_whitespace) {
            let help = "write `node NAME`, as with --node";
            return self.complain(("file006", "the root is not one node"), (span, "which node?"), help);
        }
        if let Some((_, first)) = &self.listed.root {
            let diagnostic = Diagnostic::error("file006", "the project has two roots", span, "named again here");
            let diagnostic = diagnostic.with_label(*first, "the first one");
            return self.wrong.push(diagnostic.with_help("leave one of the lines out; --node names another root"));
        }
        self.listed.root = Some((name.to_owned(), span));
    }

    fn complain(&mut self, (code, message): (&'static str, &str), (span, label): (Span, &str), help: &str) {
        self.wrong.push(Diagnostic::error(code, message, span, label).with_help(help));
    }

    fn finish(mut self) -> Result<Listed, Refusal> {
        if self.wrong.is_empty() && self.listed.texts.is_empty() {
            let place = Span::new(self.project, 0, 1);
            self.complain(
                ("file005", "the project lists no file"),
                (place, "nothing to read here"),
                "write the path of an .alt file on each line",
            );
        }
        if self.wrong.is_empty() { Ok(self.listed) } else { Err(Refusal::Text(self.wrong)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_begin_where_a_word_could() {
        let mut sources = Sources::default();
        let text = "\u{feff}# all\r\n a.alt // first\r\n\nlib/b#1.alt\n//\nc//d.alt # last";
        let project = sources.add("m.project", text);
        let found = lines(&sources, project);
        let words: Vec<&str> = found.iter().map(|(line, _)| line.as_str()).collect();
        assert_eq!(words, ["a.alt", "lib/b#1.alt", "c//d.alt"]);
        assert!(found.iter().all(|(line, span)| sources.text(*span) == line));
    }
}
