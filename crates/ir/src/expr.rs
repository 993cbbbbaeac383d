//! Hash-consed expressions: equal expressions have equal ids, and `&self` is enough to make new ones.
//!
//! Expressions are partial: `div` and `mod` by zero and a cell index out of bounds have no value. `And`, `Or` and
//! `Ite` evaluate left to right and only as far as needed, and an expression has no value where a part that is
//! evaluated has none. Integers are mathematical; `div` and `mod` are those of SMT-LIB (the remainder is never negative).
//!
//! The constructors below fold constants, but only in ways that never change whether an expression has a value.

use std::sync::Arc;

use lapidary_base::hash::Set;
use lapidary_base::{Interner, id, intern};

use crate::function::Function;
use crate::model::{FamilyId, Raw, VarId};
use crate::operator::Gives;
use crate::types::{ArrayId, ArrayType, EnumId, Sort};
use crate::value::Values;

id! {
    /// An expression of the [`Exprs`] that made it.
    pub struct Expr(u32);
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    Bool(bool),
    Int(i64),
    /// A literal of an enumeration, by number.
    Literal(EnumId, u32),
    Var(VarId),
    /// The variable of a family at an index; indexes start at zero.
    Cell(FamilyId, Expr),
    Not(Expr),
    /// At least two parts, evaluated in order.
    And(Box<[Expr]>),
    Or(Box<[Expr]>),
    Ite(Expr, Expr, Expr),
    /// Both sides have the same sort, which may be any.
    Eq(Expr, Expr),
    Lt(Expr, Expr),
    Le(Expr, Expr),
    /// At least two parts.
    Add(Box<[Expr]>),
    Neg(Expr),
    Mul(Expr, Expr),
    Div(Expr, Expr),
    Mod(Expr, Expr),
    /// A bit-vector of so many bits, as variables of its domain have it.
    Bits(u32, Raw),
    /// An array, as variables of its domain have it.
    Value(ArrayId, Raw),
    /// A function on bit-vectors or arrays.
    Apply(Function, Box<[Expr]>),
}

/// Nested sums and junctions are flattened as long as the result has at most this many parts. Without a limit, what is
/// added to itself again and again would double each time, and a long chain would be copied for each of its links.
const MAX_FLATTENED: usize = 64;

/// Expressions that live together: those of a model, or those that somebody makes over them for a while. A clone is the same
/// arena: what is added through one is there through all.
#[derive(Clone, Default)]
pub struct Exprs(Arc<Arena>);

#[derive(Default)]
struct Arena {
    /// Shared with the arena below.
    values: Arc<Values>,
    /// The first `n_below` expressions are those of another arena.
    below: Option<Exprs>,
    n_below: u32,
    /// The others; the number of each is less by `n_below` here.
    nodes: Interner<Expr, Node>,
}

impl Exprs {
    pub fn new() -> Self {
        Self::default()
    }

    /// An arena over this one: it has all expressions that are there now, under their own ids, and what is added to it is
    /// gone with it. Expressions that are added to this one later are unknown above.
    pub fn above(&self) -> Self {
        let n_below = u32::try_from(self.len()).expect("fewer than 2^32 expressions");
        let values = self.0.values.clone();
        Self(Arc::new(Arena { values, below: Some(self.clone()), n_below, nodes: Interner::new() }))
    }

    #[inline]
    pub fn node(&self, expr: Expr) -> &Node {
        match expr.0.checked_sub(self.0.n_below) {
            Some(own) => self.0.nodes.get(Expr(own)),
            None => self.below().node(expr),
        }
    }

    fn below(&self) -> &Self {
        self.0.below.as_ref().expect("what has expressions below has an arena below")
    }

    /// An arena of its own whose values and types of arrays are those of this one, so that numbers mean the same in both.
    pub fn beside(&self) -> Self {
        Self(Arc::new(Arena { values: self.0.values.clone(), ..Arena::default() }))
    }

    pub fn values(&self) -> &Values {
        &self.0.values
    }

    pub fn array(&self, index: Sort, element: Sort) -> ArrayId {
        self.0.values.array(index, element)
    }

    pub fn array_type(&self, id: ArrayId) -> ArrayType {
        self.0.values.array_type(id)
    }

    /// Is this the same arena?
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// How many distinct expressions were made so far, those below included.
    pub fn len(&self) -> usize {
        self.0.n_below as usize + self.0.nodes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Interns a node as it is, without folding.
    pub fn intern(&self, node: Node) -> Expr {
        if self.0.n_below == 0 {
            return self.0.nodes.intern(node);
        }
        let hash = intern::hash(&node);
        match self.below().find(hash, &node).filter(|expr| expr.0 < self.0.n_below) {
            Some(expr) => expr,
            None => Expr(self.0.n_below + self.0.nodes.intern_hashed(hash, node).0),
        }
    }

    fn find(&self, hash: u64, node: &Node) -> Option<Expr> {
        let below = self.0.below.as_ref().and_then(|below| below.find(hash, node));
        let below = below.filter(|expr| expr.0 < self.0.n_below);
        below.or_else(|| self.0.nodes.find_hashed(hash, node).map(|own| Expr(self.0.n_below + own.0)))
    }

    pub fn bool(&self, value: bool) -> Expr {
        self.intern(Node::Bool(value))
    }

    pub fn int(&self, value: i64) -> Expr {
        self.intern(Node::Int(value))
    }

    pub fn literal(&self, of: EnumId, number: u32) -> Expr {
        self.intern(Node::Literal(of, number))
    }

    pub fn var(&self, var: VarId) -> Expr {
        self.intern(Node::Var(var))
    }

    pub fn cell(&self, family: FamilyId, index: Expr) -> Expr {
        self.intern(Node::Cell(family, index))
    }

    pub fn as_bool(&self, expr: Expr) -> Option<bool> {
        match self.node(expr) {
            Node::Bool(value) => Some(*value),
            _ => None,
        }
    }

    pub fn as_int(&self, expr: Expr) -> Option<i64> {
        match self.node(expr) {
            Node::Int(value) => Some(*value),
            _ => None,
        }
    }

    pub fn not(&self, expr: Expr) -> Expr {
        match self.node(expr) {
            Node::Bool(value) => self.bool(!value),
            Node::Not(inner) => *inner,
            _ => self.intern(Node::Not(expr)),
        }
    }

    /// A conjunction; nested ones are flattened up to a size, `true` is left out, what follows `false` is never evaluated.
    pub fn and(&self, parts: impl IntoIterator<Item = Expr>) -> Expr {
        self.junction(parts, false)
    }

    /// A disjunction, folded like [`and`](Self::and).
    pub fn or(&self, parts: impl IntoIterator<Item = Expr>) -> Expr {
        self.junction(parts, true)
    }

    fn junction(&self, parts: impl IntoIterator<Item = Expr>, absorbing: bool) -> Expr {
        let mut kept: Vec<Expr> = Vec::new();
        'parts: for part in parts {
            let flat = match (self.node(part), absorbing) {
                (Node::And(inner), false) | (Node::Or(inner), true) if is_flattened(&kept, inner) => inner,
                _ => std::slice::from_ref(&part),
            };
            for &part in flat {
                match self.as_bool(part) {
                    Some(value) if value == absorbing => {
                        kept.push(part);
                        break 'parts;
                    }
                    Some(_) => {}
                    None => kept.push(part),
                }
            }
        }
        match kept[..] {
            [] => self.bool(!absorbing),
            [only] => only,
            _ if absorbing => self.intern(Node::Or(kept.into())),
            _ => self.intern(Node::And(kept.into())),
        }
    }

    /// `a => b`; `b` is evaluated only where `a` is true.
    pub fn implies(&self, a: Expr, b: Expr) -> Expr {
        self.or([self.not(a), b])
    }

    pub fn ite(&self, condition: Expr, then: Expr, otherwise: Expr) -> Expr {
        match self.as_bool(condition) {
            Some(true) => then,
            Some(false) => otherwise,
            None => self.intern(Node::Ite(condition, then, otherwise)),
        }
    }

    pub fn eq(&self, a: Expr, b: Expr) -> Expr {
        match (self.node(a), self.node(b)) {
            (Node::Bool(x), Node::Bool(y)) => self.bool(x == y),
            (Node::Int(x), Node::Int(y)) => self.bool(x == y),
            (Node::Literal(_, x), Node::Literal(_, y)) => self.bool(x == y),
            (Node::Bool(true), _) => b,
            (_, Node::Bool(true)) => a,
            (Node::Bool(false), _) => self.not(b),
            (_, Node::Bool(false)) => self.not(a),
            _ => self.intern(Node::Eq(a, b)),
        }
    }

    pub fn ne(&self, a: Expr, b: Expr) -> Expr {
        self.not(self.eq(a, b))
    }

    pub fn lt(&self, a: Expr, b: Expr) -> Expr {
        match (self.as_int(a), self.as_int(b)) {
            (Some(x), Some(y)) => self.bool(x < y),
            _ => self.intern(Node::Lt(a, b)),
        }
    }

    pub fn le(&self, a: Expr, b: Expr) -> Expr {
        match (self.as_int(a), self.as_int(b)) {
            (Some(x), Some(y)) => self.bool(x <= y),
            _ => self.intern(Node::Le(a, b)),
        }
    }

    /// A sum; nested sums are flattened up to a size and constants collected in one last part, as long as they fit 64
    /// bits.
    pub fn add(&self, parts: impl IntoIterator<Item = Expr>) -> Expr {
        let mut kept: Vec<Expr> = Vec::new();
        let mut constant = 0i64;
        for part in parts {
            let flat = match self.node(part) {
                Node::Add(inner) if is_flattened(&kept, inner) => inner,
                _ => std::slice::from_ref(&part),
            };
            for &part in flat {
                match self.as_int(part).map(|value| constant.checked_add(value)) {
                    Some(Some(sum)) => constant = sum,
                    Some(None) | None => kept.push(part),
                }
            }
        }
        if constant != 0 || kept.is_empty() {
            kept.push(self.int(constant));
        }
        match kept[..] {
            [only] => only,
            _ => self.intern(Node::Add(kept.into())),
        }
    }

    pub fn neg(&self, expr: Expr) -> Expr {
        match self.node(expr) {
            Node::Int(value) if *value != i64::MIN => self.int(-value),
            Node::Neg(inner) => *inner,
            _ => self.intern(Node::Neg(expr)),
        }
    }

    pub fn sub(&self, a: Expr, b: Expr) -> Expr {
        self.add([a, self.neg(b)])
    }

    pub fn mul(&self, a: Expr, b: Expr) -> Expr {
        match (self.as_int(a), self.as_int(b)) {
            (Some(1), _) => b,
            (_, Some(1)) => a,
            (Some(x), Some(y)) if x.checked_mul(y).is_some() => self.int(x * y),
            _ => self.intern(Node::Mul(a, b)),
        }
    }

    pub fn div(&self, a: Expr, b: Expr) -> Expr {
        match (self.as_int(a), self.as_int(b)) {
            (Some(x), Some(y)) if y != 0 && x.checked_div_euclid(y).is_some() => self.int(x.div_euclid(y)),
            _ => self.intern(Node::Div(a, b)),
        }
    }

    pub fn modulo(&self, a: Expr, b: Expr) -> Expr {
        match (self.as_int(a), self.as_int(b)) {
            (Some(x), Some(y)) if y != 0 && x.checked_rem_euclid(y).is_some() => self.int(x.rem_euclid(y)),
            _ => self.intern(Node::Mod(a, b)),
        }
    }

    pub fn min(&self, a: Expr, b: Expr) -> Expr {
        self.ite(self.le(a, b), a, b)
    }

    pub fn max(&self, a: Expr, b: Expr) -> Expr {
        self.ite(self.le(b, a), a, b)
    }

    pub fn abs(&self, a: Expr) -> Expr {
        self.ite(self.le(self.int(0), a), a, self.neg(a))
    }

    /// The conjuncts of a conjunction, or the expression alone. None of them is a conjunction itself.
    pub fn conjuncts(&self, expr: Expr) -> Vec<Expr> {
        match self.node(expr) {
            Node::And(parts) if parts.iter().any(|&part| matches!(self.node(part), Node::And(_))) => {
                self.nested_conjuncts(expr)
            }
            Node::And(parts) => parts.to_vec(),
            Node::Bool(true) => Vec::new(),
            _ => vec![expr],
        }
    }

    /// A conjunction that is met again adds nothing: its parts are true where it is reached.
    fn nested_conjuncts(&self, expr: Expr) -> Vec<Expr> {
        let (mut found, mut seen, mut open) = (Vec::new(), Set::default(), vec![expr]);
        while let Some(expr) = open.pop() {
            match self.node(expr) {
                Node::And(parts) if seen.insert(expr) => open.extend(parts.iter().rev()),
                Node::And(_) => {}
                _ => found.push(expr),
            }
        }
        found
    }

    /// Calls `visit` on the direct parts of an expression, in order of evaluation.
    pub fn for_each_part(&self, expr: Expr, mut visit: impl FnMut(Expr)) {
        match self.node(expr) {
            Node::Bool(_) | Node::Int(_) | Node::Literal(..) | Node::Var(_) | Node::Bits(..) | Node::Value(..) => {}
            Node::Apply(_, parts) => parts.iter().copied().for_each(visit),
            Node::Cell(_, a) | Node::Not(a) | Node::Neg(a) => visit(*a),
            Node::And(parts) | Node::Or(parts) | Node::Add(parts) => parts.iter().copied().for_each(visit),
            Node::Ite(a, b, c) => [*a, *b, *c].into_iter().for_each(visit),
            Node::Eq(a, b) | Node::Lt(a, b) | Node::Le(a, b) | Node::Mul(a, b) | Node::Div(a, b) | Node::Mod(a, b) => {
                visit(*a);
                visit(*b);
            }
        }
    }

    /// The sort of an expression, given those of variables and families.
    pub fn sort(&self, expr: Expr, var: impl Fn(VarId) -> Sort, family: impl Fn(FamilyId) -> Sort) -> Sort {
        let mut expr = expr;
        loop {
            let node = self.node(expr);
            return match (node.operator().map(|operator| operator.row().gives), node) {
                (Some(Gives::Always(sort)), _) => sort,
                (Some(Gives::Last), _) => {
                    self.for_each_part(expr, |part| expr = part);
                    continue;
                }
                (None, Node::Bool(_)) => Sort::Bool,
                (None, Node::Literal(of, _)) => Sort::Enum(*of),
                (None, Node::Var(id)) => var(*id),
                (None, Node::Cell(id, _)) => family(*id),
                (None, Node::Bits(width, _)) => Sort::Bits(*width),
                (None, Node::Value(id, _)) => Sort::Array(*id),
                (None, Node::Apply(function, parts)) => match function.gives(|id| self.array_type(id)) {
                    Some(sort) => sort,
                    None => {
                        expr = parts[0];
                        continue;
                    }
                },
                (None, _) => Sort::Int,
            };
        }
    }
}

fn is_flattened(kept: &[Expr], inner: &[Expr]) -> bool {
    kept.len() + inner.len() <= MAX_FLATTENED
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_joined_with_itself_does_not_double_each_time() {
        let e = Exprs::new();
        let (x, p) = (e.var(VarId(0)), e.var(VarId(1)));
        let sum = (0..60).fold(x, |sum, _| e.add([sum, sum]));
        assert!(matches!(e.node(sum), Node::Add(parts) if parts.len() <= MAX_FLATTENED));
        let both = (0..60).fold(p, |both, i| e.and([both, e.and([both, e.var(VarId(i))])]));
        assert!(e.len() < 1000);
        assert_eq!(e.conjuncts(both).first(), Some(&p));
        assert!(e.conjuncts(both).len() < 1000);
    }

    #[test]
    fn a_long_chain_takes_linear_space() {
        let e = Exprs::new();
        let literals: Vec<Expr> = (0..20_000).map(|i| e.var(VarId(i))).collect();
        let chain = literals.iter().fold(e.bool(true), |chain, &literal| e.and([chain, literal]));
        assert_eq!(e.conjuncts(chain), literals);
    }

    #[test]
    fn an_arena_above_knows_what_was_there_and_keeps_its_own_to_itself() {
        let e = Exprs::new();
        let (x, one) = (e.var(VarId(0)), e.int(1));
        let above = e.above();
        let sum = above.add([x, one]);
        assert_eq!((above.var(VarId(0)), above.len(), e.len()), (x, 3, 2));
        assert!(matches!(above.node(sum), Node::Add(parts) if parts[..] == [x, one]));
        let (two, other) = (e.int(2), above.int(3));
        assert_eq!((two, other), (Expr(2), Expr(3)), "what is added below later has another meaning above");
        assert_eq!((above.node(sum).clone(), above.int(3)), (Node::Add([x, one].into()), other));
        let higher = above.above();
        assert_eq!((higher.add([x, one]), higher.int(4)), (sum, Expr(4)));
        assert_eq!(higher.int(2), Expr(5), "the same number, made again");
    }

    #[test]
    fn a_clone_is_the_same_arena() {
        let e = Exprs::new();
        let other = e.clone();
        assert_eq!((other.int(7), e.int(7), e.len()), (Expr(0), Expr(0), 1));
    }

    #[test]
    fn equal_expressions_are_one() {
        let e = Exprs::new();
        let x = e.var(VarId(0));
        assert_eq!(e.add([x, e.int(1)]), e.add([e.int(1), x]));
        assert_ne!(e.lt(x, e.int(1)), e.le(x, e.int(1)));
    }

    #[test]
    fn folding_keeps_parts_that_may_have_no_value() {
        let e = Exprs::new();
        let bad = e.eq(e.div(e.var(VarId(0)), e.int(0)), e.int(1));
        let kept = e.and([bad, e.bool(false)]);
        assert_eq!(e.conjuncts(kept), [bad, e.bool(false)]);
        assert_eq!(e.and([e.bool(false), bad]), e.bool(false));
        assert_eq!(e.or([e.bool(true), bad]), e.bool(true));
    }

    #[test]
    fn remainders_are_never_negative() {
        let e = Exprs::new();
        assert_eq!(e.modulo(e.int(-7), e.int(3)), e.int(2));
        assert_eq!(e.div(e.int(-7), e.int(3)), e.int(-3));
        assert_eq!(e.modulo(e.int(-7), e.int(-3)), e.int(2));
        assert_eq!(e.div(e.int(-7), e.int(-3)), e.int(3));
    }

    #[test]
    fn constants_that_do_not_fit_are_left_to_the_engine() {
        let e = Exprs::new();
        let sum = e.add([e.int(i64::MAX), e.int(1)]);
        assert!(matches!(e.node(sum), Node::Add(_)));
        assert!(matches!(e.node(e.neg(e.int(i64::MIN))), Node::Neg(_)));
        assert!(matches!(e.node(e.div(e.int(i64::MIN), e.int(-1))), Node::Div(..)));
    }
}
