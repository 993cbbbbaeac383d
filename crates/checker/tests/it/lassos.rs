//! Runs with a loop at their end: every step is one, the loop closes, and wrong ones are rejected for the right reason.

use std::sync::Arc;

use expect_test::{Expect, expect};
use lapidary_base::Control;
use lapidary_checker::{replay, replay_run};
use lapidary_frontends::{altarica, gcl};
use lapidary_ir::passes::counters;
use lapidary_ir::{Action, CommandId, CountedNet, FlatEvent, Hierarchy, Net, PropertyId, Range, Subject};
use lapidary_text::Sources;
use lapidary_verdict::{Trace, Verdict};

use crate::common::nets::{P, Q, moves, net};

const SWITCH: &str = "var x : 0..3 = 0; up: x < 3 -> x := x + 1; back: x = 2 -> x := 1; off: x = 3 -> skip;
    invariant low: x < 3;";

fn model() -> Subject {
    let mut sources = Sources::default();
    let source = sources.add("switch.gcl", SWITCH);
    let (model, diagnostics) = gcl::load(&sources, source, &gcl::Options::default());
    Subject::Model(model.unwrap_or_else(|| panic!("{diagnostics:?}")))
}

/// The same as a hierarchy: `up`, `back` and `off` are the events 1, 2 and 3 of its only component.
fn tree() -> Subject {
    let text = "node N state x : [0,3]; event up, back, off; init x := 0;
        trans x < 3 |- up -> x := x + 1; x = 2 |- back -> x := 1; x = 3 |- off -> ; edon";
    let mut sources = Sources::default();
    let source = sources.add("switch.alt", text);
    let (document, diagnostics) = altarica::load(&sources, source);
    let document = document.unwrap_or_else(|| panic!("{diagnostics:?}"));
    let (tree, diagnostics) = document.instantiate(&sources, "N");
    Subject::Tree(Hierarchy::new(Arc::new(tree.unwrap_or_else(|| panic!("{diagnostics:?}"))), Default::default()))
}

/// A token goes to and fro.
fn ferry() -> Subject {
    let net: Net = net(
        &[Range::exactly(1), Range::exactly(0)],
        vec![moves("there", &[(P, 1)], &[(Q, 1)]), moves("back", &[(Q, 1)], &[(P, 1)])],
    );
    let model = counters(&net);
    Subject::Net(CountedNet { net, sums: Vec::new(), model })
}

fn command(number: u32) -> Action {
    Action::Command(CommandId(number))
}

fn event(number: u32) -> Action {
    Action::Vector([lapidary_ir::EventId(number)].into_iter().collect::<FlatEvent>())
}

fn lasso(states: &[&[i64]], actions: Vec<Action>, start: usize) -> Trace {
    let states = states.iter().map(|state| (*state).into()).collect();
    Trace { states, actions, loop_start: Some(start) }
}

fn is_run(subject: &Subject, trace: &Trace) {
    assert_eq!(replay_run(subject, trace, &Control::new()), Ok(()));
}

fn is_none(subject: &Subject, trace: &Trace, why: Expect) {
    why.assert_eq(&replay_run(subject, trace, &Control::new()).expect_err("no lasso").to_string());
}

#[test]
fn lassos_of_models() {
    let (up, back, off) = (command(0), command(1), command(2));
    let steps = || vec![up.clone(), up.clone(), back.clone()];
    is_run(&model(), &lasso(&[&[0], &[1], &[2]], steps(), 1));
    is_run(&model(), &lasso(&[&[0], &[1], &[2], &[3]], vec![up.clone(), up.clone(), up.clone(), off], 3));
    let elsewhere = lasso(&[&[0], &[1], &[2]], steps(), 0);
    is_none(
        &model(),
        &elsewhere,
        expect!["the loop does not close to state 0: step 3: back leads elsewhere: x is 0, expected 1"],
    );
    let disabled = lasso(&[&[0], &[1]], vec![up.clone(), back.clone()], 1);
    is_none(&model(), &disabled, expect!["the loop does not close to state 1: step 2: back is not enabled"]);
    let within = lasso(&[&[0], &[2], &[2]], steps(), 1);
    is_none(&model(), &within, expect!["step 1: up leads elsewhere: x is 2, expected 1"]);
    let open = lasso(&[&[0], &[1], &[2]], vec![up.clone(), up.clone()], 1);
    is_none(&model(), &open, expect!["the trace has a loop, 3 states and 2 actions, it needs as many actions"]);
    let nowhere = lasso(&[&[0], &[1], &[2]], steps(), 3);
    is_none(&model(), &nowhere, expect!["the loop is to begin in state 3, and the trace has 3 states"]);
    let foreign = lasso(&[&[0], &[1], &[2]], vec![up.clone(), up, event(2)], 1);
    is_none(&model(), &foreign, expect!["step 3 is one of a hierarchy, and this is none"]);
}

#[test]
fn lassos_of_hierarchies() {
    let (up, back) = (event(1), event(2));
    let steps = || vec![up.clone(), up.clone(), back.clone()];
    is_run(&tree(), &lasso(&[&[0], &[1], &[2]], steps(), 1));
    let elsewhere = lasso(&[&[0], &[1], &[2]], steps(), 2);
    is_none(
        &tree(),
        &elsewhere,
        expect!["the loop does not close to state 2: step 3, back: leads elsewhere: x is 2, expected 1"],
    );
    let open = lasso(&[&[0], &[1], &[2]], vec![up.clone(), up.clone()], 1);
    is_none(&tree(), &open, expect!["the trace has a loop, 3 states and 2 actions, it needs as many actions"]);
    let foreign = lasso(&[&[0], &[1], &[2]], vec![up.clone(), up, command(1)], 1);
    is_none(
        &tree(),
        &foreign,
        expect!["step 3 is a command, and a step of a hierarchy is an event of every component"],
    );
}

#[test]
fn lassos_of_nets() {
    let (there, back) = (command(0), command(1));
    let steps = || vec![there.clone(), back.clone()];
    is_run(&ferry(), &lasso(&[&[1, 0], &[0, 1]], steps(), 0));
    let elsewhere = lasso(&[&[1, 0], &[0, 1]], steps(), 1);
    is_none(
        &ferry(),
        &elsewhere,
        expect!["the loop does not close to state 1: step 2: back leads elsewhere: p is 0, expected 1"],
    );
    let disabled = lasso(&[&[1, 0], &[0, 1]], vec![there.clone(), there.clone()], 0);
    is_none(
        &ferry(),
        &disabled,
        expect!["the loop does not close to state 0: step 2: there is not enabled: p has 0 tokens"],
    );
}

#[test]
fn a_loop_shows_nothing_about_single_states() {
    let trace = lasso(&[&[0], &[1], &[2]], vec![command(0), command(0), command(1)], 1);
    let judged = replay(&model(), PropertyId(0), Verdict::Violated, &trace, &Control::new());
    expect!["not a path: the trace for low has a loop"].assert_eq(&judged.expect_err("no path").to_string());
}
