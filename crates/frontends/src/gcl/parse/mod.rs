//! The parser: hand-written descent that reports what it expected and goes on after the next `;` or `}`.

mod expr;
mod item;
mod ty;

use lapidary_base::IdVec;
use lapidary_ir::EnumId;
use lapidary_text::descent::{Descent, Failed, Nesting, Parsed};
use lapidary_text::{Cursor, Diagnostic, Log, SourceId, Sources, Span, lexing};

use super::ast::{Enumeration, Expr, ExprKind, File, Item, Name};
use super::codes;
use super::lexer::{self, Kind};
use super::limits::{MAX_NESTING, MAX_TEXT};

/// Whether G, F, X, U, R, W and M are operators.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Logic {
    State,
    Temporal,
}

/// Whether `[` after a name is an index. After a bound of a type it is the size of an array: `0..N[2]`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Brackets {
    Index,
    Size,
}

struct Parser<'a, 'l> {
    text: &'a str,
    cursor: Cursor<Kind>,
    log: &'l mut Log,
    enums: IdVec<EnumId, Enumeration<'a>>,
    /// Declarations that stand inside a process but belong outside.
    hoisted: Vec<Item<'a>>,
    /// Whether a process is open; processes do not nest.
    is_inside: bool,
    nesting: usize,
    logic: Logic,
    brackets: Brackets,
    /// Words of the language that are read as names since one was declared so.
    renamed: Vec<Kind>,
}

/// Reads a whole model, or as much of it as can be understood.
pub fn file<'a>(sources: &'a Sources, source: SourceId, log: &mut Log) -> File<'a> {
    let mut parser = Parser::new(sources, source, log);
    let items = parser.items();
    File { items, enums: parser.enums }
}

/// Reads a text that is a single expression: a formula or a constant's value.
pub fn formula<'a>(sources: &'a Sources, source: SourceId, log: &mut Log) -> Expr<'a> {
    lone(sources, source, Logic::State, log)
}

/// The same with temporal operators.
pub fn temporal_formula<'a>(sources: &'a Sources, source: SourceId, log: &mut Log) -> Expr<'a> {
    lone(sources, source, Logic::Temporal, log)
}

fn lone<'a>(sources: &'a Sources, source: SourceId, logic: Logic, log: &mut Log) -> Expr<'a> {
    let mut parser = Parser::new(sources, source, log);
    parser.logic = logic;
    let span = parser.cursor.span();
    let parsed = parser.expr();
    if parsed.is_ok() && !parser.cursor.at_end() {
        let diagnostic = parser.expected("an operator or the end");
        let help = parser.help_with_words().unwrap_or("a formula is one expression, such as `x < 3 & !busy`");
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
        self.report(diagnostic.with_help("give a name to an inner part with `define`"));
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
        Self {
            text,
            cursor: Cursor::new(tokens, source, text.len()),
            log,
            enums: IdVec::new(),
            hoisted: Vec::new(),
            is_inside: false,
            nesting: 0,
            logic: Logic::State,
            brackets: Brackets::Index,
            renamed: Vec::new(),
        }
    }

    fn slice(&self, span: Span) -> &'a str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or("")
    }

    /// Inside parentheses and brackets a following `[` is an index again.
    fn bracketed<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        let outer = std::mem::replace(&mut self.brackets, Brackets::Index);
        let parsed = parse(self);
        self.brackets = outer;
        parsed
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
        let (text, span) = (self.slice(self.cursor.span()), self.cursor.span());
        let diagnostic = self.expected(what);
        if !self.cursor.peek().is_some_and(lexer::is_keyword) {
            self.report(diagnostic);
            return Err(Failed);
        }
        self.report(diagnostic.with_help(format!("`{text}` is a word of the language; choose another name")));
        let Some(kind) = self.cursor.peek() else { return Err(Failed) };
        // A word that is followed like a name is meant as one; otherwise it starts something else.
        use Kind::{Assign, Colon, Comma, Eq, LeftParen, RightBrace};
        if !matches!(self.cursor.peek_at(1), Some(Colon | Comma | Eq | Assign | LeftParen | RightBrace)) {
            return Err(Failed);
        }
        self.cursor.next();
        // Where the word could not do its own work it is this name again, which is no further mistake. All the text is
        // looked at, so once for each word.
        if self.renamed.contains(&kind) {
            return Ok(Name { text, span });
        }
        self.renamed.push(kind);
        self.cursor.read_all_as(kind, Kind::Name, |before, after| {
            let starts_item = matches!(before, None | Some(Kind::Semicolon | Kind::LeftBrace | Kind::RightBrace));
            !starts_item && after.is_none_or(|kind| kind != Kind::Name)
        });
        Ok(Name { text, span })
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
            Some(Kind::Name | Kind::Number) => {
                format!("`{}`", lexing::beginning(self.slice(self.cursor.span()), 40))
            }
            Some(kind) => lexer::describe(kind).to_owned(),
        }
    }

    /// The semicolon after an item. Where it is missing before a new item, nothing is skipped.
    fn semicolon(&mut self) {
        if self.cursor.eat(Kind::Semicolon).is_some() {
            return;
        }
        if self.cursor.peek().is_none_or(starts_item) || self.at_command() || self.cursor.at(Kind::RightBrace) {
            let message = format!("expected `;`, found {}", self.found());
            let diagnostic =
                Diagnostic::error(codes::MISSING_SEMICOLON, message, self.cursor.behind(), "a `;` is missing here");
            self.report(diagnostic.with_help("declarations, commands and properties end with `;`"));
            return;
        }
        let diagnostic = self.expected("an operator or `;`");
        let help = self.help_with_words().unwrap_or("what was begun ends with `;`, or an operator joins the two parts");
        self.report(diagnostic.with_help(help));
        self.synchronise();
    }

    /// Advice for words that are operators elsewhere.
    fn help_with_words(&self) -> Option<&'static str> {
        match (self.slice(self.cursor.previous_span()), self.slice(self.cursor.span())) {
            (_, "and") => Some("write `&`"),
            (_, "or") => Some("write `|`"),
            (_, ":=") => Some("`:=` writes, in the updates of a command; `=` compares"),
            ("not", _) => Some("write `!`"),
            ("G" | "F" | "X", _) | (_, "U" | "R" | "W" | "M") if self.logic == Logic::State => {
                Some("temporal operators belong in properties `ltl NAME: ...;`")
            }
            _ => None,
        }
    }

    /// Skips to the end of the broken item: behind a `;`, before a `}` or before the next declaration.
    fn synchronise(&mut self) {
        let mut n_braces = 0usize;
        while let Some(kind) = self.cursor.peek() {
            match kind {
                Kind::Semicolon if n_braces == 0 => {
                    self.cursor.next();
                    return;
                }
                Kind::LeftBrace => n_braces += 1,
                Kind::RightBrace if n_braces > 0 => n_braces -= 1,
                Kind::RightBrace if self.is_inside => return,
                kind if starts_item(kind) => return,
                _ => {}
            }
            self.cursor.next();
        }
    }
}

/// The keywords that only ever start a declaration.
fn starts_item(kind: Kind) -> bool {
    use Kind::{Const, Control, DeadlockFree, Define, Init, Invariant, Ltl, Process, Reach, Type, Var};
    matches!(kind, Const | Type | Define | Var | Control | Init | Process | Invariant | Reach | DeadlockFree | Ltl)
}

fn starts_expression(kind: Kind) -> bool {
    use Kind::{Count, Exists, False, Forall, If, LeftParen, Minus, Name, Not, Number, Sum, True};
    matches!(kind, Name | Number | True | False | If | Forall | Exists | Sum | Count | LeftParen | Minus | Not)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes_of(text: &str) -> Vec<&'static str> {
        let mut sources = Sources::default();
        let source = sources.add("m.gcl", text);
        let mut log = Log::default();
        file(&sources, source, &mut log);
        log.finish(codes::TOO_MANY).list.iter().map(|diagnostic| diagnostic.code).collect()
    }

    #[test]
    fn every_broken_item_is_reported_and_no_other() {
        let text =
            "const = 3; var x : ; var y : bool; process P( { a: true skip; b: true -> skip; } init ; reach r: y;";
        assert_eq!(
            codes_of(text),
            [codes::UNEXPECTED, codes::UNEXPECTED, codes::UNEXPECTED, codes::MISSING_ARROW, codes::UNEXPECTED]
        );
    }

    #[test]
    fn a_slip_costs_one_diagnostic() {
        let texts = [
            "var count : 0..3 = 0; step: count < 3 -> count := count + 1; reach r: count = 3;",
            "vra x : bool = false; step: x -> x := false;",
            "var x, y : bool; step: x -> x := false y := true; reach r: y;",
            "var x : bool; step: x -> x = false; reach r: x;",
            "var x : bool; step x = true -> x := false; reach r: x;",
            "var x : bool; reach r: not x;",
            "process P(i : 0..1) var x : bool; a: x -> skip; } reach r: P[0].x;",
            "assert mutex: true; var x : bool;",
            "invariant: true; var x : bool;",
        ];
        for text in texts {
            assert_eq!(codes_of(text).len(), 1, "{text}: {:?}", codes_of(text));
        }
    }

    #[test]
    fn a_missing_semicolon_costs_one_diagnostic() {
        assert_eq!(codes_of("const N = 2\nvar x : bool\nstep: x -> skip; init x"), [codes::MISSING_SEMICOLON; 3]);
    }

    #[test]
    fn deep_nesting_is_refused_and_long_chains_are_not() {
        let deep = format!("init {}x{};", "(".repeat(100_000), ")".repeat(100_000));
        assert_eq!(codes_of(&deep), [codes::TOO_DEEP]);
        assert_eq!(codes_of(&format!("init {}x;", "!".repeat(100_000))), [codes::TOO_DEEP]);
        assert_eq!(codes_of(&format!("init {}x;", "if x then y else ".repeat(100_000))), [codes::TOO_DEEP]);
        for operator in ["&", "|", "=>", "<=>", "+", "*"] {
            assert_eq!(codes_of(&format!("init x{};", format!("{operator}x").repeat(100_000))), [""; 0]);
        }
    }

    #[test]
    fn a_process_that_is_not_closed_is_one_mistake() {
        assert_eq!(codes_of("process P() { a: true -> skip; invariant i: true; reach r: true;"), [codes::OPEN_PROCESS]);
    }
}
