//! The parser: a line with the numbers of states, then a line for each step. A line that is not understood is left out.

use lapidary_ir::Tokens;
use lapidary_text::descent::{Failed, Parsed};
use lapidary_text::{Diagnostic, Log, SourceId, Sources, Span};

use super::super::codes;
use super::super::lexer::Kind;
use super::super::reader::Reader;
use super::target::{self, Wanted};
use super::{LEXIS, State};

/// How many states of each kind there are; nothing if the first line is not there.
#[derive(Clone, Copy, Default)]
pub struct Size {
    pub shared: Option<Tokens>,
    pub local: Option<Tokens>,
}

impl Size {
    /// Says what is wrong with a state that does not exist.
    pub fn lacks(&self, state: State) -> Option<String> {
        let (kind, number, n_states) = match state {
            State::Shared(number) => ("shared", number, self.shared?),
            State::Local(number) => ("local", number, self.local?),
        };
        (number >= n_states).then(|| match n_states {
            0 => format!("the first line says that there are no {kind} states"),
            _ => format!("the first line says that {kind} states are 0 to {}", n_states - 1),
        })
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kinds {
    /// `->`: one thread moves.
    Move,
    /// `~>`: all threads of a local state move, however many these are.
    Transfer,
    /// `+>`: a thread stays, and a new one appears.
    Spawn,
}

pub struct Step {
    pub kind: Kinds,
    pub from: (State, State),
    pub to: (State, State),
    /// Where other threads go: every thread of the first may go to the second.
    pub passive: Vec<(State, State)>,
    pub span: Span,
}

impl Step {
    pub fn states(&self) -> impl Iterator<Item = (State, Span)> {
        let ends = [self.from.0, self.from.1, self.to.0, self.to.1].into_iter();
        ends.chain(self.passive.iter().flat_map(|&(from, to)| [from, to])).map(|state| (state, self.span))
    }
}

pub struct File {
    pub size: Size,
    pub steps: Vec<Step>,
    pub targets: Vec<Wanted>,
}

/// Reads a whole system, or as much of it as can be understood.
pub fn file(sources: &Sources, source: SourceId, log: &mut Log) -> File {
    let reader = Reader::new(sources, source, &LEXIS, codes::TTS_UNEXPECTED, log);
    let mut parser = Parser { reader, size: Size::default() };
    let mut file = File { size: Size::default(), steps: Vec::new(), targets: Vec::new() };
    parser.blank_lines();
    if parser.size().is_err() {
        parser.rest_of_line();
    }
    file.size = parser.size;
    loop {
        parser.blank_lines();
        if parser.reader.cursor.at_end() || !parser.reader.log.goes_on() {
            return file;
        }
        if parser.line(&mut file).is_err() {
            parser.rest_of_line();
        }
    }
}

pub struct Parser<'a, 'l> {
    pub reader: Reader<'a, 'l>,
    pub size: Size,
}

const FORM: &str = "steps are written `0 1 -> 0 2`, `0 1 -> 0 2  3 ~> 4`, `0 1 ~> 0 2` or `0 1 +> 0 2`";

impl Parser<'_, '_> {
    pub fn blank_lines(&mut self) {
        while self.reader.cursor.eat(Kind::Line).is_some() {}
    }

    fn rest_of_line(&mut self) {
        self.reader.skip_until(|reader| reader.cursor.at(Kind::Line));
    }

    pub fn end_of_line(&mut self) -> Parsed<()> {
        if self.reader.cursor.at_end() || self.reader.cursor.eat(Kind::Line).is_some() {
            return Ok(());
        }
        self.reader.fail("the end of the line", "each step and each target has a line of its own")
    }

    fn size(&mut self) -> Parsed<()> {
        let help = "the first line says how many shared and local states there are: `2 5`";
        self.size.shared = Some(self.reader.number("the number of shared states", help)?);
        self.size.local = Some(self.reader.number("the number of local states", help)?);
        self.end_of_line()
    }

    fn line(&mut self, file: &mut File) -> Parsed<()> {
        let start = self.reader.cursor.span();
        if self.reader.cursor.peek_at(1) == Some(Kind::Sign("|")) {
            file.targets.push(target::wanted(self)?);
            return self.end_of_line();
        }
        let from = (self.shared()?, self.local()?);
        let kind = if self.reader.eat("->").is_some() {
            Kinds::Move
        } else if self.reader.eat("~>").is_some() {
            Kinds::Transfer
        } else if self.reader.eat("+>").is_some() {
            Kinds::Spawn
        } else {
            return self.reader.fail("`->`, `~>` or `+>`", FORM);
        };
        let to = (self.shared()?, self.local()?);
        let mut passive = Vec::new();
        while self.reader.cursor.at(Kind::Number) {
            let from = self.local()?;
            self.reader.expect("~>")?;
            passive.push((from, self.local()?));
        }
        let span = start.to(self.reader.cursor.previous_span());
        file.steps.push(Step { kind, from, to, passive, span });
        self.end_of_line()
    }

    pub fn shared(&mut self) -> Parsed<State> {
        self.state("shared", State::Shared)
    }

    pub fn local(&mut self) -> Parsed<State> {
        self.state("local", State::Local)
    }

    fn state(&mut self, kind: &str, state: fn(Tokens) -> State) -> Parsed<State> {
        let span = self.reader.cursor.span();
        let number = self.reader.number(&format!("a {kind} state"), FORM)?;
        match self.size.lacks(state(number)) {
            Some(help) => {
                let message = format!("there is no {kind} state {number}");
                self.reader.log.push(Diagnostic::error(codes::TTS_RANGE, message, span, "too large").with_help(help));
                Err(Failed)
            }
            None => Ok(state(number)),
        }
    }
}
