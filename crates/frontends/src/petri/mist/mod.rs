//! MIST specifications, `.spec`: variables over the naturals and rules with simultaneous updates.
//!
//! The updates of a rule are the rows of a matrix: `x' = y + z + 3` is one row. [`lower`] makes of them what is taken,
//! what flows and what is put.

mod lower;
mod parse;

use lapidary_base::IdVec;
use lapidary_ir::passes::Cube;
use lapidary_ir::{Net, Place, PlaceId, Range};
use lapidary_text::{Diagnostic, Log, SourceId, Sources, Span};

use super::lexer::{Comment, Lexis, Lines, Quotes};
use super::properties::{self, Target};
use super::{codes, lexer};

pub const LEXIS: Lexis = Lexis {
    // Some are of other languages, so that their meaning can be told.
    signs: &[
        "->", "=>", ":=", ">=", "<=", "==", "!=", "&&", "&", "=", "<", ">", ",", ";", "'", "+", "-", "*", "[", "]",
    ],
    comments: &[Comment { open: "#", close: None }],
    is_word: |_, character| character.is_ascii_alphanumeric() || character == '_',
    lines: Lines::AreBlank,
    quotes: Quotes::AreStrange,
};

pub const KEYWORDS: [&str; 7] = ["vars", "rules", "init", "target", "invariants", "true", "in"];

/// Reads a specification: the net and its target.
pub fn load(sources: &Sources, source: SourceId, log: &mut Log) -> (Net, Vec<Target>) {
    let file = parse::file(sources, source, log);
    let mut net = Net { name: properties::stem(sources, source).to_owned(), ..Net::default() };
    for name in &file.names {
        net.places.push(Place { name: name.text.to_owned(), span: name.span });
        net.initial.push(Range::ANY);
    }
    for constraint in &file.init {
        net.initial[constraint.place] = constraint.range;
    }
    unlisted(&file, log);
    for rule in &file.rules {
        if !log.goes_on() {
            break;
        }
        net.transitions.push(lower::transition(rule, log));
    }
    let targets = file.target_span.map(|span| target(sources, &file, span)).into_iter().collect();
    (net, targets)
}

/// Variables that the initial condition does not name may have any value, which is rarely meant.
fn unlisted(file: &parse::File<'_>, log: &mut Log) {
    let Some(init) = file.init_span else { return };
    let mut is_listed: IdVec<PlaceId, bool> = file.names.iter().map(|_| false).collect();
    for constraint in &file.init {
        is_listed[constraint.place] = true;
    }
    for (_, name) in file.names.enumerated().filter(|&(place, _)| !is_listed[place]) {
        let message = format!("the initial condition does not name `{}`", name.text);
        log.push(
            Diagnostic::warning(codes::MIST_UNLISTED, message, name.span, "it may have any number of tokens at first")
                .with_label(init, "not here")
                .with_help(format!("write `{0} = 0`, or `{0} >= 0` if this is meant", name.text)),
        );
    }
}

fn target(sources: &Sources, file: &parse::File<'_>, span: Span) -> Target {
    let cube = |conjunction: &Vec<parse::Constraint>| {
        let mut cube: Cube = conjunction.iter().map(|constraint| (constraint.place, constraint.range)).collect();
        cube.sort_by_key(|&(place, _)| place);
        cube
    };
    let text = lexer::on_one_line(sources.text(span), &LEXIS);
    Target { cubes: file.target.iter().map(cube).collect(), text, span }
}
