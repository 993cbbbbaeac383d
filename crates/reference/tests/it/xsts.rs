//! The traps of transition systems, computed by hand.

use lapidary_reference::brute::Verdict;
use lapidary_reference::terms::{Binary, Enumeration, Expr, Sort, Unary, Value};
use lapidary_reference::xsts::{self, Case, Exploration, Order, Phase, Role, Statement, Variable, Xsts};

fn number(name: &str, initial: i128) -> Variable {
    Variable { name: name.to_owned(), sort: Sort::Int, role: Role::Plain, initial: Some(Expr::int(initial)) }
}

fn block(inner: Vec<Statement>) -> Statement {
    Statement::Block(inner)
}

fn assign(name: &str, value: Expr) -> Statement {
    Statement::Assign(name.to_owned(), value)
}

fn set(name: &str, value: i128) -> Statement {
    assign(name, Expr::int(value))
}

fn add(name: &str, more: i128) -> Statement {
    assign(name, op(Expr::var(name), Binary::Add, Expr::int(more)))
}

fn op(left: Expr, op: Binary, right: Expr) -> Expr {
    Expr::binary(op, left, right)
}

fn is(name: &str, value: i128) -> Expr {
    op(Expr::var(name), Binary::Eq, Expr::int(value))
}

fn assume(condition: Expr) -> Statement {
    Statement::Assume(condition)
}

/// With `x = 0` and `y = 0`, and the property that `x` is not 9.
fn system(trans: Vec<Statement>) -> Xsts {
    Xsts {
        enums: Vec::new(),
        variables: vec![number("x", 0), number("y", 0)],
        trans: vec![block(trans)],
        init: vec![block(Vec::new())],
        env: vec![block(Vec::new())],
        property: Expr::unary(Unary::Not, is("x", 9)),
    }
}

fn explored(model: &Xsts) -> Exploration {
    xsts::explore(model, Order::Every, 1000).expect("the system is small")
}

/// What `x` and `y` have after the first transition.
fn after(trans: Vec<Statement>) -> Vec<String> {
    // The second transition finds that there was a first one.
    let once = [vec![assume(is("done", 0)), set("done", 1)], trans].concat();
    let mut model = system(once);
    model.variables.push(number("done", 0));
    values(&model, Order::Every)
}

fn values(model: &Xsts, order: Order) -> Vec<String> {
    let found = xsts::explore(model, order, 1000).expect("the system is small");
    let ended = found.states.into_iter().filter(|(phase, row)| *phase == Phase::Env && row[2] == "1");
    ended.map(|(_, row)| row[..2].join(" ")).collect()
}

#[test]
fn the_property_is_asked_even_before_init() {
    let mut model = system(Vec::new());
    model.variables[0].initial = Some(Expr::int(9));
    model.init = vec![block(vec![set("x", 0)])];
    assert_eq!(explored(&model).violation, Some(0));
}

#[test]
fn the_property_is_asked_after_init_env_and_trans() {
    let broken = || vec![block(vec![set("x", 9)])];
    let (mut init, mut env, mut trans) = (system(Vec::new()), system(Vec::new()), system(Vec::new()));
    (init.init, env.env, trans.trans) = (broken(), broken(), broken());
    // What env breaks trans repairs.
    env.trans = vec![block(vec![set("x", 0)])];
    assert_eq!([&init, &env, &trans].map(|model| explored(model).violation), [Some(1), Some(2), Some(3)]);
}

#[test]
fn init_runs_once() {
    let mut model = system(Vec::new());
    model.init = vec![block(vec![add("x", 1)])];
    let found = explored(&model);
    let numbers: Vec<(Phase, String)> = found.states.into_iter().map(|(phase, row)| (phase, row[0].clone())).collect();
    assert_eq!(numbers, [(Phase::Init, "0"), (Phase::Env, "1"), (Phase::Trans, "1")].map(|(at, x)| (at, x.to_owned())));
}

#[test]
fn nothing_follows_an_init_that_is_blocked() {
    let mut model = system(vec![set("x", 9)]);
    model.init = vec![block(vec![set("x", 9), assume(is("x", 0))])];
    assert_eq!((explored(&model).states.len(), explored(&model).violation), (1, None));
}

#[test]
fn env_and_trans_take_turns() {
    let mut model = system(vec![assume(op(Expr::var("x"), Binary::Lt, Expr::int(9))), add("x", 1)]);
    model.env = vec![block(vec![assume(op(Expr::var("y"), Binary::Lt, Expr::int(2))), add("y", 1)])];
    // The third env is blocked, and with it whatever trans could do then.
    let found = explored(&model);
    assert_eq!((found.depth, found.violation), (5, None));
}

#[test]
fn what_stands_side_by_side_at_the_top_is_chosen_from() {
    let mut model = system(Vec::new());
    model.trans = vec![block(vec![set("x", 9)]), block(vec![assume(is("x", 1))]), set("y", 1)];
    let found = explored(&model);
    // Any of the four valuations; but trans has run only in three of them when env has not.
    assert_eq!((found.violation, found.states.len()), (Some(3), 1 + 4 + 4));
}

#[test]
fn a_blocked_branch_leaves_no_trace() {
    let branches = vec![block(vec![set("x", 1), assume(is("y", 1))]), block(vec![set("y", 2)])];
    assert_eq!(after(vec![Statement::Choice(branches)]), ["0 2"]);
    let blocked = vec![block(vec![assume(is("x", 1))]), block(vec![assume(is("x", 2))])];
    assert!(after(vec![set("y", 3), Statement::Choice(blocked)]).is_empty());
}

#[test]
fn a_blocked_if_is_not_an_else() {
    let branch = |condition: Expr, no| {
        let yes = Box::new(block(vec![set("x", 1), assume(Expr::bool(false))]));
        after(vec![Statement::If(condition, yes, no), set("y", 1)])
    };
    let no = || Some(Box::new(block(vec![set("x", 2)])));
    assert!(branch(is("x", 0), no()).is_empty());
    assert_eq!(branch(is("x", 1), no()), ["2 1"]);
    assert_eq!(branch(is("x", 1), None), ["0 1"]);
}

#[test]
fn ort_runs_its_branches_in_every_order() {
    let ort = Statement::Ort(vec![block(vec![set("x", 1)]), block(vec![assign("y", Expr::var("x"))])]);
    assert_eq!(after(vec![ort.clone()]), ["1 0", "1 1"]);
    let mut model = system(vec![assume(is("done", 0)), set("done", 1), ort]);
    model.variables.push(number("done", 0));
    assert_eq!(values(&model, Order::Declared), ["1 1"]);

    let digit = |digit| {
        block(vec![assign("x", op(op(Expr::var("x"), Binary::Mul, Expr::int(10)), Binary::Add, Expr::int(digit)))])
    };
    let three = Statement::Ort((1..=3).map(digit).collect());
    assert_eq!(after(vec![three]), ["123 0", "132 0", "213 0", "231 0", "312 0", "321 0"]);
}

#[test]
fn an_order_of_ort_that_is_blocked_is_none() {
    let needs = block(vec![assume(is("x", 1)), set("y", 1)]);
    assert_eq!(after(vec![Statement::Ort(vec![needs, set("x", 1)])]), ["1 1"]);
}

#[test]
fn loops_end_before_their_bound_which_is_known_at_the_start() {
    let repeat = |from: Expr, to: Expr, body| Statement::For("i".to_owned(), from, to, Box::new(body));
    let sum = || assign("x", op(Expr::var("x"), Binary::Add, Expr::var("i")));
    assert_eq!(after(vec![repeat(Expr::int(1), Expr::int(4), sum())]), ["6 0"]);
    assert_eq!(after(vec![repeat(Expr::int(4), Expr::int(4), sum())]), ["0 0"]);
    assert_eq!(after(vec![repeat(Expr::int(5), Expr::int(4), sum())]), ["0 0"]);
    assert_eq!(after(vec![set("x", 3), repeat(Expr::int(0), Expr::var("x"), add("y", 2))]), ["3 6"]);
    // The inner bound is the counter of the outer loop.
    let inner = repeat(Expr::int(0), Expr::var("i"), add("y", 1));
    assert_eq!(after(vec![repeat(Expr::int(0), Expr::int(4), inner)]), ["0 6"]);
    // Each round may choose anew.
    let either = Statement::Choice(vec![add("x", 1), block(Vec::new())]);
    assert_eq!(after(vec![repeat(Expr::int(0), Expr::int(2), either)]), ["0 0", "1 0", "2 0"]);
}

#[test]
fn a_local_variable_hides_a_global_one_from_there_to_the_end_of_the_block() {
    let local = |initial| Statement::Local { name: "x".to_owned(), sort: Sort::Int, initial: Some(Expr::int(initial)) };
    let inner = block(vec![add("x", 1), local(5), add("x", 1), assign("y", Expr::var("x"))]);
    assert_eq!(after(vec![inner, add("x", 10)]), ["11 6"]);
}

#[test]
fn branches_and_rounds_have_local_variables_of_their_own() {
    let local = || Statement::Local { name: "l".to_owned(), sort: Sort::Int, initial: Some(Expr::int(1)) };
    let count = || block(vec![local(), add("l", 1), assign("x", op(Expr::var("x"), Binary::Add, Expr::var("l")))]);
    assert_eq!(after(vec![Statement::For("i".to_owned(), Expr::int(0), Expr::int(3), Box::new(count()))]), ["6 0"]);
    assert_eq!(after(vec![Statement::Ort(vec![count(), count()])]), ["4 0"]);
}

#[test]
fn what_is_not_said_is_any_value() {
    let local = Statement::Local { name: "b".to_owned(), sort: Sort::Bool, initial: None };
    let by = Statement::If(Expr::var("b"), Box::new(set("x", 1)), Some(Box::new(set("x", 2))));
    assert_eq!(after(vec![local, by]), ["1 0", "2 0"]);

    let mut model = system(Vec::new());
    let enums = vec![Enumeration { name: "T".to_owned(), literals: ["A", "B", "C"].map(str::to_owned).to_vec() }];
    model.enums = enums;
    model.variables.push(Variable { name: "e".to_owned(), sort: Sort::Enum(0), role: Role::Plain, initial: None });
    assert_eq!(explored(&model).n_initial, 3);
    model.variables[2].initial = Some(Expr::Const(Value::Literal(0, 1)));
    model.env = vec![Statement::Havoc("e".to_owned())];
    let found = explored(&model);
    assert_eq!((found.n_initial, found.states.len()), (1, 1 + 3 + 3));
    assert!(found.states.contains(&(Phase::Trans, ["0", "0", "T.C"].map(str::to_owned).to_vec())));
}

#[test]
fn one_cell_of_an_array_is_written() {
    let sort = Sort::array(Sort::Bool, Sort::Int);
    let array = Expr::Array { index: Sort::Bool, cells: Vec::new(), default: Box::new(Expr::int(7)) };
    let local = Statement::Local { name: "a".to_owned(), sort, initial: Some(array) };
    let write = Statement::Write("a".to_owned(), Expr::bool(true), Expr::int(8));
    let read = |index| Expr::read(Expr::var("a"), Expr::bool(index));
    assert_eq!(after(vec![local, write, assign("x", read(true)), assign("y", read(false))]), ["8 7"]);
}

#[test]
fn the_phase_is_a_part_of_the_state_and_control_means_nothing() {
    let mut model = system(Vec::new());
    let plain = Case::of(model.clone(), 100, 0).expect("small");
    assert_eq!((plain.n_states, plain.n_valuations, plain.verdict), (3, 1, Verdict::Holds));
    model.variables[0].role = Role::Control;
    assert_eq!(explored(&model), plain.exploration);
}

#[test]
fn texts_are_what_was_meant() {
    let ort = Statement::Ort(vec![block(vec![set("x", 1)]), block(vec![set("y", 1)])]);
    let branch = Statement::If(is("x", 0), Box::new(block(vec![ort.clone(), set("x", 0)])), None);
    let outer = Statement::If(is("y", 0), Box::new(branch), Some(Box::new(set("y", -1))));
    let mut model = system(vec![outer]);
    model.init = vec![block(vec![assume(is("x", 0))])];
    model.env = vec![block(Vec::new()), block(vec![ort])];
    // Neither is the assignment a branch of `ort`, nor does the `else` belong to the inner `if`.
    let body = "var x : integer = 0\nvar y : integer = 0\ntrans {\nif ( y == 0) {\nif ( x == 0) {\n{\nort {\nx := 1;\n} {\ny := 1;\n}\n}\n\
        x := 0;\n}\n} else {\ny := - 1;\n}\n}\ninit {\nassume x == 0;\n}\nenv {\n} or {\nort {\nx := 1;\n} {\ny := 1;\n}\n}\n";
    let body = body.replace("( ", "(");
    assert!((0..4000).any(|seed| model.body(seed) == body), "{}", model.body(1));
    assert!((0..400).any(|seed| model.property(seed) == "prop { !x == 9 }\n"));
    assert_eq!(model.condition(), "!x == 9");
    assert_eq!(model.to_xsts(5), format!("{}\n{}", model.body(5), model.property(5)));
}
