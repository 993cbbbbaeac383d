//! Initial states that a statement leads to.

use lapidary_base::Control;
use lapidary_ir::{Domain, Life, Model, Statement, Var};

use super::{any, assign, branch, system, var};
use crate::initial::{Wanted, is_some};
use crate::successors::Successors;

fn initial(model: &Model) -> Vec<Vec<i64>> {
    let system = system(model);
    let mut found = Vec::new();
    let listed = system.initial(&Control::new(), &mut |state| {
        found.push(system.unpack(state.discrete).to_vec());
        Ok(())
    });
    listed.map(|()| found).expect("nothing overflows")
}

/// From any digit: half of it, and any digit beside it that the invariant admits.
#[test]
fn initial_states_are_where_the_statement_ends_each_once() {
    let mut model = Model::default();
    let digit = Domain::Range { lo: 0, hi: 5 };
    let (x, y) = (model.vars.push(var("x", digit)), model.vars.push(var("y", digit)));
    let half = model.vars.push(Var { life: Life::Local, ..var("half", Domain::Range { lo: 7, hi: 20 }) });
    let e = &model.exprs.clone();
    model.init = vec![e.eq(e.var(y), e.int(3)), e.lt(e.int(1), e.var(x))];
    let by_two = assign(half, e.add([e.div(e.var(x), e.int(2)), e.int(7)]));
    let back = assign(x, e.sub(e.var(half), e.int(7)));
    let scope = Statement::Scope(vec![half], Box::new(Statement::Sequence(vec![by_two, back])));
    let even = e.eq(e.modulo(e.var(x), e.int(2)), e.int(0));
    model.start = Statement::Sequence(vec![scope, branch(even, Statement::Skip, any(y))]);
    // The states in which the statement begins need not keep it.
    model.invariant = vec![e.lt(e.var(x), e.int(3)), e.ne(e.var(y), e.int(5))];
    let expected: Vec<Vec<i64>> = [[1, 0], [1, 1], [1, 2], [1, 3], [1, 4], [2, 3]].map(|[x, y]| vec![x, y, 7]).into();
    assert_eq!(initial(&model), expected);
    assert_eq!(is_some(&model, Wanted::Initial, 1000, &Control::new()), Ok(None), "nobody has executed it");
    model.start = Statement::Assume(e.bool(false));
    assert_eq!(initial(&model), Vec::<Vec<i64>>::new());
}

#[test]
fn without_a_statement_the_condition_decides_alone() {
    let mut model = Model::default();
    let x = model.vars.push(var("x", Domain::Range { lo: 0, hi: 5 }));
    model.vars.push(Var { life: Life::Local, ..var("t", Domain::Int) });
    let e = &model.exprs.clone();
    model.init = vec![e.lt(e.int(1), e.var(x))];
    model.invariant = vec![e.lt(e.var(x), e.int(4))];
    assert_eq!(initial(&model), [vec![2, 0], vec![3, 0]]);
}
