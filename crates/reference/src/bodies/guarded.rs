//! Models most of whose commands are a guard and an update, as models by hand are; some commands may fail.

use lapidary_ir::{Command, EnumId, Expr, Fault, Model, Property, PropertyKind, Statement};

use super::random::{E, N_LITERALS, NOWHERE, P, X, Y};
use super::{Locals, Loops, Shape, assignment, statement, truth, variables};
use crate::dice::Dice;
use crate::expressions::Values;

/// A few commands, few initial states, in a third of the models an invariant, and properties `safe`, `goal`, `progress` and
/// `no_errors`.
pub fn guarded(dice: &mut Dice) -> Model {
    let mut model = variables(Locals::None);
    let e = model.exprs.clone();
    let letter = e.eq(e.var(E), e.literal(EnumId(0), dice.below(N_LITERALS)));
    model.init = vec![e.var(P), e.eq(e.var(X), e.int(0)), e.eq(e.var(Y), e.int(1)), letter];
    if dice.one_in(2) {
        let part = truth(&model, dice, 1, Values::Perhaps);
        model.init.push(part);
    }
    if dice.one_in(3) {
        let part = truth(&model, dice, 2, Values::Perhaps);
        model.invariant.push(part);
    }
    for i in 0..2 + dice.below(12) {
        let body = body(&model, dice);
        let faults = if dice.one_in(8) { vec![fault(&model, dice)] } else { Vec::new() };
        model.commands.push(Command { label: format!("c{i}"), body, faults, is_idle: false, span: NOWHERE });
    }
    let kinds = [
        ("safe", PropertyKind::Invariant(truth(&model, dice, 2, Values::Perhaps))),
        ("goal", PropertyKind::Reach(truth(&model, dice, 2, Values::Everywhere))),
        ("progress", PropertyKind::DeadlockFree),
        ("no_errors", PropertyKind::NoErrors),
    ];
    for (name, kind) in kinds {
        let (name, text) = (name.to_owned(), String::new());
        model.properties.push(Property { name, kind, faults: Vec::new(), text, span: NOWHERE });
    }
    model
}

fn body(model: &Model, dice: &mut Dice) -> Statement {
    if dice.one_in(3) {
        return statement(model, dice, Shape { loops: Loops::None, locals: Locals::None, depth: 3 });
    }
    let guards: Vec<Expr> = (0..1 + dice.below(3)).map(|_| truth(model, dice, 0, Values::Perhaps)).collect();
    let update = (0..1 + dice.below(2)).map(|_| assignment(model, dice)).collect();
    Statement::Sequence(vec![Statement::Assume(model.exprs.and(guards)), Statement::Assign(update)])
}

fn fault(model: &Model, dice: &mut Dice) -> Fault {
    let parts = [truth(model, dice, 1, Values::Everywhere), truth(model, dice, 0, Values::Everywhere)];
    Fault { when: model.exprs.and(parts), what: "some fault".to_owned(), span: NOWHERE }
}
