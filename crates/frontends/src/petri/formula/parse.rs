//! The parser of formulas. Numbers and truth values are read by the same rules and told apart afterwards, since both
//! may stand in brackets.

use lapidary_ir::Expr;
use lapidary_text::descent::{Failed, Nesting, Parsed};
use lapidary_text::spelling::Suggestions;
use lapidary_text::{Diagnostic, Log, Sources, Span};

use super::super::codes;
use super::super::lexer::Kind;
use super::super::limits::MAX_NESTING;
use super::super::paths::{self, Formula, Joint, Path, Words};
use super::super::properties::Scope;
use super::super::reader::{Reader, too_large};
use super::linear::{Linear, Relation};
use super::{LEXIS, Written};

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Several {
    AreRead,
    AreAMistake,
}

/// Reads the formulas in a part of a text; `:` or `;` stand between several.
pub fn formulas(sources: &Sources, part: Span, scope: &Scope<'_>, several: Several, log: &mut Log) -> Vec<Written> {
    let reader = Reader::within(sources, part, &LEXIS, codes::FORMULA_UNEXPECTED, log);
    let mut parser = Parser { reader, scope, nesting: 0, suggestions: Suggestions::default() };
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

pub enum Value {
    Truth(Expr),
    Sum(Linear),
    /// Something with path operators.
    Paths(Formula),
}

/// The last operand of a chain, and where it begins.
pub type Part = (Value, Span);

pub struct Parser<'a, 'l, 's> {
    pub reader: Reader<'a, 'l>,
    pub scope: &'s Scope<'s>,
    pub nesting: usize,
    pub suggestions: Suggestions,
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

impl Nesting for Parser<'_, '_, '_> {
    type Error = Failed;

    const MAX_NESTING: usize = MAX_NESTING;

    fn nesting(&mut self) -> &mut usize {
        &mut self.nesting
    }

    fn too_deep(&mut self) -> Failed {
        self.reader.log.push(too_deep(self.reader.cursor.span()));
        Failed
    }
}

impl<'a> Parser<'a, '_, '_> {
    fn formula(&mut self) -> Parsed<Written> {
        self.reader.eat_word("FORMULA");
        let start = self.reader.cursor.span();
        let (formula, _) = self.operand(Self::iff)?;
        Ok(Written { formula, span: start.to(self.reader.cursor.previous_span()) })
    }

    /// Reads a path operator.
    fn path(&mut self) -> Option<(Path, Span)> {
        let operators =
            [("EF", Path::Reach), ("REACHABLE", Path::Reach), ("AG", Path::Always), ("INVARIANT", Path::Always)];
        for (word, path) in operators {
            if let Some(span) = self.reader.eat_word(word) {
                return Some((path, span));
            }
        }
        for (word, state, path) in [("EXPATH", "EVENTUALLY", Path::Reach), ("ALLPATH", "ALWAYS", Path::Always)] {
            let next = self.reader.cursor.peek_at(1);
            if self.reader.at_word(word) && next == Some(Kind::Word) && self.second_word() == state {
                let start = self.reader.cursor.span();
                self.reader.cursor.next();
                self.reader.cursor.next();
                return Some((path, start.to(self.reader.cursor.previous_span())));
            }
        }
        None
    }

    fn second_word(&self) -> &'a str {
        let rest = &self.reader.text[self.reader.cursor.span().end as usize..];
        rest.split_whitespace().next().unwrap_or("")
    }

    pub fn iff(&mut self) -> Parsed<Part> {
        let start = self.reader.cursor.span();
        let mut part = self.implies()?;
        let mut n_links = 0;
        while let Some(sign) = self.reader.eat("<->") {
            n_links += 1;
            let left = self.condition(part, start, sign)?;
            let start = self.reader.cursor.span();
            let right = self.implies()?;
            let right = self.condition(right, start, sign)?;
            // Every link nests the ones before it once more.
            if n_links > MAX_NESTING {
                return Err(self.too_deep());
            }
            let exprs = self.scope.exprs;
            let both = exprs.ite(left, right, exprs.not(right));
            part = (Value::Truth(both), self.reader.cursor.previous_span());
        }
        Ok(part)
    }

    /// A side of an equivalence. To take one apart that has path operators would double it.
    fn condition(&mut self, part: Part, start: Span, sign: Span) -> Parsed<Expr> {
        match self.as_formula(part, self.words_from(start))? {
            Formula::State(expr, _) => Ok(expr),
            Formula::Path(..) | Formula::Not(_) | Formula::Join(..) => {
                let message = "`<->` does not join formulas with EF or AG";
                let diagnostic = Diagnostic::error(codes::FORMULA_TEMPORAL, message, sign, "here");
                self.reader.log.push(diagnostic.with_help("ask about each side on its own"));
                Err(Failed)
            }
        }
    }

    fn implies(&mut self) -> Parsed<Part> {
        let start = self.reader.cursor.span();
        let last = self.or()?;
        if !self.reader.at("->") {
            return Ok(last);
        }
        let span = last.1;
        let words = self.words_from(start);
        let mut last = (self.as_formula(last, words.clone())?, words);
        // `a -> b -> c` says that a and b imply c.
        let mut all = Vec::new();
        while self.reader.eat("->").is_some() {
            let (formula, words) = last;
            all.push(paths::negation(self.scope.exprs, formula, words));
            last = self.operand(Self::or)?;
        }
        all.push(last.0);
        Ok((self.joined(Joint::Any, all, start), span))
    }

    fn or(&mut self) -> Parsed<Part> {
        let is_or = |parser: &mut Self| {
            let reader = &mut parser.reader;
            reader.eat_word("OR").or_else(|| reader.eat("||")).or_else(|| reader.eat("|")).is_some()
        };
        self.chain(Joint::Any, is_or, Self::and)
    }

    fn and(&mut self) -> Parsed<Part> {
        let is_and = |parser: &mut Self| {
            let reader = &mut parser.reader;
            reader.eat_word("AND").or_else(|| reader.eat("&&")).or_else(|| reader.eat("&")).is_some()
        };
        self.chain(Joint::All, is_and, Self::not)
    }

    /// One operand, or several with an operator between each two of them.
    fn chain(
        &mut self,
        joint: Joint,
        goes_on: impl Fn(&mut Self) -> bool,
        parse: impl Fn(&mut Self) -> Parsed<Part>,
    ) -> Parsed<Part> {
        let start = self.reader.cursor.span();
        let first = parse(self)?;
        let words = self.words_from(start);
        if !goes_on(self) {
            return Ok(first);
        }
        let span = first.1;
        let mut parts = vec![self.as_formula(first, words)?, self.operand(&parse)?.0];
        while goes_on(self) {
            parts.push(self.operand(&parse)?.0);
        }
        Ok((self.joined(joint, parts, start), span))
    }

    fn joined(&self, joint: Joint, parts: Vec<Formula>, start: Span) -> Value {
        value(paths::join(self.scope.exprs, joint, parts, self.words_from(start)))
    }

    fn not(&mut self) -> Parsed<Part> {
        let start = self.reader.cursor.span();
        if let Some((path, span)) = self.path() {
            // It reaches as far as it can.
            let (inner, _) = self.nested(|parser| parser.operand(Self::iff))?;
            return Ok((Value::Paths(Formula::Path(path, Box::new(inner), span)), span));
        }
        let Some(span) = self.reader.eat_word("NOT").or_else(|| self.reader.eat("!")) else { return self.comparison() };
        let (inner, _) = self.nested(|parser| parser.operand(Self::not))?;
        Ok((value(paths::negation(self.scope.exprs, inner, self.words_from(start))), span))
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

    /// A formula that belongs to a larger one, and where its words are.
    fn operand(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<Part>) -> Parsed<(Formula, Words)> {
        let start = self.reader.cursor.span();
        let part = parse(self)?;
        let words = self.words_from(start);
        Ok((self.as_formula(part, words.clone())?, words))
    }

    /// From a token on to what was read last.
    fn words_from(&self, start: Span) -> Words {
        start.start as usize..self.reader.cursor.previous_span().end as usize
    }

    fn as_formula(&mut self, (value, span): Part, words: Words) -> Parsed<Formula> {
        match value {
            Value::Truth(expr) => Ok(Formula::State(expr, words)),
            Value::Paths(formula) => Ok(formula),
            Value::Sum(_) => self.wrong_type("this is a number, not a condition", span, "compare it: `p >= 1`"),
        }
    }

    pub fn as_sum(&mut self, (value, span): Part) -> Parsed<Linear> {
        match value {
            Value::Sum(sum) => Ok(sum),
            Value::Truth(_) | Value::Paths(_) => {
                self.wrong_type("this is a condition, not a number", span, "only numbers are compared and added")
            }
        }
    }

    fn wrong_type<T>(&mut self, message: &str, span: Span, help: &str) -> Parsed<T> {
        self.reader.log.push(Diagnostic::error(codes::FORMULA_TYPE, message, span, "begins here").with_help(help));
        Err(Failed)
    }

    pub fn checked<T>(&mut self, value: Option<T>, span: Span) -> Parsed<T> {
        if value.is_none() {
            self.reader.log.push(too_large(span));
        }
        value.ok_or(Failed)
    }
}

fn value(formula: Formula) -> Value {
    match formula {
        Formula::State(expr, _) => Value::Truth(expr),
        Formula::Path(..) | Formula::Not(_) | Formula::Join(..) => Value::Paths(formula),
    }
}

pub fn too_deep(span: Span) -> Diagnostic {
    let message = format!("this is nested more than {MAX_NESTING} levels deep");
    Diagnostic::error(codes::TOO_DEEP, message, span, "too deep here")
        .with_help("leave out brackets, or split the formula")
}
