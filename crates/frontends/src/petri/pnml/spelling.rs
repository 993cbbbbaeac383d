//! Names with a slip in them. What PNML does not know is skipped, as tools write much of their own into nets; but a net
//! without the marking that stands in `<initialMarkng>` is not the one that is meant.

use lapidary_text::Diagnostic;
use lapidary_text::spelling::similar;
use roxmltree::Node;

use super::super::codes;
use super::element::{Xml, children as elements};

/// The elements of a page that make a net.
const OWN: [&str; 6] = ["place", "transition", "arc", "page", "referencePlace", "referenceTransition"];

/// What stands beside them and says nothing about the behaviour.
const OTHERS: [&str; 10] =
    ["name", "graphics", "toolspecific", "declaration", "label", "labels", "text", "type", "value", "capacity"];

/// The name of an element of a page, mended and complained about where it has a slip.
pub fn element<'d>(node: Node<'d, 'd>, xml: &mut Xml<'_>) -> &'d str {
    match misspelt(node, &OWN, xml) {
        Some(meant) => meant,
        None => node.tag_name().name(),
    }
}

/// Complains about the children of an element that are meant to be one of these.
pub fn children(node: Node<'_, '_>, meant: &[&'static str], xml: &mut Xml<'_>) {
    for child in elements(node) {
        misspelt(child, meant, xml);
    }
}

/// The child that is meant to be this one, which is complained about.
pub fn child<'d>(node: Node<'d, 'd>, meant: &'static str, xml: &mut Xml<'_>) -> Option<Node<'d, 'd>> {
    elements(node).find(|&child| misspelt(child, &[meant], xml).is_some())
}

fn misspelt(node: Node<'_, '_>, known: &[&'static str], xml: &mut Xml<'_>) -> Option<&'static str> {
    let name = node.tag_name().name();
    if name.is_empty() || known.contains(&name) || OTHERS.contains(&name) {
        return None;
    }
    // Tools have elements of their own; a slip spares the first letter.
    let begins_alike = |known: &&str| known.as_bytes()[..1].eq_ignore_ascii_case(&name.as_bytes()[..1]);
    let meant = similar(name, known.iter().copied().filter(begins_alike))?;
    let message = format!("PNML has no element `{name}`");
    let diagnostic = Diagnostic::error(codes::PNML_SPELLING, message, xml.head(node), "it would be skipped");
    xml.log.push(diagnostic.with_help(format!("did you mean `{meant}`?")));
    Some(meant)
}

/// Which attribute of an element is meant to be this one, as advice.
pub fn attribute(node: Node<'_, '_>, meant: &str) -> Option<String> {
    let found = similar(meant, node.attributes().map(|attribute| attribute.name()).filter(|&name| name != meant))?;
    Some(format!("it has an attribute `{found}`: did you mean `{meant}`?"))
}
