//! Tokens of the language. What is no token is reported and skipped, so the parser only sees good ones.
//!
//! A dot is part of a name: `Colour.red` is one token.

use lapidary_base::hash::Set;
use lapidary_text::lexing::{self, Trouble};
use lapidary_text::{Diagnostic, Log, SourceId, Span, Token};
use logos::Logos;

use super::codes;

/// What continues a word beside letters and digits.
const MORE: &str = "_$.";

#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
#[logos(skip r"[ \t\r\n\x0C]+", error = Trouble)]
pub enum Kind {
    #[regex("[A-Za-z_$][A-Za-z0-9_$.]*", |lexer| lexing::own_letters(lexer, MORE))]
    Name,
    #[regex("[0-9]+")]
    Number,

    Type,
    Ctrl,
    Var,
    Local,
    Trans,
    Init,
    Env,
    Prop,
    Ltl,
    Havoc,
    Assume,
    Choice,
    Or,
    Ort,
    If,
    Then,
    Else,
    For,
    From,
    To,
    Do,
    Boolean,
    Integer,
    True,
    False,
    Default,
    Iff,
    Xor,
    Rem,

    #[token("=>")]
    Implies,
    #[token("||")]
    OrOr,
    #[token("&&")]
    AndAnd,
    #[token("!")]
    Not,
    #[token("==")]
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
    #[token("%")]
    Percent,
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
    #[token(",")]
    Comma,
    #[token(":")]
    Colon,
    #[token(";")]
    Semicolon,
    #[token("->")]
    Arrow,
    #[token("<-")]
    Gets,
    #[token(":=")]
    Assign,
    #[token("=")]
    Is,

    /// Characters without a meaning. They stay among the tokens, so that the parser stumbles over them silently.
    Strange,

    /// An operator of another language; the parser never sees it, but the one that is meant.
    #[token("&")]
    #[token("|")]
    #[token("~")]
    #[token("<>")]
    #[token("/=")]
    #[token("<=>")]
    #[token("<->")]
    #[token("===")]
    Foreign,

    #[regex("[0-9]+[A-Za-z_$][A-Za-z0-9_$.]*", lexing::digit_first)]
    #[regex(r"[^\x00-\x7F]", |lexer| lexing::foreign_letter(lexer, MORE))]
    #[token("//", lexing::line_comment)]
    #[token("/*", lexing::block_comment)]
    Ignored,
}

/// The tokens of a text that is shorter than 4 GiB.
pub fn tokens(text: &str, source: SourceId, log: &mut Log) -> Vec<Token<Kind>> {
    let mut bad_words: Set<&str> = Set::default();
    let mut temporal = Temporal::default();
    let settle = |found: Result<Kind, Trouble>, span: Span, written| match found {
        Ok(Kind::Name) => Some(temporal.saw(keyword(written), span)),
        Ok(Kind::Foreign) => {
            let (kind, own) = meant(written);
            if temporal.n_open == 0 {
                log.push(foreign(span, written, own));
            }
            Some(kind)
        }
        Ok(kind) => Some(temporal.saw(kind, span)),
        Err(Trouble::Character | Trouble::OpenQuote) => Some(Kind::Strange),
        Err(Trouble::OpenComment) => {
            log.push(lexing::open_comment(codes::OPEN_COMMENT, Span { end: span.start + 2, ..span }, "*/"));
            None
        }
        Err(trouble @ (Trouble::DigitFirst | Trouble::ForeignLetters)) => {
            if temporal.n_open == 0 && bad_words.insert(written) {
                log.push(bad_word(span, written, trouble));
            }
            Some(Kind::Name)
        }
    };
    let mut found = lexing::tokens(text, lexing::start(text), source, settle);
    lexing::join(&mut found, Kind::Strange);
    let is_strange = |token: &&Token<Kind>| token.kind == Kind::Strange && !temporal.has(token.span);
    for token in found.iter().filter(is_strange) {
        let written = text.get(token.span.start as usize..token.span.end as usize).unwrap_or("");
        log.push(
            lexing::strange(codes::CHARACTER, token.span, written)
                .with_help("leave it out; names have the letters A to Z, digits, `_`, `$` and `.` only"),
        );
    }
    found
}

/// Temporal properties, in which other tokens make sense than elsewhere.
#[derive(Default)]
struct Temporal {
    is_next: bool,
    n_open: usize,
    /// From where to where they reach.
    spans: Vec<(u32, u32)>,
}

impl Temporal {
    fn saw(&mut self, kind: Kind, span: Span) -> Kind {
        match kind {
            Kind::LeftBrace if self.n_open > 0 => self.n_open += 1,
            Kind::LeftBrace if self.is_next => {
                self.n_open = 1;
                self.spans.push((span.start, u32::MAX));
            }
            Kind::RightBrace if self.n_open > 0 => {
                self.n_open -= 1;
                if let Some(last) = self.spans.last_mut().filter(|_| self.n_open == 0) {
                    last.1 = span.end;
                }
            }
            _ => {}
        }
        self.is_next = self.n_open == 0 && kind == Kind::Ltl;
        kind
    }

    fn has(&self, span: Span) -> bool {
        let after = self.spans.partition_point(|(start, _)| *start <= span.start);
        after > 0 && span.end <= self.spans[after - 1].1
    }
}

/// What a word is. Keywords are no part of the automaton: with each of them it would have a state for every letter.
fn keyword(word: &str) -> Kind {
    match word {
        "assume" => Kind::Assume,
        "boolean" => Kind::Boolean,
        "choice" => Kind::Choice,
        "ctrl" => Kind::Ctrl,
        "default" => Kind::Default,
        "do" => Kind::Do,
        "else" => Kind::Else,
        "env" => Kind::Env,
        "false" => Kind::False,
        "for" => Kind::For,
        "from" => Kind::From,
        "havoc" => Kind::Havoc,
        "if" => Kind::If,
        "iff" => Kind::Iff,
        "init" => Kind::Init,
        "integer" => Kind::Integer,
        "local" => Kind::Local,
        "ltl" => Kind::Ltl,
        "or" => Kind::Or,
        "ort" => Kind::Ort,
        "prop" => Kind::Prop,
        "rem" => Kind::Rem,
        "then" => Kind::Then,
        "to" => Kind::To,
        "trans" => Kind::Trans,
        "true" => Kind::True,
        "type" => Kind::Type,
        "var" => Kind::Var,
        "xor" => Kind::Xor,
        _ => Kind::Name,
    }
}

fn meant(operator: &str) -> (Kind, &'static str) {
    match operator {
        "&" => (Kind::AndAnd, "&&"),
        "|" => (Kind::OrOr, "||"),
        "~" => (Kind::Not, "!"),
        "<>" | "/=" => (Kind::Ne, "!="),
        "===" => (Kind::Eq, "=="),
        _ => (Kind::Iff, "iff"),
    }
}

pub fn foreign(span: Span, operator: &str, own: &str) -> Diagnostic {
    let message = format!("`{operator}` is not an operator of this language");
    Diagnostic::error(codes::FOREIGN_OPERATOR, message, span, "not known here").with_help(format!("write `{own}`"))
}

fn bad_word(span: Span, written: &str, trouble: Trouble) -> Diagnostic {
    let (code, label) = match trouble {
        Trouble::DigitFirst => (codes::DIGIT_FIRST, "names start with a letter, `_` or `$`"),
        Trouble::Character | Trouble::OpenComment | Trouble::OpenQuote | Trouble::ForeignLetters => {
            (codes::CHARACTER, "names have the letters A to Z, digits, `_`, `$` and `.` only")
        }
    };
    lexing::no_name(code, span, written, label).with_help("choose another name")
}

/// A kind of token as messages name it.
pub fn describe(kind: Kind) -> &'static str {
    match kind {
        Kind::Name => "a name",
        Kind::Number => "a number",
        Kind::Type => "`type`",
        Kind::Ctrl => "`ctrl`",
        Kind::Var => "`var`",
        Kind::Local => "`local`",
        Kind::Trans => "`trans`",
        Kind::Init => "`init`",
        Kind::Env => "`env`",
        Kind::Prop => "`prop`",
        Kind::Ltl => "`ltl`",
        Kind::Havoc => "`havoc`",
        Kind::Assume => "`assume`",
        Kind::Choice => "`choice`",
        Kind::Or => "`or`",
        Kind::Ort => "`ort`",
        Kind::If => "`if`",
        Kind::Then => "`then`",
        Kind::Else => "`else`",
        Kind::For => "`for`",
        Kind::From => "`from`",
        Kind::To => "`to`",
        Kind::Do => "`do`",
        Kind::Boolean => "`boolean`",
        Kind::Integer => "`integer`",
        Kind::True => "`true`",
        Kind::False => "`false`",
        Kind::Default => "`default`",
        Kind::Iff => "`iff`",
        Kind::Xor => "`xor`",
        Kind::Rem => "`rem`",
        Kind::Implies => "`=>`",
        Kind::OrOr => "`||`",
        Kind::AndAnd => "`&&`",
        Kind::Not => "`!`",
        Kind::Eq => "`==`",
        Kind::Ne => "`!=`",
        Kind::Lt => "`<`",
        Kind::Le => "`<=`",
        Kind::Gt => "`>`",
        Kind::Ge => "`>=`",
        Kind::Plus => "`+`",
        Kind::Minus => "`-`",
        Kind::Star => "`*`",
        Kind::Slash => "`/`",
        Kind::Percent => "`%`",
        Kind::LeftParen => "`(`",
        Kind::RightParen => "`)`",
        Kind::LeftBracket => "`[`",
        Kind::RightBracket => "`]`",
        Kind::LeftBrace => "`{`",
        Kind::RightBrace => "`}`",
        Kind::Comma => "`,`",
        Kind::Colon => "`:`",
        Kind::Semicolon => "`;`",
        Kind::Arrow => "`->`",
        Kind::Gets => "`<-`",
        Kind::Assign => "`:=`",
        Kind::Is => "`=`",
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
    fn a_dot_is_part_of_a_name_and_an_arrow_is_one_token() {
        use Kind::{Gets, Implies, Lt, Minus, Name, Number};
        assert_eq!(
            kinds("Colour.red $x_1 a<-1 a < -1 =>").0,
            [Name, Name, Name, Gets, Number, Name, Lt, Minus, Number, Implies]
        );
    }

    #[test]
    fn trouble_is_reported_and_the_rest_is_read() {
        use Kind::{AndAnd, Name, Strange};
        assert_eq!(
            kinds("a & 3x @ b /* c").1,
            [codes::FOREIGN_OPERATOR, codes::DIGIT_FIRST, codes::CHARACTER, codes::OPEN_COMMENT]
        );
        assert_eq!(kinds("a & b @").0, [Name, AndAnd, Name, Strange]);
    }
}
