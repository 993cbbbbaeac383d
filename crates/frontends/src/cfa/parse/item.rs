//! Declarations: variables, processes, locations and edges.

use lapidary_text::descent::{Descent, Failed, Parsed};
use lapidary_text::{Diagnostic, Span};

use super::super::ast::{Edge, File, Location, Process, Role, Type, Var};
use super::super::codes;
use super::super::lexer::Kind;
use super::Parser;

const IN_PROCESS: &str = "a process has `var`, `loc` and edges such as `L0 -> L1 { x := 1 }`";

impl<'a> Parser<'a, '_> {
    pub(super) fn file(&mut self) -> File<'a> {
        let mut file: File<'a> = Default::default();
        while !self.cursor.at_end() && self.log.goes_on() {
            let before = self.cursor.position();
            if self.global(&mut file).is_err() {
                self.synchronise();
            }
            if self.cursor.position() == before {
                self.cursor.next();
            }
        }
        file
    }

    fn global(&mut self, file: &mut File<'a>) -> Parsed<()> {
        match self.cursor.peek() {
            Some(Kind::Var) => file.vars.push(self.var()?),
            Some(_) if self.at_process() => self.process(file)?,
            Some(Kind::Loc | Kind::Init | Kind::Final | Kind::Error) => {
                let place = self.cursor.span();
                self.location()?;
                self.misplaced("a location", place, "outside of a process", "move it into the braces of a process");
            }
            Some(Kind::Name) if self.at_edge() => {
                let place = self.cursor.span();
                self.edge()?;
                self.misplaced("an edge", place, "outside of a process", "move it into the braces of a process");
            }
            _ => {
                let diagnostic = self.expected("`var` or `process`");
                self.report(diagnostic.with_help("a model has global variables and processes, one of them `main`"));
                return Err(Failed);
            }
        }
        Ok(())
    }

    fn misplaced(&mut self, what: &str, place: Span, side: &str, help: &str) {
        let message = format!("{what} cannot stand {side}");
        self.log.push(Diagnostic::error(codes::MISPLACED, message, place, "it belongs elsewhere").with_help(help));
    }

    /// `var x : int`
    fn var(&mut self) -> Parsed<Var<'a>> {
        self.expect(Kind::Var)?;
        let name = self.name("a variable")?;
        let ty = match self.declared_type("a variable is `var x : int`") {
            Ok(ty) => ty,
            // A variable whose type is not understood is declared all the same.
            Err(Failed) => {
                self.synchronise();
                Type::Error
            }
        };
        Ok(Var { name, ty })
    }

    fn declared_type(&mut self, form: &str) -> Parsed<Type> {
        self.expect_in(Kind::Colon, form)?;
        let ty = self.ty()?;
        if self.cursor.at(Kind::Eq) || self.cursor.at(Kind::Assign) {
            let diagnostic = self.expected("the next declaration");
            let help = "variables start with any value; assign one on the edge out of the initial location";
            self.report(diagnostic.with_help(help));
            return Err(Failed);
        }
        Ok(ty)
    }

    fn process(&mut self, file: &mut File<'a>) -> Parsed<()> {
        let main = self.cursor.eat(Kind::Main);
        self.expect_in(Kind::Process, "a process is `main process NAME { ... }`")?;
        let name = self.name("the name of a process")?;
        let params = self.params()?;
        let open = self.expect_in(Kind::LeftBrace, IN_PROCESS)?;
        let (vars, locations, edges) = (Vec::new(), Vec::new(), Vec::new());
        let mut process = Process { main, name, params, vars, locations, edges };
        self.process_items(&mut process, open);
        file.processes.push(process);
        Ok(())
    }

    fn params(&mut self) -> Parsed<Vec<Var<'a>>> {
        let Some(open) = self.cursor.eat(Kind::LeftParen) else { return Ok(Vec::new()) };
        let mut params = Vec::new();
        if !self.cursor.at(Kind::RightParen) {
            params = self.several(Kind::Comma, Self::param)?;
        }
        self.expect_end(Kind::RightParen, open)?;
        Ok(params)
    }

    fn param(&mut self) -> Parsed<Var<'a>> {
        let name = self.name("a parameter")?;
        Ok(Var { name, ty: self.declared_type("a parameter is `n : int`")? })
    }

    /// What stands between the braces. A process that begins before the end shows that one is missing.
    fn process_items(&mut self, process: &mut Process<'a>, open: Span) {
        while self.log.goes_on() {
            let before = self.cursor.position();
            match self.cursor.peek() {
                Some(Kind::RightBrace) => {
                    self.cursor.next();
                    return;
                }
                Some(_) if !self.at_process() => {}
                Some(_) | None => {
                    self.not_closed("process", open);
                    return;
                }
            }
            if self.local(process).is_err() {
                self.synchronise();
            }
            if self.cursor.position() == before {
                self.cursor.next();
            }
        }
    }

    pub(super) fn not_closed(&mut self, what: &str, open: Span) {
        let message = format!("expected `}}`, found {}", self.found());
        let diagnostic =
            Diagnostic::error(codes::OPEN_BRACE, message, self.cursor.span(), "a `}` is missing before this");
        let diagnostic = diagnostic.with_label(open, "this `{` is not closed");
        self.report(diagnostic.with_help(format!("close the {what} with `}}`")));
    }

    fn local(&mut self, process: &mut Process<'a>) -> Parsed<()> {
        match self.cursor.peek() {
            Some(Kind::Var) => process.vars.push(self.var()?),
            Some(Kind::Loc | Kind::Init | Kind::Final | Kind::Error) => process.locations.push(self.location()?),
            Some(Kind::Name) if self.at_edge() => process.edges.push(self.edge()?),
            _ => {
                let diagnostic = self.expected("a variable, a location or an edge");
                let is_statement = self.at_statement() || self.cursor.at(Kind::LeftBracket);
                let help = if is_statement { "statements stand in the braces of an edge" } else { IN_PROCESS };
                self.report(diagnostic.with_help(help));
                return Err(Failed);
            }
        }
        Ok(())
    }

    fn location(&mut self) -> Parsed<Location<'a>> {
        let role = match self.cursor.peek() {
            Some(Kind::Init) => Some(Role::Init),
            Some(Kind::Final) => Some(Role::Final),
            Some(Kind::Error) => Some(Role::Error),
            _ => None,
        };
        if role.is_some() {
            self.cursor.next();
        }
        self.expect_in(Kind::Loc, "a location is `loc L`, `init loc L`, `final loc L` or `error loc L`")?;
        Ok(Location { role, name: self.name("the name of a location")? })
    }

    /// Whether an edge begins here.
    pub(super) fn at_edge(&self) -> bool {
        self.cursor.at(Kind::Name) && self.cursor.peek_at(1) == Some(Kind::Arrow)
    }

    /// `L0 -> L1 { x := 1 }`
    fn edge(&mut self) -> Parsed<Edge<'a>> {
        let from = self.name("a location")?;
        self.expect(Kind::Arrow)?;
        let to = self.name("a location")?;
        let body = match self.cursor.eat(Kind::LeftBrace) {
            Some(open) => self.statements(open),
            None => Vec::new(),
        };
        Ok(Edge { from, to, body, span: from.span.to(self.cursor.previous_span()) })
    }

    /// Whether a declaration begins here.
    pub(super) fn at_item(&self) -> bool {
        use Kind::{Error, Final, Init, Loc, Var};
        let is_local = matches!(self.cursor.peek(), Some(Var | Loc | Init | Final | Error)) || self.at_edge();
        is_local || self.at_process()
    }

    /// Whether a process begins here.
    fn at_process(&self) -> bool {
        let is_main = self.cursor.at(Kind::Main) && self.cursor.peek_at(1) == Some(Kind::Process);
        is_main || self.cursor.at(Kind::Process)
    }

    /// Skips to the next declaration, or to the end of the process.
    fn synchronise(&mut self) {
        let mut n_braces = 0usize;
        while let Some(kind) = self.cursor.peek() {
            match kind {
                Kind::LeftBrace => n_braces += 1,
                Kind::RightBrace if n_braces > 0 => n_braces -= 1,
                Kind::RightBrace => return,
                _ if self.at_item() => return,
                _ => {}
            }
            self.cursor.next();
        }
    }
}
