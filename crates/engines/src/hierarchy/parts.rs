//! The components of a hierarchy (Chucri 2012, section 5.4.1): nodes that speak of their own variables alone. A node
//! that speaks of what is below it, or of whose variables a node below speaks, becomes one component together with all
//! that is below. The latter are functions of which only the signature is known: the root has their values.

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
    /// The node itself, or one below it that reads the node's variables.
    pub reader: ComponentId,
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

/// The first thing in a node that mentions a variable of another one, or in a node below it that mentions one of its.
fn coupling(tree: &Tree, component: ComponentId) -> Option<Merged> {
    let node = &tree.components[component];
    let own = node.vars.0..node.vars.1;
    tree.subtree(component).find_map(|reader| {
        let is_across = |var: VarId| own.contains(&var.0) != (reader == component);
        let (coupling, span) = mention(tree, reader, &is_across)?;
        Some(Merged { component, reader, coupling, span })
    })
}

/// The first thing in a node that mentions such a variable.
fn mention(tree: &Tree, component: ComponentId, is_such: &dyn Fn(VarId) -> bool) -> Option<(Coupling, Span)> {
    let node = &tree.components[component];
    let mentions = |expr: Expr| variables(&tree.exprs, expr).into_iter().any(is_such);
    if let Some(assertion) = node.assertions.iter().find(|assertion| mentions(assertion.expr)) {
        return Some((Coupling::Assertion, assertion.span));
    }
    for transition in &node.transitions {
        if mentions(transition.guard) {
            return Some((Coupling::Guard, transition.span));
        }
        if transition.updates.iter().any(|&(_, value)| mentions(value)) {
            return Some((Coupling::Update, transition.span));
        }
    }
    None
}
