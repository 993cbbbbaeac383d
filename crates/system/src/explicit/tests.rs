//! Bodies as programs with branches, against their execution path by path.

mod looks;
mod loops;
mod oracle;
mod random;
mod start;

use lapidary_base::Stop;
use lapidary_ir::{Assignment, Command, Destination, Domain, Expr, Life, Model, Rhs, Statement, Var, VarId};
use lapidary_text::{SourceId, Sources, Span};

use super::{Explicit, Listed};
use crate::successors::{Steps, Successors};

const NOWHERE: Span = Span::new(SourceId(0), 0, 0);

fn var(name: &str, domain: Domain) -> Var {
    Var { name: name.to_owned(), domain, control: false, life: Life::State, span: NOWHERE }
}

fn command(body: Statement) -> Command {
    Command { label: "go".to_owned(), body, faults: Vec::new(), is_idle: false, span: NOWHERE }
}

fn sources() -> Sources {
    let mut sources = Sources::default();
    sources.add("test", "");
    sources
}

fn assign(var: VarId, value: Expr) -> Statement {
    Statement::Assign(vec![Assignment { to: Destination::Var(var), value: Rhs::Expr(value) }])
}

fn any(var: VarId) -> Statement {
    Statement::Assign(vec![Assignment { to: Destination::Var(var), value: Rhs::Any }])
}

fn branch(condition: Expr, then: Statement, otherwise: Statement) -> Statement {
    Statement::If(condition, Box::new(then), Box::new(otherwise))
}

fn system(model: &Model) -> Explicit {
    Explicit::new(model, &[], &sources()).expect("the model is taken")
}

/// The states after one step, in order.
fn after(system: &Explicit, state: &[i64]) -> Result<Vec<Vec<i64>>, Stop> {
    let mut steps = Steps::new();
    system.successors(Listed::plain(&system.pack(state)), &mut steps)?;
    Ok(steps.states.chunks_exact(system.words()).map(|words| system.unpack(words).to_vec()).collect())
}

/// `n` Booleans and a counter behind them: each `if` counts or sets its Boolean.
fn ifs(n: u32) -> Model {
    let mut model = Model::default();
    (0..n).for_each(|i| {
        model.vars.push(var(&format!("x{i}"), Domain::Bool));
    });
    let counter = model.vars.push(var("c", Domain::Range { lo: 0, hi: 100 }));
    let e = &model.exprs.clone();
    let more = e.modulo(e.add([e.var(counter), e.int(1)]), e.int(101));
    let count = |i: u32| branch(e.var(VarId(i)), assign(counter, more), assign(VarId(i), e.bool(true)));
    let first = Statement::Assume(e.lt(e.var(counter), e.int(100)));
    let body = Statement::Sequence([first].into_iter().chain((0..n).map(count)).collect());
    model.commands.push(command(body));
    model
}

#[test]
fn ifs_in_a_row_are_no_list_of_paths() {
    for n in [13, 40, 90] {
        let model = ifs(n as u32);
        let system = system(&model);
        let mut state = vec![0; n + 1];
        state[1] = 1;
        let mut next = vec![1; n + 1];
        assert_eq!(after(&system, &state), Ok(vec![next.clone()]), "{n} ifs");
        next[n] = (1 + n as i64) % 101;
        state[1..=n].fill(1);
        state[0] = 1;
        state[n] = 1;
        assert_eq!(after(&system, &state), Ok(vec![next]), "{n} ifs");
    }
}

#[test]
fn forty_choices_that_count_have_as_many_results_as_sums() {
    let mut model = Model::default();
    let counter = model.vars.push(var("c", Domain::Range { lo: 0, hi: 100 }));
    let e = &model.exprs.clone();
    let more = assign(counter, e.add([e.var(counter), e.int(1)]));
    let coin = Statement::Choice(vec![Statement::Skip, more]);
    model.commands.push(command(Statement::Sequence(vec![coin; 40])));
    let expected: Vec<Vec<i64>> = (0..=40).map(|n| vec![n]).collect();
    assert_eq!(after(&system(&model), &[0]), Ok(expected));
}

/// Of two choices the later one decides first, and a branch comes with all that is within it.
#[test]
fn results_are_in_the_order_of_the_paths() {
    let mut model = Model::default();
    let vars: Vec<VarId> = (0..12).map(|i| model.vars.push(var(&format!("x{i}"), Domain::Bool))).collect();
    let e = &model.exprs.clone();
    let set = |var: VarId| Statement::Choice(vec![Statement::Skip, assign(var, e.bool(true))]);
    let body = Statement::Sequence(vars.iter().map(|&var| set(var)).collect());
    model.commands.push(command(body));
    let expected: Vec<Vec<i64>> =
        (0..1 << 12).map(|number: i64| (0..12).map(|bit| (number >> bit) & 1).collect()).collect();
    assert_eq!(after(&system(&model), &[0; 12]), Ok(expected));
}

#[test]
fn an_overflow_on_a_branch_stops_only_where_the_branch_is_taken() {
    let mut model = Model::default();
    let (flag, number) = (model.vars.push(var("f", Domain::Bool)), model.vars.push(var("x", Domain::Int)));
    let e = &model.exprs.clone();
    model.init = vec![e.eq(e.var(number), e.int(0))];
    let twice = assign(number, e.mul(e.var(number), e.int(2)));
    let once = branch(e.var(flag), twice.clone(), Statement::Skip);
    let forked = Statement::Sequence(vec![any(flag), once.clone()]);
    let large = i64::MAX / 2 + 1;
    for (body, is_forked) in [(once, false), (forked, true)] {
        model.commands = vec![command(body)].into();
        let system = system(&model);
        let overflow = Err(Stop::Overflow("in command go (test:1:1)".to_owned()));
        assert_eq!(after(&system, &[1, large]), overflow);
        let expected = if is_forked { overflow } else { Ok(vec![vec![0, large]]) };
        assert_eq!(after(&system, &[0, large]), expected);
        assert_eq!(after(&system, &[1, 3]).map(|all| all[0].clone()), Ok(vec![1, 6]));
    }
}

/// A value that is shared in a large expression is computed on one side only, and asked for again behind both.
#[test]
fn what_is_computed_on_one_side_is_computed_again_where_the_sides_meet() {
    let mut model = Model::default();
    let (flag, x) =
        (model.vars.push(var("f", Domain::Bool)), model.vars.push(var("x", Domain::Range { lo: 0, hi: 9 })));
    let e = &model.exprs.clone();
    let odd = |part: Expr| e.eq(e.modulo(part, e.int(2)), e.int(1));
    let step = |part: Expr| e.ite(odd(part), e.sub(part, e.int(3)), e.add([part, e.int(1)]));
    let large = (0..60).fold(e.var(x), |part, _| step(part));
    let ask = Statement::Assume(e.le(large, e.int(1000)));
    let both = branch(e.var(flag), ask, Statement::Skip);
    let behind = Statement::Assume(e.lt(large, e.int(-55)));
    model.commands.push(command(Statement::Sequence(vec![both, behind])));
    let value = |from: i64| (0..60).fold(from, |x, _| if x.rem_euclid(2) == 1 { x - 3 } else { x + 1 });
    let system = system(&model);
    let mut steps = Steps::new();
    for (flag, x) in (0..10).flat_map(|x| [(0, x), (1, x)]) {
        // The registers still hold what was computed for the state before.
        steps.clear();
        system.successors(Listed::plain(&system.pack(&[flag, x])), &mut steps).expect("small numbers do not overflow");
        assert_eq!(steps.len() == 1, value(x) < -55, "{flag} {x}");
    }
}
