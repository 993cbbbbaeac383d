//! Tokens of the language. What is no token is reported and skipped, so the parser only sees good ones.

use lapidary_base::hash::Set;
use lapidary_text::lexing::{self, Trouble};
use lapidary_text::{Diagnostic, Log, SourceId, Span, Token};
use logos::Logos;

use super::codes;

#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
#[logos(skip r"[ \t\r\n\x0C]+", error = Trouble)]
pub enum Kind {
    #[regex("[A-Za-z_][A-Za-z0-9_]*", |lexer| lexing::own_letters(lexer, "_"))]
    Name,
    #[regex("[0-9]+")]
    Number,

    Const,
    Type,
    Define,
    Var,
    Control,
    Init,
    Process,
    Invariant,
    Reach,
    DeadlockFree,
    Ltl,
    Bool,
    Int,
    True,
    False,
    If,
    Then,
    Else,
    Forall,
    Exists,
    Sum,
    Count,
    In,
    Skip,
    Input,
    Div,
    Mod,

    #[token("<=>")]
    Iff,
    #[token("=>")]
    Implies,
    #[token("|")]
    Or,
    #[token("&")]
    And,
    #[token("!")]
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
    #[token("..")]
    DotDot,
    #[token(".")]
    Dot,
    #[token(",")]
    Comma,
    #[token(":")]
    Colon,
    #[token(";")]
    Semicolon,
    #[token("->")]
    Arrow,
    #[token(":=")]
    Assign,

    /// Characters without a meaning. They stay among the tokens, so that the parser stumbles over them silently.
    Strange,

    /// An operator of another language; the parser never sees it, but the one that is meant.
    #[token("==")]
    #[token("&&")]
    #[token("||")]
    #[token("/")]
    #[token("%")]
    #[token("~")]
    #[token("<>")]
    #[token("<->")]
    Foreign,

    #[regex("[0-9]+[A-Za-z_][A-Za-z0-9_]*", lexing::digit_first)]
    #[regex(r"[^\x00-\x7F]", |lexer| lexing::foreign_letter(lexer, "_"))]
    #[token("//", lexing::line_comment)]
    #[token("/*", lexing::block_comment)]
    Ignored,
}

/// The tokens of a text that is shorter than 4 GiB.
pub fn tokens(text: &str, source: SourceId, log: &mut Log) -> Vec<Token<Kind>> {
    let mut bad_words: Set<&str> = Set::default();
    let settle = |found: Result<Kind, Trouble>, span: Span, written| match found {
        Ok(Kind::Name) => Some(keyword(written)),
        Ok(Kind::Foreign) => {
            let (kind, own) = meant(written);
            log.push(foreign(span, written, own));
            Some(kind)
        }
        Ok(kind) => Some(kind),
        Err(Trouble::Character | Trouble::OpenQuote) => Some(Kind::Strange),
        Err(Trouble::OpenComment) => {
            log.push(lexing::open_comment(codes::OPEN_COMMENT, Span { end: span.start + 2, ..span }, "*/"));
            None
        }
        Err(trouble @ (Trouble::DigitFirst | Trouble::ForeignLetters)) => {
            if bad_words.insert(written) {
                log.push(bad_word(span, written, trouble));
            }
            Some(Kind::Name)
        }
    };
    let mut found = lexing::tokens(text, lexing::start(text), source, settle);
    lexing::join(&mut found, Kind::Strange);
    for token in found.iter().filter(|token| token.kind == Kind::Strange) {
        let written = text.get(token.span.start as usize..token.span.end as usize).unwrap_or("");
        log.push(
            lexing::strange(codes::CHARACTER, token.span, written)
                .with_help("leave it out; names have the letters A to Z, digits and `_` only"),
        );
    }
    found
}

/// What a word is. Keywords are no part of the automaton: with each of them it would have a state for every letter.
pub fn keyword(word: &str) -> Kind {
    match word {
        "bool" => Kind::Bool,
        "const" => Kind::Const,
        "control" => Kind::Control,
        "count" => Kind::Count,
        "deadlock_free" => Kind::DeadlockFree,
        "define" => Kind::Define,
        "div" => Kind::Div,
        "else" => Kind::Else,
        "exists" => Kind::Exists,
        "false" => Kind::False,
        "forall" => Kind::Forall,
        "if" => Kind::If,
        "in" => Kind::In,
        "init" => Kind::Init,
        "input" => Kind::Input,
        "int" => Kind::Int,
        "invariant" => Kind::Invariant,
        "ltl" => Kind::Ltl,
        "mod" => Kind::Mod,
        "process" => Kind::Process,
        "reach" => Kind::Reach,
        "skip" => Kind::Skip,
        "sum" => Kind::Sum,
        "then" => Kind::Then,
        "true" => Kind::True,
        "type" => Kind::Type,
        "var" => Kind::Var,
        _ => Kind::Name,
    }
}

fn meant(operator: &str) -> (Kind, &'static str) {
    match operator {
        "==" => (Kind::Eq, "="),
        "&&" => (Kind::And, "&"),
        "||" => (Kind::Or, "|"),
        "/" => (Kind::Div, "div"),
        "%" => (Kind::Mod, "mod"),
        "~" => (Kind::Not, "!"),
        "<>" => (Kind::Ne, "!="),
        _ => (Kind::Iff, "<=>"),
    }
}

pub fn foreign(span: Span, operator: &str, own: &str) -> Diagnostic {
    let message = format!("`{operator}` is not an operator of this language");
    Diagnostic::error(codes::FOREIGN_OPERATOR, message, span, "not known here").with_help(format!("write `{own}`"))
}

fn bad_word(span: Span, written: &str, trouble: Trouble) -> Diagnostic {
    let (code, label) = match trouble {
        Trouble::DigitFirst => (codes::DIGIT_FIRST, "names start with a letter or `_`"),
        Trouble::Character | Trouble::OpenComment | Trouble::OpenQuote | Trouble::ForeignLetters => {
            (codes::CHARACTER, "names have the letters A to Z, digits and `_` only")
        }
    };
    lexing::no_name(code, span, written, label).with_help("choose another name")
}

/// A kind of token as messages name it.
pub fn describe(kind: Kind) -> &'static str {
    match kind {
        Kind::Name => "a name",
        Kind::Number => "a number",
        Kind::Const => "`const`",
        Kind::Type => "`type`",
        Kind::Define => "`define`",
        Kind::Var => "`var`",
        Kind::Control => "`control`",
        Kind::Init => "`init`",
        Kind::Process => "`process`",
        Kind::Invariant => "`invariant`",
        Kind::Reach => "`reach`",
        Kind::DeadlockFree => "`deadlock_free`",
        Kind::Ltl => "`ltl`",
        Kind::Bool => "`bool`",
        Kind::Int => "`int`",
        Kind::True => "`true`",
        Kind::False => "`false`",
        Kind::If => "`if`",
        Kind::Then => "`then`",
        Kind::Else => "`else`",
        Kind::Forall => "`forall`",
        Kind::Exists => "`exists`",
        Kind::Sum => "`sum`",
        Kind::Count => "`count`",
        Kind::In => "`in`",
        Kind::Skip => "`skip`",
        Kind::Input => "`input`",
        Kind::Div => "`div`",
        Kind::Mod => "`mod`",
        Kind::Iff => "`<=>`",
        Kind::Implies => "`=>`",
        Kind::Or => "`|`",
        Kind::And => "`&`",
        Kind::Not => "`!`",
        Kind::Eq => "`=`",
        Kind::Ne => "`!=`",
        Kind::Lt => "`<`",
        Kind::Le => "`<=`",
        Kind::Gt => "`>`",
        Kind::Ge => "`>=`",
        Kind::Plus => "`+`",
        Kind::Minus => "`-`",
        Kind::Star => "`*`",
        Kind::LeftParen => "`(`",
        Kind::RightParen => "`)`",
        Kind::LeftBracket => "`[`",
        Kind::RightBracket => "`]`",
        Kind::LeftBrace => "`{`",
        Kind::RightBrace => "`}`",
        Kind::DotDot => "`..`",
        Kind::Dot => "`.`",
        Kind::Comma => "`,`",
        Kind::Colon => "`:`",
        Kind::Semicolon => "`;`",
        Kind::Arrow => "`->`",
        Kind::Assign => "`:=`",
        Kind::Strange | Kind::Foreign | Kind::Ignored => "something without meaning",
    }
}

/// Whether this word is reserved, so that it cannot be a name.
pub fn is_keyword(kind: Kind) -> bool {
    describe(kind).as_bytes().get(1).is_some_and(u8::is_ascii_lowercase) && describe(kind).starts_with('`')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> (Vec<Kind>, Vec<&'static str>) {
        let mut log = Log::default();
        let kinds = tokens(text, SourceId(0), &mut log).into_iter().map(|token| token.kind).collect();
        (kinds, log.finish(codes::TOO_MANY).list.iter().map(|diagnostic| diagnostic.code).collect())
    }

    #[test]
    fn ranges_arrows_and_comments_are_told_apart() {
        use Kind::{Arrow, DotDot, Eq, Implies, Le, Minus, Name, Number};
        assert_eq!(
            kinds("0..3 - -> <= = => // x\n a/* ; */b").0,
            [Number, DotDot, Number, Minus, Arrow, Le, Eq, Implies, Name, Name]
        );
    }

    #[test]
    fn strange_characters_are_reported_once_per_run() {
        use Kind::{Name, Strange};
        assert_eq!(kinds("x @@@ y $"), (vec![Name, Strange, Name, Strange], vec![codes::CHARACTER; 2]));
        assert_eq!(kinds("größe = größe"), (vec![Name, Kind::Eq, Name], vec![codes::CHARACTER]));
        assert_eq!(kinds("\u{feff}x").1, [""; 0]);
    }

    #[test]
    fn a_word_ends_where_its_letters_do() {
        use Kind::{If, Name, Number, Strange};
        assert_eq!(kinds("if ifö ifs _ö1 öif"), (vec![If, Name, Name, Name, Name], vec![codes::CHARACTER; 3]));
        assert_eq!(kinds("if\u{2264}3\u{f6}").0, [If, Strange, Number, Name]);
    }

    #[test]
    fn trouble_is_reported_and_the_rest_is_read() {
        assert_eq!(
            kinds("a == 3x && b /* c").1,
            [codes::FOREIGN_OPERATOR, codes::DIGIT_FIRST, codes::FOREIGN_OPERATOR, codes::OPEN_COMMENT]
        );
        assert_eq!(kinds("a == b").0, [Kind::Name, Kind::Eq, Kind::Name]);
    }
}
