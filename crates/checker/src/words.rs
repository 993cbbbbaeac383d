//! How messages name states, domains and conditions: in the words of the source.

use lapidary_base::Id;
use lapidary_ir::model::Raw;
use lapidary_ir::value::WORD_BITS;
use lapidary_ir::{Declarations, Domain, Expr, Life, Node, VarId};

/// `x=1 flag[0]=false`, without local variables
pub fn state(model: &Declarations, values: &[Raw]) -> String {
    let kept = model.vars.enumerated().filter(|(_, var)| var.life == Life::State);
    let shown = kept.map(|(id, var)| format!("{}={}", var.name, value(model, id, values[id.index()])));
    shown.collect::<Vec<_>>().join(" ")
}

/// What a local variable has outside its scope, as an expression.
pub fn first(model: &Declarations, var: VarId) -> Expr {
    let domain = model.vars[var].domain;
    domain.constant(&model.exprs, model.first(domain))
}

pub fn value(model: &Declarations, var: VarId, value: Raw) -> String {
    model.show(model.vars[var].domain, value)
}

/// `0..3`, `bool`, `{idle, busy}`
pub fn domain(model: &Declarations, domain: Domain) -> String {
    model.words(domain)
}

/// `x is 9, outside 0..3`; the bare number, because it has no name in the source.
pub fn outside(model: &Declarations, var: VarId, number: Raw) -> String {
    let variable = &model.vars[var];
    let (name, domain) = (&variable.name, domain(model, variable.domain));
    match model.vars[var].domain {
        Domain::Bits(width) if width > WORD_BITS => format!("{name} is no value of {domain}"),
        Domain::Array(_) => format!("{name} is no value of {domain}"),
        Domain::Bits(_) => format!("{name} is {}, outside {domain}", number as u64),
        Domain::Bool | Domain::Int | Domain::Range { .. } | Domain::Enum(_) => {
            format!("{name} is {number}, outside {domain}")
        }
    }
}

/// The variable and the number that a condition of the form `x = c`, `x` or `!x` asks for.
pub fn required_value(model: &Declarations, condition: Expr) -> Option<(VarId, Raw)> {
    let e = &model.exprs;
    if let Some(var) = variable(model, condition) {
        return Some((var, 1));
    }
    match e.node(condition) {
        Node::Not(inner) => variable(model, *inner).map(|var| (var, 0)),
        Node::Eq(a, b) => match (variable(model, *a), constant(model, *b), variable(model, *b), constant(model, *a)) {
            (Some(var), Some(value), ..) | (_, _, Some(var), Some(value)) => Some((var, value)),
            _ => None,
        },
        _ => None,
    }
}

/// A variable, also one that is written as a cell with a constant index.
pub fn variable(model: &Declarations, expr: Expr) -> Option<VarId> {
    match model.exprs.node(expr) {
        Node::Var(var) => Some(*var),
        Node::Cell(family, index) => {
            let family = &model.families[*family];
            let index = constant(model, *index).and_then(|index| u32::try_from(index).ok())?;
            (index < family.len).then(|| family.var(index))
        }
        _ => None,
    }
}

/// The number of a constant.
pub fn constant(model: &Declarations, expr: Expr) -> Option<Raw> {
    match model.exprs.node(expr) {
        Node::Bool(value) => Some(Raw::from(*value)),
        Node::Int(value) => Some(*value),
        Node::Literal(_, position) => Some(Raw::from(*position)),
        Node::Bits(_, value) | Node::Value(_, value) => Some(*value),
        _ => None,
    }
}
