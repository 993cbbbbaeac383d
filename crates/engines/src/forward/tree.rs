//! All labels that were ever made, each with the step that led to it: what was covered by others is still part of
//! paths.

use lapidary_base::{Id, id};
use lapidary_ir::TransitionId;

use super::label::Count;
use super::pump::{Item, PumpId};

id! {
    pub struct NodeId(u32);
}

#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// The node before it and the transition between; none at the root.
    pub from: Option<(NodeId, TransitionId)>,
    pub depth: u32,
    /// The pumps after the transition, in the tree's list.
    first_pump: u32,
    n_pumps: u32,
    /// Is its label one of the greatest?
    pub is_maximal: bool,
}

pub struct Tree {
    n_places: usize,
    nodes: Vec<Node>,
    labels: Vec<Count>,
    pumps: Vec<PumpId>,
}

impl Tree {
    pub fn new(n_places: usize) -> Self {
        Self { n_places, nodes: Vec::new(), labels: Vec::new(), pumps: Vec::new() }
    }

    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn node(&self, node: NodeId) -> &Node {
        &self.nodes[node.index()]
    }

    pub fn node_mut(&mut self, node: NodeId) -> &mut Node {
        &mut self.nodes[node.index()]
    }

    pub fn label(&self, node: NodeId) -> &[Count] {
        &self.labels[node.index() * self.n_places..(node.index() + 1) * self.n_places]
    }

    pub fn pumps(&self, node: NodeId) -> &[PumpId] {
        let Node { first_pump, n_pumps, .. } = *self.node(node);
        &self.pumps[first_pump as usize..(first_pump + n_pumps) as usize]
    }

    pub fn add(&mut self, from: Option<(NodeId, TransitionId)>, label: &[Count], pumps: &[PumpId]) -> NodeId {
        let node = NodeId::new(self.nodes.len());
        let depth = from.map_or(0, |(parent, _)| self.node(parent).depth + 1);
        let (first_pump, n_pumps) = (self.pumps.len() as u32, pumps.len() as u32);
        self.nodes.push(Node { from, depth, first_pump, n_pumps, is_maximal: true });
        self.labels.extend_from_slice(label);
        self.pumps.extend_from_slice(pumps);
        node
    }

    /// The node, the one before it, and so on to the root.
    pub fn upwards(&self, node: Option<NodeId>) -> impl Iterator<Item = NodeId> {
        std::iter::successors(node, |&node| Some(self.node(node).from?.0))
    }

    /// What happened between a node's label and the label of one further down.
    pub fn word(&self, above: Option<NodeId>, below: NodeId) -> Vec<Item> {
        let path: Vec<NodeId> = self.upwards(Some(below)).take_while(|&node| Some(node) != above).collect();
        let mut word = Vec::new();
        for &node in path.iter().rev() {
            word.extend(self.node(node).from.map(|(_, transition)| Item::Fire(transition)));
            word.extend(self.pumps(node).iter().map(|&pump| Item::Pump(pump)));
        }
        word
    }
}
