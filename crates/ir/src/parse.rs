//! Reads the textual form of a model back, see [`print`](crate::print) and `docs/ir.md`.
//!
//! Nodes are made exactly as they are written, without folding. No text makes the parser panic: what is nested too
//! deeply is refused, and everything is validated before it is handed out.

mod declarations;
mod expr;
mod lexer;
mod scope;
mod statements;
mod words;

use lapidary_base::hash::Map;
use lapidary_base::{Control, Id, Meter, Stop};
use lapidary_text::descent::{Failed, Nesting, Parsed};
use lapidary_text::{Cursor, Diagnostic, Diagnostics, Severity, SourceId, Sources, Span};

use crate::expr::{Expr, Exprs};
use crate::model::{Declarations, Model};
use crate::types::Sort;
use crate::validate;

use lexer::{Kind, MAX_ERRORS};
use scope::Scope;

/// How deeply parentheses, operators before their operand and statements may stand in each other.
const MAX_NESTING: usize = 200;
/// How deep an expression may be with all its definitions put in place; others may walk over it recursively.
const MAX_DEPTH: u32 = 5000;

/// What it takes to make a node of an expression, in pieces of a [`Meter`].
const PIECES_PER_NODE: u64 = 16;

/// The model of a text, if nothing is wrong with it.
pub fn parse(sources: &Sources, source: SourceId) -> (Option<Model>, Diagnostics) {
    parse_within(sources, source, &Control::new()).unwrap_or_else(|_| unreachable!("there is no limit"))
}

/// The model of a text, read within the limits of a run.
pub fn parse_within(
    sources: &Sources,
    source: SourceId,
    control: &Control,
) -> Result<(Option<Model>, Diagnostics), Stop> {
    let exprs = Exprs::new();
    let mut parser = Parser::new(sources, source, &exprs, Scope::default(), control)?;
    parser.items(control)?;
    let Parser { mut model, spans, mut diagnostics, .. } = parser;
    model.exprs = exprs;
    if !diagnostics.has_errors() {
        for problem in validate::problems_within(&model, control)?.into_iter().take(MAX_ERRORS) {
            let span = spans.of(&model, problem.item, source);
            diagnostics.push(Diagnostic::error("ir008", problem.text, span, "in this"));
        }
    }
    control.check()?;
    let model = (!diagnostics.has_errors()).then_some(model);
    Ok((model, diagnostics))
}

/// An expression over the variables of a model, as [`print::expr`](crate::print::expr) writes it.
pub fn expr(model: &Declarations, text: &str) -> Result<Expr, String> {
    let read = expr_within(model, text, &Control::new()).unwrap_or_else(|_| unreachable!("there is no limit"));
    read.map(|(expr, _)| expr)
}

/// The same with its sort, within the limits of a run.
pub fn expr_within(model: &Declarations, text: &str, control: &Control) -> Result<Result<(Expr, Sort), String>, Stop> {
    if u32::try_from(text.len()).is_err() {
        return Ok(Err("the expression is longer than 4 GiB".to_owned()));
    }
    let mut sources = Sources::default();
    let source = sources.add("expression", text);
    let mut parser = Parser::new(&sources, source, &model.exprs, Scope::of(model), control)?;
    let parsed = parser.lone_expr();
    if let Some(stop) = parser.stop {
        return Err(stop);
    }
    if let Some(diagnostic) = parser.diagnostics.list.first() {
        let place = diagnostic.labels.first().map_or(0, |(span, _)| sources.place(*span).column);
        return Ok(Err(format!("{}, at character {place} of the expression", diagnostic.message)));
    }
    let Ok(expr) = parsed else { return Ok(Err("not an expression".to_owned())) };
    Ok(validate::expression_within(model, expr, control)?.map(|sort| (expr, sort)))
}

struct Parser<'a> {
    sources: &'a Sources,
    cursor: Cursor<Kind>,
    exprs: &'a Exprs,
    /// How deep each expression is that was made here.
    depths: Map<Expr, u32>,
    scope: Scope,
    /// What was read so far, all but its expressions.
    model: Model,
    spans: Spans,
    nesting: usize,
    diagnostics: Diagnostics,
    meter: Meter<'a>,
    /// The limit that was reached: nothing more is worth reading.
    stop: Option<Stop>,
}

/// Where the parts of a model are that have no span of their own.
#[derive(Default)]
struct Spans {
    enums: Vec<Span>,
    families: Vec<Span>,
    init: Vec<Span>,
    start: Option<Span>,
    invariant: Vec<Span>,
}

impl Spans {
    fn of(&self, model: &Model, place: validate::Item, source: SourceId) -> Span {
        let span = match place {
            validate::Item::Enum(id) => self.enums.get(id.index()).copied(),
            validate::Item::Var(id) => model.vars.get(id).map(|var| var.span),
            validate::Item::Family(id) => self.families.get(id.index()).copied(),
            validate::Item::Init(i) => self.init.get(i).copied(),
            validate::Item::Start => self.start,
            validate::Item::Invariant(i) => self.invariant.get(i).copied(),
            validate::Item::Command(id) => model.commands.get(id).map(|command| command.span),
            validate::Item::Property(id) => model.properties.get(id).map(|property| property.span),
            validate::Item::Alone => None,
        };
        span.unwrap_or(Span::new(source, 0, 0))
    }
}

impl Nesting for Parser<'_> {
    type Error = Failed;

    const MAX_NESTING: usize = MAX_NESTING;

    fn nesting(&mut self) -> &mut usize {
        &mut self.nesting
    }

    fn too_deep(&mut self) -> Failed {
        let (message, span) = (format!("nested more than {MAX_NESTING} levels deep"), self.cursor.span());
        self.failure("ir005", message, span, "too deep")
    }
}

impl<'a> Parser<'a> {
    fn new(
        sources: &'a Sources,
        source: SourceId,
        exprs: &'a Exprs,
        scope: Scope,
        control: &'a Control,
    ) -> Result<Self, Stop> {
        let text = &sources.get(source).text;
        let mut diagnostics = Diagnostics::default();
        let mut meter = Meter::new(control);
        let cursor = Cursor::new(lexer::tokens(text, source, &mut diagnostics, &mut meter)?, source, text.len());
        Ok(Self {
            sources,
            cursor,
            exprs,
            depths: Map::default(),
            scope,
            model: Model::default(),
            spans: Spans::default(),
            nesting: 0,
            diagnostics,
            meter,
            stop: None,
        })
    }

    /// Counts the work of making an expression.
    fn work(&mut self) -> Parsed<()> {
        self.meter.add(PIECES_PER_NODE).map_err(|stop| {
            self.stop = Some(stop);
            Failed
        })
    }

    fn fail<T>(&mut self, code: &'static str, message: impl Into<String>, span: Span, label: &str) -> Parsed<T> {
        Err(self.failure(code, message, span, label))
    }

    fn failure(&mut self, code: &'static str, message: impl Into<String>, span: Span, label: &str) -> Failed {
        if self.diagnostics.list.len() < MAX_ERRORS {
            self.diagnostics.push(Diagnostic::error(code, message, span, label));
        }
        Failed
    }

    /// Whether there is any point in going on.
    fn given_up(&self) -> bool {
        let n_errors = self.diagnostics.list.iter().filter(|found| found.severity == Severity::Error).count();
        n_errors >= MAX_ERRORS
    }

    fn expected<T>(&mut self, what: &str) -> Parsed<T> {
        let span = self.cursor.span();
        let found = match self.cursor.peek() {
            None => "the end of the text".to_owned(),
            Some(_) => format!("`{}`", self.sources.text(span).escape_debug()),
        };
        self.fail("ir004", format!("expected {what}, found {found}"), span, "unexpected")
    }

    fn at_sign(&self, sign: &'static str) -> bool {
        self.cursor.at(Kind::Sign(sign))
    }

    fn eat_sign(&mut self, sign: &'static str) -> bool {
        self.cursor.eat(Kind::Sign(sign)).is_some()
    }

    fn sign(&mut self, sign: &'static str) -> Parsed<Span> {
        match self.cursor.eat(Kind::Sign(sign)) {
            Some(span) => Ok(span),
            None => self.expected(&format!("`{sign}`")),
        }
    }

    fn eat_reserved(&mut self, word: &'static str) -> bool {
        self.cursor.eat(Kind::Reserved(word)).is_some()
    }

    fn reserved(&mut self, word: &'static str) -> Parsed<()> {
        if self.eat_reserved(word) { Ok(()) } else { self.expected(&format!("`{word}`")) }
    }

    /// The text of the next token, if it is a name without quotes: some have a meaning where no name can stand.
    fn peek_word(&self) -> Option<&'a str> {
        self.cursor.at(Kind::Name).then(|| self.sources.text(self.cursor.span()))
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.peek_word() == Some(word);
        if found {
            self.cursor.next();
        }
        found
    }

    fn word(&mut self, word: &str) -> Parsed<()> {
        if self.eat_word(word) { Ok(()) } else { self.expected(&format!("`{word}`")) }
    }

    fn name(&mut self, what: &str) -> Parsed<String> {
        let text = self.sources.text(self.cursor.span());
        match self.cursor.peek() {
            Some(Kind::Name) => {
                self.cursor.next();
                Ok(text.to_owned())
            }
            Some(Kind::Quoted) => self.quoted(what),
            _ => self.expected(what),
        }
    }

    fn quoted(&mut self, what: &str) -> Parsed<String> {
        match self.cursor.eat(Kind::Quoted) {
            Some(span) => Ok(lexer::unquote(self.sources.text(span))),
            None => self.expected(what),
        }
    }

    /// Digits as a number that fits.
    fn digits<N: std::str::FromStr>(&mut self, what: &str) -> Parsed<N> {
        let Some(span) = self.cursor.eat(Kind::Int) else { return self.expected(what) };
        match self.sources.text(span).parse() {
            Ok(number) => Ok(number),
            Err(_) => self.fail("ir003", format!("{what} does not fit"), span, "too large"),
        }
    }

    fn natural(&mut self) -> Parsed<i64> {
        let span = self.cursor.span();
        let magnitude: u64 = self.digits("an integer")?;
        self.fits(i64::try_from(magnitude).ok(), span)
    }

    /// A negative integer whose sign was read before.
    fn negative(&mut self) -> Parsed<i64> {
        let span = self.cursor.span();
        let magnitude: u64 = self.digits("an integer")?;
        self.fits(0i64.checked_sub_unsigned(magnitude), span)
    }

    fn fits(&mut self, value: Option<i64>, span: Span) -> Parsed<i64> {
        match value {
            Some(value) => Ok(value),
            None => self.fail("ir003", "the integer does not fit 64 bits", span, "too large"),
        }
    }
}

#[cfg(test)]
mod tests;
