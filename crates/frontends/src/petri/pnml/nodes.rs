//! Places, transitions, references to them and arcs between them.

use lapidary_base::hash::Map;
use lapidary_ir::{Net, Place, PlaceId, Range, Tokens};
use lapidary_text::spelling::Suggestions;
use lapidary_text::{Diagnostic, Span};
use roxmltree::Node;

use super::super::arcs::{self, Arc};
use super::super::codes;
use super::super::reader::too_large;
use super::element::{Xml, child};
use super::spelling;

/// What an id stands for.
#[derive(Clone, Copy)]
enum Item<'d> {
    Place(PlaceId),
    /// A number in [`Nodes::transitions`].
    Transition(usize),
    /// Another id.
    Reference(&'d str),
}

struct Pending {
    name: String,
    span: Span,
    arcs: Vec<(PlaceId, Arc)>,
}

#[derive(Default)]
pub struct Nodes<'d> {
    known: Map<&'d str, (Item<'d>, Span)>,
    ids: Vec<&'d str>,
    transitions: Vec<Pending>,
    suggestions: Suggestions,
    /// Some element has no id of its own: that one may be meant by an id that nothing has.
    has_nameless: bool,
}

impl<'d> Nodes<'d> {
    /// Takes note of a place, a transition or a reference.
    pub fn declare(&mut self, node: Node<'d, 'd>, net: &mut Net, xml: &mut Xml<'_>) {
        let kind = spelling::element(node, xml);
        if !matches!(kind, "place" | "transition" | "referencePlace" | "referenceTransition") {
            return;
        }
        let span = xml.head(node);
        let Some(id) = node.attribute("id").filter(|id| !id.is_empty()) else {
            let message = format!("this {kind} has no id");
            let diagnostic = Diagnostic::error(codes::PNML_ID, message, span, "an attribute `id` is needed");
            let help = spelling::attribute(node, "id");
            let help =
                help.unwrap_or("write `id=\"...\"`: arcs and properties speak of elements by their id".to_owned());
            self.has_nameless = true;
            return xml.log.push(diagnostic.with_help(help));
        };
        if let Some(&(_, first)) = self.known.get(id) {
            self.has_nameless = true;
            let diagnostic =
                Diagnostic::error(codes::PNML_ID, format!("two elements have the id `{id}`"), span, "again");
            return xml.log.push(diagnostic.with_label(first, "the first one").with_help("rename one of them"));
        }
        let item = match kind {
            "place" => {
                spelling::children(node, &["initialMarking"], xml);
                let tokens = marking(node, xml).unwrap_or(0);
                net.initial.push(Range::exactly(tokens));
                Item::Place(net.places.push(Place { name: id.to_owned(), span }))
            }
            "transition" => {
                self.transitions.push(Pending { name: id.to_owned(), span, arcs: Vec::new() });
                Item::Transition(self.transitions.len() - 1)
            }
            _ => Item::Reference(node.attribute("ref").unwrap_or("")),
        };
        self.known.insert(id, (item, span));
        self.ids.push(id);
    }

    pub fn arc(&mut self, node: Node<'d, 'd>, xml: &mut Xml<'_>) {
        spelling::children(node, &["inscription"], xml);
        let ends = (self.end(node, "source", xml), self.end(node, "target", xml));
        let weight = weight(node, xml);
        let (Some(source), Some(target), Some(weight)) = (ends.0, ends.1, weight) else { return };
        let (place, transition, arc) = match (source, target, kind(node)) {
            (_, _, Kind::Unknown) => {
                let diagnostic =
                    Diagnostic::error(codes::PNML_ARC_TYPE, "an arc of unknown type", xml.head(node), "here");
                return xml.log.push(diagnostic.with_help("known types are normal, inhibitor, read, test and reset"));
            }
            (Item::Place(place), Item::Transition(to), Kind::Normal) => (place, to, Arc::Take(weight)),
            (Item::Transition(from), Item::Place(place), Kind::Normal) => (place, from, Arc::Put(weight)),
            (Item::Place(place), Item::Transition(to), Kind::Read) => (place, to, Arc::Read(weight)),
            (Item::Place(place), Item::Transition(to), Kind::Reset) => (place, to, Arc::Reset),
            (Item::Place(_), Item::Transition(_), Kind::Inhibitor) if weight == 0 => {
                let message = "an inhibitor arc of weight 0 forbids everything";
                let diagnostic = Diagnostic::error(codes::PNML_NUMBER, message, xml.head(node), "here");
                return xml.log.push(diagnostic.with_help("leave the transition out, or use a weight of 1 and more"));
            }
            (Item::Place(place), Item::Transition(to), Kind::Inhibitor) => (place, to, Arc::Inhibit(weight)),
            (Item::Place(_) | Item::Transition(_) | Item::Reference(_), _, _) => {
                return xml.log.push(misled(source, target, node, xml));
            }
        };
        self.transitions[transition].arcs.push((place, arc));
    }

    /// What an end of an arc stands for once references are followed.
    fn end(&mut self, node: Node<'d, 'd>, end: &str, xml: &mut Xml<'_>) -> Option<Item<'d>> {
        let named = node.attribute(end).unwrap_or("");
        let mut id = named;
        // Whoever follows more references than there are elements goes round in circles.
        for _ in 0..=self.known.len() {
            match self.known.get(id) {
                Some(&(Item::Reference(next), _)) => id = next,
                Some(&(item @ (Item::Place(_) | Item::Transition(_)), _)) => return Some(item),
                None => break,
            }
        }
        let message = match id {
            "" if named.is_empty() => format!("this arc has no `{end}`"),
            "" => format!("the reference `{named}` stands for nothing"),
            _ if self.known.contains_key(id) => format!("the reference `{id}` stands for itself"),
            _ => format!("nothing has the id `{id}`"),
        };
        let meant = self.suggestions.similar(id, self.ids.iter().copied());
        if meant.is_none() && !named.is_empty() && self.has_nameless {
            return None;
        }
        let help = match meant {
            Some(meant) if meant != id => format!("did you mean `{meant}`?"),
            Some(_) | None => "source and target are the ids of a place and a transition".to_owned(),
        };
        let help = match named.is_empty() {
            true => spelling::attribute(node, end)
                .unwrap_or_else(|| format!("write `{end}=\"...\"`, with the id of a place or a transition")),
            false => help,
        };
        let (place, label) = (xml.value(node, end), format!("the `{end}` of an arc is a place or a transition"));
        xml.log.push(Diagnostic::error(codes::PNML_UNKNOWN, message, place, label).with_help(help));
        None
    }

    /// Builds the transitions once all arcs are known.
    pub fn transitions(self, net: &mut Net, xml: &mut Xml<'_>) {
        for Pending { name, span, arcs } in self.transitions {
            match arcs::transition(name, span, &arcs) {
                Some(transition) => {
                    net.transitions.push(transition);
                }
                None => xml.log.push(too_large(span)),
            }
        }
    }
}

/// Why an arc between such ends cannot be.
fn misled(source: Item<'_>, target: Item<'_>, node: Node<'_, '_>, xml: &Xml<'_>) -> Diagnostic {
    let [from, to] = ["source", "target"].map(|end| node.attribute(end).unwrap_or(""));
    let (message, help) = match (source, target) {
        (Item::Place(_), Item::Place(_)) => (
            "this arc joins two places",
            format!("put a transition between them: an arc from `{from}` to it, another from it to `{to}`"),
        ),
        (Item::Transition(_), Item::Transition(_)) => (
            "this arc joins two transitions",
            format!("put a place between them: an arc from `{from}` to it, another from it to `{to}`"),
        ),
        (Item::Place(_) | Item::Transition(_) | Item::Reference(_), _) => (
            "an arc from a transition to a place puts tokens",
            "leave its type out; inhibitor, read, test and reset arcs lead from a place to a transition".to_owned(),
        ),
    };
    Diagnostic::error(codes::PNML_ARC, message, xml.head(node), "not an arc of a net").with_help(help)
}

/// The number in `<element><text>3</text></element>`; older tools write `<value>Default,3</value>`.
fn labelled<'d>(node: Node<'d, 'd>, label: &str, xml: &mut Xml<'_>) -> Option<(&'d str, Node<'d, 'd>)> {
    let label = child(node, label)?;
    let exact = child(label, "text").or_else(|| child(label, "value"));
    let text = exact.or_else(|| spelling::child(label, "text", xml)).unwrap_or(label);
    let words = text.text().unwrap_or("");
    Some((words.rsplit(',').next().unwrap_or(words), label))
}

fn marking(node: Node<'_, '_>, xml: &mut Xml<'_>) -> Option<Tokens> {
    if let Some((text, label)) = labelled(node, "initialMarking", xml) {
        return xml.number(text, label);
    }
    node.attribute("initialMarking").map_or(Some(0), |text| xml.number(text, node))
}

fn weight(node: Node<'_, '_>, xml: &mut Xml<'_>) -> Option<Tokens> {
    if let Some((text, label)) = labelled(node, "inscription", xml) {
        return xml.number(text, label);
    }
    node.attribute("weight").map_or(Some(1), |text| xml.number(text, node))
}

#[derive(Clone, Copy)]
enum Kind {
    Normal,
    Inhibitor,
    Read,
    Reset,
    Unknown,
}

/// The type of an arc: an attribute, or a child with a value.
fn kind(node: Node<'_, '_>) -> Kind {
    let of_child = || {
        let kind = node
            .children()
            .find(|child| child.is_element() && matches!(child.tag_name().name(), "type" | "arctype"))?;
        let text = kind.children().find(|child| child.tag_name().name() == "text").and_then(|text| text.text());
        kind.attribute("value").or(text).or_else(|| kind.text())
    };
    let kind = node.attribute("type").or_else(of_child).unwrap_or("normal").trim().to_ascii_lowercase();
    match kind.as_str() {
        "" | "normal" => Kind::Normal,
        "inhibitor" => Kind::Inhibitor,
        "read" | "test" => Kind::Read,
        "reset" => Kind::Reset,
        _ => Kind::Unknown,
    }
}
