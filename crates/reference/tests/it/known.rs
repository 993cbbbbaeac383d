//! Models with state spaces counted by hand.

use crate::common::{
    always, binder, bound, command, counts, decided, explore, global, int, of_instance, op, own, property, range, read,
    variable,
};
use lapidary_reference::ast::{
    Binary, Claim, Command, ConstId, DefineId, EnumId, Enumeration, Expr, Initial, Model, Named, Place, Process,
    Source, Type, Unary, Variable,
};
use lapidary_reference::brute::{self, NO_ERRORS, Verdict};

const IDLE: usize = 0;
const WANT: usize = 1;
const WAIT: usize = 2;
const CRIT: usize = 3;

fn at(location: usize) -> Expr {
    op(Expr::Read(own(0)), Binary::Eq, Expr::Literal(EnumId(0), location))
}

fn go(location: usize) -> (Place, Source) {
    (own(0), Source::Expr(Expr::Literal(EnumId(0), location)))
}

fn both_at(location: usize) -> Expr {
    let one = |index| op(Expr::Read(of_instance(int(index), 0)), Binary::Eq, Expr::Literal(EnumId(0), location));
    op(one(0), Binary::And, one(1))
}

/// Peterson's algorithm, as the language reference writes it.
fn peterson() -> Model {
    let other = || op(int(1), Binary::Sub, bound("i"));
    let mine = || global(0, &[bound("i")]);
    let free = Expr::unary(Unary::Not, Expr::Read(global(0, &[other()])));
    let may_enter = op(free, Binary::Or, op(read(1), Binary::Eq, bound("i")));
    let commands = vec![
        command("request", at(IDLE), vec![go(WANT), (mine(), Source::Expr(Expr::Bool(true)))]),
        command("yield", at(WANT), vec![go(WAIT), (global(1, &[]), Source::Expr(other()))]),
        command("enter", op(at(WAIT), Binary::And, may_enter), vec![go(CRIT)]),
        command("leave", at(CRIT), vec![go(IDLE), (mine(), Source::Expr(Expr::Bool(false)))]),
    ];
    let pc = variable("pc", Type::Enum(EnumId(0)), &[], Some(Expr::Literal(EnumId(0), IDLE)));
    Model {
        enums: vec![Enumeration {
            name: Some("Loc".to_owned()),
            literals: ["idle", "want", "wait", "crit"].map(str::to_owned).to_vec(),
        }],
        variables: vec![
            variable("flag", Type::Bool, &[2], Some(Expr::Bool(false))),
            variable("turn", range(0, 1), &[], Some(int(0))),
        ],
        processes: vec![Process {
            name: "P".to_owned(),
            param: Some(binder("i", 0, 1)),
            variables: vec![pc],
            commands,
        }],
        properties: vec![
            property("mutex", Claim::Invariant(Expr::unary(Unary::Not, both_at(CRIT)))),
            property("clash", Claim::Reach(both_at(WAIT))),
            property("progress", Claim::DeadlockFree),
        ],
        ..Model::default()
    }
}

#[test]
fn peterson_excludes_and_progresses() {
    let exploration = explore(&peterson());
    assert_eq!(exploration.names, ["flag[0]", "flag[1]", "turn", "P[0].pc", "P[1].pc"]);
    assert_eq!(counts(&exploration), [20, 1, 34, 6]);
    assert_eq!(decided(&exploration, "mutex"), (Verdict::Holds, None));
    assert_eq!(decided(&exploration, "clash"), (Verdict::Holds, Some(4)));
    assert_eq!(decided(&exploration, "progress"), (Verdict::Holds, None));
    assert_eq!(decided(&exploration, NO_ERRORS), (Verdict::Holds, None));
    let start = ["false", "false", "0", "idle", "idle"].map(str::to_owned).to_vec();
    assert!(exploration.states.contains(&start));
}

/// `x : 0..3 = 0` and the step `x := x + 1`, with a guard or without.
fn counter(guard: Expr) -> Model {
    let next = Source::Expr(op(read(0), Binary::Add, int(1)));
    let is = |value| op(read(0), Binary::Eq, int(value));
    let quotient = op(int(6), Binary::Div, op(read(0), Binary::Sub, int(2)));
    Model {
        variables: vec![variable("x", range(0, 3), &[], Some(int(0)))],
        commands: vec![command("up", guard, vec![(global(0, &[]), next)])],
        properties: vec![
            property("at_two", Claim::Reach(is(2))),
            property("at_nine", Claim::Reach(is(9))),
            property("below_two", Claim::Invariant(op(read(0), Binary::Lt, int(2)))),
            property("progress", Claim::DeadlockFree),
            property("errs_late", Claim::Invariant(op(quotient.clone(), Binary::Le, int(0)))),
            property("errs_after_reaching", Claim::Reach(op(quotient, Binary::Eq, int(-3)))),
        ],
        ..Model::default()
    }
}

#[test]
fn a_counter_that_overflows_stops_with_an_error() {
    let exploration = explore(&counter(Expr::Bool(true)));
    assert_eq!(counts(&exploration), [4, 1, 3, 3]);
    assert_eq!(decided(&exploration, NO_ERRORS), (Verdict::Violated, Some(3)));
    assert_eq!(decided(&exploration, "progress"), (Verdict::Violated, Some(3)));
}

#[test]
fn a_guarded_counter_stops_without_an_error() {
    let exploration = explore(&counter(op(read(0), Binary::Lt, int(3))));
    assert_eq!(counts(&exploration), [4, 1, 3, 3]);
    assert_eq!(decided(&exploration, NO_ERRORS), (Verdict::Holds, None));
    assert_eq!(decided(&exploration, "progress"), (Verdict::Violated, Some(3)));
}

#[test]
fn properties_are_decided_by_the_nearest_state() {
    let exploration = explore(&counter(Expr::Bool(true)));
    assert_eq!(decided(&exploration, "at_two"), (Verdict::Holds, Some(2)));
    assert_eq!(decided(&exploration, "at_nine"), (Verdict::Violated, None));
    assert_eq!(decided(&exploration, "below_two"), (Verdict::Violated, Some(2)));
}

#[test]
fn a_property_that_errs_is_violated_there() {
    let exploration = explore(&counter(Expr::Bool(true)));
    assert_eq!(decided(&exploration, "errs_late"), (Verdict::Violated, Some(2)));
    // The initial state satisfies it, but an error anywhere counts more.
    assert_eq!(decided(&exploration, "errs_after_reaching"), (Verdict::Violated, Some(2)));
}

#[test]
fn an_unbounded_number_is_kept_small_by_its_guard() {
    let mut model = counter(op(read(0), Binary::Lt, int(5)));
    model.variables[0].ty = Type::Int;
    assert_eq!(counts(&explore(&model)), [6, 1, 5, 5]);
    model.commands[0].guard = Expr::Bool(true);
    assert_eq!(brute::explore(&model, 100), None);
}

#[test]
fn there_is_one_transition_per_choice_of_inputs() {
    let variables =
        vec![variable("x", range(0, 2), &[], Some(int(0))), variable("b", Type::Bool, &[], Some(Expr::Bool(false)))];
    let one = vec![(global(0, &[]), Source::Input)];
    let two = vec![(global(0, &[]), Source::Input), (global(1, &[]), Source::Input)];
    let model = |updates| Model {
        variables: variables.clone(),
        commands: vec![command("set", Expr::Bool(true), updates)],
        ..Model::default()
    };
    assert_eq!(counts(&explore(&model(one))), [3, 1, 9, 1]);
    assert_eq!(counts(&explore(&model(two))), [6, 1, 36, 1]);
}

#[test]
fn self_loops_and_commands_with_one_label_count_each() {
    let model = Model {
        variables: vec![variable("b", Type::Bool, &[], Some(Expr::Bool(false)))],
        commands: vec![always(vec![]), always(vec![]), always(vec![(global(0, &[]), Expr::Bool(false))])],
        properties: vec![property("progress", Claim::DeadlockFree)],
        ..Model::default()
    };
    let exploration = explore(&model);
    assert_eq!(counts(&exploration), [1, 1, 3, 0]);
    assert_eq!(decided(&exploration, "progress"), (Verdict::Holds, None));
}

#[test]
fn variables_without_an_initialiser_start_anywhere() {
    let either = op(Expr::Read(global(0, &[int(0)])), Binary::Or, Expr::Read(global(0, &[int(1)])));
    let mut model = Model { variables: vec![variable("b", Type::Bool, &[2], None)], ..Model::default() };
    assert_eq!(counts(&explore(&model)), [4, 4, 0, 0]);
    model.inits.push(either);
    assert_eq!(counts(&explore(&model)), [3, 3, 0, 0]);
    model.inits.push(Expr::unary(Unary::Not, Expr::Read(global(0, &[int(1)]))));
    assert_eq!(counts(&explore(&model)), [1, 1, 0, 0]);
}

#[test]
fn without_initial_states_only_reach_is_violated() {
    let mut model = counter(Expr::Bool(true));
    model.inits.push(Expr::Bool(false));
    let exploration = explore(&model);
    assert_eq!(counts(&exploration), [0, 0, 0, 0]);
    for name in ["below_two", "progress", "errs_late", NO_ERRORS] {
        assert_eq!(decided(&exploration, name), (Verdict::Holds, None), "{name}");
    }
    for name in ["at_two", "at_nine", "errs_after_reaching"] {
        assert_eq!(decided(&exploration, name), (Verdict::Violated, None), "{name}");
    }
}

#[test]
fn updates_read_the_old_values() {
    let model = Model {
        variables: vec![variable("x", Type::Int, &[], Some(int(1))), variable("y", Type::Int, &[], Some(int(2)))],
        commands: vec![always(vec![(global(0, &[]), read(1)), (global(1, &[]), read(0))])],
        ..Model::default()
    };
    let exploration = explore(&model);
    assert_eq!(counts(&exploration), [2, 1, 2, 1]);
    assert!(exploration.states.contains(&vec!["2".to_owned(), "1".to_owned()]));
}

#[test]
fn indexes_on_the_left_read_the_old_values() {
    // From x = 0 the cell written is a[0], although x changes in the same step.
    let model = Model {
        variables: vec![variable("x", Type::Int, &[], Some(int(0))), variable("a", Type::Int, &[2], Some(int(0)))],
        commands: vec![always(vec![(global(0, &[]), int(1)), (global(1, &[read(0)]), int(5))])],
        ..Model::default()
    };
    let states = explore(&model).states;
    assert!(states.contains(["1", "5", "0"].map(str::to_owned).as_slice()));
    assert_eq!(states.len(), 3);
}

#[test]
fn ranged_commands_are_one_command_per_value() {
    let set = Command {
        index: Some(binder("j", 1, 3)),
        ..command("set", Expr::Bool(true), vec![(global(0, &[]), Source::Expr(bound("j")))])
    };
    let model = Model {
        variables: vec![variable("x", range(0, 3), &[], Some(int(0)))],
        commands: vec![set],
        ..Model::default()
    };
    assert_eq!(counts(&explore(&model)), [4, 1, 12, 1]);
}

#[test]
fn constants_and_defines_stand_for_their_expressions() {
    const M: ConstId = ConstId(0);
    const N: ConstId = ConstId(1);
    let model = Model {
        constants: vec![
            Named { name: "M".to_owned(), value: op(Expr::Const(N), Binary::Add, int(1)) },
            Named { name: "N".to_owned(), value: int(2) },
        ],
        defines: vec![Named { name: "small".to_owned(), value: op(read(0), Binary::Lt, Expr::Const(M)) }],
        variables: vec![variable("x", Type::Range(int(0), Expr::Const(M)), &[], None)],
        properties: vec![property("always_small", Claim::Invariant(Expr::Define(DefineId(0))))],
        ..Model::default()
    };
    let exploration = explore(&model);
    assert_eq!(exploration.n_states, 4);
    assert_eq!(decided(&exploration, "always_small"), (Verdict::Violated, Some(0)));
}

#[test]
fn cells_are_named_as_in_traces() {
    let list = Initial::List((0..4).map(int).collect());
    let matrix = Variable { initial: list, ..variable("m", Type::Int, &[2, 2], None) };
    let local = vec![
        variable("pc", Type::Bool, &[], Some(Expr::Bool(false))),
        variable("buf", Type::Int, &[2], Some(bound("i"))),
    ];
    let process = |name: &str, param, variables| Process { name: name.to_owned(), param, variables, commands: vec![] };
    let alone = vec![variable("z", Type::Int, &[], Some(int(9)))];
    let model = Model {
        variables: vec![matrix],
        processes: vec![process("P", Some(binder("i", -1, 0)), local), process("Q", None, alone)],
        ..Model::default()
    };
    let exploration = explore(&model);
    let expected =
        "m[0][0] m[0][1] m[1][0] m[1][1] P[-1].pc P[-1].buf[0] P[-1].buf[1] P[0].pc P[0].buf[0] P[0].buf[1] Q.z";
    assert_eq!(exploration.names.join(" "), expected);
    let state = exploration.states.first().expect("there is an initial state");
    assert_eq!(state.join(" "), "0 1 2 3 false -1 -1 false 0 0 9");
}

#[test]
fn what_is_too_large_or_infinite_is_refused() {
    let mut model = Model { variables: vec![variable("x", range(0, 99), &[3], None)], ..Model::default() };
    assert_eq!(brute::explore(&model, 100), None);
    model.variables = vec![variable("x", Type::Int, &[], None)];
    assert_eq!(brute::explore(&model, 100), None);
    model.variables = vec![variable("x", Type::Int, &[], Some(int(0)))];
    model.commands = vec![command("set", Expr::Bool(true), vec![(global(0, &[]), Source::Input)])];
    assert_eq!(brute::explore(&model, 100), None);
}
