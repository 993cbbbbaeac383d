//! Nodes: the head, the sections, and what does not belong into them.

use lapidary_text::{Diagnostic, Span};

use super::super::ast::{Item, Name, Node, Section};
use super::super::codes;
use super::super::lexer::{self, Kind};
use super::super::limits::MAX_OPEN_NODES;
use super::{Parser, SECTIONS};

/// How a body ended, and what stood in it that belongs outside.
struct Body {
    sections: Vec<Section>,
    end: Option<Span>,
    complaints: Vec<Diagnostic>,
}

impl Parser<'_, '_> {
    /// A node, and the declarations that stand in it by mistake.
    pub(super) fn node(&mut self, items: &mut Vec<Item>) {
        let start = self.cursor.span();
        self.cursor.next();
        let (name, attributes) = self.head(start);
        let outer = std::mem::take(&mut self.hoisted);
        self.n_open_nodes += 1;
        let body = self.body();
        self.n_open_nodes -= 1;
        let mut inner = std::mem::replace(&mut self.hoisted, outer);
        let is_closed = body.end.is_some();
        let end = body.end.unwrap_or(self.cursor.previous_span());
        self.close(start.to(name.span), body.end, body.complaints);
        let node = Item::Node(Node { name, attributes, sections: body.sections, span: start.to(end) });
        // What was declared inside was meant to be known inside; behind an unclosed node it was not inside.
        match is_closed {
            true => {
                items.append(&mut inner);
                items.push(node);
            }
            false => {
                items.push(node);
                items.append(&mut inner);
            }
        }
    }

    /// The name and the attributes; a broken head still has a body.
    fn head(&mut self, start: Span) -> (Name, Vec<Name>) {
        let is_missing = self.cursor.peek().is_none_or(lexer::ends_section);
        if is_missing {
            self.unexpected_in("a name for the node", "a node is `node NAME ... edon`");
            return (Name { text: String::new(), span: start }, Vec::new());
        }
        let Ok(name) = self.name("a name for the node") else {
            self.synchronise();
            return (Name { text: String::new(), span: start }, Vec::new());
        };
        let attributes = self.attributes();
        if attributes.is_err() {
            self.synchronise();
        }
        (name, attributes.unwrap_or_default())
    }

    fn body(&mut self) -> Body {
        let mut body = Body { sections: Vec::new(), end: None, complaints: Vec::new() };
        while let Some(kind) = self.cursor.peek() {
            let place = self.cursor.span();
            match kind {
                Kind::Edon => {
                    self.cursor.next();
                    body.end = Some(place);
                    return body;
                }
                Kind::Node if self.n_open_nodes >= MAX_OPEN_NODES => return body,
                Kind::Node => {
                    let mut nodes = Vec::new();
                    self.node(&mut nodes);
                    self.hoisted.append(&mut nodes);
                    body.complaints.push(nested(place));
                }
                Kind::Const | Kind::Domain | Kind::Sort | Kind::Sig => {
                    let mut declared = self.declaration();
                    self.hoisted.append(&mut declared);
                    body.complaints.push(misplaced(kind, place));
                }
                Kind::Semicolon => {
                    self.cursor.next();
                }
                kind if lexer::starts_section(kind) => self.section(&mut body.sections),
                _ => {
                    if let Some(keyword) = self.misspelt(&SECTIONS) {
                        self.read_as(keyword);
                        continue;
                    }
                    let help =
                        "sections begin with `state`, `flow`, `event`, `trans`, `assert`, `init`, `sub` or `sync`";
                    self.unexpected_in("a section such as `state`, `event` or `trans`, or `edon`", help);
                    self.cursor.next();
                    self.synchronise();
                }
            }
        }
        body
    }

    /// The end of a node. Where it is missing, what seems misplaced has a simpler explanation.
    fn close(&mut self, head: Span, end: Option<Span>, complaints: Vec<Diagnostic>) {
        if end.is_some() {
            complaints.into_iter().for_each(|diagnostic| self.log.push(diagnostic));
            return;
        }
        let message = "this node is not closed";
        let mut diagnostic = Diagnostic::error(codes::MISSING_EDON, message, head, "it has no `edon`");
        let outsider = complaints.first().and_then(|first| first.labels.first()).map(|&(place, _)| place);
        let outsider = outsider.or_else(|| self.cursor.at(Kind::Node).then(|| self.cursor.span()));
        if let Some(place) = outsider {
            diagnostic = diagnostic.with_label(place, "this belongs outside: is an `edon` missing before it?");
        }
        self.log.push(diagnostic.with_help("a node is `node NAME ... edon`"));
    }
}

fn nested(place: Span) -> Diagnostic {
    Diagnostic::error(codes::NESTED_NODE, "nodes do not nest", place, "a node inside a node")
        .with_help("declare it before the other node, and use it there in a `sub` section")
}

fn misplaced(kind: Kind, place: Span) -> Diagnostic {
    let message = format!("{} cannot stand inside a node", lexer::describe(kind));
    Diagnostic::error(codes::MISPLACED, message, place, "this belongs outside").with_help("declare it before the node")
}
