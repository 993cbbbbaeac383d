//! A plain interpreter of expressions: the meaning that everything else in this crate is measured against.
//!
//! Numbers are 128 bits wide, so that 64-bit states leave room; a result beyond even that is an error of its own and
//! never a value.

use lapidary_base::Id;
use lapidary_ir::model::Raw;
use lapidary_ir::{Domain, Expr, Model, Node, VarId};

/// Why an expression gives no number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error {
    /// It has no value: `div` or `mod` by zero, or a cell index out of bounds.
    Undefined,
    /// It has a value, but not one that the checker can compute with.
    Overflow,
}

/// The number of an expression in a state: false is 0, true is 1, a literal is its position.
pub fn eval(model: &Model, expr: Expr, state: &[Raw]) -> Result<i128, Error> {
    let number = |expr: Expr| eval(model, expr, state);
    let test = |expr: Expr| truth(model, expr, state);
    match model.exprs.node(expr) {
        Node::Bool(value) => Ok(i128::from(*value)),
        Node::Int(value) => Ok(i128::from(*value)),
        Node::Literal(_, position) => Ok(i128::from(*position)),
        Node::Var(var) => Ok(i128::from(state[var.index()])),
        Node::Cell(family, index) => {
            let family = &model.families[*family];
            let index = u32::try_from(number(*index)?).ok().filter(|&i| i < family.len).ok_or(Error::Undefined)?;
            Ok(i128::from(state[family.var(index).index()]))
        }
        Node::Not(a) => Ok(i128::from(!test(*a)?)),
        Node::And(parts) => junction(model, parts, state, false),
        Node::Or(parts) => junction(model, parts, state, true),
        Node::Ite(condition, then, otherwise) => number(if test(*condition)? { *then } else { *otherwise }),
        Node::Eq(a, b) => Ok(i128::from(number(*a)? == number(*b)?)),
        Node::Lt(a, b) => Ok(i128::from(number(*a)? < number(*b)?)),
        Node::Le(a, b) => Ok(i128::from(number(*a)? <= number(*b)?)),
        Node::Add(parts) => {
            parts.iter().try_fold(0i128, |sum, &part| sum.checked_add(number(part)?).ok_or(Error::Overflow))
        }
        Node::Neg(a) => number(*a)?.checked_neg().ok_or(Error::Overflow),
        Node::Mul(a, b) => number(*a)?.checked_mul(number(*b)?).ok_or(Error::Overflow),
        Node::Div(a, b) => quotient(number(*a)?, number(*b)?, i128::checked_div_euclid),
        Node::Mod(a, b) => quotient(number(*a)?, number(*b)?, i128::checked_rem_euclid),
    }
}

/// The truth of a Boolean expression in a state.
pub fn truth(model: &Model, expr: Expr, state: &[Raw]) -> Result<bool, Error> {
    Ok(eval(model, expr, state)? != 0)
}

/// The least and the greatest number that a variable may have; 64 bits for the unbounded ones.
pub fn bounds(model: &Model, domain: Domain) -> (Raw, Raw) {
    model.bounds(domain).unwrap_or((Raw::MIN, Raw::MAX))
}

/// Is the number one of the variable's values?
pub fn in_domain(model: &Model, var: VarId, value: Raw) -> bool {
    let (lo, hi) = bounds(model, model.vars[var].domain);
    lo <= value && value <= hi
}

/// Left to right, and no further than the first part whose truth is the `absorbing` one.
fn junction(model: &Model, parts: &[Expr], state: &[Raw], absorbing: bool) -> Result<i128, Error> {
    for &part in parts {
        if truth(model, part, state)? == absorbing {
            return Ok(i128::from(absorbing));
        }
    }
    Ok(i128::from(!absorbing))
}

/// Euclidean division is that of SMT-LIB: the remainder is never negative, whatever the signs.
fn quotient(a: i128, b: i128, divide: fn(i128, i128) -> Option<i128>) -> Result<i128, Error> {
    if b == 0 {
        return Err(Error::Undefined);
    }
    divide(a, b).ok_or(Error::Overflow)
}

#[cfg(test)]
mod tests {
    use lapidary_base::IdVec;
    use lapidary_ir::{Exprs, Family, FamilyId};

    use super::*;

    fn row_of_two() -> Model {
        let families = IdVec::from(vec![Family { name: "a[_]".to_owned(), first: VarId(0), len: 2 }]);
        Model { exprs: Exprs::new(), families, ..Model::default() }
    }

    #[test]
    fn indexes_out_of_bounds_and_division_by_zero_have_no_value() {
        let model = row_of_two();
        let e = &model.exprs;
        let state = [5, 7];
        let cell = |i: i64| e.cell(FamilyId(0), e.int(i));
        assert_eq!(eval(&model, cell(1), &state), Ok(7));
        assert_eq!(eval(&model, cell(2), &state), Err(Error::Undefined));
        assert_eq!(eval(&model, cell(-1), &state), Err(Error::Undefined));
        assert_eq!(eval(&model, e.modulo(cell(0), e.int(0)), &state), Err(Error::Undefined));
    }

    #[test]
    fn what_is_not_needed_is_not_evaluated() {
        let model = row_of_two();
        let e = &model.exprs;
        let bad = e.eq(e.div(e.var(VarId(0)), e.int(0)), e.int(1));
        let is_five = e.eq(e.var(VarId(0)), e.int(5));
        assert_eq!(truth(&model, e.or([is_five, bad]), &[5, 0]), Ok(true));
        assert_eq!(truth(&model, e.and([is_five, bad]), &[4, 0]), Ok(false));
        assert_eq!(truth(&model, e.and([is_five, bad]), &[5, 0]), Err(Error::Undefined));
        assert_eq!(truth(&model, e.ite(is_five, is_five, bad), &[5, 0]), Ok(true));
    }

    #[test]
    fn products_beyond_64_bits_are_exact_and_beyond_128_an_error() {
        let model = row_of_two();
        let e = &model.exprs;
        let square = e.mul(e.var(VarId(0)), e.var(VarId(0)));
        assert_eq!(eval(&model, square, &[i64::MIN, 0]), Ok(1 << 126));
        assert_eq!(eval(&model, e.mul(square, square), &[i64::MIN, 0]), Err(Error::Overflow));
    }
}
