//! The source in its own words: text on one line for messages, and names that were perhaps meant.

use lapidary_text::{Sources, Span};

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
            rest.find('\n').unwrap_or(rest.len())
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

/// The candidate that looks most like a misspelt name, if one is close enough.
pub fn similar<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = match name.len() {
        0..=2 => 1,
        3..=5 => 2,
        _ => 3,
    };
    let close = candidates.into_iter().filter_map(|candidate| {
        let same_letters = candidate.eq_ignore_ascii_case(name);
        let distance = if same_letters { 0 } else { distance(name.as_bytes(), candidate.as_bytes(), limit)? };
        // A change of every letter is no misspelling.
        (distance < candidate.len().max(name.len())).then_some((distance, candidate))
    });
    close.min_by_key(|&(distance, _)| distance).map(|(_, candidate)| candidate)
}

/// The number of letters to insert, drop, change or swap with their neighbour, if it is at most `limit`.
fn distance(a: &[u8], b: &[u8], limit: usize) -> Option<usize> {
    if a.len().abs_diff(b.len()) > limit {
        return None;
    }
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, &x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, &y) in b.iter().enumerate() {
            let mut best = (last[j + 1] + 1).min(row[j] + 1).min(last[j] + usize::from(x != y));
            if i > 0 && j > 0 && x == b[j - 1] && a[i - 1] == y {
                best = best.min(before_last[j - 1] + 1);
            }
            row.push(best);
        }
        if row.iter().all(|&entry| entry > limit) {
            return None;
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last.last().copied().filter(|&distance| distance <= limit)
}

#[cfg(test)]
mod tests {
    use lapidary_text::SourceId;

    use super::*;

    #[test]
    fn comments_and_line_ends_become_blanks() {
        let mut sources = Sources::default();
        let text = "a  & // why\n  b/* c */=\td";
        let source = sources.add("m", text);
        assert_eq!(on_one_line(&sources, Span::new(source, 0, text.len() as u32)), "a & b =d".replace("=d", "= d"));
        assert_eq!(on_one_line(&sources, Span::new(SourceId(0), 0, 3)), "a");
    }

    #[test]
    fn misspelt_names_find_their_like() {
        let names = ["flag", "turn", "pc", "waiting"];
        assert_eq!(similar("flga", names), Some("flag"));
        assert_eq!(similar("Waitng", names), Some("waiting"));
        assert_eq!(similar("PC", names), Some("pc"));
        assert_eq!(similar("x", names), None);
        assert_eq!(similar("critical", names), None);
    }
}
