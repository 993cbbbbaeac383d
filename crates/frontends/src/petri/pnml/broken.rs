//! What is wrong with a text that is not XML, in the words of those who write nets.

use lapidary_text::spelling::similar;
use lapidary_text::{Diagnostic, SourceId, Span};
use roxmltree::{Error, TextPos};

use super::super::codes;

/// Explains why a text is not XML: the place is the one to mend, not the one where reading came to an end.
pub fn explain(error: &Error, text: &str, source: SourceId) -> Diagnostic {
    let broken = Broken { text, source, at: offset(text, error.pos()) };
    match error {
        Error::UnexpectedCloseTag(expected, actual, _) => broken.closing(expected, actual),
        Error::UnclosedRootNode => broken.unclosed(text.len(), None),
        Error::InvalidChar2("a quote", ..) => broken.unquoted(),
        Error::InvalidChar2("a whitespace", ..) => broken.joined(),
        Error::InvalidAttributeValue(_) | Error::InvalidChar(b'"' | b'\'', b'<', _) => broken.open_value(),
        Error::InvalidChar(b'=', ..) => {
            broken.at("an attribute has no value", "no `=` before this", "an attribute is written `name=\"value\"`")
        }
        Error::UnknownEntityReference(..) | Error::MalformedEntityReference(_) => {
            broken.at("`&` begins a character of its own name", "no such character", "write `&amp;` for `&`")
        }
        Error::NoRootNode => broken.at("this document is empty", "nothing stands here", ROOT),
        Error::UnknownToken(_) => broken.at("this is not XML: no tag stands here", "not a tag", ROOT),
        Error::UnexpectedEndOfStream => {
            let end = Broken { at: text.trim_end().len(), ..broken };
            end.at("the text ends inside a tag", "it ends here", "a tag ends with `>`, a comment with `-->`")
        }
        Error::DuplicatedAttribute(name, _) => {
            broken.at(&format!("the attribute `{name}` stands twice"), "again", "leave one of them out")
        }
        other => {
            let message = other.to_string();
            let place = format!(" at {}", other.pos());
            let help = "tags are closed in order, attributes are quoted, `<` and `&` are written `&lt;` and `&amp;`";
            broken.at(&format!("this is not XML: {}", message.trim_end_matches(&place)), "here", help)
        }
    }
}

const ROOT: &str = "a net begins with `<pnml>`, properties begin with `<property-set>`";

#[derive(Clone, Copy)]
struct Broken<'t> {
    text: &'t str,
    source: SourceId,
    at: usize,
}

impl<'t> Broken<'t> {
    fn span(&self, start: usize, end: usize) -> Span {
        Span::new(self.source, start as u32, end as u32)
    }

    fn at(&self, message: &str, label: &str, help: &str) -> Diagnostic {
        let end = self.text[self.at..].chars().next().map_or(self.at, |first| self.at + first.len_utf8());
        Diagnostic::error(codes::PNML_XML, message, self.span(self.at, end), label).with_help(help)
    }

    /// A closing tag that does not belong to the tag that is open.
    fn closing(&self, expected: &str, actual: &str) -> Diagnostic {
        let tag = self.span(self.at, self.at + self.text[self.at..].find('>').map_or(0, |end| end + 1));
        let is_open = open_tags(&self.text[..self.at]).iter().any(|open| open.name == actual);
        if is_open {
            return self.unclosed(self.at, Some((tag, actual)));
        }
        let message = format!("`</{actual}>` closes nothing");
        let diagnostic = Diagnostic::error(codes::PNML_XML, message, tag, format!("no `<{actual}>` is open here"));
        diagnostic.with_help(match similar(actual, [expected]) {
            Some(meant) => format!("did you mean `</{meant}>`?"),
            None => "leave it out".to_owned(),
        })
    }

    /// The tag that is still open at this place; `before` is the one that closes another.
    fn unclosed(&self, at: usize, before: Option<(Span, &str)>) -> Diagnostic {
        let open = open_tags(&self.text[..at]);
        let Some(Open { name, start, end }) = open.last().copied() else {
            return self.at("this is not XML: a tag is not closed", "here", ROOT);
        };
        let message = format!("`<{name}>` is not closed");
        let diagnostic = Diagnostic::error(codes::PNML_XML, message, self.span(start, end), "this tag is open");
        let single = format!("end it with `/>` if nothing belongs in it: `<{name} .../>`");
        match before {
            Some((tag, other)) => diagnostic
                .with_label(tag, format!("this closes `<{other}>`"))
                .with_help(format!("write `</{name}>` before `</{other}>`, or {single}")),
            None => diagnostic.with_help(format!("write `</{name}>` where it ends, or {single}")),
        }
    }

    /// A value without quotes.
    fn unquoted(&self) -> Diagnostic {
        let rest = &self.text[self.at..];
        let len = rest.find(|c: char| c.is_whitespace() || matches!(c, '/' | '>')).unwrap_or(rest.len());
        let (value, before) = (&rest[..len], self.text[..self.at].trim_end().trim_end_matches('=').trim_end());
        let start = before.rfind(|c: char| c.is_whitespace()).map_or(0, |blank| blank + 1);
        let message = "the value of an attribute stands in quotes";
        let diagnostic = Diagnostic::error(codes::PNML_XML, message, self.span(self.at, self.at + len), "no quotes");
        diagnostic.with_help(format!("write `{}=\"{value}\"`", &before[start..]))
    }

    /// Something directly behind a value: its quote came too late, or a blank is missing.
    fn joined(&self) -> Diagnostic {
        let before = &self.text[..self.at];
        let quote = before.chars().next_back().filter(|last| matches!(last, '"' | '\''));
        let inside = quote.map(|quote| &before[..before.len() - quote.len_utf8()]);
        let start = inside.zip(quote).and_then(|(inside, quote)| inside.rfind(quote));
        if let (Some(inside), Some(start)) = (inside, start)
            && inside.ends_with('=')
        {
            return self.open_quote(start);
        }
        self.at("a blank is missing before this attribute", "no blank", "put a blank between attributes")
    }

    /// A value that runs into the next tag.
    fn open_value(&self) -> Diagnostic {
        self.open_quote(self.text[..self.at].rfind(['"', '\'']).unwrap_or(self.at))
    }

    /// The value that begins at this quote has no other one where it ought to end.
    fn open_quote(&self, quote: usize) -> Diagnostic {
        let rest = &self.text[(quote + 1).min(self.text.len())..];
        let len = rest.find(|c: char| c.is_whitespace() || matches!(c, '/' | '>' | '<')).unwrap_or(rest.len());
        let place = self.span(quote, (quote + 1 + len).min(self.text.len()));
        Diagnostic::error(codes::PNML_XML, "the value of an attribute is not closed", place, "no quote behind it")
            .with_help(format!("write `\"{}\"`", &rest[..len]))
    }
}

/// A tag that is open.
#[derive(Clone, Copy)]
struct Open<'t> {
    name: &'t str,
    start: usize,
    end: usize,
}

/// The tags that are open at the end of a text, outermost first; attributes are not looked at closely.
fn open_tags(text: &str) -> Vec<Open<'_>> {
    let mut open: Vec<Open<'_>> = Vec::new();
    let mut at = 0;
    while let Some(start) = text[at..].find('<').map(|found| at + found) {
        let rest = &text[start..];
        let skipped = [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>"), ("<!", ">")];
        if let Some((_, close)) = skipped.iter().find(|(begin, _)| rest.starts_with(begin)) {
            at = rest.find(close).map_or(text.len(), |end| start + end + close.len());
            continue;
        }
        let end = rest.find('>').map_or(text.len(), |end| start + end + 1);
        let inside = text[start..end].trim_start_matches('<').trim_end_matches('>');
        match inside.strip_prefix('/') {
            Some(name) if open.last().is_some_and(|open| open.name == name.trim()) => {
                open.pop();
            }
            None if !inside.ends_with('/') => {
                let name = inside.split(|c: char| c.is_whitespace()).next().unwrap_or("");
                open.push(Open { name, start, end });
            }
            Some(_) | None => {}
        }
        at = end;
    }
    open
}

/// The byte at a line and a column.
fn offset(text: &str, place: TextPos) -> usize {
    let line = text.split_inclusive('\n').take(place.row.saturating_sub(1) as usize).map(str::len).sum::<usize>();
    let rest = text.get(line..).unwrap_or("");
    let column = rest.char_indices().nth(place.col.saturating_sub(1) as usize).map_or(rest.len(), |(at, _)| at);
    line + column
}

#[cfg(test)]
mod tests {
    use roxmltree::Document;

    use super::*;

    /// The message, the text at its place and the help.
    fn explained(text: &str) -> (String, &str, String) {
        let error = Document::parse(text).expect_err("it is broken");
        let diagnostic = explain(&error, text, SourceId(0));
        let span = diagnostic.labels[0].0;
        (diagnostic.message, &text[span.start as usize..span.end as usize], diagnostic.help.unwrap())
    }

    #[test]
    fn the_place_is_the_one_to_mend() {
        let told = [
            ("<n><p i=\"1\"><q/></n>", "`<p>` is not closed", "<p i=\"1\">"),
            ("<n><p></q></p></n>", "`</q>` closes nothing", "</q>"),
            ("<n><p/>", "`<n>` is not closed", "<n>"),
            ("<n><p i=busy/></n>", "the value of an attribute stands in quotes", "busy"),
            ("<n i=\"a\"j=\"b\"/>", "a blank is missing before this attribute", "j"),
            ("<n i=\"a j=\"b\"/>", "the value of an attribute is not closed", "\"a"),
            ("<n><p i=\"a/><q i=\"b\"/></n>", "the value of an attribute is not closed", "\"a"),
            ("<n>a & b</n>", "`&` begins a character of its own name", "&"),
            ("vars x", "this is not XML: no tag stands here", "v"),
            ("<n i=\"1\" i=\"2\"/>", "the attribute `i` stands twice", "i"),
        ];
        for (text, message, place) in told {
            let found = explained(text);
            assert_eq!((found.0.as_str(), found.1), (message, place), "{text}");
        }
    }

    #[test]
    fn a_slip_in_a_closing_tag_is_that_and_no_more() {
        assert_eq!(explained("<net><place></plase></net>").2, "did you mean `</place>`?");
    }

    #[test]
    fn nothing_that_is_cut_off_anywhere_goes_wrong() {
        let text = "<?xml version=\"1.0\"?><!-- a > --><né i='\u{e9}'><p>&amp;<![CDATA[<]]></p><q j=\"\"/></né>";
        for end in (0..text.len()).filter(|&end| text.is_char_boundary(end)) {
            if let Err(error) = Document::parse(&text[..end]) {
                explain(&error, &text[..end], SourceId(0));
            }
        }
    }
}
