//! The parser: sections in their fixed order. After a mistake it goes on behind the next `;`, or with the next section.

use lapidary_base::IdVec;
use lapidary_base::hash::Map;
use lapidary_ir::{PlaceId, Range, Sparse, Tokens};
use lapidary_text::{Diagnostic, SourceId, Sources, Span};

use super::super::codes;
use super::super::lexer::Kind;
use super::super::limits::MAX_SHOWN;
use super::super::reader::{Failed, Name, Parsed, Reader};
use super::{KEYWORDS, LEXIS};
use crate::log::Log;
use crate::words::similar;

pub struct File<'a> {
    pub names: IdVec<PlaceId, Name<'a>>,
    pub rules: Vec<Rule>,
    pub init: Vec<Constraint>,
    pub init_span: Option<Span>,
    /// A disjunction of conjunctions.
    pub target: Vec<Vec<Constraint>>,
    pub target_span: Option<Span>,
}

#[derive(Clone, Copy)]
pub struct Constraint {
    pub place: PlaceId,
    pub range: Range,
    pub span: Span,
}

pub struct Rule {
    pub name: String,
    pub guards: Vec<Constraint>,
    /// Each place at most once.
    pub rows: Vec<Row>,
    pub span: Span,
}

/// `place' = sum of sources + constant`.
pub struct Row {
    pub place: PlaceId,
    /// Places and how often they occur.
    pub sources: Sparse,
    pub constant: i64,
    pub span: Span,
}

/// Reads a whole specification, or as much of it as can be understood.
pub fn file<'a>(sources: &'a Sources, source: SourceId, log: &mut Log) -> File<'a> {
    let reader = Reader::new(sources, source, &LEXIS, codes::MIST_UNEXPECTED, log);
    let mut parser = Parser { reader, names: IdVec::new(), known: Map::default(), has_names: true, n_suggestions: 0 };
    parser.has_names = parser.section("vars").is_some();
    parser.vars();
    parser.section("rules");
    let rules = parser.rules();
    let init_span = parser.section("init");
    let init = if init_span.is_some() { parser.conjunction().ok() } else { None };
    // What went wrong in it does not leave variables open.
    let init_span = init_span.filter(|_| init.is_some());
    let init = init.unwrap_or_default();
    let target_span = parser.section("target");
    let start = parser.reader.cursor.span();
    let target = if target_span.is_some() { parser.target() } else { Vec::new() };
    let target_span = target_span.map(|_| start.to(parser.reader.cursor.previous_span()));
    parser.invariants();
    File { names: parser.names, rules, init, init_span, target, target_span }
}

struct Parser<'a, 'l> {
    reader: Reader<'a, 'l>,
    names: IdVec<PlaceId, Name<'a>>,
    known: Map<&'a str, PlaceId>,
    /// Without the section of names all would be unknown, which is not worth saying.
    has_names: bool,
    n_suggestions: usize,
}

impl<'a> Parser<'a, '_> {
    fn at_keyword(&self) -> bool {
        KEYWORDS[..5].iter().any(|word| self.reader.at_word(word))
    }

    /// Goes to the section with this head; what stands before it is not understood.
    fn section(&mut self, head: &str) -> Option<Span> {
        if let Some(span) = self.reader.eat_word(head) {
            return Some(span);
        }
        // A later section is the next one: then only this one is missing.
        if !self.at_keyword() && !self.reader.cursor.at_end() {
            self.reader
                .complain(&format!("the section `{head}`"), "the sections are vars, rules, init, target, invariants");
            self.reader.skip_until(|reader| KEYWORDS[..5].iter().any(|word| reader.at_word(word)));
            if let Some(span) = self.reader.eat_word(head) {
                return Some(span);
            }
        }
        let span = self.reader.cursor.span();
        let message = format!("the section `{head}` is missing");
        self.reader.log.push(
            Diagnostic::error(codes::MIST_SECTION, message, span, "it belongs here")
                .with_help("the sections are vars, rules, init, target, in this order, then perhaps invariants"),
        );
        None
    }

    fn vars(&mut self) {
        loop {
            while self.reader.cursor.eat(Kind::Strange).is_some() {}
            if self.at_keyword() || !self.reader.cursor.at(Kind::Word) {
                return;
            }
            let span = self.reader.cursor.span();
            let name = Name { text: self.reader.slice(span), span };
            if name.text.starts_with(|first: char| first.is_ascii_digit()) || KEYWORDS.contains(&name.text) {
                self.reader.complain("a name", "names start with a letter or `_` and are no words of the language");
            }
            self.reader.cursor.next();
            if let Some(&first) = self.known.get(name.text) {
                let message = format!("`{}` is declared twice", name.text);
                self.reader.log.push(
                    Diagnostic::error(codes::MIST_DUPLICATE, message, span, "again")
                        .with_label(self.names[first].span, "declared here")
                        .with_help("leave one of them out"),
                );
                continue;
            }
            let id = self.names.push(name);
            self.known.insert(name.text, id);
        }
    }

    fn rules(&mut self) -> Vec<Rule> {
        let mut rules = Vec::new();
        while !self.at_keyword() && !self.reader.cursor.at_end() && self.reader.log.goes_on() {
            let start = self.reader.cursor.position();
            match self.rule(rules.len() + 1) {
                Ok(rule) => rules.push(rule),
                Err(Failed) => {
                    self.reader.skip_until(|reader| {
                        reader.at(";") || ["init", "target", "invariants"].iter().any(|word| reader.at_word(word))
                    });
                    self.reader.eat(";");
                }
            }
            if self.reader.cursor.position() == start {
                self.reader.cursor.next();
            }
        }
        rules
    }

    fn rule(&mut self, number: usize) -> Parsed<Rule> {
        let start = self.reader.cursor.span();
        let guards = self.conjunction()?;
        self.reader.expect("->")?;
        let mut rows: Vec<Row> = Vec::new();
        let mut seen: Map<PlaceId, Span> = Map::default();
        while !self.reader.at(";") {
            if let Some(row) = self.row()? {
                match seen.get(&row.place) {
                    Some(&first) => self.updated_twice(&row, first),
                    None => {
                        seen.insert(row.place, row.span);
                        rows.push(row);
                    }
                }
            }
            if self.reader.eat(",").is_none() {
                break;
            }
        }
        let end = self.reader.expect(";")?;
        Ok(Rule { name: format!("r{number}"), guards, rows, span: start.to(end) })
    }

    fn updated_twice(&mut self, row: &Row, first: Span) {
        let message = format!("this rule updates `{}` twice", self.names[row.place].text);
        self.reader.log.push(
            Diagnostic::warning(codes::MIST_UPDATED_TWICE, message, row.span, "this one is left out")
                .with_label(first, "the first one counts")
                .with_help("all updates of a rule happen at once; write one sum"),
        );
    }

    /// Constraints with commas between them; `true` says nothing.
    fn conjunction(&mut self) -> Parsed<Vec<Constraint>> {
        let mut constraints: Vec<Constraint> = Vec::new();
        let mut seen: Map<PlaceId, Span> = Map::default();
        loop {
            if !self.reader.log.goes_on() {
                return Err(Failed);
            }
            if self.reader.eat_word("true").is_none()
                && let Some(constraint) = self.constraint()?
            {
                match seen.insert(constraint.place, constraint.span) {
                    Some(first) => self.constrained_twice(&constraint, first),
                    None => constraints.push(constraint),
                }
            }
            if self.reader.eat(",").is_none() {
                return Ok(constraints);
            }
        }
    }

    fn constrained_twice(&mut self, constraint: &Constraint, first: Span) {
        let message = format!("`{}` is constrained twice", self.names[constraint.place].text);
        self.reader.log.push(
            Diagnostic::error(codes::MIST_CONSTRAINED_TWICE, message, constraint.span, "again")
                .with_label(first, "constrained here")
                .with_help("write one constraint, with `in [.., ..]` for two bounds"),
        );
    }

    /// None where the variable is unknown.
    fn constraint(&mut self) -> Parsed<Option<Constraint>> {
        let name = self.word("a variable or `true`")?;
        let range = if self.reader.eat("=").is_some() {
            Range::exactly(self.number()?)
        } else if self.reader.eat(">=").is_some() {
            Range::at_least(self.number()?)
        } else if self.reader.eat_word("in").is_some() {
            self.reader.expect("[")?;
            let lo = self.number()?;
            self.reader.expect(",")?;
            let hi = self.number()?;
            self.reader.expect("]")?;
            Range { lo, hi: Some(hi) }
        } else {
            return self.reader.fail("`=`, `>=` or `in`", "constraints are `x = 1`, `x >= 1` and `x in [0, 2]`");
        };
        let span = name.span.to(self.reader.cursor.previous_span());
        if range.hi.is_some_and(|hi| hi < range.lo) {
            let message = "no number is within this range";
            self.reader.log.push(
                Diagnostic::error(codes::MIST_EMPTY_RANGE, message, span, "nothing")
                    .with_help("the smaller bound comes first"),
            );
        }
        Ok(self.place(name).map(|place| Constraint { place, range, span }))
    }

    /// None where the variable is unknown.
    fn row(&mut self) -> Parsed<Option<Row>> {
        let name = self.word("a variable that is updated")?;
        self.reader.expect("'")?;
        self.reader.expect("=")?;
        let mut sources = Sparse::new();
        let mut constant: i64 = 0;
        if self.reader.cursor.at(Kind::Number) {
            constant = signed(self.number()?);
        } else {
            loop {
                let source = self.word("a variable or a number")?;
                if let Some(source) = self.place(source) {
                    match sources.binary_search_by_key(&source, |entry| entry.0) {
                        Ok(at) => sources[at].1 += 1,
                        Err(at) => sources.insert(at, (source, 1)),
                    }
                }
                if self.reader.eat("-").is_some() {
                    constant -= signed(self.number()?);
                    break;
                }
                if self.reader.eat("+").is_none() {
                    break;
                }
                if self.reader.cursor.at(Kind::Number) {
                    constant += signed(self.number()?);
                    break;
                }
            }
        }
        let span = name.span.to(self.reader.cursor.previous_span());
        Ok(self.place(name).map(|place| Row { place, sources, constant, span }))
    }

    fn number(&mut self) -> Parsed<Tokens> {
        self.reader.number("a number", "only numbers stand here, and none below zero")
    }

    fn word(&mut self, what: &str) -> Parsed<Name<'a>> {
        let span = self.reader.cursor.span();
        let text = self.reader.slice(span);
        if !self.reader.cursor.at(Kind::Word) || KEYWORDS.contains(&text) {
            return self.reader.fail(what, "variables are those listed under `vars`");
        }
        self.reader.cursor.next();
        Ok(Name { text, span })
    }

    fn place(&mut self, name: Name<'a>) -> Option<PlaceId> {
        if let Some(&place) = self.known.get(name.text) {
            return Some(place);
        }
        if !self.has_names {
            return None;
        }
        self.n_suggestions += 1;
        let meant = if self.n_suggestions > MAX_SHOWN {
            None
        } else {
            similar(name.text, self.names.iter().map(|name| name.text))
        };
        let help = match meant {
            Some(meant) => format!("perhaps `{meant}` is meant"),
            None => "list it under `vars`".to_owned(),
        };
        let message = format!("there is no variable `{}`", name.text);
        let diagnostic = Diagnostic::error(codes::MIST_UNKNOWN, message, name.span, "not declared");
        self.reader.log.push(diagnostic.with_help(help));
        None
    }

    fn target(&mut self) -> Vec<Vec<Constraint>> {
        let mut cubes = Vec::new();
        while !self.at_keyword() && !self.reader.cursor.at_end() && self.reader.log.goes_on() {
            match self.conjunction() {
                Ok(cube) => cubes.push(cube),
                Err(Failed) => {
                    self.reader.skip_until(|reader| reader.at_word("invariants"));
                    return cubes;
                }
            }
        }
        if cubes.is_empty() {
            self.reader
                .complain("a constraint", "a target is written `x >= 1, y >= 1`; several of them are alternatives");
        }
        cubes
    }

    /// Weights of places: only their form is looked at.
    fn invariants(&mut self) {
        if self.reader.eat_word("invariants").is_none() {
            if !self.reader.cursor.at_end() {
                self.reader.complain("the end or `invariants`", "nothing follows the target but invariants");
            }
            return;
        }
        while !self.reader.cursor.at_end() {
            if self.weight().is_err() {
                return;
            }
        }
    }

    fn weight(&mut self) -> Parsed<()> {
        let name = self.word("a variable")?;
        self.reader.expect("=")?;
        self.number()?;
        self.place(name);
        if self.reader.eat(",").is_some() && self.reader.cursor.at_end() {
            return self.reader.fail("a variable", "weights are written `x = 1, y = 2`");
        }
        Ok(())
    }
}

fn signed(tokens: Tokens) -> i64 {
    i64::try_from(tokens).expect("numbers that are read fit in 60 bits")
}
