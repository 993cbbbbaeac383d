//! Formulas as LoLA writes them, for all languages: `EF (p >= 2 AND NOT FIREABLE(t))`.
//!
//! `EF f` asks whether `f` can be reached, `AG f` whether it always holds; these may be put together. On the command line
//! `f` alone says that it always holds. In a file it is refused: versions of LoLA differ in what it means.

pub mod linear;
mod parse;
mod terms;

pub use parse::{Several, too_deep};

use lapidary_ir::Property;
use lapidary_text::{Diagnostic, Log, Sources, Span};

use super::lexer::{self, Comment, Lexis, Lines, Quotes};
use super::paths::{self, Formula, Misfit, Named, Path, Rules, Words};
use super::properties::{self, Posed, Scope};
use super::{codes, reader};
use crate::asked::{Asked, Wording};

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

/// What a condition on one marking means where a formula is expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bare {
    AlwaysHolds,
    IsRefused,
}

/// A formula that has no name yet.
pub struct Written {
    pub formula: Formula,
    pub span: Span,
}

impl Written {
    /// With what a word before it asks.
    fn worded(self, wording: Wording, log: &mut Log) -> Option<Self> {
        let path = match wording {
            Wording::Plain => return Some(self),
            Wording::Reach => Path::Reach,
            Wording::Invariant => Path::Always,
            Wording::DeadlockFree | Wording::Ltl => unreachable!("they are not formulas over states"),
        };
        let Self { formula, span } = self;
        let operator = match &formula {
            Formula::State(..) => return Some(Self { formula: Formula::Path(path, Box::new(formula), span), span }),
            Formula::Path(_, _, operator) => *operator,
            Formula::Not(_) | Formula::Join(..) => span,
        };
        let message = "what is asked is said twice";
        let error = Diagnostic::error(codes::FORMULA_TEMPORAL, message, operator, "a word stands before it");
        log.push(error.with_help("write `reach f` or `EF f`, `invariant f` or `AG f`"));
        None
    }

    /// What it asks; nothing if it is no question of reachability, which the log tells.
    pub fn asked(self, name: String, sources: &Sources, scope: &Scope<'_>, bare: Bare, log: &mut Log) -> Option<Posed> {
        let Self { formula, span } = self;
        let text = lexer::on_one_line(sources.text(span), &LEXIS);
        if let (Bare::AlwaysHolds, Formula::State(expr, _)) = (bare, &formula) {
            let kind = scope.always(*expr);
            return Some(Posed::One(Property { name, kind, faults: Vec::new(), text, span }));
        }
        let source = span.source;
        let place = |words: &Words| Span::new(source, words.start as u32, words.end as u32);
        let words = |words: &Words| lexer::on_one_line(sources.text(place(words)), &LEXIS);
        let rules = Rules { scope, words: &words, bare: paths::Bare::IsRefused };
        match rules.asked(Named { name, text, span, formula: &formula }) {
            Ok(asked) => Some(asked),
            Err(misfit) => {
                log.push(complaint(&misfit, place));
                None
            }
        }
    }
}

fn complaint(misfit: &Misfit, place: impl Fn(&Words) -> Span) -> Diagnostic {
    match misfit {
        Misfit::Nested(span) => {
            let message = "a path operator stands within another one";
            Diagnostic::error(codes::FORMULA_TEMPORAL, message, *span, "this one").with_help(
                "each reaches as far as it can; to put several together, give each brackets: `(EF a) AND (AG b)`",
            )
        }
        Misfit::Bare(words) | Misfit::Initial(words) => {
            let message = "this says neither EF nor AG";
            Diagnostic::error(codes::FORMULA_BARE, message, place(words), "a condition on one marking").with_help(
                "write `EF` before it to ask whether it is reached, `AG` whether it always holds; tools differ in what it means alone",
            )
        }
    }
}

/// Reads the formulas in a part of a text; `:` or `;` stand between several.
pub fn read(sources: &Sources, part: Span, scope: &Scope<'_>, several: Several, log: &mut Log) -> Vec<Written> {
    if reader::text(sources, part.source, log).len() != sources.get(part.source).text.len() {
        return Vec::new();
    }
    parse::formulas(sources, part, scope, several, log)
}

/// A formula of the command line, under the name it is given. A word before it says what is asked, or an operator does; both
/// would say it twice.
pub fn single(sources: &Sources, asked: &Asked, scope: &Scope<'_>, log: &mut Log) -> Vec<Posed> {
    let part = properties::whole(sources, asked.source);
    let found = read(sources, part, scope, Several::AreAMistake, log);
    let posed = |written: Written| {
        let worded = written.worded(asked.wording, log)?;
        worded.asked(asked.name.clone(), sources, scope, Bare::AlwaysHolds, log)
    };
    found.into_iter().filter_map(posed).collect()
}
