//! The parser of formulas. Numbers and truth values are read by the same rules and told apart afterwards, since both
//! may stand in brackets.

use lapidary_ir::{Expr, PlaceId, Property, PropertyKind};
use lapidary_text::{Diagnostic, SourceId, Sources, Span};

use super::super::codes;
use super::super::lexer::{self, Kind};
use super::super::limits::{MAX_NESTING, MAX_SHOWN};
use super::super::properties::Scope;
use super::super::reader::{Failed, Name, Parsed, Reader, too_large};
use super::linear::{Linear, Relation};
use super::{KEYWORDS, LEXIS};
use crate::log::Log;
use crate::words::similar;

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Several {
    AreRead,
    AreAMistake,
}

pub struct Formula {
    kind: PropertyKind,
    span: Span,
}

impl Formula {
    pub fn named(self, name: String, sources: &Sources) -> Property {
        let text = lexer::on_one_line(sources.text(self.span), &LEXIS);
        Property { name, kind: self.kind, faults: Vec::new(), text, span: self.span }
    }
}

/// Reads the formulas of a source; `:` or `;` stand between several.
pub fn formulas(
    sources: &Sources,
    source: SourceId,
    scope: &Scope<'_>,
    several: Several,
    log: &mut Log,
) -> Vec<Formula> {
    let reader = Reader::new(sources, source, &LEXIS, codes::FORMULA_UNEXPECTED, log);
    let mut parser = Parser { reader, scope, nesting: 0, n_suggestions: 0 };
    let mut found = Vec::new();
    loop {
        match parser.formula() {
            Ok(formula) => found.push(formula),
            Err(Failed) => return found,
        }
        let goes_on =
            several == Several::AreRead && (parser.reader.eat(";").is_some() || parser.reader.eat(":").is_some());
        if parser.reader.cursor.at_end() {
            return found;
        }
        if !goes_on {
            parser.reader.complain("an operator or the end", "operators are AND, OR, NOT, ->, <-> and comparisons");
            return found;
        }
    }
}

enum Value {
    Truth(Expr),
    Sum(Linear),
}

/// The last operand of a chain, and where it begins.
type Part = (Value, Span);

struct Parser<'a, 'l, 's> {
    reader: Reader<'a, 'l>,
    scope: &'s Scope<'s>,
    nesting: usize,
    n_suggestions: usize,
}

const RELATIONS: [(&str, Relation); 9] = [
    ("<=", Relation::AtMost),
    ("<", Relation::Less),
    (">=", Relation::AtLeast),
    (">", Relation::Greater),
    ("==", Relation::Equal),
    ("=", Relation::Equal),
    ("!=", Relation::Different),
    ("<>", Relation::Different),
    ("#", Relation::Different),
];

/// Operators that are not understood: those of branching and of linear time.
const TEMPORAL: [&str; 24] = [
    "EF",
    "AG",
    "EG",
    "AF",
    "EX",
    "AX",
    "EU",
    "AU",
    "E",
    "A",
    "F",
    "G",
    "X",
    "U",
    "R",
    "ALLPATH",
    "EXPATH",
    "ALWAYS",
    "EVENTUALLY",
    "UNTIL",
    "RELEASE",
    "NEXTSTEP",
    "REACHABLE",
    "INVARIANT",
];

impl<'a> Parser<'a, '_, '_> {
    fn formula(&mut self) -> Parsed<Formula> {
        self.reader.eat_word("FORMULA");
        let start = self.reader.cursor.span();
        let is_reach = self.is_reach();
        let expr = self.truth(Self::iff)?;
        let kind = if is_reach { PropertyKind::Reach(expr) } else { self.scope.always(expr) };
        Ok(Formula { kind, span: start.to(self.reader.cursor.previous_span()) })
    }

    /// Reads the temporal operator before a formula.
    fn is_reach(&mut self) -> bool {
        if self.reader.eat_word("EF").or_else(|| self.reader.eat_word("REACHABLE")).is_some() {
            return true;
        }
        if self.reader.eat_word("AG").or_else(|| self.reader.eat_word("INVARIANT")).is_some() {
            return false;
        }
        for (path, state) in [("EXPATH", "EVENTUALLY"), ("ALLPATH", "ALWAYS")] {
            let next = self.reader.cursor.peek_at(1);
            if self.reader.at_word(path) && next == Some(Kind::Word) && self.second_word() == state {
                self.reader.cursor.next();
                self.reader.cursor.next();
                return path == "EXPATH";
            }
        }
        false
    }

    fn second_word(&self) -> &'a str {
        let rest = &self.reader.text[self.reader.cursor.span().end as usize..];
        rest.split_whitespace().next().unwrap_or("")
    }

    fn iff(&mut self) -> Parsed<Part> {
        let mut part = self.implies()?;
        let mut n_links = 0;
        while self.reader.eat("<->").is_some() {
            n_links += 1;
            let left = self.as_truth(part)?;
            let right = self.truth(Self::implies)?;
            // Every link nests the ones before it once more.
            if n_links > MAX_NESTING {
                return self.too_deep();
            }
            let exprs = self.scope.exprs;
            let both = exprs.ite(left, right, exprs.not(right));
            part = (Value::Truth(both), self.reader.cursor.previous_span());
        }
        Ok(part)
    }

    fn implies(&mut self) -> Parsed<Part> {
        let mut parts = vec![self.or()?];
        while self.reader.eat("->").is_some() {
            parts.push(self.or()?);
        }
        let last = parts.pop().expect("there is a first part");
        if parts.is_empty() {
            return Ok(last);
        }
        // `a -> b -> c` says that a and b imply c.
        let exprs = self.scope.exprs;
        let span = last.1;
        let mut all = Vec::new();
        for part in parts {
            all.push(exprs.not(self.as_truth(part)?));
        }
        all.push(self.as_truth(last)?);
        Ok((Value::Truth(exprs.or(all)), span))
    }

    fn or(&mut self) -> Parsed<Part> {
        let first = self.and()?;
        let mut parts = Vec::new();
        let is_or = |parser: &mut Self| {
            let reader = &mut parser.reader;
            reader.eat_word("OR").or_else(|| reader.eat("||")).or_else(|| reader.eat("|")).is_some()
        };
        if !is_or(self) {
            return Ok(first);
        }
        let span = first.1;
        parts.push(self.as_truth(first)?);
        parts.push(self.truth(Self::and)?);
        while is_or(self) {
            parts.push(self.truth(Self::and)?);
        }
        Ok((Value::Truth(self.scope.exprs.or(parts)), span))
    }

    fn and(&mut self) -> Parsed<Part> {
        let first = self.not()?;
        let mut parts = Vec::new();
        let is_and = |parser: &mut Self| {
            let reader = &mut parser.reader;
            reader.eat_word("AND").or_else(|| reader.eat("&&")).or_else(|| reader.eat("&")).is_some()
        };
        if !is_and(self) {
            return Ok(first);
        }
        let span = first.1;
        parts.push(self.as_truth(first)?);
        parts.push(self.truth(Self::not)?);
        while is_and(self) {
            parts.push(self.truth(Self::not)?);
        }
        Ok((Value::Truth(self.scope.exprs.and(parts)), span))
    }

    fn not(&mut self) -> Parsed<Part> {
        let Some(span) = self.reader.eat_word("NOT").or_else(|| self.reader.eat("!")) else { return self.comparison() };
        let inner = self.nested(|parser| parser.truth(Self::not))?;
        Ok((Value::Truth(self.scope.exprs.not(inner)), span))
    }

    fn comparison(&mut self) -> Parsed<Part> {
        let left = self.sum()?;
        let Some(&(_, relation)) = RELATIONS.iter().find(|(sign, _)| self.reader.eat(sign).is_some()) else {
            return Ok(left);
        };
        let span = left.1.to(self.reader.cursor.span());
        let left = self.as_sum(left)?;
        let right = self.sum()?;
        let right = self.as_sum(right)?;
        let expr = self.checked(left.compare(relation, &right, self.scope.exprs), span)?;
        Ok((Value::Truth(expr), span))
    }

    fn sum(&mut self) -> Parsed<Part> {
        let mut part = if self.reader.at("-") {
            (Value::Sum(Linear::default()), self.reader.cursor.span())
        } else {
            self.product()?
        };
        loop {
            let sign = if self.reader.eat("+").is_some() {
                1
            } else if self.reader.eat("-").is_some() {
                -1
            } else {
                return Ok(part);
            };
            let span = part.1;
            let left = self.as_sum(part)?;
            let right = self.product()?;
            let right = self.as_sum(right)?;
            part = (Value::Sum(self.checked(left.plus(sign, &right), span)?), span);
        }
    }

    fn product(&mut self) -> Parsed<Part> {
        let mut part = self.primary()?;
        while let Some(sign) = self.reader.eat("*") {
            let span = part.1;
            let left = self.as_sum(part)?;
            let right = self.primary()?;
            let right = self.as_sum(right)?;
            let (times, sum) = match (left.terms.is_empty(), right.terms.is_empty()) {
                (true, _) => (left.constant, right),
                (false, true) => (right.constant, left),
                (false, false) => {
                    let message = "places are not multiplied with each other";
                    let diagnostic = Diagnostic::error(codes::FORMULA_PRODUCT, message, sign, "two places");
                    self.reader.log.push(diagnostic.with_help("one side of `*` is a number: `2 * p`"));
                    return Err(Failed);
                }
            };
            part = (Value::Sum(self.checked(Linear::default().plus(times, &sum), span)?), span);
        }
        Ok(part)
    }

    fn primary(&mut self) -> Parsed<Part> {
        let span = self.reader.cursor.span();
        let exprs = self.scope.exprs;
        if self.reader.cursor.at(Kind::Number) {
            let number = self.reader.number("a number", "")?;
            let number = i64::try_from(number).expect("numbers that are read fit in 60 bits");
            return Ok((Value::Sum(Linear::number(number)), span));
        }
        if self.reader.eat("(").is_some() {
            let inner = self.nested(Self::iff)?;
            self.reader.expect(")")?;
            return Ok((inner.0, span));
        }
        for (word, value) in [("TRUE", true), ("FALSE", false)] {
            if self.reader.eat_word(word).is_some() {
                return Ok((Value::Truth(exprs.bool(value)), span));
            }
        }
        if self.reader.eat_word("DEADLOCK").is_some() {
            return Ok((Value::Truth(self.scope.deadlock()), span));
        }
        if self.reader.eat_word("FIREABLE").is_some() {
            return Ok((Value::Truth(self.fireable()?), span));
        }
        let name = self.name("a comparison of places or a truth value")?;
        Ok((Value::Sum(Linear::place(self.place(name)?)), span))
    }

    fn fireable(&mut self) -> Parsed<Expr> {
        self.reader.expect("(")?;
        let name = self.name("a transition")?;
        let transition = self.scope.transition(name.text);
        if transition.is_none() {
            let names = self.scope.net.transitions.iter().map(|transition| transition.name.as_str());
            self.unknown("transition", name, names);
        }
        self.reader.expect(")")?;
        transition.map(|transition| self.scope.enabled(transition)).ok_or(Failed)
    }

    fn name(&mut self, what: &str) -> Parsed<Name<'a>> {
        let span = self.reader.cursor.span();
        let text = self.reader.slice(span);
        match self.reader.cursor.peek() {
            Some(Kind::Quoted) => {
                self.reader.cursor.next();
                // One that is not closed was complained about.
                let inner = text.strip_prefix('"').and_then(|inner| inner.strip_suffix('"')).ok_or(Failed)?;
                Ok(Name { text: inner, span })
            }
            Some(Kind::Word) if !KEYWORDS.contains(&text) => {
                self.reader.cursor.next();
                Ok(Name { text, span })
            }
            Some(Kind::Word) if TEMPORAL.contains(&text) => self.temporal(text, span),
            Some(Kind::Word | Kind::Number | Kind::Sign(_) | Kind::Line | Kind::Strange) | None => {
                self.reader.fail(what, "formulas are like `p1 + 2 * p2 <= 3 AND NOT FIREABLE(t)`; odd names are quoted")
            }
        }
    }

    fn temporal<T>(&mut self, text: &str, span: Span) -> Parsed<T> {
        let message = format!("`{text}` is not supported here");
        let diagnostic = Diagnostic::error(codes::FORMULA_TEMPORAL, message, span, "a temporal operator");
        let help = "only one EF or AG stands before the whole formula; quote the word if it is a name";
        self.reader.log.push(diagnostic.with_help(help));
        Err(Failed)
    }

    fn place(&mut self, name: Name<'a>) -> Parsed<PlaceId> {
        if let Some(place) = self.scope.place(name.text) {
            return Ok(place);
        }
        if TEMPORAL.contains(&name.text) && !self.reader.slice(name.span).starts_with('"') {
            return self.temporal(name.text, name.span);
        }
        self.unknown("place", name, self.scope.net.places.iter().map(|place| place.name.as_str()));
        Err(Failed)
    }

    fn unknown<'n>(&mut self, what: &str, name: Name<'a>, names: impl Iterator<Item = &'n str>) {
        self.n_suggestions += 1;
        let meant = if self.n_suggestions > MAX_SHOWN { None } else { similar(name.text, names) };
        let begins_with_place = name.text.split_once('-').is_some_and(|(first, _)| self.scope.place(first).is_some());
        let help = match meant {
            _ if begins_with_place => "put blanks around a minus, which may be part of a name".to_owned(),
            Some(meant) => format!("perhaps `{meant}` is meant"),
            None => format!("the net declares every {what}"),
        };
        let message = format!("there is no {what} `{}`", name.text);
        let diagnostic = Diagnostic::error(codes::FORMULA_UNKNOWN, message, name.span, "unknown");
        self.reader.log.push(diagnostic.with_help(help));
    }

    fn truth(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<Part>) -> Parsed<Expr> {
        let part = parse(self)?;
        self.as_truth(part)
    }

    fn as_truth(&mut self, (value, span): Part) -> Parsed<Expr> {
        match value {
            Value::Truth(expr) => Ok(expr),
            Value::Sum(_) => self.wrong_type("this is a number, not a condition", span, "compare it: `p >= 1`"),
        }
    }

    fn as_sum(&mut self, (value, span): Part) -> Parsed<Linear> {
        match value {
            Value::Sum(sum) => Ok(sum),
            Value::Truth(_) => {
                self.wrong_type("this is a condition, not a number", span, "only numbers are compared and added")
            }
        }
    }

    fn wrong_type<T>(&mut self, message: &str, span: Span, help: &str) -> Parsed<T> {
        self.reader.log.push(Diagnostic::error(codes::FORMULA_TYPE, message, span, "begins here").with_help(help));
        Err(Failed)
    }

    fn checked<T>(&mut self, value: Option<T>, span: Span) -> Parsed<T> {
        if value.is_none() {
            self.reader.log.push(too_large(span));
        }
        value.ok_or(Failed)
    }

    /// One level deeper, unless that is too deep.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.nesting >= MAX_NESTING {
            return self.too_deep();
        }
        self.nesting += 1;
        let parsed = parse(self);
        self.nesting -= 1;
        parsed
    }

    fn too_deep<T>(&mut self) -> Parsed<T> {
        self.reader.log.push(too_deep(self.reader.cursor.span()));
        Err(Failed)
    }
}

pub fn too_deep(span: Span) -> Diagnostic {
    let message = format!("this is nested more than {MAX_NESTING} levels deep");
    Diagnostic::error(codes::TOO_DEEP, message, span, "too deep here")
        .with_help("leave out brackets, or split the formula")
}
