//! Expressions and errors, one by one, against the language reference.

use std::collections::BTreeSet;

use crate::common::{always, bound, decided, explore, global, int, of_instance, op, property, range, read, variable};
use lapidary_reference::ast::{
    Binary, Binder, Claim, Command, Expr, Model, Process, Quantifier, Source, Type, Unary, Update,
};
use lapidary_reference::brute::{Fault, NO_ERRORS, Verdict};

/// What an expression evaluates to: an error, or whether it is true.
fn evaluate(expr: Expr) -> Result<bool, Fault> {
    let model = Model {
        variables: vec![variable("a", range(0, 9), &[2], Some(int(7)))],
        properties: vec![property("value", Claim::Invariant(expr))],
        ..Model::default()
    };
    let outcome = explore(&model).outcomes.swap_remove(0);
    match outcome.faults.first() {
        Some(fault) => Err(*fault),
        None => Ok(outcome.verdict == Verdict::Holds),
    }
}

#[track_caller]
fn equals(left: Expr, right: i128) {
    assert_eq!(evaluate(op(left, Binary::Eq, int(right))), Ok(true));
}

/// A condition that errs.
fn bad() -> Expr {
    op(op(int(1), Binary::Div, int(0)), Binary::Eq, int(0))
}

fn yes() -> Expr {
    Expr::Bool(true)
}

fn no() -> Expr {
    Expr::Bool(false)
}

fn binder(lo: i128, hi: i128) -> Binder {
    crate::common::binder("i", lo, hi)
}

#[test]
fn div_and_mod_are_those_of_smt_lib() {
    for (left, right, quotient, remainder) in
        [(7, 2, 3, 1), (7, -2, -3, 1), (-7, 2, -4, 1), (-7, -2, 4, 1), (6, -3, -2, 0), (-6, 3, -2, 0), (0, -5, 0, 0)]
    {
        equals(op(int(left), Binary::Div, int(right)), quotient);
        equals(op(int(left), Binary::Mod, int(right)), remainder);
    }
}

#[test]
fn arithmetic_is_as_usual() {
    equals(op(int(2), Binary::Add, int(-3)), -1);
    equals(op(int(2), Binary::Sub, int(-3)), 5);
    equals(op(int(2), Binary::Mul, int(-3)), -6);
    equals(op(int(2), Binary::Min, int(-3)), -3);
    equals(op(int(2), Binary::Max, int(-3)), 2);
    equals(Expr::unary(Unary::Abs, int(-3)), 3);
    equals(Expr::unary(Unary::Neg, int(-3)), 3);
    equals(Expr::branch(no(), int(1), int(2)), 2);
}

#[test]
fn comparisons_are_as_usual() {
    let table = [
        (Binary::Eq, [false, true, false]),
        (Binary::Ne, [true, false, true]),
        (Binary::Lt, [true, false, false]),
        (Binary::Le, [true, true, false]),
        (Binary::Gt, [false, false, true]),
        (Binary::Ge, [false, true, true]),
    ];
    for (operator, results) in table {
        for (left, expected) in [1, 2, 3].into_iter().zip(results) {
            assert_eq!(evaluate(op(int(left), operator, int(2))), Ok(expected), "{left} {operator:?} 2");
        }
    }
}

#[test]
fn connectives_evaluate_only_as_far_as_needed() {
    assert_eq!(evaluate(op(no(), Binary::And, bad())), Ok(false));
    assert_eq!(evaluate(op(yes(), Binary::And, bad())), Err(Fault::DivisionByZero));
    assert_eq!(evaluate(op(bad(), Binary::And, no())), Err(Fault::DivisionByZero));
    assert_eq!(evaluate(op(yes(), Binary::Or, bad())), Ok(true));
    assert_eq!(evaluate(op(no(), Binary::Or, bad())), Err(Fault::DivisionByZero));
    assert_eq!(evaluate(op(bad(), Binary::Or, yes())), Err(Fault::DivisionByZero));
    assert_eq!(evaluate(op(no(), Binary::Implies, bad())), Ok(true));
    assert_eq!(evaluate(op(yes(), Binary::Implies, bad())), Err(Fault::DivisionByZero));
    assert_eq!(evaluate(op(yes(), Binary::Implies, no())), Ok(false));
    assert_eq!(evaluate(op(bad(), Binary::Implies, yes())), Err(Fault::DivisionByZero));
    assert_eq!(evaluate(op(no(), Binary::Iff, bad())), Err(Fault::DivisionByZero));
    assert_eq!(evaluate(op(no(), Binary::Iff, no())), Ok(true));
    assert_eq!(evaluate(Expr::branch(yes(), yes(), bad())), Ok(true));
    assert_eq!(evaluate(Expr::branch(no(), yes(), bad())), Err(Fault::DivisionByZero));
}

#[test]
fn arithmetic_evaluates_all_operands() {
    let product = op(int(0), Binary::Mul, op(int(1), Binary::Mod, int(0)));
    assert_eq!(evaluate(op(product, Binary::Eq, int(0))), Err(Fault::DivisionByZero));
    let least = op(int(0), Binary::Min, op(int(1), Binary::Div, int(0)));
    assert_eq!(evaluate(op(least, Binary::Eq, int(0))), Err(Fault::DivisionByZero));
}

#[test]
fn quantifiers_stop_at_the_first_deciding_value() {
    // The body errs for i = 2 only.
    let body = |limit| {
        let quotient = op(int(1), Binary::Div, op(bound("i"), Binary::Sub, int(2)));
        op(op(bound("i"), Binary::Lt, int(limit)), Binary::And, op(quotient, Binary::Le, int(1)))
    };
    let quantified = |quantifier, limit, hi| evaluate(Expr::quantified(quantifier, binder(0, hi), body(limit)));
    assert_eq!(quantified(Quantifier::Forall, 1, 3), Ok(false));
    assert_eq!(quantified(Quantifier::Forall, 3, 3), Err(Fault::DivisionByZero));
    assert_eq!(quantified(Quantifier::Forall, 3, 1), Ok(true));
    assert_eq!(quantified(Quantifier::Exists, 3, 3), Ok(true));
    assert_eq!(quantified(Quantifier::Exists, 0, 3), Ok(false));
    let counted = Expr::quantified(Quantifier::Count, binder(0, 3), body(9));
    assert_eq!(evaluate(op(counted, Binary::Eq, int(2))), Err(Fault::DivisionByZero));
}

#[test]
fn sums_and_counts_go_over_the_whole_range() {
    equals(Expr::quantified(Quantifier::Sum, binder(-1, 3), bound("i")), 5);
    let positive = op(bound("i"), Binary::Gt, int(0));
    equals(Expr::quantified(Quantifier::Count, binder(-1, 3), positive), 3);
}

#[test]
fn empty_ranges_are_neutral() {
    assert_eq!(evaluate(Expr::quantified(Quantifier::Forall, binder(1, 0), no())), Ok(true));
    assert_eq!(evaluate(Expr::quantified(Quantifier::Exists, binder(1, 0), yes())), Ok(false));
    equals(Expr::quantified(Quantifier::Sum, binder(1, 0), int(5)), 0);
    equals(Expr::quantified(Quantifier::Count, binder(1, 0), yes()), 0);
}

#[test]
fn the_innermost_binder_of_a_name_counts() {
    let inner = Expr::quantified(Quantifier::Sum, binder(5, 5), bound("i"));
    equals(Expr::quantified(Quantifier::Sum, binder(0, 1), op(inner, Binary::Add, bound("i"))), 11);
}

#[test]
fn arrays_are_indexed_from_zero() {
    let cell = |index| Expr::Read(global(0, &[int(index)]));
    equals(cell(0), 7);
    equals(cell(1), 7);
    assert_eq!(evaluate(op(cell(2), Binary::Eq, int(7))), Err(Fault::Index));
    assert_eq!(evaluate(op(cell(-1), Binary::Eq, int(7))), Err(Fault::Index));
}

/// Runs one command from `x = 0`, `a = [0, 0]`, `P[1].y = P[2].y = 0` and returns the errors of steps.
fn faults(command: Command) -> (BTreeSet<Fault>, usize) {
    let process = Process {
        name: "P".to_owned(),
        param: Some(crate::common::binder("i", 1, 2)),
        variables: vec![variable("y", range(0, 1), &[], Some(int(0)))],
        commands: Vec::new(),
    };
    let model = Model {
        variables: vec![variable("x", range(0, 1), &[], Some(int(0))), variable("a", Type::Int, &[2], Some(int(0)))],
        processes: vec![process],
        commands: vec![command],
        ..Model::default()
    };
    let mut exploration = explore(&model);
    let violated = decided(&exploration, NO_ERRORS) == (Verdict::Violated, Some(0));
    let outcome = exploration.outcomes.swap_remove(0);
    assert_eq!(violated, !outcome.faults.is_empty());
    (outcome.faults, exploration.n_transitions)
}

#[track_caller]
fn errs(command: Command, fault: Fault) {
    assert_eq!(faults(command), (BTreeSet::from([fault]), 0));
}

#[test]
fn every_kind_of_error_keeps_a_step_from_being_taken() {
    errs(always(vec![(global(0, &[]), int(2))]), Fault::Range);
    errs(always(vec![(global(0, &[]), int(-1))]), Fault::Range);
    errs(always(vec![(global(1, &[int(2)]), int(0))]), Fault::Index);
    errs(always(vec![(of_instance(int(0), 0), int(0))]), Fault::Index);
    errs(always(vec![(global(0, &[]), Expr::Read(of_instance(int(3), 0)))]), Fault::Index);
    errs(always(vec![(global(0, &[]), op(int(0), Binary::Div, read(0)))]), Fault::DivisionByZero);
    errs(always(vec![(global(0, &[]), op(int(0), Binary::Mod, read(0)))]), Fault::DivisionByZero);
    let twice = vec![(global(1, &[read(0)]), int(0)), (global(1, &[int(0)]), int(0))];
    errs(always(twice), Fault::DoubleWrite);
}

#[test]
fn a_step_errs_only_behind_a_guard_that_is_true() {
    let write = || Update { target: global(0, &[]), source: Source::Expr(int(2)) };
    let command = |guard, updates| Command { label: "go".to_owned(), index: None, guard, updates };
    errs(command(bad(), vec![]), Fault::DivisionByZero);
    errs(command(yes(), vec![write()]), Fault::Range);
    assert_eq!(faults(command(no(), vec![write()])), (BTreeSet::new(), 0));
    assert_eq!(faults(command(op(no(), Binary::And, bad()), vec![])), (BTreeSet::new(), 0));
}

#[test]
fn different_cells_of_an_array_and_of_instances_can_be_written_together() {
    let cells = vec![(global(1, &[int(0)]), int(0)), (global(1, &[int(1)]), int(0))];
    assert_eq!(faults(always(cells)), (BTreeSet::new(), 1));
    let instances = vec![(of_instance(int(1), 0), int(0)), (of_instance(int(2), 0), int(0))];
    assert_eq!(faults(always(instances)), (BTreeSet::new(), 1));
}
