//! Lexemes of the language: what stands in the text, before macros are put in and before anything is reported.

use lapidary_text::lexing::{self, Trouble};
use lapidary_text::{Log, SourceId, Span, Token};
use logos::Logos;

use super::codes;

#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
#[logos(skip r"[ \t\r\x0B\x0C]+", skip r"\\\r?\n", error = Trouble)]
pub enum Kind {
    #[regex("[A-Za-z_][A-Za-z0-9_'^]*", |lexer| lexing::own_letters(lexer, "_'^"))]
    Name,
    #[regex("[0-9]+")]
    Number,

    Assert,
    Bool,
    Case,
    Const,
    Domain,
    Edon,
    Else,
    Event,
    Extern,
    False,
    Flow,
    If,
    Init,
    Integer,
    Max,
    Min,
    Node,
    Param,
    ParamSet,
    Sig,
    Sort,
    State,
    Struct,
    Sub,
    Sync,
    Tcurts,
    Then,
    Trans,
    True,

    #[token("=>")]
    Imply,
    #[token("|")]
    Or,
    #[token("&")]
    And,
    #[token("~")]
    Not,
    #[token("=")]
    Eq,
    #[token("!=")]
    Ne,
    #[token("<")]
    Lt,
    #[token("<=")]
    Le,
    #[token(">")]
    Gt,
    #[token(">=")]
    Ge,
    #[token("+")]
    Plus,
    #[token("-")]
    Minus,
    #[token("*")]
    Star,
    #[token("/")]
    Slash,
    Mod,
    #[token("(")]
    LeftParen,
    #[token(")")]
    RightParen,
    #[token("[")]
    LeftBracket,
    #[token("]")]
    RightBracket,
    #[token("{")]
    LeftBrace,
    #[token("}")]
    RightBrace,
    #[token(".")]
    Dot,
    #[token(",")]
    Comma,
    #[token(":")]
    Colon,
    #[token(";")]
    Semicolon,
    #[token("?")]
    Question,
    #[token("|-")]
    Turnstile,
    #[token("->")]
    Arrow,
    #[token(":=")]
    Assign,

    /// One directive of an `extern` section. It has a syntax of its own, which nobody here knows.
    Directive,
    /// Characters without a meaning. They stay among the tokens, so that the parser stumbles over them silently.
    Strange,

    // What follows never reaches the parser.
    #[token("\n")]
    Newline,
    #[token("#")]
    Hash,
    #[regex(r"'[^'\n]*'")]
    #[regex(r#""[^"\n]*""#)]
    Quoted,
    #[regex(r"'[^'\n]*")]
    #[regex(r#""[^"\n]*"#)]
    OpenQuote,
    #[regex("[0-9]+[A-Za-z_][A-Za-z0-9_'^]*")]
    DigitFirst,
    ForeignWord,
    /// An operator of another language; the parser sees the one that is meant.
    #[token("==")]
    #[token("&&")]
    #[token("||")]
    #[token("!")]
    #[token("%")]
    #[token("<>")]
    #[token("<=>")]
    #[token("<->")]
    Foreign,
    #[regex(r"[^\x00-\x7F]", |lexer| lexing::foreign_letter(lexer, "_'^"))]
    #[token("//", lexing::line_comment)]
    #[token("/*", lexing::block_comment)]
    Ignored,
}

/// The lexemes of a text, from some byte on. Only comments that are not closed are reported here: whether the rest
/// matters depends on where it stands.
pub fn lexemes(text: &str, start: usize, source: SourceId, log: &mut Log) -> Vec<Token<Kind>> {
    let start = if start == 0 { lexing::start(text) } else { start };
    lexing::tokens(text, start, source, |found, span, written| match found {
        Ok(Kind::Name) => Some(keyword(written)),
        Ok(kind) => Some(kind),
        Err(Trouble::Character | Trouble::OpenQuote | Trouble::DigitFirst) => Some(Kind::Strange),
        Err(Trouble::ForeignLetters) => Some(Kind::ForeignWord),
        Err(Trouble::OpenComment) => {
            log.push(lexing::open_comment(codes::OPEN_COMMENT, Span { end: span.start + 2, ..span }, "*/"));
            None
        }
    })
}

/// What a bare word is. Keywords are written in any mixture of capital and small letters.
pub fn keyword(word: &str) -> Kind {
    match word.to_ascii_lowercase().as_str() {
        "and" => Kind::And,
        "assert" => Kind::Assert,
        "bool" => Kind::Bool,
        "case" => Kind::Case,
        "const" => Kind::Const,
        "domain" => Kind::Domain,
        "edon" => Kind::Edon,
        "else" => Kind::Else,
        "event" => Kind::Event,
        "extern" => Kind::Extern,
        "false" => Kind::False,
        "flow" => Kind::Flow,
        "if" => Kind::If,
        "imply" => Kind::Imply,
        "init" => Kind::Init,
        "integer" => Kind::Integer,
        "max" => Kind::Max,
        "min" => Kind::Min,
        "mod" => Kind::Mod,
        "node" => Kind::Node,
        "not" => Kind::Not,
        "or" => Kind::Or,
        "param" => Kind::Param,
        "param_set" => Kind::ParamSet,
        "sig" => Kind::Sig,
        "sort" => Kind::Sort,
        "state" => Kind::State,
        "struct" => Kind::Struct,
        "sub" => Kind::Sub,
        "sync" => Kind::Sync,
        "tcurts" => Kind::Tcurts,
        "then" => Kind::Then,
        "trans" => Kind::Trans,
        "true" => Kind::True,
        _ => Kind::Name,
    }
}

/// A kind of token as messages name it.
pub fn describe(kind: Kind) -> &'static str {
    match kind {
        Kind::Name => "a name",
        Kind::Number => "a number",
        Kind::And => "`and`",
        Kind::Assert => "`assert`",
        Kind::Bool => "`bool`",
        Kind::Case => "`case`",
        Kind::Const => "`const`",
        Kind::Domain => "`domain`",
        Kind::Edon => "`edon`",
        Kind::Else => "`else`",
        Kind::Event => "`event`",
        Kind::Extern => "`extern`",
        Kind::False => "`false`",
        Kind::Flow => "`flow`",
        Kind::If => "`if`",
        Kind::Init => "`init`",
        Kind::Integer => "`integer`",
        Kind::Max => "`max`",
        Kind::Min => "`min`",
        Kind::Node => "`node`",
        Kind::Param => "`param`",
        Kind::ParamSet => "`param_set`",
        Kind::Sig => "`sig`",
        Kind::Sort => "`sort`",
        Kind::State => "`state`",
        Kind::Struct => "`struct`",
        Kind::Sub => "`sub`",
        Kind::Sync => "`sync`",
        Kind::Tcurts => "`tcurts`",
        Kind::Then => "`then`",
        Kind::Trans => "`trans`",
        Kind::True => "`true`",
        Kind::Imply => "`=>`",
        Kind::Or => "`or`",
        Kind::Not => "`not`",
        Kind::Eq => "`=`",
        Kind::Ne => "`!=`",
        Kind::Lt => "`<`",
        Kind::Le => "`<=`",
        Kind::Gt => "`>`",
        Kind::Ge => "`>=`",
        Kind::Plus => "`+`",
        Kind::Minus => "`-`",
        Kind::Star => "`*`",
        Kind::Slash => "`/`",
        Kind::Mod => "`mod`",
        Kind::LeftParen => "`(`",
        Kind::RightParen => "`)`",
        Kind::LeftBracket => "`[`",
        Kind::RightBracket => "`]`",
        Kind::LeftBrace => "`{`",
        Kind::RightBrace => "`}`",
        Kind::Dot => "`.`",
        Kind::Comma => "`,`",
        Kind::Colon => "`:`",
        Kind::Semicolon => "`;`",
        Kind::Question => "`?`",
        Kind::Turnstile => "`|-`",
        Kind::Arrow => "`->`",
        Kind::Assign => "`:=`",
        Kind::Directive => "a directive",
        Kind::Quoted | Kind::OpenQuote => "a quoted name",
        Kind::Strange
        | Kind::Newline
        | Kind::Hash
        | Kind::DigitFirst
        | Kind::ForeignWord
        | Kind::Foreign
        | Kind::Ignored => "something without meaning",
    }
}

/// Whether a lexeme of this kind, with this text, is a word: a bare name or a keyword.
pub fn is_word(kind: Kind, text: &str) -> bool {
    let starts_like_one = text.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_');
    starts_like_one && !matches!(kind, Kind::ForeignWord)
}

/// Whether this text is read as one bare name.
pub fn is_plain_name(text: &str) -> bool {
    let mut letters = text.bytes();
    let first = letters.next().is_some_and(|letter| letter.is_ascii_alphabetic() || letter == b'_');
    first
        && letters.all(|letter| letter.is_ascii_alphanumeric() || b"_'^".contains(&letter))
        && keyword(text) == Kind::Name
}

/// The keywords that start a section of a node.
pub fn starts_section(kind: Kind) -> bool {
    use Kind::{Assert, Event, Extern, Flow, Init, Param, ParamSet, State, Sub, Sync, Trans};
    matches!(kind, Assert | Event | Extern | Flow | Init | Param | ParamSet | State | Sub | Sync | Trans)
}

/// The keywords that start a declaration outside of nodes, and nothing else.
pub fn starts_declaration(kind: Kind) -> bool {
    matches!(kind, Kind::Const | Kind::Domain | Kind::Node | Kind::Sig | Kind::Sort)
}

/// The keywords at which whatever came before has ended.
pub fn ends_section(kind: Kind) -> bool {
    kind == Kind::Edon || starts_section(kind) || starts_declaration(kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<Kind> {
        lexemes(text, 0, SourceId(0), &mut Log::default()).into_iter().map(|lexeme| lexeme.kind).collect()
    }

    #[test]
    fn a_quote_starts_a_name_unless_it_stands_in_one() {
        assert_eq!(kinds("a' ='b c'"), [Kind::Name, Kind::Eq, Kind::Quoted]);
        assert_eq!(kinds("d'x'^ \"edon\""), [Kind::Name, Kind::Quoted]);
        assert_eq!(kinds("= 'x;\ny"), [Kind::Eq, Kind::OpenQuote, Kind::Newline, Kind::Name]);
    }

    #[test]
    fn keywords_are_words_in_any_case() {
        assert_eq!(kinds("Node EDON aNd & edon'"), [Kind::Node, Kind::Edon, Kind::And, Kind::And, Kind::Name]);
    }

    #[test]
    fn a_word_ends_where_its_letters_do() {
        use Kind::{ForeignWord, Name, Node, Number, Strange};
        assert_eq!(kinds("node nodeö ö'x^ x'ö_1 x"), [Node, ForeignWord, ForeignWord, ForeignWord, Name]);
        assert_eq!(kinds("node\u{2264}3\u{f6}"), [Node, Strange, Number, ForeignWord]);
    }

    #[test]
    fn operators_are_read_as_long_as_they_can_be() {
        use Kind::{Arrow, Ge, Gt, Imply, Lt, Minus, Name, Or, Turnstile};
        assert_eq!(
            kinds("a|-b -> a<-b >>= => | -"),
            [Name, Turnstile, Name, Arrow, Name, Lt, Minus, Name, Gt, Ge, Imply, Or, Minus]
        );
    }

    #[test]
    fn plain_names_need_no_quotes() {
        let plain: Vec<bool> = ["a'", "_x^2", "", "Edon", "2x", "a b", "\u{e9}"].map(is_plain_name).to_vec();
        assert_eq!(plain, [true, true, false, false, false, false, false]);
    }
}
