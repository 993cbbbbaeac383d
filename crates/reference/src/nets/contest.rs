//! Properties of the Model Checking Contest on a net whose markings can all be listed: each part of a formula is decided
//! in every marking, so that path operators may stand anywhere. Read from the XML by itself, not by the front end.

use std::collections::{BTreeMap, VecDeque};

use lapidary_ir::{Net, Tokens};
use roxmltree::{Document, Node};

use super::{Marking, successors};

/// All markings, with where they lead and by which transitions.
struct Graph<'n> {
    net: &'n Net,
    markings: Vec<Marking>,
    /// The transition and the marking it leads to, by marking.
    steps: Vec<Vec<(usize, usize)>>,
}

/// The properties of a text by their ids, with whether they hold in the initial marking; nothing for those with other
/// operators than `EF` and `AG`. None if the net has more than `most` markings.
///
/// # Panics
///
/// If the text is no set of properties of the net.
pub fn contest(net: &Net, text: &str, most: usize) -> Option<Vec<(String, Option<bool>)>> {
    let graph = Graph::new(net, most)?;
    let document = Document::parse(text).expect("property files are XML");
    let properties = document.descendants().filter(|node| node.has_tag_name_of("property"));
    let property = |node: Node<'_, '_>| {
        let id = child(node, "id").text().expect("properties have ids").trim().to_owned();
        let formula = child(node, "formula").first_element_child().expect("formulas have an operator");
        (id, graph.truth(formula).map(|truth| truth[0]))
    };
    Some(properties.map(property).collect())
}

trait Named {
    fn has_tag_name_of(&self, name: &str) -> bool;
}

impl Named for Node<'_, '_> {
    fn has_tag_name_of(&self, name: &str) -> bool {
        self.is_element() && self.tag_name().name() == name
    }
}

fn child<'d>(node: Node<'d, 'd>, name: &str) -> Node<'d, 'd> {
    node.children().find(|child| child.has_tag_name_of(name)).expect("elements are complete")
}

fn elements<'d>(node: Node<'d, 'd>) -> impl Iterator<Item = Node<'d, 'd>> {
    node.children().filter(Node::is_element)
}

fn text<'d>(node: Node<'d, 'd>) -> &'d str {
    node.text().unwrap_or("").trim()
}

impl<'n> Graph<'n> {
    fn new(net: &'n Net, most: usize) -> Option<Self> {
        let first: Marking = net.initial.iter().map(|range| range.lo).collect();
        let mut known: BTreeMap<Marking, usize> = BTreeMap::from([(first.clone(), 0)]);
        let (mut markings, mut steps) = (vec![first], Vec::new());
        while steps.len() < markings.len() {
            let mut here = Vec::new();
            for (i, transition) in net.transitions.iter().enumerate() {
                for next in successors(transition, &markings[steps.len()]) {
                    let place = *known.entry(next.clone()).or_insert(markings.len());
                    if place == markings.len() {
                        markings.push(next);
                    }
                    here.push((i, place));
                }
            }
            steps.push(here);
            if markings.len() > most {
                return None;
            }
        }
        Some(Self { net, markings, steps })
    }

    /// In which markings a formula holds.
    fn truth(&self, node: Node<'_, '_>) -> Option<Vec<bool>> {
        let all = |value: bool| vec![value; self.markings.len()];
        let not = |truth: Vec<bool>| truth.into_iter().map(|value| !value).collect::<Vec<bool>>();
        let inner = || node.first_element_child().expect("operators have operands");
        match node.tag_name().name() {
            "true" => Some(all(true)),
            "false" => Some(all(false)),
            "deadlock" => Some(self.steps.iter().map(Vec::is_empty).collect()),
            "negation" => self.truth(inner()).map(not),
            "conjunction" => {
                elements(node).try_fold(all(true), |found, part| Some(both(found, self.truth(part)?, |a, b| a && b)))
            }
            "disjunction" => {
                elements(node).try_fold(all(false), |found, part| Some(both(found, self.truth(part)?, |a, b| a || b)))
            }
            "exists-path" if inner().has_tag_name_of("finally") => {
                self.truth(inner().first_element_child()?).map(|goal| self.reaching(&goal))
            }
            "all-paths" if inner().has_tag_name_of("globally") => {
                let bad = not(self.truth(inner().first_element_child()?)?);
                Some(not(self.reaching(&bad)))
            }
            "exists-path" | "all-paths" => None,
            "is-fireable" => {
                let names: Vec<&str> = elements(node).map(text).collect();
                let is_meant = |i: usize| names.contains(&self.net.transitions.as_slice()[i].name.as_str());
                Some(self.steps.iter().map(|steps| steps.iter().any(|&(i, _)| is_meant(i))).collect())
            }
            name => Some(self.comparison(node, name.strip_prefix("integer-").expect("a comparison"))),
        }
    }

    /// The markings from which one of these is reached.
    fn reaching(&self, goal: &[bool]) -> Vec<bool> {
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); self.markings.len()];
        for (from, steps) in self.steps.iter().enumerate() {
            steps.iter().for_each(|&(_, to)| before[to].push(from));
        }
        let mut found = goal.to_vec();
        let mut waiting: VecDeque<usize> = (0..found.len()).filter(|&i| found[i]).collect();
        while let Some(to) = waiting.pop_front() {
            for &from in &before[to] {
                if !std::mem::replace(&mut found[from], true) {
                    waiting.push_back(from);
                }
            }
        }
        found
    }

    fn comparison(&self, node: Node<'_, '_>, relation: &str) -> Vec<bool> {
        let sides: Vec<Node<'_, '_>> = elements(node).collect();
        let compare = |marking: &Marking| {
            let (left, right) = (self.number(sides[0], marking), self.number(sides[1], marking));
            match relation {
                "le" => left <= right,
                "lt" => left < right,
                "ge" => left >= right,
                "gt" => left > right,
                "eq" => left == right,
                "ne" => left != right,
                other => panic!("there is no comparison {other}"),
            }
        };
        self.markings.iter().map(compare).collect()
    }

    fn number(&self, node: Node<'_, '_>, marking: &Marking) -> i128 {
        let mut parts = elements(node);
        let number = |part: Option<Node<'_, '_>>| self.number(part.expect("numbers have parts"), marking);
        match node.tag_name().name() {
            "integer-constant" => text(node).parse().expect("constants are numbers"),
            "tokens-count" => parts.map(|place| i128::from(self.tokens(text(place), marking))).sum(),
            "integer-sum" => parts.map(|part| number(Some(part))).sum(),
            "integer-product" => parts.map(|part| number(Some(part))).product(),
            "integer-difference" => {
                let first = number(parts.next());
                parts.fold(first, |left, part| left - number(Some(part)))
            }
            other => panic!("there is no number {other}"),
        }
    }

    fn tokens(&self, name: &str, marking: &Marking) -> Tokens {
        let place = self.net.places.iter().position(|place| place.name == name).expect("places are declared");
        marking[place]
    }
}

fn both(left: Vec<bool>, right: Vec<bool>, join: impl Fn(bool, bool) -> bool) -> Vec<bool> {
    left.into_iter().zip(right).map(|(a, b)| join(a, b)).collect()
}
