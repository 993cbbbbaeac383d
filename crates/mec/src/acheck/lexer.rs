//! Tokens of a specification; those of AltaRica's expressions are among them, since formulas stand between brackets. The
//! words that AltaRica has too are read in any case, as there.

use lapidary_text::{Diagnostic, Log, SourceId, Span, Token};
use logos::{Lexer, Logos, Skip};

use super::codes;

#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
#[logos(skip r"[ \t\r\n\x0C]+", error = Trouble)]
pub enum Kind {
    #[regex("[A-Za-z_][A-Za-z0-9_'^]*")]
    Name,
    #[regex("[0-9]+")]
    Number,
    /// `'file'` or `"file"`
    #[regex("'[^'\n]*'")]
    #[regex("\"[^\"\n]*\"")]
    Quoted,

    With,
    Do,
    Done,
    Label,
    Attribute,
    #[token("&")]
    And,
    #[token("|")]
    Or,
    #[token("~")]
    Not,
    #[token("-")]
    Minus,

    #[token(":=")]
    Define,
    #[token("+=")]
    Least,
    #[token("-=")]
    Greatest,
    #[token(">")]
    Into,
    #[token(">>")]
    Onto,
    #[token("(")]
    LeftParen,
    #[token(")")]
    RightParen,
    #[token("[")]
    LeftBracket,
    #[token("]")]
    RightBracket,
    #[token(",")]
    Comma,
    #[token(".")]
    Dot,
    #[token(";")]
    Semicolon,

    /// Symbols that only formulas use.
    #[token("?")]
    #[token(":")]
    #[token("{")]
    #[token("}")]
    #[token("!=")]
    #[token("<=")]
    #[token(">=")]
    #[token("<")]
    #[token("=")]
    #[token("=>")]
    #[token("+")]
    #[token("*")]
    #[token("/")]
    Symbol,

    /// Characters without a meaning. They stay among the tokens, so that the parser stumbles over them silently.
    Strange,

    #[token("'", open_quote, priority = 1)]
    #[token("\"", open_quote, priority = 1)]
    #[token("//", line_comment)]
    #[token("/*", block_comment)]
    Ignored,
}

/// Why some bytes are no token.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Trouble {
    #[default]
    Character,
    OpenComment,
    OpenQuote,
}

fn open_quote(_: &mut Lexer<'_, Kind>) -> Result<Skip, Trouble> {
    Err(Trouble::OpenQuote)
}

fn line_comment(lexer: &mut Lexer<'_, Kind>) -> Skip {
    let rest = lexer.remainder();
    lexer.bump(rest.find('\n').unwrap_or(rest.len()));
    Skip
}

fn block_comment(lexer: &mut Lexer<'_, Kind>) -> Result<Skip, Trouble> {
    let rest = lexer.remainder();
    match rest.find("*/") {
        Some(end) => {
            lexer.bump(end + 2);
            Ok(Skip)
        }
        None => {
            lexer.bump(rest.len());
            Err(Trouble::OpenComment)
        }
    }
}

/// The tokens of a text that is shorter than 4 GiB.
pub fn tokens(text: &str, source: SourceId, log: &mut Log) -> Vec<Token<Kind>> {
    let start = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let mut lexer = Kind::lexer(text);
    lexer.bump(start);
    let mut found: Vec<Token<Kind>> = Vec::new();
    while let Some(result) = lexer.next() {
        let bytes = lexer.span();
        let span = Span::new(source, bytes.start as u32, bytes.end as u32);
        match result {
            Ok(Kind::Name) => found.push(Token { kind: keyword(lexer.slice()), span }),
            Ok(kind) => found.push(Token { kind, span }),
            Err(Trouble::Character) => match found.last_mut() {
                // Neighbouring strange characters are one mistake.
                Some(last) if last.kind == Kind::Strange && last.span.end == span.start => last.span.end = span.end,
                _ => found.push(Token { kind: Kind::Strange, span }),
            },
            Err(Trouble::OpenComment) => log.push(open_comment(span)),
            Err(Trouble::OpenQuote) => {
                let message = "this quoted text is not closed";
                let diagnostic = Diagnostic::error(codes::OPEN_QUOTE, message, span, "it starts here");
                log.push(diagnostic.with_help("close it on the same line with the same quote"));
            }
        }
    }
    report_strange(&found, text, log);
    found
}

/// What a word is. Keywords are no part of the automaton: with each of them, in any case, it would
/// have a state for every letter.
fn keyword(word: &str) -> Kind {
    match word {
        "attribute" => Kind::Attribute,
        "do" => Kind::Do,
        "done" => Kind::Done,
        "label" => Kind::Label,
        "with" => Kind::With,
        _ => match word.to_ascii_lowercase().as_str() {
            "and" => Kind::And,
            "not" => Kind::Not,
            "or" => Kind::Or,
            _ => Kind::Name,
        },
    }
}

fn open_comment(span: Span) -> Diagnostic {
    let start = Span::new(span.source, span.start, span.start + 2);
    Diagnostic::error(codes::OPEN_COMMENT, "this comment is not closed", start, "it reaches to the end of the text")
        .with_help("close it with `*/`; comments do not nest")
}

fn report_strange(tokens: &[Token<Kind>], text: &str, log: &mut Log) {
    for token in tokens.iter().filter(|token| token.kind == Kind::Strange) {
        let slice = text.get(token.span.start as usize..token.span.end as usize).unwrap_or("");
        let shown: String = slice.chars().take(20).flat_map(char::escape_debug).collect();
        let message = format!("`{shown}` has no meaning here");
        log.push(Diagnostic::error(codes::CHARACTER, message, token.span, "not part of the language"));
    }
}
