//! Evidence that is abstract component by component: covers, and the combinations of blocks that can be reached.

use lapidary_ir::{ComponentId, VarId};

use crate::diagram::Diagram;

/// The cover of one component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cover {
    pub component: ComponentId,
    /// The whole subtree below was merged into this one component; otherwise it is the node alone, without what is
    /// below it.
    pub is_subtree: bool,
    /// Sets of local configurations, over the variables of the component (with `is_subtree`, of the subtree). Together
    /// they are all its local configurations.
    pub blocks: Vec<Diagram>,
}

/// For every component a cover, and a set of combinations of blocks that contains the initial ones, that no abstract
/// step leaves, and that misses the target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Components {
    /// In the order of the components; every component is in exactly one of them.
    pub covers: Vec<Cover>,
    /// A diagram whose variable [`Components::number`]`(i)` is the number of the block of `covers[i]`.
    pub reachable: Diagram,
}

impl Components {
    /// The variable that stands for the block of a cover in `reachable`.
    pub fn number(cover: usize) -> VarId {
        VarId(u32::try_from(cover).expect("there are fewer than 2^32 components"))
    }
}
