//! Numbers that may be worth trying for a value that is any of infinitely many and is written again later, so that the state
//! after the step does not tell it. An execution that is found with one of them is an execution; that none is found with
//! them says nothing.

use lapidary_base::hash::Set;
use lapidary_ir::model::Raw;
use lapidary_ir::{Destination, Expr, Model, Node, Rhs, Statement};

/// So many are tried.
const MOST: usize = 256;

/// The numbers of the states and of the statement, each with its neighbours: conditions compare with them. Not all of them are values
/// of any one variable.
pub fn guesses(model: &Model, statement: &Statement, states: &[&[Raw]]) -> Vec<Raw> {
    let mut known: Set<Raw> = Set::default();
    let numbers = constants(model, statement).into_iter().chain(states.iter().copied().flatten().copied());
    let near = numbers.flat_map(|number| [number, number.saturating_add(1), number.saturating_sub(1)]);
    near.filter(|&number| known.insert(number)).take(MOST).collect()
}

fn constants(model: &Model, statement: &Statement) -> Vec<Raw> {
    let mut found = Vec::new();
    let mut seen: Set<Expr> = Set::default();
    let (mut statements, mut exprs) = (vec![statement], Vec::new());
    while let Some(statement) = statements.pop() {
        match statement {
            Statement::Skip => {}
            Statement::Assume(condition) => exprs.push(*condition),
            Statement::Assign(list) => {
                for assignment in list {
                    if let Destination::Cell(_, index) = assignment.to {
                        exprs.push(index);
                    }
                    if let Rhs::Expr(value) = assignment.value {
                        exprs.push(value);
                    }
                }
            }
            Statement::Sequence(parts) | Statement::Choice(parts) => statements.extend(parts.iter().rev()),
            Statement::If(condition, then, otherwise) => {
                exprs.push(*condition);
                statements.extend([&**otherwise, &**then]);
            }
            Statement::While(condition, body) => {
                exprs.push(*condition);
                statements.push(body);
            }
            Statement::Scope(_, body) => statements.push(body),
        }
        while let Some(expr) = exprs.pop() {
            if seen.insert(expr) {
                match model.exprs.node(expr) {
                    Node::Int(number) | Node::Bits(_, number) | Node::Value(_, number) => found.push(*number),
                    _ => {}
                }
                model.exprs.for_each_part(expr, |part| exprs.push(part));
            }
        }
    }
    found
}
