//! A command's body as its executions: choices and branches are multiplied out into straight paths.

use crate::expr::Expr;
use crate::model::{Assignment, Statement};

/// What happens on a path, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaf<'a> {
    Assume(Expr),
    /// The expression must be false.
    Refute(Expr),
    Assign(&'a [Assignment]),
}

/// Bodies with more paths than this are not multiplied out.
pub const MAX_PATHS: usize = 1 << 12;

/// Nor are those whose paths are so long that together they have more parts than this.
const MAX_LEAVES: usize = 1 << 22;

/// All paths of a body in source order; `None` when there are more than [`MAX_PATHS`], when they are too long, or when
/// the body has loops or local variables.
pub fn paths(body: &Statement) -> Option<Vec<Vec<Leaf<'_>>>> {
    let mut all = vec![Vec::new()];
    extend(&mut all, body)?;
    Some(all)
}

/// Continues every path with every execution of `statement`.
fn extend<'a>(all: &mut Vec<Vec<Leaf<'a>>>, statement: &'a Statement) -> Option<()> {
    match statement {
        Statement::Skip => {}
        Statement::Assume(condition) => append(all, Leaf::Assume(*condition))?,
        Statement::Assign(assignments) => append(all, Leaf::Assign(assignments))?,
        Statement::Sequence(parts) => parts.iter().try_for_each(|part| extend(all, part))?,
        Statement::Choice(branches) => {
            let before = std::mem::take(all);
            for branch in branches {
                let mut taken = before.clone();
                extend(&mut taken, branch)?;
                join(all, taken)?;
            }
        }
        Statement::If(condition, then, otherwise) => {
            let mut refuted = all.clone();
            append(all, Leaf::Assume(*condition))?;
            extend(all, then)?;
            append(&mut refuted, Leaf::Refute(*condition))?;
            extend(&mut refuted, otherwise)?;
            join(all, refuted)?;
        }
        Statement::While(..) | Statement::Scope(..) => return None,
    }
    Some(())
}

fn append<'a>(all: &mut [Vec<Leaf<'a>>], leaf: Leaf<'a>) -> Option<()> {
    all.iter_mut().for_each(|path| path.push(leaf));
    // A single path is as long as the body.
    let longest = all.last().map_or(0, Vec::len);
    (all.len() == 1 || all.len() * longest <= MAX_LEAVES).then_some(())
}

fn join<'a>(all: &mut Vec<Vec<Leaf<'a>>>, more: Vec<Vec<Leaf<'a>>>) -> Option<()> {
    all.extend(more);
    (all.len() <= MAX_PATHS).then_some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_multiply_and_branches_carry_their_condition() {
        let choice = Statement::Choice(vec![Statement::Skip, Statement::Assume(Expr(1))]);
        let branch = Statement::If(Expr(2), Box::new(Statement::Assume(Expr(3))), Box::new(Statement::Skip));
        let body = Statement::Sequence(vec![choice, branch]);
        let expected = vec![
            vec![Leaf::Assume(Expr(2)), Leaf::Assume(Expr(3))],
            vec![Leaf::Assume(Expr(1)), Leaf::Assume(Expr(2)), Leaf::Assume(Expr(3))],
            vec![Leaf::Refute(Expr(2))],
            vec![Leaf::Assume(Expr(1)), Leaf::Refute(Expr(2))],
        ];
        assert_eq!(paths(&body), Some(expected));
    }

    #[test]
    fn an_explosion_of_paths_is_refused() {
        let coin = Statement::Choice(vec![Statement::Skip, Statement::Skip]);
        assert_eq!(paths(&Statement::Sequence(vec![coin; 13])), None);
    }
}
