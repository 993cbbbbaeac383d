//! A plain interpreter of expressions: the meaning that everything else in this crate is measured against.
//!
//! Numbers are 128 bits wide, so that 64-bit states leave room; a result beyond even that is an error of its own and
//! never a value.

use lapidary_base::Id;
use lapidary_base::hash::Map;
use lapidary_ir::model::Raw;
use lapidary_ir::passes::bottom_up;
use lapidary_ir::{Declarations, Domain, Expr, Node, VarId};

use crate::apply::{self, Number};

/// Why an expression gives no number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error {
    /// It has no value: `div` or `mod` by zero, or a cell index out of bounds.
    Undefined,
    /// It has a value, but not one that the checker can compute with.
    Overflow,
}

/// So many nodes are evaluated as a tree; an expression that needs more is likely to share its parts.
const MOST_STEPS: u32 = 4096;
const DEEPEST: u32 = 128;

/// Why an evaluation as a tree ends without a number.
enum Halt {
    Error(Error),
    /// It takes too many steps.
    Unfinished,
}

impl From<Error> for Halt {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

/// The number of an expression in a state: false is 0, true is 1, a literal is its position, a bit-vector or an array is as states
/// have it.
pub fn eval(model: &Declarations, expr: Expr, state: &[Raw]) -> Result<i128, Error> {
    eval_counted(model, expr, state, &mut 0)
}

/// The same, and how many nodes were evaluated.
pub fn eval_counted(model: &Declarations, expr: Expr, state: &[Raw], n_nodes: &mut u64) -> Result<i128, Error> {
    let mut n_steps = 0;
    let found = tree(model, expr, state, &mut n_steps, DEEPEST);
    *n_nodes += u64::from(n_steps);
    match found {
        Ok(number) => Ok(number.value),
        Err(Halt::Error(error)) => Err(error),
        Err(Halt::Unfinished) => graph(model, expr, state, n_nodes).map(|number| number.value),
    }
}

fn tree(model: &Declarations, expr: Expr, state: &[Raw], n_steps: &mut u32, depth: u32) -> Result<Number, Halt> {
    if *n_steps >= MOST_STEPS || depth == 0 {
        return Err(Halt::Unfinished);
    }
    *n_steps += 1;
    let found = node(model, expr, state, &mut |part| tree(model, part, state, n_steps, depth - 1))?;
    *n_steps += extra(found);
    Ok(found)
}

/// How many nodes' work it is beside that of a node to multiply or divide numbers that are so wide.
fn extra(number: Number) -> u32 {
    let n_words = number.width / u64::BITS;
    n_words * n_words / 256
}

/// Every part once. Those that the meaning of the whole does not need may have no number, and then nobody asks.
fn graph(model: &Declarations, root: Expr, state: &[Raw], n_nodes: &mut u64) -> Result<Number, Error> {
    let mut numbers: Map<Expr, Result<Number, Error>> = Map::default();
    bottom_up(&model.exprs, root, &mut numbers, |expr, numbers| {
        node(model, expr, state, &mut |part| Ok(numbers[&part]?)).map_err(|halt| match halt {
            Halt::Error(error) => error,
            Halt::Unfinished => unreachable!("parts that are found take no steps"),
        })
    });
    *n_nodes += numbers.len() as u64;
    *n_nodes += numbers.values().flatten().map(|&number| u64::from(extra(number))).sum::<u64>();
    numbers[&root]
}

fn node(
    model: &Declarations,
    expr: Expr,
    state: &[Raw],
    number: &mut dyn FnMut(Expr) -> Result<Number, Halt>,
) -> Result<Number, Halt> {
    let integer = |number: &mut dyn FnMut(Expr) -> Result<Number, Halt>| {
        let value = plain(model, expr, &mut |part| number(part).map(|number| number.value));
        value.map(Number::plain)
    };
    Ok(match model.exprs.node(expr) {
        Node::Var(var) => Number::of(state[var.index()], width(model, *var)),
        Node::Cell(family, index) => {
            let family = &model.families[*family];
            let index =
                u32::try_from(number(*index)?.value).ok().filter(|&i| i < family.len).ok_or(Error::Undefined)?;
            Number::of(state[family.var(index).index()], width(model, family.first))
        }
        Node::Ite(condition, then, otherwise) => {
            let chosen = if number(*condition)?.value != 0 { then } else { otherwise };
            number(*chosen)?
        }
        Node::Bits(width, value) => Number::of(*value, *width),
        Node::Value(_, value) => Number::of(*value, 0),
        Node::Apply(function, parts) => {
            let mut numbers = [Number::plain(0); MOST_PARTS];
            for (at, &part) in numbers.iter_mut().zip(parts) {
                *at = number(part)?;
            }
            apply::apply(model, *function, &numbers[..parts.len()])?
        }
        Node::Bool(_) | Node::Int(_) | Node::Literal(..) | Node::Not(_) | Node::And(_) | Node::Or(_) => {
            integer(number)?
        }
        Node::Eq(..) | Node::Lt(..) | Node::Le(..) => integer(number)?,
        Node::Add(_) | Node::Neg(_) | Node::Mul(..) | Node::Div(..) | Node::Mod(..) => integer(number)?,
    })
}

/// No function takes more.
const MOST_PARTS: usize = 3;

fn width(model: &Declarations, var: VarId) -> u32 {
    model.vars.get(var).map_or(0, |var| apply::width(var.domain.sort()))
}

/// Of a node that is read as a truth value or an integer, and whose parts are.
fn plain(model: &Declarations, expr: Expr, number: &mut dyn FnMut(Expr) -> Result<i128, Halt>) -> Result<i128, Halt> {
    Ok(match model.exprs.node(expr) {
        Node::Bool(value) => i128::from(*value),
        Node::Int(value) => i128::from(*value),
        Node::Literal(_, position) => i128::from(*position),
        Node::Not(a) => i128::from(number(*a)? == 0),
        Node::And(parts) => junction(parts, false, number)?,
        Node::Or(parts) => junction(parts, true, number)?,
        Node::Eq(a, b) => i128::from(number(*a)? == number(*b)?),
        Node::Lt(a, b) => i128::from(number(*a)? < number(*b)?),
        Node::Le(a, b) => i128::from(number(*a)? <= number(*b)?),
        Node::Add(parts) => {
            let mut sum = 0i128;
            for &part in parts {
                sum = sum.checked_add(number(part)?).ok_or(Error::Overflow)?;
            }
            sum
        }
        Node::Neg(a) => number(*a)?.checked_neg().ok_or(Error::Overflow)?,
        Node::Mul(a, b) => number(*a)?.checked_mul(number(*b)?).ok_or(Error::Overflow)?,
        Node::Div(a, b) => quotient(number(*a)?, number(*b)?, i128::checked_div_euclid)?,
        Node::Mod(a, b) => quotient(number(*a)?, number(*b)?, i128::checked_rem_euclid)?,
        Node::Var(_) | Node::Cell(..) | Node::Ite(..) | Node::Bits(..) | Node::Value(..) | Node::Apply(..) => {
            unreachable!("these may be of any sort")
        }
    })
}

/// The truth of a Boolean expression in a state.
pub fn truth(model: &Declarations, expr: Expr, state: &[Raw]) -> Result<bool, Error> {
    Ok(eval(model, expr, state)? != 0)
}

/// The least and the greatest number that a variable may have; 64 bits for the unbounded ones, and for those whose values are no
/// numbers.
pub fn bounds(model: &Declarations, domain: Domain) -> (Raw, Raw) {
    model.bounds(domain).unwrap_or((Raw::MIN, Raw::MAX))
}

/// Is the number one of the variable's values?
pub fn in_domain(model: &Declarations, var: VarId, value: Raw) -> bool {
    let domain = model.vars[var].domain;
    let (lo, hi) = bounds(model, domain);
    lo <= value && value <= hi && apply::is_value(model, domain, value)
}

/// Left to right, and no further than the first part whose truth is the `absorbing` one.
fn junction(parts: &[Expr], absorbing: bool, number: &mut dyn FnMut(Expr) -> Result<i128, Halt>) -> Result<i128, Halt> {
    for &part in parts {
        if (number(part)? != 0) == absorbing {
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

    fn row_of_two() -> Declarations {
        let families = IdVec::from(vec![Family { name: "a[_]".to_owned(), first: VarId(0), len: 2 }]);
        Declarations { exprs: Exprs::new(), families, ..Declarations::default() }
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

    #[test]
    fn shared_and_deep_expressions_are_evaluated_once_for_each_part() {
        let model = row_of_two();
        let e = &model.exprs;
        let (x, y) = (e.var(VarId(0)), e.var(VarId(1)));
        let twice = |part: Expr| e.modulo(e.add([part, part, y]), e.int(1000));
        let shared = (0..60).fold(x, |part, _| twice(part));
        let expected = (0..60).fold(5, |x, _| (2 * x + 7) % 1000);
        assert_eq!(eval(&model, shared, &[5, 7]), Ok(expected));
        // Where a part without a value is not needed, it does not matter.
        let bad = e.eq(e.div(shared, e.sub(y, y)), e.int(1));
        assert_eq!(eval(&model, e.or([e.eq(y, e.int(7)), bad]), &[5, 7]), Ok(1));
        assert_eq!(eval(&model, e.or([e.eq(shared, e.int(-1)), bad]), &[5, 7]), Err(Error::Undefined));
        let deep = (0..20_000).fold(x, |part, _| e.modulo(e.add([part, e.int(1)]), e.int(10)));
        assert_eq!(eval(&model, deep, &[5, 7]), Ok(5));
    }
}
