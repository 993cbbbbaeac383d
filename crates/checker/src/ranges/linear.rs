//! Sums of multiples, in which equal parts are put together, and what comparing them with zero says of each part.

use lapidary_ir::{Expr, Node};

use super::interval::Interval;
use super::known::Known;
use super::refine::restrict;
use super::scene::Scene;
use super::value::value;

/// Longer sums are not looked at.
const MOST_TERMS: usize = 256;

/// `constant` and for each term a multiple of an expression that is no sum.
#[derive(Clone, Default)]
pub struct Linear {
    constant: i128,
    terms: Vec<(Expr, i128)>,
}

/// Why there is no sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// In no state has the expression a value.
    NoValue,
    TooLarge,
}

impl Linear {
    pub fn of(scene: &Scene<'_>, known: &Known<'_>, expr: Expr) -> Result<Self, Failure> {
        let mut sum = Self::default();
        sum.add(scene, known, expr, 1)?;
        Ok(sum)
    }

    /// `a - b`
    pub fn difference(scene: &Scene<'_>, known: &Known<'_>, a: Expr, b: Expr) -> Result<Self, Failure> {
        let mut sum = Self::of(scene, known, a)?;
        sum.add(scene, known, b, -1)?;
        Ok(sum)
    }

    fn add(&mut self, scene: &Scene<'_>, known: &Known<'_>, expr: Expr, factor: i128) -> Result<(), Failure> {
        scene.node(Err(Failure::TooLarge), || match scene.model.exprs.node(expr) {
            Node::Bool(value) => self.add_constant(i128::from(*value), factor),
            Node::Int(value) | Node::Bits(_, value) => self.add_constant(i128::from(*value), factor),
            Node::Literal(_, position) => self.add_constant(i128::from(*position), factor),
            Node::Neg(a) => self.add(scene, known, *a, factor.checked_neg().ok_or(Failure::TooLarge)?),
            Node::Add(parts) => parts.iter().try_for_each(|&part| self.add(scene, known, part, factor)),
            Node::Mul(a, b) => {
                let [one, other] = [a, b].map(|part| value(scene, known, *part).ok_or(Failure::NoValue));
                match (one?.only(), other?.only()) {
                    (Some(by), _) => self.add(scene, known, *b, factor.checked_mul(by).ok_or(Failure::TooLarge)?),
                    (None, Some(by)) => self.add(scene, known, *a, factor.checked_mul(by).ok_or(Failure::TooLarge)?),
                    (None, None) => self.add_term(expr, factor),
                }
            }
            Node::Var(_) | Node::Cell(..) | Node::Ite(..) | Node::Div(..) | Node::Mod(..) => {
                self.add_term(expr, factor)
            }
            Node::Not(_) | Node::And(_) | Node::Or(_) | Node::Eq(..) | Node::Lt(..) | Node::Le(..) => {
                self.add_term(expr, factor)
            }
            Node::Value(..) | Node::Apply(..) => self.add_term(expr, factor),
        })
    }

    fn add_constant(&mut self, value: i128, factor: i128) -> Result<(), Failure> {
        let sum = value.checked_mul(factor).and_then(|value| self.constant.checked_add(value));
        self.constant = sum.ok_or(Failure::TooLarge)?;
        Ok(())
    }

    fn add_term(&mut self, expr: Expr, factor: i128) -> Result<(), Failure> {
        if let Some((_, before)) = self.terms.iter_mut().find(|(term, _)| *term == expr) {
            *before = before.checked_add(factor).ok_or(Failure::TooLarge)?;
            return Ok(());
        }
        if self.terms.len() == MOST_TERMS {
            return Err(Failure::TooLarge);
        }
        self.terms.push((expr, factor));
        Ok(())
    }

    /// None if a part has no value in any state.
    pub fn value(&self, scene: &Scene<'_>, known: &Known<'_>) -> Option<Interval> {
        let constant = Interval::point(self.constant);
        self.terms
            .iter()
            .try_fold(constant, |sum, &(term, factor)| Some(sum.add(value(scene, known, term)?.times(factor))))
    }

    /// Only the executions in which the sum is in the interval; false if there are none.
    #[must_use]
    pub fn restrict(&self, scene: &Scene<'_>, known: &mut Known<'_>, to: Interval) -> bool {
        let mut shares = Vec::new();
        for &(term, factor) in &self.terms {
            let Some(share) = value(scene, known, term) else { return false };
            shares.push(share.times(factor));
        }
        let around = Around::new(self.constant, &shares);
        if around.all().meet(to).is_none() {
            return false;
        }
        self.terms.iter().zip(&shares).enumerate().all(|(i, (&(term, factor), share))| {
            // The share is what is wanted without the others.
            let wanted = to.add(around.without(i).neg()).meet(*share);
            wanted.is_some_and(|wanted| restrict(scene, known, term, quotients(wanted, factor)))
        })
    }

    /// Only the executions in which the sum is not zero.
    #[must_use]
    pub fn is_not_zero(&self, scene: &Scene<'_>, known: &mut Known<'_>) -> bool {
        let mut open = None;
        let mut rest = self.constant;
        for &(term, factor) in &self.terms {
            let Some(found) = value(scene, known, term) else { return false };
            match found.only().map(|only| only.checked_mul(factor).and_then(|share| rest.checked_add(share))) {
                Some(Some(sum)) => rest = sum,
                Some(None) => return true,
                None if open.is_some() => return true,
                None => open = Some((term, factor, found)),
            }
        }
        let Some((term, factor, found)) = open else { return rest != 0 };
        match (rest.checked_neg(), factor) {
            (_, 0) => rest != 0,
            (Some(share), factor) if share.checked_rem(factor) == Some(0) => {
                let left = found.without(share / factor);
                left.is_some_and(|left| restrict(scene, known, term, left))
            }
            (Some(_) | None, _) => true,
        }
    }
}

/// The numbers whose product with the factor is in the interval, and perhaps more.
fn quotients(product: Interval, factor: i128) -> Interval {
    if factor == 0 {
        return Interval::ALL;
    }
    let (lo, hi) = if factor < 0 { product.neg() } else { product }.ends();
    let Some(size) = factor.checked_abs() else { return Interval::ALL };
    let up = |end: i128| end.div_euclid(size) + i128::from(end.rem_euclid(size) != 0);
    let lo = lo.map_or(Interval::ALL.lo, up);
    let hi = hi.map_or(Interval::ALL.hi, |end| end.div_euclid(size));
    // Where there is no such number, both ends say so in the wrong order: nobody lies in between.
    Interval { lo, hi }
}

/// Sums of all intervals but one, without adding them up again for each.
struct Around {
    before: Vec<Interval>,
    behind: Vec<Interval>,
}

impl Around {
    fn new(constant: i128, shares: &[Interval]) -> Self {
        let mut before = vec![Interval::point(constant)];
        let mut behind = vec![Interval::point(0)];
        for share in shares {
            before.push(before[before.len() - 1].add(*share));
        }
        for share in shares.iter().rev() {
            behind.push(behind[behind.len() - 1].add(*share));
        }
        Self { before, behind }
    }

    fn all(&self) -> Interval {
        self.before[self.before.len() - 1]
    }

    fn without(&self, i: usize) -> Interval {
        self.before[i].add(self.behind[self.behind.len() - 2 - i])
    }
}
