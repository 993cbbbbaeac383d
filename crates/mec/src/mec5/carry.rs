//! Sets of configurations on their way from one space to another: that of a session, and that of a node by itself.

use lapidary_base::{Id, Stop};
use lapidary_bdd::{Child, Column, Decision, Set, Space};
use lapidary_ir::VarId;
use lapidary_system::symbolic::Symbolic;

/// A set of one space in another one; its columns keep their order. What it says about values beyond the domains is
/// lost: whoever imports a set restricts it to them.
pub fn import(from: &Space, set: &Set, to: &Space, map: &[Option<Column>]) -> Result<Set, Stop> {
    let order: Vec<Column> = from.columns().filter(|column| map[column.index()].is_some()).collect();
    let Decision { nodes, root } = from.multi_valued(set, &order)?;
    let mut sets: Vec<Set> = Vec::new();
    let child_set = |sets: &[Set], child: Child| match child {
        Child::None => to.none(),
        Child::All => to.all(),
        Child::Node(id) => sets[id].clone(),
    };
    for node in nodes {
        let column = map[node.column.index()].expect("the order has only columns that are mapped");
        let mut parts = Vec::new();
        for (lo, hi, child) in node.children {
            parts.push(to.and(&to.range(column, lo, hi)?, &child_set(&sets, child))?);
        }
        sets.push(to.or_all(&parts)?);
    }
    Ok(child_set(&sets, root))
}

/// The session's columns of configurations, by variable.
pub struct Passage<'a> {
    pub space: &'a Space,
    pub columns: &'a [Column],
    pub system: &'a Symbolic,
}

impl Passage<'_> {
    /// From the session. What the assertions determine is read off by the other side.
    pub fn inwards(&self, set: &Set) -> Result<Set, Stop> {
        let Self { space, system, .. } = self;
        let mut map = vec![None; space.columns().len()];
        let mut defined = Vec::new();
        for (var, &column) in self.columns.iter().enumerate() {
            match system.places.column(VarId::new(var), 0) {
                Some(own) => map[column.index()] = Some(own),
                None => defined.push(column),
            }
        }
        let essential = space.exists(set, &space.cube(&defined)?)?;
        let set = import(space, &essential, &system.space, &map)?;
        system.space.and(&set, &system.configurations)
    }
}
