//! Sets as diagrams: what is accepted, and in which words the rest is not.

use std::sync::Arc;
use std::time::Duration;

use crate::common::build::{add_command, add_family, add_guarded, add_property, add_var, fault, set, set_any};
use crate::common::diagrams::diagram;
use lapidary_base::{Control, Stop, Whose};
use lapidary_checker::{Backend, Claim, Means, Rejection, certify_model, certify_model_claims};
use lapidary_ir::model::Raw;
use lapidary_ir::{Assignment, Destination, Domain, Model, PropertyId, PropertyKind, Rhs, Statement, VarId};
use lapidary_verdict::{Certificate, Checked, Child, Diagram, DiagramNode};

const X: VarId = VarId(0);
const Y: VarId = VarId(1);
const DOUBLE: VarId = VarId(2);
const APART: PropertyId = PropertyId(0);
const FAR: PropertyId = PropertyId(1);
const PROGRESS: PropertyId = PropertyId(2);
const NO_ERRORS: PropertyId = PropertyId(3);

/// `x` counts 0, 1, 2 round while `y` is any bit; the flow `double` is always `2 * x`.
fn rounds() -> Model {
    let mut model = Model::default();
    add_var(&mut model, "x", Domain::Range { lo: 0, hi: 5 });
    add_var(&mut model, "y", Domain::Range { lo: 0, hi: 1 });
    add_var(&mut model, "double", Domain::Range { lo: 0, hi: 8 });
    let e = model.exprs.clone();
    let (x, y) = (e.var(X), e.var(Y));
    model.init = vec![e.eq(x, e.int(0))];
    model.invariant = vec![e.eq(e.var(DOUBLE), e.mul(e.int(2), x))];
    let up = e.lt(e.var(DOUBLE), e.int(4));
    add_guarded(&mut model, "up", up, vec![set(X, e.add([x, e.int(1)])), set_any(Y), set_any(DOUBLE)]);
    let again = vec![set(X, e.int(0)), set_any(DOUBLE)];
    add_guarded(&mut model, "again", e.eq(x, e.int(2)), again);
    add_property(&mut model, "apart", PropertyKind::Invariant(e.not(e.and([e.eq(x, e.int(3)), e.eq(y, e.int(1))]))));
    add_property(&mut model, "far", PropertyKind::Reach(e.eq(e.var(DOUBLE), e.int(8))));
    add_property(&mut model, "progress", PropertyKind::DeadlockFree);
    add_property(&mut model, "no_errors", PropertyKind::NoErrors);
    model.commands.iter_mut().next().unwrap().faults = vec![fault(e.eq(x, e.int(4)), "x + 1 is too much")];
    model.exprs = e;
    model
}

fn upto(last: Raw) -> Vec<Vec<Raw>> {
    (0..=last).map(|x| vec![x, 0, 0]).collect()
}

fn judge(model: &Model, properties: &[PropertyId], set: Diagram) -> Result<Checked, Rejection> {
    certify_model(
        model,
        properties,
        &Certificate::Diagram(Arc::new(set)),
        &Means::new(&Backend::default(), &Control::new()),
    )
}

fn wrong(why: &str) -> Result<Checked, Rejection> {
    Err(Rejection::Wrong(why.to_owned()))
}

#[test]
fn a_set_that_is_closed_and_misses_the_targets_is_accepted() {
    let all = [APART, FAR, PROGRESS, NO_ERRORS];
    assert_eq!(judge(&rounds(), &all, diagram(&[X], &upto(2))), Ok(Checked::Fully));
    let with_flow: Vec<Vec<Raw>> = (0..=2).flat_map(|x| [vec![x, 0, 2 * x], vec![x, 1, 2 * x]]).collect();
    for order in [[X, Y, DOUBLE], [DOUBLE, Y, X]] {
        assert_eq!(judge(&rounds(), &all, diagram(&order, &with_flow)), Ok(Checked::Fully));
    }
}

#[test]
fn what_a_set_says_outside_the_invariant_does_not_matter() {
    // x = 5 would make the flow 10, which is outside its domain: no configuration.
    let states: Vec<Vec<Raw>> = (0..=2).chain([5]).map(|x| vec![x, 0, 0]).collect();
    assert_eq!(judge(&rounds(), &[PROGRESS], diagram(&[X], &states)), Ok(Checked::Fully));
    let only_odd_flow = diagram(&[X, DOUBLE], &[vec![0, 0, 0], vec![1, 0, 2], vec![2, 0, 4], vec![1, 0, 3]]);
    assert_eq!(judge(&rounds(), &[PROGRESS], only_odd_flow), Ok(Checked::Fully));
}

#[test]
fn missing_states_are_shown() {
    assert_eq!(
        judge(&rounds(), &[APART], diagram(&[X], &upto(2)[1..])),
        wrong("the initial state (x=0 y=0 double=0) is not in the set")
    );
    assert_eq!(
        judge(&rounds(), &[APART], diagram(&[X], &upto(1))),
        wrong("(x=1 y=0 double=2) leads by up to (x=2 y=0 double=4), which is not in the set")
    );
    let one_bit = Diagram { order: vec![Y], nodes: Vec::new(), root: Child::None };
    assert_eq!(judge(&rounds(), &[APART], one_bit), wrong("the initial state (x=0 y=0 double=0) is not in the set"));
}

#[test]
fn members_that_are_targets_are_shown() {
    let all = Diagram { order: Vec::new(), nodes: Vec::new(), root: Child::All };
    assert_eq!(
        judge(&rounds(), &[APART], all.clone()),
        wrong("the set contains (x=3 y=1 double=6): it violates apart")
    );
    assert_eq!(judge(&rounds(), &[FAR], all.clone()), wrong("the set contains (x=4 y=0 double=8): it satisfies far"));
    assert_eq!(
        judge(&rounds(), &[PROGRESS], all.clone()),
        wrong("the set contains (x=3 y=0 double=6), which has no step, against progress")
    );
    assert_eq!(
        judge(&rounds(), &[NO_ERRORS], all),
        wrong("the set contains (x=4 y=0 double=8): up would err: x + 1 is too much")
    );
}

#[test]
fn members_in_which_a_property_errs_spoil_both_claims() {
    let mut model = rounds();
    let when = model.exprs.eq(model.exprs.var(Y), model.exprs.int(1));
    model.properties[APART].faults = vec![fault(when, "index y")];
    let why = "the set contains (x=0 y=1 double=0): it errs in apart: index y";
    let certificate = Certificate::Diagram(Arc::new(diagram(&[X], &upto(2))));
    for claim in [Claim::Decides(APART), Claim::NeverErrs(APART)] {
        let found =
            certify_model_claims(&model, &[claim], &certificate, &Means::new(&Backend::default(), &Control::new()));
        assert_eq!(found, wrong(why));
    }
    let far = [Claim::NeverErrs(FAR)];
    let everything = Certificate::Diagram(Arc::new(Diagram { order: vec![], nodes: vec![], root: Child::All }));
    let found = certify_model_claims(&rounds(), &far, &everything, &Means::new(&Backend::default(), &Control::new()));
    assert_eq!(found, Ok(Checked::Fully));
}

#[test]
fn malformed_diagrams_are_refused() {
    let node = |var, edges| DiagramNode { var, edges };
    let judge_nodes =
        |order: &[VarId], nodes, root| judge(&rounds(), &[APART], Diagram { order: order.to_vec(), nodes, root });
    let leaf = || node(Y, vec![(0, 1, Child::All)]);
    let cases = [
        (judge_nodes(&[X, X], vec![], Child::All), "the variable `x` is in the order twice"),
        (judge_nodes(&[VarId(9)], vec![], Child::All), "the model has no variable number 9"),
        (judge_nodes(&[X], vec![], Child::Node(0)), "the root 0 is no node"),
        (judge_nodes(&[X], vec![leaf()], Child::Node(0)), "node 0: variable number 1 is not in the order"),
        (
            judge_nodes(&[X], vec![node(X, vec![(0, 6, Child::All)])], Child::Node(0)),
            "node 0: 0..6 is not a range of values of `x`",
        ),
        (
            judge_nodes(&[X], vec![node(X, vec![(0, 2, Child::All), (2, 3, Child::None)])], Child::Node(0)),
            "node 0: the edge of 2..3 is not after the one before",
        ),
        (
            judge_nodes(&[X, Y], vec![node(X, vec![(0, 2, Child::Node(1))]), leaf()], Child::Node(0)),
            "node 0: its child 1 does not come before it",
        ),
        (
            judge_nodes(&[Y, X], vec![leaf(), node(X, vec![(0, 2, Child::Node(0))])], Child::Node(1)),
            "node 1: its child 0 asks for a variable that is not later in the order",
        ),
    ];
    for (found, why) in cases {
        assert_eq!(found, wrong(&format!("the diagram is malformed: {why}")));
    }
}

#[test]
fn infinite_domains_are_refused_in_words() {
    let mut model = rounds();
    add_var(&mut model, "sum", Domain::Int);
    let why = "sum has infinitely many values: a diagram proves nothing about this model";
    assert_eq!(judge(&model, &[APART], diagram(&[X], &upto(2))), wrong(why));
}

#[test]
fn limits_end_the_check() {
    let certificate = Certificate::Diagram(Arc::new(diagram(&[X], &upto(2))));
    let judge =
        |control: &Control| certify_model(&rounds(), &[APART], &certificate, &Means::new(&Backend::default(), control));
    let late = Control::new().with_timeout(Some(Duration::ZERO));
    assert_eq!(judge(&late), Err(Rejection::Stopped(Stop::Timeout)));
    let small = Control::new().with_memory(Some(1));
    assert_eq!(judge(&small), Err(Rejection::Stopped(Stop::Memory(Whose::Limit))));
}

/// `p` is the flow `x = 0`; the command writes `x` and reads or keeps the old `p` in ways that a definition must survive.
fn stale(body: impl Fn(&lapidary_ir::Exprs) -> Vec<Statement>) -> Model {
    let mut model = Model::default();
    let x = add_var(&mut model, "x", Domain::Range { lo: 0, hi: 3 });
    let p = add_var(&mut model, "p", Domain::Bool);
    let e = model.exprs.clone();
    model.init = vec![e.eq(e.var(x), e.int(0))];
    model.invariant = vec![e.eq(e.var(p), e.eq(e.var(x), e.int(0)))];
    add_command(&mut model, "go", Statement::Sequence(body(&e)));
    let high = e.le(e.var(x), e.int(1));
    add_property(&mut model, "low", PropertyKind::Invariant(high));
    model.exprs = e;
    model
}

#[test]
fn a_flow_that_is_read_after_its_sources_changed_still_has_its_old_value() {
    let e_set = |e: &lapidary_ir::Exprs, value| Statement::Assign(vec![set(X, e.int(value))]);
    let p = VarId(1);
    // p was true when it is read, so x = 2 is reached.
    let reads_late = |e: &lapidary_ir::Exprs| {
        vec![e_set(e, 1), Statement::Assume(e.var(p)), e_set(e, 2), Statement::Assign(vec![set_any(p)])]
    };
    let found = judge(&stale(reads_late), &[APART], diagram(&[X], &[vec![0, 1]]));
    assert_eq!(found, wrong("(x=0 p=true) leads by go to (x=2 p=false), which is not in the set"));
    // p keeps its value, so a step that changes it is none.
    let keeps = |e: &lapidary_ir::Exprs| vec![e_set(e, 1)];
    assert_eq!(judge(&stale(keeps), &[APART], diagram(&[X], &[vec![0, 1]])), Ok(Checked::Fully));
    // On one branch only it may change.
    let branch = |e: &lapidary_ir::Exprs| {
        let free = Statement::Assign(vec![set(X, e.int(2)), set_any(p)]);
        vec![Statement::Choice(vec![e_set(e, 1), free])]
    };
    let found = judge(&stale(branch), &[APART], diagram(&[X], &[vec![0, 1]]));
    assert_eq!(found, wrong("(x=0 p=true) leads by go to (x=2 p=false), which is not in the set"));
    let both = diagram(&[X], &[vec![0, 1], vec![1, 0], vec![2, 0]]);
    assert_eq!(judge(&stale(branch), &[], both), Ok(Checked::Fully));
}

#[test]
fn a_flow_that_is_renewed_at_once_with_another_one_reads_its_old_value() {
    let mut model = Model::default();
    let x = add_var(&mut model, "x", Domain::Range { lo: 0, hi: 1 });
    let on = add_var(&mut model, "on", Domain::Bool);
    let n = add_var(&mut model, "n", Domain::Range { lo: 0, hi: 1 });
    let e = model.exprs.clone();
    let (of_on, of_n) = (e.eq(e.var(x), e.int(1)), e.ite(e.var(on), e.int(1), e.int(0)));
    model.init = vec![e.eq(e.var(x), e.int(0))];
    model.invariant = vec![e.eq(e.var(on), of_on), e.eq(e.var(n), of_n)];
    // With the second statement `on` becomes true, and `n` is what `on` was.
    let body = vec![
        Statement::Assign(vec![set(x, e.int(1))]),
        Statement::Assign(vec![set(on, of_on), set(n, of_n)]),
        Statement::Assume(e.eq(e.var(n), e.int(0))),
        Statement::Assign(vec![set(n, of_n)]),
    ];
    add_command(&mut model, "go", Statement::Sequence(body));
    add_property(&mut model, "low", PropertyKind::Invariant(e.eq(e.var(x), e.int(0))));
    let found = judge(&model, &[APART], diagram(&[X], &[vec![0, 0, 0]]));
    assert_eq!(found, wrong("(x=0 on=false n=0) leads by go to (x=1 on=true n=1), which is not in the set"));
}

#[test]
fn cells_that_get_any_value_are_followed_for_each_index() {
    let mut model = Model::default();
    let cells = add_family(&mut model, "a", 3, Domain::Range { lo: 0, hi: 2 });
    let i = add_var(&mut model, "i", Domain::Range { lo: 0, hi: 3 });
    let e = model.exprs.clone();
    model.init = (0..3).map(|j| e.eq(e.cell(cells, e.int(j)), e.int(0))).chain([e.eq(e.var(i), e.int(1))]).collect();
    let choose = Assignment { to: Destination::Cell(cells, e.var(i)), value: Rhs::Any };
    add_command(&mut model, "choose", Statement::Assign(vec![choose]));
    let zero = |j| e.eq(e.cell(cells, e.int(j)), e.int(0));
    add_property(&mut model, "others", PropertyKind::Invariant(e.and([zero(0), zero(2)])));
    model.exprs = e;
    let states: Vec<Vec<Raw>> = (0..3).map(|value| vec![0, value, 0, 1]).collect();
    let order = [VarId(3), VarId(0), VarId(1), VarId(2)];
    assert_eq!(judge(&model, &[PropertyId(0)], diagram(&order, &states)), Ok(Checked::Fully));
    let why = "(a[0]=0 a[1]=0 a[2]=0 i=1) leads by choose to (a[0]=0 a[1]=2 a[2]=0 i=1), which is not in the set";
    assert_eq!(judge(&model, &[PropertyId(0)], diagram(&order, &states[..2])), wrong(why));
}
