//! Wrong traces, each rejected for its own reason, beside the right ones that they were made from.

use crate::common::build::{add_command, add_enum, add_guarded, add_property, add_var, fault, set, set_any, set_cell};
use lapidary_base::Stop;
use lapidary_checker::{Rejection, replay_model};
use lapidary_ir::model::Raw;
use lapidary_ir::{Action, CommandId, Domain, Ltl, Model, PropertyId, PropertyKind, Statement, VarId};
use lapidary_verdict::{Trace, Verdict};

const INC: CommandId = CommandId(0);
const TURN: CommandId = CommandId(1);
const STORE: CommandId = CommandId(2);
const INPUT: CommandId = CommandId(3);
const GROW: CommandId = CommandId(4);

const SMALL: PropertyId = PropertyId(0);
const FULL: PropertyId = PropertyId(1);
const PROGRESS: PropertyId = PropertyId(2);
const NO_ERRORS: PropertyId = PropertyId(3);
const LIVE: PropertyId = PropertyId(4);
const LOOKUP: PropertyId = PropertyId(5);

/// `x: 0..3 = 0; mode: {idle, busy} = idle; a: bool[2] = false; z: int = 0`, and the commands
/// `inc: mode = idle & x < 3 -> x := x + 1`, `turn: mode = idle -> mode := busy` or nothing else, `store: mode = idle ->
/// a[x] := true`, `input: mode = idle -> z := input`, `grow: mode = idle -> z := z * z`.
fn machine() -> Model {
    let mut model = Model::default();
    let modes = add_enum(&mut model, "Mode", &["idle", "busy"]);
    let x = add_var(&mut model, "x", Domain::Range { lo: 0, hi: 3 });
    let mode = add_var(&mut model, "mode", Domain::Enum(modes));
    let a = crate::common::build::add_family(&mut model, "a", 2, Domain::Bool);
    let z = add_var(&mut model, "z", Domain::Int);
    let e = &model.exprs;
    let (vx, vz, zero, yes) = (e.var(x), e.var(z), e.int(0), e.bool(true));
    let (idle, busy) = (e.eq(e.var(mode), e.literal(modes, 0)), e.literal(modes, 1));
    let (next, square) = (e.add([vx, e.int(1)]), e.mul(vz, vz));
    let counting = e.and([idle, e.lt(vx, e.int(3))]);
    let cells = [e.not(e.var(VarId(2))), e.not(e.var(VarId(3)))];
    let init = vec![e.eq(vx, zero), idle, e.and(cells), e.eq(vz, zero)];
    let (small, full, unset) = (e.lt(vx, e.int(2)), e.eq(vx, e.int(3)), e.not(e.cell(a, vx)));
    let (beyond, at_end) = (e.le(e.int(2), vx), e.and([idle, full]));
    let turning = [Statement::Assume(idle), Statement::Choice(vec![Statement::Skip, Statement::Assign(vec![])])];
    let turned = Statement::Assign(vec![set(mode, busy)]);
    add_guarded(&mut model, "inc", counting, vec![set(x, next)]);
    add_command(&mut model, "turn", Statement::Sequence([turning.to_vec(), vec![turned]].concat()));
    add_guarded(&mut model, "store", idle, vec![set_cell(a, vx, yes)]);
    add_guarded(&mut model, "input", idle, vec![set_any(z)]);
    add_guarded(&mut model, "grow", idle, vec![set(z, square)]);
    let err = fault(model.exprs.and([idle, beyond]), "index x is outside a[0..1]");
    model.commands[STORE].faults.push(err);
    model.commands[INC].faults.push(fault(at_end, "x + 1 is outside 0..3"));
    model.init = init;
    add_property(&mut model, "small", PropertyKind::Invariant(small));
    add_property(&mut model, "full", PropertyKind::Reach(full));
    add_property(&mut model, "progress", PropertyKind::DeadlockFree);
    add_property(&mut model, "no_errors", PropertyKind::NoErrors);
    add_property(&mut model, "live", PropertyKind::Ltl(Ltl::State(full)));
    let lookup = add_property(&mut model, "lookup", PropertyKind::Invariant(unset));
    model.properties[lookup].faults.push(fault(beyond, "index x is outside a[0..1]"));
    model
}

fn trace(states: &[[Raw; 5]], actions: &[CommandId]) -> Trace {
    let states = states.iter().map(|state| state.to_vec().into()).collect();
    let actions = actions.iter().map(|&command| Action::Command(command)).collect();
    Trace { states, actions, loop_start: None }
}

fn at(x: Raw) -> [Raw; 5] {
    [x, 0, 0, 0, 0]
}

/// `inc` as often as it takes to get to `x`.
fn counting(x: Raw) -> Trace {
    let states: Vec<[Raw; 5]> = (0..=x).map(at).collect();
    trace(&states, &vec![INC; x as usize])
}

#[track_caller]
fn accept(property: PropertyId, verdict: Verdict, trace: &Trace) {
    assert_eq!(replay_model(&machine(), property, verdict, trace), Ok(()));
}

#[track_caller]
fn reject(property: PropertyId, verdict: Verdict, trace: &Trace, why: &str) {
    assert_eq!(replay_model(&machine(), property, verdict, trace), Err(Rejection::Wrong(why.to_owned())));
}

#[test]
fn right_traces_are_accepted() {
    accept(SMALL, Verdict::Violated, &counting(2));
    accept(FULL, Verdict::Holds, &counting(3));
    accept(PROGRESS, Verdict::Violated, &trace(&[at(0), [0, 1, 0, 0, 0]], &[TURN]));
    accept(NO_ERRORS, Verdict::Violated, &counting(2));
    accept(LOOKUP, Verdict::Violated, &counting(2));
    accept(LOOKUP, Verdict::Violated, &trace(&[at(0), [0, 0, 1, 0, 0]], &[STORE]));
    accept(
        SMALL,
        Verdict::Violated,
        &trace(&[at(0), [0, 0, 0, 0, -7], [1, 0, 0, 0, -7], [2, 0, 0, 0, -7]], &[INPUT, INC, INC]),
    );
}

#[test]
fn the_first_state_must_be_initial() {
    reject(SMALL, Verdict::Violated, &trace(&[at(2)], &[]), "state 0 is not initial: x is 2, expected 0");
    let busy = [0, 1, 0, 0, 0];
    reject(SMALL, Verdict::Violated, &trace(&[busy], &[]), "state 0 is not initial: mode is busy, expected idle");
    let stored = [0, 0, 0, 1, 0];
    reject(SMALL, Verdict::Violated, &trace(&[stored], &[]), "state 0 is not initial: a[1] is true, expected false");
}

#[test]
fn initial_conditions_must_be_true_and_defined() {
    let mut model = machine();
    let e = &model.exprs;
    let x = e.var(VarId(0));
    model.init = vec![e.bool(true), e.lt(e.int(0), x)];
    let rejected = |model: &Model, why: &str| {
        let answer = replay_model(model, SMALL, Verdict::Violated, &counting(2));
        assert_eq!(answer, Err(Rejection::Wrong(why.to_owned())));
    };
    rejected(&model, "state 0 is not initial: initial condition 1 is false");
    model.init = vec![model.exprs.eq(model.exprs.modulo(x, x), model.exprs.int(0))];
    rejected(&model, "state 0 is not initial: initial condition 1 has no value");
    model.init = Vec::new();
    model.invariant = vec![model.exprs.lt(model.exprs.int(0), x)];
    rejected(&model, "state 0 is not initial: the model's invariant is not true");
}

#[test]
fn values_stay_in_their_domains() {
    reject(SMALL, Verdict::Violated, &trace(&[at(0), at(4)], &[INC]), "state 1: x is 4, outside 0..3");
    let third_mode = [0, 2, 0, 0, 0];
    reject(SMALL, Verdict::Violated, &trace(&[third_mode], &[]), "state 0: mode is 2, outside {idle, busy}");
    let third_truth = [0, 0, 2, 0, 0];
    reject(SMALL, Verdict::Violated, &trace(&[third_truth], &[]), "state 0: a[0] is 2, outside bool");
}

#[test]
fn every_state_has_a_value_for_every_variable() {
    let mut short = counting(2);
    short.states[1] = vec![1, 0, 0, 0].into();
    reject(SMALL, Verdict::Violated, &short, "state 1: 4 values for 5 variables");
}

#[test]
fn a_trace_has_states_and_one_action_between_each_two() {
    reject(SMALL, Verdict::Violated, &trace(&[], &[]), "the trace has no states");
    let many = trace(&[at(0), at(1)], &[INC, INC]);
    reject(SMALL, Verdict::Violated, &many, "the trace has 2 states and 2 actions, it needs one action less");
    let few = trace(&[at(0), at(1), at(2)], &[INC]);
    reject(SMALL, Verdict::Violated, &few, "the trace has 3 states and 1 actions, it needs one action less");
    let strange = trace(&[at(0), at(1)], &[CommandId(9)]);
    reject(SMALL, Verdict::Violated, &strange, "the model has no command number 9");
}

#[test]
fn loops_and_temporal_properties_are_not_taken() {
    let lasso = Trace { loop_start: Some(0), ..counting(2) };
    reject(SMALL, Verdict::Violated, &lasso, "not a path: the trace for small has a loop");
    reject(LIVE, Verdict::Violated, &counting(2), "unsupported evidence: live is a temporal property");
    reject(PropertyId(6), Verdict::Violated, &counting(2), "the model has no property number 6");
}

#[test]
fn actions_must_be_enabled() {
    let busy = [0, 1, 0, 0, 0];
    let late = trace(&[at(0), busy, [1, 1, 0, 0, 0]], &[TURN, INC]);
    reject(SMALL, Verdict::Violated, &late, "step 2: inc is not enabled");
    let outside = trace(&[at(0), at(1), at(2), [2, 0, 1, 0, 0]], &[INC, INC, STORE]);
    let why = "step 3: store is not enabled: it would err, index x is outside a[0..1]";
    reject(SMALL, Verdict::Violated, &outside, why);
}

#[test]
fn actions_lead_where_they_lead() {
    let far = trace(&[at(0), at(2)], &[INC]);
    reject(SMALL, Verdict::Violated, &far, "step 1: inc leads elsewhere: x is 2, expected 1");
    let idle = trace(&[at(0), at(0)], &[TURN]);
    reject(PROGRESS, Verdict::Violated, &idle, "step 1: turn leads elsewhere: mode is idle, expected busy");
    let other_cell = trace(&[at(0), [0, 0, 0, 1, 0]], &[STORE]);
    reject(LOOKUP, Verdict::Violated, &other_cell, "step 1: store leads elsewhere: a[0] is false, expected true");
}

#[test]
fn actions_leave_the_other_variables_alone() {
    let busy = trace(&[at(0), at(1), [2, 1, 0, 0, 0]], &[INC, INC]);
    reject(SMALL, Verdict::Violated, &busy, "step 2: inc does not write mode, which changes from idle to busy");
    let input = trace(&[at(0), [2, 0, 0, 0, 9]], &[INPUT]);
    reject(SMALL, Verdict::Violated, &input, "step 1: input does not write x, which changes from 0 to 2");
}

#[test]
fn steps_keep_the_models_invariant() {
    let mut model = machine();
    model.invariant = vec![model.exprs.lt(model.exprs.var(VarId(0)), model.exprs.int(2))];
    let answer = replay_model(&model, SMALL, Verdict::Violated, &counting(2));
    assert_eq!(answer, Err(Rejection::Wrong("step 2: inc is not enabled".to_owned())));
}

#[test]
fn the_last_state_must_decide_the_property() {
    let not_shown = |property, verdict, x, why| reject(property, verdict, &counting(x), why);
    not_shown(SMALL, Verdict::Violated, 1, "the last state does not show that small is violated: its formula is true");
    not_shown(FULL, Verdict::Holds, 2, "the last state does not show that full holds: its formula is false");
    not_shown(FULL, Verdict::Violated, 3, "the last state does not show that full is violated: its formula is true");
    not_shown(FULL, Verdict::Violated, 2, "the last state does not show that full is violated: its formula is false");
    let no_error = "the last state does not show that no_errors is violated: no command would err";
    not_shown(NO_ERRORS, Verdict::Violated, 1, no_error);
    let deadlock = "the last state does not show that progress is violated: inc has a step";
    not_shown(PROGRESS, Verdict::Violated, 0, deadlock);
}

#[test]
fn a_witness_must_not_err_and_an_error_is_no_witness() {
    let mut model = machine();
    let when = model.exprs.eq(model.exprs.var(VarId(0)), model.exprs.int(3));
    model.properties[FULL].faults.push(fault(when, "something"));
    let why = "the last state does not show that full holds: it errs there, something";
    assert_eq!(replay_model(&model, FULL, Verdict::Holds, &counting(3)), Err(Rejection::Wrong(why.to_owned())));
    assert_eq!(replay_model(&model, FULL, Verdict::Violated, &counting(3)), Ok(()));
}

#[test]
fn a_formula_without_value_decides_nothing_unless_a_fault_says_so() {
    let mut model = machine();
    model.properties[LOOKUP].faults.clear();
    let why = "lookup has no value, but none of its faults says why";
    assert_eq!(replay_model(&model, LOOKUP, Verdict::Violated, &counting(2)), Err(Rejection::Wrong(why.to_owned())));
}

#[test]
fn no_trace_shows_what_is_about_all_runs() {
    reject(SMALL, Verdict::Holds, &counting(0), "no trace can show that small is holds");
    reject(PROGRESS, Verdict::Unknown, &counting(0), "no trace can show that progress is unknown");
}

#[test]
fn numbers_beyond_the_checkers_are_neither_right_nor_wrong() {
    let large = [0, 0, 0, 0, 1 << 40];
    let squared = trace(&[at(0), large, [0, 0, 0, 0, 0]], &[INPUT, GROW]);
    let answer = replay_model(&machine(), SMALL, Verdict::Violated, &squared);
    assert_eq!(answer, Err(Rejection::Stopped(Stop::Overflow("grow".to_owned()))));
}

#[test]
fn values_that_are_overwritten_later_are_still_tried() {
    let mut model = Model::default();
    let x = add_var(&mut model, "x", Domain::Range { lo: 0, hi: 9 });
    let y = add_var(&mut model, "y", Domain::Range { lo: 0, hi: 9 });
    let e = &model.exprs.clone();
    let (vx, vy) = (e.var(x), e.var(y));
    let reached = e.eq(vy, e.int(7));
    model.init = vec![e.eq(vx, e.int(0)), e.eq(vy, e.int(0))];
    let (copy, reset) = (Statement::Assign(vec![set(y, vx)]), Statement::Assign(vec![set(x, e.int(0))]));
    add_command(&mut model, "pick", Statement::Sequence(vec![Statement::Assign(vec![set_any(x)]), copy, reset]));
    let goal = add_property(&mut model, "goal", PropertyKind::Reach(reached));
    let trace = Trace {
        states: vec![vec![0, 0].into(), vec![0, 7].into()],
        actions: vec![Action::Command(INC)],
        loop_start: None,
    };
    assert_eq!(replay_model(&model, goal, Verdict::Holds, &trace), Ok(()));
    let wrong = Trace { states: vec![vec![0, 0].into(), vec![7, 7].into()], ..trace };
    let why = "step 1: pick has no execution that leads to x=7 y=7".to_owned();
    assert_eq!(replay_model(&model, goal, Verdict::Holds, &wrong), Err(Rejection::Wrong(why)));
}
