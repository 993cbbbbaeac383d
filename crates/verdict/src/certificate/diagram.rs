//! A set of states as an ordered decision diagram over the model's own variables, with many values per variable. In a file it has a
//! line for each node, children before parents.

use std::io::{self, BufRead, Read, Write};
use std::sync::Arc;

use lapidary_base::Id;
use lapidary_base::hash::Map;
use lapidary_ir::model::Raw;
use lapidary_ir::{Declarations, VarId};
use serde_json::{Value, json};

use super::{About, Certificate, Kind, Source};
use crate::certificate_file::{Unread, count, text, unreadable};

/// Where a value leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Child {
    /// No state from here on is in the set.
    None,
    /// All are, whatever the values of the variables that were not asked.
    All,
    /// The node with this number decides.
    Node(u32),
}

/// Asks for the value of one variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiagramNode {
    pub var: VarId,
    /// From the first to the second value, both included: ascending, disjoint, within the domain. Values of no edge
    /// lead to [`Child::None`].
    pub edges: Vec<(Raw, Raw, Child)>,
}

/// A set of states. A variable that is not asked on a path, or that `order` leaves out, may have any value there.
///
/// A set is understood within the model's invariant: it may leave out variables whose value the invariant determines,
/// and what it says of states that break the invariant does not matter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagram {
    /// Each variable at most once. Nodes are asked in this order.
    pub order: Vec<VarId>,
    /// Children come before their parents.
    pub nodes: Vec<DiagramNode>,
    pub root: Child,
}

impl Diagram {
    /// Is the state in the set?
    pub fn contains(&self, state: &[Raw]) -> bool {
        let mut at = self.root;
        loop {
            let node = match at {
                Child::None => return false,
                Child::All => return true,
                Child::Node(number) => &self.nodes[number as usize],
            };
            let value = state[node.var.index()];
            let after = node.edges.partition_point(|&(_, hi, _)| hi < value);
            at = match node.edges.get(after) {
                Some(&(lo, _, child)) if lo <= value => child,
                Some(_) | None => Child::None,
            };
        }
    }

    /// Is it of the form that its fields promise, for this model? The reason if not.
    pub fn validate(&self, model: &Declarations) -> Result<(), String> {
        let mut places: Map<VarId, usize> = Map::default();
        for (place, &var) in self.order.iter().enumerate() {
            let Some(variable) = model.vars.get(var) else {
                return Err(format!("the model has no variable number {}", var.0));
            };
            if model.is_local(var) {
                return Err(format!("the variable `{}` is local to a statement", variable.name));
            }
            if places.insert(var, place).is_some() {
                return Err(format!("the variable `{}` is in the order twice", variable.name));
            }
        }
        for number in 0..self.nodes.len() {
            self.validate_node(model, &places, number).map_err(|why| format!("node {number}: {why}"))?;
        }
        match self.root {
            Child::Node(number) if number as usize >= self.nodes.len() => Err(format!("the root {number} is no node")),
            Child::Node(_) | Child::None | Child::All => Ok(()),
        }
    }

    fn validate_node(&self, model: &Declarations, places: &Map<VarId, usize>, number: usize) -> Result<(), String> {
        let DiagramNode { var, edges } = &self.nodes[number];
        let place = places.get(var).ok_or_else(|| format!("variable number {} is not in the order", var.0))?;
        let variable = &model.vars[*var];
        let Some((least, greatest)) = model.bounds(variable.domain) else {
            return Err(format!("`{}` has infinitely many values", variable.name));
        };
        let mut free = Some(least);
        for &(lo, hi, child) in edges {
            if lo > hi || lo < least || greatest < hi {
                return Err(format!("{lo}..{hi} is not a range of values of `{}`", variable.name));
            }
            if free.is_none_or(|free| lo < free) {
                return Err(format!("the edge of {lo}..{hi} is not after the one before"));
            }
            free = hi.checked_add(1);
            let Child::Node(below) = child else { continue };
            if below as usize >= number {
                return Err(format!("its child {below} does not come before it"));
            }
            if places[&self.nodes[below as usize].var] <= *place {
                return Err(format!("its child {below} asks for a variable that is not later in the order"));
            }
        }
        Ok(())
    }
}

impl Kind for Diagram {
    fn word(&self) -> &'static str {
        "invariant"
    }

    fn form(&self) -> &'static str {
        "diagram"
    }

    fn describe(&self, about: About<'_>, header: &mut Value) -> io::Result<()> {
        describe(about.model, self, header);
        Ok(())
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        write(self, out)
    }

    fn summary(&self, _: &Declarations, value: &mut Value) {
        value["nodes"] = json!(self.nodes.len());
    }

    fn because(&self, n_states: Option<u64>) -> String {
        match (self.root, n_states) {
            (Child::None, _) => "there is none".to_owned(),
            (_, Some(1)) => "all of them are in a set of 1 state".to_owned(),
            (_, Some(n)) => format!("all of them are in a set of {n} states"),
            (_, None) => "all of them are in a set that has no such state".to_owned(),
        }
    }

    fn is_empty(&self) -> Option<bool> {
        Some(self.root == Child::None)
    }
}

pub fn read(source: &mut Source<'_>) -> Result<Certificate, Unread> {
    Ok(Certificate::Diagram(Arc::new(read_diagram(source.model, source.json, source.input)?)))
}

/// No line is read beyond this; a node has at most one edge per value.
const MAX_LINE: u64 = 1 << 24;

/// The keys of the header that only diagrams have.
pub fn describe(model: &Declarations, diagram: &Diagram, header: &mut Value) {
    let names: Vec<&str> = diagram.order.iter().map(|&var| model.vars[var].name.as_str()).collect();
    header["order"] = json!(names);
    header["root"] = json!(child_text(diagram.root));
    header["nodes"] = json!(diagram.nodes.len());
}

pub fn write(diagram: &Diagram, out: &mut dyn Write) -> io::Result<()> {
    let places: Map<VarId, usize> = diagram.order.iter().enumerate().map(|(place, &var)| (var, place)).collect();
    for (number, node) in diagram.nodes.iter().enumerate() {
        write!(out, "{number} {}", places[&node.var])?;
        for &(lo, hi, child) in &node.edges {
            match lo == hi {
                true => write!(out, " {lo}:{}", child_text(child))?,
                false => write!(out, " {lo}..{hi}:{}", child_text(child))?,
            }
        }
        writeln!(out)?;
    }
    Ok(())
}

fn child_text(child: Child) -> String {
    match child {
        Child::None => "none".to_owned(),
        Child::All => "all".to_owned(),
        Child::Node(number) => number.to_string(),
    }
}

/// The variables by their names.
pub type Names<'m> = Map<&'m str, VarId>;

pub fn names(model: &Declarations) -> Names<'_> {
    model.vars.enumerated().map(|(id, var)| (var.name.as_str(), id)).collect()
}

pub fn read_diagram(model: &Declarations, json: &Value, input: &mut dyn BufRead) -> Result<Diagram, String> {
    read_with(model, &names(model), json, input)
}

/// [`read_diagram`] for one of many diagrams, which share the names.
pub fn read_with(
    model: &Declarations,
    names: &Names<'_>,
    json: &Value,
    input: &mut dyn BufRead,
) -> Result<Diagram, String> {
    let order = order(names, json)?;
    let root = text(json, "root")?;
    let root = child(root).ok_or_else(|| format!("the root `{root}` is neither `none` nor `all` nor a node"))?;
    let n_nodes: usize = count(json, "nodes")?;
    let mut nodes = Vec::new();
    let mut line = String::new();
    while nodes.len() < n_nodes {
        line.clear();
        input.take(MAX_LINE).read_line(&mut line).map_err(|error| unreadable(&error))?;
        let Some(line) = line.strip_suffix('\n') else {
            return Err(format!("the file ends, or a line does, after {} of {n_nodes} nodes", nodes.len()));
        };
        nodes.push(node(&order, nodes.len(), line).map_err(|why| format!("node {}: {why}", nodes.len()))?);
    }
    let diagram = Diagram { order, nodes, root };
    diagram.validate(model)?;
    Ok(diagram)
}

fn order(ids: &Names<'_>, json: &Value) -> Result<Vec<VarId>, String> {
    let listed = json.get("order").and_then(Value::as_array).ok_or("the header has no list `order`")?;
    let id = |name: &Value| {
        let name = name.as_str().ok_or("`order` are not all names")?;
        ids.get(name).copied().ok_or_else(|| format!("the model has no variable `{name}`"))
    };
    listed.iter().map(id).collect()
}

/// `3 0 0..1:all 4:2`: its number, the place of its variable in the order, its edges.
fn node(order: &[VarId], number: usize, line: &str) -> Result<DiagramNode, String> {
    let mut words = line.split(' ');
    if words.next().and_then(|word| word.parse().ok()) != Some(number) {
        return Err("its line does not begin with its number".to_owned());
    }
    let place = words.next().and_then(|word| word.parse::<usize>().ok());
    let var = *place.and_then(|place| order.get(place)).ok_or("its variable is not a place in the order")?;
    let edge = |word| edge(word).ok_or_else(|| format!("`{word}` is not an edge"));
    Ok(DiagramNode { var, edges: words.map(edge).collect::<Result<_, String>>()? })
}

/// `4:2`, `0..1:all`
fn edge(word: &str) -> Option<(Raw, Raw, Child)> {
    let (values, to) = word.split_once(':')?;
    let (lo, hi) = values.split_once("..").unwrap_or((values, values));
    Some((lo.parse().ok()?, hi.parse().ok()?, child(to)?))
}

fn child(word: &str) -> Option<Child> {
    match word {
        "none" => Some(Child::None),
        "all" => Some(Child::All),
        number => number.parse().ok().map(Child::Node),
    }
}
