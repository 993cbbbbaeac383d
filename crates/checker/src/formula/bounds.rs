//! Which conditions are plainly true or plainly false, by the domains of the symbols alone: how far loops are written out.

use lapidary_base::hash::Map;
use lapidary_ir::passes::bottom_up;
use lapidary_ir::value::WORD_BITS;
use lapidary_ir::{Expr, Function, Node};
use lapidary_smt::Terms;

/// The least and the greatest number that a term may have, none where nothing is known; false is 0 and true 1.
type Interval = Option<(i128, i128)>;

const FALSE: Interval = Some((0, 0));
const TRUE: Interval = Some((1, 1));
const EITHER: Interval = Some((0, 1));

/// What is known of terms whose symbols are within their domains.
#[derive(Default)]
pub struct Bounds {
    known: Map<Expr, Interval>,
}

impl Bounds {
    /// The only truth value that a condition can have, if there is one.
    pub fn truth(&mut self, terms: &Terms<'_>, condition: Expr) -> Option<bool> {
        bottom_up(terms.exprs(), condition, &mut self.known, |term, known| interval(terms, term, known));
        match self.known[&condition] {
            FALSE => Some(false),
            TRUE => Some(true),
            _ => None,
        }
    }
}

fn interval(terms: &Terms<'_>, term: Expr, known: &Map<Expr, Interval>) -> Interval {
    let of = |part: &Expr| known[part];
    let exactly = |value: i128| Some((value, value));
    match terms.exprs().node(term) {
        Node::Bool(value) => exactly(i128::from(*value)),
        Node::Int(value) => exactly(i128::from(*value)),
        Node::Literal(_, number) => exactly(i128::from(*number)),
        Node::Var(var) => {
            let (lo, hi) = terms.model().bounds(terms.domain(*var))?;
            Some((i128::from(lo), i128::from(hi)))
        }
        Node::Bits(width, value) if *width <= WORD_BITS => exactly(i128::from(*value)),
        Node::Apply(Function::Ult | Function::Ule | Function::Slt | Function::Sle, _) => EITHER,
        Node::Cell(..) | Node::Bits(..) | Node::Value(..) | Node::Apply(..) => None,
        Node::Not(a) => of(a).map(|(lo, hi)| (1 - hi, 1 - lo)),
        Node::And(parts) => junction(parts.iter().map(of), FALSE),
        Node::Or(parts) => junction(parts.iter().map(of), TRUE),
        Node::Ite(condition, then, otherwise) => match of(condition) {
            TRUE => of(then),
            FALSE => of(otherwise),
            _ => hull(of(then), of(otherwise)),
        },
        Node::Eq(a, b) => compare(of(a), of(b), |(a, b), (c, d)| match (a, b) == (c, d) && a == b {
            true => TRUE,
            false if b < c || d < a => FALSE,
            false => EITHER,
        }),
        Node::Lt(a, b) => compare(of(a), of(b), less),
        Node::Le(a, b) => compare(of(a), of(b), |a, b| less(b, a).map(|(lo, hi)| (1 - hi, 1 - lo))),
        Node::Add(parts) => parts.iter().map(of).try_fold((0i128, 0i128), |(lo, hi), part| {
            let (a, b) = part?;
            Some((lo.checked_add(a)?, hi.checked_add(b)?))
        }),
        Node::Neg(a) => of(a).and_then(|(lo, hi)| Some((hi.checked_neg()?, lo.checked_neg()?))),
        Node::Mul(a, b) => {
            let ((a, b), (c, d)) = (of(a)?, of(b)?);
            let corners = [a.checked_mul(c)?, a.checked_mul(d)?, b.checked_mul(c)?, b.checked_mul(d)?];
            Some((corners.into_iter().min()?, corners.into_iter().max()?))
        }
        Node::Div(a, b) => match (of(a)?, of(b)?) {
            ((lo, hi), (by, same)) if by == same && by > 0 => Some((lo.div_euclid(by), hi.div_euclid(by))),
            _ => None,
        },
        Node::Mod(a, b) => match (of(a), of(b)?) {
            (Some((lo, hi)), (by, same)) if by == same && 0 <= lo && hi < by => Some((lo, hi)),
            (_, (by, greatest)) if by > 0 => Some((0, greatest - 1)),
            _ => None,
        },
    }
}

/// Some part is absorbing, or all are the other.
fn junction(parts: impl Iterator<Item = Interval>, absorbing: Interval) -> Interval {
    let mut all = if absorbing == FALSE { TRUE } else { FALSE };
    for part in parts {
        if part == absorbing {
            return absorbing;
        }
        if part != all {
            all = EITHER;
        }
    }
    all
}

fn hull(a: Interval, b: Interval) -> Interval {
    let ((a, b), (c, d)) = (a?, b?);
    Some((a.min(c), b.max(d)))
}

/// A comparison has a truth value, whatever is known of its sides.
fn compare(a: Interval, b: Interval, judge: impl Fn((i128, i128), (i128, i128)) -> Interval) -> Interval {
    match (a, b) {
        (Some(a), Some(b)) => judge(a, b),
        (None, _) | (_, None) => EITHER,
    }
}

fn less((a, b): (i128, i128), (c, d): (i128, i128)) -> Interval {
    match (b < c, d <= a) {
        (true, _) => TRUE,
        (_, true) => FALSE,
        (false, false) => EITHER,
    }
}

#[cfg(test)]
mod tests {
    use lapidary_reference::bodies::{self, Locals};
    use lapidary_reference::dice::Dice;
    use lapidary_reference::expressions::Values;
    use lapidary_reference::seeds;

    use super::*;
    use crate::eval;

    #[test]
    fn what_is_plainly_so_is_so_in_every_state() {
        let mut n_plain = [0, 0];
        for seed in seeds::of(0..2_000) {
            let mut dice = Dice::new(40_000 + seed);
            let model = bodies::variables(Locals::None);
            let condition = bodies::truth(&model, &mut dice, 3, Values::Perhaps);
            let terms = Terms::within(&model);
            let Some(truth) = Bounds::default().truth(&terms, condition) else { continue };
            n_plain[usize::from(truth)] += 1;
            for state in bodies::states(&model).iter().step_by(7) {
                let found = eval::truth(&model, condition, state);
                assert!(found == Ok(truth) || found == Err(eval::Error::Undefined), "seed {seed}: {found:?}");
            }
        }
        assert!(n_plain.iter().all(|&n| n > seeds::least(20)), "both are found: {n_plain:?}");
    }
}
