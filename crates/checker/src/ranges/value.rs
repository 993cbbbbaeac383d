//! Between which numbers an expression lies in the states that are known so far.

use lapidary_base::Id;
use lapidary_ir::{Expr, FamilyId, Function, Node, VarId};

use super::interval::{self, Interval};
use super::known::Known;
use super::linear::{self, Linear};
use super::refine::assume;
use super::scene::Scene;

/// None if it has no value in any of these states. False is 0, true is 1, a literal is its position; of arrays nothing is known.
pub fn value(scene: &Scene<'_>, known: &Known<'_>, expr: Expr) -> Option<Interval> {
    scene.node(Some(Interval::ALL), || match scene.model.exprs.node(expr) {
        Node::Bool(value) => Some(Interval::truth(*value)),
        Node::Int(value) | Node::Bits(_, value) => Some(Interval::point(*value)),
        Node::Literal(_, position) => Some(Interval::point(*position)),
        Node::Value(..) => Some(Interval::ALL),
        Node::Var(var) => Some(known.at(*var)),
        Node::Cell(family, index) => {
            let cells = cells(scene, known, *family, *index)?;
            cells.map(|cell| Some(known.at(cell))).fold(None, interval::either)
        }
        Node::Ite(condition, then, otherwise) => {
            let branch = |truth: bool, part: Expr| {
                let mut known = known.clone();
                if assume(scene, &mut known, *condition, truth) { value(scene, &known, part) } else { None }
            };
            interval::either(branch(true, *then), branch(false, *otherwise))
        }
        Node::Not(_) | Node::And(_) | Node::Or(_) | Node::Eq(..) | Node::Lt(..) | Node::Le(..) => {
            let possible =
                |truth: bool| assume(scene, &mut known.clone(), expr, truth).then_some(Interval::truth(truth));
            interval::either(possible(true), possible(false))
        }
        Node::Add(_) | Node::Neg(_) => sum(scene, known, expr),
        Node::Mul(a, b) => {
            let (one, other) = (value(scene, known, *a)?, value(scene, known, *b)?);
            let product = one.mul(other);
            match one.only().or(other.only()) {
                // A multiple of a sum in which parts cancel each other out.
                Some(_) => product.meet(sum(scene, known, expr)?),
                // No square is negative.
                None if a == b => product.meet(Interval::at_least(0)),
                None => Some(product),
            }
        }
        Node::Div(a, b) => value(scene, known, *a)?.div(value(scene, known, *b)?),
        Node::Mod(a, b) => value(scene, known, *a)?.modulo(value(scene, known, *b)?),
        Node::Apply(function, _) => Some(given_by(*function)),
    })
}

fn given_by(function: Function) -> Interval {
    match function {
        Function::Ult | Function::Ule | Function::Slt | Function::Sle => Interval { lo: 0, hi: 1 },
        Function::BitNot | Function::BitNeg | Function::BitAnd | Function::BitOr | Function::BitXor => Interval::ALL,
        Function::BitAdd | Function::BitMul | Function::BitUdiv | Function::BitUrem => Interval::ALL,
        Function::BitShl | Function::BitLshr | Function::BitAshr | Function::Concat(_) => Interval::ALL,
        Function::Extract { .. } | Function::ZeroExtend(_) | Function::SignExtend(_) => Interval::ALL,
        Function::Select(_) | Function::Store(_) | Function::Fill(_) => Interval::ALL,
    }
}

fn sum(scene: &Scene<'_>, known: &Known<'_>, expr: Expr) -> Option<Interval> {
    match Linear::of(scene, known, expr) {
        Ok(sum) => sum.value(scene, known),
        Err(linear::Failure::NoValue) => None,
        Err(linear::Failure::TooLarge) => Some(Interval::ALL),
    }
}

/// The cells that an index may pick; none if it is outside in all states.
pub fn cells(
    scene: &Scene<'_>,
    known: &Known<'_>,
    family: FamilyId,
    index: Expr,
) -> Option<impl Iterator<Item = VarId> + Clone + use<>> {
    let index = value(scene, known, index)?.meet(indexes(scene, family)?)?;
    let (lo, hi) = (usize::try_from(index.lo).ok()?, usize::try_from(index.hi).ok()?);
    scene.spend(hi - lo);
    let first = scene.model.families[family].first.index();
    Some((lo..=hi).map(move |i| VarId::new(first + i)))
}

/// None of a family without cells.
pub fn indexes(scene: &Scene<'_>, family: FamilyId) -> Option<Interval> {
    Interval::between(0, i128::from(scene.model.families[family].len) - 1)
}
