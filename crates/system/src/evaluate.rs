//! The value of an expression under given values of the variables, one node at a time.

mod function;

use lapidary_base::hash::Map;
use lapidary_base::{Id, IdVec};
use lapidary_ir::passes::bottom_up;
use lapidary_ir::{EnumId, EnumType, Expr, Exprs, Family, FamilyId, Node, Sort, VarId};

/// Where an evaluation finds what it needs.
pub struct Scope<'a> {
    pub exprs: &'a Exprs,
    pub family: &'a dyn Fn(FamilyId) -> Family,
    pub read: &'a dyn Fn(VarId) -> i64,
    pub sort: &'a dyn Fn(VarId) -> Sort,
    pub enums: &'a IdVec<EnumId, EnumType>,
}

/// So many nodes are evaluated as a tree; an expression that needs more is likely to share its parts.
const MOST_STEPS: u32 = 4096;
const DEEPEST: u32 = 128;

/// Why there is no value.
enum Odd {
    None,
    /// It would take too many steps to find it this way.
    Unfinished,
}

impl Scope<'_> {
    /// `None` where the expression has no value, or none that fits in 64 bits.
    pub fn value(&self, expr: Expr) -> Option<i64> {
        match self.tree(expr, &mut 0, DEEPEST) {
            Ok(value) => Some(value),
            Err(Odd::None) => None,
            Err(Odd::Unfinished) => self.graph(expr),
        }
    }

    fn tree(&self, expr: Expr, n_steps: &mut u32, depth: u32) -> Result<i64, Odd> {
        if *n_steps == MOST_STEPS || depth == 0 {
            return Err(Odd::Unfinished);
        }
        *n_steps += 1;
        self.node(expr, &mut |part| self.tree(part, n_steps, depth - 1))
    }

    /// Every part once. Parts that are not needed may lack a value, which then nobody asks for.
    fn graph(&self, root: Expr) -> Option<i64> {
        let mut values: Map<Expr, Option<i64>> = Map::default();
        bottom_up(self.exprs, root, &mut values, |expr, values| {
            self.node(expr, &mut |part| values[&part].ok_or(Odd::None)).ok()
        });
        values[&root]
    }

    fn node(&self, expr: Expr, part: &mut dyn FnMut(Expr) -> Result<i64, Odd>) -> Result<i64, Odd> {
        let fits = |value: Option<i64>| value.ok_or(Odd::None);
        Ok(match self.exprs.node(expr) {
            Node::Bool(value) => i64::from(*value),
            Node::Int(value) => *value,
            Node::Literal(_, number) => i64::from(*number),
            Node::Bits(_, value) | Node::Value(_, value) => *value,
            Node::Apply(function, parts) => self.function(*function, parts, part)?,
            Node::Var(var) => (self.read)(*var),
            Node::Cell(family, index) => {
                let (family, index) = ((self.family)(*family), usize::try_from(part(*index)?).map_err(|_| Odd::None)?);
                if index >= family.len as usize {
                    return Err(Odd::None);
                }
                (self.read)(VarId::new(family.first.index() + index))
            }
            Node::Not(inner) => 1 - part(*inner)?,
            Node::And(parts) => junction(parts, 0, part)?,
            Node::Or(parts) => junction(parts, 1, part)?,
            Node::Ite(condition, then, otherwise) => match part(*condition)? {
                0 => part(*otherwise)?,
                _ => part(*then)?,
            },
            Node::Eq(a, b) => i64::from(part(*a)? == part(*b)?),
            Node::Lt(a, b) => i64::from(part(*a)? < part(*b)?),
            Node::Le(a, b) => i64::from(part(*a)? <= part(*b)?),
            Node::Add(parts) => parts.iter().try_fold(0i64, |sum, &term| fits(sum.checked_add(part(term)?)))?,
            Node::Neg(inner) => fits(part(*inner)?.checked_neg())?,
            Node::Mul(a, b) => fits(part(*a)?.checked_mul(part(*b)?))?,
            Node::Div(a, b) => fits(part(*a)?.checked_div_euclid(part(*b)?))?,
            Node::Mod(a, b) => fits(part(*a)?.checked_rem_euclid(part(*b)?))?,
        })
    }
}

/// Left to right, only as far as the absorbing value.
fn junction(parts: &[Expr], absorbing: i64, value: &mut dyn FnMut(Expr) -> Result<i64, Odd>) -> Result<i64, Odd> {
    for &part in parts {
        if value(part)? == absorbing {
            return Ok(absorbing);
        }
    }
    Ok(1 - absorbing)
}
