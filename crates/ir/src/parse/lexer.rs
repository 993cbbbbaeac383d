//! Tokens of the textual form.

use lapidary_base::{Meter, Stop};
use lapidary_text::{Diagnostic, Diagnostics, SourceId, Span, Token};

use crate::print::names::{RESERVED, bare_len};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A name without quotes; also the words that have a meaning only where no name can stand.
    Name,
    Quoted,
    /// Digits, without a sign.
    Int,
    /// `#3`: something by its number.
    Number,
    /// `$3`: a definition by its number.
    Slot,
    /// `@bvadd`, `@extract[7,4]`: a function on bit-vectors or arrays, or a sort of such.
    Function,
    Reserved(&'static str),
    Sign(&'static str),
}

/// Longer signs come before those that they start with.
const SIGNS: [&str; 23] = [
    ":=", "->", "::", "..", "<=>", "<=", "=>", "!=", "=", "<", "!", "&", "|", "+", "-", "*", "(", ")", "{", "}", ",",
    ";", ":",
];

/// Nothing more is reported after this many errors.
pub const MAX_ERRORS: usize = 20;

/// What it takes to read a token, in pieces of a [`Meter`].
const PIECES_PER_TOKEN: u64 = 4;

/// A piece of text that is no token.
struct Bad {
    len: usize,
    code: &'static str,
    message: String,
}

/// All tokens of a text; what is none is reported and left out.
pub fn tokens(
    text: &str,
    source: SourceId,
    diagnostics: &mut Diagnostics,
    meter: &mut Meter<'_>,
) -> Result<Vec<Token<Kind>>, Stop> {
    let mut tokens = Vec::new();
    let mut start = blank_len(text);
    while start < text.len() && diagnostics.list.len() < MAX_ERRORS {
        meter.add(PIECES_PER_TOKEN)?;
        let span = |len: usize| Span::new(source, start as u32, (start + len) as u32);
        let len = match token(&text[start..]) {
            Ok((len, kind)) => {
                tokens.push(Token { kind, span: span(len) });
                len
            }
            Err(Bad { len, code, message }) => {
                diagnostics.push(Diagnostic::error(code, message, span(len), "not part of the language"));
                len
            }
        };
        start += len;
        start += blank_len(&text[start..]);
    }
    Ok(tokens)
}

/// The length of white space and comments at the start of the text.
fn blank_len(text: &str) -> usize {
    let mut rest = text;
    loop {
        rest = rest.trim_start();
        if !rest.starts_with("//") {
            return text.len() - rest.len();
        }
        rest = &rest[rest.find('\n').unwrap_or(rest.len())..];
    }
}

/// The token at the start of a text that is not blank there.
fn token(text: &str) -> Result<(usize, Kind), Bad> {
    let first = text.chars().next().expect("the text does not end here");
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    match first {
        '"' => return quoted_len(text).map(|len| (len, Kind::Quoted)),
        '0'..='9' => return Ok((digits(text), Kind::Int)),
        '#' if digits(&text[1..]) > 0 => return Ok((digits(&text[1..]) + 1, Kind::Number)),
        '$' if digits(&text[1..]) > 0 => return Ok((digits(&text[1..]) + 1, Kind::Slot)),
        '@' if bare_len(&text[1..]) > 0 => return Ok((bare_len(&text[1..]) + 1, Kind::Function)),
        _ => {}
    }
    let len = bare_len(text);
    if len > 0 {
        let reserved = RESERVED.iter().find(|&&word| word == &text[..len]);
        return Ok((len, reserved.map_or(Kind::Name, |word| Kind::Reserved(word))));
    }
    match SIGNS.iter().find(|&&sign| text.starts_with(sign)) {
        Some(sign) => Ok((sign.len(), Kind::Sign(sign))),
        None => Err(Bad { len: first.len_utf8(), code: "ir001", message: format!("unexpected character {first:?}") }),
    }
}

/// The length of a quoted text, quotes included, with all its escapes checked.
fn quoted_len(text: &str) -> Result<usize, Bad> {
    let mut at = 1;
    loop {
        match text[at..].chars().next() {
            Some('"') => return Ok(at + 1),
            Some('\\') => match escape(&text[at..]) {
                Some((len, _)) => at += len,
                None => return Err(Bad { len: at + 1, code: "ir002", message: unknown_escape(&text[at..]) }),
            },
            Some('\n') | None => {
                let message = "the quotes are not closed in this line".to_owned();
                return Err(Bad { len: at, code: "ir002", message });
            }
            Some(c) => at += c.len_utf8(),
        }
    }
}

fn unknown_escape(text: &str) -> String {
    let shown: String = text.chars().take(2).collect();
    format!("unknown escape `{}`", shown.escape_debug())
}

/// The length and the character of an escape at the start of the text.
fn escape(text: &str) -> Option<(usize, char)> {
    let simple = match text.chars().nth(1)? {
        '"' => '"',
        '\\' => '\\',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'u' => {
            let digits = text.strip_prefix("\\u{")?.split_once('}')?.0;
            let plain = !digits.is_empty() && digits.len() <= 6 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
            let code = u32::from_str_radix(digits, 16).ok().filter(|_| plain)?;
            return Some((digits.len() + 4, char::from_u32(code)?));
        }
        _ => return None,
    };
    Some((2, simple))
}

/// What a quoted token stands for.
pub fn unquote(token: &str) -> String {
    let mut rest = token.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(token);
    let mut out = String::new();
    while let Some(c) = rest.chars().next() {
        let (len, c) = escape(rest).filter(|_| c == '\\').unwrap_or((c.len_utf8(), c));
        out.push(c);
        rest = &rest[len..];
    }
    out
}

#[cfg(test)]
mod tests {
    use lapidary_base::Control;
    use lapidary_text::Sources;

    use super::*;
    use crate::print::names::quoted;

    fn kinds(text: &str) -> (Vec<Kind>, Vec<&'static str>) {
        let mut sources = Sources::default();
        let id = sources.add("m.lir", text);
        let mut diagnostics = Diagnostics::default();
        let control = Control::new();
        let tokens = tokens(text, id, &mut diagnostics, &mut Meter::new(&control)).expect("no limit");
        let kinds = tokens.into_iter().map(|token| token.kind).collect();
        (kinds, diagnostics.list.into_iter().map(|diagnostic| diagnostic.code).collect())
    }

    #[test]
    fn names_signs_numbers_and_comments_are_told_apart() {
        use Kind::*;
        let (found, errors) = kinds("P[0].pc<=>-3..x // y\n:=#1$2::if");
        let expected =
            [Name, Sign("<=>"), Sign("-"), Int, Sign(".."), Name, Sign(":="), Number, Slot, Sign("::"), Reserved("if")];
        assert_eq!(found, expected);
        assert!(errors.is_empty());
    }

    #[test]
    fn quotes_give_back_every_text() {
        for text in ["", "a\"b", "\\n\n\t\r", "é\u{0}\u{7f}", "\\u{41}"] {
            assert_eq!(unquote(&quoted(text)), text);
            assert_eq!(kinds(&quoted(text)), (vec![Kind::Quoted], vec![]));
        }
    }

    #[test]
    fn what_is_no_token_is_reported_and_left_out() {
        assert_eq!(kinds("x @ y"), (vec![Kind::Name, Kind::Name], vec!["ir001"]));
        assert_eq!(kinds("\"abc\nx"), (vec![Kind::Name], vec!["ir002"]));
        for bad in ["\"\\q", "\"\\u{}", "\"\\u{d800}", "\"\\u{1234567}", "\"\\u{+1}", "\"\\", "\"\\é"] {
            assert_eq!(kinds(bad).1[0], "ir002", "{bad}");
        }
        assert_eq!(kinds(&"@".repeat(1000)).1.len(), MAX_ERRORS);
    }
}
