//! What is asked about a net, as LoLA writes it behind the net or in a file: `FORMULA` and a formula, or `ANALYSE` with a
//! transition, a marking or a place.

use lapidary_ir::{PlaceId, Property, PropertyKind, Range, Sparse, Tokens};
use lapidary_text::descent::{Failed, Parsed};
use lapidary_text::{Diagnostic, Log, SourceId, Sources, Span};

use super::super::lexer::{self, Kind};
use super::super::properties::{Posed, Scope};
use super::super::reader::{Name, Reader, too_large};
use super::super::{arcs, codes, formula, properties};
use super::{LEXIS, TASKS};

/// The questions in a part of a net's text. The first formula is named `formula`, further ones are numbered.
pub fn asked(sources: &Sources, part: Span, scope: &Scope<'_>, log: &mut Log) -> Vec<Posed> {
    let (mut n_formulas, mut n_analyses) = (0, 0);
    let mut asked = Vec::new();
    for task in tasks(sources, part, scope, log) {
        let (word, n) = match task {
            Task::Formula(_) => ("formula", &mut n_formulas),
            Task::Analysis(_) => ("analyse", &mut n_analyses),
            Task::LeftOut { name } => {
                asked.push(Posed::LeftOut { name });
                continue;
            }
        };
        *n += 1;
        let name = if *n == 1 { word.to_owned() } else { format!("{word}_{n}") };
        asked.extend(task.named(name, sources, scope, log));
    }
    asked
}

/// A file with one question, named after the file, or with several behind each other, which are numbered.
pub fn file(sources: &Sources, source: SourceId, scope: &Scope<'_>, log: &mut Log) -> Vec<Posed> {
    let tasks = tasks(sources, properties::whole(sources, source), scope, log);
    let stem = properties::stem(sources, source);
    let n_tasks = tasks.iter().filter(|task| !matches!(task, Task::LeftOut { .. })).count();
    let name = |i: usize| if n_tasks == 1 { stem.to_owned() } else { format!("{stem}_{i}") };
    let (mut i, mut asked) = (0, Vec::new());
    for task in tasks {
        i += usize::from(!matches!(task, Task::LeftOut { .. }));
        asked.extend(task.named(name(i), sources, scope, log));
    }
    asked
}

enum Task {
    Formula(formula::Written),
    Analysis(Analysis),
    /// Named by its words.
    LeftOut {
        name: String,
    },
}

/// What is to be reached.
struct Analysis {
    kind: PropertyKind,
    text: String,
    span: Span,
}

impl Task {
    fn named(self, name: String, sources: &Sources, scope: &Scope<'_>, log: &mut Log) -> Option<Posed> {
        match self {
            Self::Formula(formula) => formula.asked(name, sources, scope, formula::Bare::IsRefused, log),
            Self::Analysis(Analysis { kind, text, span }) => {
                Some(Posed::One(Property { name, kind, faults: Vec::new(), text, span }))
            }
            Self::LeftOut { name } => Some(Posed::LeftOut { name }),
        }
    }
}

/// Reads a part of a text as far as it can be understood. One that does not begin with a word for a question is a formula.
fn tasks(sources: &Sources, part: Span, scope: &Scope<'_>, log: &mut Log) -> Vec<Task> {
    let formulas = |part: Span, log: &mut Log| {
        let found = formula::read(sources, part, scope, formula::Several::AreRead, log);
        found.into_iter().map(Task::Formula).collect::<Vec<Task>>()
    };
    if !begins_with_word(sources.text(part)) {
        return formulas(part, log);
    }
    let reader = Reader::within(sources, part, &LEXIS, codes::LOLA_UNEXPECTED, log);
    let mut parser = Parser { reader, scope };
    let mut found = Vec::new();
    while !parser.reader.cursor.at_end() && parser.reader.log.goes_on() {
        if parser.reader.eat_word("FORMULA").is_some() {
            let start = parser.reader.cursor.span();
            parser.reader.skip_until(at_task);
            let end = parser.reader.cursor.previous_span();
            let span = if start.start < end.end { start.to(end) } else { Span::new(part.source, end.end, end.end) };
            found.extend(formulas(span, parser.reader.log));
            continue;
        }
        match parser.analysis() {
            Ok(task) => found.push(task),
            Err(Failed) => parser.reader.skip_until(at_task),
        }
    }
    found
}

fn begins_with_word(text: &str) -> bool {
    TASKS.contains(&lexer::first(text.trim_start_matches('\u{feff}'), &LEXIS))
}

fn at_task(reader: &Reader<'_, '_>) -> bool {
    TASKS.iter().any(|word| reader.at_word(word))
}

struct Parser<'a, 'l, 's> {
    reader: Reader<'a, 'l>,
    scope: &'s Scope<'s>,
}

const FORM: &str = "write `ANALYSE TRANSITION t`, `ANALYSE MARKING p: 1, q: 2` or `ANALYSE PLACE p`";

impl<'a> Parser<'a, '_, '_> {
    fn analysis(&mut self) -> Parsed<Task> {
        let start = self.reader.cursor.span();
        if self.reader.eat_word("ANALYSE").is_none() {
            return self.reader.fail("`FORMULA` or `ANALYSE`", FORM);
        }
        let asked = if self.reader.eat_word("TRANSITION").is_some() {
            Ok(self.transition()?)
        } else if self.reader.eat_word("MARKING").is_some() {
            Ok(self.marking()?)
        } else if self.reader.eat_word("PLACE").is_some() {
            Err(self.place(start)?)
        } else {
            return self.reader.fail("`TRANSITION`, `MARKING` or `PLACE`", FORM);
        };
        let span = start.to(self.reader.cursor.previous_span());
        self.reader.eat(";");
        Ok(match asked {
            Ok((kind, text)) => Task::Analysis(Analysis { kind, text, span }),
            Err(name) => Task::LeftOut { name },
        })
    }

    /// Whether the transition can ever fire: LoLA tells whether it is dead.
    fn transition(&mut self) -> Parsed<(PropertyKind, String)> {
        let name = self.name("a transition")?;
        let Some(transition) = self.scope.transition(name.text) else { return self.unknown("transition", name) };
        Ok((PropertyKind::Reach(self.scope.enabled(transition)), format!("EF FIREABLE({})", name.text)))
    }

    /// Whether exactly this marking is reached: places that are not listed have no tokens.
    fn marking(&mut self) -> Parsed<(PropertyKind, String)> {
        let start = self.reader.cursor.span();
        let mut entries = Sparse::new();
        while !self.reader.at(";") && !self.reader.cursor.at_end() && !at_task(&self.reader) {
            if !self.reader.log.goes_on() {
                return Err(Failed);
            }
            let name = self.name("a place")?;
            let place = self.known_place(name)?;
            let tokens: Tokens = match self.reader.eat(":") {
                Some(_) => self.reader.number("a number of tokens", "tokens are counted: `p: 2`")?,
                None => 1,
            };
            entries.push((place, tokens));
            if self.reader.eat(",").is_none() {
                break;
            }
        }
        let Some(tokens) = arcs::merged(entries) else {
            self.reader.log.push(too_large(start));
            return Err(Failed);
        };
        let mut listed = tokens.iter().peekable();
        let exactly = self.scope.net.places.ids().map(|place| {
            let tokens = listed.next_if(|(listed, _)| *listed == place).map_or(0, |&(_, tokens)| tokens);
            self.scope.within(place, Range::exactly(tokens))
        });
        let kind = PropertyKind::Reach(self.scope.exprs.and(exactly));
        let shown = |&(place, tokens): &(PlaceId, Tokens)| format!("{}: {tokens}", self.scope.net.places[place].name);
        let shown: Vec<String> = tokens.iter().map(shown).collect();
        Ok((kind, format!("EF MARKING {}", shown.join(", "))))
    }

    /// Whether the place is bounded, by whatever number, which no search for a marking tells: the words of the question.
    fn place(&mut self, start: Span) -> Parsed<String> {
        let name = self.name("a place")?;
        self.known_place(name)?;
        let words = format!("ANALYSE PLACE {}", name.text);
        let message = format!("`{words}` is left out");
        let label = "whether a place is bounded is no question of reachability";
        let diagnostic = Diagnostic::warning(codes::LOLA_LEFT_OUT, message, start.to(name.span), label);
        self.reader.log.push(diagnostic.with_help(format!("ask for a bound: `-p 'AG {} <= 5'`", name.text)));
        Ok(words)
    }

    fn name(&mut self, what: &str) -> Parsed<Name<'a>> {
        if !self.reader.cursor.at(Kind::Word) && !self.reader.cursor.at(Kind::Number) {
            return self.reader.fail(what, FORM);
        }
        let span = self.reader.cursor.span();
        self.reader.cursor.next();
        Ok(Name { text: self.reader.slice(span), span })
    }

    fn known_place(&mut self, name: Name<'a>) -> Parsed<PlaceId> {
        match self.scope.place(name.text) {
            Some(place) => Ok(place),
            None => self.unknown("place", name),
        }
    }

    fn unknown<T>(&mut self, what: &str, name: Name<'a>) -> Parsed<T> {
        let message = format!("there is no {what} `{}`", name.text);
        let diagnostic = Diagnostic::error(codes::FORMULA_UNKNOWN, message, name.span, "unknown");
        self.reader.log.push(diagnostic.with_help(format!("the net declares every {what}")));
        Err(Failed)
    }
}
