//! How large an expression is when it is written out as a tree: who works on trees asks first.
//!
//! Expressions share their parts, so a tree may be exponentially larger than the graph that it stands for.

use lapidary_base::hash::{Map, Set};

use super::walk::bottom_up;
use crate::expr::{Expr, Exprs};

/// The extent of an expression as a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// The number of nodes, as far as it fits.
    pub size: u64,
    /// The longest way to a leaf, counted in nodes.
    pub depth: u32,
}

/// Trees up to this size are written out whatever they share.
const SMALL: u64 = 1024;
/// Larger ones are written out while they are at most this many times as large as their graph.
const MOST_TIMES: u64 = 4;
/// Deeper ones are not walked by recursion.
const DEEP: u32 = 256;
/// A shared part that is smaller than this is written out again.
const TRIFLE: u64 = 8;

/// The shapes of the expressions of one collection, found once.
#[derive(Clone, Default)]
pub struct Shapes {
    known: Map<Expr, Shape>,
}

impl Shapes {
    pub fn of(&mut self, exprs: &Exprs, expr: Expr) -> Shape {
        if let Some(&known) = self.known.get(&expr) {
            return known;
        }
        bottom_up(exprs, expr, &mut self.known, |expr, known| {
            let mut shape = Shape { size: 1, depth: 0 };
            exprs.for_each_part(expr, |part| {
                let part = known[&part];
                shape.size = shape.size.saturating_add(part.size);
                shape.depth = shape.depth.max(part.depth);
            });
            Shape { depth: shape.depth.saturating_add(1), ..shape }
        });
        self.known[&expr]
    }

    /// Whether the expression is better not treated as a tree: that would be much larger than the graph, or very deep.
    pub fn is_heavy(&mut self, exprs: &Exprs, expr: Expr) -> bool {
        let shape = self.of(exprs, expr);
        if shape.depth > DEEP {
            return true;
        }
        shape.size > SMALL && shape.size / MOST_TIMES > graph_size(exprs, expr)
    }

    /// Parts of `root` that cut it into trees which together are hardly larger than its graph, and none of which is deep.
    /// Each comes after those that lie in it; the root is not among them.
    pub fn cuts(&mut self, exprs: &Exprs, root: Expr) -> Vec<Expr> {
        self.of(exprs, root);
        let mut n_users: Map<Expr, u32> = Map::default();
        let mut order = Vec::new();
        let mut reached: Map<Expr, ()> = Map::default();
        bottom_up(exprs, root, &mut reached, |expr, _| {
            order.push(expr);
            exprs.for_each_part(expr, |part| *n_users.entry(part).or_insert(0) += 1);
        });
        let is_cut = |expr: &Expr| {
            let Shape { size, depth } = self.known[expr];
            let is_shared = n_users.get(expr).is_some_and(|&users| users > 1);
            *expr != root && (is_shared && size >= TRIFLE || depth.is_multiple_of(DEEP))
        };
        order.retain(is_cut);
        order
    }
}

/// Each part counts once, and so does each place where it is used.
fn graph_size(exprs: &Exprs, root: Expr) -> u64 {
    let (mut seen, mut open, mut size) = (Set::default(), vec![root], 0);
    while let Some(expr) = open.pop() {
        size += 1;
        if seen.insert(expr) {
            exprs.for_each_part(expr, |part| open.push(part));
        }
    }
    size
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::Node;
    use crate::model::VarId;

    #[test]
    fn a_plain_tree_is_not_heavy_and_a_doubled_one_is() {
        let exprs = Exprs::new();
        let mut shapes = Shapes::default();
        let plain = exprs.add((0..5000).map(|i| exprs.var(VarId(i))));
        assert!(!shapes.is_heavy(&exprs, plain));
        let twice = |part: Expr| exprs.intern(Node::Mul(part, part));
        let doubled = (0..80).fold(plain, |part, _| twice(part));
        assert_eq!(shapes.of(&exprs, doubled), Shape { size: u64::MAX, depth: 82 });
        assert!(shapes.is_heavy(&exprs, doubled));
        assert_eq!(shapes.cuts(&exprs, doubled).len(), 80);
    }

    #[test]
    fn a_deep_expression_is_cut_into_pieces() {
        let exprs = Exprs::new();
        let mut shapes = Shapes::default();
        let deep = (0..20_000).fold(exprs.var(VarId(0)), |part, _| exprs.intern(Node::Neg(part)));
        assert!(shapes.is_heavy(&exprs, deep));
        let cuts = shapes.cuts(&exprs, deep);
        assert_eq!(cuts.len(), 78);
        assert!(cuts.is_sorted());
    }
}
