//! Expressions, loosest operators first.

use std::iter;

use lapidary_text::climb::{Grouping, Operators, Row};
use lapidary_text::descent::{Failed, Nesting, Parsed};
use lapidary_text::{Diagnostic, Span};

use super::super::ast::{ArrayLiteral, Compare, Expr, ExprKind, Factor, Junction, Sign};
use super::super::codes;
use super::super::lexer::Kind;
use super::Parser;

const CHOICE: &str = "a choice is `if condition then a else b`; there is always an `else`";
const LITERAL: &str = "an array is written `[0 <- a, 1 <- b, default <- c]`, or `[<integer> default <- c]`";

/// Of `!`: a comparison is negated as a whole.
const PREFIX: u8 = 6;
const EQUALITY: u8 = 7;
const ORDER: u8 = 8;

/// What stands between operands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Between {
    Junction(Junction),
    Or,
    And,
    Compare(Compare),
    Sign(Sign),
    Factor(Factor),
}

impl<'a> Operators for Parser<'a, '_> {
    type Operator = Between;
    type Operand = Expr<'a>;

    fn operator(&mut self, _: u8) -> Option<Row<Between>> {
        let (strength, grouping, is) = match self.cursor.peek()? {
            Kind::Iff => (0, Grouping::Right, Between::Junction(Junction::Iff)),
            Kind::Implies => (1, Grouping::Right, Between::Junction(Junction::Implies)),
            Kind::OrOr => (2, Grouping::List, Between::Or),
            Kind::Xor => (3, Grouping::Right, Between::Junction(Junction::Xor)),
            Kind::AndAnd => (4, Grouping::List, Between::And),
            Kind::Plus => (9, Grouping::MixedList, Between::Sign(Sign::Plus)),
            Kind::Minus => (9, Grouping::MixedList, Between::Sign(Sign::Minus)),
            Kind::Star => (10, Grouping::MixedList, Between::Factor(Factor::Times)),
            Kind::Slash => (10, Grouping::MixedList, Between::Factor(Factor::Div)),
            Kind::Percent => (10, Grouping::MixedList, Between::Factor(Factor::Mod)),
            Kind::Rem => (10, Grouping::MixedList, Between::Factor(Factor::Rem)),
            other => {
                let (strength, comparison) = comparison(other)?;
                (strength, Grouping::Alone, Between::Compare(comparison))
            }
        };
        Some(Row { is, strength, grouping })
    }

    fn operand(&mut self, weakest: u8) -> Parsed<Expr<'a>> {
        if weakest > PREFIX { self.signed() } else { self.prefixed() }
    }

    fn join(&mut self, operator: Between, left: Expr<'a>, right: Expr<'a>) -> Parsed<Expr<'a>> {
        let start = left.span;
        match operator {
            Between::Junction(junction) => {
                Ok(self.finish(start, ExprKind::Junction(junction, Box::new([left, right]))))
            }
            Between::Compare(comparison) => {
                let compared = self.finish(start, ExprKind::Compare(comparison, Box::new([left, right])));
                self.refuse_chain(comparison, &compared)?;
                Ok(compared)
            }
            Between::Or | Between::And | Between::Sign(_) | Between::Factor(_) => {
                self.list(operator, left, vec![(operator, right)])
            }
        }
    }

    fn list(&mut self, operator: Between, first: Expr<'a>, rest: Vec<(Between, Expr<'a>)>) -> Parsed<Expr<'a>> {
        let start = first.span;
        let kind = match operator {
            Between::Or => ExprKind::Or(parts(first, rest)),
            Between::And => ExprKind::And(parts(first, rest)),
            Between::Sign(_) => {
                let sign = |operator| if operator == Between::Sign(Sign::Minus) { Sign::Minus } else { Sign::Plus };
                let rest = rest.into_iter().map(|(operator, part)| (sign(operator), part));
                ExprKind::Sum(iter::once((Sign::Plus, first)).chain(rest).collect())
            }
            Between::Factor(_) => {
                let rest = rest.into_iter().filter_map(|(operator, part)| {
                    let Between::Factor(factor) = operator else { return None };
                    Some((factor, part))
                });
                ExprKind::Product(Box::new(first), rest.collect())
            }
            Between::Junction(_) | Between::Compare(_) => {
                return rest.into_iter().try_fold(first, |left, (operator, right)| self.join(operator, left, right));
            }
        };
        Ok(self.finish(start, kind))
    }
}

/// The operands of one operator, as a list.
fn parts<'a>(first: Expr<'a>, rest: Vec<(Between, Expr<'a>)>) -> Vec<Expr<'a>> {
    iter::once(first).chain(rest.into_iter().map(|(_, part)| part)).collect()
}

impl<'a> Parser<'a, '_> {
    pub(super) fn expr(&mut self) -> Parsed<Expr<'a>> {
        self.nested(|parser| parser.climb(0))
    }

    fn finish(&self, start: Span, kind: ExprKind<'a>) -> Expr<'a> {
        Expr { kind, span: start.to(self.cursor.previous_span()) }
    }

    /// `!a`, or what has no such operator before it.
    fn prefixed(&mut self) -> Parsed<Expr<'a>> {
        let Some(start) = self.cursor.eat(Kind::Not) else { return self.signed() };
        let operand = self.nested(|parser| parser.climb(PREFIX))?;
        Ok(self.finish(start, ExprKind::Not(Box::new(operand))))
    }

    /// Reports the second comparison of a chain, and reads over the others.
    fn refuse_chain(&mut self, first: Compare, compared: &Expr<'a>) -> Parsed<()> {
        let strength = |kind| comparison(kind).map(|(strength, _)| strength);
        let own = if matches!(first, Compare::Eq | Compare::Ne) { EQUALITY } else { ORDER };
        if self.cursor.peek().and_then(strength) != Some(own) {
            return Ok(());
        }
        let place = self.cursor.span();
        let diagnostic = Diagnostic::error(codes::COMPARISON_CHAIN, "comparisons do not chain", place, "a second one")
            .with_label(compared.span, "this is already true or false")
            .with_help("write `a < b && b < c`; between conditions, write `iff` or parentheses");
        self.report(diagnostic);
        while self.cursor.peek().and_then(strength).is_some() {
            self.cursor.next();
            self.climb(ORDER + 1)?;
        }
        Ok(())
    }

    fn signed(&mut self) -> Parsed<Expr<'a>> {
        if let Some(start) = self.cursor.eat(Kind::Plus) {
            let operand = self.nested(Self::signed)?;
            return Ok(self.finish(start, operand.kind));
        }
        let Some(start) = self.cursor.eat(Kind::Minus) else { return self.primary() };
        if self.cursor.at(Kind::Number) && self.cursor.peek_at(1) != Some(Kind::LeftBracket) {
            // Read together with its sign, the least number of 64 bits has a literal too.
            let digits = self.cursor.span();
            self.cursor.next();
            return Ok(self.number(&format!("-{}", self.slice(digits)), start.to(digits)));
        }
        let operand = self.nested(Self::signed)?;
        Ok(self.finish(start, ExprKind::Neg(Box::new(operand))))
    }

    fn number(&mut self, digits: &str, span: Span) -> Expr<'a> {
        let kind = match digits.parse() {
            Ok(value) => ExprKind::Int(value),
            Err(_) => {
                let label = format!("numbers go from {} to {}", i64::MIN, i64::MAX);
                let message = "this number does not fit 64 bits";
                let diagnostic = Diagnostic::error(codes::LARGE_NUMBER, message, span, label);
                self.log.push(diagnostic.with_help("use a smaller number"));
                ExprKind::Error
            }
        };
        Expr { kind, span }
    }

    /// What needs no operator, with the cells of it that are read or written.
    fn primary(&mut self) -> Parsed<Expr<'a>> {
        let start = self.cursor.span();
        let mut expr = self.atom()?;
        while let Some(open) = self.cursor.eat(Kind::LeftBracket) {
            let index = self.expr()?;
            let kind = match self.cursor.eat(Kind::Gets) {
                Some(_) => ExprKind::Write(Box::new([expr, index, self.expr()?])),
                None => ExprKind::Read(Box::new([expr, index])),
            };
            self.expect_end(Kind::RightBracket, open)?;
            expr = self.finish(start, kind);
        }
        Ok(expr)
    }

    fn atom(&mut self) -> Parsed<Expr<'a>> {
        let start = self.cursor.span();
        let simple = match self.cursor.peek() {
            Some(Kind::Number) => {
                self.cursor.next();
                return Ok(self.number(self.slice(start), start));
            }
            Some(Kind::True) => ExprKind::Bool(true),
            Some(Kind::False) => ExprKind::Bool(false),
            Some(Kind::Name) => ExprKind::Name(self.slice(start)),
            Some(Kind::LeftParen) => {
                self.cursor.next();
                let inner = self.expr()?;
                self.expect_end(Kind::RightParen, start)?;
                // A name alone is what messages are about.
                return Ok(if matches!(inner.kind, ExprKind::Name(_)) {
                    inner
                } else {
                    self.finish(start, inner.kind)
                });
            }
            Some(Kind::If) => return self.conditional(),
            Some(Kind::LeftBracket) => return self.array(),
            other => {
                let help = match other {
                    Some(Kind::Not) => "`!` reaches further than `==` and `+`: put it in parentheses here",
                    _ => "a number, a name, `true`, `false` or something in parentheses is missing before this",
                };
                let diagnostic = self.expected("an expression").with_help(help);
                self.report(diagnostic);
                return Err(Failed);
            }
        };
        self.cursor.next();
        Ok(Expr { kind: simple, span: start })
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

    fn array(&mut self) -> Parsed<Expr<'a>> {
        let open = self.expect(Kind::LeftBracket)?;
        let (mut index, mut cells) = (None, Vec::new());
        while !self.cursor.at(Kind::Default) {
            // The type of the indexes stands right before the default, whether cells stand before it or not.
            if self.cursor.eat(Kind::Lt).is_some() {
                index = Some(self.ty()?);
                self.expect_in(Kind::Gt, LITERAL)?;
                break;
            }
            let key = self.expr()?;
            self.expect_in(Kind::Gets, LITERAL)?;
            cells.push([key, self.expr()?]);
            self.expect_in(Kind::Comma, LITERAL)?;
        }
        self.expect(Kind::Default)?;
        self.expect_in(Kind::Gets, LITERAL)?;
        let default = self.expr()?;
        self.expect_end(Kind::RightBracket, open)?;
        Ok(self.finish(open, ExprKind::Array(Box::new(ArrayLiteral { index, cells, default }))))
    }
}

fn comparison(kind: Kind) -> Option<(u8, Compare)> {
    match kind {
        Kind::Eq => Some((EQUALITY, Compare::Eq)),
        Kind::Ne => Some((EQUALITY, Compare::Ne)),
        Kind::Lt => Some((ORDER, Compare::Lt)),
        Kind::Le => Some((ORDER, Compare::Le)),
        Kind::Gt => Some((ORDER, Compare::Gt)),
        Kind::Ge => Some((ORDER, Compare::Ge)),
        _ => None,
    }
}
