//! Formulas as LoLA writes them, for all languages: `EF (p >= 2 AND NOT FIREABLE(t))`.
//!
//! `EF f` asks whether `f` can be reached; `AG f`, and `f` alone, say that it always holds.

pub mod linear;
mod parse;
mod terms;

pub use parse::too_deep;

use lapidary_ir::Property;
use lapidary_text::{SourceId, Sources};

use super::lexer::{Comment, Lexis, Lines, Quotes};
use super::properties::{self, Scope};
use crate::asked::Asked;
use crate::log::Log;

pub const COMMENTS: &[Comment] = &[
    Comment { open: "{", close: Some("}") },
    Comment { open: "//", close: None },
    Comment { open: "/*", close: Some("*/") },
];

pub const LEXIS: Lexis = Lexis {
    signs: &[
        "<->", "->", "<=", ">=", "!=", "==", "<>", "&&", "||", "=", "<", ">", "#", "!", "&", "|", "+", "-", "*", "(",
        ")", ":", ";", ",",
    ],
    comments: COMMENTS,
    // A dash before a letter or a digit is part of a name, since many names have some.
    is_word: |rest, character| match character {
        '-' => rest[1..].starts_with(|next: char| next.is_alphanumeric() || next == '_'),
        ',' | ';' | ':' | '(' | ')' | '{' | '}' | '"' => false,
        _ => !character.is_whitespace() && !character.is_control(),
    },
    lines: Lines::AreBlank,
    quotes: Quotes::MakeNames,
};

/// Words that are no names unless they are quoted.
pub const KEYWORDS: [&str; 14] = [
    "AND",
    "OR",
    "NOT",
    "TRUE",
    "FALSE",
    "FIREABLE",
    "DEADLOCK",
    "EF",
    "AG",
    "REACHABLE",
    "INVARIANT",
    "EXPATH",
    "ALLPATH",
    "FORMULA",
];

/// A formula of the command line, under the name it is given. A word before it says what is asked, or an operator does;
/// both would say it twice.
pub fn single(sources: &Sources, asked: &Asked, scope: &Scope<'_>, log: &mut Log) -> Vec<Property> {
    parse::formulas(sources, asked.source, scope, parse::Several::AreAMistake, log)
        .into_iter()
        .filter_map(|formula| formula.worded(asked.wording, scope, log))
        .map(|formula| formula.named(asked.name.clone(), sources))
        .collect()
}

/// A file with one formula, named after the file, or with several behind each other, which are numbered.
pub fn file(sources: &Sources, source: SourceId, scope: &Scope<'_>, log: &mut Log) -> Vec<Property> {
    let formulas = parse::formulas(sources, source, scope, parse::Several::AreRead, log);
    let stem = properties::stem(sources, source);
    let n_formulas = formulas.len();
    let name = |i: usize| if n_formulas == 1 { stem.to_owned() } else { format!("{stem}_{}", i + 1) };
    formulas.into_iter().enumerate().map(|(i, formula)| formula.named(name(i), sources)).collect()
}
