//! What lexers have in common. A language has its table of tokens, of which `logos` makes an automaton; comments, words in letters
//! that no language knows, and what is said about bytes that are no token are the same everywhere.
//!
//! Foreign letters are told apart by hand: an automaton for those of all alphabets has hundreds of states, and compiling it took
//! longer than compiling the parser that uses it.

use logos::{Lexer, Logos, Skip};

use crate::{Diagnostic, SourceId, Span, Token};

/// Why some bytes are no token.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Trouble {
    #[default]
    Character,
    OpenComment,
    OpenQuote,
    DigitFirst,
    ForeignLetters,
}

/// The tokens of a text that is shorter than 4 GiB, from some byte on. The language settles what each of them is, given how it is
/// written, and what becomes of bytes that are none.
pub fn tokens<'s, K: Logos<'s, Source = str, Error = Trouble, Extras = ()>>(
    text: &'s str,
    from: usize,
    source: SourceId,
    mut settle: impl FnMut(Result<K, Trouble>, Span, &'s str) -> Option<K>,
) -> Vec<Token<K>> {
    let mut lexer = K::lexer(text);
    lexer.bump(from);
    let mut found = Vec::new();
    while let Some(result) = lexer.next() {
        let bytes = lexer.span();
        let span = Span::new(source, bytes.start as u32, bytes.end as u32);
        found.extend(settle(result, span, lexer.slice()).map(|kind| Token { kind, span }));
    }
    found
}

/// Where a text begins: a byte order mark is no part of it, whatever editors think.
pub fn start(text: &str) -> usize {
    text.len() - text.strip_prefix('\u{feff}').unwrap_or(text).len()
}

/// Neighbouring characters without a meaning are one mistake.
pub fn join<K: PartialEq>(tokens: &mut Vec<Token<K>>, strange: K) {
    tokens.dedup_by(|next, last| {
        let joins = next.kind == strange && last.kind == strange && last.span.end == next.span.start;
        if joins {
            last.span.end = next.span.end;
        }
        joins
    });
}

/// The bytes up to the end of a line, without it.
pub fn line_len(rest: &str) -> usize {
    rest.find('\n').unwrap_or(rest.len())
}

/// The bytes of the comment at the beginning of a text, if it is closed. What opens it does not close it: `/*/` goes on.
pub fn comment_len(rest: &str, open: &str, close: &str) -> Option<usize> {
    rest[open.len()..].find(close).map(|end| open.len() + end + close.len())
}

/// For a table of tokens: from `//` to the end of the line.
pub fn line_comment<'s, K: Logos<'s, Source = str>>(lexer: &mut Lexer<'s, K>) -> Skip {
    lexer.bump(line_len(lexer.remainder()));
    Skip
}

/// For a table of tokens: from `/*` to the next `*/`.
pub fn block_comment<'s, K: Logos<'s, Source = str>>(lexer: &mut Lexer<'s, K>) -> Result<Skip, Trouble> {
    let rest = lexer.remainder();
    let len = comment_len(rest, "", "*/");
    lexer.bump(len.unwrap_or(rest.len()));
    len.map(|_| Skip).ok_or(Trouble::OpenComment)
}

/// For a table of tokens: a quote that nothing closes.
pub fn open_quote<'s, K: Logos<'s, Source = str>>(_: &mut Lexer<'s, K>) -> Result<Skip, Trouble> {
    Err(Trouble::OpenQuote)
}

/// For a table of tokens: a word that begins with a digit.
pub fn digit_first<'s, K: Logos<'s, Source = str>>(_: &mut Lexer<'s, K>) -> Result<Skip, Trouble> {
    Err(Trouble::DigitFirst)
}

/// For a table of tokens: a word of plain letters is not over where letters of other alphabets follow. `more` continues words, too.
pub fn own_letters<'s, K: Logos<'s, Source = str>>(lexer: &mut Lexer<'s, K>, more: &str) -> Result<(), Trouble> {
    let rest = lexer.remainder();
    if !rest.starts_with(|letter: char| !letter.is_ascii() && letter.is_alphabetic()) {
        return Ok(());
    }
    lexer.bump(rest_of_word(rest, more));
    Err(Trouble::ForeignLetters)
}

/// For a table of tokens: a character that is not ASCII is the beginning of a word if it is a letter.
pub fn foreign_letter<'s, K: Logos<'s, Source = str>>(lexer: &mut Lexer<'s, K>, more: &str) -> Result<Skip, Trouble> {
    if !lexer.slice().starts_with(char::is_alphabetic) {
        return Err(Trouble::Character);
    }
    lexer.bump(rest_of_word(lexer.remainder(), more));
    Err(Trouble::ForeignLetters)
}

/// The bytes at the beginning of a text that go on with a word: letters of any alphabet, digits, and `more`.
fn rest_of_word(text: &str, more: &str) -> usize {
    text.find(|letter: char| !(letter.is_alphabetic() || letter.is_ascii_digit() || more.contains(letter)))
        .unwrap_or(text.len())
}

/// A comment that begins like this reaches to the end of the text.
pub fn open_comment(code: &'static str, open: Span, close: &str) -> Diagnostic {
    Diagnostic::error(code, "this comment is not closed", open, "it reaches to the end of the text")
        .with_help(format!("close it with `{close}`; comments do not nest"))
}

/// Characters without a meaning.
pub fn strange(code: &'static str, span: Span, written: &str) -> Diagnostic {
    let shown: String = written.chars().take(MAX_WRITTEN).flat_map(char::escape_debug).collect();
    Diagnostic::error(code, format!("`{shown}` has no meaning here"), span, "not part of the language")
}

/// A word that cannot be a name, for which the label says why.
pub fn no_name(code: &'static str, span: Span, written: &str, label: &str) -> Diagnostic {
    let shown = beginning(written, MAX_WRITTEN);
    Diagnostic::error(code, format!("`{shown}` is not a name"), span, label)
}

/// What messages quote of something that may be long.
pub const MAX_WRITTEN: usize = 20;

/// The first letters of what is written.
pub fn beginning(written: &str, n_letters: usize) -> &str {
    written.char_indices().nth(n_letters).map_or(written, |(end, _)| &written[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
    #[logos(skip r" +", error = Trouble)]
    enum Kind {
        #[regex("[a-z]+", |lexer| own_letters(lexer, "_"))]
        Word,
        Strange,
        #[regex(r"[^\x00-\x7F]", |lexer| foreign_letter(lexer, "_"))]
        #[token("//", line_comment)]
        #[token("/*", block_comment)]
        Ignored,
    }

    fn read(text: &str) -> Vec<(Kind, &str)> {
        let mut tokens = tokens(text, start(text), SourceId(0), |found, _, _| match found {
            Ok(kind) => Some(kind),
            Err(Trouble::Character) => Some(Kind::Strange),
            Err(Trouble::ForeignLetters) => Some(Kind::Word),
            Err(Trouble::OpenComment | Trouble::OpenQuote | Trouble::DigitFirst) => None,
        });
        join(&mut tokens, Kind::Strange);
        tokens.iter().map(|token| (token.kind, &text[token.span.start as usize..token.span.end as usize])).collect()
    }

    #[test]
    fn words_comments_and_strange_characters_are_told_apart() {
        use Kind::{Strange, Word};
        assert_eq!(read("\u{feff}ab/*/ c */d//e"), [(Word, "ab"), (Word, "d")]);
        assert_eq!(
            read("aö_1 öb$$ \u{2264}@ $ /* x"),
            [(Word, "aö_1"), (Word, "öb"), (Strange, "$$"), (Strange, "\u{2264}@"), (Strange, "$")]
        );
    }

    #[test]
    fn what_is_long_is_quoted_by_its_beginning() {
        assert_eq!((beginning("größe", 3), beginning("gr", 3)), ("grö", "gr"));
    }
}
