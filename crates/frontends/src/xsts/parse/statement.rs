//! Statements. One that cannot be read is left out, and the next one is read.

use lapidary_text::descent::{Failed, Nesting, Parsed};
use lapidary_text::{Diagnostic, Span};

use super::super::ast::{For, If, Statement, StatementKind, VarItem};
use super::super::codes;
use super::super::lexer::Kind;
use super::{Parser, starts_item, starts_statement};

const LOCAL: &str = "a local variable is written `local var x : integer = 0;`";
const LOOP: &str = "a loop is written `for i from 0 to 3 do x := x + i;`";
const BRANCH: &str = "a branch is written `if (condition) statement else statement`";

impl<'a> Parser<'a, '_> {
    pub(super) fn statement(&mut self) -> Parsed<Statement<'a>> {
        self.nested(Self::statement_here)
    }

    fn statement_here(&mut self) -> Parsed<Statement<'a>> {
        let start = self.cursor.span();
        let kind = match self.cursor.peek() {
            Some(Kind::LeftBrace) => return self.block(),
            Some(Kind::Local) => self.local()?,
            Some(Kind::Name) => self.assignment()?,
            Some(Kind::Havoc) => {
                self.cursor.next();
                let name = self.name("a variable")?;
                self.semicolon()?;
                StatementKind::Havoc(name)
            }
            Some(Kind::Assume) => {
                self.cursor.next();
                let condition = self.expr()?;
                self.semicolon()?;
                StatementKind::Assume(condition)
            }
            Some(Kind::Choice) => {
                self.cursor.next();
                StatementKind::Choice(self.alternatives()?)
            }
            Some(Kind::If) => self.branch()?,
            Some(Kind::Ort) => self.all_orders()?,
            Some(Kind::For) => self.repetition()?,
            _ => {
                let help = "statements are `x := e;`, `havoc x;`, `assume e;`, `choice`, `if`, `ort`, `for`, `local var` and blocks in `{ }`";
                let diagnostic = self.expected("a statement").with_help(help);
                self.report(diagnostic);
                return Err(Failed);
            }
        };
        Ok(Statement { kind, span: start.to(self.cursor.previous_span()) })
    }

    /// One statement, and those behind each `or`.
    pub(super) fn alternatives(&mut self) -> Parsed<Vec<Statement<'a>>> {
        let mut branches = vec![self.statement()?];
        while self.cursor.eat(Kind::Or).is_some() {
            branches.push(self.statement()?);
        }
        Ok(branches)
    }

    fn block(&mut self) -> Parsed<Statement<'a>> {
        let open = self.expect(Kind::LeftBrace)?;
        let mut statements = Vec::new();
        loop {
            match self.cursor.peek() {
                Some(Kind::RightBrace) => break,
                None => return self.open_block(open),
                // Between branches: the block before was to be closed.
                Some(Kind::Or) => {
                    let _ = self.open_block(open);
                    return Ok(Statement { kind: StatementKind::Block(statements), span: open });
                }
                Some(kind) if starts_item(kind) && !self.is_misplaced_local() => return self.open_block(open),
                Some(_) => statements.extend(self.statement_with_progress()?),
            }
        }
        self.cursor.next();
        Ok(Statement { kind: StatementKind::Block(statements), span: open.to(self.cursor.previous_span()) })
    }

    /// `var x : integer;` among statements.
    fn is_misplaced_local(&self) -> bool {
        self.cursor.at(Kind::Var) || self.cursor.at(Kind::Ctrl)
    }

    fn open_block(&mut self, open: Span) -> Parsed<Statement<'a>> {
        let message = format!("expected `}}`, found {}", self.found());
        let diagnostic =
            Diagnostic::error(codes::OPEN_BLOCK, message, self.cursor.span(), "the block goes on until here");
        let diagnostic = diagnostic.with_label(open, "this `{` is not closed");
        self.report(diagnostic.with_help("close it with `}`"));
        Err(Failed)
    }

    /// A statement, or at least one token skipped. What is too deep ends all the blocks around it.
    fn statement_with_progress(&mut self) -> Parsed<Option<Statement<'a>>> {
        let before = self.cursor.position();
        let nesting = self.nesting;
        match self.statement() {
            Ok(statement) => Ok(Some(statement)),
            Err(Failed) => {
                self.nesting = nesting;
                if self.cursor.at_end() || self.cursor.peek().is_some_and(starts_item) && !self.is_misplaced_local() {
                    return Err(Failed);
                }
                if self.cursor.position() == before && !self.cursor.at(Kind::LeftBrace) {
                    self.cursor.next();
                }
                self.skip_statement();
                Ok(None)
            }
        }
    }

    /// Skips behind the next `;`, or before what begins or ends a statement. What is in braces is skipped as a whole.
    fn skip_statement(&mut self) {
        let mut n_braces = 0usize;
        while let Some(kind) = self.cursor.peek() {
            match kind {
                Kind::Semicolon if n_braces == 0 => {
                    self.cursor.next();
                    return;
                }
                Kind::LeftBrace => n_braces += 1,
                Kind::RightBrace if n_braces > 0 => {
                    n_braces -= 1;
                    if n_braces == 0 {
                        self.cursor.next();
                        return;
                    }
                }
                Kind::RightBrace => return,
                kind if starts_item(kind) => return,
                kind if n_braces == 0 && kind != Kind::Name && starts_statement(kind) => return,
                _ => {}
            }
            self.cursor.next();
        }
    }

    fn semicolon(&mut self) -> Parsed<()> {
        if self.cursor.eat(Kind::Semicolon).is_some() {
            return Ok(());
        }
        let ends = |kind| {
            starts_statement(kind) || starts_item(kind) || matches!(kind, Kind::RightBrace | Kind::Or | Kind::Else)
        };
        let help = self.help_with_words();
        if help.is_none() && self.cursor.peek().is_none_or(ends) {
            let message = format!("expected `;`, found {}", self.found());
            let diagnostic =
                Diagnostic::error(codes::MISSING_SEMICOLON, message, self.cursor.behind(), "a `;` is missing here");
            self.report(diagnostic.with_help("assignments, `havoc`, `assume` and `local` end with `;`"));
            return Ok(());
        }
        let diagnostic = self.expected("an operator or `;`");
        self.report(diagnostic.with_help(help.unwrap_or("a statement ends with `;`")));
        Err(Failed)
    }

    fn local(&mut self) -> Parsed<StatementKind<'a>> {
        self.expect(Kind::Local)?;
        self.expect_in(Kind::Var, LOCAL)?;
        let name = self.name("a variable")?;
        self.expect_in(Kind::Colon, LOCAL)?;
        let ty = self.ty()?;
        let initial = self.initial()?;
        self.semicolon()?;
        Ok(StatementKind::Local(Box::new(VarItem { name, control: false, ty, initial })))
    }

    fn assignment(&mut self) -> Parsed<StatementKind<'a>> {
        let to = self.name("a variable")?;
        let mut indexes = Vec::new();
        while let Some(open) = self.cursor.eat(Kind::LeftBracket) {
            indexes.push(self.expr()?);
            self.expect_end(Kind::RightBracket, open)?;
        }
        let help = match self.slice(to.span) {
            "while" => "there is no `while`; a loop is written `for i from 0 to 3 do x := x + i;`",
            "skip" => "write `{}` for a statement that does nothing",
            "int" | "bool" | "boolean" => LOCAL,
            _ => "`:=` writes, as in `x := x + 1;`",
        };
        self.expect_in(Kind::Assign, help)?;
        let value = self.expr()?;
        self.semicolon()?;
        Ok(StatementKind::Assign { to, indexes, value })
    }

    fn branch(&mut self) -> Parsed<StatementKind<'a>> {
        self.expect(Kind::If)?;
        let open = self.expect_in(Kind::LeftParen, BRANCH)?;
        let condition = self.expr()?;
        self.expect_end(Kind::RightParen, open)?;
        let then = self.statement()?;
        let otherwise = match self.cursor.eat(Kind::Else) {
            Some(_) => Some(self.statement()?),
            None => None,
        };
        Ok(StatementKind::If(Box::new(If { condition, then, otherwise })))
    }

    /// All statements that follow are branches.
    fn all_orders(&mut self) -> Parsed<StatementKind<'a>> {
        let word = self.expect(Kind::Ort)?;
        let mut branches = vec![self.statement()?];
        while self.cursor.peek().is_some_and(starts_statement) {
            branches.push(self.statement()?);
        }
        let is_block = |branch: &&Statement<'_>| matches!(branch.kind, StatementKind::Block(_));
        if branches[0..1].iter().all(|branch| is_block(&branch))
            && let Some(other) = branches.iter().find(|branch| !is_block(branch))
        {
            let message = "this statement is a branch of `ort`, too";
            let diagnostic =
                Diagnostic::warning(codes::ORT_BRANCH, message, other.span, "runs in any order with the others");
            let diagnostic = diagnostic.with_label(word, "all statements up to the end of the block are branches");
            self.log.push(
                diagnostic.with_help("put `ort` with its branches in a block of its own: `{ ort { .. } { .. } }`"),
            );
        }
        Ok(StatementKind::Ort(branches))
    }

    fn repetition(&mut self) -> Parsed<StatementKind<'a>> {
        self.expect(Kind::For)?;
        let name = self.name("a name for the loop's variable")?;
        self.expect_in(Kind::From, LOOP)?;
        let from = self.expr()?;
        self.expect_in(Kind::To, LOOP)?;
        let to = self.expr()?;
        self.expect_in(Kind::Do, LOOP)?;
        let body = self.statement()?;
        Ok(StatementKind::For(Box::new(For { name, from, to, body })))
    }
}
