//! Expressions, by the strength of their operators.

use std::iter;

use lapidary_text::climb::{Grouping, Operators, Row};
use lapidary_text::descent::{Descent, Failed, Nesting, Parsed};
use lapidary_text::{Diagnostic, Span};

use super::super::ast::{Binary, Expr, ExprKind, Extremum, Path, Step, Unary};
use super::super::codes;
use super::super::lexer::Kind;
use super::super::limits::{MAX_HEIGHT, MAX_LEANING};
use super::Parser;

/// An expression and the number of levels of its tree.
pub(super) type Tall<T> = (T, usize);

/// The strength of `+`: what may stand in a bound of a synchronisation vector.
const SUM: u8 = 5;

impl Operators for Parser<'_, '_> {
    type Operator = Binary;
    type Operand = Tall<Expr>;

    fn operator(&mut self, _: u8) -> Option<Row<Binary>> {
        let (strength, grouping, is) = match self.cursor.peek()? {
            Kind::Imply => (1, Grouping::Right, Binary::Imply),
            Kind::Or => (2, Grouping::List, Binary::Or),
            Kind::And => (3, Grouping::List, Binary::And),
            Kind::Eq => (4, Grouping::Left, Binary::Eq),
            Kind::Ne => (4, Grouping::Left, Binary::Ne),
            Kind::Lt => (4, Grouping::Left, Binary::Lt),
            Kind::Le => (4, Grouping::Left, Binary::Le),
            Kind::Gt => (4, Grouping::Left, Binary::Gt),
            Kind::Ge => (4, Grouping::Left, Binary::Ge),
            Kind::Plus => (SUM, Grouping::List, Binary::Add),
            Kind::Minus => (SUM, Grouping::Left, Binary::Sub),
            Kind::Star => (6, Grouping::Left, Binary::Mul),
            Kind::Slash => (6, Grouping::Left, Binary::Div),
            Kind::Mod => (6, Grouping::Left, Binary::Mod),
            _ => return None,
        };
        Some(Row { is, strength, grouping })
    }

    fn operand(&mut self, _: u8) -> Parsed<Tall<Expr>> {
        self.unary()
    }

    fn join(&mut self, operator: Binary, left: Tall<Expr>, right: Tall<Expr>) -> Parsed<Tall<Expr>> {
        let span = left.0.span.to(right.0.span);
        let height = left.1.max(right.1);
        self.grown(ExprKind::Binary(operator, Box::new(left.0), Box::new(right.0)), span, height)
    }

    /// All operands of one operator for which brackets do not matter. Generated guards have thousands of them, which
    /// must not become as many levels.
    fn list(&mut self, operator: Binary, first: Tall<Expr>, rest: Vec<(Binary, Tall<Expr>)>) -> Parsed<Tall<Expr>> {
        let n_operands = rest.len() + 1;
        let mut rest = rest.into_iter().map(|(_, operand)| operand);
        if n_operands > MAX_LEANING {
            return self.balanced(operator, &mut iter::once(first).chain(rest), n_operands);
        }
        rest.try_fold(first, |left, right| self.join(operator, left, right))
    }
}

impl Parser<'_, '_> {
    pub(super) fn expr(&mut self) -> Parsed<Expr> {
        self.tall().map(|(expr, _)| expr)
    }

    /// An expression without comparisons and weaker operators.
    pub(super) fn sum(&mut self) -> Parsed<Expr> {
        self.nested(|parser| parser.climb(SUM)).map(|(expr, _)| expr)
    }

    fn tall(&mut self) -> Parsed<Tall<Expr>> {
        self.nested(|parser| parser.climb(0))
    }

    fn balanced(
        &mut self,
        operator: Binary,
        operands: &mut impl Iterator<Item = Tall<Expr>>,
        n_operands: usize,
    ) -> Parsed<Tall<Expr>> {
        if n_operands <= 1 {
            return operands.next().ok_or(Failed);
        }
        let left = self.balanced(operator, operands, n_operands.div_ceil(2))?;
        let right = self.balanced(operator, operands, n_operands / 2)?;
        self.join(operator, left, right)
    }

    /// A new root above parts of the given height.
    fn grown(&mut self, kind: ExprKind, span: Span, height: usize) -> Parsed<Tall<Expr>> {
        if height < MAX_HEIGHT {
            return Ok((Expr { kind, span }, height + 1));
        }
        let message = format!("this expression has more than {MAX_HEIGHT} levels of operators");
        self.report_too_deep(message, self.cursor.previous_span());
        Err(Failed)
    }

    fn unary(&mut self) -> Parsed<Tall<Expr>> {
        let start = self.cursor.span();
        if self.cursor.eat(Kind::Not).is_some() {
            let (operand, height) = self.nested(Self::unary)?;
            let span = start.to(operand.span);
            return self.grown(ExprKind::Unary(Unary::Not, Box::new(operand)), span, height);
        }
        if self.cursor.eat(Kind::Minus).is_none() {
            return self.primary();
        }
        if self.cursor.at(Kind::Number) {
            // Read together with its sign, the least number of 64 bits has a literal too.
            let digits = format!("-{}", self.word());
            return Ok(self.number(&digits, start));
        }
        let (operand, height) = self.nested(Self::unary)?;
        let span = start.to(operand.span);
        self.grown(ExprKind::Unary(Unary::Minus, Box::new(operand)), span, height)
    }

    /// The number that is the next token.
    fn number(&mut self, digits: &str, start: Span) -> Tall<Expr> {
        let span = start.to(self.cursor.span());
        self.cursor.next();
        let kind = match digits.parse() {
            Ok(value) => ExprKind::Int(value),
            Err(_) => {
                let message = "this number does not fit 64 bits";
                let diagnostic = Diagnostic::error(codes::LARGE_NUMBER, message, span, "too large");
                let help = format!("numbers go from {} to {}", i64::MIN, i64::MAX);
                self.log.push(diagnostic.with_help(help));
                ExprKind::Error
            }
        };
        (Expr { kind, span }, 1)
    }

    fn primary(&mut self) -> Parsed<Tall<Expr>> {
        let start = self.cursor.span();
        match self.cursor.peek() {
            Some(Kind::Number) => Ok(self.number(self.word(), start)),
            Some(Kind::True) => Ok(self.truth(true)),
            Some(Kind::False) => Ok(self.truth(false)),
            Some(Kind::LeftParen) => self.parenthesised(),
            Some(Kind::If) => self.conditional(),
            Some(Kind::Case) => self.case(),
            Some(Kind::Min) => self.extremum(Extremum::Min),
            Some(Kind::Max) => self.extremum(Extremum::Max),
            Some(Kind::Name) if self.cursor.peek_at(1) == Some(Kind::LeftParen) => {
                let name = self.name("a function")?;
                let (arguments, height) = self.arguments()?;
                let span = start.to(self.cursor.previous_span());
                self.grown(ExprKind::Apply(name, arguments), span, height)
            }
            Some(Kind::Name) => {
                let (path, height) = self.tall_path("a variable")?;
                Ok((Expr { span: path.span, kind: ExprKind::Path(path) }, height))
            }
            _ => Err(self
                .unexpected_in("an expression", "a number, a name or something in parentheses is missing before this")),
        }
    }

    fn truth(&mut self, value: bool) -> Tall<Expr> {
        let span = self.cursor.span();
        self.cursor.next();
        (Expr { kind: ExprKind::Bool(value), span }, 1)
    }

    /// `(a)` and `(c ? a : b)`
    fn parenthesised(&mut self) -> Parsed<Tall<Expr>> {
        let start = self.expect(Kind::LeftParen)?;
        let (inner, height) = self.tall()?;
        if self.cursor.eat(Kind::Question).is_none() {
            self.expect_end(Kind::RightParen, start)?;
            return Ok((Expr { kind: inner.kind, span: start.to(self.cursor.previous_span()) }, height));
        }
        let then = self.tall()?;
        self.expect(Kind::Colon)?;
        let otherwise = self.tall()?;
        self.expect_end(Kind::RightParen, start)?;
        self.choice(start, (inner, height), then, otherwise)
    }

    /// `if c then a else b`; the last part reaches as far right as it can.
    fn conditional(&mut self) -> Parsed<Tall<Expr>> {
        let start = self.expect(Kind::If)?;
        let condition = self.tall()?;
        self.expect(Kind::Then)?;
        let then = self.tall()?;
        self.expect(Kind::Else)?;
        let otherwise = self.tall()?;
        self.choice(start, condition, then, otherwise)
    }

    fn choice(
        &mut self,
        start: Span,
        condition: Tall<Expr>,
        then: Tall<Expr>,
        otherwise: Tall<Expr>,
    ) -> Parsed<Tall<Expr>> {
        let height = condition.1.max(then.1).max(otherwise.1);
        let kind = ExprKind::If(Box::new(condition.0), Box::new(then.0), Box::new(otherwise.0));
        self.grown(kind, start.to(self.cursor.previous_span()), height)
    }

    /// `case { c1 : v1, c2 : v2, else d }`
    fn case(&mut self) -> Parsed<Tall<Expr>> {
        let start = self.expect(Kind::Case)?;
        self.expect(Kind::LeftBrace)?;
        let mut branches = Vec::new();
        let mut height = 0;
        while self.cursor.eat(Kind::Else).is_none() {
            let (condition, value) = (self.tall()?, self.expect(Kind::Colon).and_then(|_| self.tall())?);
            height = height.max(condition.1).max(value.1);
            branches.push((condition.0, value.0));
            if self.cursor.at(Kind::RightBrace) {
                return Ok(self.case_without_else(start));
            }
            self.expect(Kind::Comma)?;
        }
        let otherwise = self.tall()?;
        self.expect(Kind::RightBrace)?;
        let span = start.to(self.cursor.previous_span());
        self.grown(ExprKind::Case(branches, Box::new(otherwise.0)), span, height.max(otherwise.1))
    }

    fn case_without_else(&mut self, start: Span) -> Tall<Expr> {
        let message = "this `case` has no `else`";
        let diagnostic =
            Diagnostic::error(codes::CASE_WITHOUT_ELSE, message, self.cursor.span(), "no value is left here");
        let diagnostic = diagnostic.with_label(start, "the `case` starts here");
        self.report(diagnostic.with_help("write a last branch `else value`, for when no condition holds"));
        self.cursor.next();
        (Expr { kind: ExprKind::Error, span: start.to(self.cursor.previous_span()) }, 1)
    }

    fn extremum(&mut self, extremum: Extremum) -> Parsed<Tall<Expr>> {
        let start = self.cursor.span();
        self.cursor.next();
        let (arguments, height) = self.arguments()?;
        self.grown(ExprKind::Extremum(extremum, arguments), start.to(self.cursor.previous_span()), height)
    }

    /// `(a, b, c)`
    fn arguments(&mut self) -> Parsed<Tall<Vec<Expr>>> {
        let open = self.expect(Kind::LeftParen)?;
        let arguments = self.several(Kind::Comma, Self::tall)?;
        self.expect_end(Kind::RightParen, open)?;
        let height = arguments.iter().map(|&(_, height)| height).max().unwrap_or(0);
        Ok((arguments.into_iter().map(|(argument, _)| argument).collect(), height))
    }

    pub(super) fn path(&mut self, what: &str) -> Parsed<Path> {
        self.tall_path(what).map(|(path, _)| path)
    }

    /// `a[0].b.c[i][j]`
    fn tall_path(&mut self, what: &str) -> Parsed<Tall<Path>> {
        let first = self.name(what)?;
        let (mut steps, mut height) = (Vec::new(), 0);
        loop {
            if self.cursor.eat(Kind::Dot).is_some() {
                steps.push(Step::Field(self.name("a name behind the dot")?));
            } else if let Some(open) = self.cursor.eat(Kind::LeftBracket) {
                let (index, its_height) = self.tall()?;
                self.expect_end(Kind::RightBracket, open)?;
                height = height.max(its_height);
                steps.push(Step::Index(Box::new(index)));
            } else {
                break;
            }
        }
        if height >= MAX_HEIGHT {
            self.report_too_deep(format!("indexes are nested more than {MAX_HEIGHT} levels deep"), first.span);
            return Err(Failed);
        }
        let span = first.span.to(self.cursor.previous_span());
        Ok((Path { first, steps, span }, height + 1))
    }

    /// `[a][b]`
    pub(super) fn indexes(&mut self) -> Parsed<Vec<Expr>> {
        let mut indexes = Vec::new();
        while let Some(open) = self.cursor.eat(Kind::LeftBracket) {
            indexes.push(self.expr()?);
            self.expect_end(Kind::RightBracket, open)?;
        }
        Ok(indexes)
    }
}
