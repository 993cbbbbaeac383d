//! Terms with a value everywhere, folded further than expressions of models may be: nothing in them can go missing.

use lapidary_base::hash::Set;
use lapidary_ir::model::Raw;
use lapidary_ir::{Declarations, Expr, Exprs, Function, Node};

use crate::apply::{self, Number};
use crate::words;

/// Sums are put into each other only up to this many parts; `x + x` in itself would double them each time.
const MOST_PARTS: usize = 8;

pub fn is_constant(e: &Exprs, term: Expr) -> bool {
    matches!(e.node(term), Node::Bool(_) | Node::Int(_) | Node::Literal(..) | Node::Bits(..) | Node::Value(..))
}

pub fn all(e: &Exprs, parts: impl IntoIterator<Item = Expr>) -> Expr {
    junction(e, parts, false)
}

pub fn any(e: &Exprs, parts: impl IntoIterator<Item = Expr>) -> Expr {
    junction(e, parts, true)
}

fn junction(e: &Exprs, parts: impl IntoIterator<Item = Expr>, absorbing: bool) -> Expr {
    let mut kept: Vec<Expr> = Vec::new();
    // A certificate may have a formula of a million parts.
    let mut seen: Set<Expr> = Set::default();
    for part in parts {
        match e.as_bool(part) {
            Some(value) if value == absorbing => return part,
            Some(_) => {}
            None if seen.insert(part) => kept.push(part),
            None => {}
        }
    }
    match (&kept[..], absorbing) {
        ([], _) => e.bool(!absorbing),
        ([only], _) => *only,
        (_, true) => e.intern(Node::Or(kept.into())),
        (_, false) => e.intern(Node::And(kept.into())),
    }
}

pub fn ite(e: &Exprs, condition: Expr, then: Expr, otherwise: Expr) -> Expr {
    if then == otherwise {
        return then;
    }
    if e.as_bool(condition).is_some() {
        return e.ite(condition, then, otherwise);
    }
    match (e.as_bool(then), e.as_bool(otherwise)) {
        (Some(true), _) => any(e, [condition, otherwise]),
        (Some(false), _) => all(e, [e.not(condition), otherwise]),
        (None, Some(true)) => any(e, [e.not(condition), then]),
        (None, Some(false)) => all(e, [condition, then]),
        (None, None) => e.ite(condition, then, otherwise),
    }
}

/// A constant is compared with the cases of a choice one by one, as long as the cases are constants too.
pub fn eq(e: &Exprs, a: Expr, b: Expr) -> Expr {
    if a == b {
        return e.bool(true);
    }
    let (choice, constant) = if is_constant(e, a) { (b, a) } else { (a, b) };
    match e.node(choice) {
        Node::Ite(condition, then, otherwise) if is_constant(e, constant) && is_constant(e, *then) => {
            ite(e, *condition, eq(e, *then, constant), eq(e, *otherwise, constant))
        }
        // Equal values have equal numbers.
        Node::Bits(..) if matches!(e.node(constant), Node::Bits(..)) => e.bool(false),
        _ => e.eq(a, b),
    }
}

pub fn lt(e: &Exprs, a: Expr, b: Expr) -> Expr {
    if a == b { e.bool(false) } else { e.lt(a, b) }
}

pub fn le(e: &Exprs, a: Expr, b: Expr) -> Expr {
    if a == b { e.bool(true) } else { e.le(a, b) }
}

pub fn add(e: &Exprs, parts: Vec<Expr>) -> Expr {
    let len = |part: &Expr| match e.node(*part) {
        Node::Add(inner) => inner.len(),
        _ => 0,
    };
    match parts.iter().map(len).max() {
        Some(longest) if longest > MOST_PARTS => e.intern(Node::Add(parts.into())),
        _ => e.add(parts),
    }
}

/// A function of constants is one, unless the interpreter cannot tell.
pub fn apply(model: &Declarations, function: Function, parts: Vec<Expr>) -> Expr {
    let e = &model.exprs;
    let number = |&part: &Expr| match e.node(part) {
        Node::Bits(width, value) => Some(Number::of(*value, *width)),
        _ => words::constant(model, part).map(|value| Number::of(value, 0)),
    };
    let numbers: Option<Vec<Number>> = parts.iter().map(number).collect();
    let value = numbers.and_then(|numbers| apply::apply(model, function, &numbers).ok());
    match value.and_then(|value| Raw::try_from(value.value).ok()) {
        Some(value) => {
            let given = function.gives(|id| e.array_type(id)).unwrap_or_else(|| model.sort(parts[0]));
            given.domain().constant(e, value)
        }
        None => e.apply(function, parts),
    }
}

pub fn mul(e: &Exprs, a: Expr, b: Expr) -> Expr {
    match (e.as_int(a), e.as_int(b)) {
        (Some(0), _) => a,
        (_, Some(0)) => b,
        _ => e.mul(a, b),
    }
}

#[cfg(test)]
mod tests {
    use lapidary_ir::VarId;

    use super::*;

    #[test]
    fn what_cannot_matter_is_folded_away() {
        let e = &Exprs::new();
        let (p, q, x) = (e.var(VarId(0)), e.var(VarId(1)), e.var(VarId(2)));
        let (yes, no) = (e.bool(true), e.bool(false));
        assert_eq!(all(e, [p, no]), no);
        assert_eq!(any(e, [p, yes]), yes);
        assert_eq!(all(e, [p, yes, p]), p);
        assert_eq!(ite(e, p, yes, no), p);
        assert_eq!(ite(e, p, no, yes), e.not(p));
        assert_eq!(ite(e, p, q, q), q);
        assert_eq!(eq(e, x, x), yes);
        assert_eq!(mul(e, x, e.int(0)), e.int(0));
        let row = ite(e, p, e.int(1), ite(e, q, e.int(2), e.int(1)));
        assert_eq!(eq(e, row, e.int(3)), no);
        assert_eq!(eq(e, e.int(2), row), all(e, [e.not(p), q]));
    }

    #[test]
    fn a_formula_of_many_parts_is_folded_in_time_that_grows_with_it() {
        let e = Exprs::default();
        let x = e.var(VarId(0));
        let parts: Vec<Expr> = (0..200_000).map(|bound| e.le(x, e.int(bound))).collect();
        let twice = all(&e, parts.iter().chain(&parts).copied());
        assert!(matches!(e.node(twice), Node::And(kept) if **kept == parts[..]));
    }

    #[test]
    fn sums_in_themselves_do_not_grow_without_end() {
        let e = &Exprs::new();
        let doubled = (0..60).fold(e.var(VarId(0)), |sum, _| add(e, vec![sum, sum]));
        assert!(matches!(e.node(doubled), Node::Add(parts) if parts.len() <= 2 * MOST_PARTS));
    }
}
