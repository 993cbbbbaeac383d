//! Declarations outside of nodes.

use lapidary_text::Diagnostic;
use lapidary_text::descent::{Failed, Parsed};

use super::super::ast::{Const, Item};
use super::super::codes;
use super::super::lexer::{self, Kind};
use super::{DECLARATIONS, Parser};

/// What stands between the declarations of a file.
const SEPARATORS: &[Kind] = &[Kind::Semicolon];

impl Parser<'_, '_> {
    pub(super) fn items(&mut self) -> Vec<Item> {
        let mut items = Vec::new();
        while !self.cursor.at_end() {
            self.item(&mut items);
        }
        items
    }

    /// One declaration, or at least one token skipped.
    fn item(&mut self, items: &mut Vec<Item>) {
        match self.cursor.peek() {
            Some(Kind::Semicolon) => {
                self.cursor.next();
            }
            Some(Kind::Node) => self.node(items),
            Some(Kind::Extern) => self.externs(|text, span| items.push(Item::Extern { text, span })),
            Some(Kind::Const | Kind::Domain | Kind::Sort | Kind::Sig) => items.append(&mut self.declaration()),
            Some(Kind::Edon) => {
                let message = "this `edon` closes nothing";
                let diagnostic =
                    Diagnostic::error(codes::UNEXPECTED, message, self.cursor.span(), "no node is open here");
                self.report(diagnostic.with_help("a node starts with `node NAME`"));
                self.cursor.next();
            }
            Some(kind) if lexer::starts_section(kind) => self.section_outside(kind),
            _ => {
                if let Some(keyword) = self.misspelt(&DECLARATIONS) {
                    return self.read_as(keyword);
                }
                let help = "a model is made of nodes, `node NAME ... edon`";
                self.unexpected_in("a declaration: `const`, `domain`, `sort`, `sig` or `node`", help);
                self.cursor.next();
                self.synchronise();
            }
        }
    }

    /// Reports a section that stands in no node, and skips all that seems to belong to it.
    fn section_outside(&mut self, kind: Kind) {
        let message = format!("{} stands outside of a node", lexer::describe(kind));
        let diagnostic = Diagnostic::error(codes::MISPLACED, message, self.cursor.span(), "no node is open here");
        self.report(diagnostic.with_help("sections belong between `node NAME` and `edon`"));
        while self.cursor.peek().is_some_and(|kind| !lexer::starts_declaration(kind)) {
            if self.cursor.next().is_some_and(|token| token.kind == Kind::Edon) {
                return;
            }
        }
    }

    /// `const`, `domain`, `sort` and `sig`, with what ends them.
    pub(super) fn declaration(&mut self) -> Vec<Item> {
        let keyword = self.cursor.next().map(|token| token.kind);
        let parsed = match keyword {
            Some(Kind::Const) => self.constants(),
            Some(Kind::Domain) => self.domain_item().map(|item| vec![item]),
            Some(Kind::Sort) => self.names("a name for the sort").map(|names| vec![Item::Sort(names)]),
            _ => self.signature().map(|item| vec![item]),
        };
        match &parsed {
            Ok(_) => self.separator(SEPARATORS, "`;`"),
            Err(Failed) => self.synchronise(),
        }
        parsed.unwrap_or_default()
    }

    /// Behind `const`: `N = 4`, `N : integer = 2`, `red, green : Colour`
    fn constants(&mut self) -> Parsed<Vec<Item>> {
        let names = self.names("a name for the constant")?;
        let start = self.cursor.position();
        let domain = match self.cursor.eat(Kind::Colon) {
            Some(_) => Some(self.domain()?),
            None => None,
        };
        if self.cursor.at(Kind::Assign) {
            let diagnostic = self.expected("`=`").with_help("the value of a constant stands behind `=`");
            self.report(diagnostic);
        }
        let value = match self.cursor.eat(Kind::Eq).or_else(|| self.cursor.eat(Kind::Assign)) {
            Some(_) => Some(self.expr()?),
            None => None,
        };
        self.copied(names.len() - 1, self.cursor.position() - start, names[0].span)?;
        let constant = |name| Item::Const(Const { name, domain: domain.clone(), value: value.clone() });
        Ok(names.into_iter().map(constant).collect())
    }

    /// Behind `domain`: `D = [0, 3]`
    fn domain_item(&mut self) -> Parsed<Item> {
        let name = self.name("a name for the domain")?;
        self.expect(Kind::Eq)?;
        Ok(Item::Domain { name, domain: self.domain()? })
    }

    /// Behind `sig`: `f : D, E -> F`, also written `D * E -> F`
    fn signature(&mut self) -> Parsed<Item> {
        let name = self.name("a name for the function")?;
        self.expect(Kind::Colon)?;
        let mut arguments = vec![self.domain()?];
        while self.cursor.eat(Kind::Comma).or_else(|| self.cursor.eat(Kind::Star)).is_some() {
            arguments.push(self.domain()?);
        }
        self.expect(Kind::Arrow)?;
        Ok(Item::Sig { name, arguments, result: self.domain()? })
    }
}
