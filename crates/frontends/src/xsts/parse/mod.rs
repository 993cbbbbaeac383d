//! The parser: hand-written descent that reports what it expected and goes on with the next statement or declaration.

mod expr;
mod item;
mod statement;

use lapidary_text::descent::{Descent, Failed, Nesting, Parsed};
use lapidary_text::{Cursor, Diagnostic, Log, SourceId, Sources, Span, lexing};

use super::ast::{Expr, ExprKind, File, Name};
use super::codes;
use super::lexer::{self, Kind};
use super::limits::{MAX_NESTING, MAX_TEXT};

struct Parser<'a, 'l> {
    text: &'a str,
    cursor: Cursor<Kind>,
    log: &'l mut Log,
    nesting: usize,
    /// Whether the rest of the text is left: somewhere it is too deep.
    is_over: bool,
}

/// Reads a whole model, or as much of it as can be understood.
pub fn file<'a>(sources: &'a Sources, source: SourceId, log: &mut Log) -> File<'a> {
    Parser::new(sources, source, log).model(source)
}

/// Reads a text that consists of properties only.
pub fn properties<'a>(sources: &'a Sources, source: SourceId, log: &mut Log) -> File<'a> {
    Parser::new(sources, source, log).properties()
}

/// Reads a text that is a single expression.
pub fn formula<'a>(sources: &'a Sources, source: SourceId, log: &mut Log) -> Expr<'a> {
    let mut parser = Parser::new(sources, source, log);
    let span = parser.cursor.span();
    let parsed = parser.expr();
    if parsed.is_ok() && !parser.cursor.at_end() {
        let diagnostic = parser.expected("an operator or the end");
        let help = parser.help_with_words().unwrap_or("a formula is one expression, such as `x < 3 && !busy`");
        parser.report(diagnostic.with_help(help));
    }
    parsed.unwrap_or(Expr { kind: ExprKind::Error, span })
}

impl Nesting for Parser<'_, '_> {
    type Error = Failed;

    const MAX_NESTING: usize = MAX_NESTING;

    fn nesting(&mut self) -> &mut usize {
        &mut self.nesting
    }

    fn too_deep(&mut self) -> Failed {
        let message = format!("this is nested more than {MAX_NESTING} levels deep");
        let diagnostic = Diagnostic::error(codes::TOO_DEEP, message, self.cursor.span(), "too deep here");
        self.report(diagnostic.with_help("take an inner part out, and give its value to a local variable before"));
        // What follows would be complained about by all the levels that are open.
        self.is_over = true;
        while self.cursor.next().is_some() {}
        Failed
    }
}

impl Descent for Parser<'_, '_> {
    type Kind = Kind;

    fn cursor(&mut self) -> &mut Cursor<Kind> {
        &mut self.cursor
    }

    fn unexpected(&mut self, expected: &str) -> Failed {
        let diagnostic = self.expected(expected);
        self.report(diagnostic);
        Failed
    }
}

impl<'a, 'l> Parser<'a, 'l> {
    fn new(sources: &'a Sources, source: SourceId, log: &'l mut Log) -> Self {
        let mut text = sources.get(source).text.as_str();
        if text.len() > MAX_TEXT {
            let message = format!("the text is longer than {} MiB", MAX_TEXT >> 20);
            log.push(Diagnostic::error(codes::TOO_LARGE, message, Span::new(source, 0, 0), "none of it was read"));
            text = "";
        }
        let tokens = lexer::tokens(text, source, log);
        Self { text, cursor: Cursor::new(tokens, source, text.len()), log, nesting: 0, is_over: false }
    }

    fn slice(&self, span: Span) -> &'a str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or("")
    }

    fn expect(&mut self, kind: Kind) -> Parsed<Span> {
        Descent::expect(self, kind, lexer::describe(kind))
    }

    /// The same, with the form of the whole that is being read as advice.
    fn expect_in(&mut self, kind: Kind, form: &str) -> Parsed<Span> {
        if let Some(span) = self.cursor.eat(kind) {
            return Ok(span);
        }
        let diagnostic = self.expected(lexer::describe(kind)).with_help(form);
        self.report(diagnostic);
        Err(Failed)
    }

    /// The end of what was opened at `open`.
    fn expect_end(&mut self, kind: Kind, open: Span) -> Parsed<Span> {
        if let Some(span) = self.cursor.eat(kind) {
            return Ok(span);
        }
        let (opened, closing) = (self.slice(open), lexer::describe(kind));
        let diagnostic = self.expected(&format!("an operator or {closing}"));
        let diagnostic = diagnostic.with_label(open, format!("this `{opened}` is not closed"));
        let help = self.help_with_words().map_or_else(|| format!("close it with {closing}"), str::to_owned);
        self.report(diagnostic.with_help(help));
        Err(Failed)
    }

    /// A name; `what` says of what.
    fn name(&mut self, what: &str) -> Parsed<Name<'a>> {
        if let Some(span) = self.cursor.eat(Kind::Name) {
            return Ok(Name { text: self.slice(span), span });
        }
        let span = self.cursor.span();
        let text = self.slice(span);
        let diagnostic = self.expected(what);
        if !self.cursor.peek().is_some_and(lexer::is_keyword) {
            self.report(diagnostic);
            return Err(Failed);
        }
        self.report(diagnostic.with_help(format!("`{text}` is a word of the language; choose another name")));
        // A word that is followed like a name is meant as one; otherwise it starts something else.
        use Kind::{Assign, Colon, Comma, From, RightBrace, Semicolon};
        if !matches!(self.cursor.peek_at(1), Some(Colon | Comma | Assign | From | RightBrace | Semicolon)) {
            return Err(Failed);
        }
        self.cursor.next();
        Ok(Name { text, span })
    }

    /// Reports what is wrong with the next token, unless that is no token at all: then it was reported already.
    fn report(&mut self, diagnostic: Diagnostic) {
        if !self.cursor.at(Kind::Strange) && !self.is_over {
            self.log.push(diagnostic);
        }
    }

    fn expected(&self, expected: &str) -> Diagnostic {
        let message = format!("expected {expected}, found {}", self.found());
        Diagnostic::error(codes::UNEXPECTED, message, self.cursor.span(), format!("expected {expected}"))
    }

    fn found(&self) -> String {
        match self.cursor.peek() {
            None => "the end of the text".to_owned(),
            Some(Kind::Name | Kind::Number) => {
                format!("`{}`", lexing::beginning(self.slice(self.cursor.span()), 40))
            }
            Some(kind) => lexer::describe(kind).to_owned(),
        }
    }

    /// Advice for what other languages write here.
    fn help_with_words(&self) -> Option<&'static str> {
        match (self.slice(self.cursor.previous_span()), self.slice(self.cursor.span())) {
            (_, "and") => Some("write `&&`"),
            (_, "or") => Some("write `||`; `or` stands between branches"),
            (_, "=") => Some("`==` compares, and `:=` writes"),
            (_, ":=") => Some("`:=` writes, in a statement; `==` compares"),
            (_, "->") => Some("an implication is written `=>`"),
            (_, "<-") => Some(
                "`<-` is one token, for cells of arrays; a comparison with a negative number needs a space: `x < -1`",
            ),
            (_, "mod") => Some("write `%`"),
            (_, "div") => Some("write `/`"),
            ("not", _) => Some("write `!`"),
            _ => None,
        }
    }
}

fn starts_statement(kind: Kind) -> bool {
    use Kind::{Assume, Choice, For, Havoc, If, LeftBrace, Local, Name, Ort};
    matches!(kind, Name | Local | Havoc | Assume | Choice | If | Ort | LeftBrace | For)
}

/// The words that only ever start a declaration or a section.
fn starts_item(kind: Kind) -> bool {
    matches!(kind, Kind::Type | Kind::Ctrl | Kind::Var | Kind::Trans | Kind::Init | Kind::Env | Kind::Prop | Kind::Ltl)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes_of(text: &str) -> Vec<&'static str> {
        let mut sources = Sources::default();
        let source = sources.add("m.xsts", text);
        let mut log = Log::default();
        file(&sources, source, &mut log);
        log.finish(codes::TOO_MANY).list.iter().map(|diagnostic| diagnostic.code).collect()
    }

    const REST: &str = "init {} env {}";

    #[test]
    fn a_slip_costs_one_diagnostic() {
        let bodies = [
            "x := 1",
            "x = 1;",
            "x : 1;",
            "assume x == ;",
            "if x == 1 { x := 2; }",
            "choice { x := 1; or { x := 2; }",
            "local x : integer;",
            "for i = 0 to 3 do x := i;",
            "x := (1 + 2;",
            "assume a -> b;",
            "assume a and b;",
            "havoc x, y;",
            "x++;",
        ];
        for body in bodies {
            let text = format!("var x : integer = 0 trans {{ {body} }} {REST}");
            assert_eq!(codes_of(&text).len(), 1, "{body}: {:?}", codes_of(&text));
        }
    }

    #[test]
    fn each_broken_statement_is_reported() {
        let text = format!("trans {{ x := ; y := 1; havoc 3; assume ; z := 2 }} {REST}");
        assert_eq!(
            codes_of(&text),
            [codes::UNEXPECTED, codes::UNEXPECTED, codes::UNEXPECTED, codes::MISSING_SEMICOLON]
        );
    }

    #[test]
    fn deep_nesting_is_refused_and_long_chains_are_not() {
        let with = |statement: String| format!("trans {{ {statement} }} {REST}");
        assert_eq!(codes_of(&with(format!("assume {}x{};", "(".repeat(9999), ")".repeat(9999)))), [codes::TOO_DEEP]);
        assert_eq!(codes_of(&with(format!("assume {}x;", "!".repeat(9999)))), [codes::TOO_DEEP]);
        assert_eq!(codes_of(&with("{".repeat(9999) + &"}".repeat(9999))), [codes::TOO_DEEP]);
        assert_eq!(codes_of(&with(format!("{} x := 1;", "if (x) ".repeat(9999)))), [codes::TOO_DEEP]);
        assert_eq!(codes_of(&with(format!("{} x := 1;", "choice ".repeat(9999)))), [codes::TOO_DEEP]);
        for operator in ["&&", "||", "+", "-"] {
            assert_eq!(codes_of(&with(format!("assume x{};", format!("{operator}x").repeat(20_000)))), [""; 0]);
        }
    }

    #[test]
    fn a_comparison_of_comparisons_is_read_and_a_chain_is_not() {
        assert_eq!(codes_of(&format!("trans {{ assume a < b == c < d; }} {REST}")), [""; 0]);
        assert_eq!(codes_of(&format!("trans {{ assume a == b == c; }} {REST}")), [codes::COMPARISON_CHAIN]);
        assert_eq!(codes_of(&format!("trans {{ assume a < b < c; }} {REST}")), [codes::COMPARISON_CHAIN]);
    }
}
