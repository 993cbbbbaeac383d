//! What is known of variables at a point of an evaluation, from the conditions that led there.

use lapidary_base::hash::{Map, Set};
use lapidary_ir::{Expr, Exprs, Node};

use super::interval::Interval;

/// Intervals of variables and cells, with a way back to what was known before.
#[derive(Default)]
pub struct Facts {
    known: Map<Expr, Interval>,
    undo: Vec<(Expr, Option<Interval>)>,
}

/// A moment to go back to.
#[derive(Clone, Copy)]
pub struct Mark(usize);

impl Facts {
    pub fn mark(&self) -> Mark {
        Mark(self.undo.len())
    }

    /// Forgets what was learnt since.
    pub fn forget(&mut self, mark: Mark) {
        while self.undo.len() > mark.0 {
            let Some((expr, before)) = self.undo.pop() else { return };
            match before {
                Some(interval) => self.known.insert(expr, interval),
                None => self.known.remove(&expr),
            };
        }
    }

    pub fn narrow(&self, expr: Expr, interval: Interval) -> Interval {
        self.known.get(&expr).map_or(interval, |&known| interval.intersect(known))
    }

    /// Learns that a condition has this value. What it says twice is learnt once.
    pub fn learn(&mut self, exprs: &Exprs, condition: Expr, value: bool) {
        let (mut seen, mut open) = (Set::default(), vec![(condition, value)]);
        while let Some((condition, value)) = open.pop() {
            match (exprs.node(condition), value) {
                (Node::Not(inner), _) => open.push((*inner, !value)),
                (Node::And(parts), true) | (Node::Or(parts), false) if seen.insert((condition, value)) => {
                    open.extend(parts.iter().rev().map(|&part| (part, value)));
                }
                (Node::Lt(a, b), true) | (Node::Le(b, a), false) => self.learn_order(exprs, *a, *b, 1),
                (Node::Le(a, b), true) | (Node::Lt(b, a), false) => self.learn_order(exprs, *a, *b, 0),
                (Node::Eq(a, b), true) => {
                    self.learn_order(exprs, *a, *b, 0);
                    self.learn_order(exprs, *b, *a, 0);
                }
                _ => {}
            }
        }
    }

    /// Learns that `a + gap <= b`, where one side is a number.
    fn learn_order(&mut self, exprs: &Exprs, a: Expr, b: Expr, gap: i128) {
        if let (Some((variable, offset)), Some(bound)) = (variable(exprs, a), exprs.as_int(b)) {
            self.add(variable, Interval::at_most(i128::from(bound) - gap - offset));
        }
        if let (Some(bound), Some((variable, offset))) = (exprs.as_int(a), variable(exprs, b)) {
            self.add(variable, Interval::at_least(i128::from(bound) + gap - offset));
        }
    }

    fn add(&mut self, variable: Expr, interval: Interval) {
        let before = self.known.get(&variable).copied();
        let after = before.map_or(interval, |before| before.intersect(interval));
        self.known.insert(variable, after);
        self.undo.push((variable, before));
    }
}

/// A variable or cell, perhaps plus a number.
fn variable(exprs: &Exprs, expr: Expr) -> Option<(Expr, i128)> {
    match exprs.node(expr) {
        Node::Var(_) | Node::Cell(..) => Some((expr, 0)),
        Node::Add(parts) => match parts[..] {
            [inner, offset] => {
                let (variable, inner_offset) = variable(exprs, inner)?;
                Some((variable, inner_offset + i128::from(exprs.as_int(offset)?)))
            }
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use lapidary_ir::VarId;

    use super::*;

    #[test]
    fn conditions_narrow_and_are_forgotten() {
        let e = Exprs::new();
        let x = e.var(VarId(0));
        let mut facts = Facts::default();
        let mark = facts.mark();
        let condition = e.and([e.lt(e.add([x, e.int(1)]), e.int(5)), e.not(e.lt(x, e.int(1)))]);
        facts.learn(&e, condition, true);
        assert_eq!(facts.narrow(x, Interval::new(0, 9)), Interval::new(1, 3));
        facts.learn(&e, e.eq(x, e.int(2)), true);
        assert_eq!(facts.narrow(x, Interval::new(0, 9)), Interval::new(2, 2));
        facts.forget(mark);
        assert_eq!(facts.narrow(x, Interval::new(0, 9)), Interval::new(0, 9));
    }
}
