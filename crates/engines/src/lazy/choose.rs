//! The operator choose-element of LA[*]: which unprocessed node is next.

use std::collections::BTreeSet;

use super::tree::{NodeId, Tree};

/// The unprocessed nodes by depth; among equals the oldest is first.
pub type Open = BTreeSet<(u32, NodeId)>;

pub trait Choose {
    /// One of the open nodes, of which there is at least one.
    fn choose(&mut self, tree: &Tree, open: &Open) -> NodeId;
}

/// In which order unprocessed nodes are processed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// pick-min-element of LA[BF]: a node of least depth. Only this order makes a decision procedure.
    #[default]
    BreadthFirst,
    /// A node of greatest depth.
    DepthFirst,
    /// Any, as the seed has it.
    Random(u64),
}

impl Order {
    /// The word for the option `--order`.
    pub fn name(self) -> &'static str {
        match self {
            Self::BreadthFirst => "bfs",
            Self::DepthFirst => "dfs",
            Self::Random(_) => "random",
        }
    }
}

/// An order at work. Among nodes of one depth the oldest is first.
pub struct InOrder {
    order: Order,
    state: u64,
}

impl InOrder {
    pub fn new(order: Order) -> Self {
        let state = match order {
            Order::BreadthFirst | Order::DepthFirst => 1,
            Order::Random(seed) => seed,
        };
        Self { order, state }
    }
}

impl Choose for InOrder {
    fn choose(&mut self, _: &Tree, open: &Open) -> NodeId {
        let first = *open.first().expect("there is an open node");
        let (_, chosen) = match self.order {
            Order::BreadthFirst => first,
            Order::DepthFirst => {
                let (deepest, _) = *open.last().expect("there is an open node");
                *open.range((deepest, NodeId(0))..).next().expect("some node is deepest")
            }
            Order::Random(_) => {
                let at = next(&mut self.state) % open.len() as u64;
                *open.iter().nth(at as usize).expect("smaller than the number of open nodes")
            }
        };
        chosen
    }
}

/// SplitMix64: every seed will do.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}
