//! Loops and local variables.

use std::time::{Duration, Instant};

use lapidary_base::{Control, Stop};
use lapidary_ir::{Assignment, Destination, Domain, Family, Life, Model, Rhs, Statement, Var, VarId};

use super::{after, any, assign, command, system, var};
use crate::explicit::Listed;
use crate::successors::{Steps, Successors};

fn local(name: &str, domain: Domain) -> Var {
    Var { life: Life::Local, ..var(name, domain) }
}

fn repeat(condition: lapidary_ir::Expr, parts: Vec<Statement>) -> Statement {
    Statement::While(condition, Box::new(Statement::Sequence(parts)))
}

/// `x` becomes the sum of the numbers below `n`, counted by a local variable.
#[test]
fn a_loop_runs_as_often_as_its_condition_is_true() {
    let mut model = Model::default();
    let (n, x) = (Domain::Range { lo: 0, hi: 1000 }, Domain::Range { lo: 0, hi: 1_000_000 });
    let (n, x) = (model.vars.push(var("n", n)), model.vars.push(var("x", x)));
    let i = model.vars.push(local("i", Domain::Int));
    let e = &model.exprs;
    let round = [assign(x, e.add([e.var(x), e.var(i)])), assign(i, e.add([e.var(i), e.int(1)]))];
    let body = repeat(e.lt(e.var(i), e.var(n)), round.to_vec());
    model.commands.push(command(Statement::Scope(vec![i], Box::new(body))));
    let system = system(&model);
    assert_eq!(system.layout().fields[i].bits, 0, "a local variable takes no room");
    for n in [0, 1, 2, 1000] {
        assert_eq!(after(&system, &[n, 0, 0]), Ok(vec![vec![n, n * (n - 1) / 2, 0]]));
    }
    assert_eq!(after(&system, &[1000, 999_999, 0]), Ok(vec![]), "the sum leaves its domain");
}

/// Insertion sort of a row whose cells are inputs: a loop within a loop, over cells, behind a choice.
#[test]
fn a_row_is_sorted_whatever_it_is() {
    let mut model = Model::default();
    let digit = Domain::Range { lo: 0, hi: 2 };
    let cells: Vec<VarId> = (0..5).map(|i| model.vars.push(var(&format!("a[{i}]"), digit))).collect();
    let row = model.families.push(Family { name: "a[_]".to_owned(), first: cells[0], len: 5 });
    let index = Domain::Range { lo: 0, hi: 5 };
    let (i, j) = (model.vars.push(local("i", index)), model.vars.push(local("j", index)));
    let e = &model.exprs;
    let (at, before) = (e.var(j), e.sub(e.var(j), e.int(1)));
    let cell = |to, from| Assignment { to: Destination::Cell(row, to), value: Rhs::Expr(e.cell(row, from)) };
    let swap = Statement::Assign(vec![cell(at, before), cell(before, at)]);
    let is_less = e.and([e.lt(e.int(0), at), e.lt(e.cell(row, at), e.cell(row, before))]);
    let sink = repeat(is_less, vec![swap, assign(j, before)]);
    let sink = Statement::Scope(vec![j], Box::new(Statement::Sequence(vec![assign(j, e.var(i)), sink])));
    let outer = repeat(e.lt(e.var(i), e.int(5)), vec![sink, assign(i, e.add([e.var(i), e.int(1)]))]);
    let sort = Statement::Scope(vec![i], Box::new(outer));
    let fill = cells.iter().map(|&cell| any(cell));
    let body = Statement::Sequence(fill.chain([sort.clone()]).collect());
    model.commands.push(command(sort));
    let [one, all] = [model.commands.iter().next().expect("one").body.clone(), body];
    let sorted = |digits: &[i64]| digits.iter().copied().chain([0, 0]).collect::<Vec<_>>();
    model.commands = vec![command(one)].into();
    assert_eq!(after(&system(&model), &[2, 0, 1, 2, 0, 0, 0]), Ok(vec![sorted(&[0, 0, 1, 2, 2])]));
    model.commands = vec![command(all)].into();
    let mut found = after(&system(&model), &[0; 7]).expect("no overflow");
    found.sort();
    let ways = (0..=5).flat_map(|n| (0..=5 - n).map(move |m| (n, m)));
    let mut expected: Vec<Vec<i64>> =
        ways.map(|(n, m)| sorted(&[vec![0; n], vec![1; m], vec![2; 5 - n - m]].concat())).collect();
    expected.sort();
    assert_eq!(found, expected);
}

fn forever(parts: impl Fn(&Model, VarId) -> Vec<Statement>) -> Model {
    let mut model = Model::default();
    let flag = model.vars.push(var("f", Domain::Bool));
    let body = repeat(model.exprs.bool(true), parts(&model, flag));
    model.commands.push(command(body));
    model
}

fn coin(model: &Model, flag: VarId) -> Vec<Statement> {
    let e = &model.exprs;
    vec![Statement::Choice(vec![assign(flag, e.not(e.var(flag))), Statement::Skip])]
}

/// A number grows, whatever is chosen, for longer than is waited.
fn growing() -> Model {
    let mut model = Model::default();
    let x = model.vars.push(var("x", Domain::Range { lo: 0, hi: 2_000_000 }));
    let e = &model.exprs.clone();
    let grow = || assign(x, e.add([e.var(x), e.int(1)]));
    model.commands.push(command(repeat(e.bool(true), vec![Statement::Choice(vec![grow(), grow()])])));
    model
}

#[test]
fn a_loop_without_end_is_neither_a_step_nor_none() {
    for model in [forever(|_, _| vec![Statement::Skip]), growing()] {
        let what = "an execution of command go (test:1:1) takes more than 67108864 instructions";
        assert_eq!(after(&system(&model), &[0]), Err(Stop::Incomplete(what.to_owned())));
    }
}

#[test]
fn a_loop_without_end_is_left_at_the_time_limit() {
    for model in [forever(|_, _| vec![Statement::Skip]), growing()] {
        let system = system(&model);
        let control = Control::new().with_timeout(Some(Duration::from_millis(5)));
        let (mut steps, start) = (Steps::within(&control), Instant::now());
        assert_eq!(system.successors(Listed::plain(&system.pack(&[0])), &mut steps), Err(Stop::Timeout));
        assert!(start.elapsed() < Duration::from_millis(500));
    }
}

#[test]
fn a_loop_in_which_only_rows_come_again_is_no_step() {
    for model in [forever(coin), forever(|_, flag| vec![any(flag)])] {
        assert_eq!(after(&system(&model), &[0]), Ok(vec![]));
    }
}

#[test]
fn executions_that_end_are_steps_beside_those_that_do_not() {
    let mut model = Model::default();
    let x = model.vars.push(var("x", Domain::Range { lo: 0, hi: 3000 }));
    let e = &model.exprs.clone();
    let more = assign(x, e.add([e.var(x), e.int(1)]));
    let back = assign(x, e.div(e.var(x), e.int(2)));
    let early = Statement::Sequence(vec![Statement::Assume(e.eq(e.var(x), e.int(7))), assign(x, e.int(3000))]);
    let body = repeat(e.lt(e.var(x), e.int(2500)), vec![Statement::Choice(vec![more, Statement::Skip, back, early])]);
    model.commands.push(command(body));
    let mut found = after(&system(&model), &[5]).expect("the rounds come to an end");
    found.sort();
    assert_eq!(found, [[2500], [3000]]);
}

/// Two is met after one round and after two. What it leads to comes in the order of its last round.
#[test]
fn executions_with_more_rounds_come_first() {
    let mut model = Model::default();
    let x = model.vars.push(var("x", Domain::Range { lo: 0, hi: 4 }));
    let e = &model.exprs.clone();
    let go = |(from, to): (i64, i64)| {
        Statement::Sequence(vec![Statement::Assume(e.eq(e.var(x), e.int(from))), assign(x, e.int(to))])
    };
    let choices = [(0, 1), (0, 2), (1, 2), (1, 4), (2, 3)].map(go).to_vec();
    model.commands.push(command(repeat(e.lt(e.var(x), e.int(3)), vec![Statement::Choice(choices)])));
    assert_eq!(after(&system(&model), &[0]), Ok(vec![vec![3], vec![4]]));
}

#[test]
fn a_condition_without_a_value_ends_an_execution_but_not_the_others() {
    let mut model = Model::default();
    let x = model.vars.push(var("x", Domain::Range { lo: 0, hi: 9 }));
    let e = &model.exprs;
    let less = assign(x, e.sub(e.var(x), e.int(1)));
    let condition = e.lt(e.div(e.int(9), e.var(x)), e.int(9));
    let either =
        Statement::Choice(vec![less.clone(), assign(x, e.int(0)), Statement::Assume(e.lt(e.var(x), e.int(0)))]);
    model.commands.push(command(repeat(condition, vec![either])));
    assert_eq!(after(&system(&model), &[3]), Ok(vec![vec![1]]), "nine by zero has no value");
}

#[test]
fn very_many_choices_in_a_row_are_listed_within_the_limits() {
    let mut model = Model::default();
    let vars: Vec<VarId> = (0..40).map(|i| model.vars.push(var(&format!("x{i}"), Domain::Bool))).collect();
    model
        .commands
        .push(command(Statement::Sequence(vars.iter().map(|&var| any(var)).chain([branch_on(&model)]).collect())));
    let system = system(&model);
    let control = Control::new().with_timeout(Some(Duration::from_millis(50)));
    let (mut steps, start) = (Steps::within(&control), Instant::now());
    assert_eq!(system.successors(Listed::plain(&system.pack(&[0; 40])), &mut steps), Err(Stop::Timeout));
    assert!(start.elapsed() < Duration::from_secs(1));
}

fn branch_on(model: &Model) -> Statement {
    super::branch(model.exprs.var(VarId(0)), Statement::Skip, Statement::Skip)
}
