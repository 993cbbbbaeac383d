//! The components of a hierarchy (Chucri 2012, section 5.4.1): nodes that speak of their own variables alone. A node
//! that speaks of what is below it, or of whose variables a node below speaks, becomes one component together with all
//! that is below. The latter are functions of which only the signature is known: the root has their values.

use lapidary_base::{Control, Id, IdVec, Meter, Stop};
use lapidary_ir::passes::variables;
use lapidary_ir::tree::Component;
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
        Self::within(tree, &Control::new()).unwrap_or_else(|_| unreachable!("there is no limit"))
    }

    /// The same within the limits of a run.
    pub fn within(tree: &Tree, control: &Control) -> Result<Self, Stop> {
        let is_coupled = coupled(tree, control)?;
        let (mut parts, mut next) = (Vec::new(), 0);
        while next < tree.components.len() {
            let component = ComponentId(next as u32);
            let end = tree.components[component].end as usize;
            let is_subtree = end > next + 1 && is_coupled[component];
            parts.push(Part { component, is_subtree });
            next = if is_subtree { end } else { next + 1 };
        }
        Ok(Self { parts })
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

/// The nodes that mention a variable of another one, or one of whose variables a node below mentions. Every expression is
/// looked at once, however deep it stands.
fn coupled(tree: &Tree, control: &Control) -> Result<IdVec<ComponentId, bool>, Stop> {
    let mut meter = Meter::new(control);
    let mut is_coupled: IdVec<ComponentId, bool> = tree.components.iter().map(|_| false).collect();
    for (reader, node) in tree.components.enumerated() {
        for expr in expressions(node) {
            let read = variables(&tree.exprs, expr);
            meter.add(PIECES_PER_VARIABLE * (read.len() as u64 + 1))?;
            for var in read.into_iter().filter(|var| !(node.vars.0..node.vars.1).contains(&var.0)) {
                is_coupled[reader] = true;
                if let Some(owner) = owner(tree, var)
                    && (owner.0 + 1..tree.components[owner].end).contains(&reader.0)
                {
                    is_coupled[owner] = true;
                }
            }
        }
    }
    Ok(is_coupled)
}

/// Variables are found by walking over an expression.
const PIECES_PER_VARIABLE: u64 = 16;

fn expressions(node: &Component) -> impl Iterator<Item = Expr> {
    let transitions = node.transitions.iter();
    let guarded = transitions.flat_map(|transition| {
        [transition.guard].into_iter().chain(transition.updates.iter().map(|&(_, value)| value))
    });
    node.assertions.iter().map(|assertion| assertion.expr).chain(guarded)
}

/// The node of which it is a variable: they are numbered in the order of the nodes.
fn owner(tree: &Tree, var: VarId) -> Option<ComponentId> {
    let (mut lo, mut hi) = (0, tree.components.len());
    while lo < hi {
        let middle = usize::midpoint(lo, hi);
        match tree.components[ComponentId::new(middle)].vars.0 <= var.0 {
            true => lo = middle + 1,
            false => hi = middle,
        }
    }
    let owner = ComponentId::new(lo.checked_sub(1)?);
    (var.0 < tree.components[owner].vars.1).then_some(owner)
}

/// The first thing in a node that mentions a variable of another one, or in a node below it that mentions one of its.
pub(super) fn coupling(tree: &Tree, component: ComponentId) -> Option<Merged> {
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

#[cfg(test)]
mod tests {
    use lapidary_frontends::altarica;
    use lapidary_text::Sources;

    use super::*;

    fn tree(text: &str, node: &str) -> Tree {
        let mut sources = Sources::default();
        let source = sources.add("test.alt", text);
        let (document, diagnostics) = altarica::load(&sources, source);
        let document = document.unwrap_or_else(|| panic!("{:?}", diagnostics.list));
        document.instantiate(&sources, node).0.expect("a tree")
    }

    const TEXT: &str = "
node Leaf state x : bool; event e; trans true |- e -> x := ~x; edon
node Alone sub l : Leaf; state y : bool; event e; trans y |- e -> y := false; edon
node Reads sub l : Leaf; m : Leaf; flow z : bool; assert z = l.x; edon
node Top sub a : Alone; r : Reads; s : Reads; edon";

    #[test]
    fn what_reads_the_variables_of_others_is_one_component_with_all_below() {
        let tree = tree(TEXT, "Top");
        for component in tree.components.ids() {
            let is_coupled = coupled(&tree, &Control::new()).expect("no limit")[component];
            assert_eq!(is_coupled, coupling(&tree, component).is_some(), "{}", tree.components[component].path);
        }
        let parts = Components::of(&tree).parts;
        let subtrees: Vec<&str> =
            parts.iter().filter(|part| part.is_subtree).map(|part| &*tree.components[part.component].path).collect();
        assert_eq!((parts.len(), subtrees), (5, vec!["r", "s"]));
    }

    #[test]
    fn looking_for_components_is_stopped() {
        let subs: String = (0..100).map(|i| format!("r{i} : Reads; ")).collect();
        let tree = tree(&format!("{TEXT} node Wide sub {subs} edon"), "Wide");
        let control = Control::new();
        control.cancel();
        assert_eq!(Components::within(&tree, &control), Err(Stop::Interrupted));
    }
}
