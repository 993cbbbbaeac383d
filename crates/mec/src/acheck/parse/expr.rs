//! Expressions: `~` binds strongest, then `&`; `|` and `-` share the weakest level and go from left to right.

use std::iter;

use lapidary_text::climb::{Grouping, Operators, Row};
use lapidary_text::descent::{Descent, Failed, Nesting, Parsed};
use lapidary_text::{Diagnostic, Span};

use super::super::ast::{Expr, ExprKind, Link, Name};
use super::super::codes;
use super::super::lexer::Kind;
use super::Parser;

/// What stands between operands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Between {
    And,
    Link(Link),
}

impl Operators for Parser<'_, '_> {
    type Operator = Between;
    type Operand = Expr;

    fn operator(&mut self, _: u8) -> Option<Row<Between>> {
        let (strength, grouping, is) = match self.cursor.peek()? {
            Kind::Or => (0, Grouping::MixedList, Between::Link(Link::Or)),
            Kind::Minus => (0, Grouping::MixedList, Between::Link(Link::Minus)),
            Kind::And => (1, Grouping::List, Between::And),
            _ => return None,
        };
        Some(Row { is, strength, grouping })
    }

    fn operand(&mut self, _: u8) -> Parsed<Expr> {
        self.unary()
    }

    fn join(&mut self, operator: Between, left: Expr, right: Expr) -> Parsed<Expr> {
        self.list(operator, left, vec![(operator, right)])
    }

    fn list(&mut self, operator: Between, first: Expr, rest: Vec<(Between, Expr)>) -> Parsed<Expr> {
        let span = rest.last().map_or(first.span, |(_, last)| first.span.to(last.span));
        let kind = match operator {
            Between::And => ExprKind::And(iter::once(first).chain(rest.into_iter().map(|(_, part)| part)).collect()),
            Between::Link(_) => {
                let link = |operator| if operator == Between::Link(Link::Minus) { Link::Minus } else { Link::Or };
                let rest = rest.into_iter().map(|(operator, part)| (link(operator), part));
                ExprKind::Chain(Box::new(first), rest.collect())
            }
        };
        Ok(Expr { kind, span })
    }
}

impl Parser<'_, '_> {
    pub(super) fn expr(&mut self) -> Parsed<Expr> {
        self.nested(|parser| parser.climb(0))
    }

    fn unary(&mut self) -> Parsed<Expr> {
        let start = self.cursor.span();
        let kind = match self.cursor.peek() {
            Some(Kind::Not) => {
                self.cursor.next();
                ExprKind::Not(Box::new(self.nested(Self::unary)?))
            }
            Some(Kind::LeftParen) => {
                self.cursor.next();
                let mut inner = self.expr()?;
                self.expect(Kind::RightParen, "an operator or `)`")?;
                inner.span = start.to(self.cursor.previous_span());
                return Ok(inner);
            }
            Some(Kind::LeftBracket) => ExprKind::Formula(self.formula()?),
            Some(Kind::Label) => {
                self.cursor.next();
                ExprKind::Label(self.path()?)
            }
            Some(Kind::Attribute) => {
                self.cursor.next();
                ExprKind::Attribute(self.name("the name of an attribute")?)
            }
            _ => self.name_or_call()?,
        };
        Ok(Expr { kind, span: start.to(self.cursor.previous_span()) })
    }

    fn name_or_call(&mut self) -> Parsed<ExprKind> {
        let name: Name = self.name("a set")?;
        if self.cursor.eat(Kind::LeftParen).is_none() {
            return Ok(ExprKind::Name(name.text));
        }
        let mut arguments = Vec::new();
        if self.cursor.eat(Kind::RightParen).is_none() {
            arguments = self.several(Kind::Comma, Self::expr)?;
            self.expect(Kind::RightParen, "an operator, `,` or `)`")?;
        }
        Ok(ExprKind::Call(name, arguments))
    }

    /// The place between `[` and the `]` that closes it; what stands there is in AltaRica's syntax.
    fn formula(&mut self) -> Parsed<Span> {
        let open = self.cursor.span();
        self.cursor.next();
        let mut depth = 0usize;
        loop {
            match self.cursor.peek() {
                Some(Kind::LeftBracket) => depth += 1,
                Some(Kind::RightBracket) if depth == 0 => break,
                Some(Kind::RightBracket) => depth -= 1,
                Some(Kind::Semicolon | Kind::Done | Kind::With) | None => {
                    let message = "this formula is not closed";
                    let diagnostic = Diagnostic::error(codes::OPEN_BRACKET, message, open, "it begins here");
                    self.log.push(diagnostic.with_help("close it with `]`"));
                    return Err(Failed);
                }
                Some(_) => {}
            }
            self.cursor.next();
        }
        let close = self.cursor.span();
        self.cursor.next();
        Ok(Span::new(open.source, open.end, close.start))
    }
}
