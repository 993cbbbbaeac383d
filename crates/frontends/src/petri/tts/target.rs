//! Multisets of states: targets `2|11,11`, and initial states `0|0`, `0/0`, `1|0,1/2` as bfc writes them.

use lapidary_ir::{Range, Tokens};
use lapidary_text::descent::{Failed, Parsed};
use lapidary_text::{Diagnostic, Log, SourceId, Sources, Span};

use super::super::codes;
use super::super::lexer::Kind;
use super::super::reader::Reader;
use super::parse::{Parser, Size};
use super::{LEXIS, State};

/// At least so many tokens in each of these states.
pub struct Wanted {
    /// None if some of them do not exist: then nothing reaches them.
    pub states: Option<Vec<(State, Tokens)>>,
    pub span: Span,
}

/// `s|l,l,...`
pub fn wanted(parser: &mut Parser<'_, '_>) -> Parsed<Wanted> {
    let start = parser.reader.cursor.span();
    let size = std::mem::take(&mut parser.size);
    let listed = listed(parser);
    parser.size = size;
    let (mut states, span) = (listed?, start.to(parser.reader.cursor.previous_span()));
    if let Some(help) = states.iter().find_map(|&(state, _)| size.lacks(state)) {
        let message = "this target is never reached";
        let diagnostic = Diagnostic::warning(codes::TTS_BEYOND, message, span, "it has a state that does not exist");
        parser.reader.log.push(diagnostic.with_help(help));
        return Ok(Wanted { states: None, span });
    }
    states.sort_by_key(|&(state, _)| state);
    states.dedup_by(|next, kept| {
        let is_same = next.0 == kept.0;
        kept.1 += if is_same { next.1 } else { 0 };
        is_same
    });
    Ok(Wanted { states: Some(states), span })
}

fn listed(parser: &mut Parser<'_, '_>) -> Parsed<Vec<(State, Tokens)>> {
    let mut states = vec![(parser.shared()?, 1)];
    parser.reader.expect("|")?;
    locals(parser, &mut states)?;
    Ok(states)
}

/// Local states with commas between them, perhaps none.
fn locals(parser: &mut Parser<'_, '_>, states: &mut Vec<(State, Tokens)>) -> Parsed<()> {
    if !parser.reader.cursor.at(Kind::Number) {
        return Ok(());
    }
    loop {
        states.push((parser.local()?, 1));
        if parser.reader.eat(",").is_none() {
            return Ok(());
        }
    }
}

/// The target of a file; of several only the first counts, as with bfc.
pub fn file(sources: &Sources, source: SourceId, size: &Size, log: &mut Log) -> Option<Wanted> {
    let reader = Reader::new(sources, source, &LEXIS, codes::TTS_UNEXPECTED, log);
    let mut parser = Parser { reader, size: *size };
    parser.blank_lines();
    if parser.reader.cursor.at_end() {
        parser.reader.complain("a target", "a target is written `2|11,11`: a shared state, then local ones");
        return None;
    }
    let first = wanted(&mut parser).ok()?;
    parser.end_of_line().ok()?;
    parser.blank_lines();
    if !parser.reader.cursor.at_end() {
        let message = "only the first target of a file counts";
        parser.reader.log.push(
            Diagnostic::warning(codes::TTS_SEVERAL, message, parser.reader.cursor.span(), "this is not looked at")
                .with_label(first.span, "the target")
                .with_help("put further targets into files of their own, or into lines of the system"),
        );
    }
    Some(first)
}

/// The ranges of the states that need not be empty at first.
pub fn initial(sources: &Sources, source: SourceId, size: &Size, log: &mut Log) -> Vec<(State, Range)> {
    let reader = Reader::new(sources, source, &LEXIS, codes::TTS_INITIAL, log);
    let mut parser = Parser { reader, size: *size };
    let mut ranges: Vec<(State, Range)> = Vec::new();
    // Whatever went wrong is in the log.
    let read = initial_states(&mut parser, &mut ranges);
    if read.is_ok() && !parser.reader.cursor.at_end() {
        parser.reader.complain("the end", FORM);
    }
    ranges
}

const FORM: &str = "initial states are written `0|0` (one thread), `0/0` (any number of threads) or `1|0,1/2` (both)";

fn initial_states(parser: &mut Parser<'_, '_>, ranges: &mut Vec<(State, Range)>) -> Parsed<()> {
    if parser.reader.cursor.at(Kind::Word) {
        return legacy(parser, ranges);
    }
    ranges.push((parser.shared()?, Range::exactly(1)));
    if !parser.reader.at("|") && !parser.reader.at("/") {
        return parser.reader.fail("`|` or `/`", FORM);
    }
    let mut states = Vec::new();
    if parser.reader.eat("|").is_some() {
        locals(parser, &mut states)?;
    }
    for (state, _) in states.drain(..) {
        add(ranges, state, Range::exactly(1));
    }
    if parser.reader.eat("/").is_some() {
        locals(parser, &mut states)?;
    }
    for (state, _) in states {
        add(ranges, state, Range::ANY);
    }
    Ok(())
}

/// The range of a state grows by another.
fn add(ranges: &mut Vec<(State, Range)>, state: State, more: Range) {
    match ranges.iter_mut().find(|known| known.0 == state) {
        Some((_, range)) => {
            let hi = range.hi.zip(more.hi).map(|(this, that)| this + that);
            *range = Range { lo: range.lo + more.lo, hi };
        }
        None => ranges.push((state, more)),
    }
}

/// `0BU0,4`, an old form: the shared state, a letter for each local state (any number of threads, or one), the local
/// states. The letters come in the reverse order: in the one test of bfc that has it, 0 is where all threads start
/// and 4 the one thread that broadcasts.
fn legacy(parser: &mut Parser<'_, '_>, ranges: &mut Vec<(State, Range)>) -> Parsed<()> {
    let span = parser.reader.cursor.span();
    let word = parser.reader.slice(span);
    let is_letter = |character: char| character == 'B' || character == 'U';
    let parts = word.find(is_letter).and_then(|from| Some((from, word.rfind(is_letter)? + 1)));
    let Some((from, to)) = parts else { return parser.reader.fail("initial states", FORM) };
    let letters = &word[from..to];
    let number = |text: &str| text.parse::<Tokens>().ok();
    let (Some(shared), Some(first)) = (number(&word[..from]), number(&word[to..])) else {
        return parser.reader.fail("initial states", FORM);
    };
    parser.reader.cursor.next();
    let mut states = vec![(State::Local(first), 1)];
    if parser.reader.eat(",").is_some() {
        locals(parser, &mut states)?;
    }
    let is_known = |number: Tokens, limit: Option<Tokens>| limit.is_none_or(|limit| number < limit);
    let fits = letters.chars().all(is_letter) && letters.len() == states.len();
    if !fits || !is_known(shared, parser.size.shared) || !is_known(first, parser.size.local) {
        let message = "the letters B and U do not fit the states";
        parser
            .reader
            .log
            .push(Diagnostic::error(codes::TTS_INITIAL, message, span, "one letter for each").with_help(FORM));
        return Err(Failed);
    }
    ranges.push((State::Shared(shared), Range::exactly(1)));
    for ((state, _), letter) in states.into_iter().zip(letters.chars().rev()) {
        add(ranges, state, if letter == 'B' { Range::exactly(1) } else { Range::ANY });
    }
    Ok(())
}
