//! The abstract reachability tree. A node is known by the trace that leads to it, and labelled with a region and a precision.

use lapidary_base::{IdVec, id};
use lapidary_ir::TransitionId;

use super::labels::{PrecisionId, RegionId};

id! {
    pub struct NodeId(u32);
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    Unprocessed,
    Covered,
    Uncovered,
    /// No longer part of the tree: an ancestor was refined.
    Deleted,
}

#[derive(Clone, Debug)]
pub struct Node {
    /// The node above, and the label of the edge from it.
    pub parent: Option<(NodeId, TransitionId)>,
    pub depth: u32,
    pub region: RegionId,
    pub precision: PrecisionId,
    pub mark: Mark,
    /// When it was last processed.
    pub processed: u64,
    /// They are made all at once, so they are neighbours: the first and how many.
    pub children: (NodeId, u32),
}

#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// Deleted ones stay, so that ids are never given twice.
    pub nodes: IdVec<NodeId, Node>,
    /// How many are not deleted.
    pub n_nodes: u64,
}

impl Tree {
    pub const ROOT: NodeId = NodeId(0);

    pub fn add(&mut self, parent: Option<(NodeId, TransitionId)>, region: RegionId, precision: PrecisionId) -> NodeId {
        let depth = parent.map_or(0, |(parent, _)| self.nodes[parent].depth + 1);
        self.n_nodes += 1;
        let children = (Self::ROOT, 0);
        self.nodes.push(Node { parent, depth, region, precision, mark: Mark::Unprocessed, processed: 0, children })
    }

    pub fn depth(&self, node: NodeId) -> u32 {
        self.nodes[node].depth
    }

    /// The labels on the path from the root.
    pub fn trace(&self, node: NodeId) -> Vec<TransitionId> {
        let mut trace = Vec::new();
        let mut at = node;
        while let Some((parent, transition)) = self.nodes[at].parent {
            trace.push(transition);
            at = parent;
        }
        trace.reverse();
        trace
    }

    pub fn children(&self, node: NodeId) -> impl Iterator<Item = NodeId> + use<> {
        let (first, n) = self.nodes[node].children;
        (first.0..first.0 + n).map(NodeId)
    }
}
