//! Numbers that grow for ever, and conditions that compare them with each other.

use crate::ast::{Binary, Expr, Place};
use crate::random::Maker;
use crate::random_expr::Kind;
use crate::random_place::Scope;

const COMPARISONS: [Binary; 8] =
    [Binary::Le, Binary::Ge, Binary::Lt, Binary::Gt, Binary::Eq, Binary::Ne, Binary::Le, Binary::Lt];

impl Maker<'_> {
    /// A number to assign to an `int`, whatever its size.
    pub(crate) fn grown(&mut self, scope: &Scope, target: &Place) -> Expr {
        let old = Expr::Read(target.clone());
        let other = self.leaf(scope, 1);
        match self.dice.below(16) {
            0..=5 => {
                let value = [1, 1, 1, 2, 3][self.dice.below(5)];
                Expr::binary(Binary::Add, old, self.constant(value))
            }
            6 | 7 => {
                let value = [1, 1, 2][self.dice.below(3)];
                Expr::binary(Binary::Sub, old, self.constant(value))
            }
            8 => Expr::binary(Binary::Add, old, other),
            9 => Expr::binary(Binary::Sub, old, other),
            10 => self.multiple(scope),
            11 => Expr::binary(Binary::Add, other, Expr::Int(1)),
            12 => {
                let op = if self.dice.percent(50) { Binary::Min } else { Binary::Max };
                Expr::binary(op, old, other)
            }
            13 => self.number(scope, 2),
            14 if self.dice.percent(30) => Expr::binary(Binary::Mul, old, other),
            _ => other,
        }
    }

    /// A cell times a constant, or rarely times another cell.
    pub(crate) fn multiple(&mut self, scope: &Scope) -> Expr {
        let cell = self.read(scope, 0, Kind::Int).unwrap_or(Expr::Int(2));
        let by = match self.dice.below(8) {
            0 => self.leaf(scope, 0),
            _ => Expr::Int([2, 2, 3, -1, -2][self.dice.below(5)]),
        };
        Expr::binary(Binary::Mul, by, cell)
    }

    /// A comparison of a cell with another one, or with a constant that is a bound on one side only.
    pub(crate) fn relation(&mut self, scope: &Scope) -> Expr {
        let op = COMPARISONS[self.dice.below(COMPARISONS.len())];
        let left = self.read(scope, 1, Kind::Int).unwrap_or(Expr::Int(0));
        let value = self.dice.between(-2, 4);
        let right = match self.dice.below(4) {
            0 => self.leaf(scope, 1),
            1 => Expr::binary(Binary::Add, self.leaf(scope, 1), self.constant(value)),
            _ => self.constant(value),
        };
        Expr::binary(op, left, right)
    }
}
