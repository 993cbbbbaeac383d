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
    /// `4'b0101`, `4'd5`, `4'd-3`, `8'xff`: whether the digits are good is found out later.
    #[regex("[0-9]+'[A-Za-z]?-?[0-9A-Za-z_]*")]
    Bits,

    Main,
    Process,
    Var,
    Loc,
    Init,
    Final,
    Error,
    Havoc,
    Assume,
    Return,
    Bool,
    Int,
    Rat,
    Bv,
    Fp,
    True,
    False,
    If,
    Then,
    Else,
    Iff,
    Imply,
    Forall,
    Exists,
    Or,
    Xor,
    And,
    Not,
    Mod,
    Rem,
    Default,
    /// `bvadd` and its like: the word tells which.
    BitWord,
    /// `fpadd` and its like.
    FloatWord,

    #[token("=")]
    Eq,
    #[token("/=")]
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
    #[token("++")]
    PlusPlus,
    #[token("'")]
    Prime,
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
    #[token("->")]
    Arrow,
    #[token("<-")]
    Back,
    #[token(":=")]
    Assign,

    /// Characters without a meaning. They stay among the tokens, so that the parser stumbles over them silently.
    Strange,

    /// An operator of another language; the parser never sees it, but the one that is meant.
    #[token("==")]
    #[token("!=")]
    #[token("<>")]
    #[token("&&")]
    #[token("||")]
    #[token("&")]
    #[token("|")]
    #[token("!")]
    #[token("=>")]
    #[token("<=>")]
    Foreign,

    /// Statements have nothing between them.
    #[token(";")]
    Semicolon,

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
        Ok(Kind::Semicolon) => {
            log.push(semicolon(span));
            None
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

/// The words of the language that are written as they are called, in order.
const WORDS: [(&str, Kind); 31] = [
    ("and", Kind::And),
    ("assume", Kind::Assume),
    ("bool", Kind::Bool),
    ("bv", Kind::Bv),
    ("default", Kind::Default),
    ("else", Kind::Else),
    ("error", Kind::Error),
    ("exists", Kind::Exists),
    ("false", Kind::False),
    ("final", Kind::Final),
    ("forall", Kind::Forall),
    ("fp", Kind::Fp),
    ("havoc", Kind::Havoc),
    ("if", Kind::If),
    ("iff", Kind::Iff),
    ("imply", Kind::Imply),
    ("init", Kind::Init),
    ("int", Kind::Int),
    ("loc", Kind::Loc),
    ("main", Kind::Main),
    ("mod", Kind::Mod),
    ("not", Kind::Not),
    ("or", Kind::Or),
    ("process", Kind::Process),
    ("rat", Kind::Rat),
    ("rem", Kind::Rem),
    ("return", Kind::Return),
    ("then", Kind::Then),
    ("true", Kind::True),
    ("var", Kind::Var),
    ("xor", Kind::Xor),
];

/// The operators on bit-vectors, in order.
const BIT_WORDS: [&str; 29] = [
    "bv_sign_extend",
    "bv_zero_extend",
    "bvadd",
    "bvand",
    "bvashr",
    "bvlshr",
    "bvmul",
    "bvneg",
    "bvnot",
    "bvor",
    "bvpos",
    "bvrol",
    "bvror",
    "bvsdiv",
    "bvsge",
    "bvsgt",
    "bvshl",
    "bvsle",
    "bvslt",
    "bvsmod",
    "bvsrem",
    "bvsub",
    "bvudiv",
    "bvuge",
    "bvugt",
    "bvule",
    "bvult",
    "bvurem",
    "bvxor",
];

/// The operators on floating-point numbers, in order.
const FLOAT_WORDS: [&str; 17] = [
    "fpabs",
    "fpadd",
    "fpdiv",
    "fpfrombv",
    "fpisinfinite",
    "fpisnan",
    "fpmax",
    "fpmin",
    "fpmul",
    "fpneg",
    "fppos",
    "fprem",
    "fproundtoint",
    "fpsqrt",
    "fpsub",
    "fptobv",
    "fptofp",
];

/// What a word is. Keywords are no part of the automaton: with each of them it would have a state for every letter.
pub fn keyword(word: &str) -> Kind {
    if let Ok(at) = WORDS.binary_search_by_key(&word, |&(word, _)| word) {
        return WORDS[at].1;
    }
    if BIT_WORDS.binary_search(&word).is_ok() {
        return Kind::BitWord;
    }
    if FLOAT_WORDS.binary_search(&word).is_ok() {
        return Kind::FloatWord;
    }
    Kind::Name
}

fn meant(operator: &str) -> (Kind, &'static str) {
    match operator {
        "==" => (Kind::Eq, "="),
        "!=" | "<>" => (Kind::Ne, "/="),
        "&&" | "&" => (Kind::And, "and"),
        "||" | "|" => (Kind::Or, "or"),
        "!" => (Kind::Not, "not"),
        "=>" => (Kind::Imply, "imply"),
        _ => (Kind::Iff, "iff"),
    }
}

fn foreign(span: Span, operator: &str, own: &str) -> Diagnostic {
    let message = format!("`{operator}` is not an operator of this language");
    Diagnostic::error(codes::FOREIGN_OPERATOR, message, span, "not known here").with_help(format!("write `{own}`"))
}

fn semicolon(span: Span) -> Diagnostic {
    Diagnostic::error(codes::FOREIGN_OPERATOR, "nothing ends with `;` in this language", span, "not known here")
        .with_help("leave it out: statements and declarations simply follow each other")
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
        Kind::Bits => "a bit-vector",
        Kind::Main => "`main`",
        Kind::Process => "`process`",
        Kind::Var => "`var`",
        Kind::Loc => "`loc`",
        Kind::Init => "`init`",
        Kind::Final => "`final`",
        Kind::Error => "`error`",
        Kind::Havoc => "`havoc`",
        Kind::Assume => "`assume`",
        Kind::Return => "`return`",
        Kind::Bool => "`bool`",
        Kind::Int => "`int`",
        Kind::Rat => "`rat`",
        Kind::Bv => "`bv`",
        Kind::Fp => "`fp`",
        Kind::True => "`true`",
        Kind::False => "`false`",
        Kind::If => "`if`",
        Kind::Then => "`then`",
        Kind::Else => "`else`",
        Kind::Iff => "`iff`",
        Kind::Imply => "`imply`",
        Kind::Forall => "`forall`",
        Kind::Exists => "`exists`",
        Kind::Or => "`or`",
        Kind::Xor => "`xor`",
        Kind::And => "`and`",
        Kind::Not => "`not`",
        Kind::Mod => "`mod`",
        Kind::Rem => "`rem`",
        Kind::Default => "`default`",
        Kind::BitWord => "an operator on bit-vectors",
        Kind::FloatWord => "an operator on floating-point numbers",
        Kind::Eq => "`=`",
        Kind::Ne => "`/=`",
        Kind::Lt => "`<`",
        Kind::Le => "`<=`",
        Kind::Gt => "`>`",
        Kind::Ge => "`>=`",
        Kind::Plus => "`+`",
        Kind::Minus => "`-`",
        Kind::Star => "`*`",
        Kind::Slash => "`/`",
        Kind::Percent => "`%`",
        Kind::PlusPlus => "`++`",
        Kind::Prime => "`'`",
        Kind::LeftParen => "`(`",
        Kind::RightParen => "`)`",
        Kind::LeftBracket => "`[`",
        Kind::RightBracket => "`]`",
        Kind::LeftBrace => "`{`",
        Kind::RightBrace => "`}`",
        Kind::Dot => "`.`",
        Kind::Comma => "`,`",
        Kind::Colon => "`:`",
        Kind::Arrow => "`->`",
        Kind::Back => "`<-`",
        Kind::Assign => "`:=`",
        Kind::Strange | Kind::Foreign | Kind::Semicolon | Kind::Ignored => "something without meaning",
    }
}

/// Whether this word is reserved, so that it cannot be a name.
pub fn is_keyword(kind: Kind) -> bool {
    matches!(kind, Kind::BitWord | Kind::FloatWord) || WORDS.iter().any(|&(_, word)| word == kind)
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
    fn words_are_in_order_so_that_they_are_found() {
        assert!(WORDS.windows(2).all(|pair| pair[0].0 < pair[1].0));
        assert!(BIT_WORDS.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(FLOAT_WORDS.windows(2).all(|pair| pair[0] < pair[1]));
    }

    #[test]
    fn bit_vectors_primes_and_arrows_are_told_apart() {
        use Kind::{Arrow, Back, BitWord, Bits, Eq, Lt, Minus, Name, Number, PlusPlus, Prime};
        assert_eq!(kinds("4'b0101 4'd-3 -> <- < - ++ // x").0, [Bits, Bits, Arrow, Back, Lt, Minus, PlusPlus]);
        assert_eq!(kinds("x' = 4'd5-3 bvadd /* c */ y").0, [Name, Prime, Eq, Bits, Minus, Number, BitWord, Name]);
    }

    #[test]
    fn trouble_is_reported_and_the_rest_is_read() {
        let (kinds, codes) = kinds("a == 3x && b; @@ /* c");
        assert_eq!(kinds, [Kind::Name, Kind::Eq, Kind::Name, Kind::And, Kind::Name, Kind::Strange]);
        use codes::{CHARACTER, DIGIT_FIRST, FOREIGN_OPERATOR, OPEN_COMMENT};
        assert_eq!(codes, [FOREIGN_OPERATOR, DIGIT_FIRST, FOREIGN_OPERATOR, FOREIGN_OPERATOR, CHARACTER, OPEN_COMMENT]);
    }
}
