//! Certificates of models whose steps or initial states are out of the ordinary: indexes, choices, large numbers.

use crate::common::build::{
    add_command, add_family, add_guarded, add_property, add_var, fault, set, set_any, set_cell,
};
use crate::common::judge::{add_trivial, judge_states, wrong};
use lapidary_base::Stop;
use lapidary_checker::Rejection;
use lapidary_ir::model::Raw;
use lapidary_ir::{
    Assignment, CommandId, Destination, Domain, Expr, Exprs, FamilyId, Model, PropertyId, PropertyKind, Rhs, Statement,
    VarId,
};
use lapidary_verdict::Checked;

#[test]
fn initial_values_of_unbounded_variables_must_be_given() {
    let mut model = Model::default();
    let z = add_var(&mut model, "z", Domain::Int);
    add_trivial(&mut model);
    let why = "cannot enumerate the initial states: no condition gives z a value";
    assert_eq!(judge_states(&model, &[PropertyId(0)], &[[0]]), wrong(why));
    model.init = vec![model.exprs.eq(model.exprs.var(z), model.exprs.int(-5))];
    assert_eq!(judge_states(&model, &[PropertyId(0)], &[[-5]]), Ok(Checked::Fully));
}

#[test]
fn initial_values_of_many_cells_are_found_without_trying_all() {
    let mut model = Model::default();
    let a = add_family(&mut model, "a", 64, Domain::Bool);
    let e = &model.exprs;
    model.init = (0..64).map(|i| e.not(e.cell(a, e.int(i)))).collect();
    add_trivial(&mut model);
    assert_eq!(judge_states(&model, &[PropertyId(0)], &[[0; 64]]), Ok(Checked::Fully));
    assert!(judge_states(&model, &[PropertyId(0)], &[[1; 64]]).is_err());
}

#[test]
fn any_integer_cannot_be_enumerated() {
    let mut model = Model::default();
    let z = add_var(&mut model, "z", Domain::Int);
    model.init = vec![model.exprs.eq(model.exprs.var(z), model.exprs.int(0))];
    add_command(&mut model, "input", Statement::Assign(vec![set_any(z)]));
    add_trivial(&mut model);
    let why = "cannot enumerate the steps of input: it gives z any of infinitely many values".to_owned();
    let open = Err(Rejection::Stopped(Stop::Incomplete(why)));
    assert_eq!(judge_states(&model, &[PropertyId(0)], &[[0]]), open);
}

/// `z: int = start; go: z := update`
fn unbounded(start: Raw, update: impl Fn(&Exprs, Expr) -> Expr) -> Model {
    let mut model = Model::default();
    let z = add_var(&mut model, "z", Domain::Int);
    let e = &model.exprs.clone();
    model.init = vec![e.eq(e.var(z), e.int(start))];
    let (always, update) = (e.bool(true), update(e, e.var(z)));
    add_guarded(&mut model, "go", always, vec![set(z, update)]);
    add_trivial(&mut model);
    model
}

#[test]
fn numbers_that_leave_64_bits_are_not_wrapped() {
    let model = unbounded(Raw::MAX, |e, z| e.add([z, e.int(1)]));
    let answer = judge_states(&model, &[PropertyId(0)], &[[Raw::MAX], [Raw::MIN]]);
    assert_eq!(answer, Err(Rejection::Stopped(Stop::Overflow("go".to_owned()))));
    // Beyond 64 bits and back again is no problem for the interpreter.
    let model = unbounded(Raw::MAX, |e, z| e.div(e.mul(z, z), z));
    assert_eq!(judge_states(&model, &[PropertyId(0)], &[[Raw::MAX]]), Ok(Checked::Fully));
}

#[test]
fn conditions_that_need_more_than_64_bits_are_left_to_the_interpreter() {
    let mut model = unbounded(Raw::MAX, |e, _| e.int(0));
    let e = &model.exprs;
    let z = e.var(VarId(0));
    let large = e.lt(e.int(0), e.mul(z, z));
    let Statement::Sequence(body) = &mut model.commands[CommandId(0)].body else { panic!("a guarded command") };
    body[0] = Statement::Assume(large);
    let why = "state 0 (z=9223372036854775807) leads by go to (z=0), which is not listed";
    assert_eq!(judge_states(&model, &[PropertyId(0)], &[[Raw::MAX]]), wrong(why));
    // The same in the middle of a body, in an invariant of the model, in a property and in a fault.
    let e = &model.exprs.clone();
    let small = e.or([e.eq(z, e.int(0)), large]);
    model.invariant = vec![small];
    model.commands[CommandId(0)].faults = vec![fault(e.not(small), "nothing")];
    model.properties[PropertyId(0)].kind = PropertyKind::Invariant(small);
    let no_errors = add_property(&mut model, "no_errors", PropertyKind::NoErrors);
    assert_eq!(judge_states(&model, &[PropertyId(0), no_errors], &[[Raw::MAX]]), wrong(why));
    assert_eq!(judge_states(&model, &[PropertyId(0), no_errors], &[[Raw::MAX], [0]]), Ok(Checked::Fully));
}

/// `i: 0..2 = 0; a: (0..1)[2] = 0`
fn cells() -> (Model, VarId, FamilyId) {
    let mut model = Model::default();
    let i = add_var(&mut model, "i", Domain::Range { lo: 0, hi: 2 });
    let a = add_family(&mut model, "a", 2, Domain::Range { lo: 0, hi: 1 });
    let e = &model.exprs;
    model.init = model.vars.ids().map(|var| e.eq(e.var(var), e.int(0))).collect();
    add_trivial(&mut model);
    (model, i, a)
}

#[test]
fn one_assignment_never_writes_a_cell_twice() {
    let (mut model, i, a) = cells();
    let e = &model.exprs;
    let (one, vi) = (e.int(1), e.var(i));
    let always = e.bool(true);
    let both = vec![set_cell(a, vi, one), set_cell(a, e.int(1), one)];
    add_guarded(&mut model, "advance", always, vec![set(i, one)]);
    add_guarded(&mut model, "both", always, both);
    // With i = 1 the two are one cell; with i = 0 both are written.
    let states = [[0, 0, 0], [1, 0, 0], [0, 1, 1], [1, 1, 1]];
    assert_eq!(judge_states(&model, &[PropertyId(0)], &states), Ok(Checked::Fully));
    let why = "state 0 (i=0 a[0]=0 a[1]=0) leads by both to (i=0 a[0]=1 a[1]=1), which is not listed";
    assert_eq!(judge_states(&model, &[PropertyId(0)], &states[..2]), wrong(why));
}

#[test]
fn indexes_out_of_bounds_are_no_steps() {
    let (mut model, i, a) = cells();
    let e = &model.exprs;
    let (always, one, vi) = (e.bool(true), e.int(1), e.var(i));
    let (next, outside, at_end) = (e.add([vi, one]), e.int(2), e.eq(vi, e.int(2)));
    add_guarded(&mut model, "next", always, vec![set(i, next)]);
    add_guarded(&mut model, "mark", at_end, vec![set_cell(a, vi, one)]);
    add_guarded(&mut model, "never", always, vec![set_cell(a, outside, one)]);
    assert_eq!(judge_states(&model, &[PropertyId(0)], &[[0, 0, 0], [1, 0, 0], [2, 0, 0]]), Ok(Checked::Fully));
}

#[test]
fn choices_conditions_and_inputs_are_all_followed() {
    let (mut model, i, a) = cells();
    let e = &model.exprs;
    let (zero, one, vi) = (e.int(0), e.int(1), e.var(i));
    let assign = |assignment| Statement::Assign(vec![assignment]);
    let any_cell = Assignment { to: Destination::Cell(a, zero), value: Rhs::Any };
    let copy = Statement::If(e.eq(vi, one), assign(set_cell(a, one, one)).into(), Statement::Skip.into());
    let body = vec![
        Statement::Assume(e.eq(vi, zero)),
        Statement::Choice(vec![assign(set(i, one)), assign(any_cell)]),
        copy,
        Statement::Assume(e.not(e.eq(e.cell(a, zero), e.int(5)))),
    ];
    add_command(&mut model, "go", Statement::Sequence(body));
    let states = [[0, 0, 0], [1, 0, 1], [0, 1, 0], [1, 1, 1]];
    assert_eq!(judge_states(&model, &[PropertyId(0)], &states), Ok(Checked::Fully));
    for missing in 1..4 {
        let mut states = states.to_vec();
        let removed = states.remove(missing);
        let Err(Rejection::Wrong(why)) = judge_states(&model, &[PropertyId(0)], &states) else { panic!("a hole") };
        let [i, a0, a1] = removed;
        assert!(why.ends_with(&format!("leads by go to (i={i} a[0]={a0} a[1]={a1}), which is not listed")), "{why}");
    }
}
