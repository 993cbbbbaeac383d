//! The encoding and the checker's interpreter take the same steps, from the same initial states.

use std::collections::BTreeSet;

use crate::common::{all_hold, for_each_input, random_model, statement_tree, value};
use lapidary_base::{Control, Id};
use lapidary_checker::{eval, step};
use lapidary_ir::{
    Assignment, Command, CommandId, Destination, Domain, Life, Model, Rhs, Statement, Var, VarId, print,
};
use lapidary_reference::bodies::state;
use lapidary_reference::dice::Dice;
use lapidary_reference::seeds;
use lapidary_smt::encode::{Encoding, encode};
use lapidary_smt::{Backend, Sat, Terms};

type Steps = BTreeSet<(CommandId, Box<[i64]>)>;

fn interpreted(model: &Model, from: &[i64]) -> Steps {
    let successors = |id| step::successors(model, id, from).expect("finite inputs and small numbers");
    model.commands.ids().flat_map(|id| successors(id).into_iter().map(move |next| (id, next))).collect()
}

fn encoded(terms: &Terms<'_>, encoding: &Encoding, from: &[i64]) -> Steps {
    let model = terms.model();
    let mut found = Steps::new();
    for path in &encoding.paths {
        for_each_input(terms, &path.inputs, from, &mut |values| {
            if all_hold(model, &path.guard, values) {
                let mut next: Box<[i64]> = from.into();
                for (&var, &update) in &path.updates {
                    next[var.index()] = i64::try_from(value(model, update, values)).expect("small numbers");
                }
                found.insert((path.command, next));
            }
        });
    }
    found
}

#[derive(Default)]
pub struct Seen {
    pub steps: usize,
    pub deadlocks: usize,
    pub initial: usize,
}

pub fn compare(model: &Model, dice: &mut Dice, n_states: u64, seen: &mut Seen) {
    let mut terms = Terms::within(model);
    let encoding = encode(&mut terms).expect("small bodies");
    if encoding.paths.iter().any(|path| path.inputs.len() > 5) {
        return;
    }
    let stuck = encoding.deadlocks(&terms);
    for _ in 0..n_states {
        let from = state(model, dice);
        let keeps = step::keeps_invariant(model, &from).expect("small numbers");
        assert_eq!(all_hold(model, &encoding.always, &from), keeps, "{from:?}\n{}", print::model(model));
        let starts = keeps && model.init.iter().all(|&part| eval::truth(model, part, &from) == Ok(true));
        assert_eq!(all_hold(model, &encoding.initial, &from), starts, "{from:?}\n{}", print::model(model));
        seen.initial += usize::from(starts);
        // Only configurations have steps.
        if !keeps {
            continue;
        }
        let expected = interpreted(model, &from);
        assert_eq!(encoded(&terms, &encoding, &from), expected, "{from:?}\n{}", print::model(model));
        seen.steps += expected.len();
        if let Ok(stuck) = stuck {
            let goes_on = expected.iter().any(|(command, _)| !model.commands[*command].is_idle);
            assert_eq!(value(model, stuck, &from) != 0, !goes_on, "{from:?}\n{}", print::model(model));
            seen.deadlocks += usize::from(!goes_on);
        }
    }
}

#[test]
fn the_steps_of_statement_trees_are_those_of_the_interpreter() {
    let mut seen = Seen::default();
    for seed in seeds::of(0..1_500) {
        compare(&statement_tree(seed), &mut Dice::new(seed), 20, &mut seen);
    }
    assert!(
        seen.steps > seeds::least(10_000) && seen.deadlocks > seeds::least(1_000) && seen.initial > seeds::least(1_000)
    );
}

#[test]
fn the_steps_of_random_models_are_those_of_the_interpreter() {
    let mut seen = Seen::default();
    for seed in seeds::of(0..600) {
        compare(&random_model(seed), &mut Dice::new(seed), 20, &mut seen);
    }
    assert!(
        seen.steps > seeds::least(10_000) && seen.deadlocks > seeds::least(100) && seen.initial > seeds::least(20),
        "{} steps",
        seen.steps
    );
}

/// One variable and one command.
fn single(domain: Domain, body: impl Fn(&Model) -> Statement) -> Model {
    let mut model = crate::common::variables();
    let span = model.vars[VarId(0)].span;
    model.vars.push(Var { name: "x".to_owned(), domain, control: false, life: Life::State, span });
    let body = body(&model);
    model.commands.push(Command { label: "c".to_owned(), body, faults: Vec::new(), is_idle: false, span });
    model
}

const X: VarId = VarId(7);

/// Is there a step from a state in which `x` is this?
fn has_step(model: &Model, x: i64) -> Sat {
    let mut terms = Terms::within(model);
    let encoding = encode(&mut terms).expect("one path");
    let (exprs, control) = (&model.exprs, Control::new());
    let mut solver = Backend::default().open(&control).expect("a solver");
    let [path] = &encoding.paths[..] else { panic!("one path") };
    for &part in encoding.always.iter().chain(&path.guard) {
        solver.assert(&terms, part).expect("taken");
    }
    solver.check(&terms, &[exprs.eq(exprs.var(X), exprs.int(x))]).expect("an answer")
}

#[test]
fn ranges_that_end_with_64_bits_are_ranges_all_the_same() {
    let lowest = single(Domain::Range { lo: i64::MIN, hi: 5 }, |model| {
        let e = &model.exprs;
        let value = Rhs::Expr(e.sub(e.var(X), e.int(1)));
        Statement::Assign(vec![Assignment { to: Destination::Var(X), value }])
    });
    assert_eq!(has_step(&lowest, i64::MIN), Sat::No);
    assert_eq!(has_step(&lowest, i64::MIN + 1), Sat::Yes);
    let highest = single(Domain::Range { lo: 0, hi: i64::MAX }, |model| {
        let e = &model.exprs;
        let value = Rhs::Expr(e.mul(e.var(X), e.int(2)));
        Statement::Assign(vec![Assignment { to: Destination::Var(X), value }])
    });
    assert_eq!(has_step(&highest, i64::MAX), Sat::No);
    assert_eq!(has_step(&highest, i64::MAX / 2), Sat::Yes);
}

#[test]
fn an_unbounded_input_that_no_guard_reads_does_not_hide_deadlocks() {
    let any = |model: &Model| {
        let e = &model.exprs;
        let to = |var: VarId| Assignment { to: Destination::Var(var), value: Rhs::Any };
        let small = Statement::Assume(e.lt(e.var(VarId(3)), e.var(VarId(2))));
        Statement::Sequence(vec![Statement::Assign(vec![to(X), to(VarId(3))]), small])
    };
    let model = single(Domain::Int, any);
    let mut terms = Terms::within(&model);
    let encoding = encode(&mut terms).expect("one path");
    let stuck = encoding.deadlocks(&terms).expect("four values are written out");
    for v2 in -1..=2 {
        assert_eq!(value(&model, stuck, &[0, 0, v2, 0, 0, 0, 0, 0]) != 0, v2 <= 0, "v2 = {v2}");
    }
}

#[test]
fn deadlocks_that_depend_on_an_unbounded_input_are_refused_with_their_place() {
    let any = |model: &Model| {
        let e = &model.exprs;
        let to = Assignment { to: Destination::Var(X), value: Rhs::Any };
        let even = Statement::Assume(e.eq(e.modulo(e.var(X), e.int(2)), e.int(0)));
        Statement::Sequence(vec![Statement::Assign(vec![to]), even])
    };
    let model = single(Domain::Int, any);
    let mut terms = Terms::within(&model);
    let encoding = encode(&mut terms).expect("one path");
    let refused = encoding.deadlocks(&terms).expect_err("no quantifiers");
    assert_eq!(refused.span, Some(model.commands[CommandId(0)].span));
}

#[test]
fn whether_a_path_can_be_taken_has_a_value_where_a_later_conjunct_has_none() {
    let halves = |model: &Model| {
        let e = &model.exprs;
        let to = Assignment { to: Destination::Var(VarId(3)), value: Rhs::Any };
        let half = e.eq(e.div(e.int(4), e.var(VarId(2))), e.int(2));
        let condition = e.and([e.lt(e.var(VarId(3)), e.int(2)), half]);
        Statement::Sequence(vec![Statement::Assign(vec![to]), Statement::Assume(condition)])
    };
    let model = single(Domain::Int, halves);
    let mut terms = Terms::within(&model);
    let encoding = encode(&mut terms).expect("one path");
    let stuck = encoding.deadlocks(&terms).expect("four values are written out");
    for v2 in -1..=2 {
        assert_eq!(value(&model, stuck, &[0, 0, v2, 0, 0, 0, 0, 0]) != 0, v2 != 2, "v2 = {v2}");
    }
}
