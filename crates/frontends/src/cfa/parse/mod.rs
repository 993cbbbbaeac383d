//! The parser: hand-written descent that reports what it expected and goes on with the next statement or declaration.

mod bits;
mod expr;
mod item;
mod operators;
mod statement;
mod suffix;
mod ty;
mod unsupported;

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
}

/// Reads a whole model, or as much of it as can be understood.
pub fn file<'a>(sources: &'a Sources, source: SourceId, log: &mut Log) -> File<'a> {
    Parser::new(sources, source, log).file()
}

/// Reads a text that is a single expression.
pub fn formula<'a>(sources: &'a Sources, source: SourceId, log: &mut Log) -> Expr<'a> {
    let mut parser = Parser::new(sources, source, log);
    let span = parser.cursor.span();
    let parsed = parser.expr();
    if parsed.is_ok() && !parser.cursor.at_end() {
        let diagnostic = parser.expected("an operator or the end");
        let help = parser.help_with_words().unwrap_or("a formula is one expression, such as `x < 3 and not busy`");
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
        let diagnostic = too_deep(self.cursor.span());
        self.report(diagnostic);
        Failed
    }
}

/// What nests too deeply, in the text or by itself.
pub fn too_deep(span: Span) -> Diagnostic {
    let message = format!("this is nested more than {MAX_NESTING} levels deep");
    Diagnostic::error(codes::TOO_DEEP, message, span, "too deep here")
        .with_help("assign an inner part to a variable of its own first")
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
        Self { text, cursor: Cursor::new(tokens, source, text.len()), log, nesting: 0 }
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
        let (text, span) = (self.slice(self.cursor.span()), self.cursor.span());
        if self.cursor.eat(Kind::Name).is_some() {
            return Ok(Name { text, span });
        }
        let diagnostic = self.expected(what);
        if !self.cursor.peek().is_some_and(lexer::is_keyword) {
            self.report(diagnostic);
            return Err(Failed);
        }
        self.report(diagnostic.with_help(format!("`{text}` is a word of the language; choose another name")));
        // A word that is followed like a name is meant as one; otherwise it starts something else.
        use Kind::{Arrow, Assign, Colon, LeftBrace, LeftParen};
        if !matches!(self.cursor.peek_at(1), Some(Colon | Arrow | Assign | LeftParen | LeftBrace)) {
            return Err(Failed);
        }
        self.cursor.next();
        Ok(Name { text, span })
    }

    /// A number of bits, or a place among them.
    fn small_number(&mut self, what: &str) -> Parsed<(u32, Span)> {
        let span = self.cursor.span();
        if !self.cursor.at(Kind::Number) {
            return Err(self.unexpected(what));
        }
        self.cursor.next();
        // What is so large is refused for that wherever it is used.
        Ok((self.slice(span).parse().unwrap_or(u32::MAX), span))
    }

    /// Reports what is wrong with the next token, unless that is no token at all: then it was reported already.
    fn report(&mut self, diagnostic: Diagnostic) {
        if !self.cursor.at(Kind::Strange) {
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
            Some(Kind::Name | Kind::Number | Kind::Bits | Kind::BitWord | Kind::FloatWord) => {
                format!("`{}`", lexing::beginning(self.slice(self.cursor.span()), 40))
            }
            Some(kind) => lexer::describe(kind).to_owned(),
        }
    }

    /// Advice for words that are written differently elsewhere.
    fn help_with_words(&self) -> Option<&'static str> {
        match (self.slice(self.cursor.previous_span()), self.slice(self.cursor.span())) {
            (_, "div") => Some("write `/`"),
            (_, "%") => Some("the rest of a division is `mod`, or `rem` with the sign of the divisor"),
            (_, "implies") => Some("write `imply`"),
            (_, ":=") => Some("`:=` writes, in a statement; `=` compares"),
            (_, "?") => Some("a choice is `if c then a else b`"),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes_of(text: &str) -> Vec<&'static str> {
        let mut sources = Sources::default();
        let source = sources.add("m.cfa", text);
        let mut log = Log::default();
        file(&sources, source, &mut log);
        log.finish(codes::TOO_MANY).list.iter().map(|diagnostic| diagnostic.code).collect()
    }

    /// An automaton with one edge.
    fn on_edge(statements: &str) -> String {
        format!("main process p {{ var x : int init loc A loc B A -> B {{ {statements} }} B -> A }}")
    }

    #[test]
    fn what_is_good_is_read_in_silence() {
        let texts = [
            "var n : int main process p { init loc A final loc B error loc C A -> B A -> C {} }".to_owned(),
            on_edge("x := 1 havoc x assume x > 0 and not x = 3 assume if x = 1 then true else x /= 2"),
            on_edge("a := a[0 <- b[1]] b := [0 <- 1, 1 <- 2, default <- 0] b := [<[int] -> bv[3]>default <- c]"),
            on_edge("v := 4'b0101 bvadd 8'xff[4:0] ++ 4'd-3 w := v bv_zero_extend bv[8] w := bvnot bvneg w"),
            "process q(a : int, b : [int] -> bool) { } main process p { init loc A }".to_owned(),
        ];
        for text in texts {
            assert_eq!(codes_of(&text), [""; 0], "{text}");
        }
    }

    #[test]
    fn a_slip_costs_one_diagnostic() {
        let texts = [
            on_edge("x = 3 x := 4"),
            on_edge("x := 3; x := 4"),
            on_edge("x := (1 + 2 x := 4"),
            on_edge("a[3] := 4 x := 1"),
            on_edge("assume x < 3 < 4 x := 2"),
            on_edge("assume x = 3 = y"),
            on_edge("x := 1 + not y"),
            on_edge("x + 1"),
            "main process p { var x int init loc A A -> A }".to_owned(),
            "main process p { init loc A A -> A { x := 1 loc B A -> B }".to_owned(),
            "main process p { init loc A".to_owned(),
            "loc A main process p { init loc A }".to_owned(),
        ];
        for text in texts {
            assert_eq!(codes_of(&text).len(), 1, "{text}: {:?}", codes_of(&text));
        }
    }

    #[test]
    fn what_is_not_supported_is_told_once_each() {
        use codes::UNSUPPORTED;
        let statements = "f := 8'd0.23'd0 f := -1'b1.2'b0 fpadd[RNE] f g := fptofp[11,53][RNE] f assume 1%3 = r \
             assume forall (i : int, j : bool) i > 0 assume (exists (i : int) i > 0) x := x' + f(1, 2) \
             y := (i : int, j : bool) -> i + 1 return x";
        assert_eq!(codes_of(&on_edge(statements)), [UNSUPPORTED; 11]);
        let types = "var a : rat var b : fp[8,24] var c : fp[8:24] var d : (int, bool) -> int var e : [int] -> rat \
             var f : [[int] -> bool] -> int";
        assert_eq!(codes_of(types), [UNSUPPORTED; 6]);
    }

    #[test]
    fn deep_nesting_is_refused_and_long_chains_are_not() {
        for (open, close) in [("(", ")"), ("-", ""), ("not ", ""), ("if x then y else ", ""), ("bvnot ", "")] {
            let deep = format!("assume {}x{}", open.repeat(100_000), close.repeat(100_000));
            assert_eq!(codes_of(&on_edge(&deep)), [codes::TOO_DEEP], "{open}");
        }
        assert_eq!(codes_of(&on_edge(&format!("assume x{}", "[1]".repeat(1000)))), [codes::TOO_DEEP]);
        assert_eq!(codes_of(&format!("var x : {}int", "[int] -> ".repeat(1000))), [codes::TOO_DEEP]);
        for operator in ["and", "or", "xor", "imply", "iff", "+", "*", "++", "bvor", "bvshl"] {
            let chain = format!("assume x{}", format!(" {operator} x").repeat(100_000));
            assert_eq!(codes_of(&on_edge(&chain)), [""; 0], "{operator}");
        }
    }
}
