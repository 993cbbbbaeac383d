//! Abstractions of components as nodes themselves (Chucri 2012, section 5.4): a detached component and predicates on
//! its configurations give a node over one Boolean variable per predicate, which simulates the component.
//!
//! Nothing here is text. [`decompose`] makes a tree with one component, and [`simulates`] judges such a tree, made
//! here or read from a file, from the definition of a simulation.

mod blocks;
mod detach;
mod draft;
mod flow;
mod formula;
mod local;
mod simulation;
mod transition;

use lapidary_base::Control;
use lapidary_bdd::Set;
use lapidary_ir::tree::EventId;
use lapidary_ir::{Exprs, Tree};

use blocks::Blocks;

pub use detach::{Outside, detached};
pub use local::{Local, Refused};
pub use simulation::{Loose, Simulation, Unsimulated, simulates};
pub use transition::MAX_TRANSITIONS;

/// A set of configurations of a [`Local`] and what it is called.
#[derive(Clone)]
pub struct Predicate {
    pub name: String,
    /// Within the configurations, over copy 0 of the variables.
    pub set: Set,
}

/// How a nondeterministic relation is written with deterministic assignments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decomposition {
    /// One transition for every event and every valuation in which it may end.
    Transition,
    /// One transition for every event; an assertion says where it may end.
    Flow,
}

/// The abstraction of a component.
pub struct Abstraction {
    /// One component with the name and the events of the one it stands for. The variables that come first are the
    /// predicates, in their order.
    pub tree: Tree,
    /// Priorities, lower event first, that the blocks cannot judge: they are part of the transitions instead.
    pub absorbed: Vec<(EventId, EventId)>,
}

/// The abstraction of a component by predicates with different names, as a node.
pub fn decompose(
    local: &mut Local,
    predicates: &[Predicate],
    how: Decomposition,
    control: &Control,
) -> Result<Abstraction, Refused> {
    let blocks = Blocks::new(local, predicates, control)?;
    let exprs = Exprs::new();
    let draft = match how {
        Decomposition::Transition => transition::transition_decomposition(local, &exprs, predicates, &blocks, control)?,
        Decomposition::Flow => flow::flow_decomposition(local, &exprs, predicates, &blocks)?,
    };
    let mut tree = draft.finish(blocks.kept.clone());
    tree.exprs = exprs;
    let absorbed = local.priorities.iter().copied().filter(|pair| !blocks.kept.contains(pair)).collect();
    Ok(Abstraction { tree, absorbed })
}
