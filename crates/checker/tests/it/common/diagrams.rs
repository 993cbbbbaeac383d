//! Diagrams of listed states, built without any haste.

use std::collections::BTreeSet;

use lapidary_base::Id;
use lapidary_ir::VarId;
use lapidary_ir::model::Raw;
use lapidary_verdict::{Child, Diagram, DiagramNode};

/// The states that agree with one of `states` on the variables of `order`.
pub fn diagram(order: &[VarId], states: &[Vec<Raw>]) -> Diagram {
    let rows: BTreeSet<Vec<Raw>> =
        states.iter().map(|state| order.iter().map(|var| state[var.index()]).collect()).collect();
    let mut nodes = Vec::new();
    let root = child(order, 0, &rows.into_iter().collect::<Vec<_>>(), &mut nodes);
    Diagram { order: order.to_vec(), nodes, root }
}

/// `rows` are sorted and begin with the same values up to `depth`.
fn child(order: &[VarId], depth: usize, rows: &[Vec<Raw>], nodes: &mut Vec<DiagramNode>) -> Child {
    if rows.is_empty() {
        return Child::None;
    }
    let Some(&var) = order.get(depth) else { return Child::All };
    let mut edges: Vec<(Raw, Raw, Child)> = Vec::new();
    for group in rows.chunk_by(|a, b| a[depth] == b[depth]) {
        let (value, below) = (group[0][depth], child(order, depth + 1, group, nodes));
        match edges.last_mut() {
            Some((_, hi, last)) if *hi + 1 == value && *last == below => *hi = value,
            Some(_) | None => edges.push((value, value, below)),
        }
    }
    let node = DiagramNode { var, edges };
    let number = nodes.iter().position(|other| *other == node).unwrap_or(nodes.len());
    if number == nodes.len() {
        nodes.push(node);
    }
    Child::Node(u32::try_from(number).unwrap())
}
