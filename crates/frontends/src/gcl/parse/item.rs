//! Declarations, commands and properties.

use lapidary_text::descent::{Descent, Failed, Parsed};
use lapidary_text::{Diagnostic, Span, spelling};

use super::super::ast::{
    Binder, Command, Const, Define, Expr, ExprKind, Item, Name, Param, Process, Property, PropertyKind, TypeItem,
    Update, VarItem,
};
use super::super::codes;
use super::super::lexer::{self, Kind};
use super::{Logic, Parser};

/// So many tokens ahead are looked at to tell an update from a guard.
const MAX_LOOK: usize = 16;

/// The words that begin a declaration or a property.
const STARTS: [&str; 11] =
    ["const", "type", "define", "var", "control", "init", "process", "invariant", "reach", "deadlock_free", "ltl"];

impl<'a> Parser<'a, '_> {
    pub(super) fn items(&mut self) -> Vec<Item<'a>> {
        let mut items = Vec::new();
        while !self.cursor.at_end() {
            items.extend(self.item_with_progress());
            items.append(&mut self.hoisted);
        }
        items
    }

    /// An item, or at least one token skipped.
    fn item_with_progress(&mut self) -> Option<Item<'a>> {
        let before = self.cursor.position();
        let item = self.item();
        if item.is_err() {
            if self.cursor.position() == before {
                self.cursor.next();
            }
            self.synchronise();
        }
        item.ok()
    }

    fn item(&mut self) -> Parsed<Item<'a>> {
        match self.cursor.peek() {
            Some(Kind::Const) => self.constant(),
            Some(Kind::Type) => self.type_item(),
            Some(Kind::Define) => self.define(),
            Some(Kind::Var | Kind::Control) => self.var(),
            Some(Kind::Init) => self.init(),
            Some(Kind::Process) => self.process(),
            Some(Kind::Invariant) => self.property(PropertyKind::Invariant),
            Some(Kind::Reach) => self.property(PropertyKind::Reach),
            Some(Kind::DeadlockFree) => self.property(PropertyKind::DeadlockFree),
            Some(Kind::Ltl) => self.property(PropertyKind::Ltl),
            _ if self.at_command() => self.command(),
            Some(Kind::Name) if self.operand_follows() => self.misspelt(),
            Some(kind) if super::starts_expression(kind) => {
                let message = "a command needs a label";
                let diagnostic = Diagnostic::error(codes::MISSING_LABEL, message, self.cursor.span(), "no label here");
                let help = match self.at_update() {
                    true => "updates have commas between them, no `;`: `guard -> x := 1, y := 2;`",
                    false => "put a name before it: `name: guard -> updates;`",
                };
                self.report(diagnostic.with_help(help));
                Err(Failed)
            }
            // A word of the language as a label: whoever reads the name says so.
            Some(kind) if lexer::is_keyword(kind) && self.cursor.peek_at(1) == Some(Kind::Colon) => self.command(),
            Some(Kind::RightBrace) => {
                let message = "this `}` closes nothing";
                let place = self.cursor.span();
                let diagnostic = Diagnostic::error(codes::UNEXPECTED, message, place, "no process is open here");
                self.report(
                    diagnostic.with_help("leave it out, or begin a process before: `process NAME(i : 0..2) {`"),
                );
                Err(Failed)
            }
            kind => {
                let help = match kind {
                    Some(Kind::Bool | Kind::Int) => "a variable is declared `var NAME : TYPE = VALUE;`",
                    _ => "declarations begin with a word such as `var`, commands are `name: guard -> updates;`",
                };
                let diagnostic = self.expected("a declaration, a command or a property");
                self.report(diagnostic.with_help(help));
                Err(Failed)
            }
        }
    }

    /// Whether something stands behind the next word that cannot go on an expression.
    fn operand_follows(&self) -> bool {
        let next = self.cursor.peek_at(1);
        next.is_some_and(|kind| super::starts_expression(kind) && !matches!(kind, Kind::LeftParen | Kind::Minus))
    }

    /// Whether `x := ...` follows, as it would if the command before had not ended.
    fn at_update(&self) -> bool {
        let ends = |&ahead: &usize| {
            matches!(self.cursor.peek_at(ahead), None | Some(Kind::Assign | Kind::Arrow | Kind::Semicolon))
        };
        (1..MAX_LOOK).find(ends).is_some_and(|ahead| self.cursor.peek_at(ahead) == Some(Kind::Assign))
    }

    /// Two words in a row begin no item: the first is a keyword with a slip, or a label without its colon.
    fn misspelt(&mut self) -> Parsed<Item<'a>> {
        let word = self.slice(self.cursor.span());
        let place = self.cursor.span();
        let message = format!("`{word}` begins no declaration");
        let diagnostic = Diagnostic::error(codes::UNEXPECTED, message, place, "not a word of the language");
        let Some(meant) = spelling::similar(word, STARTS) else {
            if self.cursor.peek_at(2) == Some(Kind::Colon) {
                let help = "a property is `invariant NAME: condition;`, a variable `var NAME : TYPE;`";
                self.report(diagnostic.with_help(help));
                return Err(Failed);
            }
            let label = self.name("a label")?;
            let message = format!("expected `:`, found {}", self.found());
            let diagnostic =
                Diagnostic::error(codes::UNEXPECTED, message, self.cursor.behind(), "a `:` is missing here");
            self.report(diagnostic.with_help(format!("write `{}: guard -> updates;`", label.text)));
            return self.command_behind(label, None);
        };
        self.report(diagnostic.with_help(format!("did you mean `{meant}`?")));
        self.cursor.read_as(lexer::keyword(meant));
        self.item()
    }

    /// `label:` or `label[i in`
    pub(super) fn at_command(&self) -> bool {
        let next = |ahead| self.cursor.peek_at(ahead);
        let is_ranged = next(1) == Some(Kind::LeftBracket) && next(2) == Some(Kind::Name) && next(3) == Some(Kind::In);
        next(0) == Some(Kind::Name) && (next(1) == Some(Kind::Colon) || is_ranged)
    }

    /// The value of a name that is declared whether its value is understood or not.
    fn value(&mut self, name: Name<'a>) -> Expr<'a> {
        let form = "a value stands behind `=`, without a type: `const N = 2;` or `define full = x = 3;`";
        let parsed = self.expect_in(Kind::Eq, form).and_then(|_| self.expr());
        self.end_of(parsed).unwrap_or(Expr { kind: ExprKind::Error, span: name.span })
    }

    /// The end of an item: a semicolon, or wherever the next item starts.
    fn end_of<T>(&mut self, parsed: Parsed<T>) -> Option<T> {
        match parsed {
            Ok(_) => self.semicolon(),
            Err(Failed) => self.synchronise(),
        }
        parsed.ok()
    }

    fn constant(&mut self) -> Parsed<Item<'a>> {
        self.expect(Kind::Const)?;
        let name = self.name("a name for the constant")?;
        Ok(Item::Const(Const { name, value: self.value(name) }))
    }

    fn define(&mut self) -> Parsed<Item<'a>> {
        self.expect(Kind::Define)?;
        let name = self.name("a name for the expression")?;
        Ok(Item::Define(Define { name, value: self.value(name) }))
    }

    fn type_item(&mut self) -> Parsed<Item<'a>> {
        self.expect(Kind::Type)?;
        let name = self.name("a name for the type")?;
        let parsed = self.expect_in(Kind::Eq, "a type is declared `type NAME = TYPE;`");
        let parsed = parsed.and_then(|_| self.ty(Some(name.text)));
        if self.cursor.at(Kind::Comma) {
            let diagnostic = self.expected("`;`").with_help("an enumeration stands in braces: `{ red, green }`");
            self.report(diagnostic);
            self.synchronise();
            return Ok(Item::Type(TypeItem { name, ty: Self::broken_type(name.span) }));
        }
        let ty = self.end_of(parsed).unwrap_or(Self::broken_type(name.span));
        Ok(Item::Type(TypeItem { name, ty }))
    }

    fn var(&mut self) -> Parsed<Item<'a>> {
        let control = self.cursor.eat(Kind::Control).is_some();
        self.expect(Kind::Var)?;
        let names = self.several(Kind::Comma, |parser| parser.name("a name for the variable"))?;
        let span = names[0].span;
        let mut item = VarItem { names, control, ty: Self::broken_type(span), initial: None };
        let parsed = self.var_type(&mut item);
        self.end_of(parsed);
        Ok(Item::Var(item))
    }

    fn var_type(&mut self, item: &mut VarItem<'a>) -> Parsed<()> {
        self.expect_in(Kind::Colon, "a variable is declared `var NAME : TYPE = VALUE;`")?;
        item.ty = self.ty(None)?;
        if self.cursor.at(Kind::Assign) {
            let diagnostic = self.expected("`=`").with_help("an initial value stands behind `=`; `:=` is for commands");
            self.report(diagnostic);
            self.cursor.read_as(Kind::Eq);
        }
        if self.cursor.eat(Kind::Eq).is_some() {
            item.initial = Some(self.initial()?);
        }
        Ok(())
    }

    fn init(&mut self) -> Parsed<Item<'a>> {
        self.expect(Kind::Init)?;
        let condition = self.expr()?;
        self.semicolon();
        Ok(Item::Init(condition))
    }

    fn property(&mut self, kind: PropertyKind) -> Parsed<Item<'a>> {
        let start = self.cursor.span();
        self.cursor.next();
        let form = match kind {
            PropertyKind::DeadlockFree => "a property has a name: `deadlock_free NAME;`".to_owned(),
            PropertyKind::Invariant | PropertyKind::Reach | PropertyKind::Ltl => {
                format!("a property has a name: `{} NAME: condition;`", self.slice(start))
            }
        };
        if !self.cursor.peek().is_some_and(|kind| kind == Kind::Name || lexer::is_keyword(kind)) {
            let diagnostic = self.expected("a name for the property").with_help(form);
            self.report(diagnostic);
            return Err(Failed);
        }
        let name = self.name("a name for the property")?;
        let mut formula = None;
        if kind != PropertyKind::DeadlockFree {
            self.expect_in(Kind::Colon, &form)?;
            self.logic = if kind == PropertyKind::Ltl { Logic::Temporal } else { Logic::State };
            let parsed = self.expr();
            self.logic = Logic::State;
            formula = Some(parsed?);
        }
        let span = start.to(self.cursor.previous_span());
        self.semicolon();
        Ok(Item::Property(Property { name, kind, formula, span }))
    }

    fn process(&mut self) -> Parsed<Item<'a>> {
        let start = self.expect(Kind::Process)?;
        let name = self.name("a name for the process")?;
        let params = self.params().unwrap_or_default();
        // Where only the brace is missing, which was reported, the body begins all the same.
        let is_body = |parser: &Self| parser.cursor.peek().is_some_and(super::starts_item) || parser.at_command();
        while self.cursor.peek().is_some_and(|kind| kind != Kind::LeftBrace) && !is_body(self) {
            // Only a broken head leaves something before the body.
            if matches!(self.cursor.peek(), Some(Kind::Semicolon | Kind::RightBrace)) {
                break;
            }
            self.cursor.next();
        }
        if self.cursor.eat(Kind::LeftBrace).is_none() && !is_body(self) {
            let diagnostic = self.expected("the body of the process");
            self.report(diagnostic.with_help("a process is `process NAME(i : 0..2) { ... }`"));
            return Err(Failed);
        }
        self.is_inside = true;
        let (items, misplaced) = self.body();
        self.close(start.to(name.span), misplaced);
        self.is_inside = false;
        Ok(Item::Process(Process { name, params, items }))
    }

    fn params(&mut self) -> Parsed<Vec<Param<'a>>> {
        let open = self.expect_in(Kind::LeftParen, "a process is `process NAME(i : 0..2) { ... }`")?;
        let mut params = Vec::new();
        if self.cursor.eat(Kind::RightParen).is_some() {
            return self.head_end(params);
        }
        loop {
            let name = self.name("a name for the parameter")?;
            self.expect_in(Kind::Colon, "a parameter is `i : 0..2`; there is one instance per value")?;
            let ty = self.ty(None)?;
            params.push(Param { name, ty });
            if self.cursor.eat(Kind::Comma).is_none() {
                break;
            }
        }
        self.expect_end(Kind::RightParen, open)?;
        self.head_end(params)
    }

    fn head_end(&mut self, params: Vec<Param<'a>>) -> Parsed<Vec<Param<'a>>> {
        if !self.cursor.at(Kind::LeftBrace) {
            let diagnostic = self.expected("`{`");
            self.report(diagnostic.with_help("a process is `process NAME(i : 0..2) { ... }`"));
        }
        Ok(params)
    }

    /// The items of a process, and complaints about those that belong outside.
    fn body(&mut self) -> (Vec<Item<'a>>, Vec<Diagnostic>) {
        let (mut items, mut complaints) = (Vec::new(), Vec::new());
        while !matches!(self.cursor.peek(), None | Some(Kind::RightBrace | Kind::Process)) {
            let (kind, place) = (self.cursor.peek(), self.cursor.span());
            let Some(item) = self.item_with_progress() else { continue };
            match item {
                Item::Define(_) | Item::Var(_) | Item::Init(_) | Item::Command(_) => items.push(item),
                Item::Const(_) | Item::Type(_) | Item::Process(_) | Item::Property(_) => {
                    let word = kind.map_or("this", lexer::describe);
                    complaints.push(misplaced(word, place, &item));
                    self.hoisted.push(item);
                }
            }
        }
        (items, complaints)
    }

    /// The end of a body. Where it is missing, what seems misplaced has a simpler explanation.
    fn close(&mut self, head: Span, misplaced: Vec<Diagnostic>) {
        if self.cursor.eat(Kind::RightBrace).is_some() {
            misplaced.into_iter().for_each(|diagnostic| self.log.push(diagnostic));
            return;
        }
        let mut diagnostic =
            Diagnostic::error(codes::OPEN_PROCESS, "this process is not closed", head, "its `{` has no `}`");
        let outsider = misplaced.first().and_then(|first| first.labels.first()).map(|&(place, _)| place);
        let outsider = outsider.or_else(|| self.cursor.at(Kind::Process).then(|| self.cursor.span()));
        if let Some(place) = outsider {
            diagnostic = diagnostic.with_label(place, "this belongs outside: is a `}` missing before it?");
        }
        self.log.push(diagnostic.with_help("a process is `process NAME(i : 0..2) { ... }`"));
    }

    fn command(&mut self) -> Parsed<Item<'a>> {
        let label = self.name("a label")?;
        let mut binder = None;
        if let Some(open) = self.cursor.eat(Kind::LeftBracket) {
            binder = Some(self.binder()?);
            self.expect_end(Kind::RightBracket, open)?;
        }
        self.expect_in(Kind::Colon, "a command is `label: guard -> updates;`")?;
        self.command_behind(label, binder)
    }

    /// What stands behind the label of a command.
    fn command_behind(&mut self, label: Name<'a>, binder: Option<Binder<'a>>) -> Parsed<Item<'a>> {
        if self.cursor.at(Kind::Arrow) {
            let diagnostic = self.expected("a guard").with_help("write `true` for a command that is always enabled");
            self.report(diagnostic);
            return Err(Failed);
        }
        let guard = self.expr()?;
        if self.cursor.eat(Kind::Arrow).is_none() {
            self.missing_arrow(label, &guard);
            return Err(Failed);
        }
        let updates = self.updates()?;
        let span = label.span.to(self.cursor.previous_span());
        self.semicolon();
        Ok(Item::Command(Box::new(Command { label, binder, guard, updates, span })))
    }

    fn missing_arrow(&mut self, label: Name<'a>, guard: &Expr<'a>) {
        let message = format!("expected `->`, found {}", self.found());
        let help = match self.cursor.peek() {
            Some(Kind::Assign) if matches!(guard.kind, ExprKind::Implies(_)) => {
                "the updates stand behind `->`; `=>` is an implication".to_owned()
            }
            Some(Kind::Assign) => format!("write `{}: true -> ...` for a command that is always enabled", label.text),
            _ if self.help_with_words().is_some() => self.help_with_words().unwrap_or_default().to_owned(),
            _ => format!("a command is `{}: guard -> x := e, y := f;` or `{}: guard -> skip;`", label.text, label.text),
        };
        let place = self.cursor.span();
        self.report(Diagnostic::error(codes::MISSING_ARROW, message, place, "expected `->`").with_help(help));
    }

    fn updates(&mut self) -> Parsed<Vec<Update<'a>>> {
        if self.cursor.eat(Kind::Skip).is_some() {
            return Ok(Vec::new());
        }
        let mut updates = vec![self.update()?];
        while self.cursor.eat(Kind::Comma).is_some() || self.lacks_comma() {
            updates.push(self.update()?);
        }
        Ok(updates)
    }

    /// Whether another update follows without a comma, which is reported.
    fn lacks_comma(&mut self) -> bool {
        use Kind::{Assign, Dot, LeftBracket, Name};
        let is_update = self.cursor.at(Name) && matches!(self.cursor.peek_at(1), Some(Assign | LeftBracket | Dot));
        if !is_update || self.at_command() {
            return false;
        }
        let message = format!("expected `,`, found {}", self.found());
        let diagnostic = Diagnostic::error(codes::UNEXPECTED, message, self.cursor.behind(), "a `,` is missing here");
        self.report(diagnostic.with_help("the updates of a command have commas between them: `x := 1, y := 2`"));
        true
    }

    fn update(&mut self) -> Parsed<Update<'a>> {
        if !self.cursor.at(Kind::Name) {
            let diagnostic = self.expected("an update").with_help("write `x := e`, or `skip` to change nothing");
            self.report(diagnostic);
            return Err(Failed);
        }
        let to = self.place()?;
        if self.cursor.at(Kind::Eq) {
            let diagnostic = self.expected("`:=`").with_help("`=` compares; `:=` writes");
            self.report(diagnostic);
            self.cursor.read_as(Kind::Assign);
        }
        self.expect_in(Kind::Assign, "an update is `x := x + 1`")?;
        let value = if self.cursor.eat(Kind::Input).is_some() { None } else { Some(self.expr()?) };
        let span = to.span.to(self.cursor.previous_span());
        Ok(Update { to, value, span })
    }
}

fn misplaced(word: &str, place: Span, item: &Item<'_>) -> Diagnostic {
    let message = format!("{word} cannot stand inside a process");
    let diagnostic = Diagnostic::error(codes::MISPLACED, message, place, "move it outside");
    diagnostic.with_help(match item {
        Item::Const(_) => "for a value that depends on the parameters, use `define`",
        Item::Property(_) => "outside, `P[0].x` names a variable of an instance",
        Item::Type(_) | Item::Process(_) | Item::Define(_) | Item::Var(_) | Item::Init(_) | Item::Command(_) => {
            "move it before `process` or behind the `}`; what is declared there is known inside, too"
        }
    })
}
