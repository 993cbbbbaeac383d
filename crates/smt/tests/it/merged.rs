//! Bodies with too many ways through them to be listed: one path takes the steps of all of them.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::common::{value, variables};
use crate::encode::{Seen, compare};
use lapidary_base::{Control, Pace};
use lapidary_checker::{eval, step};
use lapidary_ir::{
    Assignment, Command, CommandId, Destination, Domain, Expr, Family, Life, Model, Rhs, Statement, Var, VarId, print,
};
use lapidary_reference::bodies::{self, Locals, Loops, state, states, truth, winding};
use lapidary_reference::dice::Dice;
use lapidary_reference::expressions::Values;
use lapidary_reference::seeds;
use lapidary_smt::encode::{Shape, Unrolling, encode, encode_within};
use lapidary_smt::{Backend, FullSolver, Sat, Terms};

/// Loops have bounds.
const SHAPE: bodies::Shape = bodies::Shape { loops: Loops::Bounded, locals: Locals::Some, depth: 2 };

#[test]
fn merged_bodies_take_the_steps_of_the_interpreter() {
    let mut seen = Seen::default();
    for seed in seeds::of(0..1_500) {
        let mut model = bodies::model(seed, SHAPE);
        model.start = Statement::Skip;
        let mut dice = Dice::new(seed);
        for id in model.commands.ids() {
            model.commands[id].body = winding(&model, &mut dice, SHAPE);
        }
        compare(&model, &mut dice, 20, &mut seen);
    }
    assert!(
        seen.steps > seeds::least(8_000) && seen.deadlocks > seeds::least(1_000) && seen.initial > seeds::least(1_000),
        "{} steps, {} deadlocks, {} initial",
        seen.steps,
        seen.deadlocks,
        seen.initial
    );
}

/// One command.
fn single(body: impl Fn(&Model) -> Statement) -> Model {
    let mut model = variables();
    let span = model.vars[VarId(0)].span;
    let body = body(&model);
    model.commands.push(Command { label: "go".to_owned(), body, faults: Vec::new(), is_idle: false, span });
    model
}

fn assign(var: VarId, value: Expr) -> Statement {
    Statement::Assign(vec![Assignment { to: Destination::Var(var), value: Rhs::Expr(value) }])
}

#[test]
fn forty_branches_one_after_the_other_are_as_many_terms() {
    let model = single(|model| {
        let e = &model.exprs;
        let (p, x) = (e.var(VarId(0)), e.var(VarId(2)));
        let up = assign(VarId(2), e.sub(e.modulo(e.add([x, e.int(2)]), e.int(4)), e.int(1)));
        let turn = assign(VarId(0), e.eq(x, e.int(0)));
        Statement::Sequence(vec![Statement::If(p, Box::new(up), Box::new(turn)); 40])
    });
    let before = model.exprs.len();
    let mut terms = Terms::within(&model);
    let encoding = encode(&mut terms).expect("merged");
    assert_eq!(encoding.paths.iter().map(|path| path.shape).collect::<Vec<_>>(), [Shape::Merged]);
    let made = model.exprs.len() - before;
    assert!(made < 1_000, "{made} terms");
    let mut seen = Seen::default();
    compare(&model, &mut Dice::new(1), 50, &mut seen);
    assert_eq!(seen.steps, 50);
}

#[test]
fn a_long_body_without_loops_is_no_loop_without_a_bound() {
    let model = single(|model| {
        let e = &model.exprs;
        let (p, q) = (e.var(VarId(0)), e.var(VarId(1)));
        let turn = Statement::If(p, Box::new(assign(VarId(1), p)), Box::new(assign(VarId(0), q)));
        Statement::Sequence(vec![turn; 20_000])
    });
    assert_eq!(encode(&mut Terms::within(&model)).expect("merged").paths.len(), 1);
}

#[test]
fn choices_within_choices_are_shared_by_branches_that_exclude_each_other() {
    let model = single(|model| {
        let e = &model.exprs;
        let up = assign(VarId(3), e.modulo(e.add([e.var(VarId(3)), e.int(1)]), e.int(4)));
        (0..12).fold(up.clone(), |inner, _| {
            let more = Statement::Sequence(vec![up.clone(), inner.clone()]);
            Statement::Choice(vec![inner, more])
        })
    });
    let mut terms = Terms::within(&model);
    let encoding = encode(&mut terms).expect("merged");
    let [path] = &encoding.paths[..] else { panic!("one path") };
    assert_eq!((path.choices.len(), path.inputs.len()), (12, 12));
}

/// Whether a state is initial, by the solver.
fn is_initial(terms: &Terms<'_>, solver: &mut dyn FullSolver, state: &[i64]) -> bool {
    let (exprs, model) = (terms.exprs(), terms.model());
    let is = |(var, &value): (VarId, &i64)| exprs.eq(exprs.var(var), terms.constant(model.vars[var].domain, value));
    let here: Vec<Expr> = model.vars.ids().zip(state).map(is).collect();
    solver.check(terms, &here).expect("an answer") == Sat::Yes
}

#[test]
fn initial_states_are_those_in_which_the_first_statement_ends() {
    let (mut n_initial, mut n_others) = (0, 0);
    for seed in seeds::of(0..160) {
        let mut dice = Dice::new(seed);
        let mut model = bodies::variables(Locals::Some);
        model.start = winding(&model, &mut dice, SHAPE);
        model.init = vec![truth(&model, &mut dice, 2, Values::Perhaps)];
        let span = model.vars[VarId(0)].span;
        let body = model.start.clone();
        model.commands.push(Command { label: "start".to_owned(), body, faults: Vec::new(), is_idle: false, span });
        let begins = |state: &Vec<i64>| eval::truth(&model, model.init[0], state) == Ok(true);
        let ends = |state: Vec<i64>| step::successors(&model, CommandId(0), &state).expect("small numbers");
        let ended: BTreeSet<Box<[i64]>> = states(&model).into_iter().filter(begins).flat_map(ends).collect();
        model.invariant =
            if seed.is_multiple_of(2) { vec![truth(&model, &mut dice, 2, Values::Perhaps)] } else { Vec::new() };
        let mut terms = Terms::within(&model);
        let encoding = encode(&mut terms).expect("small bodies");
        let control = Control::new();
        let mut solver = Backend::default().open(&control).expect("a solver");
        for &part in &encoding.initial {
            solver.assert(&terms, part).expect("taken");
        }
        for i in 0..20 {
            let some = ended.iter().nth(dice.below(ended.len().max(1) as u64) as usize);
            let at = some.filter(|_| i % 2 == 0).map_or_else(|| state(&model, &mut dice), |state| state.to_vec());
            let expected = ended.contains(&at[..]) && step::keeps_invariant(&model, &at) == Some(true);
            assert_eq!(is_initial(&terms, &mut *solver, &at), expected, "{at:?}\n{}", print::model(&model));
            n_initial += usize::from(expected);
            n_others += usize::from(!expected);
        }
    }
    assert!(n_initial > seeds::least(600) && n_others > seeds::least(600), "{n_initial} initial, {n_others} others");
}

#[test]
fn a_loop_that_the_domains_bound_is_unrolled_and_another_one_is_refused_by_name() {
    let until = |bound: &dyn Fn(&Model) -> Expr, change: i64| {
        single(|model| {
            let e = &model.exprs;
            let next = e.add([e.var(VarId(3)), e.int(change)]);
            Statement::While(bound(model), Box::new(assign(VarId(3), next)))
        })
    };
    let below = |model: &Model| model.exprs.lt(model.exprs.var(VarId(3)), model.exprs.int(3));
    let mut seen = Seen::default();
    compare(&until(&below, 1), &mut Dice::new(1), 20, &mut seen);
    assert_eq!(seen.steps, 20);
    // It leaves the domain where it does not end.
    compare(&until(&below, -1), &mut Dice::new(1), 20, &mut seen);
    let endless = until(&below, 0);
    let refused = encode(&mut Terms::within(&endless)).err().expect("no bound");
    assert_eq!(refused.what, "command go has a loop whose bound is not known");
    assert_eq!(refused.span, Some(endless.commands[CommandId(0)].span));
}

/// The states without a step, or why they cannot be told.
fn deadlocks(model: &Model) -> Result<Expr, String> {
    let mut terms = Terms::within(model);
    let encoding = encode(&mut terms).expect("merged");
    encoding.deadlocks(&terms).map_err(|refused| refused.what)
}

#[test]
fn deadlocks_behind_many_choices_are_told_as_far_as_the_ways_can_be_listed() {
    let after = |other: &dyn Fn(&Model, i64) -> Statement| {
        single(|model| {
            let coin = |i: i64| Statement::Choice(vec![Statement::Skip, other(model, i)]);
            let last = Statement::Assume(model.exprs.lt(model.exprs.var(VarId(3)), model.exprs.var(VarId(2))));
            Statement::Sequence((0..40).map(coin).chain([last]).collect())
        })
    };
    let forgetting = after(&|model, _| assign(VarId(3), model.exprs.int(1)));
    let stuck = deadlocks(&forgetting).expect("the last choice that counts makes up for all before");
    for (v2, v3) in (-1..=2).flat_map(|v2| (0..=3).map(move |v3| (v2, v3))) {
        let is_stuck = value(&forgetting, stuck, &[0, 0, v2, v3, 0, 0, 0]) != 0;
        assert_eq!(is_stuck, v2 <= 1 && v2 <= v3, "v2 = {v2}, v3 = {v3}");
    }
    let counting = after(&|model, i| {
        let e = &model.exprs;
        assign(VarId(3), e.modulo(e.add([e.mul(e.int(i), e.var(VarId(3))), e.int(i)]), e.int(4)))
    });
    let why = deadlocks(&counting).expect_err("as many cases as subsets");
    assert_eq!(why, "whether go can be taken depends on too many values of its inputs");
}

#[derive(Default)]
struct Counted(AtomicU64);

impl Pace for Counted {
    fn spend(&self, work: u64) -> Option<u64> {
        self.0.fetch_add(work, Ordering::Relaxed);
        None
    }

    fn pass(&self) {}
}

/// Forty cells are written at once, each where another variable says: that no two of them are the same is 32,000 demands.
fn scattered() -> Model {
    const N: u32 = 40;
    let mut model = variables();
    let span = model.vars[VarId(0)].span;
    let first = VarId(model.vars.len() as u32);
    for i in 0..2 * N {
        let domain = Domain::Range { lo: 0, hi: i64::from(N) - 1 };
        model.vars.push(Var { name: format!("w{i}"), domain, control: false, life: Life::State, span });
    }
    let row = model.families.push(Family { name: "w[_]".to_owned(), first, len: N });
    let e = &model.exprs.clone();
    let index = |i: u32| e.var(VarId(first.0 + N + i));
    let write = |i: u32| Assignment { to: Destination::Cell(row, index(i)), value: Rhs::Expr(e.int(i64::from(i))) };
    let body = Statement::Assign((0..N).map(write).collect());
    model.commands.push(Command { label: "c".to_owned(), body, faults: Vec::new(), is_idle: false, span });
    model
}

#[test]
fn the_limits_are_looked_at_while_a_long_assignment_becomes_terms_and_a_step() {
    let model = scattered();
    let mut terms = Terms::new(&model);
    let counted = Arc::new(Counted::default());
    let control = Control::new().with_pace(counted.clone());
    let looks = || counted.0.swap(0, Ordering::Relaxed);
    let encoding = encode_within(&mut terms, &control).expect("no limits");
    let found = looks();
    assert!(found >= 30, "{found} looks at {} conjuncts", encoding.paths[0].guard.len());
    Unrolling::new(&mut terms).step(&mut terms, &encoding, &control).expect("no limits");
    let found = looks();
    assert!(found >= 30, "{found} looks");
}
