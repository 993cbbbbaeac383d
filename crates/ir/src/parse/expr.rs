//! Expressions, loosest operator first: one function per level of the grammar in `docs/ir.md`.

use lapidary_text::Span;
use lapidary_text::descent::{Nesting, Parsed};

use crate::expr::{Expr, Node};
use crate::operator::{Operator, Strength};
use crate::parse::lexer::Kind;
use crate::parse::scope::Reference;
use crate::parse::{MAX_DEPTH, Parser};
use crate::types::EnumId;

impl Parser<'_> {
    /// Definitions and one expression that may use them, to the end of the text.
    pub(super) fn lone_expr(&mut self) -> Parsed<Expr> {
        while self.cursor.peek_at(1).is_some_and(|kind| kind == Kind::Slot) && self.eat_word("let") {
            self.definition()?;
        }
        let expr = self.expr()?;
        if self.cursor.at_end() { Ok(expr) } else { self.expected("the end of the expression") }
    }

    /// What follows the word `let`.
    pub(super) fn definition(&mut self) -> Parsed<()> {
        let span = self.cursor.span();
        let number = self.slot()?;
        self.sign("=")?;
        let expr = self.expr()?;
        self.sign(";")?;
        match self.scope.lets.insert(number, expr) {
            None => Ok(()),
            Some(_) => self.fail("ir007", format!("`${number}` is defined twice"), span, "defined before"),
        }
    }

    fn slot(&mut self) -> Parsed<u32> {
        let Some(span) = self.cursor.eat(Kind::Slot) else { return self.expected("`$` and a number") };
        match self.sources.text(span)[1..].parse() {
            Ok(number) => Ok(number),
            Err(_) => self.fail("ir003", "the number of a definition does not fit 32 bits", span, "too large"),
        }
    }

    pub(super) fn expr(&mut self) -> Parsed<Expr> {
        self.nested(Self::conditional)
    }

    fn conditional(&mut self) -> Parsed<Expr> {
        if !self.eat_reserved("if") {
            return self.disjunction();
        }
        let condition = self.expr()?;
        self.reserved("then")?;
        let then = self.expr()?;
        self.reserved("else")?;
        let otherwise = self.expr()?;
        self.make(Node::Ite(condition, then, otherwise))
    }

    fn disjunction(&mut self) -> Parsed<Expr> {
        self.junction("|", Self::conjunction, Node::Or)
    }

    fn conjunction(&mut self) -> Parsed<Expr> {
        self.junction("&", Self::negation, Node::And)
    }

    fn junction(
        &mut self,
        sign: &'static str,
        part: impl Fn(&mut Self) -> Parsed<Expr>,
        node: impl FnOnce(Box<[Expr]>) -> Node,
    ) -> Parsed<Expr> {
        let first = part(self)?;
        if !self.at_sign(sign) {
            return Ok(first);
        }
        let mut parts = vec![first];
        while self.eat_sign(sign) {
            parts.push(part(self)?);
        }
        self.make(node(parts.into()))
    }

    fn negation(&mut self) -> Parsed<Expr> {
        if !self.eat_sign("!") {
            return self.comparison();
        }
        let inner = if self.at_sign("!") { self.nested(Self::negation)? } else { self.atom()? };
        self.make(Node::Not(inner))
    }

    fn comparison(&mut self) -> Parsed<Expr> {
        let a = self.sum()?;
        if self.eat_sign("!=") {
            let b = self.sum()?;
            let equal = self.make(Node::Eq(a, b))?;
            return self.make(Node::Not(equal));
        }
        let Some(operator) = self.operator(Strength::Comparison) else { return Ok(a) };
        let b = self.sum()?;
        self.two(operator, a, b)
    }

    fn sum(&mut self) -> Parsed<Expr> {
        let first = self.product()?;
        let mut parts = vec![first];
        loop {
            if self.eat_sign("+") {
                let part = self.product()?;
                parts.push(part);
            } else if self.eat_sign("-") {
                let part = self.subtracted()?;
                parts.push(part);
            } else if parts.len() == 1 {
                return Ok(first);
            } else {
                return self.make(Node::Add(parts.into()));
            }
        }
    }

    /// What follows a minus between two parts: a number alone becomes negative, anything else its negative.
    fn subtracted(&mut self) -> Parsed<Expr> {
        let in_product = self.cursor.peek_at(1).is_some_and(|next| between(Strength::Product, next).is_some());
        if self.cursor.at(Kind::Int) && !in_product {
            let value = self.negative()?;
            return self.make(Node::Int(value));
        }
        let part = self.product()?;
        self.make(Node::Neg(part))
    }

    fn product(&mut self) -> Parsed<Expr> {
        let mut a = self.unary()?;
        while let Some(operator) = self.operator(Strength::Product) {
            let b = self.unary()?;
            a = self.two(operator, a, b)?;
        }
        Ok(a)
    }

    /// The operator between two parts that stands here, if it binds so strongly.
    fn operator(&mut self, strength: Strength) -> Option<Operator> {
        let operator = between(strength, self.cursor.peek()?)?;
        self.cursor.next();
        Some(operator)
    }

    fn two(&mut self, operator: Operator, a: Expr, b: Expr) -> Parsed<Expr> {
        self.make(operator.of_two(a, b).expect("operators between two parts take two"))
    }

    fn unary(&mut self) -> Parsed<Expr> {
        if !self.eat_sign("-") {
            return self.atom();
        }
        if self.cursor.at(Kind::Int) {
            let value = self.negative()?;
            return self.make(Node::Int(value));
        }
        let inner = self.nested(Self::unary)?;
        self.make(Node::Neg(inner))
    }

    fn atom(&mut self) -> Parsed<Expr> {
        match self.cursor.peek() {
            Some(Kind::Int) => {
                let value = self.natural()?;
                self.make(Node::Int(value))
            }
            Some(Kind::Reserved(word @ ("true" | "false"))) => {
                self.cursor.next();
                self.make(Node::Bool(word == "true"))
            }
            Some(Kind::Sign("(")) => {
                self.cursor.next();
                let inner = self.expr()?;
                self.sign(")")?;
                Ok(inner)
            }
            Some(Kind::Slot) => {
                let span = self.cursor.span();
                let number = self.slot()?;
                match self.scope.lets.get(&number) {
                    Some(&expr) => Ok(expr),
                    None => self.fail("ir006", format!("`${number}` is not defined before"), span, "unknown"),
                }
            }
            Some(Kind::Function) => self.function(),
            Some(Kind::Name | Kind::Quoted | Kind::Number) => self.named(),
            _ => self.expected("an expression"),
        }
    }

    /// A variable, a cell or a literal: what follows the name tells which.
    fn named(&mut self) -> Parsed<Expr> {
        let (reference, span) = self.reference("a name")?;
        let node = match self.cursor.peek() {
            Some(Kind::Sign("(")) => {
                let family = self.known(self.scope.family(&reference), span)?;
                Node::Cell(family, self.index()?)
            }
            Some(Kind::Sign("::")) => {
                self.cursor.next();
                let of = self.known(self.scope.enumeration(&reference), span)?;
                self.literal(of)?
            }
            _ => Node::Var(self.known(self.scope.var(&reference), span)?),
        };
        self.make(node)
    }

    fn literal(&mut self, of: EnumId) -> Parsed<Node> {
        let span = self.cursor.span();
        let literal = self.name("a literal")?;
        Ok(Node::Literal(of, self.known(self.scope.literal(of, &literal), span)?))
    }

    /// The index of a cell, with its parentheses.
    pub(super) fn index(&mut self) -> Parsed<Expr> {
        self.sign("(")?;
        let index = self.expr()?;
        self.sign(")")?;
        Ok(index)
    }

    /// A name or a number that stands for one.
    pub(super) fn reference(&mut self, what: &str) -> Parsed<(Reference, Span)> {
        let span = self.cursor.span();
        let Some(_) = self.cursor.eat(Kind::Number) else {
            return Ok((Reference::Name(self.name(what)?), span));
        };
        match self.sources.text(span)[1..].parse() {
            Ok(number) => Ok((Reference::Number(number), span)),
            Err(_) => self.fail("ir003", "the number does not fit", span, "too large"),
        }
    }

    /// What was found under a name, or a diagnostic.
    pub(super) fn known<T>(&mut self, found: Result<T, String>, span: Span) -> Parsed<T> {
        found.or_else(|message| self.fail("ir006", message, span, "unknown"))
    }

    /// Interns a node as it is; its parts were all made here.
    pub(super) fn make(&mut self, node: Node) -> Parsed<Expr> {
        self.work()?;
        let expr = self.exprs.intern(node);
        if self.depths.contains_key(&expr) {
            return Ok(expr);
        }
        let mut depth = 0;
        self.exprs.for_each_part(expr, |part| depth = depth.max(self.depths.get(&part).copied().unwrap_or(0)));
        if depth >= MAX_DEPTH {
            let span = self.cursor.previous_span();
            return self.fail("ir005", format!("an expression of more than {MAX_DEPTH} levels"), span, "too deep");
        }
        self.depths.insert(expr, depth + 1);
        Ok(expr)
    }
}

fn between(strength: Strength, kind: Kind) -> Option<Operator> {
    match kind {
        Kind::Sign(sign) | Kind::Reserved(sign) => Operator::between(strength, sign),
        _ => None,
    }
}
