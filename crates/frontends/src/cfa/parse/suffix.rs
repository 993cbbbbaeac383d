//! What stands in brackets: reads, writes and extractions behind an operand, and arrays by themselves.

use lapidary_text::descent::{Nesting, Parsed};
use lapidary_text::{Diagnostic, Span};

use super::super::ast::{Array, Expr, ExprKind};
use super::super::codes;
use super::super::lexer::Kind;
use super::super::limits::MAX_SUFFIXES;
use super::Parser;

const ARRAY: &str = "an array is `[0 <- a, 1 <- b, default <- c]` or `[<int>default <- c]`";

impl<'a> Parser<'a, '_> {
    /// `a[i]`, `a[i <- v]`, `b[8:4]`, one behind the other.
    pub(super) fn suffixed(&mut self) -> Parsed<Expr<'a>> {
        let start = self.cursor.span();
        let mut operand = self.primary()?;
        let mut n_suffixes = 0;
        loop {
            operand = match self.cursor.peek() {
                Some(Kind::LeftBracket) => self.bracket(start, operand)?,
                Some(Kind::LeftParen) => self.call(start)?,
                Some(Kind::Prime) => self.prime(start),
                _ => return Ok(operand),
            };
            n_suffixes += 1;
            self.limited(n_suffixes)?;
        }
    }

    /// Each of what follows an operand is one level more.
    pub(super) fn limited(&mut self, n_suffixes: usize) -> Parsed<()> {
        if n_suffixes > MAX_SUFFIXES {
            return Err(self.too_deep());
        }
        Ok(())
    }

    fn bracket(&mut self, start: Span, of: Expr<'a>) -> Parsed<Expr<'a>> {
        let open = self.expect(Kind::LeftBracket)?;
        if self.cursor.at(Kind::Number) && self.cursor.peek_at(1) == Some(Kind::Colon) {
            return self.extraction(start, open, of);
        }
        let index = self.expr()?;
        if self.cursor.eat(Kind::Back).is_none() {
            self.expect_end(Kind::RightBracket, open)?;
            return Ok(self.finish(start, ExprKind::Read(Box::new([of, index]))));
        }
        let value = self.expr()?;
        self.expect_end(Kind::RightBracket, open)?;
        Ok(self.finish(start, ExprKind::Write(Box::new([of, index, value]))))
    }

    /// `b[until:from]`
    fn extraction(&mut self, start: Span, open: Span, of: Expr<'a>) -> Parsed<Expr<'a>> {
        let (until, first) = self.small_number("a number of bits")?;
        self.expect(Kind::Colon)?;
        let (from, last) = self.small_number("a number of bits")?;
        self.expect_end(Kind::RightBracket, open)?;
        if until <= from {
            let message = format!("there is no bit from {from} on that comes before {until}");
            let diagnostic = Diagnostic::error(codes::WIDTH, message, first.to(last), "no bits");
            let help = "`b[until:from]` has the bits from `from` on, up to the one before `until`: `b[8:4]` has four";
            self.log.push(diagnostic.with_help(help));
            return Ok(self.finish(start, ExprKind::Error));
        }
        Ok(self.finish(start, ExprKind::Extract { of: Box::new(of), until, from }))
    }

    pub(super) fn array(&mut self) -> Parsed<Expr<'a>> {
        let open = self.expect(Kind::LeftBracket)?;
        let mut entries = Vec::new();
        let mut index = None;
        loop {
            if self.cursor.eat(Kind::Lt).is_some() {
                index = Some(self.ty()?);
                self.expect_in(Kind::Gt, ARRAY)?;
            }
            if self.cursor.eat(Kind::Default).is_some() {
                break;
            }
            let at = self.expr()?;
            self.expect_in(Kind::Back, ARRAY)?;
            entries.push([at, self.expr()?]);
            if self.cursor.at(Kind::RightBracket) {
                let diagnostic = self.expected("`, default <- ...`");
                self.report(diagnostic.with_help("an array says at its end which value all other cells have"));
                self.cursor.next();
                return Ok(self.finish(open, ExprKind::Error));
            }
            self.expect_in(Kind::Comma, ARRAY)?;
        }
        self.expect_in(Kind::Back, ARRAY)?;
        let default = self.expr()?;
        self.expect_end(Kind::RightBracket, open)?;
        Ok(self.finish(open, ExprKind::Array(Box::new(Array { entries, index, default }))))
    }
}
