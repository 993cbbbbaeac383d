//! Sums of places with whole coefficients, and comparisons of them.

use lapidary_ir::passes::place_var;
use lapidary_ir::{Expr, Exprs, PlaceId};

use super::super::limits::MAX_NUMBER;

/// `constant + sum of coefficient * place`: ascending by place, no zeros, nothing beyond [`MAX_NUMBER`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Linear {
    pub terms: Vec<(PlaceId, i64)>,
    pub constant: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    AtMost,
    Less,
    AtLeast,
    Greater,
    Equal,
    Different,
}

fn within(number: i64) -> Option<i64> {
    (number.unsigned_abs() <= MAX_NUMBER).then_some(number)
}

impl Linear {
    pub fn number(constant: i64) -> Self {
        Self { terms: Vec::new(), constant }
    }

    pub fn place(place: PlaceId) -> Self {
        Self { terms: vec![(place, 1)], constant: 0 }
    }

    /// `self + times * other`, unless a number grows too large.
    pub fn plus(mut self, times: i64, other: &Self) -> Option<Self> {
        self.constant = within(self.constant.checked_add(times.checked_mul(other.constant)?)?)?;
        for &(place, coefficient) in &other.terms {
            let more = times.checked_mul(coefficient)?;
            match self.terms.binary_search_by_key(&place, |term| term.0) {
                Ok(at) => self.terms[at].1 = within(self.terms[at].1.checked_add(more)?)?,
                Err(at) => self.terms.insert(at, (place, within(more)?)),
            }
        }
        self.terms.retain(|term| term.1 != 0);
        Some(self)
    }

    /// A comparison in which every number stands on the side where it is positive.
    pub fn compare(&self, relation: Relation, other: &Self, exprs: &Exprs) -> Option<Expr> {
        let difference = self.clone().plus(-1, other)?;
        let (left, right) = (difference.side(1, exprs), difference.side(-1, exprs));
        Some(match relation {
            Relation::AtMost => exprs.le(left, right),
            Relation::Less => exprs.lt(left, right),
            Relation::AtLeast => exprs.le(right, left),
            Relation::Greater => exprs.lt(right, left),
            Relation::Equal => exprs.eq(left, right),
            Relation::Different => exprs.ne(left, right),
        })
    }

    /// The parts with this sign, made positive.
    fn side(&self, sign: i64, exprs: &Exprs) -> Expr {
        let terms = self.terms.iter().filter(|term| term.1.signum() == sign);
        let terms = terms.map(|&(place, times)| exprs.mul(exprs.int(sign * times), exprs.var(place_var(place))));
        let constant = if self.constant.signum() == sign { sign * self.constant } else { 0 };
        exprs.add(terms.chain([exprs.int(constant)]))
    }
}
