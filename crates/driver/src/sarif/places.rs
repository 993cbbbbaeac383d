//! Files and places in them.

use lapidary_base::hash::Map;
use lapidary_text::{Origin, Source, SourceId, Sources, Span};
use serde_json::{Value, json};

/// What relative paths are relative to; who reads the log knows where that is.
const BASE: &str = "%SRCROOT%";

/// The files that a log mentions, in the order in which it does.
#[derive(Default)]
pub struct Places {
    list: Vec<Value>,
    /// By path.
    known: Map<String, usize>,
}

impl Places {
    /// A model that was looked at.
    pub fn target(&mut self, path: &str, sha256: &str) {
        let index = self.index(path);
        self.list[index]["roles"] = json!(["analysisTarget"]);
        self.list[index]["hashes"] = json!({"sha-256": sha256});
    }

    pub fn artifacts(&self) -> Value {
        json!(self.list)
    }

    /// Of a text that is no file only the name is known.
    pub fn location(&mut self, sources: &Sources, span: Span) -> Value {
        let source = sources.get(span.source);
        match source.origin {
            Origin::File => json!({"physicalLocation": self.physical(source, Some(span))}),
            Origin::Option => json!({"message": super::message(&format!("in {}", source.name))}),
        }
    }

    /// The same, but what is said of a text on the command line is about a file as a whole.
    pub fn location_or(&mut self, sources: &Sources, span: Span, file: SourceId) -> Value {
        match sources.get(span.source).origin {
            Origin::File => self.location(sources, span),
            Origin::Option => json!({"physicalLocation": self.physical(sources.get(file), None)}),
        }
    }

    fn physical(&mut self, source: &Source, span: Option<Span>) -> Value {
        let index = self.index(&source.name);
        let mut location = self.list[index]["location"].clone();
        location["index"] = json!(index);
        let mut physical = json!({"artifactLocation": location});
        if let Some(span) = span {
            let (start, end) = (source.place(span.start), source.place(span.end.max(span.start)));
            physical["region"] = json!({
                "startLine": start.line, "startColumn": start.column, "endLine": end.line, "endColumn": end.column,
            });
        }
        physical
    }

    fn index(&mut self, path: &str) -> usize {
        if let Some(&index) = self.known.get(path) {
            return index;
        }
        self.known.insert(path.to_owned(), self.list.len());
        self.list.push(json!({"location": location(path)}));
        self.list.len() - 1
    }
}

/// An absolute path is a URI by itself. A relative one that leaves the folder it starts from has no base that it could be
/// relative to.
fn location(path: &str) -> Value {
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    let joined = parts.iter().map(|part| encoded(part)).collect::<Vec<_>>().join("/");
    if path.starts_with('/') {
        json!({"uri": format!("file:///{joined}")})
    } else if parts.contains(&"..") {
        json!({"uri": joined})
    } else {
        json!({"uri": joined, "uriBaseId": BASE})
    }
}

fn encoded(part: &str) -> String {
    let byte = |byte: u8| match byte {
        b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
        _ if byte.is_ascii_alphanumeric() => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    part.bytes().map(byte).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_uris() {
        let cases = [
            ("m.gcl", json!({"uri": "m.gcl", "uriBaseId": BASE})),
            ("./models//my model.gcl", json!({"uri": "models/my%20model.gcl", "uriBaseId": BASE})),
            ("a:b/é%.gcl", json!({"uri": "a%3Ab/%C3%A9%25.gcl", "uriBaseId": BASE})),
            ("../m.gcl", json!({"uri": "../m.gcl"})),
            ("/tmp/m.gcl", json!({"uri": "file:///tmp/m.gcl"})),
        ];
        for (path, expected) in cases {
            assert_eq!(location(path), expected, "{path}");
        }
    }

    #[test]
    fn a_text_on_the_command_line_has_no_file() {
        let mut sources = Sources::default();
        let file = sources.add("m.gcl", "var x : 0..3;\n");
        let option = sources.add_option("-p", "x < 3");
        let (mut places, span) = (Places::default(), Span::new(option, 0, 5));
        assert_eq!(places.location(&sources, span), json!({"message": {"text": "in -p"}}));
        let about = places.location_or(&sources, span, file);
        assert_eq!(about["physicalLocation"]["artifactLocation"]["uri"], json!("m.gcl"));
        assert_eq!(about["physicalLocation"].get("region"), None);
        let inside = places.location_or(&sources, Span::new(file, 4, 5), file);
        let region = json!({"startLine": 1, "startColumn": 5, "endLine": 1, "endColumn": 6});
        assert_eq!(inside["physicalLocation"]["region"], region);
    }
}
