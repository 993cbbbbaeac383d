//! Between which numbers the values of an expression lie, by the bounds of its variables alone.

use lapidary_base::hash::Map;

use super::walk::bottom_up;
use crate::expr::{Expr, Exprs, Node};
use crate::model::{Raw, VarId};

/// The least and the greatest number, both possible ends included; none where nothing is known.
pub type Interval = Option<(Raw, Raw)>;

/// Where `expr` has a value, it lies in this interval. Cells of families, bit-vectors and arrays are not looked into.
pub fn interval(exprs: &Exprs, expr: Expr, bounds: &dyn Fn(VarId) -> Interval) -> Interval {
    interval_among(exprs, expr, &mut Map::default(), bounds)
}

/// The same for many expressions under the same bounds: what they share is looked at once.
pub fn interval_among(
    exprs: &Exprs,
    expr: Expr,
    known: &mut Map<Expr, Interval>,
    bounds: &dyn Fn(VarId) -> Interval,
) -> Interval {
    bottom_up(exprs, expr, known, |expr, images| image(exprs, expr, images, bounds));
    known[&expr]
}

fn image(exprs: &Exprs, expr: Expr, images: &Map<Expr, Interval>, bounds: &dyn Fn(VarId) -> Interval) -> Interval {
    let of = |part: &Expr| images[part];
    match exprs.node(expr) {
        Node::Bool(value) => Some((i64::from(*value), i64::from(*value))),
        Node::Not(_) | Node::And(_) | Node::Or(_) | Node::Eq(..) | Node::Lt(..) | Node::Le(..) => Some((0, 1)),
        Node::Int(value) => Some((*value, *value)),
        Node::Literal(_, number) => Some((i64::from(*number), i64::from(*number))),
        Node::Var(var) => bounds(*var),
        Node::Cell(..) | Node::Bits(..) | Node::Value(..) | Node::Apply(..) => None,
        Node::Ite(condition, then, otherwise) => choice(exprs, *condition, *then, *otherwise, images),
        Node::Add(parts) => parts.iter().map(of).try_fold((0i64, 0i64), |(lo, hi), part| {
            let (a, b) = part?;
            Some((lo.checked_add(a)?, hi.checked_add(b)?))
        }),
        Node::Neg(a) => of(a).and_then(|(lo, hi)| Some((hi.checked_neg()?, lo.checked_neg()?))),
        Node::Mul(a, b) => product(of(a)?, of(b)?),
        Node::Div(a, b) => match (of(a)?, of(b)?) {
            ((lo, hi), (by, same)) if by == same && by > 0 => Some((lo.div_euclid(by), hi.div_euclid(by))),
            _ => None,
        },
        Node::Mod(_, b) => match of(b)? {
            (lo, hi) if lo > 0 => Some((0, hi - 1)),
            _ => None,
        },
    }
}

/// `min` and `max` are choices on a comparison of their own parts: these are told apart from others.
fn choice(exprs: &Exprs, condition: Expr, then: Expr, otherwise: Expr, images: &Map<Expr, Interval>) -> Interval {
    let ((a, b), (c, d)) = (images[&then]?, images[&otherwise]?);
    match exprs.node(condition) {
        Node::Le(x, y) if (*x, *y) == (then, otherwise) => Some((a.min(c), b.min(d))),
        Node::Le(x, y) if (*x, *y) == (otherwise, then) => Some((a.max(c), b.max(d))),
        _ => Some((a.min(c), b.max(d))),
    }
}

fn product((a, b): (Raw, Raw), (c, d): (Raw, Raw)) -> Interval {
    let corners = [a.checked_mul(c)?, a.checked_mul(d)?, b.checked_mul(c)?, b.checked_mul(d)?];
    Some((corners.into_iter().min()?, corners.into_iter().max()?))
}
