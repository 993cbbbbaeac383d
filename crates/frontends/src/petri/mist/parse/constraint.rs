//! Constraints on variables: guards, the initial condition and the alternatives of the target.

use lapidary_base::hash::Map;
use lapidary_ir::{PlaceId, Range, Tokens};
use lapidary_text::descent::{Failed, Parsed};
use lapidary_text::{Diagnostic, Span};

use super::super::super::codes;
use super::super::super::lexer::Kind;
use super::super::super::limits::MAX_NUMBER;
use super::super::super::reader::Name;
use super::{Commas, Constraint, Parser, is_comparison};

const COMMAS: &str = "constraints have commas between them: `x >= 1, y = 0`";

impl<'a> Parser<'a, '_> {
    /// Constraints with commas between them; `true` says nothing.
    pub(super) fn conjunction(&mut self, commas: Commas) -> Parsed<Vec<Constraint>> {
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
            if self.reader.eat(",").is_some() || self.foreign_comma() {
                continue;
            }
            if commas == Commas::Separate || !self.at_rule() || self.at_misspelt("target") {
                return Ok(constraints);
            }
            self.reader.lacks(",", COMMAS);
        }
    }

    /// What joins conditions in other languages: reported, and read as a comma.
    fn foreign_comma(&mut self) -> bool {
        let cursor = &self.reader.cursor;
        let follows = cursor.peek_at(1) == Some(Kind::Word) && cursor.peek_at(2).is_some_and(is_comparison);
        let is_joined = ["&", "&&", ";"].into_iter().any(|sign| self.reader.at(sign)) || self.reader.at_word("and");
        if is_joined && follows {
            self.reader.complain("`,`", COMMAS);
            self.reader.cursor.next();
        }
        is_joined && follows
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
        if self.reader.cursor.at(Kind::Number) {
            return self.reader.fail("a variable", "the variable comes first: `x >= 1`");
        }
        let name = self.word("a variable or `true`")?;
        let range = if self.reader.eat("=").is_some() {
            Range::exactly(self.compared()?)
        } else if self.reader.eat(">=").is_some() {
            Range::at_least(self.compared()?)
        } else if self.reader.eat_word("in").is_some() {
            self.reader.expect("[")?;
            let lo = self.number()?;
            self.reader.expect(",")?;
            let hi = self.number()?;
            self.reader.expect("]")?;
            Range { lo, hi: Some(hi) }
        } else {
            self.foreign(name)?
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

    /// The number that a variable is compared with.
    fn compared(&mut self) -> Parsed<Tokens> {
        for (word, digit) in [("true", "1"), ("false", "0")] {
            if self.reader.at_word(word) {
                return self.reader.fail("a number", format!("variables are numbers: write `{digit}`"));
            }
        }
        self.number()
    }

    /// A comparison of other languages: says how the same is written here, and goes on with it where it can be.
    fn foreign(&mut self, name: Name<'a>) -> Parsed<Range> {
        let what = "`=`, `>=` or `in`";
        let sign = ["==", ">", "<=", "<"].into_iter().find(|sign| self.reader.at(sign));
        let number: Option<Tokens> = self.reader.slice(self.reader.cursor.span_at(1)).parse().ok();
        let Some((sign, number)) = sign.zip(number.filter(|&number| number <= MAX_NUMBER)) else {
            return self.reader.fail(what, "constraints are `x = 1`, `x >= 1` and `x in [0, 2]`");
        };
        let x = name.text;
        let (range, own) = match sign {
            "==" => (Range::exactly(number), format!("{x} = {number}")),
            ">" => (Range::at_least(number + 1), format!("{x} >= {}", number + 1)),
            "<" if number == 0 => return self.reader.fail(what, "no variable is ever below zero"),
            "<" => (Range { lo: 0, hi: Some(number - 1) }, format!("{x} in [0, {}]", number - 1)),
            _ => (Range { lo: 0, hi: Some(number) }, format!("{x} in [0, {number}]")),
        };
        self.reader.complain(what, format!("write `{own}`"));
        self.reader.cursor.next();
        self.reader.cursor.next();
        Ok(range)
    }
}
