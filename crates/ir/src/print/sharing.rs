//! Which expressions get a line of their own (`let $0 = ...;`), so that text never grows beyond the shared graph
//! that it stands for and is never nested deeper than a parser with a limit can read.

use lapidary_base::hash::Map;

use crate::expr::{Expr, Exprs};

/// An expression that one other uses twice is written out again as long as it has fewer nodes than this.
const SHARED_SIZE: usize = 24;
/// No more nodes than this are ever written inside each other. The parser needs at most two levels for each and has
/// twice as many as that, so that statements around the expression find room too.
const DEEPEST: usize = 48;

/// The numbers of the expressions that were named so far.
#[derive(Default)]
pub struct Sharing {
    numbers: Map<Expr, u32>,
}

struct Extent {
    size: usize,
    depth: usize,
}

impl Sharing {
    pub fn number(&self, expr: Expr) -> Option<u32> {
        self.numbers.get(&expr).copied()
    }

    /// Names what has to be named inside `root`. The new ones are returned, each after those that it uses.
    pub fn plan(&mut self, exprs: &Exprs, root: Expr) -> Vec<Expr> {
        let (order, uses) = self.unnamed(exprs, root);
        let mut extents: Map<Expr, Extent> = Map::default();
        let mut new = Vec::new();
        for expr in order {
            let mut extent = Extent { size: 1, depth: 0 };
            exprs.for_each_part(expr, |part| match extents.get(&part) {
                Some(inner) => {
                    extent.size = extent.size.saturating_add(inner.size);
                    extent.depth = extent.depth.max(inner.depth);
                }
                None => extent.size = extent.size.saturating_add(1),
            });
            extent.depth += 1;
            let heavy = uses[&expr] > 1 && extent.size >= SHARED_SIZE || extent.depth >= DEEPEST;
            if heavy && expr != root {
                let number = u32::try_from(self.numbers.len()).expect("there are fewer names than expressions");
                self.numbers.insert(expr, number);
                new.push(expr);
            } else {
                extents.insert(expr, extent);
            }
        }
        new
    }

    /// The unnamed expressions in `root`, parts first, and how often each is used by the others.
    fn unnamed(&self, exprs: &Exprs, root: Expr) -> (Vec<Expr>, Map<Expr, usize>) {
        enum Visit {
            Enter(Expr),
            Leave(Expr),
        }
        let mut order = Vec::new();
        let mut uses: Map<Expr, usize> = Map::default();
        let mut stack = vec![Visit::Enter(root)];
        while let Some(visit) = stack.pop() {
            let expr = match visit {
                Visit::Enter(expr) => expr,
                Visit::Leave(expr) => {
                    order.push(expr);
                    continue;
                }
            };
            if self.numbers.contains_key(&expr) {
                continue;
            }
            let n_uses = uses.entry(expr).or_insert(0);
            *n_uses += 1;
            if *n_uses > 1 {
                continue;
            }
            stack.push(Visit::Leave(expr));
            let first = stack.len();
            exprs.for_each_part(expr, |part| stack.push(Visit::Enter(part)));
            // The part on top is entered first: names follow the order in which a reader meets them.
            stack[first..].reverse();
        }
        (order, uses)
    }
}
