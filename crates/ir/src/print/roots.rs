//! The expressions of a model in the order in which its text has them.

use crate::expr::Expr;
use crate::model::{Destination, Fault, Model, Rhs, Statement};
use crate::property::{Ltl, PropertyKind};

pub fn of(model: &Model) -> Vec<Expr> {
    let mut roots = model.init.clone();
    statement(&model.start, &mut roots);
    roots.extend(&model.invariant);
    for command in &model.commands {
        faults(&command.faults, &mut roots);
        statement(&command.body, &mut roots);
    }
    for property in &model.properties {
        faults(&property.faults, &mut roots);
        match &property.kind {
            PropertyKind::Invariant(expr) | PropertyKind::Reach(expr) => roots.push(*expr),
            PropertyKind::DeadlockFree | PropertyKind::NoErrors => {}
            PropertyKind::Ltl(formula) => ltl(formula, &mut roots),
        }
    }
    roots
}

fn faults(faults: &[Fault], roots: &mut Vec<Expr>) {
    roots.extend(faults.iter().map(|fault| fault.when));
}

fn statement(of: &Statement, roots: &mut Vec<Expr>) {
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
        Statement::Sequence(list) | Statement::Choice(list) => list.iter().for_each(|part| statement(part, roots)),
        Statement::If(condition, then, otherwise) => {
            roots.push(*condition);
            statement(then, roots);
            statement(otherwise, roots);
        }
        Statement::While(condition, body) => {
            roots.push(*condition);
            statement(body, roots);
        }
        Statement::Scope(_, body) => statement(body, roots),
    }
}

fn ltl(formula: &Ltl, roots: &mut Vec<Expr>) {
    match formula {
        Ltl::State(expr) => roots.push(*expr),
        Ltl::Not(a) | Ltl::Next(a) | Ltl::Finally(a) | Ltl::Globally(a) => ltl(a, roots),
        Ltl::Iff(a, b)
        | Ltl::Implies(a, b)
        | Ltl::Or(a, b)
        | Ltl::And(a, b)
        | Ltl::Until(a, b)
        | Ltl::Release(a, b)
        | Ltl::WeakUntil(a, b)
        | Ltl::StrongRelease(a, b) => {
            ltl(a, roots);
            ltl(b, roots);
        }
    }
}
