//! Which expressions get a line of their own (`let $0 = ...;`), so that text never grows beyond the shared graph
//! that it stands for and is never nested deeper than a parser with a limit can read.
//!
//! In a text of ordinary size every item is looked at alone, so that a reader finds most of what it says in one place. Commands
//! that share large parts would repeat them all; where that is too much, what another item wrote already is shared, too.

use lapidary_base::hash::Map;
use lapidary_base::{Meter, Stop};

use crate::expr::{Expr, Exprs};

/// An expression that one other uses twice is written out again as long as it has fewer nodes than this.
const SHARED_SIZE: usize = 24;
/// No more nodes than this are ever written inside each other. The parser needs at most two levels for each and has
/// twice as many as that, so that statements around the expression find room too.
const DEEPEST: usize = 48;
/// So many nodes, some megabytes of text, are written with every item for itself.
const MOST_APART: usize = 1 << 19;

/// The numbers of the expressions that were named so far.
#[derive(Default)]
pub struct Sharing {
    numbers: Map<Expr, u32>,
    /// How often each expression is used by others and by items, where all items share.
    across: Option<Map<Expr, usize>>,
}

/// What has to be named before an expression is written.
pub struct Plan {
    /// Each after those that it uses.
    pub named: Vec<Expr>,
    /// What is written for the expression and for those that are named.
    n_nodes: usize,
}

struct Extent {
    size: usize,
    depth: usize,
}

impl Sharing {
    /// For a text of all these expressions, in this order.
    pub fn of_all(exprs: &Exprs, roots: &[Expr], meter: &mut Meter<'_>) -> Result<Self, Stop> {
        let (mut apart, mut n_nodes) = (Self::default(), 0usize);
        for &root in roots {
            n_nodes = n_nodes.saturating_add(apart.plan(exprs, root, meter)?.n_nodes);
            if n_nodes > MOST_APART {
                return Ok(Self { numbers: Map::default(), across: Some(uses(exprs, roots, meter)?) });
            }
        }
        Ok(Self::default())
    }

    pub fn number(&self, expr: Expr) -> Option<u32> {
        self.numbers.get(&expr).copied()
    }

    /// Names what has to be named inside `root`.
    pub fn plan(&mut self, exprs: &Exprs, root: Expr, meter: &mut Meter<'_>) -> Result<Plan, Stop> {
        let (order, within) = self.unnamed(exprs, root, meter)?;
        let mut extents: Map<Expr, Extent> = Map::default();
        let mut plan = Plan { named: Vec::new(), n_nodes: 1 };
        for expr in order {
            let mut extent = Extent { size: 1, depth: 0 };
            let mut n_parts = 0;
            exprs.for_each_part(expr, |part| {
                n_parts += 1;
                match extents.get(&part) {
                    Some(inner) => {
                        extent.size = extent.size.saturating_add(inner.size);
                        extent.depth = extent.depth.max(inner.depth);
                    }
                    None => extent.size = extent.size.saturating_add(1),
                }
            });
            meter.add(1 + n_parts)?;
            extent.depth += 1;
            let n_uses = self.across.as_ref().unwrap_or(&within)[&expr];
            let is_heavy = n_uses > 1 && extent.size >= SHARED_SIZE || extent.depth >= DEEPEST;
            // What an item says is written with it, unless others say it too.
            let is_written_here = expr == root && (self.across.is_none() || n_uses == 1);
            if is_heavy && !is_written_here {
                let number = u32::try_from(self.numbers.len()).expect("there are fewer names than expressions");
                self.numbers.insert(expr, number);
                plan.named.push(expr);
                plan.n_nodes = plan.n_nodes.saturating_add(extent.size);
            } else {
                if expr == root {
                    plan.n_nodes = plan.n_nodes.saturating_add(extent.size);
                }
                extents.insert(expr, extent);
            }
        }
        Ok(plan)
    }

    /// The unnamed expressions in `root`, parts first, and how often each is used by the others.
    fn unnamed(&self, exprs: &Exprs, root: Expr, meter: &mut Meter<'_>) -> Result<(Vec<Expr>, Map<Expr, usize>), Stop> {
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
            meter.add(1)?;
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
        Ok((order, uses))
    }
}

/// How often each expression is used, by others or as a whole.
fn uses(exprs: &Exprs, roots: &[Expr], meter: &mut Meter<'_>) -> Result<Map<Expr, usize>, Stop> {
    let mut uses: Map<Expr, usize> = Map::default();
    let mut open = roots.to_vec();
    while let Some(expr) = open.pop() {
        meter.add(1)?;
        let n_uses = uses.entry(expr).or_insert(0);
        *n_uses += 1;
        if *n_uses == 1 {
            exprs.for_each_part(expr, |part| open.push(part));
        }
    }
    Ok(uses)
}
