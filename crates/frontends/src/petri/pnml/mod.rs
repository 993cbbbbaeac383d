//! PNML, `.pnml`: place/transition nets in XML, with weights, inhibitor, read and reset arcs. Pages are flattened.
//! Places and transitions are known by their ids, as the properties of the Model Checking Contest have it.

mod broken;
mod element;
pub mod mcc;
mod nodes;
mod spelling;

use lapidary_ir::Net;
use lapidary_text::{Diagnostic, Log, SourceId, Sources};
use roxmltree::{Document, Node};

use super::{codes, properties};
pub use element::Xml;
use nodes::Nodes;

/// Reads a net, or as much of it as can be understood.
pub fn load(sources: &Sources, source: SourceId, log: &mut Log) -> Net {
    let mut net = Net { name: properties::stem(sources, source).to_owned(), ..Net::default() };
    let Some(document) = element::parse(sources, source, log) else { return net };
    let mut xml = Xml { source, log };
    let Some(root) = only_net(&document, &mut xml) else { return net };
    if let Some(kind) = root.attribute("type").filter(|kind| is_coloured(kind)) {
        let kind = kind.rsplit('/').next().unwrap_or(kind);
        xml.log.push(
            Diagnostic::error(
                codes::PNML_COLOURED,
                format!("a net of type `{kind}` has colours"),
                xml.head(root),
                "here",
            )
            .with_help("only place/transition nets are read; unfold the net first"),
        );
        return net;
    }
    let mut nodes = Nodes::default();
    let elements = elements(root);
    for &element in &elements {
        if !xml.log.goes_on() {
            break;
        }
        nodes.declare(element, &mut net, &mut xml);
    }
    for &element in elements.iter().filter(|element| element.tag_name().name() == "arc") {
        if !xml.log.goes_on() {
            break;
        }
        nodes.arc(element, &mut xml);
    }
    nodes.transitions(&mut net, &mut xml);
    net
}

fn is_coloured(kind: &str) -> bool {
    let kind = kind.to_ascii_lowercase();
    ["symmetricnet", "highlevel", "hlpn", "coloured", "colored"].iter().any(|word| kind.contains(word))
}

fn only_net<'d>(document: &'d Document<'d>, xml: &mut Xml<'_>) -> Option<Node<'d, 'd>> {
    let root = document.root_element();
    let is_net = |node: &Node<'_, '_>| node.is_element() && node.tag_name().name() == "net";
    let mut nets = root.children().filter(is_net);
    let first = if is_net(&root) { Some(root) } else { nets.next() };
    let Some(first) = first else {
        xml.log.push(
            Diagnostic::error(codes::PNML_NO_NET, "this document has no net", xml.head(root), "no `<net>` in here")
                .with_help("a net is written `<pnml><net type=\"...ptnet\" id=\"n\"><page id=\"g\">...`"),
        );
        return None;
    };
    if let Some(second) = nets.next() {
        xml.log.push(
            Diagnostic::warning(codes::PNML_SEVERAL, "only the first net is read", xml.head(second), "another net")
                .with_help("put each net into a file of its own"),
        );
    }
    Some(first)
}

/// The elements of all pages, in the order of the text.
fn elements<'d>(net: Node<'d, 'd>) -> Vec<Node<'d, 'd>> {
    let mut found = Vec::new();
    let mut waiting: Vec<Node<'d, 'd>> = net.children().rev().collect();
    while let Some(node) = waiting.pop() {
        match node.tag_name().name() {
            "page" => waiting.extend(node.children().rev()),
            _ => found.push(node),
        }
    }
    found
}
