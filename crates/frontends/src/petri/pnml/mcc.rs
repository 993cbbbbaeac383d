//! Properties as the Model Checking Contest writes them: a set of named formulas in XML. Questions of reachability are
//! read; others are left out, with a warning that names them.

use lapidary_ir::{Expr, Property, PropertyKind};
use lapidary_text::{Diagnostic, SourceId, Sources};
use roxmltree::Node;

use super::super::codes;
use super::super::formula::linear::{Linear, Relation};
use super::super::formula::too_deep;
use super::super::limits::{MAX_NESTING, MAX_NUMBER, MAX_SHOWN};
use super::super::properties::Scope;
use super::super::reader::too_large;
use super::element::{self, Xml, child, children};
use crate::log::Log;
use crate::words::similar;

/// Whether a text is XML rather than a formula in words.
pub fn is_xml(text: &str) -> bool {
    text.trim_start_matches('\u{feff}').trim_start().starts_with('<')
}

/// The properties of a file that can be asked.
pub fn file(sources: &Sources, source: SourceId, scope: &Scope<'_>, log: &mut Log) -> Vec<Property> {
    let Some(document) = element::parse(sources, source, log) else { return Vec::new() };
    let root = document.root_element();
    let mut reader = Reader { xml: Xml { source, log }, scope, n_suggestions: 0 };
    let properties: Vec<Node<'_, '_>> = children(root).filter(|node| node.tag_name().name() == "property").collect();
    if properties.is_empty() {
        let span = reader.xml.head(root);
        let diagnostic =
            Diagnostic::error(codes::MCC_NO_PROPERTIES, "this file has no properties", span, "not in here");
        reader
            .xml
            .log
            .push(diagnostic.with_help("properties are written `<property-set><property><id>...</id><formula>...`"));
    }
    properties.into_iter().enumerate().filter_map(|(i, node)| reader.property(node, i + 1)).collect()
}

struct Reader<'l, 's> {
    xml: Xml<'l>,
    scope: &'s Scope<'s>,
    n_suggestions: usize,
}

/// Why a formula has no expression.
enum Trouble<'d> {
    /// It was said already.
    Reported,
    /// An element that is not supported.
    Unsupported(Node<'d, 'd>),
}

type Read<'d, T> = Result<T, Trouble<'d>>;

impl Reader<'_, '_> {
    fn property(&mut self, node: Node<'_, '_>, number: usize) -> Option<Property> {
        let name = element::child(node, "id").and_then(|id| id.text()).map_or("", str::trim);
        let name = if name.is_empty() { format!("property_{number}") } else { name.to_owned() };
        let span = self.xml.head(node);
        match self.kind(node) {
            Ok((kind, text)) => Some(Property { name, kind, faults: Vec::new(), text, span }),
            Err(Trouble::Reported) => None,
            Err(Trouble::Unsupported(inner)) => {
                let message = format!("the property `{name}` is left out");
                let label = format!("`{}` is not supported here", inner.tag_name().name());
                let diagnostic = Diagnostic::warning(codes::MCC_UNSUPPORTED, message, self.xml.head(inner), label);
                let help =
                    "only `exists-path finally` and `all-paths globally` over conditions on one marking are read";
                self.xml.log.push(diagnostic.with_help(help));
                None
            }
        }
    }

    fn kind<'d>(&mut self, node: Node<'d, 'd>) -> Read<'d, (PropertyKind, String)> {
        let Some(formula) = child(node, "formula") else { return self.lacks(node, "a formula") };
        let path = self.only(formula)?;
        let (wanted, text) = match path.tag_name().name() {
            "exists-path" => ("finally", "EF"),
            "all-paths" => ("globally", "AG"),
            _ => return Err(Trouble::Unsupported(path)),
        };
        let state = self.only(path)?;
        if state.tag_name().name() != wanted {
            return Err(Trouble::Unsupported(state));
        }
        let inner = self.only(state)?;
        let mut words = format!("{text} ");
        let expr = self.truth(inner, 0, &mut words)?;
        let kind = if wanted == "finally" { PropertyKind::Reach(expr) } else { self.scope.always(expr) };
        Ok((kind, words))
    }

    /// The condition of an element, whose words are added to a text.
    fn truth<'d>(&mut self, node: Node<'d, 'd>, depth: usize, words: &mut String) -> Read<'d, Expr> {
        if depth > MAX_NESTING {
            self.xml.log.push(too_deep(self.xml.head(node)));
            return Err(Trouble::Reported);
        }
        let exprs = self.scope.exprs;
        match node.tag_name().name() {
            "true" | "false" => {
                *words += &node.tag_name().name().to_uppercase();
                Ok(exprs.bool(node.tag_name().name() == "true"))
            }
            "deadlock" => {
                *words += "DEADLOCK";
                Ok(self.scope.deadlock())
            }
            "negation" => {
                *words += "NOT ";
                let inner = self.only(node)?;
                Ok(exprs.not(self.truth(inner, depth + 1, words)?))
            }
            "conjunction" => Ok(exprs.and(self.parts(node, depth, " AND ", words)?)),
            "disjunction" => Ok(exprs.or(self.parts(node, depth, " OR ", words)?)),
            "integer-le" => self.comparison(node, Relation::AtMost, " <= ", words),
            "integer-lt" => self.comparison(node, Relation::Less, " < ", words),
            "integer-ge" => self.comparison(node, Relation::AtLeast, " >= ", words),
            "integer-gt" => self.comparison(node, Relation::Greater, " > ", words),
            "integer-eq" => self.comparison(node, Relation::Equal, " = ", words),
            "integer-ne" => self.comparison(node, Relation::Different, " != ", words),
            "is-fireable" => self.fireable(node, words),
            _ => Err(Trouble::Unsupported(node)),
        }
    }

    fn parts<'d>(
        &mut self,
        node: Node<'d, 'd>,
        depth: usize,
        between: &str,
        words: &mut String,
    ) -> Read<'d, Vec<Expr>> {
        let mut parts = Vec::new();
        words.push('(');
        for (i, part) in children(node).enumerate() {
            if i > 0 {
                *words += between;
            }
            parts.push(self.truth(part, depth + 1, words)?);
        }
        words.push(')');
        if parts.is_empty() { self.lacks(node, "parts") } else { Ok(parts) }
    }

    fn comparison<'d>(
        &mut self,
        node: Node<'d, 'd>,
        relation: Relation,
        between: &str,
        words: &mut String,
    ) -> Read<'d, Expr> {
        let sides: Vec<Node<'d, 'd>> = children(node).collect();
        let [left, right] = sides[..] else { return self.lacks(node, "two sides") };
        let left = self.sum(left, words)?;
        *words += between;
        let right = self.sum(right, words)?;
        let compared = left.compare(relation, &right, self.scope.exprs);
        self.checked(node, compared)
    }

    fn sum<'d>(&mut self, node: Node<'d, 'd>, words: &mut String) -> Read<'d, Linear> {
        let mut sum = Linear::default();
        match node.tag_name().name() {
            "integer-constant" => {
                let text = node.text().unwrap_or("").trim();
                *words += text;
                let (sign, digits) = text.strip_prefix('-').map_or((1, text), |digits| (-1, digits));
                let number = self.xml.number(digits, node).ok_or(Trouble::Reported)?;
                Ok(Linear::number(
                    sign * i64::try_from(number.min(MAX_NUMBER)).expect("numbers that are read are small"),
                ))
            }
            "tokens-count" => {
                for (i, place) in children(node).enumerate() {
                    let name = place.text().unwrap_or("").trim();
                    *words += if i > 0 { " + " } else { "" };
                    *words += name;
                    let known = self.scope.place(name);
                    let Some(id) = known else { return self.unknown("place", name, place) };
                    sum = self.checked(node, sum.plus(1, &Linear::place(id)))?;
                }
                Ok(sum)
            }
            "integer-sum" => {
                for (i, part) in children(node).enumerate() {
                    *words += if i > 0 { " + " } else { "" };
                    // A sum within a sum is not written by anybody; what is deep is not followed.
                    if part.tag_name().name() == "integer-sum" {
                        return Err(Trouble::Unsupported(part));
                    }
                    let part = self.sum(part, words)?;
                    sum = self.checked(node, sum.plus(1, &part))?;
                }
                Ok(sum)
            }
            _ => Err(Trouble::Unsupported(node)),
        }
    }

    /// Any of the transitions may fire.
    fn fireable<'d>(&mut self, node: Node<'d, 'd>, words: &mut String) -> Read<'d, Expr> {
        let mut any = Vec::new();
        let mut names = Vec::new();
        for transition in children(node) {
            let name = transition.text().unwrap_or("").trim();
            let Some(id) = self.scope.transition(name) else { return self.unknown("transition", name, transition) };
            any.push(self.scope.enabled(id));
            names.push(format!("FIREABLE({name})"));
        }
        let joined = names.join(" OR ");
        *words += &if names.len() == 1 { joined } else { format!("({joined})") };
        Ok(self.scope.exprs.or(any))
    }

    fn checked<'d, T>(&mut self, node: Node<'d, 'd>, value: Option<T>) -> Read<'d, T> {
        if value.is_none() {
            self.xml.log.push(too_large(self.xml.head(node)));
        }
        value.ok_or(Trouble::Reported)
    }

    /// The only element within another.
    fn only<'d>(&mut self, node: Node<'d, 'd>) -> Read<'d, Node<'d, 'd>> {
        let mut inner = children(node);
        match (inner.next(), inner.next()) {
            (Some(only), None) => Ok(only),
            (Some(_), Some(second)) => Err(Trouble::Unsupported(second)),
            (None, _) => self.lacks(node, "what it is about"),
        }
    }

    fn lacks<'d, T>(&mut self, node: Node<'d, 'd>, what: &str) -> Read<'d, T> {
        let message = format!("`{}` lacks {what}", node.tag_name().name());
        let diagnostic = Diagnostic::error(codes::MCC_FORM, message, self.xml.head(node), "here");
        self.xml
            .log
            .push(diagnostic.with_help("see the manual of the Model Checking Contest for the form of properties"));
        Err(Trouble::Reported)
    }

    fn unknown<'d, T>(&mut self, what: &str, name: &str, node: Node<'d, 'd>) -> Read<'d, T> {
        self.n_suggestions += 1;
        let net = self.scope.net;
        let meant = match what {
            _ if self.n_suggestions > MAX_SHOWN => None,
            "place" => similar(name, net.places.iter().map(|place| place.name.as_str())),
            _ => similar(name, net.transitions.iter().map(|transition| transition.name.as_str())),
        };
        let help = match meant {
            Some(meant) => format!("perhaps `{meant}` is meant"),
            None => format!("every {what} is known by its id in the net"),
        };
        let diagnostic = Diagnostic::error(
            codes::MCC_UNKNOWN,
            format!("there is no {what} `{name}`"),
            self.xml.span(node),
            "unknown",
        );
        self.xml.log.push(diagnostic.with_help(help));
        Err(Trouble::Reported)
    }
}
