//! What is wrong, in words.

use lapidary_text::{Diagnostic, Span, quotation};

use super::super::ast::Name;
use super::super::codes;
use super::super::sizes::MAX_DEPTH;
use super::super::value::Value;
use super::Elaborator;

impl Elaborator<'_> {
    pub fn error(&mut self, code: &'static str, message: impl Into<String>, at: (Span, &str), help: impl Into<String>) {
        self.log.push(Diagnostic::error(code, message, at.0, at.1).with_help(help));
    }

    pub fn warning(
        &mut self,
        code: &'static str,
        message: impl Into<String>,
        at: (Span, &str),
        help: impl Into<String>,
    ) {
        self.log.push(Diagnostic::warning(code, message, at.0, at.1).with_help(help));
    }

    pub fn quote(&self, span: Span) -> String {
        quotation::quote(self.sources, span)
    }

    pub fn mismatch(&mut self, span: Span, needed: &str, found: &Value) {
        let message = format!("{needed} is needed, but `{}` is {}", self.quote(span), found.describe());
        let label = format!("this is {}", found.describe());
        let help = match (needed, found) {
            ("a Boolean", Value::Int(..)) if self.sources.text(span) == "0" => "write `false`",
            ("a Boolean", Value::Int(..)) if self.sources.text(span) == "1" => "write `true`",
            ("a Boolean", Value::Int(..)) => "compare it with a number: `... = 1`",
            ("an integer", Value::Bool(_)) => "write `if ... then 1 else 0` to count a Boolean",
            (_, Value::Aggregate(_)) => "pick an element with an index or a field",
            (_, Value::Bool(_) | Value::Int(..) | Value::Symbol(_) | Value::Error) => {
                "values of different types do not mix"
            }
        };
        self.error(codes::TYPE_MISMATCH, message, (span, &label), help);
    }

    pub fn different_shapes(&mut self, span: Span) {
        let message = format!("the arrays or structs in `{}` do not have the same elements", self.quote(span));
        let help = "whole arrays and structs go together only if they have the same sizes and fields";
        self.error(codes::SHAPE, message, (span, "different elements"), help);
    }

    pub(super) fn too_many_branches(&mut self, span: Span) {
        let message = format!("more than {MAX_DEPTH} branches are too many");
        self.error(
            codes::TOO_LARGE,
            message,
            (span, "too many branches"),
            "split them with the help of flow variables",
        );
    }

    /// The help for a name that is not known: one that looks like it, or what could be done.
    pub fn did_you_mean<'n>(
        &mut self,
        name: &str,
        known: impl IntoIterator<Item = &'n str>,
        otherwise: &str,
    ) -> String {
        match self.budget.suggestions.similar(name, known) {
            Some(similar) => format!("did you mean `{similar}`?"),
            None => otherwise.to_owned(),
        }
    }

    /// The same for a name within a path: the whole path is said.
    pub fn meant<'n>(
        &mut self,
        name: &Name,
        path: Span,
        known: impl IntoIterator<Item = &'n str>,
        otherwise: &str,
    ) -> String {
        let Some(similar) = self.budget.suggestions.similar(&name.text, known) else { return otherwise.to_owned() };
        let (before, after) = (Span { end: name.span.start, ..path }, Span { start: name.span.end, ..path });
        let [before, after] = [before, after].map(|span| quotation::on_one_line(self.sources, span));
        format!("did you mean `{before}{similar}{after}`?")
    }

    /// Something that is declared further down in the file.
    pub fn used_before(&mut self, what: &str, name: &str, span: Span, declared: Span) {
        let place = self.sources.describe(declared);
        let diagnostic =
            Diagnostic::error(codes::USED_BEFORE, format!("{what} `{name}` is not declared yet"), span, "used here")
                .with_label(declared, "declared only here")
                .with_help(format!("move its declaration at {place} in front of this use"));
        self.log.push(diagnostic);
    }
}
