//! A set of states as an ordered decision diagram over the model's own variables, with many values per variable.

use lapidary_base::Id;
use lapidary_base::hash::Map;
use lapidary_ir::model::Raw;
use lapidary_ir::{Declarations, VarId};

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
