//! XML elements with places in the text: what the readers of nets and of properties have in common.

use lapidary_text::{Diagnostic, SourceId, Sources, Span};
use roxmltree::{Document, Node, TextPos};

use super::super::codes;
use super::super::limits::MAX_NUMBER;
use super::super::reader::{text, too_large};
use crate::log::Log;

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
            let at = offset(text, error.pos());
            let span = Span::new(source, at, at);
            log.push(Diagnostic::error(codes::PNML_XML, format!("this is not XML: {error}"), span, "here").with_help(
                "tags are closed in order, attributes are quoted, `<` and `&` are written `&lt;` and `&amp;`",
            ));
            None
        }
    }
}

fn offset(text: &str, place: TextPos) -> u32 {
    let line = text.split_inclusive('\n').take(place.row.saturating_sub(1) as usize).map(str::len).sum::<usize>();
    let rest = text.get(line..).unwrap_or("");
    let column = rest.char_indices().nth(place.col.saturating_sub(1) as usize).map_or(rest.len(), |(at, _)| at);
    u32::try_from(line + column).unwrap_or(u32::MAX)
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

    /// A number of tokens; complains otherwise.
    pub fn number(&mut self, text: &str, node: Node<'_, '_>) -> Option<u64> {
        let text = text.trim();
        let span = self.span(node);
        match text.parse() {
            Ok(number) if number <= MAX_NUMBER => return Some(number),
            Ok(_) => self.log.push(too_large(span)),
            Err(_) if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) => {
                self.log.push(too_large(span));
            }
            Err(_) => {
                let shown: String = text.chars().take(30).collect();
                let message = format!("`{shown}` is not a number of tokens");
                let diagnostic = Diagnostic::error(codes::PNML_NUMBER, message, span, "here");
                self.log.push(diagnostic.with_help("write a whole number that is not negative"));
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
