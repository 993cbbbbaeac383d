//! Between which numbers values lie where a guard holds: by the domains of variables, and by those conditions of the guard
//! that compare one variable with a number.

use lapidary_base::hash::Map;
use lapidary_ir::expr::Node;
use lapidary_ir::model::Raw;
use lapidary_ir::passes::{Interval, interval};
use lapidary_ir::{Domain, Expr, Exprs, VarId};

use super::super::scope::Layout;

pub struct Bounds<'a> {
    exprs: &'a Exprs,
    layout: &'a Layout,
    /// Of the variables that the guard says something about.
    narrowed: Map<VarId, (Raw, Raw)>,
}

impl<'a> Bounds<'a> {
    pub fn under(guard: Option<Expr>, exprs: &'a Exprs, layout: &'a Layout) -> Self {
        let mut bounds = Self { exprs, layout, narrowed: Map::default() };
        match guard.map(|guard| (guard, exprs.node(guard))) {
            Some((_, Node::And(parts))) => parts.iter().for_each(|&part| bounds.narrow(part)),
            Some((guard, _)) => bounds.narrow(guard),
            None => {}
        }
        bounds
    }

    /// Where the value lies; none where nothing is known, also because the guard never holds.
    pub fn of(&self, value: Expr) -> Interval {
        interval(self.exprs, value, &|var| self.of_var(var)).filter(|(lo, hi)| lo <= hi)
    }

    fn of_var(&self, var: VarId) -> Interval {
        let declared = match self.layout.vars[var].domain {
            Domain::Range { lo, hi } => Some((lo, hi)),
            Domain::Bool => Some((0, 1)),
            Domain::Int | Domain::Enum(_) | Domain::Bits(_) | Domain::Array(_) => None,
        };
        // A contradictory guard tells nothing.
        let narrowed = self.narrowed.get(&var).copied().filter(|(lo, hi)| lo <= hi);
        narrowed.or(declared)
    }

    fn narrow(&mut self, condition: Expr) {
        let (var, lo, hi) = match *self.exprs.node(condition) {
            Node::Eq(a, b) => match (self.sides(a, b), self.sides(b, a)) {
                (Some((var, number)), _) | (_, Some((var, number))) => (var, number, number),
                (None, None) => return,
            },
            Node::Le(a, b) => match (self.sides(a, b), self.sides(b, a)) {
                (Some((var, number)), _) => (var, Raw::MIN, number),
                (_, Some((var, number))) => (var, number, Raw::MAX),
                (None, None) => return,
            },
            Node::Lt(a, b) => match (self.sides(a, b), self.sides(b, a)) {
                (Some((var, number)), _) => (var, Raw::MIN, number.saturating_sub(1)),
                (_, Some((var, number))) => (var, number.saturating_add(1), Raw::MAX),
                (None, None) => return,
            },
            _ => return,
        };
        let Some((least, most)) = self.narrowed.get(&var).copied().or_else(|| self.of_var(var)) else { return };
        self.narrowed.insert(var, (least.max(lo), most.min(hi)));
    }

    /// A variable and a number.
    fn sides(&self, var: Expr, number: Expr) -> Option<(VarId, Raw)> {
        match (self.exprs.node(var), self.exprs.node(number)) {
            (Node::Var(var), Node::Int(number)) => Some((*var, *number)),
            _ => None,
        }
    }
}
