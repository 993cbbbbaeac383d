//! Parts of the language that are only read in order to say that they are not supported, and where.

use lapidary_text::climb::Operators;
use lapidary_text::descent::{Descent, Nesting, Parsed};
use lapidary_text::{Diagnostic, Span};

use super::super::ast::{Expr, ExprKind};
use super::super::codes;
use super::super::lexer::{self, Kind};
use super::Parser;
use super::operators::QUANTIFIER;

impl<'a> Parser<'a, '_> {
    /// `what` goes on with "not supported".
    pub(super) fn unsupported(&mut self, what: &str, place: Span) {
        let message = format!("{what} not supported");
        let diagnostic = Diagnostic::unsupported(codes::UNSUPPORTED, message, place, "not supported");
        self.log.push(diagnostic.with_help("supported are conditions, integers, bit-vectors and arrays of them"));
    }

    /// `8'd0.23'd0`
    pub(super) fn at_float_literal(&self) -> bool {
        self.cursor.at(Kind::Bits) && self.cursor.peek_at(1) == Some(Kind::Dot)
    }

    pub(super) fn float_literal(&mut self, start: Span) -> Parsed<Expr<'a>> {
        self.cursor.next();
        self.expect(Kind::Dot)?;
        self.expect(Kind::Bits)?;
        self.unsupported("floating-point numbers are", start.to(self.cursor.previous_span()));
        Ok(self.finish(start, ExprKind::Error))
    }

    /// Where an operand is read: says so if the operator before it is on floating-point numbers, and reads over its brackets.
    pub(super) fn float_between(&mut self) {
        let place = self.cursor.previous_span();
        if lexer::keyword(self.slice(place)) == Kind::FloatWord {
            self.float_brackets();
            self.unsupported("floating-point numbers are", place);
        }
    }

    fn float_brackets(&mut self) {
        while self.cursor.at(Kind::LeftBracket) {
            while self.cursor.next().is_some_and(|token| token.kind != Kind::RightBracket) {}
        }
    }

    /// `fpabs x`, `fptofp[11,53][RNE] x`
    pub(super) fn float(&mut self) -> Parsed<Expr<'a>> {
        let start = self.expect(Kind::FloatWord)?;
        self.float_brackets();
        self.unsupported("floating-point numbers are", start);
        self.nested(Self::signed)?;
        Ok(self.finish(start, ExprKind::Error))
    }

    /// `1%3`
    pub(super) fn rational(&mut self) -> Parsed<Expr<'a>> {
        let start = self.expect(Kind::Number)?;
        self.expect(Kind::Percent)?;
        if self.cursor.eat(Kind::Number).is_none() {
            let diagnostic = self.expected("a number");
            self.report(diagnostic.with_help("`1%3` is a third; the rest of a division is `mod`"));
            return Ok(self.finish(start, ExprKind::Error));
        }
        self.unsupported("rational numbers are", start.to(self.cursor.previous_span()));
        Ok(self.finish(start, ExprKind::Error))
    }

    /// `forall (x : int, y : bool) e`
    pub(super) fn quantified(&mut self) -> Parsed<Expr<'a>> {
        let start = self.cursor.span();
        self.cursor.next();
        self.bound_names()?;
        self.nested(|parser| parser.climb(QUANTIFIER))?;
        self.unsupported("quantifiers are", start);
        Ok(self.finish(start, ExprKind::Error))
    }

    fn bound_names(&mut self) -> Parsed<()> {
        let open = self.expect(Kind::LeftParen)?;
        self.several(Kind::Comma, |parser| {
            parser.name("a name")?;
            parser.expect(Kind::Colon)?;
            parser.ty()
        })?;
        self.expect_end(Kind::RightParen, open)?;
        Ok(())
    }

    /// `(x : int) -> e`
    pub(super) fn at_function(&self) -> bool {
        self.cursor.at(Kind::LeftParen)
            && self.cursor.peek_at(1) == Some(Kind::Name)
            && self.cursor.peek_at(2) == Some(Kind::Colon)
    }

    pub(super) fn function(&mut self) -> Parsed<Expr<'a>> {
        let start = self.cursor.span();
        self.bound_names()?;
        self.expect(Kind::Arrow)?;
        self.expr()?;
        self.unsupported("functions are", start);
        Ok(self.finish(start, ExprKind::Error))
    }

    /// `f(x, y)`
    pub(super) fn call(&mut self, start: Span) -> Parsed<Expr<'a>> {
        let open = self.expect(Kind::LeftParen)?;
        if !self.cursor.at(Kind::RightParen) {
            self.several(Kind::Comma, Self::expr)?;
        }
        self.expect_end(Kind::RightParen, open)?;
        self.unsupported("functions are", start);
        Ok(self.finish(start, ExprKind::Error))
    }

    /// `x'`
    pub(super) fn prime(&mut self, start: Span) -> Expr<'a> {
        let place = self.cursor.span();
        self.cursor.next();
        self.unsupported("primed variables are", start.to(place));
        self.finish(start, ExprKind::Error)
    }
}
