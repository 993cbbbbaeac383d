//! Expressions, loosest operators first.

use std::iter;

use lapidary_text::climb::{Operators, Rest, Row};
use lapidary_text::descent::{Failed, Nesting, Parsed};
use lapidary_text::{Diagnostic, Span};

use super::super::ast::{Compare, Expr, ExprKind, Extension, Name, Sign};
use super::super::codes;
use super::super::lexer::Kind;
use super::Parser;
use super::operators::{self, Between, EQUALITY, NOT, QUANTIFIER, WHOLE};

const CHOICE: &str = "a choice is `if condition then a else b`; there is always an `else`";

impl<'a> Operators for Parser<'a, '_> {
    type Operator = Between;
    type Operand = Expr<'a>;

    fn operator(&mut self, _: u8) -> Option<Row<Between>> {
        operators::row(self.cursor.peek()?, self.slice(self.cursor.span()))
    }

    fn operand(&mut self, weakest: u8) -> Parsed<Expr<'a>> {
        self.float_between();
        match self.cursor.peek() {
            Some(Kind::If) if weakest == WHOLE => self.conditional(),
            Some(Kind::Forall | Kind::Exists) if weakest <= QUANTIFIER => self.quantified(),
            Some(Kind::Not) if weakest <= NOT => {
                let start = self.expect(Kind::Not)?;
                let operand = self.nested(|parser| parser.climb(NOT))?;
                Ok(self.finish(start, ExprKind::Not(Box::new(operand))))
            }
            _ => self.extended(),
        }
    }

    fn join(&mut self, operator: Between, left: Expr<'a>, right: Expr<'a>) -> Parsed<Expr<'a>> {
        let start = left.span;
        match operator {
            Between::Compare(compare) => {
                let compared = self.finish(start, ExprKind::Compare(compare, Box::new([left, right])));
                self.comparison_chain(compare, &compared)?;
                Ok(compared)
            }
            Between::Logic(_) | Between::Fold(_) | Between::Float => self.list(operator, left, vec![(operator, right)]),
        }
    }

    fn list(&mut self, operator: Between, first: Expr<'a>, rest: Rest<Self>) -> Parsed<Expr<'a>> {
        let start = first.span;
        // One of them is enough that nothing is known of the whole.
        if rest.iter().any(|(operator, _)| *operator == Between::Float) {
            return Ok(self.finish(start, ExprKind::Error));
        }
        let kind = match operator {
            Between::Logic(logic) => {
                ExprKind::Chain(logic, iter::once(first).chain(rest.into_iter().map(|(_, part)| part)).collect())
            }
            Between::Fold(_) => {
                let rest = rest.into_iter().filter_map(|(operator, part)| match operator {
                    Between::Fold(binary) => Some((binary, part)),
                    Between::Logic(_) | Between::Compare(_) | Between::Float => None,
                });
                ExprKind::Fold(Box::new(first), rest.collect())
            }
            Between::Compare(_) | Between::Float => {
                return rest.into_iter().try_fold(first, |left, (operator, right)| self.join(operator, left, right));
            }
        };
        Ok(self.finish(start, kind))
    }
}

impl<'a> Parser<'a, '_> {
    pub(super) fn expr(&mut self) -> Parsed<Expr<'a>> {
        self.nested(|parser| parser.climb(WHOLE))
    }

    pub(super) fn finish(&self, start: Span, kind: ExprKind<'a>) -> Expr<'a> {
        Expr { kind, span: start.to(self.cursor.previous_span()) }
    }

    /// Reports the second comparison of a chain of one strength, and reads over the others.
    fn comparison_chain(&mut self, first: Compare, compared: &Expr<'a>) -> Parsed<()> {
        let strength = if matches!(first, Compare::Eq | Compare::Ne) { EQUALITY } else { EQUALITY + 1 };
        let goes_on = |parser: &mut Self| parser.operator(WHOLE).is_some_and(|found| found.strength == strength);
        if !goes_on(self) {
            return Ok(());
        }
        let place = self.cursor.span();
        let diagnostic = Diagnostic::error(codes::COMPARISON_CHAIN, "comparisons do not chain", place, "a second one")
            .with_label(compared.span, "this is already true or false")
            .with_help("write `a < b and b < c`; between conditions, write `iff` or parentheses");
        self.report(diagnostic);
        while goes_on(self) {
            self.cursor.next();
            self.climb(strength + 1)?;
        }
        Ok(())
    }

    /// An operand, made longer perhaps: `e bv_zero_extend bv[8]`.
    fn extended(&mut self) -> Parsed<Expr<'a>> {
        let start = self.cursor.span();
        let mut operand = self.signed()?;
        let mut n_extensions = 0;
        while let Some(extension) = self.extension() {
            n_extensions += 1;
            self.limited(n_extensions)?;
            self.cursor.next();
            let (width, _) = self.width()?;
            operand = self.finish(start, ExprKind::Extend(extension, Box::new(operand), width));
        }
        Ok(operand)
    }

    fn extension(&self) -> Option<Extension> {
        operators::extension(self.cursor.peek()?, self.slice(self.cursor.span()))
    }

    pub(super) fn signed(&mut self) -> Parsed<Expr<'a>> {
        let start = self.cursor.span();
        let Some(kind) = self.cursor.peek() else { return self.suffixed() };
        let Some(sign) = operators::sign(kind, self.slice(start)) else {
            return if kind == Kind::FloatWord { self.float() } else { self.suffixed() };
        };
        self.cursor.next();
        if self.at_float_literal() {
            return self.float_literal(start);
        }
        if sign == Sign::Minus && self.cursor.at(Kind::Number) && self.cursor.peek_at(1) != Some(Kind::Percent) {
            // Read together with its sign, the least number of 64 bits has a literal too.
            let span = start.to(self.cursor.span());
            let digits = self.slice(self.cursor.span());
            self.cursor.next();
            return Ok(self.number(&format!("-{digits}"), span));
        }
        let operand = self.nested(Self::signed)?;
        Ok(self.finish(start, ExprKind::Sign(sign, Box::new(operand))))
    }

    pub(super) fn number(&mut self, digits: &str, span: Span) -> Expr<'a> {
        let kind = match digits.parse() {
            Ok(value) => ExprKind::Int(value),
            Err(_) => {
                let message = "this number does not fit 64 bits";
                let label = format!("numbers go from {} to {}", i64::MIN, i64::MAX);
                let diagnostic = Diagnostic::error(codes::LARGE_NUMBER, message, span, label);
                self.log.push(diagnostic.with_help("make it of smaller ones: `1000000 * 1000000`"));
                ExprKind::Error
            }
        };
        Expr { kind, span }
    }

    pub(super) fn primary(&mut self) -> Parsed<Expr<'a>> {
        let start = self.cursor.span();
        match self.cursor.peek() {
            Some(Kind::Number) if self.cursor.peek_at(1) == Some(Kind::Percent) => self.rational(),
            Some(Kind::Number) => {
                self.cursor.next();
                Ok(self.number(self.slice(start), start))
            }
            Some(Kind::Bits) if self.at_float_literal() => self.float_literal(start),
            Some(Kind::Bits) => Ok(self.bits()),
            Some(Kind::True) => Ok(self.truth(true)),
            Some(Kind::False) => Ok(self.truth(false)),
            Some(Kind::LeftParen) if self.at_function() => self.function(),
            Some(Kind::LeftParen) => {
                self.cursor.next();
                let inner = self.expr()?;
                self.expect_end(Kind::RightParen, start)?;
                Ok(self.finish(start, inner.kind))
            }
            Some(Kind::LeftBracket) => self.array(),
            Some(Kind::Name) => {
                self.cursor.next();
                Ok(Expr { kind: ExprKind::Name(Name { text: self.slice(start), span: start }), span: start })
            }
            other => {
                let help = match other {
                    Some(Kind::Not) => "`not` reaches further than `=` and `+`: put it in parentheses here",
                    Some(Kind::If) => "`if` reaches as far as it can: put it in parentheses here",
                    _ => "a number, a name, `true`, `false` or something in parentheses is missing before this",
                };
                let diagnostic = self.expected("an expression").with_help(help);
                self.report(diagnostic);
                Err(Failed)
            }
        }
    }

    fn truth(&mut self, value: bool) -> Expr<'a> {
        let span = self.cursor.span();
        self.cursor.next();
        Expr { kind: ExprKind::Bool(value), span }
    }

    /// The last part reaches as far right as it can.
    fn conditional(&mut self) -> Parsed<Expr<'a>> {
        let start = self.expect(Kind::If)?;
        let condition = self.expr()?;
        self.expect_in(Kind::Then, CHOICE)?;
        let then = self.expr()?;
        self.expect_in(Kind::Else, CHOICE)?;
        let otherwise = self.expr()?;
        Ok(self.finish(start, ExprKind::If(Box::new([condition, then, otherwise]))))
    }
}
