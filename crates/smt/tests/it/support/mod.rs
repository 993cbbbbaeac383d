//! What the tests of solvers share: an evaluator, random terms.

#[cfg(unix)]
pub mod fake;

use lapidary_base::Id;
use lapidary_ir::{Domain, Expr, Exprs, Node, VarId};
use lapidary_smt::Terms;

/// The value of a term, Booleans as 0 and 1. There are neither cells nor divisions by zero.
pub fn eval(exprs: &Exprs, expr: Expr, values: &dyn Fn(VarId) -> i64) -> i128 {
    let at = |part: &Expr| eval(exprs, *part, values);
    match exprs.node(expr) {
        Node::Bool(value) => i128::from(*value),
        Node::Int(value) => i128::from(*value),
        Node::Literal(_, number) => i128::from(*number),
        Node::Var(var) => i128::from(values(*var)),
        Node::Cell(..) => unreachable!("terms have no cells"),
        Node::Not(a) => 1 - at(a),
        Node::And(parts) => i128::from(parts.iter().all(|part| at(part) == 1)),
        Node::Or(parts) => i128::from(parts.iter().any(|part| at(part) == 1)),
        Node::Ite(c, a, b) if at(c) == 1 => at(a),
        Node::Ite(_, _, b) => at(b),
        Node::Eq(a, b) => i128::from(at(a) == at(b)),
        Node::Lt(a, b) => i128::from(at(a) < at(b)),
        Node::Le(a, b) => i128::from(at(a) <= at(b)),
        Node::Add(parts) => parts.iter().map(at).sum(),
        Node::Neg(a) => -at(a),
        Node::Mul(a, b) => at(a) * at(b),
        Node::Div(a, b) => at(a).div_euclid(at(b)),
        Node::Mod(a, b) => at(a).rem_euclid(at(b)),
    }
}

pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % bound
    }

    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

/// Three integers between -3 and 3, one that counts 0 to 2, and two Booleans.
pub struct Few {
    pub ints: Vec<VarId>,
    pub bools: Vec<VarId>,
}

impl Few {
    pub fn new(terms: &mut Terms<'_>) -> Self {
        let small = Domain::Range { lo: -3, hi: 3 };
        let ints = [small, small, small, Domain::Range { lo: 0, hi: 2 }];
        let ints = ints.into_iter().enumerate().map(|(at, domain)| terms.fresh(format!("i{at}"), domain)).collect();
        let bools = (0..2).map(|at| terms.fresh(format!("b{at}"), Domain::Bool)).collect();
        Self { ints, bools }
    }

    pub fn vars(&self) -> Vec<VarId> {
        self.ints.iter().chain(&self.bools).copied().collect()
    }

    /// Every assignment of values, by variable.
    pub fn assignments(&self, terms: &Terms<'_>) -> Vec<Vec<i64>> {
        let mut all = vec![vec![0; terms.len()]];
        for var in self.vars() {
            let (lo, hi) = match terms.domain(var) {
                Domain::Range { lo, hi } => (lo, hi),
                _ => (0, 1),
            };
            let with = |old: Vec<i64>| {
                (lo..=hi).map(move |value| {
                    let mut new = old.clone();
                    new[var.index()] = value;
                    new
                })
            };
            all = all.into_iter().flat_map(with).collect();
        }
        all
    }

    pub fn bool(&self, e: &Exprs, dice: &mut Dice, depth: u32) -> Expr {
        let leaf = depth == 0;
        match dice.below(if leaf { 3 } else { 9 }) {
            0 => e.var(dice.pick(&self.bools)),
            1 => e.lt(e.var(dice.pick(&self.ints)), e.int(dice.pick(&[-2, 0, 1, 3]))),
            2 => e.eq(e.var(dice.pick(&self.ints)), e.int(dice.pick(&[-3, -1, 0, 2]))),
            3 => e.not(self.bool(e, dice, depth - 1)),
            4 => e.and([self.bool(e, dice, depth - 1), self.bool(e, dice, depth - 1)]),
            5 => e.or([self.bool(e, dice, depth - 1), self.bool(e, dice, depth - 1)]),
            6 => e.eq(self.bool(e, dice, depth - 1), self.bool(e, dice, depth - 1)),
            7 => e.le(self.int(e, dice, depth - 1), self.int(e, dice, depth - 1)),
            _ => e.eq(self.int(e, dice, depth - 1), self.int(e, dice, depth - 1)),
        }
    }

    pub fn int(&self, e: &Exprs, dice: &mut Dice, depth: u32) -> Expr {
        let leaf = depth == 0;
        match dice.below(if leaf { 2 } else { 8 }) {
            0 => e.int(dice.pick(&[-4, -1, 0, 1, 2, 5])),
            1 => e.var(dice.pick(&self.ints)),
            2 => e.add([self.int(e, dice, depth - 1), self.int(e, dice, depth - 1)]),
            3 => e.sub(self.int(e, dice, depth - 1), self.int(e, dice, depth - 1)),
            4 => e.mul(e.int(dice.pick(&[-3, -1, 0, 2])), self.int(e, dice, depth - 1)),
            5 => e.div(self.int(e, dice, depth - 1), e.int(dice.pick(&[-5, -2, 2, 3]))),
            6 => e.modulo(self.int(e, dice, depth - 1), e.int(dice.pick(&[-5, -2, 2, 3]))),
            _ => e.ite(self.bool(e, dice, depth - 1), self.int(e, dice, depth - 1), self.int(e, dice, depth - 1)),
        }
    }
}
