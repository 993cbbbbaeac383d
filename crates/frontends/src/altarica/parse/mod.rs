//! The parser: hand-written descent that reports what it expected and goes on at the next `;`, section or `edon`.

mod dialect;
mod domain;
mod expr;
mod item;
mod node;
mod section;
mod tokens;

use lapidary_base::hash::Map;
use lapidary_text::descent::{Descent, Failed, Nesting, Parsed};
use lapidary_text::{Cursor, Diagnostic, Log, SourceId, Sources, Span, lexing, spelling};

use super::ast::{Expr, ExprKind, File, Item, Name};
use super::codes;
use super::lexer::{self, Kind};
use super::library::{Alone, Library};
use super::limits::{MAX_COPIED, MAX_NESTING};
use super::preprocess::{Preprocessor, Tokens};

/// The words that a section begins with, and the one that ends them all.
const SECTIONS: [&str; 11] =
    ["state", "flow", "event", "trans", "assert", "init", "sub", "sync", "param", "extern", "edon"];

/// Words of other languages, and what they are here.
const ELSEWHERE: [(&str, &str); 4] =
    [("end", "edon"), ("transition", "trans"), ("transitions", "trans"), ("var", "state")];

/// The words that a declaration outside of nodes begins with.
const DECLARATIONS: [&str; 5] = ["node", "const", "domain", "sort", "sig"];

struct Parser<'a, 'l> {
    sources: &'a Sources,
    cursor: Cursor<Kind>,
    /// The bytes that each token was written with.
    texts: Vec<Span>,
    log: &'l mut Log,
    /// Declarations that stand inside a node but belong outside.
    hoisted: Vec<Item>,
    n_open_nodes: usize,
    nesting: usize,
    n_copied: usize,
}

/// Reads a whole model that stands in one text, or as much of it as can be understood.
pub fn file(sources: &Sources, source: SourceId, log: &mut Log) -> File {
    files(&mut Alone(sources), &[source], log).map_or_else(|| File { items: Vec::new() }, |(file, _)| file)
}

/// Reads texts one after the other with what they include, as one model; also where each included text is so first.
/// None if more is included than can be read.
pub fn files(library: &mut dyn Library, files: &[SourceId], log: &mut Log) -> Option<(File, Map<SourceId, Span>)> {
    let mut readable: Vec<SourceId> = Vec::new();
    for &source in files {
        match dialect::altarica3(&library.sources().get(source).text, source) {
            Some(diagnostic) => log.push(diagnostic),
            None => readable.push(source),
        }
    }
    let mut preprocessor = Preprocessor::new(library, log);
    let whole = |source: SourceId| Span::new(source, 0, u32::MAX);
    let found: Vec<Tokens> = readable.iter().map(|&source| preprocessor.tokens(whole(source))).collect();
    let origins = preprocessor.finish()?;
    let mut items = Vec::new();
    for (&source, tokens) in readable.iter().zip(&found) {
        items.append(&mut Parser::new(library.sources(), tokens, whole(source), log).items());
    }
    Some((File { items }, origins))
}

/// Reads the expression that stands at `span`; its places are places in that source.
pub fn formula(sources: &Sources, span: Span, log: &mut Log) -> Expr {
    let tokens = Preprocessor::new(&mut Alone(sources), log).tokens(span);
    let mut parser = Parser::new(sources, &tokens, span, log);
    let start = parser.cursor.span();
    let parsed = parser.expr();
    if parsed.is_ok() && !parser.cursor.at_end() {
        parser.unexpected_in(
            "an operator or the end of the formula",
            "a formula is one expression: `x < 3 and not busy`",
        );
    }
    parsed.unwrap_or(Expr { kind: ExprKind::Error, span: start })
}

impl Nesting for Parser<'_, '_> {
    type Error = Failed;

    const MAX_NESTING: usize = MAX_NESTING;

    fn nesting(&mut self) -> &mut usize {
        &mut self.nesting
    }

    fn too_deep(&mut self) -> Failed {
        self.report_too_deep(format!("this is nested more than {MAX_NESTING} levels deep"), self.cursor.span());
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
    /// Of the tokens that the directives of a part of a text leave.
    fn new(sources: &'a Sources, tokens: &Tokens, part: Span, log: &'l mut Log) -> Self {
        let found = tokens::settled(sources, tokens, log);
        let end = sources.get(part.source).floor_boundary(part.end) as usize;
        Self {
            sources,
            cursor: Cursor::new(found.list, part.source, end),
            texts: found.texts,
            log,
            hoisted: Vec::new(),
            n_open_nodes: 0,
            nesting: 0,
            n_copied: 0,
        }
    }

    /// The next token as it was written; of quoted names what stands between the quotes.
    fn word(&self) -> &'a str {
        self.texts.get(self.cursor.position()).map_or("", |&written| self.sources.text(written))
    }

    fn report_too_deep(&mut self, message: String, place: Span) {
        let diagnostic = Diagnostic::error(codes::TOO_DEEP, message, place, "too deep here");
        self.report(diagnostic.with_help("give a name to an inner part, such as a flow variable or a domain"));
    }

    /// Several names with one declaration are as many declarations, as long as these are not too many.
    fn copied(&mut self, n_copies: usize, n_tokens: usize, place: Span) -> Parsed<()> {
        let before = self.n_copied;
        self.n_copied = before.saturating_add(n_copies.saturating_mul(n_tokens));
        if self.n_copied <= MAX_COPIED {
            return Ok(());
        }
        if before > MAX_COPIED {
            // Once is enough.
            return Err(Failed);
        }
        let message = "declarations of several names at once grow too long";
        let diagnostic = Diagnostic::error(codes::TOO_LONG, message, place, "no room is left for these");
        self.log.push(diagnostic.with_help("give a name to what they have in common: `domain NAME = ...;`"));
        Err(Failed)
    }

    fn expect(&mut self, kind: Kind) -> Parsed<Span> {
        Descent::expect(self, kind, lexer::describe(kind))
    }

    /// The end of what was opened at `open`.
    fn expect_end(&mut self, kind: Kind, open: Span) -> Parsed<Span> {
        if let Some(span) = self.cursor.eat(kind) {
            return Ok(span);
        }
        let closing = lexer::describe(kind);
        let diagnostic = self.expected(&format!("an operator or {closing}"));
        let diagnostic = diagnostic.with_label(open, "opened here");
        let help = diagnostic.help.clone().unwrap_or_else(|| format!("close it with {closing}"));
        self.report(diagnostic.with_help(help));
        Err(Failed)
    }

    /// `:=`; for a `=` in its place it is clear what is meant.
    fn expect_assign(&mut self) -> Parsed<()> {
        if self.cursor.at(Kind::Eq) {
            let diagnostic = self.expected("`:=`").with_help("`=` compares; a value is given with `:=`");
            self.report(diagnostic);
            self.cursor.next();
            return Ok(());
        }
        self.expect(Kind::Assign).map(|_| ())
    }

    /// A name; `what` says of what.
    fn name(&mut self, what: &str) -> Parsed<Name> {
        let (text, span) = (self.word(), self.cursor.span());
        if self.cursor.eat(Kind::Name).is_some() {
            return Ok(Name { text: text.to_owned(), span });
        }
        let diagnostic = self.expected(what);
        if lexer::keyword(text) == Kind::Name {
            self.report(diagnostic);
            return Err(Failed);
        }
        self.report(diagnostic.with_help(format!("`{text}` is a word of the language; as a name it is '{text}'")));
        if !self.is_followed_like_a_name() {
            return Err(Failed);
        }
        self.cursor.next();
        Ok(Name { text: text.to_owned(), span })
    }

    /// A word that is followed like a name is meant as one; otherwise it starts something else.
    fn is_followed_like_a_name(&self) -> bool {
        matches!(self.cursor.peek_at(1), Some(Kind::Colon | Kind::Comma | Kind::Assign | Kind::RightBrace))
    }

    fn names(&mut self, what: &str) -> Parsed<Vec<Name>> {
        self.several(Kind::Comma, |parser| parser.name(what))
    }

    /// Labels behind a colon, if there is one: `: in, public`, also written `: in : public`.
    fn attributes(&mut self) -> Parsed<Vec<Name>> {
        let mut attributes = Vec::new();
        while self.cursor.eat(Kind::Colon).is_some() {
            attributes.append(&mut self.names("an attribute such as `public`")?);
        }
        Ok(attributes)
    }

    /// Reports what was expected; `help` is the advice where nothing that is known explains what stands there.
    fn unexpected_in(&mut self, expected: &str, help: &str) -> Failed {
        let mut diagnostic = self.expected(expected);
        diagnostic.help.get_or_insert_with(|| help.to_owned());
        self.report(diagnostic);
        Failed
    }

    /// Reports what is wrong with the next token, unless that is no token at all: then it was reported already.
    fn report(&mut self, diagnostic: Diagnostic) {
        if !self.cursor.at(Kind::Strange) {
            self.log.push(diagnostic);
        }
    }

    /// Says what was expected, with advice where a well-known mistake explains what stands there.
    fn expected(&self, expected: &str) -> Diagnostic {
        let message = format!("expected {expected}, found {}", self.found());
        let diagnostic =
            Diagnostic::error(codes::UNEXPECTED, message, self.cursor.span(), format!("expected {expected}"));
        match self.cursor.peek() {
            Some(Kind::Arrow) => diagnostic.with_help(
                "`->` stands behind the events of a transition, `guard |- event -> updates;`; implication is `=>`",
            ),
            Some(Kind::Assign) => diagnostic.with_help("`:=` gives values in `init` and `trans`; `=` compares"),
            Some(Kind::Question) => diagnostic.with_help("a choice stands in parentheses: `(condition ? a : b)`"),
            Some(Kind::Dot) if self.cursor.peek_at(1) == Some(Kind::Dot) => diagnostic.with_help("a range is `[0, 3]`"),
            _ => diagnostic,
        }
    }

    fn found(&self) -> String {
        match self.cursor.peek() {
            None => "the end of the text".to_owned(),
            Some(Kind::Name | Kind::Number) => format!("`{}`", lexing::beginning(self.word(), 40)),
            Some(kind) => lexer::describe(kind).to_owned(),
        }
    }

    /// Whether the section or declaration that is being read ends before the next token.
    fn at_section_end(&self) -> bool {
        match self.cursor.peek() {
            None => true,
            Some(Kind::Name) => self.is_behind_semicolon() && self.misspelt(&SECTIONS).is_some(),
            Some(kind) if lexer::starts_section(kind) => !self.is_followed_like_a_name(),
            Some(kind) => lexer::ends_section(kind),
        }
    }

    /// The keyword that the next word seems to be with a slip in it: nothing but a keyword stands before another word.
    fn misspelt(&self, keywords: &[&'static str]) -> Option<&'static str> {
        let is_start = matches!(self.cursor.peek_at(1), None | Some(Kind::Name | Kind::Node | Kind::Not | Kind::True));
        if !self.cursor.at(Kind::Name) || !is_start {
            return None;
        }
        let word = self.word();
        let other = ELSEWHERE.iter().find(|(other, own)| other.eq_ignore_ascii_case(word) && keywords.contains(own));
        // A slip spares the first letter.
        let begins_alike = |own: &&str| word.get(..1).is_some_and(|first| first.eq_ignore_ascii_case(&own[..1]));
        let similar = || spelling::similar(word, keywords.iter().copied().filter(begins_alike));
        other.map(|&(_, own)| own).or_else(similar)
    }

    fn is_behind_semicolon(&self) -> bool {
        let before = self.cursor.position().checked_sub(1).and_then(|before| self.texts.get(before));
        before.is_some_and(|&text| self.sources.text(text) == ";")
    }

    /// Reports such a word and reads it as the keyword.
    fn read_as(&mut self, keyword: &str) {
        let message = format!("`{}` is not a word of the language", self.word());
        let diagnostic =
            Diagnostic::error(codes::UNEXPECTED, message, self.cursor.span(), "no section, no declaration");
        self.report(diagnostic.with_help(format!("did you mean `{keyword}`?")));
        self.cursor.read_as(lexer::keyword(keyword));
    }

    /// What stands between two declarations or updates. Before a keyword it may be left out.
    fn separator(&mut self, separators: &[Kind], expected: &str) {
        if separators.iter().any(|&kind| self.cursor.eat(kind).is_some()) || self.at_section_end() {
            return;
        }
        if self.cursor.peek().is_some_and(starts_operand) {
            let message = format!("expected `;`, found {}", self.found());
            let diagnostic =
                Diagnostic::error(codes::MISSING_SEMICOLON, message, self.cursor.behind(), "a `;` is missing here");
            self.report(diagnostic.with_help("only the last `;` before a keyword may be left out"));
            return;
        }
        self.unexpected_in(expected, "what was begun ends with `;`");
        self.synchronise();
    }

    /// Skips to the end of what is broken: behind a `;`, or before a keyword that starts something new.
    fn synchronise(&mut self) {
        while !self.at_section_end() {
            if self.cursor.next().is_some_and(|token| token.kind == Kind::Semicolon) {
                return;
            }
        }
    }
}

/// Whether an expression, a declaration or a vector may start like this, and nothing that is complete can go on so.
fn starts_operand(kind: Kind) -> bool {
    use Kind::{Case, False, If, LeftBrace, LeftParen, Lt, Max, Min, Name, Not, Number, True};
    matches!(kind, Case | False | If | LeftBrace | LeftParen | Lt | Max | Min | Name | Not | Number | True)
}

#[cfg(test)]
mod tests;
