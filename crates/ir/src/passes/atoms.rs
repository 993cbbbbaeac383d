//! The atoms of a formula: its Boolean parts that are no combination of others.

use lapidary_base::hash::Set;

use crate::expr::{Expr, Exprs, Node};
use crate::types::Sort;

/// In the order in which they first occur; constants are left out. `sort` tells the sort of any part.
pub fn atoms(exprs: &Exprs, roots: &[Expr], sort: &dyn Fn(Expr) -> Sort) -> Vec<Expr> {
    let (mut found, mut seen) = (Vec::new(), Set::default());
    let mut open: Vec<Expr> = roots.iter().rev().copied().collect();
    while let Some(expr) = open.pop() {
        if !seen.insert(expr) {
            continue;
        }
        match exprs.node(expr) {
            Node::Bool(_) => {}
            Node::Not(_) | Node::And(_) | Node::Or(_) => push_parts(exprs, expr, &mut open),
            Node::Ite(..) => push_parts(exprs, expr, &mut open),
            Node::Eq(left, _) if sort(*left) == Sort::Bool => push_parts(exprs, expr, &mut open),
            _ => found.push(expr),
        }
    }
    found
}

/// The first part comes out first.
fn push_parts(exprs: &Exprs, expr: Expr, open: &mut Vec<Expr>) {
    let mut parts = Vec::new();
    exprs.for_each_part(expr, |part| parts.push(part));
    open.extend(parts.into_iter().rev());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn combinations_are_taken_apart_and_comparisons_are_not() {
        let exprs = Exprs::new();
        let (x, p) = (exprs.var(crate::VarId(0)), exprs.var(crate::VarId(1)));
        let less = exprs.intern(Node::Lt(x, exprs.int(3)));
        let iff = exprs.intern(Node::Eq(p, less));
        let formula = exprs.intern(Node::And([exprs.intern(Node::Not(p)), iff, exprs.bool(true)].into()));
        let sort = |expr: Expr| if expr == x { Sort::Int } else { Sort::Bool };
        assert_eq!(atoms(&exprs, &[formula], &sort), [p, less]);
    }
}
