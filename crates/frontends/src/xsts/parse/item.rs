//! Declarations, sections and properties.

use lapidary_text::descent::{Descent, Failed, Nesting, Parsed};
use lapidary_text::{Diagnostic, SourceId, Span, spelling};

use super::super::ast::{Expr, File, Section, Type, TypeItem, TypeKind, VarItem};
use super::super::codes;
use super::super::lexer::Kind;
use super::{Parser, starts_item};

const TYPE: &str = "a type is `boolean`, `integer`, `[integer] -> boolean` or the name of a declared one";
const ENUMERATION: &str = "a type is declared as `type Colour : { red, green }`";
const VARIABLE: &str = "a variable is declared as `var x : integer = 0`";

/// The words that begin a declaration or a section.
const STARTS: [&str; 8] = ["type", "ctrl", "var", "trans", "init", "env", "prop", "ltl"];

/// The order in which a model has its parts.
const ORDER: [Kind; 7] = [Kind::Type, Kind::Var, Kind::Trans, Kind::Init, Kind::Env, Kind::Prop, Kind::Ltl];

impl<'a> Parser<'a, '_> {
    pub(super) fn model(mut self, source: SourceId) -> File<'a> {
        let mut file: File<'a> = Default::default();
        let mut last = 0;
        while let Some(kind) = self.cursor.peek() {
            self.check_order(kind, &mut last);
            self.item_with_progress(&mut file);
        }
        self.missing_sections(&file, source);
        file
    }

    pub(super) fn properties(mut self) -> File<'a> {
        let mut file: File<'a> = Default::default();
        while let Some(kind) = self.cursor.peek() {
            let is_property = matches!(kind, Kind::Prop | Kind::Ltl);
            if !is_property && (starts_item(kind) || file.props.is_empty()) {
                let message = format!("expected `prop {{ .. }}`, found {}", self.found());
                let label = "no property";
                let diagnostic = Diagnostic::error(codes::ONLY_PROPERTIES, message, self.cursor.span(), label);
                self.report(
                    diagnostic.with_help(
                        "a file of properties has only `prop { condition }`; the model stands in its own file",
                    ),
                );
                break;
            }
            self.item_with_progress(&mut file);
        }
        file
    }

    /// Another order than that of the language means the same here.
    fn check_order(&mut self, kind: Kind, last: &mut usize) {
        let kind = if kind == Kind::Ctrl { Kind::Var } else { kind };
        let Some(position) = ORDER.iter().position(|&other| other == kind) else { return };
        if position < *last {
            let what = super::lexer::describe(ORDER[*last]);
            let message = format!("{} stands behind {what}", super::lexer::describe(kind));
            let diagnostic =
                Diagnostic::warning(codes::ORDER, message, self.cursor.span(), "other tools refuse this order");
            self.log.push(diagnostic.with_help("the order is `type`, `var`, `trans`, `init`, `env`, `prop`"));
        }
        *last = (*last).max(position);
    }

    fn missing_sections(&mut self, file: &File<'a>, source: SourceId) {
        if self.log.has_errors() {
            return;
        }
        for (word, section) in [("trans", &file.trans), ("init", &file.init), ("env", &file.env)] {
            if section.is_none() {
                let message = format!("the model has no section `{word}`");
                let end = self.cursor.behind();
                let place = if end.start == 0 { Span::new(source, 0, 0) } else { end };
                let diagnostic = Diagnostic::error(codes::MISSING_SECTION, message, place, "the model ends here");
                self.log.push(diagnostic.with_help(format!("write `{word} {{}}` for one that does nothing")));
            }
        }
    }

    /// A declaration or section, or at least one token skipped.
    fn item_with_progress(&mut self, file: &mut File<'a>) {
        let before = self.cursor.position();
        let item = self.item(file);
        self.nesting = 0;
        if item.is_err() {
            if self.cursor.position() == before {
                self.cursor.next();
            }
            while self.cursor.peek().is_some_and(|kind| !starts_item(kind)) {
                self.cursor.next();
            }
        }
    }

    fn item(&mut self, file: &mut File<'a>) -> Parsed<()> {
        let start = self.cursor.span();
        match self.cursor.peek() {
            Some(Kind::Type) => {
                let item = self.enumeration()?;
                file.types.push(item);
            }
            Some(Kind::Ctrl | Kind::Var) => {
                let item = self.variable()?;
                file.vars.push(item);
            }
            Some(Kind::Trans) => self.section(&mut file.trans)?,
            Some(Kind::Init) => self.section(&mut file.init)?,
            Some(Kind::Env) => self.section(&mut file.env)?,
            Some(Kind::Prop) => {
                let formula = self.property()?;
                file.props.push(formula);
            }
            Some(Kind::Ltl) => {
                self.skip_braces()?;
                file.ltls.push(start.to(self.cursor.previous_span()));
            }
            _ => return Err(self.no_item()),
        }
        Ok(())
    }

    fn no_item(&mut self) -> Failed {
        let diagnostic = self.expected("a declaration or a section");
        let written = self.slice(self.cursor.span());
        let help = match spelling::similar(written, STARTS).filter(|_| self.cursor.at(Kind::Name)) {
            Some(similar) => format!("did you mean `{similar}`?"),
            None if self.cursor.at(Kind::Or) => {
                "branches stand between `trans`, `init` or `env` and the next section".to_owned()
            }
            None => "a model has types, variables, then `trans`, `init`, `env`, and perhaps `prop`".to_owned(),
        };
        self.report(diagnostic.with_help(help));
        Failed
    }

    fn enumeration(&mut self) -> Parsed<TypeItem<'a>> {
        self.expect(Kind::Type)?;
        let name = self.name("a name for the type")?;
        self.expect_in(Kind::Colon, ENUMERATION)?;
        self.expect_in(Kind::LeftBrace, ENUMERATION)?;
        let literals = self.several(Kind::Comma, |parser| parser.name("a literal"))?;
        self.expect_in(Kind::RightBrace, ENUMERATION)?;
        Ok(TypeItem { name, literals })
    }

    fn variable(&mut self) -> Parsed<VarItem<'a>> {
        let control = self.cursor.eat(Kind::Ctrl).is_some();
        self.expect_in(Kind::Var, VARIABLE)?;
        let name = self.name("a variable")?;
        self.expect_in(Kind::Colon, VARIABLE)?;
        let ty = self.ty()?;
        let initial = self.initial()?;
        // Other languages end declarations so.
        if let Some(place) = self.cursor.eat(Kind::Semicolon) {
            let message = "expected a declaration or a section, found `;`";
            let diagnostic = Diagnostic::error(codes::UNEXPECTED, message, place, "nothing ends here");
            self.log.push(diagnostic.with_help("leave it out: only statements end with `;`"));
        }
        Ok(VarItem { name, control, ty, initial })
    }

    /// `= e`, if it is there.
    pub(super) fn initial(&mut self) -> Parsed<Option<Expr<'a>>> {
        if let Some(place) = self.cursor.eat(Kind::Assign) {
            let message = "expected `=`, found `:=`";
            let diagnostic = Diagnostic::error(codes::UNEXPECTED, message, place, "expected `=`");
            self.log.push(diagnostic.with_help("a variable is declared with `=`, and written with `:=`"));
            return self.expr().map(Some);
        }
        match self.cursor.eat(Kind::Is) {
            Some(_) => self.expr().map(Some),
            None => Ok(None),
        }
    }

    pub(super) fn ty(&mut self) -> Parsed<Type<'a>> {
        self.nested(Self::ty_here)
    }

    fn ty_here(&mut self) -> Parsed<Type<'a>> {
        let start = self.cursor.span();
        let kind = match self.cursor.peek() {
            Some(Kind::Boolean) => TypeKind::Bool,
            Some(Kind::Integer) => TypeKind::Int,
            Some(Kind::Name) => TypeKind::Named(self.slice(start)),
            Some(Kind::LeftBracket) => {
                self.cursor.next();
                let index = self.ty()?;
                self.expect_in(Kind::RightBracket, TYPE)?;
                self.expect_in(Kind::Arrow, TYPE)?;
                let element = self.ty()?;
                let span = start.to(element.span);
                return Ok(Type { kind: TypeKind::Array(Box::new([index, element])), span });
            }
            _ => {
                let diagnostic = self.expected("a type").with_help(TYPE);
                self.report(diagnostic);
                return Err(Failed);
            }
        };
        self.cursor.next();
        Ok(Type { kind, span: start })
    }

    fn section(&mut self, into: &mut Option<Section<'a>>) -> Parsed<()> {
        let span = self.cursor.span();
        self.cursor.next();
        let branches = self.alternatives()?;
        if let Some(first) = into {
            let word = self.slice(span);
            let message = format!("the section `{word}` stands twice");
            let diagnostic = Diagnostic::error(codes::SECTION_TWICE, message, span, "the second one");
            let diagnostic = diagnostic.with_label(first.span, "the first one");
            self.log.push(diagnostic.with_help(format!("join them: `{word} {{ .. }} or {{ .. }}`")));
            return Ok(());
        }
        *into = Some(Section { branches, span });
        Ok(())
    }

    fn property(&mut self) -> Parsed<Expr<'a>> {
        self.expect(Kind::Prop)?;
        let open = self.expect_in(Kind::LeftBrace, "a property is written `prop { x < 3 }`")?;
        let formula = self.expr()?;
        self.expect_end(Kind::RightBrace, open)?;
        Ok(formula)
    }

    /// A word, and all that stands in braces behind it.
    fn skip_braces(&mut self) -> Parsed<()> {
        self.cursor.next();
        let open = self.expect_in(Kind::LeftBrace, "a temporal property is written `ltl { F x > 3 }`")?;
        let mut n_braces = 1usize;
        while n_braces > 0 {
            match self.cursor.next().map(|token| token.kind) {
                Some(Kind::LeftBrace) => n_braces += 1,
                Some(Kind::RightBrace) => n_braces -= 1,
                Some(_) => {}
                None => return self.expect_end(Kind::RightBrace, open).map(drop),
            }
        }
        Ok(())
    }
}
