//! What can be said of a body without following its executions: how many ways lead through it, and what it may write.

use std::collections::BTreeSet;

use crate::model::{Assignment, Destination, Model, Statement, VarId};

/// How many paths [`paths`](super::paths) would list, however many there are; the greatest number where that does not fit,
/// and where there is a loop.
pub fn ways(body: &Statement) -> u64 {
    match body {
        Statement::Skip | Statement::Assume(_) | Statement::Assign(_) => 1,
        Statement::Sequence(parts) => parts.iter().map(ways).fold(1, u64::saturating_mul),
        Statement::Choice(branches) => branches.iter().map(ways).fold(0, u64::saturating_add),
        Statement::If(_, then, otherwise) => ways(then).saturating_add(ways(otherwise)),
        Statement::While(..) => u64::MAX,
        Statement::Scope(_, body) => ways(body),
    }
}

/// The variables that some execution of the body may write, local ones included.
pub fn writes(model: &Model, body: &Statement) -> BTreeSet<VarId> {
    let (mut found, mut open) = (BTreeSet::new(), vec![body]);
    while let Some(statement) = open.pop() {
        match statement {
            Statement::Skip | Statement::Assume(_) => {}
            Statement::Assign(assignments) => assignments.iter().for_each(|one| found.extend(destinations(model, one))),
            Statement::Sequence(parts) | Statement::Choice(parts) => open.extend(parts),
            Statement::If(_, then, otherwise) => open.extend([&**then, &**otherwise]),
            Statement::While(_, body) => open.push(body),
            Statement::Scope(locals, body) => {
                found.extend(locals);
                open.push(body);
            }
        }
    }
    found
}

/// The variables that an assignment may write.
fn destinations(model: &Model, one: &Assignment) -> Vec<VarId> {
    match one.to {
        Destination::Var(var) => vec![var],
        Destination::Cell(family, _) => model.cells(family).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::paths;
    use super::*;
    use crate::expr::Expr;

    #[test]
    fn ways_are_counted_as_paths_are_listed() {
        let coin = Statement::Choice(vec![Statement::Skip, Statement::Assume(Expr(1)), Statement::Skip]);
        let branch = Statement::If(Expr(2), Box::new(coin.clone()), Box::new(Statement::Skip));
        let body = Statement::Sequence(vec![coin.clone(), branch.clone(), coin.clone()]);
        assert_eq!(paths(&body).map(|paths| paths.len() as u64), Some(ways(&body)));
        assert_eq!(ways(&Statement::Sequence(vec![coin; 100])), u64::MAX);
        assert_eq!(ways(&Statement::Choice(Vec::new())), 0);
    }
}
