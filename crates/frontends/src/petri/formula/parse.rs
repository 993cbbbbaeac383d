//! The parser of formulas. Numbers and truth values are read by the same rules and told apart afterwards, since both
//! may stand in brackets.

use lapidary_ir::{Expr, Property, PropertyKind};
use lapidary_text::{Diagnostic, SourceId, Sources, Span};

use super::super::codes;
use super::super::lexer::{self, Kind};
use super::super::limits::MAX_NESTING;
use super::super::properties::Scope;
use super::super::reader::{Failed, Parsed, Reader, too_large};
use super::LEXIS;
use super::linear::{Linear, Relation};
use crate::asked::Wording;
use crate::log::Log;

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Several {
    AreRead,
    AreAMistake,
}

pub struct Formula {
    kind: PropertyKind,
    /// What holds always, or can be reached.
    expr: Expr,
    /// The place of the operator that says which of both.
    operator: Option<Span>,
    span: Span,
}

impl Formula {
    /// With what a word before it asks.
    pub fn worded(self, wording: Wording, scope: &Scope<'_>, log: &mut Log) -> Option<Self> {
        let kind = match wording {
            Wording::Plain => return Some(self),
            Wording::Reach => PropertyKind::Reach(self.expr),
            Wording::Invariant => scope.always(self.expr),
            Wording::DeadlockFree | Wording::Ltl => unreachable!("they are not formulas over states"),
        };
        if let Some(operator) = self.operator {
            let message = "what is asked is said twice";
            let error = Diagnostic::error(codes::FORMULA_TEMPORAL, message, operator, "a word stands before it");
            log.push(error.with_help("write `reach f` or `EF f`, `invariant f` or `AG f`"));
            return None;
        }
        Some(Self { kind, ..self })
    }

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

pub enum Value {
    Truth(Expr),
    Sum(Linear),
}

/// The last operand of a chain, and where it begins.
pub type Part = (Value, Span);

pub struct Parser<'a, 'l, 's> {
    pub reader: Reader<'a, 'l>,
    pub scope: &'s Scope<'s>,
    pub nesting: usize,
    pub n_suggestions: usize,
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

impl<'a> Parser<'a, '_, '_> {
    fn formula(&mut self) -> Parsed<Formula> {
        self.reader.eat_word("FORMULA");
        let start = self.reader.cursor.span();
        let is_reach = self.is_reach();
        let operator = (self.reader.cursor.span() != start).then_some(start);
        let expr = self.truth(Self::iff)?;
        let kind = if is_reach { PropertyKind::Reach(expr) } else { self.scope.always(expr) };
        Ok(Formula { kind, expr, operator, span: start.to(self.reader.cursor.previous_span()) })
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

    pub fn iff(&mut self) -> Parsed<Part> {
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

    pub fn as_sum(&mut self, (value, span): Part) -> Parsed<Linear> {
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

    pub fn checked<T>(&mut self, value: Option<T>, span: Span) -> Parsed<T> {
        if value.is_none() {
            self.reader.log.push(too_large(span));
        }
        value.ok_or(Failed)
    }

    /// One level deeper, unless that is too deep.
    pub fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
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
