//! The sections of a node.

use lapidary_ir::tree::Comparison;
use lapidary_text::descent::{Descent, Failed, Parsed};
use lapidary_text::{Diagnostic, Span};

use super::super::ast::{
    Arm, EventGroup, EventName, Events, Expr, Param, Relation, Section, Subs, Sync, SyncPart, Trans, Update, Variables,
};
use super::super::codes;
use super::super::lexer::Kind;
use super::Parser;

const SEMICOLON: &[Kind] = &[Kind::Semicolon];
const SEMICOLON_OR_COMMA: &[Kind] = &[Kind::Semicolon, Kind::Comma];

impl Parser<'_, '_> {
    /// The section whose keyword comes next.
    pub(super) fn section(&mut self, sections: &mut Vec<Section>) {
        let keyword = self.cursor.peek();
        if keyword == Some(Kind::Extern) {
            self.externs(|text, span| sections.push(Section::Extern { text, span }));
            return;
        }
        self.cursor.next();
        let operator = "an operator or `;`";
        sections.push(match keyword {
            Some(Kind::State) => Section::State(self.list(SEMICOLON, "`;`", Self::variables)),
            Some(Kind::Flow) => Section::Flow(self.list(SEMICOLON, "`;`", Self::variables)),
            Some(Kind::Event) => Section::Event(self.list(SEMICOLON, "`,`, `<`, `>` or `;`", Self::events)),
            Some(Kind::Sub) => Section::Sub(self.list(SEMICOLON, "`;`", Self::subs)),
            Some(Kind::Init) => Section::Init(self.list(SEMICOLON_OR_COMMA, operator, Self::initial)),
            Some(Kind::Assert) => Section::Assert(self.list(SEMICOLON_OR_COMMA, operator, Self::expr)),
            Some(Kind::Trans) => Section::Trans(self.list(SEMICOLON, operator, Self::transition)),
            Some(Kind::Sync) => Section::Sync(self.list(SEMICOLON, "`;`", Self::vector)),
            Some(Kind::Param) => Section::Param(self.list(SEMICOLON, operator, Self::parameter)),
            _ => Section::ParamSet(self.list(SEMICOLON_OR_COMMA, operator, Self::update)),
        });
    }

    /// `extern` and its directives, each as it was written.
    pub(super) fn externs(&mut self, mut add: impl FnMut(String, Span)) {
        self.cursor.next();
        loop {
            let text = self.word().to_owned();
            match self.cursor.peek() {
                Some(Kind::Directive) => add(text, self.cursor.span()),
                Some(Kind::Semicolon) => {}
                _ => return,
            }
            self.cursor.next();
        }
    }

    /// What a section lists, up to the next keyword.
    fn list<T>(&mut self, separators: &[Kind], expected: &str, entry: fn(&mut Self) -> Parsed<T>) -> Vec<T> {
        let mut entries = Vec::new();
        while !self.at_section_end() {
            if self.cursor.eat(Kind::Semicolon).is_some() {
                continue;
            }
            let before = self.cursor.position();
            match entry(self) {
                Ok(entry) => {
                    entries.push(entry);
                    self.separator(separators, expected);
                }
                Err(Failed) => {
                    if self.cursor.position() == before {
                        self.cursor.next();
                    }
                    self.synchronise();
                }
            }
        }
        entries
    }

    fn expect_colon(&mut self, form: &str) -> Parsed<()> {
        if self.cursor.eat(Kind::Colon).is_some() {
            return Ok(());
        }
        Err(self.unexpected_in("`,` or `:`", form))
    }

    /// `x, y : D : public`
    fn variables(&mut self) -> Parsed<Variables> {
        if matches!(self.cursor.peek(), Some(Kind::Bool | Kind::Integer)) && self.cursor.peek_at(1) == Some(Kind::Name)
        {
            let form = format!("the domain stands behind the name: `x : {};`", self.word());
            let diagnostic = self.expected("a name for the variable").with_help(form);
            self.report(diagnostic);
            return Err(Failed);
        }
        let names = self.names("a name for the variable")?;
        self.expect_colon("a variable is declared `x : bool;` or `x : [0, 3];`")?;
        let domain = self.domain()?;
        if matches!(self.cursor.peek(), Some(Kind::Eq | Kind::Assign)) {
            let diagnostic = self.expected("`:` or `;`");
            self.report(diagnostic.with_help("initial values stand in the section `init`, as `x := value;`"));
            return Err(Failed);
        }
        Ok(Variables { names, domain, attributes: self.attributes()? })
    }

    /// `p, q : D = e`
    fn parameter(&mut self) -> Parsed<Param> {
        let names = self.names("a name for the parameter")?;
        self.expect_colon("a parameter is declared `p : [0, 3];`")?;
        let domain = self.domain()?;
        let mut attributes = self.attributes()?;
        let value = match self.cursor.eat(Kind::Eq) {
            Some(_) => Some(self.expr()?),
            None => None,
        };
        attributes.append(&mut self.attributes()?);
        Ok(Param { names, domain, value, attributes })
    }

    /// `a, b`, `open[n] > {up, down}`, `push : public`
    fn events(&mut self) -> Parsed<Events> {
        let first = self.event_group()?;
        let mut rest = Vec::new();
        loop {
            let relation = match self.cursor.peek() {
                Some(Kind::Comma) => Relation::None,
                Some(Kind::Lt) => Relation::Below,
                Some(Kind::Gt) => Relation::Above,
                _ => break,
            };
            self.cursor.next();
            rest.push((relation, self.event_group()?));
        }
        Ok(Events { first, rest, attributes: self.attributes()? })
    }

    fn event_group(&mut self) -> Parsed<EventGroup> {
        let start = self.cursor.span();
        let mut events = Vec::new();
        if self.cursor.eat(Kind::LeftBrace).is_some() {
            events = self.several(Kind::Comma, Self::event_name)?;
            self.expect(Kind::RightBrace)?;
        } else {
            events.push(self.event_name()?);
        }
        Ok(EventGroup { events, span: start.to(self.cursor.previous_span()) })
    }

    fn event_name(&mut self) -> Parsed<EventName> {
        Ok(EventName { name: self.name("an event")?, indexes: self.indexes()? })
    }

    /// `V, W : Valve[3] : private`
    fn subs(&mut self) -> Parsed<Subs> {
        let names = self.names("a name for the subnode")?;
        self.expect_colon("subnodes are declared `left, right : Lamp;`")?;
        let node = self.name("the name of a node")?;
        let sizes = self.indexes()?;
        Ok(Subs { names, node, sizes, attributes: self.attributes()? })
    }

    /// `a[0].x := e`
    fn update(&mut self) -> Parsed<Update> {
        let path = self.path("a variable")?;
        self.expect_assign()?;
        let value = self.expr()?;
        let span = path.span.to(value.span);
        Ok(Update { path, value, span })
    }

    /// `a[0].x := e`, or as a condition on the initial configurations `a[0].x = e`, which says the same.
    fn initial(&mut self) -> Parsed<Update> {
        let path = self.path("a variable")?;
        let value = match self.cursor.peek() {
            Some(Kind::Assign) => {
                self.cursor.next();
                self.expr()?
            }
            // What is compared ends before the next comparison, `and` or `or`.
            Some(Kind::Eq) => {
                self.cursor.next();
                self.sum()?
            }
            _ => {
                let diagnostic = self.expected("`:=`");
                self.report(diagnostic.with_help("initial values are written `x := value`"));
                return Err(Failed);
            }
        };
        let span = path.span.to(value.span);
        Ok(Update { path, value, span })
    }

    /// `guard |- a, b -> x := 1, y := 2 |- c ->`
    fn transition(&mut self) -> Parsed<Trans> {
        let guard = self.expr()?;
        if !self.cursor.at(Kind::Turnstile) {
            let diagnostic = self.expected("an operator or `|-`");
            self.report(diagnostic.with_help("a transition is `guard |- event -> updates;`"));
            return Err(Failed);
        }
        let mut arms = Vec::new();
        while self.cursor.at(Kind::Turnstile) {
            arms.push(self.arm()?);
        }
        let span = guard.span.to(self.cursor.previous_span());
        Ok(Trans { guard, arms, span })
    }

    fn arm(&mut self) -> Parsed<Arm> {
        let start = self.expect(Kind::Turnstile)?;
        let events = self.several(Kind::Comma, |parser| parser.path("an event"))?;
        if !self.cursor.at(Kind::Arrow) {
            let diagnostic = self.expected("`,` or `->`");
            self.report(diagnostic.with_help("a transition is `guard |- event -> updates;`"));
            return Err(Failed);
        }
        self.cursor.next();
        let mut updates = Vec::new();
        if !matches!(self.cursor.peek(), Some(Kind::Semicolon | Kind::Turnstile)) && !self.at_section_end() {
            updates.push(self.update()?);
            while self.cursor.eat(Kind::Comma).is_some() || self.lacks_comma() {
                updates.push(self.update()?);
            }
        }
        Ok(Arm { events, updates, span: start.to(self.cursor.previous_span()) })
    }

    /// Whether another update follows without a comma, which is reported.
    fn lacks_comma(&mut self) -> bool {
        let is_update = self.cursor.at(Kind::Name) && self.cursor.peek_at(1) == Some(Kind::Assign);
        if is_update {
            let message = format!("expected `,`, found {}", self.found());
            let diagnostic =
                Diagnostic::error(codes::UNEXPECTED, message, self.cursor.behind(), "a `,` is missing here");
            self.report(diagnostic.with_help("updates have commas between them: `x := 1, y := 2`"));
        }
        is_update
    }

    /// `<e, s.f, t[1].g?> >= 2` or `<...>[>= 2]`
    fn vector(&mut self) -> Parsed<Sync> {
        let start = self.cursor.span();
        if self.cursor.eat(Kind::Lt).is_none() {
            let diagnostic = self.expected("`<`");
            self.report(diagnostic.with_help("a synchronisation vector is `<event, sub.event, ...>`"));
            return Err(Failed);
        }
        let parts = self.several(Kind::Comma, Self::part)?;
        let count = self.count()?;
        Ok(Sync { parts, count, span: start.to(self.cursor.previous_span()) })
    }

    fn part(&mut self) -> Parsed<SyncPart> {
        let event = self.path("an event")?;
        Ok(SyncPart { event, is_optional: self.cursor.eat(Kind::Question).is_some() })
    }

    /// The end of a vector and its bound. Written without a blank, `<a?> = 1` ends with what looks like `>=`.
    fn count(&mut self) -> Parsed<Option<(Comparison, Expr)>> {
        if self.cursor.eat(Kind::Ge).is_some() {
            return Ok(Some((Comparison::Eq, self.sum()?)));
        }
        if self.cursor.eat(Kind::Gt).is_none() {
            return Err(self.unexpected_in("`,`, `?` or `>`", "a synchronisation vector is `<event, sub.event, ...>`"));
        }
        let is_bracketed = self.cursor.eat(Kind::LeftBracket).is_some();
        let behind = (self.cursor.peek_at(1), self.cursor.peek_at(2));
        let comparison = match self.cursor.peek() {
            // The next vector, without a `;` between them.
            Some(Kind::Lt) if matches!(behind, (Some(Kind::Name), Some(Kind::Comma | Kind::Dot))) => return Ok(None),
            Some(Kind::Lt) => Comparison::Lt,
            Some(Kind::Le) => Comparison::Le,
            Some(Kind::Eq) => Comparison::Eq,
            Some(Kind::Ge) => Comparison::Ge,
            Some(Kind::Gt) => Comparison::Gt,
            _ if !is_bracketed => return Ok(None),
            _ => {
                return Err(self.unexpected_in("`<`, `<=`, `=`, `>=` or `>`", "a bound is written `[>= 1]`"));
            }
        };
        self.cursor.next();
        let bound = self.sum()?;
        if is_bracketed {
            self.expect(Kind::RightBracket)?;
        }
        Ok(Some((comparison, bound)))
    }
}
