//! The parts of formulas that are compared: sums of places, and what else has no parts; names are looked up here.

use lapidary_ir::{Expr, PlaceId};
use lapidary_text::descent::{Failed, Nesting, Parsed};
use lapidary_text::{Diagnostic, Span};

use super::super::codes;
use super::super::lexer::Kind;
use super::super::reader::Name;
use super::KEYWORDS;
use super::linear::Linear;
use super::parse::{Parser, Part, Value};

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
    pub fn sum(&mut self) -> Parsed<Part> {
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
            self.warn_of_name(span);
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

    /// Places may be called by numbers; in a formula a number is a number.
    fn warn_of_name(&mut self, span: Span) {
        let text = self.reader.slice(span);
        if self.scope.place(text).is_some() {
            let message = format!("`{text}` is read as a number, and a place is called so, too");
            let diagnostic = Diagnostic::warning(codes::FORMULA_NUMBER, message, span, "a number here");
            self.reader.log.push(diagnostic.with_help(format!("the place is written in quotes: `\"{text}\"`")));
        }
    }

    fn fireable(&mut self) -> Parsed<Expr> {
        self.reader.expect("(")?;
        let name = if self.reader.cursor.at(Kind::Number) {
            let span = self.reader.cursor.span();
            self.reader.cursor.next();
            Name { text: self.reader.slice(span), span }
        } else {
            self.name("a transition")?
        };
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
        let help = "formulas are made of EF and AG before conditions on one marking; quote the word if it is a name";
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
        let meant = self.suggestions.similar(name.text, names);
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
}
