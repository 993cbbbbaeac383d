//! The source in its own words: text on one line, as messages and names of properties have it.

use crate::{Sources, Span, lexing};

/// As much of an expression as a message quotes.
const MAX_QUOTE: usize = 60;

/// The text under a span with comments left out and single blanks between words.
pub fn on_one_line(sources: &Sources, span: Span) -> String {
    beginning(sources.text(span), usize::MAX)
}

/// The text on one line, up to some bytes more than `limit`.
fn beginning(mut rest: &str, limit: usize) -> String {
    let mut line = String::new();
    while let Some(first) = rest.chars().next().filter(|_| line.len() <= limit) {
        let skipped = if rest.starts_with("//") {
            lexing::line_len(rest)
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if first.is_ascii_whitespace() {
            1
        } else {
            line.push(first);
            rest = &rest[first.len_utf8()..];
            continue;
        };
        rest = &rest[skipped..];
        if !line.ends_with(' ') && !line.is_empty() {
            line.push(' ');
        }
    }
    line.truncate(line.trim_end().len());
    line
}

/// A quotation for a message: on one line, the end left out where it is long.
pub fn quote(sources: &Sources, span: Span) -> String {
    let line = beginning(sources.text(span), 4 * MAX_QUOTE);
    match line.char_indices().nth(MAX_QUOTE) {
        Some((end, _)) => format!("{} ...", line[..end].trim_end()),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SourceId;

    #[test]
    fn comments_and_line_ends_become_blanks() {
        let mut sources = Sources::default();
        let text = "a  & // why\n  b/* c */=\td";
        let source = sources.add("m", text);
        assert_eq!(on_one_line(&sources, Span::new(source, 0, text.len() as u32)), "a & b =d".replace("=d", "= d"));
        assert_eq!(on_one_line(&sources, Span::new(SourceId(0), 0, 3)), "a");
    }
}
