//! The expressions of a model in the order in which its text has them.

use crate::expr::Expr;
use crate::model::{Destination, Fault, Model, Rhs, Statement};

pub fn roots(model: &Model) -> Vec<Expr> {
    let mut roots = model.init.clone();
    statement_roots(&model.start, &mut roots);
    roots.extend(&model.invariant);
    for command in &model.commands {
        faults(&command.faults, &mut roots);
        statement_roots(&command.body, &mut roots);
    }
    for property in &model.properties {
        faults(&property.faults, &mut roots);
        roots.extend(property.kind.exprs());
    }
    roots
}

fn faults(faults: &[Fault], roots: &mut Vec<Expr>) {
    roots.extend(faults.iter().map(|fault| fault.when));
}

/// Those of a statement, in the same order.
pub fn statement_roots(of: &Statement, roots: &mut Vec<Expr>) {
    match of {
        Statement::Skip => {}
        Statement::Assume(condition) => roots.push(*condition),
        Statement::Assign(list) => {
            for part in list {
                match part.to {
                    Destination::Var(_) => {}
                    Destination::Cell(_, index) => roots.push(index),
                }
                match part.value {
                    Rhs::Expr(value) => roots.push(value),
                    Rhs::Any => {}
                }
            }
        }
        Statement::Sequence(list) | Statement::Choice(list) => {
            list.iter().for_each(|part| statement_roots(part, roots))
        }
        Statement::If(condition, then, otherwise) => {
            roots.push(*condition);
            statement_roots(then, roots);
            statement_roots(otherwise, roots);
        }
        Statement::While(condition, body) => {
            roots.push(*condition);
            statement_roots(body, roots);
        }
        Statement::Scope(_, body) => statement_roots(body, roots),
    }
}
