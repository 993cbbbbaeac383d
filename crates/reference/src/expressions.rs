//! Random expressions over given leaves, and what expressions mean, by plain recursion.

mod words;

use lapidary_ir::{EnumId, Expr, Exprs, FamilyId, Node, Sort, VarId};

use crate::dice::Dice;

/// Whether random expressions have a value in every state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Values {
    /// Rows are read within their bounds, and products and quotients are by constants, so that solvers find them easy.
    Everywhere,
    Perhaps,
}

/// What random expressions are made of; what is listed several times is taken more often.
#[derive(Clone, Debug)]
pub struct Leaves {
    /// Beside these there are small constants.
    pub numbers: Vec<Expr>,
    pub truths: Vec<Expr>,
    /// Rows of numbers and how many cells they have.
    pub rows: Vec<(FamilyId, i64)>,
    pub values: Values,
}

impl Leaves {
    pub fn number(&self, e: &Exprs, dice: &mut Dice, depth: usize) -> Expr {
        if depth == 0 || dice.percent(20) {
            return if dice.one_in(4) { e.int(dice.between(-2, 3)) } else { dice.pick(&self.numbers) };
        }
        let part = |dice: &mut Dice| self.number(e, dice, depth - 1);
        match dice.below(10) {
            0 | 1 => e.add((0..2 + dice.below(2)).map(|_| part(dice)).collect::<Vec<_>>()),
            2 => e.sub(part(dice), part(dice)),
            3 => e.neg(part(dice)),
            4 => e.mul(part(dice), self.number_or(e, dice, depth, &[-3, -1, 0, 2])),
            5 => e.div(part(dice), self.number_or(e, dice, depth, &[-5, -2, 2, 3])),
            6 => e.modulo(part(dice), self.number_or(e, dice, depth, &[-5, -2, 2, 3])),
            8 | 9 if !self.rows.is_empty() => {
                let (row, n_cells) = dice.pick(&self.rows);
                let index = part(dice);
                let is_within = self.values == Values::Everywhere;
                e.cell(row, if is_within { e.modulo(index, e.int(n_cells)) } else { index })
            }
            _ => e.ite(self.truth(e, dice, depth - 1), part(dice), part(dice)),
        }
    }

    /// Where there has to be a value, one of these constants.
    fn number_or(&self, e: &Exprs, dice: &mut Dice, depth: usize, constants: &[i64]) -> Expr {
        match self.values {
            Values::Everywhere => e.int(dice.pick(constants)),
            Values::Perhaps => self.number(e, dice, depth - 1),
        }
    }

    pub fn truth(&self, e: &Exprs, dice: &mut Dice, depth: usize) -> Expr {
        if depth == 0 || dice.percent(20) {
            return dice.pick(&self.truths);
        }
        let part = |dice: &mut Dice| self.truth(e, dice, depth - 1);
        let number = |dice: &mut Dice| self.number(e, dice, depth - 1);
        match dice.below(9) {
            0 => e.not(part(dice)),
            1 => e.and((0..2 + dice.below(2)).map(|_| part(dice)).collect::<Vec<_>>()),
            2 => e.or((0..2 + dice.below(2)).map(|_| part(dice)).collect::<Vec<_>>()),
            3 => e.ite(part(dice), part(dice), part(dice)),
            4 => e.eq(part(dice), part(dice)),
            5 => e.eq(number(dice), number(dice)),
            6 => e.le(number(dice), number(dice)),
            _ => e.lt(number(dice), number(dice)),
        }
    }
}

/// The value of an expression, of truths 0 and 1; none where there is no value. Who asks says what variables are and which
/// variable is a cell of a row. There are no bit-vectors.
pub fn value(
    exprs: &Exprs,
    expr: Expr,
    read: &dyn Fn(VarId) -> Option<i128>,
    cell: &dyn Fn(FamilyId, i128) -> Option<VarId>,
) -> Option<i128> {
    let sort = |_| unreachable!("there are no bit-vectors");
    let n_literals = |_| unreachable!("there are no arrays");
    Meaning { exprs, read, cell, sort: &sort, n_literals: &n_literals }.value(expr)
}

/// Where expressions find what they mean.
pub struct Meaning<'a> {
    pub exprs: &'a Exprs,
    pub read: &'a dyn Fn(VarId) -> Option<i128>,
    /// Which variable is a cell of a row.
    pub cell: &'a dyn Fn(FamilyId, i128) -> Option<VarId>,
    pub sort: &'a dyn Fn(VarId) -> Sort,
    pub n_literals: &'a dyn Fn(EnumId) -> usize,
}

impl Meaning<'_> {
    /// As variables have it.
    pub fn value(&self, expr: Expr) -> Option<i128> {
        let Self { exprs, read, cell, .. } = *self;
        let of = |part: Expr| self.value(part);
        let truth = |value: bool| Some(i128::from(value));
        match exprs.node(expr) {
            Node::Bool(value) => truth(*value),
            Node::Int(value) => Some(i128::from(*value)),
            Node::Literal(_, number) => Some(i128::from(*number)),
            Node::Var(var) => read(*var),
            Node::Cell(family, index) => read(cell(*family, of(*index)?)?),
            Node::Not(a) => truth(of(*a)? == 0),
            Node::And(parts) => {
                for &part in parts {
                    if of(part)? == 0 {
                        return truth(false);
                    }
                }
                truth(true)
            }
            Node::Or(parts) => {
                for &part in parts {
                    if of(part)? == 1 {
                        return truth(true);
                    }
                }
                truth(false)
            }
            Node::Ite(condition, then, otherwise) => of(if of(*condition)? == 1 { *then } else { *otherwise }),
            Node::Eq(a, b) => truth(of(*a)? == of(*b)?),
            Node::Lt(a, b) => truth(of(*a)? < of(*b)?),
            Node::Le(a, b) => truth(of(*a)? <= of(*b)?),
            Node::Add(parts) => parts.iter().map(|&part| of(part)).sum(),
            Node::Neg(a) => Some(-of(*a)?),
            Node::Mul(a, b) => Some(of(*a)? * of(*b)?),
            Node::Div(a, b) => of(*a)?.checked_div_euclid(of(*b)?),
            Node::Mod(a, b) => of(*a)?.checked_rem_euclid(of(*b)?),
            Node::Bits(_, value) | Node::Value(_, value) => Some(i128::from(*value)),
            Node::Apply(function, parts) => self.function(*function, parts),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two numbers, from which the row is made, and a truth.
    fn leaves(e: &Exprs, values: Values) -> Leaves {
        let numbers = [0, 1].map(|var| e.var(VarId(var))).to_vec();
        Leaves { numbers, truths: vec![e.var(VarId(2))], rows: vec![(FamilyId(0), 2)], values }
    }

    fn values(e: &Exprs, expr: Expr) -> impl Iterator<Item = Option<i128>> {
        let states = (-2..=3).flat_map(|x| (-2..=3).flat_map(move |y| [0, 1].map(|p| [x, y, p])));
        let cell = |_, index: i128| u32::try_from(index).ok().filter(|&index| index < 2).map(VarId);
        states.map(move |state| value(e, expr, &|var| Some(state[var.0 as usize]), &cell))
    }

    #[test]
    fn expressions_have_values_everywhere_where_that_is_wanted_and_vary() {
        let e = Exprs::new();
        let mut n_without = 0;
        for (seed, kind) in (0..400).flat_map(|seed| [(seed, Values::Everywhere), (seed, Values::Perhaps)]) {
            let mut dice = Dice::new(seed);
            let leaves = leaves(&e, kind);
            for expr in [leaves.number(&e, &mut dice, 3), leaves.truth(&e, &mut dice, 3)] {
                let n_none = values(&e, expr).filter(Option::is_none).count();
                assert!(n_none == 0 || kind == Values::Perhaps, "seed {seed}");
                n_without += usize::from(n_none > 0);
            }
        }
        assert!(n_without > 100, "{n_without} have no value somewhere");
    }

    #[test]
    fn a_value_that_is_not_needed_need_not_be_there() {
        let e = Exprs::new();
        let none = e.eq(e.div(e.int(1), e.var(VarId(0))), e.int(1));
        let at_zero = |expr| value(&e, expr, &|_| Some(0), &|_, _| None);
        assert_eq!(at_zero(none), None);
        assert_eq!(at_zero(e.and([e.lt(e.int(0), e.var(VarId(0))), none])), Some(0));
        assert_eq!(at_zero(e.and([none, e.lt(e.int(0), e.var(VarId(0)))])), None);
        assert_eq!(at_zero(e.cell(FamilyId(0), e.var(VarId(0)))), None);
    }
}
