//! Formulas and terms. From loosest to tightest: `<=>`, `=>`, `|`, `&`, comparisons, `+ -`, `*`, `~ -`.

use std::iter;

use lapidary_text::Span;
use lapidary_text::climb::{Grouping, Operators, Row};
use lapidary_text::descent::{Descent, Nesting};

use super::ast::{Expr, ExprKind, Name, Operator, Quantifier};
use super::lexer::Kind;
use super::parse::{MAX_DEPTH, Parsed, Parser};

/// What stands between operands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Between {
    Two(Operator),
    All,
    Any,
}

impl Operators for Parser<'_> {
    type Operator = Between;
    type Operand = Expr;

    fn operator(&mut self, _: u8) -> Option<Row<Between>> {
        let (strength, grouping, is) = match self.cursor.peek()? {
            Kind::Equivalent => (0, Grouping::Left, Between::Two(Operator::Equivalent)),
            Kind::Implies => (1, Grouping::Right, Between::Two(Operator::Implies)),
            Kind::Or => (2, Grouping::List, Between::Any),
            Kind::And => (3, Grouping::List, Between::All),
            Kind::Equal => (4, Grouping::Alone, Between::Two(Operator::Equal)),
            Kind::Different => (4, Grouping::Alone, Between::Two(Operator::Different)),
            Kind::Less => (4, Grouping::Alone, Between::Two(Operator::Less)),
            Kind::AtMost => (4, Grouping::Alone, Between::Two(Operator::AtMost)),
            Kind::Greater => (4, Grouping::Alone, Between::Two(Operator::Greater)),
            Kind::AtLeast => (4, Grouping::Alone, Between::Two(Operator::AtLeast)),
            Kind::Plus => (5, Grouping::Left, Between::Two(Operator::Add)),
            Kind::Minus => (5, Grouping::Left, Between::Two(Operator::Subtract)),
            Kind::Times => (6, Grouping::Left, Between::Two(Operator::Multiply)),
            _ => return None,
        };
        Some(Row { is, strength, grouping })
    }

    fn operand(&mut self, _: u8) -> Parsed<Expr> {
        self.unary()
    }

    fn join(&mut self, operator: Between, left: Expr, right: Expr) -> Parsed<Expr> {
        let Between::Two(operator) = operator else { return self.list(operator, left, vec![(operator, right)]) };
        let span = left.span.to(right.span);
        self.build(ExprKind::Binary(operator, Box::new(left), Box::new(right)), span)
    }

    /// Many parts in one node, so that long formulas are not deep.
    fn list(&mut self, operator: Between, first: Expr, rest: Vec<(Between, Expr)>) -> Parsed<Expr> {
        let make = match operator {
            Between::All => ExprKind::And,
            Between::Any => ExprKind::Or,
            Between::Two(_) => {
                return rest.into_iter().try_fold(first, |left, (operator, right)| self.join(operator, left, right));
            }
        };
        let span = rest.last().map_or(first.span, |(_, last)| first.span.to(last.span));
        let parts = iter::once(first).chain(rest.into_iter().map(|(_, part)| part)).collect();
        self.build(make(parts), span)
    }
}

impl Parser<'_> {
    pub fn expr(&mut self) -> Parsed<Expr> {
        self.nested(|parser| parser.climb(0))
    }

    /// An expression, unless it is nested too deep: chains of operators that group to the left are as deep as they are
    /// long.
    fn build(&mut self, kind: ExprKind, span: Span) -> Parsed<Expr> {
        let height = kind.height() + 1;
        if height > MAX_DEPTH { Err(self.too_deep()) } else { Ok(Expr { kind, span, height }) }
    }

    fn unary(&mut self) -> Parsed<Expr> {
        let start = self.cursor.span();
        let kind: fn(Box<Expr>) -> ExprKind = match self.cursor.peek() {
            Some(Kind::Not) => ExprKind::Not,
            Some(Kind::Minus) => ExprKind::Negative,
            _ => return self.postfix(),
        };
        self.cursor.next();
        let inner = self.nested(Self::unary)?;
        let span = start.to(inner.span);
        self.build(kind(Box::new(inner)), span)
    }

    fn postfix(&mut self) -> Parsed<Expr> {
        let mut expr = self.primary()?;
        loop {
            if self.cursor.eat(Kind::Dot).is_some() {
                let field = self.name("a field")?;
                let span = expr.span.to(field.span);
                expr = self.build(ExprKind::Field(Box::new(expr), field), span)?;
            } else if self.cursor.at(Kind::OpenBracket) && is_place(&expr) {
                self.cursor.next();
                let index = self.expr()?;
                let close = self.expect(Kind::CloseBracket, "`]`")?;
                let span = expr.span.to(close);
                expr = self.build(ExprKind::Index(Box::new(expr), Box::new(index)), span)?;
            } else {
                return Ok(expr);
            }
        }
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let start = self.cursor.span();
        let kind = match self.cursor.peek() {
            Some(Kind::True) => self.word(ExprKind::Bool(true)),
            Some(Kind::False) => self.word(ExprKind::Bool(false)),
            Some(Kind::Number) => ExprKind::Int(self.number()?),
            Some(Kind::Name) => self.named()?,
            Some(Kind::Open) => {
                self.cursor.next();
                let inner = self.expr()?;
                self.expect(Kind::Close, "`)`")?;
                // The parentheses belong to what is pointed at, but say nothing themselves.
                return Ok(Expr { span: start.to(self.cursor.previous_span()), ..inner });
            }
            Some(Kind::If) => self.conditional()?,
            Some(Kind::Case) => self.case()?,
            Some(Kind::Less) if self.is_quantifier() => self.quantified(Kind::Greater, Quantifier::Exists)?,
            Some(Kind::Less) => self.vector()?,
            Some(Kind::OpenBracket) => self.quantified(Kind::CloseBracket, Quantifier::Forall)?,
            _ => return Err(self.unexpected("a formula")),
        };
        self.build(kind, start.to(self.cursor.previous_span()))
    }

    fn word(&mut self, kind: ExprKind) -> ExprKind {
        self.cursor.next();
        kind
    }

    fn named(&mut self) -> Parsed<ExprKind> {
        let mut name = self.name("a name")?;
        if self.cursor.eat(Kind::Bang).is_some() {
            let relation = self.name("a relation of the node: `init`, `t`, `reach`")?;
            name = Name { text: format!("{}!{}", name.text, relation.text), span: name.span.to(relation.span) };
            if !self.cursor.at(Kind::Open) {
                return Err(self.unexpected("`(`"));
            }
        }
        if self.cursor.eat(Kind::Open).is_none() {
            return Ok(ExprKind::Name(name.text));
        }
        let mut arguments = Vec::new();
        if !self.cursor.at(Kind::Close) {
            arguments = self.several(Kind::Comma, Self::expr)?;
        }
        self.expect(Kind::Close, "`,` or `)`")?;
        Ok(ExprKind::Apply(name, arguments))
    }

    fn conditional(&mut self) -> Parsed<ExprKind> {
        self.cursor.next();
        let condition = self.expr()?;
        self.expect(Kind::Then, "`then`")?;
        let yes = self.expr()?;
        self.expect(Kind::Else, "`else`")?;
        let no = self.expr()?;
        Ok(ExprKind::If(Box::new(condition), Box::new(yes), Box::new(no)))
    }

    /// `case { c : v, d : w, else u }` is a chain of conditionals.
    fn case(&mut self) -> Parsed<ExprKind> {
        self.cursor.next();
        self.expect(Kind::OpenBrace, "`{`")?;
        let mut arms = Vec::new();
        while self.cursor.eat(Kind::Else).is_none() {
            let condition = self.expr()?;
            self.expect(Kind::Colon, "`:`")?;
            let value = self.expr()?;
            self.expect(Kind::Comma, "`,` and, last, `else`")?;
            arms.push((condition, value));
        }
        let mut all = self.expr()?;
        self.expect(Kind::CloseBrace, "`}`")?;
        for (condition, value) in arms.into_iter().rev() {
            let span = condition.span.to(all.span);
            all = self.build(ExprKind::If(Box::new(condition), Box::new(value), Box::new(all)), span)?;
        }
        Ok(all.kind)
    }

    /// Whether `<` opens a quantifier: what comes after the next `>` tells.
    fn is_quantifier(&self) -> bool {
        let mut ahead = 1;
        while let Some(kind) = self.cursor.peek_at(ahead) {
            match kind {
                Kind::Greater => return self.cursor.peek_at(ahead + 1) == Some(Kind::Open),
                Kind::Semicolon if !self.in_structure(ahead) => return false,
                _ => ahead += 1,
            }
        }
        false
    }

    /// Only the fields of a `struct` end with semicolons inside a quantifier.
    fn in_structure(&self, ahead: usize) -> bool {
        (1..ahead).any(|place| self.cursor.peek_at(place) == Some(Kind::Struct))
    }

    fn quantified(&mut self, close: Kind, quantifier: Quantifier) -> Parsed<ExprKind> {
        self.cursor.next();
        let variables = self.parameters(close)?;
        self.expect(close, if close == Kind::Greater { "`,` or `>`" } else { "`,` or `]`" })?;
        self.expect(Kind::Open, "`(`")?;
        let body = self.expr()?;
        self.expect(Kind::Close, "`)`")?;
        Ok(ExprKind::Quantified(quantifier, variables, Box::new(body)))
    }

    /// `<push, Top.push, V[0].close>`; `<>` when nothing happens.
    fn vector(&mut self) -> Parsed<ExprKind> {
        self.cursor.next();
        let mut events = Vec::new();
        while self.cursor.eat(Kind::Greater).is_none() {
            events.push(self.event_path()?);
            if self.cursor.eat(Kind::Comma).is_none() && !self.cursor.at(Kind::Greater) {
                return Err(self.unexpected("`,` or `>`"));
            }
        }
        Ok(ExprKind::Vector(events))
    }

    fn event_path(&mut self) -> Parsed<Vec<Name>> {
        let mut steps = Vec::new();
        loop {
            let mut step = self.name("an event, as in `<push, Top.push>`")?;
            while self.cursor.eat(Kind::OpenBracket).is_some() {
                let index = self.number()?;
                let close = self.expect(Kind::CloseBracket, "`]`")?;
                step = Name { text: format!("{}[{index}]", step.text), span: step.span.to(close) };
            }
            steps.push(step);
            if self.cursor.eat(Kind::Dot).is_none() {
                return Ok(steps);
            }
        }
    }
}

/// Whether an index may follow: `x[0]`, not `(phi)[0]` or `f(x)[y](phi)`.
fn is_place(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Name(_) | ExprKind::Field(..) | ExprKind::Index(..))
}
