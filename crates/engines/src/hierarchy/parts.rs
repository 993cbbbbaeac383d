//! The components of a hierarchy (Chucri 2012, section 5.4.1): nodes that speak of their own variables alone. A node
//! that speaks of what is below it becomes one component together with all of that.

use lapidary_ir::passes::variables;
use lapidary_ir::{ComponentId, Expr, Tree, VarId};
use lapidary_text::Span;

/// One component of the abstraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// The node, or the root of the subtree.
    pub component: ComponentId,
    /// Everything below belongs to it, too.
    pub is_subtree: bool,
}

/// What in a node speaks of the variables of others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coupling {
    Assertion,
    Guard,
    Update,
}

impl Coupling {
    pub fn name(self) -> &'static str {
        match self {
            Self::Assertion => "an assertion",
            Self::Guard => "a guard",
            Self::Update => "an assignment",
        }
    }
}

/// A subtree that becomes one component, and the place that makes it so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Merged {
    pub component: ComponentId,
    pub coupling: Coupling,
    pub span: Span,
}

/// All components, parents before what is below them; every node of the tree is in exactly one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Components {
    pub parts: Vec<Part>,
}

impl Components {
    pub fn of(tree: &Tree) -> Self {
        let (mut parts, mut next) = (Vec::new(), 0);
        while next < tree.components.len() {
            let component = ComponentId(next as u32);
            let end = tree.components[component].end as usize;
            let is_subtree = end > next + 1 && coupling(tree, component).is_some();
            parts.push(Part { component, is_subtree });
            next = if is_subtree { end } else { next + 1 };
        }
        Self { parts }
    }

    /// The number of the part to which a node belongs.
    pub fn part_of(&self, component: ComponentId) -> usize {
        self.parts.partition_point(|part| part.component <= component) - 1
    }
}

impl Part {
    /// The variables of the component.
    pub fn vars(&self, tree: &Tree) -> Vec<VarId> {
        match self.is_subtree {
            true => tree.subtree_vars(self.component).collect(),
            false => tree.components[self.component].own_vars().collect(),
        }
    }
}

/// The subtrees that become one component each, with what makes them so.
pub fn merged(tree: &Tree) -> Vec<Merged> {
    let parts = Components::of(tree).parts.into_iter().filter(|part| part.is_subtree);
    parts.filter_map(|part| coupling(tree, part.component)).collect()
}

/// The first thing in a node that mentions a variable of another one.
fn coupling(tree: &Tree, component: ComponentId) -> Option<Merged> {
    let node = &tree.components[component];
    let is_foreign = |expr: Expr| {
        let own = node.vars.0..node.vars.1;
        variables(&tree.exprs, expr).iter().any(|var| !own.contains(&var.0))
    };
    let merged = |coupling, span| Some(Merged { component, coupling, span });
    if let Some(assertion) = node.assertions.iter().find(|assertion| is_foreign(assertion.expr)) {
        return merged(Coupling::Assertion, assertion.span);
    }
    for transition in &node.transitions {
        if is_foreign(transition.guard) {
            return merged(Coupling::Guard, transition.span);
        }
        if transition.updates.iter().any(|&(_, value)| is_foreign(value)) {
            return merged(Coupling::Update, transition.span);
        }
    }
    None
}
