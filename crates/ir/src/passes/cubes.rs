//! A formula about the places of a net as a union of cubes: each place within a range of its own.

use lapidary_base::Id;

use crate::expr::{Expr, Exprs, Node};
use crate::net::{PlaceId, Range, Tokens};

/// All markings with every one of these places within its range: ascending, each place at most once.
pub type Cube = Vec<(PlaceId, Range)>;

/// A formula with more cubes is not taken apart.
pub const MAX_CUBES: usize = 100_000;

/// Together the cubes have exactly the markings that satisfy the formula, whose variables are places and never
/// negative. The reason if the formula cannot be written in this way.
pub fn cubes(exprs: &Exprs, formula: Expr) -> Result<Vec<Cube>, String> {
    truth(exprs, formula, true)
}

/// The markings in which the formula has this value.
fn truth(exprs: &Exprs, formula: Expr, value: bool) -> Result<Vec<Cube>, String> {
    match exprs.node(formula) {
        Node::Bool(constant) => Ok(if *constant == value { vec![Vec::new()] } else { Vec::new() }),
        Node::Not(inner) => truth(exprs, *inner, !value),
        Node::And(parts) if value => all(exprs, parts, value),
        Node::Or(parts) if !value => all(exprs, parts, value),
        Node::And(parts) | Node::Or(parts) => any(exprs, parts, value),
        Node::Ite(condition, then, otherwise) => {
            let yes = meet(&truth(exprs, *condition, true)?, &truth(exprs, *then, value)?)?;
            let no = meet(&truth(exprs, *condition, false)?, &truth(exprs, *otherwise, value)?)?;
            few([yes, no].concat())
        }
        Node::Le(a, b) => compare(exprs, *a, *b, if value { Relation::AtMost } else { Relation::MoreThan }),
        Node::Lt(a, b) => compare(exprs, *b, *a, if value { Relation::MoreThan } else { Relation::AtMost }),
        Node::Eq(a, b) if value => {
            let at_most = compare(exprs, *a, *b, Relation::AtMost)?;
            meet(&at_most, &compare(exprs, *b, *a, Relation::AtMost)?)
        }
        Node::Eq(a, b) => {
            let more = compare(exprs, *a, *b, Relation::MoreThan)?;
            few([more, compare(exprs, *b, *a, Relation::MoreThan)?].concat())
        }
        Node::Int(_) | Node::Literal(..) | Node::Var(_) | Node::Cell(..) | Node::Add(_) | Node::Neg(_) => odd(),
        Node::Mul(..) | Node::Div(..) | Node::Mod(..) => odd(),
        Node::Bits(..) | Node::Value(..) | Node::Apply(..) => odd(),
    }
}

fn odd<T>() -> Result<T, String> {
    Err("it is not a comparison of sums of places with numbers".to_owned())
}

fn few(cubes: Vec<Cube>) -> Result<Vec<Cube>, String> {
    if cubes.len() > MAX_CUBES {
        return Err(format!("it has more than {MAX_CUBES} cases"));
    }
    Ok(cubes)
}

fn all(exprs: &Exprs, parts: &[Expr], value: bool) -> Result<Vec<Cube>, String> {
    parts.iter().try_fold(vec![Vec::new()], |met, &part| meet(&met, &truth(exprs, part, value)?))
}

fn any(exprs: &Exprs, parts: &[Expr], value: bool) -> Result<Vec<Cube>, String> {
    let mut joined = Vec::new();
    for &part in parts {
        joined.append(&mut truth(exprs, part, value)?);
        joined = few(joined)?;
    }
    Ok(joined)
}

fn meet(these: &[Cube], those: &[Cube]) -> Result<Vec<Cube>, String> {
    let mut met = Vec::new();
    for this in these {
        met.extend(those.iter().filter_map(|that| both(this, that)));
        met = few(met)?;
    }
    Ok(met)
}

/// The markings in both, if there are any.
fn both(this: &Cube, that: &Cube) -> Option<Cube> {
    let mut met = this.clone();
    for &(place, range) in that {
        match met.binary_search_by_key(&place, |entry| entry.0) {
            Ok(at) => {
                let Range { lo, hi } = met[at].1;
                let hi = [hi, range.hi].into_iter().flatten().min();
                met[at].1 = Range { lo: lo.max(range.lo), hi };
            }
            Err(at) => met.insert(at, (place, range)),
        }
    }
    met.iter().all(|(_, range)| range.hi.is_none_or(|hi| range.lo <= hi)).then_some(met)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Relation {
    AtMost,
    MoreThan,
}

/// `a <= b` or `a > b`.
fn compare(exprs: &Exprs, a: Expr, b: Expr, relation: Relation) -> Result<Vec<Cube>, String> {
    let mut sum = Sum { weights: Vec::new(), constant: 0 };
    sum.add(exprs, a, 1)?;
    sum.add(exprs, b, -1)?;
    sum.weights.retain(|&(_, weight)| weight != 0);
    // The sum is at most zero, or more than zero: `weights . m <= -constant`, or `>= 1 - constant`.
    let is_rising = sum.weights.iter().all(|&(_, weight)| weight > 0);
    let is_falling = sum.weights.iter().all(|&(_, weight)| weight < 0);
    let weights: Vec<(PlaceId, i128)> = sum.weights.iter().map(|&(place, weight)| (place, weight.abs())).collect();
    match relation {
        _ if !is_rising && !is_falling => Err("it compares places with each other".to_owned()),
        Relation::AtMost if is_rising => below(&weights, -sum.constant),
        Relation::MoreThan if is_rising => above(&weights, 1 - sum.constant),
        Relation::AtMost => above(&weights, sum.constant),
        Relation::MoreThan => below(&weights, sum.constant - 1),
    }
}

struct Sum {
    /// Ascending by place.
    weights: Vec<(PlaceId, i128)>,
    constant: i128,
}

impl Sum {
    fn add(&mut self, exprs: &Exprs, expr: Expr, times: i128) -> Result<(), String> {
        match exprs.node(expr) {
            Node::Int(value) => self.constant += i128::from(*value) * times,
            Node::Var(var) => {
                let place = PlaceId::new(var.index());
                match self.weights.binary_search_by_key(&place, |entry| entry.0) {
                    Ok(at) => self.weights[at].1 += times,
                    Err(at) => self.weights.insert(at, (place, times)),
                }
            }
            Node::Add(parts) => parts.iter().try_for_each(|&part| self.add(exprs, part, times))?,
            Node::Neg(inner) => self.add(exprs, *inner, -times)?,
            Node::Mul(a, b) => match (exprs.as_int(*a), exprs.as_int(*b)) {
                (Some(factor), _) => self.add(exprs, *b, scaled(times, factor)?)?,
                (_, Some(factor)) => self.add(exprs, *a, scaled(times, factor)?)?,
                (None, None) => return odd(),
            },
            _ => return odd(),
        }
        Ok(())
    }
}

fn scaled(times: i128, factor: i64) -> Result<i128, String> {
    times
        .checked_mul(i128::from(factor))
        .filter(|product| product.abs() < 1 << 100)
        .ok_or("a number is too large".into())
}

/// `weights . m >= bound` as its minimal markings.
fn above(weights: &[(PlaceId, i128)], bound: i128) -> Result<Vec<Cube>, String> {
    let mut found = Vec::new();
    spread(weights, bound, &mut Vec::new(), &mut found, &|place, tokens| (place, Range::at_least(tokens)))?;
    Ok(found)
}

/// `weights . m <= bound` as its maximal markings.
fn below(weights: &[(PlaceId, i128)], bound: i128) -> Result<Vec<Cube>, String> {
    if bound < 0 {
        return Ok(Vec::new());
    }
    let Some((&(place, weight), rest)) = weights.split_first() else { return Ok(vec![Vec::new()]) };
    let mut found = Vec::new();
    let most = tokens(bound / weight)?;
    // With one place alone, only the greatest number matters.
    let least = if rest.is_empty() { most } else { 0 };
    for count in least..=most {
        for mut cube in below(rest, bound - weight * i128::from(count))? {
            cube.insert(0, (place, Range { lo: 0, hi: Some(count) }));
            found.push(cube);
            found = few(found)?;
        }
    }
    Ok(found)
}

/// All ways to reach the bound in which no token can be left out of the last place.
fn spread(
    weights: &[(PlaceId, i128)],
    bound: i128,
    cube: &mut Cube,
    found: &mut Vec<Cube>,
    entry: &dyn Fn(PlaceId, Tokens) -> (PlaceId, Range),
) -> Result<(), String> {
    if bound <= 0 {
        found.push(cube.clone());
        return if found.len() > MAX_CUBES { few(std::mem::take(found)).map(|_| ()) } else { Ok(()) };
    }
    let Some((&(place, weight), rest)) = weights.split_first() else { return Ok(()) };
    let most = tokens((bound + weight - 1) / weight)?;
    let least = if rest.is_empty() { most } else { 0 };
    for count in least..=most {
        let n = cube.len();
        cube.extend((count > 0).then(|| entry(place, count)));
        spread(rest, bound - weight * i128::from(count), cube, found, entry)?;
        cube.truncate(n);
    }
    Ok(())
}

fn tokens(number: i128) -> Result<Tokens, String> {
    Tokens::try_from(number).ok().filter(|&tokens| tokens <= i64::MAX as Tokens).ok_or("a number is too large".into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::VarId;

    /// Every formula is compared with its cubes on all markings of three places with up to five tokens.
    #[test]
    fn cubes_have_exactly_the_markings_of_the_formula() {
        let e = Exprs::new();
        let [x, y, z] = [0, 1, 2].map(|i| e.var(VarId(i)));
        let two = e.int(2);
        let formulas = [
            e.le(two, x),
            e.not(e.le(two, x)),
            e.eq(e.add([x, y]), two),
            e.not(e.eq(x, two)),
            e.le(e.add([x, y, z]), e.int(3)),
            e.lt(two, e.add([x, e.mul(two, y)])),
            e.and([e.le(two, x), e.or([e.eq(y, e.int(0)), e.le(z, e.int(1))])]),
            e.ite(e.le(x, two), e.le(y, two), e.lt(z, two)),
            e.le(e.int(7), e.add([e.mul(e.int(3), x), e.mul(two, y)])),
            e.lt(e.neg(x), e.int(-2)),
            e.bool(true),
            e.bool(false),
            e.le(e.add([e.mul(two, x), y]), e.add([x, e.int(2)])),
        ];
        for formula in formulas {
            let cubes = cubes(&e, formula).expect("comparisons with numbers");
            for m in (0..216u64).map(|i| [i % 6, i / 6 % 6, i / 36]) {
                let inside = |cube: &Cube| cube.iter().all(|&(place, range)| range.contains(m[place.index()]));
                assert_eq!(cubes.iter().any(inside), holds(&e, formula, &m), "{m:?} in {cubes:?}");
            }
        }
    }

    fn holds(e: &Exprs, formula: Expr, m: &[u64; 3]) -> bool {
        match e.node(formula) {
            Node::Bool(value) => *value,
            Node::Not(inner) => !holds(e, *inner, m),
            Node::And(parts) => parts.iter().all(|&part| holds(e, part, m)),
            Node::Or(parts) => parts.iter().any(|&part| holds(e, part, m)),
            Node::Ite(c, a, b) => holds(e, if holds(e, *c, m) { *a } else { *b }, m),
            Node::Eq(a, b) => number(e, *a, m) == number(e, *b, m),
            Node::Lt(a, b) => number(e, *a, m) < number(e, *b, m),
            Node::Le(a, b) => number(e, *a, m) <= number(e, *b, m),
            other => unreachable!("{other:?} is no formula"),
        }
    }

    fn number(e: &Exprs, expr: Expr, m: &[u64; 3]) -> i64 {
        match e.node(expr) {
            Node::Int(value) => *value,
            Node::Var(var) => m[var.index()] as i64,
            Node::Add(parts) => parts.iter().map(|&part| number(e, part, m)).sum(),
            Node::Neg(inner) => -number(e, *inner, m),
            Node::Mul(a, b) => number(e, *a, m) * number(e, *b, m),
            other => unreachable!("{other:?} is no number"),
        }
    }

    #[test]
    fn places_are_not_compared_with_each_other() {
        let e = Exprs::new();
        let (x, y) = (e.var(VarId(0)), e.var(VarId(1)));
        assert!(cubes(&e, e.le(x, y)).is_err());
        assert!(cubes(&e, e.eq(e.mul(x, y), e.int(1))).is_err());
        assert!(cubes(&e, e.le(e.int(1 << 62), e.add([x, y]))).is_err());
    }
}
