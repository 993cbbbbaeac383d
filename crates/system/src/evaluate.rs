//! The value of an expression under given values of the variables, one node at a time.

use lapidary_base::Id;
use lapidary_ir::{Expr, Exprs, Family, FamilyId, Node, VarId};

/// Where an evaluation finds what it needs.
pub struct Scope<'a> {
    pub exprs: &'a Exprs,
    pub family: &'a dyn Fn(FamilyId) -> Family,
    pub read: &'a dyn Fn(VarId) -> i64,
}

impl Scope<'_> {
    /// `None` where the expression has no value, or none that fits in 64 bits.
    pub fn value(&self, expr: Expr) -> Option<i64> {
        match self.exprs.node(expr) {
            Node::Bool(value) => Some(i64::from(*value)),
            Node::Int(value) => Some(*value),
            Node::Literal(_, number) => Some(i64::from(*number)),
            Node::Var(var) => Some((self.read)(*var)),
            Node::Cell(family, index) => {
                let (family, index) = ((self.family)(*family), usize::try_from(self.value(*index)?).ok()?);
                (index < family.len as usize).then(|| (self.read)(VarId::new(family.first.index() + index)))
            }
            Node::Not(inner) => Some(1 - self.value(*inner)?),
            Node::And(parts) => self.junction(parts, 0),
            Node::Or(parts) => self.junction(parts, 1),
            Node::Ite(condition, then, otherwise) => match self.value(*condition)? {
                0 => self.value(*otherwise),
                _ => self.value(*then),
            },
            Node::Eq(a, b) => Some(i64::from(self.value(*a)? == self.value(*b)?)),
            Node::Lt(a, b) => Some(i64::from(self.value(*a)? < self.value(*b)?)),
            Node::Le(a, b) => Some(i64::from(self.value(*a)? <= self.value(*b)?)),
            Node::Add(parts) => parts.iter().try_fold(0i64, |sum, &part| sum.checked_add(self.value(part)?)),
            Node::Neg(inner) => self.value(*inner)?.checked_neg(),
            Node::Mul(a, b) => self.value(*a)?.checked_mul(self.value(*b)?),
            Node::Div(a, b) => self.value(*a)?.checked_div_euclid(self.value(*b)?),
            Node::Mod(a, b) => self.value(*a)?.checked_rem_euclid(self.value(*b)?),
        }
    }

    /// Left to right, only as far as the absorbing value.
    fn junction(&self, parts: &[Expr], absorbing: i64) -> Option<i64> {
        for &part in parts {
            if self.value(part)? == absorbing {
                return Some(absorbing);
            }
        }
        Some(1 - absorbing)
    }
}
