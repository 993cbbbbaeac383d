//! Properties as the Model Checking Contest writes them: a set of named formulas in XML. Questions of reachability are
//! read; others are left out, with a warning that names them. A condition below no path operator speaks of the initial
//! marking.

use lapidary_text::spelling::Suggestions;
use lapidary_text::{Diagnostic, Log, SourceId, Sources, Span};
use roxmltree::Node;

use super::super::codes;
use super::super::formula::linear::{Linear, Relation};
use super::super::formula::too_deep;
use super::super::limits::{MAX_NESTING, MAX_NUMBER};
use super::super::paths::{self, Bare, Formula, Joint, Misfit, Named, Path, Rules, Words};
use super::super::properties::{Posed, Scope};
use super::super::reader::too_large;
use super::element::{self, Xml, child, children};

/// Whether a text is XML rather than a formula in words.
pub fn is_xml(text: &str) -> bool {
    text.trim_start_matches('\u{feff}').trim_start().starts_with('<')
}

/// The properties of a file.
pub fn file(sources: &Sources, source: SourceId, scope: &Scope<'_>, log: &mut Log) -> Vec<Posed> {
    let Some(document) = element::parse(sources, source, log) else { return Vec::new() };
    let root = document.root_element();
    let mut reader = Reader { xml: Xml { source, log }, scope, suggestions: Suggestions::default() };
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

const COMPARISONS: [(&str, Relation, &str); 6] = [
    ("integer-le", Relation::AtMost, " <= "),
    ("integer-lt", Relation::Less, " < "),
    ("integer-ge", Relation::AtLeast, " >= "),
    ("integer-gt", Relation::Greater, " > "),
    ("integer-eq", Relation::Equal, " = "),
    ("integer-ne", Relation::Different, " != "),
];

struct Reader<'l, 's> {
    xml: Xml<'l>,
    scope: &'s Scope<'s>,
    suggestions: Suggestions,
}

/// Why a formula has no expression.
enum Trouble<'d> {
    /// It was said already.
    Reported,
    /// An element that is not supported.
    Unsupported(Node<'d, 'd>),
    /// A number that is not a sum of places.
    Product(Node<'d, 'd>),
}

type Read<'d, T> = Result<T, Trouble<'d>>;

/// What a number is part of, which decides about brackets in its words.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Within {
    Sum,
    /// Behind a minus, or a factor.
    Operand,
}

impl Reader<'_, '_> {
    fn property(&mut self, node: Node<'_, '_>, number: usize) -> Option<Posed> {
        let name = element::child(node, "id").and_then(|id| id.text()).map_or("", str::trim);
        let name = if name.is_empty() { format!("property_{number}") } else { name.to_owned() };
        let mut text = String::new();
        let (place, why) = match self.formula(node, &mut text) {
            Ok(formula) => {
                let words = |words: &Words| text[words.clone()].to_owned();
                let rules = Rules { scope: self.scope, words: &words, bare: Bare::IsInitial };
                let named =
                    Named { name: name.clone(), text: text.clone(), span: self.xml.head(node), formula: &formula };
                match rules.asked(named) {
                    Ok(asked) => return Some(asked),
                    Err(Misfit::Nested(span)) => (span, "this path operator stands within another one".to_owned()),
                    Err(Misfit::Bare(_) | Misfit::Initial(_)) => (
                        self.xml.head(node),
                        "it speaks of the initial marking, and there is not exactly one, or its numbers are too large"
                            .to_owned(),
                    ),
                }
            }
            Err(Trouble::Reported) => return None,
            Err(Trouble::Unsupported(inner)) => {
                (self.xml.head(inner), format!("`{}` is not supported here", inner.tag_name().name()))
            }
            Err(Trouble::Product(inner)) => (self.xml.head(inner), "places are multiplied with each other".to_owned()),
        };
        self.left_out(&name, place, why);
        Some(Posed::LeftOut { name })
    }

    fn left_out(&mut self, name: &str, place: Span, why: String) {
        let message = format!("the property `{name}` is left out");
        let help = "read are `exists-path finally` and `all-paths globally` over conditions on one marking, and what conjunctions, \
                    disjunctions and negations make of these";
        self.xml.log.push(Diagnostic::warning(codes::MCC_UNSUPPORTED, message, place, why).with_help(help));
    }

    fn formula<'d>(&mut self, node: Node<'d, 'd>, words: &mut String) -> Read<'d, Formula> {
        let Some(formula) = child(node, "formula") else { return self.lacks(node, "a formula") };
        let inner = self.only(formula)?;
        self.truth(inner, 0, words)
    }

    fn path<'d>(&mut self, node: Node<'d, 'd>, path: Path, depth: usize, words: &mut String) -> Read<'d, Formula> {
        let (wanted, word) = match path {
            Path::Reach => ("finally", "EF "),
            Path::Always => ("globally", "AG "),
        };
        let state = self.only(node)?;
        if state.tag_name().name() != wanted {
            return Err(Trouble::Unsupported(state));
        }
        let inner = self.only(state)?;
        *words += word;
        let inner = self.truth(inner, depth + 1, words)?;
        Ok(Formula::Path(path, Box::new(inner), self.xml.head(node)))
    }

    /// The formula of an element, whose words are added to a text.
    fn truth<'d>(&mut self, node: Node<'d, 'd>, depth: usize, words: &mut String) -> Read<'d, Formula> {
        if depth > MAX_NESTING {
            self.xml.log.push(too_deep(self.xml.head(node)));
            return Err(Trouble::Reported);
        }
        if !self.xml.log.goes_on() {
            return Err(Trouble::Reported);
        }
        let (exprs, start) = (self.scope.exprs, words.len());
        let state = |expr, words: &String| Ok(Formula::State(expr, start..words.len()));
        match node.tag_name().name() {
            "exists-path" => self.path(node, Path::Reach, depth, words),
            "all-paths" => self.path(node, Path::Always, depth, words),
            "true" | "false" => {
                *words += &node.tag_name().name().to_uppercase();
                state(exprs.bool(node.tag_name().name() == "true"), words)
            }
            "deadlock" => {
                *words += "DEADLOCK";
                state(self.scope.deadlock(), words)
            }
            "negation" => {
                *words += "NOT ";
                let inner = self.only(node)?;
                let inner = self.truth(inner, depth + 1, words)?;
                Ok(paths::negation(exprs, inner, start..words.len()))
            }
            "conjunction" => self.joined(node, Joint::All, depth, " AND ", words),
            "disjunction" => self.joined(node, Joint::Any, depth, " OR ", words),
            "is-fireable" => self.fireable(node, words),
            name => match COMPARISONS.iter().find(|(known, ..)| *known == name) {
                Some(&(_, relation, between)) => self.comparison(node, relation, between, words),
                None => Err(Trouble::Unsupported(node)),
            },
        }
    }

    fn joined<'d>(
        &mut self,
        node: Node<'d, 'd>,
        joint: Joint,
        depth: usize,
        between: &str,
        words: &mut String,
    ) -> Read<'d, Formula> {
        let start = words.len();
        let mut parts = Vec::new();
        words.push('(');
        for (i, part) in children(node).enumerate() {
            if i > 0 {
                *words += between;
            }
            parts.push(self.truth(part, depth + 1, words)?);
        }
        words.push(')');
        if parts.is_empty() {
            return self.lacks(node, "parts");
        }
        Ok(paths::join(self.scope.exprs, joint, parts, start..words.len()))
    }

    fn comparison<'d>(
        &mut self,
        node: Node<'d, 'd>,
        relation: Relation,
        between: &str,
        words: &mut String,
    ) -> Read<'d, Formula> {
        let start = words.len();
        let sides: Vec<Node<'d, 'd>> = children(node).collect();
        let [left, right] = sides[..] else { return self.lacks(node, "two sides") };
        let left = self.sum(left, 0, words)?;
        *words += between;
        let right = self.sum(right, 0, words)?;
        let compared = left.compare(relation, &right, self.scope.exprs);
        Ok(Formula::State(self.checked(node, compared)?, start..words.len()))
    }

    fn sum<'d>(&mut self, node: Node<'d, 'd>, depth: usize, words: &mut String) -> Read<'d, Linear> {
        if depth > MAX_NESTING {
            self.xml.log.push(too_deep(self.xml.head(node)));
            return Err(Trouble::Reported);
        }
        let add = |sum: Linear, part: &Linear| sum.plus(1, part);
        let subtract = |sum: Linear, part: &Linear| sum.plus(-1, part);
        match node.tag_name().name() {
            "integer-constant" => self.constant(node, words),
            "tokens-count" => self.tokens(node, words),
            "integer-sum" => self.folded(node, depth, (" + ", Within::Sum), words, &add),
            "integer-difference" => self.folded(node, depth, (" - ", Within::Operand), words, &subtract),
            "integer-product" => self.product(node, depth, words),
            _ => Err(Trouble::Unsupported(node)),
        }
    }

    fn constant<'d>(&mut self, node: Node<'d, 'd>, words: &mut String) -> Read<'d, Linear> {
        let text = node.text().unwrap_or("").trim();
        *words += text;
        let (sign, digits) = text.strip_prefix('-').map_or((1, text), |digits| (-1, digits));
        let number = self.xml.number(digits, node).ok_or(Trouble::Reported)?;
        Ok(Linear::number(sign * i64::try_from(number.min(MAX_NUMBER)).expect("numbers that are read are small")))
    }

    fn tokens<'d>(&mut self, node: Node<'d, 'd>, words: &mut String) -> Read<'d, Linear> {
        let mut sum = Linear::default();
        for (i, place) in children(node).enumerate() {
            let name = place.text().unwrap_or("").trim();
            *words += if i > 0 { " + " } else { "" };
            *words += name;
            let known = self.scope.place(name);
            let Some(id) = known else { return self.unknown("place", name, place) };
            sum = self.checked(node, sum.plus(1, &Linear::place(id)))?;
        }
        if children(node).next().is_none() {
            return self.lacks(node, "places");
        }
        Ok(sum)
    }

    /// The first number with each further one, in order.
    fn folded<'d>(
        &mut self,
        node: Node<'d, 'd>,
        depth: usize,
        (between, within): (&str, Within),
        words: &mut String,
        fold: &dyn Fn(Linear, &Linear) -> Option<Linear>,
    ) -> Read<'d, Linear> {
        let mut parts = children(node);
        let Some(first) = parts.next() else { return self.lacks(node, "parts") };
        let mut whole = self.operand(first, depth, Within::Sum, words)?;
        for part in parts {
            *words += between;
            let part = self.operand(part, depth, within, words)?;
            whole = self.checked(node, fold(whole, &part))?;
        }
        Ok(whole)
    }

    /// All factors but one are constant.
    fn product<'d>(&mut self, node: Node<'d, 'd>, depth: usize, words: &mut String) -> Read<'d, Linear> {
        let mut whole: Option<Linear> = None;
        for part in children(node) {
            *words += if whole.is_some() { " * " } else { "" };
            let part = self.operand(part, depth, Within::Operand, words)?;
            whole = Some(match whole {
                None => part,
                Some(whole) if whole.terms.is_empty() => {
                    self.checked(node, Linear::default().plus(whole.constant, &part))?
                }
                Some(whole) if part.terms.is_empty() => {
                    self.checked(node, Linear::default().plus(part.constant, &whole))?
                }
                Some(_) => return Err(Trouble::Product(node)),
            });
        }
        whole.map_or_else(|| self.lacks(node, "parts"), Ok)
    }

    fn operand<'d>(
        &mut self,
        node: Node<'d, 'd>,
        depth: usize,
        within: Within,
        words: &mut String,
    ) -> Read<'d, Linear> {
        let is_sum = match node.tag_name().name() {
            "integer-sum" | "integer-difference" => true,
            "tokens-count" => children(node).nth(1).is_some(),
            "integer-constant" => node.text().is_some_and(|text| text.trim().starts_with('-')),
            _ => false,
        };
        let (open, close) = if is_sum && within == Within::Operand { ("(", ")") } else { ("", "") };
        *words += open;
        let sum = self.sum(node, depth + 1, words)?;
        *words += close;
        Ok(sum)
    }

    /// Any of the transitions may fire.
    fn fireable<'d>(&mut self, node: Node<'d, 'd>, words: &mut String) -> Read<'d, Formula> {
        let start = words.len();
        let mut any = Vec::new();
        let mut names = Vec::new();
        for transition in children(node) {
            let name = transition.text().unwrap_or("").trim();
            let Some(id) = self.scope.transition(name) else { return self.unknown("transition", name, transition) };
            any.push(self.scope.enabled(id));
            names.push(format!("FIREABLE({name})"));
        }
        if any.is_empty() {
            return self.lacks(node, "transitions");
        }
        let joined = names.join(" OR ");
        *words += &if names.len() == 1 { joined } else { format!("({joined})") };
        Ok(Formula::State(self.scope.exprs.or(any), start..words.len()))
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
        let net = self.scope.net;
        let meant = match what {
            "place" => self.suggestions.similar(name, net.places.iter().map(|place| place.name.as_str())),
            _ => self.suggestions.similar(name, net.transitions.iter().map(|transition| transition.name.as_str())),
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
