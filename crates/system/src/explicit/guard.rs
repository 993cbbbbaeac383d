//! What the first assumption of a way says about single variables: it decides by which value the rule is looked up.

use lapidary_ir::{Declarations, Domain, Expr, Model, Node, Statement, VarId};

use super::dispatch;

/// A conjunct `v = c` of the first assumption: the rule needs to be tried only where it is true.
pub fn asked_value(model: &Model, way: &[&Statement]) -> Option<(VarId, i64, Expr)> {
    let Some(Statement::Assume(condition)) = way.first() else { return None };
    let conjuncts = model.exprs.conjuncts(*condition).into_iter();
    let fixed =
        conjuncts.filter_map(|conjunct| fixed_value(model, conjunct).map(|(var, value)| (var, value, conjunct)));
    // Two values are soon tested; a table pays where there are more.
    let is_choice = |var: VarId| dispatch::suits(model, var) && model.vars[var].domain != Domain::Bool;
    let all: Vec<_> = fixed.filter(|(var, ..)| is_choice(*var)).collect();
    let control = all.iter().find(|(var, ..)| model.vars[*var].control);
    control.or(all.first()).copied()
}

/// The variable and the value that a conjunct `v = c`, `v` or `!v` asks for.
pub fn fixed_value(model: &Declarations, conjunct: Expr) -> Option<(VarId, i64)> {
    let var = |expr: Expr| match model.exprs.node(expr) {
        Node::Var(var) => Some(*var),
        _ => None,
    };
    match model.exprs.node(conjunct) {
        Node::Var(var) => Some((*var, 1)),
        Node::Not(inner) => var(*inner).map(|var| (var, 0)),
        Node::Eq(a, b) => {
            let pair = |a, b| var(a).zip(constant(model.exprs.node(b)));
            pair(*a, *b).or_else(|| pair(*b, *a))
        }
        _ => None,
    }
}

fn constant(node: &Node) -> Option<i64> {
    match node {
        Node::Int(value) | Node::Bits(_, value) => Some(*value),
        Node::Literal(_, number) => Some(i64::from(*number)),
        _ => None,
    }
}
