//! The parser: sections in their fixed order. After a mistake it goes on behind the next `;`, or with the next section.

mod constraint;
mod rule;

use lapidary_base::IdVec;
use lapidary_base::hash::Map;
use lapidary_ir::{PlaceId, Range, Sparse, Tokens};
use lapidary_text::descent::{Failed, Parsed};
use lapidary_text::spelling::{Suggestions, similar};
use lapidary_text::{Diagnostic, Log, SourceId, Sources, Span};

use super::super::codes;
use super::super::lexer::Kind;
use super::super::reader::{Name, Reader};
use super::{KEYWORDS, LEXIS};

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
    let mut parser = Parser {
        reader,
        names: IdVec::new(),
        known: Map::default(),
        has_names: true,
        suggestions: Suggestions::default(),
    };
    parser.has_names = parser.section("vars").is_some();
    parser.vars();
    parser.section("rules");
    let rules = parser.rules();
    let init_span = parser.section("init");
    let init = if init_span.is_some() { parser.conjunction(Commas::Join).ok() } else { None };
    // What went wrong in it does not leave variables open.
    let init_span = init_span.filter(|_| init.is_some());
    let init = init.unwrap_or_default();
    parser.stray("the initial condition");
    // A net without a target is one that nothing is asked about yet.
    let target_span = if parser.reader.cursor.at_end() { None } else { parser.section("target") };
    let start = parser.reader.cursor.span();
    let target = if target_span.is_some() { parser.target() } else { Vec::new() };
    let target_span = target_span.map(|_| start.to(parser.reader.cursor.previous_span()));
    parser.invariants();
    File { names: parser.names, rules, init, init_span, target, target_span }
}

/// Words of other languages, and the sections that they are here.
const ELSEWHERE: [(&str, &str); 4] =
    [("places", "vars"), ("variables", "vars"), ("transitions", "rules"), ("initial", "init")];

/// What it means that a constraint follows another without a comma.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Commas {
    /// A mistake: all of them are to hold together.
    Join,
    /// An alternative begins.
    Separate,
}

struct Parser<'a, 'l> {
    reader: Reader<'a, 'l>,
    names: IdVec<PlaceId, Name<'a>>,
    known: Map<&'a str, PlaceId>,
    /// Without the section of names all would be unknown, which is not worth saying.
    has_names: bool,
    suggestions: Suggestions,
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
        if self.at_misspelt(head) {
            return Some(self.misspelt(head));
        }
        // A later section is the next one: then only this one is missing.
        if head == "rules" && self.at_rule() {
            self.missing_section(head);
            return None;
        }
        if !self.at_keyword() && !self.reader.cursor.at_end() {
            self.reader
                .complain(&format!("the section `{head}`"), "the sections are vars, rules, init, target, invariants");
            self.reader.skip_until(|reader| KEYWORDS[..5].iter().any(|word| reader.at_word(word)));
            if let Some(span) = self.reader.eat_word(head) {
                return Some(span);
            }
        }
        self.missing_section(head);
        None
    }

    fn missing_section(&mut self, head: &str) {
        let span = self.reader.cursor.span();
        let message = format!("the section `{head}` is missing");
        self.reader.log.push(
            Diagnostic::error(codes::MIST_SECTION, message, span, "it belongs here")
                .with_help("the sections are vars, rules, init, target, in this order, then perhaps invariants"),
        );
    }

    /// Whether the next word is the head of a section with a slip in it: a constraint stands behind it.
    fn at_misspelt(&self, head: &str) -> bool {
        let cursor = &self.reader.cursor;
        let next = self.reader.slice(cursor.span_at(1));
        let behind = match next {
            _ if head == "vars" => cursor.peek_at(1) == Some(Kind::Word),
            "true" => true,
            _ => cursor.peek_at(1) == Some(Kind::Word) && cursor.peek_at(2).is_some_and(is_comparison) && next != "in",
        };
        let word = self.reader.slice(cursor.span());
        let is_meant = ELSEWHERE.contains(&(word, head)) || similar(word, [head]).is_some();
        cursor.at(Kind::Word) && behind && !KEYWORDS.contains(&word) && is_meant
    }

    fn misspelt(&mut self, head: &str) -> Span {
        let span = self.reader.cursor.span();
        let message = format!("`{}` begins no section", self.reader.slice(span));
        let diagnostic = Diagnostic::error(codes::MIST_SECTION, message, span, "not a word of the language");
        self.reader.log.push(diagnostic.with_help(format!("did you mean `{head}`?")));
        self.reader.cursor.next();
        span
    }

    /// Whether a rule begins here: a constraint does.
    fn at_rule(&self) -> bool {
        let cursor = &self.reader.cursor;
        self.reader.at_word("true") || cursor.at(Kind::Word) && cursor.peek_at(1).is_some_and(is_comparison)
    }

    /// What ends a section in other languages but not here: complained about and left out.
    fn stray(&mut self, what: &str) {
        if self.reader.at(";") {
            let message = format!("no `;` stands behind {what}");
            let span = self.reader.cursor.span();
            let diagnostic = Diagnostic::error(codes::MIST_UNEXPECTED, message, span, "not this");
            self.reader.log.push(diagnostic.with_help("leave it out; only rules end with `;`"));
            while self.reader.eat(";").is_some() {}
        }
    }

    fn vars(&mut self) {
        let mut has_commas = false;
        loop {
            while self.reader.cursor.eat(Kind::Strange).is_some() {}
            self.stray("the variables");
            if let Some(span) = self.reader.eat(",") {
                if !std::mem::replace(&mut has_commas, true) {
                    let message = "the variables have no commas between them";
                    let diagnostic = Diagnostic::error(codes::MIST_UNEXPECTED, message, span, "not this");
                    self.reader.log.push(diagnostic.with_help("leave the commas out: `vars x y z`"));
                }
                continue;
            }
            if self.at_keyword() || !self.reader.cursor.at(Kind::Word) || self.at_misspelt("rules") {
                return;
            }
            // A variable that is compared is the beginning of a rule.
            let is_known = self.known.contains_key(self.reader.slice(self.reader.cursor.span()));
            if is_known && self.at_rule() {
                return;
            }
            self.variable();
        }
    }

    fn variable(&mut self) {
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
            return;
        }
        let id = self.names.push(name);
        self.known.insert(name.text, id);
    }

    fn number(&mut self) -> Parsed<Tokens> {
        self.reader.number("a number", "write a number; variables count something, so none is below zero")
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
        let help = match self.suggestions.similar(name.text, self.names.iter().map(|name| name.text)) {
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
            match self.conjunction(Commas::Separate) {
                Ok(cube) => {
                    cubes.push(cube);
                    self.stray("the target");
                }
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

/// Whether this sign compares a variable, here or in other languages.
fn is_comparison(kind: Kind) -> bool {
    matches!(kind, Kind::Sign(">=" | "<=" | "==" | "!=" | "=" | "<" | ">"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_costs_one_diagnostic() {
        let good = "vars x y rules x >= 1 -> x' = x - 1, y' = y + 1; x >= 2 -> y' = 0; init x = 3, y = 0 target y >= 4";
        let slips = [
            ("vars", "var"),
            ("rules", "rule"),
            ("rules", "transitions"),
            ("rules", ""),
            ("init", "initial"),
            ("target", "Target"),
            ("x y", "x, y"),
            ("x y", "x y;"),
            ("- 1, y'", "- 1 y'"),
            ("+ 1;", "+ 1"),
            ("3, y", "3 y"),
            ("3, y", "3; y"),
            ("3, y", "3 and y"),
            ("y = 0", "y = 0;"),
            ("y >= 4", "y >= 4;"),
            ("y >= 4", "y > 3"),
            ("y' = 0", "y = 0"),
            ("y' = 0", "y := 0"),
            ("-> x'", "=> x'"),
            ("x = 3", "x = true"),
            ("x = 3", "x = -3"),
        ];
        for (from, to) in slips {
            let text = good.replacen(from, to, 1);
            assert_ne!(text, good);
            let mut sources = Sources::default();
            let source = sources.add("m.spec", text.as_str());
            let mut log = Log::default();
            file(&sources, source, &mut log);
            let found = log.finish(codes::TOO_MANY).list;
            assert_eq!(found.len(), 1, "{text}: {found:?}");
        }
    }

    #[test]
    fn without_a_target_nothing_is_asked() {
        let mut sources = Sources::default();
        let source = sources.add("m.spec", "vars x rules true -> x' = x + 1; init x = 0");
        let mut log = Log::default();
        assert!(file(&sources, source, &mut log).target_span.is_none());
        assert!(!log.has_errors());
    }
}
