//! Words, numbers and signs: the tokens of all textual languages for nets. They differ in their signs, comments and in
//! what a word is made of; keywords are told apart by the parsers.

use lapidary_text::{Diagnostic, Log, SourceId, Span, Token, lexing};

use super::codes;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Word,
    /// A word of digits only.
    Number,
    /// A name between double quotes.
    Quoted,
    Sign(&'static str),
    /// The end of a line, where lines matter.
    Line,
    /// Characters without a meaning. They stay among the tokens, so that the parser stumbles over them silently.
    Strange,
}

/// What a comment begins and ends with; one without an end reaches to the end of its line.
pub struct Comment {
    pub open: &'static str,
    pub close: Option<&'static str>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Lines {
    Matter,
    AreBlank,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Quotes {
    MakeNames,
    AreStrange,
}

/// The lexical side of a language.
pub struct Lexis {
    /// Longer ones before their beginnings.
    pub signs: &'static [&'static str],
    pub comments: &'static [Comment],
    /// Whether a character continues a word, given the text from it on; what is a sign is found before words.
    pub is_word: fn(&str, char) -> bool,
    pub lines: Lines,
    pub quotes: Quotes,
}

/// The tokens of a text that is shorter than 4 GiB, from a place on.
pub fn tokens(text: &str, from: usize, source: SourceId, lexis: &Lexis, log: &mut Log) -> Vec<Token<Kind>> {
    let mut found: Vec<Token<Kind>> = Vec::new();
    let mut at = if from == 0 { lexing::start(text) } else { from };
    while let Some((kind, len)) = next(&text[at..], source, at, lexis, log) {
        if !log.goes_on() {
            return Vec::new();
        }
        // The end of a line is shown where it is, without the beginning of the next.
        let shown = if kind == Some(Kind::Line) { 0 } else { len };
        let span = Span::new(source, at as u32, (at + shown) as u32);
        at += len;
        found.extend(kind.map(|kind| Token { kind, span }));
    }
    lexing::join(&mut found, Kind::Strange);
    for token in found.iter().filter(|token| token.kind == Kind::Strange) {
        let written = &text[token.span.start as usize..token.span.end as usize];
        log.push(
            lexing::strange(codes::CHARACTER, token.span, written)
                .with_help("leave it out; names with odd characters cannot be written in every language"),
        );
    }
    found
}

/// What the text begins with and how long that is; nothing for blanks and comments. `None` at the end.
fn next(rest: &str, source: SourceId, at: usize, lexis: &Lexis, log: &mut Log) -> Option<(Option<Kind>, usize)> {
    let first = rest.chars().next()?;
    if first == '\n' && lexis.lines == Lines::Matter {
        return Some((Some(Kind::Line), 1));
    }
    if first.is_whitespace() {
        return Some((None, first.len_utf8()));
    }
    if let Some(comment) = lexis.comments.iter().find(|comment| rest.starts_with(comment.open)) {
        let span = Span::new(source, at as u32, (at + comment.open.len()) as u32);
        return Some((None, comment_len(rest, comment, span, log)));
    }
    if let Some(own) = lexis.comments.iter().find(|comment| comment.close.is_none())
        && rest.starts_with("//")
        && !lexis.signs.iter().any(|sign| rest.starts_with(sign))
    {
        let span = Span::new(source, at as u32, at as u32 + 2);
        let message = "comments do not begin with `//` here";
        let diagnostic = Diagnostic::error(codes::CHARACTER, message, span, "not part of the language");
        log.push(diagnostic.with_help(format!("begin it with `{}`", own.open)));
        return Some((None, lexing::line_len(rest)));
    }
    if first == '"' && lexis.quotes == Quotes::MakeNames {
        let close = rest[1..].find(['"', '\n']).map(|end| end + 1).filter(|&end| rest[end..].starts_with('"'));
        if close.is_none() {
            let span = Span::new(source, at as u32, at as u32 + 1);
            log.push(
                Diagnostic::error(codes::OPEN, "this name is not closed", span, "no other `\"` on this line")
                    .with_help("close it with `\"`"),
            );
        }
        let len = close.map_or_else(|| lexing::line_len(rest), |end| end + 1);
        return Some((Some(Kind::Quoted), len));
    }
    if let Some(sign) = lexis.signs.iter().find(|sign| rest.starts_with(**sign)) {
        return Some((Some(Kind::Sign(sign)), sign.len()));
    }
    let is_word = |&(i, character): &(usize, char)| {
        // No sign begins with a letter or a digit.
        let is_sign = !character.is_alphanumeric() && lexis.signs.iter().any(|sign| rest[i..].starts_with(*sign));
        (lexis.is_word)(&rest[i..], character) && (!is_sign || is_inner_dash(&rest[i..], i))
    };
    let len = rest.char_indices().take_while(is_word).last().map_or(0, |(i, last)| i + last.len_utf8());
    match &rest[..len] {
        "" => Some((Some(Kind::Strange), first.len_utf8())),
        word if word.bytes().all(|byte| byte.is_ascii_digit()) => Some((Some(Kind::Number), len)),
        _ => Some((Some(Kind::Word), len)),
    }
}

/// Names like `P-poll_1`, which are common, have dashes inside; where those of a language may, `is_word` says so.
fn is_inner_dash(rest: &str, at: usize) -> bool {
    at > 0 && rest.starts_with('-') && !rest.starts_with("->")
}

fn comment_len(rest: &str, comment: &Comment, span: Span, log: &mut Log) -> usize {
    let Some(close) = comment.close else { return lexing::line_len(rest) };
    lexing::comment_len(rest, comment.open, close).unwrap_or_else(|| {
        log.push(lexing::open_comment(codes::OPEN, span, close));
        rest.len()
    })
}

/// The first token of a text, as it is written.
pub fn first<'a>(text: &'a str, lexis: &Lexis) -> &'a str {
    let mut at = 0;
    while let Some((kind, len)) = next(&text[at..], SourceId(0), at, lexis, &mut Log::default()) {
        if kind.is_some_and(|kind| kind != Kind::Line) {
            return &text[at..at + len];
        }
        at += len;
    }
    ""
}

/// A text on one line: comments left out, single blanks where there were some.
pub fn on_one_line(text: &str, lexis: &Lexis) -> String {
    let mut line = String::new();
    let mut end = 0;
    for token in tokens(text, 0, SourceId(0), lexis, &mut Log::default()) {
        if token.kind == Kind::Line {
            continue;
        }
        if token.span.start > end && !line.is_empty() {
            line.push(' ');
        }
        line.push_str(&text[token.span.start as usize..token.span.end as usize]);
        end = token.span.end;
    }
    line
}
