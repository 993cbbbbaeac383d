//! Random models with variables that their invariant determines.

use lapidary_ir::{Assignment, Destination, Domain, Model, Rhs, Statement, VarId};
use lapidary_reference::bodies::{guarded, truth};
use lapidary_reference::dice::Dice;
use lapidary_reference::expressions::Values;

use super::build::add_var;

/// A random model with two flows, one of which may read the other, and which its commands treat in all ways.
pub fn with_flows(dice: &mut Dice) -> Model {
    let mut model = guarded(dice);
    let d = add_var(&mut model, "d", Domain::Bool);
    let n = add_var(&mut model, "n", Domain::Range { lo: 0, hi: 2 });
    let value = if dice.one_in(2) { Values::Perhaps } else { Values::Everywhere };
    let of_d = truth(&model, dice, 1, value);
    let e = model.exprs.clone();
    let of_n = e.ite(e.var(d), e.int(dice.between(0, 3)), e.var(VarId(4)));
    model.invariant.push(e.eq(e.var(d), of_d));
    if dice.one_in(2) {
        model.invariant.push(e.eq(of_n, e.var(n)));
    }
    // Where every assignment to a flow is its definition, it is read through that even after it was assigned.
    let (renews, is_foreign) = (dice.one_in(2), dice.one_in(4));
    for command in model.commands.iter_mut() {
        let to = |var, value| Assignment { to: Destination::Var(var), value: Rhs::Expr(value) };
        let (new_d, new_n) = (to(d, of_d), to(n, if is_foreign && dice.one_in(2) { e.int(1) } else { of_n }));
        let one = |assignment: &Assignment| Statement::Assign(vec![assignment.clone()]);
        let any = |var| Statement::Assign(vec![Assignment { to: Destination::Var(var), value: Rhs::Any }]);
        let read = Statement::Assume(if dice.one_in(2) { e.var(d) } else { e.le(e.var(n), e.int(1)) });
        let body = std::mem::replace(&mut command.body, Statement::Skip);
        command.body = Statement::Sequence(match dice.below(6) {
            choice if renews => match choice {
                0 => vec![body, one(&new_d), one(&new_n)],
                1 => vec![body, one(&new_n), one(&new_d)],
                2 => vec![body, Statement::Assign(vec![new_d, new_n])],
                3 => vec![one(&new_n), body, read, one(&new_d), one(&new_n)],
                4 => vec![body, Statement::Choice(vec![one(&new_d), Statement::Skip]), one(&new_n), read],
                _ => vec![read, body, one(&new_d), any(n)],
            },
            0 => vec![body],
            1 => vec![any(d), body],
            2 => vec![body, read, any(d), any(n)],
            3 => vec![any(d), body, Statement::Choice(vec![any(n), read])],
            _ => vec![read, body, any(n), any(d)],
        });
    }
    model.exprs = e;
    model
}
