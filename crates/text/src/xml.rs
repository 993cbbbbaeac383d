//! Texts as XML has them: what means something to it is escaped, and what it cannot have is replaced.

/// For the value of an attribute in quotes. Readers make blanks of line ends there, unless they are escaped.
pub fn attribute(text: &str) -> String {
    escaped(text, |character| match character {
        '"' => Some("&quot;"),
        '\n' => Some("&#10;"),
        '\t' => Some("&#9;"),
        _ => None,
    })
}

/// For what stands between tags.
pub fn content(text: &str) -> String {
    escaped(text, |_| None)
}

fn escaped(text: &str, also: impl Fn(char) -> Option<&'static str>) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '&' => escaped += "&amp;",
            // Readers make a line end of it, unless it is escaped.
            '\r' => escaped += "&#13;",
            _ if !is_allowed(character) => escaped.push(char::REPLACEMENT_CHARACTER),
            _ => match also(character) {
                Some(entity) => escaped += entity,
                None => escaped.push(character),
            },
        }
    }
    escaped
}

/// XML 1.0 has no other control characters, not even escaped ones.
fn is_allowed(character: char) -> bool {
    matches!(character, '\t' | '\n' | '\r') || character >= ' ' && !matches!(character, '\u{fffe}' | '\u{ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_xml_means_something_by_is_escaped_and_what_it_cannot_have_is_replaced() {
        assert_eq!(content("a < b && c > \"d\"\n"), "a &lt; b &amp;&amp; c &gt; \"d\"\n");
        assert_eq!(attribute("\"a\"\n\tb\r"), "&quot;a&quot;&#10;&#9;b&#13;");
        assert_eq!(content("\u{0}\u{1b}[1m\u{ffff}é\u{10ffff}"), "\u{fffd}\u{fffd}[1m\u{fffd}é\u{10ffff}");
    }
}
