//! Tokens of a specification; those of AltaRica's expressions are among them, since formulas stand between brackets. The
//! words that AltaRica has too are read in any case, as there.

use lapidary_text::lexing::{self, Trouble};
use lapidary_text::{Diagnostic, Log, SourceId, Span, Token};
use logos::Logos;

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

    #[token("'", lexing::open_quote, priority = 1)]
    #[token("\"", lexing::open_quote, priority = 1)]
    #[token("//", lexing::line_comment)]
    #[token("/*", lexing::block_comment)]
    Ignored,
}

/// The tokens of a text that is shorter than 4 GiB.
pub fn tokens(text: &str, source: SourceId, log: &mut Log) -> Vec<Token<Kind>> {
    let settle = |found: Result<Kind, Trouble>, span: Span, written| match found {
        Ok(Kind::Name) => Some(keyword(written)),
        Ok(kind) => Some(kind),
        Err(Trouble::Character | Trouble::DigitFirst | Trouble::ForeignLetters) => Some(Kind::Strange),
        Err(Trouble::OpenComment) => {
            log.push(lexing::open_comment(codes::OPEN_COMMENT, Span { end: span.start + 2, ..span }, "*/"));
            None
        }
        Err(Trouble::OpenQuote) => {
            let message = "this quoted text is not closed";
            let diagnostic = Diagnostic::error(codes::OPEN_QUOTE, message, span, "it starts here");
            log.push(diagnostic.with_help("close it on the same line with the same quote"));
            None
        }
    };
    let mut found = lexing::tokens(text, lexing::start(text), source, settle);
    lexing::join(&mut found, Kind::Strange);
    for token in found.iter().filter(|token| token.kind == Kind::Strange) {
        let written = text.get(token.span.start as usize..token.span.end as usize).unwrap_or("");
        log.push(lexing::strange(codes::CHARACTER, token.span, written));
    }
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
