//! Statements of an edge: they follow each other with nothing between them.

use lapidary_text::descent::{Failed, Parsed};
use lapidary_text::{Diagnostic, Span};

use super::super::ast::Statement;
use super::super::codes;
use super::super::lexer::Kind;
use super::Parser;

const FORMS: &str = "statements are `x := e`, `havoc x` and `assume e`";

impl<'a> Parser<'a, '_> {
    /// What stands between the braces of an edge, with the closing one.
    pub(super) fn statements(&mut self, open: Span) -> Vec<Statement<'a>> {
        let mut body = Vec::new();
        while self.log.goes_on() {
            if self.cursor.eat(Kind::RightBrace).is_some() {
                return body;
            }
            if self.cursor.at_end() || self.at_item() {
                self.not_closed("edge", open);
                return body;
            }
            let before = self.cursor.position();
            match self.statement() {
                Ok(statement) => {
                    body.extend(statement);
                    self.end_of_statement(open);
                }
                Err(Failed) => self.skip_statement(),
            }
            if self.cursor.position() == before {
                self.cursor.next();
            }
        }
        body
    }

    /// Whether a statement begins here.
    pub(super) fn at_statement(&self) -> bool {
        match self.cursor.peek() {
            Some(Kind::Havoc | Kind::Assume | Kind::Return) => true,
            Some(Kind::Name) => self.cursor.peek_at(1) == Some(Kind::Assign),
            _ => false,
        }
    }

    fn statement(&mut self) -> Parsed<Option<Statement<'a>>> {
        match self.cursor.peek() {
            Some(Kind::Assume) => {
                self.cursor.next();
                Ok(Some(Statement::Assume(self.expr()?)))
            }
            Some(Kind::Havoc) => {
                self.cursor.next();
                Ok(Some(Statement::Havoc(self.name("a variable")?)))
            }
            Some(Kind::Return) => {
                let start = self.cursor.span();
                self.cursor.next();
                let help = "processes are not called; assign the value to a variable";
                self.log.push(
                    Diagnostic::unsupported(codes::UNSUPPORTED, "`return` is not supported", start, "not supported")
                        .with_help(help),
                );
                self.expr()?;
                Ok(None)
            }
            Some(Kind::Name) => self.assignment().map(Some),
            _ => {
                let diagnostic = self.expected("a statement").with_help(FORMS);
                self.report(diagnostic);
                Err(Failed)
            }
        }
    }

    fn assignment(&mut self) -> Parsed<Statement<'a>> {
        let to = self.name("a variable")?;
        if self.cursor.at(Kind::Eq) {
            let diagnostic = self.expected("`:=`").with_help("`=` compares; `:=` writes");
            self.report(diagnostic);
            self.cursor.read_as(Kind::Assign);
        }
        let cell = format!("a cell is written by `{0} := {0}[i <- e]`", to.text);
        self.expect_in(Kind::Assign, if self.cursor.at(Kind::LeftBracket) { &cell } else { FORMS })?;
        Ok(Statement::Assign(to, self.expr()?))
    }

    /// Complains unless a statement can end here.
    fn end_of_statement(&mut self, open: Span) {
        let ends = self.cursor.at_end() || self.cursor.at(Kind::RightBrace) || self.at_item();
        // A name begins a statement, whatever is wrong with it, unless it is an operator elsewhere.
        let is_name = self.cursor.at(Kind::Name) && self.help_with_words().is_none();
        if ends || self.at_statement() || is_name {
            return;
        }
        let diagnostic = self.expected("an operator, a statement or `}`");
        let diagnostic = diagnostic.with_label(open, "in this edge");
        let help = self.help_with_words().unwrap_or(FORMS);
        self.report(diagnostic.with_help(help));
        self.skip_statement();
    }

    /// Skips to the next statement, or to the end of the edge.
    fn skip_statement(&mut self) {
        let mut n_braces = 0usize;
        while let Some(kind) = self.cursor.peek() {
            match kind {
                Kind::LeftBrace => n_braces += 1,
                Kind::RightBrace if n_braces > 0 => n_braces -= 1,
                Kind::RightBrace => return,
                _ if self.at_statement() || self.at_item() => return,
                _ => {}
            }
            self.cursor.next();
        }
    }
}
