//! Expressions, loosest operators first.

use std::iter;

use lapidary_text::climb::{Grouping, Operators, Row};
use lapidary_text::descent::{Descent, Failed, Nesting, Parsed};
use lapidary_text::{Diagnostic, Span};

use super::super::ast::{Binary, Compare, Expr, ExprKind, Factor, Member, Place, Quantifier, Sign, Unary};
use super::super::codes;
use super::super::lexer::{self, Kind};
use super::{Brackets, Logic, Parser};

const CHOICE: &str = "a choice is `if condition then a else b`; there is always an `else`";

const OR: u8 = 2;
const AND: u8 = 3;
/// Of `!`, and of `G`, `F` and `X` in temporal formulas: a comparison is negated as a whole.
const PREFIX: u8 = 5;
const COMPARISON: u8 = 6;
const SUM: u8 = 7;
const PRODUCT: u8 = 8;

/// What stands between operands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Between {
    Iff,
    Implies,
    Or,
    And,
    Temporal(Binary),
    Compare(Compare),
    Sign(Sign),
    Factor(Factor),
}

impl<'a> Operators for Parser<'a, '_> {
    type Operator = Between;
    type Operand = Expr<'a>;

    fn operator(&mut self, weakest: u8) -> Option<Row<Between>> {
        for (strength, operator) in [(OR, Kind::Or), (AND, Kind::And)] {
            if strength >= weakest {
                self.foreign_words(operator);
            }
        }
        let (strength, grouping, is) = match self.cursor.peek()? {
            Kind::Iff => (0, Grouping::List, Between::Iff),
            Kind::Implies => (1, Grouping::List, Between::Implies),
            Kind::Or => (OR, Grouping::List, Between::Or),
            Kind::And => (AND, Grouping::List, Between::And),
            Kind::Name => (4, Grouping::Right, Between::Temporal(self.binary_temporal()?)),
            Kind::Plus => (SUM, Grouping::MixedList, Between::Sign(Sign::Plus)),
            Kind::Minus => (SUM, Grouping::MixedList, Between::Sign(Sign::Minus)),
            Kind::Star => (PRODUCT, Grouping::MixedList, Between::Factor(Factor::Times)),
            Kind::Div => (PRODUCT, Grouping::MixedList, Between::Factor(Factor::Div)),
            Kind::Mod => (PRODUCT, Grouping::MixedList, Between::Factor(Factor::Mod)),
            other => (COMPARISON, Grouping::Alone, Between::Compare(comparison(other)?)),
        };
        Some(Row { is, strength, grouping })
    }

    fn operand(&mut self, weakest: u8) -> Parsed<Expr<'a>> {
        if weakest > PREFIX { self.signed() } else { self.prefixed() }
    }

    fn join(&mut self, operator: Between, left: Expr<'a>, right: Expr<'a>) -> Parsed<Expr<'a>> {
        let start = left.span;
        match operator {
            Between::Temporal(operator) => {
                Ok(self.finish(start, ExprKind::Temporal2(operator, Box::new(left), Box::new(right))))
            }
            Between::Compare(operator) => {
                let compared = self.finish(start, ExprKind::Compare(operator, Box::new(left), Box::new(right)));
                if self.cursor.peek().and_then(comparison).is_some() {
                    self.comparison_chain(&compared)?;
                }
                Ok(compared)
            }
            Between::Iff | Between::Implies | Between::Or | Between::And | Between::Sign(_) | Between::Factor(_) => {
                self.list(operator, left, vec![(operator, right)])
            }
        }
    }

    fn list(&mut self, operator: Between, first: Expr<'a>, rest: Vec<(Between, Expr<'a>)>) -> Parsed<Expr<'a>> {
        let start = first.span;
        let kind = match operator {
            Between::Iff => ExprKind::Iff(parts(first, rest)),
            Between::Implies => ExprKind::Implies(parts(first, rest)),
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
            Between::Temporal(_) | Between::Compare(_) => {
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
        self.nested(|parser| parser.bracketed(|parser| parser.climb(0)))
    }

    pub(super) fn sum(&mut self) -> Parsed<Expr<'a>> {
        self.climb(SUM)
    }

    /// Words that are operators elsewhere are reported and read as what they mean.
    fn foreign_words(&mut self, operator: Kind) {
        let word = match operator {
            Kind::And => "and",
            Kind::Or => "or",
            Kind::Not => "not",
            _ => return,
        };
        let span = self.cursor.span();
        let is_operator = self.cursor.peek_at(1).is_some_and(super::starts_expression);
        if self.cursor.at(Kind::Name) && self.slice(span) == word && is_operator {
            self.log.push(lexer::foreign(span, word, lexer::describe(operator).trim_matches('`')));
            self.cursor.read_as(operator);
        }
    }

    fn finish(&self, start: Span, kind: ExprKind<'a>) -> Expr<'a> {
        Expr { kind, span: start.to(self.cursor.previous_span()) }
    }

    /// `a U b`, only in temporal formulas.
    fn binary_temporal(&self) -> Option<Binary> {
        if self.logic == Logic::State || !self.cursor.at(Kind::Name) {
            return None;
        }
        match self.slice(self.cursor.span()) {
            "U" => Some(Binary::Until),
            "R" => Some(Binary::Release),
            "W" => Some(Binary::WeakUntil),
            "M" => Some(Binary::StrongRelease),
            _ => None,
        }
    }

    /// `!a`, `G a`, or what has no such operator before it.
    fn prefixed(&mut self) -> Parsed<Expr<'a>> {
        let start = self.cursor.span();
        self.foreign_words(Kind::Not);
        if self.cursor.eat(Kind::Not).is_some() {
            let operand = self.nested(|parser| parser.climb(PREFIX))?;
            return Ok(self.finish(start, ExprKind::Not(Box::new(operand))));
        }
        if let Some(operator) = self.unary_temporal() {
            self.cursor.next();
            let operand = self.nested(|parser| parser.climb(PREFIX))?;
            return Ok(self.finish(start, ExprKind::Temporal(operator, Box::new(operand))));
        }
        self.signed()
    }

    /// G, F and X are operators only where an operand follows, so that `X = 1` may speak of a variable.
    fn unary_temporal(&self) -> Option<Unary> {
        let operand_follows = self.cursor.peek_at(1).is_some_and(super::starts_expression);
        if self.logic == Logic::State || !self.cursor.at(Kind::Name) || !operand_follows {
            return None;
        }
        match self.slice(self.cursor.span()) {
            "X" => Some(Unary::Next),
            "F" => Some(Unary::Finally),
            "G" => Some(Unary::Globally),
            _ => None,
        }
    }

    /// Reports the second comparison of a chain, and reads over the others.
    fn comparison_chain(&mut self, compared: &Expr<'a>) -> Parsed<()> {
        let place = self.cursor.span();
        let diagnostic = Diagnostic::error(codes::COMPARISON_CHAIN, "comparisons do not chain", place, "a second one")
            .with_label(compared.span, "this is already true or false")
            .with_help("write `a < b & b < c`; between conditions, write `<=>` or parentheses");
        self.report(diagnostic);
        while self.cursor.peek().and_then(comparison).is_some() {
            self.cursor.next();
            self.sum()?;
        }
        Ok(())
    }

    fn signed(&mut self) -> Parsed<Expr<'a>> {
        let Some(start) = self.cursor.eat(Kind::Minus) else { return self.primary() };
        if let Some(span) = self.cursor.eat(Kind::Number) {
            // Read together with its sign, the least number of 64 bits has a literal too.
            let span = start.to(span);
            let digits = self.slice(self.cursor.previous_span());
            return Ok(self.number(&format!("-{digits}"), span));
        }
        let operand = self.nested(Self::signed)?;
        Ok(self.finish(start, ExprKind::Neg(Box::new(operand))))
    }

    fn number(&mut self, digits: &str, span: Span) -> Expr<'a> {
        let kind = match digits.parse() {
            Ok(value) => ExprKind::Int(value),
            Err(_) => {
                let message = "this number does not fit 64 bits";
                let label = format!("numbers go from {} to {}", i64::MIN, i64::MAX);
                let diagnostic = Diagnostic::error(codes::LARGE_NUMBER, message, span, label);
                self.log.push(diagnostic.with_help("use a smaller number"));
                ExprKind::Error
            }
        };
        Expr { kind, span }
    }

    fn primary(&mut self) -> Parsed<Expr<'a>> {
        let start = self.cursor.span();
        match self.cursor.peek() {
            Some(Kind::Number) => {
                self.cursor.next();
                Ok(self.number(self.slice(start), start))
            }
            Some(Kind::True) => Ok(self.truth(true)),
            Some(Kind::False) => Ok(self.truth(false)),
            Some(Kind::LeftParen) => {
                self.cursor.next();
                let inner = self.expr()?;
                self.expect_end(Kind::RightParen, start)?;
                Ok(self.finish(start, inner.kind))
            }
            Some(Kind::If) => self.conditional(),
            Some(Kind::Forall) => self.quantified(Quantifier::Forall),
            Some(Kind::Exists) => self.quantified(Quantifier::Exists),
            Some(Kind::Sum) => self.quantified(Quantifier::Sum),
            Some(Kind::Count) => self.quantified(Quantifier::Count),
            Some(Kind::Name) if self.cursor.peek_at(1) == Some(Kind::LeftParen) => self.call(),
            Some(Kind::Name) => {
                let place = self.place()?;
                Ok(Expr { span: place.span, kind: ExprKind::Place(place) })
            }
            other => {
                let help = match other {
                    Some(Kind::Not) => "`!` reaches further than `=` and `+`: put it in parentheses here",
                    Some(Kind::Input) => "`input` stands alone behind `:=`, as in `x := input`",
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
        let is_guard = self.cursor.at(Kind::Arrow);
        self.expect_in(
            Kind::Then,
            if is_guard { "a guard needs no `if`: `label: condition -> updates;`" } else { CHOICE },
        )?;
        let then = self.expr()?;
        self.expect_in(Kind::Else, CHOICE)?;
        let otherwise = self.expr()?;
        Ok(self.finish(start, ExprKind::If(Box::new([condition, then, otherwise]))))
    }

    fn quantified(&mut self, quantifier: Quantifier) -> Parsed<Expr<'a>> {
        let start = self.cursor.span();
        self.cursor.next();
        let binder = self.binder()?;
        self.expect_in(
            Kind::Colon,
            "it is written `forall i in 0..3: condition`, and so are `exists`, `sum` and `count`",
        )?;
        let body = self.expr()?;
        Ok(self.finish(start, ExprKind::Quantified(quantifier, Box::new(binder), Box::new(body))))
    }

    fn call(&mut self) -> Parsed<Expr<'a>> {
        let name = self.name("a function")?;
        let open = self.expect(Kind::LeftParen)?;
        let arguments = self.several(Kind::Comma, Self::expr)?;
        self.expect_end(Kind::RightParen, open)?;
        Ok(self.finish(name.span, ExprKind::Call(name, arguments)))
    }

    pub(super) fn place(&mut self) -> Parsed<Place<'a>> {
        let name = self.name("a variable")?;
        let indexes = self.indexes()?;
        let mut member = None;
        if self.cursor.eat(Kind::Dot).is_some() {
            let name = self.name("a variable of the process")?;
            member = Some(Member { name, indexes: self.indexes()? });
        }
        Ok(Place { name, indexes, member, span: name.span.to(self.cursor.previous_span()) })
    }

    fn indexes(&mut self) -> Parsed<Vec<Expr<'a>>> {
        let mut indexes = Vec::new();
        while self.brackets == Brackets::Index
            && let Some(open) = self.cursor.eat(Kind::LeftBracket)
        {
            // An index is about one state, so names may be what they like again.
            let outer = std::mem::replace(&mut self.logic, Logic::State);
            let index = self.expr();
            self.logic = outer;
            indexes.push(index?);
            self.expect_end(Kind::RightBracket, open)?;
        }
        Ok(indexes)
    }
}

fn comparison(kind: Kind) -> Option<Compare> {
    match kind {
        Kind::Eq => Some(Compare::Eq),
        Kind::Ne => Some(Compare::Ne),
        Kind::Lt => Some(Compare::Lt),
        Kind::Le => Some(Compare::Le),
        Kind::Gt => Some(Compare::Gt),
        Kind::Ge => Some(Compare::Ge),
        _ => None,
    }
}
