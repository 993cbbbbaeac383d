//! Formulas and terms. From loosest to tightest: `<=>`, `=>`, `|`, `&`, comparisons, `+ -`, `*`, `~ -`.

use lapidary_text::Span;

use super::ast::{Expr, ExprKind, Name, Operator, Quantifier};
use super::lexer::Kind;
use super::parse::{MAX_DEPTH, Parsed, Parser};

impl Parser<'_> {
    pub fn expr(&mut self) -> Parsed<Expr> {
        self.nested(|parser| {
            let mut left = parser.implication()?;
            while parser.cursor.eat(Kind::Equivalent).is_some() {
                let right = parser.implication()?;
                left = parser.binary(Operator::Equivalent, left, right)?;
            }
            Ok(left)
        })
    }

    /// An expression, unless it is nested too deep: chains of operators that group to the left are as deep as they are
    /// long.
    fn build(&self, kind: ExprKind, span: Span) -> Parsed<Expr> {
        let height = kind.height() + 1;
        if height > MAX_DEPTH { Err(self.too_deep()) } else { Ok(Expr { kind, span, height }) }
    }

    fn binary(&self, operator: Operator, left: Expr, right: Expr) -> Parsed<Expr> {
        let span = left.span.to(right.span);
        self.build(ExprKind::Binary(operator, Box::new(left), Box::new(right)), span)
    }

    /// Many parts in one node, so that long formulas are not deep.
    fn junction(&self, kind: fn(Vec<Expr>) -> ExprKind, mut parts: Vec<Expr>) -> Parsed<Expr> {
        if parts.len() == 1 {
            return Ok(parts.remove(0));
        }
        let span = parts[0].span.to(parts[parts.len() - 1].span);
        self.build(kind(parts), span)
    }

    fn implication(&mut self) -> Parsed<Expr> {
        let left = self.disjunction()?;
        match self.cursor.eat(Kind::Implies) {
            Some(_) => {
                let right = self.nested(Self::implication)?;
                self.binary(Operator::Implies, left, right)
            }
            None => Ok(left),
        }
    }

    fn disjunction(&mut self) -> Parsed<Expr> {
        let mut parts = vec![self.conjunction()?];
        while self.cursor.eat(Kind::Or).is_some() {
            parts.push(self.conjunction()?);
        }
        self.junction(ExprKind::Or, parts)
    }

    fn conjunction(&mut self) -> Parsed<Expr> {
        let mut parts = vec![self.comparison()?];
        while self.cursor.eat(Kind::And).is_some() {
            parts.push(self.comparison()?);
        }
        self.junction(ExprKind::And, parts)
    }

    fn comparison(&mut self) -> Parsed<Expr> {
        let left = self.sum()?;
        let operator = match self.cursor.peek() {
            Some(Kind::Equal) => Operator::Equal,
            Some(Kind::Different) => Operator::Different,
            Some(Kind::Less) => Operator::Less,
            Some(Kind::AtMost) => Operator::AtMost,
            Some(Kind::Greater) => Operator::Greater,
            Some(Kind::AtLeast) => Operator::AtLeast,
            _ => return Ok(left),
        };
        self.cursor.next();
        let right = self.sum()?;
        self.binary(operator, left, right)
    }

    fn sum(&mut self) -> Parsed<Expr> {
        let mut left = self.product()?;
        loop {
            let operator = match self.cursor.peek() {
                Some(Kind::Plus) => Operator::Add,
                Some(Kind::Minus) => Operator::Subtract,
                _ => return Ok(left),
            };
            self.cursor.next();
            let right = self.product()?;
            left = self.binary(operator, left, right)?;
        }
    }

    fn product(&mut self) -> Parsed<Expr> {
        let mut left = self.unary()?;
        while self.cursor.eat(Kind::Times).is_some() {
            let right = self.unary()?;
            left = self.binary(Operator::Multiply, left, right)?;
        }
        Ok(left)
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
            arguments.push(self.expr()?);
            while self.cursor.eat(Kind::Comma).is_some() {
                arguments.push(self.expr()?);
            }
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
