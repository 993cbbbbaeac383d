//! What the parsers of the textual languages have in common: a cursor over tokens, numbers, and complaints.

use lapidary_ir::Tokens;
use lapidary_text::descent::{Failed, Parsed};
use lapidary_text::{Cursor, Diagnostic, Log, SourceId, Sources, Span, lexing};

use super::codes;
use super::lexer::{self, Kind, Lexis};
use super::limits::{MAX_NUMBER, MAX_TEXT};

/// A name as it is written, without the quotes.
#[derive(Clone, Copy, Debug)]
pub struct Name<'a> {
    pub text: &'a str,
    pub span: Span,
}

pub struct Reader<'a, 'l> {
    pub text: &'a str,
    pub cursor: Cursor<Kind>,
    pub log: &'l mut Log,
    /// The code of complaints that something else was expected.
    unexpected: &'static str,
}

impl<'a, 'l> Reader<'a, 'l> {
    pub fn new(
        sources: &'a Sources,
        source: SourceId,
        lexis: &Lexis,
        unexpected: &'static str,
        log: &'l mut Log,
    ) -> Self {
        let text = text(sources, source, log);
        let whole = Span::new(source, 0, u32::try_from(text.len()).expect("texts are limited"));
        Self::within(sources, whole, lexis, unexpected, log)
    }

    /// Reads a part of a text that is not too long.
    pub fn within(sources: &'a Sources, part: Span, lexis: &Lexis, unexpected: &'static str, log: &'l mut Log) -> Self {
        let text = sources.get(part.source).text.get(..part.end as usize).unwrap_or("");
        let tokens = lexer::tokens(text, part.start as usize, part.source, lexis, log);
        Self { text, cursor: Cursor::new(tokens, part.source, text.len()), log, unexpected }
    }

    pub fn slice(&self, span: Span) -> &'a str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or("")
    }

    /// Whether the next token is this word.
    pub fn at_word(&self, word: &str) -> bool {
        self.cursor.at(Kind::Word) && self.slice(self.cursor.span()) == word
    }

    pub fn eat_word(&mut self, word: &str) -> Option<Span> {
        if self.at_word(word) { self.cursor.next().map(|token| token.span) } else { None }
    }

    pub fn eat(&mut self, sign: &'static str) -> Option<Span> {
        self.cursor.eat(Kind::Sign(sign))
    }

    pub fn at(&self, sign: &'static str) -> bool {
        self.cursor.at(Kind::Sign(sign))
    }

    pub fn expect(&mut self, sign: &'static str) -> Parsed<Span> {
        self.eat(sign).ok_or(()).or_else(|()| self.fail(&format!("`{sign}`"), help_with_sign(sign)))
    }

    pub fn number(&mut self, what: &str, help: &str) -> Parsed<Tokens> {
        let Some(span) = self.cursor.eat(Kind::Number) else { return self.fail(what, help) };
        match self.slice(span).parse() {
            Ok(number) if number <= MAX_NUMBER => Ok(number),
            Ok(_) | Err(_) => {
                self.log.push(too_large(span));
                Err(Failed)
            }
        }
    }

    /// Complains that something else was expected. What is strange or unfinished was complained about already.
    pub fn fail<T>(&mut self, what: &str, help: impl Into<String>) -> Parsed<T> {
        self.complain(what, help);
        Err(Failed)
    }

    pub fn complain(&mut self, what: &str, help: impl Into<String>) {
        if self.cursor.at(Kind::Strange) {
            return;
        }
        let message = format!("expected {what}, found {}", self.found());
        self.log.push(Diagnostic::error(self.unexpected, message, self.cursor.span(), "not this").with_help(help));
    }

    /// Complains that a separator is missing behind the last token.
    pub fn lacks(&mut self, sign: &str, help: &str) {
        let (place, found) = (self.cursor.behind(), self.found());
        let (message, label) = (format!("expected `{sign}`, found {found}"), format!("a `{sign}` is missing here"));
        self.log.push(Diagnostic::error(self.unexpected, message, place, label).with_help(help));
    }

    /// The next token as messages name it.
    fn found(&self) -> String {
        match self.cursor.peek() {
            Some(Kind::Strange) => "something without meaning".to_owned(),
            Some(Kind::Line) => "the end of the line".to_owned(),
            Some(Kind::Word | Kind::Number | Kind::Quoted | Kind::Sign(_)) => {
                format!("`{}`", lexing::beginning(self.slice(self.cursor.span()), 30))
            }
            None => "the end of the text".to_owned(),
        }
    }

    /// Goes on before the next token that is one of these.
    pub fn skip_until(&mut self, is_wanted: impl Fn(&Self) -> bool) {
        while !self.cursor.at_end() && !is_wanted(self) {
            self.cursor.next();
        }
    }
}

/// The whole text of a source, or nothing where it is too long.
pub fn text<'a>(sources: &'a Sources, source: SourceId, log: &mut Log) -> &'a str {
    let text = sources.get(source).text.as_str();
    if text.len() <= MAX_TEXT {
        return text;
    }
    let message = format!("the text is longer than {} MiB", MAX_TEXT >> 20);
    log.push(
        Diagnostic::error(codes::TOO_LONG, message, Span::new(source, 0, 0), "none of it was read")
            .with_help("split the net, or leave out what the property does not need"),
    );
    ""
}

pub fn too_large(span: Span) -> Diagnostic {
    let message = format!("this number is greater than {MAX_NUMBER}");
    Diagnostic::error(codes::LARGE_NUMBER, message, span, "too large").with_help("use smaller numbers of tokens")
}

fn help_with_sign(sign: &str) -> &'static str {
    match sign {
        ";" => "what belongs together ends with `;`",
        "->" => "the guard stands before the arrow, what happens behind it",
        "[" | "]" => "a range is written `[0, 2]`",
        _ => "see the page of the language in docs/languages",
    }
}
