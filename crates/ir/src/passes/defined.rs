//! Where an expression has a value, as an expression that has one everywhere.

use lapidary_base::hash::Map;

use super::walk::bottom_up;
use crate::expr::{Expr, Exprs, Node};
use crate::model::FamilyId;

/// An expression that always has a value: true where `expr` has one. There must be no cells in it, as in trees.
pub fn defined(exprs: &Exprs, expr: Expr) -> Expr {
    defined_with(exprs, expr, &|_| unreachable!("expressions of trees have no cells"))
}

/// The same for expressions with cells, given the lengths of families.
pub fn defined_with(exprs: &Exprs, expr: Expr, len: &dyn Fn(FamilyId) -> u32) -> Expr {
    let mut images = Map::default();
    bottom_up(exprs, expr, &mut images, |expr, images| image(exprs, expr, images, len));
    images[&expr]
}

fn image(exprs: &Exprs, expr: Expr, images: &Map<Expr, Expr>, len: &dyn Fn(FamilyId) -> u32) -> Expr {
    let of = |part: &Expr| images[part];
    match exprs.node(expr) {
        Node::Bool(_) | Node::Int(_) | Node::Literal(..) | Node::Var(_) => exprs.bool(true),
        Node::Bits(..) | Node::Value(..) => exprs.bool(true),
        Node::Apply(_, parts) => exprs.and(parts.iter().map(of)),
        Node::Not(a) | Node::Neg(a) => of(a),
        Node::And(parts) => in_order(exprs, parts, images, |part| exprs.not(part)),
        Node::Or(parts) => in_order(exprs, parts, images, |part| part),
        Node::Ite(condition, then, otherwise) => {
            let (then, otherwise) = (of(then), of(otherwise));
            match then == otherwise {
                true => exprs.and([of(condition), then]),
                false => exprs.and([of(condition), exprs.ite(*condition, then, otherwise)]),
            }
        }
        Node::Add(parts) => exprs.and(parts.iter().map(of)),
        Node::Eq(a, b) | Node::Lt(a, b) | Node::Le(a, b) | Node::Mul(a, b) => exprs.and([of(a), of(b)]),
        Node::Div(a, b) | Node::Mod(a, b) => exprs.and([of(a), of(b), exprs.ne(*b, exprs.int(0))]),
        Node::Cell(family, index) => {
            let last = exprs.int(i64::from(len(*family)) - 1);
            exprs.and([of(index), exprs.le(exprs.int(0), *index), exprs.le(*index, last)])
        }
    }
}

/// Each part needs a value, or an earlier one that has decided; `decides` is when a part does.
fn in_order(exprs: &Exprs, parts: &[Expr], images: &Map<Expr, Expr>, decides: impl Fn(Expr) -> Expr) -> Expr {
    parts.iter().rev().fold(exprs.bool(true), |rest, part| match exprs.as_bool(rest) {
        Some(true) => images[part],
        // `rest` would be folded away behind a part that may have no value, so the part must be looked at first.
        Some(false) | None => exprs.and([images[part], exprs.or([decides(*part), rest])]),
    })
}
