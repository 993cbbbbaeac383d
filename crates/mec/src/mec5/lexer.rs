//! Tokens of relation definitions. What is no token is reported and skipped. The words that AltaRica has too are read in
//! any case, as there.

use lapidary_text::lexing::{self, Trouble};
use lapidary_text::{Cursor, Diagnostic, Diagnostics, Span, Token};
use logos::Logos;

use super::codes;

#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
#[logos(skip r"[ \t\r\n\x0C]+", error = Trouble)]
pub enum Kind {
    /// Between quotes it is the same name.
    #[regex("[A-Za-z_][A-Za-z0-9_'^]*")]
    #[regex("'[^'\n]+'")]
    #[regex("\"[^\"\n]+\"")]
    Name,
    #[regex("[0-9]+")]
    Number,
    True,
    False,
    Bool,
    If,
    Then,
    Else,
    Case,
    Struct,
    Tcurts,
    Domain,
    Begin,
    End,
    #[token("!=")]
    Different,
    #[token("!")]
    Bang,
    #[token(":=")]
    Becomes,
    #[token("+=")]
    Least,
    #[token("-=")]
    Greatest,
    #[token("<=>")]
    Equivalent,
    #[token("=>")]
    Implies,
    #[token("<=")]
    AtMost,
    #[token(">=")]
    AtLeast,
    #[token("<")]
    Less,
    #[token(">")]
    Greater,
    #[token("=")]
    Equal,
    #[token("&")]
    And,
    #[token("|")]
    Or,
    #[token("~")]
    Not,
    #[token("+")]
    Plus,
    #[token("-")]
    Minus,
    #[token("*")]
    Times,
    #[token("(")]
    Open,
    #[token(")")]
    Close,
    #[token("[")]
    OpenBracket,
    #[token("]")]
    CloseBracket,
    #[token("{")]
    OpenBrace,
    #[token("}")]
    CloseBrace,
    #[token(",")]
    Comma,
    #[token(";")]
    Semicolon,
    #[token(":")]
    Colon,
    #[token(".")]
    Dot,

    /// Characters without a meaning, and a comment without an end. The parser never sees them.
    Strange,

    #[token("//", lexing::line_comment)]
    #[token("/*", lexing::block_comment)]
    Ignored,
}

/// The tokens of the text under `span`.
pub fn tokens(text: &str, span: Span, diagnostics: &mut Diagnostics) -> Cursor<Kind> {
    let mut found = lexing::tokens(text, 0, span.source, |found, _, written| {
        Some(match found {
            Ok(Kind::Name) => keyword(written),
            Ok(kind) => kind,
            Err(_) => Kind::Strange,
        })
    });
    lexing::join(&mut found, Kind::Strange);
    for Token { kind, span: place } in &mut found {
        let written = &text[place.start as usize..place.end as usize];
        (place.start, place.end) = (span.start + place.start, span.start + place.end);
        if *kind == Kind::Strange {
            diagnostics.push(stray(written, *place));
        }
    }
    Cursor::new(found, span.source, span.end as usize)
}

/// What a word is; between quotes it is a name. Keywords are no part of the automaton: with each of them, in any case, it would
/// have a state for every letter.
fn keyword(word: &str) -> Kind {
    match word {
        "begin" => Kind::Begin,
        "end" => Kind::End,
        _ => match word.to_ascii_lowercase().as_str() {
            "and" => Kind::And,
            "bool" => Kind::Bool,
            "case" => Kind::Case,
            "domain" => Kind::Domain,
            "else" => Kind::Else,
            "false" => Kind::False,
            "if" => Kind::If,
            "imply" => Kind::Implies,
            "not" => Kind::Not,
            "or" => Kind::Or,
            "struct" => Kind::Struct,
            "tcurts" => Kind::Tcurts,
            "then" => Kind::Then,
            "true" => Kind::True,
            _ => Kind::Name,
        },
    }
}

fn stray(found: &str, place: Span) -> Diagnostic {
    let unclosed = found.starts_with("/*");
    let label = if unclosed { "this comment has no end" } else { "not part of any formula" };
    Diagnostic::error(codes::CHARACTER, format!("unexpected `{found}`"), place, label)
        .with_help("formulas are made of names, numbers, & | ~ => <=> = != < <= > >= + - * and <x>( ) [x]( )")
}
