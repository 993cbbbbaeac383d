//! Commands with their statement trees, and properties with their formulas.

use lapidary_text::Span;
use lapidary_text::descent::{Nesting, Parsed};

use crate::model::{Assignment, Command, Destination, Fault, Rhs, Statement};
use crate::parse::Parser;
use crate::parse::lexer::Kind;
use crate::property::{Ltl, Property, PropertyKind};

/// Chains such as `a & b & c` nest to the left without nesting the parser; longer ones would overflow later.
const MAX_CHAIN: usize = 1000;

/// What was written before `command`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Pace {
    Active,
    Idle,
}

type Join = fn(Box<Ltl>, Box<Ltl>) -> Ltl;
type Wrap = fn(Box<Ltl>) -> Ltl;

impl Parser<'_> {
    pub(super) fn command(&mut self, start: Span, pace: Pace) -> Parsed<()> {
        let label = self.name("the label of the command")?;
        self.sign(":")?;
        let faults = self.faults()?;
        let body = self.statement()?;
        let span = start.to(self.cursor.previous_span());
        self.model.commands.push(Command { label, body, faults, is_idle: pace == Pace::Idle, span });
        Ok(())
    }

    pub(super) fn start(&mut self, start: Span) -> Parsed<()> {
        if self.spans.start.is_some() {
            return self.fail("ir007", "there is a start already", start, "a second one");
        }
        self.model.start = self.statement()?;
        self.spans.start = Some(start.to(self.cursor.previous_span()));
        Ok(())
    }

    fn faults(&mut self) -> Parsed<Vec<Fault>> {
        let mut faults = Vec::new();
        loop {
            let start = self.cursor.span();
            if !self.eat_reserved("fault") {
                return Ok(faults);
            }
            let what = self.quoted("what goes wrong, in quotes")?;
            self.word("when")?;
            let when = self.expr()?;
            let end = self.sign(";")?;
            faults.push(Fault { when, what, span: start.to(end) });
        }
    }

    fn statement(&mut self) -> Parsed<Statement> {
        self.nested(|parser| match parser.cursor.peek() {
            Some(Kind::Reserved("skip")) => parser.ended(Statement::Skip),
            Some(Kind::Reserved("assign")) => parser.ended(Statement::Assign(Vec::new())),
            Some(Kind::Reserved("assume")) => {
                parser.cursor.next();
                let condition = parser.expr()?;
                parser.sign(";")?;
                Ok(Statement::Assume(condition))
            }
            Some(Kind::Reserved("choice")) => {
                parser.cursor.next();
                Ok(Statement::Choice(parser.block()?))
            }
            Some(Kind::Sign("{")) => Ok(Statement::Sequence(parser.block()?)),
            Some(Kind::Reserved("if")) => parser.branch(),
            Some(Kind::Reserved("while")) => parser.repetition(),
            Some(Kind::Reserved("scope")) => parser.scope(),
            Some(Kind::Name | Kind::Quoted | Kind::Number) => parser.assignments(),
            _ => parser.expected("a statement"),
        })
    }

    /// A statement of one word.
    fn ended(&mut self, statement: Statement) -> Parsed<Statement> {
        self.cursor.next();
        self.sign(";")?;
        Ok(statement)
    }

    fn block(&mut self) -> Parsed<Vec<Statement>> {
        self.sign("{")?;
        let mut list = Vec::new();
        while !self.eat_sign("}") {
            list.push(self.statement()?);
        }
        Ok(list)
    }

    fn branch(&mut self) -> Parsed<Statement> {
        self.cursor.next();
        let condition = self.expr()?;
        self.reserved("then")?;
        let then = self.statement()?;
        self.reserved("else")?;
        let otherwise = self.statement()?;
        Ok(Statement::If(condition, Box::new(then), Box::new(otherwise)))
    }

    fn repetition(&mut self) -> Parsed<Statement> {
        self.cursor.next();
        let condition = self.expr()?;
        self.reserved("do")?;
        Ok(Statement::While(condition, Box::new(self.statement()?)))
    }

    fn scope(&mut self) -> Parsed<Statement> {
        self.cursor.next();
        let mut locals = Vec::new();
        while !self.eat_reserved("do") {
            if !locals.is_empty() {
                self.sign(",")?;
            }
            let (reference, span) = self.reference("a local variable, or `do`")?;
            locals.push(self.known(self.scope.var(&reference), span)?);
        }
        Ok(Statement::Scope(locals, Box::new(self.statement()?)))
    }

    fn assignments(&mut self) -> Parsed<Statement> {
        let mut list = vec![self.assignment()?];
        while self.eat_sign(",") {
            list.push(self.assignment()?);
        }
        self.sign(";")?;
        Ok(Statement::Assign(list))
    }

    fn assignment(&mut self) -> Parsed<Assignment> {
        let (reference, span) = self.reference("what is assigned to")?;
        let to = if self.at_sign("(") {
            let family = self.known(self.scope.family(&reference), span)?;
            Destination::Cell(family, self.index()?)
        } else {
            Destination::Var(self.known(self.scope.var(&reference), span)?)
        };
        self.sign(":=")?;
        let value = if self.eat_reserved("any") { Rhs::Any } else { Rhs::Expr(self.expr()?) };
        Ok(Assignment { to, value })
    }

    pub(super) fn property(&mut self, start: Span) -> Parsed<()> {
        let name = self.name("the name of the property")?;
        self.sign(":")?;
        let mut text = String::new();
        if self.eat_word("text") {
            text = self.quoted("the formula of the source, in quotes")?;
            self.sign(";")?;
        }
        let faults = self.faults()?;
        let kind = self.property_kind()?;
        let end = self.sign(";")?;
        self.model.properties.push(Property { name, kind, faults, text, span: start.to(end) });
        Ok(())
    }

    fn property_kind(&mut self) -> Parsed<PropertyKind> {
        if self.eat_word("invariant") {
            return Ok(PropertyKind::Invariant(self.expr()?));
        }
        if self.eat_word("reach") {
            return Ok(PropertyKind::Reach(self.expr()?));
        }
        if self.eat_word("deadlock_free") {
            return Ok(PropertyKind::DeadlockFree);
        }
        if self.eat_word("no_errors") {
            return Ok(PropertyKind::NoErrors);
        }
        if self.eat_word("ltl") {
            return Ok(PropertyKind::Ltl(self.ltl()?));
        }
        self.expected("`invariant`, `reach`, `deadlock_free`, `no_errors` or `ltl`")
    }

    fn ltl(&mut self) -> Parsed<Ltl> {
        self.nested(|parser| parser.left_chain("<=>", Self::implication, Ltl::Iff))
    }

    fn implication(&mut self) -> Parsed<Ltl> {
        let a = self.left_chain("|", Self::ltl_conjunction, Ltl::Or)?;
        if !self.eat_sign("=>") {
            return Ok(a);
        }
        let b = self.nested(Self::implication)?;
        Ok(Ltl::Implies(Box::new(a), Box::new(b)))
    }

    fn ltl_conjunction(&mut self) -> Parsed<Ltl> {
        self.left_chain("&", Self::until, Ltl::And)
    }

    fn left_chain(&mut self, sign: &'static str, part: fn(&mut Self) -> Parsed<Ltl>, join: Join) -> Parsed<Ltl> {
        let mut formula = part(self)?;
        let mut n_links = 0;
        while self.at_sign(sign) {
            n_links += 1;
            if n_links > MAX_CHAIN {
                let span = self.cursor.span();
                return self.fail("ir005", format!("more than {MAX_CHAIN} parts in one chain"), span, "too long");
            }
            self.cursor.next();
            let next = part(self)?;
            formula = join(Box::new(formula), Box::new(next));
        }
        Ok(formula)
    }

    fn until(&mut self) -> Parsed<Ltl> {
        let a = self.ltl_unary()?;
        let join: Join = match self.peek_word() {
            Some("U") => Ltl::Until,
            Some("R") => Ltl::Release,
            Some("W") => Ltl::WeakUntil,
            Some("M") => Ltl::StrongRelease,
            _ => return Ok(a),
        };
        self.cursor.next();
        let b = self.nested(Self::until)?;
        Ok(join(Box::new(a), Box::new(b)))
    }

    fn ltl_unary(&mut self) -> Parsed<Ltl> {
        let wrap: Wrap = match (self.cursor.peek(), self.peek_word()) {
            (Some(Kind::Sign("{")), _) => {
                self.cursor.next();
                let expr = self.expr()?;
                self.sign("}")?;
                return Ok(Ltl::State(expr));
            }
            (Some(Kind::Sign("(")), _) => {
                self.cursor.next();
                let inner = self.ltl()?;
                self.sign(")")?;
                return Ok(inner);
            }
            (Some(Kind::Sign("!")), _) => Ltl::Not,
            (_, Some("X")) => Ltl::Next,
            (_, Some("F")) => Ltl::Finally,
            (_, Some("G")) => Ltl::Globally,
            _ => return self.expected("a temporal formula (state expressions stand between braces)"),
        };
        self.cursor.next();
        let inner = self.nested(Self::ltl_unary)?;
        Ok(wrap(Box::new(inner)))
    }
}
