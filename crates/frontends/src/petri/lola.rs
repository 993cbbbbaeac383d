//! LoLA nets, `.lola`: places, a marking and transitions with what they consume and produce. What is asked about them may
//! follow in the same text.

mod tasks;

use lapidary_base::hash::Map;
use lapidary_ir::{Net, Place, PlaceId, Range, Sparse, Tokens, Transition};
use lapidary_text::descent::{Failed, Parsed};
use lapidary_text::spelling::Suggestions;
use lapidary_text::{Diagnostic, Log, SourceId, Sources, Span};

use super::arcs::{self, Arc};
use super::lexer::{Kind, Lexis, Lines, Quotes};
use super::reader::{Name, Reader, too_large};
use super::{codes, formula, properties};
pub use tasks::{asked, file};

pub const LEXIS: Lexis = Lexis {
    signs: &[",", ";", ":", "(", ")"],
    comments: formula::COMMENTS,
    is_word: |_, character| is_in_names(character),
    lines: Lines::AreBlank,
    quotes: Quotes::AreStrange,
};

/// Names are made of almost anything.
pub fn is_in_names(character: char) -> bool {
    !character.is_whitespace()
        && !character.is_control()
        && !matches!(character, ',' | ';' | ':' | '(' | ')' | '{' | '}')
}

pub const KEYWORDS: [&str; 10] =
    ["PLACE", "SAFE", "MARKING", "TRANSITION", "CONSUME", "PRODUCE", "STRONG", "WEAK", "FAIR", "FORMULA"];

/// Sections of nets with colours.
const HIGH_LEVEL: [&str; 5] = ["SORT", "FUNCTION", "CONSTANT", "VAR", "GUARD"];

/// The words that questions begin with.
const TASKS: [&str; 2] = ["FORMULA", "ANALYSE"];

/// The words that sections begin with.
const SECTIONS: [&str; 5] = ["PLACE", "MARKING", "TRANSITION", TASKS[0], TASKS[1]];

/// Reads a net, or as much of it as can be understood, and finds where in the text questions about it are.
pub fn load(sources: &Sources, source: SourceId, log: &mut Log) -> (Net, Option<Span>) {
    let net = Net { name: properties::stem(sources, source).to_owned(), ..Net::default() };
    if let Some(span) = of_tina(sources, source) {
        let message = "this net is written in the format of TINA";
        let diagnostic = Diagnostic::error(codes::LOLA_TINA, message, span, "LoLA nets begin with `PLACE`");
        log.push(diagnostic.with_help("write it as PNML first, as TINA's ndrio does, and read that"));
        return (net, None);
    }
    let reader = Reader::new(sources, source, &LEXIS, codes::LOLA_UNEXPECTED, log);
    let mut parser = Parser {
        reader,
        net,
        places: Map::default(),
        transitions: Map::default(),
        suggestions: Suggestions::default(),
    };
    let tasks = parser.file();
    (parser.net, tasks)
}

/// The word that shows that a text is TINA's, whose nets often have the same suffix: comments there begin with `#`.
fn of_tina(sources: &Sources, source: SourceId) -> Option<Span> {
    let mut at = 0;
    for line in sources.get(source).text.split_inclusive('\n') {
        let text = line.trim_start();
        if !text.is_empty() && !text.starts_with('#') {
            let word = text.split_whitespace().next().unwrap_or("");
            let start = u32::try_from(at + line.len() - text.len()).ok()?;
            let is_tina = ["net", "tr", "pl", "lb", "an", "nt", "pr"].contains(&word);
            return is_tina.then(|| Span::new(source, start, start + word.len() as u32));
        }
        at += line.len();
    }
    None
}

struct Parser<'a, 'l> {
    reader: Reader<'a, 'l>,
    net: Net,
    places: Map<&'a str, PlaceId>,
    transitions: Map<&'a str, Span>,
    suggestions: Suggestions,
}

impl<'a> Parser<'a, '_> {
    fn file(&mut self) -> Option<Span> {
        let mut tasks = None;
        while !self.reader.cursor.at_end() && self.reader.log.goes_on() {
            if TASKS.iter().any(|word| self.reader.at_word(word)) {
                let start = self.reader.cursor.span();
                tasks = Some(Span::new(start.source, start.start, self.reader.text.len() as u32));
                break;
            }
            let section = if self.reader.eat_word("PLACE").is_some() {
                self.groups()
            } else if self.reader.eat_word("MARKING").is_some() {
                self.marking()
            } else if self.reader.eat_word("TRANSITION").is_some() {
                self.transition()
            } else {
                self.other()
            };
            if section.is_err() {
                self.reader.skip_until(|reader| SECTIONS.iter().any(|word| reader.at_word(word)));
            }
        }
        if self.net.places.is_empty() && !self.reader.log.has_errors() {
            self.reader.complain("`PLACE`", "a net begins `PLACE p1, p2; MARKING p1: 1;`");
        }
        tasks
    }

    fn other(&mut self) -> Parsed<()> {
        let span = self.reader.cursor.span();
        let word = self.reader.slice(span);
        if HIGH_LEVEL.contains(&word) {
            let message = "nets of high level are not read";
            let diagnostic = Diagnostic::error(codes::LOLA_HIGH_LEVEL, message, span, "only such nets have this");
            self.reader.log.push(diagnostic.with_help("unfold the net into places and transitions first"));
            return Err(Failed);
        }
        let help = "places come first, then the marking, the transitions, and perhaps what is asked";
        self.reader.fail("`PLACE`, `MARKING` or `TRANSITION`", help)
    }

    /// Groups of places, each perhaps with a promise that they never have more than so many tokens.
    fn groups(&mut self) -> Parsed<()> {
        loop {
            if self.reader.eat_word("SAFE").is_some() {
                if self.reader.cursor.at(Kind::Number) {
                    self.reader.number("a number", "")?;
                }
                self.reader.expect(":")?;
            }
            loop {
                self.go_on()?;
                let name = self.name("a place")?;
                self.declare(name);
                if self.reader.eat(",").is_none() {
                    break;
                }
            }
            self.reader.expect(";")?;
            let goes_on = self.reader.at_word("SAFE") || !self.at_keyword();
            if self.reader.cursor.at_end() || !goes_on {
                return Ok(());
            }
        }
    }

    fn declare(&mut self, name: Name<'a>) {
        if let Some(&first) = self.places.get(name.text) {
            return self.twice("place", name, self.net.places[first].span);
        }
        let place = self.net.places.push(Place { name: name.text.to_owned(), span: name.span });
        self.net.initial.push(Range::exactly(0));
        self.places.insert(name.text, place);
    }

    fn twice(&mut self, what: &str, name: Name<'a>, first: Span) {
        let message = format!("the {what} `{}` is declared twice", name.text);
        self.reader.log.push(
            Diagnostic::error(codes::LOLA_DUPLICATE, message, name.span, "again")
                .with_label(first, "declared here")
                .with_help("leave one of them out, or rename it"),
        );
    }

    fn marking(&mut self) -> Parsed<()> {
        let (entries, span) = self.list()?;
        let initial = &mut self.net.initial;
        let marked = entries.into_iter().map(|(place, tokens)| (place, tokens + initial[place].lo)).collect();
        let Some(marked) = arcs::merged(marked) else {
            self.reader.log.push(too_large(span));
            return Ok(());
        };
        for (place, tokens) in marked {
            initial[place] = Range::exactly(tokens);
        }
        Ok(())
    }

    /// `p: 2, q;` up to its semicolon; a place may be listed several times.
    fn list(&mut self) -> Parsed<(Sparse, Span)> {
        let start = self.reader.cursor.span();
        let mut entries = Sparse::new();
        while !self.reader.at(";") {
            self.go_on()?;
            let name = self.name("a place")?;
            let tokens: Tokens = match self.reader.eat(":") {
                Some(_) => self.reader.number("a number of tokens", "tokens are counted: `p: 2`")?,
                None => 1,
            };
            entries.extend(self.place(name).map(|place| (place, tokens)));
            if self.reader.eat(",").is_none() {
                break;
            }
        }
        let end = self.reader.expect(";")?;
        Ok((entries, start.to(end)))
    }

    fn transition(&mut self) -> Parsed<()> {
        let name = self.name("the name of a transition")?;
        if self.reader.eat_word("STRONG").or_else(|| self.reader.eat_word("WEAK")).is_some()
            && self.reader.eat_word("FAIR").is_none()
        {
            return self.reader.fail("`FAIR`", "fairness is written `STRONG FAIR` or `WEAK FAIR`");
        }
        if HIGH_LEVEL.iter().any(|word| self.reader.at_word(word)) {
            return self.other();
        }
        let mut arcs: Vec<(PlaceId, Arc)> = Vec::new();
        if self.reader.eat_word("CONSUME").is_none() {
            return self.reader.fail("`CONSUME`", "a transition is `TRANSITION t CONSUME p: 1; PRODUCE q: 1;`");
        }
        let taken = self.list()?.0;
        arcs.extend(taken.into_iter().map(|(place, tokens)| (place, Arc::Take(tokens))));
        if self.reader.eat_word("PRODUCE").is_none() {
            return self.reader.fail("`PRODUCE`", "a transition is `TRANSITION t CONSUME p: 1; PRODUCE q: 1;`");
        }
        let put = self.list()?.0;
        arcs.extend(put.into_iter().map(|(place, tokens)| (place, Arc::Put(tokens))));
        if let Some(first) = self.transitions.insert(name.text, name.span) {
            self.twice("transition", name, first);
        }
        let span = name.span.to(self.reader.cursor.previous_span());
        let transition: Option<Transition> = arcs::transition(name.text.to_owned(), span, &arcs);
        match transition {
            Some(transition) => {
                self.net.transitions.push(transition);
            }
            None => self.reader.log.push(too_large(span)),
        }
        Ok(())
    }

    /// Fails where a limit was reached, which is no mistake in the text.
    fn go_on(&mut self) -> Parsed<()> {
        if self.reader.log.goes_on() { Ok(()) } else { Err(Failed) }
    }

    fn at_keyword(&self) -> bool {
        KEYWORDS.iter().chain(&HIGH_LEVEL).any(|word| self.reader.at_word(word))
    }

    fn name(&mut self, what: &str) -> Parsed<Name<'a>> {
        let is_name = self.reader.cursor.at(Kind::Word) || self.reader.cursor.at(Kind::Number);
        if !is_name || self.at_keyword() {
            return self.reader.fail(what, "names are anything but words of the language");
        }
        let span = self.reader.cursor.span();
        self.reader.cursor.next();
        Ok(Name { text: self.reader.slice(span), span })
    }

    fn place(&mut self, name: Name<'a>) -> Option<PlaceId> {
        if let Some(&place) = self.places.get(name.text) {
            return Some(place);
        }
        let names = self.net.places.iter().map(|place| place.name.as_str());
        let help = match self.suggestions.similar(name.text, names) {
            Some(meant) => format!("perhaps `{meant}` is meant"),
            None => "declare it under `PLACE`".to_owned(),
        };
        let message = format!("there is no place `{}`", name.text);
        let diagnostic = Diagnostic::error(codes::LOLA_UNKNOWN, message, name.span, "not declared");
        self.reader.log.push(diagnostic.with_help(help));
        None
    }
}
