//! Lexemes of the language: what stands in the text, before macros are put in and before anything is reported.

use lapidary_text::{Diagnostic, Log, SourceId, Span, letters};
use logos::{Lexer, Logos, Skip};

use super::codes;

#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
#[logos(skip r"[ \t\r\x0B\x0C]+", skip r"\\\r?\n", error = Trouble)]
pub enum Kind {
    #[regex("[A-Za-z_][A-Za-z0-9_'^]*")]
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
    #[regex(r"[^\x00-\x7F]")]
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
    #[token("//", line_comment)]
    #[token("/*", block_comment)]
    Ignored,
}

/// Why some bytes are no lexeme.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Trouble {
    #[default]
    Character,
    OpenComment,
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

/// Some bytes of a text and what they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lexeme {
    pub kind: Kind,
    pub start: u32,
    pub end: u32,
}

impl Lexeme {
    pub fn span(self, source: SourceId) -> Span {
        Span::new(source, self.start, self.end)
    }
}

/// The lexemes of a text, from some byte on. Only comments that are not closed are reported here: whether the rest
/// matters depends on where it stands.
pub fn lexemes(text: &str, start: usize, source: SourceId, log: &mut Log) -> Vec<Lexeme> {
    // A byte order mark is no part of the text, whatever editors think.
    let mark = if start == 0 && text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let mut lexer = Kind::lexer(text);
    lexer.bump(start + mark);
    let mut found = Vec::new();
    while let Some(result) = lexer.next() {
        let kind = result.map(|kind| word(kind, &mut lexer));
        let bytes = lexer.span();
        let (start, end) = (bytes.start as u32, bytes.end as u32);
        match kind {
            Ok(kind) => found.push(Lexeme { kind, start, end }),
            Err(Trouble::Character) => found.push(Lexeme { kind: Kind::Strange, start, end }),
            Err(Trouble::OpenComment) => log.push(open_comment(Span::new(source, start, start + 2))),
        }
    }
    found
}

/// What the automaton took for a word or a foreign letter, read to its end. Letters of all alphabets are no part of the
/// automaton: they would make it larger by hundreds of states.
fn word(kind: Kind, lexer: &mut Lexer<'_, Kind>) -> Kind {
    const MORE: &str = "_'^";
    match kind {
        Kind::Name => match letters::foreign_rest(lexer.remainder(), MORE) {
            None => keyword(lexer.slice()),
            Some(n_bytes) => {
                lexer.bump(n_bytes);
                Kind::ForeignWord
            }
        },
        Kind::ForeignWord if !lexer.slice().starts_with(char::is_alphabetic) => Kind::Strange,
        Kind::ForeignWord => {
            lexer.bump(letters::rest_of_word(lexer.remainder(), MORE));
            Kind::ForeignWord
        }
        other => other,
    }
}

fn open_comment(place: Span) -> Diagnostic {
    Diagnostic::error(codes::OPEN_COMMENT, "this comment is not closed", place, "it reaches to the end of the text")
        .with_help("close it with `*/`; comments do not nest")
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
