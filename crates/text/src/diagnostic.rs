//! What is wrong with an input, where, and what to do about it; rendered the way rustc does.

use annotate_snippets::{AnnotationKind, Element, Group, Level, Origin, Renderer, Snippet};

use crate::source::{Source, SourceId, Sources, Span};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    Error,
    Warning,
}

/// The first label is the primary one: its place is the diagnostic's place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    pub severity: Severity,
    /// A stable code such as `gcl012`; each has a file in `corpus/broken`.
    pub code: &'static str,
    pub message: String,
    pub labels: Vec<(Span, String)>,
    pub help: Option<String>,
    /// Nothing is wrong with the text, but this part of the language is not supported: it is an error that nobody can mend there.
    pub is_unsupported: bool,
}

impl Diagnostic {
    pub fn error(code: &'static str, message: impl Into<String>, span: Span, label: impl Into<String>) -> Self {
        Self::new(Severity::Error, code, message.into(), (span, label.into()))
    }

    pub fn warning(code: &'static str, message: impl Into<String>, span: Span, label: impl Into<String>) -> Self {
        Self::new(Severity::Warning, code, message.into(), (span, label.into()))
    }

    /// Good text that asks for more than there is.
    pub fn unsupported(code: &'static str, message: impl Into<String>, span: Span, label: impl Into<String>) -> Self {
        Self { is_unsupported: true, ..Self::error(code, message, span, label) }
    }

    fn new(severity: Severity, code: &'static str, message: String, label: (Span, String)) -> Self {
        Self { severity, code, message, labels: vec![label], help: None, is_unsupported: false }
    }

    /// A further place that explains the first one.
    pub fn with_label(mut self, span: Span, label: impl Into<String>) -> Self {
        self.labels.push((span, label.into()));
        self
    }

    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// Diagnostics as they are collected; parsing and resolving go on after the first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagnostics {
    pub list: Vec<Diagnostic>,
}

impl Diagnostics {
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.list.push(diagnostic);
    }

    pub fn has_errors(&self) -> bool {
        self.list.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
    }
}

/// Whether the rendering may use terminal colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    Plain,
    Coloured,
}

/// Renders one diagnostic with its source lines, without a final newline.
pub fn render(diagnostic: &Diagnostic, sources: &Sources, style: Style) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let mut group = Group::with_title(level.primary_title(&diagnostic.message).id(diagnostic.code));
    let mut shown: Vec<SourceId> = Vec::new();
    for (span, _) in &diagnostic.labels {
        if !shown.contains(&span.source) {
            shown.push(span.source);
            group = group.element(element(diagnostic, sources.get(span.source), span.source));
        }
    }
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(help));
    }
    let renderer = match style {
        Style::Plain => Renderer::plain(),
        Style::Coloured => Renderer::styled(),
    };
    renderer.render(&[group]).trim_end().to_owned()
}

/// The most bytes of a source that are shown to the renderer: it looks at every one of them.
const MAX_SHOWN: usize = 1 << 16;

/// What is shown of one source: the lines of its labels, or only the place where these are too long to be shown.
fn element<'a>(diagnostic: &'a Diagnostic, source: &'a Source, id: SourceId) -> Element<'a> {
    let labels = diagnostic.labels.iter().enumerate().filter(|(_, (span, _))| span.source == id);
    let all: Vec<(usize, Span, &str)> = labels.map(|(i, (span, text))| (i, *span, text.as_str())).collect();
    let shown = [&all[..], &all[..1]].into_iter().find_map(|labels| {
        let range = source.lines_around(labels.iter().map(|(_, span, _)| (span.start, span.end)));
        (range.len() <= MAX_SHOWN).then_some((labels, range))
    });
    let Some((labels, range)) = shown else {
        let place = source.place(all[0].1.start);
        return Origin::path(&source.name).line(place.line).char_column(place.column).into();
    };
    let first_line = source.place(range.start as u32).line;
    let mut snippet = Snippet::source(&source.text[range.clone()]).line_start(first_line).path(&source.name);
    for &(i, span, text) in labels {
        let kind = if i == 0 { AnnotationKind::Primary } else { AnnotationKind::Context };
        let start = source.floor_boundary(span.start) as usize - range.start;
        let end = (source.floor_boundary(span.end) as usize).max(range.start + start) - range.start;
        snippet = snippet.annotation(kind.span(start..end).label(text));
    }
    snippet.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rendering_names_code_place_line_and_help() {
        let mut sources = Sources::default();
        let id = sources.add("m.gcl", "var x : 0..3 = 5;\n");
        let span = Span::new(id, 15, 16);
        let diagnostic = Diagnostic::error("gcl001", "5 is not in 0..3", span, "too large").with_help("use 0..5");
        let text = render(&diagnostic, &sources, Style::Plain);
        for part in ["error[gcl001]: 5 is not in 0..3", "m.gcl:1:16", "var x : 0..3 = 5;", "too large", "use 0..5"] {
            assert!(text.contains(part), "{part:?} is missing in\n{text}");
        }
    }

    #[test]
    fn a_line_too_long_to_show_still_has_a_place() {
        let mut sources = Sources::default();
        let id = sources.add("m.gcl", "x".repeat(1 << 20));
        let diagnostic = Diagnostic::error("gcl001", "long", Span::new(id, 70_000, 70_001), "here");
        let text = render(&diagnostic, &sources, Style::Plain);
        assert!(text.contains("m.gcl:1:70001") && text.len() < 1000, "{text}");
    }

    #[test]
    fn places_at_the_end_and_inside_characters_are_rendered_too() {
        let mut sources = Sources::default();
        let id = sources.add("m.gcl", "é");
        for (start, end) in [(0, 1), (1, 1), (2, 2), (5, 9)] {
            let diagnostic = Diagnostic::error("gcl001", "odd", Span::new(id, start, end), "here");
            assert!(render(&diagnostic, &sources, Style::Plain).contains("m.gcl:1:"));
        }
    }
}
