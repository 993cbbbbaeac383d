//! What is said about states in which something errs, and about commands that do not fire.

use crate::common::build::{add_guarded, add_property, add_var, fault, set};
use lapidary_checker::{explain, failing_conjunct, responsible_fault};
use lapidary_ir::{CommandId, Domain, Expr, Model, PropertyId, PropertyKind};

const INC: CommandId = CommandId(0);

/// `on: bool; x: 0..3; P[0].inc: on & x < 9 -> x := x + 1` with its guard against leaving the range, and
/// `invariant safe: 6 div x > 1`.
fn model() -> (Model, [Expr; 3]) {
    let mut model = Model::default();
    let on = add_var(&mut model, "on", Domain::Bool);
    let x = add_var(&mut model, "x", Domain::Range { lo: 0, hi: 3 });
    let e = &model.exprs;
    let (next, within) = (e.add([e.var(x), e.int(1)]), e.le(e.add([e.var(x), e.int(1)]), e.int(3)));
    let parts = [e.var(on), e.lt(e.var(x), e.int(9)), within];
    let errs = e.and([parts[0], parts[1], e.not(within)]);
    let formula = e.lt(e.int(1), e.div(e.int(6), e.var(x)));
    let (guard, by_zero) = (e.and(parts), e.eq(e.var(x), e.int(0)));
    add_guarded(&mut model, "P[0].inc", guard, vec![set(x, next)]);
    model.commands[INC].faults.push(fault(errs, "x := x + 1 leaves 0..3"));
    let safe = add_property(&mut model, "safe", PropertyKind::Invariant(formula));
    model.properties[safe].faults.push(fault(by_zero, "6 div x divides by zero"));
    add_property(&mut model, "no_errors", PropertyKind::NoErrors);
    add_property(&mut model, "progress", PropertyKind::DeadlockFree);
    (model, parts)
}

#[test]
fn errors_are_told_in_the_words_of_their_fault() {
    let (model, _) = model();
    let told = |property, state| explain(&model, PropertyId(property), state);
    assert_eq!(told(0, &[0, 0]).as_deref(), Some("evaluating the property errs: 6 div x divides by zero"));
    assert_eq!(told(0, &[0, 3]), None);
    assert_eq!(told(1, &[1, 3]).as_deref(), Some("P[0].inc would err: x := x + 1 leaves 0..3"));
    assert_eq!(told(1, &[0, 3]), None);
    assert_eq!(told(2, &[0, 3]), None);
}

#[test]
fn the_first_conjunct_that_is_not_true_keeps_a_command_from_firing() {
    let (model, [on, _, within]) = model();
    assert_eq!(failing_conjunct(&model, INC, &[0, 3]), Some(on));
    assert_eq!(failing_conjunct(&model, INC, &[1, 3]), Some(within));
    assert_eq!(failing_conjunct(&model, INC, &[1, 2]), None);
    let responsible = |state| responsible_fault(&model, INC, state).map(|fault| fault.what.as_str());
    assert_eq!(responsible(&[1, 3]), Some("x := x + 1 leaves 0..3"));
    assert_eq!(responsible(&[0, 3]), None);
}
