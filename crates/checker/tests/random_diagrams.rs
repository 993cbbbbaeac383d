//! Random models and random sets: a diagram is accepted exactly if the definitions say so.

mod common;

use std::collections::BTreeSet;
use std::sync::Arc;

use common::diagrams::diagram;
use common::random::{Dice, Values, all_states, truth};
use common::{naive, random};
use lapidary_base::Control;
use lapidary_checker::{Rejection, certify};
use lapidary_ir::model::Raw;
use lapidary_ir::{Assignment, Destination, Domain, Model, Rhs, Statement, VarId};
use lapidary_verdict::Certificate;

type State = Vec<Raw>;

/// A random model with two flows, which its commands treat in all ways.
fn model(dice: &mut Dice) -> Model {
    let mut model = random::model(dice);
    let d = common::build::add_var(&mut model, "d", Domain::Bool);
    let n = common::build::add_var(&mut model, "n", Domain::Range { lo: 0, hi: 2 });
    let value = if dice.one_in(2) { Values::Perhaps } else { Values::Everywhere };
    let of_d = truth(&model, dice, 1, value);
    let e = model.exprs.clone();
    let of_n = e.ite(e.var(d), e.int(dice.number(0, 3)), e.var(VarId(4)));
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

/// The reachable states, or a few more, or a few less.
fn set(model: &Model, dice: &mut Dice) -> BTreeSet<State> {
    let mut set: BTreeSet<State> = naive::reachable(model).into_iter().collect();
    let all = all_states(model);
    match dice.below(4) {
        0 => {
            let lost = dice.below(set.len().max(1));
            let lost = set.iter().nth(lost).cloned();
            lost.map(|lost| set.remove(&lost));
        }
        1 => set.extend((0..3).map(|_| all[dice.below(all.len())].clone())),
        _ => {}
    }
    set
}

/// Why the set proves nothing about a property, straight from the definitions.
fn is_proof(model: &Model, set: &BTreeSet<State>, property: lapidary_ir::PropertyId) -> bool {
    let keeps = |state: &State| lapidary_checker::step::keeps_invariant(model, state) == Some(true);
    let initial = all_states(model).into_iter().filter(|state| naive::is_initial(model, state));
    let mut members = set.iter().filter(|state| keeps(state));
    initial.into_iter().all(|state| set.contains(&state))
        && members.all(|state| {
            naive::successors(model, state).iter().all(|next| set.contains(next))
                && !naive::is_target(model, property, state)
        })
}

#[test]
fn diagrams_are_judged_as_the_definitions_say() {
    let (mut n_accepted, mut n_rejected) = (0, 0);
    for seed in 0..150 {
        let mut dice = Dice::new(seed);
        let model = model(&mut dice);
        let set = set(&model, &mut dice);
        let mut order: Vec<VarId> = model.vars.ids().collect();
        (1..order.len()).for_each(|i| order.swap(i, dice.below(i + 1)));
        let states: Vec<State> = set.iter().cloned().collect();
        let certificate = Certificate::Diagram(Arc::new(diagram(&order, &states)));
        for property in model.properties.ids() {
            let expected = is_proof(&model, &set, property);
            let found = certify(&model, &[property], &certificate, 1, &Control::new());
            match found {
                Ok(_) => n_accepted += 1,
                Err(Rejection::Wrong(_)) => n_rejected += 1,
                Err(Rejection::Stopped(ref stop)) => panic!("seed {seed}: {stop}"),
            }
            let name = &model.properties[property].name;
            assert_eq!(found.is_ok(), expected, "seed {seed}, {name}: {found:?}");
        }
    }
    assert!(n_accepted > 60 && n_rejected > 60, "{n_accepted} accepted, {n_rejected} rejected");
}
