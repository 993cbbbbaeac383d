//! Detached nodes (Chucri 2012, section 5.4.1): a component without its subcomponents, vectors and priorities.

use lapidary_base::IdVec;
use lapidary_ir::passes::{copied, variables};
use lapidary_ir::tree::{Assertion, Component, EPSILON, EventId, Part, ROOT, Transition, Vector};
use lapidary_ir::{ComponentId, EventRef, Expr, Tree, Var, VarId};
use lapidary_text::Span;

/// An expression of a component that mentions a variable of another one: what it says cannot be said of the component
/// alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outside {
    pub var: VarId,
    /// The assertion or the transition.
    pub span: Span,
}

/// The component as the only one of a tree; its variables have the names that it gave them.
pub fn detached(tree: &Tree, id: ComponentId) -> Result<Tree, Outside> {
    let component = &tree.components[id];
    if let Some(outside) = outside(tree, id) {
        return Err(outside);
    }
    let own = |expr: Expr, to: &Tree| copied(&tree.exprs, &to.exprs, expr, &|var| shifted(component, var));
    let mut alone = Tree { name: component.node.clone(), enums: tree.enums.clone(), ..Tree::default() };
    for var in component.own_vars() {
        let name = own_name(component, &tree.vars[var].name);
        alone.vars.push(Var { name, ..tree.vars[var].clone() });
        alone.kinds.push(tree.kinds[var]);
    }
    let mut root = leaf(&component.node, component.events.clone(), alone.vars.len(), component.span);
    for assertion in &component.assertions {
        root.assertions.push(Assertion { expr: own(assertion.expr, &alone), span: assertion.span });
    }
    for transition in &component.transitions {
        let update = |&(var, value): &(VarId, Expr)| (shifted(component, var), own(value, &alone));
        root.transitions.push(Transition {
            guard: own(transition.guard, &alone),
            event: transition.event,
            updates: transition.updates.iter().map(update).collect(),
            span: transition.span,
        });
    }
    let initial = tree.init.iter().filter(|(var, _)| is_own(component, *var));
    alone.init = initial.map(|&(var, value)| (shifted(component, var), own(value, &alone))).collect();
    alone.components.push(root);
    Ok(alone)
}

/// A component without assertions and transitions, with one vector for every event and the one without parts.
pub fn leaf(node: &str, events: IdVec<EventId, lapidary_ir::tree::Event>, n_vars: usize, span: Span) -> Component {
    let vector = |event: Option<EventId>| Vector {
        parts: event
            .map(|event| Part { event: EventRef { component: ROOT, event }, is_optional: false })
            .into_iter()
            .collect(),
        count: None,
        is_lifted: false,
        span,
    };
    let fired = events.ids().filter(|&event| event != EPSILON).map(Some);
    let vectors = fired.chain([None]).map(vector).collect();
    Component {
        name: String::new(),
        path: String::new(),
        node: node.to_owned(),
        parent: None,
        subs: Vec::new(),
        end: 1,
        vars: (0, u32::try_from(n_vars).expect("trees have fewer variables")),
        events,
        priorities: Vec::new(),
        assertions: Vec::new(),
        transitions: Vec::new(),
        vectors,
        lifted: Vec::new(),
        externs: Vec::new(),
        span,
    }
}

fn is_own(component: &Component, var: VarId) -> bool {
    (component.vars.0..component.vars.1).contains(&var.0)
}

fn shifted(component: &Component, var: VarId) -> VarId {
    VarId(var.0 - component.vars.0)
}

/// `x` for the variable `V[0].x` of `V[0]`.
fn own_name(component: &Component, name: &str) -> String {
    let below = name.strip_prefix(&component.path).and_then(|rest| rest.strip_prefix('.'));
    below.filter(|_| !component.path.is_empty()).unwrap_or(name).to_owned()
}

/// The first mention of a variable of another component. Assertions of ancestors about this component's variables
/// are no part of it: they only ever rule configurations out.
fn outside(tree: &Tree, id: ComponentId) -> Option<Outside> {
    let component = &tree.components[id];
    let assertions = component.assertions.iter().map(|assertion| (assertion.expr, assertion.span));
    let transitions = component.transitions.iter().flat_map(|transition| {
        let values = transition.updates.iter().map(|(_, value)| *value);
        [transition.guard].into_iter().chain(values).map(|expr| (expr, transition.span))
    });
    assertions.chain(transitions).find_map(|(expr, span)| {
        let var = variables(&tree.exprs, expr).into_iter().find(|&var| !is_own(component, var))?;
        Some(Outside { var, span })
    })
}

/// An expression of the tree in terms of the detached component; none if it mentions other variables.
pub fn localised(tree: &Tree, id: ComponentId, alone: &Tree, expr: Expr) -> Option<Expr> {
    let component = &tree.components[id];
    let is_local = variables(&tree.exprs, expr).into_iter().all(|var| is_own(component, var));
    is_local.then(|| copied(&tree.exprs, &alone.exprs, expr, &|var| shifted(component, var)))
}
