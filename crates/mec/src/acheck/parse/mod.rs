//! The parser: hand-written descent that reports what it expected and goes on after the next `;` or `done`.

mod expr;

use lapidary_text::descent::{Descent, Failed, Nesting, Parsed};
use lapidary_text::{Cursor, Diagnostic, Log, SourceId, Sources, Span, lexing};

use super::ast::{Argument, ArgumentKind, Block, Command, Definition, Equation, Mode, Name, Redirection, Statement};
use super::codes;
use super::lexer::{self, Kind};
use super::limits::{MAX_NESTING, MAX_TEXT};

struct Parser<'a, 'l> {
    text: &'a str,
    cursor: Cursor<Kind>,
    log: &'l mut Log,
    nesting: usize,
}

/// Reads a whole specification, or as much of it as can be understood.
pub fn script(sources: &Sources, source: SourceId, log: &mut Log) -> Vec<Block> {
    let mut text = sources.get(source).text.as_str();
    if text.len() > MAX_TEXT {
        let message = format!("the text is longer than {} MiB", MAX_TEXT >> 20);
        log.push(Diagnostic::error(codes::LONG_TEXT, message, Span::new(source, 0, 0), "none of it was read"));
        text = "";
    }
    let tokens = lexer::tokens(text, source, log);
    let cursor = Cursor::new(tokens, source, text.len());
    let mut parser = Parser { text, cursor, log, nesting: 0 };
    let mut blocks = Vec::new();
    while !parser.cursor.at_end() {
        match parser.block() {
            Ok(block) => blocks.push(block),
            Err(Failed) => parser.skip_to_block(),
        }
    }
    blocks
}

impl Nesting for Parser<'_, '_> {
    type Error = Failed;

    const MAX_NESTING: usize = MAX_NESTING;

    fn nesting(&mut self) -> &mut usize {
        &mut self.nesting
    }

    fn too_deep(&mut self) -> Failed {
        let message = format!("more than {MAX_NESTING} levels of nesting");
        let diagnostic = Diagnostic::error(codes::TOO_DEEP, message, self.cursor.span(), "too deep");
        self.log.push(diagnostic.with_help("give a name to an inner part with `:=`"));
        Failed
    }
}

impl Descent for Parser<'_, '_> {
    type Kind = Kind;

    fn cursor(&mut self) -> &mut Cursor<Kind> {
        &mut self.cursor
    }

    fn unexpected(&mut self, expected: &str) -> Failed {
        // A strange character was reported by the lexer.
        if !self.cursor.at(Kind::Strange) {
            let span = self.cursor.span();
            let found = match self.cursor.at_end() {
                true => "the end of the text".to_owned(),
                false => format!("`{}`", lexing::beginning(self.slice(span), lexing::MAX_WRITTEN)),
            };
            let message = format!("expected {expected}, found {found}");
            self.log.push(Diagnostic::error(codes::UNEXPECTED, message, span, "here"));
        }
        Failed
    }
}

impl Parser<'_, '_> {
    fn block(&mut self) -> Parsed<Block> {
        let with = self.cursor.span();
        self.expect(Kind::With, "`with`, which begins a block")?;
        let nodes = self.several(Kind::Comma, |parser| parser.name("the name of a node"))?;
        self.expect(Kind::Do, "`,` or `do`")?;
        let mut statements = Vec::new();
        while self.cursor.eat(Kind::Done).is_none() {
            if self.cursor.at_end() || self.cursor.at(Kind::With) {
                let message = "this block is not closed";
                let diagnostic = Diagnostic::error(codes::OPEN_BLOCK, message, with, "it begins here");
                self.log.push(diagnostic.with_help("close it with `done`"));
                break;
            }
            match self.statement() {
                Ok(statement) => statements.push(statement),
                Err(Failed) => self.skip_statement(),
            }
        }
        while self.cursor.eat(Kind::Semicolon).is_some() {}
        Ok(Block { nodes, statements })
    }

    fn statement(&mut self) -> Parsed<Statement> {
        let name = self.name("a definition, a command or `done`")?;
        let kind = match self.cursor.peek() {
            Some(Kind::Define) => Equation::Plain,
            Some(Kind::Least) => Equation::Least,
            Some(Kind::Greatest) => Equation::Greatest,
            _ => return self.command(name).map(Statement::Command),
        };
        self.cursor.next();
        let body = self.expr()?;
        self.expect(Kind::Semicolon, "an operator or `;`")?;
        Ok(Statement::Definition(Definition { name, kind, body }))
    }

    fn command(&mut self, mut name: Name) -> Parsed<Command> {
        // `dot-trace` is one word to its users and three tokens to the lexer.
        if self.cursor.at(Kind::Minus) && self.cursor.peek_at(1) == Some(Kind::Name) {
            self.cursor.next();
            let second = self.name("a command")?;
            name = Name { text: format!("{}-{}", name.text, second.text), span: name.span.to(second.span) };
        }
        let mut arguments = Vec::new();
        self.expect(Kind::LeftParen, "`:=`, `+=`, `-=` or `(`")?;
        if self.cursor.eat(Kind::RightParen).is_none() {
            arguments = self.several(Kind::Comma, Self::argument)?;
            self.expect(Kind::RightParen, "an operator, `,` or `)`")?;
        }
        let redirection = self.redirection()?;
        let span = name.span.to(self.cursor.previous_span());
        self.expect(Kind::Semicolon, "`;`, `>` or `>>`")?;
        Ok(Command { name, arguments, redirection, span })
    }

    fn redirection(&mut self) -> Parsed<Option<Redirection>> {
        let mode = match self.cursor.peek() {
            Some(Kind::Into) => Mode::Replace,
            Some(Kind::Onto) => Mode::Append,
            _ => return Ok(None),
        };
        self.cursor.next();
        let path = self.quoted("a file name between quotes")?;
        Ok(Some(Redirection { mode, path }))
    }

    fn argument(&mut self) -> Parsed<Argument> {
        let start = self.cursor.span();
        let kind = match self.cursor.peek() {
            Some(Kind::Quoted) => ArgumentKind::Text(self.quoted("a name")?.text),
            Some(Kind::Number) => ArgumentKind::Number(self.number()?),
            Some(Kind::Name) if matches!(self.cursor.peek_at(1), Some(Kind::Dot | Kind::LeftBracket)) => {
                ArgumentKind::Path(self.path()?.text)
            }
            Some(Kind::LeftParen) if self.tuple_follows() => ArgumentKind::Tuple(self.tuple()?),
            _ => ArgumentKind::Expr(self.expr()?),
        };
        Ok(Argument { kind, span: start.to(self.cursor.previous_span()) })
    }

    /// Whether the parenthesis that opens here has a comma of its own.
    fn tuple_follows(&self) -> bool {
        let mut depth = 0usize;
        for ahead in 0.. {
            match self.cursor.peek_at(ahead) {
                Some(Kind::LeftParen | Kind::LeftBracket) => depth += 1,
                Some(Kind::RightParen | Kind::RightBracket) if depth <= 1 => return false,
                Some(Kind::RightParen | Kind::RightBracket) => depth -= 1,
                Some(Kind::Comma) if depth == 1 => return true,
                Some(Kind::Semicolon | Kind::Done) | None => return false,
                Some(_) => {}
            }
        }
        false
    }

    fn tuple(&mut self) -> Parsed<Vec<super::ast::Expr>> {
        self.expect(Kind::LeftParen, "`(`")?;
        let parts = self.several(Kind::Comma, Self::expr)?;
        self.expect(Kind::RightParen, "an operator, `,` or `)`")?;
        Ok(parts)
    }

    /// `C.V[0].dec`, written without spaces. Indexes are numbers.
    fn path(&mut self) -> Parsed<Name> {
        let mut path = self.name("a name")?;
        loop {
            if self.cursor.eat(Kind::Dot).is_some() {
                let part = self.name("a name")?;
                path.text = format!("{}.{}", path.text, part.text);
            } else if self.cursor.eat(Kind::LeftBracket).is_some() {
                let index = self.number()?;
                self.expect(Kind::RightBracket, "`]`")?;
                path.text = format!("{}[{index}]", path.text);
            } else {
                path.span = path.span.to(self.cursor.previous_span());
                return Ok(path);
            }
        }
    }

    /// A name; between quotes it is the same one.
    fn name(&mut self, what: &str) -> Parsed<Name> {
        match self.cursor.peek() {
            Some(Kind::Quoted) => self.quoted(what),
            Some(Kind::Name) => {
                let span = self.cursor.span();
                self.cursor.next();
                Ok(Name { text: self.slice(span).to_owned(), span })
            }
            _ => Err(self.unexpected(what)),
        }
    }

    fn quoted(&mut self, what: &str) -> Parsed<Name> {
        let span = self.cursor.span();
        self.expect(Kind::Quoted, what)?;
        let inner = self.slice(span);
        let text = inner.get(1..inner.len() - 1).unwrap_or("").to_owned();
        Ok(Name { text, span })
    }

    fn number(&mut self) -> Parsed<u128> {
        let span = self.cursor.span();
        self.expect(Kind::Number, "a number")?;
        self.slice(span).parse().map_err(|_| {
            let message = "this number is too large";
            self.log.push(Diagnostic::error(codes::LONG_TEXT, message, span, "it does not fit 128 bits"));
            Failed
        })
    }

    fn slice(&self, span: Span) -> &str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or("")
    }

    fn skip_statement(&mut self) {
        while !self.cursor.at_end() && !self.cursor.at(Kind::Done) && !self.cursor.at(Kind::With) {
            if self.cursor.next().is_some_and(|token| token.kind == Kind::Semicolon) {
                return;
            }
        }
    }

    fn skip_to_block(&mut self) {
        self.cursor.next();
        while !self.cursor.at_end() && !self.cursor.at(Kind::With) {
            self.cursor.next();
        }
    }
}
