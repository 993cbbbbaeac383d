//! XML elements with places in the text: what the readers of nets and of properties have in common.

use lapidary_text::{Diagnostic, Log, SourceId, Sources, Span};
use roxmltree::{Document, Node};

use super::super::codes;
use super::super::limits::MAX_NUMBER;
use super::super::reader::{text, too_large};
use super::broken;

/// Where complaints about elements go.
pub struct Xml<'l> {
    pub source: SourceId,
    pub log: &'l mut Log,
}

/// The tree of a text that is XML.
pub fn parse<'a>(sources: &'a Sources, source: SourceId, log: &mut Log) -> Option<Document<'a>> {
    let text = text(sources, source, log);
    match Document::parse(text) {
        Ok(document) => Some(document),
        Err(error) => {
            log.push(broken::explain(&error, text, source));
            None
        }
    }
}

impl Xml<'_> {
    /// All of an element.
    pub fn span(&self, node: Node<'_, '_>) -> Span {
        let range = node.range();
        Span::new(self.source, range.start as u32, range.end as u32)
    }

    /// The opening tag of an element.
    pub fn head(&self, node: Node<'_, '_>) -> Span {
        let range = node.range();
        let text = node.document().input_text();
        let tag = text.get(range.clone()).and_then(|text| text.find('>')).map_or(range.len(), |end| end + 1);
        Span::new(self.source, range.start as u32, (range.start + tag) as u32)
    }

    /// The value of an attribute, or the opening tag where it has none.
    pub fn value(&self, node: Node<'_, '_>, attribute: &str) -> Span {
        match node.attribute_node(attribute) {
            Some(found) => Span::new(self.source, found.range_value().start as u32, found.range_value().end as u32),
            None => self.head(node),
        }
    }

    /// A number of tokens; complains otherwise.
    pub fn number(&mut self, text: &str, node: Node<'_, '_>) -> Option<u64> {
        // White space around the number is no part of it.
        let start = self.span(node).start as usize;
        let inside = node.document().input_text().get(node.range()).and_then(|all| all.rfind(text));
        let text = text.trim();
        let span = match inside.filter(|_| !text.is_empty() && !node.range().is_empty()) {
            Some(at) => Span::new(self.source, (start + at) as u32, (start + at + text.len()) as u32),
            None => self.span(node),
        };
        match text.parse() {
            Ok(number) if number <= MAX_NUMBER => return Some(number),
            Ok(_) => self.log.push(too_large(span)),
            Err(_) if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) => {
                self.log.push(too_large(span));
            }
            Err(_) => {
                let shown: String = text.chars().take(30).collect();
                let message = format!("`{shown}` is not a number of tokens");
                let diagnostic = Diagnostic::error(codes::PNML_NUMBER, message, span, "not a number of tokens");
                self.log.push(diagnostic.with_help("write a whole number, 0 or more, with digits only"));
            }
        }
        None
    }
}

/// The child element with this name.
pub fn child<'d>(node: Node<'d, 'd>, name: &str) -> Option<Node<'d, 'd>> {
    node.children().find(|child| child.is_element() && child.tag_name().name() == name)
}

pub fn children<'d>(node: Node<'d, 'd>) -> impl Iterator<Item = Node<'d, 'd>> {
    node.children().filter(Node::is_element)
}
