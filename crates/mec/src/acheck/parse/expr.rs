//! Expressions: `~` binds strongest, then `&`; `|` and `-` share the weakest level and go from left to right.

use lapidary_text::{Diagnostic, Span};

use super::super::ast::{Expr, ExprKind, Link, Name};
use super::super::codes;
use super::super::lexer::Kind;
use super::{Failed, Parsed, Parser};

impl Parser<'_, '_> {
    pub(super) fn expr(&mut self) -> Parsed<Expr> {
        self.deeper(Self::chain)
    }

    fn chain(&mut self) -> Parsed<Expr> {
        let first = self.conjunction()?;
        let mut rest = Vec::new();
        loop {
            let link = match self.cursor.peek() {
                Some(Kind::Or) => Link::Or,
                Some(Kind::Minus) => Link::Minus,
                _ => break,
            };
            self.cursor.next();
            rest.push((link, self.conjunction()?));
        }
        let Some((_, last)) = rest.last() else { return Ok(first) };
        let span = first.span.to(last.span);
        Ok(Expr { kind: ExprKind::Chain(Box::new(first), rest), span })
    }

    fn conjunction(&mut self) -> Parsed<Expr> {
        let mut parts = vec![self.unary()?];
        while self.cursor.eat(Kind::And).is_some() {
            parts.push(self.unary()?);
        }
        if parts.len() == 1 {
            return Ok(parts.remove(0));
        }
        let span = parts[0].span.to(parts[parts.len() - 1].span);
        Ok(Expr { kind: ExprKind::And(parts), span })
    }

    fn unary(&mut self) -> Parsed<Expr> {
        let start = self.cursor.span();
        let kind = match self.cursor.peek() {
            Some(Kind::Not) => {
                self.cursor.next();
                ExprKind::Not(Box::new(self.deeper(Self::unary)?))
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
            arguments.push(self.expr()?);
            while self.cursor.eat(Kind::Comma).is_some() {
                arguments.push(self.expr()?);
            }
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
