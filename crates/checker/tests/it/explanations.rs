//! What is said about states in which something errs, and about commands that do not fire.

use crate::common::build::{add_guarded, add_property, add_var, fault, set};
use lapidary_checker::{Steps, blocked, explain, failing_conjunct, false_part, responsible_fault};
use lapidary_ir::{CommandId, Domain, Expr, Model, PropertyId, PropertyKind, VarId};

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

#[test]
fn the_part_of_a_formula_that_is_to_blame_is_told_with_its_values() {
    let (model, [on, small, within]) = model();
    let e = &model.exprs;
    let told = |formula, state: &[i64]| false_part(&model, formula, None, state);
    assert_eq!(told(e.and([small, on, within]), &[0, 3]), "on is false");
    assert_eq!(told(e.and([on, within]), &[1, 3]), "x + 1 <= 3 is false: x = 3");
    assert_eq!(told(e.implies(on, within), &[1, 3]), "on holds, but x + 1 <= 3 is false: x = 3");
    assert_eq!(told(e.not(e.or([within, on])), &[1, 3]), "on is true");
    assert_eq!(told(e.not(e.and([small, on])), &[1, 3]), "!(x < 9 & on) is false: x = 3, on = true");
    assert_eq!(told(e.lt(e.int(1), e.div(e.int(6), e.var(VarId(1)))), &[1, 0]), "1 < 6 div x has no value: x = 0");
    let written = false_part(&model, within, Some("x /* + 1 */ < 3"), &[1, 3]);
    assert_eq!(written, "x /* + 1 */ < 3 is false: x = 3");
    // A formula that nobody reads to its end is cut.
    let long = (0..200).map(|i| e.not(e.eq(e.var(VarId(1)), e.int(i))));
    let text = told(e.not(e.and(long)), &[0, 300]);
    assert!(text.len() < 300 && text.contains(" ... is false"), "{text}");
}

#[test]
fn of_many_commands_the_first_are_told() {
    let (mut model, [on, ..]) = model();
    let e = &model.exprs;
    let never = e.and([on, e.not(on)]);
    assert_eq!(
        blocked(&model, Steps::Commands, &[1, 3]),
        ["no command has a step:", "  P[0].inc: it would err, x := x + 1 leaves 0..3"]
    );
    for i in 0..50 {
        add_guarded(&mut model, &format!("c{i}"), never, Vec::new());
    }
    let lines = blocked(&model, Steps::Events, &[0, 3]);
    assert_eq!(lines[0], "no event is possible:");
    assert_eq!(lines[1], "  P[0].inc: on is false");
    assert!(lines.len() < 20 && lines.last().is_some_and(|last| last.contains("more")), "{lines:?}");
    let nothing = blocked(&Model::default(), Steps::Commands, &[]);
    assert_eq!(nothing, ["no command has a step: there is none"]);
}
