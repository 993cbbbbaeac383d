//! The lines of a diagram in a certificate file: one node each, children before parents.

use std::io::{self, BufRead, Read, Write};

use lapidary_base::hash::Map;
use lapidary_ir::model::Raw;
use lapidary_ir::{Declarations, VarId};
use serde_json::{Value, json};

use super::{count, text, unreadable};
use crate::diagram::{Child, Diagram, DiagramNode};

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

pub fn read(model: &Declarations, json: &Value, input: &mut dyn BufRead) -> Result<Diagram, String> {
    read_with(model, &names(model), json, input)
}

/// [`read`] for one of many diagrams, which share the names.
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
