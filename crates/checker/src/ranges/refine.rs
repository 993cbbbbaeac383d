//! What a condition says of the values of variables, and what an expression says that lies within an interval.
//!
//! Each function leaves all executions that fit, and perhaps more. An evaluation without a value fits nothing.

use lapidary_ir::{Expr, Node, Sort};

use super::interval::Interval;
use super::known::{self, Known};
use super::linear::{Failure, Linear};
use super::scene::Scene;
use super::value::{cells, indexes, value};

/// Conjunctions are gone through again as long as that says more, but no more often.
const MOST_ROUNDS: usize = 4;

/// Only the executions in which the condition has this truth; false if there are none.
#[must_use]
pub fn assume(scene: &Scene<'_>, known: &mut Known<'_>, condition: Expr, truth: bool) -> bool {
    scene.node(true, || match scene.model.exprs.node(condition) {
        Node::Bool(value) => *value == truth,
        Node::Var(_) | Node::Cell(..) => restrict(scene, known, condition, Interval::truth(truth)),
        Node::Not(a) => assume(scene, known, *a, !truth),
        Node::And(parts) if truth => all(scene, known, parts, true),
        Node::Or(parts) if !truth => all(scene, known, parts, false),
        Node::And(parts) | Node::Or(parts) => some(scene, known, parts, truth),
        Node::Ite(choice, then, otherwise) => {
            let branch = |chosen: bool, part: Expr| {
                let mut known = known.clone();
                (assume(scene, &mut known, *choice, chosen) && assume(scene, &mut known, part, truth)).then_some(known)
            };
            replace(known, known::either(branch(true, *then), branch(false, *otherwise)))
        }
        Node::Eq(a, b) if scene.model.sort(*a) == Sort::Bool => {
            let branch = |of_a: bool| {
                let (mut known, of_b) = (known.clone(), of_a == truth);
                (assume(scene, &mut known, *a, of_a) && assume(scene, &mut known, *b, of_b)).then_some(known)
            };
            replace(known, known::either(branch(true), branch(false)))
        }
        Node::Eq(a, b) => equal(scene, known, *a, *b, truth),
        Node::Lt(a, b) if truth => below(scene, known, *a, *b, -1),
        Node::Lt(a, b) => below(scene, known, *b, *a, 0),
        Node::Le(a, b) if truth => below(scene, known, *a, *b, 0),
        Node::Le(a, b) => below(scene, known, *b, *a, -1),
        Node::Int(_) | Node::Literal(..) | Node::Bits(..) | Node::Value(..) | Node::Apply(..) => true,
        Node::Add(_) | Node::Neg(_) | Node::Mul(..) | Node::Div(..) | Node::Mod(..) => true,
    })
}

/// All of these conditions, whatever their order.
#[must_use]
pub fn all(scene: &Scene<'_>, known: &mut Known<'_>, parts: &[Expr], truth: bool) -> bool {
    for _ in 0..MOST_ROUNDS {
        let before = known.clone();
        if !parts.iter().all(|&part| assume(scene, known, part, truth)) {
            return false;
        }
        if parts.len() < 2 || *known == before {
            break;
        }
    }
    true
}

/// One of them has this truth, and those before it have the other one.
fn some(scene: &Scene<'_>, known: &mut Known<'_>, parts: &[Expr], truth: bool) -> bool {
    let (mut found, mut rest) = (None, known.clone());
    for &part in parts {
        let mut here = rest.clone();
        let here = assume(scene, &mut here, part, truth).then_some(here);
        found = known::either(found, here);
        if !assume(scene, &mut rest, part, !truth) {
            break;
        }
    }
    replace(known, found)
}

fn replace<'b>(known: &mut Known<'b>, by: Option<Known<'b>>) -> bool {
    match by {
        Some(by) => {
            *known = by;
            true
        }
        None => false,
    }
}

/// `a - b` is at most so much.
fn below(scene: &Scene<'_>, known: &mut Known<'_>, a: Expr, b: Expr, most: i128) -> bool {
    match Linear::difference(scene, known, a, b) {
        Ok(sum) => sum.restrict(scene, known, Interval::at_most(most)),
        Err(failure) => failure == Failure::TooLarge,
    }
}

fn equal(scene: &Scene<'_>, known: &mut Known<'_>, a: Expr, b: Expr, truth: bool) -> bool {
    match Linear::difference(scene, known, a, b) {
        // The first time says something of each side, the second time what follows of the other one.
        Ok(sum) if truth => (0..2).all(|_| sum.restrict(scene, known, Interval::point(0))),
        Ok(sum) => sum.is_not_zero(scene, known),
        Err(failure) => failure == Failure::TooLarge,
    }
}

/// Only the executions in which the expression has a value in the interval; false if there are none. The interval may be empty: then
/// its ends are in the wrong order.
#[must_use]
pub fn restrict(scene: &Scene<'_>, known: &mut Known<'_>, expr: Expr, to: Interval) -> bool {
    if to.lo > to.hi {
        return false;
    }
    scene.node(true, || match scene.model.exprs.node(expr) {
        Node::Bool(truth) => to.has(i128::from(*truth)),
        Node::Int(number) | Node::Bits(_, number) => to.has(i128::from(*number)),
        Node::Literal(_, position) => to.has(i128::from(*position)),
        Node::Var(var) => known.narrow(*var, to),
        Node::Cell(family, index) => {
            let Some(indexes) = indexes(scene, *family) else { return false };
            if !restrict(scene, known, *index, indexes) {
                return false;
            }
            let Some(cells) = cells(scene, known, *family, *index) else { return false };
            let mut fitting = cells.filter(|&cell| known.at(cell).meet(to).is_some());
            match (fitting.next(), fitting.next()) {
                (None, _) => false,
                (Some(only), None) => {
                    let first = scene.model.families[*family].first;
                    let position = Interval::point(i64::from(only.0 - first.0));
                    known.narrow(only, to) && restrict(scene, known, *index, position)
                }
                (Some(_), Some(_)) => true,
            }
        }
        Node::Ite(condition, then, otherwise) => {
            let branch = |truth: bool, part: Expr| {
                let mut known = known.clone();
                (assume(scene, &mut known, *condition, truth) && restrict(scene, &mut known, part, to)).then_some(known)
            };
            replace(known, known::either(branch(true, *then), branch(false, *otherwise)))
        }
        Node::Not(_) | Node::And(_) | Node::Or(_) | Node::Eq(..) | Node::Lt(..) | Node::Le(..) => {
            match (to.has(0), to.has(1)) {
                (true, true) => value(scene, known, expr).is_some(),
                (false, false) => false,
                (_, truth) => assume(scene, known, expr, truth),
            }
        }
        Node::Add(_) | Node::Neg(_) => sum(scene, known, expr, to),
        Node::Mul(a, b) => product(scene, known, expr, (*a, *b), to),
        Node::Div(a, b) => quotient(scene, known, (*a, *b), to),
        Node::Mod(a, b) => remainder(scene, known, (*a, *b), to),
        Node::Value(..) | Node::Apply(..) => true,
    })
}

fn sum(scene: &Scene<'_>, known: &mut Known<'_>, expr: Expr, to: Interval) -> bool {
    match Linear::of(scene, known, expr) {
        Ok(sum) => sum.restrict(scene, known, to),
        Err(failure) => failure == Failure::TooLarge,
    }
}

fn product(scene: &Scene<'_>, known: &mut Known<'_>, expr: Expr, (a, b): (Expr, Expr), to: Interval) -> bool {
    let (Some(one), Some(other)) = (value(scene, known, a), value(scene, known, b)) else { return false };
    if one.mul(other).meet(to).is_none() {
        return false;
    }
    match one.only().or(other.only()) {
        Some(_) => sum(scene, known, expr, to),
        None => restrict(scene, known, a, Interval::ALL) && restrict(scene, known, b, Interval::ALL),
    }
}

/// The divisor is not zero; both sides have values.
fn divided<'b>(scene: &Scene<'_>, known: &mut Known<'b>, (a, b): (Expr, Expr)) -> Option<(Interval, Interval)> {
    if !restrict(scene, known, a, Interval::ALL) {
        return None;
    }
    let by = value(scene, known, b)?.without(0)?;
    let is_there = restrict(scene, known, b, by);
    is_there.then_some((value(scene, known, a)?, by))
}

fn quotient(scene: &Scene<'_>, known: &mut Known<'_>, (a, b): (Expr, Expr), to: Interval) -> bool {
    let Some((dividend, by)) = divided(scene, known, (a, b)) else { return false };
    if dividend.div(by).and_then(|found| found.meet(to)).is_none() {
        return false;
    }
    match by.only() {
        // What is left over is never negative and less than the divisor's size.
        Some(by) => restrict(scene, known, a, to.times(by).add(Interval { lo: 0, hi: by.saturating_abs() - 1 })),
        None => true,
    }
}

fn remainder(scene: &Scene<'_>, known: &mut Known<'_>, (a, b): (Expr, Expr), to: Interval) -> bool {
    let Some((dividend, by)) = divided(scene, known, (a, b)) else { return false };
    let Some(met) = dividend.modulo(by).and_then(|found| found.meet(to)) else { return false };
    let (Some(size), (Some(lo), Some(hi))) = (by.only().and_then(i128::checked_abs), dividend.ends()) else {
        return true;
    };
    // Where all dividends have one quotient, a remainder says which of them it is.
    match lo.checked_sub(lo.rem_euclid(size)) {
        Some(multiple) if lo.div_euclid(size) == hi.div_euclid(size) => {
            restrict(scene, known, a, met.add(Interval::point(multiple)))
        }
        Some(_) | None => true,
    }
}
