//! Walks over expressions that visit every shared part once and do not recurse.

use std::collections::BTreeSet;

use lapidary_base::hash::{Map, Set};

use crate::expr::{Expr, Exprs, Node};
use crate::model::VarId;

/// Fills `images` for `root` and all its parts, parts first; `image` finds those of the parts there.
pub fn bottom_up<T>(
    exprs: &Exprs,
    root: Expr,
    images: &mut Map<Expr, T>,
    mut image: impl FnMut(Expr, &Map<Expr, T>) -> T,
) {
    let mut stack = vec![root];
    while let Some(&expr) = stack.last() {
        let waiting = stack.len();
        if !images.contains_key(&expr) {
            exprs.for_each_part(expr, |part| {
                if !images.contains_key(&part) {
                    stack.push(part);
                }
            });
        }
        if stack.len() > waiting {
            continue;
        }
        stack.pop();
        if !images.contains_key(&expr) {
            let made = image(expr, images);
            images.insert(expr, made);
        }
    }
}

/// The variables that an expression reads by name. Cells of families are not among them.
pub fn variables(exprs: &Exprs, root: Expr) -> BTreeSet<VarId> {
    let (mut found, mut seen, mut open) = (BTreeSet::new(), Set::default(), vec![root]);
    while let Some(expr) = open.pop() {
        if !seen.insert(expr) {
            continue;
        }
        if let Node::Var(var) = exprs.node(expr) {
            found.insert(*var);
        }
        exprs.for_each_part(expr, |part| open.push(part));
    }
    found
}
