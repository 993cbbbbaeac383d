//! Tells AltaRica 3.0 apart: a language of the same name whose models have classes and blocks instead of nodes.

use lapidary_text::{Diagnostic, SourceId, Span};

use super::super::codes;

/// Explains a text in AltaRica 3.0: no node ends in it, and a line starts with `class NAME` or `block NAME`.
pub fn altarica3(text: &str, source: SourceId) -> Option<Diagnostic> {
    let is_part_of_name = |c: char| c.is_alphanumeric() || c == '_';
    if text.split(|c| !is_part_of_name(c)).any(|word| word.eq_ignore_ascii_case("edon")) {
        return None;
    }
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let head = line.trim_start();
        let mut words = head.split_ascii_whitespace();
        let is_head = matches!(words.next(), Some("class" | "block"))
            && words.next().is_some_and(|name| name.chars().all(is_part_of_name));
        if is_head {
            let start = start + (line.len() - head.len());
            return Some(explain(Span::new(source, start as u32, start as u32 + 5)));
        }
        start += line.len();
    }
    None
}

fn explain(keyword: Span) -> Diagnostic {
    let message = "this is AltaRica 3.0, another language";
    Diagnostic::error(codes::UNEXPECTED, message, keyword, "its models have classes and blocks")
        .with_help("the AltaRica of ARC, Mec 5 and Cecilia is read here: models of `node NAME ... edon`")
}

#[cfg(test)]
mod tests {
    use lapidary_text::Sources;

    use super::*;

    fn place(text: &str) -> Option<(u32, u32)> {
        let source = Sources::default().add("a.alt", text);
        altarica3(text, source).map(|diagnostic| (diagnostic.labels[0].0.start, diagnostic.labels[0].0.end))
    }

    #[test]
    fn classes_and_blocks_are_another_language_only_where_no_node_ends() {
        assert_eq!(place("domain D {A, B}\n  class Pump\n Boolean on (init = true);\nend\n"), Some((18, 23)));
        assert_eq!(place("block Main\nend\n"), Some((0, 5)));
        assert_eq!(place("/*\n block diagram\n*/\nnode Main EDON\n"), None);
        assert_eq!(place("node A\n  state block : bool;\n"), None);
    }
}
