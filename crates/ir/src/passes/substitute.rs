//! Expressions in place of variables.

use lapidary_base::hash::{Map, Set};

use super::walk::bottom_up;
use crate::expr::{Expr, Exprs, Node};
use crate::model::VarId;
use crate::operator::rebuilt;

/// `expr` with every variable of `values` replaced, all at once. Cells of families are left alone.
pub fn substitute(exprs: &Exprs, expr: Expr, values: &Map<VarId, Expr>) -> Expr {
    Substitution::new(values.clone()).apply(exprs, expr)
}

/// One replacement, applied to many expressions: what they share is rewritten once.
#[derive(Clone, Default)]
pub struct Substitution {
    values: Map<VarId, Expr>,
    images: Map<Expr, Expr>,
}

impl Substitution {
    pub fn new(values: Map<VarId, Expr>) -> Self {
        Self { values, images: Map::default() }
    }

    /// Replaces more variables, or others than before.
    pub fn extend(&mut self, values: impl IntoIterator<Item = (VarId, Expr)>) {
        self.values.extend(values);
        self.images.clear();
    }

    /// Replaces one more variable, which occurs in nothing that was rewritten before.
    pub fn define(&mut self, var: VarId, value: Expr) {
        self.values.insert(var, value);
    }

    pub fn value(&self, var: VarId) -> Option<Expr> {
        self.values.get(&var).copied()
    }

    pub fn apply(&mut self, exprs: &Exprs, expr: Expr) -> Expr {
        let Self { values, images } = self;
        let var = |var: VarId| values.get(&var).copied().unwrap_or_else(|| exprs.var(var));
        bottom_up(exprs, expr, images, |expr, images| image(exprs, exprs, expr, &var, images));
        images[&expr]
    }
}

/// An expression of one collection in another one, where its variables may have other numbers.
pub fn copied(from: &Exprs, to: &Exprs, expr: Expr, var: &dyn Fn(VarId) -> VarId) -> Expr {
    let mut images = Map::default();
    let var = |old: VarId| to.var(var(old));
    bottom_up(from, expr, &mut images, |expr, images| image(from, to, expr, &var, images));
    images[&expr]
}

/// The same expressions, node by node, in another collection; what they share is copied once. They are made in the order in which
/// they were made first, so that whoever goes by their numbers finds the same order.
pub fn copies(from: &Exprs, to: &Exprs, roots: &[Expr]) -> Vec<Expr> {
    let (mut seen, mut open, mut found) = (Set::default(), roots.to_vec(), Vec::new());
    while let Some(expr) = open.pop() {
        if seen.insert(expr) {
            found.push(expr);
            from.for_each_part(expr, |part| open.push(part));
        }
    }
    // Parts have smaller numbers than what they are parts of.
    found.sort_unstable();
    let mut images: Map<Expr, Expr> = Map::default();
    for expr in found {
        let image = to.intern(to.adopted(from, from.node(expr)).with_parts(|part| images[&part]));
        images.insert(expr, image);
    }
    roots.iter().map(|root| images[root]).collect()
}

fn image(from: &Exprs, to: &Exprs, expr: Expr, var: &dyn Fn(VarId) -> Expr, images: &Map<Expr, Expr>) -> Expr {
    match from.node(expr) {
        Node::Var(old) => var(*old),
        node => rebuilt(to, &to.adopted(from, node), &|part| images[&part]),
    }
}

/// `root` with every occurrence of `from` replaced by `to`.
pub fn replaced(exprs: &Exprs, root: Expr, from: Expr, to: Expr) -> Expr {
    let mut images: Map<Expr, Expr> = Map::default();
    images.insert(from, to);
    bottom_up(exprs, root, &mut images, |expr, images| rebuilt(exprs, exprs.node(expr), &|part| images[&part]));
    images[&root]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_are_exact_and_take_what_is_shared_once() {
        let e = Exprs::new();
        let x = e.var(VarId(0));
        let twice = |part: Expr| e.intern(Node::Add([part, part].into()));
        let shared = (0..100).fold(x, |part, _| twice(part));
        // Constructors would fold these.
        let odd = e.intern(Node::Not(e.intern(Node::Not(e.lt(shared, e.int(0))))));
        let other = Exprs::new();
        let made = copies(&e, &other, &[odd, x]);
        assert_eq!(other.len(), e.len());
        assert_eq!(copies(&other, &e, &made), [odd, x]);
    }
}
